//! Who a request comes from, with a clock of our own and users of every kind.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderValue, Method, header};
use model::timestamp::Timestamp;
use web::auth::csrf::{self, CsrfError, CsrfRule};
use web::auth::password::encode_argon2id;
use web::auth::role::{self, MissingRole};
use web::auth::{Authenticator, CertificateIdentity, Credentials, LoginError, Mechanism, Roles, Verdict};
use web::options::{Cors, Ldap, Limits, Ltpa, Messaging, RemoteQueueManagers, TlsOptions, Web, Zosconnect};
use web::{WebError, WebOptions};

pub(crate) fn options(users: &[(&str, &str)]) -> WebOptions {
    WebOptions {
        https: None,
        http: None,
        metrics: None,
        tls: TlsOptions { certificate: PathBuf::new(), key: PathBuf::new(), client_ca: None, client_required: false },
        web: Web {
            users: users.iter().map(|&(name, password)| (name.to_owned(), password.to_owned())).collect(),
            roles: [("MQWebUser".to_owned(), vec!["user:app".to_owned()])].into(),
            ..Web::default()
        },
        ldap: Ldap::default(),
        ltpa: Ltpa::default(),
        cors: Cors::default(),
        limits: Limits::default(),
        messaging: Messaging::default(),
        zosconnect: Zosconnect::default(),
        remote_queue_managers: RemoteQueueManagers::new(),
        archives: PathBuf::new(),
        server_user: "server".to_owned(),
        installation: web::options::Installation::default(),
    }
}

pub(crate) fn cookie_header(value: &str) -> HeaderMap {
    [(header::COOKIE, HeaderValue::try_from(value).expect("a header value"))].into_iter().collect()
}

fn authenticator() -> Authenticator {
    Authenticator::new(&options(&[("app", "secret"), ("admin", "{xor}PjsyNjE=")])).expect("options are fine")
}

fn slow_authenticator() -> Authenticator {
    let hash = encode_argon2id("secret").expect("hash");
    Authenticator::new(&options(&[("app", &hash), ("clear", "secret")])).expect("options are fine")
}

fn seconds(seconds: u64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + seconds * 1000)
}

fn basic(user: &str, password: &str) -> HeaderMap {
    let value = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
    [(header::AUTHORIZATION, HeaderValue::try_from(value).expect("ASCII"))].into_iter().collect()
}

fn with_cookie(mut headers: HeaderMap, cookie: &str) -> HeaderMap {
    headers.append(header::COOKIE, HeaderValue::try_from(cookie).expect("ASCII"));
    headers
}

fn over_tls(headers: &HeaderMap) -> Credentials<'_> {
    Credentials { headers, client_certificate: None, over_tls: true }
}

/// The verdict in a few words: `app form`, `app basic +cookie`, `BadToken`.
fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Identified { identity, mechanism, set_cookie } => {
            format!("{} {}{}", identity.name, mechanism.name(), if *set_cookie { " +cookie" } else { "" })
        }
        Verdict::NoCredentials => "NoCredentials".to_owned(),
        Verdict::BadBasic => "BadBasic".to_owned(),
        Verdict::BadToken => "BadToken".to_owned(),
        Verdict::Slow => "Slow".to_owned(),
        Verdict::Busy => "Busy".to_owned(),
        Verdict::Unavailable => "Unavailable".to_owned(),
    }
}

fn verdict(authenticator: &Authenticator, headers: &HeaderMap, now: Timestamp) -> String {
    words(&authenticator.authenticate(&over_tls(headers), now))
}

/// Logs in and returns the `NAME=TOKEN` part of the cookie that is set.
async fn log_in(authenticator: &Authenticator, user: &str, password: &str, now: Timestamp) -> String {
    let identity = authenticator.login(user, password, now).await.expect("right credentials");
    pair_of(&authenticator.mint_cookie(&identity, now, true).expect("a cookie over TLS"))
}

fn pair_of(set_cookie: &HeaderValue) -> String {
    set_cookie.to_str().expect("ASCII").split(';').next().expect("a pair").to_owned()
}

fn token_of(pair: &str) -> &str {
    pair.split_once('=').expect("a pair").1
}

#[test]
fn a_request_without_credentials_or_with_another_scheme_has_none() {
    let authenticator = authenticator();
    let mut bearer = HeaderMap::new();
    bearer.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer abc"));
    for headers in [HeaderMap::new(), bearer, cookie_header("other=1; LtpaToken2_1=x; LtpaToken2=\"\"")] {
        assert_eq!(verdict(&authenticator, &headers, seconds(0)), "NoCredentials");
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
    let mut damaged = HeaderMap::new();
    damaged.insert(header::AUTHORIZATION, HeaderValue::from_static("Basic ?"));
    assert_eq!(verdict(&authenticator, &damaged, seconds(0)), "BadBasic");
}

#[tokio::test]
async fn basic_with_a_hashed_password_is_hashed_once_and_then_remembered() {
    let authenticator = slow_authenticator();
    let headers = basic("app", "secret");
    assert_eq!(verdict(&authenticator, &headers, seconds(0)), "Slow");
    let slow = authenticator.authenticate_slow(&over_tls(&headers), seconds(0)).await;
    assert_eq!(words(&slow), "app basic +cookie");
    for second in [0, 59, 118] {
        assert_eq!(verdict(&authenticator, &headers, seconds(second)), "app basic +cookie");
    }
    assert_eq!(verdict(&authenticator, &headers, seconds(118 + 61)), "Slow");
}

#[tokio::test]
async fn a_password_of_another_door_is_hashed_once_and_serves_headers_too() {
    let authenticator = slow_authenticator();
    let identity = authenticator.check_password("app", "secret", seconds(0)).await.expect("right");
    assert_eq!(identity.name, "app");
    assert_eq!(verdict(&authenticator, &basic("app", "secret"), seconds(1)), "app basic +cookie");
    let again = authenticator.check_password("app", "secret", seconds(2)).await.expect("right");
    assert!(Arc::ptr_eq(&identity, &again));
    for (user, password) in [("app", "wrong"), ("nobody", "secret"), ("a:b", "c"), ("app:", "secret")] {
        assert!(authenticator.check_password(user, password, seconds(3)).await.is_err(), "{user}");
    }
    assert_eq!(authenticator.principal_of("app", seconds(3)).await, identity.principal);
    assert!(authenticator.principal_of("nobody", seconds(3)).await.groups.is_empty());
}

#[tokio::test]
async fn without_security_passwords_of_another_door_are_checked_all_the_same() {
    let mut options = options(&[("app", "secret")]);
    options.web.no_security = true;
    let authenticator = Authenticator::new(&options).expect("fine");
    assert!(authenticator.check_password("app", "wrong", seconds(0)).await.is_err());
    assert!(authenticator.check_password("app", "secret", seconds(0)).await.is_ok());
}

#[tokio::test]
async fn a_wrong_password_is_never_remembered() {
    let authenticator = slow_authenticator();
    for (user, password) in [("app", "wrong"), ("clear", "wrong"), ("nobody", "wrong")] {
        let headers = basic(user, password);
        for _ in 0..2 {
            assert_eq!(verdict(&authenticator, &headers, seconds(0)), "Slow");
            let slow = authenticator.authenticate_slow(&over_tls(&headers), seconds(0)).await;
            assert_eq!(words(&slow), "BadBasic", "{user}");
        }
    }
    assert_eq!(verdict(&authenticator, &basic("clear", "secret"), seconds(0)), "clear basic +cookie");
}

#[tokio::test]
async fn a_reload_forgets_remembered_headers() {
    let hash = encode_argon2id("secret").expect("hash");
    let before = Authenticator::new(&options(&[("app", &hash)])).expect("options are fine");
    let headers = basic("app", "secret");
    before.authenticate_slow(&over_tls(&headers), seconds(0)).await;
    let after = before.reloaded(&options(&[("app", &encode_argon2id("changed").expect("hash"))])).expect("fine");
    assert_eq!(words(&after.authenticate_slow(&over_tls(&headers), seconds(0)).await), "BadBasic");
}

#[tokio::test]
async fn a_good_cookie_wins_and_a_bad_one_does_no_harm() {
    let authenticator = authenticator();
    let good = log_in(&authenticator, "app", "secret", seconds(0)).await;
    for (cookie, headers, expected) in [
        (good.as_str(), HeaderMap::new(), "app form"),
        (&good, basic("app", "wrong"), "app form"),
        (&good, basic("admin", "admin"), "app form"),
        ("LtpaToken2=bad", HeaderMap::new(), "BadToken"),
        ("LtpaToken2=bad", basic("admin", "admin"), "admin basic +cookie"),
        ("LtpaToken2=bad", basic("admin", "wrong"), "BadBasic"),
    ] {
        assert_eq!(verdict(&authenticator, &with_cookie(headers, cookie), seconds(1)), expected);
    }
}

#[tokio::test]
async fn a_token_lasts_as_long_as_configured_however_often_it_is_used() {
    let authenticator = authenticator();
    let headers = cookie_header(&log_in(&authenticator, "app", "secret", seconds(0)).await);
    for minute in (0..=120).step_by(10) {
        assert_eq!(verdict(&authenticator, &headers, seconds(minute * 60)), "app form");
    }
    assert_eq!(verdict(&authenticator, &headers, seconds(120 * 60 + 1)), "BadToken");
}

#[tokio::test]
async fn cookies_are_found_however_a_client_sends_them() {
    let authenticator = authenticator();
    let pair = log_in(&authenticator, "app", "secret", seconds(0)).await;
    let token = token_of(&pair);
    let several_headers = with_cookie(with_cookie(HeaderMap::new(), "a=b"), &pair);
    for headers in [
        cookie_header(&format!("a=b; {pair}; c=d")),
        cookie_header(&format!("a=b;{pair}")),
        cookie_header(&format!("LtpaToken2=\"{token}\"")),
        cookie_header(&format!("LtpaToken2=stale; LtpaToken2={token}")),
        several_headers,
    ] {
        assert_eq!(verdict(&authenticator, &headers, seconds(0)), "app form", "{headers:?}");
    }
    for headers in [cookie_header(&format!("xLtpaToken2={token}")), cookie_header(&format!("ltpatoken2={token}"))] {
        assert_eq!(verdict(&authenticator, &headers, seconds(0)), "NoCredentials", "{headers:?}");
    }
}

#[tokio::test]
async fn the_cookie_has_the_published_attributes() {
    let authenticator = authenticator();
    let identity = authenticator.login("app", "secret", seconds(0)).await.expect("right");
    let set = authenticator.mint_cookie(&identity, seconds(0), true).expect("a cookie");
    let set = set.to_str().expect("ASCII");
    assert!(set.starts_with("LtpaToken2=") && set.ends_with("; Path=/; Secure; HttpOnly; SameSite=Strict"), "{set}");
    let clear = "LtpaToken2=\"\"; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; Path=/; Secure; HttpOnly";
    assert_eq!(authenticator.clear_cookie(), clear);
    assert_eq!(authenticator.cookie_name(), "LtpaToken2");
}

#[tokio::test]
async fn a_secure_token_is_neither_set_nor_taken_without_tls() {
    let authenticator = authenticator();
    let headers = cookie_header(&log_in(&authenticator, "app", "secret", seconds(0)).await);
    let plain = |headers| Credentials { headers, client_certificate: None, over_tls: false };
    assert_eq!(words(&authenticator.authenticate(&plain(&headers), seconds(0))), "BadToken");
    let by_basic = basic("app", "secret");
    assert_eq!(words(&authenticator.authenticate(&plain(&by_basic), seconds(0))), "app basic");
    let identity = authenticator.login("app", "secret", seconds(0)).await.expect("right");
    assert_eq!(authenticator.mint_cookie(&identity, seconds(0), false), None);
}

#[tokio::test]
async fn without_ltpa_secure_a_cookie_travels_over_plain_http() {
    let mut options = options(&[("app", "secret")]);
    options.ltpa.secure = false;
    let authenticator = Authenticator::new(&options).expect("fine");
    let identity = authenticator.login("app", "secret", seconds(0)).await.expect("right");
    let set = authenticator.mint_cookie(&identity, seconds(0), false).expect("a cookie");
    assert!(set.to_str().expect("ASCII").ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{set:?}");
    let headers = cookie_header(&pair_of(&set));
    let plain = Credentials { headers: &headers, client_certificate: None, over_tls: false };
    assert_eq!(words(&authenticator.authenticate(&plain, seconds(0))), "app form");
}

#[tokio::test]
async fn a_logged_out_token_is_dead_even_after_a_reload() {
    let options = options(&[("app", "secret")]);
    let authenticator = Authenticator::new(&options).expect("fine");
    let pair = log_in(&authenticator, "app", "secret", seconds(0)).await;
    let headers = cookie_header(&pair);
    assert_eq!(authenticator.presented_tokens(&headers).collect::<Vec<_>>(), [token_of(&pair)]);
    assert_eq!(verdict(&authenticator, &headers, seconds(0)), "app form");
    authenticator.revoke(token_of(&pair), seconds(0));
    assert_eq!(verdict(&authenticator, &headers, seconds(0)), "BadToken");
    let reloaded = authenticator.reloaded(&options).expect("fine");
    assert_eq!(verdict(&reloaded, &headers, seconds(0)), "BadToken");
}

#[tokio::test]
async fn a_login_right_after_a_logout_gets_a_token_that_works() {
    let authenticator = authenticator();
    let first = log_in(&authenticator, "app", "secret", seconds(0)).await;
    authenticator.revoke(token_of(&first), seconds(0));
    let second = log_in(&authenticator, "app", "secret", seconds(0)).await;
    assert_ne!(first, second);
    assert_eq!(verdict(&authenticator, &cookie_header(&second), seconds(0)), "app form");
}

#[tokio::test]
async fn a_reload_keeps_tokens_of_users_that_remain() {
    let before = authenticator();
    let app = cookie_header(&log_in(&before, "app", "secret", seconds(0)).await);
    let admin = cookie_header(&log_in(&before, "admin", "admin", seconds(0)).await);
    let after = before.reloaded(&options(&[("app", "changed")])).expect("fine");
    assert_eq!(verdict(&after, &app, seconds(0)), "app form");
    assert_eq!(verdict(&after, &admin, seconds(0)), "BadToken");
}

#[test]
fn requests_with_one_basic_header_share_a_cookie_for_a_minute() {
    let authenticator = authenticator();
    let headers = basic("app", "secret");
    let cookie = |now| {
        let Verdict::Identified { identity, .. } = authenticator.authenticate(&over_tls(&headers), now) else {
            panic!("right credentials")
        };
        authenticator.mint_cookie(&identity, now, true).expect("a cookie")
    };
    let first = cookie(seconds(0));
    assert_eq!(cookie(seconds(59)), first);
    let second = cookie(seconds(60));
    assert_ne!(second, first);
    authenticator.revoke(token_of(&pair_of(&second)), seconds(60));
    assert_ne!(cookie(seconds(60)), second, "a logged-out token is not handed out");
}

#[tokio::test]
async fn login_tells_right_from_wrong_credentials() {
    for authenticator in [authenticator(), slow_authenticator()] {
        let identity = authenticator.login("app", "secret", seconds(0)).await.expect("right");
        assert_eq!((identity.name.as_str(), identity.roles), ("app", Roles::MQWEB_USER));
        for (user, password) in [("app", "wrong"), ("nobody", "secret"), ("", ""), ("APP", "secret")] {
            let error = authenticator.login(user, password, seconds(0)).await.expect_err("wrong");
            assert_eq!(error, LoginError::WrongCredentials);
        }
    }
}

#[tokio::test]
async fn a_user_of_no_role_may_log_in_but_enter_nowhere() {
    let authenticator = authenticator();
    let identity = authenticator.login("admin", "admin", seconds(0)).await.expect("right");
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
    let verdict = |name: &str, headers: &HeaderMap| {
        let certificate = certificate(name);
        let credentials = Credentials { headers, client_certificate: Some(&certificate), over_tls: true };
        words(&authenticator.authenticate(&credentials, seconds(0)))
    };
    assert_eq!(verdict("app", &HeaderMap::new()), "app clientCertificate +cookie");
    assert_eq!(verdict("app", &basic("admin", "wrong")), "app clientCertificate +cookie");
    assert_eq!(verdict("stranger", &basic("admin", "admin")), "admin basic +cookie");
    assert_eq!(verdict("stranger", &HeaderMap::new()), "NoCredentials");
    assert_eq!(verdict("stranger", &cookie_header("LtpaToken2=bad")), "BadToken");
}

#[test]
fn without_security_everybody_is_the_server() {
    let mut options = options(&[]);
    options.web.no_security = true;
    let authenticator = Authenticator::new(&options).expect("fine");
    let headers = basic("nobody", "wrong");
    match authenticator.authenticate(&over_tls(&headers), seconds(0)) {
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
    authenticator.authenticate_slow(&over_tls(&remembered), seconds(0)).await;
    let mut checks = tokio::task::JoinSet::new();
    for number in 0..200 {
        let authenticator = Arc::clone(&authenticator);
        checks.spawn(async move {
            let headers = basic("app", &format!("guess {number}"));
            words(&authenticator.authenticate_slow(&over_tls(&headers), seconds(0)).await)
        });
    }
    let mut refused = 0;
    let mut busy = 0;
    while let Some(words) = checks.join_next().await {
        match words.expect("no panic").as_str() {
            "BadBasic" => refused += 1,
            "Busy" => busy += 1,
            other => panic!("{other}"),
        }
        assert_eq!(verdict(&authenticator, &remembered, seconds(0)), "app basic +cookie");
    }
    assert_eq!(refused + busy, 200);
    assert!(refused >= 66 && busy > 0, "{refused} refused, {busy} busy");
    let later = authenticator.authenticate_slow(&over_tls(&basic("app", "wrong")), seconds(0)).await;
    assert_eq!(words(&later), "BadBasic", "places were given back");
}

#[tokio::test]
async fn many_requests_with_one_new_header_are_all_admitted() {
    let authenticator = Arc::new(slow_authenticator());
    let mut checks = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let authenticator = Arc::clone(&authenticator);
        checks.spawn(async move {
            let headers = basic("app", "secret");
            words(&authenticator.authenticate_slow(&over_tls(&headers), seconds(0)).await)
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
    let first = Authenticator::new(&options).expect("makes the file");
    assert_eq!(path.metadata().expect("file").permissions().mode() & 0o777, 0o600);
    assert_eq!(path.parent().expect("folder").read_dir().expect("folder").count(), 1, "nothing is left beside it");
    let headers = cookie_header(&log_in(&first, "app", "secret", seconds(0)).await);
    let second = Authenticator::new(&options).expect("reads the file");
    assert_eq!(verdict(&second, &headers, seconds(0)), "app form");
    options.ltpa.keys_password = None;
    let error = Authenticator::new(&options).err().expect("another password").to_string();
    assert!(error.starts_with("ltpa.keys_file: the LTPA key file ") && error.contains("password"), "{error}");
}

#[test]
fn options_that_cannot_be_used_are_named() {
    type Change = fn(&mut WebOptions);
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
        match Authenticator::new(&options).err().expect(expected) {
            WebError::Option { key, .. } => assert_eq!(key, expected),
            other => panic!("{expected}: {other}"),
        }
    }
}

fn csrf_headers(header: Option<&'static str>, cookie: Option<&str>) -> HeaderMap {
    let mut headers = cookie.map(cookie_header).unwrap_or_default();
    if let Some(value) = header {
        headers.insert(csrf::CSRF_HEADER, HeaderValue::from_static(value));
    }
    headers
}

#[test]
fn from_v1_on_the_csrf_header_must_be_present_whatever_its_value() {
    let check = |method, header| csrf::check(CsrfRule::HeaderPresent, &method, &csrf_headers(header, None));
    for method in [Method::POST, Method::DELETE, Method::PATCH, Method::PUT] {
        assert_eq!(check(method.clone(), None), Err(CsrfError::Missing));
        assert_eq!(check(method.clone(), Some("")), Ok(()));
        assert_eq!(check(method, Some("anything")), Ok(()));
    }
    for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
        assert_eq!(check(method, None), Ok(()));
    }
    assert_eq!(csrf::check(CsrfRule::Off, &Method::POST, &HeaderMap::new()), Ok(()));
}

#[test]
fn in_9_0_x_the_csrf_header_must_equal_the_cookie() {
    let check =
        |header, cookie| csrf::check(CsrfRule::HeaderEqualsCookie, &Method::POST, &csrf_headers(header, cookie));
    assert_eq!(check(None, Some("csrfToken=abc")), Err(CsrfError::Missing));
    assert_eq!(check(Some("abc"), Some("a=b; csrfToken=abc")), Ok(()));
    assert_eq!(check(Some("abd"), Some("csrfToken=abc")), Err(CsrfError::Mismatch));
    assert_eq!(check(Some("abc"), None), Err(CsrfError::Mismatch));
    assert_eq!(check(Some(""), Some("csrfToken=")), Err(CsrfError::Mismatch));
}

#[test]
fn a_csrf_token_is_new_each_time_and_travels_in_its_cookie() {
    let token = csrf::new_token();
    assert_ne!(token, csrf::new_token());
    let cookie = csrf::set_cookie(&token, true);
    assert_eq!(cookie.to_str().expect("ASCII"), format!("csrfToken={token}; Path=/; Secure; SameSite=Strict"));
}
