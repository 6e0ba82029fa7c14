//! API requesters over HTTP: administered, and called as the communication stub calls them, with a real API behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use build_toolkit::archive::write::{Schemas, Writer};
use build_toolkit::archive::{Archive, Binding, Operation, Options, Response, WhiteSpace};
use build_toolkit::structure::{Alignment, Ending, Item, Structure, Value};
use expect_test::{Expect, expect};
use web::WebOptions;
use web::options::{AnonymousFrom, ApiRequester, AuthData, EndpointConnection};

use super::client::{self, Answer, Client, basic};
use super::server::{TestServer, eventually};

const NAME: &str = "Shop_1";
const CALL: &str = "POST /zosConnect/apiRequesters/Shop_1?apiPath=%2Fshop%2Forders&apiMethod=POST";
const NATIVE: &str = "baq-record-form: little,ieee,1208\r\n";

/// A real API: it remembers requests as text, and answers an order with its number.
struct Api {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Api {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let log = Arc::clone(&log);
                thread::spawn(move || serve(socket, &log));
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

fn serve(socket: TcpStream, log: &Mutex<Vec<String>>) -> Option<()> {
    let mut stream = BufReader::new(socket);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let start = head.len();
            stream.read_line(&mut head).ok().filter(|read| *read > 0)?;
            if let Some(value) = head[start..].to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if head.ends_with("\r\n\r\n") {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        let body = String::from_utf8_lossy(&body);
        let answer =
            if body.contains("404") { ("404 No", "no such shop") } else { ("201 Made", r#"{"order_no":1234}"#) };
        log.lock().expect("no panic").push(format!("{head}{body}"));
        let (status, text) = answer;
        let length = text.len();
        write!(stream.get_mut(), "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{text}").ok()?;
    }
}

fn structure(group: &str, item: Item) -> Structure {
    let group = Item::new(group, group, Value::Group { items: vec![item] });
    Structure::new(Alignment::Synchronized, vec![group]).expect("placed")
}

/// `POST /shop/orders`: four characters in, six digits out.
fn archive() -> Vec<u8> {
    let text = Value::Text { offset: 0, bytes: 4, ending: Ending::Blank, characters: 4, is_json: false };
    let number = Value::Zoned { digits: 6, signed: false };
    let operation = Operation {
        id: "newOrder".to_owned(),
        path: "/orders".to_owned(),
        method: "POST".to_owned(),
        binding: Binding {
            format: 1,
            options: Options {
                white_space: WhiteSpace::Preserve,
                data_truncation: false,
                runtime_ccsid: 37,
                api_keys: None,
            },
            media_type: "application/json".to_owned(),
            parameters: Vec::new(),
            request: Some(structure("ReqBody", Item::new("note", "note", text))),
            response: Some(Response {
                code: 201,
                every_success: false,
                structure: structure("RespBody", Item::new("order-no", "order_no", number)),
            }),
        },
    };
    let mut writer = Writer::new(Archive {
        name: NAME.to_owned(),
        title: "Shop".to_owned(),
        version: "1".to_owned(),
        description: "A shop".to_owned(),
        base_path: "/shop".to_owned(),
        connection_ref: "shopRef".to_owned(),
        operations: Vec::new(),
    });
    writer.add(&operation, &Schemas::default()).expect("added");
    writer.finish("shop.json", b"{}").expect("an archive")
}

/// A server that reaches the API, with the archive deployed.
fn started(api: &Api, change: impl FnOnce(&mut WebOptions)) -> TestServer {
    let server = TestServer::start_with(|options| {
        let connection = EndpointConnection {
            host: api.address.ip().to_string(),
            port: Some(api.address.port()),
            authentication: vec!["shopUser".to_owned()],
            ..EndpointConnection::default()
        };
        options.zosconnect.requesters.endpoint_connections.insert("shopRef".to_owned(), connection);
        let data = AuthData { user: "ada".to_owned(), password: "{xor}Lz4sLCgwLTs=".to_owned() };
        options.zosconnect.requesters.auth_data.insert("shopUser".to_owned(), data);
        change(options);
    });
    let created = Caller::of(&server).admin("POST /zosConnect/apiRequesters", &archive());
    assert_eq!(created.status, 201, "{}", created.text());
    server
}

struct Caller {
    client: Client,
}

impl Caller {
    fn of(server: &TestServer) -> Self {
        Self { client: client::plain(server) }
    }

    fn send(&mut self, line: &str, headers: &str, body: &[u8]) -> Answer {
        let length = body.len();
        let of_record =
            if headers.contains("content-type") { "" } else { "content-type: application/octet-stream\r\n" };
        let head = format!("{line} HTTP/1.1\r\nhost: h:1\r\ncontent-length: {length}\r\n{of_record}{headers}\r\n");
        self.client.stream.write_all(&[head.as_bytes(), body].concat()).expect("sent");
        self.client.receive(false)
    }

    fn admin(&mut self, line: &str, archive: &[u8]) -> Answer {
        let zip = if archive.is_empty() { "" } else { "content-type: application/zip\r\n" };
        self.send(line, &format!("{}\r\n{zip}", basic("admin", "adminpw")), archive)
    }

    fn call(&mut self, line: &str, headers: &str, record: &[u8]) -> Answer {
        self.send(line, &format!("{}\r\n{headers}", basic("app", "secret")), record)
    }
}

/// What the stub makes of an answer: return code, status code, and the record or the message as text.
fn outcome(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let header = |name: &str| answer.header(name).expect("it is always there").to_owned();
    format!("{} {} {}", header("baq-return-code"), header("baq-status-code"), answer.text())
}

fn check(answer: &Answer, status: u16, expected: Expect) {
    expected.assert_eq(&answer.text());
    assert_eq!(answer.status, status);
}

fn error(answer: &Answer) -> (u16, String) {
    let value: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    let message = value["errorMessage"].as_str().expect("a message").to_owned();
    (answer.status, message.split(':').next().unwrap_or_default().to_owned())
}

#[test]
fn a_program_calls_an_api_with_its_record_in_its_own_form() {
    let api = Api::start();
    let server = started(&api, |_| {});
    let mut caller = Caller::of(&server);
    let answer = caller.call(CALL, NATIVE, b"rush");
    assert_eq!(outcome(&answer), "0 201 001234");
    assert_eq!(answer.header("content-type"), Some("application/octet-stream"));
    let big = caller.call(CALL, "", b"\x99\xA4\xA2\x88");
    assert_eq!(big.body, b"\xF0\xF0\xF1\xF2\xF3\xF4");
    let asked = api.asked();
    for request in &asked {
        assert!(request.starts_with("POST /shop/orders HTTP/1.1\r\n"), "{request}");
        assert!(request.to_ascii_lowercase().contains("authorization: basic ywrhonbhc3n3b3jk"), "{request}");
        assert!(request.ends_with(r#"{"note":"rush"}"#), "{request}");
    }
    assert_eq!(asked.len(), 2);
    // The path may have been encoded before it became a parameter.
    let twice = CALL.replace("%2F", "%252F");
    assert_eq!(outcome(&caller.call(&twice, NATIVE, b"rush")), "0 201 001234");
}

#[test]
fn what_the_api_or_the_server_refuses_has_status_200_and_its_return_code() {
    let api = Api::start();
    let server = started(&api, |_| {});
    let mut caller = Caller::of(&server);
    assert_eq!(outcome(&caller.call(CALL, NATIVE, b"404 ")), "1 404 no such shop");
    for (line, headers, expected) in [
        (CALL, "baq-record-form: middle\r\n", "2 400 BAQR0934W"),
        (CALL, "baq-record-form: big,ieee,4711\r\n", "2 400 BAQR0936E"),
        (CALL, "baq-token-username: %ff\r\n", "2 400 BAQR0935W"),
        ("POST /zosConnect/apiRequesters/Shop_1?apiMethod=POST", NATIVE, "2 400 BAQR0933W"),
        ("POST /zosConnect/apiRequesters/Shop_1?apiPath=/shop/orders", NATIVE, "2 400 BAQR0933W"),
        ("POST /zosConnect/apiRequesters/Shop_1?apiPath=/shop/orders&apiMethod=PUT", NATIVE, "2 404 BAQR0932W"),
        ("POST /zosConnect/apiRequesters/Other?apiPath=/shop/orders&apiMethod=POST", NATIVE, "2 404 BAQR0930W"),
    ] {
        let told = outcome(&caller.call(line, headers, b"rush"));
        assert!(told.starts_with(expected), "{told}");
    }
    assert!(outcome(&caller.call(CALL, NATIVE, b"r")).starts_with("2 400 BAQR0936E"));
    // What a page of another origin may send without asking is no call.
    let plain = caller.call(CALL, "content-type: text/plain\r\n", b"rush");
    assert_eq!(error(&plain), (415, "BAQR0949W".to_owned()));
    assert_eq!(api.asked().len(), 1);
    caller.admin("PUT /zosConnect/apiRequesters/Shop_1?status=stopped", b"");
    assert!(outcome(&caller.call(CALL, NATIVE, b"rush")).starts_with("2 503 BAQR0931W"));
}

#[test]
fn callers_say_who_they_are_and_have_the_role_of_users() {
    let api = Api::start();
    let server = started(&api, |_| {});
    let mut caller = Caller::of(&server);
    assert_eq!(caller.send(CALL, NATIVE, b"rush").status, 401);
    let nobody = format!("{}\r\n", basic("nobody", "nobodypw"));
    assert_eq!(error(&caller.send(CALL, &nobody, b"rush")), (403, "BAQR0409W".to_owned()));
    let reader = format!("{}\r\n", basic("reader", "readerpw"));
    assert_eq!(caller.send(CALL, &reader, b"rush").status, 403);
    assert!(api.asked().is_empty());
}

#[test]
fn without_require_auth_callers_of_this_machine_are_taken_as_they_come_and_administrators_are_not() {
    let api = Api::start();
    let server = started(&api, |options| {
        options.zosconnect.require_auth = false;
        options.zosconnect.anonymous_from = AnonymousFrom::Loopback;
    });
    let mut caller = Caller::of(&server);
    assert_eq!(outcome(&caller.send(CALL, NATIVE, b"rush")), "0 201 001234");
    // A page whose name was made to lead to this machine says that name.
    let rebound = "POST /zosConnect/apiRequesters/Shop_1?apiPath=%2Fshop%2Forders&apiMethod=POST HTTP/1.1\r\n\
        host: evil.example:9080\r\ncontent-type: application/octet-stream\r\ncontent-length: 4\r\n\r\nrush";
    caller.client.stream.write_all(rebound.as_bytes()).expect("sent");
    assert_eq!(caller.client.receive(false).status, 401);
    for line in [
        "GET /zosConnect/apiRequesters",
        "GET /zosConnect/apiRequesters/Shop_1",
        "PUT /zosConnect/apiRequesters/Shop_1?status=stopped",
        "DELETE /zosConnect/apiRequesters/Shop_1",
        "POST /zosConnect/apiRequesters",
        "GET /zosConnect/services",
    ] {
        assert_eq!(caller.send(line, "", b"").status, 401, "{line}");
    }
    // An API requester may ask for more than the server.
    let strict = started(&api, |options| {
        options.zosconnect.require_auth = false;
        let own = ApiRequester { require_auth: Some(true), ..ApiRequester::default() };
        options.zosconnect.requesters.api_requesters.insert(NAME.to_owned(), own);
    });
    assert_eq!(Caller::of(&strict).send(CALL, NATIVE, b"rush").status, 401);
}

#[test]
fn where_tls_is_required_plain_callers_are_led_to_it() {
    let api = Api::start();
    let server = started(&api, |options| {
        options.zosconnect.require_secure = true;
        options.zosconnect.require_auth = false;
    });
    let refused = Caller::of(&server).send(CALL, NATIVE, b"rush");
    assert_eq!(error(&refused), (302, "BAQR0948W".to_owned()));
    let port = server.https().port();
    let expected = format!("https://h:{port}/zosConnect/apiRequesters/Shop_1?apiPath=%2Fshop%2Forders&apiMethod=POST");
    assert_eq!(refused.header("location"), Some(expected.as_str()));
    let mut secure = Caller { client: client::tls(&server) };
    assert_eq!(outcome(&secure.send(CALL, NATIVE, b"rush")), "0 201 001234");
}

#[test]
fn an_api_requester_is_deployed_shown_stopped_updated_and_deleted() {
    let api = Api::start();
    let server = started(&api, |_| {});
    let mut caller = Caller::of(&server);
    let one = expect![[
        r#"{"name":"Shop_1","version":"1","description":"A shop","status":"Started","apiRequesterUrl":"http://h:1/zosConnect/apiRequesters/Shop_1","connection":"shopRef"}"#
    ]];
    check(&caller.admin("GET /zosConnect/apiRequesters/Shop_1", b""), 200, one);
    let list = expect![[
        r#"{"apiRequesters":[{"name":"Shop_1","version":"1","description":"A shop","status":"Started","apiRequesterUrl":"http://h:1/zosConnect/apiRequesters/Shop_1","connection":"shopRef"}]}"#
    ]];
    check(&caller.admin("GET /zosConnect/apiRequesters", b""), 200, list);
    assert_eq!(error(&caller.admin("POST /zosConnect/apiRequesters", &archive())), (409, "BAQR0910W".to_owned()));
    assert_eq!(error(&caller.admin("POST /zosConnect/apiRequesters", b"no zip")), (400, "BAQR0915W".to_owned()));
    let text = caller.send("POST /zosConnect/apiRequesters", &format!("{}\r\n", basic("admin", "adminpw")), b"x");
    assert_eq!(error(&text), (415, "BAQR0922W".to_owned()));
    assert_eq!(error(&caller.admin("GET /zosConnect/apiRequesters/Other", b"")), (404, "BAQR0930W".to_owned()));
    assert_eq!(error(&caller.admin("PUT /zosConnect/apiRequesters/Shop_1", &archive())), (409, "BAQR0912W".to_owned()));
    assert_eq!(error(&caller.admin("DELETE /zosConnect/apiRequesters/Shop_1", b"")), (409, "BAQR0912W".to_owned()));
    let stopped = caller.admin("PUT /zosConnect/apiRequesters/Shop_1?status=stopped", b"");
    assert!(stopped.text().contains(r#""status":"Stopped""#), "{}", stopped.text());
    assert_eq!(caller.admin("PUT /zosConnect/apiRequesters/Shop_1?status=stopped", &archive()).status, 200);
    check(&caller.admin("DELETE /zosConnect/apiRequesters/Shop_1", b""), 200, expect![[r#"{"name":"Shop_1"}"#]]);
    check(&caller.admin("GET /zosConnect/apiRequesters", b""), 200, expect![[r#"{"apiRequesters":[]}"#]]);
    assert_eq!(error(&caller.admin("PATCH /zosConnect/apiRequesters/Shop_1", b"")), (405, "BAQR0903W".to_owned()));
}

#[test]
fn calls_are_counted_for_administrators_and_for_prometheus() {
    let api = Api::start();
    let server = started(&api, |_| {});
    let mut caller = Caller::of(&server);
    for record in [b"rush", b"404 ", b"rush"] {
        caller.call(CALL, NATIVE, record);
    }
    let shown = caller.admin("GET /zosConnect/apiRequesters/Shop_1?action=getStatistics", b"");
    let value: serde_json::Value = serde_json::from_slice(&shown.body).expect("JSON");
    assert_eq!(value[NAME]["InvokeRequestCount"], "3");
    assert_eq!(value[NAME]["ServiceStatistics"]["succeeded"], "2");
    assert_eq!(value[NAME]["ServiceStatistics"]["clientErrors"], "1");
    let metrics = client::metrics(&server).exchange("GET /metrics").text();
    for line in [
        "quaymaster_api_requester_calls_total{requester=\"Shop_1\",outcome=\"succeeded\"} 2",
        "quaymaster_api_requester_calls_total{requester=\"Shop_1\",outcome=\"refused\"} 1",
        "quaymaster_api_requester_calls_in_flight{requester=\"Shop_1\"} 0",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    let route = "method=\"POST\",route=\"/zosConnect/apiRequesters/{requester}\",status=\"200\"} 3";
    assert!(metrics.contains(route), "{metrics}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a temporary file of a test")]
fn an_archive_dropped_into_the_folder_is_deployed_while_the_server_runs() {
    let api = Api::start();
    let server = TestServer::start_with(|options| {
        let connection = EndpointConnection {
            host: api.address.ip().to_string(),
            port: Some(api.address.port()),
            ..EndpointConnection::default()
        };
        options.zosconnect.requesters.endpoint_connections.insert("shopRef".to_owned(), connection);
    });
    let folder = server.folder().join("zosconnect/apiRequesters");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("APIPERF.ara"), archive()).expect("written");
    eventually("the archive is deployed", || {
        Caller::of(&server).admin("GET /zosConnect/apiRequesters/Shop_1", b"").status == 200
    });
    assert_eq!(outcome(&Caller::of(&server).call(CALL, NATIVE, b"rush")), "0 201 001234");
}

#[test]
fn a_reload_with_a_connection_that_cannot_be_used_is_refused_and_changes_nothing() {
    let api = Api::start();
    let server = started(&api, |_| {});
    let mut options = server.options.clone();
    options.zosconnect.requesters.endpoint_connections.get_mut("shopRef").expect("there").proxy =
        Some("none".to_owned());
    let refused = server.block_on(async { server.web.reload(options) }).expect_err("refused").to_string();
    assert_eq!(refused, "zosconnect.endpoint_connections.shopRef.proxy: 'none' is no entry of proxies");
    assert_eq!(outcome(&Caller::of(&server).call(CALL, NATIVE, b"rush")), "0 201 001234");
}
