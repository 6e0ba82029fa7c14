//! Schemas of an API's description, as far as they have a place in a structure.
//!
//! References are followed and `allOf` is flattened; what cannot be mapped is left out and noted, one note a construct. A required
//! member of a request cannot be left out: the operation could not be called, and is unusable then.
//! Source: reference, 1.3 and 2.3.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::options::AdditionalOptions;

/// Deepest nesting of schemas: one level of items is kept for groups around texts.
const MAXIMUM_DEPTH: usize = 13;
/// Most schemas of one operation's request or response.
const MAXIMUM_SCHEMAS: usize = crate::structure::MAXIMUM_ITEMS;
/// Most references and `allOf` followed from one schema.
const MAXIMUM_PARTS: usize = 64;
/// Longest text that has a place, in characters.
const MAXIMUM_TEXT: u32 = 16_777_215;

/// A value of an object, a parameter, a header, or a group of the record.
#[derive(Debug, Clone)]
pub(crate) struct Property<'a> {
    pub(crate) name: &'a str,
    pub(crate) required: bool,
    /// Of the parameter or header, where the schema has none.
    pub(crate) description: Option<&'a str>,
    pub(crate) schema: Schema<'a>,
}

/// A schema that has a place.
#[derive(Debug, Clone)]
pub(crate) struct Schema<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) nullable: bool,
    /// What it was made of: a schema, and those that `allOf` adds to it. Empty for a group of parameters.
    pub(crate) parts: Vec<&'a Map<String, Value>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind<'a> {
    Object {
        properties: Vec<Property<'a>>,
    },
    Array {
        items: Box<Schema<'a>>,
        minimum: u32,
        maximum: Option<u32>,
    },
    Text {
        minimum: u32,
        maximum: Option<u32>,
        format: TextFormat,
    },
    Integer {
        is_short: bool,
        minimum: Option<i128>,
        maximum: Option<i128>,
    },
    Float {
        is_single: bool,
    },
    /// Of this many digits behind the decimal point; before it, those of the maximum if there is one.
    Decimal {
        scale: Option<u8>,
        minimum: Option<i128>,
        maximum: Option<i128>,
    },
    Boolean,
    /// Members of an object beyond its properties; the last of these. An entry is an object of a name and a value.
    Map {
        entry: Box<Schema<'a>>,
        maximum: u32,
    },
    /// Any JSON value, as JSON text.
    Json {
        characters: u32,
    },
}

/// What the members beyond the properties of an object are called, and what the parts of each.
const MAP: &str = "additionalProperties";
const ENTRY_NAME: &str = "property_name";
const ENTRY_VALUE: &str = "property_value";

/// What a text says, as far as it matters to how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFormat {
    Any,
    Date,
    DateTime,
}

impl<'a> Schema<'a> {
    /// One that no schema of the description stands for.
    fn plain(kind: Kind<'a>) -> Self {
        Self { kind, nullable: false, parts: Vec::new() }
    }

    /// The schema of values beyond the properties of an object; `None` for any JSON.
    pub(crate) fn of_more(&self) -> Option<&Self> {
        let Kind::Map { entry, .. } = &self.kind else { return None };
        let Kind::Object { properties } = &entry.kind else { return None };
        properties.last().map(|value| &value.schema).filter(|value| !matches!(value.kind, Kind::Json { .. }))
    }

    /// The first value of a keyword.
    pub(crate) fn keyword(&self, name: &str) -> Option<&'a Value> {
        keyword(&self.parts, name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.keyword(name)?.as_str()
    }
}

/// What was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// `ReqBody->order->lines`.
    pub(crate) place: String,
    pub(crate) problem: String,
}

/// Which way the values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Request,
    Response,
}

/// What has a place, as level and properties say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    pub(crate) arrays_of_arrays: bool,
    pub(crate) additional: Option<AdditionalOptions>,
}

/// Reads schemas of one request or response.
pub(crate) struct Reader<'a> {
    root: &'a Value,
    direction: Direction,
    places: Places,
    pub(crate) dropped: Vec<Dropped>,
    /// Why the operation cannot be used.
    pub(crate) unusable: Option<Dropped>,
    schemas: usize,
    /// References that are being followed.
    following: Vec<&'a str>,
    path: Vec<&'a str>,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(root: &'a Value, direction: Direction, places: Places) -> Self {
        let (dropped, following, path) = (Vec::new(), Vec::new(), Vec::new());
        Self { root, direction, places, dropped, unusable: None, schemas: 0, following, path, depth: 0 }
    }

    /// A group of parameters or headers: `None` when it has none that has a place.
    pub(crate) fn group(&mut self, name: &'a str, members: &[Member<'a>]) -> Option<Property<'a>> {
        self.path.push(name);
        let mut properties = Vec::with_capacity(members.len());
        for member in members {
            let Some(property) = self.property(member) else { continue };
            let is_structured = |schema: &Schema<'_>| matches!(schema.kind, Kind::Object { .. } | Kind::Array { .. });
            let is_impossible = match &property.schema.kind {
                Kind::Array { items, .. } => is_structured(items),
                _ => is_structured(&property.schema),
            };
            if is_impossible {
                self.leave_out(member.name, "an object cannot be mapped in a parameter or header", member.required);
            } else {
                properties.push(property);
            }
        }
        self.path.pop();
        if properties.is_empty() {
            return None;
        }
        let schema = Schema::plain(Kind::Object { properties });
        Some(Property { name, required: true, description: None, schema })
    }

    /// A body; `None` when it cannot be mapped.
    pub(crate) fn body(&mut self, name: &'a str, schema: &'a Value) -> Option<Property<'a>> {
        self.property(&Member { name, required: true, description: None, schema })
    }

    /// Notes a construct beside the schemas that cannot be mapped.
    pub(crate) fn leave_out(&mut self, name: &'a str, problem: impl Into<String>, required: bool) {
        self.path.push(name);
        self.note(problem.into(), required);
        self.path.pop();
    }

    fn note(&mut self, problem: String, required: bool) {
        let dropped = Dropped { place: self.path.join("->"), problem };
        if required && self.direction == Direction::Request && self.unusable.is_none() {
            self.unusable = Some(dropped.clone());
        }
        self.dropped.push(dropped);
    }

    fn property(&mut self, member: &Member<'a>) -> Option<Property<'a>> {
        self.path.push(member.name);
        let read = self.schema(member.schema);
        let property = match read {
            Ok(schema) => {
                let Member { name, required, description, .. } = *member;
                Some(Property { name, required, description, schema })
            }
            Err(problem) => {
                self.note(problem, member.required);
                None
            }
        };
        self.path.pop();
        property
    }

    fn schema(&mut self, value: &'a Value) -> Result<Schema<'a>, String> {
        self.schemas += 1;
        if self.schemas > MAXIMUM_SCHEMAS {
            return Err(format!("there are more than {MAXIMUM_SCHEMAS} schemas"));
        }
        if self.depth > MAXIMUM_DEPTH {
            return Err(format!("it is nested deeper than {MAXIMUM_DEPTH} levels"));
        }
        let mut parts = Vec::new();
        self.collect(value, &mut parts, &mut Vec::new())?;
        self.of_parts(&parts)
    }

    /// Reads what is inside a part; references that lead to the part are circles there.
    fn inside<T>(&mut self, part: &Part<'a>, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.following.len();
        self.following.extend(&part.chain);
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        self.following.truncate(before);
        read
    }

    /// Follows references and `allOf`; `chain` are the references followed to here.
    fn collect(&self, value: &'a Value, parts: &mut Vec<Part<'a>>, chain: &mut Vec<&'a str>) -> Result<(), String> {
        let before = chain.len();
        let mut value = value;
        while let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            if self.following.contains(&reference) || chain.contains(&reference) {
                return Err(format!("{reference} refers to itself"));
            }
            chain.push(reference);
            value = resolve(self.root, reference)?;
        }
        let Value::Object(map) = value else { return Err("it has no schema".to_owned()) };
        if parts.len() >= MAXIMUM_PARTS || chain.len() > MAXIMUM_PARTS {
            return Err("it is put together of too many parts".to_owned());
        }
        if map.contains_key("not") {
            return Err("not cannot be mapped to a structure".to_owned());
        }
        parts.push(Part { map, chain: chain.clone() });
        for keyword in ["allOf", "oneOf", "anyOf"] {
            let Some(list) = map.get(keyword) else { continue };
            let Value::Array(list) = list else { return Err(format!("{keyword} is no list")) };
            if keyword != "allOf" && list.len() != 1 {
                return Err(format!("{keyword} cannot be mapped to a structure"));
            }
            for part in list {
                self.collect(part, parts, chain)?;
            }
        }
        chain.truncate(before);
        Ok(())
    }

    fn of_parts(&mut self, collected: &[Part<'a>]) -> Result<Schema<'a>, String> {
        let parts: Vec<_> = collected.iter().map(|part| part.map).collect();
        let is_object = parts.iter().any(|part| part.contains_key("properties") || part.contains_key(MAP));
        let kind = match keyword(&parts, "type") {
            Some(Value::String(word)) => word.as_str(),
            Some(Value::Array(_)) => return Err("a list of types cannot be mapped to a structure".to_owned()),
            Some(_) => return Err("its type is not a text".to_owned()),
            None if is_object => "object",
            None if keyword(&parts, "items").is_some() => "array",
            None => return Err("it has no type".to_owned()),
        };
        let nullable = ["nullable", "x-nullable"].iter().any(|name| keyword(&parts, name) == Some(&Value::Bool(true)));
        let kind = match kind {
            "object" => self.object(collected)?,
            "array" => self.array(collected)?,
            "string" => text(&parts)?,
            "integer" => integer(&parts),
            "number" => number(&parts),
            "boolean" => Kind::Boolean,
            "null" => return Err("the type null cannot be mapped to a structure".to_owned()),
            "file" => return Err("files cannot be mapped to a structure".to_owned()),
            other => return Err(format!("there is no type {other}")),
        };
        Ok(Schema { kind, nullable, parts })
    }

    fn object(&mut self, parts: &[Part<'a>]) -> Result<Kind<'a>, String> {
        let mut required: Vec<&str> = Vec::new();
        let mut members: Vec<(&'a str, &'a Value, &Part<'a>)> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for part in parts {
            if let Some(Value::Array(names)) = part.map.get("required") {
                required.extend(names.iter().filter_map(Value::as_str));
            }
            let Some(Value::Object(properties)) = part.map.get("properties") else { continue };
            for (name, schema) in properties {
                // Only another part can have a member of the same name.
                match known.get(name.as_str()) {
                    Some(&index) => members[index] = (name, schema, part),
                    None => {
                        if parts.len() > 1 {
                            known.insert(name, members.len());
                        }
                        members.push((name, schema, part));
                    }
                }
            }
        }
        required.sort_unstable();
        let mut properties = Vec::with_capacity(members.len());
        for (name, schema, part) in members {
            let required = required.binary_search(&name).is_ok();
            let member = Member { name, required, description: None, schema };
            properties.extend(self.inside(part, |reader| reader.property(&member)));
        }
        let more = parts.iter().find_map(|part| {
            let more = part.map.get(MAP).filter(|more| **more != Value::Bool(false))?;
            Some((more, part))
        });
        match (more, self.places.additional) {
            (Some((more, part)), Some(options)) => properties.push(self.map(more, part, options)),
            (Some(_), None) => self.note(format!("{MAP} need mappingLevel=5.0"), false),
            (None, _) => {}
        }
        if properties.is_empty() {
            return Err("an object without properties cannot be mapped to a structure".to_owned());
        }
        Ok(Kind::Object { properties })
    }

    /// Members beyond the properties. Values whose schema cannot be mapped, or that have none, are JSON text.
    fn map(&mut self, more: &'a Value, part: &Part<'a>, options: AdditionalOptions) -> Property<'a> {
        let AdditionalOptions { size, most } = options;
        let (dropped, unusable) = (self.dropped.len(), self.unusable.clone());
        self.path.push(MAP);
        // The map and its entries stand around the value.
        self.depth += 2;
        let read = self.inside(part, |reader| match more {
            Value::Object(schema) if !schema.is_empty() => reader.schema(more).ok(),
            _ => None,
        });
        self.depth -= 2;
        self.path.pop();
        let mut value = read.unwrap_or_else(|| {
            self.dropped.truncate(dropped);
            self.unusable = unusable;
            Schema::plain(Kind::Json { characters: size })
        });
        if let Kind::Text { minimum, maximum: maximum @ None, format: TextFormat::Any } = &mut value.kind {
            *maximum = Some(size).filter(|size| *size > *minimum);
        }
        let name = Schema::plain(Kind::Text { minimum: 0, maximum: None, format: TextFormat::Any });
        let part = |name, schema| Property { name, required: true, description: None, schema };
        let properties = vec![part(ENTRY_NAME, name), part(ENTRY_VALUE, value)];
        let entry = Box::new(Schema::plain(Kind::Object { properties }));
        let schema = Schema::plain(Kind::Map { entry, maximum: most });
        Property { name: MAP, required: false, description: None, schema }
    }

    fn array(&mut self, parts: &[Part<'a>]) -> Result<Kind<'a>, String> {
        let found = parts.iter().find_map(|part| Some((part.map.get("items")?, part)));
        let (items, part) = match found {
            Some((Value::Array(_), _)) => {
                return Err("a list of schemas as items cannot be mapped to a structure".to_owned());
            }
            Some(found) => found,
            None => return Err("an array without items cannot be mapped to a structure".to_owned()),
        };
        let maps: Vec<_> = parts.iter().map(|part| part.map).collect();
        let minimum = count(&maps, "minItems")?.unwrap_or(0);
        let maximum = count(&maps, "maxItems")?;
        if maximum == Some(0) || maximum.is_some_and(|maximum| minimum > maximum) {
            return Err("no array has as many items as it states".to_owned());
        }
        let items =
            self.inside(part, |reader| reader.schema(items)).map_err(|problem| format!("its items: {problem}"))?;
        if matches!(items.kind, Kind::Array { .. }) && !self.places.arrays_of_arrays {
            return Err("an array of arrays needs mappingLevel=4.3".to_owned());
        }
        Ok(Kind::Array { items: Box::new(items), minimum, maximum })
    }
}

/// A schema, or one that `allOf` adds to it.
struct Part<'a> {
    map: &'a Map<String, Value>,
    /// References that led to it.
    chain: Vec<&'a str>,
}

/// What is to become a property.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    pub(crate) required: bool,
    pub(crate) description: Option<&'a str>,
    pub(crate) schema: &'a Value,
}

/// What a reference inside the document leads to.
pub(crate) fn resolve<'a>(root: &'a Value, reference: &str) -> Result<&'a Value, String> {
    let Some(pointer) = reference.strip_prefix('#') else {
        return Err(format!("{reference} leads out of the document"));
    };
    let decoded = percent_decoded(pointer);
    root.pointer(&decoded).ok_or_else(|| format!("{reference} does not exist"))
}

/// References are fragments of URIs: a template in one is percent-encoded.
fn percent_decoded(pointer: &str) -> std::borrow::Cow<'_, str> {
    if !pointer.contains('%') {
        return pointer.into();
    }
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = (first == b'%').then(|| behind.get(..2)).flatten().and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

fn keyword<'a>(parts: &[&'a Map<String, Value>], name: &str) -> Option<&'a Value> {
    parts.iter().find_map(|part| part.get(name))
}

/// A keyword that counts something.
fn count(parts: &[&Map<String, Value>], name: &str) -> Result<Option<u32>, String> {
    let Some(value) = keyword(parts, name) else { return Ok(None) };
    match whole(value).map(u32::try_from) {
        Some(Ok(count)) => Ok(Some(count)),
        _ => Err(format!("{name} is no number that has a place")),
    }
}

fn text<'a>(parts: &[&'a Map<String, Value>]) -> Result<Kind<'a>, String> {
    let minimum = count(parts, "minLength")?.unwrap_or(0);
    let mut maximum = count(parts, "maxLength")?;
    if maximum.is_none()
        && let Some(Value::Array(values)) = keyword(parts, "enum")
    {
        let longest = values.iter().filter_map(Value::as_str).map(|value| value.chars().count()).max();
        maximum = longest.and_then(|longest| u32::try_from(longest).ok()).filter(|&longest| longest > 0);
    }
    if maximum == Some(0) || maximum.is_some_and(|maximum| minimum > maximum) {
        return Err("no text is as long as it states".to_owned());
    }
    if maximum.is_some_and(|maximum| maximum > MAXIMUM_TEXT) {
        return Err(format!("a text of more than {MAXIMUM_TEXT} characters cannot be mapped to a structure"));
    }
    let format = match keyword(parts, "format").and_then(Value::as_str) {
        Some("date") => TextFormat::Date,
        Some("date-time") => TextFormat::DateTime,
        _ => TextFormat::Any,
    };
    Ok(Kind::Text { minimum, maximum, format })
}

/// The bounds of a number, those that it may not reach moved by `step`.
fn bounds(parts: &[&Map<String, Value>]) -> (Option<i128>, Option<i128>) {
    let bound = |name: &str, exclusive: &str, step: i128| {
        let is_exclusive = keyword(parts, exclusive) == Some(&Value::Bool(true));
        let bound = whole(keyword(parts, name)?)?;
        Some(if is_exclusive { bound + step } else { bound })
    };
    (bound("minimum", "exclusiveMinimum", 1), bound("maximum", "exclusiveMaximum", -1))
}

fn integer<'a>(parts: &[&'a Map<String, Value>]) -> Kind<'a> {
    let (minimum, maximum) = bounds(parts);
    let is_short = keyword(parts, "format").and_then(Value::as_str) == Some("int32");
    Kind::Integer { is_short, minimum, maximum }
}

fn number<'a>(parts: &[&'a Map<String, Value>]) -> Kind<'a> {
    let bound = |name: &str| keyword(parts, name)?.as_f64();
    // Downwards, so that -0.5 stays negative.
    let (minimum, maximum) =
        (bound("minimum").and_then(|it| truncated(it.floor())), bound("maximum").and_then(truncated));
    let scale = keyword(parts, "multipleOf").and_then(scale_of);
    match keyword(parts, "format").and_then(Value::as_str) {
        Some("decimal") => Kind::Decimal { scale, minimum, maximum: None },
        Some("float") => Kind::Float { is_single: true },
        // Binary floats cannot hold such numbers exactly.
        None if scale.is_some() && maximum.is_some() => Kind::Decimal { scale, minimum, maximum },
        _ => Kind::Float { is_single: false },
    }
}

/// `multipleOf` 0.01 has two digits behind the decimal point.
fn scale_of(value: &Value) -> Option<u8> {
    let number = value.as_f64()?;
    (0..=15u8).find(|&scale| {
        let power = 10f64.powi(-i32::from(scale));
        (number - power).abs() < power * 1e-9
    })
}

/// A whole number, however it is written.
fn whole(value: &Value) -> Option<i128> {
    if let Some(number) = value.as_i64() {
        return Some(number.into());
    }
    if let Some(number) = value.as_u64() {
        return Some(number.into());
    }
    value.as_f64().filter(|number| number.fract() == 0.0).and_then(truncated)
}

/// What stands before the decimal point, unless it is huge.
fn truncated(number: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "it is below 10 to the 30th")]
    (number.abs() < 1e30).then_some(number as i128)
}

#[cfg(test)]
mod tests;
