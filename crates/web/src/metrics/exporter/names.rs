//! The names that exporters give to elements of monitoring: the table `names.txt`.
//!
//! `-` is a value that the exporter does not show. Depth and handles of queues have names of their own, in `status.rs`.

use std::sync::LazyLock;

/// A row of the table.
pub(super) struct Named {
    pub(super) class: &'static str,
    pub(super) element: &'static str,
    /// Without `ibmmq_queue_` or `ibmmq_qmgr_`.
    pub(super) exporter: Option<&'static str>,
    /// Without `ibmmq_qmgr_`.
    pub(super) image: Option<&'static str>,
}

impl Named {
    pub(super) fn is_of_queues(&self) -> bool {
        self.class == "STATQ"
    }

    fn of_row(row: &'static str) -> Option<Self> {
        let mut columns = row.split('|').map(str::trim);
        let mut next = || columns.next();
        let (class, element) = (next()?, next()?);
        let mut name = || next().filter(|&name| name != "-");
        Some(Self { class, element, exporter: name(), image: name() })
    }
}

pub(super) static NAMES: LazyLock<Vec<Named>> =
    LazyLock::new(|| include_str!("names.txt").lines().skip(1).filter_map(Named::of_row).collect());

#[cfg(test)]
mod tests;
