//! People who sign in to the console at an issuer: the browser's part is played byte by byte.

use std::collections::HashMap;

use identity::options::OidcIssuer;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::bearers::{Issuer, server, url_of};
use super::client::{Answer, Client, plain, tls};
use super::server::TestServer;

const BEGIN: &str = "/ibmmq/console/sign-in/test";
const WANTED: &str = "/ibmmq/console/qm/QM1/queues?search=a";

/// An issuer, a server that people sign in to there, and a browser.
struct Scene {
    issuer: Issuer,
    server: TestServer,
    browser: Client,
}

impl Scene {
    fn new(change: impl FnOnce(&mut OidcIssuer)) -> Self {
        let issuer = Issuer::start(None, false);
        let mut entry = issuer.entry(false);
        entry.client_id = Some("console".to_owned());
        change(&mut entry);
        let server = server(entry);
        let browser = tls(&server);
        Self { issuer, server, browser }
    }

    /// Goes to the issuer. Gives what it is told.
    fn begin(&mut self) -> HashMap<String, String> {
        let answer = begin(&mut self.browser);
        let location = answer.header("location").expect("a place");
        let (place, query) = location.split_once('?').expect("a query");
        assert_eq!((answer.status, place), (303, &*format!("{}/auth", url_of(self.issuer.address, false))));
        parameters(query)
    }

    /// What the issuer gives for the code of a sign-in.
    fn grant(&self, sent: &HashMap<String, String>, change: impl FnOnce(&mut Value)) {
        let now = std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_secs();
        let mut claims = json!({
            "iss": url_of(self.issuer.address, false), "aud": "console", "sub": "alice", "groups": ["mq-readers"],
            "iat": now, "exp": now + 60, "nonce": sent["nonce"],
        });
        change(&mut claims);
        let answer = json!({ "id_token": self.issuer.sign(&claims), "access_token": "opaque", "token_type": "Bearer" });
        *self.issuer.granted.lock().expect("kept") = answer.to_string();
    }

    fn come_back(&mut self, sent: &HashMap<String, String>) -> Answer {
        come_back(&mut self.browser, &format!("state={}&code=the-code", sent["state"]))
    }

    /// Signs in with a changed ID token. Gives what the page is told.
    fn outcome(&mut self, change: impl FnOnce(&mut Value)) -> String {
        let sent = self.begin();
        self.grant(&sent, change);
        problem(&self.come_back(&sent))
    }
}

fn begin(browser: &mut Client) -> Answer {
    let to = percent_encoding::utf8_percent_encode(WANTED, percent_encoding::NON_ALPHANUMERIC);
    browser.exchange(&format!("GET {BEGIN}?to={to}\n-authorization\n"))
}

/// With the cookies that the browser has.
fn come_back(browser: &mut Client, query: &str) -> Answer {
    browser.exchange(&format!("GET {BEGIN}/callback?{query}\n-authorization\ncookie: {{cookie}}\n"))
}

fn parameters(query: &str) -> HashMap<String, String> {
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

fn cookies(answer: &Answer) -> Vec<&str> {
    answer.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, value)| &**value).collect()
}

/// What the page for signing in is told, with the place that is kept. It begins no session.
fn problem(answer: &Answer) -> String {
    let location = answer.header("location").expect("a place");
    assert_eq!((answer.status, answer.header("cache-control")), (303, Some("no-store")), "{location}");
    assert!(!cookies(answer).iter().any(|cookie| cookie.starts_with("LtpaToken2=")), "{location}");
    let query = location.strip_prefix("/ibmmq/console/sign-in?").expect("the page for signing in");
    let told = parameters(query);
    assert!(told.get("to").is_none_or(|to| to == WANTED), "{location}");
    let kept = if told.contains_key("to") { ", place kept" } else { "" };
    format!("{}{kept}", told["problem"])
}

fn session(browser: &mut Client) -> (u16, Value) {
    let answer = browser.exchange("GET /api/v1/session\n-authorization\ncookie: {cookie}\n");
    (answer.status, serde_json::from_slice(&answer.body).expect("JSON"))
}

#[test]
fn a_person_signs_in_at_an_issuer_with_the_roles_of_its_groups_and_signs_out() {
    let mut scene = Scene::new(|entry| entry.client_secret = Some("{xor}LDo8LTor".to_owned()));
    let sent = scene.begin();
    let port = scene.server.https().port();
    assert!(sent["redirect_uri"].ends_with("/ibmmq/console/sign-in/test/callback"), "{sent:?}");
    assert!(sent["redirect_uri"].starts_with("https://localhost"), "{} {port}", sent["redirect_uri"]);
    assert_eq!((&*sent["scope"], &*sent["code_challenge_method"]), ("openid", "S256"));
    scene.grant(&sent, |_| {});
    let answer = scene.come_back(&sent);
    assert_eq!((answer.status, answer.header("location")), (303, Some(WANTED)));
    assert_eq!(
        (answer.header("cache-control"), answer.header("referrer-policy")),
        (Some("no-store"), Some("no-referrer"))
    );
    let [session_cookie, forgotten] = cookies(&answer)[..] else { panic!("{:?}", cookies(&answer)) };
    assert!(session_cookie.starts_with("LtpaToken2=qs_"), "{session_cookie}");
    assert!(session_cookie.ends_with("; Path=/; Secure; HttpOnly; SameSite=Strict"), "{session_cookie}");
    let expected =
        "quaymasterSignIn=; Max-Age=0; Path=/ibmmq/console/sign-in/test/callback; Secure; HttpOnly; SameSite=Lax";
    assert_eq!(forgotten, expected);
    let form = parameters(&scene.issuer.redeemed.lock().expect("kept")[0]);
    assert_eq!((&*form["code"], &form["redirect_uri"]), ("the-code", &sent["redirect_uri"]));
    assert!(!form.contains_key("client_secret"), "it is in the header");

    let (status, shown) = session(&mut scene.browser);
    assert_eq!((status, &shown["user"], &shown["method"]), (200, &json!("alice"), &json!("oidc")), "{shown}");
    assert_eq!(shown["roles"], json!(["MQWebAdminRO"]));
    assert_eq!(shown["issuer"], json!({ "name": "test", "url": url_of(scene.issuer.address, false) }));
    let moment = |member: &str| shown[member].as_str().and_then(message_api::time_text::read_moment).expect("a moment");
    let left = moment("ends").since(moment("now")).as_secs();
    let lifetime = scene.server.options.ltpa.expiration * 60;
    assert!((lifetime - 60..=lifetime).contains(&left), "{left}");
    // As a cookie of the form: a page of another site cannot change anything with it.
    let put = "POST v3/queue/Q/message\n-authorization\ncookie: {cookie}\n";
    assert_eq!(scene.browser.exchange(&format!("{put}-ibm-mq-rest-csrf-token\n\nx")).error_id(), "MQWB0100E");
    assert_eq!(scene.browser.exchange(&format!("{put}\nx")).error_id(), "MQWB0108E", "it may look only");
    let listing = "POST /api/v1/qmgr/QM1/queue/Q/messages\n-authorization\ncookie: {cookie}\n-ibm-mq-rest-csrf-token\n";
    let foreign = scene.browser.exchange(&format!("{listing}origin: https://evil.example\n\nx"));
    assert!(foreign.status == 403 && foreign.text().contains("MQWB0937E"), "{}", foreign.text());

    let kept = scene.browser.exchange("GET v3/login\n-authorization\ncookie: {cookie}\n");
    assert!(kept.text().contains("\"authenticationMechanism\":\"oidc\""), "{}", kept.text());
    let secret = session_cookie.split(';').next().expect("a pair").to_owned();
    let clear = plain(&scene.server).exchange(&format!("GET /api/v1/session\n-authorization\ncookie: {secret}\n"));
    assert_eq!(clear.status, 401, "the session is for TLS");
    let out = scene.browser.exchange("DELETE v3/login\n-authorization\ncookie: {cookie}\n\n");
    assert_eq!(out.status, 204);
    let answer = scene.browser.exchange(&format!("GET /api/v1/session\n-authorization\ncookie: {secret}\n"));
    assert_eq!(answer.status, 401, "the session has ended on the server");
    let problem: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let end = format!("{}/out?client_id=console", url_of(scene.issuer.address, false));
    assert_eq!(problem["signIn"]["issuers"][0]["endSession"], json!(end));
}

#[test]
fn what_a_browser_brings_counts_once_and_in_the_browser_that_began() {
    let mut scene = Scene::new(|_| {});
    let sent = scene.begin();
    scene.grant(&sent, |_| {});
    let back = format!("state={}&code=the-code", sent["state"]);
    let other = &mut tls(&scene.server);
    begin(other);
    for (said, query) in [
        ("of another browser", &*back),
        ("no state", "code=the-code"),
        ("a wrong state", "state=wrong&code=the-code"),
        ("two states", &format!("{back}&state=other")),
        ("nothing", ""),
    ] {
        assert_eq!(problem(&come_back(other, query)), "state", "{said}");
    }
    assert_eq!(problem(&come_back(&mut tls(&scene.server), &back)), "state", "a browser without a cookie");
    assert!(scene.issuer.redeemed.lock().expect("kept").is_empty(), "the issuer is not asked");
    let answer = scene.come_back(&sent);
    assert_eq!(answer.header("location"), Some(WANTED), "what the others tried did no harm");
    assert_eq!(problem(&scene.come_back(&sent)), "state", "replayed");
    assert_eq!(scene.issuer.redeemed.lock().expect("kept").len(), 1);
}

#[test]
fn an_issuer_that_refuses_and_a_token_that_is_not_for_this_sign_in_lead_to_the_page_for_signing_in() {
    let mut scene = Scene::new(|_| {});
    let sent = scene.begin();
    let denied = format!("state={}&error=access_denied&error_description=%3Cscript%3E", sent["state"]);
    assert_eq!(problem(&come_back(&mut scene.browser, &denied)), "denied, place kept");
    let sent = scene.begin();
    assert_eq!(problem(&scene.come_back(&sent)), "refused, place kept", "the code is refused");
    assert_eq!(scene.outcome(|claims| claims["nonce"] = json!("of another sign-in")), "refused, place kept");
    assert_eq!(scene.outcome(|claims| claims["aud"] = json!("mq")), "refused, place kept");
    assert_eq!(scene.outcome(|claims| claims["sub"] = json!("app")), "refused, place kept", "a user of this server");
    assert_eq!(scene.outcome(|claims| claims["groups"] = json!(["others"])), "role, place kept");
    let sent = scene.begin();
    scene.grant(&sent, |_| {});
    let granted: Value = serde_json::from_str(&scene.issuer.granted.lock().expect("kept")).expect("JSON");
    let claims = granted["id_token"].as_str().expect("a token").split('.').nth(1).expect("claims").to_owned();
    // {"alg":"none"}
    let unsigned = json!({ "id_token": format!("eyJhbGciOiJub25lIn0.{claims}.") });
    *scene.issuer.granted.lock().expect("kept") = unsigned.to_string();
    assert_eq!(problem(&scene.come_back(&sent)), "refused, place kept", "no signature");
    assert_eq!(session(&mut scene.browser).0, 401);
}

#[test]
fn a_person_is_led_to_no_other_place_than_this_console() {
    let mut scene = Scene::new(|_| {});
    for to in
        ["https://evil.example/", "//evil.example", "/ibmmq/console/../../evil", "/ibmmq/console/sign-in/test", "x"]
    {
        let to = percent_encoding::utf8_percent_encode(to, percent_encoding::NON_ALPHANUMERIC);
        let answer = scene.browser.exchange(&format!("GET {BEGIN}?to={to}\n-authorization\n"));
        let sent = parameters(answer.header("location").expect("a place").split_once('?').expect("a query").1);
        scene.grant(&sent, |_| {});
        assert_eq!(scene.come_back(&sent).header("location"), Some("/ibmmq/console/"), "{to}");
    }
}

#[test]
fn an_issuer_without_a_client_and_a_connection_without_tls_lead_to_the_page_for_signing_in() {
    let mut scene = Scene::new(|_| {});
    assert_eq!(problem(&begin(&mut plain(&scene.server))), "https, place kept", "the cookie is for TLS");
    let answer = scene.browser.exchange("GET /ibmmq/console/sign-in/other\n-authorization\n");
    assert_eq!(
        answer.header("location"),
        Some("/ibmmq/console/sign-in?problem=unknown&issuer=other&to=%2Fibmmq%2Fconsole%2F")
    );
    let programs = server(scene.issuer.entry(false));
    assert_eq!(problem(&begin(&mut tls(&programs))), "unknown, place kept");
    let gone = Issuer::start(None, true);
    let mut entry = gone.entry(false);
    entry.client_id = Some("console".to_owned());
    assert_eq!(problem(&begin(&mut tls(&server(entry)))), "unavailable, place kept");
}

#[test]
fn behind_a_proxy_the_configured_address_is_what_the_issuer_is_told() {
    let mut scene = Scene::new(|entry| entry.console_url = Some("https://mq.example.com".to_owned()));
    let answer = scene.browser.exchange(&format!("GET {BEGIN}\n-authorization\nhost: evil.example\n"));
    let sent = parameters(answer.header("location").expect("a place").split_once('?').expect("a query").1);
    assert_eq!(sent["redirect_uri"], "https://mq.example.com/ibmmq/console/sign-in/test/callback");
}
