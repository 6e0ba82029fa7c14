//! Words of authorities, object types and entities: AUTHREC in MQSC, and `setmqaut`, `dspmqaut`.
//!
//! Source: MQ reference, "SET AUTHREC", "setmqaut", 9.3.

use model::authority::{Authority, AuthorityObject, Entity};

/// Words as MQSC spells them, in the order AUTHLIST shows them; `setmqaut` uses the same in lower case.
pub const AUTHORITIES: &[(&str, Authority)] = &[
    ("ALTUSR", Authority::ALTERNATE_USER),
    ("BROWSE", Authority::BROWSE),
    ("CHG", Authority::CHANGE),
    ("CLR", Authority::CLEAR),
    ("CONNECT", Authority::CONNECT),
    ("CRT", Authority::CREATE),
    ("CTRL", Authority::CONTROL),
    ("CTRLX", Authority::CONTROL_EXTENDED),
    ("DLT", Authority::DELETE),
    ("DSP", Authority::DISPLAY),
    ("GET", Authority::GET),
    ("INQ", Authority::INQUIRE),
    ("PASSALL", Authority::PASS_ALL_CONTEXT),
    ("PASSID", Authority::PASS_IDENTITY_CONTEXT),
    ("PUB", Authority::PUBLISH),
    ("PUT", Authority::PUT),
    ("RESUME", Authority::RESUME),
    ("SET", Authority::SET),
    ("SETALL", Authority::SET_ALL_CONTEXT),
    ("SETID", Authority::SET_IDENTITY_CONTEXT),
    ("SUB", Authority::SUBSCRIBE),
    ("SYSTEM", Authority::SYSTEM),
];

/// OBJTYPE words; the second is what `setmqaut -t` calls it.
pub const OBJECTS: &[(&str, &str, AuthorityObject)] = &[
    ("AUTHINFO", "authinfo", AuthorityObject::AuthenticationInformation),
    ("CHANNEL", "channel", AuthorityObject::Channel),
    ("CLNTCONN", "clntconn", AuthorityObject::ClientChannel),
    ("COMMINFO", "comminfo", AuthorityObject::CommunicationInformation),
    ("LISTENER", "listener", AuthorityObject::Listener),
    ("NAMELIST", "namelist", AuthorityObject::NameList),
    ("PROCESS", "process", AuthorityObject::Process),
    ("QMGR", "qmgr", AuthorityObject::QueueManager),
    ("QUEUE", "queue", AuthorityObject::Queue),
    ("RQMNAME", "rqmname", AuthorityObject::RemoteQueueManager),
    ("SERVICE", "service", AuthorityObject::Service),
    ("TOPIC", "topic", AuthorityObject::Topic),
];

/// The authorities a word (in any case) stands for on an object; ALL, ALLADM, ALLMQI and NONE included.
pub fn authority(word: &str, object: AuthorityObject) -> Option<Authority> {
    let word = word.to_ascii_uppercase();
    match word.as_str() {
        "ALL" => Some(mqi(object) | administration(object)),
        "ALLMQI" => Some(mqi(object)),
        "ALLADM" => Some(administration(object)),
        "NONE" => Some(Authority::empty()),
        _ => AUTHORITIES.iter().find(|(name, _)| *name == word).map(|(_, authority)| *authority),
    }
}

/// Words of a set, as AUTHLIST shows them.
pub fn words(authorities: Authority) -> impl Iterator<Item = &'static str> {
    AUTHORITIES.iter().filter(move |(_, authority)| authorities.contains(*authority)).map(|(word, _)| *word)
}

/// An OBJTYPE word in any case, also as `setmqaut` abbreviates it.
pub fn object(word: &str) -> Option<AuthorityObject> {
    OBJECTS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word)).map(|(.., object)| *object)
}

pub fn object_word(object: AuthorityObject) -> &'static str {
    OBJECTS.iter().find(|(.., known)| *known == object).map_or("", |(word, ..)| word)
}

/// ENTTYPE and the name.
pub fn entity_words(entity: &Entity) -> (&'static str, &str) {
    match entity {
        Entity::Principal(name) => ("PRINCIPAL", name),
        Entity::Group(name) => ("GROUP", name),
    }
}

/// What ALLMQI means for an object.
fn mqi(object: AuthorityObject) -> Authority {
    match object {
        AuthorityObject::QueueManager => {
            Authority::ALTERNATE_USER
                | Authority::CONNECT
                | Authority::INQUIRE
                | Authority::SET
                | Authority::SET_ALL_CONTEXT
                | Authority::SET_IDENTITY_CONTEXT
        }
        AuthorityObject::Queue => {
            Authority::BROWSE
                | Authority::GET
                | Authority::INQUIRE
                | Authority::PASS_ALL_CONTEXT
                | Authority::PASS_IDENTITY_CONTEXT
                | Authority::PUT
                | Authority::SET
                | Authority::SET_ALL_CONTEXT
                | Authority::SET_IDENTITY_CONTEXT
        }
        AuthorityObject::Topic => {
            Authority::PUBLISH
                | Authority::RESUME
                | Authority::SUBSCRIBE
                | Authority::PASS_ALL_CONTEXT
                | Authority::PASS_IDENTITY_CONTEXT
                | Authority::SET_ALL_CONTEXT
                | Authority::SET_IDENTITY_CONTEXT
        }
        AuthorityObject::Process | AuthorityObject::NameList => Authority::INQUIRE | Authority::SET,
        AuthorityObject::AuthenticationInformation => Authority::INQUIRE,
        AuthorityObject::RemoteQueueManager => Authority::PUT | Authority::CONNECT,
        AuthorityObject::Channel
        | AuthorityObject::ClientChannel
        | AuthorityObject::Listener
        | AuthorityObject::Service
        | AuthorityObject::CommunicationInformation => Authority::empty(),
    }
}

/// What ALLADM means for an object.
fn administration(object: AuthorityObject) -> Authority {
    let common = Authority::CHANGE | Authority::CREATE | Authority::DELETE | Authority::DISPLAY;
    match object {
        AuthorityObject::QueueManager => common | Authority::CONTROL,
        AuthorityObject::Queue => common | Authority::CLEAR,
        AuthorityObject::Topic => common | Authority::CLEAR | Authority::CONTROL,
        AuthorityObject::Channel => common | Authority::CONTROL | Authority::CONTROL_EXTENDED,
        AuthorityObject::Listener | AuthorityObject::Service => common | Authority::CONTROL,
        AuthorityObject::RemoteQueueManager => Authority::empty(),
        AuthorityObject::ClientChannel
        | AuthorityObject::Process
        | AuthorityObject::NameList
        | AuthorityObject::AuthenticationInformation
        | AuthorityObject::CommunicationInformation => common,
    }
}
