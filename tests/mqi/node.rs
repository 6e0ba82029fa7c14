//! `ibmmq` for Node: its own test, and its samples, which print what each call did. They are run as the package brings them.
//!
//! The package installs a prebuilt addon, which loads the library. Headers that it brings are of no use here.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use anyhow::{Context, Result, ensure};

use super::{House, succeeded, text};

const PACKAGE: &str = "ibmmq@2.1.9";

/// The package on one server. Samples give no password.
struct Binding {
    house: House,
    package: PathBuf,
}

impl Binding {
    fn new() -> Result<Self> {
        let house = House::new()?;
        house.open_channel("APP.OPEN", "app")?;
        let mut install = house.command(Path::new("npm"))?;
        install.args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]);
        succeeded(&install.env("MQIJS_NOREDIST", "1").output().context("npm is not installed (Debian: npm)")?)?;
        let package = house.folder.path().join("node_modules/ibmmq");
        Ok(Self { house, package })
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Result<std::process::Command> {
        // Whatever the sample waits for, it ends.
        let mut command = self.house.command(Path::new("timeout"))?;
        command.arg("60").arg("node").arg(self.package.join(program)).args(arguments);
        command.env("MQSERVER", self.house.mqserver("APP.OPEN")?);
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

/// `<text>` of the lines that show a message.
fn messages(told: &str) -> Vec<&str> {
    let shown = told.lines().filter(|line| line.starts_with("message"));
    shown.filter_map(|line| line.split_once('<').map(|(_, text)| text.trim_end_matches('>'))).collect()
}

#[test]
fn the_binding_for_node_passes_its_own_test_and_runs_its_samples() -> Result<()> {
    let binding = Binding::new()?;
    let built = binding.run("tests/builtOK.js", &["UNKNOWNQMGR"])?;
    ensure!(built.contains("MQRC_Q_MGR_NAME_ERROR [2058]"), "{built}");

    let put = binding.run("samples/amqsput.js", &[])?;
    let id = put.lines().find_map(|line| line.strip_prefix("MsgId: ")).context("amqsput shows the identifier")?;
    binding.run("samples/amqsputp.js", &[])?;
    assert_eq!(messages(&binding.run("samples/amqsbra.js", &[])?).len(), 2);
    // Consumed by a callback without MQCTL: the binding suspends and starts delivery itself.
    let got = binding.run("samples/amqsgeta.js", &["DEV.QUEUE.1", "QM1", id])?;
    assert_eq!(messages(&got).len(), 1, "{got}");
    // The same with MQCTL.
    let got = binding.run("samples/amqsgetac.js", &[])?;
    assert_eq!(messages(&got).len(), 1, "{got}");
    binding.run("samples/amqsput.js", &[])?;
    assert_eq!(messages(&binding.run("samples/amqsget.js", &[])?).len(), 1);

    let properties = binding.gets_its_own("samples/amqsprop.js", "helloStringProperty")?;
    for shown in ["helloStringProperty", "value : 42", "value : true", "No more properties"] {
        ensure!(properties.contains(shown), "{properties}");
    }
    let inquired = binding.run("samples/amqsinq.js", &["QM1"])?;
    ensure!(inquired.contains(r#"qmgrName = "QM1""#), "{inquired}");
    let dead = binding.gets_its_own("samples/amqsdlh.js", r#""Reason":2035"#)?;
    ensure!(dead.contains(r#""Reason":2035"#), "{dead}");
    Ok(())
}

#[test]
fn the_binding_for_node_sets_attributes_and_publishes_to_a_subscriber() -> Result<()> {
    let binding = Binding::new()?;
    binding.house.mqsc("SET AUTHREC PROFILE('DEV.QUEUE.1') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(SET)")?;
    let told = binding.run("samples/amqsset.js", &["DEV.QUEUE.1", "QM1"])?;
    ensure!(told.contains("MQSET of queue successful"), "{told}");

    let mut subscribe = binding.command("samples/amqssub.js", &["dev/JSTopic", "QM1"])?;
    let mut subscriber = subscribe.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut lines = Vec::new();
    let mut output = std::io::BufReader::new(subscriber.stdout.take().context("a pipe")?);
    while !lines.last().is_some_and(|line: &String| line.contains("MQSUB to topic")) {
        let mut line = String::new();
        ensure!(std::io::BufRead::read_line(&mut output, &mut line)? > 0, "the subscriber ended: {lines:?}");
        lines.push(line);
    }
    for _ in 0..3 {
        binding.run("samples/amqspub.js", &["dev/JSTopic", "QM1"])?;
    }
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut output, &mut rest)?;
    let ended = subscriber.wait_with_output()?;
    ensure!(ended.status.success(), "{rest}{}", text(&ended.stderr));
    assert_eq!(messages(&rest).len(), 3, "{rest}");
    Ok(())
}
