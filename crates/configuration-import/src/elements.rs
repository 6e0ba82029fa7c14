//! The elements of all files as one server configuration: includes taken in, duplicates merged, variables substituted.
//!
//! Elements of one name and `id` are one: attributes of the later one win, children come together and merge by the same
//! rule where they have an `id`. An `include` counts where it stands.

use std::collections::BTreeMap;

use document::xml::{self, Element};

use super::error::ImportError;
use super::variables::Variables;
use super::{Imported, LeftOut, check_length};

/// What takes an element's settings in.
pub(super) type Reader = fn(&Element, &mut Imported);

/// Most files that include each other.
const MAXIMUM_FILES: usize = 64;

/// Elements of which each one without an `id` is another.
const MANY: [&str; 5] = ["cors", "jmsConnectionFactory", "jmsQueue", "jmsTopic", "zosconnect_zosConnectService"];

#[derive(Default)]
pub(super) struct Elements {
    elements: Vec<Element>,
    /// Name and `id` of an element to its place.
    places: BTreeMap<(String, Option<String>), usize>,
    files: usize,
}

/// The whole configuration, every value substituted.
pub(super) struct Server {
    elements: Vec<Element>,
}

/// What happens to an included element that meets one of its name and `id`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conflict {
    Merge,
    Replace,
    Ignore,
}

impl Server {
    pub(super) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.elements.iter()
    }

    /// Reads the elements of each name by its function, in the order of the table.
    pub(super) fn read_by(&self, readers: &[(&str, Reader)], imported: &mut Imported) {
        for (name, read) in readers {
            for element in self.named(name) {
                read(element, imported);
            }
        }
    }

    pub(super) fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Element> {
        self.elements.iter().filter(move |element| element.name == name)
    }
}

impl Elements {
    /// Takes in a file and what it includes. Variables are collected on the way.
    pub(super) fn add_file(
        &mut self,
        name: &str,
        contents: &[u8],
        variables: &mut Variables<'_>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<(), ImportError> {
        self.add(name, contents, Conflict::Merge, variables, left_out)
    }

    fn add(
        &mut self,
        file: &str,
        contents: &[u8],
        conflict: Conflict,
        variables: &mut Variables<'_>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<(), ImportError> {
        self.files += 1;
        if self.files > MAXIMUM_FILES {
            return Err(ImportError::TooManyFiles(MAXIMUM_FILES));
        }
        check_length(file, contents)?;
        let root = xml::parse(contents).map_err(|source| ImportError::Xml { file: file.to_owned(), source })?;
        if !matches!(root.name.as_str(), "server" | "client") {
            return Err(ImportError::Root { file: file.to_owned(), root: root.name });
        }
        for element in root.children {
            match element.name.as_str() {
                "include" => self.include(&element, variables, left_out)?,
                "variable" => declare(&element, variables),
                _ => self.insert(element, conflict),
            }
        }
        Ok(())
    }

    fn include(
        &mut self,
        element: &Element,
        variables: &mut Variables<'_>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<(), ImportError> {
        let location = variables.substitute(element.attribute("location").unwrap_or_default());
        let conflict = match element.attribute("onConflict").map(str::to_ascii_uppercase).as_deref() {
            Some("REPLACE") => Conflict::Replace,
            Some("IGNORE") => Conflict::Ignore,
            _ => Conflict::Merge,
        };
        match variables.surroundings().included(&location) {
            Some(contents) => self.add(&location, &contents, conflict, variables, left_out),
            None if is_true(element.attribute("optional")) => Ok(()),
            None => {
                let why = "the file was not found; import it too if it matters".to_owned();
                left_out.push(LeftOut { what: format!("include {location}"), why });
                Ok(())
            }
        }
    }

    fn insert(&mut self, element: Element, conflict: Conflict) {
        let id = element.attribute("id").map(str::to_owned);
        // These are many things even without an id.
        let stands_alone = MANY.contains(&element.name.as_str()) && id.is_none();
        let place = *self.places.entry((element.name.clone(), id)).or_insert(self.elements.len());
        match self.elements.get_mut(place).filter(|_| !stands_alone) {
            None => self.elements.push(element),
            Some(known) => match conflict {
                Conflict::Merge => merge(known, element),
                Conflict::Replace => *known = element,
                Conflict::Ignore => {}
            },
        }
    }

    pub(super) fn resolved(self, variables: &Variables<'_>) -> Server {
        let mut elements = self.elements;
        elements.iter_mut().for_each(|element| substitute(element, variables));
        Server { elements }
    }
}

pub(super) fn is_true(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

fn declare(element: &Element, variables: &mut Variables<'_>) {
    let Some(name) = element.attribute("name") else { return };
    if let Some(value) = element.attribute("value") {
        variables.declare(name, value);
    }
    if let Some(value) = element.attribute("defaultValue") {
        variables.declare_default(name, value);
    }
}

fn merge(known: &mut Element, later: Element) {
    for (name, value) in later.attributes {
        match known.attributes.iter_mut().find(|(existing, _)| *existing == name) {
            Some((_, existing)) => *existing = value,
            None => known.attributes.push((name, value)),
        }
    }
    if !later.text.is_empty() {
        known.text = later.text;
    }
    // Children of one name and id are one; looked up by key, for a registry may hold thousands of users.
    let key = |child: &Element| child.attribute("id").map(|id| (child.name.clone(), id.to_owned()));
    let mut places: BTreeMap<_, _> =
        known.children.iter().enumerate().filter_map(|(place, child)| Some((key(child)?, place))).collect();
    for child in later.children {
        let place = key(&child).map(|key| *places.entry(key).or_insert(known.children.len()));
        match place.and_then(|place| known.children.get_mut(place)) {
            Some(existing) => merge(existing, child),
            None => known.children.push(child),
        }
    }
}

fn substitute(element: &mut Element, variables: &Variables<'_>) {
    for (_, value) in &mut element.attributes {
        if value.contains("${") {
            *value = variables.substitute(value);
        }
    }
    if element.text.contains("${") {
        element.text = variables.substitute(&element.text);
    }
    element.children.iter_mut().for_each(|child| substitute(child, variables));
}
