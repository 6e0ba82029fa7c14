//! Which processes there are to be ended when this one is told to: SIGINT and SIGTERM end them by their ids, take the temporary
//! folder away, and exit as a shell expects.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::error::TablesError;

pub(crate) struct Processes {
    folder: PathBuf,
    pids: Mutex<BTreeMap<u32, Extent>>,
}

/// What ends with a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Process,
    /// It leads a group: the processes that it has started end, too.
    Group,
}

/// How often the folder is tried to be removed: a process of a killed group may write a last file into it.
const REMOVALS: u32 = 100;
const LOOK: Duration = Duration::from_millis(10);

impl Processes {
    /// Ends them, and takes the folder away, when one of the signals comes: on a thread of its own.
    ///
    /// # Errors
    /// No more threads.
    pub(crate) fn ended_by(signals: Signals, folder: PathBuf) -> Result<Arc<Self>, TablesError> {
        let processes = Arc::new(Self { folder, pids: Mutex::default() });
        let watched = Arc::clone(&processes);
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                let number = signals.first();
                watched.end_all();
                std::process::exit(128 + number);
            })
            .map_err(TablesError::Signals)?;
        Ok(processes)
    }

    /// Under the lock, so that a signal finds the process listed, or it is never started.
    ///
    /// # Errors
    /// As `Command::spawn`.
    pub(crate) fn start(&self, command: &mut Command) -> std::io::Result<Child> {
        self.start_as(Extent::Process, command)
    }

    /// Starts a process that starts others, as the leader of a group of its own. It is ended with `end_group`.
    ///
    /// # Errors
    /// As `start`.
    pub(crate) fn start_group(&self, command: &mut Command) -> std::io::Result<Child> {
        self.start_as(Extent::Group, command.process_group(0))
    }

    fn start_as(&self, extent: Extent, command: &mut Command) -> std::io::Result<Child> {
        let mut pids = self.lock();
        let child = command.spawn()?;
        pids.insert(child.id(), extent);
        Ok(child)
    }

    /// Kills and reaps. The id is forgotten before it can become another's.
    pub(crate) fn end(&self, child: &mut Child) {
        let mut pids = self.lock();
        // It may have ended by itself; then there is nothing left to do.
        let _ = child.kill();
        let _ = child.wait();
        pids.remove(&child.id());
    }

    /// The same with all processes of the group that it leads.
    pub(crate) fn end_group(&self, child: &mut Child) {
        if let Some(pid) = pid(child.id()) {
            // The number of a group is not given to another while one of its processes lives. Without one this does nothing.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        self.end(child);
    }

    fn end_all(&self) {
        let pids = self.lock();
        let groups = pids.iter().filter(|(_, extent)| **extent == Extent::Group);
        for leader in groups.filter_map(|(number, _)| pid(*number)) {
            let _ = kill_process_group(leader, Signal::KILL);
        }
        let all: Vec<Pid> = pids.keys().copied().chain(children()).filter_map(pid).collect();
        for &pid in &all {
            let _ = kill_process(pid, Signal::KILL);
        }
        // None of them writes into the folder any more.
        for &pid in &all {
            let _ = waitpid(Some(pid), WaitOptions::empty());
        }
        for _ in 0..REMOVALS {
            if std::fs::remove_dir_all(&self.folder).is_ok() || !self.folder.exists() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        // The lock is kept to the end: none of them is started meanwhile and left.
        std::mem::forget(pids);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Extent>> {
        self.pids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The signals that ask to end, caught as soon as this is there.
pub(crate) struct Signals {
    runtime: Runtime,
    interrupted: tokio::signal::unix::Signal,
    terminated: tokio::signal::unix::Signal,
}

impl Signals {
    /// # Errors
    /// Signals cannot be handled.
    pub(crate) fn catch() -> Result<Self, TablesError> {
        let catch = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let entered = runtime.enter();
            let (interrupted, terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
            drop(entered);
            Ok(Self { runtime, interrupted, terminated })
        };
        catch().map_err(TablesError::Signals)
    }

    /// Number of the first that comes.
    fn first(mut self) -> i32 {
        self.runtime.block_on(async {
            tokio::select! {
                _ = self.interrupted.recv() => SignalKind::interrupt().as_raw_value(),
                _ = self.terminated.recv() => SignalKind::terminate().as_raw_value(),
            }
        })
    }
}

fn pid(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}

/// Children of this process that others started in it, where the kernel lists them: programs that `workload` runs.
fn children() -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let of = |path: &Path| std::fs::read_to_string(path.join("children")).unwrap_or_default();
    let lists: Vec<String> = threads.filter_map(Result::ok).map(|thread| of(&thread.path())).collect();
    lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|pid| pid.parse().ok()).collect()
}
