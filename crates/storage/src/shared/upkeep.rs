//! Brings a database into the state that a member works with: tables of its version before the session, those that change with each
//! message clean while it is open. Says what of the database is in the way.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::sleep;
use tracing::{debug, warn};

use crate::shared::administration::{View, may_vacuum};
use crate::shared::batch::Connected;
use crate::shared::driver::{Driver, Session, connected};
use crate::shared::error::SharedError;
use crate::shared::primary::Primary;
use crate::shared::schema::{self, Label, SchemaVersions};

/// Changed or removed rows after which the table is vacuumed.
const DEAD_ROWS: usize = 20_000;
/// Between two looks at what the database is like.
const OBSERVATIONS: Duration = Duration::from_secs(15);
/// Between two looks at how many there are.
const LOOK: Duration = Duration::from_millis(250);

/// The connection of a session that is opened first. Tables of an older version are migrated.
pub(super) async fn first_connection(
    primary: &Primary,
    known: &SchemaVersions,
) -> Result<(Connected, Label), SharedError> {
    match connected(primary, false, known).await {
        Err(SharedError::OldTables { .. }) => {
            schema::migrate(primary, known).await?;
            connected(primary, false, known).await
        }
        other => other,
    }
}

/// What the first session tells of the database that its operator should know.
pub(super) async fn warn_of(session: &Session) {
    if session.primary.is_in_the_open() {
        warn!(
            host = session.primary.name,
            "messages and the password of the group's database cross the network in plain text: set group.ca_file"
        );
    }
    if !may_vacuum(&session.admin.client).await {
        warn!(
            "the role of this member may not vacuum the table of messages: autovacuum alone cleans it. `quaymaster group join` \
             says how to mend it"
        );
    }
}

/// Has the tables vacuumed as soon as this member has made so many rows dead, for ever.
///
/// Looks walk over the index entries of rows that are gone until then, and PostgreSQL's own vacuum comes once a minute: at ten thousand
/// messages a second a look would cost ten times as much by then. It has a connection of its own, since it may take a while. Rows that it
/// could not clean are not looked at again before as many others are dead.
pub(super) async fn clean(driver: &Driver, session: &Session) {
    if !may_vacuum(&session.admin.client).await {
        return std::future::pending().await;
    }
    let mut keeper = None;
    let mut left_dead = 0;
    loop {
        sleep(LOOK).await;
        if driver.dead_rows.load(Ordering::Relaxed) < DEAD_ROWS.max(left_dead) {
            continue;
        }
        driver.dead_rows.store(0, Ordering::Relaxed);
        if keeper.is_none() {
            keeper = session.primary.connect("-c application_name=quaymaster-vacuum").await.ok();
        }
        let Some(client) = &keeper else { continue };
        // Another member that does it already spares this one the work.
        match vacuum(client).await {
            Ok(dead) => left_dead = dead,
            Err(error) => {
                debug!(%error, "the tables of messages, lanes and depths were not vacuumed");
                keeper = None;
            }
        }
    }
}

/// Looks what the database is like, for ever: what protects its commits, and what keeps it from cleaning up.
pub(super) async fn observe(driver: &Driver, session: &Session) {
    loop {
        driver.counts.observed(View::of_member(driver, session).facts().await);
        sleep(OBSERVATIONS).await;
    }
}

/// Answers how many dead rows are left, since some program holds a snapshot that may see them.
async fn vacuum(client: &tokio_postgres::Client) -> Result<usize, tokio_postgres::Error> {
    client.batch_execute("VACUUM (SKIP_LOCKED, TRUNCATE OFF) message, lane, queue_depth").await?;
    let left = "SELECT coalesce(sum(pg_stat_get_dead_tuples(t)), 0)::int8 FROM unnest('{message,lane,queue_depth}'::regclass[]) AS x(t)";
    Ok(usize::try_from(client.query_one(left, &[]).await?.get::<_, i64>(0)).unwrap_or(0))
}
