//! JMS listeners that the client reconnects by itself, over many restarts of the server.
//!
//! `QUAYMASTER_RESTART_ROUNDS` sets how many (default 6); SIGKILL, SIGTERM and `endmqm -i` take turns. The program sends to
//! listeners of all four acknowledge modes, remembers what it was told, and judges: nothing that was committed is lost or
//! seen again, no listener stalls, and an orderly stop reports no commit as failed that took effect. With SIGKILL, two
//! things are the client's: a commit that got no answer may have taken effect, and a consumer with automatic
//! acknowledgement is closed.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;
use system_tests::server::{Server, ServerOptions};

use crate::crash::setting;
use crate::interop::java::program::{Client, Program};
use crate::interop::java::{Site, told};

const DEFAULT_ROUNDS: u32 = 6;

#[test]
fn listeners_of_every_acknowledge_mode_lose_nothing_and_see_nothing_twice_over_restarts() -> Result<()> {
    let rounds = setting("QUAYMASTER_RESTART_ROUNDS")?.unwrap_or(DEFAULT_ROUNDS);
    let data = tempfile::tempdir()?;
    let site = Site::on(data.path())?;
    let mut server = site.start()?;
    let address = server.mq_address()?;
    // The clients know this port.
    let options = site.options.clone().listening(&address.to_string());
    let program = Program::new(Client::Jakarta, "jms.Restarts", address, data.path());
    let mut program = program.argument(&rounds.to_string()).start()?;
    for round in 1..=rounds {
        told(&server, program.await_line(&format!("restart {round}")))?;
        let way = ["KILL", "TERM", "ENDMQM"][round as usize % 3];
        server = restart(server, way, &options).with_context(|| format!("round {round}, {way}"))?;
        crate::client::write(&data.path().join(format!("restarted-{round}")), way)?;
    }
    told(&server, program.finish()).with_context(|| format!("left on shared queues: {}", site.left()))
}

fn restart(server: Server, way: &str, options: &ServerOptions) -> Result<Server> {
    match way {
        "KILL" => drop(server.kill()),
        "TERM" => {
            let (status, said) = server.terminate()?;
            ensure!(status.success(), "the server ended with {status}: {said}");
        }
        _ => {
            command(&options.data, &["endmqm", "-i", "QM1"])?;
            command(&options.data, &["strmqm", "QM1"])?;
            return Ok(server);
        }
    }
    Server::start(options)
}

fn command(data: &Path, arguments: &[&str]) -> Result<()> {
    let output = Command::new(quaymaster()?).args(arguments).arg("--data").arg(data).output()?;
    ensure!(output.status.success(), "{arguments:?}: {output:?}");
    Ok(())
}
