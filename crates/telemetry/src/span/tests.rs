use super::*;

const ALL: TraceOptions = TraceOptions { percent: 100, message_properties: false, channel_properties: false };
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn waiting(tracer: &Tracer) -> Vec<Ended> {
    std::mem::take(&mut *tracer.0.ended.lock())
}

#[tokio::test]
async fn work_within_a_span_finds_it_and_begins_children() {
    let tracer = Tracer::new(ALL);
    assert!(current().is_none());
    let caller = TraceContext::parse(PARENT, None).unwrap();
    let mut outer = tracer.begin(Kind::Server, "GET", Some(&caller));
    outer.rename(|| Name::of("GET", "/queues"));
    outer.number("http.response.status_code", 200);
    let inner = async {
        let place = current().unwrap();
        let mut span = place.begin(Kind::Client, "POST");
        span.failed("no answer");
        span.context().clone()
    };
    let inner = outer.around(inner).await;
    let context = outer.context().clone();
    drop(outer);
    let [first, second] = waiting(&tracer).try_into().unwrap();
    assert_eq!((&first.context, first.parent, first.kind), (&inner, Some(context.span_id), Kind::Client));
    assert_eq!(first.problem.as_deref(), Some("no answer"));
    assert_eq!((&second.context, second.parent), (&context, Some(caller.span_id)));
    assert_eq!((second.name, second.context.trace_id), (Name::of("GET", "/queues"), caller.trace_id));
    assert_eq!(second.attributes, [("http.response.status_code", Attribute::Number(200))]);
    assert!(first.begun >= second.begun && first.ended <= second.ended);
}

#[test]
fn what_a_caller_does_not_record_is_passed_on_and_not_recorded() {
    let tracer = Tracer::new(ALL);
    let caller = TraceContext::parse(&PARENT.replace("-01", "-00"), None).unwrap();
    let span = tracer.begin(Kind::Server, "GET", Some(&caller));
    assert_eq!((span.context().trace_id, span.context().is_sampled), (caller.trace_id, false));
    drop(span);
    assert_eq!(waiting(&tracer), []);
    let never = Tracer::new(TraceOptions { percent: 0, ..ALL });
    drop(never.begin(Kind::Server, "GET", None));
    assert_eq!(waiting(&never), []);
}

#[test]
fn a_full_list_drops_spans_and_counts_them() {
    let tracer = Tracer::new(ALL);
    for _ in 0..MOST_WAITING + 3 {
        drop(tracer.begin(Kind::Server, "GET", None));
    }
    assert_eq!(tracer.dropped(), 3);
}

#[tokio::test(start_paused = true)]
async fn spans_are_given_away_after_a_time_or_as_soon_as_a_batch_has_ended() {
    let tracer = Tracer::new(ALL);
    let begun = tokio::time::Instant::now();
    drop(tracer.begin(Kind::Server, "GET", None));
    let second = Duration::from_secs(1);
    assert_eq!(tracer.ended(second).await.len(), 1);
    assert_eq!(begun.elapsed(), second);
    for _ in 0..BATCH {
        drop(tracer.begin(Kind::Server, "GET", None));
    }
    assert_eq!(tracer.ended(second).await.len(), BATCH);
    assert_eq!(begun.elapsed(), second);
}

#[test]
fn a_span_may_have_begun_before_and_not_in_the_future() {
    let tracer = Tracer::new(ALL);
    for at in [7, u64::MAX] {
        tracer.begin(Kind::Consumer, "get", None).begun(at);
    }
    let spans = waiting(&tracer);
    assert_eq!(spans[0].begun, 7);
    assert!(spans[1].begun <= spans[1].ended);
}
