//! Where PCF and MQSC cut things differently: identifiers of connections, names of subscriptions, entities of authority
//! records, instances of channels.

use model::definition::attribute::{Shown, Value, ValueType};

use crate::mqsc::statement::Parameter as Words;
use crate::pcf::Answer;
use crate::pcf::meaning::{Vocabulary, quoted, words};
use crate::pcf::refusal::Refusal;
use crate::pcf::request::Parameters;
use crate::pcf::term::{ENTITY_TYPES, Form, OBJECT_TYPES};
use crate::pcf::{response, value};
use crate::reply::{Item, Reply};

const CONNECTION_ID: i32 = 7006;
/// The beginning of one; nothing stands for all.
const GENERIC_CONNECTION_ID: i32 = 7007;
const SUBSCRIPTION_ID: i32 = 7016;
/// Of a connection identifier: the part that EXTCONN shows, before the part that CONN shows.
const EXTENDED_BYTES: usize = 16;
const MQRCCF_CONNECTION_ID_ERROR: i32 = 3174;

/// Inquire Connection: by the whole identifier or the beginning of one.
pub(in crate::pcf) fn by_connection(
    parameters: &mut Parameters<'_>,
    all: &mut Vec<Words>,
) -> Result<Option<String>, Refusal> {
    if let Some(bytes) = parameters.take_bytes(CONNECTION_ID)? {
        return whole_connection(bytes, all).map(Some);
    }
    let Some(bytes) = parameters.take_bytes(GENERIC_CONNECTION_ID)? else {
        return Err(parameters.missing(CONNECTION_ID));
    };
    let (extended, connection) = bytes.split_at(bytes.len().min(EXTENDED_BYTES));
    if !extended.is_empty() {
        let star = if extended.len() == EXTENDED_BYTES { "" } else { "*" };
        let pattern = format!("{}{star}", value::hexadecimal(extended));
        all.push(words("EXTCONN", Some(vec![quoted(&pattern)])));
    }
    Ok(Some(format!("{}*", value::hexadecimal(connection))))
}

pub(in crate::pcf) fn stop_connection(
    parameters: &mut Parameters<'_>,
    all: &mut Vec<Words>,
) -> Result<Option<String>, Refusal> {
    let bytes = parameters.take_bytes(CONNECTION_ID)?.ok_or_else(|| parameters.missing(CONNECTION_ID))?;
    whole_connection(bytes, all).map(Some)
}

fn whole_connection(bytes: &[u8], all: &mut Vec<Words>) -> Result<String, Refusal> {
    let Some((extended, connection)) = bytes.split_at_checked(EXTENDED_BYTES).filter(|_| bytes.len() == 24) else {
        return Err(Refusal::about(MQRCCF_CONNECTION_ID_ERROR, CONNECTION_ID));
    };
    all.push(words("EXTCONN", Some(vec![quoted(&value::hexadecimal(extended))])));
    Ok(value::hexadecimal(connection))
}

/// A message a connection, a message a handle, or both, as TYPE asks.
pub(in crate::pcf) fn connections(reply: Reply, about: &str, vocabulary: &Vocabulary) -> Vec<Answer> {
    let mut answers = Vec::new();
    for item in reply.items {
        if item.reason != 0 {
            answers.push(response::answer(&item, vocabulary));
            continue;
        }
        let item = with_whole_identifier(item);
        if about != "HANDLE" {
            answers.push(response::answer(&item, vocabulary));
        }
        if matches!(about, "HANDLE" | "ALL") {
            let identifier = item.attributes.iter().find(|shown| shown.keyword == "CONN");
            for part in &item.parts {
                let kind = ValueType::Text { maximum: 8 };
                let handle = Shown { keyword: "TYPE", kind, value: Value::from("HANDLE") };
                let all: Vec<Shown> = identifier.into_iter().cloned().chain([handle]).chain(part.clone()).collect();
                let mut parameters = response::parameters(&all, vocabulary);
                parameters.extend(response::member(&item));
                answers.push(Answer { reason: 0, parameters });
            }
        }
    }
    if answers.is_empty() {
        // Connections without any handle.
        answers.push(Answer { reason: 0, parameters: Vec::new() });
    }
    answers
}

fn with_whole_identifier(mut item: Item) -> Item {
    let text = |keyword: &str| {
        let shown = item.attributes.iter().find(|shown| shown.keyword == keyword);
        shown.and_then(|shown| shown.value.text()).unwrap_or_default().to_owned()
    };
    let whole = text("EXTCONN") + &text("CONN");
    for shown in item.attributes.iter_mut().filter(|shown| shown.keyword == "CONN") {
        shown.value = Value::Text(whole.clone());
    }
    item
}

/// Inquire Subscription Status: by name, or by identifier.
pub(in crate::pcf) fn by_subscription(
    parameters: &mut Parameters<'_>,
    all: &mut Vec<Words>,
) -> Result<Option<String>, Refusal> {
    let Some(bytes) = parameters.take_bytes(SUBSCRIPTION_ID)? else { return Ok(None) };
    let condition = [quoted("SUBID"), quoted("EQ"), quoted(&value::hexadecimal(bytes))];
    all.push(words("WHERE", Some(condition.to_vec())));
    Ok(Some("*".to_owned()))
}

/// Inquire Channel Status: which instances. Current ones are what is shown when nothing is said.
pub(in crate::pcf) fn channel_instances(
    parameters: &mut Parameters<'_>,
    all: &mut Vec<Words>,
) -> Result<Option<String>, Refusal> {
    const INSTANCE_TYPE: i32 = 1523;
    match parameters.take_number(INSTANCE_TYPE)? {
        None | Some(1011) => {}
        Some(1012) => all.push(words("SAVED", None)),
        Some(1015) => all.push(words("SHORT", None)),
        Some(_) => return Err(Refusal::word(INSTANCE_TYPE)),
    }
    Ok(None)
}

/// Inquire Authority Records and Inquire Entity Authority: profile, object and entity.
pub(in crate::pcf) fn authority(
    parameters: &mut Parameters<'_>,
    all: &mut Vec<Words>,
) -> Result<Option<String>, Refusal> {
    const OPTIONS: i32 = 1228;
    const PROFILE: i32 = 3067;
    const OBJECT_NAME: i32 = 3046;
    const OBJECT_TYPE: i32 = 1016;
    const ENTITY_NAME: i32 = 3068;
    const ENTITY_TYPE: i32 = 1118;
    const SERVICE_COMPONENT: i32 = 3069;
    const EVERY_OBJECT: i32 = 1001;
    let options = parameters.take_number(OPTIONS)?.unwrap_or_default();
    if let Some(profile) = parameters.take_text(PROFILE)?.filter(|profile| !profile.is_empty()) {
        all.push(words("PROFILE", Some(vec![quoted(profile)])));
        // MQAUTHOPT_NAME_EXPLICIT.
        if options & 16 != 0 {
            all.push(words("MATCH", Some(vec![quoted("EXACT")])));
        }
    }
    if let Some(name) = parameters.take_text(OBJECT_NAME)?.filter(|name| !name.is_empty()) {
        all.push(words("OBJNAME", Some(vec![quoted(name)])));
    }
    if let Some(number) = parameters.take_number(OBJECT_TYPE)?.filter(|number| *number != EVERY_OBJECT) {
        all.push(words("OBJTYPE", Some(vec![quoted(word(OBJECT_TYPES, OBJECT_TYPE, number)?)])));
    }
    let entity = parameters.take_text(ENTITY_NAME)?.filter(|name| !name.is_empty());
    let kind = parameters.take_number(ENTITY_TYPE)?;
    if let Some(entity) = entity {
        let kind = kind.ok_or_else(|| parameters.missing(ENTITY_TYPE))?;
        all.push(words(word(ENTITY_TYPES, ENTITY_TYPE, kind)?, Some(vec![quoted(entity)])));
    }
    parameters.take(SERVICE_COMPONENT);
    Ok(None)
}

fn word(form: Form, parameter: i32, number: i32) -> Result<&'static str, Refusal> {
    let Form::Words(known) = form else { return Err(Refusal::word(parameter)) };
    let found = known.iter().find(|(_, code)| *code == number);
    found.map(|(word, _)| *word).ok_or(Refusal::word(parameter))
}
