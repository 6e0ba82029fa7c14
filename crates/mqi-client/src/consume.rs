//! MQCB and MQCTL: functions of the program that are called with each message, and when they are called.
//!
//! A started connection has one dispatcher: a thread of its own, or the caller of START_WAIT. It waits for messages with the
//! connection in its hands, puts it down, and calls the program. While it runs, other threads get 2500, but for what stops it.
//!
//! Invariants
//! - A callback runs without any lock held, so that it may make calls on its connection, and end its own consumption.
//! - STOP and SUSPEND return after the callback that runs, unless it is the callback that calls them.
//!
//! Source: MQ reference, "MQCB", "MQCTL", "MQCBC", "MQCBD", 9.4.

mod dispatch;

use std::cell::Cell;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

use channel_client::connection::consume::ReadAhead;
use channel_client::reconnect::Event;
use channel_protocol::structure::descriptor_image::DescriptorImage;
use model::descriptor::{Encoding, MessageDescriptor};
use model::options::{GetFlags, GetOptions};
use model::reason::Reason;
use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use crate::constant::{
    MQCBCT_DEREGISTER_CALL, MQCBCT_REGISTER_CALL, MQCBDO_DEREGISTER_CALL, MQCBDO_REGISTER_CALL, MQCBT_EVENT_HANDLER,
    MQCBT_MESSAGE_CONSUMER, MQGMO_WAIT, MQOP_DEREGISTER, MQOP_REGISTER, MQOP_RESUME, MQOP_START, MQOP_START_WAIT,
    MQOP_STOP, MQOP_SUSPEND,
};
use crate::handles::{self, Handle, Session};
use crate::structure::Mqgmo;
use crate::verb::object_handle;
use crate::{Ended, convert, ended_by, failed, warned};

/// How long an empty queue is looked at before a consumer that does not wait is told.
const NO_WAIT: Duration = Duration::from_millis(100);

/// Why a function of the program is called: MQCBC, and the message.
pub struct Call<'a> {
    pub hconn: i32,
    /// MQCBCT_*.
    pub call_type: i32,
    pub hobj: i32,
    pub callback_area: usize,
    pub connection_area: usize,
    pub completion: i32,
    pub reason: i32,
    /// Of the whole message, in bytes.
    pub data_length: usize,
    /// In milliseconds, of a reconnection that is to come. The function may change it: MQRD_*.
    pub reconnect_delay: Cell<i32>,
    pub message: Option<(&'a DescriptorImage, &'a Mqgmo, &'a [u8])>,
}

/// A function of the program.
pub type Function = Arc<dyn Fn(&Call<'_>) + Send + Sync>;

/// What MQCB registers.
#[derive(Clone)]
pub struct Registration {
    /// MQCBT_*.
    pub callback_type: i32,
    /// MQCBDO_*.
    pub options: i32,
    pub callback_area: usize,
    pub function: Function,
    /// -1: any length.
    pub maximum_length: i32,
    pub md: Option<DescriptorImage>,
    pub gmo: Option<Mqgmo>,
}

#[derive(Clone)]
struct Consumer {
    hobj: i32,
    registration: Registration,
    is_suspended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Wanted {
    #[default]
    Stopped,
    Suspended,
    Started,
}

#[derive(Default)]
struct State {
    wanted: Wanted,
    connection_area: usize,
    consumers: Vec<Consumer>,
    event_handler: Option<Consumer>,
    /// Who dispatches.
    dispatcher: Option<ThreadId>,
    /// The dispatcher is within `next_message` or a callback.
    is_busy: bool,
    /// Who tells the event handler of a reconnection, in the middle of a call.
    in_event: Option<ThreadId>,
}

impl State {
    fn check_event(&self) -> Result<(), Ended> {
        match self.in_event {
            Some(thread) if thread == std::thread::current().id() => Err(failed(Reason::CallInProgress)),
            _ => Ok(()),
        }
    }
}

/// The callbacks of one connection.
#[derive(Default)]
pub(crate) struct Consuming {
    state: Mutex<State>,
    changed: Condvar,
    /// Ends the dispatcher's wait.
    wake: Notify,
}

impl Consuming {
    pub(crate) fn is_dispatcher(&self) -> bool {
        self.state.lock().dispatcher == Some(std::thread::current().id())
    }

    /// # Errors
    /// 2219: an event handler calls while it is told of a reconnection, within a call that waits for that.
    pub(crate) fn check_event(&self) -> Result<(), Ended> {
        self.state.lock().check_event()
    }

    /// # Errors
    /// 2500: the connection delivers to callbacks, and another thread calls. 2219 as `check_event`.
    pub(crate) fn check(&self) -> Result<(), Ended> {
        let state = self.state.lock();
        state.check_event()?;
        let is_own = state.dispatcher == Some(std::thread::current().id());
        if state.dispatcher.is_some() && state.wanted == Wanted::Started && !is_own {
            return Err(failed(Reason::HconnAsyncActive));
        }
        Ok(())
    }

    /// Makes the dispatcher do something else, and waits until it does, unless it asks itself.
    fn turn(&self, wanted: Wanted) {
        let mut state = self.state.lock();
        state.wanted = wanted;
        self.changed.notify_all();
        self.wake.notify_one();
        let own = std::thread::current().id();
        while state.dispatcher.is_some_and(|thread| thread != own) && Self::is_in_the_way(&state, wanted) {
            self.changed.wait(&mut state);
        }
    }

    fn is_in_the_way(state: &State, wanted: Wanted) -> bool {
        match wanted {
            Wanted::Stopped => true,
            Wanted::Suspended => state.is_busy,
            Wanted::Started => false,
        }
    }

    /// Before MQDISC.
    pub(crate) fn stop(&self) {
        self.turn(Wanted::Stopped);
    }
}

/// MQCB.
///
/// # Errors
/// 2018, 2019, 2500, 2483, 2484, 2486, 2488, 2448, and what `channel_client` says of consumers.
pub fn callback(hconn: i32, operation: i32, hobj: i32, registration: Option<Registration>) -> Result<Ended, Ended> {
    let handle = handles::find(hconn)?;
    if let Some(registration) = &registration
        && registration.callback_type == MQCBT_EVENT_HANDLER
    {
        return event_handler(&handle, operation, registration.clone());
    }
    match operation {
        MQOP_REGISTER => {
            let registration = registration.ok_or(failed(Reason::CbdError))?;
            if registration.callback_type != MQCBT_MESSAGE_CONSUMER {
                return Err(failed(Reason::CallbackTypeError));
            }
            register(&handle, hobj, registration)
        }
        MQOP_DEREGISTER | MQOP_SUSPEND | MQOP_RESUME => change(&handle, operation, hobj),
        _ => Err(failed(Reason::OperationError)),
    }
}

fn event_handler(handle: &Handle, operation: i32, registration: Registration) -> Result<Ended, Ended> {
    let mut state = handle.consuming.state.lock();
    match operation {
        MQOP_REGISTER => state.event_handler = Some(Consumer { hobj: 0, registration, is_suspended: false }),
        MQOP_DEREGISTER => {
            state.event_handler.take().ok_or(failed(Reason::CallbackNotRegistered))?;
        }
        MQOP_SUSPEND | MQOP_RESUME => {
            let known = state.event_handler.as_mut().ok_or(failed(Reason::CallbackNotRegistered))?;
            known.is_suspended = operation == MQOP_SUSPEND;
        }
        _ => return Err(failed(Reason::OperationError)),
    }
    Ok(Ended::WELL)
}

/// Tells the event handler how a lost connection is made again: the pause that it wants before the next try, `None` for no more.
pub(crate) fn reconnection(handle: &Handle, event: Event) -> Option<Duration> {
    let planned = match event {
        Event::Reconnecting(pause) => Some(pause),
        Event::Reconnected | Event::Failed(_) => None,
    };
    let (handler, area) = {
        let mut state = handle.consuming.state.lock();
        let Some(handler) = state.event_handler.clone().filter(|handler| !handler.is_suspended) else { return planned };
        state.in_event = Some(std::thread::current().id());
        (handler, state.connection_area)
    };
    let ended = match event {
        Event::Reconnecting(_) => warned(Reason::Reconnecting),
        Event::Reconnected => Ended { reason: Reason::Reconnected.number(), ..Ended::WELL },
        Event::Failed(reason) => failed(reason),
    };
    let delay = planned.map_or(0, |pause| i32::try_from(pause.as_millis()).unwrap_or(i32::MAX));
    let wanted = dispatch::tell_of_reconnection(handle.number, &handler, area, ended, delay);
    handle.consuming.state.lock().in_event = None;
    match wanted {
        same if same == delay => planned,
        // MQRD_NO_RECONNECT is -1.
        wanted => u64::try_from(wanted).ok().map(Duration::from_millis),
    }
}

fn register(handle: &Handle, hobj: i32, registration: Registration) -> Result<Ended, Ended> {
    handle.run(|runtime, session| begin(runtime, session, hobj, &registration))?;
    let consumer = Consumer { hobj, registration, is_suspended: false };
    let calls = consumer.registration.options & MQCBDO_REGISTER_CALL != 0;
    let area = {
        let mut state = handle.consuming.state.lock();
        state.consumers.retain(|known| known.hobj != hobj);
        state.consumers.push(consumer.clone());
        state.connection_area
    };
    if calls {
        dispatch::tell(handle.number, &consumer, area, MQCBCT_REGISTER_CALL, Ended::WELL);
    }
    Ok(Ended::WELL)
}

/// Asks the connection for messages of the handle.
fn begin(
    runtime: &tokio::runtime::Runtime,
    session: &mut Session,
    hobj: i32,
    registration: &Registration,
) -> Result<(), Ended> {
    let object = object_handle(hobj)?;
    let options = get_options(registration)?;
    let asked = runtime.block_on(session.connection.consume(object, &options, ReadAhead::Off));
    asked.map_err(|error| ended_by(&error))
}

fn get_options(registration: &Registration) -> Result<GetOptions, Ended> {
    let gmo = registration.gmo.ok_or(failed(Reason::GmoError))?;
    let descriptor = match &registration.md {
        None => MessageDescriptor::default(),
        Some(md) => model::descriptor_codec::decode(md.native(), Encoding::NATIVE)
            .map(|(descriptor, _)| descriptor)
            .map_err(|_| failed(Reason::MdError))?,
    };
    let structure = convert::get_options(&gmo);
    let mut options = structure.to_model(&descriptor, 0).map_err(failed)?;
    options.buffer_length = usize::try_from(registration.maximum_length).ok();
    if gmo.version >= 4 && gmo.msg_handle > 0 {
        options.flags.remove(GetFlags::PROPERTIES_IN_HANDLE);
        options.flags.insert(GetFlags::PROPERTIES_FORCE_MQRFH2);
    }
    Ok(options)
}

fn change(handle: &Handle, operation: i32, hobj: i32) -> Result<Ended, Ended> {
    let (known, area) = {
        let state = handle.consuming.state.lock();
        (state.consumers.iter().find(|consumer| consumer.hobj == hobj).cloned(), state.connection_area)
    };
    let known = known.ok_or(failed(Reason::CallbackNotRegistered))?;
    handle.run(|runtime, session| {
        if operation == MQOP_RESUME {
            return if known.is_suspended { begin(runtime, session, hobj, &known.registration) } else { Ok(()) };
        }
        let object = object_handle(hobj)?;
        runtime.block_on(session.connection.end_consumer(object)).map_err(|error| ended_by(&error))
    })?;
    let mut state = handle.consuming.state.lock();
    if operation == MQOP_DEREGISTER {
        state.consumers.retain(|consumer| consumer.hobj != hobj);
        drop(state);
        if known.registration.options & MQCBDO_DEREGISTER_CALL != 0 {
            dispatch::tell(handle.number, &known, area, MQCBCT_DEREGISTER_CALL, Ended::WELL);
        }
    } else if let Some(consumer) = state.consumers.iter_mut().find(|consumer| consumer.hobj == hobj) {
        consumer.is_suspended = operation == MQOP_SUSPEND;
    }
    Ok(Ended::WELL)
}

/// After MQCLOSE: the handle is gone, and its consumer with it.
pub(crate) fn forget(handle: &Handle, hobj: i32) {
    handle.consuming.state.lock().consumers.retain(|consumer| consumer.hobj != hobj);
}

/// MQCTL.
///
/// # Errors
/// 2018, 2446 nothing to start, 2488, 2500 it is started, 2534 suspended already, or nothing to suspend or resume.
pub fn control(hconn: i32, operation: i32, connection_area: usize) -> Result<Ended, Ended> {
    let handle = handles::find(hconn)?;
    match operation {
        MQOP_START | MQOP_START_WAIT => {
            let mut state = handle.consuming.state.lock();
            if state.dispatcher.is_some() {
                let is_suspended = state.wanted == Wanted::Suspended;
                let reason = if is_suspended { Reason::OperationNotAllowed } else { Reason::HconnAsyncActive };
                return Err(failed(reason));
            }
            if state.consumers.is_empty() && state.event_handler.is_none() {
                return Err(failed(Reason::NoCallbacksActive));
            }
            state.connection_area = connection_area;
            dispatch::start(&handle, state, operation == MQOP_START_WAIT)
        }
        MQOP_STOP => {
            handle.consuming.turn(Wanted::Stopped);
            Ok(Ended::WELL)
        }
        MQOP_SUSPEND | MQOP_RESUME => {
            if handle.consuming.state.lock().dispatcher.is_none() {
                return Err(failed(Reason::OperationNotAllowed));
            }
            let wanted = if operation == MQOP_SUSPEND { Wanted::Suspended } else { Wanted::Started };
            handle.consuming.turn(wanted);
            Ok(Ended::WELL)
        }
        _ => Err(failed(Reason::OperationError)),
    }
}

impl Registration {
    /// How long a consumer waits for a message before it is told that there is none; `None` for without end.
    fn patience(&self) -> Option<Duration> {
        let gmo = self.gmo?;
        if gmo.options & MQGMO_WAIT == 0 {
            return Some(NO_WAIT);
        }
        u64::try_from(gmo.wait_interval).ok().map(Duration::from_millis)
    }

    /// A consumer that does not wait is told once that there is nothing, until the next message.
    fn is_told_once(&self) -> bool {
        self.gmo.is_some_and(|gmo| gmo.options & MQGMO_WAIT == 0)
    }
}
