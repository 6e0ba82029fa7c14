//! The tables of a group: making them, and knowing whether a database has them.

use rand::RngCore;
use tokio_postgres::Client;

use crate::shared::error::SharedError;
use crate::shared::options::SharedOptions;
use crate::shared::primary::{self, HighestTimeline};

/// Of `schema.sql`.
pub(super) const VERSION: i32 = 1;

/// Makes the tables of a group with this name in the database. A database that has them already keeps them.
///
/// # Errors
/// `Address`, `Connect`, `NoPrimary`, `OtherGroup`, `Version`, `Refused`.
pub async fn create_group(options: &SharedOptions, group: &str) -> Result<(), SharedError> {
    let primary = primary::find(options, &HighestTimeline::default()).await?;
    let mut client = primary.connect("").await?;
    create_schema(&mut client, group).await
}

/// Makes the tables of a group with this name. A database that has them already keeps them.
///
/// # Errors
/// `OtherGroup`, `Version`, `Refused`.
async fn create_schema(client: &mut Client, group: &str) -> Result<(), SharedError> {
    let refused = |source| SharedError::Refused { action: "make the group's tables", source };
    match check(client, Some(group)).await {
        Err(SharedError::NoGroup) => {}
        other => return other.map(|_| ()),
    }
    let mut secret = [0; 32];
    rand::thread_rng().fill_bytes(&mut secret);
    let transaction = client.transaction().await.map_err(refused)?;
    transaction.batch_execute(include_str!("schema.sql")).await.map_err(refused)?;
    transaction
        .execute(
            "INSERT INTO group_state (name, schema_version, secret) VALUES ($1, $2, $3)",
            &[&group, &VERSION, &&secret[..]],
        )
        .await
        .map_err(refused)?;
    transaction.commit().await.map_err(refused)
}

/// The group's name.
///
/// # Errors
/// `NoGroup`, `OtherGroup`, `Version`, `Refused`.
pub(super) async fn check(client: &Client, expected: Option<&str>) -> Result<String, SharedError> {
    let refused = |source| SharedError::Refused { action: "say which group it belongs to", source };
    let exists = client.query_one("SELECT to_regclass('group_state') IS NOT NULL", &[]).await.map_err(refused)?;
    if !exists.get::<_, bool>(0) {
        return Err(SharedError::NoGroup);
    }
    let row = client.query_one("SELECT name, schema_version FROM group_state", &[]).await.map_err(refused)?;
    let (name, version): (String, i32) = (row.get(0), row.get(1));
    if let Some(expected) = expected.filter(|expected| *expected != name) {
        return Err(SharedError::OtherGroup { found: name, expected: expected.to_owned() });
    }
    if version != VERSION {
        return Err(SharedError::Version { found: version, supported: VERSION });
    }
    Ok(name)
}
