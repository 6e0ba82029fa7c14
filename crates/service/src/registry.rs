//! The services and APIs that are deployed: looked up by every request, started and stopped, counted.
//!
//! A request takes one `Arc` out of a table and keeps it to its end, whatever is deployed in the meantime. Tables are
//! replaced whole; a lock is held for the clone of an `Arc`. Where archives come from is told in `deploy.rs`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use queue_manager::clock::Clock;
use serde_json::{Value, json};

use crate::api::ApiDefinition;
use crate::archive::service::ServiceContent;
use crate::archive::{ApiArchive, ArchiveError, ServiceArchive};
use crate::deploy::{Artefact, Deployed, Shelf, sentence};
use crate::names::Names;

pub type DeployedService = Deployed<ServiceContent>;
pub type DeployedApi = Deployed<ApiDefinition>;

/// What the configuration says to archives.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub names: Names,
    /// Properties by service, in place of those of its archive.
    pub properties: BTreeMap<String, BTreeMap<String, String>>,
    /// Paths by service that invoke it; one ends with `*` to match any rest.
    pub invoke_uris: BTreeMap<String, Vec<String>>,
}

/// All that is deployed on a server.
pub struct Registry {
    pub services: Arc<Shelf<ServiceContent>>,
    pub apis: Arc<Shelf<ApiDefinition>>,
    settings: Arc<RwLock<Settings>>,
}

impl Artefact for ServiceContent {
    const ENDING: &'static str = "sar";
    const WORD: &'static str = "service";
    const INSTALLED: &'static str = "BAQR7043I";
    type Settings = Settings;
    type Problem = ArchiveError;

    fn read(archive: &[u8], settings: &Settings) -> Result<Self, ArchiveError> {
        let archive = ServiceArchive::read(archive)?;
        let nothing = BTreeMap::new();
        archive.content(&settings.names, settings.properties.get(&archive.manifest.name).unwrap_or(&nothing))
    }

    fn name(&self) -> &str {
        &self.service.name
    }

    fn clash(&self, _other: &Self) -> Option<String> {
        None
    }
}

impl Artefact for ApiDefinition {
    const ENDING: &'static str = "aar";
    const WORD: &'static str = "API";
    const INSTALLED: &'static str = "BAQR7000I";
    type Settings = ();
    type Problem = ArchiveError;

    fn read(archive: &[u8], _settings: &()) -> Result<Self, ArchiveError> {
        ApiArchive::read(archive).map(|archive| archive.definition)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn clash(&self, other: &Self) -> Option<String> {
        (self.base_path == other.base_path)
            .then(|| format!("the API {} has the base path {}", other.name, other.base_path))
    }
}

impl Registry {
    /// Archives lie in the folders `services` and `apis` of `folder`; nothing is read yet.
    pub fn new(folder: PathBuf, settings: Settings, clock: Arc<dyn Clock>) -> Self {
        let settings = Arc::new(RwLock::new(settings));
        Self {
            services: Arc::new(Shelf::new(folder.join("services"), Arc::clone(&settings), Arc::clone(&clock))),
            apis: Arc::new(Shelf::new(folder.join("apis"), Arc::default(), clock)),
            settings,
        }
    }

    /// Makes the folders that archives are put into. One that cannot be made is told, and counts as empty.
    pub fn make_folders(&self) {
        for outcome in [self.services.make_folder(), self.apis.make_folder()] {
            if let Err(error) = outcome {
                tracing::warn!("{}", sentence(&error));
            }
        }
    }

    /// Takes in what has changed in the folders since the last time. Reads files: not for a thread that serves sockets.
    pub fn poll(&self) {
        self.services.poll();
        self.apis.poll();
    }

    /// Says what the configuration says now; archives are read anew by it.
    pub fn configure(&self, settings: Settings) {
        *self.settings.write() = settings;
        self.services.forget_signatures();
        self.poll();
    }

    /// The service that a path leads to, by its `invokeURI` or by the configuration; of several the most specific.
    pub fn service_of_uri(&self, path: &str) -> Option<Arc<DeployedService>> {
        let services = self.services.all();
        let settings = self.settings.read();
        let best = services.iter().filter_map(|(name, deployed)| {
            let configured = settings.invoke_uris.get(name).into_iter().flatten();
            let uris = deployed.content.service.invoke_uris.iter().chain(configured);
            Some((uris.filter_map(|uri| specificity(uri, path)).max()?, deployed))
        });
        best.max_by_key(|(length, _)| *length).map(|(_, deployed)| Arc::clone(deployed))
    }

    /// The API below whose base path a path lies, and what follows it; the longest base path wins.
    pub fn api_of_path<'p>(&self, path: &'p str) -> Option<(Arc<DeployedApi>, &'p str)> {
        let apis = self.apis.all();
        let candidates = apis.values().filter_map(|api| {
            let rest = path.strip_prefix(api.content.base_path.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then_some((api, rest))
        });
        let (api, rest) = candidates.max_by_key(|(api, _)| api.content.base_path.len())?;
        Some((Arc::clone(api), rest))
    }

    /// The schemas of a service, if it is deployed: of request and response. Of one that passes text on, that of a text.
    pub fn schemas(&self, service: &str) -> (Option<Value>, Option<Value>) {
        let Some(deployed) = self.services.lookup(service) else { return (None, None) };
        let content = &deployed.content;
        if content.service.passes_text() {
            let text = Some(json!({ "type": "string" }));
            return (text.clone(), text);
        }
        (content.request_schema.clone(), content.response_schema.clone())
    }
}

/// How much of the path a URI states; `None` when it does not lead there. An exact one beats one with an asterisk.
fn specificity(uri: &str, path: &str) -> Option<usize> {
    match uri.strip_suffix('*') {
        Some(begin) => path.starts_with(begin).then_some(2 * begin.len()),
        None => (uri == path).then_some(2 * uri.len() + 1),
    }
}
