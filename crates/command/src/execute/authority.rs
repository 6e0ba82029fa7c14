//! Authority records: SET, DELETE and DISPLAY AUTHREC, DISPLAY ENTAUTH and AUTHSERV; and who may see what.

use std::cmp::Ordering;

use ::queue_manager::QueueManager;
use ::queue_manager::objects::ObjectError;
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::attribute::{Kind, Shown};
use model::name::ObjectName;
use model::reason::Reason;

use crate::command::{
    AuthorityKey, AuthorityMatch, AuthorityQuery, Define, EntityAuthorityQuery, Pattern, Request, SetAuthority,
};
use crate::execute::{Failure, object_name};
use crate::message::{self, Message};
use crate::reply::{Item, Reply};
use crate::status::{self, EntityView};

const MQRCCF_PROFILE_NAME_ERROR: i32 = 3170;
const MQRCCF_AUTH_VALUE_ERROR: i32 = 3171;

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
    queue_manager.authorise(caller, object, name, Authority::DISPLAY).map_err(Failure::from)
}

/// Why nothing is shown: one object is asked for by its name and may not be seen, or there is none. A generic name tells
/// nothing of what may not be seen.
pub(super) fn none_shown(
    queue_manager: &QueueManager,
    caller: &Principal,
    types: impl IntoIterator<Item = AuthorityObject>,
    name: &Pattern,
) -> Failure {
    let text = name.to_string();
    let Some(known) = object_name(&text).ok().filter(|_| !name.is_generic()) else { return Failure::not_found(&text) };
    let mut there = types.into_iter().filter(|object| queue_manager.exists(*object, &known));
    let refused = there.find_map(|object| require_display(queue_manager, caller, object, &known).err());
    refused.unwrap_or_else(|| Failure::not_found(&text))
}

/// A definition is made from the object that LIKE names, or from the default object: its maker has to be able to see it.
///
/// Source: MQ security, "Authorizations for MQSC commands in escape PCFs", note 1, 9.2.
pub(super) fn require_base(queue_manager: &QueueManager, caller: &Principal, define: &Define) -> Result<(), Failure> {
    let object = define.kind.authority_object();
    let base = define.like.as_deref().or(define.kind.default_object());
    let Some(base) = base.filter(|_| define.kind != Kind::Subscription) else { return Ok(()) };
    let name = object_name(base)?;
    if queue_manager.exists(object, &name) {
        require_display(queue_manager, caller, object, &name)?;
    }
    Ok(())
}

pub(super) fn require_of_queue_manager(
    queue_manager: &QueueManager,
    caller: &Principal,
    wanted: Authority,
) -> Result<(), Failure> {
    let (object, name) = (AuthorityObject::QueueManager, queue_manager.name());
    queue_manager.authorise(caller, object, &name, wanted).map_err(Failure::from)
}

/// The profile that names the object a key is about; the queue manager's is its own name.
fn profile(queue_manager: &QueueManager, key: &AuthorityKey) -> String {
    match (&key.profile, key.object) {
        (_, AuthorityObject::QueueManager) => queue_manager.name().as_str().to_owned(),
        (Some(profile), _) => profile.clone(),
        (None, _) => String::new(),
    }
}

pub(super) async fn set(
    queue_manager: &QueueManager,
    caller: &Principal,
    set: &SetAuthority,
) -> Result<Reply, Failure> {
    let profile = profile(queue_manager, &set.key);
    require_of_queue_manager(queue_manager, caller, Authority::CHANGE)?;
    check_profile(queue_manager, set.key.object, &profile)?;
    check_entities(&set.key.entities)?;
    let (add, remove) = settled(set, &profile)?;
    for entity in &set.key.entities {
        let (profile, object, entity) = (profile.clone(), set.key.object, entity.clone());
        let record = AuthorityRecord { profile, object, entity, authorities: add };
        queue_manager.change_authority(caller, record, remove).await?;
    }
    Ok(Reply::done(message::AUTHORITY_SET))
}

/// What is added and what is taken away, nothing of it both. Where ALL, ALLADM or ALLMQI of one list covers what the other
/// names, the narrower of the two counts; what both name alike is refused.
fn settled(set: &SetAuthority, profile: &str) -> Result<(Authority, Authority), Failure> {
    let (mut add, mut remove, mut both) = (set.add, set.remove, Authority::empty());
    for one in (set.add & set.remove).iter() {
        let breadth = |list| breadth(set.key.object, list, one);
        match breadth(set.add).cmp(&breadth(set.remove)) {
            Ordering::Less => remove -= one,
            Ordering::Greater => add -= one,
            Ordering::Equal => both |= one,
        }
    }
    if both.is_empty() {
        return Ok((add, remove));
    }
    let problem = format!("AUTHRMV names {}, too", both.list());
    let arguments = ["AUTHADD", profile, &problem];
    Err(Failure::Reply(Reply::failed(MQRCCF_AUTH_VALUE_ERROR, message::ATTRIBUTE_REFUSED, &arguments)))
}

/// For how many authorities the word stands by which a list names `one`: the widest that the list holds the whole of.
fn breadth(object: AuthorityObject, list: Authority, one: Authority) -> u32 {
    let groups = [object.all_authorities(), object.administration_authorities(), object.mqi_authorities()];
    let named = groups.into_iter().filter(|group| list.contains(*group) && group.contains(one));
    named.map(|group| group.bits().count_ones()).max().unwrap_or(1)
}

/// A profile without wildcards names an object that exists. SYSTEM objects of the product that are not here are let
/// through, so that its own scripts load.
fn check_profile(queue_manager: &QueueManager, object: AuthorityObject, profile: &str) -> Result<(), Failure> {
    if let Some(problem) = QueueManager::profile_problem(profile) {
        return Err(not_a_name(MQRCCF_PROFILE_NAME_ERROR, profile, problem));
    }
    let stands_alone = AuthorityRecord::is_generic(profile)
        || profile == AuthorityRecord::CLASS
        || profile.starts_with("SYSTEM.")
        || object == AuthorityObject::QueueManager;
    if stands_alone || queue_manager.exists(object, &object_name(profile)?) {
        return Ok(());
    }
    Err(Failure::not_found(profile))
}

/// Names as principals have them: blanks at the end would make a record that counts for nobody, or takes nothing away.
fn check_entities(entities: &[Entity]) -> Result<(), Failure> {
    let is_good = |name: &str| !name.is_empty() && !name.ends_with(' ');
    match entities.iter().map(Entity::name).find(|name| !is_good(name)) {
        Some(name) => Err(not_a_name(Reason::UnknownEntity.number(), name, "it is blank or ends in a blank")),
        None => Ok(()),
    }
}

fn not_a_name(reason: i32, name: &str, problem: &str) -> Failure {
    let shown: String = name.chars().take(80).collect();
    Failure::Reply(Reply::failed(reason, message::NAME, &[&format!("'{shown}': {problem}")]))
}

pub(super) async fn delete(
    queue_manager: &QueueManager,
    caller: &Principal,
    key: &AuthorityKey,
) -> Result<Reply, Failure> {
    let profile = profile(queue_manager, key);
    for entity in &key.entities {
        let deleted = queue_manager.delete_authority(caller, key.object, &profile, entity).await;
        match deleted {
            Ok(_) => {}
            Err(ObjectError::NotFound { .. }) => return Err(no_record(&profile)),
            Err(error) => return Err(Failure::from(error)),
        }
    }
    Ok(Reply::done(message::AUTHORITY_DELETED))
}

fn no_record(profile: &str) -> Failure {
    let reason = Reason::UnknownObjectName.number();
    Failure::Reply(Reply::failed(reason, message::AUTHORITY_NOT_FOUND, &[profile]))
}

/// Removes the records that name exactly an object that is gone.
pub(super) async fn forget(
    queue_manager: &QueueManager,
    object: AuthorityObject,
    name: &ObjectName,
) -> Result<(), Failure> {
    queue_manager.forget_authorities(object, name).await.map_err(Failure::from)
}

pub(super) fn display(
    queue_manager: &QueueManager,
    caller: &Principal,
    query: &AuthorityQuery,
) -> Result<Reply, Failure> {
    require_of_queue_manager(queue_manager, caller, Authority::DISPLAY)?;
    let wanted = |record: &AuthorityRecord| {
        profile_is_wanted(queue_manager, query, record)
            && query.object.is_none_or(|object| object == record.object)
            && query.entity.as_ref().is_none_or(|entity| *entity == record.entity)
    };
    let items: Vec<_> = queue_manager
        .authority_records()
        .iter()
        .filter(|record| wanted(record))
        .filter_map(|record| status::show(status::AUTHORITY, record, &query.request))
        .map(|attributes| item(message::AUTHORITY_DETAILS, attributes))
        .collect();
    if items.is_empty() {
        return Err(no_record(query.profile.as_deref().unwrap_or("*")));
    }
    Ok(Reply::of(items))
}

/// A lone asterisk means every profile; otherwise MATCH decides. The queue manager's profile also goes by SELF.
fn profile_is_wanted(queue_manager: &QueueManager, query: &AuthorityQuery, record: &AuthorityRecord) -> bool {
    let Some(wanted) = query.profile.as_deref().filter(|wanted| *wanted != "*") else { return true };
    if record.object == AuthorityObject::QueueManager {
        return wanted == "SELF" || wanted == queue_manager.name().as_str();
    }
    let is_object = !AuthorityRecord::is_generic(wanted) && query.matching != AuthorityMatch::Exact;
    record.profile == wanted || is_object && QueueManager::profile_matches(&record.profile, wanted)
}

pub(super) fn display_entity(
    queue_manager: &QueueManager,
    caller: &Principal,
    query: &EntityAuthorityQuery,
) -> Result<Reply, Failure> {
    require_of_queue_manager(queue_manager, caller, Authority::DISPLAY)?;
    let view = EntityView {
        name: object_of(queue_manager, query),
        entity: query.entity.clone(),
        object: query.object,
        authorities: entity_authority(queue_manager, &query.entity, query.object, query.name.as_deref())?,
    };
    match status::show(status::ENTITY_AUTHORITY, &view, &query.request) {
        Some(attributes) => Ok(Reply::of(vec![item(message::ENTITY_AUTHORITY_DETAILS, attributes)])),
        None => Err(no_record(&view.name)),
    }
}

fn object_of(queue_manager: &QueueManager, query: &EntityAuthorityQuery) -> String {
    match (&query.name, query.object) {
        (Some(name), object) if object != AuthorityObject::QueueManager => name.clone(),
        _ => queue_manager.name().to_string(),
    }
}

/// What the records that apply to an object give an entity. A generic profile, or the class, is looked up as it stands.
fn entity_authority(
    queue_manager: &QueueManager,
    entity: &Entity,
    object: AuthorityObject,
    name: Option<&str>,
) -> Result<Authority, Failure> {
    if object == AuthorityObject::QueueManager {
        return Ok(queue_manager.entity_authority(entity, object, &queue_manager.name()));
    }
    let name = name.unwrap_or_default();
    if AuthorityRecord::is_generic(name) || name == AuthorityRecord::CLASS {
        let record = queue_manager.authority_record(object, name, entity).ok_or_else(|| no_record(name))?;
        return Ok(record.authorities);
    }
    let known = object_name(name)?;
    if !queue_manager.exists(object, &known) {
        return Err(Failure::not_found(name));
    }
    Ok(queue_manager.entity_authority(entity, object, &known))
}

pub(super) fn display_service(
    queue_manager: &QueueManager,
    caller: &Principal,
    request: &Request,
) -> Result<Reply, Failure> {
    require_of_queue_manager(queue_manager, caller, Authority::DISPLAY)?;
    match status::show(status::AUTHORITY_SERVICE, &(), request) {
        Some(attributes) => Ok(Reply::of(vec![item(message::AUTHORITY_SERVICE_DETAILS, attributes)])),
        None => Err(no_record("*")),
    }
}

fn item(title: Message, attributes: Vec<Shown>) -> Item {
    Item::shown(title, attributes)
}
