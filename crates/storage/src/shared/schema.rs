//! The tables of a group: making them, and knowing whether a database has them.
//!
//! The home gives each structure with a database of its own a number, once. Each database says which group it belongs to and which
//! number it has, so that one is never taken for another.

use rand::RngCore;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error};

use crate::ClusterNumber;
use crate::shared::error::SharedError;
use crate::shared::options::SharedOptions;
use crate::shared::primary::{self, HighestTimeline};

/// Of `schema.sql`.
pub(super) const VERSION: i32 = 1;

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

/// Makes the tables of a group with this name in each of its databases. A database that has them already keeps them; a structure
/// that is new gets its number.
///
/// # Errors
/// `Structure` with the one that failed, and why. `Address`, `Connect`, `NoPrimary`, `OtherGroup`, `OtherStructure`, `Version`,
/// `Refused`.
pub async fn create_group(options: &SharedOptions, group: &str) -> Result<(), SharedError> {
    let mut home = connect(options).await?;
    let label = match check(&home).await {
        Err(SharedError::NoGroup) => {
            let mut identity = GroupIdentity::default();
            rand::thread_rng().fill_bytes(&mut identity);
            let label = Label { group: group.to_owned(), identity, cluster: ClusterNumber::HOME, structure: None };
            create_schema(&mut home, &label).await?;
            label
        }
        found => found?,
    };
    label.expect(&Label { group: group.to_owned(), cluster: ClusterNumber::HOME, structure: None, ..label.clone() })?;
    for structure in &options.structures {
        let name = &structure.structure;
        let made = create_structure(&home, &label, &structure.reached_as(options), name).await;
        made.map_err(|error| error.of_structure(name))?;
    }
    Ok(())
}

/// Makes the tables of a structure with a database of its own.
async fn create_structure(home: &Client, of: &Label, options: &SharedOptions, name: &str) -> Result<(), SharedError> {
    let mut client = connect(options).await?;
    let found = match check(&client).await {
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
        Some(found) => found.expect(&label),
        None => create_schema(&mut client, &label).await,
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
async fn create_schema(client: &mut Client, label: &Label) -> Result<(), SharedError> {
    let refused = |source| SharedError::Refused { action: "make the group's tables", source };
    let mut secret = [0; 32];
    rand::thread_rng().fill_bytes(&mut secret);
    let transaction = client.transaction().await.map_err(refused)?;
    transaction.batch_execute(include_str!("schema.sql")).await.map_err(refused)?;
    transaction
        .execute(
            "INSERT INTO group_state (name, identity, cluster, structure, schema_version, secret) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            &[&label.group, &&label.identity[..], &label.cluster.number(), &label.structure, &VERSION, &&secret[..]],
        )
        .await
        .map_err(refused)?;
    transaction.commit().await.map_err(refused)
}

/// What the database says of itself.
///
/// # Errors
/// `NoGroup`, `Version`, `Refused`.
pub(super) async fn check(client: &Client) -> Result<Label, SharedError> {
    let refused = |source| SharedError::Refused { action: "say which group it belongs to", source };
    let asked =
        client.query_one("SELECT name, identity, cluster, structure, schema_version FROM group_state", &[]).await;
    let row = match asked {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => return Err(SharedError::NoGroup),
        asked => asked.map_err(refused)?,
    };
    let found: i32 = row.get(4);
    if found != VERSION {
        return Err(SharedError::Version { found, supported: VERSION });
    }
    Ok(Label {
        group: row.get(0),
        identity: row.get::<_, &[u8]>(1).try_into().map_err(|_| SharedError::NoGroup)?,
        cluster: ClusterNumber::of(row.get(2)).ok_or(SharedError::NoGroup)?,
        structure: row.get(3),
    })
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
