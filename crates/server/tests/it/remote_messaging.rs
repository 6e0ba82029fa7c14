//! Queue managers of another server in the messaging REST API: two processes, with a channel between them.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::program::{Folder, PATIENCE, Server, eventually};

const PASSWORDS: [(&str, &str); 2] = [("MQ_APP_PASSWORD", "secret"), ("MQ_ADMIN_PASSWORD", "secret")];
/// `app:secret` and `admin:secret`.
const APP: &str = "YXBwOnNlY3JldA==";
const ADMIN: &str = "YWRtaW46c2VjcmV0";

/// A server that hosts FARQM, and one that knows it as `FAR`.
struct Pair {
    far: Server,
    far_folder: Folder,
    near: Server,
    near_folder: Folder,
}

impl Pair {
    /// `entry`: further keys of FAR; `rest`: further tables of the near server's configuration.
    fn start(entry: &str, rest: &str) -> Self {
        let far_folder = Folder::new();
        let far = Server::start_with(&far_folder, &["--qmgr", "FARQM"], &PASSWORDS);
        let near_folder = Folder::new();
        let (host, port) =
            far.address("mq").rsplit_once(':').map(|(h, p)| (h.to_owned(), p.to_owned())).expect("a port");
        near_folder.write(
            "quaymaster.toml",
            &format!(
                "{rest}\n[remote_queue_managers.FAR]\nqueue_manager = 'FARQM'\nconnection_name = 'localhost(1),{host}({port})'\n{entry}\n"
            ),
        );
        let near = Server::start_with(&near_folder, &[], &PASSWORDS);
        Self { far, far_folder, near, near_folder }
    }

    /// Whose connections may act for everybody.
    fn trusted(rest: &str) -> Self {
        Self::start("channel = 'DEV.ADMIN.SVRCONN'\nuser = 'admin'\npassword = 'secret'", rest)
    }

    fn far(&self, request: &str) -> Reply {
        send(&self.near, request, APP)
    }

    fn mqsc(&self, command: &str) {
        let said = self.far_folder.run(&["mqsc", "FARQM", command]);
        assert!(said.starts_with("exit 0\n"), "{said}");
    }

    fn depth(&self, queue: &str) -> String {
        self.far_folder.run(&["depth", "-m", "FARQM", queue])
    }

    /// Of the pool of FAR for messaging.
    fn metric(&self, family: &str) -> u64 {
        let page = metrics_page(&self.near);
        let start =
            format!("quaymaster_connection_pool_{family}{{used_by=\"messaging\",qmgr=\"FAR\",remote=\"true\"}} ");
        let line = page.lines().find_map(|line| line.strip_prefix(start.as_str()));
        line.unwrap_or_else(|| panic!("no {start} in {page}")).parse().expect("a number")
    }
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// Status and the identifier of an error.
    fn error(&self) -> (u16, String) {
        let json: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        let error = &json["error"][0];
        (self.status, format!("{} {}", error["msgId"].as_str().unwrap_or_default(), error["reasonCode"]))
    }
}

/// `METHOD PATH`, then headers, an empty line and a body; a path that does not begin with a slash is one of messaging.
fn metrics_page(server: &Server) -> String {
    let mut stream = TcpStream::connect(server.address("metrics")).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket has a timeout");
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").expect("written");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn send(server: &Server, request: &str, user: &str) -> Reply {
    let (head, body) = request.split_once("\n\n").unwrap_or((request, ""));
    let (first, headers) = head.split_once('\n').unwrap_or((head, ""));
    let (method, path) = first.split_once(' ').expect("a method and a path");
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/ibmmq/rest/v3/messaging/qmgr/{path}") };
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    text.push_str("ibm-mq-rest-csrf-token: x\r\ncontent-type: text/plain\r\n");
    if !user.is_empty() {
        text.push_str(&format!("authorization: Basic {user}\r\n"));
    }
    for header in headers.lines() {
        text.push_str(&format!("{header}\r\n"));
    }
    text.push_str(&format!("\r\n{body}"));
    let mut stream = TcpStream::connect(server.address("http")).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket has a timeout");
    stream.write_all(text.as_bytes()).expect("written");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line");
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

#[test]
fn what_is_put_on_a_remote_queue_manager_is_listed_browsed_and_got_there() {
    let pair = Pair::trusted("");
    let put = pair
        .far("POST FAR/queue/DEV.QUEUE.1/message\nibm-mq-md-persistence: persistent\nibm-mq-md-priority: 7\n\nhello");
    assert_eq!((put.status, pair.depth("DEV.QUEUE.1")), (201, "exit 0\nout: 1\n".to_owned()), "{}", put.body);
    let id = put.header("ibm-mq-md-messageid").expect("an identifier").to_owned();
    let list = pair.far("GET FAR/queue/DEV.QUEUE.1/messagelist");
    assert!(list.status == 200 && list.body.contains(&id) && list.body.contains("MQSTR"), "{}", list.body);
    for (method, left) in [("GET", "1"), ("DELETE", "0")] {
        let got = pair.far(&format!("{method} FAR/queue/DEV.QUEUE.1/message?messageId={id}"));
        assert_eq!((got.status, got.body.as_str()), (200, "hello"), "{method}");
        assert_eq!(got.header("ibm-mq-md-messageid"), Some(id.as_str()));
        assert_eq!(
            (got.header("ibm-mq-md-persistence"), got.header("ibm-mq-md-priority")),
            (Some("persistent"), Some("7"))
        );
        assert_eq!(pair.depth("DEV.QUEUE.1"), format!("exit 0\nout: {left}\n"));
    }
    assert_eq!(pair.far("DELETE FAR/queue/DEV.QUEUE.1/message").status, 204);
    assert_eq!(pair.far("GET FAR/queue/DEV.QUEUE.1/message").status, 204);
    assert_eq!((pair.metric("created_total"), pair.metric("in_use"), pair.metric("idle")), (1, 0, 1));
    // The user of the request is the message's user, and the local queue manager beside it is not touched.
    pair.far("POST FAR/queue/DEV.QUEUE.1/message\n\nwhose");
    let browsed = pair.far_folder.run(&["browse", "-m", "FARQM", "DEV.QUEUE.1", "--json"]);
    assert!(browsed.contains("app"), "{browsed}");
    assert_eq!(pair.far("GET QM1/queue/DEV.QUEUE.1/message").status, 204);
}

#[test]
fn properties_and_correlation_texts_pass_and_a_topic_is_published_to() {
    let pair = Pair::trusted("");
    pair.far("POST FAR/queue/DEV.QUEUE.2/message\nibm-mq-usr: size;integer;5\nibm-mq-md-correlationId: order 4711 of the year 2026\n\nhello");
    pair.far("POST FAR/queue/DEV.QUEUE.2/message\nibm-mq-md-correlationId: order 4711 of the year 2027\n\nother");
    let got = pair.far("DELETE FAR/queue/DEV.QUEUE.2/message?correlationId=order+4711+of+the+year+2027");
    assert_eq!((got.status, got.body.as_str()), (200, "other"), "the first 24 bytes are the same");
    let got = pair.far("DELETE FAR/queue/DEV.QUEUE.2/message");
    assert_eq!((got.body.as_str(), got.header("ibm-mq-usr")), ("hello", Some("size;integer;5")));
    pair.mqsc("DEFINE SUB(NEWS) TOPICSTR('dev/news/#') DEST(DEV.QUEUE.3)");
    assert_eq!(pair.far("POST FAR/topic/dev/news/today/message\n\nnews").status, 201);
    assert_eq!(pair.far("DELETE FAR/queue/DEV.QUEUE.3/message?wait=20000").body, "news");
}

#[test]
fn a_get_waits_for_a_message_there_and_one_that_is_no_text_stays_as_it_is() {
    let pair = Pair::trusted("");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pair.far("DELETE FAR/queue/DEV.QUEUE.1/message?wait=30000"));
        eventually("a get waits there", || {
            pair.far_folder.run(&["mqsc", "FARQM", "DISPLAY QSTATUS(DEV.QUEUE.1) IPPROCS"]).contains("IPPROCS(1)")
        });
        pair.far("POST FAR/queue/DEV.QUEUE.1/message\n\nnow");
        assert_eq!(waiting.join().expect("an answer").body, "now");
    });
    let put = pair.far_folder.run(&["put", "-m", "FARQM", "DEV.QUEUE.2", "bytes", "--binary"]);
    assert!(put.starts_with("exit 0\n"), "{put}");
    for method in ["DELETE", "GET"] {
        let refused = pair.far(&format!("{method} FAR/queue/DEV.QUEUE.2/message"));
        assert_eq!(refused.error(), (501, "MQWB0309E 0".to_owned()), "{}", refused.body);
    }
    let browsed = pair.far_folder.run(&["browse", "-m", "FARQM", "DEV.QUEUE.2", "--json"]);
    assert!(browsed.contains("bytes"), "{browsed}");
}

#[test]
fn errors_of_a_remote_queue_manager_are_those_of_a_local_one() {
    let pair = Pair::trusted("");
    pair.mqsc("ALTER QLOCAL(DEV.QUEUE.3) PUT(DISABLED) GET(DISABLED)");
    pair.mqsc("ALTER QLOCAL(DEV.QUEUE.2) MAXMSGL(3)");
    for (request, status, error) in [
        ("POST FAR/queue/NONE/message\n\nx", 404, "MQWB0300E 2085"),
        ("GET FAR/queue/NONE/message", 404, "MQWB0300E 2085"),
        ("POST FAR/queue/DEV.QUEUE.3/message\n\nx", 405, "MQWB0303E 2051"),
        ("DELETE FAR/queue/DEV.QUEUE.3/message", 405, "MQWB0303E 2016"),
        ("POST FAR/queue/DEV.QUEUE.2/message\n\nlong", 400, "MQWB0303E 2030"),
        ("POST FAR/queue/SYSTEM.ADMIN.COMMAND.QUEUE/message\n\nx", 403, "MQWB0103E 2035"),
        ("GET FARQM/queue/DEV.QUEUE.1/message", 404, "MQWB0009E 2058"),
    ] {
        let answer = pair.far(request);
        assert_eq!(answer.error(), (status, error.to_owned()), "{request}: {}", answer.body);
    }
    assert_eq!(pair.far("GET FAR/queue/DEV.QUEUE.3/message").status, 204);
    assert_eq!((pair.metric("created_total"), pair.metric("in_use"), pair.metric("idle")), (1, 0, 1));
}

#[test]
fn the_entrys_user_counts_where_it_may_not_act_for_others_or_the_context_is_not_adopted() {
    let entry = "channel = 'DEV.APP.SVRCONN'\nuser = 'app'\npassword = '{xor}LDo8LTor'";
    let pair = Pair::start(entry, "[web.users]\nvisitor = 'secret'\n[web.roles]\nMQWebUser = ['user:visitor']");
    let visitor = "dmlzaXRvcjpzZWNyZXQ=";
    assert_eq!(pair.far("POST FAR/queue/DEV.QUEUE.1/message\n\nx").status, 201);
    let refused = send(&pair.near, "POST FAR/queue/DEV.QUEUE.1/message\n\nx", visitor);
    assert_eq!(refused.error(), (403, "MQWB0103E 2035".to_owned()), "{}", refused.body);
    pair.mqsc("SET AUTHREC PROFILE(DEV.QUEUE.1) OBJTYPE(QUEUE) PRINCIPAL('visitor') AUTHADD(PUT)");
    assert_eq!(send(&pair.near, "POST FAR/queue/DEV.QUEUE.1/message\n\nx", visitor).status, 403);
    pair.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(ALTUSR)");
    assert_eq!(send(&pair.near, "POST FAR/queue/DEV.QUEUE.1/message\n\nx", visitor).status, 201);

    let plain = Pair::start(
        entry,
        "[messaging]\nadopt_web_user_context = false\n[web.users]\nvisitor = 'secret'\n[web.roles]\nMQWebUser = ['user:visitor']",
    );
    assert_eq!(send(&plain.near, "POST FAR/queue/DEV.QUEUE.1/message\n\nx", visitor).status, 201);
}

#[test]
fn without_a_pool_every_request_is_a_connection_and_with_one_few_are() {
    let pair = Pair::trusted("[messaging]\nmax_pool_size = 0");
    for _ in 0..20 {
        assert_eq!(pair.far("POST FAR/queue/DEV.QUEUE.1/message\n\nx").status, 201);
    }
    assert_eq!((pair.metric("created_total"), pair.metric("idle"), pair.metric("overflowed_total")), (20, 0, 0));
    let pooled = Pair::trusted("");
    for _ in 0..20 {
        assert_eq!(pooled.far("POST FAR/queue/DEV.QUEUE.1/message\n\nx").status, 201);
    }
    // One for each thread of the server that had requests.
    assert!(pooled.metric("created_total") <= 2, "{}", pooled.metric("created_total"));
}

#[test]
fn one_that_does_not_run_is_503_and_found_again_when_it_does() {
    let pair = Pair::trusted("");
    assert_eq!(pair.far("POST FAR/queue/DEV.QUEUE.1/message\nibm-mq-md-persistence: persistent\n\nx").status, 201);
    assert_eq!(send(&pair.near, "GET /readyz?qmgr=FAR", "").status, 200);
    pair.far_folder.run(&["endmqm", "-i", "FARQM"]);
    let gone = pair.far("GET FAR/queue/DEV.QUEUE.1/message");
    assert_eq!(gone.error().0, 503, "{}", gone.body);
    assert_eq!(send(&pair.near, "GET /readyz?qmgr=FAR", "").status, 503);
    assert_eq!(send(&pair.near, "GET /readyz", "").status, 200, "the local queue manager serves");
    let started = pair.far_folder.run(&["strmqm", "FARQM"]);
    assert!(started.starts_with("exit 0\n"), "{started}");
    assert_eq!(pair.far("DELETE FAR/queue/DEV.QUEUE.1/message").body, "x");
    let said = pair.near.errors_with("can be reached again");
    assert_eq!(said.matches("cannot be reached").count(), 1, "{said}");
    assert!(!said.contains("secret"));
    drop(pair.far);
}

#[test]
fn a_server_of_remote_queue_managers_alone_serves_them_and_knows_no_others() {
    let pair = Pair::trusted("[server]\nqueue_managers = []");
    assert_eq!(pair.near.ready["queueManagers"], serde_json::json!([]));
    assert_eq!(send(&pair.near, "GET /readyz", "").status, 200);
    assert_eq!(pair.far("POST FAR/queue/DEV.QUEUE.1/message\n\nx").status, 201);
    assert_eq!(pair.far("POST QM1/queue/DEV.QUEUE.1/message\n\nx").error(), (404, "MQWB0009E 2058".to_owned()));
    assert_eq!(send(&pair.near, "GET /ibmmq/rest/v2/admin/qmgr", ADMIN).status, 200);
    let refused = pair.near_folder.run(&["crtmqm", "FAR"]);
    assert!(refused.starts_with("exit 8\n") && refused.contains("remote_queue_managers"), "{refused}");
    let (code, said) = pair.near.terminate();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("REST messaging is enabled for REMOTE queue managers"), "{said}");
}

#[test]
fn a_name_that_a_local_queue_manager_has_too_is_refused() {
    let folder = Folder::new();
    let entry = "[remote_queue_managers.QM1]\nchannel = 'C'\nconnection_name = 'h'\n";
    let file = folder.write("quaymaster.toml", entry).display().to_string();
    let check = || folder.run(&["config", "check", &file]);
    let said = check();
    assert!(said.starts_with("exit 2\n") && said.contains("remote_queue_managers in"), "{said}");
    assert!(said.contains("a queue manager of this server has the name of an entry"), "{said}");
    folder.write("quaymaster.toml", "[server]\nqueue_managers = []\n");
    let said = check();
    assert!(said.contains("a server without one needs remote_queue_managers"), "{said}");
    // Only the start knows those of the data directory.
    folder.write("quaymaster.toml", &format!("[server]\nqueue_managers = ['A']\n{entry}"));
    assert!(check().starts_with("exit 0\n"));
    assert!(folder.run(&["crtmqm", "QM1"]).starts_with("exit 0\n"));
    let said = folder.run(&["serve", "--https", "off", "--http", "127.0.0.1:0", "--mq", "off", "--metrics", "off"]);
    assert!(
        said.starts_with("exit 2\n") && said.contains("remote_queue_managers.QM1: a queue manager of this server"),
        "{said}"
    );
}
