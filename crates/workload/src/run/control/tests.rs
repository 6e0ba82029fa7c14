use super::*;

#[test]
fn so_many_transactions_begin_as_there_are_tickets_whatever_comes_of_them() {
    let control = Control::new();
    assert_eq!(control.enter(), Turn::Wait);
    control.begin(Phase::Measuring, Some(2));
    assert_eq!((control.enter(), control.enter(), control.enter()), (Turn::Work, Turn::Work, Turn::Wait));
    control.leave();
    assert!(!control.is_done() && !control.is_at_rest());
    control.leave();
    assert!(control.is_done() && control.is_at_rest());
    control.stop();
    assert_eq!(control.enter(), Turn::Stop);
    assert_eq!(control.ended(), 2);
}

#[test]
fn a_phase_that_ends_keeps_its_limit_until_the_next_one_works() {
    let control = Control::new();
    control.begin(Phase::WarmingUp, Some(1));
    assert_eq!(control.enter(), Turn::Work);
    control.leave();
    control.begin(Phase::Resting, None);
    assert_eq!(control.enter(), Turn::Wait);
    control.begin(Phase::Measuring, None);
    assert_eq!((control.enter(), control.enter()), (Turn::Work, Turn::Work));
    assert!(!control.is_done(), "without tickets it is never done");
}
