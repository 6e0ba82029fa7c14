//! A generated file of 1 GiB, and on the same file Cobrix, its parser alone on one thread and as people use it in Spark on one core,
//! and CobolToJson.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use copybook::{ConvertOptions, Converter, Copybook, LayoutOptions, NameStyle, ParseOptions};
use record_file::Segments;

use super::peers::{Files, JRECORD, PARSER, Peer, SPARK};
use super::{WANTED, decoded, megabytes_a_second};
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
/// Part of the file with which programs in Java get warm.
const WARM_UP: u64 = 4;
const DECODE: &str = "quaymaster";

#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let peers = [PARSER, SPARK, JRECORD];
    let prepared = peers.iter().map(|peer| peer.prepared(&effort.work)).collect::<Result<Vec<_>>>()?;
    let folder = tempfile::tempdir_in(&effort.work)?;
    let path = |name: &str| folder.path().join(name);
    let files = Files { copybook: path("ACCOUNT.cpy"), warm_up: path("warm-up.dat"), file: path("accounts.dat") };
    let (segments, length) = segments()?;
    std::fs::write(&files.copybook, COPYBOOK)?;
    let size = if report.is_quick() { QUICK } else { FULL };
    write(&files.warm_up, &segments.1, length, size / WARM_UP)?;
    let bytes = write(&files.file, &segments.1, length, size)?;
    let ours = || decoded(&segments.0, length, File::open(&files.file)?, bytes);
    // Once for the page cache.
    ours()?;
    let theirs = prepared.iter().map(|peer| Cell::new(peer.name(), || peer.measure(&files)));
    let measured = interleave(effort.rounds, std::iter::once(Cell::new(DECODE, ours)).chain(theirs).collect())?;
    let rate = megabytes_a_second(measured.median(DECODE));
    report.add(Bar::at_least("file of 1 GiB to JSON lines, a core", WANTED).value(rate, "MB/s"));
    for Peer { name, most, .. } in &peers {
        let bar = format!("file of 1 GiB to JSON lines, processor time against {name}").leak();
        let bar = most.map_or_else(|| Bar::figure(bar), |most| Bar::at_most(bar, most));
        report.add(bar.ratio(&measured, DECODE, name, "ns/byte"));
    }
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

/// Writes a file of at least `size` bytes; returns its length.
fn write(file: &Path, plan: &Converter, length: usize, size: u64) -> Result<u64> {
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
