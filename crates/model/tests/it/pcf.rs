//! PCF: decoding undoes encoding in every coding, and damage is refused with the published numbers.

use model::descriptor::{Ccsid, Encoding};
use model::pcf::{Coding, Header, MAXIMUM_DEPTH, Message, MessageKind, Parameter, ParameterValue, PcfError, decode};
use proptest::prelude::*;

const BIG: Encoding = Encoding::BIG_ENDIAN;
const LITTLE: Encoding = Encoding::LITTLE_ENDIAN;
/// UTF-8, two EBCDIC sets, Latin-1, UTF-16 in both orders.
const CCSIDS: [i32; 6] = [1208, 37, 1047, 819, 1200, 1202];

/// Text that every CCSID can hold and that does not end in what is trimmed.
fn text() -> impl Strategy<Value = String> {
    "([ -Z_a-z]{0,30}[!-Z_a-z])?"
}

fn value() -> impl Strategy<Value = ParameterValue> {
    use ParameterValue::*;
    let leaf = prop_oneof![
        any::<i32>().prop_map(Integer),
        any::<i64>().prop_map(Integer64),
        prop::collection::vec(any::<i32>(), 0..5).prop_map(Integers),
        prop::collection::vec(any::<i64>(), 0..5).prop_map(Integers64),
        text().prop_map(Text),
        prop::collection::vec(text(), 0..5).prop_map(Texts),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(Bytes),
        any::<(i32, i32)>().prop_map(|(operator, value)| IntegerFilter { operator, value }),
        (any::<i32>(), text()).prop_map(|(operator, text)| TextFilter { operator, text }),
        (any::<i32>(), prop::collection::vec(any::<u8>(), 0..9))
            .prop_map(|(operator, bytes)| BytesFilter { operator, bytes }),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop::collection::vec((any::<i32>(), inner), 0..4)
            .prop_map(|members| Group(members.into_iter().map(|(id, value)| Parameter { id, value }).collect()))
    })
}

prop_compose! {
    fn message()(
        (command, completion, reason) in any::<(i32, i32, i32)>(),
        (version, sequence, is_last) in (1..=3, 1..i32::MAX, any::<bool>()),
        kind in prop::sample::select(vec![1, 2, 7, 12, 16, 17, 18, 19, 21, 22, 26]),
        parameters in prop::collection::vec((any::<i32>(), value()), 0..6),
    ) -> Message {
        Message {
            header: Header { kind: MessageKind(kind), version, command, sequence, is_last, completion, reason },
            parameters: parameters.into_iter().map(|(id, value)| Parameter { id, value }).collect(),
        }
    }
}

proptest! {
    #[test]
    fn messages_survive_the_wire_in_every_coding(message in message()) {
        for encoding in [BIG, LITTLE, Encoding::Z_OS] {
            for ccsid in CCSIDS.map(Ccsid) {
                let bytes = Coding::new(encoding, ccsid).unwrap().bytes(&message);
                prop_assert_eq!(bytes.len() % 4, 0);
                // Every string says its CCSID, so that of the message does not matter.
                prop_assert_eq!(decode(&bytes, encoding, Ccsid(500)), Ok((message.clone(), bytes.len())));
            }
        }
    }

    #[test]
    fn no_bytes_upset_the_decoder(mut bytes in prop::collection::vec(any::<u8>(), 0..200), at in 36..200usize) {
        let start = Coding::new(BIG, Ccsid(819)).unwrap().bytes(&Message {
            header: Header::command(13),
            parameters: vec![Parameter::text(2016, "A"), Parameter::integers(1002, vec![1, 2])],
        });
        for (byte, known) in bytes.iter_mut().zip(&start).take(at) {
            *byte = *known;
        }
        if let Ok((message, length)) = decode(&bytes, BIG, Ccsid(819)) {
            prop_assert!(length <= bytes.len());
            let again = Coding::new(BIG, Ccsid(1208)).unwrap().bytes(&message);
            prop_assert_eq!(decode(&again, BIG, Ccsid(819)).map(|(message, _)| message), Ok(message));
        }
    }
}

fn integers(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// A command with one parameter, or what is said of it, and the tail behind it.
fn refused(values: &[i32], tail: &[u8]) -> (i32, Option<i32>) {
    let mut bytes = integers(&[1, 36, 1, 13, 1, 1, 0, 0, 1]);
    bytes.extend(integers(values));
    bytes.extend(tail);
    let error = decode(&bytes, BIG, Ccsid(819)).unwrap_err();
    (error.number(), error.parameter())
}

#[test]
fn bytes_are_laid_out_as_published() {
    let message = Message {
        header: Header::command(13),
        parameters: vec![
            Parameter::text(2016, "HI"),
            Parameter::integer(20, 1),
            Parameter { id: 1002, value: ParameterValue::Texts(vec!["A".to_owned(), "BCD".to_owned()]) },
        ],
    };
    let mut expected = integers(&[1, 36, 1, 13, 1, 1, 0, 0, 3, 4, 24, 2016, 37, 2]);
    expected.extend(b"\xC8\xC9\0\0");
    expected.extend(integers(&[3, 16, 20, 1, 6, 32, 1002, 37, 2, 4]));
    expected.extend(b"\xC1\x40\x40\x40\xC2\xC3\xC4\x40");
    assert_eq!(Coding::new(BIG, Ccsid(37)).unwrap().bytes(&message), expected);
}

#[test]
fn a_string_without_a_ccsid_is_in_that_of_the_message() {
    let mut bytes = integers(&[1, 36, 1, 13, 1, 1, 0, 0, 1, 4, 24, 2016, 0, 2]);
    bytes.extend(b"\xC8\xC9\0\0");
    let (message, _) = decode(&bytes, BIG, Ccsid(1047)).unwrap();
    assert_eq!(message.parameter(2016).and_then(ParameterValue::as_text), Some("HI"));
}

#[test]
fn damaged_headers_are_refused_by_field() {
    let good = [1, 36, 1, 13, 1, 1, 0, 0, 0];
    let wrong = [(0, 99, 3001), (1, 40, 3002), (2, 4, 3003), (4, 0, 3004), (5, 2, 3005), (8, -1, 3006), (8, 1, 3016)];
    for (field, value, number) in wrong {
        let mut fields = good;
        fields[field] = value;
        let error = decode(&integers(&fields), BIG, Ccsid(819)).unwrap_err();
        assert_eq!(error.number(), number, "field {field} is {value}");
    }
    assert_eq!(decode(&[0; 35], BIG, Ccsid(819)), Err(PcfError::HeaderType { kind: 0 }));
    assert_eq!(decode(&integers(&good)[..35], BIG, Ccsid(819)), Err(PcfError::MessageLength));
    assert_eq!(decode(&integers(&good), Encoding(0), Ccsid(819)), Err(PcfError::Encoding { encoding: 0 }));
}

#[test]
fn damaged_structures_are_refused_by_kind() {
    assert_eq!(refused(&[11, 16, 20, 1], b""), (3013, None));
    assert_eq!(refused(&[1, 16, 20, 1], b""), (3013, None));
    assert_eq!(refused(&[3, 12, 20, 1], b""), (3009, Some(20)));
    assert_eq!(refused(&[3, 20, 20, 1, 0], b""), (3009, Some(20)));
    assert_eq!(refused(&[3, 17, 20, 1, 0], b""), (3009, Some(20)));
    assert_eq!(refused(&[3, -4, 20, 1], b""), (3009, Some(20)));
    assert_eq!(refused(&[3, 400, 20, 1], b""), (3016, None));
    assert_eq!(refused(&[4, 16, 2016, 0], b""), (3010, Some(2016)));
    assert_eq!(refused(&[4, 24, 2016, 0, 5], b"ABCD"), (3011, Some(2016)));
    assert_eq!(refused(&[4, 24, 2016, 0, -1], b"ABCD"), (3011, Some(2016)));
    assert_eq!(refused(&[4, 24, 2016, 9999, 4], b"ABCD"), (3049, Some(2016)));
    assert_eq!(refused(&[4, 24, 2016, 1208, 4], b"\xFFBCD"), (3049, Some(2016)));
    assert_eq!(refused(&[5, 20, 1002, 2, 7], b""), (3027, Some(1002)));
    assert_eq!(refused(&[5, 24, 1002, 1, 7, 8], b""), (3028, Some(1002)));
    assert_eq!(refused(&[5, 20, 1002, -1, 7], b""), (3027, Some(1002)));
    assert_eq!(refused(&[6, 28, 2017, 0, 2, 3], b"ABCD"), (3068, Some(2017)));
    assert_eq!(refused(&[6, 28, 2017, 0, 1, -3], b"ABCD"), (3069, Some(2017)));
    assert_eq!(refused(&[6, 24, 2017, 0, i32::MAX, 0], b""), (3020, None));
    assert_eq!(refused(&[9, 20, 7001, 5], b"ABCD"), (3257, Some(7001)));
    assert_eq!(refused(&[13, 16, 3, 1], b""), (3241, Some(3)));
    assert_eq!(refused(&[14, 20, 2016, 1, 0], b""), (3245, Some(2016)));
    assert_eq!(refused(&[14, 28, 2016, 1, 0, 5], b"ABCD"), (3244, Some(2016)));
    assert_eq!(refused(&[15, 24, 7001, 1, 5], b"ABCD"), (3267, Some(7001)));
    assert_eq!(refused(&[20, 20, 8001, 0, 0], b""), (3258, Some(8001)));
    assert_eq!(refused(&[20, 16, 8001, -1], b""), (3259, Some(8001)));
    assert_eq!(refused(&[20, 16, 8001, 1], b""), (3016, None));
}

#[test]
fn groups_nest_so_deep_and_no_deeper() {
    let nested = |depth: usize| {
        let mut parameter = Parameter::integer(20, 1);
        for _ in 0..depth {
            parameter = Parameter::group(8001, vec![parameter]);
        }
        Coding::native().bytes(&Message { header: Header::event(44, 1, 2035), parameters: vec![parameter] })
    };
    let decoded = |depth| decode(&nested(depth), Encoding::NATIVE, Ccsid::UTF_8).map(|(_, length)| length);
    assert_eq!(decoded(MAXIMUM_DEPTH), Ok(nested(MAXIMUM_DEPTH).len()));
    assert_eq!(decoded(MAXIMUM_DEPTH + 1), Err(PcfError::Depth { parameter: 8001 }));
}
