//! The same programs on shared queues: the server is the member of a queue-sharing group on a PostgreSQL of the test's own.
//!
//! The definitions of the programs are those of private queues, with a structure. Temporary queues stay private: a group has none.

use anyhow::{Result, bail};

const SWITCH: &str = "QUAYMASTER_PROGRAM_QUEUES";
/// Developer defaults that the programs use, which a server has as private queues.
const DEFAULTS: [&str; 3] = ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"];

/// Whether the programs are to use shared queues.
pub(super) fn is_wanted() -> Result<bool> {
    match std::env::var(SWITCH).as_deref() {
        Err(_) | Ok("private") => Ok(false),
        Ok("shared") => Ok(true),
        Ok(other) => bail!("{SWITCH} is '{other}', and can be private or shared"),
    }
}

/// The definitions with shared queues in place of the private ones.
pub(super) fn shared(definitions: &str) -> String {
    let mut script = "DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)\n".to_owned();
    for name in DEFAULTS {
        script += &format!("DELETE QLOCAL('{name}') QSGDISP(QMGR)\n");
        script += &format!("DEFINE QLOCAL('{name}') QSGDISP(SHARED) CFSTRUCT(APP1)\n");
    }
    for line in definitions.lines() {
        let name = line.strip_prefix("DEFINE QLOCAL(").and_then(|rest| rest.split_once(')'));
        match name {
            Some((name, rest)) => script += &format!("DEFINE QLOCAL({name}) QSGDISP(SHARED) CFSTRUCT(APP1){rest}\n"),
            None => script += &format!("{line}\n"),
        }
    }
    script
}
