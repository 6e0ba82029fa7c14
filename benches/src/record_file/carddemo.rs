//! The data files of CardDemo, each repeated to the length of a file that is worth measuring.

use std::fs;

use anyhow::{Context, Result};
use copybook::{ConvertOptions, Converter, Copybook, LayoutOptions, ParseOptions};
use public_files::carddemo::{COMMIT, DataFile, EXPORT_FIELD, EXPORT_KINDS, FILES, FOLDERS, REPOSITORY};
use record_file::Segments;

use super::{WANTED, decoded, megabytes_a_second};
use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::report::{Bar, Report};

const FULL: usize = 256 << 20;
const QUICK: usize = 4 << 20;

pub(super) fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let files = match public_files::fetched(&effort.work, REPOSITORY, COMMIT, &FOLDERS) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("  the files of CardDemo are not measured: {error}");
            return Ok(());
        }
    };
    let size = if report.is_quick() { QUICK } else { FULL };
    // One file has a single record, of zeros where numbers are.
    for file in FILES.into_iter().filter(|file| file.records > 1) {
        let read = |path: &str| fs::read(files.join(path)).with_context(|| path.to_owned());
        let segments = segments(&file, &copybook::text_of_file(&read(&file.description())?, None))?;
        let data = read(&file.data())?;
        let data = data.repeat(size.div_ceil(data.len()));
        let measure = || decoded(&segments, file.length, data.as_slice(), data.len() as u64);
        let measured = interleave(effort.rounds, vec![Cell::new(file.name, measure)])?;
        let name = format!("CardDemo {} to JSON lines, a core", file.name);
        report.add(Bar::at_least(name.leak(), WANTED).value(megabytes_a_second(measured.median(file.name)), "MB/s"));
    }
    Ok(())
}

fn segments(file: &DataFile, text: &str) -> Result<Segments> {
    let copybook = Copybook::parse(text, &ParseOptions::default())?;
    let layout = copybook.layout(None, &LayoutOptions::default())?;
    let plan = |alternatives: Vec<String>| {
        Converter::new(&layout, &ConvertOptions { alternatives, ..ConvertOptions::of_ccsid(37) })
    };
    if file.copybook != "CVEXPORT" {
        return Ok(Segments::one(plan(Vec::new())?));
    }
    let chosen = EXPORT_KINDS.map(|(value, alternative)| Ok((value.to_owned(), plan(vec![alternative.to_owned()])?)));
    Ok(Segments::by_field(EXPORT_FIELD, chosen.into_iter().collect::<Result<_>>()?, None)?)
}
