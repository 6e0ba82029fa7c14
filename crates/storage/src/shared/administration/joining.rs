//! Whether a queue manager can take part in the group: everything that its start would need, looked at before it.
//!
//! A member joins by starting. What is reserved here is its name and number, so that two servers find out that they have the same name
//! before one of them runs.

use std::time::Duration;

use crate::shared::administration::checks::{self, Check, Verdict};
use crate::shared::administration::{Administrator, Place, refused, statements};
use crate::shared::error::SharedError;
use crate::shared::member::{self, MemberState};
use crate::shared::schema;

/// Longer than a member that lives is silent.
const LIFE: Duration = Duration::from_secs(3);

/// What a queue manager is in the group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    pub number: i32,
    /// It was a member before.
    pub is_known: bool,
}

impl Administrator {
    /// What a member of this name needs. Writes nothing.
    ///
    /// # Errors
    /// Those of `connect`.
    pub async fn readiness(&self, name: &str) -> Result<Vec<Check>, SharedError> {
        let mut checks = Vec::new();
        for place in self.places() {
            let mut of_place = checks::of(&place.view().facts().await);
            of_place.push(place.privileges().await?);
            of_place.push(place.pooler().await?);
            checks.extend(of_place.into_iter().map(|check| check.at(place.structure.as_deref())));
        }
        checks.extend(self.away());
        checks.push(self.secret().await?);
        checks.push(self.name(name).await?);
        Ok(checks)
    }

    /// Keeps name and number for a queue manager that starts later.
    ///
    /// # Errors
    /// Those of `connect`; `TooManyMembers`.
    pub async fn reserve(&self, name: &str) -> Result<Reserved, SharedError> {
        let client = self.home.client();
        let action = "reserve a place in the group";
        if let Some(row) = client.query_opt(statements::MEMBER_OF_NAME, &[&name]).await.map_err(refused(action))? {
            return Ok(Reserved { number: row.get(0), is_known: true });
        }
        let number = member::reserve(&self.home.connected, name).await?;
        Ok(Reserved { number, is_known: false })
    }

    async fn secret(&self) -> Result<Check, SharedError> {
        let (client, s) = (self.home.client(), &self.home.connected.statements);
        let row = client.query_one(&s.secret, &[]).await.map_err(refused("tell the group's secret"))?;
        Ok(match row.get::<_, &[u8]>(0).len() {
            32 => Check::fine("secret", "the group's secret is there"),
            _ => Check::failure("secret", "the group's secret is damaged: restore group_state from a backup"),
        })
    }

    async fn name(&self, name: &str) -> Result<Check, SharedError> {
        let watched = self.watch(LIFE).await?;
        let Some(known) = watched.iter().find(|one| one.status.name == name) else {
            let others = watched.len();
            return Ok(Check::fine("name", format!("{name} is free; the group has {others} members")));
        };
        let number = known.status.number;
        let verdict = match known.status.state {
            MemberState::Active if known.beats => Verdict::Warning,
            _ => Verdict::Fine,
        };
        let text = match verdict {
            Verdict::Warning => format!(
                "{name} is member {number} and lives: if another server has this queue manager, give one of the two another name"
            ),
            _ => format!("{name} is member {number}, and does not run"),
        };
        Ok(match verdict {
            Verdict::Warning => Check::warning("name", text),
            _ => Check::fine("name", text),
        })
    }
}

impl Place {
    async fn privileges(&self) -> Result<Check, SharedError> {
        let wanted: Vec<(&str, &str)> = schema::TABLES
            .iter()
            .flat_map(|table| table.grants.split(", ").map(|grant| (table.name, grant)))
            // Of single columns: the answer for the table would be no.
            .filter(|(_, grant)| !grant.contains('('))
            .collect();
        let (tables, grants): (Vec<&str>, Vec<&str>) = wanted.iter().copied().unzip();
        let client = self.client();
        let rows = client.query(statements::MAY, &[&tables, &grants]).await.map_err(refused("tell privileges"))?;
        let mut missing: Vec<String> = rows
            .iter()
            .zip(&wanted)
            .filter(|(row, _)| !row.get::<_, bool>(0))
            .map(|(_, (table, grant))| format!("{grant} on {table}"))
            .collect();
        let sequence = client.query_one(statements::MAY_COUNT_QUEUES, &[]).await.map_err(refused("tell privileges"))?;
        if !sequence.get::<_, bool>(0) {
            missing.push("USAGE on queue_number".to_owned());
        }
        Ok(match missing.is_empty() {
            true => Check::fine("privileges", "this role may do what a member does"),
            false => Check::failure("privileges", format!("missing: {}. GRANT them to this role", missing.join(", "))),
        })
    }

    /// The connection was opened with settings of its own. A pooler that gives out sessions in its own way does not set them.
    async fn pooler(&self) -> Result<Check, SharedError> {
        let client = self.client();
        let row = client.query_one(statements::IS_PLAN_PINNED, &[]).await.map_err(refused("tell its settings"))?;
        Ok(match row.get(0) {
            true => Check::fine("pooler", "sessions keep their settings"),
            false => Check::failure(
                "pooler",
                "the session has lost its settings: a pooler is between. Name the database's own address in group.database",
            ),
        })
    }
}
