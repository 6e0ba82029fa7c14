use super::*;

#[test]
fn calls_are_refused_as_long_as_the_first_one_runs() {
    let in_call = AtomicBool::new(false);
    let first = Turn::take(&in_call);
    assert!(first.is_some());
    for refused in 0..2 {
        assert!(Turn::take(&in_call).is_none(), "{refused}");
    }
    drop(first);
    assert!(Turn::take(&in_call).is_some());
}
