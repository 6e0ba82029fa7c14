//! Request and response records byte for byte: in the form of a program on this machine, and in that of one on z/OS. They go through the
//! communication stub, and over HTTP as the stub sends them.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program::stub_folder;
use system_tests::requester::{API_NAME, API_PATH, Chain};

/// Entries of 1, 4 and 8 KiB, and of 64 KiB and 1 MiB, as one of `count-out` stands for 512 bytes.
const SIZES: [i32; 5] = [2, 8, 16, 128, 2048];
/// Of the largest.
const MOST_ENTRIES: u32 = 32_768;
/// Of a response record, before its entries.
const BEFORE_ENTRIES: u32 = 36;

/// How a record is written.
#[derive(Clone, Copy)]
struct Form {
    /// `Baq-Record-Form`.
    header: Option<&'static str>,
    /// `BAQFORM`.
    setting: &'static str,
    blank: u8,
    number: fn(i32) -> [u8; 4],
    text: fn(&str) -> Vec<u8>,
}

/// What a program under GnuCOBOL sends on a processor of this kind.
const NATIVE: Form = Form {
    header: Some("little,ieee,1208"),
    setting: "",
    blank: b' ',
    number: i32::to_le_bytes,
    text: |text| text.as_bytes().to_vec(),
};
/// What a program on z/OS sends; the code page is the archive's.
const BIG_ENDIAN_EBCDIC: Form =
    Form { header: None, setting: "archive", blank: 0x40, number: i32::to_be_bytes, text: ebcdic };
/// The same, and it says so.
const NAMED_BIG_ENDIAN_EBCDIC: Form =
    Form { header: Some("big,hexadecimal,37"), setting: "big,hexadecimal,37", ..BIG_ENDIAN_EBCDIC };

/// Capitals, digits and the hyphen in code page 037.
fn ebcdic(text: &str) -> Vec<u8> {
    let of = |letter: u8| match letter {
        b'A'..=b'I' => 0xC1 + (letter - b'A'),
        b'J'..=b'R' => 0xD1 + (letter - b'J'),
        b'S'..=b'Z' => 0xE2 + (letter - b'S'),
        b'0'..=b'9' => 0xF0 + (letter - b'0'),
        _ => 0x60,
    };
    text.bytes().map(of).collect()
}

fn request(form: Form, count_in: i32, count_out: i32) -> Vec<u8> {
    [(form.number)(count_in), (form.number)(count_out)].concat()
}

/// The response record up to its last entry; the number of the task is the answer's own.
fn response(form: Form, count_in: i32, count_out: i32, task: [u8; 4]) -> Vec<u8> {
    let entries = count_out * 16;
    let mut record = [(form.number)(count_in * 16), (form.number)(count_out * 512), task].concat();
    record.extend((form.text)("BAQRPERFORMANCE-TEST"));
    record.extend((form.number)(entries));
    for number in 0..entries {
        record.extend((form.text)(&format!("{:04}-ABCDEFGHIJKLMNOPQRSTUVWXYZ-", number % 10_000)));
    }
    record
}

/// Calls for every size; what is behind the last entry is blank.
fn check(form: Form, unused: u8, call: impl Fn(&[u8]) -> Result<Vec<u8>>) -> Result<()> {
    for (count_in, count_out) in (7..).zip(SIZES) {
        let answer = call(&request(form, count_in, count_out))?;
        let task = answer.get(8..12).context("a response")?.try_into()?;
        let expected = response(form, count_in, count_out, task);
        ensure!(answer.len() >= expected.len(), "{} bytes for {}", answer.len(), expected.len());
        let (filled, rest) = answer.split_at(expected.len());
        ensure!(filled == expected, "count-out {count_out}: {}", difference(filled, &expected));
        ensure!(rest.iter().all(|byte| *byte == unused), "count-out {count_out}: what is unused is {unused:02x}");
    }
    Ok(())
}

fn difference(got: &[u8], expected: &[u8]) -> String {
    let at = got.iter().zip(expected).position(|(a, b)| a != b).unwrap_or_default();
    let around = |bytes: &[u8]| format!("{:02x?}", &bytes[at..bytes.len().min(at + 16)]);
    format!("at {at} {} and not {}", around(got), around(expected))
}

fn over_http(form: Form) -> Result<()> {
    let chain = Chain::start(&std::env::temp_dir(), MOST_ENTRIES)?;
    check(form, form.blank, |record| {
        let answer = chain.post(form.header, record)?;
        let said = String::from_utf8_lossy(&answer.body[..answer.body.len().min(400)]).into_owned();
        ensure!(answer.status == 200, "{}: {said}", answer.status);
        ensure!(answer.header("baq-return-code") == Some("0"), "{said}");
        ensure!(answer.header("baq-status-code") == Some("200"), "the status of the API");
        Ok(answer.body)
    })
}

fn through_the_stub(form: Form) -> Result<()> {
    let chain = Chain::start(&std::env::temp_dir(), MOST_ENTRIES)?;
    let caller = caller(&chain)?;
    let length = BEFORE_ENTRIES + MOST_ENTRIES * 32;
    // The area of the program stays as it was behind the last entry.
    check(form, 0, |record| {
        let mut child = Command::new("env")
            .args(chain.environment()?)
            .arg(format!("LD_LIBRARY_PATH={}", stub_folder()?.display()))
            .arg(format!("BAQFORM={}", form.setting))
            .arg(&caller)
            .args([API_NAME, API_PATH, &length.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        child.stdin.take().context("a pipe")?.write_all(record)?;
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        Ok(output.stdout)
    })
}

/// A C program with the stub.
fn caller(chain: &Chain) -> Result<PathBuf> {
    let (program, stub) = (chain.folder.path().join("caller"), stub_folder()?);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/requester/caller.c");
    let mut compile = Command::new("cc");
    compile.arg("-I").arg(&stub).arg("-o").arg(&program).arg(source).arg("-L").arg(&stub).arg("-lbaqcstub");
    let compiled = compile.output()?;
    ensure!(compiled.status.success(), "cc: {}", String::from_utf8_lossy(&compiled.stderr));
    Ok(program)
}

#[test]
fn records_of_every_size_go_both_ways_in_native_form() -> Result<()> {
    over_http(NATIVE)
}

#[test]
fn records_of_every_size_go_both_ways_in_big_endian_ebcdic() -> Result<()> {
    over_http(BIG_ENDIAN_EBCDIC)
}

#[test]
fn the_stub_carries_records_in_native_form() -> Result<()> {
    through_the_stub(NATIVE)
}

#[test]
fn the_stub_carries_big_endian_ebcdic_that_the_archive_knows() -> Result<()> {
    through_the_stub(BIG_ENDIAN_EBCDIC)
}

#[test]
fn the_stub_carries_big_endian_ebcdic_that_the_program_names() -> Result<()> {
    through_the_stub(NAMED_BIG_ENDIAN_EBCDIC)
}
