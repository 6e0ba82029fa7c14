use super::{Reader, is_plain, plain_length};

#[test]
fn the_plain_part_of_a_string_ends_at_the_first_byte_that_is_not_plain_wherever_that_stands() {
    for special in [b'"', b'\\', 0, 0x1F, b'\n', 0x7F, 0x80, 0xFF] {
        for length in 0..70 {
            for at in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[at] = special;
                let naive = bytes.iter().take_while(|byte| is_plain(**byte)).count();
                assert_eq!(plain_length(&bytes), naive, "{special:#04x} at {at} of {length}");
            }
            assert_eq!(plain_length(&vec![b' '; length]), length);
        }
    }
}

#[test]
fn strings_of_every_length_are_read_with_what_follows_them() {
    for length in 0..70 {
        for escaped in [None, Some(0), Some(length / 2)] {
            let mut inside = "x".repeat(length);
            if let Some(at) = escaped {
                inside.insert_str(at, "\\n");
            }
            let text = format!("\"{inside}\",1");
            let mut reader = Reader::new(text.as_bytes());
            let string = reader.string().expect("a string");
            assert_eq!((string.raw, string.is_plain), (inside.as_bytes(), escaped.is_none()));
            assert_eq!(reader.peek(), Some(b','));
        }
    }
}
