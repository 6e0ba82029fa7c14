use super::TraceContext;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[test]
fn a_parent_is_read_and_written_as_it_came() {
    let context = TraceContext::parse(PARENT, Some("vendor=1,other=2")).unwrap();
    assert_eq!((context.traceparent().as_str(), context.is_sampled), (PARENT, true));
    let carried: Vec<_> = context.carried().collect();
    assert_eq!(carried, [("traceparent", PARENT.to_owned()), ("tracestate", "vendor=1,other=2".to_owned())]);
    let child = context.child();
    assert_eq!((child.trace_id, &child.state), (context.trace_id, &context.state));
    assert_ne!(child.span_id, context.span_id);
}

#[test]
fn what_is_no_parent_is_ignored() {
    for wrong in [
        "",
        "00",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333é-1",
    ] {
        assert_eq!(TraceContext::parse(wrong, None), None, "{wrong}");
    }
    let later = PARENT.replacen("00", "01", 1) + "-more";
    assert!(TraceContext::parse(&later, None).is_some(), "a later version may have more");
    let quiet = TraceContext::parse(&PARENT.replace("-01", "-00"), Some("  ")).unwrap();
    assert_eq!((quiet.is_sampled, quiet.state), (false, None));
    let long = "x".repeat(513);
    assert_eq!(TraceContext::parse(PARENT, Some(&long)).unwrap().state, None);
}

#[test]
fn roots_differ() {
    assert_ne!(TraceContext::root(true).trace_id, TraceContext::root(true).trace_id);
}
