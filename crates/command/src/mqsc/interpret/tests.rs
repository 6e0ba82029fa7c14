use super::*;
use crate::mqsc::interpret::object::OBJECTS;

#[test]
fn every_command_of_the_object_table_is_read_by_some_function() {
    for row in OBJECTS {
        for verb in row.verbs() {
            let word = row.word();
            let name = ["QMGR", "CMDSERV", "SYSTEM", "SECURITY", "TRACE", "AUTHSERV", "PUBSUB"];
            let operand = crate::mqsc::statement::Operand { text: "A".to_owned(), quoted: false };
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
