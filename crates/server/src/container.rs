//! The start in a container: what IBM's image takes from its surroundings, as a layer below the configuration file.
//!
//! Read at the start and at every reload: environment variables, the host's name, `/etc/mqm/*.ini`, the keys and signers of
//! `/etc/mqm/pki`, and the web server's `mqwebuser.xml`. A configuration file, a variable of ours or a flag overrides it.
//! Written each time anew: `DIR/container/`, with the drop-ins in the order in which they run, and the signers in one file.
//!
//! What has no counterpart here is a note for the log and ends no start: scripts of that image go on.
//! Source: IBM MQ container documentation, 9.4; names, paths and order of files.

mod keys;
mod spare;
mod stanza;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use configuration_import::{Source, Surroundings, import};
use model::name::QueueManagerName;
use toml::{Table, Value};

use crate::configuration::{ConfigurationError, set};
use crate::data_directory::write_file;

pub(crate) use spare::Spare;

/// Where the image has its settings, below the root.
const SETTINGS: &str = "etc/mqm";
const WEB_SETTINGS: &str = "etc/mqm/web/installations/Installation1/servers/mqweb/mqwebuser.xml";
/// Folders of [`SETTINGS`] that are no queue manager's.
const OTHER_FOLDERS: [&str; 3] = ["pki", "web", "metrics"];
/// Longest name of a queue manager.
const LONGEST_NAME: usize = 48;

/// The surroundings of a start.
#[derive(Debug, Clone)]
pub(crate) struct Container {
    /// `/`; tests have another.
    root: PathBuf,
    variables: BTreeMap<String, String>,
    host: String,
}

/// What the surroundings say.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Keys of the configuration.
    pub settings: Table,
    /// What an operator should know of them.
    pub notes: Vec<String>,
    /// MQSC of this start beside the drop-ins, by the name of its file.
    scripts: BTreeMap<&'static str, String>,
}

impl Container {
    pub(crate) fn of_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Self {
            root: PathBuf::from("/"),
            variables: std::env::vars_os().filter_map(text).filter(|(_, value)| !value.is_empty()).collect(),
            host: host.trim().to_owned(),
        }
    }

    /// `/etc/mqm/quaymaster.toml`, if there is one.
    pub(crate) fn configuration_file(&self) -> Option<PathBuf> {
        Some(self.root.join(SETTINGS).join("quaymaster.toml")).filter(|file| file.exists())
    }

    /// Whether `MQ_LOGGING_CONSOLE_FORMAT` asks for lines of JSON.
    pub(crate) fn logs_json(&self) -> bool {
        variables::log_format(&self.variables) == Some("json")
    }

    /// Reads the surroundings and makes `DIR/container/` anew. `data` is the data directory, which need not exist.
    ///
    /// # Errors
    /// A file cannot be read or written, or `mqwebuser.xml` is no configuration of a web server.
    pub(crate) fn read(&self, data: &Path) -> Result<Found, ConfigurationError> {
        let mut found = Found::default();
        self.read_web_settings(&mut found)?;
        found.set("server.queue_managers", Value::Array(vec![Value::String(queue_manager_of(&self.host))]));
        self.read_stanzas(&mut found)?;
        variables::read(&self.variables, &mut found);
        let folder = data.join("container");
        make_folder(&folder)?;
        let settings = self.root.join(SETTINGS);
        keys::read(&settings, &folder, self.has_developer_defaults(), &mut found)?;
        self.lay_out_drop_ins(&folder, &mut found)?;
        Ok(found)
    }

    fn has_developer_defaults(&self) -> bool {
        !self.variables.get("MQ_DEV").is_some_and(|text| text.eq_ignore_ascii_case("false"))
    }

    fn read_web_settings(&self, found: &mut Found) -> Result<(), ConfigurationError> {
        let file = self.root.join(WEB_SETTINGS);
        let Some(contents) = read_if_there(&file)? else { return Ok(()) };
        let name = file.display().to_string();
        let beside = Beside { folder: file.parent().unwrap_or(&self.root), variables: &self.variables };
        let imported = import(&[Source { name: &name, contents: &contents }], &beside)
            .map_err(|source| ConfigurationError::Import { file: file.clone(), source })?;
        found.notes.extend(imported.left_out.iter().map(|line| format!("{name}: left out: {line}")));
        found.settings = imported.to_toml().parse().map_err(|error: toml::de::Error| ConfigurationError::Syntax {
            file,
            line: 0,
            problem: error.message().to_owned(),
        })?;
        Ok(())
    }

    /// `*.ini` in alphabetical order; a later value of a key counts.
    fn read_stanzas(&self, found: &mut Found) -> Result<(), ConfigurationError> {
        for file in files(&self.root.join(SETTINGS), "ini")? {
            let text = fs::read_to_string(&file).map_err(|error| cannot_read(&file, error))?;
            stanza::read(&file.display().to_string(), &text, found);
        }
        Ok(())
    }

    /// One folder with links to the drop-ins and with the scripts of this start, which runs in alphabetical order.
    fn lay_out_drop_ins(&self, folder: &Path, found: &mut Found) -> Result<(), ConfigurationError> {
        let drop_ins = folder.join("mqsc.d");
        match fs::remove_dir_all(&drop_ins) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot_prepare(&drop_ins, error)),
            _ => make_folder(&drop_ins)?,
        }
        let settings = self.root.join(SETTINGS);
        let mut linked = files(&settings, "mqsc")?;
        linked.extend(folders(&settings)?.into_iter().filter(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            !name.starts_with('.') && !OTHER_FOLDERS.contains(&name.as_ref())
        }));
        for path in linked {
            let link = drop_ins.join(path.file_name().unwrap_or_default());
            symlink(&path, &link).map_err(|error| cannot_prepare(&link, error))?;
        }
        for (name, script) in &found.scripts {
            let file = drop_ins.join(name);
            // The image's own file of this name counts.
            if !file.exists() {
                write_file(&file, script.as_bytes(), 0o600).map_err(|e| cannot_prepare(&file, io::Error::other(e)))?;
            }
        }
        found.set("server.mqsc_dir", text_of(&drop_ins));
        Ok(())
    }
}

impl Found {
    fn set(&mut self, path: &str, value: Value) {
        set(&mut self.settings, path, value);
    }

    fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }
}

/// The files beside `mqwebuser.xml`, and the variables of the container.
struct Beside<'a> {
    folder: &'a Path,
    variables: &'a BTreeMap<String, String>,
}

impl Surroundings for Beside<'_> {
    fn environment(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn included(&self, location: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join(location)).ok()
    }
}

/// The host's name without the characters that a queue manager's name has not; `QM1` when none is left.
fn queue_manager_of(host: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || "._%/".contains(*c);
    let name: String = host.chars().filter(allowed).take(LONGEST_NAME).collect();
    if QueueManagerName::parse(&name).is_ok_and(|name| !name.as_str().is_empty()) { name } else { "QM1".to_owned() }
}

/// Files of a folder with this extension, in alphabetical order; none when there is no such folder.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, ConfigurationError> {
    let all = entries(folder)?.into_iter();
    Ok(all.filter(|path| path.extension().is_some_and(|found| found == extension) && path.is_file()).collect())
}

/// Folders of a folder, in alphabetical order.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, ConfigurationError> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ConfigurationError> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot_read(folder, error)),
    };
    let mut paths: Vec<PathBuf> = listed.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort_unstable();
    Ok(paths)
}

fn read_if_there(file: &Path) -> Result<Option<Vec<u8>>, ConfigurationError> {
    match fs::read(file) {
        Ok(contents) => Ok(Some(contents)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_read(file, error)),
    }
}

fn make_folder(folder: &Path) -> Result<(), ConfigurationError> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| cannot_prepare(folder, error))
}

fn text_of(path: &Path) -> Value {
    Value::String(path.to_string_lossy().into_owned())
}

fn cannot_read(file: &Path, source: io::Error) -> ConfigurationError {
    ConfigurationError::Read { file: file.to_owned(), source }
}

fn cannot_prepare(path: &Path, source: io::Error) -> ConfigurationError {
    ConfigurationError::Prepare { path: path.to_owned(), source }
}
