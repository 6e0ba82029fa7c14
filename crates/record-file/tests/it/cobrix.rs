//! Files and expected values of Cobrix, a public reader of mainframe files (AbsaOSS/cobrix, Apache-2.0): fetched by the test,
//! never stored.

use std::path::PathBuf;

use copybook::{ConvertOptions, NameStyle, Redefines};
use record_file::{Framing, Segments, Target};
use serde_json::Value;

use super::{Work, exact, plan};

const REPOSITORY: &str = "AbsaOSS/cobrix";
const COMMIT: &str = "898330b8267dc2452e984572b421e1f0622743f2";

struct Files(PathBuf);

impl Files {
    fn fetch() -> Self {
        Self(public_files::of_github(REPOSITORY, COMMIT, &["data"]).join("data"))
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("text")
    }
}

/// By the value of SEGMENT-ID.
fn entities(copybook: &str, options: &ConvertOptions) -> Segments {
    let kinds = [("C", "COMPANY"), ("P", "PERSON"), ("B", "PO-BOX")].map(|(value, kind)| {
        let alternatives = vec![kind.to_owned()];
        (value.to_owned(), plan(copybook, None, &ConvertOptions { alternatives, ..options.clone() }))
    });
    Segments::by_field("SEGMENT-ID", kinds.into(), None).expect("segments")
}

/// Control characters at the end of a text, which Cobrix takes for blanks, are none, and numbers are alike however they are spelled.
fn normalize(value: &mut Value) {
    match value {
        Value::String(text) => text.truncate(text.trim_end_matches(|one| one <= ' ').len()),
        Value::Object(members) => members.values_mut().for_each(normalize),
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Number(number) => *value = number.as_f64().into(),
        _ => {}
    }
}

/// The first records, against as many values that Cobrix has for them.
fn assert_agrees(segments: &Segments, framing: Framing, data: &[u8], expected: &str, records: usize) {
    let work = Work { segments, framing, is_lenient: false, is_exact: false };
    let (lines, _) = work.decode(Target::JsonLines, data).expect("decoded");
    let mut ours = serde_json::Deserializer::from_slice(&lines).into_iter::<Value>();
    let mut seen = 0;
    for expected in serde_json::Deserializer::from_str(expected).into_iter::<Value>() {
        let (mut record, mut expected) = (ours.next().expect("a record").expect("JSON"), expected.expect("JSON"));
        normalize(&mut record);
        normalize(&mut expected);
        assert_eq!(record, expected, "record {seen}");
        seen += 1;
    }
    assert_eq!(seen, records);
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn files_of_cobrix_come_back_and_have_the_values_that_it_reads() {
    let files = Files::fetch();
    for (copybook, data, length, records, ccsid) in [
        ("test3_copybook.cob", "test3_data/TRAN2.AUG31.DATA.dat", 45, 1000, 37),
        ("test7_fillers.cob", "test7_data/TEST.FILLERS.DEC07.DATA.dat", 60, 1000, 37),
        ("test10_copybook.cob", "test10_data/data.dat", 46, 1, 367),
        ("test19_display_num.cob", "test19_display_num/data.dat", 80, 7, 37),
    ] {
        println!("{data}");
        let segments = Segments::one(plan(&files.text(copybook), None, &ConvertOptions { ccsid, ..exact() }));
        let work = Work { segments: &segments, framing: Framing::Fixed(length), is_lenient: false, is_exact: true };
        work.assert_comes_back(&files.bytes(data), records);
    }
    let underscored = ConvertOptions { names: NameStyle::Underscore, ..ConvertOptions::of_ccsid(37) };

    let transactions = Segments::one(plan(&files.text("test3_copybook.cob"), None, &underscored));
    let data = files.bytes("test3_data/TRAN2.AUG31.DATA.dat");
    assert_agrees(&transactions, Framing::Fixed(45), &data, &files.text("test3_expected/test3.txt"), 60);

    // Records of a table with DEPENDING ON that are filled up to the longest one; Cobrix shows all alternatives.
    let filled = ConvertOptions { redefines: Redefines::All, ignore_excess: true, ..underscored.clone() };
    let accounts = Segments::one(plan(&files.text("test1_copybook.cob"), None, &filled));
    let data = files.bytes("test1_data/example.bin");
    assert_agrees(&accounts, Framing::Fixed(2202), &data, &files.text("test1_expected/test1.txt"), 10);

    let copybook = files.text("test16_fix_len_segments.cob");
    let data = files.bytes("test16_data/ENTITY.DB.AUG12.DATA.FIX.LEN.dat");
    let segments = entities(&copybook, &exact());
    let work = Work { segments: &segments, framing: Framing::Fixed(64), is_lenient: false, is_exact: true };
    work.assert_comes_back(&data, 50);
    assert_agrees(
        &entities(&copybook, &underscored),
        Framing::Fixed(64),
        &data,
        &files.text("test16_expected/test16.txt"),
        50,
    );
}
