//! Rules about the queue-sharing group: each check that is not fine, with the words of `quaymaster doctor`.
//!
//! Never: judges. What needs attention is decided by the checks, for the console, `group status` and `doctor` alike.

use message_api::live::Concern;
use queue_manager::group_view::{Check, Verdict};
use serde_json::json;

use super::facts::Facts;
use super::finding::{Finding, Severity, command};

/// Rules by the subjects of checks.
const RULES: [(&str, &str); 21] = [
    ("claims", "group-claims"),
    ("clock", "group-clock"),
    ("connections", "group-connections"),
    ("database", "group-database"),
    ("definitions", "group-definitions"),
    ("disk", "group-disk"),
    ("encryption", "group-encryption"),
    ("hosts", "group-hosts"),
    ("hot_standby_feedback", "group-feedback"),
    ("in doubt", "group-in-doubt"),
    ("maintenance", "group-maintenance"),
    ("member", "group-member"),
    ("old transactions", "group-old-snapshot"),
    ("peers", "group-peers"),
    ("queues", "group-queues"),
    ("schema", "group-schema"),
    ("standby", "group-standby"),
    ("structures", "group-structure"),
    ("vacuum", "group-vacuum"),
    ("version", "group-version"),
    ("versions", "group-versions"),
];

pub(super) fn find(facts: &Facts) -> Vec<Finding> {
    let Some(group) = &facts.group else { return Vec::new() };
    let checks = group.view.iter().flat_map(|view| &view.checks);
    checks.filter_map(|check| finding(group.name.as_str(), check)).collect()
}

fn finding(group: &str, check: &Check) -> Option<Finding> {
    let severity = match check.verdict {
        Verdict::Fine => return None,
        Verdict::Warning => Severity::Warning,
        Verdict::Failure => Severity::Error,
    };
    let rule = RULES.iter().find(|(subject, _)| *subject == check.subject).map_or("group-other", |(_, rule)| rule);
    let finding = Finding::new(rule, severity, ("group", group), Concern::Server)
        .part(check.about.clone())
        .mark(check.verdict.word())
        .text(sentence(&check.text))
        .value("group", group)
        .value("subject", check.subject)
        .value("about", check.about.as_str())
        .next(json!({ "action": "group", "text": "See the group" }));
    Some(match check.subject {
        "in doubt" => finding.next(command(&["DISPLAY CONN(*) TYPE(ALL)".to_owned()], "See the units of work")),
        _ => finding,
    })
}

/// A check continues a line. A word of the language begins with a capital, a name stays as it is.
fn sentence(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    let is_word = word.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut sentence = if is_word { text[..1].to_ascii_uppercase() + &text[1..] } else { text.to_owned() };
    if !sentence.ends_with('.') {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_is_not_fine_is_a_problem_with_its_own_words() {
        assert!(finding("QSG1", &Check::fine("member", "QM1 lives")).is_none());
        let check = Check::warning("standby", "synchronous_standby_names is empty: name a standby");
        let found = finding("QSG1", &check).expect("a problem");
        assert_eq!((found.rule, found.severity), ("group-standby", Severity::Warning));
        assert_eq!(found.text, "synchronous_standby_names is empty: name a standby.");
        let found = finding("QSG1", &Check::failure("database", "the database does not answer")).expect("a problem");
        assert_eq!((found.text.as_str(), found.severity), ("The database does not answer.", Severity::Error));
        assert_eq!(found.id(), "group-database:QSG1");
    }
}
