//! A whole file of records to JSON lines: what one core decodes of a file of 1 GiB, against the parser of Cobrix on the same file.
//!
//! Cobrix is a reader of mainframe files for Spark. Its parser comes from a Maven repository and runs by itself: Spark would only add
//! to it. Both are measured by processor time, ours of the whole process, that of Cobrix of its one thread after a warm-up.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use copybook::{ConvertOptions, Converter, Copybook, LayoutOptions, NameStyle, ParseOptions};
use record_file::{Decoding, Framing, Segments, Target, decode};
use workload::measure::processor_time;

use crate::distribution::{Libraries, run as run_command};
use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::report::{Bar, Report};

/// An account as shops have them: zoned, packed and binary numbers, and mostly text.
const COPYBOOK: &str = "       01  ACCOUNT-RECORD.
           05 ACCT-ID              PIC 9(11).
           05 ACCT-STATUS          PIC X(1).
           05 ACCT-BALANCE         PIC S9(10)V99.
           05 ACCT-LIMIT           PIC S9(10)V99 COMP-3.
           05 ACCT-OPENED          PIC X(10).
           05 ACCT-CYCLE           PIC S9(4) COMP.
           05 ACCT-TRANSACTIONS    PIC S9(9) COMP.
           05 ACCT-HOLDER.
              10 HOLDER-NAME       PIC X(25).
              10 HOLDER-STREET     PIC X(30).
              10 HOLDER-ZIP        PIC 9(5).
           05 ACCT-NOTE            PIC X(40).
           05 FILLER               PIC X(20).
";
const FULL: u64 = 1 << 30;
const QUICK: u64 = 32 << 20;
/// Part of the file after which Cobrix's program is warm.
const WARM_UP: u64 = 4;
const DECODE: &str = "quaymaster";
const COBRIX: &str = "Cobrix's parser";
const LIBRARIES: Libraries<'_> =
    Libraries { folder: "cobrix-parser-2.6.9", artifacts: &["za.co.absa.cobrix:cobol-parser_2.12:2.6.9"] };

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let (segments, length) = segments()?;
    let (copybook, file) = (folder.path().join("ACCOUNT.cpy"), folder.path().join("accounts.dat"));
    let size = if report.is_quick() { QUICK } else { FULL };
    let bytes = write(&copybook, &file, &segments.1, length, size)?;
    let job = Decoding {
        segments: &segments.0,
        framing: Framing::Fixed(length),
        target: Target::JsonLines,
        is_lenient: false,
        is_exact: false,
        threads: 1,
    };
    let decoded = || -> Result<f64> {
        let used = || Ok::<_, std::io::Error>(processor_time(std::process::id(), false)?.used);
        let before = used()?;
        let summary = decode(&job, File::open(&file)?, std::io::sink(), |_| {})?;
        ensure!(summary.read == bytes, "{} of {bytes} bytes were read", summary.read);
        Ok(per_byte(used()?.saturating_sub(before), bytes))
    };
    // Once for the page cache.
    decoded()?;
    let libraries = LIBRARIES.copied(&effort.work)?;
    let cobrix = || cobrix(&libraries, &copybook, &file, bytes / WARM_UP);
    let measured = interleave(effort.rounds, vec![Cell::new(DECODE, decoded), Cell::new(COBRIX, cobrix)])?;
    // Nanoseconds a byte are seconds a gigabyte.
    report.add(
        Bar::at_least("file of records to JSON lines, a core", 400.0).value(1000.0 / measured.median(DECODE), "MB/s"),
    );
    report.add(
        Bar::at_most("file of records to JSON lines, processor time against Cobrix's parser", 0.2)
            .ratio(&measured, DECODE, COBRIX, "ns/byte"),
    );
    Ok(())
}

/// The plan of the records, alone and in what a file is decoded by, and their length.
fn segments() -> Result<((Segments, Converter), usize)> {
    let copybook = Copybook::parse(COPYBOOK, &ParseOptions::default())?;
    let layout = copybook.layout(None, &LayoutOptions::default())?;
    // Names as Cobrix has them.
    let options = ConvertOptions { names: NameStyle::Underscore, ..ConvertOptions::of_ccsid(37) };
    let plan = Converter::new(&layout, &options)?;
    Ok(((Segments::one(plan.clone()), plan), layout.length))
}

/// Writes the copybook, and a file of at least `size` bytes; returns its length.
#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
fn write(copybook: &Path, file: &Path, plan: &Converter, length: usize, size: u64) -> Result<u64> {
    std::fs::write(copybook, COPYBOOK)?;
    let records = size.div_ceil(length as u64);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    let mut record = Vec::new();
    for number in 0..records {
        let json = serde_json::json!({
            "ACCT_ID": number, "ACCT_STATUS": "Y", "ACCT_BALANCE": number * 7 % 1_000_000, "ACCT_LIMIT": 50_000,
            "ACCT_OPENED": "2026-11-26", "ACCT_CYCLE": number % 9_999, "ACCT_TRANSACTIONS": number % 999_999_999,
            "ACCT_HOLDER": {
                "HOLDER_NAME": format!("ADA BYRON {number}"), "HOLDER_STREET": "12 ST JAMES SQUARE",
                "HOLDER_ZIP": number % 99_999,
            },
            "ACCT_NOTE": "CALLS BEFORE NOON",
        });
        record.clear();
        plan.encode(json.to_string().as_bytes(), &mut record)?;
        out.write_all(&record)?;
    }
    out.flush()?;
    Ok(records * length as u64)
}

/// Nanoseconds a byte that Cobrix's parser takes.
fn cobrix(libraries: &Path, copybook: &Path, file: &Path, warm_up: u64) -> Result<f64> {
    run_command(Command::new("java").arg("-version"))?;
    let output = Command::new("java")
        .arg("-cp")
        .arg(format!("{}/*", libraries.display()))
        .arg(source())
        .args([copybook, file])
        .arg(warm_up.to_string())
        .output()?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "java: {told}{}", String::from_utf8_lossy(&output.stderr));
    let mut words = told.splitn(4, ' ');
    let mut number = || words.next().and_then(|word| word.parse().ok()).with_context(|| format!("no figures: {told}"));
    let (bytes, nanoseconds, _written): (u64, u64, u64) = (number()?, number()?, number()?);
    // It has decoded what we decode.
    ensure!(told.contains("\"HOLDER_NAME\":\"ADA BYRON 0\""), "another first record: {told}");
    Ok(per_byte(Duration::from_nanos(nanoseconds), bytes))
}

/// The program that calls it.
fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("java-cobrix/CobrixDecode.java")
}

/// Nanoseconds a byte.
#[expect(clippy::cast_precision_loss, reason = "a file of some gigabytes")]
fn per_byte(used: Duration, bytes: u64) -> f64 {
    used.as_secs_f64() * 1e9 / bytes as f64
}
