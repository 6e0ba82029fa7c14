//! Properties by their published names, one after the other, and the service they add up to.
//!
//! Names are compared exactly. A property that no service has is an error, except that those of data conversion (`language`,
//! `requestStructure` ...) are for the compiler of copybooks and must not be passed here.

use std::collections::BTreeMap;
use std::time::Duration;

use model::descriptor::{Ccsid, Format, MessageDescriptor, Persistence};
use model::name::QueueName;
use model::text::Text;
use queue_manager::selector::Selector;

use super::{
    Destination, Kind, LateReply, Mq, Payload, QueueAddress, ReplySelection, Service, ServiceUser, Target, Wait,
};
use crate::convert::Transformation;
use crate::names::{Names, Queue, QueueTable, TargetClient};

/// A service that cannot be: which property, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    #[error("the property '{property}' is missing")]
    Missing { property: &'static str },
    #[error("the property '{property}' cannot be '{value}': {problem}")]
    Value { property: String, value: String, problem: String },
    #[error("the property '{property}' is not known")]
    Unknown { property: String },
    #[error("the property '{property}' cannot be used with '{other}'")]
    Conflict { property: &'static str, other: &'static str },
    #[error("'{name}' is not a valid service name: {problem}")]
    Name { name: String, problem: &'static str },
}

/// Every property that a service may have. Those up to `invokeURI` are published, the others are ours.
pub const PROPERTIES: [&str; 22] = [
    "connectionFactory",
    "destination",
    "replyDestination",
    "waitInterval",
    "expiry",
    "persistence",
    "replySelection",
    "selector",
    "mqmdFormat",
    "receiveTextCCSID",
    "userName",
    "password",
    "messagingAction",
    "useCallerPrincipal",
    "invokeURI",
    "priority",
    "ccsid",
    "targetClient",
    "payload",
    "lateReply",
    "lateReplyDestination",
    "provider",
];

/// A service in the making.
#[derive(Clone, Default)]
pub struct Builder {
    name: String,
    version: String,
    description: String,
    properties: BTreeMap<String, String>,
    transformation: Option<Transformation>,
}

impl Builder {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), version: "1.0".to_owned(), ..Self::default() }
    }

    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    pub fn description(mut self, description: &str) -> Self {
        description.clone_into(&mut self.description);
        self
    }

    pub fn transformation(mut self, transformation: Option<Transformation>) -> Self {
        self.transformation = transformation;
        self
    }

    /// Sets a property, one of [`PROPERTIES`]; a later value takes the place of an earlier one, as those of the
    /// configuration do of an archive's.
    ///
    /// # Errors
    /// There is no such property.
    pub fn property(mut self, property: &str, value: &str) -> Result<Self, DefinitionError> {
        if !PROPERTIES.contains(&property) {
            return Err(DefinitionError::Unknown { property: property.to_owned() });
        }
        self.properties.insert(property.to_owned(), value.trim().to_owned());
        Ok(self)
    }

    /// # Errors
    /// What is missing, cannot be, or contradicts itself.
    pub fn build(self, names: &Names) -> Result<Service, DefinitionError> {
        check_name(&self.name)?;
        let properties = Properties(&self.properties);
        if let Some(provider) = properties.text("provider").filter(|provider| *provider != "mq") {
            return Err(wrong("provider", provider, "only 'mq' is supported"));
        }
        let destination = Resolved::of(names, "destination", properties.needed("destination")?)?;
        let kind = kind(&properties, names, &destination)?;
        if self.transformation.as_ref().is_some_and(|it| it.of_requests().is_none()) {
            return Err(DefinitionError::Missing { property: "requestStructure" });
        }
        let (target, user) = factory(&properties, names)?;
        let wait = properties.integer("waitInterval", i64::from(i32::MIN), i64::from(i32::MAX))?;
        if kind.is_two_way() && wait.is_none() {
            return Err(DefinitionError::Missing { property: "waitInterval" });
        }
        let ccsid = properties.integer("ccsid", 1, 65_535)?.and_then(|number| i32::try_from(number).ok());
        let ccsid = ccsid.or(destination.ccsid).map(Ccsid);
        let text_ccsid = Ccsid::UTF_8;
        let record_ccsid = self.transformation.as_ref().map(Transformation::ccsid);
        let provider = Mq {
            target,
            destination: destination.place,
            kind,
            wait: wait.map_or(Wait::None, Wait::of_milliseconds),
            expiry: lifetime(properties.integer("expiry", i64::from(i32::MIN), i64::from(i32::MAX))?.unwrap_or(-1)),
            persistence: match properties.flag("persistence")? {
                true => Persistence::Persistent,
                false => Persistence::NonPersistent,
            },
            priority: properties
                .integer("priority", -1, 9)?
                .and_then(|number| i32::try_from(number).ok())
                .unwrap_or(MessageDescriptor::PRIORITY_AS_QUEUE_DEFINITION),
            selector: selector(&properties)?,
            format: format(&properties)?,
            ccsid: ccsid.or(record_ccsid).unwrap_or(text_ccsid),
            receive_text_ccsid: properties
                .integer("receiveTextCCSID", 1, 65_535)?
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(37),
            target_client: properties
                .choice("targetClient", &[("MQ", TargetClient::Mq), ("JMS", TargetClient::Jms)])?
                .unwrap_or(destination.target_client),
            payload: properties
                .choice("payload", &[("json", Payload::Json), ("text", Payload::Text)])?
                .unwrap_or_default(),
            user,
        };
        check_ccsid("receiveTextCCSID", provider.receive_text_ccsid)?;
        check_ccsid("ccsid", u32::try_from(provider.ccsid.0).unwrap_or(0))?;
        Ok(Service {
            name: self.name,
            version: self.version,
            description: self.description,
            invoke_uris: invoke_uris(&properties)?,
            provider,
            transformation: self.transformation,
        })
    }
}

/// A lifetime in milliseconds as applications state it: zero and below are without end.
pub(crate) fn lifetime(milliseconds: i64) -> Option<Duration> {
    u64::try_from(milliseconds).ok().filter(|&it| it > 0).map(Duration::from_millis)
}

fn check_name(name: &str) -> Result<(), DefinitionError> {
    let problem = match name {
        "" => "it is empty",
        "." | ".." => "it is a folder's",
        _ if name.len() > 128 => "it is longer than 128 characters",
        _ if name.chars().any(|character| character.is_control() || "/\\?#\"<>|*:".contains(character)) => {
            "it has a character that is not allowed in names of files or URLs"
        }
        _ => return Ok(()),
    };
    Err(DefinitionError::Name { name: name.to_owned(), problem })
}

fn check_ccsid(property: &str, ccsid: u32) -> Result<(), DefinitionError> {
    if codepage::is_known(ccsid) {
        return Ok(());
    }
    Err(wrong(property, &ccsid.to_string(), "this code page is not supported"))
}

fn wrong(property: &str, value: &str, problem: impl Into<String>) -> DefinitionError {
    DefinitionError::Value { property: property.to_owned(), value: value.to_owned(), problem: problem.into() }
}

struct Properties<'a>(&'a BTreeMap<String, String>);

impl<'a> Properties<'a> {
    /// A blank value counts as none.
    fn text(&self, property: &str) -> Option<&'a str> {
        self.0.get(property).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn needed(&self, property: &'static str) -> Result<&'a str, DefinitionError> {
        self.text(property).ok_or(DefinitionError::Missing { property })
    }

    fn integer(&self, property: &str, minimum: i64, maximum: i64) -> Result<Option<i64>, DefinitionError> {
        let Some(text) = self.text(property) else { return Ok(None) };
        match text.parse::<i64>() {
            Ok(number) if (minimum..=maximum).contains(&number) => Ok(Some(number)),
            Ok(_) => Err(wrong(property, text, format!("it is outside {minimum} to {maximum}"))),
            Err(_) => Err(wrong(property, text, "it is no whole number")),
        }
    }

    fn flag(&self, property: &str) -> Result<bool, DefinitionError> {
        Ok(self.choice(property, &[("true", true), ("false", false)])?.unwrap_or(false))
    }

    /// Words are compared without regard to case.
    fn choice<T: Copy>(&self, property: &str, words: &[(&str, T)]) -> Result<Option<T>, DefinitionError> {
        let Some(text) = self.text(property) else { return Ok(None) };
        match words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)) {
            Some(&(_, value)) => Ok(Some(value)),
            None => {
                let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
                Err(wrong(property, text, format!("it is one of {}", known.join(", "))))
            }
        }
    }
}

/// One URI or a comma list.
fn invoke_uris(properties: &Properties<'_>) -> Result<Vec<String>, DefinitionError> {
    let Some(list) = properties.text("invokeURI") else { return Ok(Vec::new()) };
    let uris = list.split(',').map(str::trim).filter(|uri| !uri.is_empty());
    uris.map(|uri| match uri.strip_prefix('/') {
        None => Err(wrong("invokeURI", uri, "it begins with a slash")),
        Some(rest) if rest.trim_end_matches('*').contains('*') || rest.ends_with("**") => {
            Err(wrong("invokeURI", uri, "an asterisk stands at the end only"))
        }
        Some(_) => Ok(uri.to_owned()),
    })
    .collect()
}

fn selector(properties: &Properties<'_>) -> Result<String, DefinitionError> {
    let Some(text) = properties.text("selector") else { return Ok(String::new()) };
    match Selector::parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(wrong("selector", text, error.to_string())),
    }
}

fn format(properties: &Properties<'_>) -> Result<Format, DefinitionError> {
    match properties.text("mqmdFormat") {
        None => Ok(Format::NONE),
        Some(format) if format.len() <= 8 && format.is_ascii() => Ok(Format(Text::new(format))),
        Some(format) => Err(wrong("mqmdFormat", format, "a format has at most eight characters")),
    }
}

/// The queue manager, and the user of its connections.
fn factory(properties: &Properties<'_>, names: &Names) -> Result<(Target, ServiceUser), DefinitionError> {
    let name = properties.text("connectionFactory").unwrap_or_default();
    let entry = names.connection_factories.get(name);
    let target = match entry {
        Some(entry) => match (&entry.queue_manager, &entry.remote) {
            (_, Some(remote)) if !names.remote.contains(remote) => {
                return Err(wrong("connectionFactory", name, format!("there is no remote queue manager '{remote}'")));
            }
            (_, Some(remote)) => Target::Remote(remote.clone()),
            (local, None) => Target::Local(local.clone().unwrap_or_default()),
        },
        None if names.remote.iter().any(|remote| remote == name) => Target::Remote(name.to_owned()),
        None => Target::Local(String::new()),
    };
    let by_service = properties.text("userName").map(|user| (user, properties.text("password")));
    let by_factory = entry.and_then(|entry| entry.user.as_deref().map(|user| (user, entry.password.as_deref())));
    if properties.flag("useCallerPrincipal")? {
        return match by_service {
            Some(_) => Err(DefinitionError::Conflict { property: "useCallerPrincipal", other: "userName" }),
            None => Ok((target, ServiceUser::Caller)),
        };
    }
    if by_service.is_none() && properties.text("password").is_some() {
        return Err(DefinitionError::Missing { property: "userName" });
    }
    let user = match by_service.or(by_factory) {
        None => ServiceUser::Server,
        Some((_, None)) => return Err(DefinitionError::Missing { property: "password" }),
        Some((user, Some(password))) => ServiceUser::Named { user: user.to_owned(), password: password.to_owned() },
    };
    Ok((target, user))
}

fn kind(properties: &Properties<'_>, names: &Names, destination: &Resolved) -> Result<Kind, DefinitionError> {
    #[derive(Clone, Copy)]
    enum Action {
        Put,
        Get,
    }
    let action = properties.choice("messagingAction", &[("mqput", Action::Put), ("mqget", Action::Get)])?;
    let is_topic = matches!(destination.place, Destination::Topic(_));
    if let Some(reply) = properties.text("replyDestination") {
        if action.is_some() {
            return Err(DefinitionError::Conflict { property: "messagingAction", other: "replyDestination" });
        }
        let reply = Resolved::of(names, "replyDestination", reply)?.queue("replyDestination", reply)?;
        return Ok(Kind::TwoWay {
            reply,
            selection: selection(properties)?,
            late_reply: late_reply(properties, names)?,
        });
    }
    for property in ["replySelection", "lateReply", "lateReplyDestination"] {
        if properties.text(property).is_some() {
            return Err(DefinitionError::Missing { property: "replyDestination" });
        }
    }
    match action {
        Some(Action::Get) if is_topic => {
            let value = properties.text("destination").unwrap_or_default();
            Err(wrong("destination", value, "messages are received from queues only"))
        }
        Some(Action::Get) => Ok(Kind::Get),
        Some(Action::Put) => Ok(Kind::Put),
        None if is_topic => Ok(Kind::Topic),
        None => Ok(Kind::Queue),
    }
}

fn selection(properties: &Properties<'_>) -> Result<ReplySelection, DefinitionError> {
    let words = [
        ("msgIDToCorrelID", ReplySelection::MessageIdToCorrelationId),
        ("correlIDToCorrelID", ReplySelection::CorrelationIdToCorrelationId),
        ("none", ReplySelection::None),
    ];
    Ok(properties.choice("replySelection", &words)?.unwrap_or_default())
}

fn late_reply(properties: &Properties<'_>, names: &Names) -> Result<LateReply, DefinitionError> {
    #[derive(Clone, Copy, PartialEq)]
    enum Word {
        Expire,
        Queue,
        Keep,
    }
    let words = [("expire", Word::Expire), ("queue", Word::Queue), ("keep", Word::Keep)];
    let word = properties.choice("lateReply", &words)?;
    match (word, properties.text("lateReplyDestination")) {
        (None | Some(Word::Queue), Some(name)) => {
            let queue = Resolved::of(names, "lateReplyDestination", name)?.queue("lateReplyDestination", name)?;
            Ok(LateReply::Queue(queue))
        }
        (Some(Word::Queue), None) => Err(DefinitionError::Missing { property: "lateReplyDestination" }),
        (Some(Word::Expire | Word::Keep), Some(_)) => {
            Err(DefinitionError::Conflict { property: "lateReplyDestination", other: "lateReply" })
        }
        (Some(Word::Keep), None) => Ok(LateReply::Keep),
        (None | Some(Word::Expire), None) => Ok(LateReply::Expire),
    }
}

/// A destination's name looked up.
struct Resolved {
    place: Destination,
    ccsid: Option<i32>,
    target_client: TargetClient,
}

impl Resolved {
    fn of(names: &Names, property: &str, name: &str) -> Result<Self, DefinitionError> {
        let topic = |topic: &str| Self {
            place: Destination::Topic(topic.to_owned()),
            ccsid: None,
            target_client: TargetClient::default(),
        };
        if let Some(string) = names.topics.get(name) {
            return Ok(topic(string));
        }
        if let Some(string) = name.strip_prefix("topic://").filter(|string| !string.is_empty()) {
            return Ok(topic(string));
        }
        let table = match names.queues.get(name) {
            Some(Queue::Table(table)) => table.clone(),
            Some(Queue::Name(queue)) => QueueTable { queue: queue.clone(), ..QueueTable::default() },
            None => QueueTable { queue: plain_queue(name).to_owned(), ..QueueTable::default() },
        };
        let parse = |text: &str| QueueName::parse(text).map_err(|error| wrong(property, name, error.to_string()));
        let queue = parse(&table.queue)?;
        if queue.is_blank() {
            return Err(wrong(property, name, "it names no queue"));
        }
        Ok(Self {
            place: Destination::Queue(QueueAddress { queue, queue_manager: parse(&table.queue_manager)? }),
            ccsid: table.ccsid.and_then(|ccsid| i32::try_from(ccsid).ok()),
            target_client: table.target_client,
        })
    }

    fn queue(self, property: &str, name: &str) -> Result<QueueAddress, DefinitionError> {
        match self.place {
            Destination::Queue(queue) => Ok(queue),
            Destination::Topic(_) => Err(wrong(property, name, "it must be a queue")),
        }
    }
}

/// `queue:///NAME` as JMS writes it, or the name as it is.
fn plain_queue(name: &str) -> &str {
    name.strip_prefix("queue:///").unwrap_or(name)
}

#[cfg(test)]
mod tests;
