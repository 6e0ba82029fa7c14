//! XML text to a small tree of elements, bounded.
//!
//! Document types, entities other than the five predefined ones, and anything but UTF-8 are refused. Comments and
//! processing instructions are passed over. Text outside elements' own is not kept.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Deepest nesting of elements.
const MAXIMUM_DEPTH: usize = 32;
/// Most attributes of one element: each is compared with those before it.
const MAXIMUM_ATTRIBUTES: usize = 256;
/// Most elements and attributes of one file.
const MAXIMUM_NODES: usize = 200_000;

/// One element. Attributes keep their order; names keep their case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// All text directly inside, trimmed.
    pub text: String,
}

/// Why a text is not XML that we read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    #[error("the file is not UTF-8")]
    Encoding,
    #[error("the XML is damaged at byte {0}")]
    Syntax(u64),
    #[error("document types and entities are not supported, found one at byte {0}")]
    Entity(u64),
    #[error("elements are nested deeper than {MAXIMUM_DEPTH}")]
    TooDeep,
    #[error("the element at byte {0} has more than {MAXIMUM_ATTRIBUTES} attributes")]
    TooManyAttributes(u64),
    #[error("there are more than {MAXIMUM_NODES} elements and attributes")]
    TooMany,
    #[error("there is no element")]
    Empty,
}

impl Element {
    /// Value of an attribute; names are compared exactly.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn children_named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Parses a whole file and returns its root element.
///
/// # Errors
/// By what is wrong with the text, with the place in bytes where it is known.
pub fn parse(bytes: &[u8]) -> Result<Element, XmlError> {
    let text = std::str::from_utf8(bytes).map_err(|_| XmlError::Encoding)?;
    let mut reader = Reader::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut tree = Tree::default();
    loop {
        let at = reader.buffer_position();
        match reader.read_event().map_err(|_| XmlError::Syntax(reader.error_position()))? {
            Event::Start(start) => tree.open(&start, at)?,
            Event::Empty(start) => {
                tree.open(&start, at)?;
                tree.close(at)?;
            }
            Event::End(_) => tree.close(at)?,
            Event::Text(text) => tree.add_text(&text.decode().map_err(|_| XmlError::Syntax(at))?),
            Event::CData(text) => tree.add_text(&text.decode().map_err(|_| XmlError::Syntax(at))?),
            Event::GeneralRef(reference) => {
                let name = reference.decode().map_err(|_| XmlError::Syntax(at))?;
                tree.add_text(&resolve(&name, at)?);
            }
            Event::DocType(_) => return Err(XmlError::Entity(at)),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof => return tree.finish(at),
        }
    }
}

/// The text of `&name;` or `&#number;`.
fn resolve(name: &str, at: u64) -> Result<String, XmlError> {
    quick_xml::escape::unescape(&format!("&{name};"))
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| XmlError::Entity(at))
}

#[derive(Default)]
struct Tree {
    open: Vec<Element>,
    root: Option<Element>,
    nodes: usize,
}

impl Tree {
    fn open(&mut self, start: &BytesStart<'_>, at: u64) -> Result<(), XmlError> {
        if self.open.len() >= MAXIMUM_DEPTH {
            return Err(XmlError::TooDeep);
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(XmlError::Syntax(at));
        }
        let name = String::from_utf8(start.local_name().as_ref().to_vec()).map_err(|_| XmlError::Encoding)?;
        let mut element = Element { name, ..Element::default() };
        for attribute in start.attributes() {
            if element.attributes.len() == MAXIMUM_ATTRIBUTES {
                return Err(XmlError::TooManyAttributes(at));
            }
            let attribute = attribute.map_err(|_| XmlError::Syntax(at))?;
            let name = String::from_utf8(attribute.key.as_ref().to_vec()).map_err(|_| XmlError::Encoding)?;
            let value = attribute.unescape_value().map_err(|_| XmlError::Entity(at))?;
            element.attributes.push((name, value.into_owned()));
        }
        self.nodes += 1 + element.attributes.len();
        if self.nodes > MAXIMUM_NODES {
            return Err(XmlError::TooMany);
        }
        self.open.push(element);
        Ok(())
    }

    fn close(&mut self, at: u64) -> Result<(), XmlError> {
        let mut element = self.open.pop().ok_or(XmlError::Syntax(at))?;
        element.text = element.text.trim().to_owned();
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
        Ok(())
    }

    fn add_text(&mut self, text: &str) {
        if let Some(element) = self.open.last_mut() {
            element.text.push_str(text);
        }
    }

    fn finish(self, at: u64) -> Result<Element, XmlError> {
        if self.open.is_empty() { self.root.ok_or(XmlError::Empty) } else { Err(XmlError::Syntax(at)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(attributes: usize) -> String {
        let attributes: String = (0..attributes).map(|number| format!(" a{number}='b'")).collect();
        format!("<a{attributes}/>")
    }

    #[test]
    fn an_element_has_a_bounded_number_of_attributes() {
        let most = parse(element(MAXIMUM_ATTRIBUTES).as_bytes()).expect("readable");
        assert_eq!(most.attributes.len(), MAXIMUM_ATTRIBUTES);
        // 2.3 MB: each attribute would be compared with all those before it.
        for attributes in [MAXIMUM_ATTRIBUTES + 1, 200_000] {
            assert_eq!(parse(element(attributes).as_bytes()), Err(XmlError::TooManyAttributes(0)));
        }
    }

    #[test]
    fn an_attribute_that_stands_twice_is_refused() {
        assert_eq!(parse(b"<a b='1' c='2' b='3'/>"), Err(XmlError::Syntax(0)));
    }
}
