use clap::{CommandFactory, Parser};

use super::*;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    run: Arguments,
}

fn choices(arguments: &[&str]) -> Choices {
    Program::try_parse_from([&["run"], arguments].concat()).unwrap_or_else(|error| panic!("{error}")).run.choices()
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
