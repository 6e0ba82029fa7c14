//! All that a server has of API requesters: what is deployed, and where their APIs are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;
use queue_manager::clock::Clock;
use service::deploy::{Deployed, Shelf, sentence};
use test_control::TestControl;

use crate::definition::RequesterDefinition;
use crate::endpoint::{Endpoints, OptionsError, ReadPassword};
use crate::options::{ApiRequester, RequesterOptions};

pub type DeployedRequester = Deployed<RequesterDefinition>;

pub struct Requesters {
    pub shelf: Arc<Shelf<RequesterDefinition>>,
    pub(crate) settings: RwLock<Settings>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Set once, on a server that was started for tests.
    pub(crate) test_control: OnceLock<Arc<TestControl>>,
}

/// One configuration, ready for use.
#[derive(Default)]
pub struct Settings {
    pub(crate) endpoints: Endpoints,
    pub(crate) requesters: BTreeMap<String, ApiRequester>,
}

impl Settings {
    /// Reads PEM files: not for a thread that serves sockets.
    ///
    /// # Errors
    /// The first entry that cannot be used.
    pub fn new(options: &RequesterOptions, password: ReadPassword<'_>) -> Result<Self, OptionsError> {
        Ok(Self { endpoints: Endpoints::new(options, password)?, requesters: options.api_requesters.clone() })
    }
}

impl Requesters {
    /// Archives lie in the folder `apiRequesters` of `folder`; nothing is read yet.
    pub fn new(folder: &Path, settings: Settings, clock: Arc<dyn Clock>) -> Self {
        let shelf = Shelf::new(folder.join("apiRequesters"), Arc::default(), Arc::clone(&clock));
        Self { shelf: Arc::new(shelf), settings: RwLock::new(settings), clock, test_control: OnceLock::new() }
    }

    /// Calls are recorded and replayed as `control` says.
    pub fn put_in_hand(&self, control: Arc<TestControl>) {
        // A server has one for its whole life.
        let _ = self.test_control.set(control);
    }

    /// Replaces the configuration. Calls under way go on with the one they began with; connections and tokens of the old one
    /// are not used again.
    pub fn configure(&self, settings: Settings) {
        *self.settings.write() = settings;
    }

    /// Makes the folder that archives are put into. If it cannot be made, a warning is logged and it is treated as empty.
    pub fn make_folder(&self) {
        if let Err(error) = self.shelf.make_folder() {
            tracing::warn!("{}", sentence(&error));
        }
    }

    /// Takes in what has changed in the folder. Reads files: not for a thread that serves sockets.
    pub fn poll(&self) {
        self.shelf.poll();
    }

    /// The endpoint connection by which it calls its API: the configuration's, else the archive's.
    pub fn connection_of(&self, definition: &RequesterDefinition) -> String {
        let settings = self.settings.read();
        let own = settings.requesters.get(&definition.name).and_then(|own| own.connection.clone());
        own.unwrap_or_else(|| definition.connection.clone())
    }

    /// Whether a caller of this API requester has to say who he is, and has to use TLS; `None`: as the server says.
    pub fn requirements(&self, name: &str) -> (Option<bool>, Option<bool>) {
        let settings = self.settings.read();
        settings.requesters.get(name).map_or((None, None), |own| (own.require_auth, own.require_secure))
    }
}
