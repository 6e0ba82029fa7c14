//! The request body: which of the two forms, and its members in types.
//!
//! Member names and `type` are case-sensitive; verb, qualifier and keywords are not. An unknown member is refused.

use serde_json::{Map, Value};

use crate::json::Refusal;
use crate::mqsc::split;

/// More parameters than any object has keywords.
const MOST_PARAMETERS: usize = 256;

/// One command, as the body brought it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// `runCommand`: MQSC.
    Text(String),
    /// `runCommandJSON`.
    Words(Words),
}

/// `runCommandJSON`: words and values, not yet looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// In upper case.
    pub(super) command: String,
    /// In upper case.
    pub(super) qualifier: String,
    /// As given.
    pub(super) name: Option<String>,
    /// Keywords in upper case, no two the same, and their values as given.
    pub(super) parameters: Vec<(String, Vec<String>)>,
    /// In upper case, no two the same.
    pub(super) response_parameters: Vec<String>,
}

impl Request {
    /// Reads the body.
    ///
    /// # Errors
    /// `Body` not JSON or not of this shape; `Attribute` a member nobody knows.
    pub fn read(body: &[u8]) -> Result<Self, Refusal> {
        let value: Value = serde_json::from_slice(body).map_err(|problem| {
            Refusal::Body(format!("no JSON from line {} column {} on", problem.line(), problem.column()))
        })?;
        let Value::Object(mut members) = value else { return Err(expected("an object")) };
        let request = match text(&mut members, "type")?.as_deref() {
            Some("runCommand") => Self::Text(command_text(&mut members)?),
            Some("runCommandJSON") => Self::Words(words(&mut members)?),
            Some(other) => return Err(Refusal::Body(format!("type is '{}'", shortened(other)))),
            None => return Err(expected("the member type")),
        };
        match members.keys().next() {
            Some(unknown) => Err(Refusal::Attribute(shortened(unknown))),
            None => Ok(request),
        }
    }
}

fn expected(what: &str) -> Refusal {
    Refusal::Body(format!("{what} is expected"))
}

/// Enough of a text to be recognised in an error.
fn shortened(text: &str) -> String {
    text.chars().take(64).collect()
}

fn text(members: &mut Map<String, Value>, name: &str) -> Result<Option<String>, Refusal> {
    match members.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(expected(&format!("a string as {name}"))),
    }
}

/// `{"parameters": {"command": "..."}}`: one command; continuation lines, comments and a last semicolon are as in a
/// script.
fn command_text(members: &mut Map<String, Value>) -> Result<String, Refusal> {
    let Some(Value::Object(mut parameters)) = members.remove("parameters") else {
        return Err(expected("an object as parameters"));
    };
    let command = text(&mut parameters, "command")?.ok_or_else(|| expected("the member command of parameters"))?;
    if let Some(unknown) = parameters.keys().next() {
        return Err(Refusal::Attribute(shortened(unknown)));
    }
    let mut commands = split::split(&command);
    match (commands.pop(), commands.is_empty()) {
        (Some(only), true) => Ok(only.text),
        // Several lines: one command that was broken without continuation characters, or a mistake to be told as such.
        (Some(_), false) => Ok(command),
        (None, _) => Err(Refusal::Body("the command is empty".to_owned())),
    }
}

fn words(members: &mut Map<String, Value>) -> Result<Words, Refusal> {
    let mut required = |name: &str| -> Result<String, Refusal> {
        let text = text(members, name)?.ok_or_else(|| expected(&format!("the member {name}")))?;
        Ok(text.trim().to_ascii_uppercase())
    };
    let (command, qualifier) = (required("command")?, required("qualifier")?);
    let name = text(members, "name")?;
    let parameters = match members.remove("parameters") {
        None => Vec::new(),
        Some(Value::Object(parameters)) => self::parameters(parameters)?,
        Some(_) => return Err(expected("an object as parameters")),
    };
    let response_parameters = match members.remove("responseParameters") {
        None => Vec::new(),
        Some(Value::Array(names)) => response_parameters(names)?,
        Some(_) => return Err(expected("an array as responseParameters")),
    };
    Ok(Words { command, qualifier, name, parameters, response_parameters })
}

fn parameters(members: Map<String, Value>) -> Result<Vec<(String, Vec<String>)>, Refusal> {
    if members.len() > MOST_PARAMETERS {
        return Err(Refusal::Body(format!("more than {MOST_PARAMETERS} parameters")));
    }
    let mut parameters: Vec<(String, Vec<String>)> = Vec::with_capacity(members.len());
    for (name, value) in members {
        let values = match value {
            Value::Array(several) => {
                several.into_iter().map(|one| single(&name, one)).collect::<Result<Vec<_>, _>>()?
            }
            one => vec![single(&name, one)?],
        };
        let keyword = name.to_ascii_uppercase();
        if parameters.iter().any(|(known, _)| *known == keyword) {
            return Err(Refusal::Body(format!("{} is given twice", shortened(&name))));
        }
        parameters.push((keyword, values));
    }
    Ok(parameters)
}

/// A string or a whole number. True and false stand for yes and no.
fn single(name: &str, value: Value) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) if number.is_i64() || number.is_u64() => Ok(number.to_string()),
        Value::Bool(yes) => Ok(if yes { "YES" } else { "NO" }.to_owned()),
        _ => Err(expected(&format!("a string, a whole number or an array of those as {}", shortened(name)))),
    }
}

fn response_parameters(names: Vec<Value>) -> Result<Vec<String>, Refusal> {
    if names.len() > MOST_PARAMETERS {
        return Err(Refusal::Body(format!("more than {MOST_PARAMETERS} responseParameters")));
    }
    let mut keywords: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let Value::String(name) = name else { return Err(expected("an array of strings as responseParameters")) };
        let keyword = name.trim().to_ascii_uppercase();
        if !keywords.contains(&keyword) {
            keywords.push(keyword);
        }
    }
    Ok(keywords)
}
