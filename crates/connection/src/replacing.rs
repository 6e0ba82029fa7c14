//! MQOPEN and MQPUT1 of a request, with one more try when a kept connection turns out to be dead.
//!
//! A queue manager that ended or a socket that broke while a connection lay idle is noticed by its next verb. Then a new
//! connection takes its place, once, if the verb cannot have taken effect: an open ends with its connection, and a put1 is
//! put again only if it was never sent, or refused.

use std::sync::Arc;

use model::message::Message;
use model::options::{ObjectDescriptor, OpenOptions, PutOptions};

use crate::error::ConnectionError;
use crate::pool::{Lent, Pool};
use crate::target::Acting;
use crate::verbs::{Connection, Identifiers, Opened};

impl Pool {
    /// One message put outside syncpoint, on a connection that is given back at once.
    ///
    /// # Errors
    /// As [`Pool::lend`] and MQPUT1. With `effect_is_unknown` the message may have been put.
    pub async fn put1(
        self: &Arc<Self>,
        acting: Acting<'_>,
        object: &ObjectDescriptor,
        message: Box<Message>,
        options: &PutOptions,
    ) -> Result<Identifiers, ConnectionError> {
        let mut lent = self.lend().await?;
        let put = match lent.connection() {
            Connection::Local(local) => {
                local.connection.put1_message(acting.principal(), object, message, options).await
            }
            Connection::Remote(_) => {
                return Box::pin(put1_far(lent, acting, object, message, options)).await;
            }
        };
        finished(lent, put.map(|put| Identifiers::of_put(&put)).map_err(ConnectionError::from))
    }

    /// An object opened on a connection for one request.
    ///
    /// # Errors
    /// As [`Pool::lend`] and MQOPEN.
    pub async fn open(
        self: &Arc<Self>,
        acting: Acting<'_>,
        object: &ObjectDescriptor,
        options: OpenOptions,
    ) -> Result<(Lent, Opened), ConnectionError> {
        let mut lent = self.lend().await?;
        if self.is_remote() {
            return Box::pin(open_far(lent, acting, object, options)).await;
        }
        let opened = lent.connection().open(acting, object, options).await;
        kept(lent, opened)
    }
}

async fn put1_far(
    mut lent: Lent,
    acting: Acting<'_>,
    object: &ObjectDescriptor,
    message: Box<Message>,
    options: &PutOptions,
) -> Result<Identifiers, ConnectionError> {
    let mut put = lent.connection().put1(acting, object, message.clone(), options).await;
    if let Err(error) = &put
        && is_stale(&lent, error)
        && !error.effect_is_unknown()
    {
        lent.renew().await?;
        put = lent.connection().put1(acting, object, message, options).await;
    }
    finished(lent, put)
}

async fn open_far(
    mut lent: Lent,
    acting: Acting<'_>,
    object: &ObjectDescriptor,
    options: OpenOptions,
) -> Result<(Lent, Opened), ConnectionError> {
    let mut opened = lent.connection().open(acting, object, options).await;
    if let Err(error) = &opened
        && is_stale(&lent, error)
    {
        lent.renew().await?;
        opened = lent.connection().open(acting, object, options).await;
    }
    kept(lent, opened)
}

/// A connection that had been kept, and is dead.
fn is_stale(lent: &Lent, error: &ConnectionError) -> bool {
    lent.is_reused() && error.is_lost()
}

/// The connection goes on with what was opened on it, or back.
fn kept(lent: Lent, opened: Result<Opened, ConnectionError>) -> Result<(Lent, Opened), ConnectionError> {
    match opened {
        Ok(opened) => Ok((lent, opened)),
        Err(error) => {
            lent.give_back_after(&error);
            Err(error)
        }
    }
}

fn finished<T>(lent: Lent, outcome: Result<T, ConnectionError>) -> Result<T, ConnectionError> {
    match &outcome {
        Ok(_) => lent.give_back(),
        Err(error) => lent.give_back_after(error),
    }
    outcome
}
