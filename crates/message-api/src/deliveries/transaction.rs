//! Transactions: deliveries completed and messages put as one unit of work, with a receipt when the client may ask again.
//!
//! Receive, work, answer is exactly once with it: what was received and what is answered are in one record of the log.

use std::sync::Arc;

use connection::error::ConnectionError;
use connection::pool::{Lent, Pool};
use connection::target::Acting;
use model::identifier::MessageId;
use model::message::Message;
use model::options::{ObjectDescriptor, PutOptions};
use model::reason::Reason;
use queue_manager::detached::{DetachedUnit, NotCommitted};
use queue_manager::{Due, Receipt, UnitOfWorkId};

use super::settle::Settling;
use super::{Deliveries, Delivery, NotSettled, Particulars, Settlement, Token};

/// A message to put, on a queue or a topic.
pub struct Put {
    pub object: ObjectDescriptor,
    pub message: Box<Message>,
    /// When it is to be delivered; `None`: when the transaction is committed.
    pub due: Option<Due>,
    /// With SYNCPOINT.
    pub options: PutOptions,
}

/// Why nothing of a transaction was done.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    #[error("the delivery {token} cannot be completed: {problem}")]
    Delivery { token: Token, problem: NotSettled },
    #[error("the delivery {0} is of another queue manager")]
    OtherQueueManager(Token),
    #[error("message {index} of the transaction cannot be put")]
    Put {
        /// Of the messages, from 0.
        index: usize,
        #[source]
        source: ConnectionError,
    },
    #[error("the transaction cannot be committed")]
    Connection(#[from] ConnectionError),
    /// Deliveries are for queue managers of this server, and so are transactions.
    #[error("the queue manager is a remote one")]
    Remote,
}

impl Deliveries {
    /// Completes the deliveries and puts the messages, or does nothing of it. `receipt` makes a receipt of the ids of the messages.
    ///
    /// To be run to its end: dropped while it commits, it is committed all the same.
    ///
    /// # Errors
    /// As `NotDone` says; the deliveries are then as they were.
    pub async fn transact(
        &self,
        pool: &Arc<Pool>,
        acting: Acting<'_>,
        tokens: &[Token],
        puts: Vec<Put>,
        receipt: impl FnOnce(&[MessageId]) -> Option<Receipt>,
    ) -> Result<Vec<MessageId>, NotDone> {
        if pool.is_remote() {
            return Err(NotDone::Remote);
        }
        let mut settlings = Vec::with_capacity(tokens.len());
        for token in tokens {
            settlings.push(self.begin_completing(*token, &acting.principal().user)?);
        }
        let mut lent = pool.lend().await?;
        match put_all(&mut lent, acting, puts).await {
            Ok(ids) => {
                self.commit(lent, settlings, receipt(&ids)).await?;
                Ok(ids)
            }
            Err(error) => {
                match lent.connection().back_out().await {
                    Ok(()) => lent.give_back(),
                    Err(error) => lent.give_back_after(&error),
                }
                Err(error)
            }
        }
    }

    fn begin_completing(&self, token: Token, user: &str) -> Result<Settling<'_>, NotDone> {
        match self.begin(token, user, Settlement::Complete) {
            Ok(Some(settling)) => Ok(settling),
            Ok(None) => Err(NotDone::Delivery { token, problem: NotSettled::Otherwise(Settlement::Complete) }),
            Err(problem) => Err(NotDone::Delivery { token, problem }),
        }
    }

    async fn commit(
        &self,
        mut lent: Lent,
        settlings: Vec<Settling<'_>>,
        receipt: Option<Receipt>,
    ) -> Result<(), NotDone> {
        let local = lent.connection().local().ok_or(NotDone::Remote)?;
        let connection = local.connection();
        let queue_manager = connection.queue_manager();
        if let Some(other) = settlings.iter().find(|settling| !settling.is_of(&queue_manager)) {
            let token = other.token();
            let _ = connection.back_out().await;
            lent.give_back();
            return Err(NotDone::OtherQueueManager(token));
        }
        let mut taken: Vec<Taken<'_>> = Vec::with_capacity(settlings.len());
        let mut units: Vec<DetachedUnit> = Vec::with_capacity(settlings.len());
        for mut settling in settlings {
            let Delivery { unit, of } = settling.take();
            taken.push(Taken { settling, of, id: unit.id() });
            units.push(unit);
        }
        let committed = connection.commit_together(units, receipt).await;
        let Err(NotCommitted { reason, units }) = committed else {
            lent.give_back();
            for one in taken {
                one.settling.completed();
            }
            return Ok(());
        };
        let backed_out = connection.back_out().await;
        for unit in units {
            if let Some(index) = taken.iter().position(|one| one.id == unit.id()) {
                let Taken { settling, of, .. } = taken.swap_remove(index);
                settling.give_back(Delivery { unit, of });
            }
        }
        match backed_out {
            Ok(()) => lent.give_back(),
            Err(reason) => lent.give_back_after(&reason.into()),
        }
        match taken.first() {
            Some(lost) if reason == Reason::BackedOut => {
                Err(NotDone::Delivery { token: lost.settling.token(), problem: NotSettled::LockLost })
            }
            _ => Err(NotDone::Connection(reason.into())),
        }
    }
}

/// A delivery without its unit of work, which is being committed.
struct Taken<'a> {
    settling: Settling<'a>,
    of: Particulars,
    id: UnitOfWorkId,
}

async fn put_all(lent: &mut Lent, acting: Acting<'_>, puts: Vec<Put>) -> Result<Vec<MessageId>, NotDone> {
    let mut ids = Vec::with_capacity(puts.len());
    for (index, Put { object, message, due, options }) in puts.into_iter().enumerate() {
        let put = lent.connection().put1_due(acting, &object, message, &options, due).await;
        ids.push(put.map_err(|source| NotDone::Put { index, source })?.message_id);
    }
    Ok(ids)
}
