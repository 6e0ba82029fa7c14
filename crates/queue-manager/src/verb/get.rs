//! MQGET: checks the options, looks for a message, waits for one, and hands it over. Browsing is in `browse.rs`.
//!
//! A look takes the message and is over; only between looks may a get be dropped without consequence. Waiting is in the
//! order of coming (`waiters.rs`).
//!
//! Source: MQ reference, "MQGET", "MQGMO", 9.3.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::definition::QueueKind;
use model::definition::queue::PropertyControl;
use model::descriptor::Persistence;
use model::message::Message;
use model::options::{GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{Selection, StoredMessage, UnitOfWorkId};
use tokio::time::Instant;

use crate::engine::Engine;
use crate::engine::turn::Turn;
use crate::instrumentation::event;
use crate::queue::Queue;
use crate::queue::cursor::GroupPlace;
use crate::queue::group::{place_after, statuses};
use crate::queue::waiters::{Arrival, Changes, Waiter, Wanted};
use crate::queue::{expiry, report};
use crate::reason;
use crate::selection::matching;
use crate::selection::matching::Filter;
use crate::selection::selector::Selector;
use crate::verb::connection::{Connection, GetResult, ObjectHandle};
use crate::verb::handle::{Context, Handle};
use crate::verb::interrupt::{Closing, Interrupt};
use crate::verb::unit_of_work::What;
use crate::verb::{browse, complete_message, selecting, shown, traced};

const SYNCPOINTS: GetFlags = GetFlags::SYNCPOINT.union(GetFlags::NO_SYNCPOINT).union(GetFlags::SYNCPOINT_IF_PERSISTENT);
const MARKS: GetFlags = GetFlags::MARK_BROWSE_HANDLE
    .union(GetFlags::MARK_BROWSE_CO_OP)
    .union(GetFlags::UNMARK_BROWSE_CO_OP)
    .union(GetFlags::UNMARK_BROWSE_HANDLE)
    .union(GetFlags::UNMARKED_BROWSE_MSG);
const PROPERTIES: GetFlags = GetFlags::PROPERTIES_FORCE_MQRFH2
    .union(GetFlags::NO_PROPERTIES)
    .union(GetFlags::PROPERTIES_IN_HANDLE)
    .union(GetFlags::PROPERTIES_COMPATIBILITY);
/// MQGMO_SET_SIGNAL is not among them: signals exist on z/OS only.
const KNOWN: GetFlags = GetFlags::BROWSES
    .union(SYNCPOINTS)
    .union(MARKS)
    .union(PROPERTIES)
    .union(GetFlags::WAIT)
    .union(GetFlags::ACCEPT_TRUNCATED_MSG)
    .union(GetFlags::MARK_SKIP_BACKOUT)
    .union(GetFlags::MSG_UNDER_CURSOR)
    .union(GetFlags::LOCK)
    .union(GetFlags::UNLOCK)
    .union(GetFlags::FAIL_IF_QUIESCING)
    .union(GetFlags::CONVERT)
    .union(GetFlags::LOGICAL_ORDER)
    .union(GetFlags::COMPLETE_MSG)
    .union(GetFlags::ALL_MSGS_AVAILABLE)
    .union(GetFlags::ALL_SEGMENTS_AVAILABLE);

/// # Errors
/// 2016, 2019, 2024, 2033, 2034, 2036, 2037, 2041, 2046, 2052, 2062, 2102, 2161, 2162, 2202, 2209, 2245, 2247.
pub(crate) async fn get(
    connection: &Connection,
    handle: ObjectHandle,
    options: &GetOptions,
    terms: &Terms<'_>,
) -> Result<Box<GetResult>, Reason> {
    let open = connection.state.handle(handle)?;
    let flags = options.flags;
    check_flags(flags)?;
    matching::check(options)?;
    check_opened_for(open.options, flags)?;
    let source = open.source()?;
    let get =
        Get { connection, engine: &connection.engine, open: &open, queue: source.queue, options, terms, waiter: None };
    if flags.contains(GetFlags::UNLOCK) {
        return browse::unlock_message(&get);
    }
    // Read first: whatever changes from here on is a reason to look once more.
    let before = source.queue.waiters.changes();
    get.check_possible()?;
    if flags.contains(GetFlags::MARK_SKIP_BACKOUT) && connection.state.has_mark() {
        return Err(Reason::SecondMarkNotAllowed);
    }
    if !get.would_look_in_vain(before)
        && let Some(result) = get.look().await?
    {
        return Ok(result);
    }
    if !get.may_wait() {
        return Err(get.nothing());
    }
    get.wait(before).await
}

/// Combinations that make no sense.
fn check_flags(flags: GetFlags) -> Result<(), Reason> {
    let more_than_one = |group: GetFlags| (flags & group).bits().count_ones() > 1;
    let browses = flags.intersects(GetFlags::BROWSES);
    let destructive_only = GetFlags::SYNCPOINT | GetFlags::SYNCPOINT_IF_PERSISTENT | GetFlags::MARK_SKIP_BACKOUT;
    let beside_unlock = GetFlags::UNLOCK | GetFlags::NO_SYNCPOINT | GetFlags::FAIL_IF_QUIESCING;
    let at_the_cursor = flags.intersects(GetFlags::MSG_UNDER_CURSOR | GetFlags::BROWSE_MSG_UNDER_CURSOR);
    let is_wrong = !KNOWN.contains(flags)
        || more_than_one(GetFlags::BROWSES | GetFlags::MSG_UNDER_CURSOR)
        || more_than_one(SYNCPOINTS)
        || more_than_one(PROPERTIES)
        || browses && flags.intersects(destructive_only)
        || flags.contains(GetFlags::LOCK) && !browses
        || flags.contains(GetFlags::UNLOCK) && !beside_unlock.contains(flags)
        || flags.intersects(MARKS) && !browses
        || flags.contains(GetFlags::MARK_SKIP_BACKOUT) && !flags.contains(GetFlags::SYNCPOINT)
        || at_the_cursor && flags.intersects(GetFlags::ALL_MSGS_AVAILABLE | GetFlags::LOGICAL_ORDER);
    if is_wrong { Err(Reason::OptionsError) } else { Ok(()) }
}

fn check_opened_for(opened: OpenOptions, flags: GetFlags) -> Result<(), Reason> {
    let browses = flags.intersects(GetFlags::BROWSES | GetFlags::MSG_UNDER_CURSOR | GetFlags::UNLOCK);
    if browses && !opened.contains(OpenOptions::BROWSE) {
        return Err(Reason::NotOpenForBrowse);
    }
    let takes = !flags.intersects(GetFlags::BROWSES | GetFlags::UNLOCK);
    if takes && !opened.intersects(OpenOptions::INPUT_SHARED | OpenOptions::INPUT_EXCLUSIVE) {
        return Err(Reason::NotOpenForInput);
    }
    Ok(())
}

/// One get or browse.
pub(super) struct Get<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) engine: &'a Arc<Engine>,
    pub(crate) open: &'a Handle,
    pub(crate) queue: &'a Arc<Queue>,
    pub(crate) options: &'a GetOptions,
    pub(super) terms: &'a Terms<'a>,
    /// Its place in line, once it waits.
    pub(super) waiter: Option<&'a Waiter<'a>>,
}

/// What a get in the same process may ask for beyond MQGMO.
#[derive(Clone, Copy, Default)]
pub struct Terms<'a> {
    /// Ends its wait.
    pub interrupt: Option<&'a Interrupt>,
    /// Ends its wait, and that of every other get with the same one.
    pub closing: Option<&'a Closing>,
    /// Gets with the same one look one after the other, and not once their wait is over. So of several gets in one unit of work one alone
    /// takes a message, if it sets the interrupts of the others before it does anything else.
    pub turn: Option<&'a Turn>,
    /// Ends a wait that `GetFlags::WAIT` asks for, whatever `GetOptions::wait` says, unless that is zero.
    pub until: Option<Instant>,
    /// Nothing that is wanted was on the queue at that moment (`Opened::changes`): a get that will wait need not look before it
    /// has changed.
    pub since: Option<Changes>,
    /// Asked of the message, as it lies on the queue, before it is taken. `false` leaves it there, its backout count as
    /// it was, and ends the call with `FormatError` (2110). It may be asked of several, of which the last is taken. The
    /// handle does not save the context of that message (MQOO_SAVE_ALL_CONTEXT). For destructive gets; must be quick.
    pub accept: Option<&'a Accept<'a>>,
}

pub type Accept<'a> = dyn Fn(&Message) -> bool + Sync + 'a;

impl Terms<'_> {
    /// The wait is over before its time.
    pub(super) fn end_the_wait(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_set) || self.closing.is_some_and(Closing::is_set)
    }
}

/// A message that the store gave up, and the unit of work it is in now.
pub(crate) struct Taken {
    pub(crate) stored: StoredMessage,
    pub(crate) unit: Option<UnitOfWorkId>,
}

impl Get<'_> {
    pub(crate) fn has(&self, flag: GetFlags) -> bool {
        self.options.flags.contains(flag)
    }

    fn browses(&self) -> bool {
        self.options.flags.intersects(GetFlags::BROWSES)
    }

    /// Asked before each look, and between the slices of a long one: things may change meanwhile.
    pub(super) fn check_possible(&self) -> Result<(), Reason> {
        self.engine.admit(self.has(GetFlags::FAIL_IF_QUIESCING))?;
        self.connection.state.check()?;
        if self.has(GetFlags::FAIL_IF_QUIESCING) && self.connection.state.is_quiescing() {
            return Err(Reason::ConnectionQuiescing);
        }
        let source = self.open.source()?;
        source.opened.check_get_enabled()?;
        source.queue.check_get_enabled()
    }

    fn may_wait(&self) -> bool {
        let at_the_cursor = GetFlags::MSG_UNDER_CURSOR | GetFlags::BROWSE_MSG_UNDER_CURSOR;
        self.has(GetFlags::WAIT)
            && self.options.wait != Some(Duration::ZERO)
            && !self.options.flags.intersects(at_the_cursor)
    }

    /// Somebody has ended the wait before its time.
    pub(super) fn is_to_end(&self) -> bool {
        self.may_wait() && self.terms.end_the_wait()
    }

    /// A get that will wait need not look first at a queue that is empty, or that had nothing for it and has not changed:
    /// whatever comes changes `Waiters::changes`. The others may have something to refuse or to begin anew.
    fn would_look_in_vain(&self, changes: Changes) -> bool {
        let looks_all_the_same = GetFlags::BROWSES | GetFlags::LOGICAL_ORDER | GetFlags::SYNCPOINT;
        // Of a shared queue others may have changed what is known here.
        (self.terms.since == Some(changes) || self.queue.depth() == 0 && !self.queue.id.is_shared())
            && self.may_wait()
            && !self.options.flags.intersects(looks_all_the_same)
    }

    fn nothing(&self) -> Reason {
        if self.options.flags.intersects(GetFlags::MSG_UNDER_CURSOR | GetFlags::BROWSE_MSG_UNDER_CURSOR) {
            Reason::NoMsgUnderCursor
        } else {
            Reason::NoMsgAvailable
        }
    }

    fn wanted(&self, in_group: bool) -> Wanted {
        let wanted = matching::wanted(self.options, self.open.selector.as_deref(), in_group, self.browses());
        Wanted { handle: self.open.owner.0, ..wanted }
    }

    async fn look(&self) -> Result<Option<Box<GetResult>>, Reason> {
        let Some(turn) = self.terms.turn else { return self.look_now().await };
        let _taken = turn.take().await;
        // What another took meanwhile may have ended this one.
        if self.terms.end_the_wait() { Ok(None) } else { self.look_now().await }
    }

    async fn look_now(&self) -> Result<Option<Box<GetResult>>, Reason> {
        let now = self.engine.now();
        if self.queue.has_expired_messages(now) {
            // Here and below: what is seldom needed is boxed, so that the state of every get need not hold it.
            Box::pin(expiry::discard(self.engine, self.queue, now)).await;
        }
        if self.browses() { Box::pin(browse::look(self, now)).await } else { self.take(now).await }
    }

    /// `before`: the queue's changes before the look that was in vain, or would have been.
    async fn wait(&self, before: Changes) -> Result<Box<GetResult>, Reason> {
        let in_group = self.place(self.browses()).is_some();
        let clock = &self.engine.clock;
        let of_options = || self.options.wait.and_then(|wait| clock.instant().checked_add(wait));
        let deadline = self.terms.until.map(|until| clock.of_machine(until)).or_else(of_options);
        let waiter = self.queue.waiters.register(self.wanted(in_group));
        // What other members put is told while somebody waits.
        let _watched = self.engine.store.watch(self.queue.id);
        let in_line = Get { waiter: Some(&waiter), ..*self };
        let mut is_over = false;
        let passes_over_marked = matching::passes_over_marked(self.options, self.open);
        // If nothing has changed since then, a look would be in vain; but marks end and change nothing.
        let mut is_to_look = passes_over_marked || self.queue.waiters.changes() != before || self.queue.id.is_shared();
        loop {
            let looked = passes_over_marked.then(|| self.engine.now());
            if is_to_look {
                waiter.begin_look();
                self.check_possible()?;
                if let Some(result) = in_line.look().await? {
                    if result.warning != Some(Reason::TruncatedMsgFailed) && !self.browses() {
                        waiter.took(&result.descriptor.message_id);
                    }
                    return Ok(result);
                }
                waiter.found_nothing();
            }
            is_to_look = true;
            if is_over || self.terms.end_the_wait() {
                return Err(self.nothing());
            }
            let woken = self.woken(&waiter);
            match [deadline, looked.and_then(|looked| self.end_of_marks(looked))].into_iter().flatten().min() {
                None => woken.await,
                // Woken at the last moment is woken: one more look.
                Some(end) => {
                    let woken = tokio::time::timeout_at(clock.to_machine(end), woken).await;
                    is_over = woken.is_err() && deadline == Some(end);
                }
            }
            if self.terms.end_the_wait() {
                return Err(self.nothing());
            }
        }
    }

    /// Until there is reason to look again, or not to.
    async fn woken(&self, waiter: &Waiter<'_>) {
        match self.terms.interrupt {
            None => waiter.woken().await,
            Some(interrupt) => interrupt.or(waiter.woken()).await,
        }
    }

    /// When a message that cooperating browsers have marked, and a browse at that time passed over, is free again: nobody tells.
    fn end_of_marks(&self, looked: Timestamp) -> Option<Instant> {
        let end = self.queue.first_mark_end(looked)?;
        self.engine.clock.instant().checked_add(end.since(self.engine.now()))
    }

    /// Where the handle is in logical order, for gets or for browses.
    pub(crate) fn place(&self, browses: bool) -> Option<GroupPlace> {
        if !self.has(GetFlags::LOGICAL_ORDER) {
            return None;
        }
        let memory = self.open.memory.lock();
        if browses { memory.cursor.browse_place } else { memory.cursor.get_place }
    }

    /// Takes the next message, if there is one.
    async fn take(&self, now: Timestamp) -> Result<Option<Box<GetResult>>, Reason> {
        let place = self.place(false);
        if place.is_some_and(|place| place.in_unit != self.has(GetFlags::SYNCPOINT)) {
            return Err(Reason::InconsistentUow);
        }
        let exact = if self.has(GetFlags::MSG_UNDER_CURSOR) {
            let position = self.open.memory.lock().cursor.at.map(|key| key.position);
            position.map(|position| self.at(position))
        } else {
            matching::exact(self.options, self.open, self.queue, place)
        };
        let Some(exact) = exact else { return Ok(None) };
        let filter = Filter::new(self.options, self.open, self.queue, place.is_some(), now);
        let Some(selector) = self.selector() else { return self.take_next(&exact, &filter, now).await };
        loop {
            let Some(selected) = Box::pin(selecting::next(self, selector, &exact, &filter, None, now)).await? else {
                return Ok(None);
            };
            let at = Selection { position: Some(selected.position), ..exact };
            if let Some(result) = self.take_next(&at, &filter, now).await? {
                return Ok(Some(result));
            }
            // Somebody else was quicker.
        }
    }

    /// The selector of the handle, unless it says nothing that identifiers or the cursor do not say.
    pub(crate) fn selector(&self) -> Option<&Selector> {
        let at_the_cursor = GetFlags::MSG_UNDER_CURSOR | GetFlags::BROWSE_MSG_UNDER_CURSOR;
        let selector = self.open.selector.as_deref().filter(|selector| !selector.is_exact());
        selector.filter(|_| !self.options.flags.intersects(at_the_cursor))
    }

    async fn take_next(
        &self,
        exact: &Selection<'static>,
        filter: &Filter<'_>,
        now: Timestamp,
    ) -> Result<Option<Box<GetResult>>, Reason> {
        if self.must_look_first() {
            return self.look_and_take(exact, filter, now).await;
        }
        let room = Room::of(self.options);
        let taken = if filter.is_trivial() && room.is_endless() {
            self.take_selected(exact, self.has(GetFlags::SYNCPOINT), now).await?
        } else {
            let accept = |candidate: &storage::Candidate<'_>| {
                !room.is_too_small() && filter.accepts(candidate) && room.takes(candidate.body_length)
            };
            let selected = Selection { accept: Some(&accept), ..*exact };
            self.take_selected(&selected, self.has(GetFlags::SYNCPOINT), now).await?
        };
        match taken {
            Some(taken) => Ok(Some(self.hand_over(taken, now).await)),
            None if room.is_too_small() => Box::pin(self.look_and_take(exact, filter, now)).await,
            None => Ok(None),
        }
    }

    /// Whether the message must be seen before it may be taken: the caller wants to, it may be too long for the buffer,
    /// persistence decides about the unit of work, or it consists of segments.
    fn must_look_first(&self) -> bool {
        let may_not_fit = !self.has(GetFlags::ACCEPT_TRUNCATED_MSG)
            && self.options.buffer_length.is_some_and(|length| length < self.queue.longest_body());
        may_not_fit
            || self.terms.accept.is_some()
            || self.has(GetFlags::SYNCPOINT_IF_PERSISTENT)
            || self.has(GetFlags::COMPLETE_MSG)
    }

    async fn look_and_take(
        &self,
        exact: &Selection<'static>,
        filter: &Filter<'_>,
        now: Timestamp,
    ) -> Result<Option<Box<GetResult>>, Reason> {
        loop {
            let accept = |candidate: &storage::Candidate<'_>| filter.accepts(candidate);
            let selected = Selection { accept: Some(&accept), ..*exact };
            let seen = self.engine.store.browse(self.queue.id, None, &selected, now).await;
            let Some(seen) = seen.map_err(|error| reason::of_store(self.engine, &error))? else { return Ok(None) };
            let segments = filter.take_segments();
            if segments.len() > 1 {
                match Box::pin(complete_message::take(self, &segments, now)).await? {
                    Some(result) => return Ok(Some(result)),
                    None => continue,
                }
            }
            if self.terms.accept.is_some_and(|accept| !accept(&seen.message)) {
                return Err(Reason::FormatError);
            }
            if self.does_not_fit(&seen.message) {
                return Ok(Some(self.result(seen, now)));
            }
            let taken = if self.is_in_unit(seen.message.descriptor.persistence) {
                self.take_selected(&self.at(seen.key.position), true, now).await?
            } else {
                self.take_seen(seen, now).await?
            };
            if let Some(taken) = taken {
                return Ok(Some(self.hand_over(taken, now).await));
            }
            // Somebody else was quicker: what comes next?
        }
    }

    pub(super) fn is_in_unit(&self, persistence: Persistence) -> bool {
        self.has(GetFlags::SYNCPOINT)
            || self.has(GetFlags::SYNCPOINT_IF_PERSISTENT) && persistence == Persistence::Persistent
    }

    /// True when the body may not be handed over in part.
    pub(super) fn does_not_fit(&self, message: &Message) -> bool {
        let is_too_long = |length: usize| self.options.buffer_length.is_some_and(|buffer| buffer < length);
        !self.has(GetFlags::ACCEPT_TRUNCATED_MSG)
            && is_too_long(message.body.len())
            && (!self.hides_properties(message) || is_too_long(shown::without_properties(message.clone()).body.len()))
    }

    /// Whether the message may have properties that this get is not to see.
    fn hides_properties(&self, message: &Message) -> bool {
        shown::may_have_properties(&message.descriptor)
            && (self.has(GetFlags::NO_PROPERTIES)
                || !self.options.flags.intersects(PROPERTIES) && self.queue_hides_properties())
    }

    /// PROPCTL(NONE) of the queue or alias that was opened.
    fn queue_hides_properties(&self) -> bool {
        let opened = self.open.source().map_or(self.queue, |source| source.opened);
        let control = opened.with(|definition| match &definition.kind {
            QueueKind::Local(local) => local.property_control,
            QueueKind::Alias(alias) => alias.property_control,
            QueueKind::Model(_) | QueueKind::Remote(_) => PropertyControl::default(),
        });
        control == PropertyControl::None
    }

    pub(crate) fn at(&self, position: storage::Position) -> Selection<'static> {
        Selection { position: Some(position), lock_owner: Some(self.open.owner), ..Selection::default() }
    }

    /// Takes a message that was browsed, outside syncpoint.
    async fn take_seen(&self, seen: StoredMessage, now: Timestamp) -> Result<Option<Taken>, Reason> {
        let owner = self.open.owner;
        let taken = self.engine.store.take_browsed(self.queue.id, &seen, owner, now).await;
        let is_ours = taken.map_err(|error| reason::of_store(self.engine, &error))?;
        Ok(is_ours.then_some(Taken { stored: seen, unit: None }))
    }

    async fn take_selected(
        &self,
        selected: &Selection<'_>,
        in_unit: bool,
        now: Timestamp,
    ) -> Result<Option<Taken>, Reason> {
        let state = &*self.connection.state;
        let unit = if in_unit { Some(state.unit(self.engine, self.queue)?) } else { None };
        let taking = Taking { get: self, unit, is_answered: false };
        let got = self.engine.store.get(unit, self.queue.id, selected, now).await;
        let got = got.map_err(|error| reason::of_store(self.engine, &error))?;
        taking.answered();
        let Some(stored) = got else { return Ok(None) };
        if let Some(id) = unit {
            let arrival = Arrival::of(&stored.message.descriptor);
            state.note(id, self.queue, arrival, stored.expires, self.what(stored.key.position));
        }
        Ok(Some(Taken { stored, unit }))
    }

    /// What a unit of work remembers of a message that it got.
    pub(crate) fn what(&self, position: storage::Position) -> What {
        if self.has(GetFlags::MARK_SKIP_BACKOUT) { What::GotForGood(position) } else { What::Got }
    }

    /// The message is the application's now: what is remembered of it, and the report it asks for.
    pub(super) async fn hand_over(&self, taken: Taken, now: Timestamp) -> Box<GetResult> {
        let Taken { stored, unit } = taken;
        self.remember(&stored, unit.is_some());
        self.queue.counters.count_get(now);
        self.connection.state.count_get();
        if let Some(figures) = self.queue.figures.get() {
            figures.note_depth(self.queue.depth());
        }
        if self.engine.events.performance() {
            Box::pin(event::performance::after_get(self.engine, self.queue, unit.is_some(), now)).await;
        }
        self.queue.unmark(stored.key.position);
        if !self.connection.state.carries && report::wants_cod(&stored.message.descriptor) {
            let unit = unit.is_some().then_some(&*self.connection.state);
            Box::pin(report::confirm_delivery(self.engine, unit, &stored.message, now)).await;
        }
        self.result(stored, now)
    }

    fn remember(&self, stored: &StoredMessage, in_unit: bool) {
        let saves = self.open.options.contains(OpenOptions::SAVE_ALL_CONTEXT) && self.terms.accept.is_none();
        let logical = self.has(GetFlags::LOGICAL_ORDER);
        let at_cursor = self.has(GetFlags::MSG_UNDER_CURSOR);
        if !saves && !logical && !at_cursor {
            return;
        }
        let mut memory = self.open.memory.lock();
        if saves {
            memory.context = Some(Box::new(Context::of(&stored.message.descriptor)));
        }
        if logical {
            memory.cursor.get_place = place_after(&stored.message.descriptor, stored.message.body.len(), in_unit);
        }
        if at_cursor {
            memory.cursor.locked = None;
        }
    }

    /// What the application sees: lifetime left, properties left out, data converted, cut to its buffer.
    pub(crate) fn result(&self, stored: StoredMessage, now: Timestamp) -> Box<GetResult> {
        let message_token = matching::token(self.queue.id, stored.key);
        let traces = self.engine.tracer.get().is_some() && !self.browses();
        let trace = if traces { traced::context_of(&stored.message).map(Box::new) } else { None };
        let hides = self.hides_properties(&stored.message);
        let mut message = stored.message;
        if hides {
            message = Box::new(shown::without_properties(*message));
        }
        let Message { descriptor, body } = &mut *message;
        if let Some(expires) = stored.expires {
            descriptor.expiry = expiry::left(expires, now);
        }
        let (group_status, segment_status, segmentation) = statuses(descriptor.message_flags);
        let mut warning = None;
        if let Some(target) = self.options.target.filter(|_| self.has(GetFlags::CONVERT)) {
            let fits = if self.has(GetFlags::ACCEPT_TRUNCATED_MSG) { None } else { self.options.buffer_length };
            let converted = model::conversion::convert_within(descriptor, body, target, fits.unwrap_or(usize::MAX));
            descriptor.encoding = converted.encoding;
            descriptor.ccsid = converted.ccsid;
            *body = converted.body;
            warning = converted.warning;
        }
        let data_length = body.len();
        if let Some(length) = self.options.buffer_length.filter(|&length| length < data_length) {
            body.truncate(length);
            let accepted = self.has(GetFlags::ACCEPT_TRUNCATED_MSG);
            warning = Some(if accepted { Reason::TruncatedMsgAccepted } else { Reason::TruncatedMsgFailed });
        }
        Box::new(GetResult {
            message,
            data_length,
            message_token,
            group_status,
            segment_status,
            segmentation,
            resolved_queue: self.queue.name,
            arrived: stored.arrived,
            warning,
            trace,
        })
    }
}

/// The buffer of a get that takes whole messages only. The store asks it under the queue's lock: a longer message may have
/// come since the get began.
struct Room {
    maximum: usize,
    is_too_small: AtomicBool,
}

impl Room {
    fn of(options: &GetOptions) -> Self {
        let whole = !options.flags.contains(GetFlags::ACCEPT_TRUNCATED_MSG);
        let maximum = options.buffer_length.filter(|_| whole).unwrap_or(usize::MAX);
        Self { maximum, is_too_small: AtomicBool::new(false) }
    }

    fn is_endless(&self) -> bool {
        self.maximum == usize::MAX
    }

    /// A message came first that is longer: none behind it may be taken in its place.
    fn is_too_small(&self) -> bool {
        self.is_too_small.load(Ordering::Relaxed)
    }

    fn takes(&self, length: usize) -> bool {
        let fits = length <= self.maximum;
        if !fits {
            self.is_too_small.store(true, Ordering::Relaxed);
        }
        fits
    }
}

/// A get in the hands of the store. When it fails or is dropped before its end, the message is either there again for others,
/// who may have passed over it, or in the unit of work although nobody saw it; a back out must then let everybody look.
struct Taking<'a> {
    get: &'a Get<'a>,
    unit: Option<UnitOfWorkId>,
    is_answered: bool,
}

impl Taking<'_> {
    fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        if let Some(id) = self.unit {
            let nobody_knows = Arrival::unknown();
            self.get.connection.state.note(id, self.get.queue, nobody_knows, None, What::PerhapsGot);
        }
        self.get.queue.waiters.wake_all();
    }
}

/// A result without a message: MQGMO_UNLOCK.
pub(super) fn no_message(queue: &Queue) -> Box<GetResult> {
    Box::new(GetResult {
        message: Box::default(),
        data_length: 0,
        message_token: [0; 16],
        group_status: b' ',
        segment_status: b' ',
        segmentation: b' ',
        resolved_queue: queue.name,
        arrived: Timestamp::default(),
        warning: None,
        trace: None,
    })
}
