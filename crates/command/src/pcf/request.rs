//! From the parameters of a request to the statement MQSC would have made of its text; Create, Change, Copy, Delete and
//! commands that only do something.

use model::definition::attribute::{self, Access, Kind, Membership};
use model::name::ObjectName;
use model::pcf::{Parameter, ParameterValue};
use queue_manager::QueueManager;

use crate::command::Command;
use crate::mqsc;
use crate::mqsc::statement::{Parameter as Words, Statement, Verb};
use crate::pcf::meaning::{Meaning, Vocabulary, quoted, words};
use crate::pcf::refusal::Refusal;
use crate::pcf::table::{CHANGE_TERMS, CREATE_TERMS, DELETE_TERMS, GROUP_TERMS, StatementForm, Subject};
use crate::pcf::term::{Form, Term};
use crate::pcf::{Answer, Session};
use crate::pcf::{response, value};

/// MQBACF_SUB_ID, which may stand for the name of a subscription.
const SUBSCRIPTION_ID: i32 = 7016;

/// The parameters of one request, taken out one by one. No parameter stands twice.
pub(super) struct Parameters<'a> {
    rest: Vec<&'a Parameter>,
    filters: Vec<&'a Parameter>,
    was_empty: bool,
}

impl<'a> Parameters<'a> {
    pub(super) fn new(all: &'a [Parameter]) -> Result<Self, Refusal> {
        let (mut rest, mut filters): (Vec<&Parameter>, Vec<&Parameter>) = (Vec::new(), Vec::new());
        for parameter in all {
            let is_filter = matches!(parameter.value.structure(), 13..=15);
            let known = if is_filter { &mut filters } else { &mut rest };
            if known.iter().any(|known| known.id == parameter.id) {
                return Err(Refusal::duplicate(parameter));
            }
            known.push(parameter);
        }
        Ok(Self { rest, filters, was_empty: all.is_empty() })
    }

    pub(super) fn has(&self, id: i32) -> bool {
        self.rest.iter().any(|parameter| parameter.id == id)
    }

    pub(super) fn take(&mut self, id: i32) -> Option<&'a Parameter> {
        let index = self.rest.iter().position(|parameter| parameter.id == id)?;
        Some(self.rest.remove(index))
    }

    pub(super) fn take_text(&mut self, id: i32) -> Result<Option<&'a str>, Refusal> {
        match self.take(id) {
            None => Ok(None),
            Some(Parameter { value: ParameterValue::Text(text), .. }) => Ok(Some(text)),
            Some(parameter) => Err(Refusal::unknown(parameter)),
        }
    }

    pub(super) fn take_number(&mut self, id: i32) -> Result<Option<i32>, Refusal> {
        match self.take(id) {
            None => Ok(None),
            Some(Parameter { value: ParameterValue::Integer(number), .. }) => Ok(Some(*number)),
            Some(parameter) => Err(Refusal::unknown(parameter)),
        }
    }

    pub(super) fn take_bytes(&mut self, id: i32) -> Result<Option<&'a [u8]>, Refusal> {
        match self.take(id) {
            None => Ok(None),
            Some(Parameter { value: ParameterValue::Bytes(bytes), .. }) => Ok(Some(bytes)),
            Some(parameter) => Err(Refusal::unknown(parameter)),
        }
    }

    pub(super) fn missing(&self, id: i32) -> Refusal {
        Refusal::missing(id, self.was_empty)
    }

    /// All that are left, filters apart.
    pub(super) fn take_rest(&mut self) -> Vec<&'a Parameter> {
        std::mem::take(&mut self.rest)
    }

    pub(super) fn take_filters(&mut self) -> Vec<&'a Parameter> {
        std::mem::take(&mut self.filters)
    }

    /// QSGDISP, CMDSCOPE and CHLDISP, which members of a queue-sharing group alone take.
    ///
    /// # Errors
    /// Not such a value.
    pub(super) fn of_group(&mut self, session: &Session<'_>) -> Result<Vec<Words>, Refusal> {
        let mut all = Vec::new();
        if session.queue_manager.membership() == Membership::Alone {
            return Ok(all);
        }
        for term in GROUP_TERMS {
            if let Some(parameter) = self.take(term.id) {
                all.extend(Meaning::Term(term).words(parameter)?);
            }
        }
        Ok(all)
    }

    /// The kinds that the parameters leave, where several share an object: a channel is of the type that is said.
    pub(super) fn narrowed(&self, kinds: Vec<Kind>) -> Vec<Kind> {
        let is_of = |kind: &Kind, parameter: &Parameter| {
            let row = attribute::of(*kind).find(|row| row.pcf == Some(parameter.id) && row.mqsc.ends_with("TYPE"));
            let says = row.filter(|row| row.access == Access::ReadOnly).and_then(|row| row.default_value(*kind));
            says.is_none_or(|value| value.number() == parameter.value.number())
        };
        kinds.into_iter().filter(|kind| self.rest.iter().all(|parameter| is_of(kind, parameter))).collect()
    }

    /// The words of all that are left.
    pub(super) fn words(&mut self, vocabulary: &Vocabulary, defining: bool) -> Result<Vec<Words>, Refusal> {
        if let Some(filter) = self.filters.first() {
            return Err(Refusal::unknown(filter));
        }
        let mut all = Vec::new();
        for parameter in self.take_rest() {
            let meaning = vocabulary.by_id(parameter.id).filter(|meaning| meaning.may_set(defining));
            all.extend(meaning.ok_or(Refusal::unknown(parameter))?.words(parameter)?);
        }
        Ok(all)
    }
}

/// The kinds that MQSC words name.
pub(super) fn kinds(words: &[&str]) -> Vec<Kind> {
    Kind::ALL.into_iter().filter(|kind| words.contains(&kind.mqsc())).collect()
}

pub(super) async fn create(
    session: &Session<'_>,
    subject: &Subject,
    mut parameters: Parameters<'_>,
) -> Result<Vec<Answer>, Refusal> {
    let name = object_name(&mut parameters, subject.name)?;
    define(session, subject, parameters, name, None).await
}

pub(super) async fn copy(
    session: &Session<'_>,
    subject: &Subject,
    mut parameters: Parameters<'_>,
) -> Result<Vec<Answer>, Refusal> {
    let from = object_name(&mut parameters, subject.from)?;
    let to = object_name(&mut parameters, subject.to)?;
    define(session, subject, parameters, to, Some(from)).await
}

async fn define(
    session: &Session<'_>,
    subject: &Subject,
    mut parameters: Parameters<'_>,
    name: String,
    like: Option<String>,
) -> Result<Vec<Answer>, Refusal> {
    let object = object(subject, &mut parameters)?;
    let mut all = parameters.of_group(session)?;
    let vocabulary = vocabulary(session, parameters.narrowed(kinds(&[object])), CREATE_TERMS);
    all.extend(parameters.words(&vocabulary, true)?);
    all.extend(like.map(|like| words("LIKE", Some(vec![quoted(&like)]))));
    run(session, statement_of(Verb::Define, object, Some(name), all)).await
}

pub(super) async fn change(
    session: &Session<'_>,
    subject: &Subject,
    mut parameters: Parameters<'_>,
) -> Result<Vec<Answer>, Refusal> {
    let name = match subject.name {
        0 => None,
        _ => Some(existing_name(session.queue_manager, subject, &mut parameters)?),
    };
    let object = object(subject, &mut parameters)?;
    let mut all = parameters.of_group(session)?;
    let vocabulary = vocabulary(session, parameters.narrowed(kinds(&[object])), CHANGE_TERMS);
    all.extend(parameters.words(&vocabulary, false)?);
    run(session, statement_of(Verb::Alter, object, name, all)).await
}

/// The type of a queue need not be said.
pub(super) async fn delete(
    session: &Session<'_>,
    subject: &Subject,
    mut parameters: Parameters<'_>,
) -> Result<Vec<Answer>, Refusal> {
    let name = existing_name(session.queue_manager, subject, &mut parameters)?;
    let says_kind = subject.kind.is_some_and(|kind| parameters.has(kind.id));
    let object = if subject.kind.is_some() && !says_kind {
        let queue = ObjectName::parse(&name).ok().and_then(|name| session.queue_manager.queue(&name));
        queue.map_or(subject.words[0], |queue| queue.attribute_kind().mqsc())
    } else {
        object(subject, &mut parameters)?
    };
    let mut all = parameters.of_group(session)?;
    let vocabulary = vocabulary(session, Vec::new(), DELETE_TERMS);
    let client_table = client_connection(object, &mut parameters)?;
    all.extend(parameters.words(&vocabulary, true)?);
    if !all.iter().any(|word| word.keyword == "CHLTABLE") {
        all.extend(client_table);
    }
    run(session, statement_of(Verb::Delete, object, Some(name), all)).await
}

/// What the type of a channel means to Delete: client connections stand in a table of their own.
fn client_connection(object: &str, parameters: &mut Parameters<'_>) -> Result<Option<Words>, Refusal> {
    const CHANNEL_TYPE: i32 = 1511;
    const CLIENT_CONNECTION: i32 = 6;
    if object != "CHANNEL" {
        return Ok(None);
    }
    let kind = parameters.take_number(CHANNEL_TYPE)?;
    Ok((kind == Some(CLIENT_CONNECTION)).then(|| words("CHLTABLE", Some(vec![quoted("CLNTTBL")]))))
}

/// Commands that are no definitions.
pub(super) async fn statement(
    session: &Session<'_>,
    form: &StatementForm,
    mut parameters: Parameters<'_>,
) -> Result<Vec<Answer>, Refusal> {
    let mut all = parameters.of_group(session)?;
    let name = match (form.special)(&mut parameters, &mut all)? {
        Some(name) => Some(name),
        None => name_of(form.name.as_ref(), form.default, &mut parameters)?,
    };
    let vocabulary = vocabulary(session, Vec::new(), form.terms);
    all.extend(parameters.words(&vocabulary, true)?);
    run(session, statement_of(form.verb, form.object, name, all)).await
}

/// What stands in parentheses after the object, when anything does.
pub(super) fn name_of(
    term: Option<&Term>,
    default: Option<&str>,
    parameters: &mut Parameters<'_>,
) -> Result<Option<String>, Refusal> {
    let Some(term) = term else { return Ok(default.map(str::to_owned)) };
    match parameters.take(term.id) {
        Some(parameter) => Ok(value::of_term(term, parameter)?.pop()),
        None if default.is_some() => Ok(default.map(str::to_owned)),
        None => Err(parameters.missing(term.id)),
    }
}

fn object_name(parameters: &mut Parameters<'_>, id: i32) -> Result<String, Refusal> {
    let name = parameters.take_text(id)?.map(str::to_owned);
    name.ok_or_else(|| parameters.missing(id))
}

/// The name of a definition that is there; a subscription may be named by its identifier.
fn existing_name(
    queue_manager: &QueueManager,
    subject: &Subject,
    parameters: &mut Parameters<'_>,
) -> Result<String, Refusal> {
    let is_subscription = subject.words == ["SUB"];
    if is_subscription
        && !parameters.has(subject.name)
        && let Some(bytes) = parameters.take_bytes(SUBSCRIPTION_ID)?
    {
        let subscriptions = queue_manager.subscriptions();
        let found = subscriptions.iter().find(|known| known.identifier.as_bytes() == bytes);
        return Ok(found.map_or_else(|| value::hexadecimal(bytes), |found| found.name.clone()));
    }
    object_name(parameters, subject.name)
}

/// The MQSC word of the kind a command is about.
fn object(subject: &Subject, parameters: &mut Parameters<'_>) -> Result<&'static str, Refusal> {
    let Some(kind) = subject.kind else { return Ok(subject.words[0]) };
    let number = parameters.take_number(kind.id)?.ok_or_else(|| parameters.missing(kind.id))?;
    let Form::Words(known) = kind.form else { return Ok(subject.words[0]) };
    let word = known.iter().find(|(word, code)| *code == number && subject.words.contains(word));
    word.map(|(word, _)| *word).ok_or(Refusal::word(kind.id))
}

pub(super) fn statement_of(verb: Verb, object: &str, name: Option<String>, parameters: Vec<Words>) -> Statement {
    let name = name.map(|name| vec![quoted(&name)]);
    Statement { verb, object: object.to_owned(), name, parameters }
}

pub(super) fn command(session: &Session<'_>, statement: Statement) -> Result<Command, Refusal> {
    Ok(mqsc::interpret(statement, session.queue_manager.membership())?)
}

fn vocabulary(session: &Session<'_>, kinds: Vec<Kind>, terms: &'static [Term]) -> Vocabulary {
    Vocabulary { kinds, membership: session.queue_manager.membership(), terms: vec![terms] }
}

async fn run(session: &Session<'_>, statement: Statement) -> Result<Vec<Answer>, Refusal> {
    let command = command(session, statement)?;
    let reply = session.execute(&command).await;
    Ok(response::outcome(&reply))
}
