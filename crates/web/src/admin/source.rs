//! Where a member of an answer comes from: a row of the attribute table, or of `command::rest`.
//!
//! A row of the table holds numbers and texts; this file turns them into what REST calls them. The same reading serves
//! rendering, filters and sorting, so that these can never disagree.

use command::rest::{Json, Live, Row};
use model::definition::attribute::{self, Attribute, JsonWord, Kind, Membership, MomentOf, Seen, ValueType, View};

use super::json;

/// How names of members end that hold CONNAME.
const CONNECTION: &str = ".connection";

/// What an object of an answer is made from.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) view: Option<View<'a>>,
    pub(super) live: Live<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Source {
    /// A number, a name, a text.
    Plain(&'static Attribute),
    /// Words; one that REST has no word for leaves the member out.
    Worded(&'static Attribute),
    /// True while the attribute has this number.
    Member(&'static Attribute, i64),
    Moment(MomentOf),
    /// A date and a time that the table has as texts only.
    DateAndTime(&'static Attribute, &'static Attribute),
    /// Several texts or words.
    List(&'static Attribute),
    /// CONNAME: an array of hosts and ports.
    Connection(&'static Attribute),
    Live(&'static Row),
    /// The same for every subject.
    Constant(&'static str),
}

/// A member by its dotted name.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) source: Source,
}

impl Source {
    /// Calls back with the value; not at all when the subject lacks it.
    pub(super) fn see(&self, subject: &Subject<'_>, see: &mut dyn FnMut(Json<'_>)) {
        match self {
            Self::Live(row) => (row.read)(&subject.live, see),
            Self::Constant(text) => see(Json::Text(text)),
            Self::Plain(row) => each(row, subject, &mut |seen| match seen {
                Seen::Integer(number) => see(Json::Integer(number)),
                Seen::Text(text) => see(Json::Text(text)),
                Seen::List(texts) => see(Json::Texts(texts)),
                Seen::Numbers(_) => {}
            }),
            Self::Worded(row) => each(row, subject, &mut |seen| match (seen, word(row, seen)) {
                (_, Some(JsonWord::Text(word))) => see(Json::Text(word)),
                (_, Some(JsonWord::Bool(truth))) => see(Json::Truth(truth)),
                // A number beside which the attribute has words.
                (Seen::Integer(number), _) if matches!(row.value, ValueType::Integer { .. }) => {
                    see(Json::Integer(number));
                }
                _ => {}
            }),
            Self::Member(row, code) => each(row, subject, &mut |seen| see(Json::Truth(seen == Seen::Integer(*code)))),
            Self::Moment(moment) => {
                if let Some(at) = subject.view.and_then(*moment) {
                    see(Json::Moment(Some(at).filter(|at| at.0 > 0)));
                }
            }
            Self::DateAndTime(date, time) => {
                let both = text_of(date, subject).zip(text_of(time, subject));
                match both {
                    Some((date, time)) if date.is_empty() || time.is_empty() => see(Json::Moment(None)),
                    Some((date, time)) => see(Json::Text(&format!("{date}T{}.000Z", time.replace('.', ":")))),
                    None => {}
                }
            }
            Self::List(row) => each(row, subject, &mut |seen| match seen {
                Seen::List(texts) => see(Json::Texts(texts)),
                Seen::Numbers(numbers) => see(Json::Texts(&words(row, numbers))),
                Seen::Text("") => see(Json::Texts(&[])),
                Seen::Text(text) => {
                    let texts: Vec<_> = text.split(',').map(|one| one.trim().to_owned()).collect();
                    see(Json::Texts(&texts));
                }
                Seen::Integer(_) => {}
            }),
            Self::Connection(row) => each(row, subject, &mut |seen| {
                if let Seen::Text(text) = seen {
                    see(Json::Connections(text));
                }
            }),
        }
    }

    /// The value as JSON; false when the subject lacks it.
    pub(super) fn write(&self, subject: &Subject<'_>, out: &mut Vec<u8>) -> bool {
        let mut is_there = false;
        self.see(subject, &mut |value| {
            is_there = true;
            json::write(out, value);
        });
        is_there
    }
}

fn each(row: &Attribute, subject: &Subject<'_>, see: &mut dyn FnMut(Seen<'_>)) {
    if let Some(view) = subject.view {
        (row.see)(view, see);
    }
}

fn word(row: &Attribute, seen: Seen<'_>) -> Option<JsonWord> {
    let Seen::Integer(number) = seen else { return None };
    row.value.words().iter().find(|word| word.code == number).map(|word| word.json)
}

/// What REST calls these numbers; those it has no word for are left out.
fn words(row: &Attribute, numbers: &[i64]) -> Vec<String> {
    let word = |number: &i64| match word(row, Seen::Integer(*number)) {
        Some(JsonWord::Text(text)) => Some(text.to_owned()),
        _ => None,
    };
    numbers.iter().filter_map(word).collect()
}

fn text_of(row: &Attribute, subject: &Subject<'_>) -> Option<String> {
    let mut text = None;
    each(row, subject, &mut |seen| {
        if let Seen::Text(seen) = seen {
            text = Some(seen.to_owned());
        }
    });
    text
}

/// Every member that the table gives objects of `kind` at such a queue manager, in the order of answers.
pub(super) fn entries(kind: Kind, membership: Membership) -> Vec<Entry> {
    let mut entries = Vec::new();
    for row in membership.of(kind) {
        let Some(path) = row.json else { continue };
        let mut add = |path: String, source| {
            if !entries.iter().any(|entry: &Entry| entry.path == path) {
                entries.push(Entry { path, source });
            }
        };
        match row.value {
            ValueType::Date => {
                let time =
                    membership.of(kind).find(|other| other.json == row.json && matches!(other.value, ValueType::Time));
                if let Some(moment) = row.moment {
                    add(path.to_owned(), Source::Moment(moment));
                } else if let Some(time) = time {
                    add(path.to_owned(), Source::DateAndTime(row, time));
                }
            }
            ValueType::Time => {}
            ValueType::List | ValueType::Names { .. } | ValueType::Texts { .. } | ValueType::Words { .. } => {
                add(path.to_owned(), Source::List(row));
            }
            _ if path.ends_with(CONNECTION) => add(path.to_owned(), Source::Connection(row)),
            _ if row.value.words().is_empty() => add(path.to_owned(), Source::Plain(row)),
            _ => {
                let mut has_members = false;
                for word in row.value.words() {
                    if let JsonWord::Member(member) = word.json {
                        add(format!("{path}.{member}"), Source::Member(row, word.code));
                        has_members = true;
                    }
                }
                if !has_members {
                    add(path.to_owned(), Source::Worded(row));
                }
            }
        }
    }
    in_order(kind, entries)
}

/// Sorts by the published order; a row with members stands where its own name does.
fn in_order(kind: Kind, mut entries: Vec<Entry>) -> Vec<Entry> {
    let order = attribute::json_order(kind);
    let place = |entry: &Entry| {
        let of = |path: &str| order.iter().position(|name| *name == path);
        let parent = || entry.path.rsplit_once('.').and_then(|(parent, _)| of(parent));
        of(&entry.path).or_else(parent).unwrap_or(usize::MAX)
    };
    entries.sort_by_key(place);
    // Groups first, then what stands directly in the object.
    entries.sort_by_key(|entry| !entry.path.contains('.'));
    entries
}

/// What REST calls objects of `kind`, among those of its resource.
pub(super) fn type_word(kind: Kind) -> Option<&'static str> {
    let row = attribute::by_json(kind, "type")?;
    match row.value.json_word(&row.default_value(kind)?)? {
        JsonWord::Text(word) => Some(word),
        JsonWord::Bool(_) | JsonWord::Member(_) | JsonWord::None => None,
    }
}

/// Rows of `command::rest` as members.
pub(super) fn live_entries(rows: &'static [Row]) -> Vec<Entry> {
    rows.iter().map(|row| Entry { path: row.json.to_owned(), source: Source::Live(row) }).collect()
}
