//! People who sign in at the made-up issuer: what the browser brings back, and what the issuer answers for it.

use std::net::{IpAddr, Ipv4Addr};

use sha2::{Digest, Sha256};

use super::*;
use crate::oidc::sign_in::{Begun, Finished, Refused, Returned, Wish};

const HOUR: Duration = Duration::from_secs(3600);

fn setting(key: &Signer) -> Setting {
    let mut setting = Setting::new(&[key]);
    setting.entry.client_id = Some("console".to_owned());
    setting.entry.client_secret = Some("{xor}LDo8LTor".to_owned());
    setting
}

/// Parameters of an address or of a form.
fn parameters(text: &str) -> HashMap<String, String> {
    let query = text.split_once('?').map_or(text, |(_, query)| query);
    let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

async fn begin(issuers: &Issuers) -> (Begun, HashMap<String, String>) {
    let wish = Wish {
        issuer: "test",
        redirect_uri: "https://mq.example/callback".to_owned(),
        to: "/ibmmq/console/qm/QM1".to_owned(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    let begun = issuers.begin_sign_in(wish, at(NOW)).await.expect("the issuer answers");
    let sent = parameters(&begun.location);
    (begun, sent)
}

async fn finish(issuers: &Issuers, begun: &Begun, state: &str) -> Result<Finished, Refused> {
    let returned = Returned {
        issuer: "test",
        browser: &begun.browser,
        state: Some(state.to_owned()),
        code: Some("the code".to_owned()),
        ..Returned::default()
    };
    issuers.finish_sign_in(&returned, HOUR, &|| at(NOW)).await
}

fn id_claims(nonce: &str) -> Value {
    json!({
        "iss": ISSUER, "aud": "console", "sub": "alice", "iat": NOW, "exp": NOW + 60, "nonce": nonce, "groups": ["users"]
    })
}

/// Signs in with what the issuer gives: `USER ROLES`, or why not.
async fn outcome(setting: &Setting, issuers: &Issuers, answer: impl FnOnce(&str) -> (u16, Value)) -> String {
    let (begun, sent) = begin(issuers).await;
    let (status, body) = answer(&sent["nonce"]);
    setting.paper.answers.lock().insert(TOKEN_URL.to_owned(), (status, body.to_string()));
    match finish(issuers, &begun, &sent["state"]).await {
        Ok(finished) => {
            let found = issuers.find_session(&finished.session, at(NOW)).expect("the session has begun");
            assert!(Arc::ptr_eq(&found, &finished.identity) && !found.principal.is_administrator);
            assert_eq!(finished.to, "/ibmmq/console/qm/QM1");
            format!("{} {}", found.name, found.roles.names().collect::<Vec<_>>().join(","))
        }
        Err(refused) => {
            assert_eq!(refused.to.as_deref(), Some("/ibmmq/console/qm/QM1"));
            refused.why.to_string()
        }
    }
}

#[tokio::test]
async fn a_person_is_sent_to_the_issuer_with_a_challenge_and_the_code_is_redeemed_with_its_verifier() {
    let key = Signer::elliptic("k");
    let setting = setting(&key);
    let issuers = setting.issuers();
    let (begun, sent) = begin(&issuers).await;
    assert!(
        begun.location.starts_with("https://issuer.example/auth?realm=mq&response_type=code&"),
        "{}",
        begun.location
    );
    let asked = ["client_id", "redirect_uri", "scope", "code_challenge_method"].map(|name| &*sent[name]);
    assert_eq!(asked, ["console", "https://mq.example/callback", "openid", "S256"]);
    let answer = json!({ "id_token": key.sign(&id_claims(&sent["nonce"])), "access_token": "opaque" });
    setting.paper.answers.lock().insert(TOKEN_URL.to_owned(), (200, answer.to_string()));
    let finished = finish(&issuers, &begun, &sent["state"]).await.expect("signed in");
    let (authorization, body) = setting.paper.posted.lock().pop().expect("a form");
    let pair = base64::engine::general_purpose::STANDARD.encode("console:secret");
    assert_eq!(authorization, Some(format!("Basic {pair}")));
    let redeemed = parameters(&body);
    let challenge = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(Sha256::digest(&redeemed["code_verifier"]));
    assert_eq!((&redeemed["code"][..], &challenge), ("the code", &sent["code_challenge"]));
    assert!(!redeemed.contains_key("client_secret") && !body.contains("secret"), "{body}");
    // What was brought once counts no more.
    let again = finish(&issuers, &begun, &sent["state"]).await.expect_err("replayed");
    assert!(again.why.to_string().contains("was finished") && again.to.is_none(), "{}", again.why);
    assert_eq!(setting.paper.posted.lock().len(), 0, "the issuer is not asked");
    let session = &finished.session;
    assert_eq!(issuers.about_session(session, at(NOW)), Some((at(NOW + 3600), ISSUER.to_owned())));
    assert!(issuers.find_session(session, at(NOW + 3600)).is_none(), "it has ended");
    issuers.end_session(session, at(NOW));
    assert!(issuers.find_session(session, at(NOW)).is_none(), "signed out");
}

#[tokio::test]
async fn an_id_token_that_is_not_of_this_sign_in_begins_no_session() {
    let (key, stranger) = (Signer::elliptic("k"), Signer::elliptic("k"));
    let setting = setting(&key);
    let issuers = setting.issuers();
    let changed = |nonce: &str, name: &str, value: Value| {
        let mut claims = id_claims(nonce);
        claims[name] = value;
        claims
    };
    let refused = |name: &'static str, value: Value| {
        let (key, changed) = (&key, &changed);
        move |nonce: &str| (200, json!({ "id_token": key.sign(&changed(nonce, name, value)) }))
    };
    let of = "its token is not accepted: ";
    for (name, value, expected) in [
        ("nonce", json!("of another sign-in"), "it is for another sign-in: its nonce is missing or another one"),
        ("nonce", Value::Null, "it is for another sign-in: its nonce is missing or another one"),
        ("aud", json!("mq"), "it is for the audience 'mq'"),
        ("aud", json!(["other", "mq"]), "it is for the audience 'other mq'"),
        ("azp", json!("other"), "it is for the audience 'other'"),
        ("iss", json!("https://other.example"), "its issuer 'https://other.example' is not configured"),
        ("exp", json!(NOW - 100), "it expired 100 s ago"),
        ("iat", json!(NOW + 100), "it is good in 100 s only"),
        ("sub", Value::Null, "the claim 'sub' is missing or has a wrong type"),
        ("sub", json!("local"), "its user 'local' is refused: a user of this server has that name"),
    ] {
        let said = outcome(&setting, &issuers, refused(name, value.clone())).await;
        assert_eq!(said, format!("{of}{expected}"), "{name} {value}");
    }
    let said =
        outcome(&setting, &issuers, |nonce| (200, json!({ "id_token": stranger.sign(&id_claims(nonce)) }))).await;
    assert_eq!(said, format!("{of}its signature is wrong"));
    let said = outcome(&setting, &issuers, |nonce| {
        let token = key.sign(&id_claims(nonce));
        let encode = |text: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text);
        let claims = token.split('.').nth(1).expect("three parts");
        (200, json!({ "id_token": format!("{}.{claims}.", encode(r#"{"alg":"none"}"#)) }))
    });
    assert_eq!(said.await, format!("{of}its algorithm none is not among those configured for the issuer"));
    let said = outcome(&setting, &issuers, |nonce| {
        let header = Header { kid: Some("k".to_owned()), typ: Some("at+jwt".to_owned()), ..Header::new(key.algorithm) };
        (200, json!({ "id_token": encode(&header, &id_claims(nonce), &key.key).expect("a token") }))
    });
    assert_eq!(said.await, format!("{of}its type 'at+jwt' is not that of an ID token"));
    let said = outcome(&setting, &issuers, |_| (200, json!({ "access_token": "opaque" }))).await;
    assert_eq!(said, "the issuer refuses: its answer has no ID token");
    let said = outcome(&setting, &issuers, |_| (400, json!({ "error": "invalid_grant" }))).await;
    assert_eq!(said, "the issuer refuses: invalid_grant");
    let said = outcome(&setting, &issuers, |_| (502, json!({ "error": "x" }))).await;
    assert_eq!(said, "the issuer cannot be used now: its token endpoint answers with status 502");
    let said = outcome(&setting, &issuers, refused("groups", json!(["others", "mqm"]))).await;
    assert_eq!(said, "its user 'alice' has no role here");
}

#[tokio::test]
async fn user_and_groups_are_those_of_an_access_token_that_is_accepted_as_a_bearer_token() {
    let key = Signer::elliptic("k");
    let setting = setting(&key);
    let issuers = setting.issuers();
    let with_access = |sub: &'static str, audience: &'static str| {
        let key = &key;
        move |nonce: &str| {
            let access = json!({
                "iss": ISSUER, "aud": audience, "sub": sub, "iat": NOW, "exp": NOW + 60, "groups": ["admins"]
            });
            (200, json!({ "id_token": key.sign(&id_claims(nonce)), "access_token": key.sign(&access) }))
        }
    };
    assert_eq!(outcome(&setting, &issuers, with_access("alice", "mq")).await, "alice MQWebAdmin");
    assert_eq!(outcome(&setting, &issuers, with_access("alice", "elsewhere")).await, "alice MQWebUser");
    let said = outcome(&setting, &issuers, with_access("bob", "mq")).await;
    assert_eq!(said, "the issuer refuses: its two tokens are for two users");
}

#[tokio::test]
async fn what_the_issuer_reports_in_the_place_of_a_code_is_the_refusal() {
    let key = Signer::elliptic("k");
    let setting = setting(&key);
    let issuers = setting.issuers();
    for (error, iss, expected) in [
        (Some("access_denied"), None, "the issuer answers: access_denied"),
        (Some("server_error\n<b>"), None, "the issuer refuses: server_error\\n<b>"),
        (None, None, "the issuer refuses: it sends neither a code nor an error"),
        (None, Some("https://other.example"), "the issuer refuses: it calls itself 'https://other.example'"),
    ] {
        let (begun, sent) = begin(&issuers).await;
        let returned = Returned {
            issuer: "test",
            browser: &begun.browser,
            state: sent.get("state").cloned(),
            error: error.map(str::to_owned),
            iss: iss.map(str::to_owned),
            ..Returned::default()
        };
        let refused = issuers.finish_sign_in(&returned, HOUR, &|| at(NOW)).await.expect_err("refused");
        assert_eq!(refused.why.to_string(), expected);
    }
    assert!(setting.paper.posted.lock().is_empty());
}

#[tokio::test]
async fn a_session_outlasts_a_reload_with_the_roles_of_the_new_configuration() {
    let key = Signer::elliptic("k");
    let mut setting = setting(&key);
    let before = setting.issuers();
    let (begun, sent) = begin(&before).await;
    let answer = json!({ "id_token": key.sign(&id_claims(&sent["nonce"])) });
    setting.paper.answers.lock().insert(TOKEN_URL.to_owned(), (200, answer.to_string()));
    setting.web.roles.insert("MQWebAdmin".to_owned(), vec!["user:alice".to_owned()]);
    // The reload comes while the person is at the issuer.
    let after = setting.made(Some(&before)).expect("the settings are fine");
    let session = finish(&after, &begun, &sent["state"]).await.expect("signed in").session;
    let roles = |issuers: &Issuers| {
        let identity = issuers.find_session(&session, at(NOW))?;
        Some(identity.roles.names().collect::<Vec<_>>().join(","))
    };
    assert_eq!(roles(&after).as_deref(), Some("MQWebAdmin,MQWebUser"));
    setting.web.roles.remove("MQWebAdmin");
    let fewer = setting.made(Some(&after)).expect("the settings are fine");
    assert_eq!(roles(&fewer).as_deref(), Some("MQWebUser"));
    setting.web.users.insert("alice".to_owned(), "password".to_owned());
    assert_eq!(roles(&setting.made(Some(&fewer)).expect("the settings are fine")), None, "the name is taken now");
    setting.web.users.remove("alice");
    setting.entry.client_id = None;
    setting.entry.client_secret = None;
    assert_eq!(roles(&setting.made(Some(&fewer)).expect("the settings are fine")), None, "people do not sign in there");
}

#[tokio::test]
async fn an_issuer_that_cannot_be_used_is_told_and_the_check_of_a_configuration_finds_it() {
    let key = Signer::elliptic("k");
    let setting = setting(&key);
    let wish = |issuer| Wish {
        issuer,
        redirect_uri: String::new(),
        to: String::new(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    let issuers = setting.issuers();
    let said = issuers.begin_sign_in(wish("other"), at(NOW)).await.expect_err("unknown").to_string();
    assert_eq!(said, "no entry 'other' of [identity.oidc] has a client_id");
    let description = json!({ "issuer": ISSUER, "jwks_uri": KEYS_URL }).to_string();
    setting.paper.documents.lock().insert(format!("{ISSUER}/.well-known/openid-configuration"), description);
    let said = issuers.begin_sign_in(wish("test"), at(NOW)).await.expect_err("no endpoint").to_string();
    assert!(said.contains("authorization_endpoint"), "{said}");
    let [(_, checked)] = &issuers.probe().await[..] else { panic!("one issuer") };
    assert!(checked.as_ref().is_err_and(|problem| problem.contains("authorization_endpoint")), "{checked:?}");
    let issuers = setting.issuers();
    setting.paper.go_away();
    let said = issuers.begin_sign_in(wish("test"), at(NOW)).await.expect_err("away").to_string();
    assert_eq!(said, "the issuer cannot be used now: it does not answer");
}

#[test]
fn settings_of_the_client_that_cannot_be_used_are_told_by_their_key() {
    let base = || {
        let mut entry = OidcIssuer::new(ISSUER, vec!["mq".to_owned()]);
        entry.client_id = Some("console".to_owned());
        entry
    };
    let text = |text: &str| Some(text.to_owned());
    for (entry, expected) in [
        (OidcIssuer { client_id: text(""), ..base() }, "client_id"),
        (OidcIssuer { client_id: None, client_secret: text("s"), ..base() }, "client_secret"),
        (OidcIssuer { client_secret: text("{hash}AAAA"), ..base() }, "client_secret"),
        (OidcIssuer { scopes: vec!["profile".to_owned()], ..base() }, "scopes"),
        (OidcIssuer { scopes: vec!["openid".to_owned(), "a b".to_owned()], ..base() }, "scopes"),
        (OidcIssuer { title: text(" "), ..base() }, "title"),
        (OidcIssuer { console_url: text("https://h/ibmmq"), ..base() }, "console_url"),
        (OidcIssuer { console_url: text("http://h.example"), ..base() }, "console_url"),
    ] {
        let setting = Setting { entry, ..Setting::new(&[]) };
        let Err(error) = setting.made(None) else { panic!("{expected} is refused") };
        let error = error.to_string();
        assert!(error.contains(&format!("identity.oidc.test.{expected}")) && !error.contains("AAAA"), "{error}");
    }
    let good = OidcIssuer { client_secret: text("s"), console_url: text("https://mq.example.com:9443"), ..base() };
    let setting = Setting { entry: good, ..Setting::new(&[]) };
    let issuers = setting.issuers();
    assert_eq!(issuers.choices()[0].title, "test");
    assert!(!format!("{:?}", issuers.issuers[0].settings).contains("\"s\""));
}
