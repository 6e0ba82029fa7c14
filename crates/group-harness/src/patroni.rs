//! A database cluster as operators run it: three PostgreSQL under Patroni with three etcd, from `examples/patroni`, on the loopback interface.
//!
//! Patroni comes from PyPI into the target folder, once. Everything else is in a temporary folder, and ends with the cluster.

mod packages;
mod program;

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use rustix::process::Signal;

use crate::patroni::program::Program;
use crate::postgres::{self, Asked, give_to_postgres};
use crate::waiting::within;

/// Until a cluster is whole: made, or after a failover.
const WHOLE: Duration = Duration::from_secs(120);

pub struct Cluster {
    nodes: Vec<Node>,
    _etcds: Vec<Program>,
    folder: tempfile::TempDir,
    url: String,
}

struct Node {
    name: String,
    port: u16,
    rest: u16,
    /// All of them.
    etcds: String,
    patroni: Mutex<Option<Child>>,
}

/// What a node says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    pub takes_writes: bool,
    pub timeline: u32,
}

impl Cluster {
    /// Of three nodes, one of them a synchronous standby, with the tables of a group.
    pub fn of_group(group: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        give_to_postgres(folder.path());
        packages::copy_to(&folder.path().join("packages"));
        std::fs::copy(example("patroni.yml"), folder.path().join("patroni.yml")).expect("the example");
        let ports = free_ports(12);
        let (etcd_ports, node_ports) = ports.split_at(6);
        let etcds = start_etcds(folder.path(), etcd_ports);
        let clients = etcd_ports[..3].iter().map(|port| format!("127.0.0.1:{port}")).collect::<Vec<_>>().join(",");
        let nodes = (0..3).map(|index| Node {
            name: format!("node{}", index + 1),
            port: node_ports[2 * index],
            rest: node_ports[2 * index + 1],
            etcds: clients.clone(),
            patroni: Mutex::new(None),
        });
        let nodes: Vec<Node> = nodes.collect();
        let hosts = nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)).collect::<Vec<_>>().join(",");
        let url = format!("postgres://mq:mq@{hosts}/mq");
        let cluster = Self { nodes, _etcds: etcds, folder, url };
        (0..3).for_each(|node| cluster.start_patroni(node));
        cluster.wait_until_whole();
        let primary = cluster.primary().expect("is whole");
        for sql in ["CREATE ROLE mq LOGIN PASSWORD 'mq'", "CREATE DATABASE mq OWNER mq"] {
            cluster.ask_as("postgres:postgres", "postgres", primary, sql).expect("makes a database");
        }
        let options = storage::SharedOptions::new(cluster.url.clone(), String::new());
        postgres::runtime()
            .block_on(storage::shared::create_group(&options, group, &storage::shared::Roles::default()))
            .expect("makes the tables");
        cluster
    }

    /// All hosts.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The node that takes writes by the newest history.
    pub fn primary(&self) -> Option<usize> {
        let roles = (0..self.nodes.len()).filter_map(|node| Some((node, self.role(node)?)));
        roles.filter(|(_, role)| role.takes_writes).max_by_key(|(_, role)| role.timeline).map(|(node, _)| node)
    }

    /// `None`: it does not answer.
    pub fn role(&self, node: usize) -> Option<Role> {
        let sql = "SELECT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN '0' \
                   ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END";
        let row = self
            .ask_as("mq:mq", "postgres", node, sql)
            .or_else(|| self.ask_as("postgres:postgres", "postgres", node, sql))?
            .pop()?;
        let timeline = u32::from_str_radix(row[1].as_deref()?, 16).ok()?;
        Some(Role { takes_writes: row[0].as_deref() == Some("f"), timeline })
    }

    /// Runs SQL on one node, in the group's database. `None`: it does not answer.
    pub fn ask(&self, node: usize, sql: &str) -> Option<Vec<Vec<Option<String>>>> {
        self.ask_as("mq:mq", "mq", node, sql)
    }

    fn ask_as(&self, user: &str, database: &str, node: usize, sql: &str) -> Option<Vec<Vec<Option<String>>>> {
        let url = format!("postgres://{user}@127.0.0.1:{}/{database}", self.nodes[node].port);
        postgres::asked(&url, sql, Duration::from_secs(2)).ok()
    }

    /// One node takes writes, the two others follow it, one of them synchronously.
    pub fn wait_until_whole(&self) {
        let sql = "SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) FROM pg_stat_replication \
                   WHERE state = 'streaming' AND application_name LIKE 'node%'";
        within(WHOLE, "the cluster is whole", || {
            let writers = (0..self.nodes.len()).filter(|node| self.role(*node).is_some_and(|role| role.takes_writes));
            let [primary] = writers.collect::<Vec<_>>()[..] else { return false };
            let standbys = self.ask_as("postgres:postgres", "postgres", primary, sql);
            standbys.is_some_and(|rows| rows[0] == [Some("2".to_owned()), Some("1".to_owned())])
        });
    }

    pub fn start_patroni(&self, node: usize) {
        let environment = self.nodes[node].environment(self.folder.path());
        let configuration = self.folder.path().join("patroni.yml");
        let child = program::run_patroni(self.folder.path(), &self.nodes[node].name, &configuration, &environment);
        *self.patroni(node) = Some(child);
    }

    pub fn kill_patroni(&self, node: usize) {
        if let Some(mut child) = self.patroni(node).take() {
            child.kill().expect("is killed");
            child.wait().expect("ends");
        }
    }

    pub fn signal_patroni(&self, node: usize, signal: Signal) {
        let pid = self.patroni(node).as_ref().expect("runs").id();
        program::signal(pid, signal);
    }

    /// To all processes of a node's PostgreSQL.
    pub fn signal_database(&self, node: usize, signal: Signal) {
        let Some(postmaster) = self.postmaster(node) else { return };
        program::signal(postmaster, signal);
        program::children(postmaster).into_iter().for_each(|child| program::signal(child, signal));
    }

    /// As a crash would; its children end by themselves.
    pub fn kill_postmaster(&self, node: usize) {
        program::signal(self.postmaster(node).expect("runs"), Signal::KILL);
    }

    /// Asks Patroni for another leader until it has one. It refuses until it has seen a standby to be synchronous.
    pub fn switch_over(&self, from: usize) {
        let body = format!("{{\"leader\": \"{}\"}}", self.nodes[from].name);
        within(WHOLE, "a switchover", || {
            let answer = post(self.nodes[from].rest, "/switchover", &body).expect("Patroni answers");
            answer.starts_with("HTTP/1.0 200")
        });
    }

    fn postmaster(&self, node: usize) -> Option<u32> {
        let file = self.folder.path().join(&self.nodes[node].name).join("postmaster.pid");
        std::fs::read_to_string(file).ok()?.lines().next()?.parse().ok()
    }

    fn patroni(&self, node: usize) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.nodes[node].patroni.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last of what Patroni and PostgreSQL of each node have said.
    pub fn said(&self) -> String {
        let last = |node: &Node| {
            let text =
                std::fs::read_to_string(self.folder.path().join(format!("{}.log", node.name))).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            format!("{}:\n{}\n", node.name, lines[lines.len().saturating_sub(25)..].join("\n"))
        };
        self.nodes.iter().map(last).collect()
    }
}

impl Asked for Cluster {
    fn run(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        let primary = self.primary().expect("a node takes writes");
        self.ask(primary, sql).expect("runs")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.said());
        }
        for node in 0..self.nodes.len() {
            if self.patroni(node).is_some() {
                self.signal_patroni(node, Signal::CONT);
                self.kill_patroni(node);
            }
            if let Some(postmaster) = self.postmaster(node) {
                self.signal_database(node, Signal::CONT);
                program::end(postmaster);
            }
        }
    }
}

impl Node {
    /// What `node1.env` of the example lists, with values of this machine.
    fn environment(&self, folder: &Path) -> Vec<(String, String)> {
        let example = std::fs::read_to_string(example("node1.env")).expect("the example");
        let names = example.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='));
        let here = |port: u16| format!("127.0.0.1:{port}");
        let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
        names
            .map(|(name, value)| {
                let own = match name {
                    "PATRONI_NAME" => self.name.clone(),
                    "PATRONI_ETCD3_HOSTS" => self.etcds.clone(),
                    "PATRONI_RESTAPI_LISTEN" | "PATRONI_RESTAPI_CONNECT_ADDRESS" => here(self.rest),
                    "PATRONI_POSTGRESQL_LISTEN" | "PATRONI_POSTGRESQL_CONNECT_ADDRESS" => here(self.port),
                    "PATRONI_POSTGRESQL_DATA_DIR" => path(&self.name),
                    "PATRONI_POSTGRESQL_BIN_DIR" => postgres::programs().to_str().expect("a path").to_owned(),
                    "PATRONI_POSTGRESQL_PGPASS" => path(&format!("{}.pgpass", self.name)),
                    "PATRONI_SUPERUSER_PASSWORD" => "postgres".to_owned(),
                    "PATRONI_REPLICATION_PASSWORD" | "PATRONI_REWIND_PASSWORD" => value.to_owned(),
                    other => panic!("what is {other} of node1.env on this machine?"),
                };
                (name.to_owned(), own)
            })
            .collect()
    }
}

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/patroni").join(name)
}

/// Three that elect a leader among them. The first half of the ports is for clients, the second for each other.
fn start_etcds(folder: &Path, ports: &[u16]) -> Vec<Program> {
    let (clients, peers) = ports.split_at(ports.len() / 2);
    let url = |port: &u16| format!("http://127.0.0.1:{port}");
    let members = peers.iter().zip(1..).map(|(peer, number)| format!("etcd{number}={}", url(peer)));
    let members = members.collect::<Vec<_>>().join(",");
    let start = |((client, peer), number): ((&u16, &u16), u32)| {
        let name = format!("etcd{number}");
        let options = [
            ("--name", name.clone()),
            ("--data-dir", folder.join(&name).to_str().expect("a path").to_owned()),
            ("--listen-client-urls", url(client)),
            ("--advertise-client-urls", url(client)),
            ("--listen-peer-urls", url(peer)),
            ("--initial-advertise-peer-urls", url(peer)),
            ("--initial-cluster", members.clone()),
        ];
        let arguments: Vec<String> = options.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect();
        Program::start(folder, "etcd", &name, &arguments)
    };
    clients.iter().zip(peers).zip(1..).map(start).collect()
}

/// Different ones: all are held until the last is known.
fn free_ports(count: usize) -> Vec<u16> {
    let sockets: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let ports: HashSet<u16> =
        sockets.iter().map(|socket| socket.local_addr().expect("has an address").port()).collect();
    ports.into_iter().collect()
}

fn post(port: u16, path: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(stream, "POST {path} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
