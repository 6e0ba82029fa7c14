//! Handles in a new session: the database is told what this member has open, and says what it has lost.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tracing::warn;

use super::{Driver, Session};
use crate::QueueId;
use crate::shared::depth::Figures;
use crate::shared::handles::OpenLevel;
use crate::shared::row::{queue_id, queue_number};

/// Tells the database what this member has open. Another one may have taken its place: while this one was thought dead, or because a
/// primary was lost with what it knew.
pub(super) async fn restate_handles(driver: &Driver, session: &Session) -> Result<(), tokio_postgres::Error> {
    let is_new_epoch = driver.stated.swap(session.epoch, Ordering::AcqRel) != session.epoch;
    let mut open: Vec<(Arc<Figures>, OpenLevel)> = driver
        .figures
        .all()
        .into_iter()
        .map(|figures| {
            // Who waits there finds out.
            let lost = || driver.in_common.arrived(figures.queue);
            let level = figures.handles.restate(&figures, is_new_epoch, lost);
            (figures, level)
        })
        .filter(|(_, level)| *level > OpenLevel::Closed)
        .collect();
    open.sort_unstable_by_key(|(figures, _)| figures.queue);
    let (client, s) = (&session.reader.client, &session.reader.statements);
    client.batch_execute("BEGIN").await?;
    if client.query_opt(&s.hold_epoch, &[&session.member, &session.epoch]).await?.is_none() {
        // The beat finds out.
        return client.batch_execute("ROLLBACK").await;
    }
    client.execute(&s.close_all, &[&session.member]).await?;
    let queues: Vec<i32> = open.iter().map(|(figures, _)| queue_number(figures.queue)).collect();
    client.query(&s.lock_queues, &[&queues]).await?;
    let is_raised = raise_all(session, &open).await?;
    let refused: Vec<(Arc<Figures>, OpenLevel)> = open
        .into_iter()
        .filter(|(figures, _)| !is_raised.contains(&figures.queue))
        .map(|(figures, _)| (Arc::clone(&figures), figures.handles.lose_input(&figures)))
        .collect();
    let is_raised = raise_all(session, &refused).await?;
    client.batch_execute("COMMIT").await?;
    for (figures, _) in refused {
        if !is_raised.contains(&figures.queue) {
            figures.handles.forget();
            driver.sealed.add(figures.queue);
        }
        driver.in_common.arrived(figures.queue);
        warn!(queue = figures.queue.0, "another member has opened a queue that this one had open for input");
    }
    Ok(())
}

async fn raise_all(
    session: &Session,
    open: &[(Arc<Figures>, OpenLevel)],
) -> Result<HashSet<QueueId>, tokio_postgres::Error> {
    let (client, s) = (&session.reader.client, &session.reader.statements);
    let (queues, levels): (Vec<i32>, Vec<i16>) =
        open.iter().map(|(figures, level)| (queue_number(figures.queue), level.number())).unzip();
    let rows = client.query(&s.raise_levels, &[&queues, &session.member, &levels]).await?;
    Ok(rows.iter().map(|row| queue_id(row.get(0))).collect())
}
