//! One-way services: a request is put, or a message is got or browsed.

use connection::error::ConnectionError;
use connection::pool::Lent;
use connection::target::User;
use connection::verbs::{ObjectHandle, WaitTerms};
use model::descriptor::{MessageDescriptor, Report};
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::options::{GetFlags, GetOptions, MatchOptions, OpenOptions};
use model::reason::Reason;
use parking_lot::Mutex;
use queue_manager::Changes;
use tokio::time::Instant;

use crate::definition::{Destination, QueueAddress};
use crate::error::ServiceError;

use super::answer::{Identifiers, ServiceAnswer};
use super::backout::{self, Fate};
use super::outgoing::{Outgoing, name_of};
use super::{Call, Patience, header, incoming, object_of};

/// It may have to be moved, or its report belongs to the same unit of work.
fn needs_unit(descriptor: &MessageDescriptor) -> bool {
    descriptor.backout_count > 0 || descriptor.report.contains(Report::COD)
}

/// Of every get here.
const FLAGS: GetFlags = GetFlags::FAIL_IF_QUIESCING.union(GetFlags::PROPERTIES_FORCE_MQRFH2);

/// What a receive does with the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taking {
    /// It leaves the queue, once it has become an answer.
    Away,
    /// It stays: a browse.
    Nothing,
}

/// Puts the request: 204.
pub(super) async fn send(call: &Call<'_>) -> Result<ServiceAnswer, ServiceError> {
    let Outgoing { object, message, options } = Outgoing::of(call)?;
    let user = call.user();
    let pool = call.pool(&user)?;
    let put = pool.put1(user.acting(), &object, message, &options).await;
    let done = put.map_err(|error| call.failed("put to", name_of(&object), &error))?;
    let message = Some(Identifiers { message_id: done.message_id, correlation_id: done.correlation_id });
    Ok(ServiceAnswer { message, ..ServiceAnswer::nothing() })
}

/// Gets or browses one message: 200, or 204 when none came.
pub(super) async fn receive(call: &Call<'_>, taking: Taking) -> Result<ServiceAnswer, ServiceError> {
    let Destination::Queue(address) = &call.service.provider.destination else {
        return Err(ServiceError::attribute_missing(&call.service.name, "destination"));
    };
    let selection = Selection {
        message_id: header::message_id(&call.request.headers)?,
        correlation_id: header::correlation_id(&call.request.headers)?,
        ..Selection::default()
    };
    let patience = call.patience()?;
    let deadline = Instant::now() + patience.wait;
    let user = call.user();
    let open = match taking {
        Taking::Away => OpenOptions::INPUT_AS_Q_DEF | OpenOptions::SAVE_ALL_CONTEXT,
        Taking::Nothing => OpenOptions::BROWSE,
    };
    let object = object_of(address, &call.service.provider.selector);
    let opened = call.pool(&user)?.open(user.acting(), &object, open | OpenOptions::FAIL_IF_QUIESCING).await;
    let (mut lent, opened) = opened.map_err(|error| call.failed("open", address.queue.as_str(), &error))?;
    let source = Source { call, user: &user, address, patience, deadline };
    let outcome = source.take(&mut lent, opened.handle, &selection, taking).await;
    source.finish(lent, opened.handle, outcome).await
}

/// Which message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Selection {
    pub(super) message_id: Option<MessageId>,
    pub(super) correlation_id: Option<CorrelationId>,
    /// Nothing that is selected was on the queue at that moment.
    pub(super) since: Option<Changes>,
}

impl Selection {
    /// All zeros is MQ's "none", which selects nothing in particular.
    pub(super) fn options(&self, flags: GetFlags) -> GetOptions {
        let mut options = GetOptions { flags, ..GetOptions::default() };
        if let Some(id) = self.message_id.filter(|id| !id.is_none()) {
            options.match_options |= MatchOptions::MSG_ID;
            options.message_id = id;
        }
        if let Some(id) = self.correlation_id.filter(|id| !id.is_none()) {
            options.match_options |= MatchOptions::CORREL_ID;
            options.correlation_id = id;
        }
        options
    }
}

/// What comes of looking for a message.
pub(super) enum Taken {
    Answer(ServiceAnswer),
    /// Nothing came in time.
    Nothing,
}

/// A queue that a message is awaited on.
pub(super) struct Source<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) user: &'a User<'a>,
    pub(super) address: &'a QueueAddress,
    pub(super) patience: Patience,
    /// When that is over.
    pub(super) deadline: Instant,
}

/// An error, and what it leaves behind.
pub(super) struct Failed {
    pub(super) error: ServiceError,
    /// The connection is good for nothing any more.
    pub(super) is_lost: bool,
    /// A message had come; it is back on its queue, or on the backout queue.
    pub(super) had_come: bool,
}

impl Source<'_> {
    /// Waits for a message, makes an answer of it and, only then, consumes it.
    ///
    /// A queue manager of this server lets it be looked at before it is taken. Only what cannot become an answer there, and
    /// what `needs_unit`, is got under syncpoint: it is counted, and perhaps moved. Elsewhere every message is.
    pub(super) async fn take(
        &self,
        lent: &mut Lent,
        handle: ObjectHandle,
        selection: &Selection,
        taking: Taking,
    ) -> Result<Taken, Failed> {
        if taking == Taking::Away
            && lent.connection().is_local()
            && let Some(taken) = self.take_what_converts(lent, handle, selection).await?
        {
            return Ok(taken);
        }
        // Seldom, but for remote queue managers: boxed, so that the state of every request need not hold it.
        Box::pin(self.get(lent, handle, selection, taking)).await
    }

    /// `take` by gets under syncpoint, or a browse.
    async fn get(
        &self,
        lent: &mut Lent,
        handle: ObjectHandle,
        selection: &Selection,
        taking: Taking,
    ) -> Result<Taken, Failed> {
        let mut options = selection.options(match taking {
            Taking::Away => FLAGS | GetFlags::SYNCPOINT,
            Taking::Nothing => FLAGS | GetFlags::BROWSE_FIRST,
        });
        loop {
            self.limit(&mut options);
            let got = lent.connection().get(handle, &options).await;
            let Some(got) = self.outcome(got)? else { return Ok(Taken::Nothing) };
            let mut fate = Fate::Kept;
            if taking == Taking::Away && got.descriptor.backout_count > 0 {
                fate = backout::move_if_due(self, lent, handle, &got, None).await?;
                if fate == Fate::Moved {
                    continue;
                }
            }
            match incoming::answer(self.call.service, &got.descriptor, &got.body) {
                Ok(answer) => {
                    if taking == Taking::Away {
                        lent.connection().commit().await.map_err(|error| self.failed("commit the get from", &error))?;
                    }
                    return Ok(Taken::Answer(answer));
                }
                Err(error) => {
                    if taking == Taking::Away && fate == Fate::Kept {
                        fate = backout::move_if_due(self, lent, handle, &got, Some(&error)).await?;
                    }
                    if taking == Taking::Away && fate != Fate::Moved {
                        lent.connection()
                            .back_out()
                            .await
                            .map_err(|error| self.failed("back out the get from", &error))?;
                        self.log_backed_out(&got, &error);
                    }
                    return Err(Failed { error, is_lost: false, had_come: true });
                }
            }
        }
    }

    /// The next message, as the answer it becomes. `None`: it cannot, or needs a unit of work; it is where it was.
    async fn take_what_converts(
        &self,
        lent: &mut Lent,
        handle: ObjectHandle,
        selection: &Selection,
    ) -> Result<Option<Taken>, Failed> {
        let mut options = selection.options(FLAGS | GetFlags::NO_SYNCPOINT);
        // It ends with `deadline`; the options name no time.
        options.flags.set(GetFlags::WAIT, !self.patience.wait.is_zero());
        let answer = Mutex::new(None);
        let converts = |message: &Message| {
            let made = incoming::answer(self.call.service, &message.descriptor, &message.body);
            let answers = !needs_unit(&message.descriptor) && made.is_ok();
            *answer.lock() = made.ok();
            answers
        };
        let wait = WaitTerms { until: Some(self.deadline), since: selection.since };
        let got = lent.connection().get_accepted(handle, &options, wait, &converts).await;
        if matches!(&got, Err(error) if error.reason() == Reason::FormatError) {
            return Ok(None);
        }
        let has_come = self.outcome(got)?.is_some();
        Ok(Some(match answer.into_inner().filter(|_| has_come) {
            Some(answer) => Taken::Answer(answer),
            None => Taken::Nothing,
        }))
    }

    /// The wait that is left.
    fn limit(&self, options: &mut GetOptions) {
        let wait = self.deadline.saturating_duration_since(Instant::now());
        options.flags.set(GetFlags::WAIT, !wait.is_zero());
        options.wait = Some(wait);
    }

    /// What a get brought; `None`: nothing came in time.
    fn outcome(&self, got: Result<Box<Message>, ConnectionError>) -> Result<Option<Box<Message>>, Failed> {
        match got {
            Ok(got) => Ok(Some(got)),
            Err(error) if error.reason() == Reason::NoMsgAvailable => Ok(None),
            Err(error) if error.reason() == Reason::QMgrQuiescing && self.call.environment.is_stopping() => {
                Err(Failed { error: ServiceError::stopping(), is_lost: true, had_come: false })
            }
            Err(error) => Err(self.failed("get from", &error)),
        }
    }

    pub(super) fn failed(&self, verb: &str, error: &ConnectionError) -> Failed {
        Failed {
            error: self.call.failed(verb, self.address.queue.as_str(), error),
            is_lost: error.is_lost(),
            had_come: false,
        }
    }

    fn log_backed_out(&self, got: &Message, error: &ServiceError) {
        tracing::warn!(
            service = self.call.service.name,
            queue = self.address.queue.as_str(),
            message_id = %got.descriptor.message_id,
            backed_out_before = got.descriptor.backout_count,
            reason = error.reason(),
            "a message that cannot be converted was backed out"
        );
    }

    /// Closes the queue and gives the connection back, unless it is lost.
    pub(super) async fn finish(
        &self,
        mut lent: Lent,
        handle: ObjectHandle,
        outcome: Result<Taken, Failed>,
    ) -> Result<ServiceAnswer, ServiceError> {
        if !matches!(&outcome, Err(failed) if failed.is_lost) && lent.connection().close(handle).await.is_ok() {
            lent.give_back();
        }
        match outcome {
            Ok(Taken::Answer(answer)) => Ok(answer),
            Ok(Taken::Nothing) => self.call.nothing(self.patience),
            Err(failed) => Err(failed.error),
        }
    }
}
