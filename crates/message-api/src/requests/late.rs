//! Replies on named queues that come after their request has ended: discarded, or moved to another queue.
//!
//! Which replies are missing, and when each is looked for, `connection::late` remembers. A reply that expires by itself needs none of
//! this; it is for those whose sender ignored the request's expiry.
//!
//! Invariants
//! - A reply is moved in one unit of work, and discarded only by a get that names its CorrelId.
//! - A reply that a repetition of its request waits for is not late.

use std::sync::Arc;

use connection::error::ConnectionError;
use connection::late::{LONGEST_LOOK, Missing};
use connection::pool::Pool;
use connection::target::Acting;
use model::authority::Principal;
use model::identifier::CorrelationId;
use model::name::QueueName;
use model::options::{GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use model::reason::Reason;
use tokio::time::Instant;

use super::LateReply;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Discard,
    Move(QueueName),
}

impl Fate {
    /// `None`: it stays where it is.
    pub(super) fn of(late: LateReply) -> Option<Self> {
        match late {
            LateReply::Expire => Some(Self::Discard),
            LateReply::Move(queue) => Some(Self::Move(queue)),
            LateReply::Keep => None,
        }
    }
}

struct Late {
    pool: Arc<Pool>,
    principal: Principal,
    adopts: bool,
    queue: QueueName,
    correlation: CorrelationId,
    fate: Fate,
}

/// A reply that is awaited. Dropped before it has come, it is late.
pub(super) struct Awaited {
    late: Arc<LateReplies>,
    reply: Option<Late>,
    kept_until: Option<Instant>,
}

impl Awaited {
    /// `kept_until`: a repetition of the request may come for the reply until then.
    pub(super) fn new(
        late: &Arc<LateReplies>,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        queue: QueueName,
        correlation: CorrelationId,
        fate: Fate,
        kept_until: Option<Instant>,
    ) -> Self {
        late.forget(pool, queue, correlation);
        let reply = Late {
            pool: Arc::clone(pool),
            principal: acting.principal().clone(),
            adopts: matches!(acting, Acting::For(_)),
            queue,
            correlation,
            fate,
        };
        Self { late: Arc::clone(late), reply: Some(reply), kept_until }
    }

    pub(super) fn has_come(mut self) {
        self.reply = None;
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if let Some(reply) = self.reply.take() {
            self.late.missing.remember(reply, self.kept_until);
        }
    }
}

/// The replies that are missing.
#[derive(Default)]
pub(super) struct LateReplies {
    missing: Missing<Late>,
}

impl LateReplies {
    fn forget(&self, pool: &Arc<Pool>, queue: QueueName, correlation: CorrelationId) {
        self.missing
            .forget(|late| late.correlation == correlation && late.queue == queue && Arc::ptr_eq(&late.pool, pool));
    }

    /// Looks after late replies until it is dropped.
    pub(super) async fn run(&self, server: &Principal) {
        loop {
            for look in self.missing.due().await {
                let is_settled = match tokio::time::timeout(LONGEST_LOOK, settle(&look.what, server)).await {
                    Ok(Ok(is_settled)) => is_settled,
                    Ok(Err(error)) => {
                        let queue = look.what.queue.as_str();
                        tracing::debug!(queue, %error, "a late reply could not be looked for");
                        false
                    }
                    Err(_) => false,
                };
                if !is_settled {
                    self.missing.again(look);
                }
            }
        }
    }
}

/// True when nothing remains to be done. Given up in its middle, a look leaves nothing behind: its connection is closed, and what it
/// got is backed out.
async fn settle(late: &Late, server: &Principal) -> Result<bool, ConnectionError> {
    let acting = match (late.pool.is_remote(), late.adopts) {
        (false, _) => Acting::AsConnected(server),
        (true, true) => Acting::For(&late.principal),
        (true, false) => Acting::AsConnected(&late.principal),
    };
    let object = ObjectDescriptor { name: late.queue, ..ObjectDescriptor::default() };
    let options = OpenOptions::INPUT_AS_Q_DEF | OpenOptions::SAVE_ALL_CONTEXT | OpenOptions::FAIL_IF_QUIESCING;
    let (mut lent, opened) = late.pool.open(acting, &object, options).await?;
    let options = GetOptions {
        flags: GetFlags::SYNCPOINT | GetFlags::FAIL_IF_QUIESCING | GetFlags::PROPERTIES_FORCE_MQRFH2,
        match_options: MatchOptions::CORREL_ID,
        correlation_id: late.correlation,
        ..GetOptions::default()
    };
    let got = match lent.connection().get(opened.handle, &options).await {
        Ok(got) => Some(got),
        Err(error) if error.reason() == Reason::NoMsgAvailable => None,
        Err(error) => return Err(error),
    };
    let is_there = got.is_some();
    if let (Some(mut message), Fate::Move(to)) = (got, late.fate) {
        message.descriptor.backout_count = 0;
        let object = ObjectDescriptor { name: to, ..ObjectDescriptor::default() };
        let flags = PutFlags::SYNCPOINT | PutFlags::FAIL_IF_QUIESCING | PutFlags::PASS_ALL_CONTEXT;
        let options = PutOptions { flags, context: Some(opened.handle.number()) };
        // Refused, the connection is dropped, and the reply is on its queue again.
        lent.connection().put1(acting, &object, message, &options).await?;
    }
    if is_there {
        lent.connection().commit().await?;
        tracing::info!(
            queue = late.queue.as_str(),
            correlation_id = %late.correlation,
            fate = ?late.fate,
            "a late reply was handled: its request had ended"
        );
    }
    lent.connection().close(opened.handle).await?;
    lent.give_back();
    Ok(is_there)
}
