//! Tokens of a made-up issuer whose answers and clock the tests choose.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{EncodingKey, Header, encode};
use parking_lot::Mutex;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519};
use rsa::pkcs1::EncodeRsaPrivateKey;
use serde_json::{Value, json};

use super::*;
use crate::api_key::ApiKeys;
use crate::options::{BearerOptions, Ldap, Lockout, Ltpa, OidcIssuer, Web};

mod sign_in;

const ISSUER: &str = "https://issuer.example/realms/mq";
const KEYS_URL: &str = "https://keys.example/jwks";
const TOKEN_URL: &str = "https://issuer.example/token";
const NOW: u64 = 1_800_000_000;

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

/// An issuer on paper: its documents by URL.
#[derive(Debug, Default)]
struct Paper {
    documents: Mutex<HashMap<String, String>>,
    /// What is answered to forms, by URL.
    answers: Mutex<HashMap<String, (u16, String)>>,
    /// Headers and bodies of forms.
    posted: Mutex<Vec<(Option<String>, String)>>,
    hangs: std::sync::atomic::AtomicBool,
    fetches: AtomicUsize,
}

impl Paper {
    fn publish(&self, keys: &[&Signer]) {
        let keys: Vec<Value> = keys.iter().map(|signer| signer.jwk.clone()).collect();
        let mut documents = self.documents.lock();
        let description = json!({
            "issuer": ISSUER, "jwks_uri": KEYS_URL, "authorization_endpoint": "https://issuer.example/auth?realm=mq",
            "token_endpoint": TOKEN_URL, "end_session_endpoint": "https://issuer.example/out",
        });
        documents.insert(format!("{ISSUER}/.well-known/openid-configuration"), description.to_string());
        documents.insert(KEYS_URL.to_owned(), json!({ "keys": keys }).to_string());
    }

    fn go_away(&self) {
        self.documents.lock().clear();
    }

    /// How often the keys were asked for.
    fn fetches(&self) -> usize {
        self.fetches.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct ToPaper(Arc<Paper>);

impl Connect for ToPaper {
    fn connect(&self, _: Option<&Path>, _: Duration) -> Result<Arc<dyn Fetch>, String> {
        Ok(Arc::new(ToPaper(Arc::clone(&self.0))))
    }
}

impl Fetch for ToPaper {
    fn get(&self, url: &str) -> Fetched {
        if url.ends_with("/openid-configuration") {
            self.0.fetches.fetch_add(1, Ordering::Relaxed);
        }
        let document = self.0.documents.lock().get(url).cloned();
        if self.0.hangs.load(Ordering::Relaxed) {
            return Box::pin(std::future::pending());
        }
        Box::pin(async move { document.map(String::into_bytes).ok_or_else(|| "no answer".to_owned()) })
    }

    fn post(&self, url: &str, form: Form) -> Answered {
        let answer = self.0.answers.lock().get(url).map(|(status, body)| (*status, body.clone()));
        self.0.posted.lock().push((form.authorization, form.body));
        Box::pin(async move {
            let (status, body) = answer.ok_or_else(|| "no answer".to_owned())?;
            Ok(Posted { status, body: body.into_bytes() })
        })
    }
}

/// A key of the issuer.
struct Signer {
    key: EncodingKey,
    algorithm: jsonwebtoken::Algorithm,
    id: String,
    jwk: Value,
}

impl Signer {
    fn new(id: &str, key: EncodingKey, algorithm: jsonwebtoken::Algorithm) -> Self {
        let mut jwk = Jwk::from_encoding_key(&key, algorithm).expect("a public key");
        jwk.common.key_id = Some(id.to_owned());
        let jwk = serde_json::to_value(jwk).expect("JSON");
        Self { key, algorithm, id: id.to_owned(), jwk }
    }

    fn elliptic(id: &str) -> Self {
        let der = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).expect("a key").serialize_der();
        Self::new(id, EncodingKey::from_ec_der(&der), jsonwebtoken::Algorithm::ES256)
    }

    fn sign(&self, claims: &Value) -> String {
        let header = Header { kid: Some(self.id.clone()), ..Header::new(self.algorithm) };
        encode(&header, claims, &self.key).expect("a token")
    }
}

fn claims() -> Value {
    json!({ "iss": ISSUER, "aud": "mq", "sub": "alice", "iat": NOW, "exp": NOW + 300, "groups": ["users"] })
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().expect("an object").remove(name);
    claims
}

struct Setting {
    paper: Arc<Paper>,
    entry: OidcIssuer,
    web: Web,
}

impl Setting {
    fn new(keys: &[&Signer]) -> Self {
        let paper = Arc::new(Paper::default());
        paper.publish(keys);
        let web = Web {
            users: [("local".to_owned(), "password".to_owned())].into(),
            roles: [
                ("MQWebUser".to_owned(), vec!["group:users".to_owned(), "user:bob".to_owned()]),
                ("MQWebAdmin".to_owned(), vec!["group:mqm".to_owned(), "group:admins".to_owned()]),
            ]
            .into(),
            ..Web::default()
        };
        Self { paper, entry: OidcIssuer::new(ISSUER, vec!["mq".to_owned(), "other".to_owned()]), web }
    }

    fn made(&self, before: Option<&Issuers>) -> Result<Issuers, IdentityError> {
        let oidc = [("test".to_owned(), self.entry.clone())].into();
        let (connect, api_keys) = (ToPaper(Arc::clone(&self.paper)), Arc::new(ApiKeys::in_memory()));
        let options = Identities {
            web: &self.web,
            ldap: &Ldap::default(),
            ltpa: &Ltpa::default(),
            lockout: &Lockout::default(),
            bearers: Some(BearerOptions { oidc: &oidc, connect: &connect, api_keys: &api_keys }),
            server_user: "server",
        };
        Issuers::new(&options, Arc::new(Bindings::parse(&self.web.roles)?), before, None)
    }

    fn issuers(&self) -> Issuers {
        self.made(None).expect("the settings are fine")
    }
}

/// `USER ROLES`, or why not.
async fn verdict(issuers: &Issuers, token: &str, now: u64) -> String {
    match issuers.look_and_ask(token, at(now)).await {
        TokenSight::Good(identity) => {
            assert!(!identity.principal.is_administrator && identity.scope.is_none());
            format!("{} {}", identity.name, identity.roles.names().collect::<Vec<_>>().join(","))
        }
        TokenSight::Bad(refusal) => refusal.to_string(),
        TokenSight::Ask(_) => "ask".to_owned(),
        TokenSight::Unavailable => "unavailable".to_owned(),
    }
}

#[tokio::test]
async fn signatures_of_every_algorithm_are_verified() {
    use jsonwebtoken::Algorithm::{ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512};
    let rsa = rsa::RsaPrivateKey::new(&mut rand::rngs::OsRng, 2048).expect("a key");
    let rsa = rsa.to_pkcs1_der().expect("DER");
    let of = |kind| KeyPair::generate_for(kind).expect("a key").serialize_der();
    let keys = [
        (EncodingKey::from_rsa_der(rsa.as_bytes()), vec![RS256, RS384, RS512, PS256, PS384, PS512]),
        (EncodingKey::from_ec_der(&of(&PKCS_ECDSA_P256_SHA256)), vec![ES256]),
        (EncodingKey::from_ec_der(&of(&PKCS_ECDSA_P384_SHA384)), vec![ES384]),
    ];
    let each = keys.iter().flat_map(|(key, algorithms)| algorithms.iter().map(move |&algorithm| (key, algorithm)));
    let mut signers: Vec<Signer> =
        each.map(|(key, algorithm)| Signer::new(&format!("{algorithm:?}"), key.clone(), algorithm)).collect();
    let edwards = KeyPair::generate_for(&PKCS_ED25519).expect("a key");
    let public = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(edwards.public_key_raw());
    signers.push(Signer {
        key: EncodingKey::from_ed_der(&edwards.serialize_der()),
        algorithm: EdDSA,
        id: "EdDSA".to_owned(),
        jwk: json!({ "kty": "OKP", "crv": "Ed25519", "kid": "EdDSA", "x": public }),
    });
    let setting = Setting::new(&signers.iter().collect::<Vec<_>>());
    let issuers = setting.issuers();
    for signer in &signers {
        assert_eq!(verdict(&issuers, &signer.sign(&claims()), NOW).await, "alice MQWebUser", "{}", signer.id);
    }
    assert_eq!(signers.len(), OidcIssuer::ALGORITHMS.len());
    // A key is for the algorithm that its document states.
    let other = Signer { algorithm: PS256, id: "RS256".to_owned(), key: signers[0].key.clone(), jwk: Value::Null };
    let refused = verdict(&issuers, &other.sign(&claims()), NOW).await;
    assert_eq!(refused, "the issuer has no key 'RS256' for its algorithm");
}

#[tokio::test]
async fn forged_tokens_are_refused() {
    let signer = Signer::elliptic("k");
    let setting = Setting::new(&[&signer]);
    let issuers = setting.issuers();
    let token = signer.sign(&claims());
    assert_eq!(verdict(&issuers, &token, NOW).await, "alice MQWebUser");
    let parts: Vec<&str> = token.split('.').collect();
    let encode = |value: Value| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value.to_string());
    let header = |members: Value| {
        let mut header = json!({ "alg": "ES256", "kid": "k" });
        header.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        format!("{}.{}.{}", encode(header), parts[1], parts[2])
    };
    let other = with("sub", json!("mallory"));
    // The public key as the secret of a signature by HMAC: the oldest trick there is.
    let secret = EncodingKey::from_secret(signer.jwk["x"].as_str().expect("text").as_bytes());
    let by_hmac = jsonwebtoken::encode(
        &Header { kid: Some("k".to_owned()), ..Header::new(jsonwebtoken::Algorithm::HS256) },
        &other,
        &secret,
    )
    .expect("a token");
    for (name, token, expected) in [
        ("another signature", format!("{}.{}.{}", parts[0], encode(other.clone()), parts[2]), "its signature is wrong"),
        ("no signature", format!("{}.{}.", parts[0], parts[1]), "its signature is wrong"),
        ("a signature cut short", token[..token.len() - 4].to_owned(), "its signature is wrong"),
        ("none", header(json!({ "alg": "none" })), "its algorithm none is not among those configured for the issuer"),
        ("None", header(json!({ "alg": "None" })), "its algorithm None is not among those configured for the issuer"),
        ("HMAC", by_hmac, "its algorithm HS256 is not among those configured for the issuer"),
        ("another kind", header(json!({ "alg": "RS256" })), "the issuer has no key 'k' for its algorithm"),
        (
            "crit",
            header(json!({ "crit": ["x"] })),
            "it is not a signed JSON Web Token: it wants header members to be understood that are not",
        ),
        ("logout", header(json!({ "typ": "logout+jwt" })), "its type 'logout+jwt' is not that of an access token"),
        ("an own key", header(json!({ "jwk": signer.jwk })), "its signature is wrong"),
        ("two parts", format!("{}.{}", parts[0], parts[1]), "it is not a signed JSON Web Token: it has no three parts"),
        ("five parts", "a.b.c.d.e".to_owned(), "it is not a signed JSON Web Token: it has no three parts"),
        ("not JSON", format!("e30.{}.x", "e"), "it is not a signed JSON Web Token: its claims are no JSON object"),
        ("long", "a".repeat(16385), "it is not a signed JSON Web Token: it has more than 16384 bytes"),
        ("no issuer", signer.sign(&without("iss")), "the claim 'iss' is missing or has a wrong type"),
        ("another key of that id", Signer::elliptic("k").sign(&claims()), "its signature is wrong"),
    ] {
        assert_eq!(verdict(&issuers, &token, NOW).await, expected, "{name}");
    }
}

#[tokio::test]
async fn claims_have_to_be_those_of_a_token_for_this_server_at_this_time() {
    let signer = Signer::elliptic("k");
    let setting = Setting::new(&[&signer]);
    let issuers = setting.issuers();
    for (claims, expected) in [
        (with("aud", json!(["x", "other"])), "alice MQWebUser"),
        (with("aud", json!("x")), "it is for the audience 'x'"),
        (with("aud", json!("x mq")), "it is for the audience 'x mq'"),
        (without("aud"), "it is for the audience ''"),
        (
            with("iss", json!("https://issuer.example/realms/mq/")),
            "its issuer 'https://issuer.example/realms/mq/' is not configured",
        ),
        (with("iss", json!("https://evil.example")), "its issuer 'https://evil.example' is not configured"),
        (without("exp"), "the claim 'exp' is missing or has a wrong type"),
        (with("exp", json!("later")), "the claim 'exp' is missing or has a wrong type"),
        (with("exp", json!(NOW - 29)), "alice MQWebUser"),
        (with("exp", json!(NOW - 30)), "it expired 30 s ago"),
        (with("nbf", json!(NOW + 30)), "alice MQWebUser"),
        (with("nbf", json!(NOW + 31)), "it is good in 31 s only"),
        (with("iat", json!(NOW + 31)), "it is good in 31 s only"),
        (without("sub"), "the claim 'sub' is missing or has a wrong type"),
        (with("sub", json!(7)), "the claim 'sub' is missing or has a wrong type"),
        (with("sub", json!("")), "the claim 'sub' is missing or has a wrong type"),
        (with("sub", json!("al\nice")), "the claim 'sub' is missing or has a wrong type"),
        (with("sub", json!("bob")), "bob MQWebUser"),
        (with("groups", json!("admins users")), "alice MQWebAdmin,MQWebUser"),
        (with("groups", json!([])), "alice "),
        (without("groups"), "alice "),
        (with("groups", json!(["mqm"])), "alice "),
        (with("groups", json!(["MQM", "users"])), "alice MQWebUser"),
        (with("sub", json!("mqm")), "its user 'mqm' is refused: a user of this server has that name"),
        (with("sub", json!("Server")), "its user 'Server' is refused: a user of this server has that name"),
        (with("sub", json!("local")), "its user 'local' is refused: a user of this server has that name"),
    ] {
        assert_eq!(verdict(&issuers, &signer.sign(&claims), NOW).await, expected, "{claims}");
    }
}

#[tokio::test]
async fn an_issuer_may_name_users_of_this_server_where_that_is_configured_but_not_those_of_the_machine() {
    let signer = Signer::elliptic("k");
    let mut setting = Setting::new(&[&signer]);
    setting.entry.local_users = LocalUsers::Accept;
    let issuers = setting.issuers();
    assert_eq!(verdict(&issuers, &signer.sign(&with("sub", json!("local"))), NOW).await, "local MQWebUser");
    let refused = verdict(&issuers, &signer.sign(&with("sub", json!("server"))), NOW).await;
    assert_eq!(refused, "its user 'server' is refused: a user of this server has that name");
}

#[tokio::test]
async fn users_and_groups_come_from_the_claims_that_are_configured() {
    let signer = Signer::elliptic("k");
    let mut setting = Setting::new(&[&signer]);
    setting.entry.user_claim = "preferred_username".to_owned();
    setting.entry.groups_claim = "realm_access.roles".to_owned();
    let mut claims = with("preferred_username", json!("carol"));
    claims["realm_access"] = json!({ "roles": ["admins"] });
    let issuers = setting.issuers();
    assert_eq!(verdict(&issuers, &signer.sign(&claims), NOW).await, "carol MQWebAdmin");
}

#[tokio::test]
async fn a_new_key_is_found_at_once_and_a_withdrawn_one_ends_the_tokens_it_signed() {
    let (old, new) = (Signer::elliptic("old"), Signer::elliptic("new"));
    let setting = Setting::new(&[&old]);
    let issuers = setting.issuers();
    let (by_old, by_new) = (old.sign(&claims()), new.sign(&claims()));
    assert_eq!(verdict(&issuers, &by_old, NOW).await, "alice MQWebUser");
    setting.paper.publish(&[&old, &new]);
    // The issuer was asked a moment ago: strangers cannot make this server ask it with every request.
    for second in 0..10 {
        let refused = verdict(&issuers, &by_new, NOW + second).await;
        assert_eq!(refused, "the issuer has no key 'new' for its algorithm");
    }
    assert_eq!(setting.paper.fetches(), 1);
    assert_eq!(verdict(&issuers, &by_new, NOW + 10).await, "alice MQWebUser");
    assert_eq!(setting.paper.fetches(), 2);
    assert_eq!(verdict(&issuers, &by_old, NOW + 10).await, "alice MQWebUser");
    setting.paper.publish(&[&new]);
    issuers.refresh(at(NOW + 10 + 3600));
    while setting.paper.fetches() < 3 || issuers.issuers[0].generation() < 3 {
        tokio::task::yield_now().await;
    }
    let late = |signer: &Signer| signer.sign(&with("exp", json!(NOW + 7200)));
    assert_eq!(verdict(&issuers, &late(&new), NOW + 3611).await, "alice MQWebUser");
    assert_eq!(verdict(&issuers, &by_old, NOW + 11).await, "the issuer has no key 'old' for its algorithm");
}

#[tokio::test]
async fn while_the_issuer_is_away_its_old_keys_are_used_and_unknown_keys_are_no_verdict() {
    let (old, new) = (Signer::elliptic("old"), Signer::elliptic("new"));
    let setting = Setting::new(&[&old]);
    let issuers = setting.issuers();
    let long = |signer: &Signer, user: &str| {
        let mut claims = with("exp", json!(NOW + 90_000));
        claims["sub"] = json!(user);
        signer.sign(&claims)
    };
    assert_eq!(verdict(&issuers, &long(&old, "bob"), NOW).await, "bob MQWebUser");
    setting.paper.go_away();
    assert_eq!(verdict(&issuers, &long(&new, "bob"), NOW + 10).await, "unavailable");
    assert_eq!(verdict(&issuers, &long(&new, "bob"), NOW + 11).await, "unavailable");
    assert_eq!(setting.paper.fetches(), 2);
    assert_eq!(verdict(&issuers, &long(&old, "alice"), NOW + 12).await, "alice MQWebUser");
    setting.paper.publish(&[&new]);
    assert_eq!(verdict(&issuers, &long(&new, "bob"), NOW + 20).await, "bob MQWebUser");
}

#[tokio::test]
async fn an_issuer_that_was_never_reached_is_no_verdict_either() {
    let signer = Signer::elliptic("k");
    let setting = Setting::new(&[&signer]);
    setting.paper.go_away();
    let issuers = setting.issuers();
    assert_eq!(verdict(&issuers, &signer.sign(&claims()), NOW).await, "unavailable");
}

#[tokio::test]
async fn keys_are_fetched_in_the_background_when_they_are_due_and_again_soon_after_a_failure() {
    let signer = Signer::elliptic("k");
    let setting = Setting::new(&[&signer]);
    setting.paper.go_away();
    let issuers = setting.issuers();
    let fetches_after = async |now: u64| {
        issuers.refresh(at(now));
        // The answer of this issuer is there at once.
        while issuers.issuers[0].is_fetching() {
            tokio::task::yield_now().await;
        }
        setting.paper.fetches()
    };
    assert_eq!(fetches_after(NOW).await, 1);
    assert_eq!(fetches_after(NOW).await, 1);
    assert_eq!(fetches_after(NOW + 1).await, 2);
    assert_eq!(fetches_after(NOW + 2).await, 2);
    setting.paper.publish(&[&signer]);
    assert_eq!(fetches_after(NOW + 3).await, 3);
    assert_eq!(fetches_after(NOW + 3 + 3599).await, 3);
    assert_eq!(fetches_after(NOW + 3 + 3600).await, 4);
    // Known without asking.
    assert!(matches!(issuers.look(&signer.sign(&claims()), at(NOW)), TokenSight::Good(_)));
}

#[tokio::test]
async fn a_reload_keeps_the_keys_of_an_issuer_that_stays_as_it_was() {
    let signer = Signer::elliptic("k");
    let mut setting = Setting::new(&[&signer]);
    let issuers = setting.issuers();
    let token = signer.sign(&claims());
    assert_eq!(verdict(&issuers, &token, NOW).await, "alice MQWebUser");
    setting.web.roles.clear();
    let reloaded = setting.made(Some(&issuers)).expect("fine");
    assert!(matches!(reloaded.look(&token, at(NOW)), TokenSight::Good(identity) if identity.roles.is_empty()));
    setting.entry.audiences = vec!["x".to_owned()];
    let changed = setting.made(Some(&reloaded)).expect("fine");
    assert!(matches!(changed.look(&token, at(NOW)), TokenSight::Ask(_)));
}

#[tokio::test(start_paused = true)]
async fn an_issuer_that_hangs_holds_requests_for_its_time_limit_and_a_bounded_number_of_them() {
    let signer = Signer::elliptic("k");
    let setting = Setting::new(&[&signer]);
    setting.paper.hangs.store(true, Ordering::Relaxed);
    let issuers = Arc::new(setting.issuers());
    let token = signer.sign(&claims());
    let begun = tokio::time::Instant::now();
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..300 {
        let (issuers, token) = (Arc::clone(&issuers), token.clone());
        waiting.spawn(async move { (verdict(&issuers, &token, NOW).await, begun.elapsed().as_secs()) });
    }
    let (mut at_once, mut later) = (0, 0);
    while let Some(answer) = waiting.join_next().await {
        match answer.expect("no panic") {
            (said, 0) if said == "unavailable" => at_once += 1,
            (said, 10) if said == "unavailable" => later += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((at_once, later), (44, 256));
    assert_eq!(setting.paper.fetches(), 1);
    // A reload in the middle of a fetch does not wait for the answer to the one before.
    issuers.refresh(at(NOW + 1));
    assert!(issuers.issuers[0].is_fetching());
    setting.paper.hangs.store(false, Ordering::Relaxed);
    let reloaded = setting.made(Some(&issuers)).expect("fine");
    assert_eq!(verdict(&reloaded, &token, NOW + 1).await, "alice MQWebUser");
}

#[tokio::test]
async fn a_remembered_token_ends_with_its_time() {
    let signer = Signer::elliptic("k");
    let issuers = Setting::new(&[&signer]).issuers();
    let token = signer.sign(&claims());
    assert_eq!(verdict(&issuers, &token, NOW).await, "alice MQWebUser");
    assert_eq!(verdict(&issuers, &token, NOW + 329).await, "alice MQWebUser");
    assert_eq!(verdict(&issuers, &token, NOW + 330).await, "it expired 30 s ago");
}

#[test]
fn what_cannot_be_configured_is_refused_by_its_key() {
    let signer = Signer::elliptic("k");
    for (change, expected) in [
        (
            (|entry| entry.issuer = "http://issuer.example".to_owned()) as fn(&mut OidcIssuer),
            "identity.oidc.test.issuer: 'http://issuer.example' is not a URL with https://, or with http:// on this machine",
        ),
        (
            |entry| entry.audiences.clear(),
            "identity.oidc.test.audiences: name at least one audience: tokens for other programs are refused",
        ),
        (
            |entry| entry.algorithms = vec!["HS256".to_owned()],
            "identity.oidc.test.algorithms: 'HS256' is not one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA",
        ),
        (
            |entry| entry.algorithms = vec!["none".to_owned()],
            "identity.oidc.test.algorithms: 'none' is not one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA",
        ),
        (|entry| entry.algorithms.clear(), "identity.oidc.test.algorithms: name at least one algorithm"),
        (
            |entry| entry.clock_skew_seconds = 601,
            "identity.oidc.test.clock_skew_seconds: 601 is not a number of seconds from 0 to 600",
        ),
        (|entry| entry.user_claim.clear(), "identity.oidc.test.user_claim: the name of the claim is empty"),
    ] {
        let mut setting = Setting::new(&[&signer]);
        change(&mut setting.entry);
        assert_eq!(setting.made(None).err().expect(expected).to_string(), expected);
    }
}
