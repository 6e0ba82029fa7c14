//! Push: each message of a queue or subscription is posted to a URL, and taken off its queue once the receiver has accepted it.
//!
//! A target is a definition that lasts (`definition.rs`, `file.rs`) and, while its queue manager runs and it is not paused, a task
//! that takes messages (`running.rs`) and carries each to its receiver (`posting.rs`). A message is a delivery in the hands of the
//! server: in a unit of work of its own, given back or given up as those of clients are.
//!
//! Never here: HTTP, and who a user is, which are asked from outside (`outside.rs`). More rights than those of the user who made
//! the target: each open is checked for that user.
//!
//! Invariants
//! - A receiver gets each message at least once; in order where a target has one message in hand at a time.
//! - A definition is on disk before its change is answered. Its secrets are in memory and in that file, and are never shown.
//! - A change lets attempts that are under way end. Of one target there is one task at a time.
//! - Targets, messages in hand and memory of a target are bounded; no target waits for another.

mod definition;
mod delays;
mod file;
mod outside;
mod posting;
mod running;
mod signature;
mod source;
mod statistics;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::authority::Principal;
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::{QueueManager, QueueManagers};
use tokio::sync::{Notify, watch};
use tokio::task::{Id, JoinSet};

pub use self::definition::{Definition, Form, Key, LONGEST_NAME, Matched, Owner, Source};
pub use self::delays::Retry;
pub use self::file::PushFileError;
pub use self::outside::{Answer, Door, Later, Letter, Outside};
use self::posting::Course;
pub use self::signature::{Secret, sign};
use self::source::OpenSource;
use self::statistics::Statistics;
pub use self::statistics::{Figures, LastError};
use crate::deliveries::Deliveries;

/// Most messages that a target has in hand at once.
pub const MOST_AT_ONCE: usize = 64;

/// The definitions of a server, as its file has them.
#[derive(Debug, Default)]
pub struct Targets {
    /// `None`: they are kept in memory alone.
    file: Option<PathBuf>,
    definitions: Vec<Definition>,
}

impl Targets {
    /// Those of a file, which need not exist.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn read(file: Option<&Path>) -> Result<Self, PushFileError> {
        let definitions = file.map_or(Ok(Vec::new()), file::read)?;
        Ok(Self { file: file.map(Path::to_owned), definitions })
    }
}

/// One target.
#[derive(Clone)]
pub struct Target {
    pub definition: Arc<Definition>,
    statistics: Arc<Statistics>,
}

impl Target {
    fn new(definition: Definition) -> Self {
        let statistics = Arc::new(Statistics::new(definition.key.clone()));
        Self { definition: Arc::new(definition), statistics }
    }

    pub fn figures(&self) -> Figures {
        self.statistics.figures()
    }
}

/// Why a definition was not kept.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    #[error("another user has a target of this name")]
    OfAnother,
    #[error("there are too many targets")]
    TooMany,
    #[error(transparent)]
    File(#[from] PushFileError),
}

/// A definition that was kept.
pub struct Kept {
    pub target: Target,
    pub is_new: bool,
}

/// All push targets of a server.
pub struct Push {
    queue_managers: QueueManagers,
    deliveries: Arc<Deliveries>,
    file: Option<PathBuf>,
    targets: Mutex<BTreeMap<Key, Target>>,
    /// Held while the file is written.
    writing: Mutex<()>,
    changed: Notify,
}

impl Push {
    pub fn new(queue_managers: QueueManagers, deliveries: Arc<Deliveries>, targets: Targets) -> Self {
        let Targets { file, definitions } = targets;
        let of = |definition: Definition| (definition.key.clone(), Target::new(definition));
        let targets = Mutex::new(definitions.into_iter().map(of).collect());
        Self { queue_managers, deliveries, file, targets, writing: Mutex::default(), changed: Notify::new() }
    }

    /// Whether the user may take messages from where a target takes them. A subscription is made.
    ///
    /// # Errors
    /// Those of MQOPEN or MQSUB.
    pub async fn probe(
        &self,
        queue_manager: &QueueManager,
        principal: &Principal,
        definition: &Definition,
    ) -> Result<(), Reason> {
        OpenSource::open(&self.deliveries, queue_manager, principal, definition).await.map(drop)
    }

    /// Keeps a definition in place of the one of the same name, whose secrets it takes over when it has none. It waits for the
    /// disk.
    ///
    /// # Errors
    /// There are `most` targets already, or another user has one of this name, unless `is_administrator`.
    pub fn put(&self, mut definition: Definition, is_administrator: bool, most: usize) -> Result<Kept, NotKept> {
        let _writing = self.writing.lock();
        let mut targets = self.targets.lock().clone();
        let before = targets.get(&definition.key);
        match before {
            Some(before) if !is_administrator && before.definition.owner.user != definition.owner.user => {
                return Err(NotKept::OfAnother);
            }
            Some(before) if definition.secrets.is_empty() => {
                definition.secrets.clone_from(&before.definition.secrets);
            }
            Some(_) => {}
            None if targets.len() >= most => return Err(NotKept::TooMany),
            None => {}
        }
        if definition.secrets.is_empty() {
            definition.secrets.push(Secret::make());
        }
        let is_new = before.is_none();
        let target = match before {
            Some(before) => Target { definition: Arc::new(definition), statistics: Arc::clone(&before.statistics) },
            None => Target::new(definition),
        };
        targets.insert(target.definition.key.clone(), target.clone());
        self.keep(targets)?;
        Ok(Kept { target, is_new })
    }

    /// Stops or starts the taking of messages. `None`: there is no such target. It waits for the disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn pause(&self, key: &Key, is_paused: bool) -> Result<Option<Target>, PushFileError> {
        let _writing = self.writing.lock();
        let mut targets = self.targets.lock().clone();
        let Some(target) = targets.get_mut(key) else { return Ok(None) };
        if target.definition.is_paused != is_paused {
            target.definition = Arc::new(Definition { is_paused, ..(*target.definition).clone() });
            let target = target.clone();
            self.keep(targets)?;
            return Ok(Some(target));
        }
        Ok(Some(target.clone()))
    }

    /// Whether there was such a target. It waits for the disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove(&self, key: &Key) -> Result<bool, PushFileError> {
        let _writing = self.writing.lock();
        let mut targets = self.targets.lock().clone();
        let was_there = targets.remove(key).is_some();
        if was_there {
            self.keep(targets)?;
        }
        Ok(was_there)
    }

    pub fn find(&self, key: &Key) -> Option<Target> {
        self.targets.lock().get(key).cloned()
    }

    /// In the order of queue managers and names.
    pub fn list(&self) -> Vec<Target> {
        self.targets.lock().values().cloned().collect()
    }

    /// On disk first.
    fn keep(&self, targets: BTreeMap<Key, Target>) -> Result<(), PushFileError> {
        if let Some(file) = &self.file {
            file::write(file, targets.values().map(|target| &*target.definition))?;
        }
        *self.targets.lock() = targets;
        self.changed();
        Ok(())
    }

    /// Has to be called when a queue manager has started, quiesces or has ended.
    pub fn changed(&self) {
        self.changed.notify_one();
    }

    /// Runs the targets of queue managers that run. Each may have `memory_bytes` of bodies in memory. Runs until it is dropped, and
    /// the attempts under way with it.
    pub async fn run(&self, outside: Arc<dyn Outside>, memory_bytes: impl Fn() -> usize) {
        let mut supervisor = Supervisor::default();
        loop {
            supervisor.adapt(self, &outside, memory_bytes());
            tokio::select! {
                () = self.changed.notified() => {}
                () = supervisor.one_ends() => {}
            }
        }
    }

    /// The queue manager that a target takes messages from now.
    fn queue_manager_of(&self, target: &Target) -> Option<QueueManager> {
        let is_wanted = !target.definition.is_paused;
        let admitting = || self.queue_managers.admitting_one(&target.definition.key.queue_manager).ok();
        is_wanted.then(admitting).flatten()
    }
}

/// The tasks of targets.
#[derive(Default)]
struct Supervisor {
    running: HashMap<Key, Running>,
    tasks: JoinSet<()>,
}

struct Running {
    definition: Arc<Definition>,
    queue_manager: QueueManager,
    task: Id,
    stop: watch::Sender<bool>,
}

impl Supervisor {
    /// Stops tasks that are not wanted, and starts those that are wanted and have none.
    fn adapt(&mut self, push: &Push, outside: &Arc<dyn Outside>, memory_bytes: usize) {
        let targets = push.targets.lock().clone();
        for (key, running) in &self.running {
            let is_wanted = targets.get(key).is_some_and(|target| {
                Arc::ptr_eq(&target.definition, &running.definition)
                    && push.queue_manager_of(target).is_some_and(|one| one.is_same(&running.queue_manager))
            });
            if !is_wanted {
                running.stop.send_replace(true);
            }
        }
        for (key, target) in targets {
            // One that is being replaced ends first.
            if self.running.contains_key(&key) {
                continue;
            }
            let Some(queue_manager) = push.queue_manager_of(&target) else { continue };
            let (stop, stopped) = watch::channel(false);
            let door = outside.door(&target.definition);
            let deliveries = Arc::clone(&push.deliveries);
            let definition = Arc::clone(&target.definition);
            let course =
                Course::new(Arc::clone(&definition), target.statistics, deliveries, door, memory_bytes, stopped);
            let task = running::run(Arc::new(course), Arc::clone(outside), queue_manager.clone());
            let task = self.tasks.spawn(task).id();
            self.running.insert(key, Running { definition, queue_manager, task, stop });
        }
    }

    /// Waits for the end of a task.
    async fn one_ends(&mut self) {
        let ended = match self.tasks.join_next_with_id().await {
            Some(Ok((id, ()))) => id,
            Some(Err(error)) => error.id(),
            None => return std::future::pending().await,
        };
        self.running.retain(|_, running| running.task != ended);
    }
}
