//! Captured flows of the Java client, sent again to this server: every request is answered, by the right kind of reply,
//! well formed, and with the reason the capture has, apart from what a test says.
//!
//! Handles, message identifiers, tokens and names of dynamic queues are the server's to choose: those of the capture are
//! replaced by those this server gave.

use std::collections::{HashMap, HashSet, VecDeque};

use bytes::BytesMut;
use channel_protocol::assembly::{Assembler, Limits, Unit};
use channel_protocol::flow::socket::SocketAction;
use channel_protocol::flow::spi::{SpiOutput, SpiReply};
use channel_protocol::form::{ByteOrder, Form};
use channel_protocol::reply::{Answer, AnswerBody, Reply};
use channel_protocol::request::{Call, Request, Verb};
use channel_protocol::segment::{ControlFlags, Framer, Segment, SegmentType};

use crate::admission::Settings;
use crate::client::{Client, Server, define_queue};

/// Segments as captured, each with its bytes.
fn segments(capture: &[u8]) -> Vec<(Segment, Vec<u8>)> {
    let framer = Framer::new(1 << 20);
    let mut rest = BytesMut::from(capture);
    let mut segments = Vec::new();
    while !rest.is_empty() {
        let before = rest.clone();
        let segment = framer.next(&mut rest).unwrap().expect("captures hold whole segments");
        segments.push((segment, before[..before.len() - rest.len()].to_vec()));
    }
    segments
}

fn units(capture: &[u8]) -> Vec<Unit> {
    let mut assembler = Assembler::new(Limits { unit: 200 << 20, open: 100, buffered: 200 << 20 });
    segments(capture).into_iter().filter_map(|(segment, _)| assembler.push(segment).unwrap()).collect()
}

/// Type and reason of an answer, or what an XA verb returned; 0 for what has neither.
type Outcome = (SegmentType, i32);

fn outcome(reply: &Reply) -> Outcome {
    match reply {
        Reply::Answer(Answer { segment_type, ending, .. }) => (*segment_type, ending.reason),
        Reply::Xa(reply) => (reply.segment_type, reply.return_value),
        other => (other.segment_type(), 0),
    }
}

/// Whether the server answers a unit; not asked of heartbeats.
fn is_answered(unit: &Unit) -> bool {
    match unit.segment_type {
        SegmentType::Initial | SegmentType::ConnectionAuthentication => true,
        // The end of a conversation is not answered here; the prototype did so, needlessly.
        SegmentType::SocketAction => matches!(
            Request::decode(unit),
            Ok(Request::SocketAction(action)) if action.action == SocketAction::START
        ),
        SegmentType::Notification => unit.confirm_requested(),
        other => other.reply().is_some() && !is_asynchronous_put(unit),
    }
}

/// What a server chooses in an answer: identifiers, tokens, names.
fn choices(answer: &Answer) -> Vec<Vec<u8>> {
    match &answer.body {
        Some(AnswerBody::Put(put)) => vec![put.descriptor.fields.message_id.as_bytes().to_vec()],
        Some(AnswerBody::Put1(put1)) => vec![put1.put.descriptor.fields.message_id.as_bytes().to_vec()],
        Some(AnswerBody::Get(get)) => vec![get.options.message_token.to_vec()],
        Some(AnswerBody::Open(open)) => vec![open.object.name.as_bytes().to_vec()],
        Some(AnswerBody::Spi(SpiReply { output: SpiOutput::Open(open), .. })) => {
            vec![open.object.name.as_bytes().to_vec()]
        }
        _ => Vec::new(),
    }
}

/// A put that is not answered, by its options.
fn is_asynchronous_put(unit: &Unit) -> bool {
    match Request::decode(unit) {
        Ok(Request::Call(Call { verb: Verb::Put(put), .. })) => put.options.is_asynchronous(),
        Ok(Request::Call(Call { verb: Verb::Put1(put1), .. })) => put1.put.options.is_asynchronous(),
        _ => false,
    }
}

/// A capture while it is sent again.
struct Replay {
    client: Client,
    /// Answers in the capture, by conversation, in order.
    captured: HashMap<u32, VecDeque<Unit>>,
    /// By conversation and captured handle.
    handles: HashMap<(u32, i32), i32>,
    /// What the server of the capture chose, and what this one did in its place.
    chosen: Vec<(Vec<u8>, Vec<u8>)>,
    outstanding: HashSet<u32>,
    /// Messages that the capture sent without a get each and that are still to come, by conversation.
    messages: HashMap<u32, usize>,
    /// Conversations that asked for such messages.
    requested: HashSet<u32>,
    /// What the capture and what this server answered, where they differ.
    differences: Vec<(Outcome, Outcome)>,
}

impl Replay {
    /// Takes the answer that a conversation waits for.
    async fn settle(&mut self, conversation: u32) {
        if !self.outstanding.remove(&conversation) {
            return;
        }
        let expected = self.captured.get_mut(&conversation).and_then(VecDeque::pop_front).expect("it was answered");
        let expected = Reply::decode(&expected).unwrap();
        let got = self.receive(conversation).await;
        if let (Reply::Answer(captured), Reply::Answer(answer)) = (&expected, &got) {
            self.handles.insert((conversation, captured.handle), answer.handle);
            self.note_choices(captured, answer);
        }
        assert_eq!(expected.segment_type(), got.segment_type());
        if outcome(&expected) != outcome(&got) {
            self.differences.push((outcome(&expected), outcome(&got)));
        }
    }

    /// The next answer; messages that come unasked are counted on the way.
    async fn receive(&mut self, conversation: u32) -> Reply {
        loop {
            match self.client.receive(conversation).await {
                Reply::Message(_) => self.count_message(conversation),
                reply => return reply,
            }
        }
    }

    /// A client commits what it was sent, so it was sent something.
    async fn await_message(&mut self, conversation: u32) {
        let is_owed = self.messages.get(&conversation).is_some_and(|&left| left > 0);
        if is_owed && self.requested.remove(&conversation) {
            let reply = self.client.receive(conversation).await;
            assert!(matches!(reply, Reply::Message(_)), "{reply:?}");
            self.count_message(conversation);
        }
    }

    fn count_message(&mut self, conversation: u32) {
        let left = self.messages.get_mut(&conversation).expect("the capture sent messages too");
        *left = left.checked_sub(1).expect("no more messages come than in the capture");
    }

    fn note_choices(&mut self, captured: &Answer, answer: &Answer) {
        for (captured, answer) in choices(captured).into_iter().zip(choices(answer)) {
            if captured != answer && captured.iter().any(|&byte| byte != 0) {
                self.chosen.push((captured, answer));
            }
        }
    }

    /// The segment with what this server chose.
    fn translate(&self, segment: &Segment, mut bytes: Vec<u8>) -> Vec<u8> {
        let number = segment.header.segment_type.number();
        let is_first = segment.header.control.contains(ControlFlags::FIRST);
        let offset = match number {
            0x0E | 0x0F => 4,
            0x83..=0x8F if is_first => 12,
            _ => return bytes,
        };
        let at = segment.header.address.header_length() + offset;
        for (captured, chosen) in &self.chosen {
            let places: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(captured)).collect();
            for at in places {
                bytes[at..at + chosen.len()].copy_from_slice(chosen);
            }
        }
        let is_little = segment.header.form.order == ByteOrder::Little;
        let number = i32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        let captured = if is_little { number.swap_bytes() } else { number };
        let conversation = segment.header.address.conversation();
        if let Some(&handle) = self.handles.get(&(conversation, captured)) {
            let handle = if is_little { handle.to_le_bytes() } else { handle.to_be_bytes() };
            bytes[at..at + 4].copy_from_slice(&handle);
        }
        bytes
    }
}

/// Sends a capture again; returns where the answers differ from those captured.
async fn replay(name: &str) -> Vec<(Outcome, Outcome)> {
    let sharing_conversations = if name.contains("fap9") { 0 } else { 10 };
    let server = Server::with(Settings { sharing_conversations, ..Settings::default() }).await;
    define_queue(&server.queue_manager, "DEV.QUEUE.1").await;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../channel-protocol/tests/vectors");
    let sent = std::fs::read(format!("{folder}/{name}.c2s.bin")).unwrap();
    let mut captured: HashMap<u32, VecDeque<Unit>> = HashMap::new();
    let mut messages: HashMap<u32, usize> = HashMap::new();
    for unit in units(&std::fs::read(format!("{folder}/{name}.s2c.bin")).unwrap()) {
        if unit.segment_type == SegmentType::AsyncMessage {
            *messages.entry(unit.address.conversation()).or_default() += 1;
        } else if unit.segment_type != SegmentType::Heartbeat {
            captured.entry(unit.address.conversation()).or_default().push_back(unit);
        }
    }
    let mut replay = Replay {
        client: Client::begin(server.socket(), Form::BIG),
        captured,
        handles: HashMap::new(),
        chosen: Vec::new(),
        outstanding: HashSet::new(),
        messages,
        requested: HashSet::new(),
        differences: Vec::new(),
    };
    replay.run(&sent, sharing_conversations).await;
    assert!(
        replay.messages.values().all(|&left| left == 0),
        "{name}: messages that did not come: {:?}",
        replay.messages
    );
    replay.differences
}

impl Replay {
    async fn run(&mut self, sent: &[u8], sharing_conversations: u32) {
        let mut assembler = Assembler::new(Limits { unit: 200 << 20, open: 100, buffered: 200 << 20 });
        for (segment, bytes) in segments(sent) {
            let mut conversation = segment.header.address.conversation();
            if segment.header.segment_type == SegmentType::SocketAction {
                conversation = u32::from_be_bytes(segment.body[..4].try_into().unwrap());
            }
            if segment.header.segment_type == SegmentType::Commit {
                self.await_message(conversation).await;
            }
            if segment.header.control.contains(ControlFlags::FIRST) {
                self.settle(conversation).await;
            }
            let bytes = self.translate(&segment, bytes);
            self.client.send_raw(&bytes).await;
            let Some(unit) = assembler.push(segment).unwrap() else { continue };
            if is_answered(&unit) {
                self.outstanding.insert(conversation);
            }
            if unit.segment_type == SegmentType::RequestMessages {
                self.requested.insert(conversation);
            }
            // A get may wait for what another conversation puts; all others are answered at once.
            if unit.segment_type != SegmentType::Get {
                self.settle(conversation).await;
            }
            if unit.segment_type == SegmentType::Initial {
                self.client.negotiated.conversations = sharing_conversations;
            }
        }
        for conversation in self.outstanding.clone() {
            self.settle(conversation).await;
        }
    }
}

/// Sends captures again, whose answers must be those captured.
async fn answers_as_captured(names: &[&str]) {
    for name in names {
        assert_eq!(replay(name).await, [], "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn programs_of_the_classes_for_java_get_the_captured_answers() {
    answers_as_captured(&[
        "01-basic-fap9-noshare-nouser",
        "02-basic-fap12-share10-mqcsp",
        "03-basic-fap12-share10-uidpassword",
        "04-basic-fap12-littleendian",
        "05-verbs-fap12-share10",
        "06-segmented-70k-fap12",
        "12-basic-fap17-protected-password",
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn programs_of_the_classes_for_jms_get_the_captured_answers() {
    answers_as_captured(&[
        "07-jms2-mixed-fap12",
        "08-jms2-listener-fap12",
        "09-jms2-transacted-fap12",
        "14-jms-selector-string",
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn global_transactions_get_the_captured_answers() {
    // The prototype never found a prepared branch; this server finds the one there is.
    let found_it = ((SegmentType::XaRecoverReply, 0), (SegmentType::XaRecoverReply, 1));
    assert_eq!(replay("10-xa-fap12").await, [found_it]);
}
