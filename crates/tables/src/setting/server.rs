//! A `quaymaster serve` process: what it is to have, and where it can be reached.

use std::path::{Path, PathBuf};

use super::Setting;
use super::metrics::Metrics;
use super::process::Process;
use crate::error::TablesError;

/// What a server of an experiment has beside the developer defaults.
#[derive(Debug, Clone, Default)]
pub struct ServerPlan {
    /// What it is called in failures and in what a figure counts.
    pub name: String,
    /// The first is the default one.
    pub queue_managers: Vec<String>,
    /// MQSC run before it is ready, by queue manager.
    pub scripts: Vec<(String, String)>,
    /// TOML beside the defaults.
    pub configuration: String,
    /// Listens for MQ client channels.
    pub channels: bool,
    /// Keeps nothing on disk: thousands of definitions are there at once.
    pub ephemeral: bool,
    /// Further arguments of `serve`.
    pub arguments: Vec<String>,
    /// `MQ_*` and `QUAYMASTER_*` variables.
    pub environment: Vec<(String, String)>,
}

pub struct Server {
    process: Process,
    data: PathBuf,
}

impl ServerPlan {
    /// One queue manager `QM1`, no channels.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), queue_managers: vec!["QM1".to_owned()], ..Self::default() }
    }

    #[must_use]
    pub fn hosting(mut self, queue_managers: Vec<String>) -> Self {
        self.queue_managers = queue_managers;
        self
    }

    /// Runs MQSC on a queue manager before the server is ready; a command that fails ends the start.
    #[must_use]
    pub fn running(mut self, queue_manager: &str, script: String) -> Self {
        self.scripts.push((queue_manager.to_owned(), script));
        self
    }

    #[must_use]
    pub fn configured(mut self, toml: &str) -> Self {
        self.configuration.push_str(toml);
        self
    }

    /// For experiments that only look at definitions.
    #[must_use]
    pub fn keeping_nothing(mut self) -> Self {
        self.ephemeral = true;
        self
    }

    #[must_use]
    pub fn with_channels(mut self) -> Self {
        self.channels = true;
        self
    }
}

impl Server {
    pub(super) fn start(setting: &Setting, plan: &ServerPlan, folder: &Path) -> Result<Self, TablesError> {
        let data = folder.join("data");
        make_folder(&data)?;
        for (number, (queue_manager, script)) in plan.scripts.iter().enumerate() {
            let scripts = data.join("mqsc.d").join(queue_manager);
            make_folder(&scripts)?;
            write(&scripts.join(format!("{number:03}.mqsc")), script)?;
        }
        if !plan.configuration.is_empty() {
            write(&data.join("quaymaster.toml"), &plan.configuration)?;
        }
        let mut command = setting.command();
        command.arg("serve").arg("--data").arg(&data).arg("--strict");
        command.args(["--https", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]);
        command.args(["--mq", if plan.channels { "127.0.0.1:0" } else { "off" }]);
        if plan.ephemeral {
            // The folder of its own goes with the setting's, however it ends.
            command.arg("--ephemeral").env("TMPDIR", folder);
        }
        for name in &plan.queue_managers {
            command.arg("--qmgr").arg(name);
        }
        command.args(&plan.arguments).envs(plan.environment.iter().map(|(name, value)| (name, value)));
        let process = Process::start(&setting.processes, &plan.name, command, folder)?;
        let data = process.ready["dataDirectory"].as_str().map_or(data, PathBuf::from);
        Ok(Self { process, data })
    }

    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// # Errors
    /// It has ended.
    pub fn check(&mut self) -> Result<(), TablesError> {
        self.process.check()
    }

    /// `https://127.0.0.1:PORT`.
    ///
    /// # Errors
    /// It listens for no such thing, nor in the others below.
    pub fn https_url(&self) -> Result<String, TablesError> {
        Ok(format!("https://{}", self.process.ready_text("https")?))
    }

    /// `http://127.0.0.1:PORT`.
    ///
    /// # Errors
    /// As `https_url`.
    pub fn http_url(&self) -> Result<String, TablesError> {
        Ok(format!("http://{}", self.process.ready_text("http")?))
    }

    /// `127.0.0.1:PORT` of MQ client channels.
    ///
    /// # Errors
    /// As `https_url`.
    pub fn mq_address(&self) -> Result<&str, TablesError> {
        self.process.ready_text("mq")
    }

    /// `127.0.0.1:PORT` of its counters.
    ///
    /// # Errors
    /// As `https_url`.
    pub fn metrics_address(&self) -> Result<&str, TablesError> {
        self.process.ready_text("metrics")
    }

    /// Its counters now.
    ///
    /// # Errors
    /// It does not answer.
    pub fn metrics(&self) -> Result<Metrics, TablesError> {
        Metrics::read(self.metrics_address()?)
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The certificate that clients are to trust.
    pub fn cacert(&self) -> PathBuf {
        self.data.join("tls/ca.crt")
    }

    /// Lines of `USER PASSWORD` for `admin`, `app` and `reader`.
    pub fn password_file(&self) -> PathBuf {
        self.data.join("initial-passwords")
    }

    pub fn said(&self) -> String {
        self.process.said()
    }
}

fn make_folder(path: &Path) -> Result<(), TablesError> {
    std::fs::create_dir_all(path).map_err(|source| TablesError::File { what: "make", path: path.to_owned(), source })
}

#[expect(clippy::disallowed_methods, reason = "the files of a temporary folder need not last")]
fn write(path: &Path, text: &str) -> Result<(), TablesError> {
    std::fs::write(path, text).map_err(|source| TablesError::File { what: "write", path: path.to_owned(), source })
}
