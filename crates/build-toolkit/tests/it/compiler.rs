//! Generated members before a COBOL compiler: LENGTH OF is the length of the layout, literals keep their values, and the
//! copybook reader of this repository finds every item where the layout has it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use build_toolkit::archive::Operation;
use build_toolkit::structure::{Ending, Item, Structure, Value};
use copybook::{Copybook, LayoutOptions, ParseOptions};

use crate::building::{Made, built, code};
use crate::random::Random;

/// A member with its structure.
struct Member {
    name: String,
    text: String,
    structure: Structure,
}

fn members(made: &Made, prefix: &str) -> Vec<Member> {
    let summary = made.summary.as_ref().expect("a summary");
    let archive = made.archive.as_ref().expect("an archive");
    let of = |operation: &Operation, letter: &str| match letter {
        "Q" => operation.binding.request.clone(),
        _ => operation.binding.response.as_ref().map(|response| response.structure.clone()),
    };
    let mut members = Vec::new();
    for processed in &summary.processed {
        let operation = archive.operations.iter().find(|one| one.id == processed.operation_id).expect("the operation");
        for (member, letter) in [(&processed.request, "Q"), (&processed.response, "P")] {
            let Some((name, _)) = member else { continue };
            let structure = of(operation, letter).expect("the structure");
            members.push(Member {
                name: format!("{prefix}{}", &name[3..]),
                text: made.members[name].clone(),
                structure,
            });
        }
    }
    members
}

/// Compiles and runs a program that copies the members and shows the length of each.
fn lengths(folder: &Path, members: &[Member]) -> Vec<u32> {
    let mut program = String::from(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. LENGTHS.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n",
    );
    for (index, member) in members.iter().enumerate() {
        std::fs::File::create(folder.join(format!("{}.cpy", member.name)))
            .and_then(|mut file| std::io::Write::write_all(&mut file, member.text.as_bytes()))
            .expect("written");
        let _ = writeln!(program, "       01 RECORD-{index}.\n           COPY {}.", member.name);
    }
    program.push_str("       PROCEDURE DIVISION.\n");
    for index in 0..members.len() {
        let _ = writeln!(program, "           DISPLAY LENGTH OF RECORD-{index}.");
    }
    program.push_str("           STOP RUN.\n");
    let shown = run(folder, &program);
    shown.lines().map(|line| line.trim().parse().expect("a length")).collect()
}

pub(crate) fn run(folder: &Path, program: &str) -> String {
    std::fs::File::create(folder.join("PROG.cob"))
        .and_then(|mut file| std::io::Write::write_all(&mut file, program.as_bytes()))
        .expect("written");
    let compiled = Command::new("cobc")
        .args(["-x", "-std=ibm-strict", "-w", "-o", "PROG", "PROG.cob"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("cobc runs: scripts/install.sh test installs GnuCOBOL");
    assert!(compiled.status.success(), "cobc: {}\n{}", String::from_utf8_lossy(&compiled.stderr), folder.display());
    let output = Command::new(folder.join("PROG")).stdin(Stdio::null()).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Places of all data items in record order: name, offset, length of one occurrence.
fn places(structure: &Structure) -> Vec<(String, u32, u32)> {
    let mut places = Vec::new();
    structure.groups.iter().for_each(|item| place(item, &mut places));
    places
}

fn place(item: &Item, places: &mut Vec<(String, u32, u32)>) {
    if let Some(counter) = &item.counter {
        places.push((counter.name.clone(), counter.offset, 4));
    }
    let stride = item.occurs.map_or(item.length, |occurs| if occurs.times > 1 { occurs.stride } else { item.length });
    if let Some(wrapper) = &item.wrapper {
        places.push((wrapper.clone(), item.offset, stride));
    }
    match &item.value {
        Value::Group { items } => {
            places.push((item.name.clone(), item.offset, stride));
            items.iter().for_each(|item| place(item, places));
        }
        Value::Array { item: inner } => {
            places.push((item.name.clone(), item.offset, stride));
            place(inner, places);
        }
        Value::Text { offset, bytes, ending, .. } => {
            if let Ending::Length { name, offset, width } = ending {
                places.push((name.clone(), *offset, u32::from(*width)));
            }
            places.push((item.name.clone(), *offset, *bytes));
        }
        _ => places.push((item.name.clone(), item.offset, item.length)),
    }
}

/// Places as the copybook reader finds them.
fn read_places(member: &Member) -> Vec<(String, u32, u32)> {
    let text = format!("       01 {}.\n{}", member.name, member.text);
    let copybook = Copybook::parse(&text, &ParseOptions::default()).expect("a copybook");
    let layout = copybook.layout(None, &LayoutOptions::default()).expect("a layout");
    let number = |length: usize| u32::try_from(length).expect("small");
    let items = layout.items.iter().skip(1).filter(|item| item.name.is_some());
    items.map(|item| (item.spoken_name().to_owned(), number(item.offset), number(item.length))).collect()
}

fn check(members: &[Member]) {
    for member in members {
        assert_eq!(read_places(member), places(&member.structure), "{}\n{}", member.name, member.text);
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (member, length) in members.iter().zip(lengths(folder.path(), members)) {
        assert_eq!(length, member.structure.length, "{}\n{}", member.name, code(&member.text));
    }
}

#[test]
fn the_compiler_counts_the_vectors_as_the_layout_does() {
    let mut all = Vec::new();
    for (vector, prefix) in [("seed-figures", "PER"), ("books", "BKS"), ("names", "ODD")] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/vectors").join(vector);
        let swagger = std::fs::read_to_string(folder.join("swagger.json")).expect("read");
        all.extend(members(&built("mappingLevel=4.3", "swagger.json", &swagger), prefix));
    }
    assert_eq!(all.len(), 9);
    check(&all);
}

#[test]
fn the_compiler_counts_generated_descriptions_as_the_layout_does() {
    let options = [
        "mappingLevel=4.3",
        "mappingLevel=4.3\ncharacterVarying=NO\nwideComp3=YES\nnameTruncation=LEFT",
        "mappingLevel=4.3\ncharacterVarying=NULL\ncharacterMultiplier=3\ndateTimeFormat=PACKED15\napiKeyParmNameInQuery=key",
    ];
    let mut all = Vec::new();
    for (index, options) in options.iter().enumerate() {
        for seed in 0..12u64 {
            let description = Random::new(seed * 3 + index as u64).description();
            let prefix = format!("{}{seed:02}", ["A", "B", "C"][index]);
            all.extend(members(&built(options, "a.json", &description), &prefix));
        }
    }
    assert!(all.len() > 60, "{}", all.len());
    check(&all);
}

#[test]
fn literals_of_api_information_keep_their_values_in_the_compiled_program() {
    let titles = [
        "Plain".to_owned(),
        "It's \"quoted\" here".to_owned(),
        "It's ".repeat(30),
        format!("{}'x", "y".repeat(50)),
        "z".repeat(240),
    ];
    for title in titles {
        let description = serde_json::json!({
            "swagger": "2.0", "info": { "title": title, "version": "1" },
            "paths": { format!("/{}", "p".repeat(120)): { "get": { "responses": {
                "200": { "description": "", "schema": { "type": "string" } } } } } },
        });
        let made = built("requesterPrefix=LIT", "a.json", &description.to_string());
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::File::create(folder.path().join("LIT00I01.cpy"))
            .and_then(|mut file| std::io::Write::write_all(&mut file, made.members["LIT00I01"].as_bytes()))
            .expect("written");
        let program = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. LIT.\n       DATA DIVISION.\n       \
                       WORKING-STORAGE SECTION.\n       01 INFO.\n           COPY LIT00I01.\n       PROCEDURE DIVISION.\n           \
                       DISPLAY LENGTH OF INFO.\n           DISPLAY BAQ-APINAME(1:BAQ-APINAME-LEN).\n           \
                       DISPLAY BAQ-APIPATH(1:BAQ-APIPATH-LEN).\n           DISPLAY BAQ-APIMETHOD(1:BAQ-APIMETHOD-LEN).\n           \
                       STOP RUN.\n";
        let shown = run(folder.path(), program);
        let lines: Vec<&str> = shown.lines().collect();
        let expected = [format!("{}_1", title.replace(' ', "-")), format!("/{}", "p".repeat(120)), "GET".to_owned()];
        assert_eq!(lines[0].trim_start_matches('0'), "780");
        assert_eq!(lines[1..], expected, "{}", made.members["LIT00I01"]);
    }
}
