//! A set-up script as container images and administrators bring it, unchanged, through `runmqsc -f`.

use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::program;
use system_tests::server::Server;

use crate::interop::packages::sources;
use crate::interop::{run, text};

#[test]
fn a_set_up_file_loads_twice_without_a_refused_line() -> Result<()> {
    let data = tempfile::tempdir()?;
    let _server = Server::start_on(data.path())?;
    for _ in 0..2 {
        let mut command = Command::new(program::quaymaster()?);
        command
            .arg("runmqsc")
            .arg("--data")
            .arg(data.path())
            .arg("-f")
            .arg(sources().join("developer.mqsc"))
            .arg("QM1");
        let output = run(&mut command)?;
        let said = text(&output.stdout);
        ensure!(output.status.code() == Some(0), "{said}{}", text(&output.stderr));
        ensure!(said.contains("No commands have a syntax error.\nAll valid MQSC commands were processed."), "{said}");
        // The look at the end shows what the lines before it made.
        for made in ["QUEUE(APPS.QUEUE.2)", "CHANNEL(APPS.APP.SVRCONN)", "MCAUSER(app)", "HBINT(60)", "PORT(21414)"] {
            ensure!(said.contains(made), "{made} is not shown: {said}");
        }
    }
    Ok(())
}
