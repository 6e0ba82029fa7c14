//! `copybook decode|encode --records ...`: whole files of records to JSON lines, CSV and Parquet, and back.
//!
//! The work is done by the crate `record-file`; here files are opened, segments named, progress drawn and misfits told. A result that
//! was not finished is removed.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use clap::{Args, ValueEnum};
use copybook::{ConvertOptions, Converter, Copybook, RecordLayout};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use record_file::{
    Blocked, Decoding, Encoding, FileError, Framing, LineForm, Progress, Segments, Source, Summary, Target,
    USUAL_BLOCK, Unblocked,
};
use serde_json::json;

use super::super::failure::Failure;
use super::ConvertArguments;

/// Of whole files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Whole files")]
pub(super) struct FileArguments {
    /// Convert a whole file: all records of one length, with record descriptors (RECFM=V), with block descriptors, too (RECFM=VB), as
    /// GnuCOBOL writes records of variable length, or lines.
    #[arg(long, value_enum, value_name = "FORM")]
    pub(super) records: Option<RecordsName>,
    /// Length of the records of a fixed file [default: that of the longest record].
    #[arg(long, value_name = "BYTES", requires = "records")]
    record_length: Option<usize>,
    /// Longest block that is written with --records vb.
    #[arg(long, value_name = "BYTES", requires = "records", value_parser = clap::value_parser!(u16).range(16..=32760))]
    block_size: Option<u16>,
    /// Form of the other side [default: by the ending .csv or .parquet of its file, else JSON lines].
    #[arg(long = "as", value_enum, value_name = "FORM", requires = "records")]
    form: Option<FormName>,
    /// Go on where something does not fit: values are null and records are left out, and both are counted.
    #[arg(long, requires = "records")]
    lenient: bool,
    /// Item whose value says which segment a record is.
    #[arg(long, value_name = "NAME", requires_all = ["records", "segment"])]
    segment_field: Option<String>,
    /// Value of that item, and the record or the alternative of a REDEFINES that such records have; * for all other values. May be
    /// repeated.
    #[arg(long, value_name = "VALUE=NAME", value_parser = segment, requires = "segment_field")]
    segment: Vec<(String, String)>,
    /// Threads that convert [default: all processors].
    #[arg(long, value_name = "NUMBER", requires = "records")]
    threads: Option<usize>,
    /// File for what did not fit, a JSON object for each.
    #[arg(long, value_name = "FILE", requires = "records")]
    report: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RecordsName {
    Fixed,
    Rdw,
    Vb,
    Variable,
    Line,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormName {
    Jsonl,
    Csv,
    Parquet,
}

fn segment(text: &str) -> Result<(String, String), String> {
    let (value, name) = text.split_once('=').ok_or("expected VALUE=NAME, such as C=CUSTOMER-DATA")?;
    Ok((value.to_owned(), name.to_owned()))
}

/// The plans of the records, and where these begin and end.
struct Plans {
    segments: Segments,
    framing: Framing,
}

pub(super) fn decode(arguments: &ConvertArguments) -> Result<(), Failure> {
    let files = &arguments.files;
    let Plans { segments, framing } = plans(arguments, false)?;
    let job = Decoding {
        segments: &segments,
        framing,
        target: match files.form(arguments.out.as_deref()) {
            FormName::Jsonl => Target::JsonLines,
            FormName::Csv => Target::Csv,
            FormName::Parquet => Target::Parquet,
        },
        is_lenient: files.lenient,
        is_exact: arguments.fillers,
        threads: files.threads(),
    };
    let (input, length) = open(arguments.data.as_deref())?;
    let input: Box<dyn Read + Send> = if files.has_blocks() { Box::new(Unblocked::new(input)) } else { input };
    let bar = bar(length);
    let watch = |progress: Progress| show(&bar, progress);
    let done = into(arguments.out.as_deref(), |output| record_file::decode(&job, input, output, watch));
    end(arguments, &bar, done)
}

pub(super) fn encode(arguments: &ConvertArguments) -> Result<(), Failure> {
    let files = &arguments.files;
    let Plans { segments, framing } = plans(arguments, true)?;
    let job = Encoding {
        segments: &segments,
        framing,
        is_lenient: files.lenient,
        is_exact: arguments.fillers,
        ignore_unknown: arguments.reading.ignore_unknown,
        threads: files.threads(),
    };
    let form = files.form(arguments.data.as_deref());
    let (source, length) = match (form, arguments.data.as_deref()) {
        (FormName::Parquet, Some(file)) if file != Path::new("-") => {
            (Source::Parquet(File::open(file).map_err(|error| of_file(file, &error))?), None)
        }
        (FormName::Parquet, _) => return Err(Failure::new(2, "Parquet is read from a file: name it with --data")),
        (FormName::Jsonl | FormName::Csv, data) => {
            let (input, length) = open(data)?;
            (if form == FormName::Csv { Source::Csv(input) } else { Source::JsonLines(input) }, length)
        }
    };
    let bar = bar(length);
    let watch = |progress: Progress| show(&bar, progress);
    let done = into(arguments.out.as_deref(), |output| match files.has_blocks() {
        true => record_file::encode(&job, source, Blocked::new(output, files.block_size()), watch),
        false => record_file::encode(&job, source, output, watch),
    });
    end(arguments, &bar, done)
}

impl FileArguments {
    /// `other` is the file that holds no records.
    fn form(&self, other: Option<&Path>) -> FormName {
        let ending = other.and_then(Path::extension).map(std::ffi::OsStr::to_ascii_lowercase);
        self.form.unwrap_or(match ending.as_deref().and_then(|ending| ending.to_str()) {
            Some("csv") => FormName::Csv,
            Some("parquet") => FormName::Parquet,
            _ => FormName::Jsonl,
        })
    }

    fn has_blocks(&self) -> bool {
        matches!(self.records, Some(RecordsName::Vb))
    }

    fn block_size(&self) -> usize {
        self.block_size.map_or(USUAL_BLOCK, usize::from)
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
    }
}

fn plans(arguments: &ConvertArguments, with_values: bool) -> Result<Plans, Failure> {
    let files = &arguments.files;
    let copybook = arguments.source.copybook()?;
    let options = arguments.options(with_values)?;
    let mut layouts = Vec::new();
    let segments = match &files.segment_field {
        None => {
            let layout = arguments.source.layout_of(&copybook, arguments.source.record.as_deref())?;
            let plan = arguments.converter_of(&layout, &options)?;
            layouts.push(layout);
            Segments::one(plan)
        }
        Some(field) => {
            let (mut chosen, mut other) = (Vec::new(), None);
            for (value, name) in &files.segment {
                let plan = segment_plan(arguments, &copybook, &options, name, &mut layouts)?;
                if value == "*" { other = Some(plan) } else { chosen.push((value.clone(), plan)) }
            }
            Segments::by_field(field, chosen, other).map_err(|error| Failure::of(1, &error))?
        }
    };
    let longest = layouts.iter().map(|layout| layout.length).max().unwrap_or(0);
    let shortest = layouts.iter().map(|layout| layout.minimum_length).min().unwrap_or(0);
    let framing = match files.records {
        Some(RecordsName::Rdw | RecordsName::Vb) => Framing::Rdw,
        Some(RecordsName::Variable) => Framing::Variable,
        Some(RecordsName::Line) => Framing::Line(LineForm::of_ccsid(options.ccsid, shortest)),
        Some(RecordsName::Fixed) | None => Framing::Fixed(files.record_length.unwrap_or(longest)),
    };
    if framing == Framing::Fixed(0) {
        return Err(Failure::new(2, "records have at least one byte"));
    }
    Ok(Plans { segments, framing })
}

/// A record of the copybook, or its record with an alternative taken.
fn segment_plan(
    arguments: &ConvertArguments,
    copybook: &Copybook,
    options: &ConvertOptions,
    name: &str,
    layouts: &mut Vec<RecordLayout>,
) -> Result<Converter, Failure> {
    let is_record = copybook.record_names().iter().any(|known| known.eq_ignore_ascii_case(name));
    let mut options = options.clone();
    let record = if is_record {
        Some(name)
    } else {
        options.alternatives.push(name.to_owned());
        arguments.source.record.as_deref()
    };
    let layout = arguments.source.layout_of(copybook, record)?;
    let plan = arguments.converter_of(&layout, &options)?;
    layouts.push(layout);
    Ok(plan)
}

/// A stream, and its length where it is known.
fn open(file: Option<&Path>) -> Result<(Box<dyn Read + Send>, Option<u64>), Failure> {
    match file.filter(|file| *file != Path::new("-")) {
        None => Ok((Box::new(io::stdin()), None)),
        Some(file) => {
            let opened = File::open(file).map_err(|error| of_file(file, &error))?;
            let length = opened.metadata().ok().map(|metadata| metadata.len());
            Ok((Box::new(opened), length))
        }
    }
}

fn of_file(file: &Path, error: &io::Error) -> Failure {
    Failure::new(1, format!("{}: {error}", file.display()))
}

/// Writes to the file, which is removed if that fails, or to standard output.
fn into(
    file: Option<&Path>,
    work: impl FnOnce(Box<dyn Write + Send>) -> Result<Summary, FileError>,
) -> Result<Summary, Failure> {
    let told = |error: FileError| Failure::of(1, &error);
    let Some(file) = file.filter(|file| *file != Path::new("-")) else {
        return work(Box::new(io::stdout())).map_err(told);
    };
    let created = File::create(file).map_err(|error| of_file(file, &error))?;
    work(Box::new(created)).map_err(|error| {
        // It may not go away; the error says that the work has failed.
        let _ = fs::remove_file(file);
        told(error)
    })
}

fn bar(length: Option<u64>) -> Option<ProgressBar> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(5));
    let template = match length {
        Some(_) => "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left, {msg} records",
        None => "{spinner} {bytes}, {bytes_per_sec}, {msg} records",
    };
    Some(ProgressStyle::with_template(template).map(|style| bar.clone().with_style(style)).unwrap_or(bar))
}

fn show(bar: &Option<ProgressBar>, progress: Progress) {
    if let Some(bar) = bar {
        bar.set_position(progress.read);
        bar.set_message(progress.records.to_string());
    }
}

/// Says what became of the file.
fn end(arguments: &ConvertArguments, bar: &Option<ProgressBar>, done: Result<Summary, Failure>) -> Result<(), Failure> {
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let summary = done?;
    if let Some(file) = &arguments.files.report {
        write_report(file, &summary).map_err(|error| of_file(file, &error))?;
    }
    let Summary { records, left_out, misfits, .. } = &summary;
    if misfits.is_empty() {
        return Ok(());
    }
    eprintln!("{records} records, {left_out} left out");
    for (item, count) in misfits {
        let item = if item.is_empty() { "records" } else { item };
        let first = &count.first;
        eprintln!("{item}: {} do not fit, first in record {}: {}", count.times, first.record, first.problem);
    }
    Ok(())
}

fn write_report(file: &Path, summary: &Summary) -> io::Result<()> {
    let mut out = io::BufWriter::new(File::create(file)?);
    for misfit in &summary.kept {
        let line = json!({
            "record": misfit.record, "offset": misfit.offset, "item": misfit.item, "problem": misfit.problem
        });
        writeln!(out, "{line}")?;
    }
    out.flush()
}
