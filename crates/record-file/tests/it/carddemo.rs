//! The files of CardDemo, AWS's public sample of a mainframe application (Apache-2.0): fetched by the test, never stored.

use copybook::ConvertOptions;
use public_files::carddemo;
use record_file::{Framing, Segments};

use super::{Work, exact, plan};

fn segments(name: &str, copybook: &str) -> Segments {
    if name != "CVEXPORT" {
        return Segments::one(plan(copybook, None, &exact()));
    }
    let chosen = carddemo::EXPORT_KINDS.map(|(value, alternative)| {
        let alternatives = vec![alternative.to_owned()];
        (value.to_owned(), plan(copybook, None, &ConvertOptions { alternatives, ..exact() }))
    });
    Segments::by_field(carddemo::EXPORT_FIELD, chosen.into(), None).expect("segments")
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn every_record_of_carddemo_comes_back_byte_by_byte_from_json_lines_csv_and_parquet() {
    let files = public_files::of_github(carddemo::REPOSITORY, carddemo::COMMIT, &carddemo::FOLDERS);
    let mut all = 0;
    for file in carddemo::FILES {
        let read = |path: &str| std::fs::read(files.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let copybook = copybook::text_of_file(&read(&file.description()), None);
        let segments = segments(file.copybook, &copybook);
        let framing = Framing::Fixed(file.length);
        println!("{}", file.name);
        Work { segments: &segments, framing, is_lenient: false, is_exact: true }
            .assert_comes_back(&read(&file.data()), file.records);
        all += file.records;
    }
    assert_eq!(all, 1187);
}
