//! Inquire ... Names: one message with the names of all objects that match, which MQSC has no command for.

use model::definition::attribute::{Attribute, ValueType};
use model::pcf::{Parameter, ParameterValue};
use model::reason::Reason;

use crate::mqsc::statement::Verb;
use crate::pcf::meaning::{Meaning, Vocabulary, words};
use crate::pcf::refusal::Refusal;
use crate::pcf::request::{self, Parameters, kinds, statement_of};
use crate::pcf::table::Subject;
use crate::pcf::{Answer, Session, response};
use crate::reply::Item;

/// Without a name all are meant. No object that matches is no error here: the lists are empty.
pub(super) async fn inquire(
    session: &Session<'_>,
    subject: &Subject,
    mut parameters: Parameters<'_>,
) -> Result<Vec<Answer>, Refusal> {
    let vocabulary =
        Vocabulary { kinds: kinds(subject.words), membership: session.queue_manager.membership(), terms: Vec::new() };
    let name = parameters.take_text(subject.name)?.unwrap_or("*").to_owned();
    let of_group = parameters.of_group(session)?;
    let wanted = wanted_type(subject, &vocabulary, &mut parameters)?;
    let type_keyword = type_keyword(&vocabulary);
    let mut selection = type_keyword.map_or_else(|| vec![words("ALL", None)], |keyword| vec![words(keyword, None)]);
    selection.extend(of_group);
    let command = request::command(session, statement_of(Verb::Display, subject.display, Some(name), selection))?;
    let reply = session.execute(&command).await;
    let of_members = reply.items.chunk_by(|one, next| one.member == next.member);
    Ok(of_members.map(|items| answer(subject, type_keyword, wanted, items)).collect())
}

/// The names that one queue manager has.
fn answer(subject: &Subject, type_keyword: Option<&'static str>, wanted: Option<i32>, items: &[Item]) -> Answer {
    let member = items.first().and_then(response::member);
    if let Some(item) = items.iter().find(|item| item.reason != 0)
        && item.reason != Reason::UnknownObjectName.number()
    {
        return Answer { reason: item.reason, parameters: member.into_iter().collect() };
    }
    let (mut names, mut types) = (Vec::new(), Vec::new());
    for item in items.iter().filter(|item| item.reason == 0) {
        let number = type_keyword.and_then(|keyword| number_of(item, keyword));
        if wanted.is_none_or(|wanted| number == Some(wanted)) {
            names.extend(item.attributes.first().and_then(|shown| shown.value.text()).map(str::to_owned));
            types.extend(number);
        }
    }
    let mut parameters = vec![Parameter { id: subject.names, value: ParameterValue::Texts(names) }];
    if subject.types != 0 {
        parameters.push(Parameter::integers(subject.types, types));
    }
    parameters.extend(member);
    Answer { reason: 0, parameters }
}

/// The one parameter that may narrow the list: the type of queue, channel or authentication information.
fn wanted_type(
    subject: &Subject,
    vocabulary: &Vocabulary,
    parameters: &mut Parameters<'_>,
) -> Result<Option<i32>, Refusal> {
    let mut wanted = None;
    for parameter in parameters.take_rest() {
        let ParameterValue::Integer(number) = parameter.value else { return Err(Refusal::unknown(parameter)) };
        let is_type = match vocabulary.by_id(parameter.id) {
            Some(Meaning::Attribute(Attribute { value: ValueType::Choice(_), mqsc, .. })) => mqsc.ends_with("TYPE"),
            _ => false,
        };
        if !is_type {
            return Err(Refusal::unknown(parameter));
        }
        if !subject.all.contains(&(parameter.id, i64::from(number))) {
            wanted = Some(number);
        }
    }
    match parameters.take_filters().first() {
        Some(filter) => Err(Refusal::unknown(filter)),
        None => Ok(wanted),
    }
}

/// The second row of kinds that differ in type.
fn type_keyword(vocabulary: &Vocabulary) -> Option<&'static str> {
    let kind = vocabulary.kinds.first()?;
    let row = model::definition::attribute::of(*kind).nth(1)?;
    row.mqsc.ends_with("TYPE").then_some(row.mqsc)
}

fn number_of(item: &Item, keyword: &str) -> Option<i32> {
    let shown = item.attributes.iter().find(|shown| shown.keyword == keyword)?;
    i32::try_from(shown.value.number()?).ok()
}
