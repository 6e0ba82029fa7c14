use std::path::Path;

use serde_json::Value;

use super::*;
use crate::experiment::Findings;

const fn experiment(name: &'static str, run: fn(&mut Session, &mut Findings) -> Result<(), TablesError>) -> Experiment {
    Experiment { letter: 'x', name, title: "", about: &[], tables: &[], charts: &[], quick_seconds: 0, run }
}

const FIRST: Experiment = experiment("first", |_, found| {
    found.notes.push("found by the first".to_owned());
    Ok(())
});
/// Finds what a run that is ended in it leaves behind.
const SECOND: Experiment = experiment("second", |session, found| {
    let work = session.setting().folder().parent().unwrap();
    found.notes = ["tables.json", "tables.html"].map(|name| read(&work.join("out").join(name))).to_vec();
    Ok(())
});

fn arguments(work: &Path, out: PathBuf, format: Format) -> RunArguments {
    RunArguments {
        names: vec!["all".to_owned()],
        quick: true,
        format,
        out: Some(out),
        work: Some(work.to_owned()),
        repetitions: None,
        browser: None,
        program: None,
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn what_was_found_is_there_when_the_run_is_ended_in_a_later_experiment() {
    let work = tempfile::tempdir().unwrap();
    let arguments = arguments(work.path(), work.path().join("out"), Format::Html);
    let outcome = measure(&arguments, &[&FIRST, &SECOND], "1.0", &mut Vec::new()).unwrap();
    let [json, page] = outcome.experiments[1].notes.as_slice() else { panic!("{outcome:?}") };
    let json: Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["experiments"][0]["notes"][0], "found by the first");
    assert_eq!((&json["experiments"][1], &json["outstanding"][0]), (&Value::Null, &Value::from("second")));
    assert!(page.contains("found by the first") && page.contains("Not run yet: second."), "{page}");
    let json: Value = serde_json::from_str(&read(&work.path().join("out/tables.json"))).unwrap();
    assert_eq!((&json["experiments"][1]["name"], &json["outstanding"]), (&"second".into(), &serde_json::json!([])));
    let mut left: Vec<_> =
        std::fs::read_dir(work.path().join("out")).unwrap().map(|it| it.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["tables.html", "tables.json"]);
}

#[test]
fn text_is_shown_piece_by_piece_and_is_the_one_of_the_file() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("out");
    let mut shown = Vec::new();
    measure(&arguments(work.path(), out.clone(), Format::Text), &[&FIRST, &SECOND], "1.0", &mut shown).unwrap();
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("found by the first"), "{shown}");
    assert_eq!(shown, read(&out.join("tables.txt")));
}

#[test]
fn a_folder_that_cannot_be_written_is_found_before_anything_is_measured() {
    let work = tempfile::tempdir().unwrap();
    let file = work.path().join("file");
    std::fs::File::create(&file).unwrap();
    let unreached = experiment("unreached", |_, _| panic!("it was run"));
    for format in [Format::Text, Format::Json, Format::Html] {
        let arguments = arguments(work.path(), file.join("out"), format);
        let mut shown = Vec::new();
        let failure = measure(&arguments, &[&unreached], "1.0", &mut shown).unwrap_err();
        assert!(matches!(&failure, TablesError::File { what: "make", .. }), "{failure}");
        assert!(shown.is_empty());
    }
}
