use super::*;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[tokio::test]
async fn work_within_a_span_finds_it_and_begins_children() {
    let (tracer, mut ended) = Tracer::new(100);
    assert!(current().is_none());
    let caller = TraceContext::parse(PARENT, None).unwrap();
    let mut outer = tracer.begin(Kind::Server, "GET", Some(&caller));
    outer.rename(|| "GET /queues".to_owned());
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
    let (first, second) = (ended.try_recv().unwrap(), ended.try_recv().unwrap());
    assert_eq!((&first.context, first.parent, first.kind), (&inner, Some(context.span_id), Kind::Client));
    assert_eq!(first.problem.as_deref(), Some("no answer"));
    assert_eq!((&second.context, second.parent), (&context, Some(caller.span_id)));
    assert_eq!((second.name.as_str(), second.context.trace_id), ("GET /queues", caller.trace_id));
    assert_eq!(second.attributes, [("http.response.status_code", Attribute::Number(200))]);
    assert!(first.begun >= second.begun && first.ended <= second.ended);
}

#[test]
fn what_a_caller_does_not_record_is_passed_on_and_not_recorded() {
    let (tracer, mut ended) = Tracer::new(100);
    let caller = TraceContext::parse(&PARENT.replace("-01", "-00"), None).unwrap();
    let span = tracer.begin(Kind::Server, "GET", Some(&caller));
    assert_eq!((span.context().trace_id, span.context().is_sampled), (caller.trace_id, false));
    drop(span);
    assert!(ended.try_recv().is_err());
    let (never, mut ended) = Tracer::new(0);
    drop(never.begin(Kind::Server, "GET", None));
    assert!(ended.try_recv().is_err());
}

#[test]
fn a_full_queue_drops_spans_and_counts_them() {
    let (tracer, _ended) = Tracer::new(100);
    for _ in 0..MOST_WAITING + 3 {
        drop(tracer.begin(Kind::Server, "GET", None));
    }
    assert_eq!(tracer.dropped(), 3);
}
