//! The first exchange at both ends.

use bytes::{Buf, BytesMut};
use channel_protocol::assembly::{Assembler, Unit};
use channel_protocol::flow::initial::{Capabilities1, Errors1, Extent, Initial, NO_PASSWORD_PROTECTION};
use channel_protocol::form::Form;
use channel_protocol::negotiate::{Accepted, ClientOffer, Negotiated, ServerOffer, accept, answer};
use channel_protocol::output::Output;
use channel_protocol::reply::Reply;
use channel_protocol::request::Request;
use channel_protocol::segment::{Address, ControlFlags, Framer, SegmentType};
use model::text::Text;

use crate::capture;

fn server() -> ServerOffer {
    ServerOffer {
        protected: false,
        maximum_transmission: 32_766,
        maximum_message: 4_194_304,
        heartbeat_interval: 300,
        conversations: 10,
        queue_manager: Text::new("QM1"),
        queue_manager_identifier: Text::new("QM1_2026-01-01_00.00.00"),
        product: Text::new("MQMM09040200"),
        nonce: [9; 12],
    }
}

fn client() -> ClientOffer {
    ClientOffer {
        channel: Text::new("DEV.APP.SVRCONN"),
        queue_manager: Text::new("QM1"),
        maximum_transmission: 32_748,
        maximum_message: 104_857_600,
        heartbeat_interval: 60,
        conversations: 5,
        product: Text::new("MQJB09040200"),
        nonce: [1; 12],
    }
}

/// The Java client's first segment.
fn java_client() -> Initial {
    let (unit, _) = capture::units(&capture::all("c2s")[1]).remove(0);
    match Request::decode(&unit) {
        Ok(Request::Initial(initial)) => initial,
        other => panic!("the first segment is INITIAL, not {other:?}"),
    }
}

#[test]
fn the_java_clients_first_segment_says_what_the_notes_say() {
    let initial = java_client();
    assert_eq!((initial.fap_level, initial.extent), (17, Extent::Protection));
    assert_eq!((initial.maximum_transmission, initial.maximum_message), (32_748, 104_857_600));
    assert_eq!((initial.conversations, initial.heartbeat_interval, initial.ccsid), (10, 1, 819));
    assert_eq!(initial.channel, Text::new("DEV.APP.SVRCONN"));
    assert_eq!(initial.password_protection[..3], [1, 0, 0xFFFF]);
    assert_eq!(initial.product, Text::new("MQJB09040200"));
}

#[test]
fn over_plain_tcp_level_12_is_answered_and_the_smaller_of_each_limit() {
    let (initial, negotiated) = answer(&java_client(), &server()).expect("a client channel");
    assert_eq!(initial.extent.length(), 240);
    assert_eq!(
        negotiated,
        Negotiated {
            fap_level: 12,
            maximum_transmission: 32_748,
            maximum_message: 4_194_304,
            heartbeat_interval: 300,
            conversations: 10
        }
    );
    assert_eq!(initial.channel, java_client().channel);
    assert_eq!(initial.queue_manager, Text::new("QM1"));
}

#[test]
fn the_longer_heartbeat_interval_counts_but_a_channel_without_heartbeats_has_none() {
    for (of_client, of_channel, agreed) in [(1, 300, 300), (300, 5, 300), (0, 5, 5), (1, 0, 0), (0, 0, 0)] {
        let client = Initial { heartbeat_interval: of_client, ..java_client() };
        let offer = ServerOffer { heartbeat_interval: of_channel, ..server() };
        let (initial, negotiated) = answer(&client, &offer).expect("a client channel");
        assert_eq!((initial.heartbeat_interval, negotiated.heartbeat_interval), (agreed, agreed));
    }
}

#[test]
fn over_tls_the_clients_level_is_answered_and_no_password_protection() {
    let (initial, negotiated) =
        answer(&java_client(), &ServerOffer { protected: true, ..server() }).expect("a client channel");
    assert_eq!((initial.fap_level, negotiated.fap_level), (17, 17));
    assert_eq!(initial.password_protection, NO_PASSWORD_PROTECTION);
}

#[test]
fn a_level_without_room_for_sharing_is_answered_in_its_shorter_form() {
    for (level, length) in [(3, 44), (8, 102), (9, 208), (10, 208), (11, 240)] {
        let extent = Extent::of_level(level);
        let old = Initial { fap_level: level, extent, ..java_client() };
        let (initial, negotiated) = answer(&old, &server()).expect("a client channel");
        assert_eq!(initial.extent.length(), length);
        assert_eq!(negotiated.conversations, if level >= 9 { 10 } else { 0 });
        assert_eq!(negotiated.is_shared(), level >= 9);
    }
}

#[test]
fn sharing_is_off_when_either_side_wants_none() {
    let none = Initial { conversations: 0, ..java_client() };
    assert_eq!(answer(&none, &server()).map(|(_, negotiated)| negotiated.conversations), Ok(0));
    let offer = ServerOffer { conversations: 0, ..server() };
    assert_eq!(answer(&java_client(), &offer).map(|(_, negotiated)| negotiated.conversations), Ok(0));
}

#[test]
fn a_queue_manager_channel_and_a_tiny_transmission_size_are_refused() {
    let sender = Initial { capabilities_1: Capabilities1::CONVERSION, ..java_client() };
    assert!(answer(&sender, &server()).is_err());
    let tiny = Initial { maximum_transmission: 40, ..java_client() };
    assert!(answer(&tiny, &server()).is_err());
}

#[test]
fn both_ends_agree_over_the_wire_in_every_form() {
    for form in [Form::BIG, Form::LITTLE, Form::ebcdic(500)] {
        let own = client().initial();
        let received = match Request::decode(&through(|output| {
            Request::Initial(own.clone()).write(Address::Plain, ControlFlags::CONFIRM, form, output);
        })) {
            Ok(Request::Initial(initial)) => initial,
            other => panic!("{other:?}"),
        };
        assert_eq!(received, own);
        let (reply, settled) = answer(&received, &server()).expect("a client channel");
        let unit = through(|output| {
            Reply::Initial(reply.clone()).write(Address::Plain, ControlFlags::empty(), form, output);
        });
        assert_eq!((unit.segment_type, unit.form), (SegmentType::Initial, form));
        let Ok(Reply::Initial(reply)) = Reply::decode(&unit) else { panic!("an INITIAL") };
        assert_eq!(accept(&own, &reply), Ok(Accepted::Agreed(settled)));
        assert_eq!(settled.conversations, 5);
    }
}

fn through(write: impl FnOnce(&mut Output)) -> Unit {
    let mut output = Output::new(32_748);
    write(&mut output);
    let mut bytes = BytesMut::from(&output.copy_to_bytes(output.remaining())[..]);
    let segment = Framer::new(32_748).next(&mut bytes).expect("own segment").expect("whole");
    Assembler::new(capture::LIMITS).push(segment).expect("in order").expect("whole")
}

#[test]
fn the_client_end_takes_what_every_captured_server_answered() {
    for (sent, answered) in capture::all("c2s").iter().zip(capture::all("s2c")) {
        let Ok(Request::Initial(own)) = Request::decode(&capture::units(sent)[0].0) else { panic!("an INITIAL") };
        let Ok(Reply::Initial(reply)) = Reply::decode(&capture::units(&answered)[0].0) else { panic!("an INITIAL") };
        assert!(matches!(accept(&own, &reply), Ok(Accepted::Agreed(_))), "{}", answered.name);
    }
}

#[test]
fn the_client_end_refuses_more_than_it_offered() {
    let own = client().initial();
    let (fair, _) = answer(&own, &server()).expect("a client channel");
    for greedy in [
        Initial { fap_level: 17, ..fair.clone() },
        Initial { maximum_transmission: 65_536, ..fair.clone() },
        Initial { maximum_transmission: 0, ..fair.clone() },
        Initial { conversations: 6, ..fair.clone() },
    ] {
        assert!(accept(&own, &greedy).is_err());
    }
    assert!(accept(&own, &fair).is_ok());
}

#[test]
fn fields_in_error_are_offered_again_with_the_servers_values() {
    let own = client().initial();
    let (mut reply, _) = answer(&own, &server()).expect("a client channel");
    reply.errors_1 = Errors1::FAP_LEVEL | Errors1::CCSID | Errors1::MAXIMUM_TRANSMISSION;
    (reply.fap_level, reply.ccsid, reply.maximum_transmission) = (10, 850, 16_384);
    let Ok(Accepted::Again(again)) = accept(&own, &reply) else { panic!("another round") };
    assert_eq!((again.fap_level, again.extent), (10, Extent::Sharing));
    assert_eq!((again.ccsid, again.maximum_transmission), (850, 16_384));
    assert_eq!(again.maximum_message, own.maximum_message);
}
