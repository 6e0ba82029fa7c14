//! A page of any list: what is left after search and conditions, in order, from one place to another.
//!
//! One pass reads of each row what conditions and order need. A page is then selected and only the page is sorted, so that the cost
//! grows with the rows and not with their order.

use std::cmp::Ordering;

use message_api::time_text::write_moment;

use super::column::Kind;
use super::query::{Query, SortKey};
use super::value::{Value, write_number, write_text};

/// What a list has.
pub(super) trait Rows {
    type Row<'a>: Row<'a>
    where
        Self: 'a;

    fn len(&self) -> usize;

    /// `None`: it is gone, or the viewer may not see it.
    fn row(&self, place: usize) -> Option<Self::Row<'_>>;

    /// The column by which the rows are in order as they are. No two rows are equal in it.
    fn natural_order(&self) -> Option<usize>;
}

pub(super) trait Row<'a> {
    /// By the place of a column.
    fn value(&self, column: usize) -> Value<'a>;
}

/// Places of the rows of a page, and counts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Selected {
    pub(super) known: usize,
    pub(super) total: usize,
    pub(super) places: Vec<usize>,
}

/// The answer to a query as JSON.
pub(super) fn page<R: Rows>(rows: &R, query: &Query) -> Vec<u8> {
    let selected = select(rows, query);
    let shown = query.shown();
    let mut out = Vec::with_capacity(1024 + selected.places.len() * shown.len() * 12);
    out.extend_from_slice(b"{\"at\":");
    write_text(&write_moment(query.now), &mut out);
    for (name, number) in [("total", selected.total), ("known", selected.known), ("offset", query.offset())] {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        write_number(number as u64, &mut out);
    }
    out.extend_from_slice(b",\"columns\":");
    write_list(shown.iter(), &mut out, |column, out| write_text(query.list[*column].name, out));
    out.extend_from_slice(b",\"rows\":");
    // A row may have gone since it was selected.
    let present = selected.places.iter().filter_map(|place| rows.row(*place));
    write_list(present, &mut out, |row, out| {
        write_list(shown.iter(), out, |column, out| row.value(*column).write(out));
    });
    out.push(b'}');
    out
}

fn write_list<T>(elements: impl Iterator<Item = T>, out: &mut Vec<u8>, write: impl Fn(T, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, element) in elements.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

/// Which rows a page has.
pub(super) fn select<R: Rows>(rows: &R, query: &Query) -> Selected {
    let keys = query.sort();
    let is_natural = keys.first().is_none_or(|key| Some(key.column) == rows.natural_order());
    let is_reversed = is_natural && keys.first().is_some_and(|key| key.is_descending);
    let mut found = Found::new(if is_natural { &[] } else { keys }, query);
    let mut known = 0;
    for place in 0..rows.len() {
        let Some(row) = rows.row(place) else { continue };
        known += 1;
        if query.admits(|column| row.value(column)) {
            found.push(place, &row);
        }
    }
    let total = found.candidates.len();
    let begin = query.offset().min(total);
    let end = begin.saturating_add(query.limit()).min(total);
    let place = |candidate: &Candidate| candidate.place as usize;
    let places = if is_reversed {
        found.candidates[total - end..total - begin].iter().rev().map(place).collect()
    } else {
        found.sort(begin, end);
        found.candidates[begin..end].iter().map(place).collect()
    };
    Selected { known, total, places }
}

/// The rows that are left, with what they are sorted by.
struct Found<'k, 'a> {
    keys: &'k [SortKey],
    /// The values of the keys of each row, unless the prefix says all.
    values: Option<Vec<Value<'a>>>,
    candidates: Vec<Candidate>,
}

#[derive(Clone, Copy)]
struct Candidate {
    /// Of the first key.
    prefix: u64,
    index: u32,
    place: u32,
}

impl<'k, 'a> Found<'k, 'a> {
    fn new(keys: &'k [SortKey], query: &Query) -> Self {
        let is_text = |key: &SortKey| matches!(query.list[key.column].kind, Kind::Text | Kind::Word(_));
        let needs_values = keys.len() > 1 || keys.first().is_some_and(is_text);
        Self { keys, values: needs_values.then(Vec::new), candidates: Vec::new() }
    }

    fn push(&mut self, place: usize, row: &impl Row<'a>) {
        let number = |number: usize| u32::try_from(number).expect("a list has fewer rows");
        let first = self.keys.first().map(|key| (row.value(key.column), key.is_descending));
        let prefix = first.map_or(0, |(value, is_descending)| value.prefix(is_descending));
        self.candidates.push(Candidate { prefix, index: number(self.candidates.len()), place: number(place) });
        if let Some(values) = &mut self.values {
            values.extend(first.map(|(value, _)| value));
            values.extend(self.keys[1..].iter().map(|key| row.value(key.column)));
        }
    }

    /// Brings those of a page to their places, in order.
    fn sort(&mut self, begin: usize, end: usize) {
        let Self { keys, values, candidates } = self;
        if keys.is_empty() || begin == end {
            return;
        }
        let compare = |one: &Candidate, other: &Candidate| {
            let of_values = || values.as_ref().map_or(Ordering::Equal, |values| compare(keys, values, one, other));
            one.prefix.cmp(&other.prefix).then_with(of_values).then(one.place.cmp(&other.place))
        };
        if begin > 0 {
            candidates.select_nth_unstable_by(begin, compare);
        }
        let rest = &mut candidates[begin..];
        if end - begin < rest.len() {
            rest.select_nth_unstable_by(end - begin, compare);
        }
        rest[..end - begin].sort_unstable_by(compare);
    }
}

fn compare(keys: &[SortKey], values: &[Value<'_>], one: &Candidate, other: &Candidate) -> Ordering {
    let of = |candidate: &Candidate| &values[candidate.index as usize * keys.len()..][..keys.len()];
    let pairs = keys.iter().zip(of(one).iter().zip(of(other)));
    let orders = pairs.map(|(key, (one, other))| one.compare(*other, key.is_descending));
    orders.fold(Ordering::Equal, Ordering::then)
}

#[cfg(test)]
mod tests;
