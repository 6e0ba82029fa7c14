//! `/api/v1/mqsc/grammar`: what an editor of commands is told.

use std::io::Read;

use serde_json::Value;

use super::client;
use super::server::TestServer;

const PATH: &str = "/api/v1/mqsc/grammar";

fn member<'v>(list: &'v Value, name: &str, wanted: &str) -> &'v Value {
    let members = list.as_array().expect("a list");
    members.iter().find(|one| one[name] == wanted).unwrap_or_else(|| panic!("no {wanted}"))
}

#[test]
fn the_grammar_has_verbs_objects_keywords_values_and_help() {
    let server = TestServer::start();
    let answer = client::plain(&server).exchange(&format!("GET {PATH}\n"));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let grammar: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert!(grammar["verbs"].as_array().is_some_and(|verbs| verbs.contains(&"DEFINE".into())));
    let local = member(&grammar["objects"], "object", "QLOCAL");
    assert_eq!(local["synonyms"], serde_json::json!(["QL"]));
    let define = member(&local["commands"], "verb", "DEFINE");
    assert_eq!(define["help"], "Creates an object.");
    assert_eq!(member(&define["keywords"], "keyword", "LIKE")["operand"], "name");
    let depth = member(&local["attributes"], "keyword", "MAXDEPTH");
    assert_eq!(depth["value"]["is"], "number");
    assert_eq!(depth["default"], "5000");
    assert_eq!(depth["setBy"], serde_json::json!(["DEFINE", "ALTER"]));
    assert!(depth["help"].as_str().is_some_and(|help| help.ends_with('.')));
    let channel = member(&grammar["objects"], "object", "CHANNEL");
    assert_eq!(channel["typeKeyword"], "CHLTYPE");
    let maximum = member(&channel["attributes"], "keyword", "MAXINST");
    assert!(maximum["types"].as_array().is_some_and(|types| types.contains(&"SVRCONN".into())), "{maximum}");
    for (object, verb) in [("CFSTRUCT", "DEFINE"), ("CFSTATUS", "DISPLAY"), ("GROUP", "DISPLAY"), ("QLOCAL", "MOVE")] {
        let command = member(&member(&grammar["objects"], "object", object)["commands"], "verb", verb);
        assert_eq!(command["group"], true, "{verb} {object}");
        assert!(command["help"].as_str().is_some_and(|help| help.ends_with('.')), "{verb} {object}");
    }
    let disposition = member(&define["keywords"], "keyword", "QSGDISP");
    assert_eq!(disposition["group"], true);
    assert!(disposition["words"].as_array().is_some_and(|words| words.contains(&"SHARED".into())), "{disposition}");
    assert_eq!(member(&local["attributes"], "keyword", "CFSTRUCT")["group"], true);
    assert!(depth.get("group").is_none() && define.get("group").is_none(), "what every queue manager has says nothing");
    let status = member(&grammar["objects"], "object", "QSTATUS");
    assert_eq!(member(&status["shown"], "keyword", "CURDEPTH")["value"]["is"], "number");
}

#[test]
fn the_grammar_is_short_when_compressed_and_is_sent_once() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let plain = client.exchange(&format!("GET {PATH}\n"));
    let packed = client.exchange(&format!("GET {PATH}\naccept-encoding: gzip, br\n"));
    assert_eq!((packed.header("content-encoding"), packed.header("vary")), (Some("gzip"), Some("accept-encoding")));
    assert!(packed.body.len() <= 60_000, "{} bytes", packed.body.len());
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&*packed.body).read_to_end(&mut unpacked).expect("gzip");
    assert_eq!(unpacked, plain.body);
    let tag = packed.header("etag").expect("a tag");
    let again = client.exchange(&format!("GET {PATH}\naccept-encoding: gzip\nif-none-match: {tag}\n"));
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(again.header("cache-control"), Some("private, no-cache"));
    let refused = client.exchange(&format!("GET {PATH}\n-authorization\n"));
    assert_eq!(refused.status, 401);
}
