//! `/api/v1/session`: who has signed in, in which way and until when, what that user may do; or how to sign in.

use identity::options::OidcIssuer;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use serde_json::{Value, json};

use super::client::{self, Client, basic};
use super::server::{TestServer, server_user};

const LOGIN: &str = "POST v3/login\n-authorization\ncontent-type: application/json\n\n";

fn session(client: &mut Client, headers: &str) -> (u16, Value) {
    let answer = client.exchange(&format!("GET /api/v1/session\n{headers}"));
    (answer.status, serde_json::from_slice(&answer.body).expect("JSON"))
}

#[test]
fn each_role_is_told_what_it_opens() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    for (user, password, roles, may) in [
        ("admin", "adminpw", json!(["MQWebAdmin"]), [true, true, true]),
        ("reader", "readerpw", json!(["MQWebAdminRO"]), [true, false, false]),
        ("app", "secret", json!(["MQWebUser"]), [false, true, true]),
    ] {
        let (status, shown) = session(&mut client, &basic(user, password));
        assert_eq!((status, &shown["user"], &shown["method"]), (200, &json!(user), &json!("basic")));
        assert_eq!(shown["roles"], roles);
        let [administer, change, messages] = may;
        assert_eq!(shown["may"], json!({ "administer": administer, "change": change, "messages": messages }));
        assert_eq!((&shown["ends"], &shown["issuer"]), (&Value::Null, &Value::Null));
        let queue_manager =
            json!({ "name": "QM1", "state": "running", "isDefault": true, "group": null, "deadLetterQueue": null });
        assert_eq!(shown["qmgrs"], json!([queue_manager]));
        assert_eq!(shown["version"], env!("CARGO_PKG_VERSION"));
    }
    let (status, nobody) = session(&mut client, &basic("nobody", "nobodypw"));
    assert_eq!((status, &nobody["roles"], &nobody["qmgrs"]), (200, &json!([]), &json!([])));
}

#[test]
fn the_cookie_of_the_login_resource_tells_when_it_ends() {
    let server = TestServer::start();
    let mut client = client::tls(&server);
    let login = client.exchange(&format!("{LOGIN}{{\"username\":\"app\",\"password\":\"secret\"}}"));
    assert_eq!(login.status, 204, "{}", login.text());
    let (status, shown) = session(&mut client, "-authorization\ncookie: {cookie}\n");
    assert_eq!((status, &shown["method"]), (200, &json!("form")));
    let moment = |member: &str| shown[member].as_str().and_then(message_api::time_text::read_moment).expect("a moment");
    let left = moment("ends").since(moment("now"));
    let minutes = server.options.ltpa.expiration;
    assert!((minutes * 60 - 60..=minutes * 60).contains(&left.as_secs()), "{left:?} of {minutes} minutes");
    client.exchange("DELETE v3/login\n-authorization\ncookie: {cookie}\n\n");
    assert_eq!(session(&mut client, "-authorization\n").0, 401);
}

#[test]
fn who_may_display_the_queue_manager_is_told_its_dead_letter_queue() {
    let server = TestServer::start();
    let mut definition = (*server.queue_manager.definition()).clone();
    definition.dead_letter_queue = model::name::QueueName::literal("DEAD");
    server.block_on(server.queue_manager.alter_queue_manager(&server_user(), definition)).expect("altered");
    let mut client = client::plain(&server);
    let mut shown = |user: &str, password: &str| {
        session(&mut client, &basic(user, password)).1["qmgrs"][0]["deadLetterQueue"].clone()
    };
    assert_eq!((shown("admin", "adminpw"), shown("reader", "readerpw")), (json!("DEAD"), json!("DEAD")));
    assert_eq!(shown("app", "secret"), Value::Null);
    let record = AuthorityRecord {
        object: AuthorityObject::QueueManager,
        profile: "QM1".to_owned(),
        entity: Entity::Principal("app".to_owned()),
        authorities: Authority::DISPLAY,
    };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
    assert_eq!(shown("app", "secret"), json!("DEAD"));
}

#[test]
fn a_request_that_has_not_signed_in_is_told_how_to() {
    let server = TestServer::start_with(|options| {
        let issuer = OidcIssuer::new("http://127.0.0.1:9/realm".to_owned(), vec!["mq".to_owned()]);
        let (client_id, title) = (Some("console".to_owned()), Some("The company".to_owned()));
        options.oidc.insert("corporate".to_owned(), OidcIssuer { client_id, title, ..issuer });
        let issuer = OidcIssuer::new("http://127.0.0.1:9/other".to_owned(), vec!["mq".to_owned()]);
        options.oidc.insert("programs".to_owned(), issuer);
    });
    let https = server.https().port();
    let expected = |is_open: bool| {
        json!({
            "form": { "path": "/ibmmq/rest/v3/login", "isOpen": is_open },
            "basic": true,
            "clientCertificate": false,
            "issuers": [
                {
                    "name": "corporate", "url": "http://127.0.0.1:9/realm", "title": "The company",
                    "path": "/ibmmq/console/sign-in/corporate", "endSession": null
                },
                { "name": "programs", "url": "http://127.0.0.1:9/other", "title": null, "path": null, "endSession": null },
            ],
            "httpsPort": https,
        })
    };
    let (status, problem) = session(&mut client::plain(&server), "-authorization\n");
    assert_eq!((status, &problem["signIn"]), (401, &expected(false)), "the cookie is for TLS");
    let mut tls = client::tls(&server);
    assert_eq!(session(&mut tls, "-authorization\n").1["signIn"], expected(true));
    let (status, problem) = session(&mut tls, &basic("app", "wrong"));
    assert_eq!((status, &problem["signIn"]), (401, &expected(true)));
    let other = tls.exchange("GET /api/v1/jobs\n-authorization\n");
    assert!(other.status == 401 && !other.text().contains("signIn"), "{}", other.text());
}

#[test]
fn the_session_takes_no_query() {
    let answer = client::plain(&TestServer::start()).exchange("GET /api/v1/session?x=1\n");
    assert_eq!(answer.status, 400, "{}", answer.text());
}
