//! JMS through the name of a queue-sharing group: two real members on one PostgreSQL, and branches that outlive the one that has them.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use group_harness::postgres::Database;
use system_tests::program::quaymaster;
use system_tests::server::{Server, ServerOptions};

use crate::interop::java::program::{Client, Program};
use crate::interop::java::told;
use crate::interop::{run, text};

/// A member of QSG1, with its data directory.
struct Member {
    data: tempfile::TempDir,
    options: ServerOptions,
    name: &'static str,
}

impl Member {
    fn new(database: &Database, name: &'static str) -> Result<Self> {
        let data = tempfile::tempdir()?;
        let options = super::options(data.path()).with("--qmgr").with(name).in_group("QSG1", &database.url);
        Ok(Self { data, options, name })
    }

    fn command(&self, arguments: &[&str]) -> Result<String> {
        let (command, rest) = arguments.split_first().context("a command")?;
        let output = run(Command::new(quaymaster()?).arg(command).args(rest).arg("--data").arg(self.data.path()))?;
        let (said, errors) = (text(&output.stdout), text(&output.stderr));
        ensure!(output.status.success(), "{arguments:?}: {said}{errors}");
        Ok(said)
    }

    fn mqsc(&self, command: &str) -> Result<String> {
        self.command(&["mqsc", self.name, command])
    }

    /// With the rights of the programs on the queues of the group.
    fn start(&self) -> Result<Server> {
        let server = Server::start(&self.options)?;
        self.mqsc("ALTER QMGR GROUPUR(ENABLED)")?;
        let rights = "OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ,DSP)";
        self.mqsc(&format!("SET AUTHREC PROFILE('GRP.**') {rights}"))?;
        Ok(server)
    }

    fn define_queues(&self) -> Result<()> {
        self.mqsc("DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)")?;
        for queue in ["GRP.QUEUE.1", "GRP.QUEUE.2", "GRP.SMALL"] {
            let length = if queue == "GRP.SMALL" { " MAXMSGL(100)" } else { "" };
            self.mqsc(&format!("DEFINE QLOCAL('{queue}') QSGDISP(SHARED) CFSTRUCT(APP1) DEFPSIST(YES){length}"))?;
        }
        Ok(())
    }

    fn until(&self, what: &str, command: &str, shows: &str) -> Result<()> {
        for _ in 0..6000 {
            if self.mqsc(command).is_ok_and(|said| said.contains(shows)) {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        anyhow::bail!("{what}: {}", self.mqsc(command)?)
    }

    /// Runs one half of the program by the group's name, at this member.
    fn run(&self, server: &Server, client: Client, role: &str) -> Result<()> {
        let program = Program::new(client, "jms.GlobalTransactions", server.mq_address()?, self.data.path());
        let program = program.property("mq.queue.manager", "QSG1").property("mq.queues", "GRP.");
        told(server, program.property("mq.private.queue", "DEV.QUEUE.1").argument(role).run())
    }
}

fn group() -> Result<(Database, Member, Member)> {
    let database = Database::of_group("QSG1");
    let (one, two) = (Member::new(&database, "QM1")?, Member::new(&database, "QM2")?);
    Ok((database, one, two))
}

#[test]
fn branches_prepared_through_the_groups_name_are_ended_at_another_member_while_theirs_is_dead() -> Result<()> {
    let (_database, one, two) = group()?;
    let mut here = one.start()?;
    let there = two.start()?;
    one.define_queues()?;
    two.until("the other member knows the queues", "DISPLAY QLOCAL('GRP.SMALL') QSGDISP", "QSGDISP(SHARED)")?;
    for client in [Client::Jakarta, Client::Javax] {
        one.run(&here, client, "prepare")?;
        here.kill();
        two.run(&there, client, "recover")?;
        here = one.start()?;
    }
    Ok(())
}

#[test]
fn branches_prepared_through_the_groups_name_are_ended_at_their_member_once_it_is_started_again() -> Result<()> {
    let (_database, one, _two) = group()?;
    let here = one.start()?;
    one.define_queues()?;
    one.run(&here, Client::Jakarta, "prepare")?;
    here.kill();
    let again = one.start()?;
    one.run(&again, Client::Jakarta, "recover")
}
