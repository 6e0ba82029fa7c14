//! What became of a file: how many records, and which items did not fit.

use std::collections::BTreeMap;

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
    pub(crate) fn add(&mut self, misfit: Misfit) {
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
