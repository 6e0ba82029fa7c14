//! Attributes that are kept and shown but change nothing yet, and keywords that only z/OS knows.
//!
//! Kept by hand: an attribute leaves these lists when it comes into effect.

use model::definition::attribute::Kind;

use crate::command::Setting;

const NO_CLUSTERS: &str = "there are no clusters";
const NOT_RECORDED: &str = "nothing of the kind is recorded";
const NO_EXITS: &str = "there are no exits";
const NO_MULTICAST: &str = "there is no multicast";
const NO_QUEUED_PUBLISH_SUBSCRIBE: &str = "there is no queued publish/subscribe";
const NO_MESSAGE_CHANNELS: &str = "message channels do not run";
const NO_CHANNEL_EVENTS: &str = "channels write no events";
const NO_AUTOMATIC_CHANNELS: &str = "channels are not defined automatically";
const OWN_TLS: &str = "the server's configuration rules keys and TLS";
const OWN_USERS: &str = "users are known to the server's configuration";

/// Without effect whatever they are set to, and why.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("ACTIVREC", NOT_RECORDED),
    ("ACTVCONO", NOT_RECORDED),
    ("ACTVTRC", NOT_RECORDED),
    ("CERTLABL", OWN_TLS),
    ("CERTVPOL", OWN_TLS),
    ("CHAD", NO_AUTOMATIC_CHANNELS),
    ("CHADEV", NO_AUTOMATIC_CHANNELS),
    ("CHADEXIT", NO_EXITS),
    ("CHLEV", NO_CHANNEL_EVENTS),
    ("CLCHNAME", NO_CLUSTERS),
    ("CLROUTE", NO_CLUSTERS),
    ("CLUSNL", NO_CLUSTERS),
    ("CLUSTER", NO_CLUSTERS),
    ("CLWLDATA", NO_CLUSTERS),
    ("CLWLEXIT", NO_CLUSTERS),
    ("CLWLLEN", NO_CLUSTERS),
    ("CLWLMRUC", NO_CLUSTERS),
    ("CLWLPRTY", NO_CLUSTERS),
    ("CLWLRANK", NO_CLUSTERS),
    ("CLWLUSEQ", NO_CLUSTERS),
    ("COMMINFO", NO_MULTICAST),
    ("DEFBIND", NO_CLUSTERS),
    ("DEFCLXQ", NO_CLUSTERS),
    ("DEFREADA", "programs choose read ahead"),
    ("DISTL", "there are no distribution lists"),
    ("IMGINTVL", "the recovery log frees itself"),
    ("IMGLOGLN", "the recovery log frees itself"),
    ("IMGRCOVO", "the recovery log frees itself"),
    ("IMGRCOVQ", "the recovery log frees itself"),
    ("IMGSCHED", "the recovery log frees itself"),
    ("IPADDRV", "the server's configuration names addresses"),
    ("LOGGEREV", "the recovery log writes no events"),
    ("MAXFSIZE", "queues have no files of their own"),
    ("MAXPROPL", "properties count with the message"),
    ("MCAST", NO_MULTICAST),
    ("MONACLS", NO_CLUSTERS),
    ("MONCHL", "figures of channels are always kept"),
    ("NPMCLASS", "nonpersistent messages end with the queue manager"),
    ("PARENT", "there is no publish/subscribe hierarchy"),
    ("PROXYSUB", "there is no publish/subscribe hierarchy"),
    ("PSCLUS", NO_CLUSTERS),
    ("PSNPMSG", NO_QUEUED_PUBLISH_SUBSCRIBE),
    ("PSNPRES", NO_QUEUED_PUBLISH_SUBSCRIBE),
    ("PSRTYCNT", NO_QUEUED_PUBLISH_SUBSCRIBE),
    ("PSSYNCPT", NO_QUEUED_PUBLISH_SUBSCRIBE),
    ("PUBSCOPE", "there is no publish/subscribe hierarchy"),
    ("REPOS", NO_CLUSTERS),
    ("REPOSNL", NO_CLUSTERS),
    ("REVDNS", "host names of partners are not looked up"),
    ("ROUTEREC", NOT_RECORDED),
    ("SCHINIT", "channels run with the queue manager"),
    ("SCOPE", "there is no cell directory"),
    ("SSLCRLNL", OWN_TLS),
    ("SSLCRYP", OWN_TLS),
    ("SSLEV", NO_CHANNEL_EVENTS),
    ("SSLFIPS", OWN_TLS),
    ("SSLKEYR", OWN_TLS),
    ("SSLRKEYC", OWN_TLS),
    ("STATACLS", NO_CLUSTERS),
    ("STREAMQ", "messages are not streamed to a second queue"),
    ("STRMQOS", "messages are not streamed to a second queue"),
    ("SUBSCOPE", "there is no publish/subscribe hierarchy"),
    ("SUITEB", OWN_TLS),
    ("TREELIFE", "unused topic strings take no room"),
];

/// Attributes of `without_effect` whose silence would mislead: DEFINE and ALTER warn of them.
const TOLD: &[&str] = &["CLUSNL", "CLUSTER", "PARENT", "REPOS", "REPOSNL", "SCYEXIT", "STREAMQ"];

/// Why an attribute that a command sets to something else than its default changes nothing, when the command has to say it.
pub(crate) fn told(kind: Kind, name: &str, setting: &Setting) -> Option<&'static str> {
    let keyword = setting.attribute.mqsc;
    let says_nothing = setting.value.text().is_some_and(|text| text.trim().is_empty())
        || setting.attribute.default_value(kind).as_ref() == Some(&setting.value);
    let is_told = TOLD.contains(&keyword) || of_list(kind, name, keyword).is_some();
    without_effect(kind, name, keyword).filter(|_| is_told && !says_nothing)
}

/// Why channels of this type are kept as definitions only.
pub(crate) fn does_not_run(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::ServerConnection | Kind::ClientConnection => None,
        Kind::AmqpChannel => Some("AMQP channels do not run"),
        kind if kind.is_channel() => Some(NO_MESSAGE_CHANNELS),
        _ => None,
    }
}

/// What counts of a server connection.
const OF_SERVER_CONNECTIONS: &[&str] = &[
    "CHLTYPE", "DEFCDISP", "DESCR", "DISCINT", "HBINT", "MAXINST", "MAXINSTC", "MAXMSGL", "MCAUSER", "SHARECNV",
    "SSLCAUTH", "SSLCIPH", "SSLPEER", "TRPTYPE",
];

/// What counts of an object that says how the passwords of MQ clients are checked.
const OF_PASSWORD_CHECKS: &[&str] = &["ADOPTCTX", "AUTHTYPE", "CHCKCLNT", "DESCR", "FAILDLAY"];

/// What counts of a listener.
const OF_LISTENERS: &[&str] = &["BACKLOG", "CONTROL", "DESCR", "INDISP", "IPADDR", "PORT", "TRPTYPE"];

/// Keywords of z/OS, and what they are about there.
const Z_OS: &[(&str, &str)] = &[
    ("ASID", "address spaces"),
    ("BUFFPOOL", "buffer pools"),
    ("CFSTRUCT", "coupling facility structures"),
    ("CHLDISP", "queue sharing groups"),
    ("CMDSCOPE", "queue sharing groups"),
    ("DEFCDISP", "queue sharing groups"),
    ("EXPRYINT", "its own expiry scan"),
    ("IGQ", "queue sharing groups"),
    ("IGQAUT", "queue sharing groups"),
    ("IGQUSER", "queue sharing groups"),
    ("INDISP", "queue sharing groups"),
    ("INDXTYPE", "indexes of queues; all identifiers are indexed here"),
    ("MONCHLINT", "channel monitoring"),
    ("PSID", "page sets"),
    ("QSGDISP", "queue sharing groups"),
    ("SQQMNAME", "queue sharing groups"),
    ("STGCLASS", "storage classes"),
    ("TPIPE", "IMS"),
    ("XCFGNAME", "IMS"),
    ("XCFMNAME", "IMS"),
];

/// Why a definition of this kind as a whole is kept without effect.
pub(crate) fn of_whole(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::ClientConnection => Some("definitions for clients are kept, not acted on"),
        Kind::Service => Some("services are not started"),
        Kind::Communication => Some(NO_MULTICAST),
        Kind::AuthenticationCrl | Kind::AuthenticationOcsp => Some(OWN_TLS),
        kind => does_not_run(kind),
    }
}

/// Why the names in a namelist of queued publish/subscribe change nothing.
fn of_list(kind: Kind, name: &str, keyword: &str) -> Option<&'static str> {
    let is_of_streams = kind == Kind::NameList && name.starts_with("SYSTEM.QPUBSUB.") && keyword == "NAMES";
    is_of_streams.then_some(NO_QUEUED_PUBLISH_SUBSCRIBE)
}

/// Why an attribute of a definition that is accepted changes nothing; `None` when it has effect.
pub(crate) fn without_effect(kind: Kind, name: &str, keyword: &str) -> Option<&'static str> {
    let unless = |counts: &[&str], why| (!counts.contains(&keyword)).then_some(why);
    match kind {
        Kind::ServerConnection => unless(OF_SERVER_CONNECTIONS, "client channels have nothing of the kind here"),
        Kind::Listener => unless(OF_LISTENERS, "listeners speak TCP only"),
        Kind::AuthenticationOs | Kind::AuthenticationLdap => unless(OF_PASSWORD_CHECKS, OWN_USERS),
        _ => of_whole(kind)
            .or_else(|| of_list(kind, name, keyword))
            .or_else(|| WITHOUT_EFFECT.iter().find(|(known, _)| *known == keyword).map(|(_, why)| *why)),
    }
}

/// What a keyword of z/OS is about there.
pub(super) fn of_z_os(keyword: &str) -> Option<&'static str> {
    Z_OS.iter().find(|(known, _)| *known == keyword).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use model::definition::attribute::{self, Membership};

    use super::*;

    #[test]
    fn every_attribute_named_here_is_in_the_attribute_table_and_none_of_z_os_is() {
        let is_known_to = |membership: Membership, keyword: &str| {
            attribute::all()
                .any(|row| row.mqsc == keyword && row.membership <= membership && !row.applies(Kind::Structure))
        };
        let is_known = |keyword: &str| is_known_to(Membership::Alone, keyword);
        for (keyword, _) in WITHOUT_EFFECT {
            assert!(is_known(keyword), "{keyword}");
        }
        for keyword in [OF_SERVER_CONNECTIONS, OF_PASSWORD_CHECKS, OF_LISTENERS].concat() {
            assert!(is_known_to(Membership::Member, keyword), "{keyword}");
        }
        for (keyword, _) in Z_OS {
            assert!(!is_known(keyword), "{keyword}");
        }
    }
}
