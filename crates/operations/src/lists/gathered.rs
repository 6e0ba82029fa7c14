//! A list whose objects are gathered before the first is looked at: of those there are fewer than of queues.

use super::page::{Row, Rows};
use super::value::Value;

pub(super) struct Gathered<T> {
    objects: Vec<T>,
    read: fn(&T, usize) -> Value<'_>,
    natural_order: Option<usize>,
}

pub(super) struct GatheredRow<'a, T> {
    object: &'a T,
    read: fn(&T, usize) -> Value<'_>,
}

impl<T> Gathered<T> {
    /// `read` gives the value of a column.
    pub(super) fn new(objects: Vec<T>, read: fn(&T, usize) -> Value<'_>) -> Self {
        Self { objects, read, natural_order: None }
    }

    /// The objects are in order of this column, in which no two are equal.
    pub(super) fn in_order_of(self, column: usize) -> Self {
        Self { natural_order: Some(column), ..self }
    }
}

impl<T> Rows for Gathered<T> {
    type Row<'a>
        = GatheredRow<'a, T>
    where
        T: 'a;

    fn len(&self) -> usize {
        self.objects.len()
    }

    fn row(&self, place: usize) -> Option<GatheredRow<'_, T>> {
        self.objects.get(place).map(|object| GatheredRow { object, read: self.read })
    }

    fn natural_order(&self) -> Option<usize> {
        self.natural_order
    }
}

impl<'a, T> Row<'a> for GatheredRow<'a, T> {
    fn value(&self, column: usize) -> Value<'a> {
        (self.read)(self.object, column)
    }
}
