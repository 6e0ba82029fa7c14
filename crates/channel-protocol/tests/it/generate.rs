//! Any request and any reply that the types allow, for property tests.

use bytes::Bytes;
use channel_protocol::flow::call::Ending;
use channel_protocol::flow::connect::Connect;
use channel_protocol::flow::consume::{AsyncMessage, MessageSelection, Notification, RequestFlags, RequestMessages};
use channel_protocol::flow::get::{Get, GetReply};
use channel_protocol::flow::identify::{Credentials, UserId};
use channel_protocol::flow::initial::{
    Capabilities1, Capabilities2, Capabilities3, Errors1, Extent, Initial, NO_PASSWORD_PROTECTION,
};
use channel_protocol::flow::inquire::{Attributes, Inquire};
use channel_protocol::flow::open::{Close, Open};
use channel_protocol::flow::put::{Put, Put1, Put1Reply, PutReply};
use channel_protocol::flow::socket::SocketAction;
use channel_protocol::flow::spi::{Reserve, Reserved, Spi, SpiInput, SpiOpen, SpiOutput, SpiVerb, verb};
use channel_protocol::flow::spi_put::{SpiPut, SpiPutReply};
use channel_protocol::flow::spi_subscribe::{SpiSubscribe, SubscriptionDestination};
use channel_protocol::flow::stat::Stat;
use channel_protocol::flow::status::{Status, StatusCode};
use channel_protocol::flow::subscribe::{Subscribe, SubscriptionRequest};
use channel_protocol::flow::xa::{XaReply, XaRequest, XaVerb};
use channel_protocol::form::{ByteOrder, Form};
use channel_protocol::reply::{Answer, AnswerBody, Reply};
use channel_protocol::request::{Call, Request, Verb};
use channel_protocol::segment::{Address, SegmentType};
use channel_protocol::structure::char_string::CharString;
use channel_protocol::structure::distribution::{ObjectRecord, PutRecord, ResponseRecord, fields};
use channel_protocol::structure::get_options::GetStructure;
use channel_protocol::structure::message_descriptor::Descriptor;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::open_attributes::{OpenAttributes, OpenOptionsStructure};
use channel_protocol::structure::put_options::PutStructure;
use channel_protocol::structure::status_structure::StatusStructure;
use channel_protocol::structure::subscription_descriptor::{SubscriptionRequestOptions, SubscriptionStructure};
use channel_protocol::structure::xid::Xid;
use model::descriptor::{
    Ccsid, Encoding, Expiry, Feedback, Format, MessageDescriptor, MessageFlags, MessageType, Persistence, Report,
};
use model::descriptor_codec::Version;
use model::identifier::{AccountingToken, CorrelationId, GroupId, MessageId};
use model::name::ObjectName;
use model::options::{CloseOptions, GetFlags, MatchOptions, OpenOptions, PutFlags};
use model::subscribe::SubscribeFlags;
use model::text::Text;
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) fn form() -> impl Strategy<Value = Form> {
    prop_oneof![
        Just(Form::BIG),
        Just(Form::LITTLE),
        Just(Form::ebcdic(37)),
        Just(Form::ebcdic(500)),
        Just(Form::ebcdic(1047)),
        Just(Form { order: ByteOrder::Little, ..Form::ebcdic(500) }),
        Just(Form { ccsid: 1208, ..Form::LITTLE }),
    ]
}

pub(crate) fn address() -> impl Strategy<Value = Address> {
    prop_oneof![
        Just(Address::Plain),
        Just(Address::Socket),
        (any::<u32>(), any::<u32>())
            .prop_map(|(conversation, request)| Address::Conversation { conversation, request }),
    ]
}

pub(crate) fn request() -> BoxedStrategy<Request> {
    prop_oneof![
        1 => initial().prop_map(Request::Initial),
        1 => user_id().prop_map(Request::UserId),
        1 => credentials().prop_map(Request::Credentials),
        1 => status().prop_map(Request::Status),
        1 => Just(Request::Heartbeat),
        1 => socket_action().prop_map(Request::SocketAction),
        1 => request_messages().prop_map(Request::RequestMessages),
        1 => notification().prop_map(Request::Notification),
        2 => xa_request().prop_map(Request::Xa),
        12 => call().prop_map(Request::Call),
    ]
    .boxed()
}

pub(crate) fn reply() -> BoxedStrategy<Reply> {
    prop_oneof![
        1 => initial().prop_map(Reply::Initial),
        1 => status().prop_map(Reply::Status),
        1 => Just(Reply::Heartbeat),
        1 => socket_action().prop_map(Reply::SocketAction),
        1 => notification().prop_map(Reply::Notification),
        2 => xa_reply().prop_map(Reply::Xa),
        3 => async_message().prop_map(Reply::Message),
        12 => answer().prop_map(Reply::Answer),
    ]
    .boxed()
}

pub(crate) fn call() -> impl Strategy<Value = Call> {
    (1_u32.., any::<i32>(), verb_request()).prop_map(|(reply_length, handle, verb)| Call { reply_length, handle, verb })
}

fn verb_request() -> BoxedStrategy<Verb> {
    prop_oneof![
        connect().prop_map(Verb::Connect),
        Just(Verb::Disconnect),
        open().prop_map(Verb::Open),
        close().prop_map(Verb::Close),
        (descriptor(), get_options(), 0..=i32::MAX).prop_map(|(descriptor, options, length)| {
            Verb::Get(Get { descriptor, options, buffer_length: usize::try_from(length).expect("not negative") })
        }),
        put().prop_map(Verb::Put),
        (object(), put()).prop_map(|(object, put)| Verb::Put1(Put1 { object, put })),
        attributes().prop_map(Verb::Set),
        inquire().prop_map(Verb::Inquire),
        Just(Verb::Commit),
        Just(Verb::BackOut),
        spi().prop_map(Verb::Spi),
        stat().prop_map(Verb::Stat),
        subscribe().prop_map(Verb::Subscribe),
        subscription_request().prop_map(Verb::SubscriptionRequest),
    ]
    .boxed()
}

fn answer() -> impl Strategy<Value = Answer> {
    let body = prop_oneof![
        Just(None),
        connect().prop_map(|body| Some(AnswerBody::Connect(body))),
        open().prop_map(|body| Some(AnswerBody::Open(body))),
        close().prop_map(|body| Some(AnswerBody::Close(body))),
        get_reply().prop_map(|body| Some(AnswerBody::Get(body))),
        put_reply().prop_map(|body| Some(AnswerBody::Put(body))),
        (object(), put_reply()).prop_map(|(object, put)| Some(AnswerBody::Put1(Put1Reply { object, put }))),
        attributes().prop_map(|body| Some(AnswerBody::Inquire(body))),
        spi_reply().prop_map(|body| Some(AnswerBody::Spi(body))),
        stat().prop_map(|body| Some(AnswerBody::Stat(body))),
        subscribe().prop_map(|body| Some(AnswerBody::Subscribe(body))),
        subscription_request().prop_map(|body| Some(AnswerBody::SubscriptionRequest(body))),
    ];
    (0..2_i32, any::<i32>(), any::<i32>(), body).prop_map(|(completion, reason, handle, body)| Answer {
        segment_type: body.as_ref().map_or(SegmentType::CommitReply, answer_type),
        ending: Ending { completion, reason },
        handle,
        body,
    })
}

fn answer_type(body: &AnswerBody) -> SegmentType {
    match body {
        AnswerBody::Connect(_) => SegmentType::ConnectReply,
        AnswerBody::Open(_) => SegmentType::OpenReply,
        AnswerBody::Close(_) => SegmentType::CloseReply,
        AnswerBody::Get(_) => SegmentType::GetReply,
        AnswerBody::Put(_) => SegmentType::PutReply,
        AnswerBody::Put1(_) => SegmentType::Put1Reply,
        AnswerBody::Inquire(_) | AnswerBody::InquireFailed(_) => SegmentType::InquireReply,
        AnswerBody::Spi(_) => SegmentType::SpiReply,
        AnswerBody::Stat(_) => SegmentType::StatReply,
        AnswerBody::Subscribe(_) => SegmentType::SubscribeReply,
        AnswerBody::SubscriptionRequest(_) => SegmentType::SubscriptionRequestReply,
    }
}

fn text<const N: usize>() -> BoxedStrategy<Text<N>> {
    vec(b' '..=b'~', 0..=N).prop_map(|bytes| Text::new(std::str::from_utf8(&bytes).expect("printable ASCII"))).boxed()
}

fn name() -> impl Strategy<Value = ObjectName> {
    vec(prop::sample::select(&b"ABCXYZabcxyz0189./_%"[..]), 0..=48)
        .prop_map(|bytes| ObjectName::literal(std::str::from_utf8(&bytes).expect("ASCII")))
}

/// Lengths on both sides of what is copied and of what fits one segment.
fn data() -> impl Strategy<Value = Bytes> {
    (prop_oneof![3 => 0..200_usize, 1 => 10_000..60_000_usize], any::<u8>()).prop_map(|(length, seed)| {
        (0..length).map(|at| seed.wrapping_add(at.to_le_bytes()[0])).collect::<Vec<_>>().into()
    })
}

fn small_bytes(maximum: usize) -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..=maximum).prop_map(Bytes::from)
}

fn char_string() -> impl Strategy<Value = CharString> {
    (any::<u32>(), any::<i32>(), small_bytes(300), any::<bool>()).prop_map(|(buffer_size, ccsid, text, placed)| {
        let placed = placed || !text.is_empty();
        CharString { buffer_size, ccsid, text, placed }
    })
}

fn initial() -> impl Strategy<Value = Initial> {
    let extent = prop::sample::select(vec![Extent::Basic, Extent::Heartbeat, Extent::Sharing, Extent::Protection]);
    let basic = (any::<[u8; 4]>(), any::<u16>(), any::<[u32; 3]>(), text::<20>());
    let second = (any::<[u8; 2]>(), any::<u16>(), text::<48>(), any::<u32>());
    let third = (
        any::<u8>(),
        any::<[u8; 2]>(),
        any::<[u8; 16]>(),
        any::<[u32; 5]>(),
        any::<[u8; 2]>(),
        text::<12>(),
        text::<48>(),
    );
    let fourth = (any::<[u16; 10]>(), any::<[u8; 12]>());
    (extent, basic, second, third, fourth).prop_map(|(extent, basic, second, third, fourth)| {
        let mut initial = Initial {
            extent,
            fap_level: basic.0[0],
            capabilities_1: Capabilities1::from_bits_retain(basic.0[1]),
            capabilities_1_in_error: Capabilities1::from_bits_retain(basic.0[2]),
            errors_1: Errors1::from_bits_retain(basic.0[3]),
            batch: basic.1,
            maximum_transmission: basic.2[0],
            maximum_message: basic.2[1],
            sequence_wrap: basic.2[2],
            channel: basic.3,
            ..Initial::default()
        };
        if extent >= Extent::Heartbeat {
            initial.capabilities_2 = Capabilities2::from_bits_retain(second.0[0]);
            initial.capabilities_2_in_error = Capabilities2::from_bits_retain(second.0[1]);
            (initial.ccsid, initial.queue_manager, initial.heartbeat_interval) = (second.1, second.2, second.3);
        }
        if extent >= Extent::Sharing {
            initial.errors_2 = third.0;
            initial.header_compression = third.1;
            initial.message_compression = third.2;
            [initial.tls_key_reset, initial.conversations, ..] = third.3;
            initial.process = [third.3[2], third.3[3], third.3[4]];
            initial.capabilities_3 = Capabilities3::from_bits_retain(third.4[0]);
            initial.capabilities_3_in_error = Capabilities3::from_bits_retain(third.4[1]);
            (initial.product, initial.queue_manager_identifier) = (third.5, third.6);
        }
        (initial.password_protection, initial.nonce) =
            if extent >= Extent::Protection { fourth } else { (NO_PASSWORD_PROTECTION, [0; 12]) };
        initial
    })
}

fn user_id() -> impl Strategy<Value = UserId> {
    (text(), text(), text(), vec(any::<u8>(), 40)).prop_map(|(short_user, password, long_user, security)| UserId {
        short_user,
        password,
        long_user,
        security: security.try_into().expect("forty bytes"),
    })
}

fn credentials() -> impl Strategy<Value = Credentials> {
    let token = prop::option::of(small_bytes(40));
    (any::<i32>(), any::<[u32; 2]>(), small_bytes(70), small_bytes(70), token).prop_map(
        |(authentication_type, maxima, user, password, token)| Credentials {
            authentication_type,
            maximum_user: maxima[0],
            maximum_password: maxima[1],
            user,
            password,
            token,
        },
    )
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        Just(Status::default()),
        (any::<u32>(), any::<Option<u32>>()).prop_map(|(code, value)| Status { code: Some(StatusCode(code)), value }),
    ]
}

fn socket_action() -> impl Strategy<Value = SocketAction> {
    any::<[u32; 5]>().prop_map(|[conversation, request, action, one, two]| SocketAction {
        conversation,
        request,
        action,
        parameters: [one, two],
    })
}

fn notification() -> impl Strategy<Value = Notification> {
    any::<[i32; 3]>().prop_map(|[handle, code, value]| Notification { handle, code, value })
}

fn request_messages() -> impl Strategy<Value = RequestMessages> {
    (any::<i32>(), any::<[u32; 5]>(), any::<[i32; 3]>(), prop::option::of(message_selection())).prop_map(
        |(handle, words, numbers, selection)| {
            let mut flags = RequestFlags::from_bits_retain(words[3]);
            flags.set(RequestFlags::SELECTION, selection.is_some());
            RequestMessages {
                handle,
                received: words[0],
                wanted: words[1],
                maximum_length: numbers[0],
                options: GetFlags::from_bits_retain(words[2]),
                wait_interval: numbers[1],
                queue_status: numbers[2],
                flags,
                global_index: words[4],
                selection,
            }
        },
    )
}

fn message_selection() -> impl Strategy<Value = MessageSelection> {
    (any::<[u16; 2]>(), any::<[i32; 4]>(), any::<u32>(), any::<[[u8; 24]; 3]>(), any::<[u8; 16]>()).prop_map(
        |(shorts, numbers, matched, identifiers, token)| {
            let match_options = MatchOptions::from_bits_retain(matched);
            let kept = |option: MatchOptions, identifier: [u8; 24]| {
                if match_options.contains(option) { identifier } else { [0; 24] }
            };
            MessageSelection {
                index: shorts[0],
                descriptor_version: shorts[1],
                ccsid: numbers[0],
                encoding: numbers[1],
                sequence_number: numbers[2],
                offset: numbers[3],
                match_options,
                message_id: kept(MatchOptions::MSG_ID, identifiers[0]),
                correlation_id: kept(MatchOptions::CORREL_ID, identifiers[1]),
                group_id: kept(MatchOptions::GROUP_ID, identifiers[2]),
                message_token: if match_options.contains(MatchOptions::MSG_TOKEN) { token } else { [0; 16] },
            }
        },
    )
}

fn async_message() -> impl Strategy<Value = AsyncMessage> {
    (
        any::<[i32; 2]>(),
        any::<[u32; 3]>(),
        any::<[u16; 2]>(),
        any::<[u8; 16]>(),
        vec(b' '..=b'~', 0..=255),
        descriptor(),
        data(),
    )
        .prop_map(|(numbers, words, shorts, message_token, resolved_queue, descriptor, data)| AsyncMessage {
            handle: numbers[0],
            message_index: words[0],
            global_index: words[1],
            selection_index: shorts[0],
            reason: numbers[1],
            length: words[2],
            actual_length: u32::try_from(data.len()).expect("short"),
            message_token,
            status: shorts[1],
            resolved_queue,
            descriptor,
            data,
        })
}

fn xid() -> impl Strategy<Value = Xid> {
    (any::<i32>(), vec(any::<u8>(), 0..=64), vec(any::<u8>(), 0..=64)).prop_map(|(format, global, branch)| Xid {
        format,
        global,
        branch,
    })
}

fn xa_request() -> impl Strategy<Value = XaRequest> {
    let name = || vec(b' '..=b'~', 0..=48).prop_map(Bytes::from);
    let verb = prop_oneof![
        name().prop_map(XaVerb::Open),
        name().prop_map(XaVerb::Close),
        xid().prop_map(XaVerb::Start),
        xid().prop_map(XaVerb::End),
        xid().prop_map(XaVerb::Prepare),
        xid().prop_map(XaVerb::Commit),
        xid().prop_map(XaVerb::Rollback),
        xid().prop_map(XaVerb::Forget),
        (0..=1000_usize).prop_map(|wanted| XaVerb::Recover { wanted }),
        Just(XaVerb::Complete),
    ];
    (1_u32.., any::<[i32; 2]>(), verb).prop_map(|(reply_length, numbers, verb)| XaRequest {
        reply_length,
        flags: numbers[0],
        resource_manager: numbers[1],
        verb,
    })
}

fn xa_reply() -> impl Strategy<Value = XaReply> {
    (any::<[i32; 3]>(), prop::option::of(vec(xid(), 0..5))).prop_map(|(numbers, recovered)| XaReply {
        segment_type: match recovered {
            Some(_) => SegmentType::XaRecoverReply,
            None => SegmentType::XaCommitReply,
        },
        return_value: numbers[0],
        flags: numbers[1],
        resource_manager: numbers[2],
        recovered,
    })
}

fn connect() -> impl Strategy<Value = Connect> {
    (text(), text(), any::<i32>(), any::<[u8; 32]>(), any::<[u32; 2]>(), small_bytes(400)).prop_map(
        |(queue_manager, application_name, application_type, accounting_token, options, rest)| Connect {
            queue_manager,
            application_name,
            application_type,
            accounting_token,
            client_bits: options[0],
            options: options[1],
            rest,
        },
    )
}

fn open_attributes() -> impl Strategy<Value = OpenAttributes> {
    any::<[i32; 4]>().prop_map(|numbers| OpenAttributes {
        default_persistence: numbers[0],
        default_put_response: numbers[1],
        default_read_ahead: numbers[2],
        property_control: numbers[3],
    })
}

fn open() -> impl Strategy<Value = Open> {
    (object(), any::<u32>(), prop::option::of(open_attributes())).prop_map(|(object, options, attributes)| Open {
        object,
        options: OpenOptions::from_bits_retain(options),
        attributes,
    })
}

fn close() -> impl Strategy<Value = Close> {
    any::<u32>().prop_map(|options| Close { options: CloseOptions::from_bits_retain(options) })
}

fn object() -> impl Strategy<Value = ObjectStructure> {
    let names = (text(), text(), text(), text());
    let later = (any::<[i32; 8]>(), vec(any::<u8>(), 40), text(), text());
    let strings = (char_string(), char_string(), char_string(), any::<i32>());
    (1..=4_i32, any::<i32>(), names, later, strings).prop_map(|(version, object_type, names, later, strings)| {
        let mut object = ObjectStructure {
            version,
            object_type,
            name: names.0,
            queue_manager: names.1,
            dynamic_queue: names.2,
            alternate_user: names.3,
            ..ObjectStructure::default()
        };
        if version >= 2 {
            object.distribution = later.0;
            if let Some(count) = list_of(&mut object.distribution) {
                [object.distribution[4], object.distribution[5]] = [0; 2];
                object.destinations = std::vec![ObjectRecord { name: names.0, queue_manager: names.1 }; count];
                object.responses = responses(later.0[6], later.0[7], count);
            }
        }
        if version >= 3 {
            object.alternate_security = later.1.try_into().expect("forty bytes");
            (object.resolved_queue, object.resolved_queue_manager) = (later.2, later.3);
        }
        if version >= 4 {
            (object.object_string, object.selection_string, object.resolved_object_string, object.resolved_type) =
                strings;
        }
        object
    })
}

pub(crate) fn descriptor() -> impl Strategy<Value = Descriptor> {
    let numbers = (any::<u32>(), any::<[i32; 7]>(), text::<8>(), 0..3_u8);
    let identifiers = (any::<[u8; 24]>(), any::<[u8; 24]>(), any::<[u8; 24]>(), any::<[u8; 32]>());
    let names = (name(), name(), text(), text(), text());
    let context = (text(), text(), text());
    let second = (0..=i32::MAX, 0..=i32::MAX, 0..=i32::MAX, any::<u32>(), any::<i32>());
    (any::<bool>(), numbers, identifiers, names, context, second).prop_map(
        |(two, numbers, identifiers, names, context, second)| {
            let mut fields = MessageDescriptor {
                report: Report::from_bits_retain(numbers.0),
                message_type: MessageType(numbers.1[0]),
                expiry: Expiry(numbers.1[1]),
                feedback: Feedback(numbers.1[2]),
                encoding: Encoding(numbers.1[3]),
                ccsid: Ccsid(numbers.1[4]),
                format: Format(numbers.2),
                priority: numbers.1[5],
                persistence: match numbers.3 {
                    0 => Persistence::NonPersistent,
                    1 => Persistence::Persistent,
                    _ => Persistence::AsQueueDefinition,
                },
                message_id: MessageId::new(identifiers.0),
                correlation_id: CorrelationId::new(identifiers.1),
                backout_count: second.0.cast_unsigned(),
                reply_to_queue: names.0,
                reply_to_queue_manager: names.1,
                user_identifier: names.2,
                accounting_token: AccountingToken::new(identifiers.3),
                application_identity_data: names.3,
                put_application_type: numbers.1[6],
                put_application_name: names.4,
                put_date: context.0,
                put_time: context.1,
                application_origin_data: context.2,
                ..MessageDescriptor::default()
            };
            if two {
                fields.group_id = GroupId::new(identifiers.2);
                fields.message_sequence_number = second.1.cast_unsigned();
                fields.offset = second.2.cast_unsigned();
                fields.message_flags = MessageFlags::from_bits_retain(second.3);
                fields.original_length = second.4;
            }
            Descriptor { version: if two { Version::Two } else { Version::One }, fields }
        },
    )
}

/// How many records there are of a list; the count is made a small one.
fn list_of<const N: usize>(distribution: &mut [i32; N]) -> Option<usize> {
    if distribution[0] <= 0 {
        return None;
    }
    distribution[0] %= 4;
    usize::try_from(distribution[0]).ok().filter(|&count| count > 0)
}

fn responses(completion: i32, reason: i32, count: usize) -> Vec<ResponseRecord> {
    let at_all = usize::from(completion % 2 == 0);
    std::vec![ResponseRecord { completion, reason }; count * at_all]
}

fn put_records(fields: i32, feedback: i32, count: usize) -> Vec<PutRecord> {
    let has = |field| fields & field != 0;
    let record = PutRecord {
        message_id: has(fields::MESSAGE_ID).then_some([1; 24]),
        correlation_id: has(fields::CORRELATION_ID).then_some([2; 24]),
        group_id: has(fields::GROUP_ID).then_some([3; 24]),
        feedback: has(fields::FEEDBACK).then_some(feedback),
        accounting_token: has(fields::ACCOUNTING_TOKEN).then_some([4; 32]),
    };
    std::vec![record; if fields == 0 { 0 } else { count }]
}

fn put_options() -> impl Strategy<Value = PutStructure> {
    let later = (any::<[i32; 6]>(), any::<[u8; 8]>(), any::<[u8; 8]>(), any::<[i32; 2]>());
    (1..=3_i32, any::<u32>(), any::<[i32; 5]>(), text(), text(), later).prop_map(
        |(version, flags, numbers, resolved_queue, resolved_queue_manager, later)| {
            let mut options = PutStructure {
                version,
                flags: PutFlags::from_bits_retain(flags),
                timeout: numbers[0],
                context: numbers[1],
                counts: [numbers[2], numbers[3], numbers[4]],
                resolved_queue,
                resolved_queue_manager,
                ..PutStructure::default()
            };
            if version >= 2 {
                options.distribution = later.0;
                if let Some(count) = list_of(&mut options.distribution) {
                    let fields = later.0[1] & fields::ALL;
                    [options.distribution[1], options.distribution[2], options.distribution[3]] = [fields, 0, 0];
                    options.records = put_records(fields, later.0[4], count);
                    options.responses = responses(later.0[4], later.0[5], count);
                }
            }
            if version >= 3 {
                (options.original_handle, options.new_handle) = (later.1, later.2);
                [options.action, options.publish_level] = later.3;
            }
            options
        },
    )
}

fn get_options() -> impl Strategy<Value = GetStructure> {
    let later = (any::<u32>(), vec(b' '..=b'~', 4), any::<[u8; 16]>(), any::<[i32; 2]>(), any::<[u8; 8]>());
    (1..=4_i32, any::<u32>(), any::<[i32; 3]>(), text(), later).prop_map(
        |(version, flags, numbers, resolved_queue, later)| {
            let mut options = GetStructure {
                version,
                flags: GetFlags::from_bits_retain(flags),
                wait_interval: numbers[0],
                signals: [numbers[1], numbers[2]],
                resolved_queue,
                ..GetStructure::default()
            };
            if version >= 2 {
                options.match_options = MatchOptions::from_bits_retain(later.0);
                options.group_status = later.1[0];
                options.segment_status = later.1[1];
                options.segmentation = later.1[2];
                options.reserved = later.1[3];
            }
            if version >= 3 {
                (options.message_token, options.returned_length) = (later.2, later.3[0]);
            }
            if version >= 4 {
                (options.reserved_2, options.message_handle) = (later.3[1], later.4);
            }
            options
        },
    )
}

fn put() -> impl Strategy<Value = Put> {
    // The queue manager's own field in a put: what a client states there does not matter.
    (descriptor(), put_options(), data()).prop_map(|(descriptor, options, data)| Put { descriptor, options, data })
}

fn put_reply() -> impl Strategy<Value = PutReply> {
    (descriptor(), put_options()).prop_map(|(descriptor, options)| PutReply { descriptor, options })
}

fn get_reply() -> impl Strategy<Value = GetReply> {
    (descriptor(), get_options(), data(), 0..1000_usize).prop_map(|(descriptor, mut options, data, more)| {
        // What was cut off states how much there is, from version 3 on.
        let returned = i32::try_from(data.len()).expect("generated data are short");
        let (returned_length, more) = if options.version >= 3 { (returned, more) } else { (-1, 0) };
        options.returned_length = returned_length;
        GetReply { descriptor, options, length: data.len() + more, data }
    })
}

fn inquire() -> impl Strategy<Value = Inquire> {
    (vec(any::<i32>(), 0..40), 0..100_usize, 0..1000_usize)
        .prop_map(|(selectors, integer_count, character_length)| Inquire { selectors, integer_count, character_length })
}

fn attributes() -> impl Strategy<Value = Attributes> {
    (vec(any::<i32>(), 0..40), vec(any::<i32>(), 0..40), vec(b' '..=b'~', 0..300))
        .prop_map(|(selectors, integers, characters)| Attributes { selectors, integers, characters })
}

fn status_structure() -> impl Strategy<Value = StatusStructure> {
    let names = (text(), text(), text(), text());
    (any::<bool>(), any::<[i32; 8]>(), names, char_string(), char_string()).prop_map(
        |(two, numbers, names, object_string, subscription_name)| {
            let mut status = StatusStructure {
                version: if two { 2 } else { 1 },
                completion: numbers[0],
                reason: numbers[1],
                put_successes: numbers[2],
                put_warnings: numbers[3],
                put_failures: numbers[4],
                object_type: numbers[5],
                object: names.0,
                object_queue_manager: names.1,
                resolved_object: names.2,
                resolved_queue_manager: names.3,
                ..StatusStructure::default()
            };
            if two {
                (status.object_string, status.subscription_name) = (object_string, subscription_name);
                (status.open_options, status.subscribe_options) = (numbers[6], numbers[7]);
            }
            status
        },
    )
}

fn stat() -> impl Strategy<Value = Stat> {
    (any::<i32>(), status_structure()).prop_map(|(status_type, status)| Stat { status_type, status })
}

fn subscription() -> impl Strategy<Value = SubscriptionStructure> {
    let fixed = (any::<u32>(), text(), text(), vec(any::<u8>(), 40), any::<[i32; 3]>());
    let identity = (any::<[u8; 24]>(), any::<[u8; 32]>(), text());
    let strings = (char_string(), char_string(), char_string(), char_string(), char_string());
    (fixed, identity, strings).prop_map(|(fixed, identity, strings)| SubscriptionStructure {
        flags: SubscribeFlags::from_bits_retain(fixed.0),
        topic_object: fixed.1,
        alternate_user: fixed.2,
        alternate_security: fixed.3.try_into().expect("forty bytes"),
        expiry: fixed.4[0],
        object_string: strings.0,
        name: strings.1,
        user_data: strings.2,
        correlation_id: identity.0,
        priority: fixed.4[1],
        accounting_token: identity.1,
        application_identity_data: identity.2,
        selection_string: strings.3,
        level: fixed.4[2],
        resolved_object_string: strings.4,
    })
}

fn subscribe() -> impl Strategy<Value = Subscribe> {
    (subscription(), any::<i32>()).prop_map(|(subscription, subscription_handle)| Subscribe {
        subscription_handle,
        reserved: 0,
        subscription,
    })
}

fn subscription_request() -> impl Strategy<Value = SubscriptionRequest> {
    any::<[i32; 3]>().prop_map(|numbers| SubscriptionRequest {
        action: numbers[0],
        options: SubscriptionRequestOptions { options: numbers[1], publications: numbers[2] },
    })
}

fn spi_open() -> impl Strategy<Value = SpiOpen> {
    (any::<[u32; 2]>(), open_attributes(), object()).prop_map(|(words, attributes, object)| SpiOpen {
        options: OpenOptionsStructure {
            options: OpenOptions::from_bits_retain(words[0]),
            lpi_options: words[1],
            attributes,
        },
        object,
    })
}

fn spi_subscribe() -> impl Strategy<Value = SpiSubscribe> {
    let destination = (any::<[i32; 5]>(), char_string(), any::<[[u8; 24]; 2]>(), any::<u32>(), text(), text());
    (any::<i32>(), destination, subscription()).prop_map(|(subscription_handle, destination, subscription)| {
        SpiSubscribe {
            subscription_handle,
            destination: SubscriptionDestination {
                options: destination.0[0],
                string: destination.1,
                identifier: destination.2[0],
                reserved: destination.0[1],
                open_options: OpenOptions::from_bits_retain(destination.3),
                queue: destination.4,
                queue_manager: destination.5,
                correlation_id: destination.2[1],
                numbers: [destination.0[2], destination.0[3], destination.0[4]],
            },
            subscription,
        }
    })
}

fn spi_put_reply() -> impl Strategy<Value = SpiPutReply> {
    (descriptor(), put_options()).prop_map(|(descriptor, options)| SpiPutReply { descriptor, options })
}

fn spi_put() -> impl Strategy<Value = SpiPut> {
    (spi_put_reply(), any::<[i32; 2]>(), any::<i64>(), data())
        .prop_map(|(put, [options, reserved], delay_ms, data)| SpiPut { put, options, reserved, delay_ms, data })
}

fn spi() -> impl Strategy<Value = Spi> {
    let input = prop_oneof![
        Just((verb::QUERY, SpiInput::Query)),
        spi_put().prop_map(|put| (verb::PUT, SpiInput::Put(Box::new(put)))),
        spi_open().prop_map(|open| (verb::OPEN, SpiInput::Open(open))),
        any::<[u32; 2]>()
            .prop_map(|[tag_size, wanted]| (verb::RESERVE, SpiInput::Reserve(Reserve { tag_size, wanted }))),
        spi_subscribe().prop_map(|subscribe| (verb::SUBSCRIBE, SpiInput::Subscribe(subscribe))),
        small_bytes(100).prop_map(|bytes| (verb::NOTIFY, SpiInput::Other(bytes))),
    ];
    (any::<[i32; 2]>(), input).prop_map(|([out_version, out_maximum], (verb, input))| Spi {
        verb,
        out_version,
        out_maximum,
        input,
    })
}

fn spi_reply() -> impl Strategy<Value = channel_protocol::flow::spi::SpiReply> {
    let row = any::<[i32; 5]>().prop_map(|numbers| SpiVerb {
        verb: numbers[0],
        in_out_version: numbers[1],
        in_version: numbers[2],
        out_version: numbers[3],
        flags: numbers[4],
    });
    let reserved = (any::<[u32; 2]>(), any::<[u8; 24]>()).prop_map(|([granted, increment_offset], base)| {
        (verb::RESERVE, SpiOutput::Reserve(Reserved { granted, increment_offset, base }))
    });
    let output = prop_oneof![
        vec(row, 0..12).prop_map(|rows| (verb::QUERY, SpiOutput::Query(rows))),
        spi_put_reply().prop_map(|put| (verb::PUT, SpiOutput::Put(Box::new(put)))),
        spi_open().prop_map(|open| (verb::OPEN, SpiOutput::Open(open))),
        reserved,
        spi_subscribe().prop_map(|subscribe| (verb::SUBSCRIBE, SpiOutput::Subscribe(subscribe))),
        small_bytes(100).prop_map(|bytes| (verb::NOTIFY, SpiOutput::Other(bytes))),
    ];
    (any::<[i32; 2]>(), output).prop_map(|([out_version, out_maximum], (verb, output))| {
        channel_protocol::flow::spi::SpiReply { verb, out_version, out_maximum, output }
    })
}
