use std::collections::BTreeMap;

use clap::{CommandFactory, Parser};

use super::*;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    run: Arguments,
}

fn choices(arguments: &[&str]) -> Choices {
    given(arguments).choices().unwrap()
}

fn given(arguments: &[&str]) -> Arguments {
    Program::try_parse_from([&["run"], arguments].concat()).unwrap_or_else(|error| panic!("{error}")).run
}

#[test]
fn every_key_of_a_plan_is_an_option() {
    let command = Program::command();
    let options: Vec<&str> = command.get_arguments().filter_map(|argument| argument.get_long()).collect();
    for &key in Choices::KEYS {
        let option = match key {
            "queue_manager" => "qmgr".to_owned(),
            "paths" => "path".to_owned(),
            "program_arguments" => "program-argument".to_owned(),
            "group" => "pid".to_owned(),
            _ => key.replace('_', "-"),
        };
        assert!(options.contains(&option.as_str()), "{key}");
    }
}

#[test]
fn options_say_what_the_keys_of_a_plan_say() {
    let line = "--scenario put --warmup steady --requests 9 --connection new --tls-resumption false --login every \
        --processes user --pid server=1 --pid web=2/web- --pid family=3+children --latency 10ms --path /a --path /b";
    let plan = "scenario = 'put'\nwarmup = 'steady'\nrequests = 9\nconnection = 'new'\ntls_resumption = false\nlogin = 'every'\n\
        processes = 'user'\nlatency = '10ms'\npaths = ['/a', '/b']\n[pid]\nserver = 1\n[group.web]\npid = 2\nthreads = 'web-'\n\
        [group.family]\npid = 3\nchildren = true";
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(choices(&words), Choices::parse(plan).unwrap());
}

#[test]
fn what_cannot_stand_together_is_refused() {
    for arguments in [
        &["--scenario", "put", "--rate", "5", "--think-time", "1s"][..],
        &["--scenario", "put", "--connect", "every"],
        &["--scenario", "put", "--pid", "server"],
        &["--scenario", "put", "--warmup", "soon"],
        &[],
    ] {
        assert!(Program::try_parse_from([&["run"], arguments].concat()).is_err(), "{arguments:?}");
    }
}

#[test]
fn a_process_is_named_once() {
    for second in ["web=11", "web=11+children", "web=11/web-"] {
        let error = given(&["--scenario", "put", "--pid", "web=10", "--pid", second]).choices().unwrap_err();
        assert_eq!(error.to_string(), "pid: 'web' stands twice", "{second}");
    }
}

#[test]
fn an_option_for_the_warm_up_or_a_process_replaces_all_that_the_plan_says_of_it() {
    let file = |text: &str| Choices::parse(text).unwrap();
    let merged = |option: &[&str], text| choices(option).or(file(text));
    let steady = merged(&["--warmup", "2s", "--scenario", "put"], "warmup = 'steady'");
    assert_eq!((steady.warmup, steady.warmup_steady), ("2s".parse().ok(), None));
    let counted = merged(&["--warmup", "steady", "--scenario", "put"], "warmup_requests = 9\nwarmup = '1m'");
    assert_eq!((counted.warmup, counted.warmup_requests, counted.warmup_steady), (None, None, Some(STEADY_PERCENT)));
    let other = merged(&["--warmup-requests", "7", "--scenario", "put"], "warmup_steady = 3.0");
    assert_eq!((other.warmup_requests, other.warmup_steady), (Some(7), None));
    assert_eq!(merged(&["--scenario", "put"], "warmup_requests = 9").warmup_requests, Some(9), "no option, no change");
    let family = merged(&["--scenario", "put", "--pid", "server=2+children"], "[pid]\nserver = 1\nweb = 3");
    assert_eq!((family.pid, family.group["server"].pid), (BTreeMap::from([("web".to_owned(), 3)]), 2));
    let whole = merged(&["--scenario", "put", "--pid", "server=1"], "[group.server]\npid = 2\nchildren = true");
    assert_eq!((whole.pid["server"], whole.group.len()), (1, 0));
}
