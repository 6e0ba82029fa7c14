//! `support`: one archive for those who help, with what `doctor` says, settings, definitions and states. No password, key, token or message is in
//! it: files are taken by name, and settings by their kind.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};
use time::OffsetDateTime;
use time::macros::format_description;
use toml::{Table, Value};

use super::configured::Configured;
use super::dump;
use super::failure::Failure;
use super::group::write_checks;
use super::mqsc_door::MqscDoor;
use super::{doctor, health};
use crate::configuration::keys::{KEYS, Key, Kind};
use crate::data_directory::DataDirectory;
use crate::error::chain;

/// The states of a queue manager. None of them shows a message.
const STATES: [&str; 8] = [
    "DISPLAY QMGR ALL",
    "DISPLAY QMSTATUS ALL",
    "DISPLAY QSTATUS(*) ALL",
    "DISPLAY CHSTATUS(*) ALL",
    "DISPLAY CONN(*) ALL",
    "DISPLAY LSSTATUS(*) ALL",
    "DISPLAY SBSTATUS(*) ALL",
    "DISPLAY TPSTATUS('#') ALL",
];

/// Files of the machine.
const MACHINE: [&str; 5] =
    ["/proc/version", "/proc/meminfo", "/proc/loadavg", "/etc/os-release", "/proc/sys/kernel/hostname"];

const LEFT_OUT: &str = "(left out)";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// File to write [default: quaymaster-support-TIME.tar.gz].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    configured: Configured,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let now = OffsetDateTime::now_utc();
    let stamp = now.format(format_description!("[year][month][day]T[hour][minute][second]Z")).unwrap_or_default();
    let folder = format!("quaymaster-support-{stamp}");
    let file = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{folder}.tar.gz")));
    let texts = gather(&arguments.configured)?;
    let seconds = u64::try_from(now.unix_timestamp()).unwrap_or(0);
    archive(&file, &folder, seconds, &texts)
        .map_err(|error| Failure::new(super::exit_code::FAILED, format!("cannot write {}: {error}", file.display())))?;
    writeln!(out, "{} has {} files, and no password, key or message.", file.display(), texts.len())?;
    Ok(())
}

/// Names and texts of the files.
fn gather(configured: &Configured) -> Result<Vec<(String, String)>, Failure> {
    let directory = configured.directory();
    let mut checks = Vec::new();
    write_checks(&mut checks, &doctor::look(configured))?;
    let mut texts = vec![
        ("doctor.txt".to_owned(), String::from_utf8_lossy(&checks).into_owned()),
        ("version.txt".to_owned(), format!("quaymaster {}\n", env!("CARGO_PKG_VERSION"))),
        ("machine.txt".to_owned(), machine()),
        ("files.txt".to_owned(), files(directory.root())),
        ("environment.txt".to_owned(), environment()),
        ("configuration.toml".to_owned(), configuration(configured)),
    ];
    match health::status_of(&directory) {
        Ok(status) => {
            for manager in &status.queue_managers {
                texts.push((format!("{}/states.txt", manager.name), states(&directory, &manager.name)));
                let definitions = dump::all(&directory, &manager.name);
                let definitions = definitions.unwrap_or_else(|failure| format!("{}\n", failure.sentence()));
                texts.push((format!("{}/definitions.mqsc", manager.name), definitions));
            }
        }
        Err(error) => texts.push(("server.txt".to_owned(), format!("{}\n", chain(&error)))),
    }
    Ok(texts)
}

fn machine() -> String {
    let text = |file: &&str| format!("== {file}\n{}\n", std::fs::read_to_string(file).unwrap_or_default().trim_end());
    MACHINE.iter().map(text).collect()
}

/// Mode, length and path of each file of the data directory, without what is in them.
fn files(folder: &Path) -> String {
    use std::os::unix::fs::MetadataExt;

    let Ok(entries) = std::fs::read_dir(folder) else { return format!("{} cannot be read\n", folder.display()) };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort_unstable();
    let mut text = String::new();
    for path in paths {
        if let Ok(found) = path.symlink_metadata() {
            text.push_str(&format!("{:o} {:>12} {}\n", found.mode() & 0o7777, found.len(), path.display()));
            if found.is_dir() {
                text.push_str(&files(&path));
            }
        }
    }
    text
}

/// Names of the variables that a server reads.
fn environment() -> String {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|name| name.starts_with("MQ_") || name.starts_with("QUAYMASTER_")).collect();
    names.sort_unstable();
    names.iter().map(|name| format!("{name}={LEFT_OUT}\n")).collect()
}

/// The file, without texts that may be secrets.
fn configuration(configured: &Configured) -> String {
    let file = configured.file();
    let Ok(text) = std::fs::read_to_string(&file) else { return format!("# There is no {}.\n", file.display()) };
    match text.parse::<Table>() {
        Ok(table) => shown(&table, ""),
        Err(error) => format!("# {} is not TOML: {}\n", file.display(), error.message()),
    }
}

/// One line a key. A key that is not known may be a misspelt password.
fn shown(table: &Table, above: &str) -> String {
    let mut text = String::new();
    for (name, value) in table {
        let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        let key = KEYS.iter().find(|key| key.path == path);
        match (key, value) {
            (None, Value::Table(inner)) => text.push_str(&shown(inner, &path)),
            (Some(key), value) if may_be_shown(key) => text.push_str(&format!("{path} = {value}\n")),
            (_, value) => text.push_str(&format!("{path} = {}\n", without_texts(value))),
        }
    }
    text
}

fn may_be_shown(key: &Key) -> bool {
    match key.kind {
        Kind::Boolean | Kind::Integer { .. } | Kind::Choice(_) | Kind::Choices(_) | Kind::Address | Kind::Path => true,
        Kind::QueueManagers | Kind::TextsTable => true,
        Kind::Text | Kind::Texts => !["password", "secret", "database", "key", "token", "url", "headers"]
            .iter()
            .any(|word| key.path.contains(word)),
        Kind::TextTable | Kind::Tables | Kind::TextsOrTables => false,
    }
}

/// With names and numbers, and without any text.
fn without_texts(value: &Value) -> Value {
    match value {
        Value::String(_) => Value::String(LEFT_OUT.to_owned()),
        Value::Array(values) => Value::Array(values.iter().map(without_texts).collect()),
        Value::Table(table) => {
            Value::Table(table.iter().map(|(name, value)| (name.clone(), without_texts(value))).collect())
        }
        other => other.clone(),
    }
}

fn states(directory: &DataDirectory, queue_manager: &str) -> String {
    let mut door = match MqscDoor::socket(directory, queue_manager, None) {
        Ok(door) => door,
        Err(failure) => return format!("{}\n", failure.sentence()),
    };
    let mut text = String::new();
    for command in STATES {
        let lines = match door.run(command) {
            Ok((lines, _)) => lines,
            Err(failure) => vec![failure.sentence().to_owned()],
        };
        text.push_str(&format!("== {command}\n{}\n", lines.join("\n")));
    }
    text
}

/// Readable by its owner alone: names of users and addresses are in it.
fn archive(file: &Path, folder: &str, seconds: u64, texts: &[(String, String)]) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;

    let out = File::options().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    let mut archive = Builder::new(GzEncoder::new(out, Compression::default()));
    for (name, text) in texts {
        let mut header = Header::new_gnu();
        header.set_mode(0o600);
        header.set_mtime(seconds);
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, format!("{folder}/{name}"), text.as_bytes())?;
    }
    archive.into_inner()?.finish()?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_configuration_is_shown_without_what_may_be_secret() {
        let text = r#"
            [web]
            users = { admin = "hunter2" }
            roles = { MQWebAdmin = ["user:admin"] }
            passwrod = "hunter2"
            [ldap]
            host = "directory.example"
            port = 636
            bind_password = "hunter2"
            [group]
            database = "postgres://q:hunter2@localhost/q"
            [remote_queue_managers.FAR]
            channel = "A"
            password = "hunter2"
        "#;
        let shown = shown(&text.parse().expect("TOML"), "");
        assert!(!shown.contains("hunter2"), "{shown}");
        for line in
            ["ldap.host = \"directory.example\"", "ldap.port = 636", "web.roles = { MQWebAdmin = [\"user:admin\"] }"]
        {
            assert!(shown.contains(line), "{line} is not in {shown}");
        }
        for name in ["admin", "FAR", "password", "group.database"] {
            assert!(shown.contains(name), "{name} is not in {shown}");
        }
    }
}
