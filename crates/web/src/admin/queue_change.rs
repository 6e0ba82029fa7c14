//! POST, PATCH and DELETE of queues: each becomes one typed command, run as MQSC's would be.

use std::sync::Arc;

use command::command::group::{DispositionChoice, Scope};
use command::command::{Alter, Command, Define, Delete};
use command::scope;
use http::header::{self, HeaderName, HeaderValue};
use http::{StatusCode, Uri};
use identity::Identity;
use model::definition::QueueDefinition;
use model::definition::attribute::{Kind, Membership, View};
use model::definition::queue::Disposition;
use model::name::QueueName;
use model::reason::Reason;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use queue_manager::event::command::{Issued, Issuer};
use serde_json::{Map, Value};

use crate::answer::{self, Answer};
use crate::error::{self, ApiError};
use crate::request_body::RequestBody;
use crate::service::Call;
use crate::{media_type, query};

use super::{Intent, Reached, body, decode, issuer, queue};

/// Names the queue managers that have answered.
const MEMBERS: HeaderName = HeaderName::from_static("ibm-mq-qmgrs");
/// What a name may hold that a part of a path may not.
const IN_PATH: &AsciiSet = &CONTROLS.add(b'/').add(b'%');

/// POST of `queue`: 201. An existing queue is replaced, its messages kept, unless `noReplace` is given.
///
/// # Errors
/// 400 the body or a parameter; 403 the caller may not; 404 no such queue manager, or no queue to be like; 415 not JSON.
pub(crate) async fn create(
    call: Call<'_>,
    identity: &Identity,
    body: &mut RequestBody<'_>,
) -> Result<Answer, ApiError> {
    let change = Change::new(call, identity)?;
    let (mut like, mut no_replace, mut scope) = (None, None, None);
    query::each(call.query(), |name, value| match name {
        "like" => query::once(&mut like, name, value.into_owned()),
        "noReplace" => query::once(&mut no_replace, name, flag(name, &value)?),
        "commandScope" => query::once(&mut scope, name, change.scope(name, &value)?),
        _ => Err(query::unknown(name)),
    })?;
    let mut members = read(call, body).await?;
    let name = body::take_text(&mut members, "name")?.ok_or_else(|| body_lacks("name"))?;
    let kind = take_type(&mut members)?.unwrap_or(Kind::QueueLocal);
    let membership = change.reached.queue_manager.membership();
    let disposition = take_disposition(membership, &mut members)?;
    let base = like.as_deref().and_then(|like| change.reached.queue_manager.queue(&QueueName::parse(like).ok()?));
    let settings = body::settings(kind, membership, &members, base.as_deref().map(|base| View::Queue(base, None)))?;
    let names_queue_manager = settings.iter().any(|setting| setting.attribute.mqsc == "RQMNAME");
    if kind == Kind::QueueRemote && like.is_none() && !names_queue_manager {
        return Err(body_lacks("remote.qmgrName"));
    }
    let missing = like.clone().unwrap_or_else(|| name.clone());
    let define = Define { kind, name: checked(&name)?, like, replace: no_replace.is_none(), disposition, settings };
    let members = change.run("create", &name, &missing, Command::Define(define), scope).await?;
    let mut answer = change.done(StatusCode::CREATED, members);
    if let Some(location) = location(&call, &name) {
        answer.headers_mut().insert(header::LOCATION, location);
    }
    Ok(answer)
}

/// PATCH of `queue/NAME`: 204. Without `type` the queue is taken as what it is.
///
/// # Errors
/// As `create`; 404 no such queue.
pub(crate) async fn alter(call: Call<'_>, identity: &Identity, body: &mut RequestBody<'_>) -> Result<Answer, ApiError> {
    let change = Change::new(call, identity)?;
    let (mut force, mut scope) = (None, None);
    query::each(call.query(), |name, value| match name {
        "force" => query::once(&mut force, name, flag(name, &value)?),
        "commandScope" => query::once(&mut scope, name, change.scope(name, &value)?),
        _ => Err(query::unknown(name)),
    })?;
    let name = checked(&decode(call.parameters[1])?)?;
    let mut members = read(call, body).await?;
    let current = change.current(&name, scope.as_ref())?;
    let own_kind = current.as_ref().map_or(Kind::QueueLocal, |current| current.attribute_kind());
    let kind = take_type(&mut members)?.unwrap_or(own_kind);
    let membership = change.reached.queue_manager.membership();
    let view = current.as_deref().map(|current| View::Queue(current, None));
    let settings = body::settings(kind, membership, &members, view)?;
    let dispositions = dispositions(scope.as_ref());
    let alter = Alter { kind, name: name.clone(), force: force.is_some(), dispositions, settings };
    let members = change.run("alter", &name, &name, Command::Alter(alter), scope).await?;
    Ok(change.done(StatusCode::NO_CONTENT, members))
}

/// DELETE of `queue/NAME`: 204. A queue that holds messages stays, unless `purge` is given.
///
/// # Errors
/// 400 the queue is not empty or in use, or a parameter; 403 the caller may not; 404 no such queue or queue manager.
pub(crate) async fn delete(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let change = Change::new(call, identity)?;
    let (mut purge, mut keep, mut scope) = (None, None, None);
    query::each(call.query(), |name, value| match name {
        "commandScope" => query::once(&mut scope, name, change.scope(name, &value)?),
        "purge" => query::once(&mut purge, name, flag(name, &value)?),
        "keepAuthorityRecords" => query::once(&mut keep, name, flag(name, &value)?),
        _ => Err(query::unknown(name)),
    })?;
    let name = checked(&decode(call.parameters[1])?)?;
    let current = change.current(&name, scope.as_ref())?;
    let kind = current.map_or(Kind::QueueLocal, |current| current.attribute_kind());
    let (authority_records, dispositions) = (keep.is_none(), dispositions(scope.as_ref()));
    let delete = Delete { kind, name: name.clone(), purge: purge.is_some(), authority_records, dispositions };
    let members = change.run("delete", &name, &name, Command::Delete(delete), scope).await?;
    Ok(change.done(StatusCode::NO_CONTENT, members))
}

/// What is changed on several members is of each of them.
fn dispositions(scope: Option<&Scope>) -> DispositionChoice {
    if scope.is_some() { DispositionChoice::Private } else { DispositionChoice::All }
}

/// `queueSharingGroup.disposition` of a new queue, which members of a queue-sharing group take.
///
/// # Errors
/// 400: no such disposition.
fn take_disposition(membership: Membership, members: &mut Map<String, Value>) -> Result<Disposition, ApiError> {
    const PATH: &str = "queueSharingGroup.disposition";
    let group = match (membership, members.get_mut("queueSharingGroup")) {
        (Membership::Member, Some(Value::Object(group))) => group,
        _ => return Ok(Disposition::QueueManager),
    };
    let Some(said) = group.remove("disposition") else { return Ok(Disposition::QueueManager) };
    match said.as_str() {
        Some("qmgr") => Ok(Disposition::QueueManager),
        Some("copy") => Ok(Disposition::Copy),
        Some("shared") => Ok(Disposition::Shared),
        Some("group") => Ok(Disposition::Group),
        _ => Err(ApiError::attribute_value(PATH, &said.to_string(), "expected copy, group, qmgr or shared")),
    }
}

/// Where a change goes and who makes it.
struct Change<'a> {
    reached: Reached,
    issuer: Issuer<'a>,
}

impl<'a> Change<'a> {
    fn new(call: Call<'a>, identity: &'a Identity) -> Result<Self, ApiError> {
        Ok(Self { reached: Reached::of(call)?, issuer: issuer(call, identity, Intent::Change)? })
    }

    /// `commandScope`, which members of a queue-sharing group take.
    ///
    /// # Errors
    /// 400: a queue manager in no group does not know it; not a name.
    fn scope(&self, parameter: &str, value: &str) -> Result<Scope, ApiError> {
        if self.reached.queue_manager.membership() == Membership::Alone {
            return Err(query::unknown(parameter));
        }
        scope::named_scope(value).ok_or_else(|| ApiError::parameter(parameter, value))
    }

    /// The queue as it is here; it need not be there when others are asked.
    ///
    /// # Errors
    /// 404.
    fn current(&self, name: &str, scope: Option<&Scope>) -> Result<Option<Arc<QueueDefinition>>, ApiError> {
        let queue = QueueName::parse(name).ok().and_then(|name| self.reached.queue_manager.queue(&name));
        if queue.is_none() && scope.is_none() { Err(self.unknown(name)) } else { Ok(queue) }
    }

    /// `members`: that were asked, when `commandScope` names them.
    fn done(&self, status: StatusCode, members: Option<String>) -> Answer {
        let mut answer = answer::empty(status);
        if let Some(members) = members.and_then(|members| HeaderValue::try_from(members).ok()) {
            answer.headers_mut().insert(MEMBERS, members);
        }
        self.reached.decorate(&mut answer);
        answer
    }

    fn unknown(&self, name: &str) -> ApiError {
        ApiError::object_unknown("queue", name, self.reached.queue_manager.name().as_str())
    }

    /// `missing` is the queue that is not there when the command says that one is not.
    /// Gives the members that have run it, separated by commas, when there is a scope.
    async fn run(
        &self,
        verb: &str,
        name: &str,
        missing: &str,
        command: Command,
        scope: Option<Scope>,
    ) -> Result<Option<String>, ApiError> {
        let is_scoped = scope.is_some();
        let command = scope.map_or_else(|| command.clone(), |scope| scope::of_queue(scope, command.clone()));
        // Typed commands have no text.
        let issued = Issued::Pcf(&[]);
        let reply = command::execute_issued(&self.reached.queue_manager, &self.issuer, issued, &command).await;
        let Some(item) = reply.items.iter().find(|item| item.reason != 0) else {
            let own = self.reached.queue_manager.name().to_string();
            let members: Vec<_> =
                reply.items.iter().map(|item| item.member.clone().unwrap_or_else(|| own.clone())).collect();
            return Ok(is_scoped.then(|| members.join(", ")));
        };
        Err(match Reason::from_number(item.reason) {
            Some(Reason::NotAuthorized) => ApiError::not_authorized(verb, name, self.issuer.user),
            Some(Reason::UnknownObjectName) => self.unknown(missing),
            _ => ApiError::command(verb, name, item.reason, &item.message),
        })
    }
}

async fn read(call: Call<'_>, body: &mut RequestBody<'_>) -> Result<Map<String, Value>, ApiError> {
    media_type::require_json(call.headers())?;
    body::object(&body::read(call, body).await?)
}

fn take_type(members: &mut Map<String, Value>) -> Result<Option<Kind>, ApiError> {
    let Some(word) = body::take_text(members, "type")? else { return Ok(None) };
    let wrong =
        || ApiError::attribute_value("type", &word, "expected one of \"local\", \"alias\", \"remote\", \"model\"");
    queue::kind_of(&word).map(Some).ok_or_else(wrong)
}

/// A flag is set by being there; `true` may stand behind it.
pub(super) fn flag(name: &str, value: &str) -> Result<(), ApiError> {
    if matches!(value, "" | "true") { Ok(()) } else { Err(ApiError::parameter(name, value)) }
}

fn body_lacks(member: &str) -> ApiError {
    ApiError::new(&error::BODY_NOT_VALID, &[&format!("it lacks {member}")])
}

/// # Errors
/// 400: not a name, or a blank one.
fn checked(name: &str) -> Result<String, ApiError> {
    match QueueName::parse(name) {
        Ok(parsed) if !parsed.is_blank() => Ok(parsed.as_str().to_owned()),
        _ => Err(ApiError::new(&error::NAME_NOT_VALID, &[name])),
    }
}

/// The URL of a new queue, as the client would write it.
fn location(call: &Call<'_>, name: &str) -> Option<HeaderValue> {
    let uri: &Uri = &call.parts.uri;
    let host = call.parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = uri.authority().map(http::uri::Authority::as_str).or(host)?;
    let scheme = if call.over_tls { "https" } else { "http" };
    let path = uri.path().trim_end_matches('/');
    let name = utf8_percent_encode(name, IN_PATH);
    HeaderValue::try_from(format!("{scheme}://{host}{path}/{name}")).ok()
}
