//! The dispatcher of a started connection: waits for a message, calls the program's function, and begins anew.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use channel_client::connection::consume::Delivery;
use channel_client::error::ChannelError;
use channel_protocol::structure::descriptor_image::DescriptorImage;
use model::descriptor::Encoding;
use model::descriptor_codec::{Version, encode};
use model::reason::Reason;
use parking_lot::MutexGuard;

use super::{Call, Consumer, State, Wanted};
use crate::constant::{
    MQCBCT_EVENT_CALL, MQCBCT_MSG_NOT_REMOVED, MQCBCT_MSG_REMOVED, MQCBCT_START_CALL, MQCBCT_STOP_CALL,
    MQCBDO_START_CALL, MQCBDO_STOP_CALL, MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT,
};
use crate::handles::Handle;
use crate::{Ended, ended_by, failed, message_handle};

/// Starts delivery: on a thread of its own, or here until it is stopped. `state` is that of the connection, without a dispatcher.
///
/// The caller does not wait for the thread: a program that notes that it has started delivery does so before the first message.
///
/// # Errors
/// 2102: no thread.
pub(super) fn start(handle: &Arc<Handle>, mut state: MutexGuard<'_, State>, waits: bool) -> Result<Ended, Ended> {
    state.wanted = Wanted::Started;
    if waits {
        state.dispatcher = Some(std::thread::current().id());
        drop(state);
        dispatch(handle);
        return Ok(Ended::WELL);
    }
    let own = Arc::clone(handle);
    let thread = std::thread::Builder::new().name("mqi-callbacks".to_owned()).spawn(move || {
        // Until then the state does not name this thread.
        drop(own.consuming.state.lock());
        dispatch(&own);
    });
    state.dispatcher = Some(thread.map_err(|_| failed(Reason::ResourceProblem))?.thread().id());
    Ok(Ended::WELL)
}

fn dispatch(handle: &Handle) {
    tell_all(handle, MQCBDO_START_CALL, MQCBCT_START_CALL);
    let mut round = Round { since: now(), told_empty: Vec::new() };
    while is_wanted(handle) {
        match next(handle, &round) {
            Next::Message(delivery) => {
                round.message_came(&delivery);
                deliver(handle, *delivery);
            }
            Next::Patience => round.tell_of_emptiness(handle),
            Next::Changed => {}
            Next::Lost(ended) => {
                tell_of_event(handle, ended);
                handle.consuming.state.lock().wanted = Wanted::Stopped;
            }
        }
    }
    rest(handle);
    tell_all(handle, MQCBDO_STOP_CALL, MQCBCT_STOP_CALL);
    let mut state = handle.consuming.state.lock();
    state.dispatcher = None;
    state.is_busy = false;
    handle.consuming.changed.notify_all();
}

/// Whether to go on; waits while delivery is suspended.
fn is_wanted(handle: &Handle) -> bool {
    let mut state: MutexGuard<'_, State> = handle.consuming.state.lock();
    if state.wanted == Wanted::Suspended {
        drop(state);
        rest(handle);
        state = handle.consuming.state.lock();
    }
    while state.wanted == Wanted::Suspended {
        state.is_busy = false;
        handle.consuming.changed.notify_all();
        handle.consuming.changed.wait(&mut state);
    }
    state.is_busy = true;
    state.wanted == Wanted::Started
}

/// Tells the queue manager to send nothing more, and delivers what came before: the program could not commit with a message in
/// its unit of work that it has not seen.
fn rest(handle: &Handle) {
    let rested = handle.run(|runtime, session| {
        runtime.block_on(session.connection.suspend_consumers()).map_err(|error| ended_by(&error))
    });
    while rested.is_ok()
        && let Ok(Some(delivery)) = handle.run(|_, session| Ok(session.connection.next_arrived()))
    {
        deliver(handle, delivery);
    }
}

enum Next {
    Message(Box<Delivery>),
    /// A consumer has waited long enough.
    Patience,
    Changed,
    Lost(Ended),
}

fn next(handle: &Handle, round: &Round) -> Next {
    let pause = round.pause(handle);
    let waited = handle.run(|runtime, session| {
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = handle.consuming.wake.notified() => Ok(Next::Changed),
                message = session.connection.next_message() => match message {
                    Ok(delivery) => Ok(Next::Message(Box::new(delivery))),
                    // Every consumer is suspended: something else has to happen first.
                    Err(error) if is_without_consumers(&error) => {
                        handle.consuming.wake.notified().await;
                        Ok(Next::Changed)
                    }
                    Err(error) => Ok(Next::Lost(ended_by(&error))),
                },
                () = tokio::time::sleep(pause.unwrap_or_default()), if pause.is_some() => Ok(Next::Patience),
            }
        })
    });
    waited.unwrap_or_else(Next::Lost)
}

fn is_without_consumers(error: &ChannelError) -> bool {
    error.reason() == Reason::NoCallbacksActive
}

/// How long the consumers have waited.
struct Round {
    since: Instant,
    /// Consumers that do not wait and have been told that there is nothing.
    told_empty: Vec<i32>,
}

impl Round {
    fn message_came(&mut self, delivery: &Delivery) {
        self.since = now();
        let hobj = number(delivery);
        self.told_empty.retain(|known| *known != hobj);
    }

    /// Until the first consumer has waited long enough.
    fn pause(&self, handle: &Handle) -> Option<Duration> {
        let state = handle.consuming.state.lock();
        let waiting = state.consumers.iter().filter(|consumer| self.waits(consumer));
        let patience = waiting.filter_map(|consumer| consumer.registration.patience()).min()?;
        Some(patience.saturating_sub(self.since.elapsed()))
    }

    fn waits(&self, consumer: &Consumer) -> bool {
        let knows = consumer.registration.is_told_once() && self.told_empty.contains(&consumer.hobj);
        !consumer.is_suspended && !knows
    }

    fn tell_of_emptiness(&mut self, handle: &Handle) {
        let (consumers, area) = {
            let state = handle.consuming.state.lock();
            (state.consumers.clone(), state.connection_area)
        };
        let elapsed = self.since.elapsed();
        self.since = now();
        for consumer in consumers.iter().filter(|consumer| self.waits(consumer)).cloned().collect::<Vec<_>>() {
            if consumer.registration.patience().is_some_and(|patience| patience <= elapsed) {
                self.told_empty.push(consumer.hobj);
                tell(handle.number, &consumer, area, MQCBCT_EVENT_CALL, failed(Reason::NoMsgAvailable));
            }
        }
    }
}

fn number(delivery: &Delivery) -> i32 {
    i32::try_from(delivery.handle.number()).unwrap_or(0)
}

fn deliver(handle: &Handle, delivery: Delivery) {
    let hobj = number(&delivery);
    let (consumer, area) = {
        let state = handle.consuming.state.lock();
        (state.consumers.iter().find(|consumer| consumer.hobj == hobj).cloned(), state.connection_area)
    };
    let (Some(consumer), got) = (consumer, delivery.got) else { return };
    let Some(mut gmo) = consumer.registration.gmo else { return };
    let version = consumer.registration.md.as_ref().map_or(Version::Two, |md| match md.native().len() {
        model::descriptor_codec::VERSION_1_LENGTH => Version::One,
        _ => Version::Two,
    });
    let mut memory = Vec::new();
    encode(&got.descriptor, version, Encoding::NATIVE, &mut memory);
    let Ok(mut md) = DescriptorImage::from_native(&memory) else { return };
    let (mut body, mut length) = (got.body, got.data_length);
    if gmo.version >= 4 && gmo.msg_handle > 0 {
        let apart = message_handle::apart(&md, &body);
        let properties = apart.map_or_else(Vec::new, |apart| {
            md = apart.md;
            length = length.saturating_sub(apart.length);
            body = body.slice(apart.length.min(body.len())..);
            apart.properties
        });
        let _ = message_handle::with(gmo.msg_handle, |message| {
            message.replace(properties);
            Ok(())
        });
    }
    gmo.resolved_q_name = got.resolved_queue.padded();
    gmo.msg_token = got.message_token;
    gmo.returned_length = i32::try_from(body.len()).unwrap_or(i32::MAX);
    let stays =
        got.warning == Some(Reason::TruncatedMsgFailed) || gmo.options & (MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT) != 0;
    let ended = got.warning.map_or(Ended::WELL, crate::warned);
    (consumer.registration.function)(&Call {
        hconn: handle.number,
        call_type: if stays { MQCBCT_MSG_NOT_REMOVED } else { MQCBCT_MSG_REMOVED },
        hobj,
        callback_area: consumer.registration.callback_area,
        connection_area: area,
        completion: ended.completion,
        reason: ended.reason,
        data_length: length,
        reconnect_delay: Cell::new(0),
        message: Some((&md, &gmo, &body)),
    });
}

/// Calls a function without a message.
pub(super) fn tell(hconn: i32, consumer: &Consumer, connection_area: usize, call_type: i32, ended: Ended) {
    (consumer.registration.function)(&without_message(hconn, consumer, connection_area, call_type, ended));
}

/// Calls an event handler; the delay that it leaves behind.
pub(super) fn tell_of_reconnection(
    hconn: i32,
    handler: &Consumer,
    connection_area: usize,
    ended: Ended,
    delay_ms: i32,
) -> i32 {
    let call = without_message(hconn, handler, connection_area, MQCBCT_EVENT_CALL, ended);
    call.reconnect_delay.set(delay_ms);
    (handler.registration.function)(&call);
    call.reconnect_delay.get()
}

fn without_message<'a>(
    hconn: i32,
    consumer: &Consumer,
    connection_area: usize,
    call_type: i32,
    ended: Ended,
) -> Call<'a> {
    Call {
        hconn,
        call_type,
        hobj: consumer.hobj,
        callback_area: consumer.registration.callback_area,
        connection_area,
        completion: ended.completion,
        reason: ended.reason,
        data_length: 0,
        reconnect_delay: Cell::new(0),
        message: None,
    }
}

/// Calls those that asked for it by this option.
fn tell_all(handle: &Handle, option: i32, call_type: i32) {
    let (consumers, area) = {
        let state = handle.consuming.state.lock();
        let all = state.consumers.iter().chain(&state.event_handler);
        (
            all.filter(|consumer| consumer.registration.options & option != 0).cloned().collect::<Vec<_>>(),
            state.connection_area,
        )
    };
    for consumer in &consumers {
        tell(handle.number, consumer, area, call_type, Ended::WELL);
    }
}

/// The connection cannot go on: its event handler learns why, and its consumers when there is none. A handler has been told already of
/// a reconnection that failed.
fn tell_of_event(handle: &Handle, ended: Ended) {
    let (told, area) = {
        let state = handle.consuming.state.lock();
        let handler: Vec<Consumer> =
            state.event_handler.iter().filter(|handler| !handler.is_suspended).cloned().collect();
        let told = if handler.is_empty() {
            state.consumers.clone()
        } else {
            handler.into_iter().filter(|_| !is_of_reconnection(ended)).collect()
        };
        (told, state.connection_area)
    };
    for consumer in &told {
        tell(handle.number, consumer, area, MQCBCT_EVENT_CALL, ended);
    }
}

fn is_of_reconnection(ended: Ended) -> bool {
    let reasons = [Reason::ReconnectFailed, Reason::ReconnectTimedOut, Reason::ReconnectQmidMismatch];
    reasons.iter().any(|reason| reason.number() == ended.reason)
}

#[expect(clippy::disallowed_methods, reason = "a consumer's wait interval is measured here")]
fn now() -> Instant {
    Instant::now()
}
