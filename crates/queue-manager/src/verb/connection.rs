//! A connection to the queue manager (MQHCONN) and the verbs on it. Dropping it closes its handles and backs out.
//!
//! Each verb is one file; here they are only named. Verbs may be called from several tasks, but a unit of work belongs to
//! the whole connection.

use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use model::authority::{Authority, AuthorityObject, Principal};
use model::descriptor::MessageDescriptor;
use model::message::Message;
use model::name::{QueueManagerName, QueueName};
use model::options::{CloseOptions, GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutOptions};
use model::reason::Reason;
use model::timestamp::Timestamp;
use storage::{DeliveryKey, Position};
use telemetry::TraceContext;
use test_control::faults::Verb;

use crate::definition::objects::{ObjectError, authorise};
use crate::engine::connection_table::ConnectionState;
use crate::engine::housekeeping::Work;
use crate::engine::{Engine, Phase};
use crate::group::{ConnectionTag, tags};
use crate::instrumentation::accounting::observation::Observation;
use crate::instrumentation::accounting::record::Ending;
use crate::instrumentation::accounting::writer::{self, Destination};
use crate::instrumentation::accounting::{AccountingWish, collection};
use crate::instrumentation::event::calls::{self, Call};
use crate::queue::delayed::Due;
use crate::queue::resolve::{self, Resolved};
use crate::queue::transmission::QUEUE_MANAGER;
use crate::queue::waiters::Changes;
use crate::security::authority::{self, Door};
use crate::selection::matching;
use crate::verb::faults::{Subject, What};
use crate::verb::get::Terms;
use crate::verb::interrupt::Closing;
use crate::verb::put::ReceiptOf;
use crate::verb::traced::{self, name_of_object};
use crate::verb::unit_of_work::OpenUnit;
use crate::verb::{browse, close, faults, get, open, put, recorded, unit_of_work, xa};
use crate::{ConnectOptions, QueueManager};

/// MQHOBJ: an open object of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectHandle(pub u32);

/// What MQOPEN resolved, and under which handle.
#[derive(Debug, Clone)]
pub struct Opened {
    pub handle: ObjectHandle,
    /// Name of the queue that was opened: the dynamic queue's for a model.
    pub object_name: QueueName,
    pub resolved_queue: QueueName,
    pub resolved_queue_manager: QueueManagerName,
    /// Of the queue, before it was opened: for `Terms::since` of gets by this handle. Of what holds no messages it says nothing.
    pub changes: Changes,
}

#[derive(Debug, Clone)]
pub struct PutResult {
    /// Its descriptor as the queue manager completed it (identifiers, context, put date and time) and with the priority
    /// that was given; its body as it was put.
    pub message: Box<Message>,
    /// Where it is on its queue; `None` where it is not one message on a queue of this queue manager.
    pub position: Option<Position>,
    pub resolved_queue: QueueName,
    pub resolved_queue_manager: QueueManagerName,
    pub warning: Option<Reason>,
}

impl PutResult {
    pub(crate) fn of_publication(message: Box<Message>, warning: Option<Reason>) -> Self {
        let (resolved_queue, resolved_queue_manager) = (QueueName::BLANK, QueueManagerName::BLANK);
        Self { message, position: None, resolved_queue, resolved_queue_manager, warning }
    }
}

/// Dereferences to its message.
#[derive(Debug, Clone)]
pub struct GetResult {
    /// As the application sees it; at most `buffer_length` bytes of body.
    pub message: Box<Message>,
    /// Length of the whole body; more than `body` holds when the warning is 2079 or 2080.
    pub data_length: usize,
    pub message_token: [u8; 16],
    /// MQGMO GroupStatus, SegmentStatus, Segmentation as their published characters.
    pub group_status: u8,
    pub segment_status: u8,
    pub segmentation: u8,
    pub resolved_queue: QueueName,
    /// When the message came to the queue.
    pub arrived: Timestamp,
    /// 2079 accepted truncated, 2080 truncated and left on the queue, 2110 to 2120 not converted.
    pub warning: Option<Reason>,
    /// Of the trace that the message belongs to, on a server that has traces.
    pub(crate) trace: Option<Box<TraceContext>>,
}

impl Deref for GetResult {
    type Target = Message;

    fn deref(&self) -> &Message {
        &self.message
    }
}

impl GetResult {
    /// Where the message is, or was, on its queue.
    pub fn position(&self) -> Position {
        self.place().position
    }

    /// Its place in the order of delivery.
    pub fn place(&self) -> DeliveryKey {
        matching::place(&self.message_token)
    }
}

pub struct Connection {
    pub(crate) engine: Arc<Engine>,
    pub(crate) state: Arc<ConnectionState>,
}

impl QueueManager {
    /// # Errors
    /// `NotAuthorized` (2035): no +connect. `QMgrNotAvailable` (2059): its log has failed. `QMgrQuiescing` (2161),
    /// `QMgrStopping` (2162).
    pub fn connect(&self, options: ConnectOptions) -> Result<Connection, Reason> {
        self.connect_accounted(options, AccountingWish::default())
    }

    /// As `connect`, with what the application says about being accounted for.
    ///
    /// # Errors
    /// Those of `connect`.
    pub fn connect_accounted(&self, options: ConnectOptions, wish: AccountingWish) -> Result<Connection, Reason> {
        faults::of_connect(self.engine(), &options)?;
        self.connect_now(options, wish)
    }

    fn connect_now(&self, options: ConnectOptions, wish: AccountingWish) -> Result<Connection, Reason> {
        let engine = self.engine();
        engine.admit_connection().inspect_err(|_| engine.statistics.connect_failed())?;
        let name = &engine.name;
        let door = Door::Application(&options);
        authority::check(engine, door, &options.principal, AuthorityObject::QueueManager, name, Authority::CONNECT)
            .inspect_err(|_| {
                engine.statistics.connect_failed();
                calls::connect_refused(engine, &options);
            })?;
        let state = Arc::new(ConnectionState::new(engine.identifiers.number(), options, engine.now()));
        state.begin_account();
        collection::begin(engine, &state, wish);
        engine.connections.add(state.clone());
        collection::added(engine, &state);
        engine.statistics.connected(engine);
        engine.connects.count(state.options.application_name.trim());
        Ok(Connection { engine: engine.clone(), state })
    }
}

impl QueueManager {
    /// As `connect_accounted`, under a connection tag.
    ///
    /// # Errors
    /// Those of `connect`. `ConnTagInUse` (2271): another connection works under the tag. `CfNotAvailable` (2345): the group's database
    /// cannot be reached.
    pub async fn connect_tagged(
        &self,
        options: ConnectOptions,
        wish: AccountingWish,
        tag: Option<&ConnectionTag>,
    ) -> Result<Connection, Reason> {
        if self.is_in_hand() {
            Box::pin(faults::before_connect(self.engine(), &options)).await?;
        }
        let connection = self.connect_now(options, wish)?;
        if let Some(tag) = tag {
            Box::pin(tags::claim(self.engine(), connection.state.number, tag)).await?;
        }
        Ok(connection)
    }
}

impl QueueManager {
    /// STOP CONN: ends a connection from outside. Its unit of work is backed out; each of its verbs, one that waits
    /// included, fails with `ConnectionBroken` (2009). False when there is no such connection.
    ///
    /// # Errors
    /// `NotAuthorized`: no +ctrl on the queue manager.
    pub fn stop_connection(&self, caller: &Principal, identifier: &[u8; 24]) -> Result<bool, ObjectError> {
        let engine = self.engine();
        authorise(engine, caller, AuthorityObject::QueueManager, &engine.name, Authority::CONTROL)?;
        let all = engine.connections.all();
        let Some(state) = all.iter().find(|state| engine.identifiers.of_connection(state.number) == *identifier) else {
            return Ok(false);
        };
        break_off(engine, state);
        Ok(true)
    }

    /// MQGMO `MsgToken` of the message at a position of a local queue, or of the one that an alias leads to; `None` when the name
    /// leads to no such queue.
    pub fn message_token(&self, queue: &QueueName, position: Position) -> Option<[u8; 16]> {
        let destination = match resolve::resolve(self.engine(), queue, &QueueManagerName::BLANK).ok()? {
            Resolved::Destination(resolve::Destination::Local { queue, .. }) => queue,
            Resolved::Destination(_) | Resolved::Model(_) => return None,
        };
        Some(matching::token(destination.id, DeliveryKey { rank: 0, position }))
    }

    /// A message that comes to a private queue from now on gets this position or a later one.
    pub fn next_position(&self) -> Position {
        self.engine().store.next_position()
    }

    /// A door closes: gets here that name it wait no longer.
    pub fn end_waits(&self, closing: &Closing) {
        closing.set();
        self.engine().wake_all_waiters();
    }
}

impl Connection {
    /// The queue manager's own, in no table: for a unit of work of its own.
    pub(crate) fn internal(engine: &Arc<Engine>) -> Self {
        let state = Arc::new(Self::state_of_own(engine));
        Self { engine: engine.clone(), state }
    }

    /// The same, for messages that go from one queue to another: no get of it is the delivery that a report confirms.
    pub(crate) fn carrying(engine: &Arc<Engine>) -> Self {
        let mut state = Self::state_of_own(engine);
        state.carries = true;
        Self { engine: engine.clone(), state: Arc::new(state) }
    }

    fn state_of_own(engine: &Engine) -> ConnectionState {
        let options = ConnectOptions {
            principal: Principal::administrator(&engine.authorities.server_user),
            application_name: engine.name.as_str().to_owned(),
            application_type: QUEUE_MANAGER,
            channel: String::new(),
            connection_name: String::new(),
        };
        ConnectionState::new(engine.identifiers.number(), options, engine.now())
    }

    /// Ends it as if its client were cut off.
    pub(super) fn cut(&self) {
        break_off(&self.engine, &self.state);
    }

    /// By which way its requests come.
    pub(crate) fn door(&self) -> Door<'_> {
        Door::Application(&self.state.options)
    }

    /// The queue manager it is connected to.
    pub fn queue_manager(&self) -> QueueManager {
        QueueManager { engine: self.engine.clone() }
    }

    /// 24 bytes: EXTCONN, then CONN.
    pub fn identifier(&self) -> [u8; 24] {
        self.engine.identifiers.of_connection(self.state.number)
    }

    /// Whoever serves the connection wants to end it: gets that ask to fail when quiescing, those that wait included, do so
    /// from now on with `ConnectionQuiescing` (2202).
    pub fn quiesce(&self) {
        self.state.quiesce();
        self.engine.wake_all_waiters();
    }

    /// Whether a unit of work is open in which something was done.
    pub fn has_unit_of_work(&self) -> bool {
        self.state.unit.lock().as_ref().is_some_and(OpenUnit::has_work)
    }

    /// The first of a range of message ids that nobody else gets: the application may change its last four bytes at will.
    pub fn reserve_message_ids(&self) -> [u8; 24] {
        self.engine.identifiers.reserve()
    }

    /// `caller` is whose authority is checked; pass the connection's own principal unless the door switches users.
    ///
    /// # Errors
    /// 2001, 2011, 2017, 2035, 2042, 2043, 2045, 2046, 2082, 2085 to 2087, 2091, 2092, 2100, 2161, 2162, 2184,
    /// 2196 to 2199.
    pub async fn open(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        options: OpenOptions,
    ) -> Result<Opened, Reason> {
        self.state.check()?;
        self.observed_and_told(
            (Verb::Open, Subject::Name(&object.name)),
            || open::open(self, caller, object, options),
            |observation, outcome| observation.opened(self, object.object, outcome),
            Call::Open { caller, object, options },
        )
        .await
    }

    /// # Errors
    /// 2019, 2035, 2045 (deletion of a queue that is not dynamic), 2046, 2055 and 2042 (deletion refused); 2241 and
    /// 2242 are warnings: the handle is closed all the same.
    pub async fn close(&self, handle: ObjectHandle, options: CloseOptions) -> Result<(), Reason> {
        let closing = self.state.observation().map(|observation| observation.closing(self, handle, options));
        self.observed_and_told(
            (Verb::Close, Subject::Handle(handle)),
            || close::close(self, handle, options),
            |observation, outcome| {
                if let Some(closing) = &closing {
                    observation.closed(&self.engine, closing, outcome);
                }
            },
            Call::Close(handle),
        )
        .await
    }

    /// # Errors
    /// See `put.rs`.
    pub fn put(
        &self,
        handle: ObjectHandle,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> impl Future<Output = Result<PutResult, Reason>> {
        self.put_message(handle, Box::new(Message { descriptor, body }), options, None)
    }

    /// As `put`, of a message that is to be delivered when it is due; its life begins then.
    ///
    /// # Errors
    /// Those of `put`; 2030, 2053 and 2085 also about SYSTEM.DDELAY.LOCAL.QUEUE, where it waits.
    pub async fn put_due(
        &self,
        handle: ObjectHandle,
        message: Box<Message>,
        options: &PutOptions,
        due: Due,
    ) -> Result<PutResult, Reason> {
        Box::pin(self.put_message(handle, message, options, Some(due))).await
    }

    async fn put_message(
        &self,
        handle: ObjectHandle,
        mut message: Box<Message>,
        options: &PutOptions,
        due: Option<Due>,
    ) -> Result<PutResult, Reason> {
        let length = message.body.len();
        let mut traced = self.put_begins(&mut message, || self.name_of(handle));
        let mut hit = None;
        let mut outcome = {
            let call = pin!(self.observed_and_told(
                What { verb: Verb::Put, subject: Subject::Handle(handle), hit: traced.is_some().then_some(&mut hit) },
                || put::put(self, handle, message, options, due),
                |observation, outcome| observation.put(self, handle, outcome, length),
                Call::Handle(handle),
            ));
            traced::around(traced.as_mut().and_then(traced::Put::call), call).await
        };
        if let Some(traced) = traced {
            self.put_ended(traced, &mut outcome, hit, || self.name_of(handle));
        }
        recorded::put(self, &outcome);
        outcome
    }

    /// Queue or topic; the authority is +put or +pub.
    ///
    /// # Errors
    /// Those of `open` and of `put`.
    pub fn put1(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        descriptor: MessageDescriptor,
        options: &PutOptions,
        body: Bytes,
    ) -> impl Future<Output = Result<PutResult, Reason>> {
        self.put1_message(caller, object, Box::new(Message { descriptor, body }), options)
    }

    /// As `put1`, of a message that is to be delivered when it is due; its life begins then. `None`: now.
    ///
    /// # Errors
    /// Those of `put1`; 2030, 2053 and 2085 also about SYSTEM.DDELAY.LOCAL.QUEUE, where it waits.
    pub async fn put1_due(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        message: Box<Message>,
        options: &PutOptions,
        due: Option<Due>,
    ) -> Result<PutResult, Reason> {
        self.put1_observed(caller, object, message, options, due, None).await
    }

    /// Whether `put1_with_receipt` takes this message now: it becomes one message on one queue.
    pub fn takes_receipt(&self, object: &ObjectDescriptor, message: &Message) -> bool {
        put::takes_receipt(&self.engine, object, message)
    }

    /// As `put1` outside a unit of work. The receipt of its answer is durable with the message, and is there as soon as others can
    /// see the message.
    ///
    /// # Errors
    /// Those of `put1`. `ObjectChanged` (2041): it would not be one message on one queue. Refused, there is no receipt.
    pub async fn put1_with_receipt(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        message: Box<Message>,
        options: &PutOptions,
        receipt: &ReceiptOf<'_>,
    ) -> Result<PutResult, Reason> {
        self.put1_observed(caller, object, message, options, None, Some(receipt)).await
    }

    async fn put1_observed(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        mut message: Box<Message>,
        options: &PutOptions,
        due: Option<Due>,
        receipt: Option<&ReceiptOf<'_>>,
    ) -> Result<PutResult, Reason> {
        self.state.check()?;
        let length = message.body.len();
        let mut traced = self.put_begins(&mut message, || name_of_object(object));
        let (subject, mut hit) = (Subject::Name(&object.name), None);
        let mut outcome = {
            let call = pin!(self.observed_and_told(
                What { verb: Verb::Put, subject, hit: traced.is_some().then_some(&mut hit) },
                || put::put1(self, caller, object, message, options, due, receipt),
                |observation, outcome| observation.put1(self, object, outcome, length),
                Call::Open { caller, object, options: put::open_options(options.flags) },
            ));
            traced::around(traced.as_mut().and_then(traced::Put::call), call).await
        };
        if let Some(traced) = traced {
            self.put_ended(traced, &mut outcome, hit, || name_of_object(object));
        }
        recorded::put(self, &outcome);
        outcome
    }

    /// As `put1`, of a message that has its place in memory already.
    ///
    /// # Errors
    /// Those of `put1`.
    pub async fn put1_message(
        &self,
        caller: &Principal,
        object: &ObjectDescriptor,
        message: Box<Message>,
        options: &PutOptions,
    ) -> Result<PutResult, Reason> {
        self.put1_due(caller, object, message, options, None).await
    }

    /// Gets or browses one message. Dropping the future while it waits consumes nothing.
    ///
    /// # Errors
    /// See `get.rs`.
    pub async fn get(&self, handle: ObjectHandle, options: &GetOptions) -> Result<Box<GetResult>, Reason> {
        self.get_on(handle, options, &Terms::default()).await
    }

    /// As `get`, on terms that MQGMO does not know: for callers that must not lose a message by being dropped, and for
    /// those that must see it before it is taken.
    ///
    /// # Errors
    /// Those of `get`; `NoMsgAvailable` (2033): interrupted, or the door closes; `FormatError` (2110): not accepted.
    pub async fn get_on(
        &self,
        handle: ObjectHandle,
        options: &GetOptions,
        terms: &Terms<'_>,
    ) -> Result<Box<GetResult>, Reason> {
        let verb = if options.flags.intersects(GetFlags::BROWSES) { Verb::Browse } else { Verb::Get };
        let mut traced = if verb == Verb::Get { self.get_begins() } else { None };
        let mut hit = None;
        let outcome = {
            let call = pin!(self.observed_and_told(
                What { verb, subject: Subject::Handle(handle), hit: traced.is_some().then_some(&mut hit) },
                || get::get(self, handle, options, terms),
                |observation, outcome| {
                    // A wait that its door has ended was no call of the application.
                    let is_over = terms.interrupt.is_some() && matches!(outcome, Err(Reason::NoMsgAvailable));
                    if !is_over {
                        observation.got(self, handle, options.flags, outcome);
                    }
                },
                Call::Handle(handle),
            ));
            traced::around(traced.as_mut(), call).await
        };
        if let Some(traced) = &traced {
            self.get_ended(traced, handle, &outcome, hit);
        }
        if verb == Verb::Get {
            recorded::got(self, &outcome);
        }
        outcome
    }

    /// A message that this queue manager puts to the handle's queue from now on gets this position or a later one. On a shared
    /// queue, what another member has put in the last moments may have a later one too.
    ///
    /// # Errors
    /// `NotOpenForInput` (2037): the handle is of no local queue. As a get: the queue has gone or has changed.
    pub fn next_position_on(&self, handle: ObjectHandle) -> Result<Position, Reason> {
        let handle = self.state.handle(handle)?;
        Ok(self.engine.store.next_position_on(handle.source()?.queue.id))
    }

    /// The next browse by this handle begins behind a place in the order of delivery, whether a message is there or not.
    ///
    /// # Errors
    /// 2019, 2036.
    pub fn browse_from(&self, handle: ObjectHandle, place: DeliveryKey) -> Result<(), Reason> {
        browse::begin_behind(&*self.state.handle(handle)?, place)
    }

    /// The next browse by this handle begins up to `count` messages before a place in the order of delivery, or before the end. Gives the
    /// place behind which it begins; `None` is the beginning of the queue.
    ///
    /// # Errors
    /// 2019, 2036; 2037: the handle is not one of a local queue.
    pub async fn browse_back(
        &self,
        handle: ObjectHandle,
        before: Option<DeliveryKey>,
        count: usize,
    ) -> Result<Option<DeliveryKey>, Reason> {
        browse::begin_back(&self.engine, &*self.state.handle(handle)?, before, count).await
    }

    /// Makes the unit of work durable and visible; nothing to do is fine.
    ///
    /// # Errors
    /// `BackedOut` (2003): the unit of work is gone. `ResourceProblem` (2102): no space for the log; the unit of work is
    /// still open and may be committed later or backed out.
    pub async fn commit(&self) -> Result<(), Reason> {
        self.state.check()?;
        let note = |observation: &Observation, outcome: &_| observation.committed(&self.engine, outcome);
        self.observed((Verb::Commit, Subject::Unit), || unit_of_work::commit(self), note).await
    }

    /// # Errors
    /// `ConnectionBroken` (2009): the recovery log has failed.
    pub async fn back_out(&self) -> Result<(), Reason> {
        self.state.check()?;
        let note = |observation: &Observation, _: &_| observation.backed_out(&self.engine);
        self.observed((Verb::BackOut, Subject::Unit), || unit_of_work::back_out(self), note).await
    }

    /// Closes what is open and commits, as MQDISC does. A transaction branch that is not prepared is rolled back.
    ///
    /// # Errors
    /// Those of `commit`; the connection is gone all the same.
    pub async fn disconnect(self) -> Result<(), Reason> {
        self.state.is_disconnecting.store(true, Ordering::Release);
        close::release(&self.engine, self.state.take_handles()).await;
        // What MQDISC commits counts as a commit; that there was nothing to commit does not.
        let has_work = self.has_unit_of_work();
        let outcome = match (self.is_in_branch(), has_work) {
            (true, _) => Ok(()),
            (false, true) => self.commit().await,
            (false, false) => self.state.check(),
        };
        // What could not be committed is backed out first.
        if outcome.is_ok() && !self.is_in_branch() && tags::release(&self.engine, self.state.number) {
            Box::pin(tags::give_back(&self.engine, Some(self.state.number))).await;
        }
        outcome
    }

    /// Notes an MQSTAT, which its door serves without this crate.
    pub fn note_status_call(&self, succeeded: bool) {
        if let Some(observation) = self.state.observation() {
            observation.asked_status(&self.engine, succeeded);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.engine.connections.remove(self.state.number);
        give_up(&self.engine, &self.state);
        account_for(&self.engine, &self.state, self.state.ending());
    }
}

/// The connection has ended: its last records, and the statistics that count it.
fn account_for(engine: &Engine, state: &Arc<ConnectionState>, ending: Ending) {
    if !state.end_account() {
        return;
    }
    engine.statistics.disconnected(state, ending);
    let is_accounted = state.observation().is_some_and(Observation::is_accounted);
    if is_accounted && !engine.left_over.push_account(state.clone(), engine.now(), ending) {
        writer::lose(engine, Destination::Accounting);
    }
}

/// Every verb of the connection fails from now on, one that waits included, and what it has under way is ended.
fn break_off(engine: &Engine, state: &ConnectionState) {
    if state.break_off() {
        engine.connections.remove(state.number);
        give_up(engine, state);
        engine.wake_all_waiters();
    }
}

/// Ends what the connection has under way: its handles are closed, its unit of work is backed out.
fn give_up(engine: &Engine, state: &ConnectionState) {
    for handle in state.take_handles() {
        if close::release_now(engine, &handle) {
            engine.left_over.push(Work::Close(handle));
        }
    }
    let unit = state.unit.lock().take();
    if let (Some(unit), Some(observation)) = (&unit, state.observation())
        && unit.has_work()
    {
        observation.backed_out(engine);
    }
    if let Some(unit) = unit
        && engine.phase() < Phase::Stopping
    {
        engine.left_over.push(Work::BackOut(unit));
    }
    xa::abandon(&engine.branches, &engine.left_over, state);
    if tags::release(engine, state.number) {
        engine.left_over.wake();
    }
}
