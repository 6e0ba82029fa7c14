//! Single flows as the notes describe them: values out of captures, replies to failed calls, texts and lengths.

use bytes::{Buf, Bytes, BytesMut};
use channel_protocol::assembly::{Assembler, Unit};
use channel_protocol::flow::call::Ending;
use channel_protocol::flow::consume::{AsyncMessage, RequestFlags};
use channel_protocol::flow::put::Put;
use channel_protocol::flow::spi::{SpiInput, SpiOutput};
use channel_protocol::flow::status::Status;
use channel_protocol::flow::xa::XaVerb;
use channel_protocol::form::Form;
use channel_protocol::output::{Envelope, Output};
use channel_protocol::reply::{Answer, AnswerBody, Reply};
use channel_protocol::request::{Call, Request, Verb};
use channel_protocol::segment::{Address, ControlFlags, Framer, SegmentType};
use channel_protocol::structure::char_string::CharString;
use channel_protocol::structure::get_options::{GetStructure, select};
use channel_protocol::structure::message_descriptor::Descriptor;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::put_options::PutStructure;
use channel_protocol::structure::subscription_descriptor::SubscriptionStructure;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::identifier::MessageId;
use model::name::ObjectName;
use model::options::{
    ConversionTarget, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, ObjectKind, OpenOptions, PutFlags,
};
use model::reason::Reason;
use model::subscribe::{SubscribeFlags, SubscriptionDescriptor};
use model::text::Text;

use crate::capture;

const CONVERSATION: Address = Address::Conversation { conversation: 3, request: 1 };

fn requests(file: usize) -> Vec<Request> {
    capture::units(&capture::all("c2s")[file])
        .iter()
        .map(|(unit, _)| Request::decode(unit).expect("the capture is well formed"))
        .collect()
}

fn calls(file: usize) -> Vec<Call> {
    requests(file)
        .into_iter()
        .filter_map(|request| match request {
            Request::Call(call) => Some(call),
            _ => None,
        })
        .collect()
}

/// All units of what was written.
fn read(output: &mut Output) -> Vec<Unit> {
    let mut bytes = BytesMut::from(&output.copy_to_bytes(output.remaining())[..]);
    let framer = Framer::new(output.maximum_segment());
    let mut assembler = Assembler::new(capture::LIMITS);
    let mut units = Vec::new();
    while let Some(segment) = framer.next(&mut bytes).expect("own segments") {
        units.extend(assembler.push(segment).expect("in order"));
    }
    units
}

#[test]
fn who_the_user_is_comes_in_clear_in_userid_or_in_conauth() {
    let requests_of = |file| requests(file).into_iter().take(3).collect::<Vec<_>>();
    let Request::Credentials(credentials) = &requests_of(1)[2] else { panic!("CONAUTH comes third") };
    assert_eq!((&credentials.user[..], &credentials.password[..]), (&b"app"[..], &b"passw0rd"[..]));
    assert_eq!(credentials.token.as_deref(), Some(&b""[..]));
    assert!(!format!("{credentials:?}").contains("passw0rd"));
    let Request::UserId(user) = &requests_of(2)[1] else { panic!("USERID comes second") };
    assert_eq!((user.long_user, user.password), (Text::new("app"), Text::new("passw0rd")));
    assert!(!format!("{user:?}").contains("passw0rd"));
}

#[test]
fn credentials_of_older_clients_have_no_token_fields() {
    let mut body = BytesMut::from(&b"CAUT"[..]);
    for number in [1_u32, 12, 12, 3, 8] {
        body.extend_from_slice(&number.to_be_bytes());
    }
    body.extend_from_slice(b"apppassw0rd\0");
    let unit = Unit {
        address: Address::Plain,
        segment_type: SegmentType::ConnectionAuthentication,
        control: ControlFlags::empty(),
        form: Form::BIG,
        body: body.freeze(),
    };
    let Ok(Request::Credentials(credentials)) = Request::decode(&unit) else { panic!("credentials") };
    assert_eq!((&credentials.user[..], &credentials.password[..]), (&b"app"[..], &b"passw0rd"[..]));
    assert_eq!(credentials.token, None);
}

#[test]
fn the_mqi_program_sends_the_verbs_the_notes_list() {
    let calls = calls(4);
    let count = |is: fn(&Verb) -> bool| calls.iter().filter(|call| is(&call.verb)).count();
    assert_eq!(count(|verb| matches!(verb, Verb::Connect(_))), 2);
    assert_eq!(count(|verb| matches!(verb, Verb::Put1(_))), 1);
    assert!(count(|verb| matches!(verb, Verb::Put(_))) > 10);
    assert!(count(|verb| matches!(verb, Verb::Get(_))) > 20);
    let asynchronous = calls.iter().filter(|call| match &call.verb {
        Verb::Put(put) => put.options.is_asynchronous(),
        _ => false,
    });
    assert_eq!(asynchronous.count(), 5);
    let Verb::Connect(connect) = &calls[0].verb else { panic!("MQCONN comes first") };
    assert_eq!((connect.queue_manager, connect.application_type), (Text::new("QM1"), 28));
    assert_eq!(connect.rest.len(), 352);
}

#[test]
fn a_selector_of_jms_is_the_selection_string_of_an_spi_open() {
    let calls = calls(13);
    let open = calls.iter().find_map(|call| match &call.verb {
        Verb::Spi(spi) => match &spi.input {
            SpiInput::Open(open) => Some(open),
            _ => None,
        },
        _ => None,
    });
    let open = open.expect("an SPI open");
    let object = open.object.to_model(Form::BIG).expect("a queue");
    assert_eq!((object.object, object.name.as_str()), (ObjectKind::Queue, "DEV.QUEUE.1"));
    assert_eq!(object.selector, "colour='red' AND n>5");
    assert!(open.options.options.contains(OpenOptions::BROWSE | OpenOptions::INPUT_AS_Q_DEF));
}

#[test]
fn a_topic_consumer_subscribes_by_spi_and_a_publisher_names_its_topic_string() {
    let calls = calls(10);
    let subscribe = calls.iter().find_map(|call| match &call.verb {
        Verb::Spi(spi) => match &spi.input {
            SpiInput::Subscribe(subscribe) => Some(subscribe),
            _ => None,
        },
        _ => None,
    });
    let subscribe = subscribe.expect("an SPI subscribe");
    let wanted = subscribe.subscription.to_model(Form::BIG).expect("a subscription");
    assert_eq!(wanted.topic_string, "news/sport");
    let wildcards = SubscribeFlags::WILDCARD_TOPIC | SubscribeFlags::FAIL_IF_QUIESCING;
    assert_eq!(wanted.flags, SubscribeFlags::CREATE | SubscribeFlags::MANAGED | wildcards);
    assert_eq!(subscribe.destination.open_options.bits(), 0x2029);
    let published = calls.iter().find_map(|call| match &call.verb {
        Verb::Put1(put1) => Some(put1.object.to_model(Form::BIG).expect("a topic")),
        _ => None,
    });
    let published = published.expect("a publication");
    assert_eq!((published.object, published.topic_string.as_str()), (ObjectKind::Topic, "news/sport"));
}

#[test]
fn the_listener_asks_for_one_message_at_a_time_and_waits() {
    let asked: Vec<_> = requests(7)
        .into_iter()
        .filter_map(|request| match request {
            Request::RequestMessages(asked) => Some(asked),
            _ => None,
        })
        .collect();
    assert_eq!(asked.len(), 6);
    assert!(asked.iter().all(|request| request.wanted == 1 && request.flags.contains(RequestFlags::WAIT)));
    let selection = asked[0].selection.as_ref().expect("the first one carries a selection");
    assert_eq!((selection.index, selection.descriptor_version, selection.ccsid), (1, 2, 1208));
    assert!(asked[1..].iter().all(|request| request.selection.is_none()));
    assert_eq!(asked[1].received, 364 + 161);
}

#[test]
fn xa_calls_carry_their_transaction_and_the_queue_managers_name() {
    let verbs: Vec<_> = requests(9)
        .into_iter()
        .filter_map(|request| match request {
            Request::Xa(xa) => Some(xa.verb),
            _ => None,
        })
        .collect();
    assert_eq!(verbs[0], XaVerb::Open(Bytes::from_static(b"QM1")));
    let XaVerb::Start(xid) = &verbs[1] else { panic!("start follows open") };
    assert_eq!((xid.format, &xid.global[..], &xid.branch[..]), (0x1234, &b"gtrid-1"[..], &b"br1"[..]));
    assert!(verbs.contains(&XaVerb::Recover { wanted: 15 }));
}

#[test]
fn a_message_for_a_consumer_comes_out_of_its_capture_and_in_parts() {
    let messages: Vec<_> = capture::units(&capture::all("s2c")[7])
        .iter()
        .filter_map(|(unit, _)| match Reply::decode(unit) {
            Ok(Reply::Message(message)) => Some(message),
            _ => None,
        })
        .collect();
    assert_eq!(messages.len(), 5);
    assert_eq!(messages[0].resolved_queue, b"DEV.QUEUE.1");
    assert_eq!((messages[0].length, messages[0].data.len()), (161, 161));
    assert!(messages[0].data.ends_with(b"msg 0"));

    let long =
        AsyncMessage { data: vec![5; 10_000].into(), length: 10_000, actual_length: 10_000, ..messages[0].clone() };
    let mut output = Output::new(4096);
    let envelope = Envelope::new(CONVERSATION, SegmentType::AsyncMessage, Form::BIG);
    long.write(&envelope, &mut output);
    let mut bytes = BytesMut::from(&output.copy_to_bytes(output.remaining())[..]);
    let framer = Framer::new(4096);
    let mut carried = 0;
    let mut index = 0_u16;
    while let Some(segment) = framer.next(&mut bytes).expect("own segments") {
        carried += u32::from_be_bytes(segment.body[16..20].try_into().expect("four bytes"));
        assert_eq!(segment.body[20..22], index.to_be_bytes());
        index += 1;
    }
    assert_eq!((carried, index), (10_000, 3));
}

#[test]
fn a_name_of_any_length_is_padded_and_read_back() {
    for length in 0..=48 {
        let message = AsyncMessage {
            handle: 2,
            message_index: 1,
            global_index: 1,
            selection_index: 1,
            reason: 0,
            length: 4,
            actual_length: 4,
            message_token: [3; 16],
            status: 0,
            resolved_queue: vec![b'Q'; length],
            descriptor: Descriptor::default(),
            data: Bytes::from_static(b"data"),
        };
        let mut output = Output::new(4096);
        Reply::Message(message.clone()).write(CONVERSATION, ControlFlags::empty(), Form::LITTLE, &mut output);
        assert_eq!(Reply::decode(&read(&mut output)[0]), Ok(Reply::Message(message)));
    }
}

#[test]
fn the_first_word_of_a_reply_counts_one_header_over_all_its_parts() {
    let put = calls(5).into_iter().find_map(|call| match call.verb {
        Verb::Put(put) => Some((call.reply_length, put)),
        _ => None,
    });
    let (stated, put) = put.expect("a long put");
    // A put of the captured client states its own length: ours is the same when it is left to us.
    let mut output = Output::new(32_748);
    Request::Call(Verb::Put(put.clone()).call_on(6)).write(
        Address::Conversation { conversation: 1, request: 0 },
        ControlFlags::empty(),
        Form::BIG,
        &mut output,
    );
    let unit = &read(&mut output)[0];
    let Ok(Request::Call(call)) = Request::decode(unit) else { panic!("a put") };
    assert_eq!(call.reply_length, stated);
    assert_eq!(call.verb, Verb::Put(put));
}

fn put_call() -> Call {
    let put = Put {
        descriptor: Descriptor::default(),
        options: PutStructure::from_model(&model::options::PutOptions { flags: PutFlags::SYNCPOINT, context: None }),
        data: Bytes::from_static(b"hello"),
    };
    Verb::Put(put).call_on(7)
}

#[test]
fn a_failed_call_is_answered_with_its_structures_and_its_reason() {
    let mut output = Output::new(32_748);
    let answer = put_call().refused(Reason::QFull);
    Reply::Answer(answer).write(CONVERSATION, ControlFlags::empty(), Form::BIG, &mut output);
    let Ok(Reply::Answer(answer)) = Reply::decode(&read(&mut output)[0]) else { panic!("an answer") };
    assert_eq!((answer.segment_type, answer.handle), (SegmentType::PutReply, 7));
    assert_eq!(answer.ending, Ending { completion: 2, reason: 2053 });
    let Some(AnswerBody::Put(put)) = answer.body else { panic!("descriptor and options") };
    assert_eq!(put.options.flags, PutFlags::SYNCPOINT);
}

#[test]
fn every_captured_call_can_be_refused_and_the_client_end_reads_the_reason() {
    for file in 0..14 {
        for call in calls(file) {
            let request = call.verb.segment_type();
            let mut output = Output::new(32_748);
            let answers = [call.refused(Reason::NotAuthorized), Answer::refused(request, Reason::NotAuthorized)];
            for answer in answers {
                Reply::Answer(answer).write(CONVERSATION, ControlFlags::empty(), Form::LITTLE, &mut output);
            }
            for unit in read(&mut output) {
                let Ok(Reply::Answer(answer)) = Reply::decode(&unit) else { panic!("{request:?}") };
                assert_eq!(Some(answer.segment_type), request.reply());
                assert_eq!(answer.ending, Ending { completion: 2, reason: 2035 });
            }
        }
    }
}

#[test]
fn strings_of_a_refused_open_come_back_as_zeros() {
    let open = calls(13).into_iter().find(|call| match &call.verb {
        Verb::Spi(spi) => matches!(spi.input, SpiInput::Open(_)),
        _ => false,
    });
    let answer = open.expect("an SPI open").refused(Reason::SelectorSyntaxError);
    let Some(AnswerBody::Spi(reply)) = answer.body else { panic!("an SPI reply") };
    let SpiOutput::Open(open) = reply.output else { panic!("its structures") };
    assert_eq!(open.object.selection_string, CharString::default());
    assert_eq!(open.object.object_string, CharString::default());
}

#[test]
fn a_status_is_empty_or_has_a_code_and_perhaps_a_value() {
    assert!(Status::OK.is_ok());
    assert!(Status::default().is_ok());
    assert!(!Status::new(channel_protocol::flow::status::StatusCode::SECURITY).is_ok());
    let last = capture::units(&capture::all("c2s")[0]).pop().expect("the client says goodbye").0;
    assert_eq!(Request::decode(&last), Ok(Request::Status(Status::default())));
    assert!(last.control.contains(ControlFlags::CLOSE_CHANNEL));
}

#[test]
fn a_partner_in_ebcdic_is_read_and_answered_in_ebcdic() {
    let form = Form::ebcdic(1047);
    let object = ObjectDescriptor {
        name: ObjectName::literal("DEV.QUEUE.1"),
        dynamic_queue: "AMQ.*".to_owned(),
        ..ObjectDescriptor::default()
    };
    let open = channel_protocol::flow::open::Open {
        object: ObjectStructure::from_model(&object),
        options: OpenOptions::OUTPUT,
        attributes: None,
    };
    let mut output = Output::new(32_748);
    Request::Call(Verb::Open(open).call()).write(CONVERSATION, ControlFlags::empty(), form, &mut output);
    let written = output.chunk().to_vec();
    assert_eq!(written[..4], [0xE3, 0xE2, 0xC8, 0xD4], "TSHM in EBCDIC");
    let dev = [0xC4, 0xC5, 0xE5, 0x4B];
    assert!(written.windows(4).any(|window| window == dev), "DEV. in EBCDIC");
    let unit = &read(&mut output)[0];
    let Ok(Request::Call(Call { verb: Verb::Open(open), .. })) = Request::decode(unit) else { panic!("an open") };
    assert_eq!(open.object.to_model(unit.form).map(|object| object.name), Ok(object.name));
}

#[test]
fn strings_are_decoded_by_their_ccsid_or_the_partners() {
    let text =
        |ccsid, bytes: &'static [u8]| CharString { ccsid, text: Bytes::from_static(bytes), ..CharString::default() };
    assert_eq!(text(1208, "Käse".as_bytes()).to_text(Form::BIG).as_deref(), Some("Käse"));
    assert_eq!(text(819, b"K\xE4se").to_text(Form::BIG).as_deref(), Some("Käse"));
    assert_eq!(text(0, b"K\xE4se").to_text(Form::BIG).as_deref(), Some("Käse"));
    assert_eq!(text(-3, b"\xC1\xC2\0").to_text(Form::ebcdic(37)).as_deref(), Some("AB"));
    assert_eq!(text(1200, b"A\0").to_text(Form::LITTLE).as_deref(), Some("A"));
    assert_eq!(text(1208, b"\xFF").to_text(Form::BIG), None);
    assert_eq!(text(31_337, b"A").to_text(Form::BIG), None);
}

#[test]
fn objects_that_cannot_be_are_refused_with_their_reason() {
    let object = |change: fn(&mut ObjectStructure)| {
        let mut object = ObjectStructure { version: 4, ..ObjectStructure::default() };
        change(&mut object);
        object.to_model(Form::BIG).map(|object| object.object)
    };
    assert_eq!(object(|_| {}), Ok(ObjectKind::Queue));
    assert_eq!(object(|object| object.object_type = 77), Err(Reason::ObjectTypeError));
    assert_eq!(object(|object| object.name = Text::new("A B!")), Err(Reason::UnknownObjectName));
    assert_eq!(object(|object| object.queue_manager = Text::new("A B!")), Err(Reason::UnknownObjectQMgr));
    let bad = || CharString { text: Bytes::from_static(b"\xFF"), ..CharString::default() };
    let mut wrong = ObjectStructure { object_string: bad(), ..ObjectStructure::default() };
    assert_eq!(wrong.to_model(Form::BIG).map(drop), Err(Reason::ObjectStringError));
    wrong = ObjectStructure { selection_string: bad(), ..ObjectStructure::default() };
    assert_eq!(wrong.to_model(Form::BIG).map(drop), Err(Reason::SelectionStringError));
}

#[test]
fn what_a_client_asks_of_a_get_reaches_the_engine() {
    let options = GetOptions {
        flags: GetFlags::WAIT | GetFlags::CONVERT,
        wait: None,
        match_options: MatchOptions::MSG_ID,
        message_id: MessageId::new([7; 24]),
        message_token: [8; 16],
        target: Some(ConversionTarget { ccsid: Ccsid(850), encoding: Encoding::BIG_ENDIAN }),
        ..GetOptions::default()
    };
    let structure = GetStructure::from_model(&options);
    let mut descriptor = MessageDescriptor::default();
    select(&options, &mut descriptor);
    let asked = structure.to_model(&descriptor, 4096).expect("an unlimited wait");
    assert_eq!((asked.flags, asked.wait, asked.match_options), (options.flags, None, options.match_options));
    assert_eq!((asked.message_id, asked.message_token), (options.message_id, options.message_token));
    assert_eq!((asked.target, asked.buffer_length), (options.target, Some(4096)));
    let below = GetStructure { wait_interval: -2, ..structure };
    assert_eq!(below.to_model(&descriptor, 0).map(drop), Err(Reason::WaitIntervalError));
    let unused = GetStructure { flags: GetFlags::empty(), ..below };
    assert!(unused.to_model(&descriptor, 0).is_ok());
}

#[test]
fn a_subscription_keeps_every_field_there_and_back() {
    let wanted = SubscriptionDescriptor {
        flags: SubscribeFlags::CREATE | SubscribeFlags::DURABLE,
        topic_string: "news/sport".to_owned(),
        name: "S1".to_owned(),
        user_data: "u".to_owned(),
        selector: "a = 1".to_owned(),
        level: 4,
        ..SubscriptionDescriptor::default()
    };
    let back = SubscriptionStructure::from_model(&wanted).to_model(Form::BIG).expect("a subscription");
    assert_eq!((back.topic_string, back.name, back.user_data), (wanted.topic_string, wanted.name, wanted.user_data));
    assert_eq!((back.selector, back.level, back.flags), (wanted.selector, wanted.level, wanted.flags));
}

#[test]
fn a_body_of_one_segment_shares_the_memory_it_came_in() {
    let mut output = Output::new(32_748);
    Request::Call(put_call()).write(CONVERSATION, ControlFlags::empty(), Form::BIG, &mut output);
    let mut bytes = BytesMut::from(&output.copy_to_bytes(output.remaining())[..]);
    let range = bytes.as_ptr_range();
    let segment = Framer::new(32_748).next(&mut bytes).expect("own segment").expect("whole");
    let unit = Assembler::new(capture::LIMITS).push(segment).expect("in order").expect("whole");
    let Ok(Request::Call(Call { verb: Verb::Put(put), .. })) = Request::decode(&unit) else { panic!("a put") };
    assert_eq!(put.data, "hello");
    assert!(range.contains(&put.data.as_ptr()));
    assert_eq!(put.descriptor.fields.format, Format::NONE);
}
