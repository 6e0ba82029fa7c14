use bytes::BytesMut;

use super::*;
use crate::form::Form;

fn program(version: i32) -> Vec<u8> {
    let mut memory: Vec<u8> = (0..=u8::MAX).cycle().take(VERSION_2_LENGTH).collect();
    memory[..4].copy_from_slice(b"MD  ");
    memory[4..8].copy_from_slice(&version.to_ne_bytes());
    // Letters that every set has.
    for_each_text(&mut memory[8..], |_| {});
    for (from, to) in [(32, 40), (100, 208), (240, 272), (276, 324)] {
        memory[from..to].fill(b'A');
    }
    memory
}

fn sent(image: &DescriptorImage, form: Form) -> BytesMut {
    let mut out = BytesMut::new();
    image.encode(&mut Writer::new(&mut out, form));
    out
}

#[test]
fn an_image_comes_back_byte_for_byte_in_every_form_and_version() {
    for version in [1, 2] {
        let image = DescriptorImage::from_native(&program(version)).expect("an MQMD");
        assert_eq!(image.native().len(), [324, 364][usize::from(version == 2)]);
        for form in [Form::BIG, Form::LITTLE, Form::ebcdic(37)] {
            let body = sent(&image, form).freeze();
            let back = DescriptorImage::decode(&mut Reader::new("test", &body, form)).expect("an MQMD");
            assert_eq!(back, image, "{form:?}");
        }
    }
}

#[test]
fn numbers_are_sent_in_the_order_of_the_form_whatever_they_are() {
    let mut memory = program(2);
    memory[40..44].copy_from_slice(&(-77_i32).to_ne_bytes());
    let image = DescriptorImage::from_native(&memory).expect("an MQMD");
    assert_eq!(sent(&image, Form::BIG)[40..44], (-77_i32).to_be_bytes());
    assert_eq!(sent(&image, Form::LITTLE)[40..44], (-77_i32).to_le_bytes());
}

#[test]
fn another_version_or_identifier_or_too_little_memory_is_2026() {
    let error = |memory: &[u8]| DescriptorImage::from_native(memory).map(drop);
    assert_eq!(error(&program(3)), Err(Reason::MdError));
    assert_eq!(error(&program(2)[..363]), Err(Reason::MdError));
    assert_eq!(error(&program(1)[..324]), Ok(()));
    let mut other = program(1);
    other[0] = b'X';
    assert_eq!(error(&other), Err(Reason::MdError));
}
