//! API keys among the other credentials of a request.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use identity::api_key::NewApiKey;
use identity::authenticator::{Credentials, Mechanism, Verdict};
use identity::scope::{self, Object, Operations, Scope};
use identity::{Authenticator, Roles};
use model::timestamp::Timestamp;

use crate::authenticator::{HERE, Options, options, seconds};

fn made(options: &Options, user: &str) -> String {
    let queues = ["ORDERS.*".to_owned()];
    let scope = Scope::parse(&queues, &[], &["put".to_owned()]).expect("a scope");
    let new = NewApiKey { name: String::new(), user: user.to_owned(), expires: Some(seconds(100)), scope };
    options.api_keys.create(new, seconds(0)).expect("made").1
}

fn judge(authenticator: &Authenticator, headers: [Option<&str>; 2], address: IpAddr, now: Timestamp) -> Verdict {
    let [authorization, api_key] = headers.map(|header| header.map(str::as_bytes));
    let credentials =
        Credentials { tokens: &[], authorization, api_key, client_certificate: None, over_tls: false, address };
    authenticator.authenticate(&credentials, now)
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

fn is_key_of(verdict: &Verdict, user: &str) -> bool {
    matches!(verdict, Verdict::Identified { identity, mechanism: Mechanism::ApiKey, set_cookie: false } if identity.name == user)
}

#[test]
fn a_key_acts_as_its_user_with_the_role_of_messaging_within_its_scope() {
    let mut options = options(&[("app", "secret"), ("boss", "secret")]);
    options.web.groups = [("mqm".to_owned(), vec!["boss".to_owned()])].into();
    options.web.roles.insert("MQWebAdmin".to_owned(), vec!["user:boss".to_owned()]);
    let (of_app, of_boss, of_stranger) = (made(&options, "app"), made(&options, "boss"), made(&options, "stranger"));
    let authenticator = options.authenticator();
    for (key, user, is_administrator) in
        [(&of_app, "app", false), (&of_boss, "boss", true), (&of_stranger, "stranger", false)]
    {
        for headers in
            [[Some(&*format!("Bearer {key}")), None], [None, Some(&**key)], [Some(&*format!("bEARER  {key}")), None]]
        {
            let Verdict::Identified { identity, mechanism, set_cookie } =
                judge(&authenticator, headers, HERE, seconds(1))
            else {
                panic!("{headers:?}");
            };
            assert_eq!((mechanism, set_cookie, &*identity.name), (Mechanism::ApiKey, false, user));
            assert_eq!((identity.roles, identity.principal.is_administrator), (Roles::MQWEB_USER, is_administrator));
            assert!(scope::require(&identity, Operations::PUT, Object::Queue("ORDERS.1")).is_ok());
            assert!(scope::require(&identity, Operations::GET, Object::Queue("ORDERS.1")).is_err());
            assert!(scope::require(&identity, Operations::PUT, Object::Queue("OTHER")).is_err());
        }
    }
}

#[test]
fn a_key_or_a_token_decides_alone() {
    let mut options = options(&[("app", "secret")]);
    let key = made(&options, "stranger");
    let authenticator = options.authenticator();
    let right = basic("app", "secret");
    assert!(is_key_of(&judge(&authenticator, [Some(&right), Some(&key)], HERE, seconds(1)), "stranger"));
    let wrong = format!("{}0", &key[..key.len() - 1]);
    let wrong = if wrong == key { format!("{}1", &key[..key.len() - 1]) } else { wrong };
    assert!(matches!(judge(&authenticator, [Some(&right), Some(&wrong)], HERE, seconds(1)), Verdict::BadApiKey));
    // The key of a gateway, and a token where no issuer is configured, mean nothing here.
    for other in [[Some(&*right), Some("key-of-a-gateway")], [Some(&*right), None]] {
        let verdict = judge(&authenticator, other, HERE, seconds(1));
        assert!(matches!(verdict, Verdict::Identified { mechanism: Mechanism::Basic, .. }), "{verdict:?}");
    }
    let token = [Some("Bearer a.b.c"), None];
    assert!(matches!(judge(&authenticator, token, HERE, seconds(1)), Verdict::NoCredentials));
    let issuer = identity::options::OidcIssuer::new("https://issuer.example", vec!["mq".to_owned()]);
    options.oidc = [("one".to_owned(), issuer)].into();
    let authenticator = options.reloaded(&authenticator);
    assert!(matches!(judge(&authenticator, token, HERE, seconds(1)), Verdict::BadBearer));
}

#[test]
fn an_expired_or_revoked_key_is_refused_also_by_an_authenticator_that_knew_it() {
    let options = options(&[("app", "secret")]);
    let key = made(&options, "app");
    let authenticator = options.authenticator();
    let look = |now| judge(&authenticator, [None, Some(&key)], HERE, now);
    assert!(is_key_of(&look(seconds(99)), "app"));
    assert!(matches!(look(seconds(100)), Verdict::BadApiKey));
    assert!(is_key_of(&look(seconds(99)), "app"));
    let id = options.api_keys.list()[0].id.clone();
    assert!(options.api_keys.revoke(&id).expect("revoked"));
    assert!(matches!(look(seconds(99)), Verdict::BadApiKey));
}

#[test]
fn wrong_keys_spend_the_budget_of_their_address_and_a_right_one_is_accepted_all_the_same() {
    let mut options = options(&[("app", "secret")]);
    options.lockout.address_failures = 10;
    let key = made(&options, "app");
    // Keys of another server.
    let foreign = Options::default();
    let authenticator = options.authenticator();
    for _ in 0..10 {
        let wrong = made(&foreign, "app");
        assert!(matches!(judge(&authenticator, [None, Some(&wrong)], HERE, seconds(1)), Verdict::BadApiKey));
    }
    assert!(matches!(judge(&authenticator, [None, Some("qm_x")], HERE, seconds(1)), Verdict::Locked(_)));
    // A password from there waits as well: a stranger has no more tries by mixing them.
    let password = basic("app", "secret");
    assert!(matches!(judge(&authenticator, [Some(&password), None], HERE, seconds(1)), Verdict::Locked(_)));
    assert!(is_key_of(&judge(&authenticator, [None, Some(&key)], HERE, seconds(1)), "app"));
    let elsewhere = IpAddr::from([10, 0, 0, 1]);
    assert!(matches!(judge(&authenticator, [None, Some("qm_x")], elsewhere, seconds(1)), Verdict::BadApiKey));
}
