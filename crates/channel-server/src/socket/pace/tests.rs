use std::time::Duration;

use super::{PaceState, PaceTerms, Tick};

const SECOND: Duration = Duration::from_secs(1);

fn terms(is_multiplexed: bool, disconnect_interval: Option<Duration>) -> PaceTerms {
    PaceTerms { heartbeat: Some(SECOND), disconnect_interval, is_multiplexed }
}

#[test]
fn a_silent_partner_is_asked_and_then_given_up() {
    let mut state = PaceState::default();
    let terms = terms(true, None);
    let ticks: Vec<_> = (0..3).map(|_| state.tick(&terms, false, false)).collect();
    assert_eq!(ticks, [Tick::Heartbeat, Tick::Heartbeat, Tick::Silent]);
}

#[test]
fn a_partner_that_answers_is_kept() {
    let mut state = PaceState::default();
    let terms = terms(true, None);
    for _ in 0..10 {
        (state.heard, state.spoke) = (true, true);
        assert_eq!(state.tick(&terms, true, false), Tick::Nothing);
    }
}

#[test]
fn who_sends_without_being_answered_is_sent_heartbeats() {
    let mut state = PaceState { heard: true, ..PaceState::default() };
    assert_eq!(state.tick(&terms(true, None), false, false), Tick::Heartbeat);
}

#[test]
fn a_socket_that_is_not_shared_is_asked_only_while_a_call_waits() {
    let mut state = PaceState::default();
    let terms = terms(false, None);
    for _ in 0..10 {
        assert_eq!(state.tick(&terms, false, false), Tick::Nothing);
    }
    assert_eq!(state.tick(&terms, true, false), Tick::Heartbeat);
}

#[test]
fn a_socket_that_is_not_shared_is_given_up_in_the_middle_of_a_segment() {
    let mut state = PaceState { is_within_segment: true, ..PaceState::default() };
    let terms = terms(false, None);
    let ticks: Vec<_> = (0..3).map(|_| state.tick(&terms, false, false)).collect();
    assert_eq!(ticks, [Tick::Heartbeat, Tick::Heartbeat, Tick::Silent]);
}

#[test]
fn the_disconnect_interval_counts_between_calls_only() {
    let mut state = PaceState::default();
    let terms = PaceTerms { heartbeat: None, disconnect_interval: Some(SECOND), is_multiplexed: true };
    assert_eq!(state.tick(&terms, true, false), Tick::Nothing);
    assert_eq!(state.tick(&terms, false, true), Tick::Nothing);
    state.called = true;
    assert_eq!(state.tick(&terms, false, false), Tick::Nothing);
    assert_eq!(state.tick(&terms, false, false), Tick::Idle);
}
