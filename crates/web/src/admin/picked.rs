//! A list of objects that are gathered before the first is written: channels and subscriptions, of which there are few.

use super::kind::KindPlan;
use super::paging::{Key, Paging, Window};
use super::source::Subject;
use super::stream::Elements;

/// What one resource knows of its objects.
pub(super) trait Resource: Send + 'static {
    type Object: Send + 'static;

    /// `None` when objects of this kind are not wanted.
    fn plan(&self, object: &Self::Object) -> Option<&KindPlan>;

    /// Calls back with what the object's members are read from.
    fn with(&self, object: &Self::Object, see: &mut dyn FnMut(&Subject<'_>));
}

pub(super) struct Picked<R: Resource> {
    resource: R,
    /// Those still to be written, the last first.
    objects: Vec<R::Object>,
    window: Window,
}

impl<R: Resource> Picked<R> {
    /// `objects` are in order of names.
    pub(super) fn new(resource: R, objects: Vec<R::Object>, paging: &Paging) -> Self {
        let mut picked = Self { resource, objects, window: paging.window() };
        if let Some(sort) = &paging.sort {
            picked.sort(sort.is_descending);
        }
        picked.objects.reverse();
        picked
    }

    fn sort(&mut self, is_descending: bool) {
        let mut keyed = Vec::with_capacity(self.objects.len());
        for object in self.objects.drain(..) {
            let mut key = Key::Missing;
            let source = self.resource.plan(&object).and_then(|plan| plan.sort);
            self.resource.with(&object, &mut |subject| key = Key::of(source.as_ref(), subject));
            keyed.push((key, object));
        }
        keyed.sort_by(|(one, _), (other, _)| if is_descending { other.cmp(one) } else { one.cmp(other) });
        self.objects.extend(keyed.into_iter().map(|(_, object)| object));
    }
}

impl<R: Resource> Elements for Picked<R> {
    fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
        while !self.window.is_over() {
            let Some(object) = self.objects.pop() else { return false };
            let Some(plan) = self.resource.plan(&object) else { continue };
            let mut is_written = false;
            let window = &mut self.window;
            self.resource.with(&object, &mut |subject| {
                let holds = plan.condition.as_ref().is_none_or(|condition| condition.holds(subject));
                if holds && window.admits() {
                    plan.plan.write(subject, out);
                    is_written = true;
                }
            });
            if is_written {
                return true;
            }
        }
        false
    }
}
