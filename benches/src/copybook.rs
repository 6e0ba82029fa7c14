//! Records to JSON and back: the 8 KiB response of the published API requester report, each direction by itself.
//!
//! Compared with serde_json writing and parsing the same JSON. Times are processor time of this thread, so that
//! neighbours on the machine do not count.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use copybook::{ConvertOptions, Converter, Copybook, LayoutOptions, ParseOptions};
use serde_json::Value;

use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::report::{Bar, Report};

/// Figure 10 of the report, with the number of fields in the record's own counter.
const COPYBOOK: &str = "
       01 PER00P01.
         06 RespBody.
           09 recv-size                     PIC S9(9) COMP-5 SYNC.
           09 send-size                     PIC S9(9) COMP-5 SYNC.
           09 taskid                        PIC S9(9) COMP-5 SYNC.
           09 tranid                        PIC X(4).
           09 rs-spare                      PIC X(16).
           09 user-data-num                 PIC S9(9) COMP-5 SYNC.
           09 user-data OCCURS 0 TO 512 TIMES
              DEPENDING ON user-data-num    PIC X(32).
";
/// Fields in the response of 8 KiB, figure 15.
const FIELDS: usize = 256;
const DECODE: &str = "record to JSON";
const ENCODE: &str = "JSON to record";
const SERIALISE: &str = "serde_json: Value to JSON";
const PARSE: &str = "serde_json: JSON to Value";
/// Conversions between two looks at the clock.
const BATCH: u32 = 200;

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let copybook = Copybook::parse(COPYBOOK, &ParseOptions::default())?;
    let layout = copybook.layout(None, &LayoutOptions::default())?;
    let converter = Converter::new(&layout, &ConvertOptions::of_ccsid(37))?;
    let value = response();
    let json = serde_json::to_vec(&value)?;
    let mut record = Vec::new();
    converter.encode(&json, &mut record)?;
    ensure!(record.len() == 36 + 32 * FIELDS, "the record has {} bytes", record.len());
    let mut again = Vec::new();
    converter.decode(&record, &mut again)?;
    ensure!(serde_json::from_slice::<Value>(&again)? == value, "the record came back changed");

    let mut buffer = Vec::with_capacity(4 * record.len());
    let mut bytes = Vec::with_capacity(2 * record.len());
    let mut written = Vec::with_capacity(4 * record.len());
    let time = effort.engine.as_nanos();
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(DECODE, || {
                microseconds(time, || {
                    buffer.clear();
                    converter.decode(black_box(&record), &mut buffer)?;
                    Ok(())
                })
            }),
            Cell::new(SERIALISE, || {
                microseconds(time, || {
                    written.clear();
                    Ok(serde_json::to_writer(&mut written, black_box(&value))?)
                })
            }),
            Cell::new(ENCODE, || {
                microseconds(time, || {
                    bytes.clear();
                    converter.encode(black_box(&json), &mut bytes)?;
                    Ok(())
                })
            }),
            Cell::new(PARSE, || {
                microseconds(time, || {
                    black_box(serde_json::from_slice::<Value>(black_box(&json))?);
                    Ok(())
                })
            }),
        ],
    )?;
    // Bytes a microsecond are megabytes a second.
    #[expect(clippy::cast_precision_loss, reason = "a few thousand bytes")]
    let rate = |cell| record.len() as f64 / measured.median(cell);
    report.add(Bar::at_least("copybook: 8 KiB record to JSON, a core", 300.0).value(rate(DECODE), "MB/s"));
    report.add(Bar::at_least("copybook: JSON to 8 KiB record, a core", 300.0).value(rate(ENCODE), "MB/s"));
    report.add(
        Bar::at_most("copybook: record to JSON, against serde_json writing it", 3.0)
            .ratio(&measured, DECODE, SERIALISE, "µs"),
    );
    report.add(
        Bar::at_most("copybook: JSON to record, against serde_json parsing it", 3.0)
            .ratio(&measured, ENCODE, PARSE, "µs"),
    );
    Ok(())
}

/// The response as the report shows it, as JSON.
fn response() -> Value {
    let fields: Vec<String> = (1..=FIELDS).map(|number| format!("{number:04}-ABCDEFGHIJKLMNOPQRSTUVWXYZ-")).collect();
    serde_json::json!({ "RespBody": {
        "recv-size": 8, "send-size": 8192, "taskid": 4711, "tranid": "APIR", "rs-spare": "",
        "user-data-num": FIELDS, "user-data": fields,
    }})
}

/// Processor time of one conversion.
fn microseconds(nanoseconds: u128, mut convert: impl FnMut() -> Result<()>) -> Result<f64> {
    let started = processor_time()?;
    let mut count = 0u32;
    loop {
        for _ in 0..BATCH {
            convert()?;
        }
        count += BATCH;
        let used = processor_time()? - started;
        if u128::from(used) >= nanoseconds {
            #[expect(clippy::cast_precision_loss, reason = "a few seconds in nanoseconds")]
            return Ok(used as f64 / 1000.0 / f64::from(count));
        }
    }
}

/// Nanoseconds this thread has run, as the scheduler counts them.
fn processor_time() -> Result<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").context("the scheduler's statistics")?;
    text.split(' ').next().and_then(|time| time.parse().ok()).context("the time this thread ran")
}
