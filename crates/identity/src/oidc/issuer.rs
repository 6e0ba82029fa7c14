//! The keys of one issuer, and where people sign in there: fetched at start and in the background, and when a token names a key that is not known.
//!
//! One fetch is under way at a time; requests that need it wait for it together. An issuer that does not answer keeps the keys that it
//! had. A failed fetch is tried again after a wait, which doubles up to a minute.
//!
//! Invariant: for unknown keys the issuer is asked once in `unknown_key_every` at most, whatever tokens are sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::timestamp::Timestamp;
use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::client::Client;
use super::endpoints::{Endpoints, NO_ENDPOINTS};
use super::key_set::KeySet;
use super::settings::Settings;
use super::url::may_be_fetched;
use super::{Fetch, Form, Posted};

/// The first wait after a failed fetch, and the longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Requests that wait for one issuer; the next ones are answered at once.
const MOST_WAITING: usize = 256;

pub(crate) struct Issuer {
    pub(super) settings: Settings,
    fetch: Arc<dyn Fetch>,
    known: RwLock<Known>,
    progress: Mutex<Progress>,
    /// Says that a fetch has ended.
    ended: watch::Sender<()>,
    /// Requests that wait for it.
    waiting: AtomicUsize,
}

/// The keys, how often they have changed, and where people sign in.
#[derive(Clone, Default)]
struct Known {
    keys: Arc<KeySet>,
    generation: u64,
    endpoints: Option<Arc<Endpoints>>,
}

/// What an issuer publishes.
struct Published {
    keys: KeySet,
    endpoints: Option<Endpoints>,
}

#[derive(Clone, Copy, Default)]
struct Progress {
    is_fetching: bool,
    /// When it was last asked; `None`: never.
    asked: Option<Timestamp>,
    /// Failures one after the other.
    failures: u32,
}

/// What to do about a key that is not known.
pub(super) enum Turn {
    Ask,
    /// It was asked a moment ago, and has no such key.
    Asked,
    /// It was asked a moment ago, and did not answer.
    Failed,
}

impl Issuer {
    /// `before` is the same issuer of a configuration that this one replaces.
    pub(super) fn new(settings: Settings, fetch: Arc<dyn Fetch>, before: Option<&Self>) -> Self {
        let known = before.map(|before| before.known.read().clone()).unwrap_or_default();
        // An answer on its way is for the one before: this one has to ask again.
        let progress = before.map(|before| *before.progress.lock()).filter(|progress| !progress.is_fetching);
        Self {
            settings,
            fetch,
            known: RwLock::new(known),
            progress: Mutex::new(progress.unwrap_or_default()),
            ended: watch::Sender::new(()),
            waiting: AtomicUsize::new(0),
        }
    }

    pub(super) fn keys(&self) -> (Arc<KeySet>, u64) {
        let known = self.known.read();
        (Arc::clone(&known.keys), known.generation)
    }

    pub(super) fn generation(&self) -> u64 {
        self.known.read().generation
    }

    /// `None`: it has not answered yet, or people cannot sign in there by browser.
    pub(super) fn endpoints(&self) -> Option<Arc<Endpoints>> {
        self.known.read().endpoints.clone()
    }

    pub(super) fn client(&self) -> Option<&Client> {
        self.settings.client.as_ref()
    }

    /// Sends a form for a request that waits. Too many that wait have no answer.
    pub(super) async fn post(&self, url: &str, form: Form) -> Result<Posted, String> {
        let within = self.settings.timeout;
        let Some(_waiting) = Waiting::begin(&self.waiting) else { return Err("too many wait for it".to_owned()) };
        let posted = tokio::time::timeout(within, self.fetch.post(url, form)).await;
        posted.unwrap_or_else(|_| Err(format!("no answer within {} s", within.as_secs())))
    }

    #[cfg(test)]
    pub(super) fn is_fetching(&self) -> bool {
        self.progress.lock().is_fetching
    }

    pub(super) fn may_be_asked(&self, now: Timestamp) -> Turn {
        let progress = self.progress.lock();
        let is_recent = progress.asked.is_some_and(|asked| apart(asked, now) < self.settings.unknown_key_every);
        match (progress.is_fetching, is_recent) {
            (true, _) | (_, false) => Turn::Ask,
            (false, true) if progress.failures > 0 => Turn::Failed,
            (false, true) => Turn::Asked,
        }
    }

    /// Asks for the keys, or waits for the answer that is on its way. Whether there is one; too many that wait have none.
    pub(super) async fn ask(self: &Arc<Self>, runtime: Option<&Handle>, now: Timestamp) -> bool {
        let Some(_waiting) = Waiting::begin(&self.waiting) else { return false };
        let mut ended = self.ended.subscribe();
        // Another request may have asked since this one found its key to be unknown.
        let every = self.settings.unknown_key_every;
        self.begin(runtime, now, |progress| progress.asked.is_none_or(|asked| apart(asked, now) >= every));
        // The sender lives as long as this issuer, and a fetch ends in a bounded time.
        while self.progress.lock().is_fetching {
            if ended.changed().await.is_err() {
                return false;
            }
        }
        self.progress.lock().failures == 0
    }

    /// Asks for the keys when they are due, and does not wait.
    pub(super) fn refresh(self: &Arc<Self>, runtime: Option<&Handle>, now: Timestamp) {
        let every = self.settings.refresh_every;
        self.begin(runtime, now, |progress| match progress.asked {
            None => true,
            Some(asked) => apart(asked, now) >= progress.wait().unwrap_or(every).min(every),
        });
    }

    /// Begins a fetch, unless one is under way.
    fn begin(self: &Arc<Self>, runtime: Option<&Handle>, now: Timestamp, is_due: impl FnOnce(&Progress) -> bool) {
        {
            let mut progress = self.progress.lock();
            if progress.is_fetching || !is_due(&progress) {
                return;
            }
            (progress.is_fetching, progress.asked) = (true, Some(now));
        }
        let ending = Ending(Arc::clone(self));
        let fetch = async move {
            let fetched = ending.0.fetch_within().await;
            ending.0.take(fetched);
            drop(ending);
        };
        match runtime {
            Some(runtime) => drop(runtime.spawn(fetch)),
            None => drop(tokio::spawn(fetch)),
        }
    }

    /// Fetches what the issuer publishes, and does not use it.
    pub(super) async fn probe(&self) -> Result<(), String> {
        let published = self.fetch_within().await?;
        match self.settings.client.is_some() && published.endpoints.is_none() {
            true => Err(format!("{}: {}", self.settings.discovery_url(), NO_ENDPOINTS)),
            false => Ok(()),
        }
    }

    async fn fetch_within(&self) -> Result<Published, String> {
        let within = self.settings.timeout;
        let fetched = tokio::time::timeout(within, self.fetch_published()).await;
        fetched.unwrap_or_else(|_| Err(format!("no answer within {} s", within.as_secs())))
    }

    async fn fetch_published(&self) -> Result<Published, String> {
        let url = self.settings.discovery_url();
        let document = self.fetch.get(&url).await.map_err(|problem| format!("{url}: {problem}"))?;
        let wrong = |problem: String| format!("{url}: {problem}");
        let document = serde_json::from_slice(&document).map_err(|error| wrong(format!("it is not JSON: {error}")))?;
        let keys_url = keys_url(&document, &self.settings.url).map_err(wrong)?;
        let keys = self.fetch.get(&keys_url).await.map_err(|problem| format!("{keys_url}: {problem}"))?;
        let keys = KeySet::parse(&keys).map_err(|problem| format!("{keys_url}: {problem}"))?;
        Ok(Published { keys, endpoints: Endpoints::of(&document) })
    }

    fn take(&self, fetched: Result<Published, String>) {
        let issuer = &self.settings.url;
        let mut progress = self.progress.lock();
        match fetched {
            Ok(Published { keys, endpoints }) => {
                if progress.failures > 0 {
                    tracing::info!(issuer, "the issuer of tokens answers again");
                }
                progress.failures = 0;
                let mut known = self.known.write();
                known.endpoints = endpoints.map(Arc::new);
                if !known.keys.is_same(&keys) {
                    (known.keys, known.generation) = (Arc::new(keys), known.generation + 1);
                }
            }
            Err(problem) => {
                progress.failures = progress.failures.saturating_add(1);
                // The first one of a row; the metrics and answers tell of the others.
                if progress.failures == 1 {
                    tracing::warn!(
                        issuer,
                        "the keys of an issuer of tokens cannot be fetched, and the known ones stay in use: {problem}"
                    );
                }
            }
        }
    }
}

/// One request that waits.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(waiting: &'a AtomicUsize) -> Option<Self> {
        let one = Self(waiting);
        (waiting.fetch_add(1, Ordering::Relaxed) < MOST_WAITING).then_some(one)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Says that a fetch has ended, however it ended.
struct Ending(Arc<Issuer>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.progress.lock().is_fetching = false;
        self.0.ended.send_replace(());
    }
}

impl Progress {
    /// After failures.
    fn wait(&self) -> Option<Duration> {
        let doublings = self.failures.checked_sub(1)?;
        Some(FIRST_WAIT.saturating_mul(1 << doublings.min(10)).min(LONGEST_WAIT))
    }
}

/// In either direction: the clock may have been set back.
fn apart(one: Timestamp, other: Timestamp) -> Duration {
    one.since(other).max(other.since(one))
}

/// Where the keys are, of an issuer's description of itself.
fn keys_url(document: &Value, issuer: &str) -> Result<String, String> {
    let member = |name: &str| document.get(name).and_then(Value::as_str).ok_or_else(|| format!("it has no {name}"));
    let named = member("issuer")?;
    if named != issuer {
        return Err(format!("it describes the issuer '{}': set that as issuer", named.escape_debug()));
    }
    let url = member("jwks_uri")?;
    if !may_be_fetched(url) {
        return Err(format!("its jwks_uri '{}' has no https://", url.escape_debug()));
    }
    Ok(url.to_owned())
}
