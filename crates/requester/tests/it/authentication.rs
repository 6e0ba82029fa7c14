//! Who the server says it is: basic authentication, OAuth 2.0, tokens of other kinds.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use requester::options::{
    AuthToken, AuthorizationServer, EndpointConnection, GrantType, OauthConfig, RequesterOptions, TokenFormat,
    TokenMethod, TokenPlace, TokenRequest, TokenResponse,
};
use requester::{Credentials, Outcome};

use super::api::{Api, Asked, PATIENCE, Reply, Server, answer, json, order, told};

const MADE: &str = r#"{"order_no":1}"#;

fn authorization_server(api: &Api, basic_auth: bool) -> AuthorizationServer {
    AuthorizationServer {
        token_endpoint: format!("http://{}/oauth/token?x=1", api.address),
        basic_auth: basic_auth.then(|| "basic".to_owned()),
        connection_timeout_seconds: 5,
        receive_timeout_seconds: 5,
        proxy: None,
        ca_file: None,
        certificate: None,
        key: None,
        server_name: None,
    }
}

/// An API behind OAuth: `tokens` answers what the authorization server is asked.
fn with_oauth(api: &Api, tokens: &Api, grant_type: GrantType, basic_auth: bool) -> Server {
    Server::with(behind_oauth(api), |options| add_oauth(options, tokens, grant_type, basic_auth))
}

fn behind_oauth(api: &Api) -> EndpointConnection {
    EndpointConnection { authentication: vec!["oauth".to_owned()], ..api.connection() }
}

fn add_oauth(options: &mut RequesterOptions, tokens: &Api, grant_type: GrantType, basic_auth: bool) {
    options.authorization_servers.insert("as".to_owned(), authorization_server(tokens, basic_auth));
    let config = OauthConfig { grant_type, authorization_server: "as".to_owned() };
    options.oauth_configs.insert("oauth".to_owned(), config);
}

async fn order_as(server: &Server, credentials: Credentials) -> Outcome {
    server.call_as("POST /shop/orders", &order(), credentials).await
}

/// Tokens `t0`, `t1` and so on.
fn numbered(expires_in: u64) -> Api {
    let next = std::sync::atomic::AtomicU32::new(0);
    Api::start(move |_| {
        let number = next.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        json(200, &format!(r#"{{"access_token":"t{number}","token_type":"bearer","expires_in":{expires_in}}}"#))
    })
}

fn authorization(asked: &Asked) -> String {
    asked.header("authorization").unwrap_or_default().to_owned()
}

#[tokio::test]
async fn basic_authentication_goes_with_every_request() {
    let api = Api::start(|_| json(201, MADE));
    let connection = EndpointConnection { authentication: vec!["basic".to_owned()], ..api.connection() };
    let server = Server::with(connection, |_| {});
    assert_eq!(server.order().await.status, 201);
    assert_eq!(authorization(&api.last()), format!("Basic {}", STANDARD.encode("ada:pw")));
}

#[tokio::test]
async fn client_credentials_of_the_configuration_get_a_token_that_is_kept() {
    let (api, tokens) = (Api::start(|_| json(201, MADE)), numbered(3600));
    let server = with_oauth(&api, &tokens, GrantType::ClientCredentials, true);
    for _ in 0..3 {
        assert_eq!(told(&server.order().await), (0, 201, "000001".to_owned()));
    }
    assert!(api.asked().iter().all(|asked| authorization(asked) == "Bearer t0"));
    let [asked] = tokens.asked().try_into().expect("one question");
    assert_eq!((asked.line.as_str(), asked.body.as_str()), ("POST /oauth/token?x=1", "grant_type=client_credentials"));
    assert_eq!(authorization(&asked), format!("Basic {}", STANDARD.encode("ada:pw")));
    assert_eq!(asked.header("content-type"), Some("application/x-www-form-urlencoded"));
}

#[tokio::test]
async fn credentials_of_the_program_travel_in_the_form_and_have_tokens_of_their_own() {
    let (api, tokens) = (Api::start(|_| json(201, MADE)), numbered(3600));
    let server = with_oauth(&api, &tokens, GrantType::Password, false);
    let of = |user: &str| Credentials {
        oauth_username: Some(user.to_owned()),
        oauth_password: Some("p&w".to_owned()),
        oauth_client_id: Some("id".to_owned()),
        oauth_client_secret: Some("s".to_owned()),
        oauth_scope: Some("a b".to_owned()),
        ..Credentials::default()
    };
    for user in ["u", "v", "u"] {
        assert_eq!(order_as(&server, of(user)).await.status, 201);
    }
    let used: Vec<String> = api.asked().iter().map(authorization).collect();
    assert_eq!(used, ["Bearer t0", "Bearer t1", "Bearer t0"]);
    assert_eq!(
        tokens.asked()[0].body,
        "grant_type=password&username=u&password=p%26w&client_id=id&client_secret=s&scope=a%20b"
    );
    assert_eq!(tokens.asked()[0].header("authorization"), None);
}

#[tokio::test]
async fn calls_at_once_ask_for_one_token() {
    let (api, tokens) = (Api::start(|_| json(201, MADE)), numbered(3600));
    let server = with_oauth(&api, &tokens, GrantType::ClientCredentials, true);
    let (one, two, three) = tokio::join!(server.order(), server.order(), server.order());
    assert_eq!((one.status, two.status, three.status), (201, 201, 201));
    assert_eq!((api.asked().len(), tokens.asked().len()), (3, 1));
}

#[tokio::test]
async fn a_token_without_a_time_is_used_once() {
    let api = Api::start(|_| json(201, MADE));
    let tokens = Api::start(|_| json(200, r#"{"access_token":"once"}"#));
    let server = with_oauth(&api, &tokens, GrantType::ClientCredentials, true);
    server.order().await;
    server.order().await;
    assert_eq!(tokens.asked().len(), 2);
}

#[tokio::test]
async fn a_kept_token_that_the_api_refuses_is_replaced_and_the_request_sent_once_more() {
    let api = Api::start(|asked| match authorization(asked).as_str() {
        "Bearer t0" if asked.number > 0 => json(401, "expired"),
        _ => json(201, MADE),
    });
    let tokens = numbered(3600);
    let server = with_oauth(&api, &tokens, GrantType::ClientCredentials, true);
    for _ in 0..3 {
        assert_eq!(server.order().await.status, 201);
    }
    let used: Vec<String> = api.asked().iter().map(authorization).collect();
    assert_eq!(used, ["Bearer t0", "Bearer t0", "Bearer t1", "Bearer t1"]);
}

#[tokio::test]
async fn a_token_that_is_asked_for_as_an_old_configuration_says_is_no_token_of_the_new_one() {
    let (go_on, may_go_on) = std::sync::mpsc::channel();
    let may_go_on = std::sync::Mutex::new(may_go_on);
    // The second request is refused once the configuration is another one.
    let api = Api::start(move |asked| match authorization(asked).as_str() {
        "Bearer t0" if asked.number > 0 => {
            let _ = may_go_on.lock().expect("no panic").recv_timeout(PATIENCE);
            json(401, "expired")
        }
        _ => json(201, MADE),
    });
    let tokens = numbered(3600);
    let new_tokens = Api::start(|_| json(200, r#"{"access_token":"new","expires_in":3600}"#));
    let server = with_oauth(&api, &tokens, GrantType::ClientCredentials, false);
    let program = || Credentials { oauth_client_id: Some("id".to_owned()), ..Credentials::default() };
    assert_eq!(order_as(&server, program()).await.status, 201);
    let configure = async {
        while api.asked().len() < 2 {
            tokio::task::yield_now().await;
        }
        let mut options = RequesterOptions::default();
        options.endpoint_connections.insert("api".to_owned(), behind_oauth(&api));
        add_oauth(&mut options, &new_tokens, GrantType::ClientCredentials, false);
        server.requesters.configure(super::api::settings(&options).expect("usable"));
        go_on.send(()).expect("it waits");
    };
    let (under_way, ()) = tokio::join!(order_as(&server, program()), configure);
    assert_eq!(under_way.status, 201);
    assert_eq!(order_as(&server, program()).await.status, 201);
    let used: Vec<String> = api.asked().iter().map(authorization).collect();
    assert_eq!(used, ["Bearer t0", "Bearer t0", "Bearer t1", "Bearer new"]);
}

#[tokio::test]
async fn a_new_token_that_the_api_refuses_is_the_apis_answer() {
    let (api, tokens) = (Api::start(|_| json(401, "never")), numbered(3600));
    let server = with_oauth(&api, &tokens, GrantType::ClientCredentials, true);
    assert_eq!(told(&server.order().await), (1, 401, "never".to_owned()));
    assert_eq!((api.asked().len(), tokens.asked().len()), (1, 1));
}

#[tokio::test]
async fn without_a_token_nothing_is_sent_and_no_secret_is_told() {
    let api = Api::start(|_| json(201, MADE));
    let tokens = Api::start(|asked| match asked.number {
        0 => json(400, r#"{"error":"invalid_grant","error_description":"bad user"}"#),
        1 => json(500, "secret"),
        _ => json(200, "{}"),
    });
    let server = with_oauth(&api, &tokens, GrantType::Password, false);
    let (code, status, message) = told(&server.order().await);
    assert_eq!((code, status), (2, 401));
    assert!(message.contains("the user name or the password of the program is missing"), "{message}");
    let credentials = Credentials {
        oauth_username: Some("someone".to_owned()),
        oauth_password: Some("hidden".to_owned()),
        ..Credentials::default()
    };
    for (expected, part) in [(401, "invalid_grant: bad user"), (503, "status 500"), (401, "its answer contains none")] {
        let (code, status, message) = told(&order_as(&server, credentials.clone()).await);
        assert_eq!((code, status), (2, expected), "{message}");
        assert!(message.contains(part) && !message.contains("hidden"), "{message}");
    }
    assert!(api.asked().is_empty());
    let missing = with_oauth(&api, &tokens, GrantType::ClientCredentials, false);
    assert!(told(&missing.order().await).2.contains("the client id is missing"));
}

fn with_token(api: &Api, tokens: &Api, change: impl FnOnce(&mut AuthToken, &mut RequesterOptions)) -> Server {
    let connection = EndpointConnection { authentication: vec!["jwt".to_owned()], ..api.connection() };
    Server::with(connection, |options| {
        options.authorization_servers.insert("as".to_owned(), authorization_server(tokens, true));
        let mut token = AuthToken {
            authorization_server: "as".to_owned(),
            header: "Authorization".to_owned(),
            bearer: true,
            request: TokenRequest::default(),
            response: TokenResponse::default(),
            lifetime_seconds: 0,
        };
        change(&mut token, options);
        options.auth_tokens.insert("jwt".to_owned(), token);
    })
}

fn json_web_token(name: &str, expiry: u64) -> String {
    let claims = format!(r#"{{"sub":"{name}","exp":{expiry}}}"#);
    format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims))
}

#[tokio::test]
async fn a_json_web_token_is_got_by_basic_authentication_and_kept_until_it_expires() {
    let token = json_web_token("ada", 4_000_000_000);
    let api = Api::start(|_| json(201, MADE));
    let sent = token.clone();
    let tokens = Api::start(move |_| Reply::Bytes(answer(200, &format!("Authorization: Bearer {sent}\r\n"), "")));
    let server = with_token(&api, &tokens, |_, _| {});
    for _ in 0..2 {
        assert_eq!(server.order().await.status, 201);
        assert_eq!(authorization(&api.last()), format!("Bearer {token}"));
    }
    let [asked] = tokens.asked().try_into().expect("one question");
    assert_eq!(authorization(&asked), format!("Basic {}", STANDARD.encode("ada:pw")));
    assert_eq!((asked.header("content-length"), asked.body.as_str()), (Some("0"), ""));
    // What the program says about itself comes before the configuration.
    let credentials = Credentials {
        token_username: Some("eve".to_owned()),
        token_password: Some("x".to_owned()),
        ..Credentials::default()
    };
    order_as(&server, credentials).await;
    assert_eq!(authorization(&tokens.last()), format!("Basic {}", STANDARD.encode("eve:x")));
}

#[tokio::test]
async fn an_expired_json_web_token_is_not_kept() {
    let token = json_web_token("ada", 1_000_000_000);
    let api = Api::start(|_| json(201, MADE));
    let tokens = Api::start(move |_| Reply::Bytes(answer(200, &format!("Authorization: {token}\r\n"), "")));
    let server = with_token(&api, &tokens, |token, _| token.lifetime_seconds = 60);
    server.order().await;
    server.order().await;
    assert_eq!(tokens.asked().len(), 2);
}

#[tokio::test]
async fn a_token_is_asked_for_with_a_body_and_found_in_one() {
    let api = Api::start(|_| json(201, MADE));
    let tokens = Api::start(|_| json(200, r#"{"data":{"tokens":["abc"]}}"#));
    let server = with_token(&api, &tokens, |token, _| {
        token.header = "X-Token".to_owned();
        token.bearer = false;
        token.lifetime_seconds = 60;
        token.request.method = TokenMethod::Put;
        token.request.credentials = TokenPlace::Body;
        token.request.body = Some(r#"{"user":"${userid}","password":"${password}"}"#.to_owned());
        token.response.location = TokenPlace::Body;
        token.response.token_path = Some("$.data.tokens[0]".to_owned());
    });
    server.order().await;
    server.order().await;
    assert_eq!(api.last().header("x-token"), Some("abc"));
    let [asked] = tokens.asked().try_into().expect("one question");
    assert_eq!(
        (asked.line.as_str(), asked.body.as_str()),
        ("PUT /oauth/token?x=1", r#"{"user":"ada","password":"pw"}"#)
    );
}

#[tokio::test]
async fn a_token_may_be_plain_text_asked_for_by_two_headers() {
    let api = Api::start(|_| json(201, MADE));
    let tokens = Api::start(|_| Reply::Bytes(answer(200, "", "plain\n")));
    let server = with_token(&api, &tokens, |token, _| {
        token.request.credentials = TokenPlace::Headers;
        token.request.headers = vec!["client-id".to_owned(), "client-secret".to_owned()];
        token.request.method = TokenMethod::Get;
        token.response.location = TokenPlace::Body;
        token.response.format = TokenFormat::Text;
    });
    server.order().await;
    assert_eq!(authorization(&api.last()), "Bearer plain");
    let asked = tokens.last();
    assert_eq!((asked.header("client-id"), asked.header("client-secret")), (Some("ada"), Some("pw")));
}

#[tokio::test]
async fn one_request_may_carry_several_of_them() {
    let api = Api::start(|_| json(201, MADE));
    let tokens = Api::start(|_| Reply::Bytes(answer(200, "", "plain")));
    let server = with_token(&api, &tokens, |token, options| {
        token.header = "X-Token".to_owned();
        token.response.location = TokenPlace::Body;
        token.response.format = TokenFormat::Text;
        let connection = options.endpoint_connections.get_mut("api").expect("it is there");
        connection.authentication = vec!["basic".to_owned(), "jwt".to_owned()];
    });
    server.order().await;
    let asked = api.last();
    assert!(authorization(&asked).starts_with("Basic "));
    assert_eq!(asked.header("x-token"), Some("Bearer plain"));
}

#[test]
fn settings_of_tokens_that_contradict_each_other_are_told_with_their_key() {
    let told = |change: fn(&mut AuthToken)| {
        let mut options = RequesterOptions::default();
        let server: AuthorizationServer = authorization_server(&Api::start(|_| Reply::Silence), false);
        options.authorization_servers.insert("as".to_owned(), server);
        let mut token = AuthToken {
            authorization_server: "as".to_owned(),
            header: "Authorization".to_owned(),
            bearer: true,
            request: TokenRequest::default(),
            response: TokenResponse::default(),
            lifetime_seconds: 0,
        };
        change(&mut token);
        options.auth_tokens.insert("jwt".to_owned(), token);
        super::api::settings(&options).err().expect("refused").key
    };
    assert_eq!(told(|token| token.header = "no header".to_owned()), "zosconnect.auth_tokens.jwt.header");
    assert_eq!(told(|token| token.request.credentials = TokenPlace::Body), "zosconnect.auth_tokens.jwt.request.body");
    assert_eq!(
        told(|token| token.response.location = TokenPlace::Body),
        "zosconnect.auth_tokens.jwt.response.token_path"
    );
    assert_eq!(
        told(|token| token.authorization_server = "other".to_owned()),
        "zosconnect.auth_tokens.jwt.authorization_server"
    );
}
