//! Channels, listeners, processes, namelists, services, authentication and communication information: objects that hold
//! no messages. Each change is durable when it returns, and authorised here.
//!
//! Invariant: of a family, which is what authority records are about, at most one object has a name.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::attribute::View;
use model::definition::{AdministeredObject, History};
use model::name::ObjectName;
use model::reason::Reason;
use storage::shared::GroupDisposition;

use crate::definition::definitions;
use crate::definition::objects::{ObjectError, authorise, authority_to_define, check_attributes};
use crate::engine::Engine;
use crate::group::disposition;
use crate::instrumentation::started::StartedStatus;
use crate::{QueueManager, group};

pub(crate) type Key = (AuthorityObject, ObjectName);
pub(crate) type AdministeredObjects = BTreeMap<Key, Arc<AdministeredObject>>;

pub(crate) fn key(object: &AdministeredObject) -> Key {
    (object.family(), object.name())
}

/// What DEFINE starts from lacks what another object has to be given.
const TEMPLATES: &str = "SYSTEM.DEF";

impl Engine {
    pub(crate) fn object(&self, family: AuthorityObject, name: &ObjectName) -> Option<Arc<AdministeredObject>> {
        self.objects.read().get(&(family, *name)).cloned()
    }
}

impl QueueManager {
    pub fn object(&self, family: AuthorityObject, name: &ObjectName) -> Option<Arc<AdministeredObject>> {
        self.engine().object(family, name)
    }

    /// Those of one family, sorted by name.
    pub fn objects(&self, family: AuthorityObject) -> Vec<Arc<AdministeredObject>> {
        let objects = self.engine().objects.read();
        objects
            .range((family, ObjectName::BLANK)..)
            .take_while(|(key, _)| key.0 == family)
            .map(|(_, o)| o.clone())
            .collect()
    }

    /// Makes the object; with `replace`, takes the place of one of the same kind.
    ///
    /// # Errors
    /// `AlreadyExists`; `WrongType`: the one of that name is of another kind of the same family. `NotAuthorized`: crt, or
    /// chg of what is replaced. `Attribute`: out of range. `Missing`. `Reason`: 2152, the name is blank or too
    /// long; 2102.
    pub async fn define_object(
        &self,
        caller: &Principal,
        mut object: AdministeredObject,
        replace: bool,
    ) -> Result<(), ObjectError> {
        let engine = self.engine();
        let (family, name) = key(&object);
        let exists = engine.object(family, &name).is_some();
        authorise(engine, caller, family, &name, authority_to_define(exists, replace))?;
        let _change = engine.changes.take().await;
        let before = engine.object(family, &name);
        if let Some(before) = &before {
            disposition::check_same(&name, before.disposition(), object.disposition())?;
            if !replace {
                return Err(ObjectError::already_exists(name.as_str()));
            }
            check_same_kind(before, &object)?;
        }
        let now = engine.now();
        let created = before.as_ref().map_or(now, |before| before.history().created);
        object.set_history(History { created, altered: now });
        let maker = before.is_none().then_some(caller);
        keep(engine, object, maker).await
    }

    /// Puts `object` in the place of the whole one of its name.
    ///
    /// # Errors
    /// `NotFound`, `WrongType`, `NotAuthorized`: chg. `Attribute`, `Missing`: as for `define_object`. `Reason`: 2102.
    pub async fn alter_object(&self, caller: &Principal, object: AdministeredObject) -> Result<(), ObjectError> {
        let (family, name) = key(&object);
        let replace = |current: &mut AdministeredObject| {
            *current = object;
            Ok(())
        };
        self.change_object(caller, family, &name, replace).await
    }

    /// `change` is given the object as it is; nobody else changes it meanwhile.
    ///
    /// # Errors
    /// As `alter_object`, and those of `change`.
    pub async fn change_object<E: From<ObjectError>>(
        &self,
        caller: &Principal,
        family: AuthorityObject,
        name: &ObjectName,
        change: impl FnOnce(&mut AdministeredObject) -> Result<(), E>,
    ) -> Result<(), E> {
        let engine = self.engine();
        authorise(engine, caller, family, name, Authority::CHANGE)?;
        let _change = engine.changes.take().await;
        let before = engine.object(family, name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let mut object = (*before).clone();
        change(&mut object)?;
        check_same_kind(&before, &object)?;
        object.set_history(History { created: before.history().created, altered: engine.now() });
        Ok(keep(engine, object, None).await?)
    }

    /// # Errors
    /// `NotFound`, `NotAuthorized`: dlt. `StillActive`: a listener or a service that runs and was not asked to end.
    /// `Reason`: 2102.
    pub async fn delete_object(
        &self,
        caller: &Principal,
        family: AuthorityObject,
        name: &ObjectName,
    ) -> Result<(), ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, family, name, Authority::DELETE)?;
        let _change = engine.changes.take().await;
        let object = engine.object(family, name).ok_or_else(|| ObjectError::not_found(name.as_str()))?;
        let runs = |status: &StartedStatus| status.started.name == name.as_str() && !status.is_stopping;
        if self.started_objects(family).iter().any(runs) {
            return Err(ObjectError::StillActive { family, name: name.to_string() });
        }
        if family == AuthorityObject::Structure {
            disposition::check_unused(engine, name)?;
        }
        let show = || {
            engine.objects.write().remove(&(family, *name));
        };
        let delete = definitions::delete_object(&object);
        if family == AuthorityObject::Structure {
            return group::definitions::keep(engine, GroupDisposition::Shared, delete, show).await;
        }
        engine.save_and_show(vec![delete], show).await
    }
}

/// CHLTYPE and AUTHTYPE never change.
fn check_same_kind(before: &AdministeredObject, after: &AdministeredObject) -> Result<(), ObjectError> {
    if before.kind() == after.kind() {
        return Ok(());
    }
    Err(ObjectError::WrongType { name: before.name().to_string() })
}

/// # Errors
/// As `define_object`: `Attribute`, `Missing`, `Reason`.
pub(crate) fn check(object: &AdministeredObject) -> Result<(), ObjectError> {
    let name = object.name();
    if name.is_blank() || name.as_str().len() > object.kind().maximum_name_length() {
        return Err(ObjectError::Reason(Reason::ObjectNameError));
    }
    check_attributes(name.as_str(), View::Object(object))?;
    match object.missing().filter(|_| !name.as_str().starts_with(TEMPLATES)) {
        Some(attribute) => Err(ObjectError::Missing { name: name.to_string(), attribute }),
        None => Ok(()),
    }
}

/// Checked, written, shown; `maker` is who made it just now. The caller holds the lock on changes.
async fn keep(engine: &Engine, object: AdministeredObject, maker: Option<&Principal>) -> Result<(), ObjectError> {
    let (family, name) = key(&object);
    check(&object)?;
    let save = definitions::save_object(&object);
    let show = || {
        engine.objects.write().insert((family, name), Arc::new(object));
    };
    match maker {
        _ if family == AuthorityObject::Structure => {
            group::definitions::keep(engine, GroupDisposition::Shared, save, show).await
        }
        Some(maker) => engine.save_made(maker, family, &name, save, show).await,
        None => engine.save_and_show(vec![save], show).await,
    }
}
