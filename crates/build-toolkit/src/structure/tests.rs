//! Places of items, by hand-counted records.

use super::{Absence, Alignment, Counter, Ending, Item, Occurs, Structure, StructureError, Value};

fn text(name: &str, bytes: u32) -> Item {
    Item::new(name, name, Value::Text { offset: 0, bytes, ending: Ending::Blank, characters: bytes, is_json: false })
}

fn varying(name: &str, bytes: u32) -> Item {
    let ending = Ending::Length { name: format!("{name}-length"), offset: 0, width: 2 };
    Item::new(name, name, Value::Text { offset: 0, bytes, ending, characters: bytes, is_json: false })
}

fn optional(item: Item) -> Item {
    let counter = Counter { name: format!("{}-num", item.name), offset: 0, minimum: 0, maximum: 1 };
    Item { absence: Absence::Omitted, counter: Some(counter), ..item }
}

fn table(item: Item, times: u32) -> Item {
    let counter = Counter { name: format!("{}-num", item.name), offset: 0, minimum: 0, maximum: times };
    Item { counter: Some(counter), occurs: Some(Occurs { times, stride: 0 }), ..item }
}

fn group(items: Vec<Item>) -> Item {
    Item::new("g", "g", Value::Group { items })
}

fn length(items: Vec<Item>) -> Result<u32, StructureError> {
    Structure::new(Alignment::Synchronized, vec![group(items)]).map(|structure| structure.length)
}

#[test]
fn records_have_the_lengths_that_bindings_of_the_original_tool_state() {
    let double = Item::new("d", "d", Value::Float { bytes: 8 });
    assert_eq!(length(vec![varying("a", 255), double]), Ok(272));
    let four = (0..4).map(|_| Item { wrapper: Some("w".to_owned()), ..optional(varying("a", 255)) }).collect();
    assert_eq!(length(four), Ok(1053));
    let zoned = |digits| Item::new("z", "z", Value::Zoned { digits, signed: false });
    assert_eq!(length(vec![zoned(2), varying("a", 79)]), Ok(83));
    assert_eq!(length(vec![zoned(4), zoned(3)]), Ok(7));
}

#[test]
fn occurrences_are_padded_so_that_the_next_one_is_aligned_and_the_last_one_is_too() {
    let element = group(vec![
        varying("lastName", 9),
        optional(Item::new("born", "born", Value::Binary { bytes: 4, signed: true })),
    ]);
    let structure = Structure::new(Alignment::Synchronized, vec![text("isbn", 32), table(element, 3)]).expect("placed");
    let authors = &structure.groups[1];
    assert_eq!((authors.offset, authors.length), (36, 20));
    assert_eq!(authors.occurs, Some(Occurs { times: 3, stride: 20 }));
    assert_eq!(structure.length, 96);
    let odd = table(Item { wrapper: Some("w".to_owned()), ..varying("k", 5) }, 2);
    let structure = Structure::new(Alignment::Synchronized, vec![odd]).expect("placed");
    assert_eq!((structure.groups[0].occurs, structure.length), (Some(Occurs { times: 2, stride: 8 }), 20));
}

#[test]
fn without_alignment_there_are_no_slack_bytes() {
    let items = vec![text("a", 1), optional(varying("b", 3)), Item::new("c", "c", Value::Float { bytes: 8 })];
    let structure = Structure::new(Alignment::Unaligned, items).expect("placed");
    assert_eq!(structure.length, 1 + 4 + 2 + 3 + 8);
}

#[test]
fn a_structure_whose_places_were_changed_is_refused() {
    let mut structure = Structure::new(Alignment::Synchronized, vec![text("a", 4), text("b", 4)]).expect("placed");
    assert_eq!(structure.check(), Ok(()));
    structure.groups[1].offset = 2;
    assert_eq!(structure.check(), Err(StructureError::Displaced));
}

#[test]
fn what_would_be_too_long_or_too_deep_or_impossible_is_refused() {
    assert_eq!(length(vec![table(text("a", 65_535), 32_767)]), Err(StructureError::TooLong));
    let mut item = text("a", 1);
    for _ in 0..15 {
        item = group(vec![item]);
    }
    assert_eq!(Structure::new(Alignment::Synchronized, vec![item]), Err(StructureError::TooDeep));
    assert!(matches!(length(vec![]), Err(StructureError::Impossible(_))));
    assert!(matches!(length(vec![text("a", 0)]), Err(StructureError::Impossible(_))));
    assert!(matches!(length(vec![table(text("a", 1), 0)]), Err(StructureError::Impossible(_))));
}

#[test]
fn members_beyond_those_of_a_group_stand_in_a_group_once_with_name_and_value() {
    let area = |items: Vec<Item>| {
        let element = Box::new(Item::new("e", "", Value::Group { items }));
        let area = Item::new("m", "", Value::Area { is_array: true, is_map: true, length: 0, element });
        let counter = Counter { name: "m-num".to_owned(), offset: 0, minimum: 0, maximum: 20 };
        Item { counter: Some(counter), absence: Absence::Omitted, ..area }
    };
    let map = || area(vec![varying("k", 10), Item::new("v", "v", Value::Boolean)]);
    assert_eq!(length(vec![text("a", 1), map()]), Ok(24));
    let is_impossible = |items: Vec<Item>| matches!(length(items), Err(StructureError::Impossible(_)));
    assert!(is_impossible(vec![map(), map()]));
    assert!(is_impossible(vec![area(vec![varying("k", 10)])]));
    assert!(is_impossible(vec![area(vec![optional(varying("k", 10)), text("v", 1)])]));
    assert!(is_impossible(vec![Item::new("a", "a", Value::Array { item: Box::new(map()) })]));
    assert!(Structure::new(Alignment::Synchronized, vec![map()]).is_err());
}

#[test]
fn a_structure_is_the_same_after_its_json_form() {
    let items = vec![varying("a", 5), optional(text("b", 2)), table(group(vec![text("c", 1)]), 4)];
    let structure = Structure::new(Alignment::Synchronized, items).expect("placed");
    let json = serde_json::to_string(&structure).expect("JSON");
    let back: Structure = serde_json::from_str(&json).expect("read back");
    assert_eq!(back, structure, "{json}");
}
