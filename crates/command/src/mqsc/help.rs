//! A sentence about every command of the object table: `quaymaster mqsc help` and `docs/mqsc-commands.md`.

use std::fmt::Write as _;

use crate::mqsc::interpret::commands;
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
    pub sentence: &'static str,
}

/// Every command, objects in the order of the object table and verbs in that of the alphabet.
pub fn help() -> Vec<CommandHelp> {
    commands()
        .map(|(verb, words)| {
            let word = words.first().copied().unwrap_or_default();
            let (parameters, sentence) = about(verb, word);
            CommandHelp {
                command: format!("{} {word}", verb.name()),
                synonyms: words.get(1..).unwrap_or_default(),
                parameters,
                sentence,
            }
        })
        .collect()
}

fn about(verb: Verb, word: &str) -> (&'static str, &'static str) {
    let own = OWN.iter().find(|(known, object, ..)| *known == verb && *object == word);
    own.map_or_else(|| of_definition(verb), |(.., parameters, sentence)| (*parameters, *sentence))
}

const fn of_definition(verb: Verb) -> (&'static str, &'static str) {
    match verb {
        Verb::Define => ("(name) LIKE(name) REPLACE|NOREPLACE attributes", "Makes an object."),
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
    (Verb::Clear, "QLOCAL", "(name)", "Removes every message of a queue that is not open."),
    (
        Verb::Clear,
        "TOPICSTR",
        "(topic-string) CLRTYPE(RETAINED) SCOPE(LOCAL|GLOBAL)",
        "Removes what is retained on a topic string; # and + are wildcards.",
    ),
    (Verb::Define, "CHANNEL", "(name) CHLTYPE(type) LIKE(name) REPLACE|NOREPLACE attributes", "Makes a channel."),
    (
        Verb::Delete,
        "AUTHREC",
        "PROFILE(name) OBJTYPE(type) PRINCIPAL(user)|GROUP(group)",
        "Takes an authority record away.",
    ),
    (
        Verb::Delete,
        "QLOCAL",
        "(name) PURGE|NOPURGE AUTHREC(YES|NO) IGNSTATE(NO|YES)",
        "Deletes a queue; with messages only by PURGE.",
    ),
    (Verb::Delete, "SUB", "(name)", "Ends a subscription."),
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
        "CHLAUTH",
        "(profile) MATCH(GENERIC|EXACT|ALL|RUNCHECK) TYPE(type) ALL WHERE() attributes",
        "Shows channel authentication records; with RUNCHECK the one that decides about a partner.",
    ),
    (
        Verb::Display,
        "CHSTATUS",
        "(generic-name) CONNAME(address) XMITQ(name) CURRENT|SAVED ALL WHERE() attributes",
        "Shows channels that run or are stopped.",
    ),
    (Verb::Display, "CMDSERV", "ALL", "Shows whether commands are taken from the command queue."),
    (
        Verb::Display,
        "CONN",
        "(generic-identifier) EXTCONN() TYPE(CONN|HANDLE|ALL) ALL WHERE() attributes",
        "Shows connections and what they have open.",
    ),
    (
        Verb::Display,
        "ENTAUTH",
        "PRINCIPAL(user)|GROUP(group) OBJTYPE(type) OBJNAME(name)",
        "Shows what a user or group may do to an object.",
    ),
    (Verb::Display, "LSSTATUS", "(generic-name) ALL WHERE() attributes", "Shows listeners that run."),
    (Verb::Display, "PUBSUB", "TYPE(LOCAL|ALL|PARENT|CHILD) ALL attributes", "Shows publish/subscribe as a whole."),
    (
        Verb::Display,
        "QMGR",
        "ALL SYSTEM EVENT CHINIT CLUSTER PUBSUB attributes",
        "Shows attributes of the queue manager, also by group.",
    ),
    (Verb::Display, "QMSTATUS", "ALL attributes", "Shows the running queue manager."),
    (
        Verb::Display,
        "QSTATUS",
        "(generic-name) TYPE(QUEUE|HANDLE) OPENTYPE(ALL|INPUT|OUTPUT) MONITOR ALL WHERE() attributes",
        "Shows queues in use, or who has them open.",
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
        "Shows subscriptions in use, those without a name included.",
    ),
    (
        Verb::Display,
        "SUB",
        "(generic-name)|SUBID(hex) DURABLE(ALL|YES|NO) SUBTYPE(type) DISTYPE(RESOLVED|DEFINED) SUMMARY ALL WHERE() attributes",
        "Shows attributes of subscriptions.",
    ),
    (Verb::Display, "SVSTATUS", "(generic-name) ALL WHERE() attributes", "Shows services that run."),
    (Verb::Display, "SYSTEM", "", "Shows which log messages are left out."),
    (
        Verb::Display,
        "TPSTATUS",
        "(topic-string) TYPE(TOPIC|PUB|SUB) ALL WHERE() attributes",
        "Shows topic strings, their publishers or their subscribers; # and + are wildcards.",
    ),
    (Verb::Display, "TRACE", "(ACCTG|*) CLASS(1,3) TNO(n)", "Shows traces that run."),
    (Verb::Ping, "CHANNEL", "(name) DATALEN(n)", "Asks the partner of a message channel; refused while none runs."),
    (Verb::Ping, "QMGR", "", "Answers when commands are taken."),
    (
        Verb::Refresh,
        "QMGR",
        "TYPE(CONFIGEV) OBJECT(type) NAME(generic-name) INCLINT(minutes)",
        "Writes configuration events of what is defined.",
    ),
    (Verb::Refresh, "SECURITY", "TYPE(AUTHSERV|CONNAUTH|SSL)", "Does nothing more: authority takes effect at once."),
    (Verb::Reset, "CHANNEL", "(name) SEQNUM(n)", "Sets a message channel's sequence number; refused while none runs."),
    (Verb::Reset, "QMGR", "TYPE(STATISTICS)", "Writes statistics messages of the interval so far, and begins anew."),
    (
        Verb::Reset,
        "QSTATS",
        "(generic-name) WHERE() attributes",
        "Shows figures of queues since the last reset, and begins anew.",
    ),
    (
        Verb::Resolve,
        "CHANNEL",
        "(name) ACTION(COMMIT|BACKOUT)",
        "Ends what a message channel has in doubt; refused while none runs.",
    ),
    (
        Verb::Set,
        "AUTHREC",
        "PROFILE(name) OBJTYPE(type) PRINCIPAL(user)|GROUP(group) AUTHADD() AUTHRMV()",
        "Grants and takes away authority.",
    ),
    (
        Verb::Set,
        "CHLAUTH",
        "(profile) TYPE(type) keys USERSRC() MCAUSER() CHCKCLNT() WARN() DESCR() ACTION(ADD|REPLACE|REMOVE|REMOVEALL)",
        "Sets which clients may use a channel, and as which user.",
    ),
    (Verb::Set, "SYSTEM", "EXCLMSG(X511,X512)", "Leaves messages out of the log."),
    (Verb::Start, "CHANNEL", "(name) IGNSTATE(NO|YES)", "Lets a stopped channel take connections again."),
    (Verb::Start, "CMDSERV", "", "Takes commands from the command queue."),
    (
        Verb::Start,
        "LISTENER",
        "(name) IGNSTATE(NO|YES)",
        "Listens for MQ clients where the listener says; without a name SYSTEM.DEFAULT.LISTENER.TCP.",
    ),
    (Verb::Start, "SERVICE", "(name) IGNSTATE(NO|YES)", "Refused: no programs are started."),
    (Verb::Start, "TRACE", "(ACCTG) CLASS(1,3) COMMENT(text)", "Accounts for every connection from now on."),
    (
        Verb::Stop,
        "CHANNEL",
        "(name) MODE(QUIESCE|FORCE|TERMINATE) STATUS(STOPPED|INACTIVE) CONNAME() QMNAME() IGNSTATE(NO|YES)",
        "Ends running instances of a channel, and takes no more.",
    ),
    (Verb::Stop, "CMDSERV", "", "Leaves commands on the command queue."),
    (Verb::Stop, "CONN", "(identifier) EXTCONN(hex)", "Ends a connection; its unit of work is backed out."),
    (Verb::Stop, "LISTENER", "(name) IGNSTATE(NO|YES)", "Asks a listener that runs to end."),
    (Verb::Stop, "SERVICE", "(name) IGNSTATE(NO|YES)", "Asks a service that runs to end."),
    (Verb::Stop, "TRACE", "(ACCTG|*) CLASS(1,3) TNO(n)", "Ends traces."),
];

/// `docs/mqsc-commands.md`, whole, ending in a newline.
pub fn reference() -> String {
    let mut page = String::from(
        "# MQSC commands\n\n\
         Made from the tables in `crates/command/src/mqsc/`; do not edit.\n\
         To make it anew: `QUAYMASTER_UPDATE_DOCS=1 cargo test -p command`.\n\
         Attributes are in [attributes.md](attributes.md), the rules of the language in [mqsc.md](mqsc.md).\n\n\
         | Command | Short forms | Parameters | |\n|---|---|---|---|\n",
    );
    for CommandHelp { command, synonyms, parameters, sentence } in help() {
        let parameters = parameters.replace('|', "\\|");
        let parameters = if parameters.is_empty() { parameters } else { format!("`{parameters}`") };
        let _ = writeln!(page, "| `{command}` | {} | {parameters} | {sentence} |", synonyms.join(" "));
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
