//! Every settable row of the attribute table is set through MQSC and shown by DISPLAY as it was set.

use model::definition::attribute::{self, Access, Attribute, Kind, ValueType, quoted};

use crate::support::{run_script, start};

/// A spelling that differs from the default, as DEFINE takes it and as DISPLAY shows it.
pub(crate) fn other_than_default(row: &Attribute, kind: Kind) -> (String, String) {
    let default = row.default_value(kind).unwrap();
    let different = |word: &&attribute::Word| default.number() != Some(word.code);
    let parenthesised = |text: &str| format!("{}({text})", row.mqsc);
    match row.value {
        ValueType::Flag(words) => {
            let word = words.iter().find(different).unwrap().mqsc.to_owned();
            (word.clone(), word)
        }
        ValueType::Choice(words) => {
            let text = parenthesised(words.iter().rfind(different).unwrap().mqsc);
            (text.clone(), text)
        }
        ValueType::Integer { minimum, maximum, .. } => {
            let number = if default.number() == Some(maximum) { minimum } else { maximum };
            let text = parenthesised(&number.to_string());
            (text.clone(), text)
        }
        ValueType::Words { words, .. } => {
            let text = parenthesised(words.last().unwrap().mqsc);
            (text.clone(), text)
        }
        ValueType::Names { .. } => (parenthesised("A.NAME,'Some.Name'"), parenthesised("A.NAME,Some.Name")),
        ValueType::Texts { .. } => (parenthesised("'a(b)','c'"), parenthesised("a(b),c")),
        ValueType::Secret { .. } => (parenthesised("'secret'"), parenthesised("********")),
        ValueType::Name => (parenthesised(&quoted("Some.Name")), parenthesised("Some.Name")),
        ValueType::Text { .. } if row.mqsc == "SELECTOR" => {
            (parenthesised(&quoted("it = 'ok'")), parenthesised("it = 'ok'"))
        }
        ValueType::Text { .. } => (parenthesised(&quoted("it's ok")), parenthesised("it's ok")),
        ValueType::Hexadecimal { bytes } => {
            let digits = "AB".repeat(bytes);
            (parenthesised(&quoted(&digits)), parenthesised(&digits))
        }
        ValueType::Date | ValueType::Time | ValueType::List => unreachable!("{} is read only", row.mqsc),
    }
}

/// `CHLTYPE(SDR)` and its like.
pub(crate) fn type_parameter(kind: Kind) -> String {
    kind.type_parameter().map(|(keyword, word)| format!(" {keyword}({word})")).unwrap_or_default()
}

/// What a definition needs whatever is tried on it.
pub(crate) fn required(kind: Kind, row: &Attribute) -> String {
    let needs: &[(&str, &str)] = match kind {
        Kind::Topic => &[("TOPICSTR", "TOPICSTR('node/of/x')")],
        Kind::Subscription => &[("TOPICSTR", "TOPICSTR('some/topic')"), ("DEST", "DEST(TARGET.Q)")],
        Kind::SenderChannel => &[("CONNAME", "CONNAME('host(1414)')"), ("XMITQ", "XMITQ(X)")],
        Kind::ServerChannel => &[("XMITQ", "XMITQ(X)")],
        Kind::RequesterChannel | Kind::ClientConnection | Kind::ClusterSender | Kind::AuthenticationCrl => {
            &[("CONNAME", "CONNAME('host(1414)')")]
        }
        Kind::AuthenticationOcsp => &[("OCSPURL", "OCSPURL('http://host')")],
        Kind::AuthenticationLdap => &[("CONNAME", "CONNAME(HOST)"), ("SHORTUSR", "SHORTUSR('sn')")],
        _ => &[],
    };
    needs.iter().filter(|(keyword, _)| *keyword != row.mqsc).map(|(_, text)| format!(" {text}")).collect()
}

#[test]
fn every_settable_attribute_can_be_set_and_is_shown_as_set() {
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Structure) {
        for row in attribute::of(kind).filter(|row| row.access != Access::ReadOnly) {
            if (kind, row.mqsc) == (Kind::QueueManager, "CCSID") {
                continue; // It has one value only.
            }
            let queue_manager = start();
            run_script(&queue_manager, "DEFINE QLOCAL(TARGET.Q)\nDEFINE TOPIC('Some.Name') TOPICSTR('some/name')");
            let (set, mut shown) = other_than_default(row, kind);
            let (define, display) = match kind {
                Kind::QueueManager => (format!("ALTER QMGR {set}"), "DISPLAY QMGR".to_owned()),
                other => (
                    format!("DEFINE {}(X){} {set}{}", other.mqsc(), type_parameter(kind), required(kind, row)),
                    format!("DISPLAY {}(X)", other.mqsc()),
                ),
            };
            if kind == Kind::Subscription && row.mqsc == "TOPICOBJ" {
                // The object's topic string then stands before the command's.
                shown = "TOPICSTR(some/name/some/topic)".to_owned();
            }
            run_script(&queue_manager, &define);
            let lines = run_script(&queue_manager, &format!("{display} {}", row.mqsc));
            let all = run_script(&queue_manager, &display);
            let found = |lines: &[String]| lines.iter().any(|line| line.contains(&shown));
            assert!(found(&all), "{define}: {shown} is not in\n{}", all.join("\n"));
            assert!(found(&lines) || row.mqsc == "TOPICOBJ", "{display} {}:\n{}", row.mqsc, lines.join("\n"));
        }
    }
}
