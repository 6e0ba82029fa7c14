//! What became of a file: how many records, and which items did not fit.

use std::collections::BTreeMap;

use copybook::DataError;

use crate::error::{FileError, RecordError};

/// Most misfits that are kept one by one.
const MOST_KEPT: usize = 10_000;

/// A value, or a record, that does not fit its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// From 1.
    pub record: u64,
    /// In the record.
    pub offset: usize,
    /// The item's path; empty for a record that was left out.
    pub item: String,
    pub problem: String,
}

impl Misfit {
    pub(crate) fn of_value(record: u64, error: &DataError) -> Self {
        Self { record, offset: error.offset, item: error.item.clone(), problem: error.problem.to_string() }
    }
}

/// What a thread did with one piece of the work.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) records: u64,
    pub(crate) read: u64,
    pub(crate) left_out: u64,
    /// Their records count in the piece.
    pub(crate) misfits: Vec<Misfit>,
    /// The record in the piece that ends the work, its place in the file, and why.
    pub(crate) error: Option<(u64, u64, RecordError)>,
}

/// How often an item did not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub times: u64,
    pub first: Misfit,
}

/// What all threads did together.
#[derive(Debug, Default)]
pub struct Summary {
    pub records: u64,
    /// Of the file that was read, and of the one that was written.
    pub read: u64,
    pub written: u64,
    /// Records that were left out.
    pub left_out: u64,
    /// By item.
    pub misfits: BTreeMap<String, Count>,
    /// The first ones, in the order of the file.
    pub kept: Vec<Misfit>,
}

impl Summary {
    /// Adds the next part of the work.
    ///
    /// # Errors
    /// The part ends the work.
    pub(crate) fn add_part(&mut self, part: Part) -> Result<(), FileError> {
        let before = self.records;
        self.records += part.records;
        self.read += part.read;
        self.left_out += part.left_out;
        for misfit in part.misfits {
            self.add(Misfit { record: before + misfit.record, ..misfit });
        }
        part.error.map_or(Ok(()), |(record, offset, source)| {
            Err(FileError::Record { record: before + record, offset, source })
        })
    }

    fn add(&mut self, misfit: Misfit) {
        let first = || Count { times: 0, first: misfit.clone() };
        self.misfits.entry(misfit.item.clone()).or_insert_with(first).times += 1;
        if self.kept.len() < MOST_KEPT {
            self.kept.push(misfit);
        }
    }

    pub fn progress(&self) -> Progress {
        Progress { records: self.records, read: self.read }
    }
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub records: u64,
    pub read: u64,
}
