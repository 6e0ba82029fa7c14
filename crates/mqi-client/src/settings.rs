//! What the environment and `mqclient.ini` say: read at every MQCONN, for programs change their environment while they run.
//!
//! The environment goes before the file. Lines of the file that are not known are read over, as IBM's clients do.
//!
//! Source: MQ Configuring, "Using MQ environment variables", "The IBM MQ MQI client configuration file, mqclient.ini", 9.4.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Longest configuration file that is read, in bytes.
const LONGEST_FILE: u64 = 1 << 20;

#[derive(Debug, Clone, Default)]
pub struct Settings {
    environment: HashMap<String, String>,
    /// By stanza and attribute, both in capitals.
    file: HashMap<(String, String), String>,
}

impl Settings {
    /// Of this process, as it is now.
    pub fn read() -> Self {
        let environment: HashMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, value)| !value.is_empty() && is_ours(name))
            .collect();
        let mut settings = Self { environment, file: HashMap::new() };
        if let Some(text) = settings.files().into_iter().find_map(|file| text_of(&file)) {
            settings.file = parse(&text);
        }
        settings
    }

    /// For tests: these variables, and this text of a file.
    pub fn of(environment: &[(&str, &str)], file: &str) -> Self {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { environment, file: parse(file) }
    }

    /// A variable of the environment that is not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str)
    }

    /// An attribute of a stanza of `mqclient.ini`.
    pub fn attribute(&self, stanza: &str, name: &str) -> Option<&str> {
        self.file.get(&(stanza.to_uppercase(), name.to_uppercase())).map(String::as_str)
    }

    /// The coded character set of the program's texts: MQCCSID, the file, else what the locale says; UTF-8 when it says nothing.
    pub fn ccsid(&self) -> i32 {
        let stated = self.variable("MQCCSID").or_else(|| self.attribute("CHANNELS", "CCSID"));
        if let Some(stated) = stated.and_then(|text| text.trim().parse().ok()).filter(|ccsid| *ccsid > 0) {
            return stated;
        }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| self.variable(name)).unwrap_or("");
        match locale.rsplit_once('.').map_or("", |(_, set)| set).to_ascii_lowercase().replace('-', "").as_str() {
            "iso88591" => 819,
            "iso885915" => 923,
            "ascii" => 367,
            _ => 1208,
        }
    }

    /// Where `mqclient.ini` may be, the first that is there counts.
    fn files(&self) -> Vec<PathBuf> {
        if let Some(named) = self.variable("MQCLNTCF") {
            return vec![path_of(named)];
        }
        let mut files = vec![PathBuf::from("mqclient.ini")];
        let folders = [self.variable("MQ_OVERRIDE_DATA_PATH"), Some("/var/mqm"), self.variable("HOME")];
        files.extend(folders.into_iter().flatten().map(|folder| Path::new(folder).join("mqclient.ini")));
        files
    }
}

/// A path, or a URL of a file.
pub(crate) fn path_of(text: &str) -> PathBuf {
    PathBuf::from(text.strip_prefix("file://").or_else(|| text.strip_prefix("file:")).unwrap_or(text))
}

fn is_ours(name: &str) -> bool {
    name.starts_with("MQ") || name.starts_with("LC_") || matches!(name, "LANG" | "HOME" | "USER" | "LOGNAME")
}

fn text_of(file: &Path) -> Option<String> {
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    (length <= LONGEST_FILE)
        .then(|| std::fs::read(file).ok())
        .flatten()
        .map(|text| String::from_utf8_lossy(&text).into_owned())
}

fn parse(text: &str) -> HashMap<(String, String), String> {
    let mut stanza = String::new();
    let mut found = HashMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '*', ';'])) {
        if let Some((name, value)) = line.split_once('=') {
            found.insert((stanza.clone(), name.trim().to_uppercase()), value.trim().to_owned());
        } else if let Some(name) = line.strip_suffix(':') {
            stanza = name.trim().to_uppercase();
        }
    }
    found
}

#[cfg(test)]
mod tests;
