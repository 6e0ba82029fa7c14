//! Bearer tokens and API keys at the door: an issuer on a real socket, answers byte by byte.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use expect_test::expect;
use handshake::identity::PairFiles;
use identity::api_key::{ApiKeys, NewApiKey};
use identity::options::OidcIssuer;
use identity::scope::Scope;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity};
use model::timestamp::Timestamp;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData, SigningKey};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use super::client::{Client, plain, tls};
use super::server::{TestServer, eventually, make_certificate, make_signer, server_user};

/// An issuer that answers on a socket of its own until the process ends.
pub(super) struct Issuer {
    pub(super) address: SocketAddr,
    key: KeyPair,
    asked: Arc<AtomicUsize>,
    /// What is given for a code: the body of the answer. Empty: the code is refused.
    pub(super) granted: Arc<Mutex<String>>,
    /// Codes that were sent, each with the rest of its form.
    pub(super) redeemed: Arc<Mutex<Vec<String>>>,
}

impl Issuer {
    /// Over TLS where a certificate is given; `redirects` sends askers to another place.
    pub(super) fn start(tls: Option<&PairFiles>, redirects: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
        let address = listener.local_addr().expect("an address");
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).expect("a key");
        let asked = Arc::new(AtomicUsize::new(0));
        let url = url_of(address, tls.is_some());
        let point = key.der_bytes();
        let [x, y] = [&point[1..33], &point[33..65]].map(|half| URL_SAFE_NO_PAD.encode(half));
        let keys = json!({ "keys": [{ "kty": "EC", "crv": "P-256", "kid": "k", "use": "sig", "x": x, "y": y }] });
        let description = json!({
            "issuer": url, "jwks_uri": format!("{url}/keys"), "authorization_endpoint": format!("{url}/auth"),
            "token_endpoint": format!("{url}/token"), "end_session_endpoint": format!("{url}/out"),
        });
        let (granted, redeemed) = (Arc::<Mutex<String>>::default(), Arc::<Mutex<Vec<String>>>::default());
        let (to_grant, to_redeem) = (Arc::clone(&granted), Arc::clone(&redeemed));
        let config = tls.map(server_config);
        let counted = Arc::clone(&asked);
        std::thread::spawn(move || {
            while let Ok((socket, _)) = listener.accept() {
                counted.fetch_add(1, Ordering::Relaxed);
                let mut stream: Box<dyn super::client::Stream> = match &config {
                    Some(config) => {
                        let session = ServerConnection::new(Arc::clone(config)).expect("a session");
                        Box::new(StreamOwned::new(session, socket))
                    }
                    None => Box::new(socket),
                };
                // A client that does not trust the certificate says nothing.
                let Some((head, form)) = request(&mut *stream) else { continue };
                let (mut status, body) = match head.split(' ').nth(1) {
                    Some("/token") => {
                        to_redeem.lock().expect("kept").push(form);
                        match &*to_grant.lock().expect("kept") {
                            none if none.is_empty() => ("400 Bad", r#"{"error":"invalid_grant"}"#.to_owned()),
                            granted => ("200 OK", granted.clone()),
                        }
                    }
                    Some("/keys") => ("200 OK", keys.to_string()),
                    _ => ("200 OK", description.to_string()),
                };
                if redirects {
                    status = "302 Found\r\nlocation: /elsewhere";
                }
                let length = body.len();
                let _ =
                    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
                let _ = stream.flush();
            }
        });
        Self { address, key, asked, granted, redeemed }
    }

    pub(super) fn entry(&self, is_tls: bool) -> OidcIssuer {
        OidcIssuer::new(url_of(self.address, is_tls), vec!["mq".to_owned()])
    }

    fn token(&self, is_tls: bool, user: &str, groups: &[&str]) -> String {
        let now = std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_secs();
        let claims = json!({
            "iss": url_of(self.address, is_tls), "aud": "mq", "sub": user, "groups": groups, "exp": now + 300
        });
        self.sign(&claims)
    }

    pub(super) fn sign(&self, claims: &Value) -> String {
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", encode(&json!({ "alg": "ES256", "kid": "k" })), encode(claims));
        let signature = fixed(&self.key.sign(signed.as_bytes()).expect("signed"));
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Head and body of a request.
fn request(stream: &mut dyn super::client::Stream) -> Option<(String, String)> {
    let mut read = Vec::new();
    loop {
        let mut more = [0; 4096];
        let length = stream.read(&mut more).ok().filter(|length| *length > 0)?;
        read.extend_from_slice(&more[..length]);
        let text = String::from_utf8_lossy(&read);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let mut lines = head.lines().filter_map(|line| line.split_once(':'));
        let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        if body.len() >= length.map_or(0, |(_, value)| value.trim().parse().expect("a number")) {
            return Some((head.to_owned(), body.to_owned()));
        }
    }
}

/// The two numbers of an ASN.1 signature, 32 bytes each.
fn fixed(der: &[u8]) -> Vec<u8> {
    let first = usize::from(der[3]);
    let numbers = [&der[4..4 + first], &der[6 + first..]];
    numbers
        .iter()
        .flat_map(|number| {
            let number = &number[number.len().saturating_sub(32)..];
            std::iter::repeat_n(0, 32 - number.len()).chain(number.iter().copied())
        })
        .collect()
}

pub(super) fn url_of(address: SocketAddr, is_tls: bool) -> String {
    if is_tls { format!("https://localhost:{}", address.port()) } else { format!("http://{address}") }
}

pub(super) fn server_config(pair: &PairFiles) -> Arc<ServerConfig> {
    let chain = CertificateDer::pem_file_iter(&pair.certificate).expect("PEM").map(|one| one.expect("DER")).collect();
    let key = PrivateKeyDer::from_pem_file(&pair.key).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
    Arc::new(config.with_no_client_auth().with_single_cert(chain, key).expect("an identity"))
}

pub(super) fn server(entry: OidcIssuer) -> TestServer {
    TestServer::start_with(|options| {
        options.oidc = BTreeMap::from([("test".to_owned(), entry)]);
        let holders = options.web.roles.entry("MQWebUser".to_owned()).or_default();
        holders.push("group:mq-users".to_owned());
        options.web.roles.entry("MQWebAdminRO".to_owned()).or_default().push("group:mq-readers".to_owned());
    })
}

fn status(client: &mut Client, request: &str) -> String {
    let answer = client.exchange(request);
    match answer.status {
        ..400 => answer.status.to_string(),
        status => format!("{status} {}", answer.error_id()),
    }
}

/// `group` may put to Q and get from it.
fn grant(server: &TestServer, group: &str) {
    let record = AuthorityRecord {
        profile: "Q".to_owned(),
        object: AuthorityObject::Queue,
        entity: Entity::Group(group.to_owned()),
        authorities: Authority::PUT | Authority::GET | Authority::BROWSE | Authority::INQUIRE,
    };
    server.block_on(server.queue_manager.set_authority(&server_user(), record)).expect("granted");
}

fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}")
}

#[test]
fn a_stream_ends_with_the_token_of_its_client() {
    let issuer = Issuer::start(None, false);
    let server = server(OidcIssuer { clock_skew_seconds: 0, ..issuer.entry(false) });
    grant(&server, "mq-users");
    let now = std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_secs();
    let url = url_of(issuer.address, false);
    let claims = json!({ "iss": url, "aud": "mq", "sub": "alice", "groups": ["mq-users"], "exp": now + 3 });
    let mut client = plain(&server);
    let path = "/api/v1/qmgr/QM1/queue/Q/stream?browse&heartbeat=1s";
    let answer = client.open(&format!("GET {path}\n{}", bearer(&issuer.sign(&claims))));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut said = String::new();
    for _ in 0..10 {
        let Some(chunk) = client.chunk() else { break };
        said.push_str(std::str::from_utf8(&chunk).expect("text"));
    }
    let heartbeats = said.matches("{}\n").count();
    assert!(said.contains("MQWB0986E") && (2..=5).contains(&heartbeats), "{said}");
}

#[test]
fn a_token_of_an_issuer_puts_and_gets_as_its_user_with_the_roles_and_authorities_of_its_groups() {
    let issuer = Issuer::start(None, false);
    let server = server(issuer.entry(false));
    grant(&server, "mq-users");
    let mut client = tls(&server);
    let alice = bearer(&issuer.token(false, "alice", &["mq-users"]));
    expect![[r#"
        201
          content-type: text/plain; charset=utf-8
          ibm-mq-md-messageid: ID:<id>
        403
          content-type: application/json; charset=utf-8
          rest 0/0 MQWB0100E: The request lacks the header 'ibm-mq-rest-csrf-token'.
        403
          content-type: application/json; charset=utf-8
          pcf 2/2035 MQWB0103E: User 'alice' is not authorized to put to 'PRIVATE'.
        200
          content-type: application/json; charset=utf-8
          | {"user":[{"name":"alice","role":["MQWebUser"],"authenticationMechanism":"bearer"}]}
    "#]]
    .assert_eq(
        &client.run(
            &[
                format!("POST v3/queue/Q/message\n{alice}\n\nhello"),
                format!("POST v3/queue/Q/message\n{alice}\n-ibm-mq-rest-csrf-token\n\nhello"),
                format!("POST v3/queue/PRIVATE/message\n{alice}\n\nhello"),
                format!("GET v3/login\n{alice}"),
            ]
            .join("\n>>\n"),
        ),
    );
    let taken = server.take_all("Q");
    assert_eq!(taken[0].0.user_identifier.to_string().trim_end(), "alice");
    assert_eq!(issuer.asked.load(Ordering::Relaxed), 2, "one description and one set of keys");
    for (user, groups, expected) in [
        ("bob", &["mq-readers"][..], "403 MQWB0108E"),
        ("bob", &[], "403 MQWB0108E"),
        ("app", &["mq-users"], "401 MQWB0932E"),
        ("server", &["mq-users"], "401 MQWB0932E"),
        ("mqm", &["mq-users"], "401 MQWB0932E"),
        ("carol", &["mqm", "mq-users"], "403 MQWB0103E"),
    ] {
        let token = bearer(&issuer.token(false, user, groups));
        let request = format!("POST v3/queue/PRIVATE/message\n{token}\n\nx");
        assert_eq!(status(&mut client, &request), expected, "{user} {groups:?}");
    }
}

#[test]
fn a_token_that_is_not_accepted_is_answered_with_how_it_failed_and_no_reason() {
    let issuer = Issuer::start(None, false);
    let server = server(issuer.entry(false));
    let token = issuer.token(false, "alice", &["mq-users"]);
    let expired =
        issuer.sign(&json!({ "iss": url_of(issuer.address, false), "aud": "mq", "sub": "alice", "exp": 1000 }));
    // The first character of the signature is another one.
    let signature = token.rfind('.').expect("three parts") + 1;
    let other = if token[signature..].starts_with('A') { 'B' } else { 'A' };
    let forged = format!("{}{other}{}", &token[..signature], &token[signature + 1..]);
    for token in [&*expired, &forged, "nonsense", "qm_nonsense"] {
        let shown = plain(&server).run(&format!("GET v3/queue/Q/message\n{}", bearer(token)));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!((lines[0], lines[2]), ("401", "  www-authenticate: Bearer error=\"invalid_token\""), "{shown}");
        assert!(!shown.contains("expired 1"), "{shown}");
    }
}

#[test]
fn an_issuer_is_asked_over_tls_whose_certificate_the_signers_of_the_configuration_vouch_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let signer = make_signer(folder.path());
    let (certificate, key) = make_certificate(folder.path(), "issuer", Some(&signer));
    let issuer = Issuer::start(Some(&PairFiles { certificate, key }), false);
    let token = bearer(&issuer.token(true, "alice", &["mq-readers"]));
    let show = format!("GET v3/login\n{token}");
    let trusting = server(OidcIssuer { ca_file: Some(signer.file.clone()), ..issuer.entry(true) });
    assert_eq!(status(&mut plain(&trusting), &show), "200");
    let other = tempfile::tempdir().expect("a folder");
    let another = make_signer(other.path());
    let distrusting = server(OidcIssuer { ca_file: Some(another.file.clone()), ..issuer.entry(true) });
    assert_eq!(status(&mut plain(&distrusting), &show), "503 MQWB0934E");
}

#[test]
fn an_issuer_that_does_not_answer_or_sends_askers_elsewhere_is_503_and_harms_nobody_else() {
    let issuer = Issuer::start(None, true);
    let server = server(issuer.entry(false));
    let token = bearer(&issuer.token(false, "alice", &["mq-users"]));
    let answer = plain(&server).exchange(&format!("GET v3/queue/Q/message\n{token}"));
    assert_eq!(
        (answer.status, answer.error_id().as_str(), answer.header("retry-after")),
        (503, "MQWB0934E", Some("10"))
    );
    assert_eq!(status(&mut plain(&server), "GET v3/queue/Q/message"), "204", "Basic");
}

/// A key of the server under test.
fn key(server: &TestServer, user: &str, queues: &[&str], topics: &[&str], may: &[&str]) -> String {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let scope = Scope::parse(&owned(queues), &owned(topics), &owned(may)).expect("a scope");
    let new = NewApiKey { name: String::new(), user: user.to_owned(), expires: None, scope };
    let keys: &ApiKeys = &server.options.api_keys;
    keys.create(new, Timestamp::from_millis(1)).expect("made").1
}

#[test]
fn an_api_key_opens_messaging_within_its_scope_and_the_authority_of_its_user() {
    let server = TestServer::start();
    let orders = format!("x-api-key: {}", key(&server, "app", &["Q*", "PRIVATE", "ALIAS"], &[], &["put", "get"]));
    let reading = bearer(&key(&server, "app", &["Q"], &[], &["browse"]));
    let sport = format!("x-api-key: {}", key(&server, "app", &[], &["sport/+"], &["publish"]));
    let mut client = plain(&server);
    for (request, expected) in [
        (format!("POST v3/queue/Q/message\n-authorization\n{orders}\n\nx"), "201"),
        (format!("POST v3/queue/ALIAS/message\n-authorization\n{orders}\n\nx"), "201"),
        (format!("POST v3/queue/Q/message\n-authorization\n-ibm-mq-rest-csrf-token\n{orders}\n\nx"), "403 MQWB0100E"),
        (format!("POST v3/queue/PRIVATE/message\n-authorization\n{orders}\n\nx"), "403 MQWB0103E"),
        (format!("POST v3/queue/SMALL/message\n-authorization\n{orders}\n\nx"), "403 MQWB0936E"),
        (format!("POST v3/queue/%53MALL/message\n-authorization\n{orders}\n\nx"), "403 MQWB0936E"),
        (format!("POST v3/queue/NO.SUCH/message\n-authorization\n{orders}\n\nx"), "403 MQWB0936E"),
        (format!("GET v3/queue/Q/message\n-authorization\n{orders}"), "403 MQWB0936E"),
        (format!("GET v3/queue/Q/messagelist\n-authorization\n{orders}"), "403 MQWB0936E"),
        (format!("GET v3/queue/Q/message\n{reading}"), "200"),
        (format!("GET v3/queue/Q/messagelist\n{reading}"), "200"),
        (format!("DELETE v3/queue/Q/message\n{reading}"), "403 MQWB0936E"),
        (format!("DELETE v3/queue/Q/message\n-authorization\n{orders}"), "200"),
        (format!("POST v3/topic/sport/football/message\n-authorization\n{sport}\n\nx"), "201"),
        (format!("POST v3/topic/sport/a/b/message\n-authorization\n{sport}\n\nx"), "403 MQWB0936E"),
        (format!("POST v3/topic/news/message\n-authorization\n{sport}\n\nx"), "403 MQWB0936E"),
        (format!("POST v3/topic/sport/football/message\n-authorization\n{orders}\n\nx"), "403 MQWB0936E"),
        (format!("POST v3/queue/Q/message\n-authorization\n{sport}\n\nx"), "403 MQWB0936E"),
    ] {
        assert_eq!(status(&mut client, &request), expected, "{request}");
    }
}

#[test]
fn an_api_key_opens_nothing_but_messaging_even_of_an_administrator() {
    let server = TestServer::start_with(|options| {
        options.documents.open_to = Some(web::options::OpenTo::Users);
        for role in ["MQWebUser", "MQWebAdminRO"] {
            options.web.roles.entry(role.to_owned()).or_default().push("user:admin".to_owned());
        }
    });
    let key = format!("x-api-key: {}", key(&server, "admin", &[], &[], &[]));
    let mut client = plain(&server);
    for request in [
        "GET /ibmmq/rest/v1/admin/qmgr/QM1/queue",
        "GET /ibmmq/rest/v2/admin/qmgr",
        "GET /ibmmq/rest/v3/admin/installation",
        "GET /ibmmq/rest/v3/login",
        "DELETE /ibmmq/rest/v3/login",
        "GET /openapi.json",
    ] {
        let answer = client.exchange(&format!("{request}\n-authorization\n{key}"));
        assert_eq!((answer.status, answer.error_id().as_str()), (403, "MQWB0935E"), "{request}");
        assert_eq!(answer.header("set-cookie"), None);
    }
    for request in [
        "GET /zosConnect/services",
        "POST /zosConnect/apiRequesters/any",
        "GET /zosConnect/apis",
        "GET /api/v1/qmgr/QM1/problems",
        "DELETE /api/v1/qmgr/QM1/problems/any/mute",
        "GET /api/v1/qmgr/QM1/changes",
        "GET /api/v1/activity",
    ] {
        assert_eq!(client.exchange(&format!("{request}\n-authorization\n{key}")).status, 403, "{request}");
    }
}

#[test]
fn a_revoked_key_is_refused_on_a_kept_connection_and_after_a_reload() {
    let server = TestServer::start();
    let header = format!("x-api-key: {}", key(&server, "app", &["Q"], &[], &[]));
    let browse = format!("GET v3/queue/Q/message\n-authorization\n{header}");
    let mut client = plain(&server);
    assert_eq!(status(&mut client, &browse), "204");
    server.web.reload(server.options.clone()).expect("reloaded");
    assert_eq!(status(&mut client, &browse), "204");
    let listed = server.options.api_keys.list();
    assert!(listed[0].last_used().is_some());
    assert!(server.options.api_keys.revoke(&listed[0].id).expect("revoked"));
    assert_eq!(status(&mut client, &browse), "401 MQWB0933E");
}

#[test]
fn an_api_key_starts_jobs_and_carries_queues_within_its_scope() {
    let server = TestServer::start();
    let getting = format!("x-api-key: {}", key(&server, "app", &["Q"], &[], &["get", "put"]));
    let browsing = format!("x-api-key: {}", key(&server, "app", &["Q"], &[], &["browse"]));
    let mut client = plain(&server);
    let mut ask = |request: &str, key: &str, body: &str| {
        let head = format!("{request}\n-authorization\n-ibm-mq-rest-csrf-token\n{key}");
        client.exchange(&format!("{head}\n\n{body}"))
    };
    let job = "POST /api/v1/qmgr/QM1/queue/Q/jobs\ncontent-type: application/json";
    let export = "GET /api/v1/qmgr/QM1/queue/Q/export\n-content-length";
    let import = "POST /api/v1/qmgr/QM1/queue/Q/import?context=new\ncontent-type: application/x-ndjson";
    for (request, key, body, expected) in [
        (job, &getting, r#"{"action":"purge"}"#, (202, "")),
        (job, &browsing, r#"{"action":"purge"}"#, (403, "MQWB0936E")),
        (job, &getting, r#"{"action":"move","to":{"queue":"SMALL"},"context":"new"}"#, (403, "MQWB0936E")),
        (job, &browsing, r#"{"action":"copy","to":{"queue":"Q"},"context":"new"}"#, (403, "MQWB0936E")),
        (job, &getting, r#"{"action":"copy","to":{"queue":"Q"},"context":"new"}"#, (403, "MQWB0936E")),
        // The messages would say where they go.
        (job, &getting, r#"{"action":"replay","context":"new"}"#, (400, "MQWB0905E")),
        (export, &browsing, "", (200, "")),
        (export, &getting, "", (403, "MQWB0936E")),
        (import, &getting, "{}", (200, "")),
        (import, &browsing, "{}", (403, "MQWB0936E")),
    ] {
        let answer = ask(request, key, body);
        assert_eq!((answer.status, answer.text().contains(expected.1)), (expected.0, true), "{request} {body}");
    }
    let mut jobs =
        |key: &str| ask("GET /api/v1/jobs\n-content-length", key, "").text().matches(r#""action":"purge""#).count();
    assert_eq!((jobs(&getting), jobs(&browsing)), (1, 0));
}

#[test]
fn an_api_key_undoes_jobs_whose_queues_are_all_in_its_scope() {
    let server = TestServer::start();
    let mut client = plain(&server);
    let mut post = |path: &str, headers: &str, body: &str| {
        let headers = format!("content-type: application/json\n-ibm-mq-rest-csrf-token{headers}");
        client.exchange(&format!("POST {path}\n{headers}\n\n{body}"))
    };
    let dead = r#"{"headers":[{"structure":"MQDLH","destinationQueue":"SMALL"}],"body":{"text":"x"}}"#;
    assert_eq!(post("/api/v1/qmgr/QM1/queue/Q/messages?envelope", "", dead).status, 201);
    let replay = r#"{"action":"replay","context":"new"}"#;
    let started = post("/api/v1/qmgr/QM1/queue/Q/jobs", "", replay);
    assert_eq!(started.status, 202, "{}", started.text());
    let location = started.header("location").expect("a location").to_owned();
    let show = format!("GET {location}\n-content-length");
    eventually("the job is over", || plain(&server).exchange(&show).text().contains(r#""state":"done""#));
    let undo = format!("{location}/undo");
    for (queues, expected) in [(&["Q"][..], (403, "MQWB0936E")), (&["Q", "SMALL"], (202, ""))] {
        let key = key(&server, "app", queues, &[], &["get", "put"]);
        let answer = post(&undo, &format!("\n-authorization\nx-api-key: {key}"), r#"{"context":"new"}"#);
        assert_eq!((answer.status, answer.text().contains(expected.1)), (expected.0, true), "{}", answer.text());
    }
}

#[test]
fn the_session_of_a_token_ends_with_it_and_names_its_issuer() {
    let issuer = Issuer::start(None, false);
    let server = server(issuer.entry(false));
    let token = issuer.token(false, "alice", &["mq-users"]);
    let answer = plain(&server).exchange(&format!("GET /api/v1/session\nauthorization: Bearer {token}\n"));
    let session: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!((answer.status, &session["user"], &session["method"]), (200, &json!("alice"), &json!("bearer")));
    assert_eq!(session["issuer"], json!({ "name": "test", "url": url_of(issuer.address, false) }));
    let moment =
        |member: &str| session[member].as_str().and_then(message_api::time_text::read_moment).expect("a moment");
    let left = moment("ends").since(moment("now")).as_secs();
    assert!((200..=400).contains(&left), "{left}");
}
