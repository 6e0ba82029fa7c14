use super::*;

fn scope(queues: &[&str], topics: &[&str], may: &[&str]) -> Result<Scope, ScopeError> {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    Scope::parse(&owned(queues), &owned(topics), &owned(may))
}

fn allows(scope: &Scope, operation: Operations, objects: &[Object<'_>]) -> Vec<bool> {
    objects.iter().map(|&object| scope.allows(operation, object)).collect()
}

#[test]
fn a_scope_allows_its_operations_on_its_queues_and_nothing_else() {
    let scope = scope(&["ORDERS.*", "REPLY"], &[], &["put", "get"]).expect("a scope");
    let queues = ["ORDERS.NEW", "ORDERS.", "ORDERS", "REPLY", "REPLY.1", "orders.new"].map(Object::Queue);
    assert_eq!(allows(&scope, Operations::PUT, &queues), [true, true, false, true, false, false]);
    assert_eq!(allows(&scope, Operations::BROWSE, &queues), [false; 6]);
    assert!(!scope.allows(Operations::PUT, Object::Topic("ORDERS.NEW")));
}

#[test]
fn without_patterns_everything_is_in_scope_and_with_some_nothing_of_the_other_kind() {
    let all = scope(&[], &[], &[]).expect("a scope");
    assert!(all.allows(Operations::GET, Object::Queue("ANY")) && all.allows(Operations::PUBLISH, Object::Topic("a/b")));
    let topics = scope(&[], &["a/#"], &[]).expect("a scope");
    assert!(!topics.allows(Operations::GET, Object::Queue("ANY")));
    assert_eq!(topics.operations(), Operations::all());
}

#[test]
fn topic_patterns_stand_for_whole_levels_and_are_not_widened_by_wildcards_of_a_request() {
    let topics = ["a", "a/b", "a/b/c", "a/+", "a/#", "#", "ab"].map(Object::Topic);
    for (pattern, expected) in [
        ("a/#", [true, true, true, true, true, false, false]),
        ("a/+", [false, true, false, true, false, false, false]),
        ("a", [true, false, false, false, false, false, false]),
        ("#", [true; 7]),
    ] {
        let scope = scope(&[], &[pattern], &["publish"]).expect("a scope");
        assert_eq!(allows(&scope, Operations::PUBLISH, &topics), expected, "{pattern}");
    }
}

#[test]
fn what_means_nothing_is_refused_by_its_name() {
    assert_eq!(scope(&["A*B"], &[], &[]), Err(ScopeError::Queue("A*B".to_owned())));
    assert_eq!(scope(&[""], &[], &[]), Err(ScopeError::Queue(String::new())));
    assert_eq!(scope(&[], &["a/#/b"], &[]), Err(ScopeError::Topic("a/#/b".to_owned())));
    assert_eq!(scope(&[], &["a+/b"], &[]), Err(ScopeError::Topic("a+/b".to_owned())));
    assert_eq!(scope(&[], &[], &["delete"]), Err(ScopeError::Operation("delete".to_owned())));
}
