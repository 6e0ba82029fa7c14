//! Why a get that waits gets nothing: the first difference between what it asks for and what is on its queue, in words.
//!
//! Pure but for the look-up of identifiers, which the caller brings. Identifiers that miss by a hair are what people look for
//! longest: the right bytes in the wrong field, trailing blanks or zeros, hexadecimal digits sent as text, upper and lower case.

use queue_manager::Position;
use queue_manager::insight::{IdentifierKind, Insight, Reader, Surveyed, Wait};

/// Most near misses that are told of one get.
const MOST_NEAR_MISSES: usize = 3;

/// Why one get that waits gets nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// A word for programs.
    pub kind: &'static str,
    pub text: String,
    pub near_misses: Vec<NearMiss>,
}

/// An identifier that is almost the one asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    pub position: Position,
    pub text: String,
}

impl Difference {
    fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), near_misses: Vec::new() }
    }
}

/// The first difference for a get that waits. `look_up` finds a message with these bytes as its identifier of that kind.
pub fn first_difference(
    insight: &Insight,
    reader: &Reader,
    wait: &Wait,
    look_up: impl Fn(IdentifierKind, [u8; 24]) -> Option<Position>,
) -> Difference {
    if let Some(name) = insight.inhibited.first() {
        return Difference::new("inhibited", format!("gets are inhibited: {name} has GET(DISABLED)"));
    }
    let survey = &insight.survey;
    if survey.available == 0 {
        return of_empty(insight);
    }
    let fits = |message: &&Surveyed| wait.identifiers().all(|(kind, id)| of_kind(message, kind) == &id);
    if let Some(message) = survey.first.iter().find(fits) {
        return of_fitting(message, reader);
    }
    if let Some(taken) = survey.got.iter().find(fits) {
        let at = taken.position.0;
        let text = format!("the message at position {at} has the identifiers, and a unit of work holds it that got it");
        return Difference::new("taken", text);
    }
    let mut difference =
        Difference::new("identifier", format!("{}, and no message that can be got has it", words(wait)));
    difference.near_misses = near_misses(wait, &survey.first, look_up);
    if let Some(nearest) = difference.near_misses.first() {
        difference.text = format!("{}; {}", words(wait), nearest.text);
    }
    difference
}

/// Nothing can be got: what keeps what there is.
fn of_empty(insight: &Insight) -> Difference {
    let survey = &insight.survey;
    let put: usize = survey.held.iter().map(|held| held.put).sum();
    let got: usize = survey.held.iter().map(|held| held.got).sum();
    if put > 0 {
        return Difference::new("uncommitted", format!("{put} messages are put and not committed: see holders"));
    }
    if got > 0 {
        return Difference::new("taken", format!("{got} messages are got by others and not committed: see holders"));
    }
    if insight.not_yet_due.count > 0 {
        return Difference::new(
            "notYetDue",
            format!("{} messages for the queue are not due yet", insight.not_yet_due.count),
        );
    }
    if survey.quarantined > 0 {
        let text = format!("{} messages cannot be read back, and are delivered to nobody", survey.quarantined);
        return Difference::new("quarantined", text);
    }
    match insight.writers {
        0 => Difference::new("nobodyPuts", "the queue is empty, and no program has it open for putting"),
        writers => Difference::new("empty", format!("the queue is empty; {writers} handles are open for putting")),
    }
}

/// A message has the identifiers, and the get waits all the same.
fn of_fitting(message: &Surveyed, reader: &Reader) -> Difference {
    let at = message.position.0;
    if message.has_expired {
        return Difference::new("expired", format!("the message at position {at} has expired"));
    }
    if message.is_locked {
        return Difference::new("locked", format!("the message at position {at} is locked by a program that browses"));
    }
    if !reader.selector.is_empty() {
        let text = format!("messages are there, and the selector selects none of them: {}", reader.selector);
        return Difference::new("selector", text);
    }
    Difference::new(
        "options",
        format!(
            "the message at position {at} has the identifiers; the get waits for something else: a whole group, all its \
             segments, a message token or a message that no browser has marked"
        ),
    )
}

fn words(wait: &Wait) -> String {
    let asked: Vec<&str> = wait.identifiers().map(|(kind, _)| name(kind)).collect();
    format!("it asks by {}", asked.join(" and "))
}

fn name(kind: IdentifierKind) -> &'static str {
    match kind {
        IdentifierKind::Message => "message id",
        IdentifierKind::Correlation => "correlation id",
        IdentifierKind::Group => "group id",
    }
}

pub const KINDS: [IdentifierKind; 3] = [IdentifierKind::Message, IdentifierKind::Correlation, IdentifierKind::Group];

fn of_kind(message: &Surveyed, kind: IdentifierKind) -> &[u8; 24] {
    match kind {
        IdentifierKind::Message => message.message_id.as_bytes(),
        IdentifierKind::Correlation => message.correlation_id.as_bytes(),
        IdentifierKind::Group => message.group_id.as_bytes(),
    }
}

fn near_misses(
    wait: &Wait,
    messages: &[Surveyed],
    look_up: impl Fn(IdentifierKind, [u8; 24]) -> Option<Position>,
) -> Vec<NearMiss> {
    let mut found: Vec<NearMiss> = Vec::new();
    for (asked, id) in wait.identifiers() {
        for kind in KINDS.into_iter().filter(|kind| *kind != asked) {
            found.extend(look_up(kind, id).map(|position| wrong_field(asked, kind, position)));
        }
        for message in messages {
            for kind in KINDS {
                let Some(how) = almost(&id, of_kind(message, kind)) else { continue };
                let text = format!("the {} of the message at position {} {how}", name(kind), message.position.0);
                found.push(NearMiss { position: message.position, text });
            }
            if found.len() >= MOST_NEAR_MISSES {
                break;
            }
        }
    }
    found.truncate(MOST_NEAR_MISSES);
    found
}

fn wrong_field(asked: IdentifierKind, kind: IdentifierKind, position: Position) -> NearMiss {
    let (asked, kind) = (name(asked), name(kind));
    let text = format!(
        "a message with these bytes as its {kind} is there, at position {}: it may have to ask by {kind} in place of {asked}",
        position.0
    );
    NearMiss { position, text }
}

/// How two identifiers differ that were perhaps meant to be the same.
fn almost(asked: &[u8; 24], there: &[u8; 24]) -> Option<&'static str> {
    if asked == there || is_none(asked) || is_none(there) {
        return None;
    }
    if is_text_of(trimmed(asked), there) {
        return Some("has as bytes what the get sends as hexadecimal digits");
    }
    if is_text_of(trimmed(there), asked) {
        return Some("has as hexadecimal digits what the get sends as bytes");
    }
    let (asked, there) = (trimmed(asked), trimmed(there));
    if asked == there {
        return Some("differs in trailing blanks or zeros only");
    }
    (asked.is_ascii() && asked.eq_ignore_ascii_case(there)).then_some("differs in upper and lower case only")
}

fn is_none(id: &[u8; 24]) -> bool {
    trimmed(id).is_empty()
}

/// Without zeros and blanks, those of EBCDIC too, at the end.
fn trimmed(id: &[u8]) -> &[u8] {
    let end = id.iter().rposition(|byte| !matches!(byte, 0 | b' ' | 0x40)).map_or(0, |last| last + 1);
    &id[..end]
}

/// `text` has hexadecimal digits, perhaps behind `ID:`, and `bytes` begins with what they say. Fewer digits than those of eight
/// bytes may be like anything.
fn is_text_of(text: &[u8], bytes: &[u8]) -> bool {
    let digits = text.strip_prefix(b"ID:").unwrap_or(text);
    let digits = &digits[..digits.len() & !1];
    let value = |digit: &u8| char::from(*digit).to_digit(16);
    let mut pairs = digits.chunks_exact(2).zip(bytes);
    digits.len() >= 16
        && bytes.len() >= digits.len() / 2
        && pairs.all(|(pair, byte)| {
            let both = value(&pair[0]).zip(value(&pair[1]));
            both.is_some_and(|(high, low)| high * 16 + low == u32::from(*byte))
        })
}

#[cfg(test)]
mod tests;
