//! A sentence about every command of the object table: `quaymaster mqsc help` and `docs/mqsc-commands.md`.

use std::fmt::Write as _;

use model::definition::attribute::{Kind, Membership};

use crate::mqsc::interpret::{commands, definition_kinds};
use crate::mqsc::statement::Verb;

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandHelp {
    /// `START CHANNEL`.
    pub command: String,
    /// Short forms of the object keyword.
    pub synonyms: &'static [&'static str],
    /// What may follow the object keyword.
    pub parameters: &'static str,
    /// What may follow it at members of a queue-sharing group, too; CMDSCOPE goes with every command there.
    pub of_members: &'static str,
    /// Whether members alone have the command.
    pub membership: Membership,
    pub sentence: &'static str,
}

impl CommandHelp {
    pub fn verb(&self) -> &str {
        self.command.split(' ').next().unwrap_or_default()
    }

    /// The object keyword.
    pub fn object(&self) -> &str {
        self.command.split(' ').nth(1).unwrap_or_default()
    }
}

/// Every command, objects in the order of the object table and verbs in that of the alphabet.
pub fn help() -> Vec<CommandHelp> {
    commands()
        .map(|(verb, words, membership)| {
            let word = words.first().copied().unwrap_or_default();
            let (parameters, sentence) = about(verb, word);
            CommandHelp {
                command: format!("{} {word}", verb.name()),
                synonyms: words.get(1..).unwrap_or_default(),
                parameters,
                of_members: of_members(verb, word),
                membership,
                sentence,
            }
        })
        .collect()
}

fn about(verb: Verb, word: &str) -> (&'static str, &'static str) {
    let own = OWN.iter().find(|(known, object, ..)| *known == verb && *object == word);
    own.map_or_else(|| of_definition(verb), |(.., parameters, sentence)| (*parameters, *sentence))
}

const SCOPE: &str = "CMDSCOPE(name|*)";

/// QSGDISP, as `interpret/group.rs` reads it, CHLDISP, as `interpret/channel.rs` does, and CMDSCOPE.
fn of_members(verb: Verb, word: &str) -> &'static str {
    let kinds = definition_kinds(word);
    let has_any = kinds.iter().any(|kind| kind.has_disposition());
    // Of the kinds that may be shared.
    let has_local = kinds.contains(&Kind::QueueLocal);
    match (verb, has_local) {
        (Verb::Display, _) if word == "CHSTATUS" => "CHLDISP(ALL|PRIVATE|SHARED) CMDSCOPE(name|*)",
        (Verb::Start | Verb::Stop, _) if word == "CHANNEL" => "CHLDISP(PRIVATE|SHARED) CMDSCOPE(name|*)",
        _ if !has_any => SCOPE,
        (Verb::Define, true) => "QSGDISP(QMGR|COPY|GROUP|SHARED) CMDSCOPE(name|*)",
        (Verb::Define, false) => "QSGDISP(QMGR|COPY|GROUP) CMDSCOPE(name|*)",
        (Verb::Alter | Verb::Delete, true) => "QSGDISP(QMGR|COPY|GROUP|PRIVATE|SHARED) CMDSCOPE(name|*)",
        (Verb::Alter | Verb::Delete, false) => "QSGDISP(QMGR|COPY|GROUP|PRIVATE) CMDSCOPE(name|*)",
        (Verb::Display, _) => "QSGDISP(LIVE|ALL|COPY|GROUP|PRIVATE|QMGR|SHARED) CMDSCOPE(name|*)",
        (Verb::Clear | Verb::Move, _) => "QSGDISP(PRIVATE|SHARED) CMDSCOPE(name|*)",
        _ => SCOPE,
    }
}

const fn of_definition(verb: Verb) -> (&'static str, &'static str) {
    match verb {
        Verb::Define => ("(name) LIKE(name) REPLACE|NOREPLACE attributes", "Creates an object."),
        Verb::Alter => ("(name) FORCE attributes", "Changes attributes of an object."),
        Verb::Delete => ("(name) AUTHREC(YES|NO) IGNSTATE(NO|YES)", "Deletes an object, and its authority records."),
        Verb::Display => {
            ("(generic-name) ALL WHERE(keyword operator value) attributes", "Shows attributes of objects.")
        }
        _ => ("", ""),
    }
}

/// Commands that are more than DEFINE, ALTER, DELETE and DISPLAY of a definition.
const OWN: &[(Verb, &str, &str, &str)] = &[
    (Verb::Alter, "QMGR", "FORCE attributes", "Changes attributes of the queue manager."),
    (Verb::Alter, "CFSTRUCT", "(name) attributes", "Changes attributes of a structure of the group."),
    (Verb::Clear, "QLOCAL", "(name)", "Removes every message of a queue that is not open."),
    (
        Verb::Clear,
        "TOPICSTR",
        "(topic-string) CLRTYPE(RETAINED) SCOPE(LOCAL|GLOBAL)",
        "Removes the retained publication of a topic string. # and + are wildcards.",
    ),
    (
        Verb::Define,
        "CFSTRUCT",
        "(name) LIKE(name) REPLACE|NOREPLACE attributes",
        "Creates a structure: a place of shared queues, for the whole group.",
    ),
    (Verb::Define, "CHANNEL", "(name) CHLTYPE(type) LIKE(name) REPLACE|NOREPLACE attributes", "Creates a channel."),
    (
        Verb::Delete,
        "AUTHREC",
        "PROFILE(name) OBJTYPE(type) PRINCIPAL(user)|GROUP(group)",
        "Deletes an authority record.",
    ),
    (Verb::Delete, "CFSTRUCT", "(name)", "Deletes a structure that no shared queue names."),
    (
        Verb::Delete,
        "QLOCAL",
        "(name) PURGE|NOPURGE AUTHREC(YES|NO) IGNSTATE(NO|YES)",
        "Deletes a queue. A queue with messages needs PURGE.",
    ),
    (Verb::Delete, "SUB", "(name)", "Deletes a subscription."),
    (Verb::Delete, "QUEUE", "(name) PURGE|NOPURGE AUTHREC(YES|NO) IGNSTATE(NO|YES)", "As DELETE QLOCAL."),
    (
        Verb::Display,
        "AUTHREC",
        "PROFILE(name) OBJTYPE(type) PRINCIPAL(user)|GROUP(group) MATCH(PROFILE|EXACT)",
        "Shows authority records.",
    ),
    (Verb::Display, "AUTHSERV", "ALL", "Shows the authorization service."),
    (
        Verb::Display,
        "CFSTATUS",
        "(generic-name) TYPE(SUMMARY|CONNECT|BACKUP|SMDS) ALL WHERE() attributes",
        "Shows what the queues of structures hold, or this member's connection to them.",
    ),
    (
        Verb::Display,
        "CFSTRUCT",
        "(generic-name) ALL WHERE(keyword operator value) attributes",
        "Shows the structures of the group.",
    ),
    (
        Verb::Display,
        "CHLAUTH",
        "(profile) MATCH(GENERIC|EXACT|ALL|RUNCHECK) TYPE(type) ALL WHERE() attributes",
        "Shows channel authentication records. RUNCHECK shows the record that applies to a partner.",
    ),
    (
        Verb::Display,
        "CHSTATUS",
        "(generic-name) CONNAME(address) XMITQ(name) CURRENT|SAVED ALL WHERE() attributes",
        "Shows running and stopped channels.",
    ),
    (Verb::Display, "CMDSERV", "ALL", "Shows whether the command server runs."),
    (
        Verb::Display,
        "CONN",
        "(generic-identifier) EXTCONN() TYPE(CONN|HANDLE|ALL) ALL WHERE() attributes",
        "Shows connections and their open objects.",
    ),
    (
        Verb::Display,
        "ENTAUTH",
        "PRINCIPAL(user)|GROUP(group) OBJTYPE(type) OBJNAME(name)",
        "Shows the authority of a user or group on an object.",
    ),
    (
        Verb::Display,
        "GROUP",
        "OBSMSGS(YES|NO) ALL WHERE() attributes",
        "Shows the members of the group, with number and state.",
    ),
    (Verb::Display, "LSSTATUS", "(generic-name) ALL WHERE() attributes", "Shows running listeners."),
    (Verb::Display, "PUBSUB", "TYPE(LOCAL|ALL|PARENT|CHILD) ALL attributes", "Shows the status of publish/subscribe."),
    (
        Verb::Display,
        "QMGR",
        "ALL SYSTEM EVENT CHINIT CLUSTER PUBSUB attributes",
        "Shows attributes of the queue manager, singly or by group.",
    ),
    (Verb::Display, "QMSTATUS", "ALL attributes", "Shows the status of the queue manager."),
    (
        Verb::Display,
        "QSTATUS",
        "(generic-name) TYPE(QUEUE|HANDLE) OPENTYPE(ALL|INPUT|OUTPUT) MONITOR ALL WHERE() attributes",
        "Shows the status of queues, or their open handles.",
    ),
    (
        Verb::Display,
        "QUEUE",
        "(generic-name) TYPE(type) CLUSTER(generic-name) CLUSNL(generic-name) TARGTYPE(ALL|QUEUE|TOPIC) CLUSINFO ALL WHERE(keyword operator value) attributes",
        "Shows queues of every type.",
    ),
    (
        Verb::Display,
        "SBSTATUS",
        "(generic-name)|SUBID(hex) DURABLE(ALL|YES|NO) SUBTYPE(type) ALL WHERE() attributes",
        "Shows the status of subscriptions, including those without a name.",
    ),
    (
        Verb::Display,
        "SUB",
        "(generic-name)|SUBID(hex) DURABLE(ALL|YES|NO) SUBTYPE(type) DISTYPE(RESOLVED|DEFINED) SUMMARY ALL WHERE() attributes",
        "Shows attributes of subscriptions.",
    ),
    (Verb::Display, "SVSTATUS", "(generic-name) ALL WHERE() attributes", "Shows running services."),
    (Verb::Display, "SYSTEM", "", "Shows the log messages that are suppressed."),
    (
        Verb::Display,
        "THREAD",
        "(*) TYPE(INDOUBT) ALL WHERE() attributes",
        "Shows units of recovery in doubt: those of this queue manager, and those of the group.",
    ),
    (
        Verb::Display,
        "TPSTATUS",
        "(topic-string) TYPE(TOPIC|PUB|SUB) ALL WHERE() attributes",
        "Shows topic strings, their publishers or their subscribers. # and + are wildcards.",
    ),
    (Verb::Display, "TRACE", "(ACCTG|*) CLASS(1,3) TNO(n)", "Shows running traces."),
    (
        Verb::Move,
        "QLOCAL",
        "(name) TOQLOCAL(name) TYPE(MOVE|ADD)|TOCFSTRUCT(name)",
        "Moves the messages of a queue to another queue, or a shared queue with its messages to the database of another structure.",
    ),
    (Verb::Ping, "CHANNEL", "(name) DATALEN(n)", "Always refused: message channels do not run."),
    (Verb::Ping, "QMGR", "", "Answers when the queue manager processes commands."),
    (
        Verb::Refresh,
        "QMGR",
        "TYPE(CONFIGEV) OBJECT(type) NAME(generic-name) INCLINT(minutes)",
        "Writes configuration events for the existing definitions.",
    ),
    (
        Verb::Refresh,
        "SECURITY",
        "TYPE(AUTHSERV|CONNAUTH|SSL)",
        "Has no effect: changes of authority take effect at once.",
    ),
    (Verb::Reset, "CHANNEL", "(name) SEQNUM(n)", "Always refused: message channels do not run."),
    (
        Verb::Reset,
        "QMGR",
        "TYPE(STATISTICS)",
        "Writes the statistics messages of the current interval and starts a new one.",
    ),
    (
        Verb::Reset,
        "QSTATS",
        "(generic-name) WHERE() attributes",
        "Shows the figures of queues since the last reset, and sets them to zero.",
    ),
    (Verb::Resolve, "CHANNEL", "(name) ACTION(COMMIT|BACKOUT)", "Always refused: message channels do not run."),
    (
        Verb::Resolve,
        "INDOUBT",
        "(*) ACTION(COMMIT|BACKOUT) NID(identifier)",
        "Ends a unit of recovery in doubt in its coordinator's place. DISPLAY THREAD shows its NID.",
    ),
    (
        Verb::Set,
        "AUTHREC",
        "PROFILE(name) OBJTYPE(type) PRINCIPAL(user)|GROUP(group) AUTHADD() AUTHRMV()",
        "Grants or revokes authority.",
    ),
    (
        Verb::Set,
        "CHLAUTH",
        "(profile) TYPE(type) keys USERSRC() MCAUSER() CHCKCLNT() WARN() DESCR() ACTION(ADD|REPLACE|REMOVE|REMOVEALL)",
        "Sets which clients may use a channel, and with which user's authority.",
    ),
    (Verb::Set, "SYSTEM", "EXCLMSG(X511,X512)", "Suppresses messages of the log."),
    (Verb::Start, "CHANNEL", "(name) IGNSTATE(NO|YES)", "Lets a stopped channel accept connections again."),
    (Verb::Start, "CMDSERV", "", "Starts the command server."),
    (
        Verb::Start,
        "LISTENER",
        "(name) IGNSTATE(NO|YES)",
        "Listens for MQ clients at the address of the listener. Without a name: SYSTEM.DEFAULT.LISTENER.TCP.",
    ),
    (Verb::Start, "SERVICE", "(name) IGNSTATE(NO|YES)", "Always refused: the server starts no programs."),
    (Verb::Start, "TRACE", "(ACCTG) CLASS(1,3) COMMENT(text)", "Starts accounting for every connection."),
    (
        Verb::Stop,
        "CHANNEL",
        "(name) MODE(QUIESCE|FORCE|TERMINATE) STATUS(STOPPED|INACTIVE) CONNAME() QMNAME() IGNSTATE(NO|YES)",
        "Ends the running instances of a channel and refuses new ones.",
    ),
    (Verb::Stop, "CMDSERV", "", "Stops the command server. Commands stay on its queue."),
    (Verb::Stop, "CONN", "(identifier) EXTCONN(hex)", "Ends a connection and backs out its unit of work."),
    (Verb::Stop, "LISTENER", "(name) IGNSTATE(NO|YES)", "Ends a running listener."),
    (Verb::Stop, "SERVICE", "(name) IGNSTATE(NO|YES)", "Ends a running service."),
    (Verb::Stop, "TRACE", "(ACCTG|*) CLASS(1,3) TNO(n)", "Ends traces."),
];

/// `docs/mqsc-commands.md`, whole, ending in a newline.
pub fn reference() -> String {
    let mut page = String::from(
        "# MQSC commands\n\n\
         This page lists the MQSC commands. [attributes.md](attributes.md) lists the attributes of objects, \
         [mqsc.md](mqsc.md) describes the rules of the language.\n\n\
         It is generated from the tables in `crates/command/src/mqsc/` by `QUAYMASTER_UPDATE_DOCS=1 cargo test -p command`; do \
         not edit it.\n\n\
         Commands marked † are those of members of a queue-sharing group, and so are the keywords of the column *In a group*. There, every \
         command also takes `CMDSCOPE(name|*)`.\n\n\
         | Command | Short forms | Parameters | In a group | Effect |\n|---|---|---|---|---|\n",
    );
    for CommandHelp { command, synonyms, parameters, of_members, membership, sentence } in help() {
        let [parameters, of_members] = [parameters, of_members.strip_suffix(SCOPE).unwrap_or_default().trim_end()]
            .map(|text| if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) });
        let mark = if membership == Membership::Member { " †" } else { "" };
        let synonyms = synonyms.join(" ");
        let _ = writeln!(page, "| `{command}`{mark} | {synonyms} | {parameters} | {of_members} | {sentence} |");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_sentence_and_every_sentence_a_command() {
        let all = help();
        for command in &all {
            assert!(!command.sentence.is_empty(), "{}", command.command);
        }
        for (verb, word, ..) in OWN {
            let command = format!("{} {word}", verb.name());
            assert_eq!(all.iter().filter(|known| known.command == command).count(), 1, "{command}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "writes the page into the source tree when asked to")]
    fn the_page_of_the_manual_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mqsc-commands.md");
        if std::env::var_os("QUAYMASTER_UPDATE_DOCS").is_some() {
            std::fs::write(path, reference()).expect("docs can be written");
        }
        let page = std::fs::read_to_string(path).expect("docs/mqsc-commands.md is there");
        assert!(page == reference(), "docs/mqsc-commands.md is stale: QUAYMASTER_UPDATE_DOCS=1 cargo test -p command");
    }
}
