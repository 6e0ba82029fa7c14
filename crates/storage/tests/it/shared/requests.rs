//! What one member asks of others: each that is asked acts once and answers, and one that does not answer holds nothing up.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use storage::{SharedOptions, SharedStore, block_on};

use crate::postgres::Database;

fn member(database: &Database, name: &str, answers: Duration) -> SharedStore {
    let mut options = SharedOptions::new(database.url.clone(), name.to_owned());
    options.answers = answers;
    let store = SharedStore::start(options).expect("starts");
    block_on(store.connected()).expect("joins");
    store
}

/// Answers so many requests with what they say and its own name, and tells what it was asked.
fn serve(store: &SharedStore, name: &'static str, requests: usize) -> thread::JoinHandle<Vec<Vec<u8>>> {
    let store = store.clone();
    thread::spawn(move || {
        let mut asked = Vec::new();
        for _ in 0..requests {
            let request = block_on(store.next_request()).expect("lives");
            let answer = [&request.content[..], name.as_bytes()].concat();
            block_on(store.answer(&request, &answer)).expect("answers");
            asked.push(request.content);
        }
        asked
    })
}

fn rows(database: &Database) -> usize {
    database.run("SELECT number FROM request").into_iter().flatten().count()
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn each_member_that_is_asked_acts_once_and_its_answer_comes_back() {
    let database = Database::of_group("QSG1");
    let one = member(&database, "QM1", LONG);
    let (two, three) = (member(&database, "QM2", LONG), member(&database, "QM3", LONG));
    let serving = [serve(&two, "QM2", 2), serve(&three, "QM3", 1)];
    let long = vec![7; 300_000];
    assert_eq!(block_on(one.ask_members(&[2], &long)).expect("asks")[&2], [&long[..], b"QM2"].concat());
    let answers = block_on(one.ask_members(&[2, 3], b"do ")).expect("asks");
    assert_eq!(answers, BTreeMap::from([(2, b"do QM2".to_vec()), (3, b"do QM3".to_vec())]));
    let [two, three] = serving.map(|serving| serving.join().expect("serves"));
    assert_eq!((two, three), (vec![long, b"do ".to_vec()], vec![b"do ".to_vec()]));
    assert_eq!(rows(&database), 0, "nothing stays");
}

#[test]
fn a_member_that_does_not_answer_is_missing_and_one_that_leaves_is_not_waited_for() {
    let database = Database::of_group("QSG1");
    let one = member(&database, "QM1", Duration::from_millis(300));
    let (two, three) = (member(&database, "QM2", LONG), member(&database, "QM3", LONG));
    let serving = serve(&three, "QM3", 1);
    let answers = block_on(one.ask_members(&[2, 3], b"do ")).expect("asks");
    assert_eq!(answers, BTreeMap::from([(3, b"do QM3".to_vec())]));
    assert_eq!(serving.join().expect("serves").len(), 1);
    assert_eq!(rows(&database), 0, "a request that was given up is not acted on later");
    let leaves = three.clone();
    let leaving = thread::spawn(move || {
        let taken = block_on(leaves.next_request());
        leaves.close();
        taken.is_some()
    });
    assert_eq!(
        block_on(two.ask_members(&[3], b"do ")).expect("asks"),
        BTreeMap::new(),
        "long before its patience ends"
    );
    assert!(leaving.join().expect("ends"));
}

#[test]
fn what_was_asked_by_a_member_that_ends_is_not_acted_on() {
    let database = Database::of_group("QSG1");
    let (one, two) = (member(&database, "QM1", LONG), member(&database, "QM2", LONG));
    let asks = one.clone();
    let asking = thread::spawn(move || block_on(asks.ask_members(&[2], b"late")));
    while rows(&database) == 0 {
        thread::yield_now();
    }
    one.close();
    assert!(asking.join().expect("ends").is_err());
    assert_eq!(rows(&database), 0);
    let again = member(&database, "QM1", LONG);
    let serving = serve(&two, "QM2", 1);
    block_on(again.ask_members(&[2], b"new")).expect("asks");
    assert_eq!(serving.join().expect("serves"), [b"new".to_vec()]);
}
