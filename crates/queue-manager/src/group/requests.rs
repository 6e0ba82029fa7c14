//! What members ask of each other. Carries it, and does not know what it says: commands with CMDSCOPE do.
//!
//! Invariant: an answer names the member that gave it, and a member without an answer is told too.

use storage::shared::MemberRequest;

use crate::group::MemberState;
use crate::reason;
use crate::{QueueManager, engine::Engine};
use model::reason::Reason;

/// What one member has answered; `None`: nothing in time, or it has ended meanwhile.
pub struct MemberAnswer {
    pub queue_manager: String,
    pub answer: Option<Vec<u8>>,
}

impl QueueManager {
    /// Names of the members that are active, in order of their numbers; this one is among them.
    pub fn active_members(&self) -> Vec<String> {
        let active = self.group_members().into_iter().filter(|member| member.state == MemberState::Active);
        active.map(|member| member.queue_manager).collect()
    }

    /// Asks other members, and waits for their answers, in the order of `names`.
    ///
    /// # Errors
    /// The reason why the database cannot be used.
    pub async fn ask_members(&self, names: &[String], content: &[u8]) -> Result<Vec<MemberAnswer>, Reason> {
        let engine = self.engine();
        let Some(shared) = engine.store.shared().filter(|_| !names.is_empty()) else { return Ok(Vec::new()) };
        let members = self.group_members();
        let number =
            |name: &String| members.iter().find(|member| member.queue_manager == *name)?.number.try_into().ok();
        let numbers: Vec<i32> = names.iter().filter_map(number).collect();
        let mut answers =
            shared.ask_members(&numbers, content).await.map_err(|error| reason::of_store_at_large(engine, &error))?;
        let answer = |name: &String| MemberAnswer {
            queue_manager: name.clone(),
            answer: number(name).and_then(|number: i32| answers.remove(&number)),
        };
        Ok(names.iter().map(answer).collect())
    }

    /// What another member asks next. `None`: there is no other member, or this one has ended.
    pub async fn next_member_request(&self) -> Option<MemberRequest> {
        let engine: &Engine = self.engine();
        engine.store.shared()?.next_request().await
    }

    /// # Errors
    /// The reason why the database cannot be used.
    pub async fn answer_member(&self, request: &MemberRequest, answer: &[u8]) -> Result<(), Reason> {
        let engine = self.engine();
        let Some(shared) = engine.store.shared() else { return Ok(()) };
        shared.answer(request, answer).await.map_err(|error| reason::of_store_at_large(engine, &error))
    }
}
