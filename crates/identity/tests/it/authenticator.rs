//! Who a request comes from, with a clock of our own and users of every kind.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use identity::api_key::ApiKeys;
use identity::authenticator::{Credentials, LoginError, Mechanism, Verdict};
use identity::ltpa::{key_file, token};
use identity::oidc::{Answered, Connect, Fetch, Fetched, Form};
use identity::options::{BearerOptions, Identities, Ldap, Lockout, Ltpa, OidcIssuer, Web};
use identity::password::encode_argon2id;
use identity::role::{self, MissingRole};
use identity::{Authenticator, CertificateIdentity, Roles};
use model::timestamp::Timestamp;

pub(crate) const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

pub(crate) struct Options {
    pub(crate) web: Web,
    pub(crate) ldap: Ldap,
    pub(crate) ltpa: Ltpa,
    pub(crate) lockout: Lockout,
    pub(crate) oidc: BTreeMap<String, OidcIssuer>,
    pub(crate) api_keys: Arc<ApiKeys>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            web: Web::default(),
            ldap: Ldap::default(),
            ltpa: Ltpa::default(),
            lockout: Lockout::default(),
            oidc: BTreeMap::new(),
            api_keys: Arc::new(ApiKeys::in_memory()),
        }
    }
}

/// No issuer is ever reached.
#[derive(Debug)]
struct NoIssuers;

impl Connect for NoIssuers {
    fn connect(&self, _: Option<&Path>, _: Duration) -> Result<Arc<dyn Fetch>, String> {
        Ok(Arc::new(Self))
    }
}

impl Fetch for NoIssuers {
    fn get(&self, _: &str) -> Fetched {
        Box::pin(async { Err("no answer".to_owned()) })
    }

    fn post(&self, _: &str, _: Form) -> Answered {
        Box::pin(async { Err("no answer".to_owned()) })
    }
}

impl Options {
    pub(crate) fn view(&self) -> Identities<'_> {
        Identities {
            web: &self.web,
            ldap: &self.ldap,
            ltpa: &self.ltpa,
            lockout: &self.lockout,
            bearers: Some(BearerOptions { oidc: &self.oidc, connect: &NoIssuers, api_keys: &self.api_keys }),
            server_user: "server",
        }
    }

    pub(crate) fn authenticator(&self) -> Authenticator {
        Authenticator::new(&self.view(), seconds(0)).expect("options are fine")
    }

    pub(crate) fn reloaded(&self, before: &Authenticator) -> Authenticator {
        before.reloaded(&self.view(), seconds(0)).expect("options are fine")
    }
}

pub(crate) fn options(users: &[(&str, &str)]) -> Options {
    let web = Web {
        users: users.iter().map(|&(name, password)| (name.to_owned(), password.to_owned())).collect(),
        roles: [("MQWebUser".to_owned(), vec!["user:app".to_owned()])].into(),
        ..Web::default()
    };
    Options { web, ..Options::default() }
}

/// What a request brings.
#[derive(Debug, Clone, Default)]
struct Sent {
    tokens: Vec<String>,
    authorization: Option<String>,
}

impl Sent {
    fn with_token(mut self, token: &str) -> Self {
        self.tokens.push(token.to_owned());
        self
    }
}

fn token_alone(token: &str) -> Sent {
    Sent::default().with_token(token)
}

fn authenticator() -> Authenticator {
    options(&[("app", "secret"), ("admin", "{xor}PjsyNjE=")]).authenticator()
}

fn slow_authenticator() -> Authenticator {
    let hash = encode_argon2id("secret").expect("hash");
    options(&[("app", &hash), ("clear", "secret")]).authenticator()
}

pub(crate) fn seconds(seconds: u64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + seconds * 1000)
}

fn basic(user: &str, password: &str) -> Sent {
    let value = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
    Sent { tokens: Vec::new(), authorization: Some(value) }
}

/// The verdict over what a request brings by TLS or without it.
fn judge(authenticator: &Authenticator, sent: &Sent, over_tls: bool, now: Timestamp) -> Verdict {
    let tokens: Vec<&str> = sent.tokens.iter().map(String::as_str).collect();
    authenticator.authenticate(&credentials(sent, &tokens, over_tls), now)
}

async fn judge_slowly(authenticator: &Authenticator, sent: &Sent, now: Timestamp) -> String {
    let tokens: Vec<&str> = sent.tokens.iter().map(String::as_str).collect();
    words(&authenticator.authenticate_slow(&credentials(sent, &tokens, true), now).await)
}

fn credentials<'a>(sent: &'a Sent, tokens: &'a [&'a str], over_tls: bool) -> Credentials<'a> {
    let authorization = sent.authorization.as_deref().map(str::as_bytes);
    Credentials { tokens, authorization, api_key: None, client_certificate: None, over_tls, address: HERE }
}

/// The verdict in a few words: `app form`, `app basic +cookie`, `BadToken`.
fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Identified { identity, mechanism, set_cookie } => {
            format!("{} {}{}", identity.name, mechanism.name(), if *set_cookie { " +cookie" } else { "" })
        }
        Verdict::NoCredentials => "NoCredentials".to_owned(),
        Verdict::BadBasic => "BadBasic".to_owned(),
        Verdict::BadBearer => "bad bearer token".to_owned(),
        Verdict::BadApiKey => "bad API key".to_owned(),
        Verdict::IssuerUnavailable => "issuer unavailable".to_owned(),
        Verdict::BadToken => "BadToken".to_owned(),
        Verdict::Slow => "Slow".to_owned(),
        Verdict::Busy => "Busy".to_owned(),
        Verdict::Unavailable => "Unavailable".to_owned(),
        Verdict::Locked(locked) => format!("Locked {} s", locked.seconds()),
    }
}

fn verdict(authenticator: &Authenticator, sent: &Sent, now: Timestamp) -> String {
    words(&judge(authenticator, sent, true, now))
}

/// Logs in and returns the token.
async fn log_in(authenticator: &Authenticator, user: &str, password: &str, now: Timestamp) -> String {
    let identity = authenticator.login(user, password, HERE, now).await.expect("right credentials");
    authenticator.mint_token(&identity, now, true).expect("a token over TLS").token.clone()
}

#[test]
fn a_request_without_credentials_or_with_another_scheme_has_none() {
    let authenticator = authenticator();
    let bearer = Sent { authorization: Some("Bearer abc".to_owned()), ..Sent::default() };
    for sent in [Sent::default(), bearer] {
        assert_eq!(verdict(&authenticator, &sent, seconds(0)), "NoCredentials");
    }
}

#[test]
fn basic_with_a_reversible_password_is_decided_at_once() {
    let authenticator = authenticator();
    for (user, password, expected) in [
        ("app", "secret", "app basic +cookie"),
        ("admin", "admin", "admin basic +cookie"),
        ("app", "Secret", "BadBasic"),
        ("app", "", "BadBasic"),
        ("App", "secret", "BadBasic"),
        ("nobody", "secret", "BadBasic"),
    ] {
        assert_eq!(verdict(&authenticator, &basic(user, password), seconds(0)), expected, "{user}:{password}");
    }
    let damaged = Sent { authorization: Some("Basic ?".to_owned()), ..Sent::default() };
    assert_eq!(verdict(&authenticator, &damaged, seconds(0)), "BadBasic");
}

#[tokio::test]
async fn basic_with_a_hashed_password_is_hashed_once_and_then_remembered() {
    let authenticator = slow_authenticator();
    let headers = basic("app", "secret");
    assert_eq!(verdict(&authenticator, &headers, seconds(0)), "Slow");
    let slow = judge_slowly(&authenticator, &headers, seconds(0)).await;
    assert_eq!(slow, "app basic +cookie");
    for second in [0, 59, 118] {
        assert_eq!(verdict(&authenticator, &headers, seconds(second)), "app basic +cookie");
    }
    assert_eq!(verdict(&authenticator, &headers, seconds(118 + 61)), "Slow");
}

#[tokio::test]
async fn a_password_of_another_door_is_hashed_once_and_serves_headers_too() {
    let authenticator = slow_authenticator();
    let identity = authenticator.check_password("app", "secret", HERE, seconds(0)).await.expect("right");
    assert_eq!(identity.name, "app");
    assert_eq!(verdict(&authenticator, &basic("app", "secret"), seconds(1)), "app basic +cookie");
    let again = authenticator.check_password("app", "secret", HERE, seconds(2)).await.expect("right");
    assert!(Arc::ptr_eq(&identity, &again));
    for (user, password) in [("app", "wrong"), ("nobody", "secret"), ("a:b", "c"), ("app:", "secret")] {
        assert!(authenticator.check_password(user, password, HERE, seconds(3)).await.is_err(), "{user}");
    }
    assert_eq!(authenticator.principal_of("app", seconds(3)).await, identity.principal);
    assert!(authenticator.principal_of("nobody", seconds(3)).await.groups.is_empty());
}

#[tokio::test]
async fn without_security_passwords_of_another_door_are_checked_all_the_same() {
    let mut options = options(&[("app", "secret")]);
    options.web.no_security = true;
    let authenticator = options.authenticator();
    assert!(authenticator.check_password("app", "wrong", HERE, seconds(0)).await.is_err());
    assert!(authenticator.check_password("app", "secret", HERE, seconds(0)).await.is_ok());
}

#[tokio::test]
async fn a_wrong_password_is_never_remembered() {
    let authenticator = slow_authenticator();
    for (user, password) in [("app", "wrong"), ("clear", "wrong"), ("nobody", "wrong")] {
        let headers = basic(user, password);
        for _ in 0..2 {
            assert_eq!(verdict(&authenticator, &headers, seconds(0)), "Slow");
            let slow = judge_slowly(&authenticator, &headers, seconds(0)).await;
            assert_eq!(slow, "BadBasic", "{user}");
        }
    }
    assert_eq!(verdict(&authenticator, &basic("clear", "secret"), seconds(0)), "clear basic +cookie");
}

#[tokio::test]
async fn a_reload_forgets_remembered_headers() {
    let hash = encode_argon2id("secret").expect("hash");
    let before = options(&[("app", &hash)]).authenticator();
    let headers = basic("app", "secret");
    judge_slowly(&before, &headers, seconds(0)).await;
    let after = options(&[("app", &encode_argon2id("changed").expect("hash"))]).reloaded(&before);
    assert_eq!(judge_slowly(&after, &headers, seconds(0)).await, "BadBasic");
}

#[tokio::test]
async fn a_good_token_wins_and_a_bad_one_does_no_harm() {
    let authenticator = authenticator();
    let good = log_in(&authenticator, "app", "secret", seconds(0)).await;
    for (token, sent, expected) in [
        (good.as_str(), Sent::default(), "app form"),
        (&good, basic("app", "wrong"), "app form"),
        (&good, basic("admin", "admin"), "app form"),
        ("bad", Sent::default(), "BadToken"),
        ("bad", basic("admin", "admin"), "admin basic +cookie"),
        ("bad", basic("admin", "wrong"), "BadBasic"),
    ] {
        assert_eq!(verdict(&authenticator, &sent.with_token(token), seconds(1)), expected);
    }
}

#[tokio::test]
async fn a_token_lasts_as_long_as_configured_however_often_it_is_used() {
    let authenticator = authenticator();
    let headers = token_alone(&log_in(&authenticator, "app", "secret", seconds(0)).await);
    for minute in (0..=120).step_by(10) {
        assert_eq!(verdict(&authenticator, &headers, seconds(minute * 60)), "app form");
    }
    assert_eq!(verdict(&authenticator, &headers, seconds(120 * 60 + 1)), "BadToken");
}

#[tokio::test]
async fn a_good_token_among_bad_ones_counts() {
    let authenticator = authenticator();
    let token = log_in(&authenticator, "app", "secret", seconds(0)).await;
    assert_eq!(verdict(&authenticator, &token_alone("stale").with_token(&token), seconds(0)), "app form");
    assert_eq!(verdict(&authenticator, &token_alone(&token).with_token("stale"), seconds(0)), "app form");
}

#[tokio::test]
async fn a_secure_token_is_neither_set_nor_taken_without_tls() {
    let authenticator = authenticator();
    let headers = token_alone(&log_in(&authenticator, "app", "secret", seconds(0)).await);
    assert_eq!(words(&judge(&authenticator, &headers, false, seconds(0))), "BadToken");
    assert_eq!(words(&judge(&authenticator, &basic("app", "secret"), false, seconds(0))), "app basic");
    let identity = authenticator.login("app", "secret", HERE, seconds(0)).await.expect("right");
    assert!(authenticator.mint_token(&identity, seconds(0), false).is_none());
}

#[tokio::test]
async fn without_ltpa_secure_a_token_travels_over_plain_http() {
    let mut options = options(&[("app", "secret")]);
    options.ltpa.secure = false;
    let authenticator = options.authenticator();
    let identity = authenticator.login("app", "secret", HERE, seconds(0)).await.expect("right");
    let token = authenticator.mint_token(&identity, seconds(0), false).expect("a token").token.clone();
    assert_eq!(words(&judge(&authenticator, &token_alone(&token), false, seconds(0))), "app form");
    assert!(!authenticator.is_secure());
}

#[tokio::test]
async fn a_logged_out_token_is_dead_even_after_a_reload() {
    let options = options(&[("app", "secret")]);
    let authenticator = options.authenticator();
    let token = log_in(&authenticator, "app", "secret", seconds(0)).await;
    let headers = token_alone(&token);
    assert_eq!(verdict(&authenticator, &headers, seconds(0)), "app form");
    authenticator.revoke(&token, seconds(0));
    assert_eq!(verdict(&authenticator, &headers, seconds(0)), "BadToken");
    let reloaded = options.reloaded(&authenticator);
    assert_eq!(verdict(&reloaded, &headers, seconds(0)), "BadToken");
}

#[tokio::test]
async fn a_login_right_after_a_logout_gets_a_token_that_works() {
    let authenticator = authenticator();
    let first = log_in(&authenticator, "app", "secret", seconds(0)).await;
    authenticator.revoke(&first, seconds(0));
    let second = log_in(&authenticator, "app", "secret", seconds(0)).await;
    assert_ne!(first, second);
    assert_eq!(verdict(&authenticator, &token_alone(&second), seconds(0)), "app form");
}

#[tokio::test]
async fn a_reload_keeps_tokens_of_users_that_remain() {
    let before = authenticator();
    let app = token_alone(&log_in(&before, "app", "secret", seconds(0)).await);
    let admin = token_alone(&log_in(&before, "admin", "admin", seconds(0)).await);
    let after = options(&[("app", "secret")]).reloaded(&before);
    assert_eq!(verdict(&after, &app, seconds(0)), "app form");
    assert_eq!(verdict(&after, &admin, seconds(0)), "BadToken");
}

#[test]
fn requests_with_one_basic_header_share_a_token_for_a_minute() {
    let authenticator = authenticator();
    let headers = basic("app", "secret");
    let token = |now| {
        let Verdict::Identified { identity, .. } = judge(&authenticator, &headers, true, now) else {
            panic!("right credentials")
        };
        authenticator.mint_token(&identity, now, true).expect("a token").token.clone()
    };
    let first = token(seconds(0));
    assert_eq!(token(seconds(59)), first);
    let second = token(seconds(60));
    assert_ne!(second, first);
    authenticator.revoke(&second, seconds(60));
    assert_ne!(token(seconds(60)), second, "a logged-out token is not handed out");
}

#[tokio::test]
async fn login_tells_right_from_wrong_credentials() {
    for authenticator in [authenticator(), slow_authenticator()] {
        let identity = authenticator.login("app", "secret", HERE, seconds(0)).await.expect("right");
        assert_eq!((identity.name.as_str(), identity.roles), ("app", Roles::MQWEB_USER));
        for (user, password) in [("app", "wrong"), ("nobody", "secret"), ("", ""), ("APP", "secret")] {
            let error = authenticator.login(user, password, HERE, seconds(0)).await.expect_err("wrong");
            assert_eq!(error, LoginError::WrongCredentials);
        }
    }
}

#[tokio::test]
async fn a_user_of_no_role_may_log_in_but_enter_nowhere() {
    let authenticator = authenticator();
    let identity = authenticator.login("admin", "admin", HERE, seconds(0)).await.expect("right");
    assert_eq!(identity.roles, Roles::empty());
    let missing = MissingRole { name: "admin".to_owned(), required: Roles::ANY_MQ };
    assert_eq!(role::require(&identity, Roles::ANY_MQ), Err(missing));
    assert_eq!(Roles::ANY_MQ.names().collect::<Vec<_>>(), ["MQWebAdmin", "MQWebAdminRO", "MQWebUser"]);
}

#[test]
fn a_certificate_of_a_known_user_comes_before_basic() {
    let authenticator = authenticator();
    let certificate = |name: &str| CertificateIdentity {
        common_name: Some(name.to_owned()),
        distinguished_name: format!("CN={name},O=IBM"),
        ..CertificateIdentity::default()
    };
    let verdict = |name: &str, sent: &Sent| {
        let certificate = certificate(name);
        let tokens: Vec<&str> = sent.tokens.iter().map(String::as_str).collect();
        let credentials = Credentials { client_certificate: Some(&certificate), ..credentials(sent, &tokens, true) };
        words(&authenticator.authenticate(&credentials, seconds(0)))
    };
    assert_eq!(verdict("app", &Sent::default()), "app clientCertificate +cookie");
    assert_eq!(verdict("app", &basic("admin", "wrong")), "app clientCertificate +cookie");
    assert_eq!(verdict("stranger", &basic("admin", "admin")), "admin basic +cookie");
    assert_eq!(verdict("stranger", &Sent::default()), "NoCredentials");
    assert_eq!(verdict("stranger", &token_alone("bad")), "BadToken");
}

#[test]
fn without_security_everybody_is_the_server() {
    let mut options = options(&[]);
    options.web.no_security = true;
    let authenticator = options.authenticator();
    let headers = basic("nobody", "wrong");
    match judge(&authenticator, &headers, true, seconds(0)) {
        Verdict::Identified { identity, mechanism: Mechanism::NoSecurity, set_cookie: false } => {
            assert_eq!((identity.name.as_str(), identity.roles), ("server", Roles::all()));
            assert!(identity.principal.is_administrator);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_wrong_passwords_is_turned_away_while_others_go_on() {
    let authenticator = Arc::new(slow_authenticator());
    let remembered = basic("app", "secret");
    judge_slowly(&authenticator, &remembered, seconds(0)).await;
    let mut checks = tokio::task::JoinSet::new();
    for number in 0..200 {
        let authenticator = Arc::clone(&authenticator);
        checks.spawn(async move {
            let headers = basic("app", &format!("guess {number}"));
            judge_slowly(&authenticator, &headers, seconds(0)).await
        });
    }
    let (mut refused, mut locked) = (0, 0);
    while let Some(words) = checks.join_next().await {
        match words.expect("no panic").as_str() {
            "BadBasic" => refused += 1,
            words if words == "Busy" || words.starts_with("Locked") => locked += 1,
            other => panic!("{other}"),
        }
        assert_eq!(verdict(&authenticator, &remembered, seconds(0)), "app basic +cookie");
    }
    assert_eq!(refused + locked, 200);
    assert!((5..=6).contains(&refused), "two are hashed at once: {refused}");
    let later = judge_slowly(&authenticator, &basic("app", "wrong"), seconds(5)).await;
    assert_eq!(later, "BadBasic", "places were given back");
}

#[tokio::test]
async fn many_requests_with_one_new_header_are_all_admitted() {
    let authenticator = Arc::new(slow_authenticator());
    let mut checks = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let authenticator = Arc::clone(&authenticator);
        checks.spawn(async move {
            let headers = basic("app", "secret");
            judge_slowly(&authenticator, &headers, seconds(0)).await
        });
    }
    while let Some(words) = checks.join_next().await {
        assert_eq!(words.expect("no panic"), "app basic +cookie");
    }
}

#[tokio::test]
async fn a_key_file_is_made_once_for_its_owner_alone() {
    let folder = tempfile::tempdir().expect("folder");
    let mut options = options(&[("app", "secret")]);
    let path = folder.path().join("new").join("ltpa.keys");
    options.ltpa.keys_file = Some(path.clone());
    options.ltpa.keys_password = Some("{xor}LDo8LTor".to_owned());
    let first = options.authenticator();
    assert_eq!(path.metadata().expect("file").permissions().mode() & 0o777, 0o600);
    assert_eq!(path.parent().expect("folder").read_dir().expect("folder").count(), 1, "nothing is left beside it");
    let headers = token_alone(&log_in(&first, "app", "secret", seconds(0)).await);
    let second = options.authenticator();
    assert_eq!(verdict(&second, &headers, seconds(0)), "app form");
    options.ltpa.keys_password = None;
    let error = Authenticator::new(&options.view(), seconds(0)).err().expect("another password").to_string();
    assert!(error.starts_with("ltpa.keys_file: the LTPA key file ") && error.contains("password"), "{error}");
}

#[test]
fn options_that_cannot_be_used_are_named() {
    type Change = fn(&mut Options);
    let cases: [(&str, Change); 6] = [
        ("ltpa.cookie_name", |options| options.ltpa.cookie_name = "a b".to_owned()),
        ("ltpa.cookie_name", |options| options.ltpa.cookie_name = String::new()),
        ("ltpa.expiration", |options| options.ltpa.expiration = 0),
        ("ltpa.expiration", |options| options.ltpa.expiration = u64::MAX),
        ("ltpa.keys_password", |options| options.ltpa.keys_password = Some("{custom}x".to_owned())),
        ("ltpa.keys_file", |options| options.ltpa.keys_file = Some("/proc/self/cmdline/x".into())),
    ];
    for (expected, change) in cases {
        let mut options = options(&[]);
        change(&mut options);
        let error = Authenticator::new(&options.view(), seconds(0)).err().expect(expected);
        assert_eq!(error.key, expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_from_one_address_refuses_nobody_at_another() {
    let hashes: Vec<String> = (0..40).map(|_| encode_argon2id("secret").expect("hash")).collect();
    let names: Vec<String> = (0..40).map(|number| format!("user{number}")).collect();
    let users: Vec<(&str, &str)> = names.iter().zip(&hashes).map(|(name, hash)| (&**name, &**hash)).collect();
    let authenticator = Arc::new(options(&users).authenticator());
    let mut flood = tokio::task::JoinSet::new();
    for number in 0..2000 {
        let authenticator = Arc::clone(&authenticator);
        flood.spawn(async move {
            let from = IpAddr::from([198, 51, 100, 1]);
            authenticator.login(&format!("guessed{number}"), "guess", from, seconds(0)).await.map(drop)
        });
    }
    let mut rightful = tokio::task::JoinSet::new();
    for name in names {
        let authenticator = Arc::clone(&authenticator);
        rightful.spawn(async move { authenticator.login(&name, "secret", HERE, seconds(0)).await.map(drop) });
    }
    while let Some(outcome) = rightful.join_next().await {
        assert_eq!(outcome.expect("no panic"), Ok(()));
    }
    while let Some(outcome) = flood.join_next().await {
        let error = outcome.expect("no panic").expect_err("guessed");
        assert!(matches!(error, LoginError::WrongCredentials | LoginError::Busy | LoginError::Locked(_)), "{error}");
    }
}

#[tokio::test]
async fn every_door_counts_for_every_other() {
    let authenticator = slow_authenticator();
    let wrong = LoginError::WrongCredentials;
    for guess in ["a", "b"] {
        assert_eq!(authenticator.login("app", guess, HERE, seconds(0)).await.expect_err("wrong"), wrong);
        assert_eq!(authenticator.check_password("app", guess, HERE, seconds(0)).await.expect_err("wrong"), wrong);
    }
    assert_eq!(judge_slowly(&authenticator, &basic("app", "c"), seconds(0)).await, "BadBasic");
    // The fifth was the last one: the right password is not looked at either, whatever door it comes by.
    assert_eq!(judge_slowly(&authenticator, &basic("app", "secret"), seconds(1)).await, "Locked 1 s");
    assert!(matches!(authenticator.login("app", "secret", HERE, seconds(1)).await, Err(LoginError::Locked(_))));
    assert!(matches!(
        authenticator.check_password("app", "secret", HERE, seconds(1)).await,
        Err(LoginError::Locked(_))
    ));
    let elsewhere = IpAddr::from([192, 0, 2, 1]);
    assert!(authenticator.login("app", "secret", elsewhere, seconds(1)).await.is_ok());
    let reloaded = options(&[("app", "secret")]).reloaded(&authenticator);
    assert!(matches!(reloaded.login("app", "secret", HERE, seconds(1)).await, Err(LoginError::Locked(_))));
    assert!(authenticator.login("app", "secret", HERE, seconds(2)).await.is_ok());
}

#[tokio::test]
async fn what_was_verified_goes_on_while_others_guess_at_the_same_address() {
    let authenticator = slow_authenticator();
    let header = basic("app", "secret");
    let token = log_in(&authenticator, "app", "secret", seconds(0)).await;
    judge_slowly(&authenticator, &header, seconds(0)).await;
    for guess in 0..20 {
        judge_slowly(&authenticator, &basic("app", &guess.to_string()), seconds(0)).await;
    }
    assert_eq!(verdict(&authenticator, &header, seconds(0)), "app basic +cookie");
    assert_eq!(verdict(&authenticator, &token_alone(&token), seconds(0)), "app form");
}

#[tokio::test]
async fn a_changed_password_ends_the_tokens_of_its_user_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ltpa.keys");
    let with_file = |users: &[(&str, &str)]| {
        let mut options = options(users);
        options.ltpa.keys_file = Some(file.clone());
        options
    };
    let before = with_file(&[("app", "secret"), ("bob", "bobpw")]).authenticator();
    let app = token_alone(&log_in(&before, "app", "secret", seconds(0)).await);
    let bob = token_alone(&log_in(&before, "bob", "bobpw", seconds(0)).await);
    assert_eq!(verdict(&before, &app, seconds(1)), "app form");
    // Of a server that shares the keys, and whose tokens say nothing of passwords.
    let keys = key_file::load_or_make(&file, None, "").expect("keys");
    let foreign = |issued: u64| {
        let expires = seconds(issued + 120 * 60).as_millis();
        token_alone(&token::mint(&keys, "defaultRealm", "app", expires, None).expect("minted"))
    };
    assert_eq!(verdict(&before, &foreign(1), seconds(1)), "app form");
    let changed = with_file(&[("app", "changed"), ("bob", "bobpw")]);
    let reloaded = before.reloaded(&changed.view(), seconds(10)).expect("fine");
    let restarted = Authenticator::new(&changed.view(), seconds(10)).expect("fine");
    for after in [&reloaded, &restarted] {
        assert_eq!(verdict(after, &app, seconds(11)), "BadToken");
        assert_eq!(verdict(after, &bob, seconds(11)), "bob form");
        let again = log_in(after, "app", "changed", seconds(11)).await;
        assert_eq!(verdict(after, &token_alone(&again), seconds(12)), "app form");
    }
    assert_eq!(verdict(&reloaded, &foreign(9), seconds(11)), "BadToken");
    assert_eq!(verdict(&reloaded, &foreign(11), seconds(11)), "app form");
    let once_more = reloaded.reloaded(&changed.view(), seconds(20)).expect("fine");
    assert_eq!(verdict(&once_more, &foreign(11), seconds(21)), "app form");
    assert_eq!(verdict(&once_more, &foreign(9), seconds(21)), "BadToken", "a later reload forgets no change");
}
