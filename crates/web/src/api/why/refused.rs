//! `why/2035`: which step refuses a user, or the last refusals.

use http::StatusCode;
use identity::Identity;
use model::authority::{AUTHORITY_WORDS, Authority, AuthorityObject, Principal};
use model::name::ObjectName;
use model::reason::Reason;
use queue_manager::access::{Access, Asked};
use queue_manager::recent::{Noted, Refusal, RefusedClient, Way};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::error::ApiError;
use crate::service::Call;

use super::channel::{self, Wish};
use super::{Asker, limit, missing, object_name, parameters, shown, since};

const WORDS: &str = "words of SET AUTHREC that the object has, such as put,get";
const TYPES: &str = "a word of OBJTYPE, such as queue, topic, qmgr or channel";

/// # Errors
/// 400 a parameter, 403 another user's refusals or an object that the user may not display, 404 no such queue manager.
pub(in super::super) async fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let known = [
        "user",
        "queue",
        "qmgr",
        "topic",
        "object",
        "type",
        "wants",
        "channel",
        "address",
        "authenticated",
        "limit",
        "since",
    ];
    let values = parameters(call, known)?;
    let asker = Asker::of(call, identity)?;
    let given = |name: &str| known.iter().position(|known| *known == name).and_then(|index| values[index].as_deref());
    let user = asker.user(given("user"))?;
    let (limit, since) = (limit(given("limit"))?, since(given("since"))?);
    let asked = asked(&asker, &given)?;
    if asked.is_none() && given("channel").is_none() {
        let unexpected = ["wants", "address", "authenticated"].into_iter().find(|name| given(name).is_some());
        return match unexpected {
            Some(name) => Err(ApiError::parameter_expected(name, "", "a queue, topic, object or channel beside it")),
            None => list(&asker, user, limit, since),
        };
    }
    let wanted = wanted(asked.as_ref(), given("wants"))?;
    let wish = Wish::read(&asker, &given, user)?;
    explain(&asker, user, wish.as_ref(), asked.as_ref(), wanted).await
}

impl Asker<'_> {
    /// The user who is asked about: administrators may ask about any.
    fn user<'u>(&'u self, given: Option<&'u str>) -> Result<Option<&'u str>, ApiError> {
        match given {
            Some("") => Err(missing("user", "the name of a user")),
            Some(user) if self.is_administrator || user == &*self.principal.user => Ok(Some(user)),
            Some(user) => Err(ApiError::not_authorized("ask about user", user, &self.principal.user)),
            None if self.is_administrator => Ok(None),
            None => Ok(Some(&self.principal.user)),
        }
    }
}

/// # Errors
/// 400 two objects, or not the name of one; 403 it may not be displayed.
fn asked<'v>(asker: &Asker<'_>, given: &impl Fn(&str) -> Option<&'v str>) -> Result<Option<Asked>, ApiError> {
    let (queue, topic, object) = (given("queue"), given("topic"), given("object"));
    let type_of = match (object, given("type")) {
        (_, None) => None,
        (None, Some(word)) if !is_queue_manager(word) => return Err(missing("object", "the name of the object")),
        (_, Some(word)) => Some(object_type(word).ok_or_else(|| ApiError::parameter_expected("type", word, TYPES))?),
    };
    let asked = match (queue, topic, object, type_of) {
        (Some(name), None, None, None) => {
            let (name, queue_manager) = (object_name("queue", name)?, given("qmgr").unwrap_or_default());
            let parsed = ObjectName::parse(queue_manager);
            let queue_manager = parsed
                .map_err(|_| ApiError::parameter_expected("qmgr", queue_manager, "the name of a queue manager"))?;
            asker.require(AuthorityObject::Queue, &name)?;
            Asked::Queue { name, queue_manager }
        }
        (None, Some(string), None, None) => {
            if !asker.is_administrator && !asker.sees_records() {
                return Err(ApiError::not_authorized("display", string, &asker.principal.user));
            }
            Asked::Topic { object: ObjectName::BLANK, string: string.to_owned() }
        }
        (None, None, None, Some(AuthorityObject::QueueManager)) => {
            Asked::Object { object: AuthorityObject::QueueManager, name: asker.queue_manager.name() }
        }
        (None, None, Some(name), object) => {
            let name = object_name("object", name)?;
            let object = object.unwrap_or(AuthorityObject::Queue);
            asker.require(object, &name)?;
            match object {
                AuthorityObject::Topic if asker.queue_manager.exists(object, &name) => {
                    Asked::Topic { object: name, string: String::new() }
                }
                object => Asked::Object { object, name },
            }
        }
        (None, None, None, None) => return Ok(None),
        _ => return Err(missing("queue", "only one of queue, topic and object")),
    };
    Ok(Some(asked))
}

fn is_queue_manager(word: &str) -> bool {
    object_type(word) == Some(AuthorityObject::QueueManager)
}

fn object_type(word: &str) -> Option<AuthorityObject> {
    AuthorityObject::ALL.into_iter().find(|object| object.mqsc().eq_ignore_ascii_case(word))
}

/// `put,get`; without words what programs mostly want of such an object.
fn wanted(asked: Option<&Asked>, words: Option<&str>) -> Result<Authority, ApiError> {
    let (possible, usual) = match asked {
        None => (Authority::empty(), Authority::empty()),
        Some(Asked::Queue { .. }) => (AuthorityObject::Queue.all_authorities(), Authority::PUT | Authority::GET),
        Some(Asked::Topic { .. }) => {
            (AuthorityObject::Topic.all_authorities(), Authority::PUBLISH | Authority::SUBSCRIBE)
        }
        Some(Asked::Object { object: AuthorityObject::QueueManager, .. }) => {
            (AuthorityObject::QueueManager.all_authorities(), Authority::CONNECT)
        }
        Some(Asked::Object { object, .. }) => (object.all_authorities(), Authority::DISPLAY),
    };
    let Some(words) = words else { return Ok(usual) };
    let bad = || ApiError::parameter_expected("wants", words, WORDS);
    let one = |word: &str| {
        let known = AUTHORITY_WORDS.into_iter().find(|known| known.mqsc.eq_ignore_ascii_case(word.trim()));
        known.map(|known| known.authority).filter(|authority| possible.contains(*authority)).ok_or_else(bad)
    };
    words.split(',').try_fold(Authority::empty(), |all, word| Ok(all | one(word)?))
}

/// The steps in the order of the real ones: the channel, the connection, the object.
async fn explain(
    asker: &Asker<'_>,
    user: Option<&str>,
    wish: Option<&Wish<'_>>,
    asked: Option<&Asked>,
    wanted: Authority,
) -> Result<Answer, ApiError> {
    let mut told = Told::default();
    let principal = match (wish, user) {
        (Some(wish), _) => channel::walk(asker, wish, &mut told).await,
        (None, Some(user)) => Some(asker.principal_of(user).await),
        (None, None) => return Err(missing("user", "the name of a user")),
    };
    if let (Some(principal), Some(asked)) = (&principal, asked)
        && told.outcome.is_ok()
    {
        if wish.is_none() {
            told.steps.push(shown::groups(principal));
        }
        let access = asker.queue_manager.explain_access(principal, asked, wanted);
        told.take(asker, &access);
    }
    Ok(told.into_answer(asker, principal.as_ref()))
}

/// What was found out so far.
pub(super) struct Told {
    pub(super) steps: Vec<Value>,
    pub(super) outcome: Result<(), Reason>,
    pub(super) cause: Option<String>,
    /// For administrators.
    pub(super) remedy: Value,
    /// Members beside these.
    pub(super) more: Map<String, Value>,
}

impl Default for Told {
    fn default() -> Self {
        Self { steps: Vec::new(), outcome: Ok(()), cause: None, remedy: json!([]), more: Map::new() }
    }
}

impl Told {
    pub(super) fn take(&mut self, asker: &Asker<'_>, access: &Access) {
        let with_records = asker.sees_records();
        self.steps.extend(access.steps.iter().map(|step| shown::step(step, with_records)));
        self.outcome = access.outcome;
        match (access.refusal(), access.outcome) {
            (Some(decision), _) => {
                self.cause = Some(shown::text(decision, with_records));
                self.remedy = shown::remedies(decision);
            }
            (None, Err(reason)) => self.cause = Some(format!("the name leads nowhere: {reason}")),
            (None, Ok(())) => {}
        }
    }

    pub(super) fn into_answer(self, asker: &Asker<'_>, principal: Option<&Principal>) -> Answer {
        let mut told = self.more;
        told.insert("allowed".to_owned(), self.outcome.is_ok().into());
        if let Some(principal) = principal {
            told.insert("user".to_owned(), (*principal.user).into());
            let groups: Vec<&str> = principal.groups.iter().map(|group| &**group).collect();
            told.insert("groups".to_owned(), groups.into());
        }
        if let Err(reason) = self.outcome {
            told.insert("reason".to_owned(), shown::reason(reason));
        }
        if let Some(cause) = self.cause {
            told.insert("cause".to_owned(), cause.into());
        }
        told.insert("steps".to_owned(), self.steps.into());
        if asker.is_administrator {
            told.insert("remedy".to_owned(), self.remedy);
        }
        super::super::json(StatusCode::OK, &Value::Object(told))
    }
}

/// The last refusals, the newest first: of programs and commands, and, for administrators, of clients that got 2035 for their MQCONN.
fn list(
    asker: &Asker<'_>,
    user: Option<&str>,
    limit: usize,
    since: model::timestamp::Timestamp,
) -> Result<Answer, ApiError> {
    let of_user = |known: &str| user.is_none_or(|user| user == known);
    let refusals = asker.queue_manager.refusals();
    let refusals = refusals.iter().filter(|one| of_user(&one.what.decision.principal.user));
    let mut all: Vec<(u64, Value)> = refusals.map(|one| (one.last.0, refusal(asker, one))).collect();
    if asker.is_administrator {
        let clients = asker.queue_manager.refused_clients();
        let clients = clients.iter().filter(|one| one.what.is_of_user && of_user(&one.what.user));
        all.extend(clients.map(|one| (one.last.0, client(one))));
    }
    all.retain(|(last, _)| *last >= since.0);
    all.sort_by_key(|(last, _)| std::cmp::Reverse(*last));
    let is_complete = all.len() <= limit;
    let shown: Vec<Value> = all.into_iter().take(limit).map(|(_, shown)| shown).collect();
    Ok(super::super::json(StatusCode::OK, &json!({ "refusals": shown, "isComplete": is_complete })))
}

fn refusal(asker: &Asker<'_>, noted: &Noted<Refusal>) -> Value {
    let Refusal { way, decision, topic_string } = &*noted.what;
    let with_records = asker.sees_records();
    let mut entry = shown::noted(noted);
    entry.insert("user".to_owned(), (*decision.principal.user).into());
    let object = json!({ "type": decision.object.mqsc(), "name": decision.name.as_str() });
    entry.insert("object".to_owned(), object);
    entry.insert("wants".to_owned(), shown::words(decision.wanted));
    entry.insert("lacks".to_owned(), shown::words(decision.missing()));
    if let Some(topic_string) = topic_string {
        entry.insert("topicString".to_owned(), topic_string.as_str().into());
    }
    match way {
        Way::Command => drop(entry.insert("by".to_owned(), "command".into())),
        Way::Report => drop(entry.insert("by".to_owned(), "report".into())),
        Way::Application { name, channel, connection_name } => {
            entry.insert("by".to_owned(), "application".into());
            for (member, text) in [("application", name), ("channel", channel), ("address", connection_name)] {
                if !text.is_empty() {
                    entry.insert(member.to_owned(), text.as_str().into());
                }
            }
        }
    }
    entry.insert("cause".to_owned(), shown::text(decision, with_records).into());
    entry.insert("steps".to_owned(), json!([shown::decision(decision, with_records)]));
    if asker.is_administrator {
        entry.insert("remedy".to_owned(), shown::remedies(decision));
    }
    Value::Object(entry)
}

pub(super) fn client(noted: &Noted<RefusedClient>) -> Value {
    let RefusedClient { channel, address, user, cause, .. } = &*noted.what;
    let mut entry = shown::noted(noted);
    entry.insert("by".to_owned(), "connection".into());
    entry.insert("address".to_owned(), address.to_string().into());
    for (member, text) in [("user", user), ("channel", channel)] {
        if !text.is_empty() {
            entry.insert(member.to_owned(), text.as_str().into());
        }
    }
    entry.insert("cause".to_owned(), cause.as_str().into());
    Value::Object(entry)
}
