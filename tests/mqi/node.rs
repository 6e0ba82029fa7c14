//! `ibmmq` for Node: its own test, and its samples, which print what each call did. They are run as the package brings them.
//!
//! The package installs a prebuilt addon, which loads the library. Headers that it brings are of no use here.

use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context, Result, ensure};

use super::{House, heard, succeeded};

const PACKAGE: &str = "ibmmq@2.1.9";

/// The package on one server. Samples give no password.
struct Binding<'a> {
    house: &'a House,
    package: PathBuf,
}

/// Installs the package, and runs its programs on a server for each way to reach one.
fn everywhere(run: impl Fn(&Binding<'_>) -> Result<()>) -> Result<()> {
    let house = House::new()?;
    let mut install = house.command(Path::new("npm"))?;
    install.args(["install", "--loglevel=error", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]);
    succeeded(&install.env("MQIJS_NOREDIST", "1").output().context("npm is not installed (Debian: npm)")?)?;
    house.everywhere(|house| {
        house.open_channel("APP.OPEN", "app")?;
        house.mqsc("SET AUTHREC PROFILE('DEV.QUEUE.3') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(SET)")?;
        house.through_cuts(|house| run(&Binding { house, package: house.folder.path().join("node_modules/ibmmq") }))
    })
}

impl Binding<'_> {
    fn command(&self, program: &str, arguments: &[&str]) -> Result<std::process::Command> {
        // Whatever the sample waits for, it ends.
        let mut command = self.house.command(Path::new("timeout"))?;
        command.arg("300").arg("node").arg(self.package.join(program)).args(arguments);
        self.house.lead(&mut command, "APP.OPEN")?;
        Ok(command)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<String> {
        said(program, &self.command(program, arguments)?.output()?)
    }

    /// A sample that gets while its put is on its way. One that looks too early leaves its message to the next run.
    fn gets_its_own(&self, program: &str, shown: &str) -> Result<String> {
        let mut told = self.run(program, &[])?;
        for _ in 0..5 {
            if told.contains(shown) {
                break;
            }
            told = self.run(program, &[])?;
        }
        Ok(told)
    }
}

fn said(program: &str, output: &Output) -> Result<String> {
    let told = succeeded(output).with_context(|| program.to_owned())?;
    ensure!(!told.contains("MQ call failed"), "{program}: {told}");
    Ok(told.to_owned())
}

/// So many messages are shown.
fn shows(expected: usize, told: &str) -> Result<()> {
    let shown = told.lines().filter(|line| line.starts_with("message") && line.contains('<')).count();
    ensure!(shown == expected, "{shown} messages, not {expected}: {told}");
    Ok(())
}

#[test]
fn the_binding_for_node_passes_its_own_test_and_runs_its_samples() -> Result<()> {
    everywhere(|binding| {
        let built = binding.run("tests/builtOK.js", &["UNKNOWNQMGR"])?;
        ensure!(built.contains("MQRC_Q_MGR_NAME_ERROR [2058]"), "{built}");

        let put = binding.run("samples/amqsput.js", &[])?;
        let id = put.lines().find_map(|line| line.strip_prefix("MsgId: ")).context("amqsput shows the identifier")?;
        binding.run("samples/amqsputp.js", &[])?;
        shows(2, &binding.run("samples/amqsbra.js", &[])?)?;
        // Consumed by a callback without MQCTL: the binding suspends and starts delivery itself.
        shows(1, &binding.run("samples/amqsgeta.js", &["DEV.QUEUE.1", "QM1", id])?)?;
        // The same with MQCTL.
        shows(1, &binding.run("samples/amqsgetac.js", &[])?)?;
        binding.run("samples/amqsput.js", &[])?;
        shows(1, &binding.run("samples/amqsget.js", &[])?)?;

        let properties = binding.gets_its_own("samples/amqsprop.js", "helloStringProperty")?;
        for shown in ["helloStringProperty", "value : 42", "value : true", "No more properties"] {
            ensure!(properties.contains(shown), "{properties}");
        }
        let inquired = binding.run("samples/amqsinq.js", &["QM1"])?;
        ensure!(inquired.contains(r#"qmgrName = "QM1""#), "{inquired}");
        let dead = binding.gets_its_own("samples/amqsdlh.js", r#""Reason":2035"#)?;
        ensure!(dead.contains(r#""Reason":2035"#), "{dead}");
        Ok(())
    })
}

#[test]
fn the_binding_for_node_sets_attributes_and_publishes_to_a_subscriber() -> Result<()> {
    everywhere(|binding| {
        let told = binding.run("samples/amqsset.js", &["DEV.QUEUE.3", "QM1"])?;
        ensure!(told.contains("MQSET of queue successful"), "{told}");

        let subscribe = binding.command("samples/amqssub.js", &["dev/JSTopic", "QM1"])?;
        let rest = heard(subscribe, "MQSUB to topic", || {
            (0..3).try_for_each(|_| binding.run("samples/amqspub.js", &["dev/JSTopic", "QM1"]).map(drop))
        })?;
        shows(3, &rest)
    })
}
