//! Definitions of the group: one place for all members, told apart by versions.
//!
//! Each change raises the group's version under a lock, so changes come one after the other. A change says on which version of the
//! object it rests, and is refused when another member was faster. Members read what is newer than they know when the version that
//! they see with their beat has risen.

use tokio_postgres::Row;

use crate::StoreError;
use crate::shared::store::SharedStore;
use crate::store::boxed;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupDisposition {
    /// One object for all members.
    Shared,
    /// A master, of which each member makes a copy.
    Group,
}

/// An object of the group as it is at a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupDefinition {
    /// `kind/NAME`, as in the recovery log.
    pub key: String,
    pub disposition: GroupDisposition,
    /// `None`: it was deleted.
    pub value: Option<Vec<u8>>,
    pub version: i64,
}

impl SharedStore {
    /// Saves an object that has this version now, 0 when there is none. Answers its new version; `None`: it has another one.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn save_definition(
        &self,
        key: &str,
        disposition: GroupDisposition,
        value: &[u8],
        version: i64,
    ) -> Result<Option<i64>, StoreError> {
        let mut attempts = 0;
        boxed(self.look(|session| {
            attempts += 1;
            let is_again = attempts > 1;
            async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                let row = client.query_opt(&s.save_definition, &[&key, &disposition.text(), &value, &version]).await?;
                let row = match row {
                    // The connection broke between the change and its answer: it may have been made.
                    None if is_again => client.query_opt(&s.saved_definition, &[&key, &value]).await?,
                    row => row,
                };
                Ok(row.map(|row| row.get(0)))
            }
        }))
        .await
    }

    /// Deletes an object that has this version now. Answers the group's new version; `None`: it has another one, or is gone.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn delete_definition(&self, key: &str, version: i64) -> Result<Option<i64>, StoreError> {
        boxed(self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            Ok(client.query_opt(&s.delete_definition, &[&key, &version]).await?.map(|row| row.get(0)))
        }))
        .await
    }

    /// What was changed after a version, oldest first.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn definitions_after(&self, version: i64) -> Result<Vec<GroupDefinition>, StoreError> {
        let asking = self.look(|session| async move {
            session.reader.client.query(&session.reader.statements.definitions_after, &[&version]).await
        });
        let rows = boxed(asking).await?;
        let mut definitions: Vec<GroupDefinition> = rows.iter().map(definition).collect();
        definitions.sort_unstable_by_key(|definition| definition.version);
        Ok(definitions)
    }

    /// Who is told that the group's version has risen to this, by whom ever; the first listener stays.
    pub fn listen_to_definitions(&self, listener: Box<dyn Fn(i64) + Send + Sync>) {
        self.driver().in_common.listen_to_definitions(listener);
    }
}

/// A row of `definitions_after`.
pub(super) fn definition(row: &Row) -> GroupDefinition {
    let disposition: &str = row.get(1);
    GroupDefinition {
        key: row.get(0),
        disposition: if disposition == "GROUP" { GroupDisposition::Group } else { GroupDisposition::Shared },
        value: row.get(2),
        version: row.get(3),
    }
}

impl GroupDisposition {
    fn text(self) -> &'static str {
        match self {
            Self::Shared => "SHARED",
            Self::Group => "GROUP",
        }
    }
}
