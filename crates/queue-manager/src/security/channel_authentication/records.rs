//! The records of one queue manager: kept, changed by SET CHLAUTH, and asked by DISPLAY CHLAUTH.

use std::sync::Arc;

use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::ChannelAuthentication;
use model::definition::channel_authentication::{MapKey, Rule, RuleType};
use parking_lot::RwLock;
use storage::DefinitionChange;

use crate::QueueManager;
use crate::definition::definitions;
use crate::definition::objects::{ObjectError, authorise};

/// Sorted by profile, then type; read far more often than changed.
#[derive(Default)]
pub(crate) struct ChannelAuthentications {
    records: RwLock<Arc<[ChannelAuthentication]>>,
}

/// Why SET CHLAUTH changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelAuthenticationError {
    /// MQRCCF_CHLAUTH_ALREADY_EXISTS.
    #[error("a record for the same partners is there already")]
    AlreadyExists,
    /// MQRCCF_CHLAUTH_NOT_FOUND.
    #[error("there is no such record")]
    NotFound,
    #[error(transparent)]
    Object(#[from] ObjectError),
}

impl ChannelAuthentications {
    pub(crate) fn new(records: Vec<ChannelAuthentication>) -> Self {
        let known = Self::default();
        known.show(records);
        known
    }

    fn show(&self, mut records: Vec<ChannelAuthentication>) {
        records.sort_by_cached_key(|record| (record.profile.clone(), record.rule.rule_type(), key(record)));
        *self.records.write() = records.into();
    }

    pub(crate) fn all(&self) -> Arc<[ChannelAuthentication]> {
        self.records.read().clone()
    }
}

/// `chlauth/PROFILE/TYPE/PARTNERS`: one record each. A `/` in a name is written `%2F`.
pub(crate) fn key(record: &ChannelAuthentication) -> String {
    let escaped = |text: &str| text.replace('%', "%25").replace('/', "%2F");
    let partners = match &record.rule {
        Rule::BlockUser { .. } | Rule::BlockAddress { .. } => String::new(),
        Rule::Map { key, address, .. } => {
            let (first, second) = match key {
                MapKey::Address => ("", ""),
                MapKey::ClientUser(name) | MapKey::QueueManager(name) => (name.as_str(), ""),
                MapKey::Peer { subject, issuer } => (subject.as_str(), issuer.as_str()),
            };
            format!("/{}/{}/{}", escaped(first), escaped(second), escaped(&address.to_ascii_uppercase()))
        }
    };
    format!("chlauth/{}/{}{partners}", escaped(&record.profile), record.rule.rule_type().word())
}

fn delete(record: &ChannelAuthentication) -> DefinitionChange {
    DefinitionChange::Delete { key: key(record) }
}

impl QueueManager {
    /// Sorted by profile, then type.
    pub fn channel_authentications(&self) -> Arc<[ChannelAuthentication]> {
        self.engine().channel_authentications.all()
    }

    /// ACTION(ADD): a new record; for lists, more of the list.
    pub async fn add_channel_authentication(
        &self,
        caller: &Principal,
        record: ChannelAuthentication,
    ) -> Result<(), ChannelAuthenticationError> {
        self.change_channel_authentications(
            caller,
            |known| match (known, &record.rule) {
                (None, _) => Ok(Some(record.clone())),
                (Some(_), Rule::Map { .. }) => Err(ChannelAuthenticationError::AlreadyExists),
                (Some(known), rule) => Ok(Some(with_list(&record, known, rule, |list, items| {
                    for item in items {
                        if !list.contains(item) {
                            list.push(item.clone());
                        }
                    }
                }))),
            },
            &record,
        )
        .await
    }

    /// ACTION(REPLACE): replaces all existing records; an empty list removes them.
    pub async fn replace_channel_authentication(
        &self,
        caller: &Principal,
        record: ChannelAuthentication,
    ) -> Result<(), ChannelAuthenticationError> {
        let is_empty = list(&record.rule).is_some_and(<[String]>::is_empty);
        self.change_channel_authentications(caller, |_| Ok((!is_empty).then(|| record.clone())), &record).await
    }

    /// ACTION(REMOVE): the record of the same partners; of lists, what is named.
    pub async fn remove_channel_authentication(
        &self,
        caller: &Principal,
        record: &ChannelAuthentication,
    ) -> Result<(), ChannelAuthenticationError> {
        self.change_channel_authentications(
            caller,
            |known| {
                let known = known.ok_or(ChannelAuthenticationError::NotFound)?;
                let Some(items) = list(&record.rule) else { return Ok(None) };
                if !items.iter().any(|item| list(&known.rule).is_some_and(|list| list.contains(item))) {
                    return Err(ChannelAuthenticationError::NotFound);
                }
                let left =
                    with_list(known, known, &record.rule, |list, items| list.retain(|item| !items.contains(item)));
                Ok(list(&left.rule).is_some_and(|list| !list.is_empty()).then_some(left))
            },
            record,
        )
        .await
    }

    /// ACTION(REMOVEALL): every record of a type with this profile; none is fine.
    pub async fn remove_channel_authentications(
        &self,
        caller: &Principal,
        profile: &str,
        rule_type: RuleType,
    ) -> Result<(), ChannelAuthenticationError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
        let _change = engine.changes.take().await;
        let of_type =
            |record: &ChannelAuthentication| record.profile == profile && record.rule.rule_type() == rule_type;
        let records = engine.channel_authentications.all();
        let (gone, left): (Vec<_>, Vec<_>) = records.iter().cloned().partition(of_type);
        if gone.is_empty() {
            return Ok(());
        }
        let changes = gone.iter().map(delete).collect();
        Ok(engine.save_and_show(changes, || engine.channel_authentications.show(left)).await?)
    }

    /// `change` is given the record for the same partners as `wanted`, and says what to keep in its place.
    async fn change_channel_authentications(
        &self,
        caller: &Principal,
        change: impl FnOnce(
            Option<&ChannelAuthentication>,
        ) -> Result<Option<ChannelAuthentication>, ChannelAuthenticationError>,
        wanted: &ChannelAuthentication,
    ) -> Result<(), ChannelAuthenticationError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CHANGE)?;
        let _change = engine.changes.take().await;
        let records = engine.channel_authentications.all();
        let is_same = |record: &ChannelAuthentication| {
            record.profile == wanted.profile && record.rule.same_partners(&wanted.rule)
        };
        let known = records.iter().find(|record| is_same(record));
        let now = engine.now();
        let mut left: Vec<_> = records.iter().filter(|record| !is_same(record)).cloned().collect();
        let mut changes = Vec::new();
        match change(known)? {
            Some(mut record) => {
                record.history.created = known.map_or(now, |known| known.history.created);
                record.history.altered = now;
                // Keys of the same partners may differ in the case of their letters.
                changes.extend(known.filter(|known| key(known) != key(&record)).map(delete));
                changes.push(definitions::save_channel_authentication(&record));
                left.push(record);
            }
            None => changes.extend(known.map(delete)),
        }
        if changes.is_empty() {
            return Ok(());
        }
        Ok(engine.save_and_show(changes, || engine.channel_authentications.show(left)).await?)
    }
}

/// USERLIST or ADDRLIST.
fn list(rule: &Rule) -> Option<&[String]> {
    match rule {
        Rule::BlockUser { users: list } | Rule::BlockAddress { addresses: list } => Some(list),
        Rule::Map { .. } => None,
    }
}

/// The list of `known`, changed with the items of `rule`; other attributes from `attributes` where it says something.
fn with_list(
    attributes: &ChannelAuthentication,
    known: &ChannelAuthentication,
    rule: &Rule,
    change: impl FnOnce(&mut Vec<String>, &[String]),
) -> ChannelAuthentication {
    let said = |new: &str, before: &str| if new.is_empty() { before.to_owned() } else { new.to_owned() };
    let mut result = ChannelAuthentication {
        rule: known.rule.clone(),
        warn: attributes.warn || known.warn,
        description: said(&attributes.description, &known.description),
        custom: said(&attributes.custom, &known.custom),
        ..attributes.clone()
    };
    if let Rule::BlockUser { users: items } | Rule::BlockAddress { addresses: items } = &mut result.rule {
        change(items, list(rule).unwrap_or_default());
    }
    result
}
