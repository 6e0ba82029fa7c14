//! Long lists: sent while they are made, at the pace of whoever reads them.

use std::io::{Read, Write};

use model::definition::QueueDefinition;
use model::name::QueueName;

use super::admin::{QUEUES, get};
use super::client;
use super::server::{TestServer, eventually, server_user};

const QUEUES_HERE: usize = 10_000;

fn with_many_queues() -> TestServer {
    let server = TestServer::start();
    server.block_on(async {
        for number in 0..QUEUES_HERE {
            let definition = QueueDefinition::local(QueueName::literal(&format!("MANY.{number:05}")));
            server.queue_manager.define_queue(&server_user(), definition, false).await.expect("defined");
        }
    });
    server
}

/// Bytes of memory this process holds.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: u64 = status.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number");
    pages * 4096
}

#[test]
fn ten_thousand_queues_come_complete_in_order_and_page_by_page() {
    let server = with_many_queues();
    let all = get(&server, &format!("{QUEUES}?name=MANY.*&attributes=*"));
    let all = all["queue"].as_array().expect("an array");
    assert_eq!(all.len(), QUEUES_HERE);
    for (number, queue) in all.iter().enumerate() {
        assert_eq!(queue["name"], format!("MANY.{number:05}"));
        assert_eq!(queue["storage"]["maximumDepth"], 5000);
    }
    let page = get(&server, &format!("{QUEUES}?name=MANY.*&offset=9990&limit=100"));
    assert_eq!(page["queue"].as_array().map(Vec::len), Some(10));
    assert_eq!(page["queue"][9]["name"], "MANY.09999");
}

/// Fifty clients that read nothing: what is made for them is what fits into sockets and a few pieces each. Measured in a
/// process of its own, for the memory of other tests is none of it.
#[test]
fn clients_that_do_not_read_cost_little_memory_and_get_everything_later() {
    const ALONE: &str = "QUAYMASTER_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "http::admin_stream::clients_that_do_not_read_cost_little_memory_and_get_everything_later";
        let mut alone = std::process::Command::new(std::env::current_exe().expect("this program"));
        let output = alone.args([name, "--exact"]).env(ALONE, "1").output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let server = with_many_queues();
    let request = format!(
        "GET {QUEUES}?name=MANY.*&attributes=* HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{}\r\n\r\n",
        client::basic("admin", "adminpw")
    );
    let before = resident();
    let mut waiting: Vec<_> = (0..50)
        .map(|_| {
            let mut stream = client::connect(server.http());
            stream.write_all(request.as_bytes()).expect("sent");
            // The answer has begun.
            let mut first = [0; 1];
            stream.read_exact(&mut first).expect("the status line");
            assert_eq!(first, *b"H");
            stream
        })
        .collect();
    let grown = resident().saturating_sub(before);
    assert!(grown < 100 << 20, "{grown} bytes for 50 slow readers of lists of 20 MB each");
    let mut text = String::new();
    waiting.remove(0).read_to_string(&mut text).expect("the rest");
    assert_eq!(text.matches("\"fullEnabled\"").count(), QUEUES_HERE);
    // Others are served meanwhile, and a client that goes away takes its list with it.
    get(&server, &format!("{QUEUES}/Q"));
    drop(waiting);
    eventually("every list has ended", || get(&server, &format!("{QUEUES}/Q"))["queue"][0]["name"] == "Q");
}

#[test]
fn queues_that_come_and_go_while_a_list_is_read_do_not_disturb_it() {
    let server = with_many_queues();
    let mut stream = client::connect(server.http());
    let request = format!(
        "GET {QUEUES}?name=MANY.*&attributes=* HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{}\r\n\r\n",
        client::basic("admin", "adminpw")
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut first = [0; 1];
    stream.read_exact(&mut first).expect("the status line");
    let last = QueueName::literal("MANY.09999");
    server.block_on(server.queue_manager.delete_queue(&server_user(), &last, false)).expect("deleted");
    let added = QueueDefinition::local(QueueName::literal("MANY.NEW"));
    server.block_on(server.queue_manager.define_queue(&server_user(), added, false)).expect("defined");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("the rest");
    assert_eq!(text.matches("\"fullEnabled\"").count(), QUEUES_HERE - 1);
    assert!(!text.contains("MANY.09999") && !text.contains("MANY.NEW"));
}
