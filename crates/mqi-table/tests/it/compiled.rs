//! What is generated, as compilers see it.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::layout;

const HEADERS: [&str; 8] = ["cmqc.h", "cmqxc.h", "cmqcfc.h", "cmqbc.h", "cmqpsc.h", "cmqec.h", "cmqzc.h", "cmqstrc.h"];

/// What is handed out, in a folder of its own.
fn written() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in mqi_table::handed_out() {
        write(&folder.path().join(&file.path), &file.text);
    }
    let headers = folder.path().join(mqi_table::HEADERS);
    (folder, headers)
}

#[expect(clippy::disallowed_methods, reason = "makes a temporary folder to compile")]
fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, text).expect("written");
}

fn compiles(program: &str, arguments: &[&str], headers: &Path, source: &Path) {
    let mut command = Command::new(program);
    command.args(arguments).arg("-fsyntax-only").arg("-I").arg(headers).arg(source);
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn c_and_cpp_compilers_see_every_offset_and_length_of_the_table() {
    let (folder, headers) = written();
    let source = folder.path().join("layout.c");
    write(&source, &layout::program(&mqi_table::Table::new(), &HEADERS));
    for width in ["-m64", "-m32"] {
        let wide = !(width == "-m64" && cfg!(target_pointer_width = "32"));
        if !wide || cfg!(not(target_arch = "x86_64")) && width == "-m32" {
            continue;
        }
        compiles("gcc", &["-std=c11", "-Wall", "-Werror", "-pedantic", width], &headers, &source);
        compiles("g++", &["-std=c++11", "-Wall", "-Werror", "-x", "c++", width], &headers, &source);
    }
}

#[test]
fn each_header_is_whole_by_itself_in_c89_and_cpp() {
    let (folder, headers) = written();
    for name in HEADERS {
        let source = folder.path().join("alone.c");
        write(&source, &format!("#include \"{name}\"\n#include \"{name}\"\nint main(void) {{ return 0; }}\n"));
        compiles("gcc", &["-std=c89", "-Wall", "-Werror"], &headers, &source);
        compiles("g++", &["-std=c++98", "-Wall", "-Werror", "-x", "c++"], &headers, &source);
    }
}

#[test]
fn a_cobol_compiler_sees_the_lengths_that_c_has() {
    let (folder, _) = written();
    let table = mqi_table::Table::new();
    let mut program = String::from(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. LAYOUT.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 CONSTANTS.\n           COPY CMQV.\n           COPY CMQCFV.\n           COPY CMQXV.\n           COPY CMQPSV.\n",
    );
    let books = [
        ("MQMD", "CMQMDV"),
        ("MQOD", "CMQODV"),
        ("MQGMO", "CMQGMOV"),
        ("MQPMO", "CMQPMOV"),
        ("MQCNO", "CMQCNOV"),
        ("MQSD", "CMQSDV"),
        ("MQCD", "CMQCDV"),
        ("MQCBD", "CMQCBDV"),
        ("MQTMC2", "CMQTMC2V"),
        ("MQCHARV", "CMQCHRVV"),
    ];
    let mut tests = String::from("       PROCEDURE DIVISION.\n");
    let mut expected = String::new();
    for (index, (structure, book)) in books.iter().enumerate() {
        program.push_str(&format!("       01 S{index}.\n           COPY {book}.\n"));
        tests.push_str(&format!("           DISPLAY LENGTH OF S{index}.\n"));
        let length = table.structure(structure).expect("it is in the table").length(0);
        expected.push_str(&format!("{length}\n"));
    }
    tests.push_str("           DISPLAY MQGMO-WAIT OF CONSTANTS.\n           STOP RUN.\n");
    let source = folder.path().join("layout.cbl");
    write(&source, &(program + &tests));
    let copybooks = folder.path().join(mqi_table::COPYBOOKS_64);
    let binary = folder.path().join("layout");
    let output = Command::new("cobc").arg("-x").arg("-I").arg(&copybooks).arg("-o").arg(&binary).arg(&source).output();
    let output = output.expect("cobc is installed (Debian: gnucobol3)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown = Command::new(&binary).output().expect("it runs");
    let shown: String = String::from_utf8_lossy(&shown.stdout)
        .lines()
        .map(|line| format!("{}\n", line.trim().trim_start_matches(['+', '0'])))
        .collect();
    assert_eq!(shown, expected + "1\n");
}

#[test]
fn every_copybook_passes_the_cobol_compiler() {
    let (folder, _) = written();
    for width in [mqi_table::COPYBOOKS_64, mqi_table::COPYBOOKS_32] {
        let copybooks = folder.path().join(width);
        let mut program = String::from(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. EVERY.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n",
        );
        let mut names: Vec<String> = mqi_table::handed_out()
            .iter()
            .filter(|file| file.path.starts_with(width))
            .filter_map(|file| Some(file.path.file_stem()?.to_str()?.to_owned()))
            .collect();
        names.sort();
        assert!(names.len() > 100, "{names:?}");
        for (index, name) in names.iter().enumerate() {
            program.push_str(&format!("       01 S{index}.\n           COPY {name}.\n"));
        }
        program.push_str("       PROCEDURE DIVISION.\n           STOP RUN.\n");
        let source = folder.path().join("every.cbl");
        write(&source, &program);
        let output = Command::new("cobc").args(["-fsyntax-only", "-I"]).arg(&copybooks).arg(&source).output();
        let output = output.expect("cobc is installed (Debian: gnucobol3)");
        assert!(output.status.success(), "{width}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Exporters label what they show with it.
#[test]
fn the_platform_of_this_queue_manager_is_called_unix() {
    let files = mqi_table::handed_out();
    let names = files.iter().find(|file| file.path.ends_with("cmqstrc.h")).expect("it is handed out");
    let (_, platforms) = names.text.split_once("MQPL_STR(MQLONG v)\n{").expect("a function of platforms");
    let (platforms, _) = platforms.split_once("default:").expect("it ends");
    assert!(platforms.contains("case 3: c = \"MQPL_UNIX\""), "{platforms}");
    assert!(!platforms.contains("MQPL_AIX"), "{platforms}");
}
