//! Traces of messages that a Java program puts and gets.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::interop::java::program::{Client, Program};
use crate::interop::java::{Site, told};
use crate::traces::{CALLER, Receiver, TRACE};

/// A server with traces, and what it has sent once the program has run against it.
fn traced(argument: &str, further: &[(&str, &str)]) -> Result<Receiver> {
    let folder = tempfile::tempdir()?;
    let mut receiver = Receiver::start(folder.path())?;
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data)?;
    let mut site = Site::on(&data)?;
    let endpoint = [("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint())];
    let further = further.iter().map(|&(name, value)| (name, value.to_owned()));
    site.options.environment.extend(endpoint.into_iter().chain(further).map(|(name, value)| (name.to_owned(), value)));
    let server = site.start()?;
    let program = Program::new(Client::Jakarta, "mqi.Traced", server.mq_address()?, folder.path());
    told(&server, program.argument(argument).run())?;
    receiver.find(|seen| seen["kind"] == 5 && seen["parent"] == CALLER)?;
    Ok(receiver)
}

fn check(span: &Value, verb: &str, operation: &str) {
    let attributes = &span["attributes"];
    assert_eq!(span["name"], format!("{verb} DEV.QUEUE.1"));
    for (name, value) in [
        ("messaging.system", "ibmmq"),
        ("messaging.operation.name", verb),
        ("messaging.operation.type", operation),
        ("messaging.destination.name", "DEV.QUEUE.1"),
        ("messaging.ibmmq.queue_manager", "QM1"),
        ("messaging.ibmmq.channel", "DEV.APP.SVRCONN"),
    ] {
        assert_eq!(attributes[name], value, "{name} of {span}");
    }
}

#[test]
fn the_put_and_the_get_of_a_message_are_below_the_span_that_it_names() -> Result<()> {
    let mut receiver = traced("", &[])?;
    let put = receiver.find(|seen| seen["kind"] == 4)?;
    let get = receiver.find(|seen| seen["kind"] == 5)?;
    for span in [&put, &get] {
        assert_eq!(
            (&span["trace"], &span["parent"], &span["state"]),
            (&TRACE.into(), &CALLER.into(), &"vendor=1".into())
        );
        assert_eq!(span["status"], 0);
    }
    check(&put, "put", "send");
    check(&get, "get", "receive");
    let id = |span: &Value| span["attributes"]["messaging.message.id"].clone();
    ensure!(id(&put).as_str().is_some_and(|id| id.len() == 48) && id(&put) == id(&get), "{put} {get}");
    let spans = receiver.seen().iter().filter(|seen| seen["kind"] == 4 || seen["kind"] == 5);
    assert_eq!(spans.count(), 2, "messages without a context have no spans: {:?}", receiver.seen());
    Ok(())
}

#[test]
fn a_message_without_a_context_begins_a_trace_where_the_configuration_says_so() -> Result<()> {
    let mut receiver = traced("given", &[("QUAYMASTER_TRACING_CHANNEL_PROPERTIES", "true")])?;
    let put = receiver.find(|seen| seen["kind"] == 4 && seen["parent"] == "")?;
    ensure!(put["trace"] != TRACE, "{put}");
    check(&put, "put", "send");
    let span = put["span"].as_str().context("a span")?.to_owned();
    let get = receiver.find(|seen| seen["kind"] == 5 && seen["parent"] == span.as_str())?;
    assert_eq!(get["trace"], put["trace"]);
    check(&get, "get", "receive");
    Ok(())
}
