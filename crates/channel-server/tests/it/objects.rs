//! Opening, inquiring, setting and closing objects of every kind.

use channel_protocol::flow::inquire::{Attributes, Inquire};
use channel_protocol::flow::open::Close;
use channel_protocol::flow::put::Put;
use channel_protocol::flow::spi::{Spi, SpiInput, SpiOpen, SpiOutput, SpiReply, verb};
use channel_protocol::flow::spi_put::{SpiPut, SpiPutReply};
use channel_protocol::flow::stat::Stat;
use channel_protocol::reply::AnswerBody;
use channel_protocol::request::{Request, Verb};
use channel_protocol::structure::char_string::CharString;
use channel_protocol::structure::distribution::ObjectRecord;
use channel_protocol::structure::object_descriptor::{ObjectStructure, object_type};
use channel_protocol::structure::open_attributes::{OpenAttributes, OpenOptionsStructure};
use channel_protocol::structure::status_structure::StatusStructure;
use model::name::ObjectName;
use model::options::{CloseOptions, GetFlags, OpenOptions, PutFlags};
use model::text::Text;

use crate::client::{Client, Server, any, message, object};
use crate::put_get::BOTH;

const INQUIRE: OpenOptions = OpenOptions::INQUIRE;

async fn inquire(client: &mut Client, handle: i32, selectors: &[i32], room: (usize, usize)) -> (i32, Vec<i32>, String) {
    let (integer_count, character_length) = room;
    let inquire = Inquire { selectors: selectors.to_vec(), integer_count, character_length };
    let answer = client.call(1, handle, Verb::Inquire(inquire)).await;
    match answer.body {
        Some(AnswerBody::Inquire(attributes)) => {
            let characters = String::from_utf8(attributes.characters).unwrap();
            (answer.ending.reason, attributes.integers, characters)
        }
        _ => (answer.ending.reason, Vec::new(), String::new()),
    }
}

#[tokio::test]
async fn what_a_client_asks_of_a_queue_manager_at_first_is_answered() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let structure = ObjectStructure { object_type: object_type::QUEUE_MANAGER, ..ObjectStructure::default() };
    let handle = client.try_open(1, structure, INQUIRE).await.handle;
    let (reason, integers, characters) = inquire(&mut client, handle, &[31, 32, 2, 2015, 2032, 273], (4, 100)).await;
    assert_eq!((reason, integers.len(), characters.len()), (0, 4, 96));
    assert!(integers[0] >= 900, "a command level: {}", integers[0]);
    assert!(characters.starts_with("QM1 "));
    assert_eq!(client.close(1, handle).await, 0);
    assert_eq!(client.close(1, handle).await, 2019);
}

#[tokio::test]
async fn attributes_beyond_the_callers_room_are_left_out_with_a_warning() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", INQUIRE).await;
    assert_eq!(inquire(&mut client, queue, &[3, 20, 2016], (2, 48)).await.0, 0);
    assert_eq!(inquire(&mut client, queue, &[3, 20], (1, 0)).await, (2022, vec![0], String::new()));
    assert_eq!(inquire(&mut client, queue, &[2016], (0, 3)).await, (2008, vec![], "Q  ".to_owned()));
    assert_eq!(inquire(&mut client, queue, &[-5], (1, 0)).await.0, 2067);
    assert_eq!(inquire(&mut client, queue, &[3; 300], (300, 0)).await.0, 2066);
}

#[tokio::test]
async fn attributes_are_set() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", INQUIRE | OpenOptions::SET | OpenOptions::OUTPUT).await;
    let set = |integers: &[i32]| {
        Verb::Set(Attributes { selectors: vec![10], integers: integers.to_vec(), characters: Vec::new() })
    };
    assert_eq!(client.call(1, queue, set(&[1])).await.ending.reason, 0);
    assert_eq!(client.put(1, queue, message(b"x")).await.0, 2051);
    assert_eq!(client.call(1, queue, set(&[0])).await.ending.reason, 0);
    assert_eq!(client.put(1, queue, message(b"x")).await.0, 0);
    assert_eq!(client.call(1, queue, set(&[])).await.ending.reason, 2022);
}

#[tokio::test]
async fn a_model_queue_becomes_a_dynamic_one_which_its_close_deletes() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let model =
        ObjectStructure { version: 3, dynamic_queue: Text::new("REPLY.*"), ..object("SYSTEM.DEFAULT.MODEL.QUEUE") };
    let answer = client.try_open(1, model, BOTH).await;
    let Some(AnswerBody::Open(open)) = answer.body else { panic!("not opened") };
    let name = open.object.name.to_text().into_owned();
    assert!(name.starts_with("REPLY.") && name.len() > 6, "{name}");
    assert_eq!(open.object.resolved_queue.to_text(), name);
    assert_eq!(open.object.resolved_queue_manager.to_text(), "QM1");
    assert_eq!(client.put(1, answer.handle, message(b"x")).await.0, 0);
    let close = |options| Verb::Close(Close { options });
    let refused = client.call(1, answer.handle, close(CloseOptions::DELETE)).await;
    assert_eq!((refused.ending.reason, refused.handle), (2055, answer.handle));
    let closed = client.call(1, answer.handle, close(CloseOptions::DELETE_PURGE)).await;
    assert_eq!((closed.ending.reason, closed.handle), (0, -1));
    assert_eq!(client.try_open(1, object(&name), BOTH).await.ending.reason, 2085);
}

#[tokio::test]
async fn every_kind_of_object_is_opened() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let of = |object_type, name: &str| ObjectStructure { object_type, ..object(name) };
    for (structure, options) in [
        (of(object_type::PROCESS, "SYSTEM.DEFAULT.PROCESS"), INQUIRE),
        (of(object_type::NAME_LIST, "SYSTEM.DEFAULT.NAMELIST"), INQUIRE),
        (of(object_type::QUEUE_MANAGER, "QM1"), INQUIRE),
        (
            ObjectStructure {
                version: 4,
                object_string: CharString::utf_8("news"),
                ..of(object_type::TOPIC, "SYSTEM.BASE.TOPIC")
            },
            OpenOptions::OUTPUT,
        ),
    ] {
        let answer = client.try_open(1, structure.clone(), options).await;
        assert_eq!(answer.ending.reason, 0, "{structure:?}");
    }
    assert_eq!(client.try_open(1, of(99, "Q"), BOTH).await.ending.reason, 2043);
    assert_eq!(client.try_open(1, object("NO.SUCH"), BOTH).await.ending.reason, 2085);
    assert_eq!(client.try_open(1, object("NO SUCH"), BOTH).await.ending.reason, 2085);
    let elsewhere = ObjectStructure { queue_manager: Text::new("ELSEWHERE"), ..object("Q") };
    assert_eq!(client.try_open(1, elsewhere, OpenOptions::OUTPUT).await.ending.reason, 2087);
    for (present, reason) in [(-1, 2154), (3, 2155)] {
        let list = ObjectStructure { version: 2, distribution: [present, 0, 0, 0, 0, 0, 0, 0], ..object("") };
        assert_eq!(client.try_open(1, list, OpenOptions::OUTPUT).await.ending.reason, reason);
    }
    let newer = ObjectStructure { version: 9, ..object("Q") };
    assert_eq!(client.try_open(1, newer, BOTH).await.ending.reason, 2044);
}

/// A list with one queue.
fn list_of_q() -> ObjectStructure {
    ObjectStructure {
        version: 2,
        distribution: [1, 0, 0, 0, 0, 0, 0, 0],
        destinations: vec![ObjectRecord { name: Text::new("Q"), queue_manager: Text::BLANK }],
        ..object("")
    }
}

#[tokio::test]
async fn a_put_to_a_list_with_fields_of_records_that_are_not_known_is_refused_or_counted() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let list = client.try_open(1, list_of_q(), OpenOptions::OUTPUT).await.handle;
    let mut put = message(b"x");
    (put.options.version, put.options.distribution) = (2, [1, 64, 0, 0, 0, 0]);
    assert_eq!(client.call(1, list, Verb::Put(put.clone())).await.ending.reason, 2158);
    put.options.flags |= PutFlags::ASYNC_RESPONSE;
    client.queue(1, &Request::Call(Verb::Put(put.clone()).call_on(list)));
    let asynchronous = spi_put(put, 0);
    client.queue(1, &Request::Call(Verb::Spi(asynchronous).call_on(list)));
    client.flush().await;
    let stat = Stat { status_type: 0, status: StatusStructure::default() };
    let answer = client.call(1, 0, Verb::Stat(stat)).await;
    let Some(AnswerBody::Stat(stat)) = answer.body else { panic!("a put was answered") };
    assert_eq!((stat.status.put_failures, stat.status.reason), (2, 2158));
    assert_eq!(server.depth("Q"), 0);
}

#[tokio::test]
async fn a_distribution_list_whose_close_is_refused_is_still_open() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let opened = client.try_open(1, list_of_q(), OpenOptions::OUTPUT).await;
    assert_eq!(opened.ending.reason, 0);
    let wrong = Close { options: CloseOptions::from_bits_retain(0x0100_0000) };
    let answer = client.call(1, opened.handle, Verb::Close(wrong)).await;
    assert_eq!((answer.ending.reason, answer.handle), (2046, opened.handle));
    assert_eq!(client.put(1, opened.handle, message(b"x")).await.0, 0);
    assert_eq!(client.close(1, opened.handle).await, 0);
    assert_eq!(client.close(1, opened.handle).await, 2019);
}

#[tokio::test]
async fn strings_of_a_request_never_come_back_as_lengths_without_text() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let topic = ObjectStructure {
        version: 4,
        object_type: object_type::TOPIC,
        object_string: CharString { buffer_size: 10_240, ..CharString::utf_8("news/today") },
        ..ObjectStructure::default()
    };
    for (structure, reason) in [(topic.clone(), 0), (ObjectStructure { name: Text::new("NO.SUCH"), ..topic }, 2085)] {
        let answer = client.try_open(1, structure, OpenOptions::OUTPUT).await;
        assert_eq!(answer.ending.reason, reason);
        let Some(AnswerBody::Open(open)) = answer.body else { panic!("no body") };
        assert_eq!(open.object.object_string, CharString::default());
    }
}

#[tokio::test]
async fn a_selection_string_is_honoured_or_refused() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let selecting =
        |selector: &str| ObjectStructure { version: 4, selection_string: CharString::utf_8(selector), ..object("Q") };
    let wrong = client.try_open(1, selecting("colour = = 'red'"), BOTH).await;
    assert_eq!(wrong.ending.reason, 2459);
    let queue = client.try_open(1, selecting("JMSPriority > 5"), BOTH).await.handle;
    for priority in [1, 7] {
        let mut put = message(&[b'0' + u8::try_from(priority).unwrap()]);
        put.descriptor.fields.priority = priority;
        client.put(1, queue, put).await;
    }
    let (reason, got) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!((reason, &got.data[..]), (0, &b"7"[..]));
    assert_eq!(client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await.0, 2033);
}

async fn spi(client: &mut Client, spi: Spi) -> (i32, i32, Option<SpiOutput>) {
    let answer = client.call(1, 0, Verb::Spi(spi)).await;
    let output = match answer.body {
        Some(AnswerBody::Spi(reply)) => Some(reply.output),
        _ => None,
    };
    (answer.ending.reason, answer.handle, output)
}

#[tokio::test]
async fn spi_tells_what_it_speaks_and_opens_queues() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let (reason, _, output) = spi(&mut client, Spi::query()).await;
    let Some(SpiOutput::Query(verbs)) = output else { panic!("no query reply") };
    assert_eq!(reason, 0);
    let spoken: Vec<_> = verbs.iter().map(|row| row.verb).collect();
    assert_eq!(spoken, [verb::QUERY, verb::PUT, verb::RESERVE, verb::SUBSCRIBE, verb::OPEN]);
    let options = OpenOptionsStructure { options: BOTH, lpi_options: 0, attributes: OpenAttributes::ASKED };
    let open = |queue: &str| Spi::open(SpiOpen { options, object: object(queue) });
    let (reason, queue, output) = spi(&mut client, open("Q")).await;
    let Some(SpiOutput::Open(opened)) = output else { panic!("no open reply") };
    assert_eq!((reason, opened.options.attributes.default_put_response), (0, 1));
    assert_eq!(client.put(1, queue, message(b"x")).await.0, 0);
    assert_eq!(spi(&mut client, open("NO.SUCH")).await.0, 2085);
    let unknown =
        Spi { verb: 99, out_version: 1, out_maximum: 12, input: SpiInput::Other(bytes::Bytes::from_static(&[0; 24])) };
    assert_eq!(spi(&mut client, unknown).await.0, 2298);
}

fn spi_put(put: Put, delay_ms: i64) -> Spi {
    let Put { descriptor, options, data } = put;
    let put = SpiPut { put: SpiPutReply { descriptor, options }, options: 0, reserved: 0, delay_ms, data };
    Spi { verb: verb::PUT, out_version: 1, out_maximum: 12, input: SpiInput::Put(Box::new(put)) }
}

#[tokio::test]
async fn a_put_with_a_delay_waits_on_the_staging_queue_and_one_without_is_there() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let list = client.try_open(1, list_of_q(), OpenOptions::OUTPUT).await.handle;
    for (handle, delay_ms, depths) in
        [(queue, 0, (1, 0)), (queue, 60_000, (1, 1)), (list, 0, (2, 1)), (list, 60_000, (2, 2))]
    {
        let answer = client.call(1, handle, Verb::Spi(spi_put(message(b"x"), delay_ms))).await;
        let Some(AnswerBody::Spi(SpiReply { output: SpiOutput::Put(put), .. })) = answer.body else {
            panic!("no reply")
        };
        assert_eq!(answer.ending.reason, 0);
        // Each message of a list has an identifier of its own.
        assert_eq!(put.descriptor.fields.message_id.is_none(), handle == list);
        let depth = |queue| server.queue_manager.queue_status(&ObjectName::literal(queue)).unwrap().depth.current;
        assert_eq!((depth("Q"), depth("SYSTEM.DDELAY.LOCAL.QUEUE")), depths);
    }
}

#[tokio::test]
async fn reserved_identifiers_are_nobody_elses() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let mut bases = std::collections::HashSet::new();
    for _ in 0..3 {
        let (reason, _, output) = spi(&mut client, Spi::reserve(0x00FF_FFFF)).await;
        let Some(SpiOutput::Reserve(reserved)) = output else { panic!("no reserve reply") };
        assert_eq!((reason, reserved.granted, &reserved.base[20..]), (0, 200, &[0; 4][..]));
        assert!(bases.insert(reserved.base));
    }
}
