//! The tables of a group: making them, knowing which version a database has, and bringing older ones to this program's.
//!
//! The home gives each structure with a database of its own a number, once. Each database says which group it belongs to and which
//! number it has, so that one is never taken for another.
//!
//! Invariants
//! - A program works with tables of its own version, and with newer ones that say that it may (`readable_from`). It never works with
//!   older ones: it migrates them, or refuses.
//! - A migration that older programs cannot follow waits until none of their members is active. Both sides lock the row of
//!   `group_state` at the home: a member that joins meanwhile is seen, or sees the new version. Structures follow the home.

use rand::RngCore;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, Transaction};
use tracing::info;

use crate::ClusterNumber;
use crate::shared::error::SharedError;
use crate::shared::options::SharedOptions;
use crate::shared::primary::{self, HighestTimeline, Primary};

/// What a program knows of the tables.
#[derive(Debug, Clone, Copy)]
pub struct SchemaVersions {
    /// The version that it makes and works with.
    pub version: i32,
    /// How older tables come to this version, each from the one before, in order.
    pub migrations: &'static [Migration],
}

/// From one version of the tables to the next.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    pub to: i32,
    /// The lowest version whose programs can go on with these tables: `to` when it takes away what they use.
    pub readable_from: i32,
    pub sql: &'static str,
}

impl SchemaVersions {
    /// Of this program. A change of `schema.sql` after its first release is a migration here as well.
    pub const PRESENT: Self = Self { version: 1, migrations: &[] };
}

/// Roles of the database for a group. `None`: the role that makes the tables owns them, and members use it.
#[derive(Debug, Clone, Default)]
pub struct Roles {
    /// Owns the tables. The role that makes them is a member of it, or an administrator.
    pub owner: Option<String>,
    /// Gets what members need and nothing else.
    pub member: Option<String>,
}

/// A table, and what a member does with it.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// As in GRANT.
    pub(super) grants: &'static str,
}

/// Every table of `schema.sql`.
pub(super) const TABLES: &[Table] = &[
    Table { name: "group_state", grants: "SELECT, UPDATE (definition_version)" },
    Table { name: "structure_database", grants: "SELECT" },
    Table { name: "member", grants: "SELECT, INSERT, UPDATE" },
    Table { name: "lane", grants: "SELECT, INSERT, UPDATE" },
    Table { name: "recovery", grants: "SELECT, INSERT, UPDATE" },
    Table { name: "request", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "connection_tag", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "definition", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "deleted_definition", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "queue_state", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "queue_open", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "duty", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "queue_lane", grants: "SELECT, INSERT" },
    Table { name: "queue_depth", grants: "SELECT, INSERT, UPDATE" },
    Table { name: "unit", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "message", grants: "SELECT, INSERT, UPDATE, DELETE" },
    Table { name: "message_part", grants: "SELECT, INSERT, DELETE" },
    Table { name: "receipt", grants: "SELECT, INSERT, UPDATE, DELETE" },
];

/// The first version of PostgreSQL with the privilege MAINTAIN.
const KNOWS_MAINTAIN: i32 = 170_000;

/// Of a group, in each of its databases.
pub(super) type GroupIdentity = [u8; 16];

/// What a database says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) group: String,
    pub(super) identity: GroupIdentity,
    pub(super) cluster: ClusterNumber,
    /// `None` of the home.
    pub(super) structure: Option<String>,
}

/// Which programs can work with a database's tables.
pub(super) struct Tables {
    pub(super) version: i32,
    pub(super) readable_from: i32,
}

/// Makes the tables of a group with this name in each of its databases, and grants. A database that has them already keeps them; a
/// structure that is new gets its number.
///
/// # Errors
/// `Structure` with the one that failed, and why. `Address`, `Connect`, `NoPrimary`, `OtherGroup`, `OtherStructure`, `Version`,
/// `OldTables`, `Refused`.
pub async fn create_group(options: &SharedOptions, group: &str, roles: &Roles) -> Result<(), SharedError> {
    let mut home = connect(options).await?;
    let label = match check(&home, &options.schema).await {
        Err(SharedError::NoGroup) => {
            let mut identity = GroupIdentity::default();
            rand::thread_rng().fill_bytes(&mut identity);
            let label = Label { group: group.to_owned(), identity, cluster: ClusterNumber::HOME, structure: None };
            create_schema(&mut home, &label, roles).await?;
            label
        }
        found => found?,
    };
    label.expect(&Label { group: group.to_owned(), cluster: ClusterNumber::HOME, structure: None, ..label.clone() })?;
    grant(&home, roles).await?;
    for structure in &options.structures {
        let name = &structure.structure;
        let made = create_structure(&home, &label, &structure.reached_as(options), name, roles).await;
        made.map_err(|error| error.of_structure(name))?;
    }
    Ok(())
}

/// Makes the tables of a structure with a database of its own.
async fn create_structure(
    home: &Client,
    of: &Label,
    options: &SharedOptions,
    name: &str,
    roles: &Roles,
) -> Result<(), SharedError> {
    let mut client = connect(options).await?;
    let found = match check(&client, &options.schema).await {
        Err(SharedError::NoGroup) => None,
        found => Some(found?),
    };
    if let Some(found) = &found {
        // Before it gets a number that nothing has.
        found.expect(&Label { cluster: found.cluster, structure: Some(name.to_owned()), ..of.clone() })?;
    }
    let cluster = number(home, name).await?;
    let label = Label { cluster, structure: Some(name.to_owned()), ..of.clone() };
    match found {
        Some(found) => found.expect(&label)?,
        None => create_schema(&mut client, &label, roles).await?,
    }
    grant(&client, roles).await
}

/// Brings the tables of a group to the version of this program, as a member of it would: first at the home. Answers that version.
///
/// # Errors
/// Those of `create_group`; `OldMembers`.
pub async fn upgrade_group(options: &SharedOptions, group: &str) -> Result<i32, SharedError> {
    upgrade(options, group).await?;
    for structure in &options.structures {
        let upgraded = upgrade(&structure.reached_as(options), group).await;
        upgraded.map_err(|error| error.of_structure(&structure.structure))?;
    }
    Ok(options.schema.version)
}

async fn upgrade(options: &SharedOptions, group: &str) -> Result<(), SharedError> {
    let primary = primary::find(options, &HighestTimeline::default()).await?;
    let client = primary.connect("").await?;
    let (label, _) = read(&client).await?;
    label.expect(&Label { group: group.to_owned(), ..label.clone() })?;
    match check(&client, &options.schema).await {
        Err(SharedError::OldTables { .. }) => migrate(&primary, &options.schema).await,
        other => other.map(drop),
    }
}

async fn connect(options: &SharedOptions) -> Result<Client, SharedError> {
    primary::find(options, &HighestTimeline::default()).await?.connect("").await
}

/// The number of a structure's database, given now if it had none.
async fn number(home: &Client, structure: &str) -> Result<ClusterNumber, SharedError> {
    let refused = |source| SharedError::Refused { action: "give a structure a number", source };
    let insert = "INSERT INTO structure_database (cluster, structure) \
                  SELECT coalesce(max(cluster), 0) + 1, $1 FROM structure_database ON CONFLICT (structure) DO NOTHING";
    home.execute(insert, &[&structure]).await.map_err(refused)?;
    let select = "SELECT cluster FROM structure_database WHERE structure = $1";
    let row = home.query_one(select, &[&structure]).await.map_err(refused)?;
    ClusterNumber::of(row.get(0)).ok_or(SharedError::NoGroup)
}

/// Makes the tables of a database.
async fn create_schema(client: &mut Client, label: &Label, roles: &Roles) -> Result<(), SharedError> {
    let refused = |source| SharedError::Refused { action: "make the group's tables", source };
    let mut secret = [0; 32];
    rand::thread_rng().fill_bytes(&mut secret);
    let transaction = client.transaction().await.map_err(refused)?;
    if let Some(owner) = &roles.owner {
        transaction.batch_execute(&format!("SET LOCAL ROLE {}", quoted(owner))).await.map_err(refused)?;
    }
    transaction.batch_execute(include_str!("schema.sql")).await.map_err(refused)?;
    transaction
        .execute(
            "INSERT INTO group_state (name, identity, cluster, structure, schema_version, readable_from, secret) \
             VALUES ($1, $2, $3, $4, $5, $5, $6)",
            &[
                &label.group,
                &&label.identity[..],
                &label.cluster.number(),
                &label.structure,
                &SchemaVersions::PRESENT.version,
                &&secret[..],
            ],
        )
        .await
        .map_err(refused)?;
    transaction.commit().await.map_err(refused)
}

async fn grant(client: &Client, roles: &Roles) -> Result<(), SharedError> {
    let Some(member) = &roles.member else { return Ok(()) };
    let refused = |source| SharedError::Refused { action: "grant what members need", source };
    let row = client.query_one("SELECT current_setting('server_version_num')", &[]).await.map_err(refused)?;
    let version: i32 = row.get::<_, &str>(0).parse().unwrap_or(0);
    client.batch_execute(&grants(member, version)).await.map_err(refused)
}

/// SQL that lets a role be a member's.
fn grants(role: &str, server_version: i32) -> String {
    let role = quoted(role);
    let mut sql = String::from("BEGIN;\n");
    for Table { name, grants } in TABLES {
        sql += &format!("GRANT {grants} ON {name} TO {role};\n");
    }
    sql += &format!("GRANT USAGE ON SEQUENCE queue_number TO {role};\n");
    if server_version >= KNOWS_MAINTAIN {
        sql += &format!("GRANT MAINTAIN ON message, lane, queue_depth TO {role};\n");
    }
    sql + "COMMIT"
}

/// As an identifier of SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What the database says of itself, when a program that knows these versions may work with its tables.
///
/// # Errors
/// `NoGroup`, `Version`, `OldTables`, `Refused`.
pub(super) async fn check(client: &Client, known: &SchemaVersions) -> Result<Label, SharedError> {
    let (label, tables) = read(client).await?;
    if tables.version < known.version {
        return Err(SharedError::OldTables { found: tables.version, needed: known.version });
    }
    if tables.version > known.version && tables.readable_from > known.version {
        return Err(SharedError::Version { found: tables.version, supported: known.version });
    }
    Ok(label)
}

/// What a database says of itself and its tables.
///
/// # Errors
/// `NoGroup`, `Refused`.
pub(super) async fn read(client: &Client) -> Result<(Label, Tables), SharedError> {
    let refused = |source| SharedError::Refused { action: "say which group it belongs to", source };
    let sql = "SELECT name, identity, cluster, structure, schema_version, readable_from FROM group_state";
    let row = match client.query_one(sql, &[]).await {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => return Err(SharedError::NoGroup),
        asked => asked.map_err(refused)?,
    };
    let label = Label {
        group: row.get(0),
        identity: row.get::<_, &[u8]>(1).try_into().map_err(|_| SharedError::NoGroup)?,
        cluster: ClusterNumber::of(row.get(2)).ok_or(SharedError::NoGroup)?,
        structure: row.get(3),
    };
    Ok((label, Tables { version: row.get(4), readable_from: row.get(5) }))
}

/// Brings the tables to the program's version: all steps or none. One program does it, the others wait and find it done.
///
/// # Errors
/// `OldMembers`, `Connect`, `Refused`.
pub(super) async fn migrate(primary: &Primary, known: &SchemaVersions) -> Result<(), SharedError> {
    let refused = |source| SharedError::Refused { action: "bring the group's tables to a newer version", source };
    let mut client = primary.connect("-c lock_timeout=30s").await?;
    let transaction = client.transaction().await.map_err(refused)?;
    let row = transaction.query_one("SELECT schema_version FROM group_state FOR UPDATE", &[]).await.map_err(refused)?;
    let before: i32 = row.get(0);
    for migration in known.migrations.iter().filter(|migration| migration.to > before) {
        wait_for_no_older(&transaction, migration).await?;
        transaction.batch_execute(migration.sql).await.map_err(refused)?;
        transaction
            .execute(
                "UPDATE group_state SET schema_version = $1, readable_from = $2",
                &[&migration.to, &migration.readable_from],
            )
            .await
            .map_err(refused)?;
    }
    transaction.commit().await.map_err(refused)?;
    info!(before, version = known.version, "the group's tables have a newer version");
    Ok(())
}

/// # Errors
/// `OldMembers`: these could not go on.
async fn wait_for_no_older(transaction: &Transaction<'_>, migration: &Migration) -> Result<(), SharedError> {
    let refused = |source| SharedError::Refused { action: "list members of older versions", source };
    let older = "SELECT name FROM member WHERE state = 'ACTIVE' AND level < $1 ORDER BY number";
    let rows = transaction.query(older, &[&migration.readable_from]).await.map_err(refused)?;
    if rows.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    Err(SharedError::OldMembers { version: migration.to, names: names.join(", ") })
}

/// Which structures have a database of their own, and which number it has.
pub(super) async fn structures(home: &Client) -> Result<Vec<(String, ClusterNumber)>, Error> {
    let rows = home.query("SELECT structure, cluster FROM structure_database", &[]).await?;
    Ok(rows.iter().filter_map(|row| Some((row.get(0), ClusterNumber::of(row.get(1))?))).collect())
}

impl Label {
    /// # Errors
    /// `OtherGroup`, `OtherStructure`: it is another database than the one that is meant.
    pub(super) fn expect(&self, expected: &Self) -> Result<(), SharedError> {
        if self.group != expected.group {
            return Err(SharedError::OtherGroup { found: self.group.clone(), expected: expected.group.clone() });
        }
        if self.identity != expected.identity {
            return Err(SharedError::SameName { group: self.group.clone() });
        }
        if (self.cluster, &self.structure) != (expected.cluster, &expected.structure) {
            return Err(SharedError::OtherStructure { found: self.place(), expected: expected.place() });
        }
        Ok(())
    }

    /// What of the group is in the database.
    fn place(&self) -> String {
        match &self.structure {
            Some(structure) => format!("the structure {structure} ({})", self.cluster.number()),
            None => "the group itself".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_grants_for_members() {
        let made: Vec<&str> = include_str!("schema.sql")
            .lines()
            .filter_map(|line| line.strip_prefix("CREATE TABLE ").and_then(|rest| rest.split(' ').next()))
            .collect();
        let mut granted: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        granted.sort_unstable();
        let mut sorted = made.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, granted, "TABLES lists the tables of schema.sql");
    }

    #[test]
    fn migrations_lead_step_by_step_to_the_present_version() {
        let SchemaVersions { version, migrations } = SchemaVersions::PRESENT;
        let steps: Vec<i32> = migrations.iter().map(|migration| migration.to).collect();
        assert_eq!(steps, (2..=version).collect::<Vec<_>>());
        assert!(migrations.iter().all(|migration| migration.readable_from <= migration.to));
    }

    #[test]
    fn a_name_with_a_quote_stays_one_name() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert!(grants("mq", 150_000).contains("GRANT SELECT, INSERT, UPDATE ON member TO \"mq\";"));
        assert!(!grants("mq", 160_000).contains("MAINTAIN"));
        assert!(grants("mq", 170_000).contains("GRANT MAINTAIN ON message, lane, queue_depth TO \"mq\";"));
    }
}
