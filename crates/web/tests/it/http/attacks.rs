//! What a client can make the server hold, and whom it can keep from it: bodies, answers, connections.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};

use model::descriptor::{Format, MessageDescriptor};

use super::client::{self, Client, basic};
use super::server::{PATIENCE, TestServer, eventually};

/// A connection from another address of this machine.
fn connect_from(server: &TestServer, source: Ipv4Addr, to: SocketAddr) -> TcpStream {
    let stream = server.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::new(IpAddr::V4(source), 0)).expect("an address of this machine");
        socket.connect(to).await.expect("connected").into_std().expect("a stream")
    });
    stream.set_nonblocking(false).expect("blocking");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

fn metric(server: &TestServer, line: &str) -> u64 {
    let page = client::metrics(server).exchange("GET /metrics").text();
    let value = page.lines().find_map(|found| found.strip_prefix(line)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("no {line} in {page}")).parse().expect("a whole number")
}

#[test]
fn an_administrative_body_is_short_and_its_values_are_cut_in_errors() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let admin = basic("admin", "adminpw");
    let mut create = |body: &str| {
        client.exchange(&format!("POST v1/admin/qmgr/QM1/queue\n{admin}\ncontent-type: application/json\n\n{body}"))
    };
    let zeros = |count: usize| format!("{{\"name\":[{}0]}}", "0,".repeat(count));
    let array = create(&zeros(100_000));
    assert_eq!((array.status, &*array.error_id()), (400, "MQWB0915E"));
    assert!(array.body.len() < 1000, "{}", array.text());
    let text = create(&format!("{{\"name\": \"Z\", \"general\": {{\"inhibitPut\": \"{}\"}}}}", "x".repeat(100_000)));
    assert_eq!((text.status, &*text.error_id()), (400, "MQWB0915E"));
    assert!(text.body.len() < 2000, "{}", text.text());
    let mut long = client::plain(&server);
    long.send(&format!(
        "POST v1/admin/qmgr/QM1/queue\n{admin}\ncontent-type: application/json\ncontent-length: 99000000\n\n{{"
    ));
    let refused = long.receive(false);
    assert_eq!((refused.status, &*refused.error_id()), (413, "MQWB0906E"));
    let mut nobody = client::plain(&server);
    nobody.send(
        "POST v1/admin/qmgr/QM1/queue\n-authorization\ncontent-type: application/json\ncontent-length: 99000000\n\n{",
    );
    assert_eq!(nobody.receive(false).status, 401);
}

#[test]
fn silent_sockets_of_one_address_shut_nobody_out() {
    let server = TestServer::start_with(|options| {
        options.limits.connections = 20;
        options.limits.connections_per_address = 15;
        options.limits.metrics_connections = 4;
        // None goes by itself.
        options.limits.header_seconds = 3600;
    });
    let metrics = server.web.metrics().expect("a metrics listener");
    let crowd: Vec<_> = (0..60).map(|_| client::connect(server.http())).collect();
    let probes: Vec<_> = (0..20).map(|_| client::connect(metrics)).collect();
    let other = Ipv4Addr::new(127, 0, 0, 2);
    let mut legitimate = Client::over(connect_from(&server, other, server.http()));
    assert_eq!(legitimate.exchange("POST v1/queue/Q/message\n\nx").status, 201);
    assert_eq!(client::tls(&server).exchange("GET v1/queue/Q/message").status, 200);
    assert_eq!(client::metrics(&server).exchange("GET /livez").status, 200);
    assert_eq!(legitimate.exchange("DELETE v1/queue/Q/message").status, 200, "it keeps its place");
    let held = crowd.iter().filter(|stream| is_open(stream)).count();
    assert!(held <= 15, "{held} of one address");
    assert!(metric(&server, "quaymaster_http_connections_made_room_total{listener=\"http\"}") >= 45);
    drop(probes);
}

fn is_open(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("not blocking");
    let open = matches!((&*stream).read(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock);
    stream.set_nonblocking(false).expect("blocking");
    open
}

#[test]
fn connections_whose_bodies_do_not_come_make_room() {
    let server = TestServer::start_with(|options| options.limits.connections = 3);
    let mut slow: Vec<_> = (0..3).map(|_| client::plain(&server)).collect();
    for client in &mut slow {
        client.send("POST v1/queue/Q/message\ncontent-length: 10\n\nshort");
    }
    eventually("a place", || {
        let mut newcomer = client::connect(server.http());
        let sent = newcomer.write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
        sent.is_ok() && newcomer.read(&mut [0; 16]).is_ok_and(|length| length > 0)
    });
    assert_eq!(server.status("Q").puts, 0);
}

#[test]
fn requests_that_wait_are_bounded_and_the_others_are_served() {
    let server = TestServer::start_with(|options| options.limits.waiting_requests = 2);
    let mut waiting: Vec<_> = (0..2).map(|_| client::plain(&server)).collect();
    for client in &mut waiting {
        client.send("DELETE v1/queue/Q/message?wait=600000");
    }
    eventually("two waiters", || server.status("Q").waiters == 2);
    let mut third = client::plain(&server);
    let refused = third.exchange("DELETE v1/queue/Q/message?wait=600000");
    assert_eq!((refused.status, &*refused.error_id(), refused.header("retry-after")), (503, "MQWB0919E", Some("1")));
    assert_eq!(third.exchange("DELETE v1/queue/Q/message").status, 204);
    assert_eq!(third.exchange("POST v1/queue/Q/message\n\nx").status, 201);
    eventually("one waiter", || server.status("Q").waiters == 1);
    third.send("DELETE v1/queue/Q/message?wait=600000");
    eventually("two waiters again", || server.status("Q").waiters == 2);
}

#[test]
fn a_message_longer_than_its_queue_takes_is_refused_before_it_is_sent() {
    let server = TestServer::start();
    for (queue, length, reason) in
        [("Q", 5_000_000, 2031), ("SMALL", 100_000, 2030), ("ALIAS", 5_000_000, 2031), ("A%2FB", 90_000_000, 2031)]
    {
        let mut client = client::plain(&server);
        client.send(&format!("POST v1/queue/{queue}/message\ncontent-length: {length}\n\nx"));
        let refused = client.receive(false);
        assert_eq!((refused.status, &*refused.error_id()), (400, "MQWB0303E"), "{queue}");
        assert!(refused.text().contains(&format!("\"reasonCode\": {reason}")), "{}", refused.text());
    }
    let mut chunked = client::plain(&server);
    chunked
        .send("POST v1/queue/SMALL/message\n-content-length\ntransfer-encoding: chunked\n\n10\r\n0123456789abcdef\r\n");
    assert_eq!(chunked.receive(false).status, 400, "its end is not waited for");
    assert_eq!(server.status("Q").puts + server.status("SMALL").puts, 0);
}

#[test]
fn bodies_share_their_memory_and_give_it_back() {
    let server = TestServer::start_with(|options| options.limits.body_memory_bytes = 2 << 20);
    let mut first = client::plain(&server);
    first.send(&format!("POST v1/queue/Q/message\ncontent-length: 3000000\n\n{}", "x".repeat(700_000)));
    eventually("the first body", || metric(&server, "quaymaster_http_body_bytes") >= 700_000);
    assert!(metric(&server, "quaymaster_http_body_bytes") < 1 << 20, "what is announced is not charged");
    let mut second = client::plain(&server);
    second.send(&format!("POST v1/queue/Q/message\n\n{}", "y".repeat(1_500_000)));
    let refused = second.receive(false);
    assert_eq!((refused.status, &*refused.error_id(), refused.header("retry-after")), (503, "MQWB0919E", Some("1")));
    drop(first);
    eventually("the end of the first body", || metric(&server, "quaymaster_http_body_bytes") == 0);
    let mut third = client::plain(&server);
    assert_eq!(third.exchange(&format!("POST v1/queue/Q/message\n\n{}", "z".repeat(1_500_000))).status, 201);
    assert_eq!(metric(&server, "quaymaster_http_body_bytes"), 0);
}

#[test]
fn bodies_of_one_address_leave_memory_for_those_of_another() {
    let server = TestServer::start_with(|options| options.limits.body_memory_bytes = 2 << 20);
    let mut crowd = Vec::new();
    for number in 1..=6 {
        let mut client = client::plain(&server);
        client.send(&format!("POST v1/queue/Q/message\ncontent-length: 300000\n\n{}", "x".repeat(250_000)));
        eventually("a body that does not go on", || metric(&server, "quaymaster_http_body_bytes") >= number * 250_000);
        crowd.push(client);
    }
    let put = format!("POST v1/queue/Q/message\n\n{}", "y".repeat(200_000));
    let mut own = client::plain(&server);
    assert_eq!(own.exchange(&put).status, 503);
    let mut other = client::plain_from(&server, [127, 0, 0, 2]);
    assert_eq!(other.exchange(&put).status, 201);
    drop(crowd);
    eventually("all of the memory", || metric(&server, "quaymaster_http_body_bytes") == 0);
    assert_eq!(client::plain(&server).exchange(&put).status, 201);
}

#[test]
fn clients_that_do_not_read_their_answers_are_ended_when_memory_is_short() {
    let server = TestServer::start_with(|options| options.limits.answer_memory_bytes = 8 << 20);
    server.put(
        "Q",
        MessageDescriptor { format: Format::STRING, ..MessageDescriptor::default() },
        vec![b'x'; 4_000_000],
    );
    let readers: Vec<_> = (0..12)
        .map(|_| {
            let mut client = Client::over(client::connect(server.http()));
            (0..4).for_each(|_| client.send("GET v1/queue/Q/message"));
            client
        })
        .collect();
    let unread = || metric(&server, "quaymaster_http_unread_answer_bytes");
    eventually("more than half of the memory", || unread() > 4 << 20);
    eventually("less than half of the memory", || unread() <= 4 << 20);
    assert_eq!(client::plain(&server).exchange("POST v1/queue/Q.EMPTY/message\n\nx").status, 201);
    drop(readers);
    eventually("all of the memory", || unread() == 0);
}

#[test]
fn a_refusal_reaches_a_client_that_still_sends() {
    let server = TestServer::start();
    let body = vec![b'x'; 6_000_000];
    let head = |length: usize| {
        format!(
            "POST /ibmmq/rest/v1/messaging/qmgr/QM1/queue/Q/message HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n\
             content-length: {length}\r\n\r\n"
        )
    };
    for is_tls in [false, true] {
        let mut client = if is_tls { client::tls(&server) } else { client::plain(&server) };
        client.stream.write_all(head(body.len()).as_bytes()).expect("sent");
        client.stream.write_all(&body).expect("the server reads on");
        assert_eq!(client.receive(false).status, 401);
        assert!(client.is_closed_by_server());
    }
    // A service's refusal, likewise: there is no such service.
    let mut service = client::plain(&server);
    let head = head(body.len())
        .replace("/ibmmq/rest/v1/messaging/qmgr/QM1/queue/Q/message", "/zosConnect/services/none?action=invoke");
    let head = head.replace("content-type", &format!("{}\r\ncontent-type", basic("app", "secret")));
    service.stream.write_all(head.as_bytes()).expect("sent");
    service.stream.write_all(&body).expect("the server reads on");
    assert_eq!(service.receive(false).status, 404);
}

#[test]
fn a_delete_with_a_body_takes_a_message_only_when_the_body_has_come() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    assert_eq!(client.exchange("POST v1/queue/Q/message\n\nkept").status, 201);
    let mut early = client::plain(&server);
    early.send("DELETE v1/queue/Q/message\ncontent-length: 10\n\nshort");
    let mut long = client::plain(&server);
    long.send("DELETE v1/queue/Q/message\ncontent-length: 100000\n\nshort");
    assert_eq!(long.receive(false).status, 413);
    assert_eq!(server.status("Q").depth.current, 1, "neither has taken it");
    early.stream.write_all(b"rest.").expect("sent");
    assert_eq!(early.receive(false).text(), "kept");
    assert_eq!(early.exchange("GET /livez").status, 200, "the connection goes on");
}

#[test]
fn a_request_has_one_host() {
    let server = TestServer::start();
    for (hosts, version, status) in [
        ("host: a\r\n", "1.1", 200),
        ("", "1.1", 400),
        ("host: a\r\nhost: a\r\n", "1.1", 400),
        ("host: a\r\nhost: b\r\n", "1.0", 400),
        ("", "1.0", 200),
    ] {
        let mut client = client::plain(&server);
        client.stream.write_all(format!("GET /livez HTTP/{version}\r\n{hosts}\r\n").as_bytes()).expect("sent");
        let answer = client.receive(false);
        assert_eq!(answer.status, status, "{version} {hosts:?}");
        assert!(status == 200 || answer.error_id() == "MQWB0920E");
    }
}

#[test]
fn a_message_that_is_no_text_can_be_passed_over() {
    let server = TestServer::start();
    let bytes = MessageDescriptor { priority: 9, ..MessageDescriptor::default() };
    server.put("Q", bytes.clone(), "bytes");
    server.put("Q", bytes, "more bytes");
    let mut client = client::plain(&server);
    assert_eq!(client.exchange("POST v1/queue/Q/message\n\nfirst").status, 201);
    assert_eq!(client.exchange("POST v1/queue/Q/message\n\nsecond").status, 201);
    for request in [
        "GET v1/queue/Q/message",
        "DELETE v1/queue/Q/message",
        "DELETE v1/queue/Q/message\nquaymaster-unreadable: refuse",
    ] {
        let refused = client.exchange(request);
        assert_eq!((refused.status, &*refused.error_id()), (501, "MQWB0309E"));
        assert!(refused.text().contains("quaymaster-unreadable: skip"), "{}", refused.text());
    }
    let skip = "quaymaster-unreadable: skip";
    assert_eq!(client.exchange(&format!("GET v1/queue/Q/message\n{skip}")).text(), "first");
    assert_eq!(client.exchange(&format!("DELETE v1/queue/Q/message\n{skip}")).text(), "first");
    assert_eq!(client.exchange(&format!("DELETE v1/queue/Q/message?wait=10000\n{skip}")).text(), "second");
    assert_eq!(client.exchange(&format!("DELETE v1/queue/Q/message?wait=50\n{skip}")).status, 204);
    let mut waiting = client::plain(&server);
    waiting.send(&format!("DELETE v1/queue/Q/message?wait=20000\n{skip}"));
    eventually("a waiter", || server.status("Q").waiters == 1);
    assert_eq!(client.exchange("POST v1/queue/Q/message\n\nthird").status, 201);
    assert_eq!(waiting.receive(false).text(), "third");
    assert_eq!(server.status("Q").depth.current, 2, "what is no text stays");
    assert_eq!(client.exchange("DELETE v1/queue/Q/message\nquaymaster-unreadable: perhaps").status, 400);
}
