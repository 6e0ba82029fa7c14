use super::message::{into, of, received};
use super::*;
use crate::constant::{MQCA_Q_NAME, MQCMD_INQUIRE_Q, MQIA_CURRENT_Q_DEPTH, MQIA_Q_TYPE, MQIACF_Q_ATTRS};
use model::pcf::{Header, Message, Parameter};

fn text(characters: &str) -> Value {
    Value::Text(Text::received(characters.to_owned()))
}

fn reason<T>(result: Result<T, Ended>) -> i32 {
    result.map_or_else(|ended| ended.reason, |_| 0)
}

#[test]
fn items_are_found_by_selector_and_index() {
    let bag = create(0).expect("a bag");
    for value in [1, 2, 3] {
        add(bag, 7, Value::Integer(value)).expect("added");
    }
    add(bag, 8, text("x")).expect("added");
    let found = |selector, index| item(bag, selector, index).map(|item| item.value).map_err(|ended| ended.reason);
    assert_eq!(found(7, 1), Ok(Value::Integer(2)));
    assert_eq!(found(8, MQIND_NONE), Ok(text("x")));
    assert_eq!(found(7, MQIND_NONE), Err(2305));
    assert_eq!(found(7, 3), Err(2306));
    assert_eq!(found(9, 0), Err(2309));
    assert_eq!(found(-50, 0), Err(2318));
    assert_eq!(found(MQSEL_ALL_USER_SELECTORS, 3), Ok(text("x")));
    assert_eq!(count(bag, MQSEL_ALL_USER_SELECTORS), Ok(4));
    assert_eq!(count(bag, MQSEL_ALL_SYSTEM_SELECTORS), Ok(9));
    delete_item(bag, 7, 0).expect("deleted");
    assert_eq!(found(7, 0), Ok(Value::Integer(2)));
    assert_eq!(delete(bag), Ok(Ended::WELL));
    assert_eq!(found(7, 0), Err(2320));
}

#[test]
fn an_inquiry_lists_its_attributes_in_the_parameter_of_its_command() {
    let bag = create(MQCBO_ADMIN_BAG).expect("a bag");
    add(bag, MQCA_Q_NAME, text("*")).expect("added");
    add(bag, MQIA_Q_TYPE, Value::Integer(1)).expect("added");
    add_inquiry(bag, MQIA_CURRENT_Q_DEPTH).expect("added");
    add_inquiry(bag, MQCA_Q_NAME).expect("added");
    let expected = [
        Parameter::text(MQCA_Q_NAME, "*"),
        Parameter::integer(MQIA_Q_TYPE, 1),
        Parameter::integers(MQIACF_Q_ATTRS, vec![MQIA_CURRENT_Q_DEPTH, MQCA_Q_NAME]),
    ];
    assert_eq!(of(bag, Some(MQCMD_INQUIRE_Q)).expect("a message").parameters, expected);
    assert_eq!(reason(of(bag, Some(11))), 2324);
}

#[test]
fn a_bag_of_the_system_goes_with_the_bag_that_holds_it_and_is_changed_by_no_call() {
    let outer = create(0).expect("a bag");
    let message = Message { header: Header::command(1), parameters: vec![Parameter::integers(5, vec![1, 2])] };
    let inner = received(message.clone());
    add(outer, 4001, Value::Bag(inner)).expect("added");
    assert_eq!(count(inner, 5), Ok(2));
    assert_eq!(reason(add(inner, 5, Value::Integer(3))), 2315);
    assert_eq!(reason(delete(inner)), 2328);
    clear(outer).expect("cleared");
    assert_eq!(reason(count(inner, 5)), 2320);
    into(outer, message.clone()).expect("filled");
    // Without lists the items stay single.
    let single = [Parameter::integer(5, 1), Parameter::integer(5, 2)];
    assert_eq!(of(outer, None).expect("a message").parameters, single);
}

#[test]
fn a_bag_that_holds_itself_is_no_message() {
    let bags = [0; 2].map(|_| create(MQCBO_GROUP_BAG).expect("a bag"));
    assert_eq!(reason(add_bag(bags[0], 8001, bags[0])), 2325);
    add_bag(bags[0], 8001, bags[1]).expect("added");
    add_bag(bags[1], 8001, bags[0]).expect("added");
    let bag = create(0).expect("a bag");
    assert_eq!(reason(add_bag(bag, 8001, bag)), 2325);
    add_bag(bag, 8001, bags[0]).expect("added");
    assert_eq!(reason(of(bag, None)), 2325);
    assert_eq!(reason(of(bags[0], None)), 2326);
}

#[test]
fn a_group_cannot_be_filled_by_a_message_and_keeps_its_items() {
    let group = create(MQCBO_GROUP_BAG).expect("a bag");
    add(group, 7, Value::Integer(1)).expect("added");
    let bag = create(0).expect("a bag");
    let message = of(bag, Some(1)).expect("a message");
    assert_eq!(reason(into(group, message)), 2326);
    assert_eq!(count(group, MQSEL_ALL_USER_SELECTORS), Ok(1));
}
