//! Files that programs of GnuCOBOL write are read, and read by such a program when they were written here.

use std::path::Path;
use std::process::Command;

use copybook::{Compiler, Converter, Copybook, ParseOptions};
use record_file::{Framing, LineForm, Segments, Target};

use super::Work;

const RECORD: &str = "       01  R.
           05 COUNT-OF      PIC 9.
           05 AMOUNT        PIC S9(4) COMP.
           05 PARTS OCCURS 1 TO 3 DEPENDING ON COUNT-OF PIC X(2).
";

/// Compiles a program with a file, and runs it in the folder.
#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn run(folder: &Path, organization: &str, record: &str, working: &str, procedure: &str) -> String {
    let program = format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. FILES.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT A-FILE ASSIGN TO \"file\"
               {organization}.
       DATA DIVISION.
       FILE SECTION.
       FD  A-FILE {record}       WORKING-STORAGE SECTION.
{working}       PROCEDURE DIVISION.
{procedure}           STOP RUN.
"
    );
    std::fs::write(folder.join("files.cbl"), program).expect("written");
    let mut cobc = Command::new("cobc");
    let compiled = cobc.args(["-x", "-o", "files", "files.cbl"]).current_dir(folder).output();
    let compiled = compiled.expect("GnuCOBOL is installed");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let done = Command::new(folder.join("files")).current_dir(folder).output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn segments(text: &str) -> Segments {
    let compiler = Compiler::GnuCobol;
    let copybook = Copybook::parse(text, &ParseOptions::default()).expect("a copybook");
    let layout = copybook.layout(None, &compiler.layout()).expect("a layout");
    Segments::one(Converter::new(&layout, &compiler.convert()).expect("a plan"))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn records_of_variable_length() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let varying = format!("RECORD IS VARYING IN SIZE FROM 5 TO 9\n           DEPENDING ON RECORD-SIZE.\n{RECORD}");
    let working = "       01  RECORD-SIZE PIC 9(4) COMP-5.\n       01  AT-END PIC X VALUE \"N\".\n";
    let write = "           OPEN OUTPUT A-FILE.
           MOVE 1 TO COUNT-OF. MOVE -2 TO AMOUNT. MOVE \"ab\" TO PARTS(1).
           MOVE 5 TO RECORD-SIZE. WRITE R.
           MOVE 3 TO COUNT-OF. MOVE 77 TO AMOUNT. MOVE \"cd\" TO PARTS(2).
           MOVE \"ef\" TO PARTS(3). MOVE 9 TO RECORD-SIZE. WRITE R.
           CLOSE A-FILE.
";
    run(folder.path(), "ORGANIZATION IS SEQUENTIAL", &varying, working, write);
    let segments = segments(RECORD);
    let work = Work { segments: &segments, framing: Framing::Variable, is_lenient: false, is_exact: false };
    let file = std::fs::read(folder.path().join("file")).expect("a file");
    let (lines, _) = work.decode(Target::JsonLines, &file).expect("decoded");
    let expected = "{\"COUNT-OF\":1,\"AMOUNT\":-2,\"PARTS\":[\"ab\"]}\n{\"COUNT-OF\":3,\"AMOUNT\":77,\"PARTS\":[\"ab\",\"cd\",\"ef\"]}\n";
    assert_eq!(String::from_utf8_lossy(&lines), expected);
    assert_eq!(work.encode(Target::JsonLines, &lines).expect("encoded").0, file);
    let (table, _) = work.decode(Target::Csv, &file).expect("decoded");
    let (back, _) = work.encode(Target::Csv, &table).expect("encoded");
    std::fs::write(folder.path().join("file"), back).expect("written");
    let read = "           OPEN INPUT A-FILE.
           READ A-FILE AT END MOVE \"Y\" TO AT-END END-READ.
           PERFORM UNTIL AT-END = \"Y\"
               DISPLAY COUNT-OF \" \" AMOUNT \" \" RECORD-SIZE \" \"
                   PARTS(COUNT-OF)
               READ A-FILE AT END MOVE \"Y\" TO AT-END END-READ
           END-PERFORM.
           CLOSE A-FILE.
";
    let read = run(folder.path(), "ORGANIZATION IS SEQUENTIAL", &varying, working, read);
    let seen: Vec<Vec<&str>> = read.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(seen, [["1", "-0002", "00005", "ab"], ["3", "+0077", "00009", "ef"]], "{read}");
}

#[test]
fn line_sequential_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let record =
        "       01  R.\n           05 NAME PIC X(5).\n           05 N PIC 9(3).\n           05 REST PIC X(4).\n";
    let write = "           OPEN OUTPUT A-FILE.
           MOVE \"ada\" TO NAME. MOVE 7 TO N. MOVE SPACES TO REST. WRITE R.
           MOVE \"bob\" TO NAME. MOVE 8 TO N. MOVE \"end\" TO REST. WRITE R.
           CLOSE A-FILE.
";
    run(folder.path(), "ORGANIZATION IS LINE SEQUENTIAL", &format!(".\n{record}"), "", write);
    let segments = segments(record);
    let framing = Framing::Line(LineForm::of_ccsid(819, 12));
    let work = Work { segments: &segments, framing, is_lenient: false, is_exact: false };
    let file = std::fs::read(folder.path().join("file")).expect("a file");
    let (lines, _) = work.decode(Target::JsonLines, &file).expect("decoded");
    let expected = "{\"NAME\":\"ada\",\"N\":7,\"REST\":\"\"}\n{\"NAME\":\"bob\",\"N\":8,\"REST\":\"end\"}\n";
    assert_eq!(String::from_utf8_lossy(&lines), expected);
    assert_eq!(work.encode(Target::JsonLines, &lines).expect("encoded").0, file);
}
