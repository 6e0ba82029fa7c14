//! Records and JSON of the shared vectors, and of structures with every kind of item.

use build_toolkit::archive::{self, Archive, Options, WhiteSpace};
use build_toolkit::build::{Input, Location, Sink, build};
use build_toolkit::structure::{Absence, Structure, Value};
use codepage::ByteOrder;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use requester::conversion::{Converter, FloatForm, Group, RecordForm};

use super::structures::{
    always, binary, book_request, book_response, ended, fixed, group, odd_request, optional, optional_table, options,
    order_request, order_response, structure, table, value, vary_request, vary_response, varying, wrapped, zoned,
};

pub(crate) const NATIVE: RecordForm = RecordForm { order: ByteOrder::Little, float: FloatForm::Ieee, ccsid: 1208 };

pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(u8::is_ascii_hexdigit)
        .map(|it| u8::try_from(char::from(it).to_digit(16).unwrap()).unwrap())
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn converter(structure: &Structure, form: RecordForm) -> Converter {
    Converter::new(structure, form, &options()).expect("a plan")
}

/// A structure whose only group is a body.
fn body(structure: &Structure, form: RecordForm) -> Converter {
    converter(structure, form)
}

fn encoded(converter: &Converter, json: &str) -> Result<Vec<u8>, String> {
    let mut record = converter.empty_record();
    converter.encode(Group::Body, json.as_bytes(), &mut record).map_err(|error| error.to_string())?;
    Ok(record)
}

fn decoded(converter: &Converter, record: &[u8]) -> Result<String, String> {
    let mut json = Vec::new();
    let whole = converter.whole(record).map_err(|error| error.to_string())?;
    converter.decode(Group::Body, &whole, &mut json).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(json).expect("UTF-8"))
}

/// The value of the only group in a vector's JSON, without blanks.
fn only_group(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let group = value.as_object().expect("an object").values().next().expect("a group");
    group.to_string()
}

#[test]
fn the_vectors_bodies_are_the_records_of_the_vectors_both_ways() {
    for (name, structure, json, image) in [
        (
            "getBook",
            book_response(),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/getBook_P.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/getBook_P.hex"),
        ),
        (
            "newOrder",
            order_request(),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/newOrder_Q.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/newOrder_Q.hex"),
        ),
        (
            "newOrder",
            order_response(),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/newOrder_P.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/newOrder_P.hex"),
        ),
        (
            "names",
            odd_request(),
            include_str!("../../../build-toolkit/tests/it/vectors/names/expected/a_b_POST_Q.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/names/expected/a_b_POST_Q.hex"),
        ),
        (
            "vary",
            vary_request(),
            include_str!("../../../build-toolkit/tests/it/vectors/seed-figures/expected/VaryPayload_Q.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/seed-figures/expected/VaryPayload_Q.hex"),
        ),
    ] {
        let converter = body(&structure, RecordForm::of_ccsid(37));
        let json = only_group(json);
        let record = hex(image);
        assert_eq!(encoded(&converter, &json).map(|made| hex_of(&made)), Ok(hex_of(&record)), "{name}");
        let back: serde_json::Value = serde_json::from_str(&decoded(&converter, &record).expect(name)).expect("JSON");
        assert_eq!(back, serde_json::from_str::<serde_json::Value>(&json).expect("JSON"), "{name}");
        // The same through the form of programs on this machine.
        let native = body(&structure, NATIVE);
        let record = encoded(&native, &json).expect(name);
        let back: serde_json::Value = serde_json::from_str(&decoded(&native, &record).expect(name)).expect("JSON");
        assert_eq!(back, serde_json::from_str::<serde_json::Value>(&json).expect("JSON"), "{name}, native");
    }
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_short_record_ends_behind_the_last_value_of_the_table_at_its_end() {
    let entry = r#""0001-ABCDEFGHIJKLMNOPQRSTUVWXYZ-""#;
    for form in [NATIVE, RecordForm::of_ccsid(37)] {
        let converter = body(&vary_response(), form);
        for entries in [0, 1, 2, 511, 512] {
            let json = format!(
                r#"{{"recv_size":1,"send_size":2,"taskid":3,"tranid":"BAQR","rs_spare":"","user_data":[{}]}}"#,
                vec![entry; entries].join(",")
            );
            let mut short = converter.short_record(json.len());
            converter.encode(Group::Body, json.as_bytes(), &mut short).expect("encoded");
            assert_eq!(short.len(), 36 + 32 * entries);
            let whole = encoded(&converter, &json).expect("encoded");
            assert_eq!((&whole[..short.len()], whole.len()), (&short[..], converter.length()));
            converter.fill(&mut short);
            assert_eq!(short, whole);
        }
        let (empty, mut short) = (converter.empty_record(), converter.short_record(0));
        converter.fill(&mut short);
        assert_eq!(short, empty);
    }
    // Without a counted table at the end there is nothing to leave out.
    let converter = body(&vary_request(), NATIVE);
    assert_eq!(converter.short_record(0), converter.empty_record());
}

#[test]
fn records_have_the_lengths_that_the_vectors_state() {
    for (structure, length) in [
        (book_request(), 44),
        (book_response(), 148),
        (order_request(), 30),
        (order_response(), 6),
        (vary_request(), 8),
        (vary_response(), 16_420),
    ] {
        assert_eq!(converter(&structure, NATIVE).length(), length);
    }
}

#[test]
fn native_records_have_native_numbers_and_characters() {
    let structure = structure(vec![group(
        "ReqBody",
        vec![binary("n", 4), value("f", Value::Float { bytes: 8 }), varying("t", 4), zoned("z", 3, true)],
    )]);
    let native = body(&structure, NATIVE);
    let record = encoded(&native, r#"{"n":-2,"f":1.5,"t":"é","z":-12}"#).expect("a record");
    assert_eq!(hex_of(&record), "feffffff00000000000000000000f83f0200c3a920203031 72".replace(' ', ""));
    assert_eq!(decoded(&native, &record).as_deref(), Ok(r#"{"n":-2,"f":1.5,"t":"é","z":-12}"#));
}

/// An error as it is told, for a JSON text that does not fit.
fn refused(structure: &Structure, json: &str, expected: Expect) {
    expected.assert_eq(&encoded(&body(structure, RecordForm::of_ccsid(37)), json).expect_err("it does not fit"));
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let order = order_request();
    refused(
        &order,
        r#"{"qty":1000,"ref":1}"#,
        expect![
            "at '/qty', item ReqBody.qty, offset 0: the number has more than 3 digits before the decimal point (byte 7 of the JSON text)"
        ],
    );
    refused(
        &order,
        r#"{"qty":1,"ref":1,"note":"too long by far"}"#,
        expect![
            "at '/note', item ReqBody.note, offset 22: the text takes 15 bytes, the item has 8 (byte 24 of the JSON text)"
        ],
    );
    refused(
        &order,
        r#"{"qty":null,"ref":1}"#,
        expect!["at '/qty', item ReqBody.qty, offset 0: a value is required, found null (byte 11 of the JSON text)"],
    );
    refused(
        &order,
        r#"{"qty":"1"}"#,
        expect!["at '/qty', item ReqBody.qty, offset 0: expected a number, found a string (byte 7 of the JSON text)"],
    );
    refused(
        &order,
        r#"{"qty":1,"qty":2}"#,
        expect!["at '/qty', item ReqBody, offset 0: the member 'qty' is given twice (byte 15 of the JSON text)"],
    );
    refused(
        &order,
        r#"{"qty":1"#,
        expect![
            "at '', item ReqBody, offset 0: the JSON text is malformed: it ends too early (byte 8 of the JSON text)"
        ],
    );
    refused(
        &order,
        "[]",
        expect!["at '', item ReqBody, offset 0: expected an object, found an array (byte 0 of the JSON text)"],
    );
    let book = book_response();
    refused(
        &book,
        r#"{"keywords":["a","b","c"]}"#,
        expect![
            "at '/keywords/2', item RespBody.keywords, offset 100: there are 3 occurrences, the table has at most 2 (byte 21 of the JSON text)"
        ],
    );
    refused(
        &book,
        r#"{"authors":[{"born":1},{"born":"x"}]}"#,
        expect![
            "at '/authors/1/born', item RespBody.authors.born, offset 72: expected a number, found a string (byte 31 of the JSON text)"
        ],
    );
}

#[test]
fn what_a_record_cannot_hold_is_told_with_its_place() {
    let converter = body(&book_response(), RecordForm::of_ccsid(37));
    let good = hex(include_str!("../../../build-toolkit/tests/it/vectors/books/expected/getBook_P.hex"));
    let with = |at: usize, bytes: &[u8]| {
        let mut record = good.clone();
        record[at..at + bytes.len()].copy_from_slice(bytes);
        decoded(&converter, &record).expect_err("it cannot be read")
    };
    for (at, bytes, expected) in [
        (
            32,
            &[0, 0, 0, 4][..],
            expect![
                "at '/authors', item RespBody.authors, offset 32: there are 4 occurrences, the table has at most 3"
            ],
        ),
        (
            32,
            &[0xFF; 4],
            expect!["at '/authors', item RespBody.authors, offset 32: the number is negative, the item has no sign"],
        ),
        (
            36,
            &[0, 10],
            expect![
                "at '/authors/0/lastName', item RespBody.authors.lastName, offset 38: the number is outside 0 to 9"
            ],
        ),
        (
            48,
            &[0, 0, 0, 2],
            expect![
                "at '/authors/0/born', item RespBody.authors.born, offset 48: there are 2 occurrences, the table has at most 1"
            ],
        ),
        (
            13,
            &[0x40],
            expect!["at '/pages', item RespBody.pages, offset 13: X'40F2F7F2' is not a valid number of this kind"],
        ),
        (
            120,
            &[2],
            expect![
                "at '/inPrint', item RespBody.inPrint, offset 120: X'02' is not a boolean, expected X'00' or X'01'"
            ],
        ),
    ] {
        expected.assert_eq(&with(at, bytes));
    }
    expect!["at '', item RespBody, offset 147: the record ends after 147 bytes, inside or before this item"]
        .assert_eq(&decoded(&converter, &good[..147]).expect_err("too short"));
    let longer = [good.as_slice(), b"more"].concat();
    assert_eq!(decoded(&converter, &longer), decoded(&converter, &good));
}

#[test]
fn absence_empty_arrays_and_null_are_told_apart() {
    let nullable = |item| build_toolkit::structure::Item { absence: Absence::Null, ..optional(item) };
    let structure = structure(vec![group(
        "ReqBody",
        vec![
            table(fixed("required", 1), 2),
            optional_table(fixed("optional", 1), 2),
            always(fixed("always", 1), 2),
            optional(fixed("maybe", 1)),
            nullable(fixed("null", 1)),
        ],
    )]);
    let converter = body(&structure, NATIVE);
    assert_eq!(
        decoded(&converter, &converter.empty_record()).as_deref(),
        Ok(r#"{"required":[],"always":["",""],"null":null}"#)
    );
    let json = r#"{"required":["a"],"optional":["b","c"],"always":["d","e"],"maybe":"f","null":"g"}"#;
    assert_eq!(decoded(&converter, &encoded(&converter, json).expect("a record")).as_deref(), Ok(json));
    for absent in [r#"{"optional":null,"maybe":null,"null":null}"#, "{}"] {
        assert_eq!(encoded(&converter, absent), Ok(converter.empty_record()), "{absent}");
    }
    let told = encoded(&converter, r#"{"always":["d"]}"#).expect_err("one too few");
    assert!(told.contains("at least 2 occurrences"), "{told}");
}

#[test]
fn missing_required_members_keep_their_initial_bytes_and_are_counted() {
    let converter = body(&book_response(), NATIVE);
    let mut record = converter.empty_record();
    let missing = converter.encode(Group::Body, br#"{"pages":1,"unknown":{"a":[1,{"b":null}]}}"#, &mut record);
    assert_eq!(missing.expect("a record"), 3);
    assert_eq!(&record[..17], b"             0001");
}

#[test]
fn arrays_in_arrays_have_counters_at_every_level() {
    let inner = table(binary("inner", 2), 3);
    let outer = table(value("outer", Value::Array { item: Box::new(inner) }), 2);
    let structure = structure(vec![group("ReqBody", vec![fixed("a", 1), outer, fixed("z", 1)])]);
    for form in [NATIVE, RecordForm::of_ccsid(37)] {
        let converter = body(&structure, form);
        for json in [r#"{"a":"x","outer":[[1,2],[3]],"z":"y"}"#, r#"{"a":"x","outer":[[],[1,-2,3]],"z":"y"}"#] {
            let record = encoded(&converter, json).expect("a record");
            assert_eq!(decoded(&converter, &record).as_deref(), Ok(json));
        }
    }
}

#[test]
fn texts_that_end_with_null_and_times_of_cics_have_their_bytes() {
    let structure = structure(vec![group(
        "ReqBody",
        vec![
            ended("t", 3),
            value("at", Value::Timestamp),
            value("p", Value::Packed { digits: 5, scale: 2, signed: true }),
        ],
    )]);
    let converter = body(&structure, RecordForm::of_ccsid(37));
    let json = r#"{"t":"ab","at":"1970-01-01T00:00:00.001Z","p":-1.5}"#;
    let record = encoded(&converter, json).expect("a record");
    assert_eq!(hex_of(&record), "81820000002208988800001f00150d");
    assert_eq!(decoded(&converter, &record).as_deref(), Ok(json));
    let told = encoded(&converter, r#"{"at":"yesterday"}"#).expect_err("no time");
    assert!(told.contains("at '/at'") && told.contains("not a date and time"), "{told}");
}

#[test]
fn white_space_follows_the_archive() {
    let structure = structure(vec![group("ReqBody", vec![varying("t", 12)])]);
    let with = |white_space| Converter::new(&structure, NATIVE, &Options { white_space, ..options() }).expect("a plan");
    let json = r#"{"t":" a\n\tb  c "}"#;
    let by_numbers = r#"{"t":"\u0020a\u000A\u0009b \u0020c\u0020"}"#;
    for (white_space, expected) in [
        (WhiteSpace::Preserve, r#"{"t":" a\n\tb  c "}"#),
        (WhiteSpace::Replace, r#"{"t":" a  b  c "}"#),
        (WhiteSpace::Collapse, r#"{"t":"a b c"}"#),
    ] {
        let record = encoded(&with(white_space), json).expect("a record");
        assert_eq!(decoded(&with(WhiteSpace::Preserve), &record).as_deref(), Ok(expected));
        assert_eq!(encoded(&with(white_space), by_numbers), Ok(record));
        let record = encoded(&with(WhiteSpace::Preserve), json).expect("a record");
        assert_eq!(decoded(&with(white_space), &record).as_deref(), Ok(expected));
    }
}

#[test]
fn with_data_truncation_records_may_be_short_and_texts_too_long() {
    let structure = structure(vec![group("ReqBody", vec![varying("t", 4), fixed("u", 2), binary("n", 4)])]);
    let options = Options { data_truncation: true, ..options() };
    let converter = Converter::new(&structure, NATIVE, &options).expect("a plan");
    assert_eq!(decoded(&converter, b"\x02\0ab").as_deref(), Ok(r#"{"t":"ab","u":"","n":0}"#));
    let record = encoded(&converter, r#"{"t":"abcdé","u":"éx","n":1}"#).expect("a record");
    assert_eq!(decoded(&converter, &record).as_deref(), Ok(r#"{"t":"abcd","u":"é","n":1}"#));
}

#[test]
fn a_form_is_read_as_the_stub_writes_it() {
    assert_eq!(RecordForm::parse("little,ieee,1208"), Some(NATIVE));
    assert_eq!(RecordForm::parse("big, hexadecimal, 37"), Some(RecordForm::of_ccsid(37)));
    for bad in ["", "little", "little,ieee", "little,ieee,x", "middle,ieee,1208", "big,ieee,1208,1"] {
        assert_eq!(RecordForm::parse(bad), None, "{bad}");
    }
    let unknown = Converter::new(&vary_request(), RecordForm::of_ccsid(4711), &options());
    assert!(unknown.is_err_and(|error| error.to_string().contains("4711")));
}

proptest! {
    #[test]
    fn any_bytes_are_a_record_or_refused_and_what_is_read_is_written_back(bytes in proptest::collection::vec(any::<u8>(), 148)) {
        for form in [NATIVE, RecordForm::of_ccsid(37)] {
            let converter = body(&book_response(), form);
            if let Ok(json) = decoded(&converter, &bytes) {
                let again = encoded(&converter, &json).expect("what was read can be written");
                prop_assert_eq!(decoded(&converter, &again).expect("readable"), json);
            }
        }
    }

    #[test]
    fn books_go_through_a_record_unchanged(
        pages in 0u32..10_000,
        quarters in -4_000_000i32..4_000_000,
        authors in proptest::collection::vec(("[ -~]{0,9}", proptest::option::of(any::<i32>())), 0..4),
        keywords in proptest::collection::vec("[a-zäöü]{0,2}", 1..3),
        in_print in proptest::option::of(any::<bool>()),
    ) {
        let mut book = serde_json::json!({
            "isbn": "9780131103627",
            "pages": pages,
            // Exact in both forms, and in how the test reads it.
            "price": f64::from(quarters) / 4.0,
            "authors": authors.iter().map(|(name, born)| match born {
                Some(born) => serde_json::json!({"lastName": name, "born": born}),
                None => serde_json::json!({"lastName": name}),
            }).collect::<Vec<_>>(),
            "keywords": keywords,
        });
        if let Some(in_print) = in_print {
            book["inPrint"] = in_print.into();
        }
        let converter = body(&book_response(), NATIVE);
        let record = encoded(&converter, &book.to_string()).expect("a record");
        let back: serde_json::Value = serde_json::from_str(&decoded(&converter, &record).expect("readable")).expect("JSON");
        prop_assert_eq!(back, book);
    }
}

#[test]
fn a_body_that_is_no_object_is_converted_all_the_same() {
    let list = structure(vec![wrapped(table(varying("RespBody", 3), 4))]);
    let converter = body(&list, NATIVE);
    let record = encoded(&converter, r#"["a","bcd"]"#).expect("a record");
    assert_eq!(decoded(&converter, &record).as_deref(), Ok(r#"["a","bcd"]"#));
    let number = structure(vec![value("RespBody", Value::Binary { bytes: 8, signed: true })]);
    let converter = body(&number, RecordForm::of_ccsid(37));
    assert_eq!(encoded(&converter, " 17 "), Ok(vec![0, 0, 0, 0, 0, 0, 0, 17]));
}

/// The archive that the build toolkit makes of a vector's document.
fn built(vector: &str, document: &str, level: &str) -> Archive {
    struct Nowhere;
    impl Sink for Nowhere {
        fn file(&mut self, _: Location, _: &str, _: &[u8]) -> std::io::Result<()> {
            Ok(())
        }
        fn line(&mut self, _: &str) {}
        fn progress(&mut self, _: usize, _: usize) {}
    }
    let properties = format!(
        "apiDescriptionFile={vector}.json\ndataStructuresLocation=out\napiInfoFileLocation=out\nlogFileDirectory=logs\n\
         language=COBOL\nconnectionRef=Server2Ref\nmappingLevel={level}\n"
    );
    let options = build_toolkit::options::parse(properties.as_bytes()).expect("properties");
    let input =
        Input { options: &options, description_name: "swagger.json", description: document.as_bytes(), strict: false };
    let (bytes, _) = build(&input, &mut Nowhere).expect("built");
    archive::read(&bytes).expect("an archive")
}

#[test]
fn archives_of_the_build_toolkit_convert_the_vectors() {
    let books = built("books", include_str!("../../../build-toolkit/tests/it/vectors/books/swagger.json"), "4.3");
    let names = built("names", include_str!("../../../build-toolkit/tests/it/vectors/names/swagger.json"), "4.3");
    let figures =
        built("figures", include_str!("../../../build-toolkit/tests/it/vectors/seed-figures/swagger.json"), "4.1");
    let of = |archive: &Archive, id: &str, is_request: bool| {
        let operation = archive.operations.iter().find(|one| one.id.contains(id)).expect(id);
        let binding = &operation.binding;
        let structure = if is_request {
            binding.request.as_ref().expect("a request")
        } else {
            &binding.response.as_ref().expect("a response").structure
        };
        Converter::new(structure, RecordForm::of_ccsid(37), &binding.options).expect("a plan")
    };
    for (converter, json, image) in [
        (
            of(&books, "getBook", false),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/getBook_P.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/getBook_P.hex"),
        ),
        (
            of(&books, "newOrder", true),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/newOrder_Q.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/books/expected/newOrder_Q.hex"),
        ),
        (
            of(&names, "a_b", true),
            include_str!("../../../build-toolkit/tests/it/vectors/names/expected/a_b_POST_Q.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/names/expected/a_b_POST_Q.hex"),
        ),
        (
            of(&figures, "VaryPayload", true),
            include_str!("../../../build-toolkit/tests/it/vectors/seed-figures/expected/VaryPayload_Q.json"),
            include_str!("../../../build-toolkit/tests/it/vectors/seed-figures/expected/VaryPayload_Q.hex"),
        ),
    ] {
        let json = only_group(json);
        assert_eq!(encoded(&converter, &json).map(|made| hex_of(&made)), Ok(hex_of(&hex(image))), "{json}");
    }
}
