//! Consumers of a client that makes a lost conversation again, in the flows of the Java client.
//!
//! Its program may still work on a message that the lost conversation was sent. It backs that out, and passes over
//! whatever comes between the answer and its next request: the commit after that would take it away unseen.

use channel_protocol::flow::consume::{AsyncMessage, Notification};
use channel_protocol::reply::Reply;
use channel_protocol::request::{Request, Verb};
use channel_protocol::segment::{Address, ControlFlags};
use model::options::{GetFlags, OpenOptions};

use crate::client::{Client, Server, any, define_queue};
use crate::consuming::{persistent, request};
use crate::put_get::BOTH;

const AGAIN: u32 = 5;

/// Conversation 3 puts. Conversation 5 is made again, with consumers of Q and R that have not asked for anything.
struct Reconnection {
    server: Server,
    client: Client,
    q: i32,
    r: i32,
    to_q: i32,
    to_r: i32,
}

impl Reconnection {
    async fn begin() -> Self {
        let server = Server::start().await;
        define_queue(&server.queue_manager, "R").await;
        let mut client = server.connected().await;
        client.begin_conversation(3).await;
        client.connect(3, "QM1").await;
        let to_q = client.open(3, "Q", OpenOptions::OUTPUT).await;
        let to_r = client.open(3, "R", OpenOptions::OUTPUT).await;
        client.begin_conversation(AGAIN).await;
        client.reconnect(AGAIN, "QM1").await;
        let q = client.open(AGAIN, "Q", BOTH).await;
        let r = client.open(AGAIN, "R", BOTH).await;
        Self { server, client, q, r, to_q, to_r }
    }

    async fn put(&mut self, queue: i32, data: &[u8]) {
        assert_eq!(self.client.put(3, queue, persistent(data)).await.0, 0);
    }

    /// Adds to what the next flush writes.
    fn say(&mut self, request: &Request) {
        let address = Address::Conversation { conversation: AGAIN, request: 1 };
        self.client.queue_at(address, ControlFlags::empty(), request);
    }

    fn notify(&mut self, code: i32, value: i32) {
        self.say(&Request::Notification(Notification { handle: -1, code, value }));
    }

    fn ask(&mut self, handle: i32, last: u32) {
        self.say(&Request::RequestMessages(request(handle, 1, last)));
    }

    /// What the Java client says to have its consumers of these handles again, up to and with its being reconnected.
    fn reconnect(&mut self, handles: &[i32]) {
        self.notify(Notification::CONNECTION_STATE, 2);
        handles.iter().for_each(|&handle| self.ask(handle, 0));
        for _ in 0..2 {
            self.notify(Notification::RECONNECTED, 0);
            handles.iter().for_each(|&handle| self.ask(handle, 0));
        }
    }

    fn back_out(&mut self) {
        self.client.queue(AGAIN, &Request::Call(Verb::BackOut.call_on(0)));
    }

    async fn answered(&mut self) {
        self.client.flush().await;
        let reply = self.client.receive(AGAIN).await;
        assert!(matches!(reply, Reply::Answer(_)), "{reply:?}");
    }

    async fn message(&mut self) -> AsyncMessage {
        self.client.flush().await;
        match self.client.receive(AGAIN).await {
            Reply::Message(message) => message,
            other => panic!("no message: {other:?}"),
        }
    }

    async fn commit(&mut self) {
        assert_eq!(self.client.plain(AGAIN, Verb::Commit).await, 0);
    }

    /// What round trips on the same conversation show: what the first one let go would come before the second answer. They
    /// end no unit of work.
    async fn nothing_is_sent(&mut self) {
        for _ in 0..2 {
            assert_eq!(self.client.close(AGAIN, 999).await, 2019);
        }
    }
}

#[tokio::test]
async fn a_conversation_made_again_is_sent_nothing_before_the_client_has_reconnected() {
    let mut again = Reconnection::begin().await;
    let (q, to_q) = (again.q, again.to_q);
    again.put(to_q, b"waiting").await;
    again.notify(Notification::CONNECTION_STATE, 2);
    again.ask(q, 0);
    again.notify(Notification::RECONNECTED, 0);
    again.nothing_is_sent().await;
    again.notify(Notification::RECONNECTED, 0);
    assert_eq!(&again.message().await.data[..], b"waiting");
}

#[tokio::test]
async fn after_a_back_out_on_a_conversation_made_again_a_message_is_sent_only_when_it_is_asked_for_anew() {
    let mut again = Reconnection::begin().await;
    let (q, to_q) = (again.q, again.to_q);
    again.reconnect(&[q]);
    again.client.flush().await;
    again.nothing_is_sent().await;
    again.back_out();
    again.answered().await;
    again.put(to_q, b"not passed over").await;
    // The program may take its time before it asks on, and back out twice.
    again.nothing_is_sent().await;
    again.back_out();
    again.answered().await;
    again.nothing_is_sent().await;
    assert_eq!(again.server.depth("Q"), 1);
    again.ask(q, 0);
    assert_eq!(&again.message().await.data[..], b"not passed over");
    again.commit().await;
    assert_eq!(again.server.depth("Q"), 0);
}

#[tokio::test]
async fn a_message_that_waits_while_the_client_reconnects_and_backs_out_is_not_sent_behind_the_answer() {
    let mut again = Reconnection::begin().await;
    let (q, to_q) = (again.q, again.to_q);
    again.put(to_q, b"waiting").await;
    again.reconnect(&[q]);
    again.back_out();
    again.client.flush().await;
    // It may be sent before the back-out, of which it is a part then.
    let mut last = 0;
    let mut reply = again.client.receive(AGAIN).await;
    if let Reply::Message(message) = &reply {
        last = message.global_index;
        reply = again.client.receive(AGAIN).await;
    }
    assert!(matches!(reply, Reply::Answer(_)), "{reply:?}");
    again.nothing_is_sent().await;
    assert_eq!(again.server.depth("Q"), 1);
    again.ask(q, last);
    assert_eq!(&again.message().await.data[..], b"waiting");
}

/// Its consumer was never given the message, and so it will not ask again.
#[tokio::test]
async fn a_message_that_the_client_passed_over_with_its_back_out_is_sent_again_without_another_request_for_it() {
    let mut again = Reconnection::begin().await;
    let (q, r, to_q, to_r) = (again.q, again.r, again.to_q, again.to_r);
    again.put(to_r, b"of R").await;
    again.reconnect(&[q, r]);
    let passed_over = again.message().await;
    assert_eq!((passed_over.handle, passed_over.global_index), (r, 1));
    again.put(to_q, b"of Q").await;
    again.back_out();
    again.answered().await;
    again.nothing_is_sent().await;
    // The program that was at work is the consumer's of Q.
    again.ask(q, 1);
    let mut got = Vec::new();
    for _ in 0..2 {
        let message = again.message().await;
        got.push(message.data.to_vec());
        again.nothing_is_sent().await;
        again.ask(message.handle, message.global_index);
    }
    again.commit().await;
    got.sort();
    assert_eq!(got, [b"of Q", b"of R"]);
    assert_eq!((again.server.depth("Q"), again.server.depth("R")), (0, 0));
}

#[tokio::test]
async fn a_request_that_crosses_a_message_does_not_say_that_the_program_is_done_with_it() {
    let mut again = Reconnection::begin().await;
    let (q, r, to_q, to_r) = (again.q, again.r, again.to_q, again.to_r);
    again.reconnect(&[q, r]);
    again.put(to_r, b"of R").await;
    assert_eq!(&again.message().await.data[..], b"of R");
    again.put(to_q, b"of Q").await;
    again.ask(r, 0);
    again.nothing_is_sent().await;
    again.ask(r, 1);
    assert_eq!(&again.message().await.data[..], b"of Q");
}

#[tokio::test]
async fn a_client_that_was_idle_when_it_reconnected_backs_out_and_asks_on_as_ever() {
    let mut again = Reconnection::begin().await;
    let (q, r, to_q, to_r) = (again.q, again.r, again.to_q, again.to_r);
    again.reconnect(&[q, r]);
    again.put(to_q, b"first").await;
    assert_eq!(&again.message().await.data[..], b"first");
    again.commit().await;
    again.ask(q, 1);
    again.client.flush().await;
    again.put(to_q, b"second").await;
    assert_eq!(&again.message().await.data[..], b"second");
    again.back_out();
    again.answered().await;
    again.ask(q, 2);
    let second = again.message().await;
    assert_eq!((&second.data[..], second.descriptor.fields.backout_count), (&b"second"[..], 1));
    again.commit().await;
    again.ask(q, 3);
    again.client.flush().await;
    // The request for R has stood all the while.
    again.put(to_r, b"of R").await;
    assert_eq!(&again.message().await.data[..], b"of R");
}

/// The Java client asks on for a message that it is about to pass over, and backs out then.
#[tokio::test]
async fn a_request_between_the_reconnection_and_the_back_out_lets_nothing_be_sent_behind_the_answer() {
    let mut again = Reconnection::begin().await;
    let (q, to_q) = (again.q, again.to_q);
    again.reconnect(&[q]);
    again.put(to_q, b"first").await;
    assert_eq!(&again.message().await.data[..], b"first");
    again.ask(q, 1);
    again.back_out();
    again.answered().await;
    again.nothing_is_sent().await;
    assert_eq!(again.server.depth("Q"), 1);
    again.ask(q, 1);
    let first = again.message().await;
    assert_eq!((&first.data[..], first.descriptor.fields.backout_count), (&b"first"[..], 1));
    again.commit().await;
    assert_eq!(again.server.depth("Q"), 0);
}

#[tokio::test]
async fn the_request_of_a_second_consumer_stands_after_a_back_out() {
    let mut again = Reconnection::begin().await;
    let (q, r, to_q, to_r) = (again.q, again.r, again.to_q, again.to_r);
    again.reconnect(&[q, r]);
    again.back_out();
    again.answered().await;
    again.ask(q, 0);
    again.client.flush().await;
    again.nothing_is_sent().await;
    again.put(to_r, b"of R").await;
    assert_eq!(&again.message().await.data[..], b"of R");
    again.commit().await;
    again.ask(r, 1);
    again.put(to_q, b"of Q").await;
    assert_eq!(&again.message().await.data[..], b"of Q");
}

#[tokio::test]
async fn a_client_that_closes_the_consumer_it_backed_out_for_is_sent_messages_for_the_other() {
    let mut again = Reconnection::begin().await;
    let (q, r, to_r) = (again.q, again.r, again.to_r);
    again.reconnect(&[q, r]);
    again.back_out();
    again.answered().await;
    again.put(to_r, b"of R").await;
    again.nothing_is_sent().await;
    assert_eq!(again.client.close(AGAIN, q).await, 0);
    assert_eq!(&again.message().await.data[..], b"of R");
    again.commit().await;
    let (reason, _) = again.client.get(AGAIN, r, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!(reason, 2033);
}
