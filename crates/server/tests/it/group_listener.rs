//! The listener of a queue-sharing group: MQ clients that call the group have shared channels, at whichever member they come in.

use channel_client::address::{Address, ConnectionNames};
use channel_client::client::Client;
use channel_client::connection::Connection;
use channel_client::options::{ConnectOptions, Credentials};
use model::name::ObjectName;
use tokio::runtime::Runtime;

use crate::group::member;
use crate::postgres::Database;
use crate::program::{Folder, Server, eventually};

const PASSWORDS: [(&str, &str); 2] = [("MQ_APP_PASSWORD", "of-app"), ("MQ_ADMIN_PASSWORD", "of-admin")];
const DEFINE: &str = "DEFINE LISTENER(GROUP) TRPTYPE(TCP) PORT(0) IPADDR(127.0.0.1) CONTROL(QMGR) INDISP(GROUP)";

/// A server whose queue manager is a member, and has a listener of the group.
struct Member {
    name: &'static str,
    folder: Folder,
    server: Server,
}

impl Member {
    fn start(database: &Database, name: &'static str) -> Self {
        let folder = member(database, name);
        folder.run(&["group", "create"]);
        let server = Server::start_with(&folder, &["--qmgr", name], &PASSWORDS);
        Self { name, folder, server }
    }

    fn mqsc(&self, command: &str) -> String {
        self.folder.run(&["mqsc", self.name, command])
    }

    /// Where the listener of the group listens; `None` while it does not.
    fn port(&self) -> Option<u16> {
        let shown = self.mqsc("DISPLAY LSSTATUS(GROUP) PORT INDISP");
        assert!(shown.contains("INDISP(GROUP)") || shown.contains("not found"), "{shown}");
        Some(shown.split_once("PORT(")?.1.split_once(')')?.0.parse().expect("a port"))
    }

    fn listens(&self) -> u16 {
        eventually("the group's listener runs", || self.port().is_some());
        self.port().expect("it runs")
    }
}

/// An MQ client of the group, which knows these addresses of it.
fn connect(runtime: &Runtime, ports: &[u16]) -> Option<Connection> {
    let addresses = ports.iter().map(|&port| Address { host: "127.0.0.1".to_owned(), port }).collect();
    let connections = ConnectionNames::new(addresses).expect("addresses");
    let options = ConnectOptions {
        queue_manager: "QSG1".to_owned(),
        credentials: Some(Credentials { user: "app".to_owned(), password: "of-app".to_owned() }),
        ..ConnectOptions::new(ObjectName::literal("DEV.APP.SVRCONN"), connections)
    };
    runtime.block_on(Client::new(options).expect("usable options").connect()).ok()
}

#[test]
fn clients_that_call_the_group_have_shared_channels_which_any_member_shows_and_stops() {
    let database = Database::empty();
    let members = [Member::start(&database, "QM1"), Member::start(&database, "QM2")];
    let [first, second] = &members;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    eventually("the members know each other", || {
        let shown = first.mqsc("DISPLAY GROUP");
        shown.contains("QMNAME(QM1)") && shown.contains("QMNAME(QM2)")
    });
    for command in [DEFINE, "START LISTENER(GROUP)"] {
        let done = first.mqsc(&format!("{command} CMDSCOPE(*)"));
        assert!(done.starts_with("exit 0"), "{done}");
    }
    let ports = [first.listens(), second.listens()];

    let shared = connect(&runtime, &[ports[1]]).expect("the group is called");
    let own = address_of(&second.server);
    let private = connect(&runtime, &[own]).expect("the member is called");
    let here = first.mqsc("DISPLAY CHSTATUS(*) CHLDISP(SHARED)");
    assert!(here.contains("not found"), "{here}");
    let shown = first.mqsc("DISPLAY CHSTATUS(*) CHLDISP(SHARED) QMNAME CMDSCOPE(*)");
    assert!(shown.contains("CHLDISP(SHARED)") && shown.contains("QMNAME(QM2)"), "{shown}");
    assert!(!shown.contains("CHLDISP(PRIVATE)"), "{shown}");
    let both = second.mqsc("DISPLAY CHSTATUS(*)");
    assert!(both.contains("CHLDISP(SHARED)") && both.contains("CHLDISP(PRIVATE)"), "{both}");

    let page = second.server.answer("metrics", "/metrics", "");
    for disposition in ["private", "shared"] {
        let labels = format!("{{qmgr=\"QM2\",channel=\"DEV.APP.SVRCONN\",disposition=\"{disposition}\"}} 1\n");
        assert!(page.contains(&format!("quaymaster_channel_instances{labels}")), "{page}");
    }
    let rows = "/api/v1/qmgr/QM2/channel-instances?columns=disposition&sort=disposition";
    let listed = second.server.answer("http", rows, "Authorization: Basic YWRtaW46b2YtYWRtaW4=\r\n");
    assert!(listed.contains(r#"[["private"],["shared"]]"#), "{listed}");

    let stopped = first.mqsc("STOP CHANNEL(DEV.APP.SVRCONN) CHLDISP(SHARED) MODE(FORCE)");
    assert!(stopped.starts_with("exit 0") && stopped.contains("from QM2"), "{stopped}");
    eventually("the shared channel ends", || shared.is_broken());
    assert!(!private.is_broken());
    assert!(connect(&runtime, &ports).is_none(), "it is stopped at every member");
    assert!(connect(&runtime, &[own]).is_some(), "the private one is not");
    let started = second.mqsc("START CHANNEL(DEV.APP.SVRCONN) CHLDISP(SHARED)");
    assert!(started.starts_with("exit 0") && started.contains("from QM1"), "{started}");
    assert!(connect(&runtime, &ports).is_some());
}

#[test]
fn a_member_that_is_taken_out_of_the_group_address_keeps_its_clients_and_is_back_after_a_restart() {
    let database = Database::empty();
    let members = [Member::start(&database, "QM1"), Member::start(&database, "QM2")];
    let [first, second] = &members;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    for member in &members {
        for command in [DEFINE, "START LISTENER(GROUP)"] {
            let done = member.mqsc(command);
            assert!(done.starts_with("exit 0"), "{done}");
        }
    }
    let ports = [first.listens(), second.listens()];
    let before = connect(&runtime, &ports).expect("the first address is taken");
    assert!(first.mqsc("STOP LISTENER(GROUP)").starts_with("exit 0"));
    eventually("the listener has ended", || first.port().is_none());
    let after = connect(&runtime, &ports).expect("the other member takes the client");
    assert!(!before.is_broken() && !after.is_broken());
    let shown = first.mqsc("DISPLAY CHSTATUS(*) CHLDISP(SHARED) QMNAME");
    assert!(shown.contains("QMNAME(QM1)"), "the first client stays: {shown}");
    let shown = second.mqsc("DISPLAY CHSTATUS(*) CHLDISP(SHARED) QMNAME");
    assert!(shown.contains("QMNAME(QM2)"), "{shown}");
    assert!(connect(&runtime, &[address_of(&first.server)]).is_some(), "the member's own address serves on");

    let [first, _second] = members;
    let Member { name, folder, server } = first;
    drop(server);
    let server = Server::start_with(&folder, &["--qmgr", name], &PASSWORDS);
    let first = Member { name, folder, server };
    assert!(connect(&runtime, &[first.listens()]).is_some(), "CONTROL(QMGR) has started it");
}

fn address_of(server: &Server) -> u16 {
    let address = server.address("mq");
    address.rsplit_once(':').expect("an address").1.parse().expect("a port")
}
