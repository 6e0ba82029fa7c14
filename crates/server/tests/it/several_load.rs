//! Two queue managers under load: one is ended and started again, or the server is killed, and no answered put is lost.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::program::{Folder, PATIENCE, Server, eventually};

/// Writers that put numbered messages over REST until told to stop.
struct Load {
    stop: Arc<AtomicBool>,
    /// Puts answered with 201 so far.
    answered: Arc<AtomicU32>,
    writers: Vec<JoinHandle<Outcome>>,
}

#[derive(Default)]
struct Outcome {
    answered: Vec<String>,
    /// Status of everything else; 0 when the connection broke.
    refused: BTreeMap<u16, u32>,
}

impl Load {
    fn start(server: &Server, folder: &Folder, queue_manager: &'static str) -> Self {
        let authorization = authorization(folder);
        let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let writers = (0..4).map(|writer| {
            let (stop, count) = (Arc::clone(&stop), Arc::clone(&answered));
            let (address, authorization) = (server.address("http"), authorization.clone());
            std::thread::spawn(move || {
                let mut outcome = Outcome::default();
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    number += 1;
                    let body = format!("{queue_manager}.{writer}.{number}");
                    match put(&address, queue_manager, &authorization, &body) {
                        Some(201) => {
                            outcome.answered.push(body);
                            count.fetch_add(1, Ordering::Relaxed);
                        }
                        status => *outcome.refused.entry(status.unwrap_or(0)).or_default() += 1,
                    }
                }
                outcome
            })
        });
        let writers = writers.collect();
        Self { stop, answered, writers }
    }

    /// Waits until `more` puts have been answered since now.
    fn goes_on(&self, more: u32) {
        let before = self.answered.load(Ordering::Relaxed);
        eventually("puts", || self.answered.load(Ordering::Relaxed) >= before + more);
    }

    fn finish(self) -> Outcome {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Outcome::default();
        for writer in self.writers {
            let outcome = writer.join().expect("no panic");
            all.answered.extend(outcome.answered);
            for (status, count) in outcome.refused {
                *all.refused.entry(status).or_default() += count;
            }
        }
        all
    }
}

/// Status of a persistent put on a connection of its own; `None` when it broke.
fn put(address: &str, queue_manager: &str, authorization: &str, body: &str) -> Option<u16> {
    exchange(address, "POST", queue_manager, authorization, body).map(|(status, _)| status)
}

/// Status and body of one request on DEV.QUEUE.1.
fn exchange(
    address: &str,
    method: &str,
    queue_manager: &str,
    authorization: &str,
    body: &str,
) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let request = format!(
        "{method} /ibmmq/rest/v3/messaging/qmgr/{queue_manager}/queue/DEV.QUEUE.1/message HTTP/1.1\r\nHost: localhost\r\n\
         Authorization: Basic {authorization}\r\nibm-mq-rest-csrf-token: x\r\nibm-mq-md-persistence: persistent\r\n\
         Content-Type: text/plain;charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    Some((status, answer.split_once("\r\n\r\n")?.1.to_owned()))
}

fn authorization(folder: &Folder) -> String {
    STANDARD.encode(format!("app:{}", folder.password("app")))
}

/// Every message of the queue, got; how often each was there.
fn drain(folder: &Folder, queue_manager: &str) -> BTreeMap<String, u32> {
    let got = folder.run(&["get", "-m", queue_manager, "DEV.QUEUE.1", "--all"]);
    let mut seen = BTreeMap::new();
    for body in got.lines().filter_map(|line| line.strip_prefix("out: ")) {
        *seen.entry(body.to_owned()).or_default() += 1;
    }
    seen
}

fn check_none_lost(folder: &Folder, queue_manager: &str, answered: &[String]) {
    let seen = drain(folder, queue_manager);
    let lost: Vec<_> = answered.iter().filter(|body| !seen.contains_key(*body)).collect();
    assert!(lost.is_empty(), "{} of {} answered puts are lost, such as {}", lost.len(), answered.len(), lost[0]);
    let twice: Vec<_> = seen.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "seen twice: {twice:?}");
}

fn end_under_load(mode: &str) {
    let folder = Folder::new();
    let server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    let (other, ended) = (Load::start(&server, &folder, "QM1"), Load::start(&server, &folder, "QM2"));
    for _ in 0..3 {
        ended.goes_on(40);
        assert!(folder.run(&["endmqm", mode, "QM2"]).starts_with("exit 0\n"));
        other.goes_on(20);
        assert!(folder.run(&["strmqm", "QM2"]).starts_with("exit 0\n"));
    }
    ended.goes_on(20);
    let (other, ended) = (other.finish(), ended.finish());
    assert_eq!(other.refused, BTreeMap::new(), "the other queue manager is not touched");
    assert!(ended.refused.keys().all(|status| *status == 503), "{:?}", ended.refused);
    check_none_lost(&folder, "QM1", &other.answered);
    check_none_lost(&folder, "QM2", &ended.answered);
    assert_eq!(server.terminate().0, Some(0));
}

#[test]
fn an_immediate_end_under_load_loses_no_answered_put_and_leaves_the_other_alone() {
    end_under_load("-i");
}

#[test]
fn a_quiesce_under_load_ends_loses_nothing_and_leaves_the_other_alone() {
    end_under_load("-w");
}

#[test]
fn a_message_is_answered_once_or_still_there_when_its_queue_manager_ends_under_gets() {
    const MESSAGES: usize = 400;
    let folder = Folder::new();
    let server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
    let (address, authorization) = (server.address("http"), authorization(&folder));
    let all: Vec<String> = (0..MESSAGES).map(|number| format!("m{number}")).collect();
    for body in &all {
        assert_eq!(put(&address, "QM2", &authorization, body), Some(201));
    }
    let answered = Arc::new(AtomicU32::new(0));
    let getters: Vec<_> = (0..4)
        .map(|_| {
            let (address, authorization, count) = (address.clone(), authorization.clone(), Arc::clone(&answered));
            std::thread::spawn(move || {
                let mut got = Vec::new();
                loop {
                    match exchange(&address, "DELETE", "QM2", &authorization, "").expect("an answer") {
                        (200, body) => got.push(body),
                        (503, _) => {}
                        (204, _) => return got,
                        other => panic!("{other:?}"),
                    }
                    count.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for mode in ["-i", "-w", "-i"] {
        let before = answered.load(Ordering::Relaxed);
        eventually("gets", || answered.load(Ordering::Relaxed) >= before + 50);
        assert!(folder.run(&["endmqm", mode, "QM2"]).starts_with("exit 0\n"));
        assert!(folder.run(&["strmqm", "QM2"]).starts_with("exit 0\n"));
    }
    let mut got: Vec<String> = getters.into_iter().flat_map(|getter| getter.join().expect("no panic")).collect();
    got.sort_unstable();
    let mut all = all;
    all.sort_unstable();
    assert_eq!(got, all, "each message was answered exactly once");
    assert_eq!(folder.run(&["depth", "-m", "QM2", "DEV.QUEUE.1"]), "exit 0\nout: 0\n");
    assert_eq!(server.terminate().0, Some(0));
}

#[test]
fn a_server_killed_under_load_brings_both_back_with_every_answered_put() {
    let folder = Folder::new();
    let mut answered: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for _ in 0..2 {
        let mut server = Server::start(&folder, &["--qmgr", "QM1", "--qmgr", "QM2"]);
        let loads = ["QM1", "QM2"].map(|name| (name, Load::start(&server, &folder, name)));
        for (_, load) in &loads {
            load.goes_on(40);
        }
        server.signal("KILL");
        server.wait();
        for (name, load) in loads {
            // A writer's numbers begin anew with each round.
            let round = answered.entry(name).or_default();
            round.clear();
            round.extend(load.finish().answered);
        }
        let server = Server::start(&folder, &["--qmgr", "QM1"]);
        assert_eq!(server.ready["queueManagers"], serde_json::json!(["QM1", "QM2"]));
        for (name, answered) in &answered {
            check_none_lost(&folder, name, answered);
        }
        assert_eq!(server.terminate().0, Some(0));
    }
}
