//! Jakarta Messaging, JMS 2 and Spring.

use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::program::quaymaster;
use system_tests::server::Server;

use crate::interop::java::program::{Client, Program};
use crate::interop::java::{APP_PASSWORD, Site, check, told};

#[test]
fn jakarta_messaging_sends_and_receives() -> Result<()> {
    check(Client::Jakarta, "jms.PointToPoint")
}

#[test]
fn jms_2_sends_and_receives() -> Result<()> {
    check(Client::Javax, "jms.PointToPoint")
}

#[test]
fn jakarta_messaging_commits_and_rolls_back() -> Result<()> {
    check(Client::Jakarta, "jms.Transactions")
}

#[test]
fn jms_2_commits_and_rolls_back() -> Result<()> {
    check(Client::Javax, "jms.Transactions")
}

#[test]
fn jakarta_messaging_listens() -> Result<()> {
    check(Client::Jakarta, "jms.Listener")
}

#[test]
fn jms_2_listens() -> Result<()> {
    check(Client::Javax, "jms.Listener")
}

#[test]
fn jakarta_messaging_publishes_and_subscribes() -> Result<()> {
    check(Client::Jakarta, "jms.TopicPrograms")
}

#[test]
fn jms_2_publishes_and_subscribes() -> Result<()> {
    check(Client::Javax, "jms.TopicPrograms")
}

#[test]
fn jakarta_messaging_sends_with_a_delivery_delay() -> Result<()> {
    check(Client::Jakarta, "jms.DelayedDelivery")
}

#[test]
fn jms_2_sends_with_a_delivery_delay() -> Result<()> {
    check(Client::Javax, "jms.DelayedDelivery")
}

#[test]
fn branches_prepared_by_xa_outlive_the_server_and_are_recovered() -> Result<()> {
    let data = tempfile::tempdir()?;
    let site = Site::on(data.path())?;
    for client in [Client::Jakarta, Client::Javax] {
        for role in ["prepare", "recover"] {
            let server = site.start()?;
            let program = Program::new(client, "jms.GlobalTransactions", server.mq_address()?, data.path());
            told(&server, program.argument(role).run())?;
            server.kill();
        }
    }
    Ok(())
}

#[test]
fn a_jms_program_reconnects_by_itself_when_the_server_was_killed_and_started_again() -> Result<()> {
    let data = tempfile::tempdir()?;
    let site = Site::on(data.path())?;
    let server = site.start()?;
    let address = server.mq_address()?;
    let mut program = Program::new(Client::Jakarta, "jms.Reconnecting", address, data.path()).start()?;
    told(&server, program.await_line("restart the server"))?;
    server.kill();
    let server = Server::start(&site.options.clone().listening(&address.to_string()))?;
    // Waits on the queue while the client makes its conversations again.
    let mut put = Command::new(quaymaster()?);
    put.args(["put", "--data"]).arg(data.path()).args(["DEV.QUEUE.1", "meanwhile"]);
    ensure!(put.output()?.status.success(), "put");
    crate::client::write(&data.path().join("restarted"), "")?;
    told(&server, program.finish())?;
    // The program has come to this server as well.
    server.error_line("CSQX511I")?;
    Ok(())
}

#[test]
fn a_spring_boot_application_sends_and_listens_by_its_ibm_mq_properties() -> Result<()> {
    let data = tempfile::tempdir()?;
    let site = Site::on(data.path())?;
    let server = site.start()?;
    let address = server.mq_address()?;
    let mut program = Program::new(Client::Spring, "spring.Application", address, data.path());
    for property in [
        "ibm.mq.queueManager=QM1".to_owned(),
        "ibm.mq.channel=DEV.APP.SVRCONN".to_owned(),
        format!("ibm.mq.connName={}({})", address.ip(), address.port()),
        "ibm.mq.user=app".to_owned(),
        format!("ibm.mq.password={APP_PASSWORD}"),
        "ibm.mq.pool.enabled=true".to_owned(),
        "ibm.mq.pool.maxConnections=4".to_owned(),
        "spring.main.banner-mode=off".to_owned(),
    ] {
        program = program.argument(&format!("--{property}"));
    }
    told(&server, program.run())
}
