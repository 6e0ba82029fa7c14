//! What an experiment runs against: servers, responders and providers as processes of their own, in temporary folders, on free
//! ports.
//!
//! Everything is started from one executable, so that a figure is one of the program that reports it.
//!
//! Invariants
//! - A process ends with its value, and the folders go with the setting; a signal ends all of them (`processes`).
//! - Nothing of the caller's environment reaches a server.

pub mod browser;
pub mod metrics;
pub mod process;
pub mod processes;
pub mod server;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::error::TablesError;
use browser::{Browser, BrowserProgram};
use process::Process;
use processes::{Processes, Signals};
use server::{Server, ServerPlan};

pub struct Setting {
    program: PathBuf,
    /// The browser that was named, instead of one that is installed.
    browser: Option<PathBuf>,
    folder: tempfile::TempDir,
    processes: Arc<Processes>,
    started: Cell<u32>,
}

impl Setting {
    /// `work` is where the temporary folder is made: on the disk that is to be measured.
    ///
    /// # Errors
    /// The folder cannot be made, or signals cannot be handled.
    pub fn new(program: PathBuf, work: &Path) -> Result<Self, TablesError> {
        let file = |source| TablesError::File { what: "make a folder in", path: work.to_owned(), source };
        // Caught first: nothing is there yet that a signal would leave behind.
        let signals = Signals::catch()?;
        let folder = tempfile::Builder::new().prefix("quaymaster-tables-").tempdir_in(work).map_err(file)?;
        let processes = Processes::ended_by(signals, folder.path().to_owned())?;
        Ok(Self { program, browser: None, folder, processes, started: Cell::new(0) })
    }

    /// Uses this program as the browser, instead of one that is installed.
    #[must_use]
    pub fn browsing_with(mut self, browser: Option<PathBuf>) -> Self {
        self.browser = browser;
        self
    }

    /// Where everything of this setting lies.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A new folder of the setting.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new_folder(&self, name: &str) -> Result<PathBuf, TablesError> {
        let number = self.started.get();
        self.started.set(number + 1);
        let path = self.folder.path().join(format!("{number}-{name}"));
        std::fs::create_dir(&path).map_err(|source| TablesError::File { what: "make", path: path.clone(), source })?;
        Ok(path)
    }

    /// Starts a server and waits until it is ready.
    ///
    /// # Errors
    /// It cannot be started, or ends or stays silent instead.
    pub fn server(&self, plan: &ServerPlan) -> Result<Server, TablesError> {
        let folder = self.new_folder(&plan.name)?;
        Server::start(self, plan, &folder)
    }

    /// Starts the program with these arguments, such as `workload responder …`, and waits for its ready line.
    ///
    /// # Errors
    /// As `server`.
    pub fn process(&self, name: &str, arguments: &[&str]) -> Result<Process, TablesError> {
        let folder = self.new_folder(name)?;
        let mut command = self.command();
        command.args(arguments);
        Process::start(&self.processes, name, command, &folder)
    }

    /// The browser that is to be used.
    ///
    /// # Errors
    /// There is none.
    pub fn browser_program(&self) -> Result<BrowserProgram, TablesError> {
        BrowserProgram::find(self.browser.as_deref())
    }

    /// Starts a browser with an empty profile.
    ///
    /// # Errors
    /// It ends instead, or does not answer.
    pub fn browser(&self, program: &BrowserProgram) -> Result<Browser, TablesError> {
        let folder = self.new_folder("browser")?;
        Browser::start(&self.processes, program, &folder)
    }

    /// The program, with nothing of the caller's environment.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear();
        command
    }

    pub fn program(&self) -> &Path {
        &self.program
    }
}
