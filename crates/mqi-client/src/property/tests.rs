use super::*;
use crate::constant::MQENC_NATIVE;

fn property(name: &str) -> Result<Property, Reason> {
    Property::new(name, PropertyValue::Integer(1), Description::default(), true)
}

#[test]
fn a_name_alone_is_the_programs_own_and_patterns_end_with_percent() {
    let own = property("colour").expect("a property");
    assert!(own.is_meant_by("colour") && own.is_meant_by("usr.colour") && own.is_meant_by("%"));
    assert!(own.is_meant_by("usr.%") && own.is_meant_by("col%") && !own.is_meant_by("jms.%"));
    let other = property("jms.Dst").expect("a property");
    assert_eq!((other.full_name().as_str(), other.is_meant_by("usr.%")), ("jms.Dst", false));
    assert_eq!(property("a..b").err(), Some(Reason::PropertyNameError));
    assert_eq!(property("JMSthing").err(), Some(Reason::PropertyNameError));
    assert_eq!(property(&"a".repeat(5000)).err(), Some(Reason::PropertyNameLengthErr));
}

#[test]
fn values_come_back_in_every_byte_order() {
    let values = [
        PropertyValue::Boolean(true),
        PropertyValue::Byte(-3),
        PropertyValue::Short(-300),
        PropertyValue::Integer(70_000),
        PropertyValue::Long(1 << 40),
        PropertyValue::Float(1.5),
        PropertyValue::Double(-2.25),
        PropertyValue::String("grün".to_owned()),
        PropertyValue::Bytes(vec![0, 1, 255]),
        PropertyValue::Null,
    ];
    for value in values {
        for encoding in [273, 546, MQENC_NATIVE] {
            let bytes = write_value(&value, encoding, 1208).expect("bytes");
            assert_eq!(read_value(type_of(&value), &bytes, encoding, 1208), Ok(value.clone()), "{encoding}");
        }
    }
    assert_eq!(read_value(MQTYPE_INT32, &[1, 2], 546, 1208), Err(Reason::PropertyValueTooBig));
    assert_eq!(read_value(3, &[], 546, 1208), Err(Reason::PropertyTypeError));
}

#[test]
fn numbers_and_texts_are_converted_and_what_is_no_number_is_refused() {
    let text = |text: &str| PropertyValue::String(text.to_owned());
    assert_eq!(converted(&PropertyValue::Integer(7), MQTYPE_STRING), Ok(text("7")));
    assert_eq!(converted(&text("7"), MQTYPE_INT64), Ok(PropertyValue::Long(7)));
    assert_eq!(converted(&text("seven"), MQTYPE_INT64), Err(Reason::PropNumberFormatError));
    assert_eq!(converted(&PropertyValue::Bytes(vec![1]), MQTYPE_INT32), Err(Reason::PropConvNotSupported));
}
