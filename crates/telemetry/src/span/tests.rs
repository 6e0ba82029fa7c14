use std::pin::pin;

use super::*;
use crate::decoded::{self, spans};
use crate::tracer::TraceOptions;

const ALL: TraceOptions = TraceOptions { percent: 100, message_properties: false, channel_properties: false };
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

async fn waiting(tracer: &Tracer) -> Vec<decoded::Span> {
    spans(tracer.ended(Duration::ZERO).await)
}

#[tokio::test]
async fn work_within_a_span_finds_it_and_begins_children() {
    let tracer = Tracer::new(ALL);
    assert!(current().is_none());
    let caller = TraceContext::parse(PARENT, None).unwrap();
    let mut outer = tracer.begin(Kind::Server, "GET", Some(&caller));
    outer.rename(|| Name::of("GET", "/queues"));
    outer.number("http.response.status_code", 200);
    let context = outer.context().clone();
    let inner = pin!(async {
        let place = current().unwrap();
        let mut span = place.begin(Kind::Client, "POST");
        span.failed("no answer");
        span.context().clone()
    });
    let mut outer = Some(outer);
    let inner = around(&mut outer, inner).await;
    assert_eq!(outer.as_ref().map(Span::context), Some(&context));
    drop(outer);
    let [first, second] = waiting(&tracer).await.try_into().unwrap();
    assert_eq!((&first.span_id[..], &first.parent[..], first.kind), (&inner.span_id[..], &context.span_id[..], 3));
    assert_eq!(first.status.as_ref().map(|status| &*status.message), Some("no answer"));
    assert_eq!((&second.span_id[..], &second.parent[..]), (&context.span_id[..], &caller.span_id[..]));
    assert_eq!((&*second.name, &second.trace_id[..]), ("GET /queues", &caller.trace_id[..]));
    assert_eq!(second.numbers(), [("http.response.status_code", 200)]);
    assert_eq!(second.status, None);
    assert!(first.begun >= second.begun && first.ended <= second.ended);
}

#[tokio::test]
async fn a_span_is_current_while_its_work_is_polled_and_not_between() {
    let tracer = Tracer::new(ALL);
    let [mut first, mut second, mut none] =
        [Some(tracer.begin(Kind::Server, "GET", None)), Some(tracer.begin(Kind::Server, "GET", None)), None];
    let of = |span: &Option<Span>| span.as_ref().map(|span| span.context().span_id);
    let is_within = |expected: Option<[u8; 8]>| assert_eq!(current().map(|place| place.context().span_id), expected);
    let [of_first, of_second] = [of(&first), of(&second)];
    let work = |expected| async move {
        for _ in 0..3 {
            is_within(expected);
            tokio::task::yield_now().await;
        }
        is_within(expected);
    };
    let nested = async {
        is_within(of_first);
        around(&mut second, pin!(work(of_second))).await;
        is_within(of_first);
        // Work that has no span of its own is within that around it.
        around(&mut none, pin!(work(of_first))).await;
        is_within(of_first);
    };
    let nested = pin!(nested);
    tokio::join!(around(&mut first, nested), work(None));
    is_within(None);
}

#[tokio::test]
async fn work_that_panics_leaves_no_span_behind() {
    let mut span = Some(Tracer::new(ALL).begin(Kind::Server, "GET", None));
    let work = tokio::spawn(async move { around(&mut span, pin!(async { panic!("as handlers should not") })).await });
    assert!(work.await.is_err_and(|error| error.is_panic()));
    assert!(current().is_none());
}

#[tokio::test]
async fn what_a_caller_does_not_record_is_passed_on_and_not_recorded() {
    let tracer = Tracer::new(ALL);
    let caller = TraceContext::parse(&PARENT.replace("-01", "-00"), None).unwrap();
    let span = tracer.begin(Kind::Server, "GET", Some(&caller));
    assert_eq!((span.context().trace_id, span.context().is_sampled), (caller.trace_id, false));
    let mut span = Some(span);
    assert_eq!(around(&mut span, pin!(async { is_current_recorded() })).await, Some(false));
    drop(span);
    assert_eq!(waiting(&tracer).await, []);
}

#[tokio::test]
async fn a_span_may_have_begun_before_and_not_in_the_future() {
    let tracer = Tracer::new(ALL);
    for at in [7, u64::MAX] {
        tracer.begin(Kind::Consumer, "get", None).begun(at);
    }
    let mut measured = tracer.begin(Kind::Server, "GET", None);
    measured.begun(10);
    measured.took(Duration::from_nanos(5));
    drop(measured);
    let spans = waiting(&tracer).await;
    assert_eq!(spans[0].begun, 7);
    assert!(spans[1].begun <= spans[1].ended);
    assert_eq!((spans[2].begun, spans[2].ended), (10, 15));
}

#[tokio::test]
async fn nothing_of_an_ended_span_is_in_those_after_it() {
    let tracer = Tracer::new(ALL);
    let caller = TraceContext::parse(PARENT, None).unwrap();
    for _ in 0..2 {
        let mut span = tracer.begin(Kind::Server, Name::of("put", "QUEUE".to_owned()), Some(&caller));
        span.text("key", &"long".repeat(USUAL_FIELDS));
        span.took(Duration::ZERO);
        drop(span);
        drop(tracer.begin(Kind::Server, "GET", None));
    }
    for pair in waiting(&tracer).await.chunks(2) {
        assert_eq!((&*pair[0].name, pair[0].attributes.len()), ("put QUEUE", 1));
        assert_eq!((&*pair[1].name, pair[1].attributes.len(), pair[1].parent.len()), ("GET", 0, 0));
    }
}
