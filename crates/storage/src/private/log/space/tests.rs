//! Who may take what room of a full log.

use super::{BATCH_BYTES, Step};
use crate::StoreOptions;
use crate::private::log::append::{Class, Continuation, Extent, State};
use crate::private::log::extent::Place;

/// A log of two extents without reserve on a full disk: 32 records of the first are live, and the second is filled up to `used`.
fn full_log(used: usize) -> State {
    let extent = |sequence, live_records| Extent {
        sequence,
        length: 16 << 10,
        salt: 0,
        live_records,
        live_bytes: live_records * 100,
        overhead_bytes: 4000,
    };
    let tail = Place::new(2, used);
    let extents = [extent(1, 32), extent(2, 0)].into();
    let mut state = State::new(Continuation { tail, extents, ready: [].into() });
    state.full = true;
    state
}

#[test]
fn a_get_leaves_the_room_to_which_the_oldest_extent_of_a_full_log_without_reserve_is_about_to_be_moved() {
    const GET: usize = 36;
    let options = StoreOptions { extent_bytes: 16 << 10, minimum_log_bytes: 0, ..StoreOptions::default() };
    let (mut movable, mut waits) = (0, 0);
    for used in (4096..16 << 10).step_by(8) {
        let state = full_log(used);
        if state.next_step(&options) != Step::Reclaim {
            continue;
        }
        movable += 1;
        if state.admits(Class::Essential, GET) {
            let after = full_log((used + BATCH_BYTES + GET).next_multiple_of(8));
            assert_eq!(after.next_step(&options), Step::Reclaim, "with {used} bytes used");
            continue;
        }
        waits += 1;
        assert!(!state.hopeless(&options), "the get waits");
        // When nothing is moved, gets use all there is but the last kibibyte.
        let mut stuck = state;
        (stuck.is_stuck, stuck.ended_bytes) = (true, 0);
        assert!(stuck.admits(Class::Essential, GET), "with {used} bytes used");
    }
    assert!(movable > 500 && waits > 50, "{movable} {waits}");
}
