//! Subscriptions while the queue manager runs: their table, their delivery, and their end.
//!
//! Named ones (DEFINE SUB, and durable ones made by MQSUB) come from the definitions and last; those made by MQSUB
//! without durability live here alone and end with their handle. `subscribe.rs` and `administer_subscription.rs` make them,
//! `publish.rs` delivers.
//!
//! Invariant: a subscription is in the table exactly while it is in the index.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::definition::SubscriptionDefinition;
use model::descriptor::MessageDescriptor;
use model::identifier::CorrelationId;
use model::reason::Reason;
use model::timestamp::Timestamp;
use parking_lot::Mutex;
use tracing::warn;

use crate::QueueManager;
use crate::definition::definitions;
use crate::engine::Engine;
use crate::engine::housekeeping::Work;
use crate::engine::map::Map;
use crate::publish::topic_tree::{AdministrativeTopics, Pattern, PatternIndex};
use crate::queue::dynamic;
use crate::selection::selector::Selector;

/// One subscription. An alteration makes a new one that shares `activity`.
pub(crate) struct Subscription {
    pub(crate) definition: Arc<SubscriptionDefinition>,
    pub(crate) pattern: Pattern,
    /// Of the publications on its topics, those it wants.
    selector: Option<Selector>,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) activity: Arc<Activity>,
}

/// What happens to a subscription: who has it open, what it was sent.
#[derive(Default)]
pub(crate) struct Activity {
    openers: Mutex<Openers>,
    published: AtomicU64,
    /// Microseconds since 1970; 0 for never.
    last_published: AtomicU64,
}

/// The connections with handles of a subscription: several of a shared one, otherwise one at most.
#[derive(Default)]
struct Openers {
    connections: Vec<u64>,
    shared: bool,
    /// It ends with its last handle, which is closed.
    is_over: bool,
}

impl Subscription {
    /// # Errors
    /// `TopicStringError` (2425): wildcards of the CHAR scheme that are none. Those of `parse_selector`.
    pub(crate) fn new(definition: Arc<SubscriptionDefinition>, activity: Arc<Activity>) -> Result<Self, Reason> {
        let pattern = Pattern::parse(&definition.topic_string, definition.wildcard_topic)?;
        let expires = definition.expiry_tenths.map(|tenths| {
            definition.history.altered.saturating_add(std::time::Duration::from_millis(u64::from(tenths) * 100))
        });
        let selector = parse_selector(&definition.selector)?;
        Ok(Self { definition, pattern, selector, expires, activity })
    }

    /// Whether the selector, if there is one, selects a publication.
    pub(crate) fn selects(&self, descriptor: &MessageDescriptor, body: &[u8]) -> bool {
        self.selector.as_ref().is_none_or(|selector| selector.matches(descriptor, body))
    }

    fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    pub(super) fn is_opened_by(&self, connection: u64) -> bool {
        self.activity.openers.lock().connections.contains(&connection)
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.activity.openers.lock().connections.is_empty()
    }

    /// # Errors
    /// `SubscriptionInUse` (2429): it has a handle already, and either is not for sharing.
    pub(crate) fn open_for(&self, connection: u64, shared: bool) -> Result<(), Reason> {
        let mut openers = self.activity.openers.lock();
        let is_shared = openers.shared && shared;
        if openers.is_over || !openers.connections.is_empty() && !is_shared {
            return Err(Reason::SubscriptionInUse);
        }
        openers.shared = shared;
        openers.connections.push(connection);
        Ok(())
    }

    /// Undoes `open_for`. True when that was the last handle.
    pub(crate) fn close_for(&self, connection: u64) -> bool {
        let mut openers = self.activity.openers.lock();
        if let Some(index) = openers.connections.iter().position(|known| *known == connection) {
            openers.connections.swap_remove(index);
        }
        let is_last = openers.connections.is_empty();
        openers.is_over |= is_last && !self.definition.durable;
        is_last
    }

    pub(crate) fn count(&self, now: Timestamp) {
        self.activity.published.fetch_add(1, Ordering::Relaxed);
        self.activity.last_published.store(now.0, Ordering::Relaxed);
    }
}

/// The selector of a subscription; blank selects everything.
///
/// # Errors
/// `SelectionStringError` (2519): too long. `SelectorSyntaxError` (2459). `SelectionNotAvailable` (2551): it asks for the
/// content of publications.
pub(crate) fn parse_selector(text: &str) -> Result<Option<Selector>, Reason> {
    let text = text.trim_end_matches(['\0', ' ']);
    if text.is_empty() {
        return Ok(None);
    }
    Selector::parse(text).map(Some).map_err(|error| error.reason())
}

/// A subscription handle (hSub) of a connection.
pub(crate) struct OpenSubscription {
    pub(crate) subscription: CorrelationId,
    /// Number of the connection.
    pub(crate) connection: u64,
}

/// Topics and subscriptions, looked up by what is published.
#[derive(Default)]
pub(crate) struct Subscriptions {
    pub(crate) topics: AdministrativeTopics,
    table: Map<CorrelationId, Arc<Subscription>>,
    by_name: Map<String, CorrelationId>,
    index: PatternIndex<CorrelationId>,
    /// None of them expires before this.
    next_expiry: Option<Timestamp>,
}

impl Subscriptions {
    pub(crate) fn get(&self, identifier: &CorrelationId) -> Option<&Arc<Subscription>> {
        self.table.get(identifier)
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Subscription>> {
        self.table.get(self.by_name.get(name)?)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Subscription>> {
        self.table.values()
    }

    pub(crate) fn insert(&mut self, subscription: Arc<Subscription>) {
        let identifier = subscription.definition.identifier;
        self.remove(&identifier);
        self.index.insert(&subscription.pattern, identifier);
        self.next_expiry = self.next_expiry.into_iter().chain(subscription.expires).min();
        if !subscription.definition.name.is_empty() {
            self.by_name.insert(subscription.definition.name.clone(), identifier);
        }
        self.table.insert(identifier, subscription);
    }

    pub(crate) fn remove(&mut self, identifier: &CorrelationId) -> Option<Arc<Subscription>> {
        let removed = self.table.remove(identifier)?;
        self.index.remove(&removed.pattern, *identifier);
        if self.by_name.get(&removed.definition.name) == Some(identifier) {
            self.by_name.remove(&removed.definition.name);
        }
        Some(removed)
    }

    /// Whom a publication on `topic` reaches, of those that `wants` says want it. Of a group, one member.
    pub(crate) fn matching(
        &self,
        topic: &str,
        now: Timestamp,
        wants: impl Fn(&Subscription) -> bool,
    ) -> Vec<Arc<Subscription>> {
        let found = self.index.matching(topic);
        if found.is_empty() {
            return Vec::new();
        }
        let mut groups = HashSet::new();
        // WILDCARD(BLOCK) of a topic above.
        let blocks: Vec<&str> =
            self.topics.above(topic).filter(|above| above.block_wildcards).map(|above| &*above.topic_string).collect();
        let mut matching: Vec<_> = found.iter().filter_map(|identifier| self.table.get(identifier)).cloned().collect();
        matching.retain(|subscription| {
            let definition = &subscription.definition;
            let mut is_first_of_group = || {
                let queue = (definition.destination, definition.destination_queue_manager);
                groups.insert((queue, definition.correlation_id, definition.level))
            };
            !subscription.is_expired(now)
                && wants(subscription)
                && !blocks.iter().any(|block| begins_above(&subscription.pattern, block))
                && (!definition.grouped || is_first_of_group())
        });
        matching
    }

    /// Takes over what was defined, altered or deleted. Those that lasting definitions know nothing of stay.
    pub(crate) fn update(&mut self, engine: &Engine) {
        self.topics = AdministrativeTopics::new(engine.topics.read().values().cloned());
        let defined = engine.subscriptions.read();
        let lasting: Map<CorrelationId, _> =
            defined.values().map(|definition| (definition.identifier, definition)).collect();
        let gone: Vec<CorrelationId> = self
            .table
            .iter()
            .filter(|(identifier, known)| known.definition.durable && !lasting.contains_key(*identifier))
            .map(|(identifier, _)| *identifier)
            .collect();
        for identifier in gone {
            self.remove(&identifier);
        }
        for (identifier, definition) in lasting {
            let known = self.table.get(&identifier);
            if known.is_some_and(|known| Arc::ptr_eq(&known.definition, definition)) {
                continue;
            }
            let activity = known.map(|known| known.activity.clone()).unwrap_or_default();
            match Subscription::new(definition.clone(), activity) {
                Ok(subscription) => self.insert(Arc::new(subscription)),
                Err(reason) => {
                    warn!(name = definition.name, %reason, "a subscription has an invalid topic string or selector");
                }
            }
        }
    }
}

/// Whether a pattern's first wildcard stands before the levels of `topic_string` end.
fn begins_above(pattern: &Pattern, topic_string: &str) -> bool {
    let begins_below = pattern
        .stem()
        .strip_prefix(topic_string)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || topic_string.ends_with('/'));
    pattern.literal().is_none() && !begins_below
}

/// # Errors
/// `OptionNotValidForType` (2045): what is not durable cannot be kept.
pub(crate) fn check_keep(engine: &Engine, open: &OpenSubscription) -> Result<(), Reason> {
    let durable = engine.publish.with(|state| state.get(&open.subscription).map(|known| known.definition.durable));
    if durable == Some(false) { Err(Reason::OptionNotValidForType) } else { Ok(()) }
}

/// Closes a subscription handle: with the last one the subscription ends, without durability or with `remove`.
pub(crate) async fn close(engine: &Engine, open: &OpenSubscription, remove: bool) {
    let Some(subscription) = engine.publish.with(|state| state.get(&open.subscription).cloned()) else { return };
    let is_last = subscription.close_for(open.connection);
    if is_last
        && (remove || !subscription.definition.durable)
        && let Err(reason) = end(engine, &subscription).await
    {
        warn!(name = subscription.definition.name, %reason, "a subscription could not be removed");
    }
}

/// Takes a subscription away, with its definition and the queue that was made for it.
///
/// # Errors
/// `ResourceProblem` (2102), `QMgrStopping` (2162): the definition is still there.
pub(crate) async fn end(engine: &Engine, subscription: &Subscription) -> Result<(), Reason> {
    let definition = &subscription.definition;
    let queue = ManagedQueue::new(engine, definition.clone());
    if definition.durable {
        let _change = engine.changes.take().await;
        let change = definitions::delete_subscription(&definition.name);
        let show = || {
            engine.subscriptions.write().remove(&definition.name);
            engine.publish.with_mut(|state| state.remove(&definition.identifier));
        };
        definitions::save_and_show(engine, vec![change], show).await?;
    } else {
        engine.publish.with_mut(|state| state.remove(&definition.identifier));
    }
    queue.remove().await;
    Ok(())
}

/// The queue of a subscription that is not there yet, or soon not any more. Dropped while the subscription is not there,
/// it leaves the queue to housekeeping.
pub(crate) struct ManagedQueue<'a> {
    engine: &'a Engine,
    definition: Arc<SubscriptionDefinition>,
    is_removed: bool,
}

impl<'a> ManagedQueue<'a> {
    pub(crate) fn new(engine: &'a Engine, definition: Arc<SubscriptionDefinition>) -> Self {
        Self { engine, definition, is_removed: false }
    }

    pub(crate) async fn remove(mut self) {
        remove_managed_queue(self.engine, &self.definition).await;
        self.is_removed = true;
    }
}

impl Drop for ManagedQueue<'_> {
    fn drop(&mut self) {
        let definition = &self.definition;
        let is_there = || self.engine.publish.with(|state| state.get(&definition.identifier).is_some());
        if definition.managed && !self.is_removed && !is_there() {
            self.engine.left_over.push(Work::ManagedQueue(definition.clone()));
        }
    }
}

/// The queue goes with its subscription; one without durability stays while its own handle is open.
pub(crate) async fn remove_managed_queue(engine: &Engine, definition: &SubscriptionDefinition) {
    if !definition.managed {
        return;
    }
    if let Some(queue) = engine.queue(&definition.destination)
        && (definition.durable || queue.in_use.lock().handles == 0)
    {
        dynamic::delete_temporary(engine, &queue).await;
    }
}

/// Ends what has expired. Returns when the next one will.
pub(crate) async fn expire(engine: &Engine) -> Option<Timestamp> {
    let now = engine.now();
    let next = engine.publish.with(|state| state.next_expiry);
    if next.is_none_or(|next| next > now) {
        return next;
    }
    let expired: Vec<Arc<Subscription>> = engine.publish.with_mut(|state| {
        let expired = state.table.values().filter(|known| known.is_expired(now)).cloned().collect();
        state.next_expiry = state.table.values().filter(|known| !known.is_expired(now)).filter_map(|s| s.expires).min();
        expired
    });
    for subscription in expired {
        if let Err(reason) = end(engine, &subscription).await {
            warn!(name = subscription.definition.name, %reason, "an expired subscription could not be removed");
        }
    }
    engine.publish.with(|state| state.next_expiry)
}

/// What DISPLAY SUB and DISPLAY SBSTATUS show.
#[derive(Debug, Clone)]
pub struct SubscriptionStatus {
    pub definition: Arc<SubscriptionDefinition>,
    /// Identifier of the connection, or of one of those, that have a handle of it: ACTCONN.
    pub opened_by: Option<[u8; 24]>,
    /// NUMMSGS: publications sent to it since the start of the process.
    pub published: u64,
    /// LMSGDATE and LMSGTIME.
    pub last_published: Option<Timestamp>,
}

impl QueueManager {
    /// Every subscription, those without a name included, by name and then by identifier.
    pub fn subscription_statuses(&self) -> Vec<SubscriptionStatus> {
        let engine = self.engine();
        let mut statuses: Vec<SubscriptionStatus> = engine.publish.with(|state| {
            let status = |subscription: &Arc<Subscription>| SubscriptionStatus {
                definition: subscription.definition.clone(),
                opened_by: subscription
                    .activity
                    .openers
                    .lock()
                    .connections
                    .first()
                    .map(|&connection| engine.identifiers.of_connection(connection)),
                published: subscription.activity.published.load(Ordering::Relaxed),
                last_published: match subscription.activity.last_published.load(Ordering::Relaxed) {
                    0 => None,
                    at => Some(Timestamp(at)),
                },
            };
            state.all().map(status).collect()
        });
        statuses.sort_by(|a, b| {
            (&a.definition.name, &a.definition.identifier).cmp(&(&b.definition.name, &b.definition.identifier))
        });
        statuses
    }
}
