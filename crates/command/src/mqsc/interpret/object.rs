//! The object table: what may stand after a verb, and which verbs go with it.
//!
//! A new command starts here: its verb joins the row of its object (or the object gets a row), `interpret.rs` names the
//! function that reads its parameters, and that function stands in the file of its family.

use model::definition::attribute::{Kind, Membership};

use crate::mqsc::problem::Problem;
use crate::mqsc::statement::Verb;

/// What stands after a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mqsc) enum Object {
    Definition(Kind),
    AnyQueue,
    QueueStatus,
    QueueManagerStatus,
    Connection,
    SubscriptionStatus,
    AuthorityRecord,
    AuthorityService,
    EntityAuthority,
    /// Channels of every type, which CHLTYPE names.
    Channel,
    /// Authentication information of every type, which AUTHTYPE names.
    Authentication,
    ChannelStatus,
    ListenerStatus,
    ServiceStatus,
    ChannelAuthentication,
    TopicString,
    TopicStatus,
    PublishSubscribe,
    CommandServer,
    QueueStatistics,
    System,
    Trace,
    Security,
    /// The queue-sharing group.
    Group,
    /// CFSTATUS.
    StructureStatus,
    /// Units of recovery that wait for their coordinator.
    InDoubt,
    /// THREAD: shows them.
    Thread,
    /// An object of MQ that this queue manager does not have: its row says so by name.
    Elsewhere,
}

pub(super) struct Row {
    /// The name in full, then its synonyms.
    words: &'static [&'static str],
    object: Object,
    /// Verbs this queue manager takes.
    verbs: &'static [Verb],
    /// Verbs that MQ has for the object and we have not: refused by name.
    refused: &'static [Verb],
    /// What a member of a queue-sharing group has in its place.
    member: Option<(Object, &'static [Verb])>,
}

impl Row {
    /// The name in full.
    pub(super) fn word(&self) -> &'static str {
        self.words.first().copied().unwrap_or_default()
    }

    #[cfg(test)]
    pub(super) const fn words(&self) -> &'static [&'static str] {
        self.words
    }

    #[cfg(test)]
    pub(super) const fn verbs(&self) -> &'static [Verb] {
        self.verbs
    }

    #[cfg(test)]
    pub(super) const fn refused(&self) -> &'static [Verb] {
        self.refused
    }
}

const fn row(words: &'static [&'static str], object: Object, verbs: &'static [Verb], refused: &'static [Verb]) -> Row {
    Row { words, object, verbs, refused, member: None }
}

const fn elsewhere(words: &'static [&'static str]) -> Row {
    row(words, Object::Elsewhere, &[], &[])
}

/// One that members of a queue-sharing group alone have.
const fn of_members(words: &'static [&'static str], object: Object, verbs: &'static [Verb]) -> Row {
    Row { words, object: Object::Elsewhere, verbs: &[], refused: &[], member: Some((object, verbs)) }
}

const DEFINITION: &[Verb] = &[Verb::Alter, Verb::Define, Verb::Delete, Verb::Display];
const DISPLAY: &[Verb] = &[Verb::Display];

pub(super) static OBJECTS: &[Row] = &[
    Row {
        words: &["QLOCAL", "QL"],
        object: Object::Definition(Kind::QueueLocal),
        verbs: &[Verb::Alter, Verb::Clear, Verb::Define, Verb::Delete, Verb::Display],
        refused: &[Verb::Move],
        // A shared queue moves to the database of another structure.
        member: Some((
            Object::Definition(Kind::QueueLocal),
            &[Verb::Alter, Verb::Clear, Verb::Define, Verb::Delete, Verb::Display, Verb::Move],
        )),
    },
    row(&["QALIAS", "QA"], Object::Definition(Kind::QueueAlias), DEFINITION, &[]),
    row(&["QREMOTE", "QR"], Object::Definition(Kind::QueueRemote), DEFINITION, &[]),
    row(&["QMODEL", "QM"], Object::Definition(Kind::QueueModel), DEFINITION, &[]),
    row(&["TOPIC"], Object::Definition(Kind::Topic), DEFINITION, &[]),
    row(&["SUB"], Object::Definition(Kind::Subscription), DEFINITION, &[]),
    row(
        &["QMGR"],
        Object::Definition(Kind::QueueManager),
        &[Verb::Alter, Verb::Display, Verb::Ping, Verb::Refresh, Verb::Reset],
        &[Verb::Resume, Verb::Start, Verb::Stop, Verb::Suspend],
    ),
    row(&["AUTHINFO"], Object::Authentication, DEFINITION, &[]),
    row(&["PROCESS", "PROC", "PRO"], Object::Definition(Kind::Process), DEFINITION, &[]),
    row(&["NAMELIST", "NL"], Object::Definition(Kind::NameList), DEFINITION, &[]),
    row(&["COMMINFO"], Object::Definition(Kind::Communication), DEFINITION, &[]),
    // DELETE QUEUE is what some clients send for DELETE QLOCAL.
    row(&["QUEUE", "Q"], Object::AnyQueue, &[Verb::Delete, Verb::Display], &[]),
    row(&["QSTATUS", "QS"], Object::QueueStatus, DISPLAY, &[]),
    row(&["QMSTATUS", "QMS"], Object::QueueManagerStatus, DISPLAY, &[]),
    row(&["CONN"], Object::Connection, &[Verb::Display, Verb::Stop], &[]),
    row(&["SBSTATUS"], Object::SubscriptionStatus, DISPLAY, &[]),
    row(&["AUTHREC"], Object::AuthorityRecord, &[Verb::Delete, Verb::Display, Verb::Set], &[]),
    row(&["AUTHSERV"], Object::AuthorityService, DISPLAY, &[]),
    row(&["ENTAUTH"], Object::EntityAuthority, DISPLAY, &[]),
    row(
        &["CHANNEL", "CHL"],
        Object::Channel,
        &[
            Verb::Alter,
            Verb::Define,
            Verb::Delete,
            Verb::Display,
            Verb::Ping,
            Verb::Reset,
            Verb::Resolve,
            Verb::Start,
            Verb::Stop,
        ],
        &[Verb::Purge],
    ),
    row(&["CHSTATUS", "CHS"], Object::ChannelStatus, DISPLAY, &[]),
    row(
        &["LISTENER", "LSTR"],
        Object::Definition(Kind::Listener),
        &[Verb::Alter, Verb::Define, Verb::Delete, Verb::Display, Verb::Start, Verb::Stop],
        &[],
    ),
    row(&["LSSTATUS"], Object::ListenerStatus, DISPLAY, &[]),
    row(
        &["SERVICE"],
        Object::Definition(Kind::Service),
        &[Verb::Alter, Verb::Define, Verb::Delete, Verb::Display, Verb::Start, Verb::Stop],
        &[],
    ),
    row(&["SVSTATUS"], Object::ServiceStatus, DISPLAY, &[]),
    row(&["CHLAUTH"], Object::ChannelAuthentication, &[Verb::Display, Verb::Set], &[]),
    row(&["TOPICSTR"], Object::TopicString, &[Verb::Clear], &[]),
    row(&["TPSTATUS", "TPS"], Object::TopicStatus, DISPLAY, &[]),
    row(&["PUBSUB"], Object::PublishSubscribe, DISPLAY, &[]),
    row(&["CMDSERV", "CS"], Object::CommandServer, &[Verb::Display, Verb::Start, Verb::Stop], &[]),
    row(&["QSTATS"], Object::QueueStatistics, &[Verb::Reset], &[]),
    row(&["SYSTEM"], Object::System, &[Verb::Display, Verb::Set], &[]),
    row(&["TRACE"], Object::Trace, &[Verb::Display, Verb::Start, Verb::Stop], &[Verb::Alter]),
    row(&["SECURITY"], Object::Security, &[Verb::Refresh], &[Verb::Alter, Verb::Display, Verb::Rverify]),
    elsewhere(&["APSTATUS"]),
    elsewhere(&["ARCHIVE"]),
    elsewhere(&["BSDS"]),
    elsewhere(&["BUFFPOOL"]),
    of_members(&["CFSTATUS"], Object::StructureStatus, DISPLAY),
    of_members(&["CFSTRUCT"], Object::Definition(Kind::Structure), DEFINITION),
    elsewhere(&["CHINIT"]),
    elsewhere(&["CLUSQMGR"]),
    elsewhere(&["CLUSTER"]),
    of_members(&["GROUP"], Object::Group, DISPLAY),
    of_members(&["INDOUBT", "IND"], Object::InDoubt, &[Verb::Resolve]),
    elsewhere(&["LOG"]),
    elsewhere(&["POLICY"]),
    elsewhere(&["PSID"]),
    elsewhere(&["QCLUSTER", "QC"]),
    elsewhere(&["SMDS"]),
    elsewhere(&["SMDSCONN"]),
    elsewhere(&["STGCLASS"]),
    elsewhere(&["TCLUSTER"]),
    of_members(&["THREAD", "THD"], Object::Thread, DISPLAY),
    elsewhere(&["TPIPE"]),
    elsewhere(&["USAGE"]),
];

/// Every command: a verb and the words of its object, and which queue managers have it.
pub(in crate::mqsc) fn commands() -> impl Iterator<Item = (Verb, &'static [&'static str], Membership)> {
    OBJECTS.iter().flat_map(|row| {
        let of_members = row.member.map_or(&[][..], |(_, verbs)| verbs);
        let verbs = Verb::ALL.iter().filter_map(move |(verb, _)| {
            let is_everywhere = row.verbs.contains(verb);
            let membership = if is_everywhere { Membership::Alone } else { Membership::Member };
            (is_everywhere || of_members.contains(verb)).then_some((*verb, membership))
        });
        verbs.map(|(verb, membership)| (verb, row.words, membership))
    })
}

/// Every object of MQ with its words, as members of a queue-sharing group have it.
pub(in crate::mqsc) fn objects() -> impl Iterator<Item = (&'static [&'static str], Object)> {
    OBJECTS.iter().map(|row| (row.words, row.member.map_or(row.object, |(object, _)| object)))
}

/// The object a word names, `word` in upper case.
pub(super) fn find(word: &str) -> Option<&'static Row> {
    OBJECTS.iter().find(|row| row.words.contains(&word))
}

/// Is this word, in upper case, an object of MQ?
pub(crate) fn is_object(word: &str) -> bool {
    find(word).is_some()
}

/// The kind of definition a word names.
pub(super) fn definition_kind(word: &str) -> Option<Kind> {
    match find(word)?.object {
        Object::Definition(kind) => Some(kind),
        _ => None,
    }
}

/// The kinds of definitions that a word names: several for channels and the like, none for what is no definition.
pub(crate) fn definition_kinds(word: &str) -> Vec<Kind> {
    match find(word).map(|row| row.object) {
        Some(Object::Definition(kind)) => vec![kind],
        Some(Object::AnyQueue) => Kind::QUEUES.to_vec(),
        Some(Object::Channel) => Kind::CHANNELS.to_vec(),
        Some(Object::Authentication) => Kind::AUTHENTICATION.to_vec(),
        _ => Vec::new(),
    }
}

/// Which of these kinds a type parameter means: `SVRCONN`.
pub(super) fn of_type(kinds: &[Kind], word: &str) -> Option<Kind> {
    kinds.iter().copied().find(|kind| kind.type_parameter().is_some_and(|(_, known)| known == word))
}

/// What type parameters of these kinds may say.
pub(super) fn types(kinds: &[Kind]) -> String {
    kinds.iter().filter_map(|kind| kind.type_parameter()).map(|(_, word)| word).collect::<Vec<_>>().join(", ")
}

/// The object of a command this queue manager has.
///
/// # Errors
/// No such object, or the verb does not go with it, or MQ has the command and we have not.
pub(in crate::mqsc) fn resolve(verb: Verb, word: &str, membership: Membership) -> Result<Object, Problem> {
    let Some(row) = find(word) else {
        return Err(Problem::syntax(format!("{word} is not an object of MQ")));
    };
    if let (Membership::Member, Some((object, verbs))) = (membership, row.member)
        && verbs.contains(&verb)
    {
        return Ok(object);
    }
    if row.verbs.contains(&verb) {
        return Ok(row.object);
    }
    let name = row.word();
    if row.object == Object::Elsewhere || row.refused.contains(&verb) {
        return Err(Problem::unsupported(format!("{} {name}", verb.name())));
    }
    Err(Problem::syntax(format!("{} does not go with {word}", verb.name())))
}
