//! Who else may read or write what the server relies on: its data directory and its configuration file.
//!
//! What others may write is refused: they could replace messages, keys and users. What others may only read is warned of where it
//! holds secrets. Members of the file's group are trusted, as containers that run as a user of their own need it; a directory
//! that they may write is warned of.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use toml::{Table, Value};

use crate::data_directory::file_error;
use crate::error::ServerError;

const WRITABLE_BY_OTHERS: u32 = 0o002;
const READABLE_BY_OTHERS: u32 = 0o004;
const WRITABLE_BY_GROUP: u32 = 0o020;

/// # Errors
/// Every user of this machine may write there.
pub(crate) fn check_data_directory(root: &Path) -> Result<(), ServerError> {
    let mode = mode_of(root)?;
    if mode & WRITABLE_BY_OTHERS != 0 {
        return Err(ServerError::WritableByOthers { what: "the data directory", path: root.to_owned(), mode });
    }
    if mode & WRITABLE_BY_GROUP != 0 {
        let path = root.display();
        tracing::warn!(
            "the group of the data directory {path} may write there (mode {mode:o}): run chmod g-w unless this is intended"
        );
    }
    Ok(())
}

/// The file that was read, if there is one.
///
/// # Errors
/// Every user of this machine may write it.
pub(crate) fn check_configuration(file: &Path) -> Result<(), ServerError> {
    if !file.exists() {
        return Ok(());
    }
    let mode = mode_of(file)?;
    if mode & WRITABLE_BY_OTHERS != 0 {
        return Err(ServerError::WritableByOthers { what: "the configuration file", path: file.to_owned(), mode });
    }
    let holds_secrets = || {
        let text = fs::read_to_string(file).unwrap_or_default();
        text.parse::<Table>().is_ok_and(|table| holds_secrets("", &table))
    };
    if mode & READABLE_BY_OTHERS != 0 && holds_secrets() {
        let path = file.display();
        tracing::warn!(
            "every user of this machine may read {path}, which contains passwords (mode {mode:o}): run chmod o-r"
        );
    }
    Ok(())
}

fn mode_of(path: &Path) -> Result<u32, ServerError> {
    let metadata = fs::metadata(path).map_err(|error| file_error("look at", path, error))?;
    Ok(metadata.mode() & 0o7777)
}

/// Whether a text of the table is a password, or a table of it is that of users and their passwords.
fn holds_secrets(path: &str, table: &Table) -> bool {
    table.iter().any(|(name, value)| match value {
        Value::String(text) => {
            !text.is_empty() && (path == "web.users" || name.contains("password") || name.contains("secret"))
        }
        Value::Table(table) => {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            holds_secrets(&path, table)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_wherever_they_stand() {
        let holds = |text: &str| holds_secrets("", &text.parse().expect("TOML"));
        assert!(!holds("[server]\nhttps = 'off'\n[web]\nusers = {}\n[ltpa]\nkeys_file = 'ltpa.keys'"));
        assert!(holds("[web.users]\napp = '{xor}x'"));
        assert!(holds("[ldap]\nbind_password = 'x'"));
        assert!(holds("[zosconnect.auth_data.a]\nuser = 'u'\npassword = 'x'"));
        assert!(holds("[remote_queue_managers.A]\npassword = 'x'"));
    }
}
