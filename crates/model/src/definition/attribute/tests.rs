use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{Access, Attribute, Kind, Membership, Target, Value, ValueType, View, reference};
use crate::definition::{
    AdministeredObject, QueueDefinition, QueueManagerDefinition, SubscriptionDefinition, TopicDefinition,
};

/// A definition of any kind, to poke at.
enum Sample {
    QueueManager(Box<QueueManagerDefinition>),
    Queue(Box<QueueDefinition>),
    Topic(Box<TopicDefinition>),
    Subscription(Box<SubscriptionDefinition>),
    Object(Box<AdministeredObject>),
}

impl Sample {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::QueueManager => Self::QueueManager(Box::default()),
            Kind::Topic => Self::Topic(Box::default()),
            Kind::Subscription => Self::Subscription(Box::default()),
            queue if queue.is_queue() => Self::Queue(Box::new(QueueDefinition::blank(queue).unwrap())),
            object => Self::Object(Box::new(AdministeredObject::blank(object).unwrap())),
        }
    }

    fn target(&mut self) -> Target<'_> {
        match self {
            Self::QueueManager(definition) => Target::QueueManager(definition),
            Self::Queue(definition) => Target::Queue(definition),
            Self::Topic(definition) => Target::Topic(definition),
            Self::Subscription(definition) => Target::Subscription(definition),
            Self::Object(definition) => Target::Object(definition),
        }
    }

    fn view(&self) -> View<'_> {
        match self {
            Self::QueueManager(definition) => View::QueueManager(definition),
            Self::Queue(definition) => View::Queue(definition, Some(super::LiveCounts::default())),
            Self::Topic(definition) => View::Topic(definition),
            Self::Subscription(definition) => View::Subscription(definition),
            Self::Object(definition) => View::Object(definition),
        }
    }

    /// Every field by its path.
    fn fields(&self) -> BTreeMap<String, Json> {
        let json = match self {
            Self::QueueManager(definition) => serde_json::to_value(definition),
            Self::Queue(definition) => serde_json::to_value(definition),
            Self::Topic(definition) => serde_json::to_value(definition),
            Self::Subscription(definition) => serde_json::to_value(definition),
            Self::Object(definition) => serde_json::to_value(definition),
        };
        let mut fields = BTreeMap::new();
        let mut json = json.unwrap();
        if let (Self::Object(_), Json::Object(members)) = (self, &mut json) {
            // The variant's name is no field.
            json = members.values_mut().next().unwrap().take();
        }
        flatten(&json, "", &mut fields);
        fields
    }
}

fn flatten(json: &Json, path: &str, fields: &mut BTreeMap<String, Json>) {
    match json {
        Json::Object(members) => {
            for (name, member) in members {
                flatten(member, &format!("{path}.{name}"), fields);
            }
        }
        leaf => {
            fields.insert(path.to_owned(), leaf.clone());
        }
    }
}

/// Every value that stands for what the row accepts: all words, both ends of ranges, full and blank texts.
fn samples(row: &Attribute) -> Vec<Value> {
    let is_list = row.value.is_list();
    let words = row
        .value
        .words()
        .iter()
        .map(move |word| if is_list { Value::Numbers(vec![word.code]) } else { Value::Integer(word.code) });
    let others = match row.value {
        ValueType::Integer { minimum, maximum, .. } => vec![Value::Integer(minimum), Value::Integer(maximum)],
        ValueType::Choice(_) | ValueType::Flag(_) => vec![],
        ValueType::Name => vec![Value::from("A.NAME"), Value::from("")],
        ValueType::Text { maximum } => vec![Value::from("x y"), Value::Text("z".repeat(maximum)), Value::from("")],
        ValueType::Hexadecimal { bytes } => vec![Value::Text("AB".repeat(bytes)), Value::Text("00".repeat(bytes))],
        ValueType::Date | ValueType::Time | ValueType::List => vec![],
        ValueType::Names { maximum } => vec![
            Value::List(vec![]),
            Value::List(vec!["A.NAME".to_owned(), "ANOTHER".to_owned()]),
            Value::List(vec!["N".to_owned(); maximum]),
        ],
        ValueType::Texts { maximum, length } => {
            vec![
                Value::List(vec![]),
                Value::List(vec!["x(y)".to_owned()]),
                Value::List(vec!["z".repeat(length); maximum]),
            ]
        }
        ValueType::Words { words, .. } => vec![Value::Numbers(words.iter().map(|word| word.code).collect())],
        ValueType::Secret { maximum } => vec![Value::from(""), Value::Text("s".repeat(maximum))],
    };
    words.chain(others).collect()
}

/// Which rows change which field of a definition of this kind.
fn writers(kind: Kind) -> BTreeMap<String, Vec<&'static str>> {
    let fresh = Sample::new(kind).fields();
    let mut writers: BTreeMap<String, Vec<&str>> = fresh.keys().map(|path| (path.clone(), vec![])).collect();
    for row in Membership::Member.of(kind).filter(|row| row.access != Access::ReadOnly) {
        let mut touched = std::collections::BTreeSet::new();
        for value in samples(row) {
            let mut sample = Sample::new(kind);
            (row.write)(sample.target(), &value).unwrap_or_else(|| panic!("{kind:?} {} {value:?}", row.mqsc));
            let after = sample.fields();
            touched.extend(fresh.iter().filter(|(path, old)| after[*path] != **old).map(|(path, _)| path.clone()));
        }
        // The coded character set of a queue manager has one value only.
        let has_one_value = (kind, row.mqsc) == (Kind::QueueManager, "CCSID");
        assert!(!touched.is_empty() || has_one_value, "{kind:?}: {} writes nothing", row.mqsc);
        for path in touched {
            writers.get_mut(&path).unwrap().push(row.mqsc);
        }
    }
    writers
}

#[test]
fn every_field_of_every_definition_is_written_by_exactly_one_row() {
    let all: Vec<_> = Kind::ALL.into_iter().map(|kind| (kind, writers(kind))).collect();
    for (kind, writers) in &all {
        for (path, rows) in writers {
            // Channels share one structure: what one type lacks another has, and so does authentication information.
            let of_another_type = || {
                let mut family = all.iter().filter(|(other, _)| other != kind && other.mqsc() == kind.mqsc());
                rows.is_empty() && family.any(|(_, writers)| !writers[path].is_empty())
            };
            let expected = usize::from(!is_not_settable(*kind, path) && !of_another_type());
            assert_eq!(rows.len(), expected, "{kind:?}: {path} is written by {rows:?}");
        }
    }
}

/// Identities, what the queue manager keeps itself, and parts of the shared structures a kind has no use for.
fn is_not_settable(kind: Kind, path: &str) -> bool {
    let own = [".name", ".identifier", ".disposition", ".history.created", ".history.altered", ".durable", ".made_by"];
    let parts: &[&str] = match kind {
        Kind::QueueManager => &[".ccsid"],
        channel if channel.is_channel() => &[".channel_type"],
        Kind::AuthenticationCrl | Kind::AuthenticationOcsp | Kind::AuthenticationOs | Kind::AuthenticationLdap => {
            &[".authentication_type"]
        }
        Kind::QueueLocal => &[".kind.Local.store_id", ".kind.Local.definition_type"],
        Kind::QueueModel => &[
            ".cluster",
            ".cluster_name_list",
            ".cluster_workload_priority",
            ".cluster_workload_rank",
            ".default_bind",
            ".kind.Model.local.store_id",
            ".kind.Model.local.scope_cell",
            ".kind.Model.local.cluster_channel_name",
            ".kind.Model.local.cluster_workload_use_queue",
        ],
        _ => &[],
    };
    own.contains(&path) || parts.contains(&path)
}

#[test]
fn what_a_row_writes_it_reads_back_and_mqsc_spells_it_back() {
    for kind in Kind::ALL {
        for row in Membership::Member.of(kind).filter(|row| row.access != Access::ReadOnly) {
            for value in samples(row) {
                row.value.check(&value).unwrap_or_else(|e| panic!("{kind:?} {} {value:?}: {e}", row.mqsc));
                let mut sample = Sample::new(kind);
                (row.write)(sample.target(), &value).unwrap();
                let read = (row.read)(sample.view()).unwrap();
                let computed = row.mqsc == "CERTLABL" && value == Value::from("")
                    || matches!(row.value, ValueType::Secret { .. }) && read == Value::masked(value.text().unwrap());
                assert!(read == value || computed, "{kind:?} {}: wrote {value:?}, read {read:?}", row.mqsc);
                if !matches!(row.value, ValueType::Flag(_)) {
                    assert_eq!(row.value.parse(&row.value.word_or_text(&value)).unwrap(), value, "{}", row.mqsc);
                }
            }
        }
    }
}

#[test]
fn every_row_can_be_read_on_every_kind_it_applies_to() {
    for kind in Kind::ALL {
        let sample = Sample::new(kind);
        for row in Membership::Member.of(kind) {
            let value = (row.read)(sample.view()).unwrap_or_else(|| panic!("{kind:?}: {} reads nothing", row.mqsc));
            let spelled_by_word = !row.value.words().is_empty() || row.access == Access::ReadOnly;
            assert!(spelled_by_word || row.value.check(&value).is_ok(), "{kind:?}: default of {}", row.mqsc);
        }
    }
}

#[test]
fn keywords_numbers_and_json_names_are_unique_within_a_kind() {
    for kind in Kind::ALL {
        let mut keywords: Vec<_> = Membership::Member.of(kind).flat_map(Attribute::keywords).collect();
        let count = keywords.len();
        keywords.sort_unstable();
        keywords.dedup();
        assert_eq!(keywords.len(), count, "{kind:?}");

        let mut numbers: Vec<_> = Membership::Member.of(kind).filter_map(|row| row.pcf).collect();
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), count, "{kind:?}");
    }
}

#[test]
fn values_outside_a_row_are_refused_with_what_was_expected() {
    let row = super::find(Kind::QueueLocal, "MAXDEPTH").unwrap();
    assert_eq!(row.value.parse("1000000000").unwrap_err().to_string(), "1000000000 is outside 0 to 999999999");
    assert_eq!(row.value.parse("-1").unwrap_err().to_string(), "expected a number from 0 to 999999999");
    assert!(row.value.parse("99999999999999999999").is_err());
    let row = super::find(Kind::QueueLocal, "CAPEXPRY").unwrap();
    assert_eq!(row.value.parse("NOLIMIT").unwrap(), Value::Integer(-1));
    assert_eq!(row.value.parse("X").unwrap_err().to_string(), "expected a number from 1 to 999999999, or NOLIMIT");
    let row = super::find(Kind::QueueLocal, "BOQNAME").unwrap();
    assert!(row.value.parse("BAD NAME").is_err());
    assert!(row.value.parse(&"X".repeat(49)).is_err());
    assert_eq!(row.value.parse("  ").unwrap(), Value::from(""));
}

#[test]
fn no_text_that_can_be_set_holds_control_characters() {
    for kind in Kind::ALL {
        for row in Membership::Member.of(kind).filter(|row| row.access != Access::ReadOnly) {
            let value = match row.value {
                ValueType::Name | ValueType::Text { .. } | ValueType::Secret { .. } => Value::from("a\nb"),
                ValueType::Names { .. } | ValueType::Texts { .. } => Value::List(vec!["a\nb".to_owned()]),
                _ => continue,
            };
            assert!(row.value.check(&value).is_err(), "{kind:?} {}", row.mqsc);
            assert!(row.value.parse("a\u{85}b").is_err(), "{kind:?} {}", row.mqsc);
        }
    }
    let row = super::find(Kind::QueueLocal, "DESCR").unwrap();
    assert_eq!(row.value.parse("a\tb").unwrap_err().to_string(), "control characters are not allowed");
    assert_eq!(row.value.parse("été; 'quoted' ☃").unwrap(), Value::from("été; 'quoted' ☃"));
}

#[test]
fn flags_are_found_by_both_their_words_and_synonyms_by_theirs() {
    assert_eq!(super::find(Kind::QueueLocal, "NOSHARE").unwrap().mqsc, "SHARE");
    assert_eq!(super::find(Kind::QueueAlias, "TARGQ").unwrap().mqsc, "TARGET");
    assert!(super::find(Kind::QueueRemote, "MAXDEPTH").is_none());
    assert_eq!(super::by_pcf(Kind::QueueModel, 15).unwrap().mqsc, "MAXDEPTH");
    assert_eq!(super::by_json(Kind::QueueLocal, "storage.maximumDepth").unwrap().mqsc, "MAXDEPTH");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writes the page into the source tree when asked to")]
fn the_manual_page_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/attributes.md");
    if std::env::var_os("QUAYMASTER_UPDATE_DOCS").is_some() {
        std::fs::write(path, reference()).unwrap();
    }
    let page = std::fs::read_to_string(path).expect("docs/attributes.md is there");
    assert!(page == reference(), "docs/attributes.md is stale: QUAYMASTER_UPDATE_DOCS=1 cargo test -p model");
}

#[test]
fn what_is_seen_of_a_definition_is_what_is_read() {
    for kind in Kind::ALL {
        let sample = Sample::new(kind);
        for row in Membership::Member.of(kind) {
            let mut seen = None;
            (row.see)(sample.view(), &mut |value| {
                seen = Some(match value {
                    super::Seen::Integer(number) => Value::Integer(number),
                    super::Seen::Text(text) => Value::from(text),
                    super::Seen::List(texts) => Value::List(texts.to_vec()),
                    super::Seen::Numbers(numbers) => Value::Numbers(numbers.to_vec()),
                });
            });
            assert_eq!(seen, (row.read)(sample.view()), "{kind:?} {}", row.mqsc);
        }
    }
}

#[test]
fn the_order_of_json_members_names_each_of_them_once() {
    for kind in Kind::ALL.into_iter().filter(|&kind| !super::json_order(kind).is_empty()) {
        let order = super::json_order(kind);
        for row in Membership::Member.of(kind) {
            if let Some(json) = row.json {
                assert_eq!(order.iter().filter(|name| **name == json).count(), 1, "{kind:?} {json}");
            }
        }
    }
}
