//! The task of a push target: takes messages, as many at once as the target may have in hand, and carries each.
//!
//! A queue that cannot be opened, or a get that is refused, is tried again after growing delays. The task ends when it is told
//! to stop, with the attempts that are under way.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use model::reason::Reason;
use queue_manager::QueueManager;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::outside::Outside;
use super::posting::Course;
use super::source::{Next, OpenSource};
use crate::deliveries::GivenUp;

/// A get that waits for so long is not refused.
const TAKES: Duration = Duration::from_millis(500);
/// Before a queue is opened again, at first and at most.
const FIRST_DELAY: Duration = Duration::from_millis(250);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// Runs a target until it is stopped.
pub(super) async fn run(course: Arc<Course>, outside: Arc<dyn Outside>, queue_manager: QueueManager) {
    let mut hands = Hands {
        postings: JoinSet::new(),
        places: Arc::new(Semaphore::new(course.definition.concurrency.max(1))),
        delay: FIRST_DELAY,
    };
    loop {
        let refused = tokio::select! {
            biased;
            () = course.stopped() => break,
            reason = take_all(&course, &*outside, &queue_manager, &mut hands) => reason,
        };
        // The end of a queue manager is said elsewhere.
        if !refused.ends_connection() {
            course.statistics.set_blocked(Some(refused.to_string()));
        }
        let delay = hands.delay;
        hands.delay = (delay * 2).min(LONGEST_DELAY);
        if !course.rest(delay).await {
            break;
        }
    }
    course.statistics.stopped();
    while hands.postings.join_next().await.is_some() {}
}

/// What a target has in hand.
struct Hands {
    postings: JoinSet<()>,
    /// For messages.
    places: Arc<Semaphore>,
    /// Before the queue is opened again.
    delay: Duration,
}

/// Returns why no more messages can be taken. Dropped, it puts back what it was taking.
async fn take_all(
    course: &Arc<Course>,
    outside: &dyn Outside,
    queue_manager: &QueueManager,
    hands: &mut Hands,
) -> Reason {
    let principal = outside.principal(&course.definition.owner).await;
    let opened = OpenSource::open(&course.deliveries, queue_manager, &principal, &course.definition).await;
    let source = match opened {
        Ok(source) => source,
        Err(reason) => return reason,
    };
    let mut is_taking = false;
    loop {
        let place = Arc::clone(&hands.places).acquire_owned().await.expect("it is never closed");
        while hands.postings.try_join_next().is_some() {}
        let mut next = pin!(source.next(&course.deliveries));
        let next = if is_taking {
            next.await
        } else {
            match tokio::time::timeout(TAKES, next.as_mut()).await {
                Ok(next) => next,
                Err(_) => {
                    takes(course, hands);
                    next.await
                }
            }
        };
        if !is_taking && next.is_ok() {
            takes(course, hands);
        }
        is_taking = true;
        match next {
            Ok(Next::Message(delivery, got)) => {
                let course = Arc::clone(course);
                hands.postings.spawn(async move {
                    course.carry(delivery, got.position(), got.data_length).await;
                    drop(place);
                });
            }
            Ok(Next::GivenUp(GivenUp::Moved)) => {}
            Ok(Next::GivenUp(GivenUp::BackedOut)) => {
                // The backout queue does not take it, and it is the next message again.
                let course = Arc::clone(course);
                hands.postings.spawn(async move {
                    course.rest(LONGEST_DELAY).await;
                    drop(place);
                });
            }
            Err(reason) => return reason,
        }
    }
}

fn takes(course: &Course, hands: &mut Hands) {
    hands.delay = FIRST_DELAY;
    course.statistics.set_blocked(None);
}
