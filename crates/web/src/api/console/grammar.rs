//! `/mqsc/grammar`: the commands with their keywords, values and help, for an editor that completes them.
//!
//! Made once, of the tables that read commands: it changes with the program alone.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use bytes::Bytes;
use command::mqsc::grammar::{CommandGrammar, KeywordGrammar, ObjectGrammar, grammar, verbs};
use http::{HeaderValue, StatusCode, header};
use model::definition::attribute::{Access, Attribute, Kind, Membership, ValueType, Word};
use serde_json::{Map, Value, json};

use crate::accept_encoding::{self, Encoding};
use crate::answer::{self, Answer};
use crate::entity_tag::EntityTag;
use crate::error::ApiError;
use crate::service::Call;
use crate::{gzip, query};

use super::super::PLAIN_JSON;

struct Printed {
    plain: Bytes,
    gzip: Bytes,
    hash: u64,
}

static PRINTED: LazyLock<Printed> = LazyLock::new(|| {
    let objects: Vec<_> = grammar().iter().map(object).collect();
    let text = json!({ "verbs": verbs(), "objects": objects }).to_string();
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    Printed { gzip: gzip::compress(text.as_bytes()).into(), plain: text.into(), hash: hasher.finish() }
});

/// GET of `/mqsc/grammar`.
///
/// # Errors
/// 400 a query.
pub(super) fn show(call: Call<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let encoding = accept_encoding::choose(call.headers(), &[Encoding::Gzip]);
    let tag = EntityTag::new(&format!("{:016x}{}", PRINTED.hash, encoding.name().unwrap_or_default()));
    let mut answer = tag.not_modified(call.headers()).unwrap_or_else(|| {
        let bytes = if encoding == Encoding::Gzip { &PRINTED.gzip } else { &PRINTED.plain };
        let mut answer = answer::of_service(StatusCode::OK, Some(PLAIN_JSON), bytes.clone());
        if let Some(name) = encoding.name() {
            answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        tag.decorate(&mut answer);
        answer
    });
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
    Ok(answer)
}

fn object(of: &ObjectGrammar) -> Value {
    let mut shown = json!({
        "object": of.word,
        "synonyms": of.synonyms,
        "commands": of.commands.iter().map(command).collect::<Vec<_>>(),
    });
    if let Some(keyword) = of.type_keyword {
        shown["typeKeyword"] = json!(keyword);
    }
    if !of.attributes.is_empty() {
        shown["attributes"] = of.attributes.iter().map(|one| attribute(one, of.kinds)).collect();
    }
    if !of.shown.is_empty() {
        shown["shown"] =
            of.shown.iter().map(|(keyword, of)| json!({ "keyword": keyword, "value": value(of) })).collect();
    }
    shown
}

fn command(of: &CommandGrammar) -> Value {
    let mut shown = json!({
        "verb": of.verb,
        "parameters": of.parameters,
        "keywords": of.keywords.iter().map(keyword).collect::<Vec<_>>(),
        "help": of.sentence,
    });
    mark(&mut shown, of.membership);
    shown
}

/// What members of a queue-sharing group alone have says so.
fn mark(shown: &mut Value, membership: Membership) {
    if membership == Membership::Member {
        shown["group"] = json!(true);
    }
}

fn keyword(of: &KeywordGrammar) -> Value {
    let mut shown = json!({ "keyword": of.keyword });
    if let Some(operand) = of.operand {
        shown["operand"] = json!(operand);
    }
    if !of.words.is_empty() {
        shown["words"] = json!(of.words);
    }
    mark(&mut shown, of.membership);
    shown
}

/// `kinds`: those of the object.
fn attribute(of: &Attribute, kinds: &[Kind]) -> Value {
    let mut shown = Map::new();
    shown.insert("keyword".to_owned(), json!(of.mqsc));
    let synonyms: Vec<_> = of.keywords().skip(1).collect();
    if !synonyms.is_empty() {
        shown.insert("synonyms".to_owned(), json!(synonyms));
    }
    shown.insert("value".to_owned(), value(&of.value));
    let applies: Vec<Kind> = kinds.iter().copied().filter(|kind| of.applies(*kind)).collect();
    let default = applies.first().and_then(|kind| of.default_value(*kind)).map(|value| of.value.word_or_text(&value));
    if let Some(default) = default.filter(|default| of.access != Access::ReadOnly && !default.is_empty()) {
        shown.insert("default".to_owned(), json!(default));
    }
    let set_by: &[&str] = match of.access {
        Access::Settable if kinds == [Kind::QueueManager] => &["ALTER"],
        Access::Settable => &["DEFINE", "ALTER"],
        Access::Fixed => &["DEFINE"],
        Access::ReadOnly => &[],
    };
    shown.insert("setBy".to_owned(), json!(set_by));
    if applies.len() < kinds.len() {
        let types: Vec<_> =
            applies.iter().map(|kind| kind.type_parameter().map_or(kind.mqsc(), |(_, word)| word)).collect();
        shown.insert("types".to_owned(), json!(types));
    }
    shown.insert("help".to_owned(), json!(of.help));
    let mut shown = Value::Object(shown);
    mark(&mut shown, of.membership);
    shown
}

fn value(of: &ValueType) -> Value {
    let words = |words: &[Word]| words.iter().map(|word| word.mqsc).collect::<Vec<_>>();
    match of {
        ValueType::Integer { minimum, maximum, unit, words: beside } => {
            let mut shown = json!({ "is": "number", "minimum": minimum });
            if *maximum != i64::MAX {
                shown["maximum"] = json!(maximum);
            }
            if !unit.is_empty() {
                shown["unit"] = json!(unit);
            }
            if !beside.is_empty() {
                shown["words"] = json!(words(beside));
            }
            shown
        }
        ValueType::Choice(of) => json!({ "is": "word", "words": words(of) }),
        ValueType::Flag(of) => json!({ "is": "flag", "words": words(*of) }),
        ValueType::Name => json!({ "is": "name" }),
        ValueType::Text { maximum } => json!({ "is": "text", "maximum": maximum }),
        ValueType::Hexadecimal { bytes } => json!({ "is": "hexadecimal", "maximum": bytes * 2 }),
        ValueType::Date => json!({ "is": "date" }),
        ValueType::Time => json!({ "is": "time" }),
        ValueType::List => json!({ "is": "list" }),
        ValueType::Names { maximum } => json!({ "is": "names", "most": maximum }),
        ValueType::Texts { maximum, length } => json!({ "is": "texts", "most": maximum, "maximum": length }),
        ValueType::Words { words: of, maximum } => json!({ "is": "words", "words": words(of), "most": maximum }),
        ValueType::Secret { maximum } => json!({ "is": "secret", "maximum": maximum }),
    }
}
