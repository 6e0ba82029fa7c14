//! Programs in COBOL, compiled by GnuCOBOL as the guide says, against the real server.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::server::ADMIN_PASSWORD;

use super::page::{pasted, shows};
use super::{House, prints, succeeded, text};

const EXPECTED: &str = "\
MQCONNX 0 0000
MQOPEN unknown 2 2085
MQOPEN 0 0000
MQPUT 0 0000
MQBACK 0 0000
MQGET 2 2033
MQCMIT 0 0000
MQGET 0 0000
hello from COBOL
length 16
MQPUT1 0 0000
MQGET 0 0000
put by MQPUT1
MQSTAT 0 0000
MQINQ 0 0000
DEV.QUEUE.1
MAXDEPTH 5000
CURDEPTH 0
MQSET 0 0000
MQCRTMH 0 0000
MQSETMP 0 0000
MQINQMP 0 0000
colour blue
MQDLTMH 0 0000
MQSUB 0 0000
MQPUT1 to a topic 0 0000
MQGET 0 0000
published
MQCB 0 0000
called with <for the callback>
MQCTL 0 0000
MQCLOSE 0 0000
MQDISC 0 0000
MQCMIT without 2 2018
";

impl House {
    /// Compiles `verbs.cbl` with these options, beside those that name the copybooks and the order of bytes.
    fn cobol(&self, name: &str, options: &[&str]) -> Result<PathBuf> {
        self.cobol_of(name, &["verbs.cbl"], options)
    }

    fn cobol_of(&self, name: &str, sources: &[&str], options: &[&str]) -> Result<PathBuf> {
        let program = self.folder.path().join(name);
        let mut command = Command::new("cobc");
        command.args(["-x", "-fbinary-byteorder=native", "-I"]).arg(self.tree.join("cobcpy64"));
        command.arg("-L").arg(self.tree.join("lib64")).args(options).arg("-o").arg(&program);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mqi");
        command.args(sources.iter().map(|source| folder.join(source)));
        command.env("COB_CFLAGS", format!("-I{}", self.tree.join("inc").display()));
        succeeded(&command.output().context("cobc is not installed (Debian: gnucobol3)")?)?;
        Ok(program)
    }

    fn administrator(&self, program: &Path) -> Result<Command> {
        let mut command = self.command(program)?;
        self.lead(&mut command, "DEV.ADMIN.SVRCONN")?;
        command.env("PASSWORD", ADMIN_PASSWORD);
        Ok(command)
    }
}

fn check(mut program: Command) -> Result<()> {
    prints(&program.output()?, EXPECTED)
}

#[test]
fn every_call_of_a_cobol_program_is_by_reference_and_functions_in_cobol_are_called_with_messages() -> Result<()> {
    let house = House::new()?;
    let program = house.cobol("verbs", &["-Q", "-Wl,--no-as-needed", "-lmqicb_r"])?;
    house.everywhere(|house| house.through_cuts(|house| check(house.administrator(&program)?)))
}

#[test]
fn cobol_programs_find_the_library_by_static_calls_and_by_preloading_and_compile_as_other_dialects() -> Result<()> {
    let house = House::new()?;
    check(house.administrator(&house.cobol("static", &["-fstatic-call", "-lmqicb_r", "-std=ibm"])?)?)?;
    let mut preloading = house.administrator(&house.cobol("preloading", &["-std=mf"])?)?;
    preloading.env_remove("LD_LIBRARY_PATH");
    preloading.env("COB_LIBRARY_PATH", house.tree.join("lib64")).env("COB_PRE_LOAD", "libmqicb_r");
    check(preloading)
}

#[test]
fn in_a_shell_that_has_read_setmqenv_a_program_is_compiled_and_run_without_naming_the_library() -> Result<()> {
    let house = House::new()?;
    let mut command = house.administrator(Path::new("bash"))?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("mqi/verbs.cbl");
    command.env_remove("LD_LIBRARY_PATH").env("TREE", &house.tree).env("SOURCE", source);
    command.args([
        "-euc",
        ". $TREE/bin/setmqenv\nunset LD_LIBRARY_PATH\ncobc -x -fbinary-byteorder=native -o plain $SOURCE\n./plain",
    ]);
    check(command)
}

#[test]
fn a_part_of_the_program_in_c_uses_the_connection_of_the_part_in_cobol() -> Result<()> {
    let house = House::new()?;
    house.open_channel("COBOL.OPEN", "app")?;
    let program = house.cobol_of("mixed", &["mixed.cbl", "mixed.c"], &["-Q", "-Wl,--no-as-needed", "-lmqicb_r"])?;
    let output = house.command(&program)?.env("MQSERVER", house.mqserver("COBOL.OPEN")?).output()?;
    assert_eq!(succeeded(&output)?, "MQCONN 0000\nMQPUT1 0000\nMQCMIT 0 0\n");
    let got = house.sample("amqsgetc", "")?;
    assert_eq!(text(&got.stdout), "message <mixed>\n", "it was committed");
    Ok(())
}

/// The library of COBOL is alone in a folder, and nothing leads to the other one.
#[test]
fn without_the_library_of_c_every_call_ends_with_6000() -> Result<()> {
    let house = House::new()?;
    let program = house.cobol("alone", &["-Q", "-Wl,--no-as-needed", "-lmqicb_r"])?;
    std::fs::copy(house.tree.join("lib64/libmqicb_r.so"), house.folder.path().join("libmqicb_r.so"))?;
    let mut command = house.administrator(&program)?;
    let output = command.env("LD_LIBRARY_PATH", house.folder.path()).output()?;
    let told = succeeded(&output)?;
    ensure!(told.starts_with("MQCONNX 2 6000\nMQOPEN unknown 2 6000\n"), "{told}");
    Ok(())
}

const SECTION: &[&str] = &["Two programs in COBOL"];

#[test]
fn a_request_is_answered_by_a_program_that_the_trigger_monitor_starts_as_the_page_shows() -> Result<()> {
    shows(SECTION, 2)
}

/// It names no queue for its reply.
#[test]
fn a_request_that_the_example_cannot_answer_is_put_aside_and_the_next_one_is_answered() -> Result<()> {
    let (_, out) = pasted(
        SECTION,
        "quaymaster put COBOL.REQUEST 'TEA     0007' > /dev/null\n\
         for try in $(seq 300); do [ \"$(quaymaster depth COBOL.ASIDE)\" = 1 ] && break; sleep 0.1; done\n\
         quaymaster browse COBOL.ASIDE\n\
         target/cobol/pricereq SUGAR 2\n\
         quaymaster depth COBOL.REQUEST\n",
    )?;
    ensure!(out.contains("TEA     0007") && out.contains("SUGAR: 1.98\n0\n"), "{out}");
    Ok(())
}
