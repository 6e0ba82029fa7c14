//! A folder of an MQRFH2: reading its elements into properties, and writing properties as elements.

use crate::property::value::{PropertyValue, ValueError, escape};

/// Elements within elements, the folder itself not counted.
const MAXIMUM_DEPTH: usize = 32;
/// Bytes that the dotted names may take beyond the folder's own length: many short elements under a long path repeat it.
const MAXIMUM_REPEATED_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// Within the folder; of nested elements the names joined by dots.
    pub name: String,
    pub value: PropertyValue,
}

/// Why a folder's text is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    #[error("at byte {offset} of the folder: {expected} was expected")]
    Syntax { offset: usize, expected: &'static str },
    #[error("elements are nested deeper than {MAXIMUM_DEPTH}")]
    TooDeep,
    #[error("the names of nested elements together are too long")]
    TooLong,
    #[error("property {name}")]
    Value {
        name: String,
        #[source]
        source: ValueError,
    },
}

/// Writes a folder with one element for each property; a dotted name becomes one element, dots and all.
pub fn write_folder<'a>(folder: &str, properties: impl IntoIterator<Item = (&'a str, &'a PropertyValue)>) -> String {
    let mut out = format!("<{folder}>");
    for (name, value) in properties {
        out.push('<');
        out.push_str(name);
        if let Some(data_type) = value.data_type() {
            out.push_str(" dt='");
            out.push_str(data_type);
            out.push('\'');
        }
        if matches!(value, PropertyValue::Null) {
            out.push_str(" xsi:nil='true'");
        }
        out.push('>');
        escape(&value.to_string(), &mut out);
        out.push_str("</");
        out.push_str(name);
        out.push('>');
    }
    out.push_str("</");
    out.push_str(folder);
    out.push('>');
    out
}

/// Reads a folder: its name, and its properties in the order they stand.
///
/// # Errors
/// The text is not one element with elements in it, nests too deep, or a value is not of its type.
pub fn read_folder(text: &str) -> Result<(String, Vec<Property>), FolderError> {
    let mut parser = Parser { text, at: 0, name_bytes: text.len() + MAXIMUM_REPEATED_BYTES };
    parser.skip_blanks();
    let tag = parser.open_tag()?;
    let folder = tag.name.to_owned();
    let mut properties = Vec::new();
    if !tag.is_empty_element {
        parser.content(&mut String::new(), 0, tag, &mut properties)?;
    }
    parser.skip_blanks();
    if parser.at < text.len() {
        return Err(parser.expected("the end of the folder"));
    }
    Ok((folder, properties))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// What is left for the names of properties.
    name_bytes: usize,
}

#[derive(Clone, Copy)]
struct Tag<'a> {
    name: &'a str,
    data_type: Option<&'a str>,
    is_null: bool,
    /// `<name/>`.
    is_empty_element: bool,
}

impl<'a> Parser<'a> {
    /// What lies between an open tag and its end tag. `path` is the dotted name so far, empty in the folder itself.
    fn content(
        &mut self,
        path: &mut String,
        depth: usize,
        open: Tag<'a>,
        properties: &mut Vec<Property>,
    ) -> Result<(), FolderError> {
        if depth > MAXIMUM_DEPTH {
            return Err(FolderError::TooDeep);
        }
        let mut value = String::new();
        let mut has_elements = false;
        loop {
            self.characters(&mut value)?;
            if self.rest().starts_with("</") {
                break;
            }
            has_elements = true;
            let tag = self.open_tag()?;
            let length = path.len();
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(tag.name);
            if tag.is_empty_element {
                self.push(properties, path, tag, "")?;
            } else {
                self.content(path, depth + 1, tag, properties)?;
            }
            path.truncate(length);
        }
        self.end_tag(open.name)?;
        if depth > 0 && !has_elements {
            self.push(properties, path, open, &value)?;
        }
        Ok(())
    }

    /// `<name dt='i4'>`, or `<name/>`.
    fn open_tag(&mut self) -> Result<Tag<'a>, FolderError> {
        self.expect("<")?;
        let mut tag = Tag { name: self.name()?, data_type: None, is_null: false, is_empty_element: false };
        loop {
            self.skip_blanks();
            if self.skip(">") {
                return Ok(tag);
            }
            if self.skip("/>") {
                tag.is_empty_element = true;
                return Ok(tag);
            }
            let name = self.name()?;
            self.skip_blanks();
            self.expect("=")?;
            self.skip_blanks();
            let value = self.quoted()?;
            match name {
                "dt" => tag.data_type = Some(value),
                "xsi:nil" => tag.is_null = value == "true",
                _ => {}
            }
        }
    }

    fn end_tag(&mut self, name: &str) -> Result<(), FolderError> {
        self.expect("</")?;
        if self.name()? != name {
            return Err(self.expected("the end tag of the open element"));
        }
        self.skip_blanks();
        self.expect(">")
    }

    fn name(&mut self) -> Result<&'a str, FolderError> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '/' | '=' | '\'' | '"' | '&' | '\0'))
            .unwrap_or(rest.len());
        if end == 0 {
            return Err(self.expected("a name"));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    fn quoted(&mut self) -> Result<&'a str, FolderError> {
        let quote = if self.skip("'") {
            '\''
        } else if self.skip("\"") {
            '"'
        } else {
            return Err(self.expected("a quoted value"));
        };
        let rest = self.rest();
        let end = rest.find(quote).ok_or_else(|| self.expected("a closing quote"))?;
        self.at += end + 1;
        Ok(&rest[..end])
    }

    /// Text up to the next tag, entities resolved.
    fn characters(&mut self, out: &mut String) -> Result<(), FolderError> {
        loop {
            let rest = self.rest();
            let end = rest.find(['<', '&']).ok_or_else(|| self.expected("an end tag"))?;
            out.push_str(&rest[..end]);
            self.at += end;
            if rest[end..].starts_with('<') {
                return Ok(());
            }
            out.push(self.entity()?);
        }
    }

    /// `&lt;` and its like, `&#233;`, `&#xE9;`.
    fn entity(&mut self) -> Result<char, FolderError> {
        let rest = &self.rest()[1..];
        let character = rest.split_once(';').and_then(|(name, _)| {
            self.at += name.len() + 2;
            match name {
                "lt" => Some('<'),
                "gt" => Some('>'),
                "amp" => Some('&'),
                "apos" => Some('\''),
                "quot" => Some('"'),
                _ => {
                    let number = name.strip_prefix('#')?;
                    let code = match number.strip_prefix(['x', 'X']) {
                        Some(hex) => u32::from_str_radix(hex, 16),
                        None => number.parse(),
                    };
                    char::from_u32(code.ok()?)
                }
            }
        });
        character.ok_or_else(|| self.expected("an entity such as &lt; or &#233;"))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\0').len();
    }

    fn expect(&mut self, what: &'static str) -> Result<(), FolderError> {
        if self.skip(what) { Ok(()) } else { Err(self.expected(what)) }
    }

    fn expected(&self, expected: &'static str) -> FolderError {
        FolderError::Syntax { offset: self.at, expected }
    }

    fn push(
        &mut self,
        properties: &mut Vec<Property>,
        path: &str,
        tag: Tag<'_>,
        text: &str,
    ) -> Result<(), FolderError> {
        self.name_bytes = self.name_bytes.checked_sub(path.len()).ok_or(FolderError::TooLong)?;
        let value = if tag.is_null {
            PropertyValue::Null
        } else {
            PropertyValue::parse(tag.data_type, text)
                .map_err(|source| FolderError::Value { name: path.to_owned(), source })?
        };
        properties.push(Property { name: path.to_owned(), value });
        Ok(())
    }
}
