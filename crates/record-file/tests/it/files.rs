//! Files of every form, there and back.

use copybook::ConvertOptions;
use record_file::{Framing, LineForm, Segments, Target};

use super::{Work, exact, plan};

const ORDER: &str = "
       01 ORDER.
          05 CUSTOMER PIC X(6).
          05 AMOUNT PIC S9(5)V99 COMP-3.
          05 FILLER PIC X(2).
          05 LINE-COUNT PIC 9.
          05 SHADE PIC X(4).
          05 SHADE-NUMBER REDEFINES SHADE PIC 9(2).
          05 LINES OCCURS 0 TO 3 DEPENDING ON LINE-COUNT.
             10 ITEM PIC X(3).
             10 QUANTITY PIC S9(4) COMP.
";

/// A record in EBCDIC with so many lines; everything varies with the number.
fn record(number: u32, lines: u8) -> Vec<u8> {
    let digit = |power: u32| u8::try_from(number / 10_u32.pow(power) % 10).expect("a digit");
    let last = number.to_be_bytes()[3];
    let mut record = vec![0xC1 + digit(0), 0xC2, 0x40 + u8::from(number.is_multiple_of(7)), 0x15, 0x40, 0x40];
    // Signs F and C, and bytes that are no digits.
    record.extend([digit(2) << 4 | digit(1), digit(0) << 4, 0, if number.is_multiple_of(3) { 0x0F } else { 0x0C }]);
    record.extend([0x00, last]);
    record.push(0xF0 + lines);
    record.extend([0xF1, 0xF0 + digit(1), 0x40, if number.is_multiple_of(5) { 0xFF } else { 0x40 }]);
    for line in 0..lines {
        record.extend([0xC1 + line, 0xD1, 0x40, digit(1), last]);
    }
    record
}

fn framed(framing: Framing, records: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for record in records {
        let length = u16::try_from(record.len()).expect("short");
        match framing {
            Framing::Fixed(_) => {}
            Framing::Rdw => file.extend([(length + 4).to_be_bytes(), [0, 0]].concat()),
            Framing::Variable => file.extend([length.to_be_bytes(), [0, 0]].concat()),
            Framing::Line(_) => unreachable!("lines have no length"),
        }
        file.extend(record);
    }
    file
}

#[test]
fn every_byte_of_records_of_any_length_comes_back_from_json_lines_csv_and_parquet() {
    let segments =
        Segments::one(plan(ORDER, None, &ConvertOptions { alternatives: vec!["SHADE-NUMBER".to_owned()], ..exact() }));
    // More than a block of each form.
    let records: Vec<Vec<u8>> =
        (0..70_000).map(|number| record(number, u8::try_from(number % 4).expect("a digit"))).collect();
    for framing in [Framing::Rdw, Framing::Variable] {
        let work = Work { segments: &segments, framing, is_lenient: false, is_exact: true };
        work.assert_comes_back(&framed(framing, &records), 70_000);
    }
    let records: Vec<Vec<u8>> = (0..3000).map(|number| record(number, 2)).collect();
    let framing = Framing::Fixed(27);
    Work { segments: &segments, framing, is_lenient: false, is_exact: true }
        .assert_comes_back(&framed(framing, &records), 3000);
}

#[test]
fn what_is_decoded_is_what_the_copybook_says() {
    let text = "01 R. 05 NAME PIC X(4). 05 G. 10 N PIC S9(3)V99. 10 T PIC 9 OCCURS 2. 05 BIG PIC 9(20) COMP-3.";
    let segments = Segments::one(plan(text, None, &ConvertOptions::of_ccsid(819)));
    let work = Work { segments: &segments, framing: Framing::Fixed(22), is_lenient: false, is_exact: false };
    let big = |last: u8| [&[0; 10][..], &[last << 4 | 0xF]].concat();
    let file = [&b"a,\"b0012312"[..], &big(0), b"    0000p34", &big(7)].concat();
    let (lines, _) = work.decode(Target::JsonLines, &file).unwrap();
    let expected = "{\"NAME\":\"a,\\\"b\",\"G\":{\"N\":1.23,\"T\":[1,2]},\"BIG\":0}\n\
        {\"NAME\":\"\",\"G\":{\"N\":0,\"T\":[3,4]},\"BIG\":7}\n";
    assert_eq!(String::from_utf8(lines.clone()).unwrap(), expected);
    let (table, _) = work.decode(Target::Csv, &file).unwrap();
    let expected = "NAME,G.N,G.T[1],G.T[2],BIG\n\"a,\"\"b\",1.23,1,2,0\n,0,3,4,7\n";
    assert_eq!(String::from_utf8(table.clone()).unwrap(), expected);
    let canonical = [&b"a,\"b0012312"[..], &big(0), b"    0000034", &big(7)].concat();
    for (target, form) in [(Target::JsonLines, lines), (Target::Csv, table)] {
        assert_eq!(work.encode(target, &form).unwrap().0, canonical);
    }
    let (parquet, _) = work.decode(Target::Parquet, &file).unwrap();
    assert_eq!(work.encode(Target::Parquet, &parquet).unwrap().0, canonical);
    // Columns may come in any order, and some be missing.
    let some = b"G.T[2],NAME\n5,x\n";
    let expected = [&b"x   0000005"[..], &big(0)].concat();
    assert_eq!(work.encode(Target::Csv, some).unwrap().0, expected);
}

#[test]
fn lines_are_filled_up_and_end_before_their_blanks() {
    let text = "01 R. 05 NAME PIC X(4). 05 N PIC 9(2). 05 REST PIC X(3).";
    let segments = Segments::one(plan(text, None, &ConvertOptions::of_ccsid(819)));
    let framing = Framing::Line(LineForm::of_ccsid(819, 9));
    let work = Work { segments: &segments, framing, is_lenient: false, is_exact: false };
    let (lines, summary) = work.decode(Target::JsonLines, b"ab  12\r\ncdef34xyz\nlast56").unwrap();
    let expected = "{\"NAME\":\"ab\",\"N\":12,\"REST\":\"\"}\n{\"NAME\":\"cdef\",\"N\":34,\"REST\":\"xyz\"}\n\
        {\"NAME\":\"last\",\"N\":56,\"REST\":\"\"}\n";
    assert_eq!((String::from_utf8(lines.clone()).unwrap().as_str(), summary.records), (expected, 3));
    assert_eq!(work.encode(Target::JsonLines, &lines).unwrap().0, b"ab  12\ncdef34xyz\nlast56\n");
    assert_eq!(LineForm::of_ccsid(37, 9), LineForm { end: 0x15, blank: 0x40, shortest: 9 });
}

#[test]
fn a_field_says_which_alternative_or_record_comes() {
    let text = "01 HEAD. 05 KIND PIC X. 05 DAY PIC 9(3). 01 DATA-REC. 05 KIND PIC X. 05 BODY PIC X(3). \
        05 PAIR REDEFINES BODY. 10 A PIC X. 10 B PIC 9(2).";
    let options = ConvertOptions::of_ccsid(819);
    let pair = ConvertOptions { alternatives: vec!["PAIR".to_owned()], ..options.clone() };
    let chosen = || {
        vec![
            ("H".to_owned(), plan(text, Some("HEAD"), &options)),
            ("P".to_owned(), plan(text, Some("DATA-REC"), &pair)),
        ]
    };
    let other = plan(text, Some("DATA-REC"), &options);
    let segments = Segments::by_field("KIND", chosen(), Some(other)).unwrap();
    let work = Work { segments: &segments, framing: Framing::Fixed(4), is_lenient: false, is_exact: false };
    let file = b"H007Px12Qabc";
    let (lines, _) = work.decode(Target::JsonLines, file).unwrap();
    let expected = "{\"KIND\":\"H\",\"DAY\":7}\n{\"KIND\":\"P\",\"PAIR\":{\"A\":\"x\",\"B\":12}}\n{\"KIND\":\"Q\",\"BODY\":\"abc\"}\n";
    assert_eq!(String::from_utf8(lines).unwrap(), expected);
    let (table, _) = work.decode(Target::Csv, file).unwrap();
    assert_eq!(String::from_utf8(table).unwrap(), "KIND,DAY,PAIR.A,PAIR.B,BODY\nH,7,,,\nP,,x,12,\nQ,,,,abc\n");
    work.assert_comes_back(file, 3);

    let segments = Segments::by_field("KIND", chosen(), None).unwrap();
    let work = Work { segments: &segments, ..work };
    let error = work.decode(Target::JsonLines, file).unwrap_err();
    assert_eq!(error.to_string(), "record 3 at byte 8: no segment is chosen for KIND = X'51'");
    let error = work.encode(Target::JsonLines, b"{\"KIND\":\"Q\"}\n").unwrap_err();
    assert_eq!(error.to_string(), "record 1 at byte 0: no segment is chosen for KIND = Q");
    let error = Segments::by_field("NOWHERE", chosen(), None).err().unwrap();
    assert!(error.to_string().starts_with("there is no item NOWHERE at a fixed place"), "{error}");
}
