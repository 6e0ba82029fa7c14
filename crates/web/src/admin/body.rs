//! Bodies of POST and PATCH: an object of groups becomes settings of the attribute table.
//!
//! Nothing is passed over: a member that the table does not have, or that cannot be set, is refused by name.
//!
//! No attribute is an array, so the elements of one are read and forgotten: however long it is, it costs no memory.

use std::fmt;

use bytes::Bytes;
use command::command::Setting;
use model::definition::attribute::{Access, Attribute, JsonWord, Kind, Membership, Value, ValueType, View, Word};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use crate::error::{self, ApiError};
use crate::request_body::RequestBody;
use crate::service::Call;

/// Groups within groups.
const DEEPEST: usize = 8;
/// More members than any object has attributes.
const MOST_MEMBERS: usize = 1000;

/// The bytes of a body, which is never longer than `limits.administrative_body_bytes`.
///
/// # Errors
/// As `RequestBody::read`.
pub(super) async fn read(call: Call<'_>, body: &mut RequestBody<'_>) -> Result<Bytes, ApiError> {
    let limits = &call.settings.options.limits;
    body.read(limits, limits.administrative_body_bytes.min(limits.body_bytes)).await
}

/// # Errors
/// 400: not a JSON object.
pub(super) fn object(body: &[u8]) -> Result<Map<String, Json>, ApiError> {
    let mut members = MOST_MEMBERS;
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = Limited { depth: DEEPEST, members: &mut members }.deserialize(&mut reader);
    match read.and_then(|value| reader.end().map(|()| value)) {
        Ok(Json::Object(members)) => Ok(members),
        Ok(_) => Err(ApiError::new(&error::BODY_NOT_VALID, &["expected an object"])),
        Err(problem) => Err(ApiError::new(&error::BODY_NOT_VALID, &[&problem.to_string()])),
    }
}

/// Takes a text out of the object.
///
/// # Errors
/// 400: it is there and not a text.
pub(super) fn take_text(members: &mut Map<String, Json>, name: &str) -> Result<Option<String>, ApiError> {
    match members.remove(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(other) => Err(ApiError::attribute_value(name, &other.to_string(), "expected a text")),
    }
}

/// Settings of an object of `kind`. `current` is what the object holds now, for values that several members share.
///
/// # Errors
/// 400: no such member (MQWB0120E), or a value the attribute cannot have.
pub(super) fn settings(
    kind: Kind,
    membership: Membership,
    members: &Map<String, Json>,
    current: Option<View<'_>>,
) -> Result<Vec<Setting>, ApiError> {
    let mut reading = Reading { kind, membership, settings: Vec::new(), shared: Vec::new() };
    reading.object("", members)?;
    reading.finish(current)
}

struct Reading {
    kind: Kind,
    membership: Membership,
    settings: Vec<Setting>,
    /// Attributes of which each word is a member of its own, with what was said of a word.
    shared: Vec<(&'static Attribute, i64, bool)>,
}

impl Reading {
    fn object(&mut self, prefix: &str, members: &Map<String, Json>) -> Result<(), ApiError> {
        for (name, value) in members {
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match value {
                Json::Object(inner) if is_group(self.membership, self.kind, &path) => self.object(&path, inner)?,
                value => self.member(&path, value)?,
            }
        }
        Ok(())
    }

    fn member(&mut self, path: &str, value: &Json) -> Result<(), ApiError> {
        if let Some((attribute, code)) = shared_word(self.membership, self.kind, path) {
            let truth = value.as_bool().ok_or_else(|| wrong(path, value, "expected true or false"))?;
            self.shared.push((attribute, code, truth));
            return Ok(());
        }
        let attribute =
            self.membership.by_json(self.kind, path).filter(|attribute| attribute.access != Access::ReadOnly);
        let attribute = attribute.ok_or_else(|| ApiError::attribute_unknown(path))?;
        let value = parse(attribute, path, value)?;
        self.settings.push(Setting { attribute, value });
        Ok(())
    }

    fn finish(mut self, current: Option<View<'_>>) -> Result<Vec<Setting>, ApiError> {
        while let Some((attribute, ..)) = self.shared.first().copied() {
            let (said, others): (Vec<_>, Vec<_>) =
                self.shared.iter().partition(|(other, ..)| std::ptr::eq(*other, attribute));
            self.shared = others;
            let now = current.and_then(|view| (attribute.read)(view)).and_then(|value| value.number());
            let path = attribute.json.unwrap_or(attribute.mqsc);
            let mut switched_on = said.iter().filter(|(_, _, truth)| *truth).map(|(_, code, _)| *code);
            let code = match (switched_on.next(), switched_on.next()) {
                (Some(code), None) => Some(code),
                (Some(_), Some(_)) => return Err(ApiError::attribute_value(path, "true", "only one may be true")),
                // What is on is switched off; what is not stays as it is.
                _ => said.iter().any(|(_, code, _)| now.is_none_or(|now| now == *code)).then(|| off(attribute)),
            };
            if let Some(code) = code {
                self.settings.push(Setting { attribute, value: Value::Integer(code) });
            }
        }
        Ok(self.settings)
    }
}

/// The number of the word that is no member.
fn off(attribute: &Attribute) -> i64 {
    let words = attribute.value.words();
    words.iter().find(|word| !matches!(word.json, JsonWord::Member(_))).map_or(0, |word| word.code)
}

fn is_group(membership: Membership, kind: Kind, path: &str) -> bool {
    let has_prefix = |name: &str| name.strip_prefix(path).is_some_and(|tail| tail.starts_with('.'));
    membership.of(kind).filter_map(|row| row.json).any(|name| name == path || has_prefix(name))
}

/// The attribute of which the last part of `path` is a word, and the word's number.
fn shared_word(membership: Membership, kind: Kind, path: &str) -> Option<(&'static Attribute, i64)> {
    let (parent, last) = path.rsplit_once('.')?;
    let attribute = membership.by_json(kind, parent)?;
    let is_named = |word: JsonWord| matches!(word, JsonWord::Member(name) if name == last);
    let word = attribute.value.words().iter().find(|word| is_named(word.json))?;
    Some((attribute, word.code))
}

/// What a member's value means for its attribute.
fn parse(attribute: &Attribute, path: &str, json: &Json) -> Result<Value, ApiError> {
    let words = attribute.value.words();
    let word = words.iter().find(|word| match word.json {
        JsonWord::Text(text) => json.as_str() == Some(text),
        JsonWord::Bool(truth) => json.as_bool() == Some(truth),
        JsonWord::Member(_) | JsonWord::None => false,
    });
    let value = match (word, &attribute.value, json) {
        (Some(word), ..) => Value::Integer(word.code),
        (None, ValueType::Integer { .. }, Json::Number(_)) => {
            Value::Integer(json.as_i64().ok_or_else(|| wrong(path, json, "expected a whole number"))?)
        }
        (None, ValueType::Name | ValueType::Text { .. } | ValueType::Hexadecimal { .. }, Json::String(text)) => {
            Value::Text(text.trim_end_matches(' ').to_owned())
        }
        _ => return Err(wrong(path, json, &expected(attribute))),
    };
    attribute.value.check(&value).map_err(|problem| wrong(path, json, &problem.to_string()))?;
    Ok(value)
}

/// What would have been a value, in REST's words.
fn expected(attribute: &Attribute) -> String {
    let spelled = |word: &Word| match word.json {
        JsonWord::Text(text) => Some(format!("\"{text}\"")),
        JsonWord::Bool(truth) => Some(truth.to_string()),
        JsonWord::Member(_) | JsonWord::None => None,
    };
    let words: Vec<_> = attribute.value.words().iter().filter_map(spelled).collect();
    match &attribute.value {
        _ if !words.is_empty() => format!("expected one of {}", words.join(", ")),
        ValueType::Integer { minimum, maximum, .. } => format!("expected a number from {minimum} to {maximum}"),
        _ => "expected a text".to_owned(),
    }
}

fn wrong(path: &str, value: &Json, problem: &str) -> ApiError {
    ApiError::attribute_value(path, &value.to_string(), problem)
}

/// Reads a value of bounded depth with a bounded number of members. Of an array there remains that it is one.
struct Limited<'m> {
    depth: usize,
    /// How many more there may be.
    members: &'m mut usize,
}

impl<'de> DeserializeSeed<'de> for Limited<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Limited<'_> {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut any = false;
        while elements.next_element::<IgnoredAny>()?.is_some() {
            any = true;
        }
        Ok(Json::Array(if any { vec!["…".into()] } else { Vec::new() }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| A::Error::custom("objects within too many objects"))?;
        let mut found = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            *self.members = self.members.checked_sub(1).ok_or_else(|| A::Error::custom("too many members"))?;
            let value = access.next_value_seed(Limited { depth, members: self.members })?;
            found.insert(name, value);
        }
        Ok(Json::Object(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(body: &str) -> String {
        format!("{:?}", object(body.as_bytes()).expect_err("too much"))
    }

    #[test]
    fn arrays_are_forgotten_and_depth_and_members_are_bounded() {
        let read = object(br#"{"a": {"b": -1, "c": "x", "d": true, "e": 1.5}, "f": [[0], 1], "g": [], "h": null}"#);
        let expected = serde_json::json!({
            "a": {"b": -1, "c": "x", "d": true, "e": 1.5}, "f": ["…"], "g": [], "h": null
        });
        assert_eq!(Json::Object(read.expect("an object")), expected);
        assert!(refusal(&("{\"a\":".repeat(9) + "1" + &"}".repeat(9))).contains("too many objects"));
        let many: Vec<_> = (0..=MOST_MEMBERS).map(|number| format!("\"{number}\": 0")).collect();
        assert!(refusal(&format!("{{{}}}", many.join(","))).contains("too many members"));
        assert!(object(b"{} {}").is_err() && object(b"{\"a\"").is_err());
    }
}
