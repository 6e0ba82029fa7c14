use super::*;
use crate::mqsc::interpret::object::OBJECTS;
use crate::mqsc::statement::{Operand, Parameter};

#[test]
fn every_command_of_the_object_table_is_read_by_some_function() {
    for row in OBJECTS {
        for verb in row.verbs() {
            let word = row.word();
            let name = ["QMGR", "CMDSERV", "SYSTEM", "SECURITY", "TRACE", "AUTHSERV", "PUBSUB"];
            let operand = Operand { text: "A".to_owned(), quoted: false };
            let statement = Statement {
                verb: *verb,
                object: word.to_owned(),
                name: (!name.contains(&word)).then(|| vec![operand]),
                parameters: Vec::new(),
            };
            let said = interpret(statement, Membership::Alone)
                .err()
                .map(|problem| problem.answer().lines.join("\n"))
                .unwrap_or_default();
            assert!(!said.contains("the verb does not go with the object"), "{} {word}: {said}", verb.name());
        }
    }
}

#[test]
fn a_word_names_one_object_and_a_verb_is_taken_or_refused() {
    let mut words: Vec<_> = OBJECTS.iter().flat_map(object::Row::words).collect();
    let all = words.len();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), all);
    for row in OBJECTS {
        assert!(row.verbs().iter().all(|verb| !row.refused().contains(verb)), "{}", row.word());
    }
}

/// All that a member of a queue-sharing group reads, and nothing else, has a sentence in the help: the grammar is made of it.
#[test]
fn every_command_of_a_member_is_in_the_help() {
    let help: Vec<String> = crate::mqsc::help::help().into_iter().map(|one| one.command).collect();
    for row in OBJECTS {
        for (verb, name) in Verb::ALL {
            let command = format!("{name} {}", row.word());
            assert_eq!(help.contains(&command), resolve(verb, row.word(), Membership::Member).is_ok(), "{command}");
        }
    }
}

/// Each word that the help names for QSGDISP and CHLDISP is read, and CMDSCOPE is, with every command of a member.
#[test]
fn what_the_help_names_for_members_is_read() {
    for help in crate::mqsc::help::help() {
        let (verb, _) = *Verb::ALL.iter().find(|(_, name)| *name == help.verb()).expect("a verb");
        for keyword in help.of_members.split(' ') {
            let (keyword, words) = keyword.strip_suffix(')').and_then(|one| one.split_once('(')).expect("an operand");
            for word in words.split('|').map(|word| if word == "name" { "QM1" } else { word }) {
                let operand = |text: &str| Operand { text: text.to_owned(), quoted: false };
                let given = Parameter { keyword: keyword.to_owned(), operands: Some(vec![operand(word)]), end: None };
                let statement = Statement {
                    verb,
                    object: help.object().to_owned(),
                    name: Some(vec![operand("A")]),
                    parameters: vec![given],
                };
                let said = interpret(statement, Membership::Member).err();
                let said = said.map(|problem| problem.answer().lines.join("\n")).unwrap_or_default();
                assert!(!said.contains(keyword), "{} {keyword}({word}): {said}", help.command);
            }
        }
    }
}
