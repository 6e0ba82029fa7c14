//! From JSON words to the statement that MQSC text becomes too.
//!
//! JSON knows no quotes, so what MQSC says with them is found in the attribute table: values that are words are folded
//! to upper case, names and texts stay as they were given. Keywords without a value take `yes` and `no`.

use model::definition::attribute::{self, Attribute, Kind, ValueType};

use crate::json::Refusal;
use crate::json::request::Words;
use crate::mqsc::statement::{Operand, Parameter, Statement, Verb};
use crate::mqsc::{definition_kinds, is_object};

/// Keywords of commands that stand alone in MQSC.
const COMMAND_FLAGS: &[&str] = &[
    "ALL",
    "CLUSINFO",
    "CURRENT",
    "FORCE",
    "MONITOR",
    "NOPURGE",
    "NOREPLACE",
    "PURGE",
    "REPLACE",
    "SAVED",
    "SHORT",
    "SUMMARY",
];
/// Flags whose refusal has a word of its own.
const OPPOSITES: &[(&str, &str)] =
    &[("PURGE", "NOPURGE"), ("NOPURGE", "PURGE"), ("REPLACE", "NOREPLACE"), ("NOREPLACE", "REPLACE")];
/// Names and texts that are no attribute of the object, or belong to one that has no definition.
const TEXTS: &[&str] = &[
    "ADDRESS",
    "ADDRLIST",
    "CLNTUSER",
    "CONNAME",
    "CUSTOM",
    "DESCR",
    "ENTITY",
    "EXTCONN",
    "GROUP",
    "LIKE",
    "MCAUSER",
    "NAME",
    "OBJNAME",
    "PRINCIPAL",
    "PROFILE",
    "QMNAME",
    "RQMNAME",
    "SSLCERTI",
    "SSLPEER",
    "SUBID",
    "TOPICSTR",
    "USERLIST",
    "XMITQ",
];
/// Objects that a DISPLAY shows without being told a name.
const NAMELESS: &[&str] = &[
    "APSTATUS", "ARCHIVE", "AUTHREC", "AUTHSERV", "CHINIT", "CMDSERV", "ENTAUTH", "GROUP", "LOG", "MAXSMSGS", "PUBSUB",
    "QMGR", "QMS", "QMSTATUS", "SECURITY", "SYSTEM", "THREAD", "TRACE", "USAGE",
];
/// Objects of z/OS whose DISPLAY has no JSON form.
const TEXT_ONLY: &[&str] = &["ARCHIVE", "CHINIT", "GROUP", "LOG", "SECURITY", "SYSTEM", "THREAD", "TRACE", "USAGE"];

impl Words {
    /// # Errors
    /// `Command` for a verb or object that MQ does not have, or has no JSON form for.
    pub(super) fn statement(self) -> Result<Statement, Refusal> {
        let known = Verb::ALL.iter().find(|(_, name)| *name == self.command);
        let object = &self.qualifier;
        let text_only = self.command == "DISPLAY" && TEXT_ONLY.contains(&object.as_str());
        let Some((verb, _)) = known.filter(|_| is_object(object) && !text_only) else {
            let words = format!("{} {object}", self.command);
            return Err(Refusal::Command(words.chars().take(64).collect()));
        };
        Ok(self.into_statement(*verb))
    }

    fn into_statement(self, verb: Verb) -> Statement {
        let kinds = definition_kinds(&self.qualifier);
        let mut parameters: Vec<Parameter> = Vec::new();
        for (keyword, values) in &self.parameters {
            // "replace": "yes" and "noreplace": "no" are one keyword.
            let parameter = parameter(&kinds, keyword, values).filter(|parameter| !parameters.contains(parameter));
            parameters.extend(parameter);
        }
        let named = |keyword: &String| Parameter { keyword: keyword.clone(), operands: None, end: None };
        parameters.extend(self.response_parameters.iter().map(named));
        let name = match self.name {
            // An authority record has a profile where other objects have a name.
            Some(name) if self.qualifier == "AUTHREC" => {
                if !parameters.iter().any(|parameter| parameter.keyword == "PROFILE") {
                    parameters.push(with_values("PROFILE", vec![quoted(&name)]));
                }
                None
            }
            Some(name) => Some(vec![quoted(&name)]),
            None if verb == Verb::Display && !NAMELESS.contains(&self.qualifier.as_str()) => Some(vec![quoted("*")]),
            None => None,
        };
        Statement { verb, object: self.qualifier, name, parameters }
    }
}

fn quoted(text: &str) -> Operand {
    Operand { text: text.to_owned(), quoted: true }
}

fn with_values(keyword: &str, operands: Vec<Operand>) -> Parameter {
    Parameter { keyword: keyword.to_owned(), operands: Some(operands), end: None }
}

/// What a keyword and its value are in MQSC; `None` for a flag that says what is so anyway.
fn parameter(kinds: &[Kind], keyword: &str, values: &[String]) -> Option<Parameter> {
    if keyword == "WHERE" {
        return Some(with_values(keyword, condition(kinds, values)));
    }
    let row = row(kinds, keyword);
    if let (Some(yes), true) = (switch(values), is_flag(row, keyword)) {
        let word = if yes { Some(keyword) } else { opposite(row, keyword) };
        return word.map(|word| Parameter { keyword: word.to_owned(), operands: None, end: None });
    }
    // An empty list blanks the attribute, as an empty text does.
    let nothing = [String::new()];
    let values = if values.is_empty() { &nothing[..] } else { values };
    let operands = values.iter().map(|value| operand(row, keyword, value)).collect();
    Some(with_values(keyword, operands))
}

/// The attribute that a keyword names for any of these kinds, which agree on whether it is a text.
fn row(kinds: &[Kind], keyword: &str) -> Option<&'static Attribute> {
    kinds.iter().find_map(|kind| attribute::find(*kind, keyword))
}

fn is_flag(row: Option<&Attribute>, keyword: &str) -> bool {
    COMMAND_FLAGS.contains(&keyword) || row.is_some_and(|row| matches!(row.value, ValueType::Flag(_)))
}

/// The keyword that says the contrary.
fn opposite(row: Option<&'static Attribute>, keyword: &str) -> Option<&'static str> {
    if let Some(ValueType::Flag(words)) = row.map(|row| row.value) {
        return words.iter().map(|word| word.mqsc).find(|word| *word != keyword);
    }
    OPPOSITES.iter().find(|(word, _)| *word == keyword).map(|(_, other)| *other)
}

fn switch(values: &[String]) -> Option<bool> {
    let [value] = values else { return None };
    let value = value.trim();
    if value.eq_ignore_ascii_case("yes") {
        Some(true)
    } else if value.eq_ignore_ascii_case("no") {
        Some(false)
    } else {
        None
    }
}

fn operand(row: Option<&Attribute>, keyword: &str, value: &str) -> Operand {
    if is_text(row, keyword) {
        quoted(value)
    } else {
        Operand { text: value.trim().to_ascii_uppercase(), quoted: false }
    }
}

/// Is the value of this keyword taken as it stands? `row` is that of the attribute, where the object has one.
fn is_text(row: Option<&Attribute>, keyword: &str) -> bool {
    match row {
        Some(_) if keyword == "TYPE" => false,
        Some(row) => match row.value {
            ValueType::Integer { .. } | ValueType::Choice(_) | ValueType::Flag(_) | ValueType::Words { .. } => false,
            ValueType::Name
            | ValueType::Text { .. }
            | ValueType::Secret { .. }
            | ValueType::Names { .. }
            | ValueType::Texts { .. }
            | ValueType::List
            | ValueType::Hexadecimal { .. }
            | ValueType::Date
            | ValueType::Time => true,
        },
        None => TEXTS.contains(&keyword),
    }
}

/// `CURDEPTH GT 0`: keyword, operator and value. The value may stand in single quotes, and keeps its case if it does or
/// if the attribute is a text. What is not of this shape is left to be refused with the command.
fn condition(kinds: &[Kind], values: &[String]) -> Vec<Operand> {
    let text = values.join(" ");
    let mut parts = text.trim().splitn(2, char::is_whitespace);
    let keyword = parts.next().unwrap_or_default().to_ascii_uppercase();
    let mut rest = parts.next().unwrap_or_default().trim_start().splitn(2, char::is_whitespace);
    let operator = rest.next().unwrap_or_default().to_ascii_uppercase();
    let word = |text: String| Operand { text, quoted: false };
    let mut operands = vec![word(keyword.clone()), word(operator)];
    if let Some(value) = rest.next().map(str::trim) {
        let row = row(if kinds.is_empty() { &Kind::ALL } else { kinds }, &keyword);
        let unquoted = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
        operands.push(match unquoted {
            Some(text) => quoted(&text.replace("''", "'")),
            None => operand(row, &keyword, value),
        });
    }
    operands
}
