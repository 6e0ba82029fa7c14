//! Values of the headers of a put, and how those of a returned message are written.

use http::{HeaderMap, HeaderName, HeaderValue};
use model::descriptor::{Expiry, MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::name::QueueName;

use super::{Correlation, PutHeaders, describe};
use crate::routes::Version::{self, V1, V2, V3};

const HEX: &str = "000102030405060708090A0B0C0D0E0F1011121314151617";

fn read(version: Version, name: &'static str, value: &str) -> Option<PutHeaders> {
    let mut headers = HeaderMap::new();
    headers.insert(HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap());
    PutHeaders::read(&headers, version, true).ok()
}

#[test]
fn without_headers_a_put_is_nonpersistent_unlimited_and_of_priority_4_or_as_the_destination() {
    for (version, priority) in [(V1, 4), (V2, 4), (V3, MessageDescriptor::PRIORITY_AS_QUEUE_DEFINITION)] {
        let headers = PutHeaders::read(&HeaderMap::new(), version, true).unwrap();
        assert_eq!(headers.priority, priority);
        assert_eq!(headers.expiry, Expiry::UNLIMITED);
        assert_eq!(headers.persistence, Persistence::NonPersistent);
        assert_eq!((headers.correlation, headers.reply_to), (None, None));
    }
}

#[test]
fn expiry_is_milliseconds_rounded_up_to_tenths() {
    let table = [
        ("unlimited", Some(-1)),
        ("0", Some(-1)),
        ("1", Some(1)),
        ("100", Some(1)),
        ("101", Some(2)),
        ("99999999900", Some(999_999_999)),
        ("99999999901", None),
        ("-1", None),
        ("+5", None),
        ("1.5", None),
        ("Unlimited", None),
        ("", None),
    ];
    for (text, tenths) in table {
        let read = read(V1, "ibm-mq-md-expiry", text).map(|headers| headers.expiry.0);
        assert_eq!(read, tenths, "{text}");
    }
}

#[test]
fn persistence_and_priority_are_compared_exactly() {
    let persistence = |text: &str| read(V2, "ibm-mq-md-persistence", text).map(|headers| headers.persistence);
    assert_eq!(persistence("persistent"), Some(Persistence::Persistent));
    assert_eq!(persistence("nonPersistent"), Some(Persistence::NonPersistent));
    assert_eq!((persistence("nonpersistent"), persistence("")), (None, None));
    let priority = |version, text: &str| read(version, "ibm-mq-md-priority", text).map(|headers| headers.priority);
    assert_eq!(priority(V3, "9"), Some(9));
    assert_eq!(priority(V3, "asDestination"), Some(-1));
    assert_eq!((priority(V3, "10"), priority(V3, "-1"), priority(V3, "x")), (None, None, None));
    assert_eq!(priority(V2, "x"), Some(4), "v2 knows no such header");
}

#[test]
fn correlation_ids_are_hexadecimal_before_v3_and_prefixed_or_any_text_from_then_on() {
    let correlation =
        |version, text: &str| read(version, "ibm-mq-md-correlationid", text).and_then(|headers| headers.correlation);
    let bytes = CorrelationId::from_hex(HEX).unwrap();
    assert_eq!(correlation(V1, HEX), Some(Correlation::Bytes(bytes)));
    assert_eq!(correlation(V1, &HEX[2..]), None);
    assert_eq!(correlation(V3, &format!("ID:{HEX}")), Some(Correlation::Bytes(bytes)));
    assert_eq!(correlation(V3, HEX), Some(Correlation::Text(HEX.to_owned())));
    assert_eq!(correlation(V3, "ID:12"), None);
    let text = correlation(V3, "order 17").unwrap();
    assert_eq!(&text.to_descriptor().as_bytes()[..10], b"order 17\0\0");
}

#[test]
fn reply_to_names_a_queue_and_perhaps_its_queue_manager() {
    let reply_to = |text: &str| read(V1, "ibm-mq-md-replyto", text).and_then(|headers| headers.reply_to);
    assert_eq!(reply_to("R.Q").unwrap().0, QueueName::literal("R.Q"));
    assert_eq!(reply_to("R.Q@QM2").unwrap().1.as_str(), "QM2");
    for text in ["", "@QM1", "R Q", "R.Q@", "R.Q@Q M"] {
        assert_eq!(reply_to(text), None, "{text}");
    }
}

#[test]
fn a_returned_message_is_described_as_its_version_writes_it() {
    let descriptor = MessageDescriptor {
        message_id: MessageId::new([0xAB; 24]),
        correlation_id: CorrelationId::new([1; 24]),
        expiry: Expiry(25),
        persistence: Persistence::Persistent,
        priority: 7,
        reply_to_queue: QueueName::literal("R"),
        reply_to_queue_manager: QueueName::literal("QM1"),
        ..MessageDescriptor::default()
    };
    let described = |version, correlation| {
        let mut headers = HeaderMap::new();
        describe(&mut headers, version, &descriptor, correlation);
        headers.iter().map(|(name, value)| format!("{name}: {}\n", value.to_str().unwrap())).collect::<String>()
    };
    let id = "ab".repeat(24);
    let correlation = "01".repeat(24);
    let rest = "ibm-mq-md-expiry: 2500\nibm-mq-md-persistence: persistent\n";
    let v1 =
        format!("ibm-mq-md-messageid: {id}\nibm-mq-md-correlationid: {correlation}\n{rest}ibm-mq-md-replyto: R@QM1\n");
    assert_eq!(described(V1, Some("order")), v1);
    let v3 = format!(
        "ibm-mq-md-messageid: ID:{id}\nibm-mq-md-correlationid: order\n{rest}ibm-mq-md-priority: 7\nibm-mq-md-replyto: R@QM1\n"
    );
    assert_eq!(described(V3, Some("order")), v3);
}
