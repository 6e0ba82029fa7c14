use super::{ListWriter, Value, read};

#[test]
fn what_is_written_is_read_back() {
    let mut bytes = Vec::new();
    let mut list = ListWriter::new(&mut bytes, 0x14);
    list.null().boolean(true).byte(7).uint(70_000).ushort(9).binary(b"tag").string("text").symbol("queue");
    list.nested(0x24, |_| {}).end();
    let mut input = bytes.as_slice();
    let Value::Described(0x14, value) = read(&mut input).unwrap() else { panic!("a described list") };
    assert!(input.is_empty());
    assert_eq!(value.field(0), &Value::Null);
    assert_eq!(value.field(1), &Value::Boolean(true));
    assert_eq!([2, 3, 4].map(|index| value.field(index).number()), [Some(7), Some(70_000), Some(9)]);
    assert_eq!([5, 6, 7].map(|index| value.field(index).bytes()), [Some(&b"tag"[..]), Some(b"text"), Some(b"queue")]);
    assert_eq!(value.field(8), &Value::Described(0x24, Box::new(Value::List(Vec::new()))));
    assert_eq!(value.field(9), &Value::Null);
}

#[test]
fn maps_and_wide_numbers_are_read_over_and_a_short_frame_is_refused() {
    let mut input = &[0xC1, 3, 2, 0x40, 0x40, 0x83, 0, 0, 0, 0, 0, 0, 0, 1, 0x70, 1, 2, 3, 4][..];
    assert_eq!(read(&mut input).unwrap(), Value::Other);
    assert_eq!(read(&mut input).unwrap(), Value::Other);
    assert_eq!(read(&mut input).unwrap(), Value::Number(0x0102_0304));
    assert!(read(&mut &[0xA0, 5, 1][..]).is_err());
}
