//! Processes of a cluster: started with their output in a file, signalled and ended by their ids.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::patroni::packages::PYTHON;
use crate::postgres::as_postgres;
use crate::waiting::now;

/// Killed when it is dropped.
pub(super) struct Program(Child);

impl Program {
    /// One of `/usr/bin`; its output is in the file of its name.
    pub(super) fn start(folder: &Path, program: &str, name: &str, arguments: &[String]) -> Self {
        let mut command = as_postgres(Path::new("/usr/bin").join(program));
        Self(spawn(command.args(arguments), folder, name))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn run_patroni(folder: &Path, name: &str, configuration: &Path, environment: &[(String, String)]) -> Child {
    let mut command = as_postgres(PYTHON.into());
    command.args(["-m", "patroni"]).arg(configuration);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.env("PYTHONPATH", folder.join("packages"));
    spawn(&mut command, folder, name)
}

fn spawn(command: &mut Command, folder: &Path, name: &str) -> Child {
    let log = File::options().create(true).append(true).open(folder.join(format!("{name}.log"))).expect("opens");
    let errors = log.try_clone().expect("a second handle");
    command.current_dir(folder).stdin(Stdio::null()).stdout(log).stderr(errors);
    command.spawn().unwrap_or_else(|error| panic!("{command:?} starts: {error}"))
}

/// A process that is gone takes none.
pub(super) fn signal(process: u32, signal: Signal) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw).expect("a process id");
    let _ = kill_process(process, signal);
}

/// Those that it has started and that run.
pub(super) fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|process| parent_of(*process) == Some(parent)).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

/// Ends a postmaster at once, with its children; waits until it is gone.
pub(super) fn end(postmaster: u32) {
    let (started, limit) = (now(), Duration::from_secs(10));
    signal(postmaster, Signal::QUIT);
    // It is a child of Patroni or of init: it cannot be waited for.
    while parent_of(postmaster).is_some() && started.elapsed() < limit {
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(postmaster, Signal::KILL);
}
