//! The XA switches: a program drives them as a transaction manager does, and is killed between prepare and commit.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::reach::Reach;
use super::{House, prints, source, succeeded, text};

const VERBS: &str = "\
MQSeries_XA_RMI
xa_open without queue manager -5
xa_start before xa_open -6
xa_open 0
MQCONN 0 0
xa_open again 0
MQCONN again 1 2002
wrong xid -5
asynchronous -2
xa_start 0
MQPUT1 0 0
MQCMIT within 2 2012
xa_end of another thread -6
xa_end to suspend 0
xa_start of two 0
MQPUT1 0 0
xa_end of two 0
xa_rollback of two 0
xa_start to resume 0
xa_end 0
MQGET 2 2033 <>
xa_commit in one phase 0
MQGET 0 0 <first>
xa_start 0
xa_end 0
xa_prepare of nothing 3
xa_forget -4
xa_recover 0
xa_open of another resource manager 0
xa_close of it 0
xa_start of the first 0
xa_end 0
xa_rollback 0
MQDISC 0 0
xa_close 0
MQBACK afterwards 2 2018
";

const DYNAMIC: &str = "\
flags 3
xa_open 0
MQCONN 0 0
MQGET 2 2033 <>
ax_reg 7 0 format -1
MQPUT1 0 0
MQPUT1 0 0
MQCMIT within 2 2012
xa_end 0
xa_prepare 0
xa_commit 0
ax_reg 7 0 format -1
MQGET 0 0 <in a branch>
xa_end to suspend 0
ax_reg 7 0 format -1
MQGET 0 0 <in the same>
xa_end 0
xa_rollback 0
MQGET 0 0 <in a branch>
MQGET 0 0 <in the same>
ax_reg 7 0 format -1
MQPUT1 2 2354
ax_reg 7 0 format -1
MQPUT1 0 0
ax_unreg 7 0
MQCMIT 0 0
MQGET 0 0 <of the program>
MQGET 2 2033 <>
MQDISC 0 0
xa_close 0
";

const PREPARED: &str = "\
xa_open 0
MQCONN 0 0
xa_start 0
MQPUT1 0 0
xa_end 0
xa_prepare 0
xa_start 0
MQPUT1 0 0
xa_end 0
xa_prepare 0
";

const FINISHED: &str = "\
xa_open 0
MQCONN 0 0
MQGET 2 2033 <>
xa_recover 2 4711:keptb 4711:droppedb
xa_commit 0
xa_rollback 0
xa_recover 0
MQGET 0 0 <kept>
MQGET 2 2033 <>
MQDISC 0 0
xa_close 0
";

impl House {
    /// A program with the switch of a library, which takes this C type for `long`.
    fn transaction_manager(&self, library: &str, long: &str) -> Result<PathBuf> {
        self.compile_as(&source("xa.c"), library, &["-rdynamic", &format!("-DXA_LONG={long}"), &format!("-l{library}")])
    }

    /// Where programs come by TLS, the channel is that of the table: an xa_open string names no CipherSpec.
    fn step(&self, program: &std::path::Path, step: &str) -> Result<Command> {
        let mut command = self.command(program)?;
        self.lead(&mut command, "APP.OPEN")?;
        let channel = format!("CHANNEL=APP.OPEN,TRPTYPE=TCP,CONNAME={},", self.connection_name()?);
        let channel = if self.reach.is_tls() { "" } else { &channel };
        command.arg(step).env("XA_OPEN", format!("{channel}QMNAME=QM1")).env_remove("MQSERVER");
        Ok(command)
    }

    /// Runs a step with each switch.
    fn drives(&self, step: &str, expected: &str) -> Result<()> {
        self.open_channel("APP.OPEN", "app")?;
        for (library, long) in [("mqcxa64_r", "long"), ("mqcxa_r", "int")] {
            let program = self.transaction_manager(library, long)?;
            prints(&self.step(&program, step)?.output()?, expected).context(library)?;
        }
        Ok(())
    }
}

#[test]
fn branches_are_begun_suspended_resumed_and_ended_through_the_switch() -> Result<()> {
    House::new()?.by(&[Reach::Tls], |house| house.drives("verbs", VERBS))
}

#[test]
fn a_resource_manager_that_registers_dynamically_asks_for_its_branch_at_the_first_call_under_syncpoint() -> Result<()> {
    House::new()?.by(&[Reach::Tls], |house| house.drives("dynamic", DYNAMIC))
}

#[test]
fn a_prepared_branch_survives_its_program_and_its_queue_manager_and_is_recovered() -> Result<()> {
    let house = House::new()?;
    house.open_channel("APP.OPEN", "app")?;
    let program = house.transaction_manager("mqcxa64_r", "long")?;
    let killed = house.step(&program, "prepare")?.output()?;
    ensure!(!killed.status.success(), "it was to be killed");
    assert_eq!(text(&killed.stdout), PREPARED);
    let house = house.killed_and_started()?;
    let output = house.step(&program, "finish")?.output()?;
    assert_eq!(succeeded(&output)?, FINISHED);
    Ok(())
}
