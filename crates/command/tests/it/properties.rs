//! Whatever comes in, nothing panics, and what is written is read as it was meant.

use command::{split, verify};
use model::definition::attribute::{self, Access, Kind, quoted};
use proptest::prelude::*;

use crate::every_attribute::type_parameter;

/// Text made of the pieces commands are made of, so that it gets past the first word.
fn almost_mqsc() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("DEFINE ".to_owned()),
        Just("DISPLAY ".to_owned()),
        Just("QLOCAL(".to_owned()),
        Just("SUB(".to_owned()),
        Just("QMGR ".to_owned()),
        Just("AUTHREC ".to_owned()),
        Just("CHANNEL(".to_owned()),
        Just("CHLTYPE(SDR ".to_owned()),
        Just("NAMES(A,".to_owned()),
        Just("WHERE(".to_owned()),
        Just("MAXDEPTH(".to_owned()),
        Just("TRIGGER ".to_owned()),
        Just(") ".to_owned()),
        Just("'".to_owned()),
        Just("''".to_owned()),
        Just(",".to_owned()),
        Just(";".to_owned()),
        Just(" +\n".to_owned()),
        Just(" -\n".to_owned()),
        Just("* comment\n".to_owned()),
        "[A-Za-z0-9.*]{1,6} ",
        "\\PC{1,4}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_makes_splitting_or_parsing_panic(text in prop_oneof![almost_mqsc(), "\\PC*", any::<String>()]) {
        for source in split(&text) {
            prop_assert!(!source.text.is_empty());
            prop_assert!(source.line >= 1);
            verify(&source.text);
        }
        verify(&text);
    }

    #[test]
    fn any_text_without_control_characters_survives_quoting(description in "[^\\p{Cc}]{0,16}") {
        let command = format!("DEFINE QLOCAL(A) DESCR({})", quoted(&description));
        let answer = verify(&command);
        prop_assert!(answer.lines.is_empty(), "{:?}", answer.lines);
    }
}

#[test]
fn every_word_of_every_attribute_is_understood() {
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Structure) {
        let head = match kind {
            Kind::QueueManager => "ALTER QMGR".to_owned(),
            other => format!("DEFINE {}(A){}", other.mqsc(), type_parameter(other)),
        };
        for row in attribute::of(kind).filter(|row| row.access != Access::ReadOnly) {
            // Members of a group alone have shared dynamic queues.
            for word in row.value.words().iter().filter(|word| word.mqsc != "SHAREDYN") {
                let setting = match row.value {
                    attribute::ValueType::Flag(_) => word.mqsc.to_owned(),
                    _ => format!("{}({})", row.mqsc, word.mqsc),
                };
                let command = format!("{head} {setting}");
                assert!(verify(&command).lines.is_empty(), "{command}");
                assert!(verify(&command.to_lowercase()).lines.is_empty(), "{command} in lower case");
            }
        }
    }
}
