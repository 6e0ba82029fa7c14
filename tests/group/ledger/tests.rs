//! Planted faults are found, and what may happen is none.

use super::super::history::{Message, ORDERED, Operation, Outcome, WORK, What};
use super::{DRAIN, judge};

/// A history, an operation after the other.
#[derive(Default)]
struct Plan(Vec<Operation>);

fn message(id: u64, queue: usize, priority: u8) -> Message {
    Message { id, queue, priority, stream: 1 }
}

impl Plan {
    fn then(mut self, client: u32, what: What, outcome: Outcome) -> Self {
        let begun = self.0.len() as u64 * 10;
        let ended = (outcome != Outcome::Unknown).then_some(begun + 5);
        self.0.push(Operation { client, what, begun, ended, outcome });
        self
    }

    fn put(self, id: u64, outcome: Outcome) -> Self {
        self.then(1, What::Put(message(id, WORK, 5)), outcome)
    }

    fn ordered(self, id: u64, priority: u8) -> Self {
        self.then(1, What::Put(message(id, ORDERED, priority)), Outcome::Done)
    }

    fn get(self, client: u32, queue: usize, id: Option<u64>) -> Self {
        self.then(client, What::Get { queue, aim: None, unit: None }, Outcome::Got(id))
    }

    fn unanswered_get(self) -> Self {
        self.then(2, What::Get { queue: WORK, aim: None, unit: None }, Outcome::Unknown)
    }

    fn take(self, unit: u64, id: u64) -> Self {
        self.then(2, What::Get { queue: WORK, aim: None, unit: Some(unit) }, Outcome::Got(Some(id)))
    }

    fn commit(self, unit: u64, gets: &[u64], puts: &[u64], outcome: Outcome) -> Self {
        let puts = puts.iter().map(|id| message(*id, WORK, 5)).collect();
        self.then(2, What::Commit { unit, gets: gets.to_vec(), puts }, outcome)
    }

    fn right(self) {
        judge(&self.0).expect("nothing is wrong");
    }

    fn wrong(self, word: &str) {
        let error = judge(&self.0).expect_err(word);
        assert!(error.to_string().contains(word), "{error}");
    }
}

const DONE: Outcome = Outcome::Done;
const UNKNOWN: Outcome = Outcome::Unknown;

#[test]
fn what_may_happen_is_no_fault() {
    Plan::default().put(1, DONE).get(2, WORK, Some(1)).right();
    Plan::default().put(1, UNKNOWN).right();
    Plan::default().put(1, UNKNOWN).get(2, WORK, Some(1)).right();
    Plan::default().put(1, DONE).unanswered_get().right();
    Plan::default().put(1, DONE).take(9, 1).commit(9, &[1], &[2, 3], UNKNOWN).right();
    Plan::default().put(1, DONE).take(9, 1).commit(9, &[1], &[2], UNKNOWN).get(DRAIN, WORK, Some(1)).right();
    Plan::default().put(1, DONE).take(9, 1).commit(9, &[1], &[2], UNKNOWN).get(DRAIN, WORK, Some(2)).right();
    Plan::default().put(1, DONE).take(9, 1).take(8, 1).commit(8, &[1], &[], DONE).right();
    Plan::default().ordered(1, 4).ordered(2, 7).get(3, ORDERED, Some(2)).get(3, ORDERED, Some(1)).right();
}

#[test]
fn a_lost_message_is_a_fault() {
    Plan::default().put(1, DONE).wrong("lost");
    Plan::default().put(1, DONE).put(2, DONE).unanswered_get().wrong("lost");
    Plan::default().commit(9, &[], &[1], DONE).wrong("lost");
}

#[test]
fn a_message_that_comes_twice_is_a_fault() {
    Plan::default().put(1, DONE).get(2, WORK, Some(1)).get(3, WORK, Some(1)).wrong("taken 2 times");
    Plan::default().put(1, DONE).take(9, 1).commit(9, &[1], &[], DONE).get(3, WORK, Some(1)).wrong("taken 2 times");
    Plan::default().put(1, DONE).take(9, 1).take(8, 1).commit(9, &[1], &[], DONE).wrong("got again");
}

#[test]
fn a_message_of_a_failed_put_is_a_fault() {
    Plan::default().put(1, Outcome::Failed).get(2, WORK, Some(1)).wrong("its put is Failed");
    Plan::default().commit(9, &[], &[1], Outcome::Failed).get(2, WORK, Some(1)).wrong("its put is Failed");
    Plan::default().get(2, WORK, Some(1)).wrong("its put is Never");
}

#[test]
fn half_a_unit_of_work_is_a_fault() {
    Plan::default().commit(9, &[], &[1, 2], UNKNOWN).get(2, WORK, Some(1)).wrong("1 of 2 puts came");
    let taken = Plan::default().put(1, DONE).put(2, DONE).take(9, 1).take(9, 2);
    taken.commit(9, &[1, 2], &[], UNKNOWN).get(DRAIN, WORK, Some(1)).wrong("1 of 2 gets returned");
    let taken = Plan::default().put(1, DONE).take(9, 1).commit(9, &[1], &[2], UNKNOWN);
    taken.get(DRAIN, WORK, Some(1)).get(DRAIN, WORK, Some(2)).wrong("gets returned");
}

#[test]
fn another_order_than_that_of_the_stream_is_a_fault() {
    let swapped = Plan::default().ordered(1, 4).ordered(2, 4).get(3, ORDERED, Some(2)).get(3, ORDERED, Some(1));
    swapped.wrong("came after Some(2)");
    let upward = Plan::default().put(1, DONE).ordered(2, 4).ordered(3, 7);
    upward
        .get(DRAIN, WORK, Some(1))
        .get(DRAIN, ORDERED, Some(2))
        .get(DRAIN, ORDERED, Some(3))
        .wrong("came after one of");
}
