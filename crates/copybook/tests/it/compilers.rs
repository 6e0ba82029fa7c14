//! Compilers by name: programs compiled by `cobc` write the bytes that the name promises.

use std::path::Path;
use std::process::Command;

use copybook::{Compiler, Converter, Copybook, ParseOptions};

const ITEMS: &str = "       01  R.
           05 BYTE-COMP     PIC 9(2) COMP.
           05 HALF          PIC S9(4) COMP.
           05 BYTE-NATIVE   PIC 9(2) COMP-5.
           05 LINED-UP      PIC S9(9) COMP-5 SYNC.
           05 SHORT-FLOAT   COMP-1.
           05 LONG-FLOAT    COMP-2.
           05 ZONED         PIC S9(3).
           05 PACKED        PIC S9(5) COMP-3.
           05 SOME-TEXT     PIC X(3).
           05 BINARY-HALF   PIC S9(4) BINARY.
           05 ADDRESS-ITEM  USAGE POINTER.
           05 LAST-ONE      PIC 9(4) COMP SYNC.
           05 HUGE-NUMBER   PIC S9(18) COMP.
";
const VALUES: &str = r#"{"BYTE-COMP":12,"HALF":-1234,"BYTE-NATIVE":34,"LINED-UP":123456,"SHORT-FLOAT":1.5,"LONG-FLOAT":-2.25,
    "ZONED":-123,"PACKED":-45678,"SOME-TEXT":"a\u00e9b","BINARY-HALF":1000,"ADDRESS-ITEM":0,"LAST-ONE":77,"HUGE-NUMBER":-5}"#;

/// The record that a compiled program writes.
#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn written(folder: &Path, dialect: &[&str]) -> Vec<u8> {
    let program = format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. WRITES.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT OUT-FILE ASSIGN TO \"record\"
               ORGANIZATION IS SEQUENTIAL.
       DATA DIVISION.
       FILE SECTION.
       FD  OUT-FILE.
{ITEMS}       PROCEDURE DIVISION.
           OPEN OUTPUT OUT-FILE.
           MOVE LOW-VALUES TO R.
           MOVE 12 TO BYTE-COMP. MOVE -1234 TO HALF.
           MOVE 34 TO BYTE-NATIVE. MOVE 123456 TO LINED-UP.
           MOVE 1.5 TO SHORT-FLOAT. MOVE -2.25 TO LONG-FLOAT.
           MOVE -123 TO ZONED. MOVE -45678 TO PACKED.
           MOVE X\"61E962\" TO SOME-TEXT. MOVE 1000 TO BINARY-HALF.
           SET ADDRESS-ITEM TO NULL. MOVE 77 TO LAST-ONE.
           MOVE -5 TO HUGE-NUMBER.
           WRITE R.
           CLOSE OUT-FILE.
           STOP RUN.
"
    );
    std::fs::write(folder.join("writes.cbl"), program).expect("written");
    let mut cobc = Command::new("cobc");
    cobc.args(["-x", "-o", "writes"]).args(dialect).arg("writes.cbl").current_dir(folder);
    let compiled = cobc.output().expect("GnuCOBOL is installed");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    assert!(Command::new(folder.join("writes")).current_dir(folder).status().expect("it runs").success());
    std::fs::read(folder.join("record")).expect("a record")
}

#[test]
fn a_program_of_cobc_writes_what_its_name_promises() {
    for (name, dialect) in [("gnucobol", &[][..]), ("gnucobol-ibm", &["-std=ibm"])] {
        let compiler = Compiler::parse(name).expect("a name");
        let copybook = Copybook::parse(ITEMS, &ParseOptions::default()).expect("a copybook");
        let layout = copybook.layout(None, &compiler.layout()).expect("a layout");
        let mut record = Vec::new();
        Converter::new(&layout, &compiler.convert())
            .expect("a plan")
            .encode(VALUES.as_bytes(), &mut record)
            .expect("encoded");
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(record, written(folder.path(), dialect), "{name}");
    }
}

#[test]
fn only_cobc_with_std_ibm_keeps_more_than_the_picture_says() {
    let text = "01 R. 05 A PIC 9(4) COMP.";
    let fits = |compiler: Compiler| {
        let copybook = Copybook::parse(text, &ParseOptions::default()).expect("a copybook");
        let layout = copybook.layout(None, &compiler.layout()).expect("a layout");
        Converter::new(&layout, &compiler.convert()).expect("a plan").encode(br#"{"A":12345}"#, &mut Vec::new()).is_ok()
    };
    let all = Compiler::NAMES.map(|name| fits(Compiler::parse(name).expect("a name")));
    assert_eq!(all, [false, false, true]);
}
