//! Generated copybooks with random values: a compiled COBOL program and this crate agree on every byte.
//!
//! Each copybook is written to a file that both read. The program moves the values into the items, one MOVE each, and
//! writes length and bytes of the record; the crate encodes the same values from JSON and decodes the program's bytes.
//! Fifty copybooks make one program. The seed is part of every failure; `QUAYMASTER_SEED` repeats a run.

mod generate;

use std::path::Path;
use std::process::{Command, Stdio};

use codepage::ByteOrder;
use copybook::{ConvertOptions, Converter, Copybook, FloatForm, LayoutOptions, ParseOptions};
use generate::Record;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;

const BATCH: usize = 50;

#[test]
fn a_compiled_program_and_this_crate_agree_on_every_byte() {
    agree(100);
}

#[test]
#[ignore = "compiles twenty programs; make test-full runs it"]
fn a_compiled_program_and_this_crate_agree_on_a_thousand_copybooks() {
    agree(1000);
}

fn agree(copybooks: usize) {
    let seed = std::env::var("QUAYMASTER_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random);
    println!("QUAYMASTER_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut problems = Vec::new();
    for _ in 0..copybooks / BATCH {
        let records: Vec<Record> = (0..BATCH).map(|number| generate::record(number, &mut random)).collect();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let images = run(folder.path(), &records);
        assert_eq!(images.len(), BATCH, "QUAYMASTER_SEED={seed}");
        let compared = records.iter().zip(&images);
        problems.extend(compared.filter_map(|(record, image)| compare(record, image).err()));
    }
    let shown = problems.iter().take(4).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(problems.is_empty(), "QUAYMASTER_SEED={seed}: {} of {copybooks} differ\n\n{shown}", problems.len());
}

/// As GnuCOBOL on a little-endian machine stores items under `-std=ibm`.
fn options(record: &Record) -> ConvertOptions {
    ConvertOptions {
        byte_order: if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big },
        binary_order: Some(ByteOrder::Big),
        float: FloatForm::Ieee,
        alternatives: record.alternatives.clone(),
        ..ConvertOptions::of_ccsid(819)
    }
}

fn compare(record: &Record, image: &[u8]) -> Result<(), String> {
    let told = |what: &str, detail: String| format!("{what}: {detail}\n{}\nJSON {}", record.copybook, record.json);
    let copybook =
        Copybook::parse(&record.copybook, &ParseOptions::default()).map_err(|e| told("parse", e.to_string()))?;
    let layout = LayoutOptions { pointer_bytes: 8, ..LayoutOptions::default() };
    let layout = copybook.layout(None, &layout).map_err(|e| told("layout", e.to_string()))?;
    let converter = Converter::new(&layout, &options(record)).map_err(|e| told("plan", e.to_string()))?;
    let mut encoded = Vec::new();
    converter.encode(record.json.as_bytes(), &mut encoded).map_err(|e| told("encode", e.to_string()))?;
    if encoded != image {
        let at = encoded.iter().zip(image).take_while(|(ours, theirs)| ours == theirs).count();
        let items: Vec<String> = layout.items.iter().map(|item| format!("{}@{}", item.path, item.offset)).collect();
        let detail = format!("at {at}\nours   {}\ncompiled {}\n{items:?}", shown(&encoded), shown(image));
        return Err(told("bytes", detail));
    }
    let mut json = Vec::new();
    converter.decode(image, &mut json).map_err(|e| told("decode", e.to_string()))?;
    let mut again = Vec::new();
    converter.encode(&json, &mut again).map_err(|e| told("encode again", e.to_string()))?;
    if again != image {
        return Err(told("there and back", shown(&again)));
    }
    let (decoded, given): (Value, Value) = (parse(&json), parse(record.json.as_bytes()));
    match missing(&given, &decoded, "") {
        Some(pointer) => Err(told("value", format!("{pointer} of {decoded}"))),
        None => Ok(()),
    }
}

fn parse(json: &[u8]) -> Value {
    serde_json::from_slice(json).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(json)))
}

/// The first value that was given and did not come back.
fn missing(given: &Value, decoded: &Value, pointer: &str) -> Option<String> {
    match (given, decoded) {
        (Value::Object(given), Value::Object(decoded)) => given.iter().find_map(|(name, value)| {
            missing(value, decoded.get(name).unwrap_or(&Value::Null), &format!("{pointer}/{name}"))
        }),
        (Value::Array(given), Value::Array(decoded)) => given.iter().enumerate().find_map(|(index, value)| {
            missing(value, decoded.get(index).unwrap_or(&Value::Null), &format!("{pointer}/{index}"))
        }),
        // serde_json reads decimals into floats that may be one step off; the bytes have been compared exactly.
        (Value::Number(given), Value::Number(decoded)) => {
            let (given, decoded) = (given.as_f64().unwrap_or(0.0), decoded.as_f64().unwrap_or(0.0));
            ((given - decoded).abs() > given.abs() * 1e-14).then(|| pointer.to_owned())
        }
        (given, decoded) => (given != decoded).then(|| pointer.to_owned()),
    }
}

fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compiles and runs the program; the bytes of each record.
fn run(folder: &Path, records: &[Record]) -> Vec<Vec<u8>> {
    let write = |name: &str, text: &str| {
        std::io::Write::write_all(&mut std::fs::File::create(folder.join(name)).expect("made"), text.as_bytes())
            .expect("written");
    };
    for record in records {
        write(&format!("{}.cpy", record.name), &record.copybook);
    }
    write("PROG.cob", &generate::program(records));
    let compiled = Command::new("cobc")
        .args(["-x", "-std=ibm", "-fodoslide", "-fcomplex-odo", "-fbinary-size=2-4-8", "-w", "-o", "PROG", "PROG.cob"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("cobc runs: scripts/install.sh test installs GnuCOBOL");
    assert!(compiled.status.success(), "cobc: {}", String::from_utf8_lossy(&compiled.stderr));
    let mut program = Command::new("timeout");
    program.arg("120").arg(folder.join("PROG")).stdin(Stdio::null());
    let output = program.output().expect("the program runs");
    assert!(output.status.success(), "the program: {}", String::from_utf8_lossy(&output.stderr));
    let mut rest = output.stdout.as_slice();
    let mut images = Vec::new();
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        let (image, tail) = tail.split_at(u32::from_ne_bytes(*length) as usize);
        images.push(image.to_vec());
        rest = tail;
    }
    images
}

/// A number in a range, both ends included.
fn between(random: &mut StdRng, least: u32, most: u32) -> u32 {
    random.gen_range(least..=most)
}
