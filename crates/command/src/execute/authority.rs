//! Authority records: SET, DELETE and DISPLAY AUTHREC; and who may see what.

use ::queue_manager::QueueManager;
use ::queue_manager::objects::ObjectError;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::name::ObjectName;

use crate::command::{AuthorityKey, AuthorityQuery, SetAuthority};
use crate::execute::Failure;
use crate::message;
use crate::reply::{Item, Reply};
use crate::status;

/// May `caller` see the object at all?
pub(super) fn may_display(
    queue_manager: &QueueManager,
    caller: &Principal,
    object: AuthorityObject,
    name: &ObjectName,
) -> bool {
    queue_manager.is_authorised(caller, object, name, Authority::DISPLAY)
}

pub(super) fn require_display(
    queue_manager: &QueueManager,
    caller: &Principal,
    object: AuthorityObject,
    name: &ObjectName,
) -> Result<(), Failure> {
    if may_display(queue_manager, caller, object, name) {
        return Ok(());
    }
    let (user, name) = (caller.user.to_string(), name.to_string());
    Err(Failure::Object(ObjectError::NotAuthorized { user, name, missing: "dsp" }))
}

/// The profile that names the object a key is about; the queue manager's is its own name.
fn profile(queue_manager: &QueueManager, key: &AuthorityKey) -> String {
    match (&key.profile, key.object) {
        (_, AuthorityObject::QueueManager) => queue_manager.name().as_str().to_owned(),
        (Some(profile), _) => profile.clone(),
        (None, _) => String::new(),
    }
}

fn current(queue_manager: &QueueManager, profile: &str, object: AuthorityObject, entity: &Entity) -> Option<Authority> {
    queue_manager
        .authority_records()
        .into_iter()
        .find(|record| record.profile == profile && record.object == object && record.entity == *entity)
        .map(|record| record.authorities)
}

pub(super) async fn set(
    queue_manager: &QueueManager,
    caller: &Principal,
    set: &SetAuthority,
) -> Result<Reply, Failure> {
    let profile = profile(queue_manager, &set.key);
    for entity in &set.key.entities {
        let before = current(queue_manager, &profile, set.key.object, entity).unwrap_or_default();
        let record = AuthorityRecord {
            profile: profile.clone(),
            object: set.key.object,
            entity: entity.clone(),
            authorities: (before - set.remove) | set.add,
        };
        queue_manager.set_authority(caller, record).await?;
    }
    Ok(Reply::done(message::AUTHORITY_SET))
}

pub(super) async fn delete(
    queue_manager: &QueueManager,
    caller: &Principal,
    key: &AuthorityKey,
) -> Result<Reply, Failure> {
    let profile = profile(queue_manager, key);
    for entity in &key.entities {
        if current(queue_manager, &profile, key.object, entity).is_none() {
            let reason = model::reason::Reason::UnknownObjectName.number();
            return Err(Failure::Reply(Reply::failed(reason, message::AUTHORITY_NOT_FOUND, &[&profile])));
        }
        remove(queue_manager, caller, &profile, key.object, entity).await?;
    }
    Ok(Reply::done(message::AUTHORITY_DELETED))
}

/// Removes the records that name exactly an object that is gone. A caller who may delete the object but not change
/// authorities leaves them.
pub(super) async fn forget(
    queue_manager: &QueueManager,
    caller: &Principal,
    object: AuthorityObject,
    name: &str,
) -> Result<(), Failure> {
    for record in queue_manager.authority_records() {
        if record.object == object && record.profile == name {
            match remove(queue_manager, caller, name, object, &record.entity).await {
                Ok(()) | Err(Failure::Object(ObjectError::NotAuthorized { .. })) => {}
                Err(failure) => return Err(failure),
            }
        }
    }
    Ok(())
}

async fn remove(
    queue_manager: &QueueManager,
    caller: &Principal,
    profile: &str,
    object: AuthorityObject,
    entity: &Entity,
) -> Result<(), Failure> {
    let record = AuthorityRecord {
        profile: profile.to_owned(),
        object,
        entity: entity.clone(),
        authorities: Authority::empty(),
    };
    queue_manager.set_authority(caller, record).await.map_err(Failure::from)
}

pub(super) fn display(
    queue_manager: &QueueManager,
    caller: &Principal,
    query: &AuthorityQuery,
) -> Result<Reply, Failure> {
    require_display(queue_manager, caller, AuthorityObject::QueueManager, &queue_manager.name())?;
    let wanted = |record: &AuthorityRecord| {
        query.profile.as_ref().is_none_or(|profile| profile.matches(&record.profile))
            && query.object.is_none_or(|object| object == record.object)
            && query.entity.as_ref().is_none_or(|entity| *entity == record.entity)
    };
    let items: Vec<_> = queue_manager
        .authority_records()
        .iter()
        .filter(|record| wanted(record))
        .filter_map(|record| status::show(status::AUTHORITY, record, &query.request))
        .map(|attributes| Item {
            reason: 0,
            message: message::AUTHORITY_DETAILS.line(&[]),
            attributes,
            parts: Vec::new(),
        })
        .collect();
    if items.is_empty() {
        let name = query.profile.as_ref().map_or_else(|| "*".to_owned(), ToString::to_string);
        let reason = model::reason::Reason::UnknownObjectName.number();
        return Err(Failure::Reply(Reply::failed(reason, message::AUTHORITY_NOT_FOUND, &[&name])));
    }
    Ok(Reply { items })
}
