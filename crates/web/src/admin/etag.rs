//! Entity tags of answers that are made of definitions alone: an extension of ours.
//!
//! A tag is made before anything is read, from the number of changes to definitions and the request itself, so it costs
//! nothing and can only be older than what it stands for. Answers with status have none: depths change unnoticed.

use std::hash::{DefaultHasher, Hash, Hasher};

use ::queue_manager::QueueManager;

use crate::entity_tag::EntityTag;
use crate::service::Call;

/// For the queues of `queue_manager` as this request wants to see them.
pub(super) fn of_queues(call: &Call<'_>, queue_manager: &QueueManager) -> EntityTag {
    let mut hasher = DefaultHasher::new();
    call.parts.uri.path().hash(&mut hasher);
    call.parts.uri.query().hash(&mut hasher);
    let (started, changes) = queue_manager.queue_changes();
    EntityTag::new(&format!("{:x}-{changes:x}-{:x}", started.0, hasher.finish()))
}
