//! The error log: `AMQERR01.LOG`, where a client of MQ writes it, and only where the folder is there already.
//!
//! No password and no message goes there. What cannot be written is dropped: the program sees its reason all the same.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::settings::Settings;

/// A file that is longer is moved to the next number, in bytes.
const LONGEST_FILE: u64 = 2 << 20;

/// One problem: what failed, with which value, and what to do.
pub(crate) fn write(settings: &Settings, problem: &str, action: &str) {
    let Some(folder) = folder(settings) else { return };
    let first = folder.join("AMQERR01.LOG");
    if first.metadata().is_ok_and(|file| file.len() > LONGEST_FILE) {
        for (from, to) in [("AMQERR02.LOG", "AMQERR03.LOG"), ("AMQERR01.LOG", "AMQERR02.LOG")] {
            let _ = std::fs::rename(folder.join(from), folder.join(to));
        }
    }
    let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(first) else { return };
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    let text = format!(
        "{} - Process({}) Program({program})\nAMQ9999E: {problem}\n\nEXPLANATION:\n{problem}\nACTION:\n{action}\n{}\n",
        time(),
        std::process::id(),
        "-".repeat(79)
    );
    let _ = file.write_all(text.as_bytes());
}

fn folder(settings: &Settings) -> Option<PathBuf> {
    let named = settings.variable("MQ_OVERRIDE_DATA_PATH").map(|path| Path::new(&path).join("errors"));
    let home = settings.variable("HOME").map(|home| Path::new(&home).join("IBM/MQ/data/errors"));
    let all = [named, Some(PathBuf::from("/var/mqm/errors")), home];
    all.into_iter().flatten().find(|folder| folder.is_dir())
}

/// Seconds since 1970 as a date and time of day, UTC.
#[expect(clippy::disallowed_methods, reason = "a line of a log states when it was written")]
fn time() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let millis = u64::try_from(now.as_millis()).unwrap_or(0);
    model::timestamp::rfc3339(model::timestamp::Timestamp::from_millis(millis).date_time())
}
