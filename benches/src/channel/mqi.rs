//! What the MQI library in C costs its program: processor time of the client for a put and a get and for MQCONN with MQDISC, against
//! the Rust client end and the classes for Java; its size, and what a process with a connection holds.
//!
//! All three run the same loop on a channel without TLS: put 1 KiB, get it, both outside syncpoint, each thread on a connection, a
//! socket and a queue of its own. The Rust client end runs in this process, which does nothing else meanwhile.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use channel_client::address::ConnectionNames;
use channel_client::client::Client;
use channel_client::options::{ConnectOptions, Credentials};
use model::descriptor::{MessageDescriptor, Persistence};
use model::name::ObjectName;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use system_tests::program::client_tree;
use system_tests::server::APP_PASSWORD;
use workload::measure::{self, processor_time};

use super::java;
use super::peer::warm_up_time;
use super::program::Program;
use super::setting::{JAVA_REPLY_QUEUES, Setting, Transport};
use super::{Both, CLIENTS, Load, Names, PAIR_BYTES, boxed};
use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::machine::memory;
use crate::report::{Bar, Report};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/channel/mqi/load.c");
/// Connections of one measurement.
const CONNECTIONS: u32 = 500;
const MEGABYTE: f64 = 1e6;

/// What is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nonpersistent,
    Persistent,
}

impl Kind {
    /// As the programs know it.
    fn word(self) -> &'static str {
        match self {
            Self::Nonpersistent => "NONPERSISTENT",
            Self::Persistent => "PERSISTENT",
        }
    }
}

/// One loop, by each of the three where they have names for it.
struct Loop {
    kind: Kind,
    threads: u32,
    library: Names,
    rust: Names,
    java: Option<Names>,
}

const LOOPS: [Loop; 3] = [
    Loop {
        kind: Kind::Nonpersistent,
        threads: 1,
        library: ("C library, nonpersistent", "C library, nonpersistent: CPU"),
        rust: ("Rust client end, nonpersistent", "Rust client end, nonpersistent: CPU"),
        java: Some(("classes for Java, nonpersistent", "classes for Java, nonpersistent: CPU")),
    },
    Loop {
        kind: Kind::Persistent,
        threads: 1,
        library: ("C library, persistent", "C library, persistent: CPU"),
        rust: ("Rust client end, persistent", "Rust client end, persistent: CPU"),
        java: Some(("classes for Java, persistent", "classes for Java, persistent: CPU")),
    },
    Loop {
        kind: Kind::Nonpersistent,
        threads: CLIENTS,
        library: ("C library, 10 threads", "C library, 10 threads: CPU"),
        rust: ("Rust client end, 10 threads", "Rust client end, 10 threads: CPU"),
        java: None,
    },
];
const CONNECTING: [&str; 2] = ["C library: MQCONN and MQDISC", "Rust client end: MQCONN and MQDISC"];

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let setting = Setting::start(&effort.work)?;
    let folder = tempfile::Builder::new().prefix("mqi").tempdir_in(&effort.work)?;
    let tree = client_tree()?;
    let load = compiled(&tree, folder.path())?;
    let library = RefCell::new(Program::start(program(&load, &setting), folder.path(), "library")?);
    let java = RefCell::new(classes_for_java(&effort.work, folder.path(), &setting)?);
    // The virtual machine compiles its loop as it runs.
    let long = Effort { rest: warm_up_time(effort), ..effort.clone() };
    for kind in [Kind::Nonpersistent, Kind::Persistent] {
        by_program(&java, kind, 1, &long)?;
    }
    let mut loads = Vec::new();
    for Loop { kind, threads, library: names, rust, java: of_java } in &LOOPS {
        loads.push((*names, Both::new(boxed(|| by_program(&library, *kind, *threads, effort)))));
        loads.push((*rust, Both::new(boxed(|| by_rust(&setting, *kind, *threads, effort)))));
        if let Some(names) = of_java {
            loads.push((*names, Both::new(boxed(|| by_program(&java, *kind, *threads, effort)))));
        }
    }
    let mut cells: Vec<Cell<'_>> = loads.iter().flat_map(|(names, load)| load.cells(*names)).collect();
    let connections = if report.is_quick() { CONNECTIONS / 5 } else { CONNECTIONS };
    let [by_c, by_rust_end] = CONNECTING;
    cells.push(Cell::new(by_c, || {
        let mut library = library.borrow_mut();
        per_one(library.pid(), u64::from(connections), || library.ask(&format!("connect {connections}")).map(drop))
    }));
    cells.push(Cell::new(by_rust_end, || {
        per_one(std::process::id(), u64::from(connections), || connect_by_rust(&setting, connections))
    }));
    let measured = interleave(effort.rounds, cells)?;

    let [one, persistent, ten] = &LOOPS;
    let cpu = |name, limit, ours: &Loop, peer: Names| {
        Bar::at_most(name, limit).ratio(&measured, ours.library.1, peer.1, "µs")
    };
    report.add(cpu(
        "client CPU of a put and a get, 1 KiB nonpersistent: C library against the Rust client end",
        1.3,
        one,
        one.rust,
    ));
    report.add(cpu("the same, persistent", 1.3, persistent, persistent.rust));
    let rows = [(one, "the same against the classes for Java, nonpersistent"), (persistent, "and persistent")];
    for (ours, name) in rows {
        report.add(cpu(name, 0.3, ours, ours.java.context("Java has this loop")?));
    }
    report.add(cpu("10 threads with a connection each: client CPU against the Rust client end", 1.3, ten, ten.rust));
    report.add(Bar::at_least("their rate", 0.9).ratio(&measured, ten.library.0, ten.rust.0, "/s"));
    report.add(Bar::at_most("client CPU of MQCONN and MQDISC: C library against the Rust client end", 1.2).ratio(
        &measured,
        by_c,
        by_rust_end,
        "µs",
    ));
    report.add(Bar::at_most("the library, stripped", 6.0).value(size(&tree)?, "MB"));
    let mut holding = Program::start(program(&load, &setting), folder.path(), "holding")?;
    holding.ask("hold")?;
    #[expect(clippy::cast_precision_loss, reason = "some megabytes")]
    let resident = memory(holding.pid())?.resident as f64 / MEGABYTE;
    report.add(Bar::at_most("resident memory of a process with one connection", 8.0).value(resident, "MB"));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "some megabytes")]
fn size(tree: &Path) -> Result<f64> {
    Ok(std::fs::metadata(tree.join("lib64/libmqm_r.so"))?.len() as f64 / MEGABYTE)
}

/// The program in C, below the folder.
fn compiled(tree: &Path, folder: &Path) -> Result<PathBuf> {
    let program = folder.join("load");
    let library = tree.join("lib64");
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-pthread", "-I"]).arg(tree.join("inc")).arg(SOURCE);
    command.arg("-L").arg(&library).arg("-lmqm_r").arg(format!("-Wl,-rpath,{}", library.display()));
    let compiled = command.arg("-o").arg(&program).output().context("cc is not installed (Debian: gcc)")?;
    ensure!(compiled.status.success(), "cc: {}", String::from_utf8_lossy(&compiled.stderr));
    Ok(program)
}

/// As user `app` on a plain channel, whatever this process has in its environment.
fn program(load: &Path, setting: &Setting) -> Command {
    let mut command = Command::new(load);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MQ")) {
        command.env_remove(name);
    }
    let server = format!("{}/TCP/{}({})", Transport::Plain.channel(), setting.mq.ip(), setting.mq.port());
    command.env("MQSERVER", server).env("LOAD_QUEUES", JAVA_REPLY_QUEUES);
    command.env("LOAD_USER", "app").env("LOAD_PASSWORD", APP_PASSWORD);
    command
}

fn classes_for_java(work: &Path, folder: &Path, setting: &Setting) -> Result<Program> {
    let settings = [
        ("bench.port", setting.mq.port().to_string()),
        ("bench.user", "app".to_owned()),
        ("bench.password", APP_PASSWORD.to_owned()),
        ("bench.channel.plain", Transport::Plain.channel().to_owned()),
        ("bench.queues", JAVA_REPLY_QUEUES.to_owned()),
    ];
    Program::start(java::machine(&java::built(work)?, "bench.PutGet", &settings), folder, "java")
}

/// Pairs a second, and the client's processor time for each.
fn by_program(program: &RefCell<Program>, kind: Kind, threads: u32, effort: &Effort) -> Result<Load> {
    let mut program = program.borrow_mut();
    program.ask(&format!("run {} {threads}", kind.word()))?;
    let load = watched(program.pid(), effort, || program.ask("count"));
    program.ask("stop")?;
    load
}

fn by_rust(setting: &Setting, kind: Kind, threads: u32, effort: &Effort) -> Result<Load> {
    let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|number| {
                let (stop, count) = (&stop, &count);
                scope.spawn(move || pairs_by_rust(setting, kind, number, stop, count))
            })
            .collect();
        let load = watched(std::process::id(), effort, || Ok(count.load(Ordering::Relaxed)));
        stop.store(true, Ordering::Relaxed);
        for thread in running {
            thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??;
        }
        load
    })
}

fn watched(pid: u32, effort: &Effort, mut count: impl FnMut() -> Result<u64>) -> Result<Load> {
    std::thread::sleep(effort.warmup);
    let (before, first, begin) = (processor_time(pid, false)?.used, count()?, measure::now());
    std::thread::sleep(effort.rest);
    let (after, last, elapsed) = (processor_time(pid, false)?.used, count()?, begin.elapsed().as_secs_f64());
    ensure!(last > first, "nothing was completed");
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 pairs")]
    let done = (last - first) as f64;
    Ok(Load { per_second: done / elapsed, cpu_us: after.saturating_sub(before).as_secs_f64() * 1e6 / done })
}

fn per_one(pid: u32, count: u64, work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let before = processor_time(pid, false)?.used;
    work()?;
    let used = processor_time(pid, false)?.used.saturating_sub(before);
    #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
    Ok(used.as_secs_f64() * 1e6 / count as f64)
}

/// A client as the library makes one: a socket for each connection.
fn client(setting: &Setting) -> Result<Client> {
    let names = ConnectionNames::one(setting.mq.ip().to_string(), setting.mq.port());
    let mut options = ConnectOptions::new(ObjectName::parse(Transport::Plain.channel())?, names);
    options.sharing_conversations = 1;
    options.credentials = Some(Credentials { user: "app".to_owned(), password: APP_PASSWORD.to_owned() });
    Ok(Client::new(options)?)
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

fn pairs_by_rust(setting: &Setting, kind: Kind, number: u32, stop: &AtomicBool, count: &AtomicU64) -> Result<()> {
    let client = client(setting)?;
    let name = ObjectName::parse(&format!("{JAVA_REPLY_QUEUES}{number}"))?;
    let object = ObjectDescriptor { name, ..ObjectDescriptor::default() };
    let persistence = match kind {
        Kind::Nonpersistent => Persistence::NonPersistent,
        Kind::Persistent => Persistence::Persistent,
    };
    let put = PutOptions { flags: PutFlags::NO_SYNCPOINT, context: None };
    let get = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
    let body = Bytes::from(vec![b'x'; PAIR_BYTES]);
    runtime()?.block_on(async {
        let mut connection = client.connect().await?;
        let queue = connection.open(&object, OpenOptions::INPUT_SHARED | OpenOptions::OUTPUT).await?.handle;
        while !stop.load(Ordering::Relaxed) {
            let descriptor = MessageDescriptor { persistence, ..MessageDescriptor::default() };
            connection.put(queue, descriptor, &put, body.clone()).await?;
            ensure!(connection.get(queue, &get).await?.body.len() == PAIR_BYTES, "another message came back");
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(connection.disconnect().await?)
    })
}

/// As the library connects: each connection has a client and a runtime of its own.
fn connect_by_rust(setting: &Setting, times: u32) -> Result<()> {
    for _ in 0..times {
        let client = client(setting)?;
        runtime()?.block_on(async { anyhow::Ok(client.connect().await?.disconnect().await?) })?;
    }
    Ok(())
}
