//! What all requests share, and its replacement at a reload.
//!
//! A request takes one snapshot of the settings at its start and keeps it to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::authority::Principal;
use model::timestamp::Timestamp;
use parking_lot::RwLock;
use queue_manager::{Clock, QueueManager, SystemClock};
use tokio::sync::watch;

use crate::auth::Authenticator;
use crate::connections::Connections;
use crate::cors::Policy;
use crate::messaging::pool::Pool;
use crate::metrics::HttpStatistics;
use crate::{WebError, WebOptions};

/// Lives as long as the server.
pub(crate) struct Shared {
    settings: RwLock<Arc<Settings>>,
    pub(crate) queue_managers: Vec<QueueManager>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) statistics: HttpStatistics,
    pub(crate) is_ready: AtomicBool,
    /// True once the server stops: gets that wait end then.
    pub(crate) stopping: watch::Sender<bool>,
}

/// What a reload replaces.
pub(crate) struct Settings {
    pub(crate) options: WebOptions,
    pub(crate) authenticator: Authenticator,
    pub(crate) cors: Policy,
    /// One for each queue manager, in the same order.
    pub(crate) pools: Vec<Pool>,
    /// Who connects, and who acts where the user's own context is not adopted.
    pub(crate) server_principal: Principal,
}

impl Shared {
    pub(crate) fn new(options: WebOptions, queue_managers: Vec<QueueManager>) -> Result<Self, WebError> {
        let authenticator = Authenticator::new(&options)?;
        let settings = Settings::new(options, authenticator, &queue_managers);
        Ok(Self {
            settings: RwLock::new(Arc::new(settings)),
            queue_managers,
            connections: Connections::new(),
            statistics: HttpStatistics::new(),
            is_ready: AtomicBool::new(false),
            stopping: watch::channel(false).0,
        })
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read())
    }

    /// # Errors
    /// As `Authenticator::new`; the old settings stay.
    pub(crate) fn reload(&self, options: WebOptions) -> Result<(), WebError> {
        let authenticator = self.settings().authenticator.reloaded(&options)?;
        let settings = Settings::new(options, authenticator, &self.queue_managers);
        *self.settings.write() = Arc::new(settings);
        Ok(())
    }

    pub(crate) fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire) && !*self.stopping.borrow()
    }
}

impl Settings {
    fn new(options: WebOptions, authenticator: Authenticator, queue_managers: &[QueueManager]) -> Self {
        let server_principal = Principal::administrator(&options.server_user);
        let pools = queue_managers
            .iter()
            .map(|queue_manager| Pool::new(queue_manager.clone(), &server_principal, &options.messaging))
            .collect();
        Self { authenticator, cors: Policy::new(&options.cors), pools, server_principal, options }
    }
}
