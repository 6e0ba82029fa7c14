//! Who may do what: credentials, CSRF, roles, the login resource; sections 2 and 3 of the reference.

use expect_test::expect;

use super::client::{self, basic};
use super::server::{TestServer, make_certificate, make_signer};
use super::{check, check_on};

#[test]
fn the_checks_come_in_order_credentials_csrf_role_syntax_queue_manager() {
    let admin = basic("admin", "adminpw");
    check(
        &[
            "POST v1/queue/NO.SUCH.QUEUE/message\n-authorization\n-ibm-mq-rest-csrf-token\n-content-type\n\nx"
                .to_owned(),
            format!("POST v1/queue/NO.SUCH.QUEUE/message\n{admin}\n-ibm-mq-rest-csrf-token\n-content-type\n\nx"),
            format!("POST v1/queue/NO.SUCH.QUEUE/message\n{admin}\n-content-type\n\nx"),
            "POST v1/queue/NO.SUCH.QUEUE/message\n-content-type\n\nx".to_owned(),
            "POST v1/queue/NO.SUCH.QUEUE/message\nibm-mq-rest-csrf-token:\n\nx".to_owned(),
            "DELETE v1/queue/Q/message\n-ibm-mq-rest-csrf-token".to_owned(),
            format!("GET v1/queue/Q/message\n{}", basic("app", "wrong")),
            format!("GET v1/queue/Q/message\n{}", basic("nobody", "nobodypw")),
            "GET v1/queue/Q/message\ncookie: LtpaToken2=abc\n-authorization".to_owned(),
            "GET v1/queue/Q/message\ncookie: LtpaToken2=abc".to_owned(),
        ]
        .join("\n>>\n"),
        expect![[r#"
            401
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0104E: The request to '/ibmmq/rest/v1/messaging/qmgr/QM1/queue/NO.SUCH.QUEUE/message' is not authenticated.
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0100E: The request lacks the header 'ibm-mq-rest-csrf-token'.
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0108E: User 'admin' is authenticated, but has none of these roles: 'MQWebUser'.
            415
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0306E: The media type '' is not supported for this request: expected text/plain, text/html, text/xml, application/json, application/xml.
            404
              content-type: application/json; charset=utf-8
              pcf 2/2085 MQWB0300E: No messaging connection could be made to 'NO.SUCH.QUEUE' on queue manager 'QM1': reason '2085 (MQRC_UNKNOWN_OBJECT_NAME)'.
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0100E: The request lacks the header 'ibm-mq-rest-csrf-token'.
            401
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0105E: HTTP basic authentication failed.
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0108E: User 'nobody' is authenticated, but has none of these roles: 'MQWebUser'.
            401
              content-type: application/json; charset=utf-8
              set-cookie: LtpaToken2=""; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; Path=/; Secure; HttpOnly
              rest 0/0 MQWB0112E: The authentication token in the cookie 'LtpaToken2' could not be verified.
            204
        "#]],
    );
}

#[test]
fn csrf_validation_can_be_switched_off() {
    let server = TestServer::start_with(|options| options.web.csrf_validation.0 = false);
    check_on(
        &server,
        "DELETE v1/queue/Q/message\n-ibm-mq-rest-csrf-token",
        expect![[r#"
        204
    "#]],
    );
}

#[test]
fn a_login_hands_out_a_cookie_that_works_until_logout() {
    let server = TestServer::start();
    let login = "POST v2/login\n-authorization\n-ibm-mq-rest-csrf-token\ncontent-type: application/json;charset=UTF-8\n\n\
                 {\"username\": \"app\", \"password\": \"secret\"}";
    let script = [
        login,
        "GET v2/login\n-authorization\ncookie: {cookie}",
        "POST v2/queue/Q/message\n-authorization\ncookie: {cookie}\n\nx",
        "DELETE v2/login\n-authorization\ncookie: {cookie}\n-ibm-mq-rest-csrf-token",
    ]
    .join("\n>>\n");
    let mut client = client::tls(&server);
    expect![[r#"
        204
          set-cookie: LtpaToken2=<token>; Path=/; Secure; HttpOnly; SameSite=Strict
        200
          content-type: application/json; charset=utf-8
          | {"user":[{"name":"app","role":["MQWebUser"],"authenticationMechanism":"form"}]}
        201
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: <id>
        403
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0100E: The request lacks the header 'ibm-mq-rest-csrf-token'.
    "#]]
    .assert_eq(&client.run(&script));
    let cookie = client.exchange(login).header("set-cookie").map(str::to_owned).expect("a cookie");
    let cookie = cookie.split(';').next().expect("a value").to_owned();
    let show = format!("GET v2/login\n-authorization\ncookie: {cookie}");
    assert_eq!(client.exchange(&show).status, 200);
    expect![[r#"
        204
          set-cookie: LtpaToken2=""; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; Path=/; Secure; HttpOnly
    "#]]
    .assert_eq(&client.run(&format!("DELETE v2/login\n-authorization\ncookie: {cookie}")));
    expect![[r#"
        401
          content-type: application/json; charset=utf-8
          set-cookie: LtpaToken2=""; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; Path=/; Secure; HttpOnly
          rest 0/0 MQWB0112E: The authentication token in the cookie 'LtpaToken2' could not be verified.
    "#]]
    .assert_eq(&client.run(&show));
}

#[test]
fn bad_logins_are_refused() {
    let json = "-authorization\ncontent-type: application/json\n\n";
    check(
        &[
            format!("POST v3/login\n{json}{{\"username\": \"app\", \"password\": \"wrong\"}}"),
            format!("POST v3/login\n{json}{{\"username\": \"APP\", \"password\": \"secret\"}}"),
            format!("POST v3/login\n{json}{{\"username\": \"nobody\", \"password\": \"nobodypw\"}}"),
            format!("POST v3/login\n{json}{{\"username\": 5, \"password\": \"secret\"}}"),
            format!("POST v3/login\n{json}{{\"username\": \"app\"}}"),
            format!("POST v3/login\n{json}not JSON"),
            "POST v3/login\n-authorization\n\n{}".to_owned(),
            "GET v3/login\n-authorization".to_owned(),
            format!("GET v3/login\n{}", basic("nobody", "nobodypw")),
            "DELETE v3/login\n-authorization".to_owned(),
        ]
        .join("\n>>\n"),
        expect![[r#"
            401
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0104E: The request to '/ibmmq/rest/v3/login' is not authenticated.
            401
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0104E: The request to '/ibmmq/rest/v3/login' is not authenticated.
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0108E: User 'nobody' is authenticated, but has none of these roles: 'MQWebAdmin, MQWebAdminRO, MQWebUser, MFTWebAdmin, MFTWebAdminRO'.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0905E: The body of the request is not valid: 'username and password have to be given once, as strings'.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0905E: The body of the request is not valid: 'username and password have to be given once, as strings'.
            400
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0905E: The body of the request is not valid: 'no JSON from line 1 column 2 on'.
            415
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0306E: The media type 'text/plain' is not supported for this request: expected application/json.
            401
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0104E: The request to '/ibmmq/rest/v3/login' is not authenticated.
            403
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0108E: User 'nobody' is authenticated, but has none of these roles: 'MQWebAdmin, MQWebAdminRO, MQWebUser, MFTWebAdmin, MFTWebAdminRO'.
            401
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0104E: The request to '/ibmmq/rest/v3/login' is not authenticated.
        "#]],
    );
}

#[test]
fn in_v1_logins_also_hand_out_the_csrf_token_of_9_0_x() {
    let server = TestServer::start();
    let login = "POST v1/login\n-authorization\ncontent-type: application/json\n\n{\"username\": \"app\", \"password\": \"secret\"}";
    let shown = client::tls(&server).run(&format!(
        "{login}\n>>\nGET v1/login\n-authorization\ncookie: {{cookie}}\n>>\nDELETE v1/login\n-authorization\ncookie: {{cookie}}"
    ));
    expect![[r#"
        204
          set-cookie: LtpaToken2=<token>; Path=/; Secure; HttpOnly; SameSite=Strict
          set-cookie: csrfToken=<token>; Path=/; Secure; SameSite=Strict
        200
          content-type: application/json; charset=utf-8
          set-cookie: csrfToken=<token>; Path=/; Secure; SameSite=Strict
          | {"user":[{"name":"app","role":["MQWebUser"],"authenticationMechanism":"form"}]}
        204
          set-cookie: LtpaToken2=""; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; Path=/; Secure; HttpOnly
          set-cookie: csrfToken=""; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; Path=/
    "#]]
    .assert_eq(&shown);
}

#[test]
fn basic_over_tls_sets_the_cookie_and_a_good_cookie_gets_none() {
    let server = TestServer::start();
    let mut client = client::tls(&server);
    let first = client.exchange("GET v1/queue/Q/message");
    assert!(
        first
            .header("set-cookie")
            .is_some_and(|cookie| cookie.ends_with("; Path=/; Secure; HttpOnly; SameSite=Strict"))
    );
    let second = client.exchange(&format!("GET v1/queue/Q/message\ncookie: {{cookie}}\n{}", basic("app", "wrong")));
    assert_eq!((second.status, second.header("set-cookie")), (204, None));
    let over_http = client::plain(&server).exchange("GET v1/queue/Q/message");
    assert_eq!(over_http.header("set-cookie"), None, "ltpa.secure");
}

#[test]
fn a_client_certificate_names_its_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let signer = make_signer(folder.path());
    let server = TestServer::start_with(|options| options.tls.client_ca = Some(signer.file.clone()));
    let (certificate, key) = make_certificate(server.folder(), "app", Some(&signer));
    let config = client::client_config(Some((&certificate, &key)));
    let mut client = client::Client::over(client::tls_stream(server.https(), config));
    expect![[r#"
        200
          content-type: application/json; charset=utf-8
          set-cookie: LtpaToken2=<token>; Path=/; Secure; HttpOnly; SameSite=Strict
          | {"user":[{"name":"app","role":["MQWebUser"],"authenticationMechanism":"clientCertificate"}]}
    "#]]
    .assert_eq(&client.run("GET v3/login\n-authorization"));
    let mut without = client::tls(&server);
    assert_eq!(without.exchange("GET v3/login\n-authorization").error_id(), "MQWB0104E");
}

#[test]
fn a_certificate_counts_no_longer_than_its_signer_on_kept_connections_too() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [signer, another] = folders.each_ref().map(|folder| make_signer(folder.path()));
    let server = TestServer::start_with(|options| options.tls.client_ca = Some(signer.file.clone()));
    let (certificate, key) = make_certificate(server.folder(), "app", Some(&signer));
    let config = client::client_config(Some((&certificate, &key)));
    let mut kept = client::Client::over(client::tls_stream(server.https(), config));
    let show = "GET v3/login\n-authorization";
    assert_eq!(kept.exchange(show).status, 200);
    let mut options = server.options.clone();
    for (signers, status) in [(Some(&another.file), 401), (Some(&signer.file), 200), (None, 401)] {
        options.tls.client_ca = signers.cloned();
        server.web.reload(options.clone()).expect("reloaded");
        assert_eq!((kept.exchange(show).status, kept.exchange(show).status), (status, status), "{signers:?}");
    }
}

#[test]
fn a_required_client_certificate_is_required() {
    let folder = tempfile::tempdir().expect("a folder");
    let signer = make_signer(folder.path());
    let server = TestServer::start_with(|options| {
        options.tls.client_ca = Some(signer.file.clone());
        options.tls.client_required = true;
    });
    let mut stream = client::tls_stream(server.https(), client::client_config(None));
    let failed = std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\n\r\n")
        .and_then(|()| std::io::Read::read(&mut stream, &mut [0; 16]));
    assert!(failed.is_err(), "{failed:?}");
}

#[test]
fn without_security_everybody_is_admitted() {
    let server = TestServer::start_with(|options| options.web.no_security = true);
    check_on(
        &server,
        "GET v3/login\n-authorization\n>>\nGET v1/queue/Q/message\n-authorization",
        expect![[r#"
        200
          content-type: application/json; charset=utf-8
          | {"user":[{"name":"server","role":["MQWebAdmin","MQWebAdminRO","MQWebUser","MFTWebAdmin","MFTWebAdminRO"],"authenticationMechanism":"noSecurity"}]}
        204
    "#]],
    );
}

#[test]
fn a_reload_changes_users_without_closing_connections() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    assert_eq!(client.exchange("GET v1/queue/Q/message").status, 204);
    let mut options = server.options.clone();
    options.web.users.insert("app".to_owned(), "changed".to_owned());
    server.web.reload(options.clone()).expect("reloaded");
    assert_eq!(client.exchange("GET v1/queue/Q/message").status, 401);
    assert_eq!(client.exchange(&format!("GET v1/queue/Q/message\n{}", basic("app", "changed"))).status, 204);
    options.web.roles.insert("NoSuchRole".to_owned(), vec!["user:app".to_owned()]);
    assert!(server.web.reload(options).is_err());
    assert_eq!(client.exchange(&format!("GET v1/queue/Q/message\n{}", basic("app", "changed"))).status, 204);
}

#[test]
fn a_guesser_waits_at_its_address_and_leaves_an_event() {
    let server = TestServer::start_with(|options| options.lockout.first_seconds = 300);
    let admin = |command: &str| {
        let body = serde_json::json!({"type": "runCommand", "parameters": {"command": command}});
        let request = format!(
            "POST /ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc\n{}\ncontent-type: application/json\n\n{body}",
            basic("admin", "adminpw")
        );
        let answer = client::plain(&server).exchange(&request);
        assert_eq!(answer.status, 200, "{command}");
        String::from_utf8(answer.body).expect("text")
    };
    admin("ALTER QMGR AUTHOREV(ENABLED)");
    let events = || {
        let shown = admin("DISPLAY QLOCAL(SYSTEM.ADMIN.QMGR.EVENT) CURDEPTH");
        let depth = shown.split_once("CURDEPTH(").and_then(|(_, rest)| rest.split_once(')')).expect("a depth").0;
        depth.parse::<u32>().expect("a number")
    };
    let before = events();
    let guess = |client: &mut client::Client, password: &str| {
        client.exchange(&format!("GET v3/login\n{}", basic("app", password)))
    };
    let mut here = client::plain(&server);
    for number in 0..5 {
        assert_eq!(guess(&mut here, &format!("guess{number}")).error_id(), "MQWB0105E");
    }
    for password in ["guess", "secret"] {
        let refused = guess(&mut here, password);
        assert_eq!((refused.status, refused.error_id().as_str()), (429, "MQWB0931E"));
        let seconds: u64 = refused.header("retry-after").expect("a time").parse().expect("a number");
        assert!((290..=300).contains(&seconds), "{seconds}");
    }
    let login = "POST v3/login\n-authorization\ncontent-type: application/json\n\n{\"username\":\"app\",\"password\":\"secret\"}";
    assert_eq!(client::plain(&server).exchange(login).status, 429, "the form counts with the header");
    assert_eq!(guess(&mut client::plain_from(&server, [127, 0, 0, 2]), "secret").status, 200, "another address");
    assert_eq!(events() - before, 5, "one event for each password that was looked at");
}
