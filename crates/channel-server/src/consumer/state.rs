//! What the consumers of a conversation are to do, and what they have done: plain data, changed by the conversation's own
//! job and by those of its consumers, which one task runs in turn.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use channel_protocol::assembly::Unit;
use channel_protocol::flow::consume::{MessageSelection, RequestMessages};
use channel_protocol::segment::Address;
use model::descriptor::{Ccsid, Encoding};
use model::descriptor_codec::{self, Version};
use model::identifier::{CorrelationId, GroupId, MessageId};
use model::options::{ConversionTarget, GetFlags, GetOptions};
use parking_lot::Mutex;
use queue_manager::connection::ObjectHandle;
use queue_manager::{Interrupt, Turn};

use crate::consumer::in_hand::{InHand, Sent, is_after};

/// Flags that take a message into the unit of work, or may.
const IN_UNIT: GetFlags = GetFlags::SYNCPOINT.union(GetFlags::SYNCPOINT_IF_PERSISTENT);

/// The consumers of one conversation.
#[derive(Default)]
pub(crate) struct Group {
    state: Mutex<State>,
    /// Of gets in the unit of work. A get from a shared queue takes a while, in which others would take messages too.
    pub(crate) turn: Turn,
}

#[derive(Default)]
struct State {
    is_resting: bool,
    /// The unit of work is being ended: nobody gets anything in it.
    is_held: bool,
    /// How often the client has still to say that it has reconnected.
    reconnections: u8,
    consumers: HashMap<u32, Arc<Consumer>, foldhash::fast::RandomState>,
    /// Of the message sent last.
    global_index: u32,
    in_hand: InHand,
    /// Who waits for consumers to come to rest.
    waiting: Option<Waker>,
    farewell: Farewell,
}

/// Whether the client is notified that its conversation has ended.
#[derive(Default)]
enum Farewell {
    #[default]
    None,
    /// It is to be told there.
    Due(Address),
    Said,
}

/// One handle that messages are requested for.
pub(crate) struct Consumer {
    pub(crate) handle: u32,
    pub(crate) interrupt: Interrupt,
    work: Mutex<Work>,
}

/// What is asked for, and what is on its way.
struct Work {
    address: Address,
    options: GetOptions,
    /// Where an answer goes once all that is there has been sent.
    confirm: Option<Address>,
    selection: Option<MessageSelection>,
    /// Bytes that may be on their way; 0: nothing is asked for.
    wanted: usize,
    /// Messages that the client has not said it received.
    on_their_way: VecDeque<OnItsWay>,
    message_index: u32,
    /// Of the message sent last, among the conversation's; 0 for none.
    last_sent: u32,
    is_getting: bool,
    is_closed: bool,
}

struct OnItsWay {
    /// Its number among the conversation's messages.
    index: u32,
    /// Of descriptor and data.
    bytes: usize,
    in_unit: bool,
}

/// What a consumer is to do next.
pub(crate) enum Next {
    Get(Order),
    /// The client is notified that it gets no more messages without another request.
    Confirm(Address),
}

/// One get that is to be made.
pub(crate) struct Order {
    pub(crate) handle: ObjectHandle,
    pub(crate) options: GetOptions,
    pub(crate) in_unit: bool,
}

/// Where and how a message is to be sent.
pub(crate) struct Ticket {
    pub(crate) address: Address,
    pub(crate) message_index: u32,
    pub(crate) global_index: u32,
    pub(crate) selection_index: u16,
    pub(crate) descriptor_version: Version,
}

impl Group {
    /// Takes a request over. Returns the consumer, a new one for a handle that had none, and whether others may go on that
    /// waited for the client.
    pub(crate) fn request(
        &self,
        handle: u32,
        unit: &Unit,
        request: &RequestMessages,
        maximum_message: usize,
    ) -> (Arc<Consumer>, bool) {
        let mut state = self.state.lock();
        let frees_others = state.in_hand.ask(handle, request.global_index);
        let consumer =
            state.consumers.entry(handle).or_insert_with(|| Arc::new(Consumer::new(handle, streaming(unit.address))));
        consumer.take(unit, request, maximum_message);
        (consumer.clone(), frees_others)
    }

    pub(crate) fn start(&self) {
        let mut state = self.state.lock();
        state.is_resting = false;
        state.in_hand.start();
    }

    /// The client makes a lost conversation again: nobody gets anything until it has said twice that it has.
    pub(crate) fn begin_reconnection(&self) {
        let mut state = self.state.lock();
        state.reconnections = 2;
        state.in_hand = InHand::PerhapsOfLost(None);
    }

    /// It has said so, or had time enough. True when consumers may go on now.
    pub(crate) fn reconnected(&self, is_over: bool) -> bool {
        let mut state = self.state.lock();
        if state.reconnections == 0 {
            return false;
        }
        state.reconnections = if is_over { 0 } else { state.reconnections - 1 };
        state.reconnections == 0
    }

    /// Nobody gets anything until `start`; ends when nobody does any more.
    pub(crate) async fn rest(&self) {
        self.begin_rest();
        self.at_rest(|_| true).await;
    }

    pub(crate) fn begin_rest(&self) {
        let mut state = self.state.lock();
        state.is_resting = true;
        state.consumers.values().for_each(|consumer| consumer.interrupt.set());
    }

    /// Nobody gets anything in the unit of work until `go_on`; ends when nobody does any more. What was got is sent.
    pub(crate) async fn hold(&self) {
        {
            let mut state = self.state.lock();
            state.is_held = true;
            let held = state.consumers.values().filter(|consumer| consumer.is_in_unit());
            held.for_each(|consumer| consumer.interrupt.set());
        }
        self.at_rest(Consumer::is_in_unit).await;
    }

    /// The unit of work is backed out, for the client. What it had in hand of a lost conversation is then no more, and it
    /// passes over what it was sent since: requests that those messages answered stand again, for when it asks anew.
    pub(crate) fn backed_out(&self) {
        let mut state = self.state.lock();
        if !state.in_hand.back_out() {
            return;
        }
        for consumer in state.consumers.values() {
            consumer.interrupt.set();
            consumer.work.lock().on_their_way.retain(|message| !message.in_unit);
        }
    }

    /// The unit of work is committed, for the client.
    pub(crate) fn committed(&self) {
        self.state.lock().in_hand.commit();
    }

    pub(crate) fn go_on(&self) {
        self.state.lock().is_held = false;
    }

    /// As `rest`, for one handle, which is forgotten then.
    pub(crate) async fn close(&self, handle: u32) {
        let consumer = self.state.lock().consumers.get(&handle).cloned();
        let Some(consumer) = consumer else { return };
        consumer.work.lock().is_closed = true;
        consumer.interrupt.set();
        self.at_rest(|consumer| consumer.handle == handle).await;
        let mut state = self.state.lock();
        state.consumers.remove(&handle);
        state.in_hand.close(handle);
    }

    pub(crate) fn last_sent(&self, handle: u32) -> u32 {
        self.state.lock().consumers.get(&handle).map_or(0, |consumer| consumer.work.lock().last_sent)
    }

    /// Whether a get of one is under way.
    pub(crate) fn awaits_messages(&self) -> bool {
        self.state.lock().consumers.values().any(|consumer| consumer.work.lock().is_getting)
    }

    async fn at_rest(&self, is_meant: impl Fn(&Consumer) -> bool) {
        poll_fn(|context| {
            let mut state = self.state.lock();
            let mut meant = state.consumers.values().filter(|consumer| is_meant(consumer));
            if meant.any(|consumer| consumer.work.lock().is_getting) {
                state.waiting = Some(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }

    /// A consumer gets no more because the queue manager quiesces: the client is to learn of it.
    pub(crate) fn owe_farewell(&self, consumer: &Consumer) {
        let address = consumer.address();
        let mut state = self.state.lock();
        if matches!(state.farewell, Farewell::None) {
            state.farewell = Farewell::Due(address);
        }
    }

    /// Where the client is to be told so: once, and not while it has a message in hand, or a consumer that goes on.
    pub(crate) fn take_farewell(&self) -> Option<Address> {
        let mut state = self.state.lock();
        let Farewell::Due(address) = state.farewell else { return None };
        let is_in_use = |work: &Work| !work.on_their_way.is_empty() || work.is_getting && work.room() > 0;
        if state.consumers.values().any(|consumer| is_in_use(&consumer.work.lock())) {
            return None;
        }
        state.farewell = Farewell::Said;
        Some(address)
    }

    /// `None`: it comes to rest until it is woken.
    pub(crate) fn next(&self, consumer: &Consumer) -> Option<Next> {
        let mut state = self.state.lock();
        let mut work = consumer.work.lock();
        let in_unit = work.options.flags.intersects(IN_UNIT);
        let is_stopped = state.is_resting || state.reconnections > 0 || state.in_hand == InHand::BackedOut;
        let must_wait = is_stopped || in_unit && (state.is_held || state.in_hand.keeps_from(consumer.handle));
        let may_get = !must_wait && !work.is_closed && work.room() > 0;
        if let Some(address) = work.confirm.take_if(|_| !may_get) {
            return Some(Next::Confirm(address));
        }
        work.is_getting = may_get;
        if !may_get {
            drop(work);
            let waiting = state.waiting.take();
            drop(state);
            if let Some(waker) = waiting {
                waker.wake();
            }
            return None;
        }
        consumer.interrupt.clear();
        let mut options = work.options.clone();
        options.flags.set(GetFlags::WAIT, work.confirm.is_none());
        Some(Next::Get(Order { handle: ObjectHandle(consumer.handle), options, in_unit }))
    }

    /// A message with so many bytes of data is about to be sent.
    pub(crate) fn sends(&self, consumer: &Consumer, data_length: usize, in_unit: bool) -> Ticket {
        let mut state = self.state.lock();
        let mut work = consumer.work.lock();
        state.global_index = state.global_index.wrapping_add(1);
        work.message_index = work.message_index.wrapping_add(1);
        work.last_sent = state.global_index;
        let selection = work.selection.as_ref();
        let ticket = Ticket {
            address: work.address,
            message_index: work.message_index,
            global_index: state.global_index,
            selection_index: selection.map_or(0, |selection| selection.index),
            descriptor_version: match selection.map(|selection| selection.descriptor_version) {
                Some(1) => Version::One,
                _ => Version::Two,
            },
        };
        let bytes = Ticket::descriptor_length(ticket.descriptor_version) + data_length;
        work.on_their_way.push_back(OnItsWay { index: state.global_index, bytes, in_unit });
        drop(work);
        if in_unit {
            let index = state.global_index;
            state.in_hand.send(Sent { handle: consumer.handle, index });
            let others = state.consumers.values().filter(|other| other.handle != consumer.handle && other.is_in_unit());
            others.for_each(|other| other.interrupt.set());
        }
        ticket
    }
}

impl Ticket {
    /// Bytes of its descriptor.
    fn descriptor_length(version: Version) -> usize {
        match version {
            Version::One => descriptor_codec::VERSION_1_LENGTH,
            Version::Two => descriptor_codec::VERSION_2_LENGTH,
        }
    }
}

impl Consumer {
    fn new(handle: u32, address: Address) -> Self {
        let work = Work {
            address,
            options: GetOptions::default(),
            confirm: None,
            selection: None,
            wanted: 0,
            on_their_way: VecDeque::new(),
            message_index: 0,
            last_sent: 0,
            is_getting: false,
            is_closed: false,
        };
        Self { handle, interrupt: Interrupt::default(), work: Mutex::new(work) }
    }

    fn is_in_unit(&self) -> bool {
        self.work.lock().options.flags.intersects(IN_UNIT)
    }

    pub(crate) fn address(&self) -> Address {
        self.work.lock().address
    }

    /// Nothing was found: who waits for an answer gets it now.
    pub(crate) fn take_confirm(&self) -> Option<Address> {
        self.work.lock().confirm.take()
    }

    /// Nothing more until the next request.
    pub(crate) fn give_up(&self) {
        self.work.lock().wanted = 0;
    }

    fn take(&self, unit: &Unit, request: &RequestMessages, maximum_message: usize) {
        let mut work = self.work.lock();
        let work = &mut *work;
        if unit.confirm_requested() {
            work.confirm = Some(unit.address);
            // The wait under way is over: the answer does not wait.
            self.interrupt.set();
        } else {
            work.address = unit.address;
        }
        if request.selection.is_some() {
            work.selection.clone_from(&request.selection);
        }
        let asked = options(request, work.selection.as_ref(), maximum_message);
        if !is_same(&work.options, &asked) {
            // A get that is under way goes on with what was asked before.
            self.interrupt.set();
        }
        work.options = asked;
        work.wanted = usize::try_from(request.wanted).unwrap_or(usize::MAX);
        while work.on_their_way.front().is_some_and(|message| !is_after(message.index, request.global_index)) {
            work.on_their_way.pop_front();
        }
    }
}

impl Work {
    /// Bytes that may still be sent.
    fn room(&self) -> usize {
        self.wanted.saturating_sub(self.on_their_way.iter().map(|message| message.bytes).sum())
    }
}

/// Where messages go until a request says otherwise: the Java client has request 1 for them, and 3 for what it waits for.
fn streaming(address: Address) -> Address {
    match address {
        Address::Conversation { conversation, .. } => Address::Conversation { conversation, request: 1 },
        other => other,
    }
}

fn is_same(one: &GetOptions, other: &GetOptions) -> bool {
    one.flags == other.flags
        && one.match_options == other.match_options
        && one.message_id == other.message_id
        && one.correlation_id == other.correlation_id
        && one.group_id == other.group_id
        && one.message_sequence_number == other.message_sequence_number
        && one.offset == other.offset
        && one.message_token == other.message_token
        && one.target == other.target
}

/// The get that a request stands for. It waits without end: what is requested stands until something else is.
fn options(request: &RequestMessages, selection: Option<&MessageSelection>, maximum_message: usize) -> GetOptions {
    let flags = request.options.union(GetFlags::WAIT);
    let limit = usize::try_from(request.maximum_length).unwrap_or(usize::MAX).min(maximum_message);
    let mut options = GetOptions { flags, wait: None, buffer_length: Some(limit), ..GetOptions::default() };
    if let Some(selection) = selection {
        options.match_options = selection.match_options;
        options.message_id = MessageId::new(selection.message_id);
        options.correlation_id = CorrelationId::new(selection.correlation_id);
        options.group_id = GroupId::new(selection.group_id);
        options.message_sequence_number = u32::try_from(selection.sequence_number).unwrap_or(0);
        options.offset = u32::try_from(selection.offset).unwrap_or(0);
        options.message_token = selection.message_token;
        let target = ConversionTarget { ccsid: Ccsid(selection.ccsid), encoding: Encoding(selection.encoding) };
        options.target = flags.contains(GetFlags::CONVERT).then_some(target);
    }
    options
}
