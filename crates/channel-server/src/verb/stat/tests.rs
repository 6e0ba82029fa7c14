use channel_protocol::structure::status_structure::StatusStructure;
use model::reason::Reason;

use super::PutTally;

#[test]
fn the_first_failure_is_told_even_after_a_warning() {
    let mut tally = PutTally::default();
    tally.count(None, None);
    tally.count(Some(Reason::PriorityExceedsMaximum), None);
    tally.count(Some(Reason::QFull), None);
    tally.count(Some(Reason::PutInhibited), None);
    let status = tally.tell(StatusStructure::default());
    assert_eq!((status.put_successes, status.put_warnings, status.put_failures), (1, 1, 2));
    assert_eq!((status.completion, status.reason), (2, 2053));
}

#[test]
fn nothing_wrong_is_told_as_nothing() {
    let mut tally = PutTally::default();
    tally.count(None, None);
    let status = tally.tell(StatusStructure::default());
    assert_eq!((status.completion, status.reason, status.put_successes), (0, 0, 1));
}
