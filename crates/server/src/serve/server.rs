//! A running server: what the administration socket, signals and shutdown act on.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use identity::api_key::ApiKeys;
use model::authority::Principal;
use model::name::QueueManagerName;
use queue_manager::QueueManager;
use queue_manager::registry::{State, Unavailable};
use storage::QuotaUse;
use tokio::sync::watch;
use web::WebServer;
use web::options::TlsOptions;

use crate::administration::{Ending, QueueManagerStatus, QuotaStatus, Refusal, RefusalKind, Status};
use crate::configuration::Configuration;
use crate::configuration::keys::KEYS;
use crate::creation::NewQueueManager;
use crate::data_directory::DataDirectory;
use crate::developer::User;
use crate::error::ServerError;
use crate::serve::channels::{Channels, tls_of};
use crate::serve::ending::EndMode;
use crate::serve::host::Host;
use crate::serve::plan::Plan;
use crate::serve::prepare::{now, tls_options};

/// How long requests in progress are left alone before the queue managers stop beneath them.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Server {
    pub(super) plan: Mutex<Plan>,
    pub(super) data: DataDirectory,
    pub(super) host: Arc<Host>,
    pub(super) web: Arc<WebServer>,
    pub(super) channels: Arc<Channels>,
    /// What new connections are shown.
    pub(super) shown: Mutex<TlsOptions>,
    pub(super) users: Vec<User>,
    pub(super) api_keys: Arc<ApiKeys>,
    pub(super) server_user: String,
    pub(super) administrator: Principal,
    /// Turns true when the server has to stop.
    pub(super) stop: watch::Sender<bool>,
}

impl Server {
    pub(crate) fn administrator(&self) -> &Principal {
        &self.administrator
    }

    pub(crate) fn api_keys(&self) -> &Arc<ApiKeys> {
        &self.api_keys
    }

    pub(crate) fn status(&self) -> Status {
        let default = self.host.table().default_name();
        let queue_managers = self.host.table().list().into_iter().map(|known| QueueManagerStatus {
            name: known.name.to_string(),
            state: known.state.word().to_owned(),
            is_default: default == Some(known.name),
            is_expected: known.is_expected,
            problem: known.problem,
            quotas: self.queue_manager(Some(known.name.as_str())).map(|running| quotas(&running)).unwrap_or_default(),
        });
        Status { process: std::process::id(), ready: true, queue_managers: queue_managers.collect() }
    }

    /// The running queue manager of a name; none or a blank one is the default.
    ///
    /// # Errors
    /// It is not known here, does not run, or quiesces.
    pub(crate) fn queue_manager(&self, name: Option<&str>) -> Result<QueueManager, Refusal> {
        let name = name.unwrap_or_default().trim();
        self.host.table().admitting_one(name).map_err(|why| match why {
            Unavailable::Unknown => Refusal::unknown(name),
            Unavailable::NotRunning(state) => {
                Refusal::not_running(name, state).because(self.host.table().problem(name))
            }
        })
    }

    /// # Errors
    /// As [`Host::start`].
    pub(crate) async fn start_queue_manager(&self, name: &str) -> Result<(), Refusal> {
        let name = queue_manager_name(name)?;
        let plan = self.plan().start_plan(&self.data, &self.server_user);
        self.host.start(name, plan).await
    }

    /// Ends a queue manager, and with `ending.waits` returns when it has ended.
    ///
    /// # Errors
    /// As [`Host::end`].
    pub(crate) async fn end_queue_manager(&self, name: &str, ending: Ending) -> Result<(), Refusal> {
        let name = queue_manager_name(name)?;
        self.host.end(name, ending.mode)?;
        if let Some(seconds) = ending.within_seconds {
            let ended = tokio::time::timeout(Duration::from_secs(seconds), self.host.until_ended(&name)).await;
            let harder = if ending.may_preempt { EndMode::Preemptive } else { EndMode::Immediate };
            if ended.is_err() {
                // It may have ended, or be ending that way, since a moment ago.
                let _ = self.host.end(name, harder);
            }
        }
        if ending.waits {
            self.host.until_ended(&name).await;
        }
        Ok(())
    }

    /// # Errors
    /// As [`Host::create`]; nothing is created on a server that keeps nothing.
    pub(crate) async fn create_queue_manager(&self, name: &str, new: NewQueueManager) -> Result<(), Refusal> {
        self.keeps_queue_managers()?;
        self.host.create(queue_manager_name(name)?, new).await
    }

    fn keeps_queue_managers(&self) -> Result<(), Refusal> {
        if self.plan().options.ephemeral {
            let sentence = "a server with --ephemeral hosts only queue managers named by --qmgr";
            return Err(Refusal::new(RefusalKind::Failed, sentence));
        }
        Ok(())
    }

    /// # Errors
    /// As [`Host::take_in_restored`]; nothing is restored on a server that keeps nothing.
    pub(crate) async fn take_in_restored(&self, name: &str) -> Result<(), Refusal> {
        self.keeps_queue_managers()?;
        self.host.take_in_restored(queue_manager_name(name)?).await
    }

    /// # Errors
    /// As [`Host::delete`].
    pub(crate) async fn delete_queue_manager(&self, name: &str) -> Result<(), Refusal> {
        self.host.delete(queue_manager_name(name)?).await
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the configuration again and applies what can be applied; the notes name what waits for the next start.
    ///
    /// # Errors
    /// The new configuration cannot be used; the old one stays in force.
    pub(crate) fn reload(&self) -> Result<Vec<String>, ServerError> {
        let mut plan = self.plan();
        let new = plan.again()?;
        let tls = tls_options(&new, &self.data)?;
        // Before anything is replaced: what remains after the web server has taken its part cannot fail.
        let channel_tls = tls_of(&tls)?;
        self.web.reload(new.web_options(&self.data, tls.clone(), &self.users, &self.api_keys, &self.server_user))?;
        self.channels.reload(&new.configuration.channels, channel_tls);
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = tls;
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

    /// Reads the files of `[tls]` again, or makes new certificates where none are configured. The configuration stays.
    ///
    /// # Errors
    /// A file cannot be used, or does not fit the others; the old certificates stay in use.
    pub(super) fn renew_certificates(&self) -> Result<(), ServerError> {
        let plan = self.plan();
        let tls = tls_options(&plan, &self.data)?;
        let channel_tls = tls_of(&tls)?;
        self.web.reload(plan.web_options(&self.data, tls.clone(), &self.users, &self.api_keys, &self.server_user))?;
        self.channels.reload(&plan.configuration.channels, channel_tls);
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = tls;
        Ok(())
    }

    pub(super) fn tls(&self) -> TlsOptions {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Are the certificates of our own making?
    pub(super) fn is_generated(&self) -> bool {
        self.plan().configuration.tls.certificate.is_none()
    }

    /// The file whose change `server.reload_interval_seconds` looks for.
    pub(crate) fn configuration_file(&self) -> PathBuf {
        self.plan().file.clone()
    }

    /// Refuses new work, lets requests finish for a moment, ends the queue managers, closes what is left.
    pub(crate) async fn shut_down(&self) {
        let grace = self.plan().configuration.server.grace();
        let end = async {
            self.host.quiesce_all();
            self.channels.stop_accepting();
            let web = self.web.shutdown(grace);
            tokio::pin!(web);
            let finished = tokio::time::timeout(PATIENCE.min(grace / 2), &mut web).await.is_ok();
            self.host.end_all().await;
            if !finished {
                web.await;
            }
        };
        if tokio::time::timeout(grace, end).await.is_err() {
            tracing::warn!("requests were still in progress when server.grace_seconds ended, and were cut off");
        }
        if let Err(error) = self.api_keys.write_uses(now(), true) {
            tracing::warn!("the times of last use of API keys are not kept: {error}");
        }
    }
}

/// # Errors
/// It is not a name, or a blank one.
fn queue_manager_name(text: &str) -> Result<QueueManagerName, Refusal> {
    match QueueManagerName::parse(text) {
        Ok(name) if !name.is_blank() => Ok(name),
        Ok(_) => Err(Refusal::new(RefusalKind::Invalid, "a queue manager name is needed")),
        Err(error) => Err(Refusal::new(RefusalKind::Invalid, error.to_string())),
    }
}

impl Refusal {
    pub(crate) fn unknown(name: &str) -> Self {
        Self::new(RefusalKind::UnknownQueueManager, format!("AMQ8118E: Queue manager {name} does not exist."))
    }

    pub(crate) fn not_running(name: &str, state: State) -> Self {
        let sentence = format!("AMQ8146E: Queue manager {name} is not available: {}.", state.text().to_lowercase());
        Self::new(RefusalKind::QueueManagerEnded, sentence)
    }

    /// Adds the reason, if there is one.
    fn because(mut self, problem: Option<String>) -> Self {
        if let Some(problem) = problem {
            self.sentence = format!("{} Reason: {problem}.", self.sentence);
        }
        self
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
        .map(|key| format!("{} has changed; the new value is used from the next start", key.path))
        .collect()
}

fn quotas(queue_manager: &QueueManager) -> Vec<QuotaStatus> {
    let quotas = queue_manager.status().store.quotas;
    let status = |(of, quota): (&str, QuotaUse)| QuotaStatus {
        of: of.to_owned(),
        used_bytes: quota.used_bytes,
        maximum_bytes: quota.maximum_bytes,
        percent: quota.percent(),
    };
    let both = [("disk", quotas.disk), ("memory", quotas.memory)];
    both.into_iter().filter_map(|(of, quota)| Some(status((of, quota?)))).collect()
}
