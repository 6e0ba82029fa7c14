//! A client for tests: one socket to a server in the same process, and the calls on its conversations.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::flow::connect::Connect;
use channel_protocol::flow::get::{Get, GetReply};
use channel_protocol::flow::identify::{Credentials, UserId};
use channel_protocol::flow::initial::Initial;
use channel_protocol::flow::open::{Close, Open};
use channel_protocol::flow::put::{Put, PutReply};
use channel_protocol::flow::socket::SocketAction;
use channel_protocol::form::Form;
use channel_protocol::negotiate::{Accepted, ClientOffer, Negotiated, accept};
use channel_protocol::output::Output;
use channel_protocol::reply::{Answer, AnswerBody, Reply};
use channel_protocol::request::{Request, Verb};
use channel_protocol::segment::{Address, ControlFlags, Framer};
use channel_protocol::structure::connect_options;
use channel_protocol::structure::get_options::GetStructure;
use channel_protocol::structure::message_descriptor::Descriptor;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::open_attributes::OpenAttributes;
use channel_protocol::structure::put_options::PutStructure;
use channel_server::admission::Peer;
use channel_server::socket::serve;
use model::authority::Principal;
use model::definition::QueueDefinition;
use model::name::ObjectName;
use model::options::{CloseOptions, GetFlags, OpenOptions};
use model::text::Text;
use queue_manager::{Home, QueueManager, StartOptions, SystemClock};
use storage::StoreOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use crate::admission::{OpenDoor, Settings};

/// Longest wait for something that ought to happen at once.
pub(crate) const SOON: Duration = Duration::from_secs(100);

pub(crate) fn administrator() -> Principal {
    Principal::administrator("mqadmin")
}

/// A queue manager QM1 without a disk, with a queue Q.
pub(crate) async fn queue_manager() -> QueueManager {
    queue_manager_named("QM1").await
}

pub(crate) async fn queue_manager_named(name: &str) -> QueueManager {
    let options = StartOptions {
        name: ObjectName::literal(name),
        home: Home::Ephemeral,
        store: StoreOptions::default(),
        clock: Arc::new(SystemClock),
        server_user: "mqadmin".to_owned(),
    };
    let queue_manager = QueueManager::start(options).unwrap();
    define_queue(&queue_manager, "Q").await;
    queue_manager
}

pub(crate) async fn define_queue(queue_manager: &QueueManager, name: &str) {
    let definition = QueueDefinition::local(ObjectName::literal(name));
    queue_manager.define_queue(&administrator(), definition, false).await.unwrap();
}

/// A server end to connect clients to.
pub(crate) struct Server {
    pub(crate) queue_manager: QueueManager,
    pub(crate) door: Arc<OpenDoor>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(Settings::default()).await
    }

    pub(crate) async fn with(settings: Settings) -> Self {
        Self::of(queue_manager().await, settings)
    }

    pub(crate) fn of(queue_manager: QueueManager, settings: Settings) -> Self {
        let running = queue_manager.clone();
        tokio::spawn(async move { running.run().await });
        let door = OpenDoor::new(queue_manager.clone(), settings);
        Self { queue_manager, door }
    }

    /// The client's end of a new socket.
    pub(crate) fn socket(&self) -> DuplexStream {
        self.socket_and_task().0
    }

    /// The same, and the task that serves the other end.
    pub(crate) fn socket_and_task(&self) -> (DuplexStream, tokio::task::JoinHandle<()>) {
        let (client, server) = tokio::io::duplex(256 * 1024);
        let peer = Peer {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 40_000)),
            local_address: SocketAddr::from((Ipv4Addr::LOCALHOST, 1414)),
            tls: None,
            patience: Duration::from_secs(30),
        };
        let task = tokio::spawn(serve(server, peer, self.door.clone()));
        (client, task)
    }

    /// A client of ten conversations that is not connected yet.
    pub(crate) async fn client(&self) -> Client {
        self.client_with(Options::default()).await
    }

    pub(crate) async fn client_with(&self, options: Options) -> Client {
        Client::introduce(self.socket(), options).await
    }

    /// A client whose first conversation is connected.
    pub(crate) async fn connected(&self) -> Client {
        let mut client = self.client().await;
        client.connect(1, "QM1").await;
        client
    }

    pub(crate) fn depth(&self, queue: &str) -> u32 {
        self.queue_manager.queue_status(&ObjectName::literal(queue)).unwrap().depth.current
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) channel: &'static str,
    /// 0: the socket is not shared.
    pub(crate) conversations: u32,
    pub(crate) form: Form,
    pub(crate) user: &'static str,
    pub(crate) password: Option<&'static str>,
    pub(crate) maximum_transmission: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            channel: "CLIENTS",
            conversations: 10,
            form: Form::BIG,
            user: "alice",
            password: None,
            maximum_transmission: 32_748,
        }
    }
}

pub(crate) struct Client {
    stream: DuplexStream,
    input: BytesMut,
    framer: Framer,
    assembler: Assembler,
    output: Output,
    form: Form,
    pub(crate) negotiated: Negotiated,
    /// What has come for conversations that did not ask for it yet.
    early: VecDeque<Unit>,
}

impl Client {
    pub(crate) async fn introduce(stream: DuplexStream, options: Options) -> Self {
        let mut client = Self::begin(stream, options.form);
        let initial = client.send_initial(&options).await;
        let unit = client.receive_unit().await.expect("the server introduces itself");
        let Ok(Reply::Initial(server)) = Reply::decode(&unit) else { panic!("not introduced: {unit:?}") };
        let Ok(Accepted::Agreed(negotiated)) = accept(&initial, &server) else { panic!("no agreement: {server:?}") };
        client.negotiated = negotiated;
        client.output.set_maximum_segment(negotiated.maximum_transmission as usize);
        client.send(1, &Request::UserId(UserId::of(options.user))).await;
        if let Some(password) = options.password {
            let credentials = Credentials::user_and_password(options.user, password);
            client.send(1, &Request::Credentials(credentials)).await;
            assert!(matches!(client.receive(1).await, Reply::Status(status) if status.is_ok()));
        }
        client
    }

    /// Before anything is said.
    pub(crate) fn begin(stream: DuplexStream, form: Form) -> Self {
        let maximum = 1 << 20;
        Self {
            stream,
            input: BytesMut::new(),
            framer: Framer::new(maximum),
            assembler: Assembler::new(Limits { unit: 200 << 20, open: 100, buffered: 400 << 20 }),
            output: Output::new(maximum),
            form,
            negotiated: Negotiated {
                fap_level: 0,
                maximum_transmission: 0,
                maximum_message: 0,
                heartbeat_interval: 0,
                conversations: 0,
            },
            early: VecDeque::new(),
        }
    }

    pub(crate) async fn send_initial(&mut self, options: &Options) -> Initial {
        let initial = self.queue_initial(options);
        self.flush().await;
        initial
    }

    pub(crate) fn bytes_of_initial(&mut self, options: &Options) -> Vec<u8> {
        self.queue_initial(options);
        self.take_output()
    }

    fn queue_initial(&mut self, options: &Options) -> Initial {
        let offer = ClientOffer {
            channel: Text::new(options.channel),
            queue_manager: Text::new("QM1"),
            maximum_transmission: options.maximum_transmission,
            maximum_message: 100 << 20,
            heartbeat_interval: 1,
            conversations: options.conversations,
            product: Text::new("MQCC09040200"),
            nonce: [7; 12],
        };
        let initial = offer.initial();
        let confirm = ControlFlags::CONFIRM;
        Request::Initial(initial.clone()).write(Address::Plain, confirm, self.form, &mut self.output);
        initial
    }

    pub(crate) async fn send(&mut self, conversation: u32, request: &Request) {
        self.queue(conversation, request);
        self.flush().await;
    }

    /// Adds a request to what the next flush writes.
    pub(crate) fn queue(&mut self, conversation: u32, request: &Request) {
        let address = match request {
            Request::SocketAction(_) => Address::Socket,
            _ if self.negotiated.is_shared() => Address::Conversation { conversation, request: 0 },
            _ => Address::Plain,
        };
        request.write(address, ControlFlags::empty(), self.form, &mut self.output);
    }

    /// As `queue`, with the request id and the flags that asynchronous traffic has.
    pub(crate) fn queue_at(&mut self, address: Address, control: ControlFlags, request: &Request) {
        request.write(address, control, self.form, &mut self.output);
    }

    pub(crate) async fn send_heartbeat(&mut self) {
        let address = if self.negotiated.is_shared() { Address::Socket } else { Address::Plain };
        Request::Heartbeat.write(address, ControlFlags::CONFIRM, self.form, &mut self.output);
        self.flush().await;
    }

    pub(crate) async fn flush(&mut self) {
        self.stream.write_all_buf(&mut self.output).await.unwrap();
    }

    /// As `flush`, of a socket that the server may have closed.
    pub(crate) async fn try_flush(&mut self) -> std::io::Result<()> {
        self.stream.write_all_buf(&mut self.output).await
    }

    /// What a request would be written as, to be spoilt.
    pub(crate) fn bytes_of(&mut self, conversation: u32, request: &Request) -> Vec<u8> {
        self.queue(conversation, request);
        self.take_output()
    }

    fn take_output(&mut self) -> Vec<u8> {
        let length = self.output.remaining();
        self.output.copy_to_bytes(length).to_vec()
    }

    /// Writes bytes as they are.
    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// The next unit from the server; `None` when it has closed the socket.
    pub(crate) async fn receive_unit(&mut self) -> Option<Unit> {
        loop {
            while let Some(segment) = self.framer.next(&mut self.input).unwrap() {
                if let Some(unit) = self.assembler.push(segment).unwrap() {
                    return Some(unit);
                }
            }
            let read = tokio::time::timeout(SOON, self.stream.read_buf(&mut self.input));
            if read.await.expect("the server answers").unwrap() == 0 {
                return None;
            }
        }
    }

    /// The next reply on a conversation; heartbeats are answered, others kept.
    pub(crate) async fn receive(&mut self, conversation: u32) -> Reply {
        let wanted = if self.negotiated.is_shared() { conversation } else { 0 };
        if let Some(index) = self.early.iter().position(|unit| unit.address.conversation() == wanted) {
            let unit = self.early.remove(index).unwrap();
            return Reply::decode(&unit).unwrap();
        }
        loop {
            let unit = self.receive_unit().await.expect("the socket is open");
            let reply = Reply::decode(&unit).unwrap();
            if reply == Reply::Heartbeat {
                if unit.confirm_requested() {
                    let address = unit.address;
                    Request::Heartbeat.write(address, ControlFlags::empty(), self.form, &mut self.output);
                    self.flush().await;
                }
                continue;
            }
            if unit.address.conversation() == wanted || matches!(unit.address, Address::Socket) {
                return reply;
            }
            self.early.push_back(unit);
        }
    }

    pub(crate) async fn answer(&mut self, conversation: u32) -> Answer {
        match self.receive(conversation).await {
            Reply::Answer(answer) => answer,
            other => panic!("no answer to a verb: {other:?}"),
        }
    }

    pub(crate) async fn call(&mut self, conversation: u32, handle: i32, verb: Verb) -> Answer {
        self.send(conversation, &Request::Call(verb.call_on(handle))).await;
        self.answer(conversation).await
    }

    /// Starts another conversation on the socket.
    pub(crate) async fn begin_conversation(&mut self, conversation: u32) {
        self.send(conversation, &Request::SocketAction(SocketAction::start(conversation, 2))).await;
        assert!(matches!(self.receive(conversation).await, Reply::Status(status) if status.is_ok()));
    }

    pub(crate) async fn try_connect(&mut self, conversation: u32, queue_manager: &str) -> Answer {
        let connect = self.mqconn(queue_manager);
        self.call(conversation, 0, Verb::Connect(connect)).await
    }

    /// With MQCNO `Options`.
    pub(crate) async fn connect_with(&mut self, conversation: u32, options: u32) {
        let connect = Connect { options, ..self.mqconn("QM1") };
        let answer = self.call(conversation, 0, Verb::Connect(connect)).await;
        assert_eq!(answer.ending.reason, 0, "MQCONN");
    }

    /// With MQCNO `Options` and `ConnTag`: the reason.
    pub(crate) async fn connect_tagged(&mut self, conversation: u32, options: u32, tag: u8) -> i32 {
        let mut connect = Connect { options, ..self.mqconn("QM1") };
        let mut rest = connect.rest.to_vec();
        rest[12..140].fill(tag);
        connect.rest = rest.into();
        self.call(conversation, 0, Verb::Connect(connect)).await.ending.reason
    }

    /// As a client connects that makes a lost conversation again.
    pub(crate) async fn reconnect(&mut self, conversation: u32, queue_manager: &str) {
        let mut connect = self.mqconn(queue_manager);
        let mut rest = connect.rest.to_vec();
        rest.truncate(332);
        rest.extend_from_slice(b"AMQCQM1         1234");
        connect.rest = rest.into();
        assert!(connect.is_reconnection());
        let answer = self.call(conversation, 0, Verb::Connect(connect)).await;
        assert_eq!(answer.ending.reason, 0, "MQCONN");
    }

    fn mqconn(&self, queue_manager: &str) -> Connect {
        Connect {
            queue_manager: Text::new(queue_manager),
            application_name: Text::new("test program"),
            application_type: 6,
            accounting_token: [0; 32],
            options: 0,
            client_bits: 0,
            rest: connect_options::version_4(self.form),
        }
    }

    pub(crate) async fn connect(&mut self, conversation: u32, queue_manager: &str) {
        let answer = self.try_connect(conversation, queue_manager).await;
        assert_eq!(answer.ending.reason, 0, "MQCONN");
    }

    pub(crate) async fn try_open(
        &mut self,
        conversation: u32,
        object: ObjectStructure,
        options: OpenOptions,
    ) -> Answer {
        let open = Open { object, options, attributes: Some(OpenAttributes::ASKED) };
        self.call(conversation, 0, Verb::Open(open)).await
    }

    pub(crate) async fn open(&mut self, conversation: u32, queue: &str, options: OpenOptions) -> i32 {
        let answer = self.try_open(conversation, object(queue), options).await;
        assert_eq!(answer.ending.reason, 0, "MQOPEN");
        answer.handle
    }

    pub(crate) async fn close(&mut self, conversation: u32, handle: i32) -> i32 {
        let close = Close { options: CloseOptions::empty() };
        self.call(conversation, handle, Verb::Close(close)).await.ending.reason
    }

    /// The reason, and what came back.
    pub(crate) async fn put(&mut self, conversation: u32, handle: i32, put: Put) -> (i32, PutReply) {
        let answer = self.call(conversation, handle, Verb::Put(put)).await;
        let Some(AnswerBody::Put(reply)) = answer.body else { panic!("no reply to a put: {answer:?}") };
        (answer.ending.reason, reply)
    }

    pub(crate) async fn get(&mut self, conversation: u32, handle: i32, get: Get) -> (i32, GetReply) {
        let answer = self.call(conversation, handle, Verb::Get(get)).await;
        let Some(AnswerBody::Get(reply)) = answer.body else { panic!("no reply to a get: {answer:?}") };
        (answer.ending.reason, reply)
    }

    /// The reason of a verb that has no structures.
    pub(crate) async fn plain(&mut self, conversation: u32, verb: Verb) -> i32 {
        self.call(conversation, 0, verb).await.ending.reason
    }
}

pub(crate) fn object(queue: &str) -> ObjectStructure {
    ObjectStructure { name: Text::new(queue), ..ObjectStructure::default() }
}

/// A put of a datagram without options.
pub(crate) fn message(data: &[u8]) -> Put {
    Put {
        descriptor: Descriptor::default(),
        options: PutStructure { version: 2, ..PutStructure::default() },
        data: Bytes::copy_from_slice(data),
    }
}

/// A get of any message with a buffer of 4096 bytes.
pub(crate) fn any(flags: GetFlags) -> Get {
    Get {
        descriptor: Descriptor::default(),
        options: GetStructure { flags, ..GetStructure::default() },
        buffer_length: 4096,
    }
}
