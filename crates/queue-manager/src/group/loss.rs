//! CFCONLOS: whether a member ends that has lost the database of a structure, or goes on without its queues.
//!
//! A database is lost when it was away for as long as verbs wait for it. That of the queue manager's own CFCONLOS is the home, where its
//! membership is, as the administration structure is elsewhere.
//!
//! Never: ends the queue manager. Its server does, and says why.
//!
//! Source: MQ reference, "DEFINE CFSTRUCT", "ALTER QMGR", CFCONLOS, 9.3.

use std::time::Duration;

use model::authority::AuthorityObject;
use model::definition::structure::OnLoss;
use storage::StructureConnection;

use crate::QueueManager;
use crate::engine::{Engine, Phase};
use crate::group::disposition;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// Why the queue manager has to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LostStructure {
    /// A structure with CFCONLOS(TERMINATE), of which the member has queues.
    Named(String),
    /// The queue manager has CFCONLOS(TERMINATE), and the home of its group is away.
    Home,
}

impl QueueManager {
    /// Returns once a structure is lost whose CFCONLOS ends the queue manager; never before it stops otherwise.
    pub async fn structure_lost(&self) -> LostStructure {
        let engine = self.engine();
        if engine.store.shared().is_none() {
            return std::future::pending().await;
        }
        loop {
            if let Some(lost) = lost(engine).filter(|_| engine.phase() < Phase::Stopping) {
                return lost;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// How this member is connected to the database of a structure at this moment.
    pub fn structure_connection(&self, structure: &str) -> StructureConnection {
        self.engine().store.connection_to(structure)
    }
}

fn lost(engine: &Engine) -> Option<LostStructure> {
    let terminates = engine.definition.read().terminates_on_loss;
    if terminates && engine.store.has_lost(None) {
        return Some(LostStructure::Home);
    }
    let objects = engine.objects.read();
    let structures = objects.iter().filter(|(key, _)| key.0 == AuthorityObject::Structure);
    let mut ending = structures.filter(|(_, object)| {
        object.as_structure().is_some_and(|structure| match structure.on_loss {
            OnLoss::Terminate => true,
            OnLoss::Tolerate => false,
            OnLoss::AsQueueManager => terminates,
        })
    });
    let is_lost = |name: &str| engine.store.has_lost(Some(name));
    let (key, _) = ending.find(|(key, _)| is_lost(key.1.as_str()) && disposition::is_used(engine, &key.1))?;
    Some(LostStructure::Named(key.1.to_string()))
}
