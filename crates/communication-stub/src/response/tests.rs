use super::{MESSAGE_ROOM, Outcome, ResponseInfo, cut};
use crate::error::StubError;

#[test]
fn a_message_that_fits_is_left_whole() {
    assert_eq!(cut(b"short"), b"short");
    assert_eq!(cut(&[b'x'; MESSAGE_ROOM]).len(), MESSAGE_ROOM);
}

#[test]
fn a_long_message_is_cut_between_characters() {
    for (character, kept) in [("x", 1024), ("é", 1024), ("€", 1023), ("𝄞", 1024)] {
        assert_eq!(cut(character.repeat(1500).as_bytes()).len(), kept, "{character}");
    }
    let shifted = format!("x{}", "𝄞".repeat(400));
    assert_eq!(cut(shifted.as_bytes()).len(), 1021);
}

#[test]
fn bytes_that_are_no_text_are_cut_at_the_limit() {
    assert_eq!(cut(&[0x80; 2000]).len(), MESSAGE_ROOM);
}

#[test]
fn the_comp_level_and_what_lies_behind_the_area_stay() {
    let mut area = [0xAA; 1048 + 8];
    // SAFETY: the array is longer than the area.
    let info = unsafe { ResponseInfo::at(area.as_mut_ptr()) }.expect("an address");
    info.fill(&Outcome::failed(&StubError::Fault));
    assert_eq!(area[..4], [0xAA; 4]);
    assert_eq!(area[1048..], [0xAA; 8]);
    assert_eq!(area[4..12], *b"BAQCSTUB");
    assert_eq!(area[12..20], [3i32.to_ne_bytes(), 50i32.to_ne_bytes()].concat());
    assert_eq!(area[1043], b' ');
    let length = i32::from_ne_bytes([area[1044], area[1045], area[1046], area[1047]]);
    assert_eq!(usize::try_from(length).expect("not negative"), StubError::Fault.to_string().len());
}
