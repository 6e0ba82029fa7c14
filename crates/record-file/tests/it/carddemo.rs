//! The files of CardDemo, AWS's public sample of a mainframe application (Apache-2.0): fetched by the test, never stored.

use copybook::ConvertOptions;
use record_file::{Framing, Segments};

use super::{Work, exact, plan};

const REPOSITORY: &str = "aws-samples/aws-mainframe-modernization-carddemo";
const COMMIT: &str = "59cc6c2fd7ebd7ef7925cad552a01a4b8b6e4d5e";
const TEXT_FORMS: [&str; 13] = [
    "ACCDATA.PS CVACT01Y 300 50",
    "ACCTDATA.PS CVACT01Y 300 50",
    "CARDDATA.PS CVACT02Y 150 50",
    "CARDXREF.PS CVACT03Y 50 50",
    "CUSTDATA.PS CVCUS01Y 500 50",
    "DALYTRAN.PS CVTRA06Y 350 300",
    "DALYTRAN.PS.INIT CVTRA06Y 350 1",
    "DISCGRP.PS CVTRA02Y 50 51",
    "EXPORT.DATA.PS CVEXPORT 500 500",
    "TCATBALF.PS CVTRA01Y 50 50",
    "TRANCATG.PS CVTRA04Y 60 18",
    "TRANTYPE.PS CVTRA03Y 60 7",
    "USRSEC.PS CSUSR01Y 80 10",
];

fn segments(name: &str, copybook: &str) -> Segments {
    if name != "CVEXPORT" {
        return Segments::one(plan(copybook, None, &exact()));
    }
    let kinds = [("C", "CUSTOMER"), ("A", "ACCOUNT"), ("T", "TRANSACTION"), ("X", "CARD-XREF"), ("D", "CARD")];
    let chosen = kinds.map(|(value, kind)| {
        let alternatives = vec![format!("EXPORT-{kind}-DATA")];
        (value.to_owned(), plan(copybook, None, &ConvertOptions { alternatives, ..exact() }))
    });
    Segments::by_field("EXPORT-REC-TYPE", chosen.into(), None).expect("segments")
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn every_record_of_carddemo_comes_back_byte_by_byte_from_json_lines_csv_and_parquet() {
    let files = public_files::of_github(REPOSITORY, COMMIT, &["app/cpy", "app/data/EBCDIC"]);
    let mut all = 0;
    for line in TEXT_FORMS {
        let [file, name, length, records] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let read = |path: &str| std::fs::read(files.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let copybook = copybook::text_of_file(&read(&format!("app/cpy/{name}.cpy")), None);
        let data = read(&format!("app/data/EBCDIC/AWS.M2.CARDDEMO.{file}"));
        let (length, records): (usize, u64) = (length.parse().unwrap(), records.parse().unwrap());
        let segments = segments(name, &copybook);
        let work = Work { segments: &segments, framing: Framing::Fixed(length), is_lenient: false, is_exact: true };
        println!("{file}");
        work.assert_comes_back(&data, records);
        all += records;
    }
    assert_eq!(all, 1187);
}
