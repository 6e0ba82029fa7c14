//! A running server: what the administration socket, signals and shutdown act on.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use model::authority::Principal;
use queue_manager::QueueManager;
use tokio::sync::watch;
use web::WebServer;

use crate::administration::{QueueManagerState, Refusal, RefusalKind, Status};
use crate::configuration::Configuration;
use crate::configuration::keys::KEYS;
use crate::data_directory::{DataDirectory, State};
use crate::developer::User;
use crate::error::ServerError;
use crate::serve::plan::Plan;
use crate::serve::prepare::tls_options;

/// How long requests in progress are left alone before the queue managers stop beneath them.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Server {
    pub(super) plan: Mutex<Plan>,
    pub(super) data: DataDirectory,
    pub(super) queue_managers: Vec<QueueManager>,
    pub(super) web: WebServer,
    pub(super) users: Vec<User>,
    pub(super) server_user: String,
    pub(super) administrator: Principal,
    /// Names of queue managers that were ended one by one.
    pub(super) ended: Mutex<BTreeSet<String>>,
    /// Turns true when the server has to stop.
    pub(super) stop: watch::Sender<bool>,
}

impl Server {
    pub(crate) fn administrator(&self) -> &Principal {
        &self.administrator
    }

    pub(crate) fn status(&self) -> Status {
        let ended = self.ended();
        let queue_managers = self.queue_managers.iter().map(|manager| {
            let name = manager.name().to_string();
            QueueManagerState { running: !ended.contains(&name), name }
        });
        Status { process: std::process::id(), ready: true, queue_managers: queue_managers.collect() }
    }

    /// The queue manager of a name; none or a blank one is the first.
    ///
    /// # Errors
    /// It is not hosted here, or has ended.
    pub(crate) fn queue_manager(&self, name: Option<&str>) -> Result<QueueManager, Refusal> {
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        let found = match name {
            None => self.queue_managers.first(),
            Some(name) => self.queue_managers.iter().find(|manager| manager.name().as_str() == name),
        };
        let Some(manager) = found else {
            let sentence = format!("queue manager {} does not exist here", name.unwrap_or_default());
            return Err(Refusal { kind: RefusalKind::UnknownQueueManager, sentence });
        };
        if self.ended().contains(manager.name().as_str()) {
            let sentence = format!("queue manager {} has ended", manager.name());
            return Err(Refusal { kind: RefusalKind::QueueManagerEnded, sentence });
        }
        Ok(manager.clone())
    }

    /// Reads the configuration again and applies what can be applied; the notes name what waits for the next start.
    ///
    /// # Errors
    /// The new configuration cannot be used; the old one stays in force.
    pub(crate) fn reload(&self) -> Result<Vec<String>, ServerError> {
        let mut plan = self.plan.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let new = plan.again()?;
        let (tls, _) = tls_options(&new, &self.data)?;
        self.web.reload(new.web_options(&self.data, tls, &self.users, &self.server_user))?;
        let notes = waiting_for_start(&plan.configuration, &new.configuration);
        // What only counts at start keeps its value, so that the next reload tells again.
        let server = plan.configuration.server.clone();
        let grace_seconds = new.configuration.server.grace_seconds;
        *plan = new;
        plan.configuration.server = server;
        plan.configuration.server.grace_seconds = grace_seconds;
        tracing::info!("the configuration was read again from {}", plan.file.display());
        for note in &notes {
            tracing::warn!("{note}");
        }
        Ok(notes)
    }

    /// The file whose change `server.reload_interval_seconds` looks for.
    pub(crate) fn configuration_file(&self) -> PathBuf {
        self.plan.lock().unwrap_or_else(std::sync::PoisonError::into_inner).file.clone()
    }

    /// Ends one queue manager; the server too when none is named or none is left.
    ///
    /// # Errors
    /// It is not hosted here, or has ended already.
    pub(crate) async fn stop(&self, name: Option<&str>, immediate: bool) -> Result<(), Refusal> {
        let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
            let _ = self.stop.send(true);
            return Ok(());
        };
        let manager = self.queue_manager(Some(name))?;
        let ended = {
            let mut ended = self.ended();
            ended.insert(manager.name().to_string());
            ended.len()
        };
        if ended == self.queue_managers.len() {
            self.ended().remove(manager.name().as_str());
            let _ = self.stop.send(true);
            return Ok(());
        }
        manager.stop().await;
        self.note_end(&manager, if immediate { State::EndedImmediately } else { State::EndedNormally });
        tracing::info!("queue manager {} has ended", manager.name());
        Ok(())
    }

    /// Stops accepting, lets requests finish for a moment, stops the queue managers, closes what is left.
    pub(crate) async fn shut_down(&self) {
        let grace = self.plan.lock().unwrap_or_else(std::sync::PoisonError::into_inner).configuration.server.grace();
        let end = async {
            let web = self.web.shutdown(grace);
            tokio::pin!(web);
            let finished = tokio::time::timeout(PATIENCE.min(grace / 2), &mut web).await.is_ok();
            for manager in &self.queue_managers {
                manager.stop().await;
                self.note_end(manager, State::EndedNormally);
            }
            if !finished {
                web.await;
            }
        };
        if tokio::time::timeout(grace, end).await.is_err() {
            tracing::warn!("requests were still in progress when the grace period ended");
        }
    }

    fn note_end(&self, manager: &QueueManager, state: State) {
        if self.data.exists(&manager.name())
            && self.data.state(&manager.name()) == Some(State::Running)
            && let Err(error) = self.data.set_state(&manager.name(), state)
        {
            tracing::warn!("{}", crate::error::chain(&error));
        }
    }

    fn ended(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.ended.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Keys that differ and count at start only, as sentences.
fn waiting_for_start(old: &Configuration, new: &Configuration) -> Vec<String> {
    let tables = [old, new].map(|configuration| toml::Table::try_from(configuration).unwrap_or_default());
    let value = |table: &toml::Table, path: &str| {
        let (section, name) = path.split_once('.')?;
        table.get(section)?.get(name).cloned()
    };
    KEYS.iter()
        .filter(|key| !key.reload && value(&tables[0], key.path) != value(&tables[1], key.path))
        .map(|key| format!("{} has changed; the new value counts from the next start", key.path))
        .collect()
}
