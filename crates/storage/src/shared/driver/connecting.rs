//! Connections of a session: to the primary, with statements, as a member of the present epoch.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::try_join_all;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::{error, warn};

use super::{Driver, OpenedSession, Phase, Role, Session};
use crate::shared::batch::Connected;
use crate::shared::error::SharedError;
use crate::shared::hint::Hints;
use crate::shared::in_common::InCommon;
use crate::shared::member::{self, Identity, Membership};
use crate::shared::primary::{self, Primary};
use crate::shared::schema::{self, Label, SchemaVersions};
use crate::shared::statements::Statements;
use crate::shared::upkeep::first_connection;

/// An attempt to connect, to all that a session needs, takes no longer.
pub(super) const ATTEMPT: Duration = Duration::from_secs(10);
/// The database ends a transaction whose client is gone without a word after this time, whether it waits for the client's next statement
/// or for the client to take an answer: what it has locked, others wait for.
const GHOST: &str = "5s";
/// Longest pause between two attempts to connect.
const BACKOFF: Duration = Duration::from_secs(1);

/// `None`: taken over. From `give_up` on callers wait no longer.
pub(super) async fn connect(driver: &Arc<Driver>, identity: &mut Identity, give_up: Instant) -> Option<Arc<Session>> {
    let mut pause = Duration::from_millis(20);
    let mut is_told = false;
    loop {
        let problem = match attempt(driver, identity, give_up).await {
            Ok(Ok(Some(session))) => return Some(session),
            Ok(Ok(None)) => {
                error!("another process is this member of the group now; shared queues are refused here");
                return None;
            }
            Ok(Err(problem)) => Some(problem),
            Err(_) => None,
        };
        *driver.trouble.lock() =
            Some(problem.as_ref().map_or_else(|| "no answer in time".to_owned(), |problem| primary::chain(problem)));
        if !is_told {
            is_told = true;
            let cause = problem.as_ref().map(causes);
            let problem = problem.map_or_else(|| "no answer in time".to_owned(), |problem| problem.to_string());
            let structure = driver.structure();
            warn!(error = problem, cause, structure, "the group's database cannot be used; the member goes on trying");
        }
        sleep(pause).await;
        pause = (pause * 2).min(BACKOFF);
    }
}

/// One attempt, which ends; meanwhile callers may lose their patience.
async fn attempt(
    driver: &Arc<Driver>,
    identity: &mut Identity,
    give_up: Instant,
) -> Result<OpenedSession, tokio::time::error::Elapsed> {
    let mut opening = std::pin::pin!(timeout(ATTEMPT, open(driver, identity)));
    tokio::select! {
        opened = &mut opening => return opened,
        () = sleep_until(give_up) => {}
    }
    if !matches!(*driver.phase.borrow(), Phase::Away) {
        error!("the group's database is away for longer than programs wait: shared queues are refused");
        driver.show(Phase::Away);
    }
    opening.await
}

/// `None`: another process has taken the member over.
async fn open(driver: &Arc<Driver>, identity: &mut Identity) -> OpenedSession {
    let enrolled = match driver.role {
        Role::Home => None,
        Role::Structure(_) => Some(driver.in_common.enrolled().await),
    };
    // Of a structure: the home has said so.
    if matches!(enrolled, Some(None)) {
        return Ok(None);
    }
    let primary = primary::find(&driver.options, &driver.highest).await?;
    let (admin, label) = first_connection(&primary, &driver.options.schema).await?;
    let joined = match enrolled.flatten() {
        Some(enrolled) => driver.enter(&admin, &label, &enrolled).await?,
        None => match driver.join(&admin, label, identity).await? {
            Some(joined) => joined,
            None => return Ok(None),
        },
    };
    let others =
        try_join_all([true, false, true].map(|lasting| connected(&primary, lasting, &driver.options.schema))).await?;
    let mut others: Vec<Connected> = others.into_iter().map(|(connected, _)| connected).collect();
    let reader = others.pop().expect("three were opened");
    driver.positions.begin(joined.number, joined.clock);
    let generation = driver.generation.fetch_add(1, Ordering::AcqRel) + 1;
    if driver.role == Role::Home {
        driver.in_common.set_hints(open_hints(&driver.in_common, &primary, &admin, &joined).await?);
    }
    let session =
        Session { generation, member: joined.number, epoch: joined.epoch, primary, lanes: others, reader, admin };
    Ok(Some(Arc::new(session)))
}

async fn open_hints(
    in_common: &InCommon,
    primary: &Primary,
    admin: &Connected,
    joined: &Membership,
) -> Result<Option<Arc<Hints>>, SharedError> {
    let refused = |source| SharedError::Refused { action: "exchange addresses of members", source };
    let row = admin.client.query_one(&admin.statements.secret, &[]).await.map_err(refused)?;
    let secret: [u8; 32] = row.get::<_, &[u8]>(0).try_into().map_err(|_| SharedError::NoGroup)?;
    let counts = Arc::clone(&in_common.hint_counts);
    match Hints::open(primary.address().await, secret, (joined.number, joined.epoch), counts) {
        Ok(hints) => {
            let address = hints.address().to_string();
            member::tell_address(admin, joined.number, joined.epoch, &address).await.map_err(refused)?;
            Ok(Some(Arc::new(hints)))
        }
        Err(error) => {
            warn!(%error, "members cannot tell each other of arrivals: waits on shared queues take up to 100 ms longer");
            Ok(None)
        }
    }
}

/// A connection, and what its database says of itself. `lasting`: its commits are waited for until they are on disk.
pub(in crate::shared) async fn connected(
    primary: &Primary,
    lasting: bool,
    known: &SchemaVersions,
) -> Result<(Connected, Label), SharedError> {
    let commits = if lasting { "on" } else { "off" };
    let client = primary
        .connect(&format!(
            "-c synchronous_commit={commits} -c plan_cache_mode=force_generic_plan -c enable_sort=off \
             -c enable_bitmapscan=off -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off \
             -c statement_timeout=0 -c idle_in_transaction_session_timeout={GHOST} -c tcp_user_timeout={GHOST}"
        ))
        .await?;
    let label = schema::check(&client, known).await?;
    let statements = Statements::prepare(&client)
        .await
        .map_err(|source| SharedError::Refused { action: "prepare the statements", source })?;
    Ok((Connected { client, statements }, label))
}

/// All of them: what the database says is below what its client says.
fn causes(problem: &SharedError) -> String {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
