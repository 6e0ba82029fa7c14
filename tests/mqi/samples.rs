//! The samples of the tree, as people run them.

use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::server::APP_PASSWORD;

use super::{House, fed, text};

impl House {
    /// What a sample prints when it is given these lines.
    pub(super) fn sample(&self, name: &str, input: &str) -> Result<std::process::Output> {
        let mut command = self.command(&self.tree.join("bin").join(name))?;
        // The samples find the library beside them.
        command.env_remove("LD_LIBRARY_PATH");
        Self::run_sample(command, input)
    }

    pub(super) fn run_sample(mut command: Command, input: &str) -> Result<std::process::Output> {
        command.args(["DEV.QUEUE.2", "QM1"]).env("MQSAMP_USER_ID", "app").env("MQSAMP_WAIT", "100");
        fed(command, &format!("{APP_PASSWORD}\n{input}"))
    }
}

#[test]
fn samples_put_browse_and_get() -> Result<()> {
    let house = House::new()?;
    let put = house.sample("amqsputc", "first\nsecond\n\nafter the empty line\n")?;
    ensure!(put.status.success(), "{}", text(&put.stderr));
    let browsed = house.sample("amqsbcgc", "")?;
    let shown = text(&browsed.stdout);
    ensure!(shown.contains("6669 7273 74") && shown.contains("2 messages"), "{shown}");
    let got = house.sample("amqsgetc", "")?;
    assert_eq!(text(&got.stdout), "message <first>\nmessage <second>\n");
    Ok(())
}

#[test]
fn the_tree_says_what_it_is_and_what_a_reason_means() -> Result<()> {
    let house = House::new()?;
    let run = |name: &str, arguments: &[&str]| -> Result<String> {
        let output = Command::new(house.tree.join("bin").join(name)).args(arguments).output()?;
        ensure!(output.status.success(), "{name}: {}", text(&output.stderr));
        Ok(text(&output.stdout).to_owned())
    };
    assert_eq!(run("dspmqver", &["-b", "-f", "2"])?, "9.4.2.0\n");
    assert_eq!(run("mqrc", &["2085"])?, "    2085  0x00000825  MQRC_UNKNOWN_OBJECT_NAME\n");
    assert_eq!(run("mqrc", &["MQRC_UNKNOWN_OBJECT_NAME"])?, "    2085  0x00000825  MQRC_UNKNOWN_OBJECT_NAME\n");
    Ok(())
}

#[test]
fn a_shell_that_has_read_setmqenv_finds_programs_headers_and_libraries() -> Result<()> {
    let house = House::new()?;
    let run = |shell: &str, script: &str, known: &str| -> Result<String> {
        let mut command = Command::new(shell);
        command.args(["-euc", script]).env("TREE", &house.tree).env_remove("PKG_CONFIG_PATH");
        command.env("MQ_INSTALLATION_PATH", known).current_dir(house.folder.path());
        let output = command.output()?;
        ensure!(output.status.success(), "{shell}: {}", text(&output.stderr));
        Ok(text(&output.stdout).to_owned())
    };
    let builds = ". $TREE/bin/setmqenv -s\n\
                  cc -o put $MQ_INSTALLATION_PATH/samp/amqsput.c $(pkg-config --cflags --libs mqm)\n\
                  ./put 2>&1 | head -n 1\n\
                  command -v amqsgetc";
    let found = format!("usage: amqsput QUEUE [QMGR]\n{}/bin/amqsgetc\n", house.tree.display());
    assert_eq!(run("bash", builds, "")?, found);
    let tree = house.tree.display().to_string();
    assert_eq!(run("sh", builds, &tree)?, found);
    let looks =
        "test -e $TREE/inc/cobcpy64/CMQV.cpy && test -x $TREE/samp/bin/amqsputc && test -e $TREE/samp/PRICEREQ.cbl";
    assert_eq!(run("sh", looks, "")?, "");
    Ok(())
}
