use bytes::Bytes;
use model::descriptor::{Ccsid, Encoding, Format, MessageDescriptor};
use model::header::rfh2::Rfh2;
use model::message::Message;

use super::without_properties;

/// A text message behind one header for each list of folders.
fn message(headers: &[&[&str]]) -> Message {
    let encoding = Encoding::BIG_ENDIAN;
    let mut body = b"data".to_vec();
    let mut format = Format::STRING;
    for folders in headers.iter().rev() {
        let folders = folders.iter().map(|&folder| folder.to_owned()).collect();
        let header = Rfh2 { encoding, ccsid: Ccsid(819), format, flags: 0, folders };
        let mut whole = Vec::new();
        header.encode(encoding, &mut whole);
        whole.extend_from_slice(&body);
        (body, format) = (whole, Format::RF_HEADER_2);
    }
    let descriptor = MessageDescriptor { format, encoding, ccsid: Ccsid::UTF_8, ..MessageDescriptor::default() };
    Message { descriptor, body: Bytes::from(body) }
}

#[test]
fn headers_of_properties_are_left_out() {
    for headers in [
        &[&["<mcd><Msd>jms_text</Msd></mcd>", "<usr><colour>red</colour></usr>"][..]][..],
        &[&["<usr/>"][..], &["<mine content='properties'><x>1</x></mine>"][..]][..],
    ] {
        let shown = without_properties(message(headers));
        assert_eq!(&shown.body[..], b"data");
        assert_eq!((shown.descriptor.format, shown.descriptor.ccsid), (Format::STRING, Ccsid(819)));
    }
}

#[test]
fn other_folders_stay() {
    let shown = without_properties(message(&[&["<usr><colour>red</colour></usr>", "<psc><Command>x</Command></psc>"]]));
    let (header, length) = Rfh2::decode(&shown.body, shown.descriptor.encoding).unwrap();
    assert_eq!(header.folders, ["<psc><Command>x</Command></psc>"]);
    assert_eq!((&shown.body[length..], shown.descriptor.format), (&b"data"[..], Format::RF_HEADER_2));
    let untouched = message(&[&["<psc><Command>x</Command></psc>"]]);
    assert_eq!(without_properties(untouched.clone()).body, untouched.body);
}

#[test]
fn what_is_no_header_is_shown_as_it_is() {
    let mut damaged = message(&[&["<usr><colour>red</colour></usr>"]]);
    damaged.body = damaged.body.slice(..40);
    assert_eq!(without_properties(damaged.clone()).body, damaged.body);
    let plain = message(&[]);
    assert_eq!(without_properties(plain.clone()).body, plain.body);
}
