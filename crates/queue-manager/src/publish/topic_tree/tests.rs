//! Topic strings: joining, matching, and what administrative topics say of them.

use std::sync::Arc;

use model::definition::TopicDefinition;
use model::definition::topic::{Allowed, Delivery};
use model::name::{QueueName, TopicName};
use model::reason::Reason;

use super::*;

fn matches(pattern: &str, topic: &str, wildcard_topic: bool) -> bool {
    let pattern = Pattern::parse(pattern, wildcard_topic).expect("a pattern");
    let mut index = PatternIndex::default();
    index.insert(&pattern, 1);
    let found = index.matching(topic) == [1];
    assert_eq!(found, pattern.matches(topic), "index and pattern agree on {topic}");
    index.remove(&pattern, 1);
    assert!(index.exact.is_empty() && index.by_stem.is_empty());
    found
}

#[test]
fn strings_are_joined_with_a_slash_when_both_are_there() {
    for (object, own, expected) in [
        (Some("Football/Scores"), "", Ok("Football/Scores")),
        (Some(""), "Football/Scores", Ok("Football/Scores")),
        (None, "Football", Ok("Football")),
        (Some("Football"), "Scores", Ok("Football/Scores")),
        (Some("Football"), "/Scores", Ok("Football//Scores")),
        (Some("/Football"), "Scores", Ok("/Football/Scores")),
        (Some("Football"), " ", Ok("Football")),
        (Some(""), "", Err(Reason::TopicStringError)),
        (None, "", Err(Reason::UnknownObjectName)),
    ] {
        assert_eq!(join(object, own), expected.map(str::to_owned), "{object:?} {own:?}");
    }
    assert_eq!(join(Some("a"), &"x".repeat(MAXIMUM_TOPIC_STRING - 1)), Err(Reason::TopicStringError));
}

#[test]
fn topic_wildcards_stand_for_levels() {
    for (pattern, yes, no) in [
        ("USA/#", &["USA", "USA/Alaska", "USA/Alaska/Juneau", "USA/"][..], &["US", "USAX", "/USA", "usa"][..]),
        ("#", &["a", "a/b", "/", "/a"], &[]),
        ("USA/+", &["USA/Alaska", "USA/"], &["USA", "USA/Alaska/Juneau"]),
        ("+", &["a"], &["a/b", "/a"]),
        ("#/Results", &["Results", "a/Results", "a/b/Results"], &["Results/a"]),
        ("a/#/z", &["a/z", "a/b/z", "a/b/z/z"], &["a", "a/b", "z"]),
        ("a/#/b/#/c", &["a/b/c", "a/x/b/y/b/c"], &["a/c", "a/b"]),
        ("a/#/#/b", &["a/b", "a/x/b"], &["a"]),
        ("+/+", &["/", "a/b"], &["a", "a/b/c"]),
        ("a/b#/+c", &["a/b#/+c"], &["a/bx/c"]),
        ("a*", &["a*"], &["ab"]),
        ("a", &["a"], &["A", "a/"]),
        ("/a", &["/a"], &["a"]),
        ("+/a", &["/a", "b/a"], &["a"]),
        ("/+", &["/a", "/"], &["a", "b/a"]),
    ] {
        for topic in yes {
            assert!(matches(pattern, topic, true), "{pattern} matches {topic}");
        }
        for topic in no {
            assert!(!matches(pattern, topic, true), "{pattern} does not match {topic}");
        }
    }
}

#[test]
fn character_wildcards_stand_for_characters_across_levels() {
    for (pattern, yes, no) in [
        ("IBM/*ware/Results", &["IBM/Software/Results", "IBM/a/bware/Results"][..], &["IBM/Soft/Results"][..]),
        ("a?c", &["abc", "a/c"], &["ac", "abbc"]),
        ("a%*c", &["a*c"], &["abc"]),
        ("a%%", &["a%"], &["a%%"]),
        ("*", &["", "a", "a/b"], &[]),
        ("a/*", &["a/", "a/b", "a/b/c"], &["a"]),
        ("*/b*", &["a/b", "/bc", "x/y/bz"], &["b"]),
        ("a/#", &["a/#"], &["a/b"]),
        ("ab*", &["ab", "abc", "ab/c"], &["a", "xab"]),
    ] {
        for topic in yes {
            assert!(matches(pattern, topic, false), "{pattern} matches {topic}");
        }
        for topic in no {
            assert!(!matches(pattern, topic, false), "{pattern} does not match {topic}");
        }
    }
    for wrong in ["a%", "a%b", "%"] {
        assert_eq!(Pattern::parse(wrong, false), Err(Reason::TopicStringError), "{wrong}");
    }
}

#[test]
fn many_wildcards_against_a_long_topic_end_soon() {
    let topic = "a/".repeat(5000);
    assert!(!matches(&"#/a/".repeat(2500), &format!("{topic}b"), true));
    assert!(!matches(&"*a".repeat(5000), &format!("{topic}b"), false));
}

#[test]
fn overlapping_subscriptions_are_each_found_once() {
    let mut index = PatternIndex::default();
    for (id, pattern) in ["a/b", "a/#", "#", "a/+", "x", "a/b"].into_iter().enumerate() {
        index.insert(&Pattern::parse(pattern, true).expect("a pattern"), id);
    }
    let mut found = index.matching("a/b");
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3, 5]);
}

/// Name, topic string and what differs from the default.
type Sample<'a> = (&'a str, &'a str, fn(&mut TopicDefinition));

fn topics(definitions: &[Sample<'_>]) -> AdministrativeTopics {
    AdministrativeTopics::new(definitions.iter().map(|(name, topic_string, change)| {
        let name = TopicName::literal(name);
        let mut definition = TopicDefinition { name, topic_string: (*topic_string).to_owned(), ..Default::default() };
        change(&mut definition);
        Arc::new(definition)
    }))
}

#[test]
fn topic_objects_above_a_string_are_found_nearest_first() {
    let topics = topics(&[
        ("SYSTEM.BASE.TOPIC", "", |_| {}),
        ("DEV", "dev/", |_| {}),
        ("A", "a", |_| {}),
        ("AB", "a/b", |_| {}),
        ("ROOTED", "/x", |_| {}),
    ]);
    for (topic, expected) in [
        ("a/b/c", "AB A BASE"),
        ("a/b", "AB A BASE"),
        ("a/bc", "A BASE"),
        ("ab", "BASE"),
        ("dev", "BASE"),
        ("dev/", "DEV BASE"),
        ("dev/x", "DEV BASE"),
        ("dev//x", "DEV BASE"),
        ("dev/x/y", "DEV BASE"),
        ("/x/y", "ROOTED BASE"),
        ("x", "BASE"),
        ("/", "BASE"),
        ("", "BASE"),
    ] {
        let names: Vec<&str> = topics.above(topic).map(|definition| definition.name.as_str()).collect();
        assert_eq!(names.join(" ").replace("SYSTEM.BASE.TOPIC", "BASE"), expected, "above {topic:?}");
    }
}

#[test]
fn what_a_topic_leaves_open_comes_from_the_nearest_above_that_says_it() {
    let topics = topics(&[
        ("SYSTEM.BASE.TOPIC", "", |t| {
            t.default_priority = Some(3);
            t.persistent_delivery = Delivery::All;
            t.publish = Allowed::Enabled;
        }),
        ("A", "a", |t| {
            t.publish = Allowed::Disabled;
            t.default_persistent = Some(true);
            t.model_durable = QueueName::literal("MY.MODEL");
        }),
        ("AB", "a/b", |t| {
            t.publish = Allowed::Enabled;
            t.default_priority = Some(7);
        }),
    ]);
    let of = |topic| topics.effective(topic);
    assert_eq!((of("a").publish, of("a/x").publish, of("a/b/c").publish, of("x").publish), (false, false, true, true));
    assert_eq!((of("a/b").default_priority, of("a").default_priority), (7, 3));
    assert_eq!((of("a/b").default_persistent, of("x").default_persistent), (true, false));
    assert_eq!(
        (of("a/b").model_durable.as_str(), of("x").model_durable.as_str()),
        ("MY.MODEL", "SYSTEM.DURABLE.MODEL.QUEUE")
    );
    assert_eq!((of("a").persistent_delivery, of("a").nonpersistent_delivery), (Delivery::All, Delivery::AllAvailable));
    assert!(of("a").subscribe && of("a").durable_subscriptions && of("a").use_dead_letter_queue);
}

#[test]
fn patterns_for_new_topics_are_not_in_the_tree_and_the_first_of_a_name_counts() {
    let topics = topics(&[("SYSTEM.DEFAULT.TOPIC", "", |_| {}), ("B", "b", |_| {}), ("A", "b", |_| {})]);
    let names: Vec<&str> = topics.above("b/c").map(|definition| definition.name.as_str()).collect();
    assert_eq!(names, ["A"]);
}
