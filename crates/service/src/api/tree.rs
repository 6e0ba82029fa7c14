//! A JSON text that is changed in places: only the objects on the way to a change are taken apart.
//!
//! Everything else stays the text it was, so that numbers keep their digits: they never become binary floats here.

use std::borrow::Cow;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A value, parsed as far as needed.
#[derive(Debug)]
pub(super) enum Tree<'a> {
    /// JSON text.
    Text(Cow<'a, str>),
    Object(Vec<(String, Tree<'a>)>),
    Array(Vec<Tree<'a>>),
}

/// An array on the way to a place has so many elements, and none of this name.
#[derive(Debug)]
pub(super) struct NoRoom {
    pub(super) part: String,
    pub(super) length: usize,
}

/// What a schema says of a member or an element; null where it says nothing.
pub(super) fn below<'s>(schema: &'s Value, part: &str) -> &'s Value {
    match part.parse::<usize>() {
        Ok(_) if schema["items"].is_object() => &schema["items"],
        _ => &schema["properties"][part],
    }
}

/// Where a value stands: names of members, and numbers of elements, from the outside in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place(Vec<String>);

impl Place {
    /// Reads `/a/b`, a JSON Pointer, or `a/b`, as mappings of the API toolkit have it; `.` and nothing are the whole value.
    ///
    /// # Errors
    /// A part is empty, or `~` is followed by something else than 0 or 1.
    pub fn parse(text: &str) -> Result<Self, String> {
        if matches!(text, "" | "." | "/") {
            return Ok(Self::default());
        }
        let parts = text.strip_prefix('/').unwrap_or(text).split('/');
        let parts: Result<Vec<String>, String> = parts
            .map(|part| {
                if part.is_empty() || part.replace("~0", "").replace("~1", "").contains('~') {
                    return Err(format!("{text:?} is not a place such as /name/part"));
                }
                Ok(part.replace("~1", "/").replace("~0", "~"))
            })
            .collect();
        Ok(Self(parts?))
    }

    pub fn of(parts: impl IntoIterator<Item = String>) -> Self {
        Self(parts.into_iter().collect())
    }

    pub fn parts(&self) -> &[String] {
        &self.0
    }
}

/// As `parse` reads it: `a/b`, or `.` for the whole.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        for (index, part) in self.0.iter().enumerate() {
            let slash = if index == 0 { "" } else { "/" };
            write!(f, "{slash}{}", part.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

impl<'a> Tree<'a> {
    /// The value of a text, checked to be JSON.
    ///
    /// # Errors
    /// It is not JSON in UTF-8.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, serde_json::Error> {
        let raw: &'a RawValue = serde_json::from_slice(bytes)?;
        Ok(Self::Text(Cow::Borrowed(raw.get())))
    }

    pub(super) fn empty_object() -> Self {
        Self::Object(Vec::new())
    }

    pub(super) fn is_object(&self) -> bool {
        match self {
            Self::Text(text) => text.starts_with('{'),
            Self::Object(_) => true,
            Self::Array(_) => false,
        }
    }

    /// The text of the value at a place, if there is one.
    pub(super) fn get(&mut self, place: &Place) -> Option<String> {
        let mut here = self;
        for part in &place.0 {
            here = here.child(part)?;
        }
        let mut text = String::new();
        here.write(&mut text);
        Some(text)
    }

    /// Puts a value to a place, with the objects that lead there, and the arrays where the schema has one. What is there and
    /// is neither gives way. An array takes an element behind its last one.
    ///
    /// # Errors
    /// An array is on the way, and has no such element and no room for it.
    pub(super) fn set(&mut self, place: &Place, value: Tree<'a>, schema: Option<&Value>) -> Result<(), NoRoom> {
        let mut here = self;
        let mut schema = schema;
        for part in &place.0 {
            here.open();
            if schema.is_some_and(|schema| schema["type"] == "array") && !matches!(here, Tree::Array(_)) {
                *here = Tree::Array(Vec::new());
            }
            here = match here {
                Tree::Array(items) => {
                    let length = items.len();
                    match part.parse::<usize>() {
                        Ok(index) if index <= length => {
                            if index == length {
                                items.push(Self::empty_object());
                            }
                            &mut items[index]
                        }
                        _ => return Err(NoRoom { part: part.clone(), length }),
                    }
                }
                other => other.member_or_new(part),
            };
            schema = schema.map(|schema| below(schema, part));
        }
        *here = value;
        Ok(())
    }

    /// Takes the value at a place away; an element of an array moves those behind it.
    pub(super) fn remove(&mut self, place: &Place) {
        let Some((last, way)) = place.0.split_last() else {
            *self = Self::empty_object();
            return;
        };
        let mut here = self;
        for part in way {
            match here.child(part) {
                Some(child) => here = child,
                None => return,
            }
        }
        here.open();
        match here {
            Tree::Object(members) => members.retain(|(name, _)| name != last),
            Tree::Array(items) => {
                if let Some(index) = last.parse::<usize>().ok().filter(|&index| index < items.len()) {
                    items.remove(index);
                }
            }
            Tree::Text(_) => {}
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => out.push_str(text),
            Self::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(&quoted(name));
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
        }
    }

    fn child(&mut self, part: &str) -> Option<&mut Tree<'a>> {
        self.open();
        match self {
            Self::Object(members) => members.iter_mut().rfind(|(name, _)| name == part).map(|(_, value)| value),
            Self::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
            Self::Text(_) => None,
        }
    }

    fn member_or_new(&mut self, part: &str) -> &mut Tree<'a> {
        if !matches!(self, Self::Object(_)) {
            *self = Self::empty_object();
        }
        let Self::Object(members) = self else { unreachable!("it was made an object just now") };
        // Of members with one name the last counts, for most readers; what is set is the only one afterwards.
        match members.iter().rposition(|(name, _)| name == part) {
            Some(last) => {
                let mut index = 0;
                members.retain(|(name, _)| {
                    index += 1;
                    name != part || index > last
                });
            }
            None => members.push((part.to_owned(), Self::empty_object())),
        }
        let index = members.iter().position(|(name, _)| name == part).expect("it is there, or was added just now");
        &mut members[index].1
    }

    /// Takes the text of an object or an array apart by one level.
    fn open(&mut self) {
        let Self::Text(text) = self else { return };
        let opened = match text {
            Cow::Borrowed(text) => Level::of(text),
            Cow::Owned(text) => Level::of(text).map(Level::into_owned),
        };
        match opened {
            Some(Level::Object(members)) => *self = Self::Object(members),
            Some(Level::Array(items)) => *self = Self::Array(items),
            None => {}
        }
    }
}

/// One level of a text.
pub(super) enum Level<'a> {
    Object(Vec<(String, Tree<'a>)>),
    Array(Vec<Tree<'a>>),
}

impl<'a> Level<'a> {
    /// `None` for what is neither an object nor an array.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        match text.as_bytes().first() {
            Some(b'{') => serde_json::from_str(text).ok().map(|Members(members)| Self::Object(members)),
            Some(b'[') => serde_json::from_str(text).ok().map(|Items(items)| Self::Array(items)),
            _ => None,
        }
    }

    fn into_owned<'b>(self) -> Level<'b> {
        let owned = |tree| match tree {
            Tree::Text(text) => Tree::Text(Cow::Owned(text.into_owned())),
            Tree::Object(_) | Tree::Array(_) => unreachable!("one level is opened at a time"),
        };
        match self {
            Self::Object(members) => {
                Level::Object(members.into_iter().map(|(name, value)| (name, owned(value))).collect())
            }
            Self::Array(items) => Level::Array(items.into_iter().map(owned).collect()),
        }
    }
}

struct Members<'a>(Vec<(String, Tree<'a>)>);
struct Items<'a>(Vec<Tree<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneLevel;
        impl<'de> Visitor<'de> for OneLevel {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members: Vec<(String, Tree<'de>)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    members.push((name, Tree::Text(Cow::Borrowed(value.get()))));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(OneLevel)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneLevel;
        impl<'de> Visitor<'de> for OneLevel {
            type Value = Items<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Items<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(value) = seq.next_element::<&'de RawValue>()? {
                    items.push(Tree::Text(Cow::Borrowed(value.get())));
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(OneLevel)
    }
}

/// A text as JSON writes it.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
