//! What members say to each other about commands: JSON, in both directions.
//!
//! Keywords and values of an answer are looked up in the tables of this version, so that an answer prints, becomes JSON and becomes
//! PCF as one of this queue manager does. A keyword that this version does not know is left out.

use model::authority::Principal;
use model::definition::attribute::{self, Shown, Value, ValueType};
use queue_manager::event::command::{Issuer, Origin};
use serde::{Deserialize, Serialize};

use crate::reply::{Item, Reply};
use crate::status;

/// A command, and for whom it runs.
#[derive(Serialize, Deserialize)]
struct Command {
    mqsc: String,
    /// With whose authority: as the asking member has authenticated it.
    principal: String,
    groups: Vec<String>,
    is_administrator: bool,
    /// The user whom events name.
    user: String,
    origin: i32,
}

/// A command that another member asks for.
pub(super) struct Request {
    command: Command,
    principal: Principal,
}

impl Request {
    pub(super) fn text(&self) -> &str {
        &self.command.mqsc
    }

    pub(super) fn issuer(&self) -> Issuer<'_> {
        let origins = [Origin::Console, Origin::Initialisation, Origin::Message, Origin::Internal, Origin::Rest];
        let origin = origins.into_iter().find(|origin| *origin as i32 == self.command.origin).unwrap_or(Origin::Other);
        Issuer { user: &self.command.user, ..Issuer::new(&self.principal, origin) }
    }
}

pub(super) fn request(issuer: &Issuer<'_>, text: &str) -> Vec<u8> {
    let Principal { user, groups, is_administrator } = issuer.principal;
    let command = Command {
        mqsc: text.to_owned(),
        principal: user.to_string(),
        groups: groups.iter().map(ToString::to_string).collect(),
        is_administrator: *is_administrator,
        user: issuer.user.to_owned(),
        origin: issuer.origin as i32,
    };
    serde_json::to_vec(&command).expect("texts can be written to memory")
}

/// `None`: another version has written it.
pub(super) fn read_request(bytes: &[u8]) -> Option<Request> {
    let command: Command = serde_json::from_slice(bytes).ok()?;
    let principal = Principal {
        user: command.principal.as_str().into(),
        groups: command.groups.iter().map(|group| group.as_str().into()).collect(),
        is_administrator: command.is_administrator,
    };
    Some(Request { command, principal })
}

#[derive(Serialize, Deserialize)]
struct Answered {
    reason: i32,
    message: String,
    attributes: Vec<Attribute>,
    parts: Vec<Vec<Attribute>>,
    warnings: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Attribute {
    keyword: String,
    value: Written,
    /// As DISPLAY prints it: tells which of the rows with this keyword it is of.
    shown: String,
}

#[derive(Serialize, Deserialize)]
enum Written {
    Integer(i64),
    Text(String),
    List(Vec<String>),
    Numbers(Vec<i64>),
}

pub(super) fn reply(reply: &Reply) -> Vec<u8> {
    let written = |item: &Item| Answered {
        reason: item.reason,
        message: item.message.clone(),
        attributes: item.attributes.iter().map(Attribute::of).collect(),
        parts: item.parts.iter().map(|part| part.iter().map(Attribute::of).collect()).collect(),
        warnings: item.warnings.clone(),
    };
    let items: Vec<Answered> = reply.items.iter().map(written).collect();
    serde_json::to_vec(&items).expect("texts and numbers can be written to memory")
}

/// `None`: another version has written it.
pub(super) fn read_reply(bytes: &[u8]) -> Option<Reply> {
    let items: Vec<Answered> = serde_json::from_slice(bytes).ok()?;
    let read = |attributes: Vec<Attribute>| attributes.into_iter().filter_map(Attribute::read).collect();
    let item = |answered: Answered| Item {
        reason: answered.reason,
        message: answered.message,
        attributes: read(answered.attributes),
        parts: answered.parts.into_iter().map(read).collect(),
        warnings: answered.warnings,
        member: None,
    };
    Some(Reply::of(items.into_iter().map(item).collect()))
}

impl Attribute {
    fn of(shown: &Shown) -> Self {
        let value = match &shown.value {
            Value::Integer(number) => Written::Integer(*number),
            Value::Text(text) => Written::Text(text.clone()),
            Value::List(texts) => Written::List(texts.clone()),
            Value::Numbers(numbers) => Written::Numbers(numbers.clone()),
        };
        Self { keyword: shown.keyword.to_owned(), value, shown: shown.display() }
    }

    fn read(self) -> Option<Shown> {
        let value = match self.value {
            Written::Integer(number) => Value::Integer(number),
            Written::Text(text) => Value::Text(text),
            Written::List(texts) => Value::List(texts),
            Written::Numbers(numbers) => Value::Numbers(numbers),
        };
        let rows = attribute::all().map(|row| (row.mqsc, row.value)).chain(status::all());
        let named: Vec<(&'static str, ValueType)> = rows.filter(|(keyword, _)| *keyword == self.keyword).collect();
        let is_shown_so = |(keyword, kind): &&(&'static str, ValueType)| kind.display(keyword, &value) == self.shown;
        let (keyword, kind) = *named.iter().find(is_shown_so).or(named.first())?;
        Some(Shown { keyword, kind, value })
    }
}
