//! Asynchronous consumers: what is requested is sent, no more than that, and nothing after the consumer has come to rest.

use channel_protocol::flow::consume::{AsyncMessage, MessageSelection, Notification, RequestFlags, RequestMessages};
use channel_protocol::flow::put::Put;
use channel_protocol::flow::status::StatusCode;
use channel_protocol::reply::Reply;
use channel_protocol::request::{Request, Verb};
use channel_protocol::segment::{Address, ControlFlags};
use channel_protocol::structure::put_options::PutStructure;
use model::descriptor::Persistence;
use model::options::{GetFlags, MatchOptions, OpenOptions, PutFlags};
use queue_manager::channel_status::{StopChannel, StopMode};

use crate::client::{Client, Server, any, define_queue, message};
use crate::put_get::BOTH;

/// Two conversations on one socket: 1 consumes, 3 puts; with the handles of queue Q for both.
struct Pair {
    server: Server,
    client: Client,
    queue: i32,
    output: i32,
}

impl Pair {
    async fn new() -> Self {
        let server = Server::start().await;
        let mut client = server.connected().await;
        let queue = client.open(1, "Q", BOTH).await;
        client.begin_conversation(3).await;
        client.connect(3, "QM1").await;
        let output = client.open(3, "Q", OpenOptions::OUTPUT).await;
        Self { server, client, queue, output }
    }

    async fn put(&mut self, data: &[u8]) {
        let (reason, _) = self.client.put(3, self.output, message(data)).await;
        assert_eq!(reason, 0);
    }

    /// Sends REQUEST_MSGS or NOTIFICATION on request id 1, or on 3 when an answer is wanted.
    async fn tell(&mut self, request: Request, wants_answer: bool) {
        let (number, control) = if wants_answer { (3, ControlFlags::CONFIRM) } else { (1, ControlFlags::empty()) };
        let address = Address::Conversation { conversation: 1, request: number };
        self.client.queue_at(address, control, &request);
        self.client.flush().await;
    }

    async fn request(&mut self, wanted: u32, global_index: u32) {
        let request = request(self.queue, wanted, global_index);
        self.tell(Request::RequestMessages(request), false).await;
    }

    async fn state(&mut self, value: i32) {
        let notification = Notification { handle: -1, code: Notification::CONNECTION_STATE, value };
        self.tell(Request::Notification(notification), value != 2).await;
    }

    async fn message(&mut self) -> AsyncMessage {
        match self.client.receive(1).await {
            Reply::Message(message) => message,
            other => panic!("no message: {other:?}"),
        }
    }

    /// What a round trip on the same conversation shows: nothing was sent meanwhile.
    async fn nothing(&mut self) {
        self.client.send(1, &Request::Call(Verb::Commit.call_on(0))).await;
        let reply = self.client.receive(1).await;
        assert!(matches!(reply, Reply::Answer(_)), "{reply:?}");
    }
}

pub(crate) fn request(handle: i32, wanted: u32, global_index: u32) -> RequestMessages {
    RequestMessages {
        handle,
        received: 0,
        wanted,
        maximum_length: -1,
        options: GetFlags::SYNCPOINT_IF_PERSISTENT,
        wait_interval: 0,
        queue_status: 0,
        flags: RequestFlags::WAIT,
        global_index,
        selection: None,
    }
}

fn selection(correlation_id: [u8; 24]) -> MessageSelection {
    MessageSelection {
        index: 1,
        descriptor_version: 2,
        ccsid: 1208,
        encoding: 273,
        sequence_number: 0,
        offset: 0,
        match_options: MatchOptions::CORREL_ID,
        message_id: [0; 24],
        correlation_id,
        group_id: [0; 24],
        message_token: [0; 16],
    }
}

pub(crate) fn persistent(data: &[u8]) -> Put {
    let mut put = message(data);
    put.descriptor.fields.persistence = Persistence::Persistent;
    put
}

#[tokio::test]
async fn one_message_is_sent_for_each_request_as_it_comes() {
    let mut pair = Pair::new().await;
    pair.state(2).await;
    pair.request(1, 0).await;
    pair.nothing().await;
    pair.put(b"first").await;
    let first = pair.message().await;
    assert_eq!((&first.data[..], first.message_index, first.global_index, first.reason), (&b"first"[..], 1, 1, 0));
    assert_eq!((&first.resolved_queue[..], first.length, first.actual_length), (&b"Q"[..], 5, 5));
    pair.put(b"second").await;
    pair.nothing().await;
    pair.request(1, 1).await;
    assert_eq!(&pair.message().await.data[..], b"second");
    pair.nothing().await;
    assert_eq!(pair.server.depth("Q"), 0);
}

#[tokio::test]
async fn a_window_of_bytes_is_filled_and_opens_with_what_was_received() {
    let mut pair = Pair::new().await;
    for _ in 0..5 {
        pair.put(&[7; 1000]).await;
    }
    // Two messages of 1364 bytes fit, and the one that exceeds the window.
    pair.request(2800, 0).await;
    for index in 1..=3 {
        assert_eq!(pair.message().await.global_index, index);
    }
    pair.nothing().await;
    pair.request(2800, 1).await;
    assert_eq!(pair.message().await.global_index, 4);
    pair.nothing().await;
    pair.request(2800, 4).await;
    assert_eq!(pair.message().await.global_index, 5);
    pair.put(b"late").await;
    assert_eq!(&pair.message().await.data[..], b"late");
}

#[tokio::test]
async fn a_long_message_comes_in_segments() {
    let mut pair = Pair::new().await;
    let long: Vec<u8> = (0..200_000_u32).map(|index| index.to_le_bytes()[0]).collect();
    pair.put(&long).await;
    pair.request(1, 0).await;
    let got = pair.message().await;
    assert_eq!((got.data.len(), got.length), (long.len(), 200_000));
    assert_eq!(got.data, long);
}

#[tokio::test]
async fn nothing_is_sent_between_suspension_and_start() {
    let mut pair = Pair::new().await;
    pair.state(2).await;
    pair.request(1, 0).await;
    for value in [3, 0] {
        pair.state(value).await;
        let expected = Notification { handle: -1, code: Notification::CONNECTION_STATE_REPLY, value };
        assert_eq!(pair.client.receive(1).await, Reply::Notification(expected));
    }
    pair.put(b"waits").await;
    pair.nothing().await;
    assert_eq!(pair.server.depth("Q"), 1);
    pair.state(2).await;
    assert_eq!(&pair.message().await.data[..], b"waits");
}

#[tokio::test]
async fn notifications_that_ask_for_nothing_are_not_answered() {
    let mut pair = Pair::new().await;
    for (handle, code, value) in [(pair.queue, 5, 16), (-1, 8, 0), (-1, 3, 2), (-1, 99, 1)] {
        pair.tell(Request::Notification(Notification { handle, code, value }), false).await;
    }
    pair.nothing().await;
}

#[tokio::test]
async fn a_closed_consumer_gets_nothing_and_its_messages_go_to_others() {
    let mut pair = Pair::new().await;
    pair.request(1, 0).await;
    pair.nothing().await;
    assert_eq!(pair.client.close(1, pair.queue).await, 0);
    pair.put(b"for others").await;
    pair.nothing().await;
    let other = pair.client.open(3, "Q", OpenOptions::INPUT_SHARED).await;
    let (reason, got) = pair.client.get(3, other, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!((reason, &got.data[..]), (0, &b"for others"[..]));
}

#[tokio::test]
async fn what_is_selected_stays_selected_until_another_selection_comes() {
    let mut pair = Pair::new().await;
    let (one, two) = ([1; 24], [2; 24]);
    for (id, data) in [(one, b"1a"), (two, b"2a"), (one, b"1b"), (two, b"2b")] {
        let mut put = message(data);
        put.descriptor.fields.correlation_id = model::identifier::CorrelationId::new(id);
        pair.client.put(3, pair.output, put).await;
    }
    let selecting = |queue, global, id| RequestMessages { selection: Some(selection(id)), ..request(queue, 1, global) };
    pair.tell(Request::RequestMessages(selecting(pair.queue, 0, two)), false).await;
    assert_eq!(&pair.message().await.data[..], b"2a");
    pair.request(1, 1).await;
    assert_eq!(&pair.message().await.data[..], b"2b");
    pair.request(1, 2).await;
    pair.nothing().await;
    pair.tell(Request::RequestMessages(selecting(pair.queue, 2, one)), false).await;
    assert_eq!(&pair.message().await.data[..], b"1a");
}

#[tokio::test]
async fn persistent_messages_are_in_the_unit_of_work_and_come_again_after_a_back_out() {
    let mut pair = Pair::new().await;
    pair.client.put(3, pair.output, persistent(b"kept")).await;
    pair.request(1, 0).await;
    assert_eq!(&pair.message().await.data[..], b"kept");
    assert_eq!(pair.client.plain(1, Verb::BackOut).await, 0);
    pair.request(1, 1).await;
    let again = pair.message().await;
    assert_eq!((&again.data[..], again.descriptor.fields.backout_count), (&b"kept"[..], 1));
    assert_eq!(pair.client.plain(1, Verb::Commit).await, 0);
    assert_eq!(pair.server.depth("Q"), 0);
}

/// A commit is never about a message that the program has not seen.
#[tokio::test]
async fn while_the_client_is_busy_with_a_message_in_the_unit_of_work_other_consumers_get_none() {
    let mut pair = Pair::new().await;
    define_queue(&pair.server.queue_manager, "R").await;
    let second = pair.client.open(1, "R", BOTH).await;
    let to_second = pair.client.open(3, "R", OpenOptions::OUTPUT).await;
    pair.request(1, 0).await;
    pair.tell(Request::RequestMessages(request(second, 1, 0)), false).await;
    pair.client.put(3, pair.output, persistent(b"first")).await;
    assert_eq!(&pair.message().await.data[..], b"first");
    pair.client.put(3, to_second, persistent(b"second")).await;
    pair.nothing().await;
    assert_eq!(pair.server.depth("R"), 1);
    pair.request(1, 1).await;
    let got = pair.message().await;
    assert_eq!((got.handle, &got.data[..]), (second, &b"second"[..]));
}

#[tokio::test]
async fn a_request_that_asks_for_confirmation_is_answered_when_nothing_more_is_to_be_sent() {
    let mut pair = Pair::new().await;
    pair.put(b"there").await;
    let asked = request(pair.queue, 10_000, 0);
    pair.tell(Request::RequestMessages(asked.clone()), true).await;
    assert_eq!(&pair.message().await.data[..], b"there");
    let empty = Notification { handle: pair.queue, code: 15, value: 0 };
    assert_eq!(pair.client.receive(1).await, Reply::Notification(empty));
    pair.put(b"later").await;
    assert_eq!(&pair.message().await.data[..], b"later");
    for data in [b"third", b"forth"] {
        pair.put(data).await;
        assert_eq!(&pair.message().await.data[..], data);
    }
    // Three and four are on their way: a window of one byte is closed.
    let full = RequestMessages { wanted: 1, global_index: 2, ..asked };
    pair.tell(Request::RequestMessages(full), true).await;
    let paused = Notification { handle: pair.queue, code: 16, value: 0 };
    assert_eq!(pair.client.receive(1).await, Reply::Notification(paused));
}

#[tokio::test]
async fn inhibited_gets_are_waited_for_without_a_word_and_a_close_does_not_wait_with_them() {
    let mut pair = Pair::new().await;
    pair.request(1, 0).await;
    pair.nothing().await;
    let queue_manager = pair.server.queue_manager.clone();
    let inhibit = async |inhibited: bool| {
        let mut definition = (*queue_manager.queue(&model::name::ObjectName::literal("Q")).unwrap()).clone();
        definition.as_local_mut().unwrap().get_inhibited = inhibited;
        queue_manager.alter_queue(&crate::client::administrator(), definition, false).await.unwrap();
    };
    inhibit(true).await;
    pair.put(b"after").await;
    pair.nothing().await;
    inhibit(false).await;
    assert_eq!(&pair.message().await.data[..], b"after");
    inhibit(true).await;
    pair.request(1, 1).await;
    pair.nothing().await;
    assert_eq!(pair.client.close(1, pair.queue).await, 0);
}

#[tokio::test]
async fn a_stopped_connection_ends_its_conversation_for_the_client() {
    let mut pair = Pair::new().await;
    pair.request(1, 0).await;
    pair.nothing().await;
    let connections = pair.server.queue_manager.connections();
    let oldest = connections.first().expect("two connections").identifier;
    pair.server.queue_manager.stop_connection(&crate::client::administrator(), &oldest).unwrap();
    match pair.client.receive(1).await {
        Reply::Status(status) => assert!(!status.is_ok()),
        other => panic!("no status: {other:?}"),
    }
    pair.put(b"the other conversation goes on").await;
}

#[tokio::test]
async fn a_channel_that_is_stopped_gently_is_told_for_consumers_that_ask_to_fail_and_then_ends() {
    let mut pair = Pair::new().await;
    let options = GetFlags::FAIL_IF_QUIESCING | GetFlags::NO_SYNCPOINT;
    let asked = RequestMessages { options, ..request(pair.queue, 1, 0) };
    pair.tell(Request::RequestMessages(asked), false).await;
    pair.nothing().await;
    let stop = StopChannel::of("CLIENTS", StopMode::Quiesce);
    assert_eq!(pair.server.queue_manager.stop_channel(&stop), 1);
    let quiescing = Notification { handle: pair.queue, code: Notification::QUIESCING, value: 0 };
    assert_eq!(pair.client.receive(1).await, Reply::Notification(quiescing));
    match pair.client.receive(1).await {
        Reply::Status(status) => assert_eq!(status.code, Some(StatusCode::QUEUE_MANAGER_ENDING)),
        other => panic!("no status: {other:?}"),
    }
}

#[tokio::test]
async fn a_queue_manager_that_quiesces_ends_the_conversation_of_a_consumer_that_asks_to_fail() {
    let mut pair = Pair::new().await;
    let options = GetFlags::FAIL_IF_QUIESCING | GetFlags::NO_SYNCPOINT;
    let asked = RequestMessages { options, ..request(pair.queue, 1, 0) };
    pair.tell(Request::RequestMessages(asked), false).await;
    pair.nothing().await;
    pair.server.queue_manager.quiesce();
    let quiescing = Notification { handle: pair.queue, code: Notification::QUIESCING, value: 0 };
    assert_eq!(pair.client.receive(1).await, Reply::Notification(quiescing));
    match pair.client.receive(1).await {
        Reply::Status(status) => assert_eq!(status.code, Some(StatusCode::QUEUE_MANAGER_ENDING)),
        other => panic!("no status: {other:?}"),
    }
    pair.put(b"the other conversation goes on").await;
}

#[tokio::test]
async fn a_queue_manager_that_quiesces_leaves_a_conversation_to_consumers_that_do_not_ask_to_fail() {
    let mut pair = Pair::new().await;
    define_queue(&pair.server.queue_manager, "R").await;
    let second = pair.client.open(1, "R", BOTH).await;
    let of = |handle, more| {
        let options = GetFlags::NO_SYNCPOINT | more;
        Request::RequestMessages(RequestMessages { options, ..request(handle, 1, 0) })
    };
    pair.tell(of(second, GetFlags::empty()), false).await;
    pair.tell(of(pair.queue, GetFlags::FAIL_IF_QUIESCING), false).await;
    pair.nothing().await;
    pair.server.queue_manager.quiesce();
    let quiescing = Notification { handle: pair.queue, code: Notification::QUIESCING, value: 0 };
    assert_eq!(pair.client.receive(1).await, Reply::Notification(quiescing));
    pair.nothing().await;
}

#[tokio::test]
async fn a_queue_manager_that_quiesces_lets_a_consumer_finish_the_message_it_has_in_hand() {
    let mut pair = Pair::new().await;
    define_queue(&pair.server.queue_manager, "R").await;
    let second = pair.client.open(1, "R", BOTH).await;
    let of = |handle, global_index, in_unit| {
        let options = GetFlags::FAIL_IF_QUIESCING | in_unit;
        Request::RequestMessages(RequestMessages { options, ..request(handle, 1, global_index) })
    };
    pair.client.put(3, pair.output, persistent(b"in hand")).await;
    let first = pair.queue;
    pair.tell(of(first, 0, GetFlags::SYNCPOINT_IF_PERSISTENT), false).await;
    assert_eq!(&pair.message().await.data[..], b"in hand");
    pair.tell(of(second, 0, GetFlags::NO_SYNCPOINT), false).await;
    pair.server.queue_manager.quiesce();
    let quiescing = Notification { handle: second, code: Notification::QUIESCING, value: 0 };
    assert_eq!(pair.client.receive(1).await, Reply::Notification(quiescing));
    // Its commit is answered before anything else is said.
    pair.nothing().await;
    pair.tell(of(first, 1, GetFlags::SYNCPOINT_IF_PERSISTENT), false).await;
    let mut said = pair.client.receive(1).await;
    while matches!(said, Reply::Notification(_)) {
        said = pair.client.receive(1).await;
    }
    assert!(matches!(said, Reply::Status(status) if status.code == Some(StatusCode::QUEUE_MANAGER_ENDING)));
    assert_eq!(pair.server.depth("Q"), 0);
}

#[tokio::test]
async fn requests_for_handles_that_are_not_there_are_passed_over() {
    let mut pair = Pair::new().await;
    for handle in [-1, 0, 77, i32::MAX] {
        pair.tell(Request::RequestMessages(request(handle, 1, 0)), false).await;
    }
    pair.nothing().await;
    let mut put = message(b"x");
    put.options = PutStructure { flags: PutFlags::NO_SYNCPOINT, ..put.options };
    assert_eq!(pair.client.put(3, pair.output, put).await.0, 0);
    pair.nothing().await;
}

#[tokio::test]
async fn consumers_of_a_conversation_take_turns_while_all_have_messages_waiting() {
    let mut pair = Pair::new().await;
    let mut handles = vec![pair.queue];
    for name in ["R", "S"] {
        define_queue(&pair.server.queue_manager, name).await;
        handles.push(pair.client.open(1, name, BOTH).await);
    }
    let to_others =
        [pair.client.open(3, "R", OpenOptions::OUTPUT).await, pair.client.open(3, "S", OpenOptions::OUTPUT).await];
    for _ in 0..4 {
        for queue in [pair.output, to_others[0], to_others[1]] {
            pair.client.put(3, queue, persistent(b"x")).await;
        }
    }
    for &handle in &handles {
        pair.tell(Request::RequestMessages(request(handle, 1, 0)), false).await;
    }
    let mut served = Vec::new();
    for _ in 0..9 {
        let message = pair.message().await;
        served.push(message.handle);
        assert_eq!(pair.client.plain(1, Verb::Commit).await, 0);
        pair.tell(Request::RequestMessages(request(message.handle, 1, message.global_index)), false).await;
    }
    for &handle in &handles {
        assert_eq!(served.iter().filter(|&&one| one == handle).count(), 3, "{served:?}");
    }
}
