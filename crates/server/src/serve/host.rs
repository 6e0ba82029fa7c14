//! The queue managers of a running server: started, made and deleted here, ended in `ending.rs`, and started again after a
//! failure of their log in `restarting.rs`.
//!
//! The table (`queue_manager::registry`) is what doors see; beside it stands here what keeps each of them going. What has
//! begun is finished although the command that asked for it goes away: starts and ends are tasks of the host's own.
//!
//! Invariants
//! - A queue manager has an entry in `hosted` from before doors may use it until its log is closed and its end is noted.
//!   While there is one, another start waits.
//! - Its state file says `running` before a door may use it, and otherwise once its log is closed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use command::command_queue;
use model::authority::Principal;
use model::name::QueueManagerName;
use queue_manager::registry::{State, Unavailable};
use queue_manager::{Clock, QueueManager, QueueManagers, Snapshot};
use storage::private::log::disk::DirectoryDisk;
use tokio::sync::{oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use web::WebServer;

use crate::administration::{Refusal, RefusalKind};
use crate::creation::{self, NewQueueManager};
use crate::data_directory::{DataDirectory, Saved};
use crate::error::{ServerError, chain};
use crate::serve::channels::{self, Channels};
use crate::serve::drop_in;
use crate::serve::ending::EndMode;
use crate::serve::recover::{RecoverOptions, Recovered, recover, restore};
use crate::serve::restarting::Restarts;
use crate::server_user;

pub(crate) struct Host {
    pub(super) table: QueueManagers,
    pub(super) data: DataDirectory,
    pub(super) administrator: Principal,
    pub(super) hosted: Mutex<BTreeMap<QueueManagerName, Hosted>>,
    /// Those that start again by themselves.
    pub(super) restarts: Restarts,
    /// Starts and ends under way.
    pub(super) tasks: Mutex<JoinSet<()>>,
    /// Raised whenever the table changes.
    pub(super) changes: watch::Sender<u64>,
    /// True once the server ends: nothing is started any more.
    pub(super) closing: watch::Sender<bool>,
    /// Told when the last queue manager has ended, if the server is to end with it.
    pub(super) end_with_last: Option<watch::Sender<bool>>,
    doors: OnceLock<Doors>,
}

/// What queue managers are shown to.
struct Doors {
    web: Arc<WebServer>,
    channels: Arc<Channels>,
}

/// What keeps one queue manager going.
pub(super) struct Hosted {
    pub(super) manager: QueueManager,
    /// How it was started, and would be again.
    pub(super) plan: StartPlan,
    pub(super) disk: Option<Arc<DirectoryDisk>>,
    /// Taken by the task that ends it.
    pub(super) housekeeping: Option<JoinHandle<()>>,
    /// Waits for a failure of its log.
    pub(super) watch: AbortHandle,
    /// The next server starts it again.
    pub(super) resumes: bool,
    /// Somebody is on the way to end it.
    pub(super) is_ending: bool,
}

/// How a queue manager is started, beside its recovery.
#[derive(Debug, Clone)]
pub(crate) struct StartPlan {
    pub recover: RecoverOptions,
    pub developer_defaults: bool,
    pub mqsc_dir: PathBuf,
    pub strict: bool,
    /// The first pause before another start, when the log has failed.
    pub restart_failed: Option<Duration>,
    /// What this one start begins with, in place of what is there. Objects and drop-ins are in it already.
    pub restores: Option<Arc<Snapshot>>,
}

/// A start waits for the database of the group no longer than that.
const GROUP_AT_START: Duration = Duration::from_secs(10);

impl Host {
    pub(crate) fn new(
        data: DataDirectory,
        administrator: Principal,
        clock: Arc<dyn Clock>,
        end_with_last: Option<watch::Sender<bool>>,
    ) -> Self {
        Self {
            table: QueueManagers::with_clock(clock),
            data,
            administrator,
            hosted: Mutex::default(),
            restarts: Restarts::default(),
            tasks: Mutex::default(),
            changes: watch::channel(0).0,
            closing: watch::channel(false).0,
            end_with_last,
            doors: OnceLock::new(),
        }
    }

    pub(crate) fn table(&self) -> &QueueManagers {
        &self.table
    }

    /// REST is notified of changes from now on, and listeners start with their queue managers.
    pub(super) fn attach(&self, web: Arc<WebServer>, channels: Arc<Channels>) {
        let _ = self.doors.set(Doors { web, channels });
        for manager in self.table.running() {
            self.open_channels(&manager);
        }
        self.changed();
    }

    fn open_channels(&self, manager: &QueueManager) {
        if let Some(doors) = self.doors.get() {
            doors.channels.take_in(manager);
        }
    }

    /// Notifies observers of the table that it has changed.
    pub(super) fn changed(&self) {
        if let Some(doors) = self.doors.get() {
            doors.web.queue_managers_changed();
        }
        self.changes.send_modify(|count| *count += 1);
    }

    pub(super) fn hosted(&self) -> MutexGuard<'_, BTreeMap<QueueManagerName, Hosted>> {
        self.hosted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `task` to its end, even if its caller has gone away.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that are done need no place any more.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    /// Starts a queue manager that has ended, and returns once doors may use it.
    ///
    /// # Errors
    /// It is not known, is not at rest, or cannot be started; then its state says so.
    pub(crate) async fn start(self: &Arc<Self>, name: QueueManagerName, plan: StartPlan) -> Result<(), Refusal> {
        if *self.closing.borrow() {
            return Err(Refusal::new(RefusalKind::Failed, "the server is ending"));
        }
        self.table.claim(&name, State::Starting, State::has_ended).map_err(|why| not_startable(&name, why))?;
        self.changed();
        let (answer, answered) = oneshot::channel();
        let host = Arc::clone(self);
        self.spawn(async move {
            let started = host.start_claimed(name, &plan).await;
            if let Err(error) = &started {
                host.could_not_start(name, error);
            }
            // Nobody may be there any more to hear the answer.
            let _ = answer.send(started);
        });
        let failed = |sentence: String| Refusal::new(RefusalKind::Failed, sentence);
        match answered.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(failed(format!("queue manager {name} cannot be started: {}", chain(&error)))),
            Err(_) => Err(failed(format!("the start of queue manager {name} failed; the log has the cause"))),
        }
    }

    /// Ends an ephemeral queue manager and starts it as it was when the snapshot was taken. Its clients are cut off.
    ///
    /// # Errors
    /// It does not run, or keeps its messages on disk; it cannot be started, and then its state says so.
    pub(crate) async fn restore(self: &Arc<Self>, snapshot: Arc<Snapshot>) -> Result<(), Refusal> {
        let name = snapshot.queue_manager();
        let running = self.hosted().get(&name).map(|hosted| (hosted.manager.clone(), hosted.plan.clone()));
        let (manager, plan) = running.ok_or_else(|| Refusal::unknown(name.as_str()))?;
        if !plan.recover.ephemeral {
            let sentence =
                format!("queue manager {name} keeps its messages on disk: start the server with --ephemeral");
            return Err(Refusal::new(RefusalKind::Failed, sentence));
        }
        channels::cut_off(&manager);
        self.end(name, EndMode::Immediate)?;
        self.until_ended(&name).await;
        self.start(name, StartPlan { restores: Some(snapshot), ..plan }).await
    }

    /// # Errors
    /// It cannot be started; the caller says so in the table.
    pub(super) async fn start_claimed(
        self: &Arc<Self>,
        name: QueueManagerName,
        plan: &StartPlan,
    ) -> Result<(), ServerError> {
        // One whose log has failed is said to have ended before its log is closed.
        self.until_closed(&name).await;
        let (options, restores) = (plan.recover.clone(), plan.restores.clone());
        let recovered = tokio::task::spawn_blocking(move || match restores {
            None => recover(&options, name),
            Some(snapshot) => restore(&options, snapshot),
        });
        let recovered = recovered.await;
        let recovered = recovered.unwrap_or(Err(ServerError::StartUpTask))?;
        self.take_in(recovered, plan).await
    }

    /// Makes a recovered queue manager one of the server's: developer objects, drop-ins, housekeeping, state.
    ///
    /// # Errors
    /// An object cannot be made or a file not be read; with `strict`, a drop-in failed. The queue manager is closed then.
    pub(super) async fn take_in(self: &Arc<Self>, recovered: Recovered, plan: &StartPlan) -> Result<(), ServerError> {
        let Recovered { manager, disk } = recovered;
        if let Err(error) = self.furnish(&manager, plan).await {
            manager.stop().await;
            release(disk.as_deref());
            return Err(manager.log_failure().map_or(error, ServerError::LogFailed));
        }
        let (running, serving, administrator) = (manager.clone(), manager.clone(), self.administrator.clone());
        let commands = tokio::spawn(async move { command_queue::serve(&serving, &administrator).await });
        let of_members = manager.clone();
        let scoped = tokio::spawn(async move { command::scope::serve(&of_members).await });
        let housekeeping = tokio::spawn(async move {
            running.run().await;
            scoped.abort();
            let _ = commands.await;
        });
        let (host, watched) = (Arc::clone(self), manager.clone());
        let watch = tokio::spawn(async move {
            tokio::select! {
                () = watched.log_failed() => host.log_failed(&watched),
                lost = watched.structure_lost() => host.structure_lost(&watched, &lost),
            }
        });
        let hosted = Hosted {
            manager: manager.clone(),
            plan: StartPlan { restores: None, ..plan.clone() },
            disk,
            housekeeping: Some(housekeeping),
            watch: watch.abort_handle(),
            resumes: true,
            is_ending: false,
        };
        self.hosted().insert(manager.name(), hosted);
        self.table.started(manager.clone());
        self.open_channels(&manager);
        self.changed();
        Ok(())
    }

    async fn furnish(&self, manager: &QueueManager, plan: &StartPlan) -> Result<(), ServerError> {
        // Its definitions are there for the drop-ins. Without the database the start goes on, and housekeeping tries again.
        if tokio::time::timeout(GROUP_AT_START, manager.join_group()).await.is_err() {
            tracing::warn!("queue manager {} starts without its group: the database does not answer", manager.name());
        }
        if plan.restores.is_some() {
            return Ok(());
        }
        if plan.developer_defaults {
            crate::developer::define_objects(manager, &self.administrator).await?;
        }
        let is_default = self.table.default_name() == Some(manager.name());
        drop_in::run(&plan.mqsc_dir, manager, is_default, &self.administrator, plan.strict).await?;
        self.save(&manager.name(), Saved { state: State::Running, resumes: true })
    }

    /// Remembers why, and goes on with the others.
    pub(super) fn could_not_start(&self, name: QueueManagerName, error: &ServerError) {
        let problem = chain(error);
        tracing::error!("queue manager {name} cannot be started: {problem}");
        self.remember_why(name, problem);
    }

    /// It was starting, and has ended for this reason.
    pub(super) fn remember_why(&self, name: QueueManagerName, problem: String) {
        self.table.ended(&name, State::EndedUnexpectedly, Some(problem));
        self.note(&name, Saved { state: State::EndedUnexpectedly, resumes: true });
        self.changed();
    }

    /// Makes a queue manager, which then waits to be started.
    ///
    /// # Errors
    /// The name is taken, a value is not valid, or the data directory cannot be written.
    pub(crate) async fn create(self: &Arc<Self>, name: QueueManagerName, new: NewQueueManager) -> Result<(), Refusal> {
        self.add(name, move |data| creation::create(data, name, &new, &server_user::name())).await?;
        tracing::info!("queue manager {name} was created");
        Ok(())
    }

    /// Makes what was restored a queue manager, which then waits to be started.
    ///
    /// # Errors
    /// The name is taken, or nothing was restored under it.
    pub(crate) async fn take_in_restored(self: &Arc<Self>, name: QueueManagerName) -> Result<(), Refusal> {
        self.add(name, move |data| data.take_in_restored(&name)).await?;
        tracing::info!("queue manager {name} was restored");
        Ok(())
    }

    async fn add(
        self: &Arc<Self>,
        name: QueueManagerName,
        make: impl FnOnce(&DataDirectory) -> Result<(), ServerError> + Send + 'static,
    ) -> Result<(), Refusal> {
        if self.doors.get().is_some_and(|doors| doors.web.knows_remote(name.as_str())) {
            let sentence = format!("remote_queue_managers of the configuration has an entry {name}");
            return Err(Refusal::new(RefusalKind::AlreadyExists, sentence));
        }
        if self.table.enter(name, State::Starting).is_err() {
            let sentence = format!("AMQ8110E: Queue manager {name} exists already.");
            return Err(Refusal::new(RefusalKind::AlreadyExists, sentence));
        }
        let data = self.data.clone();
        let made = tokio::task::spawn_blocking(move || make(&data)).await.unwrap_or(Err(ServerError::StartUpTask));
        match made {
            Ok(()) => self.table.created(&name),
            Err(error) => {
                self.table.remove(&name);
                return Err(Refusal::new(RefusalKind::Failed, chain(&error)));
            }
        }
        self.changed();
        Ok(())
    }

    /// Deletes a queue manager that has ended, with its messages.
    ///
    /// # Errors
    /// It is not known or has not ended, or its folder cannot be removed; then it is as it was.
    pub(crate) async fn delete(self: &Arc<Self>, name: QueueManagerName) -> Result<(), Refusal> {
        let before = self.table.state(&name);
        self.table.claim(&name, State::BeingDeleted, State::has_ended).map_err(|why| not_startable(&name, why))?;
        self.changed();
        self.until_closed(&name).await;
        let data = self.data.clone();
        let gone = move || if data.exists(&name) { data.delete(&name) } else { Ok(()) };
        let gone = tokio::task::spawn_blocking(gone).await.unwrap_or(Err(ServerError::StartUpTask));
        match &gone {
            Ok(()) => self.table.remove(&name),
            Err(_) if !self.data.exists(&name) => self.table.remove(&name),
            Err(error) => self.table.ended(&name, before.unwrap_or(State::EndedNormally), Some(chain(error))),
        }
        self.changed();
        gone.map_err(|error| Refusal::new(RefusalKind::Failed, chain(&error)))?;
        tracing::info!("queue manager {name} was deleted");
        Ok(())
    }

    /// Writes the state file of a queue manager that has one.
    pub(super) fn save(&self, name: &QueueManagerName, saved: Saved) -> Result<(), ServerError> {
        if self.data.exists(name) { self.data.save(name, saved) } else { Ok(()) }
    }

    /// As `save`, where a failure only costs what `dspmq` says later.
    pub(super) fn note(&self, name: &QueueManagerName, saved: Saved) {
        if let Err(error) = self.save(name, saved) {
            tracing::warn!("{}", chain(&error));
        }
    }
}

/// Lets the log be opened again, though a request may still hold the old engine.
pub(super) fn release(disk: Option<&DirectoryDisk>) {
    if let Some(disk) = disk
        && let Err(error) = disk.release()
    {
        tracing::warn!(%error, "the lock of a recovery log cannot be released");
    }
}

/// Why a queue manager cannot be started or deleted.
fn not_startable(name: &QueueManagerName, why: Unavailable) -> Refusal {
    match why {
        Unavailable::Unknown => Refusal::unknown(name.as_str()),
        Unavailable::NotRunning(State::Running) => {
            Refusal::new(RefusalKind::AlreadyRunning, format!("queue manager {name} is running already"))
        }
        Unavailable::NotRunning(state) if state.is_ending() => {
            Refusal::new(RefusalKind::Ending, format!("queue manager {name} has not ended yet: {state}"))
        }
        Unavailable::NotRunning(state) => {
            Refusal::new(RefusalKind::AlreadyRunning, format!("queue manager {name} is busy: {state}"))
        }
    }
}
