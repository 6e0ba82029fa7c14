//! After the load: gets what the ledger says may still be there, so that the verdict knows what is lost.
//!
//! A request without a reply is not lost while it lies where it was put, nor while a responder is answering it: so replies
//! that are there are got, requests that nobody took are taken back, and what is missing
//! then is waited for once.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::client::{Client, GET_WAIT};
use super::tally::Tally;
use super::{Shared, runtime};
use crate::client::ClientError;
use crate::client::door::Door;
use crate::plan::{Plan, Scenario};

/// Longest time that this may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Whether the plan wants a verdict on what is lost.
pub(super) fn is_due(plan: &Plan) -> bool {
    plan.drain || plan.scenario.leaves_nothing()
}

/// True when nothing of this run can be left.
pub(super) fn settle(plan: &Plan, shared: &Arc<Shared>, through: Option<SocketAddr>, tally: &mut Tally) -> bool {
    if !is_due(plan) {
        return false;
    }
    let is_nothing_outstanding = || (0..plan.clients).all(|number| shared.ledger.outstanding(number).is_empty());
    if plan.door.streams() {
        // Queues of the clients' own are gone with them, and what lay on them.
        return is_nothing_outstanding();
    }
    if !plan.drain && is_nothing_outstanding() {
        return true;
    }
    match empty(plan, shared, through) {
        Ok(()) => true,
        Err(error) => {
            tally.note(&error);
            false
        }
    }
}

fn empty(plan: &Plan, shared: &Arc<Shared>, through: Option<SocketAddr>) -> Result<(), ClientError> {
    let door = Door::new(&plan.door.through(through)?, None)?;
    let mut client = Client::new(0, door, Arc::clone(shared));
    let work = async {
        for number in 0..plan.clients {
            client.get_outstanding(number, &mut None).await?;
        }
        if plan.scenario == Scenario::RequestReply {
            for number in 0..plan.clients {
                client.take_back_outstanding(number).await?;
            }
            let mut wait = Some(GET_WAIT);
            for number in 0..plan.clients {
                client.get_outstanding(number, &mut wait).await?;
            }
        }
        if plan.drain {
            client.get_everything().await?;
        }
        Ok(())
    };
    let runtime = runtime().map_err(|error| ClientError::Target(error.to_string()))?;
    let limited = runtime.block_on(async { tokio::time::timeout(LIMIT, work).await });
    limited.unwrap_or(Err(ClientError::TimedOut { seconds: LIMIT.as_secs() }))
}
