use model::descriptor::MessageDescriptor;
use model::descriptor_codec::{Version, encode};

use super::*;
use crate::constant::{MQIMPO_INQ_FIRST, MQSMPO_SET_FIRST};

fn md() -> DescriptorImage {
    let mut memory = Vec::new();
    let descriptor = MessageDescriptor { format: Format::STRING, ..MessageDescriptor::default() };
    encode(&descriptor, Version::One, Encoding::NATIVE, &mut memory);
    DescriptorImage::from_native(&memory).expect("an MQMD")
}

fn set(message: &mut Message, name: &str, value: i32) {
    let description = Description::default();
    message.set(MQSMPO_SET_FIRST, name, PropertyValue::Integer(value), description).expect("it is set");
}

#[test]
fn properties_travel_in_front_of_the_body_and_come_back() {
    let number = create(MQHC_UNASSOCIATED_HCONN, 0).expect("a handle");
    with(number, |message| {
        set(message, "colour", 1);
        set(message, "jms.Dst", 2);
        set(message, "colour", 3);
        Ok(())
    })
    .expect("it is there");
    let properties = of_put(number, 0, 0).expect("properties");
    let (sent, whole) = with_properties(&properties, &md(), b"body").expect("there are properties");
    assert_eq!(sent.format(), RFH2);
    let apart = apart(&sent, &whole).expect("a header");
    assert_eq!(&whole[apart.length..], b"body");
    assert_eq!(apart.md, md());
    let names: Vec<String> = apart.properties.iter().map(Property::full_name).collect();
    assert_eq!(names, ["jms.Dst", "colour"]);
    assert_eq!(apart.properties[1].value, PropertyValue::Integer(3));
    assert_eq!(delete(number), Ok(Ended::WELL));
    assert_eq!(delete(number), Err(failed(Reason::HmsgError)));
}

#[test]
fn an_inquiry_goes_on_where_the_last_one_was() {
    let mut message = Message { checks_names: true, ..Message::default() };
    for (index, name) in ["a", "b", "c"].into_iter().enumerate() {
        set(&mut message, name, i32::try_from(index).expect("small"));
    }
    let mut seen = vec![message.inquire(MQIMPO_INQ_FIRST, "%").map(Property::full_name)];
    message.remove(true, "").expect("it is removed");
    while seen.last().is_some_and(Result::is_ok) {
        seen.push(message.inquire(MQIMPO_INQ_NEXT, "%").map(Property::full_name));
    }
    let expected = [Ok("a".to_owned()), Ok("b".to_owned()), Ok("c".to_owned()), Err(Reason::PropertyNotAvailable)];
    assert_eq!(seen, expected);
}

#[test]
fn a_reply_copies_only_what_may_be_copied_to_replies() {
    let original = create(MQHC_UNASSOCIATED_HCONN, 0).expect("a handle");
    let copied = |options: i32| Description { copy_options: options, ..Description::default() };
    with(original, |message| {
        message.set(0, "kept", PropertyValue::Null, copied(MQCOPY_REPLY))?;
        message.set(0, "left", PropertyValue::Null, copied(MQCOPY_FORWARD))?;
        message.set(0, "always", PropertyValue::Null, copied(MQCOPY_ALL))
    })
    .expect("it is set");
    let names = of_put(original, 0, MQACTP_REPLY).expect("properties");
    assert_eq!(names.iter().map(Property::full_name).collect::<Vec<_>>(), ["kept", "always"]);
}
