//! Attributes that are kept and shown but change nothing yet, and keywords that only z/OS knows.
//!
//! Kept by hand: an attribute leaves these lists when it comes into effect.

use model::definition::attribute::Kind;

const NO_CLUSTERS: &str = "there are no clusters";
const NO_CHANNELS: &str = "no channels run yet";
const NOT_RECORDED: &str = "nothing of the kind is recorded";
const NO_EXITS: &str = "there are no exits";
const NO_MULTICAST: &str = "there is no multicast";

/// Without effect whatever they are set to, and why.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("ACTIVREC", NOT_RECORDED),
    ("ACTVCONO", NOT_RECORDED),
    ("ACTVTRC", NOT_RECORDED),
    ("ACCTCONO", "connections choose no accounting"),
    ("ACCTINT", "an accounting message is written when a connection ends"),
    ("ADOPTCTX", NO_CHANNELS),
    ("CERTLABL", NO_CHANNELS),
    ("CERTVPOL", NO_CHANNELS),
    ("CHAD", NO_CHANNELS),
    ("CHADEV", NO_CHANNELS),
    ("CHADEXIT", NO_EXITS),
    ("CHLEV", NO_CHANNELS),
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
    ("CONNAUTH", "users are known to the server's configuration"),
    ("DEFBIND", NO_CLUSTERS),
    ("DEFCLXQ", NO_CLUSTERS),
    ("DEFPRESP", "programs choose their put responses"),
    ("DEFREADA", "there is no read ahead"),
    ("DISTL", "there are no distribution lists"),
    ("IMGINTVL", "the recovery log frees itself"),
    ("IMGLOGLN", "the recovery log frees itself"),
    ("IMGRCOVO", "the recovery log frees itself"),
    ("IMGRCOVQ", "the recovery log frees itself"),
    ("IMGSCHED", "the recovery log frees itself"),
    ("IPADDRV", NO_CHANNELS),
    ("LOGGEREV", "the recovery log writes no events"),
    ("MAXFSIZE", "queues have no files of their own"),
    ("MAXPROPL", "properties count with the message"),
    ("MCAST", NO_MULTICAST),
    ("MONACLS", NO_CLUSTERS),
    ("MONCHL", NO_CHANNELS),
    ("NPMCLASS", "nonpersistent messages end with the queue manager"),
    ("PARENT", "there is no publish/subscribe hierarchy"),
    ("PROPCTL", "properties come as programs ask for them"),
    ("PROXYSUB", "there is no publish/subscribe hierarchy"),
    ("PSCLUS", NO_CLUSTERS),
    ("PSNPMSG", "there is no queued publish/subscribe"),
    ("PSNPRES", "there is no queued publish/subscribe"),
    ("PSRTYCNT", "there is no queued publish/subscribe"),
    ("PSSYNCPT", "there is no queued publish/subscribe"),
    ("PUBSCOPE", "there is no publish/subscribe hierarchy"),
    ("REPOS", NO_CLUSTERS),
    ("REPOSNL", NO_CLUSTERS),
    ("REVDNS", NO_CHANNELS),
    ("ROUTEREC", NOT_RECORDED),
    ("SCHINIT", NO_CHANNELS),
    ("SCOPE", "there is no cell directory"),
    ("SSLCRLNL", NO_CHANNELS),
    ("SSLCRYP", NO_CHANNELS),
    ("SSLEV", NO_CHANNELS),
    ("SSLFIPS", NO_CHANNELS),
    ("SSLKEYR", "the server's configuration holds keys"),
    ("SSLRKEYC", NO_CHANNELS),
    ("STATACLS", NO_CLUSTERS),
    ("STATCHL", NOT_RECORDED),
    ("STATINT", NOT_RECORDED),
    ("STATMQI", NOT_RECORDED),
    ("STATQ", NOT_RECORDED),
    ("STREAMQ", "messages are not streamed to a second queue"),
    ("STRMQOS", "messages are not streamed to a second queue"),
    ("SUBSCOPE", "there is no publish/subscribe hierarchy"),
    ("SUITEB", NO_CHANNELS),
    ("TREELIFE", "unused topic strings take no room"),
];

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

/// Why an attribute of a definition that is accepted changes nothing; `None` when it has effect.
pub(super) fn without_effect(kind: Kind, keyword: &str) -> Option<&'static str> {
    if Kind::CHANNELS.contains(&kind) {
        return Some(NO_CHANNELS);
    }
    match kind {
        Kind::Listener => Some("listeners are not started by name"),
        Kind::Service => Some("services are not started"),
        Kind::Communication => Some(NO_MULTICAST),
        _ if Kind::AUTHENTICATION.contains(&kind) => Some("users are known to the server's configuration"),
        _ => WITHOUT_EFFECT.iter().find(|(known, _)| *known == keyword).map(|(_, why)| *why),
    }
}

/// What a keyword of z/OS is about there.
pub(super) fn of_z_os(keyword: &str) -> Option<&'static str> {
    Z_OS.iter().find(|(known, _)| *known == keyword).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use model::definition::attribute;

    use super::*;

    #[test]
    fn every_attribute_without_effect_is_in_the_attribute_table_and_none_of_z_os_is() {
        let is_known = |keyword: &str| attribute::all().any(|row| row.mqsc == keyword);
        for (keyword, _) in WITHOUT_EFFECT {
            assert!(is_known(keyword), "{keyword}");
        }
        for (keyword, _) in Z_OS {
            assert!(!is_known(keyword), "{keyword}");
        }
    }
}
