//! Inquire commands: which objects, which of their attributes, under which condition.

pub(super) mod special;

use model::definition::attribute::{Attribute, Membership, Shown, Value, ValueType};
use model::pcf::{Parameter, ParameterValue};
use model::reason::Reason;

use crate::mqsc::statement::{Parameter as Words, Verb};
use crate::pcf::meaning::{Meaning, Vocabulary, quoted, words};
use crate::pcf::refusal::{MQRCCF_TOO_MANY_FILTERS, Refusal};
use crate::pcf::request::{self, Parameters, kinds, name_of, statement_of};
use crate::pcf::response;
use crate::pcf::table::{SUBSCRIPTION, SUBSCRIPTION_ID, StatusForm, Subject};
use crate::pcf::{Answer, Session};
use crate::reply::{Item, Reply};

/// MQIACF_ALL among selectors.
const ALL: i32 = 1009;
/// Selectors that stand for groups of attributes of a queue manager: all are shown.
const GROUPS: [i32; 6] = [1122, 1123, 1124, 1125, 1291, 1292];
/// Parameters that narrow an inquiry on other platforms or about clusters, of which there are none here.
const WITHOUT_EFFECT: [i32; 2] = [1083, 59];

/// A value that an object must have to be shown.
struct Wanted {
    keyword: &'static str,
    value: Value,
}

pub(super) async fn definitions(
    session: &Session<'_>,
    subject: &Subject,
    mut parameters: Parameters<'_>,
) -> Result<Vec<Answer>, Refusal> {
    let vocabulary =
        Vocabulary { kinds: kinds(subject.words), membership: session.queue_manager.membership(), terms: Vec::new() };
    let mut wanted = Vec::new();
    let name = subject_name(subject, &mut parameters)?;
    let mut all = parameters.of_group(session)?;
    all.extend(selection(&mut parameters, subject.selectors, &vocabulary)?);
    all.extend(condition(&mut parameters, &vocabulary)?);
    for parameter in parameters.take_rest() {
        if let Some(term) = subject.narrowing.iter().find(|term| term.id == parameter.id) {
            all.extend(Meaning::Term(term).words(parameter)?);
        } else if !WITHOUT_EFFECT.contains(&parameter.id) {
            wanted.extend(equality(subject, &vocabulary, parameter)?);
        }
    }
    // What decides is asked for too.
    if !all.iter().any(|word| word.keyword == "ALL") {
        for Wanted { keyword, .. } in &wanted {
            if !all.iter().any(|word| word.keyword == *keyword) {
                all.push(words(keyword, None));
            }
        }
    }
    let command = request::command(session, statement_of(Verb::Display, subject.display, name, all))?;
    let mut reply = having(session.execute(&command).await, &wanted);
    if subject.name == SUBSCRIPTION.name {
        name_no_subscription(&mut reply);
    }
    Ok(response::shown(&reply, &vocabulary))
}

/// The name asked for: a generic one for subscriptions known by identifier, none for the queue manager.
fn subject_name(subject: &Subject, parameters: &mut Parameters<'_>) -> Result<Option<String>, Refusal> {
    if subject.name == 0 {
        return Ok(None);
    }
    if let Some(name) = parameters.take_text(subject.name)? {
        return Ok(Some(name.to_owned()));
    }
    if subject.name == SUBSCRIPTION.name && parameters.has(SUBSCRIPTION_ID.id) {
        return Ok(Some("*".to_owned()));
    }
    Err(parameters.missing(subject.name))
}

/// Which attributes to show: those of the list of selectors, or all.
pub(super) fn selection(
    parameters: &mut Parameters<'_>,
    selectors: i32,
    vocabulary: &Vocabulary,
) -> Result<Vec<Words>, Refusal> {
    let everything = || vec![words("ALL", None)];
    let numbers = match parameters.take(selectors) {
        None => return Ok(everything()),
        Some(Parameter { value: ParameterValue::Integers(numbers), .. }) => numbers.clone(),
        Some(Parameter { value: ParameterValue::Integer(number), .. }) => vec![*number],
        Some(parameter) => return Err(Refusal::unknown(parameter)),
    };
    if numbers.iter().any(|number| *number == ALL || GROUPS.contains(number)) {
        return Ok(everything());
    }
    let mut all: Vec<Words> = Vec::new();
    for number in numbers {
        let keyword = vocabulary.by_id(number).ok_or(Refusal::selector(number))?.keyword();
        if !all.iter().any(|known| known.keyword == keyword) {
            all.push(words(keyword, None));
        }
    }
    Ok(all)
}

/// WHERE, of at most one filter.
pub(super) fn condition(parameters: &mut Parameters<'_>, vocabulary: &Vocabulary) -> Result<Option<Words>, Refusal> {
    let filters = parameters.take_filters();
    let filter = match filters.as_slice() {
        [] => return Ok(None),
        [filter] => *filter,
        _ => return Err(Refusal::of(MQRCCF_TOO_MANY_FILTERS)),
    };
    let meaning = vocabulary.by_id(filter.id).ok_or(Refusal::unknown(filter))?;
    let operator = operator(filter)?;
    let text = meaning.filter_text(filter)?;
    Ok(Some(words("WHERE", Some(vec![quoted(meaning.keyword()), quoted(operator), quoted(&text)]))))
}

/// MQCFOP_* in MQSC.
fn operator(filter: &Parameter) -> Result<&'static str, Refusal> {
    let (number, wrong) = match &filter.value {
        ParameterValue::IntegerFilter { operator, .. } => (*operator, 3242),
        ParameterValue::TextFilter { operator, .. } => (*operator, 3246),
        ParameterValue::BytesFilter { operator, .. } => (*operator, 3266),
        _ => return Err(Refusal::unknown(filter)),
    };
    Ok(match number {
        1 => "LT",
        2 => "EQ",
        3 => "LE",
        4 => "GT",
        5 => "NE",
        6 => "GE",
        10 => "CT",
        13 => "EX",
        18 => "LK",
        21 => "NL",
        26 => "CTG",
        29 => "EXG",
        _ => return Err(Refusal::about(wrong, filter.id)),
    })
}

/// A parameter that says which type of object is wanted.
fn equality(subject: &Subject, vocabulary: &Vocabulary, parameter: &Parameter) -> Result<Option<Wanted>, Refusal> {
    let Some(number) = parameter.value.number() else { return Err(Refusal::unknown(parameter)) };
    if subject.all.contains(&(parameter.id, number)) {
        return Ok(None);
    }
    match vocabulary.by_id(parameter.id) {
        Some(Meaning::Attribute(attribute @ Attribute { value: ValueType::Choice(known), .. })) => {
            if !known.iter().any(|word| word.code == number) && !every_kind_has(subject, parameter.id, number) {
                return Err(Refusal::word(parameter.id));
            }
            Ok(Some(Wanted { keyword: attribute.mqsc, value: Value::Integer(number) }))
        }
        _ => Err(Refusal::unknown(parameter)),
    }
}

/// Whether any of the kinds has a word for the number, each having a row of its own.
fn every_kind_has(subject: &Subject, id: i32, number: i64) -> bool {
    let row_of = |kind| Membership::Member.by_pcf(kind, id);
    kinds(subject.words)
        .into_iter()
        .filter_map(row_of)
        .any(|row| row.value.words().iter().any(|word| word.code == number))
}

/// The items that have the values wanted; an unknown object when there are none left.
fn having(mut reply: Reply, wanted: &[Wanted]) -> Reply {
    if wanted.is_empty() {
        return reply;
    }
    let has = |shown: &[Shown], wanted: &Wanted| {
        shown.iter().any(|shown| shown.keyword == wanted.keyword && shown.value == wanted.value)
    };
    reply.items.retain(|item| item.reason != 0 || wanted.iter().all(|wanted| has(&item.attributes, wanted)));
    if reply.items.is_empty() {
        return not_found();
    }
    reply
}

/// 2428 instead of an object that is not known.
fn name_no_subscription(reply: &mut Reply) {
    for item in reply.items.iter_mut().filter(|item| item.reason == Reason::UnknownObjectName.number()) {
        item.reason = Reason::NoSubscription.number();
    }
}

pub(super) fn not_found() -> Reply {
    let reason = Reason::UnknownObjectName.number();
    Reply::of(vec![Item { reason, ..Item::default() }])
}

/// Inquiries about what runs.
pub(super) async fn status(
    session: &Session<'_>,
    form: &StatusForm,
    mut parameters: Parameters<'_>,
) -> Result<Vec<Answer>, Refusal> {
    let shows = Vocabulary { kinds: Vec::new(), membership: Membership::Alone, terms: form.shows.to_vec() };
    let mut all = parameters.of_group(session)?;
    let name = match (form.special)(&mut parameters, &mut all)? {
        Some(name) => Some(name),
        None => name_of(form.name.as_ref(), form.default, &mut parameters)?,
    };
    all.extend(selection(&mut parameters, form.selectors, &shows)?);
    all.extend(condition(&mut parameters, &shows)?);
    let terms = Vocabulary { kinds: Vec::new(), membership: Membership::Alone, terms: vec![form.terms] };
    all.extend(parameters.words(&terms, true)?);
    let about = all.iter().find(|word| word.keyword == "TYPE").and_then(|word| word.operands.as_ref()?.first());
    let about = about.map(|operand| operand.text.clone()).unwrap_or_default();
    let command = request::command(session, statement_of(form.verb, form.object, name, all))?;
    let reply = session.execute(&command).await;
    if form.object == "CONN" {
        return Ok(special::connections(reply, &about, &shows));
    }
    Ok(response::shown(&reply, &shows))
}
