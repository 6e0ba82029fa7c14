//! Copybooks: those of deployed services and of the folder `copybooks`, for bodies that are records. Listed, and shown one by one.

use std::borrow::Cow;

use ::service::copybooks::{Listed, Origin, all};
use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::error::{self, ApiError};
use crate::query;
use crate::service::Call;

use super::{json as answer_json, selection};

const DEFAULT_PAGE: usize = 100;

/// GET of `/api/v1/copybooks`.
///
/// # Errors
/// 400 an unknown parameter or value.
pub(super) fn list(call: Call<'_>) -> Result<Answer, ApiError> {
    let (mut limit, mut cursor) = (None, None);
    query::each(call.query(), |name, value: Cow<'_, str>| match name {
        "limit" => query::once(&mut limit, name, selection::number(name, &value)?),
        "cursor" => query::once(&mut cursor, name, value.into_owned()),
        _ => Err(query::unknown(name)),
    })?;
    let limit = limit.unwrap_or(DEFAULT_PAGE);
    let services = &call.shared.services;
    let all = all(&services.registry, &services.copybooks);
    let rest = all.iter().filter(|one| cursor.as_ref().is_none_or(|cursor| one.name > *cursor));
    let page: Vec<&Listed> = rest.take(limit + 1).collect();
    let shown: Vec<Value> = page.iter().take(limit).map(|one| Value::Object(summary(one))).collect();
    let mut answer = json!({ "copybooks": shown });
    if page.len() > limit
        && let Some(last) = page.get(limit - 1)
    {
        answer["cursor"] = json!(last.name);
    }
    Ok(answer_json(StatusCode::OK, &answer))
}

/// GET of `/api/v1/copybooks/{copybook}`.
///
/// # Errors
/// 404 there is none of this name.
pub(super) fn show(call: Call<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let encoded = call.parameters[0];
    let name = percent_encoding::percent_decode_str(encoded).decode_utf8_lossy();
    let services = &call.shared.services;
    let all = all(&services.registry, &services.copybooks);
    let one = all.iter().find(|one| one.name == *name);
    let one = one.ok_or_else(|| ApiError::new(&error::NO_SUCH_COPYBOOK, &[&name]))?;
    let mut members = summary(one);
    if let Ok(structure) = &one.structure {
        members.insert("fields".to_owned(), structure.items().into());
        let schema = structure
            .schema()
            .map_err(|problem| ApiError::new(&error::BODY_NOT_VALID, &[&model::causes::chain(&problem)]))?;
        members.insert("schema".to_owned(), schema);
    }
    Ok(answer_json(StatusCode::OK, &Value::Object(members)))
}

fn summary(one: &Listed) -> Map<String, Value> {
    let origin = match one.origin {
        Origin::Service => "service",
        Origin::Folder => "folder",
    };
    let mut members = Map::new();
    members.insert("name".to_owned(), json!(one.name));
    members.insert("from".to_owned(), json!(origin));
    match &one.structure {
        Ok(structure) => {
            let (longest, shortest) = structure.lengths();
            members.insert("length".to_owned(), json!(longest));
            if shortest != longest {
                members.insert("minimumLength".to_owned(), json!(shortest));
            }
            members.insert("ccsid".to_owned(), json!(structure.ccsid()));
            members.insert("encoding".to_owned(), json!(structure.encoding()));
        }
        Err(problem) => {
            members.insert("problem".to_owned(), json!(problem));
        }
    }
    members
}
