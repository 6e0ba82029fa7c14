//! What does not fit: an error that says where, or a count and a null.

use copybook::ConvertOptions;
use record_file::{Framing, Segments, Target};

use super::{Work, plan};

const TEXT: &str = "01 R. 05 NAME PIC X(2). 05 N PIC 9(2). 05 T PIC 9 OCCURS 2.";

#[test]
fn an_error_names_the_record_its_place_and_the_item() {
    let segments = Segments::one(plan(TEXT, None, &ConvertOptions::of_ccsid(819)));
    let work = Work { segments: &segments, framing: Framing::Fixed(6), is_lenient: false, is_exact: false };
    let error = |file: &[u8]| work.decode(Target::JsonLines, file).unwrap_err().to_string();
    assert_eq!(
        error(b"aa0112bbxx34"),
        "record 2 at byte 6: at '/N', item R.N, offset 2: X'7878' is not a valid number of this kind"
    );
    assert_eq!(error(b"aa0112bb"), "record 2 at byte 6: the file ends after 2 bytes of a record of 6");
    let wrong = work.encode(Target::JsonLines, b"{\"N\":1}\n\n{\"N\":100}\n").unwrap_err().to_string();
    assert!(wrong.starts_with("record 2 at byte 9: at '/N', item R.N"), "{wrong}");
    let wrong = work.encode(Target::Csv, b"NAME,N\na,1\nb,x\n").unwrap_err().to_string();
    assert_eq!(wrong, "record 2 at byte 11: the value 'x' of the column N is no number");
    let wrong = work.encode(Target::Csv, b"NAME,OTHER\na,1\n").unwrap_err().to_string();
    assert_eq!(wrong, "the column OTHER belongs to no item of the copybook");
    let rdw = Work { framing: Framing::Rdw, ..work };
    let wrong = rdw.decode(Target::JsonLines, b"\0\x0a\0\0aa0112\0\x0a\0\x01bb0112").unwrap_err().to_string();
    assert_eq!(wrong, "record 2 at byte 10: its descriptor is 000A0001: expected a length and two zero bytes");
}

#[test]
fn lenient_work_goes_on_and_counts() {
    let segments = Segments::one(plan(TEXT, None, &ConvertOptions::of_ccsid(819)));
    let work = Work { segments: &segments, framing: Framing::Variable, is_lenient: true, is_exact: false };
    let file = b"\0\x06\0\0aaxx1y\0\x02\0\0bb\0\x06\0\0cc0.34";
    let (lines, summary) = work.decode(Target::JsonLines, file).unwrap();
    let expected = "{\"NAME\":\"aa\",\"N\":null,\"T\":[1,null]}\n{\"NAME\":\"cc\",\"N\":null,\"T\":[3,4]}\n";
    assert_eq!(String::from_utf8(lines).unwrap(), expected);
    assert_eq!((summary.records, summary.left_out), (3, 1));
    let counted: Vec<_> =
        summary.misfits.iter().map(|(item, count)| (item.as_str(), count.times, count.first.record)).collect();
    assert_eq!(counted, [("", 1, 2), ("R.N", 2, 1), ("R.T", 1, 1)]);
    assert_eq!(summary.kept.len(), 4);
    assert_eq!((summary.kept[0].offset, summary.kept[1].offset), (2, 5));
    let (file, summary) = work.encode(Target::JsonLines, b"{\"N\":100}\n{\"NAME\":\"ok\"}\n").unwrap();
    assert_eq!((file.as_slice(), summary.records, summary.left_out), (&b"\0\x06\0\0ok0000"[..], 2, 1));
}
