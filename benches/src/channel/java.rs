//! Request and reply with the public Java clients, whose own cost then rules: the server's processor time for each
//! transaction. Ours is driven by the MQ client for Jakarta Messaging, the peer by Qpid JMS, both by the same loop.
//!
//! Both come from Maven Central into the working folder; nothing of them is kept elsewhere. Responders are those of the
//! other rows: `quaymaster workload responder`, and lean AMQP clients.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::server::APP_PASSWORD;
use tempfile::TempDir;
use workload::measure::{self, processor_time};

use super::peer::{Promise, endpoint, warm_up_time, with_responders};
use super::program::Program;
use super::responder;
use super::setting::{JAVA_REPLY_QUEUES, Setting, Transport};
use super::{Both, CLIENTS, Load, Names, REPLY_BYTES, REQUEST_BYTES, boxed, request_queue};
use crate::artemis::Artemis;
use crate::certificate::{STORE_PASSWORD, trust_store};
use crate::effort::Effort;
use crate::interleave::interleave;
use crate::report::{Bar, Report};

const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/java");

/// What a Java client sends, and how it gets.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Persistent messages, the put and the get each committed by a transacted session.
    Transacted,
    /// Persistent messages, acknowledged by the session: our server's word is waited for, the peer's is not given.
    Persistent,
    Nonpersistent,
}

impl Kind {
    /// As the program knows it.
    fn name(self) -> &'static str {
        match self {
            Self::Transacted => "TRANSACTED",
            Self::Persistent => "PERSISTENT",
            Self::Nonpersistent => "NONPERSISTENT",
        }
    }

    /// What the peer's responders are to wait for.
    fn promise(self) -> Promise {
        match self {
            Self::Transacted => Promise::Committed,
            Self::Persistent => Promise::SentOff,
            Self::Nonpersistent => Promise::NotDurable,
        }
    }
}

/// A load on both servers, and the rows it makes: processor time, then rate.
struct Compared {
    kind: Kind,
    transport: Transport,
    ours: Names,
    peer: Names,
    rows: [&'static str; 2],
    /// Whether both promise the same, so that the bar applies.
    judged: bool,
}

const COMPARED: [Compared; 5] = [
    Compared {
        kind: Kind::Transacted,
        transport: Transport::Plain,
        ours: ("MQ Java, persistent, transacted", "MQ Java, persistent, transacted: CPU"),
        peer: ("Artemis, Qpid JMS, durable, transacted", "Artemis, Qpid JMS, durable, transacted: CPU"),
        rows: [
            "server CPU of request/reply with the public Java client, persistent, against Artemis with Qpid JMS",
            "rate of it",
        ],
        judged: true,
    },
    Compared {
        kind: Kind::Transacted,
        transport: Transport::Tls,
        ours: ("MQ Java, persistent, transacted, TLS", "MQ Java, persistent, transacted, TLS: CPU"),
        peer: ("Artemis, Qpid JMS, durable, transacted, TLS", "Artemis, Qpid JMS, durable, transacted, TLS: CPU"),
        rows: ["the same over TLS: server CPU, persistent", "rate of it over TLS, persistent"],
        judged: true,
    },
    Compared {
        kind: Kind::Nonpersistent,
        transport: Transport::Plain,
        ours: ("MQ Java, nonpersistent", "MQ Java, nonpersistent: CPU"),
        peer: ("Artemis, Qpid JMS, not durable", "Artemis, Qpid JMS, not durable: CPU"),
        rows: [
            "server CPU of request/reply with the public Java client, nonpersistent, against Artemis with Qpid JMS",
            "rate of it, nonpersistent",
        ],
        judged: true,
    },
    Compared {
        kind: Kind::Nonpersistent,
        transport: Transport::Tls,
        ours: ("MQ Java, nonpersistent, TLS", "MQ Java, nonpersistent, TLS: CPU"),
        peer: ("Artemis, Qpid JMS, not durable, TLS", "Artemis, Qpid JMS, not durable, TLS: CPU"),
        rows: ["the same over TLS: server CPU, nonpersistent", "rate of it over TLS, nonpersistent"],
        judged: true,
    },
    Compared {
        kind: Kind::Persistent,
        transport: Transport::Plain,
        ours: ("MQ Java, persistent, AUTO_ACKNOWLEDGE", "MQ Java, persistent, AUTO_ACKNOWLEDGE: CPU"),
        peer: ("Artemis, Qpid JMS, durable, gets not answered", "Artemis, Qpid JMS, durable, gets not answered: CPU"),
        rows: [
            "server CPU with AUTO_ACKNOWLEDGE, persistent, beside Artemis whose gets are not answered",
            "rate of it, AUTO_ACKNOWLEDGE, persistent",
        ],
        judged: false,
    },
];

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let programs = built(&effort.work)?;
    let folder = tempfile::Builder::new().prefix("java").tempdir_in(&effort.work)?;
    let setting = Setting::start(&effort.work)?;
    let artemis = Artemis::start(&effort.work)?;
    let _plain = responder::start(&setting, Transport::Plain, CLIENTS, REPLY_BYTES, false)?;
    let _tls = responder::start(&setting, Transport::Tls, CLIENTS, REPLY_BYTES, false)?;
    let ours = Side::ours(&programs, &folder, &setting)?;
    let peer = Side::peer(&programs, &folder, &artemis)?;
    let at_peer = |effort: &Effort, compared: &Compared| {
        let queue = peer_queue(compared.transport);
        let at = endpoint(&artemis, compared.transport);
        with_responders(at, &queue, compared.kind.promise(), REPLY_BYTES, || peer.load(effort, compared))
    };
    // Each load once, before anything is measured: both ends are compiled as they run.
    let long = Effort { rest: warm_up_time(effort), ..effort.clone() };
    for compared in &COMPARED {
        ours.load(&long, compared)?;
        at_peer(&long, compared)?;
    }
    let loads: Vec<_> = COMPARED
        .iter()
        .flat_map(|compared| {
            [
                (compared.ours, Both::new(boxed(|| ours.load(effort, compared)))),
                (compared.peer, Both::new(boxed(|| at_peer(effort, compared)))),
            ]
        })
        .collect();
    let measured = interleave(effort.rounds, loads.iter().flat_map(|(names, load)| load.cells(*names)).collect())?;
    for Compared { ours, peer, rows: [cpu, rate], judged, .. } in &COMPARED {
        let bar = if *judged { Bar::at_most(cpu, 0.5) } else { Bar::figure(cpu) };
        report.add(bar.ratio(&measured, ours.1, peer.1, "µs"));
        report.add(Bar::figure(rate).ratio(&measured, ours.0, peer.0, "/s"));
    }
    Ok(())
}

fn peer_queue(transport: Transport) -> String {
    format!("bench.java.request.{transport:?}")
}

/// One of the two programs, and the server that it talks to.
struct Side {
    program: RefCell<Program>,
    server: u32,
}

impl Side {
    fn ours(programs: &Path, folder: &TempDir, setting: &Setting) -> Result<Self> {
        let trust = folder.path().join("mq-trust.p12");
        trust_store(&setting.server.ca_file(), &trust)?;
        let settings = [
            ("bench.provider", "mq".to_owned()),
            ("bench.port", setting.mq.port().to_string()),
            ("bench.user", "app".to_owned()),
            ("bench.password", APP_PASSWORD.to_owned()),
            ("bench.channel.plain", Transport::Plain.channel().to_owned()),
            ("bench.channel.tls", Transport::Tls.channel().to_owned()),
            ("bench.requests.plain", request_queue(Transport::Plain, false)),
            ("bench.requests.tls", request_queue(Transport::Tls, false)),
            ("bench.replies", JAVA_REPLY_QUEUES.to_owned()),
            ("javax.net.ssl.trustStore", trust.display().to_string()),
            ("javax.net.ssl.trustStorePassword", STORE_PASSWORD.to_owned()),
            ("com.ibm.mq.cfg.useIBMCipherMappings", "false".to_owned()),
        ];
        Self::start(programs, folder, "mq", &settings, setting.server.pid())
    }

    fn peer(programs: &Path, folder: &TempDir, artemis: &Artemis) -> Result<Self> {
        let trust = folder.path().join("amqp-trust.p12");
        trust_store(artemis.certificate(), &trust)?;
        let secure = format!(
            "amqps://{}?transport.trustStoreLocation={}&transport.trustStorePassword={STORE_PASSWORD}",
            artemis.amqps().address,
            trust.display()
        );
        let settings = [
            ("bench.provider", "amqp".to_owned()),
            ("bench.user", "admin".to_owned()),
            ("bench.password", "admin".to_owned()),
            ("bench.uri.plain", format!("amqp://{}", artemis.amqp().address)),
            ("bench.uri.tls", secure),
            ("bench.requests.plain", peer_queue(Transport::Plain)),
            ("bench.requests.tls", peer_queue(Transport::Tls)),
            ("bench.replies", "bench.java.reply.".to_owned()),
        ];
        Self::start(programs, folder, "amqp", &settings, artemis.pid())
    }

    fn start(programs: &Path, folder: &TempDir, name: &str, settings: &[(&str, String)], server: u32) -> Result<Self> {
        let mut settings = settings.to_vec();
        settings.push(("bench.clients", CLIENTS.to_string()));
        settings.push(("bench.request.bytes", REQUEST_BYTES.to_string()));
        settings.push(("bench.reply.bytes", REPLY_BYTES.to_string()));
        let machine = machine(programs, "bench.Requester", &settings);
        Ok(Self { program: RefCell::new(Program::start(machine, folder.path(), name)?), server })
    }

    /// The clients connect, do what they do for a while, and disconnect.
    fn load(&self, effort: &Effort, compared: &Compared) -> Result<Load> {
        let mut program = self.program.borrow_mut();
        let transport = if compared.transport == Transport::Tls { "tls" } else { "plain" };
        program.ask(&format!("run {} {transport}", compared.kind.name()))?;
        std::thread::sleep(effort.warmup);
        let used = |pid: u32| Ok::<_, std::io::Error>(processor_time(pid, false)?.used);
        let (before, clients, first) = (used(self.server)?, used(program.pid())?, program.ask("count")?);
        let begin = measure::now();
        std::thread::sleep(effort.rest);
        let (after, last, elapsed) = (used(self.server)?, program.ask("count")?, begin.elapsed().as_secs_f64());
        let clients = used(program.pid())?.saturating_sub(clients);
        program.ask("stop")?;
        ensure!(last > first, "nothing was completed");
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 operations")]
        let done = (last - first) as f64;
        eprintln!("    {:.0} /s, clients {:.1} µs each", done / elapsed, clients.as_secs_f64() * 1e6 / done);
        Ok(Load { per_second: done / elapsed, cpu_us: after.saturating_sub(before).as_secs_f64() * 1e6 / done })
    }
}

/// A virtual machine that runs a class of the programs.
pub(super) fn machine(programs: &Path, class: &str, settings: &[(&str, String)]) -> Command {
    let mut command = Command::new("java");
    command.arg("-Xmx512m");
    for (key, value) in settings {
        command.arg(format!("-D{key}={value}"));
    }
    command.arg("-cp").arg(format!("{0}/classes:{0}/lib/*", programs.display())).arg(class);
    command
}

/// Compiled by Maven, with the clients beside: the folder, below the working folder and kept there.
pub(super) fn built(work: &Path) -> Result<PathBuf> {
    let home = work.join("peers");
    let programs = home.join("java");
    std::fs::create_dir_all(&programs)?;
    let output = Command::new("mvn")
        .args(["-q", "-B", "-ntp", "-f", &format!("{PROJECT}/pom.xml"), "compile"])
        .arg(format!("-Dbench.folder={}", programs.display()))
        .arg(format!("-Dmaven.repo.local={}", home.join("repository").display()))
        .output()
        .context("mvn is not installed (Debian: maven)")?;
    let said = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "mvn: {}", String::from_utf8_lossy(&said));
    Ok(programs)
}
