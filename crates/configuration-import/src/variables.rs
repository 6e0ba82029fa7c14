//! The variables of a configuration and their substitution in values: `${name}` and `${env.NAME}`.
//!
//! A variable's value comes, in this order, from a `variable` element, from `bootstrap.properties`, from the environment
//! (under its name, with other characters made `_`, and that in capitals), and from a `variable`'s `defaultValue`.
//! Source: Open Liberty, "Variable configuration and its precedence".

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::Surroundings;

/// How deep variables may be in the values of variables.
const MAXIMUM_DEPTH: usize = 16;
/// Longest value after substitution, in bytes; a value that would be longer stays as it is.
const MAXIMUM_BYTES: usize = 64 << 10;
/// Most bytes that all substitutions of an import may take together; beyond it variables have no value.
const MAXIMUM_BYTES_IN_ALL: usize = 64 << 20;

pub(super) struct Variables<'s> {
    surroundings: &'s dyn Surroundings,
    declared: BTreeMap<String, String>,
    bootstrap: BTreeMap<String, String>,
    defaults: BTreeMap<String, String>,
    unresolved: RefCell<BTreeSet<String>>,
    used: RefCell<BTreeSet<String>>,
    bytes_left: Cell<usize>,
}

impl<'s> Variables<'s> {
    pub(super) fn new(surroundings: &'s dyn Surroundings) -> Self {
        Self {
            surroundings,
            declared: BTreeMap::new(),
            bootstrap: BTreeMap::new(),
            defaults: BTreeMap::new(),
            unresolved: RefCell::default(),
            used: RefCell::default(),
            bytes_left: Cell::new(MAXIMUM_BYTES_IN_ALL),
        }
    }

    /// From a `variable` element with `value`.
    pub(super) fn declare(&mut self, name: &str, value: &str) {
        self.declared.insert(name.to_owned(), value.to_owned());
    }

    /// From a `variable` element with `defaultValue`.
    pub(super) fn declare_default(&mut self, name: &str, value: &str) {
        self.defaults.insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn set_bootstrap(&mut self, name: String, value: String) {
        self.bootstrap.insert(name, value);
    }

    pub(super) fn surroundings(&self) -> &'s dyn Surroundings {
        self.surroundings
    }

    /// The value of a variable that the files set, substituted. The environment is asked for `${...}` only.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let text = self.declared.get(name).or_else(|| self.bootstrap.get(name)).or_else(|| self.defaults.get(name))?;
        Some(self.substitute(text))
    }

    /// Names that the files set.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        [&self.declared, &self.bootstrap, &self.defaults]
            .into_iter()
            .flat_map(|map| map.keys().map(String::as_str))
            .collect()
    }

    /// Whether some value refers to the variable.
    pub(super) fn is_used(&self, name: &str) -> bool {
        self.used.borrow().contains(name)
    }

    /// Names that were asked for and have no value.
    pub(super) fn unresolved(&self) -> Vec<String> {
        self.unresolved.borrow().iter().cloned().collect()
    }

    /// `text` with its variables replaced; one that has no value stays as it stands.
    pub(super) fn substitute(&self, text: &str) -> String {
        let mut substituted = String::new();
        match self.substitute_into(&mut substituted, text, 0) {
            Some(()) => substituted,
            None => text.to_owned(),
        }
    }

    /// `None` when it would get too long or too deep.
    fn substitute_into(&self, out: &mut String, text: &str, depth: usize) -> Option<()> {
        if depth > MAXIMUM_DEPTH {
            return None;
        }
        let mut rest = text;
        while let Some((before, reference)) = rest.split_once("${") {
            out.push_str(before);
            let Some((name, after)) = reference.split_once('}') else {
                rest = &rest[before.len()..];
                break;
            };
            match self.look_up(name) {
                Some(value) => self.substitute_into(out, &value, depth + 1)?,
                None => out.extend(["${", name, "}"]),
            }
            rest = after;
            if out.len() > MAXIMUM_BYTES {
                return None;
            }
        }
        out.push_str(rest);
        (out.len() <= MAXIMUM_BYTES).then_some(())
    }

    fn look_up(&self, name: &str) -> Option<String> {
        self.used.borrow_mut().insert(name.to_owned());
        let environment = |name: &str| self.surroundings.environment(name);
        let found = match name.strip_prefix("env.") {
            Some(name) => environment(name),
            None => self.declared.get(name).or_else(|| self.bootstrap.get(name)).cloned().or_else(|| {
                let plain = name.replace(|character: char| !character.is_ascii_alphanumeric(), "_");
                environment(name).or_else(|| environment(&plain)).or_else(|| environment(&plain.to_ascii_uppercase()))
            }),
        };
        let found = found.or_else(|| self.defaults.get(name).cloned()).filter(|value| self.affords(value));
        if found.is_none() {
            self.unresolved.borrow_mut().insert(name.to_owned());
        }
        found
    }

    fn affords(&self, value: &str) -> bool {
        let left = self.bytes_left.get().checked_sub(value.len() + 16);
        self.bytes_left.set(left.unwrap_or(0));
        left.is_some() && value.len() <= MAXIMUM_BYTES
    }
}
