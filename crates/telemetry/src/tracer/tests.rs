use super::*;
use crate::decoded::spans;
use crate::span::Kind;

const ALL: TraceOptions = TraceOptions { percent: 100, message_properties: false, channel_properties: false };
const SECOND: Duration = Duration::from_secs(1);

fn end(tracer: &Tracer, count: usize) {
    (0..count).for_each(|_| drop(tracer.begin(Kind::Server, "GET", None)));
}

async fn ended(tracer: &Tracer) -> usize {
    spans(tracer.ended(SECOND).await).len()
}

#[tokio::test(start_paused = true)]
async fn a_full_list_drops_spans_and_counts_them() {
    let tracer = Tracer::new(ALL);
    end(&tracer, MOST_WAITING + 3);
    assert_eq!(tracer.dropped(), 3);
    assert_eq!(ended(&tracer).await, MOST_WAITING);
    end(&tracer, 1);
    assert_eq!((tracer.dropped(), ended(&tracer).await), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn spans_are_given_away_after_a_time_or_as_soon_as_a_batch_is_full() {
    let tracer = Tracer::new(ALL);
    let begun = tokio::time::Instant::now();
    end(&tracer, 1);
    assert_eq!((ended(&tracer).await, begun.elapsed()), (1, SECOND));
    end(&tracer, BATCH + 1);
    assert_eq!((ended(&tracer).await, begun.elapsed()), (BATCH, SECOND));
    // The rest, in its time.
    assert_eq!((ended(&tracer).await, begun.elapsed()), (1, 2 * SECOND));
    assert_eq!((ended(&tracer).await, begun.elapsed()), (0, 3 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn the_share_of_traces_is_recorded_that_the_options_say() {
    for (percent, expected) in [(0, 0..=0), (30, 200..=400), (100, 1000..=1000)] {
        let tracer = Tracer::new(TraceOptions { percent, ..ALL });
        end(&tracer, 1000);
        let recorded = spans(tracer.ended(SECOND).await).len() + spans(tracer.ended(SECOND).await).len();
        assert!(expected.contains(&recorded), "{recorded} of 1000 at {percent} %");
    }
}
