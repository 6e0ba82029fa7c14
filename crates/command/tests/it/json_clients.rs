//! Requests that public clients of the `mqsc` resource are known to send, and the codes they look at.
//!
//! Source: KEDA's scaler, pymqrest, MKurator, the Zowe CLI plug-in and others, as section 6 of the reference lists them.

use command::json::Request;
use model::definition::attribute::Membership;
use queue_manager::QueueManager;
use queue_manager::event::command::{Issuer, Origin};
use serde_json::{Value, json};

use crate::support::{administrator, run_script, start, wait_for};

const SETUP: &str = "DEFINE QLOCAL(DEV.QUEUE.1)\nDEFINE QALIAS(AN.ALIAS) TARGET(DEV.QUEUE.1)\n\
    DEFINE QREMOTE(A.REMOTE) RNAME(R) RQMNAME(QM2)\nDEFINE TOPIC(A.TOPIC) TOPICSTR('a/topic')\n\
    DEFINE CHANNEL(A.CHANNEL) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(A.SENDER) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(X)";

fn run(queue_manager: &QueueManager, request: &Value) -> Value {
    let prepared = Request::read(request.to_string().as_bytes()).and_then(|request| request.prepare(Membership::Alone));
    let prepared = prepared.unwrap_or_else(|refusal| panic!("{request}: {refusal:?}"));
    serde_json::from_slice(&wait_for(prepared.run(queue_manager, &Issuer::new(&administrator(), Origin::Rest))))
        .unwrap()
}

fn words(command: &str, qualifier: &str, name: &str, more: &Value) -> Value {
    let mut request = json!({ "type": "runCommandJSON", "command": command, "qualifier": qualifier, "name": name });
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

#[test]
fn what_clients_ask_for_is_answered_with_every_attribute_they_name() {
    let queue_manager = start();
    run_script(&queue_manager, SETUP);
    for (qualifier, name, attributes) in [
        ("qlocal", "DEV.QUEUE.1", "CURDEPTH"),
        ("qlocal", "DEV.QUEUE.1", "maxdepth descr defpsist get put"),
        ("qalias", "AN.ALIAS", "targq targtype descr"),
        ("qremote", "A.REMOTE", "rname rqmname xmitq descr"),
        ("topic", "A.TOPIC", "topicStr descr pub sub defpsist pubscope subscope"),
        ("channel", "A.CHANNEL", "descr trptype sharecnv maxmsgl mcauser maxinst maxinstc sslciph sslcauth"),
        ("channel", "A.SENDER", "descr trptype conname xmitq maxmsgl"),
        ("QUEUE", "*", "all"),
        ("QMGR", "", "all"),
        ("QMSTATUS", "", "all"),
    ] {
        let wanted: Vec<_> = attributes.split(' ').collect();
        let mut request = words("display", qualifier, name, &json!({ "responseParameters": wanted }));
        if name.is_empty() {
            request.as_object_mut().unwrap().remove("name");
        }
        let reply = run(&queue_manager, &request);
        assert_eq!(reply["overallCompletionCode"], 0, "{request}: {reply}");
        let parameters = &reply["commandResponse"][0]["parameters"];
        for attribute in wanted.iter().filter(|attribute| **attribute != "all") {
            // A synonym is answered under the keyword that DISPLAY prints.
            let keyword = attribute.to_ascii_lowercase().replace("targq", "target");
            assert!(!parameters[&keyword].is_null(), "{keyword} of {request}: {reply}");
        }
    }
}

#[test]
fn each_failure_has_its_codes() {
    let queue_manager = start();
    run_script(&queue_manager, SETUP);
    let nothing = json!({});
    for (request, reason) in [
        (words("display", "queue", "NO.SUCH.QUEUE", &nothing), 2085),
        (words("alter", "qlocal", "NO.SUCH.QUEUE", &json!({ "parameters": { "maxdepth": 1 } })), 2085),
        (words("delete", "qlocal", "NO.SUCH.QUEUE", &nothing), 2085),
        (words("clear", "qlocal", "NO.SUCH.QUEUE", &nothing), 2085),
        (words("display", "chstatus", "A.CHANNEL", &nothing), 3065),
        (words("define", "qlocal", "DEV.QUEUE.1", &json!({ "parameters": { "noreplace": "yes" } })), 4001),
        (words("alter", "qalias", "DEV.QUEUE.1", &json!({ "parameters": { "descr": "x" } })), 4002),
        (words("alter", "qlocal", "DEV.QUEUE.1", &json!({ "parameters": { "defpsist": "perhaps" } })), 3229),
        (json!({ "type": "runCommand", "parameters": { "command": "DISPLAY QLOCAL(NO.SUCH)" } }), 2085),
        (json!({ "type": "runCommand", "parameters": { "command": "DISPLAY QLOCAL" } }), 3008),
        (json!({ "type": "runCommand", "parameters": { "command": "ALTER QL(DEV.QUEUE.1) NONSENSE(1)" } }), 3008),
    ] {
        let reply = run(&queue_manager, &request);
        assert_eq!(reply["overallCompletionCode"], 2, "{request}: {reply}");
        assert_eq!(reply["overallReasonCode"], 3008, "{request}: {reply}");
        assert_eq!(reply["commandResponse"][0]["completionCode"], 2, "{request}: {reply}");
        assert_eq!(reply["commandResponse"][0]["reasonCode"], reason, "{request}: {reply}");
    }
}

#[test]
fn an_object_is_altered_without_its_type_which_is_the_objects_own() {
    let queue_manager = start();
    run_script(&queue_manager, SETUP);
    run_script(
        &queue_manager,
        "DEFINE CHANNEL(BOTH) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(BOTH) CHLTYPE(CLNTCONN) CONNAME(h)",
    );
    run_script(&queue_manager, "DEFINE AUTHINFO(OWN) AUTHTYPE(IDPWOS)");
    let descr = json!({ "parameters": { "descr": "changed" } });
    for (qualifier, name) in
        [("channel", "A.CHANNEL"), ("channel", "A.SENDER"), ("channel", "BOTH"), ("authinfo", "OWN")]
    {
        let reply = run(&queue_manager, &words("alter", qualifier, name, &descr));
        assert_eq!(reply["overallCompletionCode"], 0, "{name}: {reply}");
        let shown = words("display", qualifier, name, &json!({ "responseParameters": ["descr"] }));
        let shown = run(&queue_manager, &shown);
        assert_eq!(shown["commandResponse"][0]["parameters"]["descr"], "changed", "{name}: {shown}");
    }
    let only = |request: &Value| {
        let reply = run(&queue_manager, request);
        assert_eq!(reply["overallCompletionCode"], 2, "{request}: {reply}");
        reply["commandResponse"][0]["reasonCode"].clone()
    };
    assert_eq!(only(&words("alter", "channel", "NONE", &descr)), 2085);
    // What the type does not have is told as it is with the type; what no type has is told before anything runs.
    assert_eq!(only(&words("alter", "channel", "A.CHANNEL", &json!({ "parameters": { "xmitq": "X" } }))), 3097);
    let unknown = words("alter", "channel", "A.CHANNEL", &json!({ "parameters": { "maxdepth": 1 } }));
    let refused = Request::read(unknown.to_string().as_bytes())
        .and_then(|request| request.prepare(Membership::Alone))
        .unwrap_err();
    assert_eq!(refused, command::json::Refusal::Attribute("maxdepth".to_owned()));
    // A definition has no object to ask.
    assert_eq!(only(&words("define", "channel", "NEW", &descr)), 3228);
}

#[test]
fn the_command_server_of_z_os_is_refused_as_other_commands_of_z_os_are() {
    let queue_manager = start();
    let nothing = json!({});
    for qualifier in ["cmdserv", "cfstruct"] {
        let reply = run(&queue_manager, &words("display", qualifier, "*", &nothing));
        assert_eq!(
            (&reply["overallCompletionCode"], &reply["overallReasonCode"]),
            (&json!(2), &json!(3008)),
            "{reply}"
        );
        assert_eq!(reply["commandResponse"][0]["reasonCode"], 3008, "{reply}");
    }
}

#[test]
fn no_connection_matches_where_nobody_is_connected() {
    let queue_manager = start();
    let request =
        json!({ "type": "runCommandJSON", "command": "display", "qualifier": "conn", "parameters": { "type": "*" } });
    let reply = run(&queue_manager, &request);
    assert_eq!((&reply["overallCompletionCode"], &reply["overallReasonCode"]), (&json!(2), &json!(3008)), "{reply}");
}
