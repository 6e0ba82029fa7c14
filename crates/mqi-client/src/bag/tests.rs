use super::*;
use crate::constant::{MQCA_Q_NAME, MQIA_CURRENT_Q_DEPTH, MQIA_Q_TYPE, MQIACF_Q_ATTRS};

#[test]
fn items_are_found_by_selector_and_index() {
    let bag = create(0);
    for value in [1, 2, 3] {
        add(bag, 7, Value::Integer(value)).expect("added");
    }
    add(bag, 8, Value::Text("x".to_owned())).expect("added");
    let found = |selector, index| item(bag, selector, index).map(|item| item.value).map_err(|ended| ended.reason);
    assert_eq!(found(7, 1), Ok(Value::Integer(2)));
    assert_eq!(found(8, MQIND_NONE), Ok(Value::Text("x".to_owned())));
    assert_eq!(found(7, MQIND_NONE), Err(2305));
    assert_eq!(found(7, 3), Err(2306));
    assert_eq!(found(9, 0), Err(2309));
    assert_eq!(count(bag, MQSEL_ALL_SELECTORS), Ok(4));
    delete_item(bag, 7, 0).expect("deleted");
    assert_eq!(found(7, 0), Ok(Value::Integer(2)));
    assert_eq!(delete(bag), Ok(Ended::WELL));
    assert_eq!(found(7, 0), Err(2320));
}

#[test]
fn an_inquiry_lists_its_attributes_in_the_parameter_of_its_object() {
    let bag = create(1);
    add(bag, MQCA_Q_NAME, Value::Text("*".to_owned())).expect("added");
    add(bag, MQIA_Q_TYPE, Value::Integer(1)).expect("added");
    add_inquiry(bag, MQIA_CURRENT_Q_DEPTH).expect("added");
    add_inquiry(bag, MQCA_Q_NAME).expect("added");
    let items = with(bag, |bag| Ok(bag.items.clone())).expect("a bag");
    let expected = [
        Parameter::text(MQCA_Q_NAME, "*"),
        Parameter::integer(MQIA_Q_TYPE, 1),
        Parameter::integers(MQIACF_Q_ATTRS, vec![MQIA_CURRENT_Q_DEPTH, MQCA_Q_NAME]),
    ];
    assert_eq!(parameters(&items), expected);
}

#[test]
fn a_bag_within_a_bag_goes_with_it() {
    let outer = create(0);
    let inner = response_within(outer).expect("a bag");
    fill(inner, vec![Parameter::integers(5, vec![1, 2])]).expect("filled");
    assert_eq!(count(inner, 5), Ok(2));
    clear(outer).expect("cleared");
    assert_eq!(count(inner, 5).map_err(|ended| ended.reason), Err(2320));
}
