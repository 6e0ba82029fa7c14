//! Looks one after the other, and what they tell.

use model::name::QueueName;

use super::*;

fn finding(queue: &str, severity: Severity, mark: &str) -> Finding {
    Finding::of_queue("rule", severity, &QueueName::literal(queue)).mark(mark)
}

/// A look at a second: what it tells, as `+A`, and `-A` for what has ended.
fn look(ledger: &mut Ledger, second: u64, found: Vec<Finding>) -> Vec<String> {
    let changes = ledger.update(found, at(second), |_| None);
    let told = |change: &Change| match change {
        Change::Told(problem) => format!("+{}", problem.finding.object.1),
        Change::Ended { id, .. } => format!("-{}", id.rsplit(':').next().unwrap_or_default()),
    };
    changes.iter().map(told).collect()
}

fn at(second: u64) -> Timestamp {
    Timestamp::from_millis(1_795_219_200_000 + second * 1000)
}

fn muted_until(ledger: &Ledger, second: u64) -> Value {
    ledger.problem("rule:A").map_or(Value::Null, |problem| problem.shown(at(second))["mutedUntil"].clone())
}

#[test]
fn a_problem_is_told_when_it_begins_changes_and_ends() {
    let mut ledger = Ledger::default();
    assert_eq!(look(&mut ledger, 0, vec![finding("A", Severity::Warning, "1")]), ["+A"]);
    assert!(look(&mut ledger, 5, vec![finding("A", Severity::Warning, "1")]).is_empty());
    assert_eq!(look(&mut ledger, 10, vec![finding("A", Severity::Warning, "2")]), ["+A"]);
    assert_eq!(
        look(&mut ledger, 15, vec![finding("A", Severity::Error, "2"), finding("B", Severity::Warning, "")]),
        ["+A", "+B"]
    );
    assert_eq!(ledger.problem("rule:A").expect("known").since, at(0), "it is one problem all the time");
    assert_eq!(look(&mut ledger, 20, vec![finding("B", Severity::Warning, "")]), ["-A"]);
    assert_eq!(look(&mut ledger, 25, vec![finding("A", Severity::Error, "2")]), ["+A", "-B"]);
    assert_eq!(ledger.problem("rule:A").expect("known").since, at(25), "it has come again");
}

#[test]
fn since_is_what_the_facts_say_and_else_what_the_past_says() {
    let mut ledger = Ledger::default();
    let by_facts = || finding("A", Severity::Error, "").since(Since::At(at(3)));
    let by_past = || finding("B", Severity::Error, "").since(Since::Depth(QueueName::literal("B"), 1));
    ledger.update(vec![by_facts(), by_past()], at(9), |finding| (finding.object.1 == "B").then_some(at(5)));
    ledger.update(vec![by_facts().since(Since::At(at(4))), by_past()], at(12), |_| Some(at(11)));
    let since = |id: &str| ledger.problem(id).expect("known").since;
    assert_eq!((since("rule:A"), since("rule:B")), (at(4), at(5)));
}

#[test]
fn a_mute_for_a_time_outlasts_the_problem_and_ends_by_itself() {
    let mut ledger = Ledger::default();
    let found = || vec![finding("A", Severity::Warning, "1")];
    look(&mut ledger, 0, found());
    ledger.mute("rule:A", Some(Mute::For(Duration::from_secs(60))), at(0)).expect("known");
    look(&mut ledger, 5, Vec::new());
    assert_eq!(look(&mut ledger, 10, found()), ["+A"]);
    assert_eq!(muted_until(&ledger, 10), "2026-11-21T00:01:00.000Z");
    assert_eq!(look(&mut ledger, 60, found()), ["+A"], "it is told that it is heard again");
    assert_eq!(muted_until(&ledger, 60), Value::Null);
    assert!(ledger.muted.is_empty());
}

#[test]
fn a_mute_until_it_changes_ends_with_a_change_or_with_the_problem() {
    let mut ledger = Ledger::default();
    let found = |mark: &str| vec![finding("A", Severity::Warning, mark)];
    let mute = |ledger: &mut Ledger| ledger.mute("rule:A", Some(Mute::UntilChange), at(0)).map(|_| ()).expect("known");
    look(&mut ledger, 0, found("1"));
    mute(&mut ledger);
    look(&mut ledger, 5, found("1"));
    assert_eq!(muted_until(&ledger, 5), "change");
    look(&mut ledger, 10, found("2"));
    assert_eq!(muted_until(&ledger, 10), Value::Null);
    mute(&mut ledger);
    look(&mut ledger, 15, Vec::new());
    look(&mut ledger, 20, found("2"));
    assert_eq!(muted_until(&ledger, 20), Value::Null);
    mute(&mut ledger);
    ledger.mute("rule:A", None, at(20)).expect("known");
    assert_eq!(muted_until(&ledger, 20), Value::Null);
    assert!(ledger.mute("rule:B", None, at(20)).is_none());
}

#[test]
fn of_more_problems_than_are_told_the_worst_are() {
    let mut ledger = Ledger::default();
    let mut found: Vec<_> =
        (0..MOST + 5).map(|number| finding(&format!("Q{number:04}"), Severity::Warning, "")).collect();
    found.push(finding("WORST", Severity::Error, ""));
    found.sort_by(Finding::worse_first);
    ledger.update(found, at(0), |_| None);
    assert_eq!(ledger.problems().count(), MOST);
    assert_eq!(ledger.problems().next().map(|problem| &*problem.id), Some("rule:WORST"));
}
