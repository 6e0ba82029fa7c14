//! What waits on the queues of a queue manager that runs: dead letters, queues that are nearly full, and messages that no channel sends.

use std::collections::BTreeMap;

use storage::shared::administration::Check;

use super::super::failure::Failure;
use super::super::mqsc_door::MqscDoor;
use crate::data_directory::DataDirectory;

/// Of the depth that a queue may have.
const NEARLY_FULL_PERCENT: u64 = 80;

pub(super) fn look(directory: &DataDirectory, queue_manager: &str) -> Vec<Check> {
    match checks(directory, queue_manager) {
        Ok(checks) if checks.is_empty() => {
            vec![Check::fine("queues", format!("{queue_manager} has no queue that needs attention"))]
        }
        Ok(checks) => checks,
        Err(failure) => vec![Check::warning("queues", failure.sentence())],
    }
}

fn checks(directory: &DataDirectory, queue_manager: &str) -> Result<Vec<Check>, Failure> {
    let mut door = MqscDoor::socket(directory, queue_manager, None)?;
    let manager = door.rows("DISPLAY QMGR DEADQ")?;
    let dead = manager.first().and_then(|row| row.get("DEADQ")).map(String::as_str).unwrap_or_default();
    let mut found = Vec::new();
    if dead.is_empty() {
        let remedy = format!("quaymaster mqsc {queue_manager} \"ALTER QMGR DEADQ('…')\"");
        found.push(Check::warning("queues", format!("{queue_manager} has no dead-letter queue: {remedy}")));
    }
    let queues = door.rows("DISPLAY QLOCAL(*) CURDEPTH MAXDEPTH USAGE")?;
    found.extend(queues.iter().filter_map(|queue| attention(queue, queue_manager, dead)));
    Ok(found)
}

/// What there is to say of a queue, of which DISPLAY shows these attributes.
fn attention(queue: &BTreeMap<String, String>, queue_manager: &str, dead: &str) -> Option<Check> {
    let name = queue.get("QUEUE")?;
    let number = |keyword: &str| queue.get(keyword).and_then(|value| value.parse::<u64>().ok());
    let (depth, most) = (number("CURDEPTH")?, number("MAXDEPTH")?);
    let (plural, them) = if depth == 1 { ("", "it") } else { ("s", "them") };
    let at = format!("{name} of {queue_manager} has {depth} message{plural}");
    if depth > 0 && name == dead {
        let remedy = format!("`quaymaster browse -m {queue_manager} {name}` shows {them}, and `runmqdlq` moves {them}");
        return Some(Check::warning("dead letters", format!("{at}: {remedy}")));
    }
    if depth.saturating_mul(100) >= most.saturating_mul(NEARLY_FULL_PERCENT) && depth > 0 {
        let remedy = format!("start programs that get {them}, or raise MAXDEPTH");
        return Some(Check::warning("depth", format!("{at} of {most}: {remedy}")));
    }
    if depth > 0 && queue.get("USAGE").is_some_and(|usage| usage == "XMITQ") {
        return Some(Check::warning("depth", format!("{at}: it is a transmission queue, and no channel sends {them}")));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::attention;

    fn said(depth: &str, usage: &str, name: &str) -> Option<String> {
        let pairs = [("QUEUE", name), ("CURDEPTH", depth), ("MAXDEPTH", "10"), ("USAGE", usage)];
        let queue = pairs.map(|(keyword, value)| (keyword.to_owned(), value.to_owned())).into();
        attention(&queue, "QM1", "DEAD").map(|check| format!("{}: {}", check.subject, check.text))
    }

    #[test]
    fn dead_letters_nearly_full_queues_and_unsent_messages_need_attention() {
        assert_eq!(said("0", "NORMAL", "DEAD"), None);
        assert_eq!(said("7", "NORMAL", "A"), None);
        assert!(
            said("1", "NORMAL", "DEAD")
                .is_some_and(|text| text.starts_with("dead letters: DEAD of QM1 has 1 message: ")
                    && text.ends_with("shows it, and `runmqdlq` moves it"))
        );
        assert!(
            said("2", "NORMAL", "DEAD")
                .is_some_and(|text| text.starts_with("dead letters: DEAD of QM1 has 2 messages: "))
        );
        assert!(said("8", "NORMAL", "A").is_some_and(|text| text.contains("8 messages of 10")));
        assert!(said("1", "XMITQ", "A").is_some_and(|text| {
            text.ends_with("A of QM1 has 1 message: it is a transmission queue, and no channel sends it")
        }));
    }
}
