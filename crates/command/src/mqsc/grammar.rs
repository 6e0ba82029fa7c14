//! The commands as data, for editors that complete them: objects, verbs, keywords, values and a sentence for each.
//!
//! Made of the tables that read and answer commands, so that it cannot name what they do not know.

use model::authority::{AUTHORITY_WORDS, AuthorityObject};
use model::definition::attribute::{Attribute, Kind, Membership, ValueType};

use crate::mqsc::help::{self, CommandHelp};
use crate::mqsc::interpret::{Object, objects};
use crate::mqsc::statement::Verb;
use crate::status::{self, Row, channel, structure, system, topic};

/// One object and what may be done with it.
#[derive(Debug)]
pub struct ObjectGrammar {
    pub word: &'static str,
    pub synonyms: &'static [&'static str],
    pub commands: Vec<CommandGrammar>,
    /// The kinds of definitions that it stands for; of several, `type_keyword` tells which one is meant.
    pub kinds: &'static [Kind],
    pub type_keyword: Option<&'static str>,
    /// What DEFINE, ALTER and DISPLAY know of these, in the order of DISPLAY. A keyword that differs between kinds is there more than once.
    pub attributes: Vec<&'static Attribute>,
    /// What DISPLAY shows of things that are no definitions.
    pub shown: Vec<(&'static str, ValueType)>,
}

#[derive(Debug)]
pub struct CommandGrammar {
    pub verb: String,
    /// As the manual shows them.
    pub parameters: &'static str,
    pub keywords: Vec<KeywordGrammar>,
    /// Whether members of a queue-sharing group alone have the command.
    pub membership: Membership,
    pub sentence: &'static str,
}

/// A keyword of one command that is no attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordGrammar {
    pub keyword: &'static str,
    /// What stands between its parentheses; `None`: it has none.
    pub operand: Option<&'static str>,
    /// The words that may stand there; empty where any text does.
    pub words: Vec<&'static str>,
    /// Whether members of a queue-sharing group alone have the keyword.
    pub membership: Membership,
}

/// The verbs of commands that this queue manager has.
pub fn verbs() -> Vec<&'static str> {
    let help = help::help();
    Verb::ALL.into_iter().map(|(_, name)| name).filter(|name| help.iter().any(|one| one.verb() == *name)).collect()
}

/// Every object with a command, in the order of the object table.
pub fn grammar() -> Vec<ObjectGrammar> {
    let help = help::help();
    let known = objects().filter_map(|(words, object)| {
        let (word, synonyms) = words.split_first()?;
        let commands: Vec<_> = help.iter().filter(|one| one.object() == *word).map(command).collect();
        let kinds = kinds(object);
        let type_keyword = kinds.iter().find_map(|kind| kind.type_parameter()).map(|(keyword, _)| keyword);
        let grammar = ObjectGrammar {
            word,
            synonyms,
            commands,
            kinds,
            type_keyword: type_keyword.filter(|_| kinds.len() > 1),
            attributes: attributes(kinds),
            shown: shown(object),
        };
        (!grammar.commands.is_empty()).then_some(grammar)
    });
    known.collect()
}

fn command(help: &CommandHelp) -> CommandGrammar {
    let mut keywords = keywords(help.parameters, Membership::Alone);
    keywords.extend(self::keywords(help.of_members, Membership::Member));
    CommandGrammar {
        verb: help.verb().to_owned(),
        parameters: help.parameters,
        keywords,
        membership: help.membership,
        sentence: help.sentence,
    }
}

/// Those of a line such as `(name) TYPE(CONN|HANDLE) ALL attributes`.
fn keywords(parameters: &'static str, membership: Membership) -> Vec<KeywordGrammar> {
    pieces(parameters).into_iter().filter_map(|piece| keyword(piece, membership)).collect()
}

fn keyword(piece: &'static str, membership: Membership) -> Option<KeywordGrammar> {
    let (keyword, operand) = match piece.split_once('(') {
        Some((keyword, rest)) => (keyword, Some(rest.strip_suffix(')')?)),
        None => (piece, None),
    };
    // Lower case stands for something else: `(name)`, `attributes`.
    let is_keyword = !keyword.is_empty() && keyword.chars().all(|c| c.is_ascii_uppercase());
    is_keyword.then(|| KeywordGrammar {
        keyword,
        operand,
        words: words(keyword, operand.unwrap_or_default()),
        membership,
    })
}

fn words(keyword: &str, operand: &'static str) -> Vec<&'static str> {
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase());
    match keyword {
        "OBJTYPE" => AuthorityObject::ALL.into_iter().map(AuthorityObject::mqsc).collect(),
        "AUTHADD" | "AUTHRMV" => {
            let groups = ["ALL", "ALLADM", "ALLMQI", "NONE"];
            AUTHORITY_WORDS.iter().map(|word| word.mqsc).chain(groups).collect()
        }
        _ => operand.split('|').filter(is_word).collect(),
    }
}

/// Splits at spaces and bars that stand between no parentheses.
fn pieces(text: &'static str) -> Vec<&'static str> {
    let mut depth = 0_usize;
    let is_end = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ' ' | '|')
    };
    text.split(is_end).filter(|piece| !piece.is_empty()).collect()
}

fn kinds(object: Object) -> &'static [Kind] {
    match object {
        Object::Definition(kind) => {
            let at = Kind::ALL.iter().position(|known| *known == kind);
            at.map_or(&[], |at| &ALL_KINDS[at..=at])
        }
        Object::AnyQueue => &Kind::QUEUES,
        Object::Channel => &Kind::CHANNELS,
        Object::Authentication => &Kind::AUTHENTICATION,
        _ => &[],
    }
}

static ALL_KINDS: [Kind; Kind::ALL.len()] = Kind::ALL;

fn attributes(kinds: &[Kind]) -> Vec<&'static Attribute> {
    let mut found: Vec<&'static Attribute> = Vec::new();
    for attribute in kinds.iter().flat_map(|kind| Membership::Member.of(*kind)) {
        if !found.iter().any(|known| std::ptr::eq(*known, attribute)) {
            found.push(attribute);
        }
    }
    found
}

fn shown(object: Object) -> Vec<(&'static str, ValueType)> {
    fn of<T>(rows: &'static [Row<T>]) -> Vec<(&'static str, ValueType)> {
        let everywhere = rows.iter().filter(|row| row.membership == Membership::Alone);
        everywhere.map(|row| (row.mqsc, row.value)).collect()
    }
    let parts = match object {
        Object::QueueStatus => vec![of(status::QUEUE_STATUS), of(status::QUEUE_HANDLES)],
        Object::QueueManagerStatus => vec![of(status::QUEUE_MANAGER_STATUS)],
        Object::Connection => vec![of(status::CONNECTION), of(status::CONNECTION_HANDLES)],
        Object::SubscriptionStatus => vec![of(topic::SUBSCRIPTION)],
        Object::AuthorityRecord => vec![of(status::AUTHORITY)],
        Object::AuthorityService => vec![of(status::AUTHORITY_SERVICE)],
        Object::EntityAuthority => vec![of(status::ENTITY_AUTHORITY)],
        Object::ChannelStatus => vec![of(channel::STATUS)],
        Object::ListenerStatus => vec![of(channel::LISTENER)],
        Object::ServiceStatus => vec![of(channel::SERVICE)],
        Object::ChannelAuthentication => vec![of(channel::AUTHENTICATION)],
        Object::TopicStatus => vec![of(topic::TOPIC), of(topic::PUBLISHER), of(topic::SUBSCRIBER)],
        Object::PublishSubscribe => vec![of(topic::PUBLISH_SUBSCRIBE)],
        Object::CommandServer => vec![of(system::COMMAND_SERVER)],
        Object::QueueStatistics => vec![of(system::QUEUE_STATISTICS)],
        Object::Group => vec![of(structure::GROUP)],
        Object::StructureStatus => vec![of(structure::SUMMARY), of(structure::CONNECTIONS)],
        Object::Thread => vec![of(structure::IN_DOUBT)],
        Object::System => vec![of(system::SYSTEM)],
        Object::Trace => vec![of(system::TRACE)],
        Object::Definition(_)
        | Object::AnyQueue
        | Object::Channel
        | Object::Authentication
        | Object::TopicString
        | Object::Security
        | Object::InDoubt
        | Object::Elsewhere => Vec::new(),
    };
    let mut found: Vec<(&'static str, ValueType)> = Vec::new();
    for row in parts.into_iter().flatten() {
        if !found.iter().any(|known| known.0 == row.0) {
            found.push(row);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_read_from_the_line_of_the_manual() {
        let found = keywords(
            "(generic-name)|SUBID(hex) DURABLE(ALL|YES|NO) SUMMARY ALL WHERE(keyword operator value) attributes",
            Membership::Alone,
        );
        let shown: Vec<_> = found.iter().map(|one| (one.keyword, one.operand, one.words.join(" "))).collect();
        assert_eq!(
            shown,
            [
                ("SUBID", Some("hex"), String::new()),
                ("DURABLE", Some("ALL|YES|NO"), "ALL YES NO".to_owned()),
                ("SUMMARY", None, String::new()),
                ("ALL", None, String::new()),
                ("WHERE", Some("keyword operator value"), String::new()),
            ]
        );
    }

    #[test]
    fn every_command_of_the_manual_is_in_the_grammar_once() {
        let grammar = grammar();
        let mut found: Vec<String> = grammar
            .iter()
            .flat_map(|object| object.commands.iter().map(|one| format!("{} {}", one.verb, object.word)))
            .collect();
        let mut expected: Vec<String> = help::help().into_iter().map(|one| one.command).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_attribute_of_several_kinds_is_there_once() {
        let grammar = grammar();
        let channel = grammar.iter().find(|object| object.word == "CHANNEL").expect("channels");
        assert_eq!((channel.kinds.len(), channel.type_keyword), (9, Some("CHLTYPE")));
        for kind in channel.kinds {
            for attribute in Membership::Member.of(*kind) {
                let same = |one: &&&Attribute| one.mqsc == attribute.mqsc && one.applies(*kind);
                assert_eq!(channel.attributes.iter().filter(same).count(), 1, "{} of {kind:?}", attribute.mqsc);
            }
        }
    }

    #[test]
    fn grants_know_the_words_of_authorities() {
        let grammar = grammar();
        let records = grammar.iter().find(|object| object.word == "AUTHREC").expect("authority records");
        let set = records.commands.iter().find(|one| one.verb == "SET").expect("SET AUTHREC");
        let words = |keyword: &str| &set.keywords.iter().find(|one| one.keyword == keyword).expect(keyword).words;
        assert!(words("AUTHADD").contains(&"PUT") && words("AUTHADD").contains(&"ALLMQI"));
        assert!(words("OBJTYPE").contains(&"QUEUE"));
    }
}
