use std::collections::BTreeMap;

use super::door::credentials;
use super::*;
use crate::client::channel::Held;
use crate::client::habits::Habits;
use crate::client::rest::Credentials;
use crate::processor::Extent;

fn plan(text: &str) -> Result<Plan, String> {
    let choices: Choices = toml::from_str(text).map_err(|error| error.to_string())?;
    Plan::new(choices).map_err(|error| error.to_string())
}

#[test]
fn lengths_of_time_are_read_as_people_write_them() {
    let read = |text: &str| text.parse::<Span>().map(|span| span.0);
    assert_eq!(read("200ms"), Ok(Duration::from_millis(200)));
    assert_eq!(read("1.5s"), Ok(Duration::from_millis(1500)));
    assert_eq!(read("30"), Ok(Duration::from_secs(30)));
    assert_eq!(read("2m"), Ok(Duration::from_secs(120)));
    for wrong in ["", "s", "-1s", "5 s", "1.2.3s", "9d", "1e999s"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_plan_leaves_open_what_has_a_sound_default() {
    let plan = plan("scenario = 'put-get'\nurl = 'http://127.0.0.1:9080'\nlogin = 'none'").unwrap();
    assert_eq!((plan.clients, plan.request_size, plan.end), (10, 1024, End::Time(Duration::from_secs(30))));
    assert_eq!((plan.warm_up, plan.lives), (WarmUp::Time(Duration::from_secs(5)), Lives::Here));
    let DoorOptions::Rest(rest, habits) = plan.door else { panic!("a URL leads to the REST API") };
    assert_eq!(habits, Habits::default());
    assert_eq!((&*rest.queue_manager, &*rest.queue, rest.persistent), ("QM1", "DEV.QUEUE.1", false));
}

#[test]
fn what_was_due_beyond_the_wanted_number_is_no_omission() {
    let text = "scenario = 'put'\nurl = 'http://127.0.0.1:9080'\nlogin = 'none'\nrate = 100.0";
    assert_eq!(plan(text).unwrap().not_begun(7, 90), 7);
    let counted = plan(&format!("{text}\nrequests = 100")).unwrap();
    assert_eq!((counted.not_begun(7, 100), counted.not_begun(70, 90), counted.not_begun(7, 90)), (0, 10, 7));
}

#[test]
fn a_channel_is_a_door_of_its_own() {
    let text = "scenario = 'request-reply'\nchannel = 'DEV.APP.SVRCONN'\nlogin = 'none'\nmq = 'localhost:1415'";
    let chosen = plan(text).unwrap();
    assert_eq!(chosen.response_size, Some(1024));
    let DoorOptions::Channel(channel) = chosen.door else { panic!("a channel is named") };
    assert_eq!(channel.reply_queue.unwrap().as_str(), "DEV.QUEUE.2");
    assert_eq!(channel.client.options().connections.to_string(), "localhost(1415)");
    for (text, words) in [
        ("scenario = 'put'\nmq = 'h:1'", "mq: has a meaning beside channel only"),
        ("scenario = 'request-reply'\nstreaming = true", "streaming: has a meaning beside channel only"),
        (
            "scenario = 'put-get'\nchannel = 'A'\nstreaming = true",
            "streaming: is for nonpersistent messages of request-reply",
        ),
        ("scenario = 'put'\nchannel = 'A'\nurl = 'http://h'", "channel: cannot stand beside url"),
        ("scenario = 'put'\nchannel = 'A'\nreply_queue = 'B'", "reply_queue: has a meaning in request-reply only"),
        ("scenario = 'put'\nchannel = 'A'\ncipher = 'NULL_SHA'", "CipherSpec 'NULL_SHA'"),
        ("scenario = 'put'\nchannel = 'A B'", "channel: 'A B' is not an object name"),
    ] {
        let error = plan(&format!("login = 'none'\n{text}")).err().unwrap();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn request_and_reply_go_through_rest_as_well_and_services_need_a_path_and_a_body() {
    let rest = "url = 'http://127.0.0.1:9080'\nlogin = 'none'\n";
    let chosen = plan(&format!("{rest}scenario = 'request-reply'")).unwrap();
    let DoorOptions::Rest(options, _) = chosen.door else { panic!() };
    assert_eq!(options.reply_queue.as_deref(), Some("DEV.QUEUE.2"));
    let service =
        plan(&format!("{rest}scenario = 'service'\npost_path = '/s'\nbody = '{{\"a\":\"{{id}}\"}}'")).unwrap();
    assert_eq!(service.body, ("{\"a\":\"".to_owned(), "\"}".to_owned()));
    for (text, words) in [
        ("scenario = 'service'\npost_path = '/s'", "body: is missing"),
        ("scenario = 'service'\npost_path = '/s'\nbody = '{}'", "body: has no {id}"),
        ("scenario = 'service'\nbody = '{id}'", "post_path: is missing"),
        ("scenario = 'put'\nbody = '{id}'", "body: has a meaning in scenario service and administration only"),
    ] {
        let error = plan(&format!("{rest}{text}")).err().unwrap();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn a_wrong_plan_is_refused_with_the_key_and_what_was_expected() {
    let base = "url = 'http://127.0.0.1:9080'\nlogin = 'none'\nscenario = 'put'\n";
    for (line, words) in [
        ("clients = 0", "clients: 0 is not between 1 and 100000"),
        ("request_size = 47", "request_size: 47 is not between 48"),
        ("duration = '0s'", "duration: must be longer"),
        ("response_size = 5", "response_size: has a meaning in request-reply and requester only"),
        ("colour = 1", "unknown field `colour`"),
        ("think_time = 'soon'", "'soon' is not a length of time"),
        ("insecure = true\ncacert = 'x'", "insecure: cannot stand beside cacert"),
    ] {
        let error = plan(&format!("{base}{line}")).err().unwrap();
        assert!(error.contains(words), "{line}: {error}");
    }
    assert!(plan("url = 'https://127.0.0.1:1'\nscenario = 'put'\nlogin='none'").err().unwrap().contains("cacert"));
    assert!(plan("url = 'ftp://127.0.0.1:1'\nscenario = 'put'\nlogin='none'").err().unwrap().contains("http://"));
    assert!(plan("url = 'http://127.0.0.1:1'\nscenario = 'put'").err().unwrap().contains("password_file"));
}

#[test]
fn options_win_over_the_plan_file() {
    let file: Choices = toml::from_str("clients = 3\nqueue = 'A'\n[pid]\nserver = 1\nclient = 2").unwrap();
    let options = Choices { clients: Some(4), pid: BTreeMap::from([("server".into(), 9)]), ..Choices::default() };
    let both = options.or(file);
    assert_eq!((both.clients, both.queue.as_deref()), (Some(4), Some("A")));
    assert_eq!(both.pid, BTreeMap::from([("server".into(), 9), ("client".into(), 2)]));
}

#[test]
fn the_password_is_the_named_users_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("initial-passwords");
    let mut choices: Choices = toml::from_str("login = 'basic'\nuser = 'app'").unwrap();
    choices.password_file = Some(file.clone());
    assert!(credentials(&choices).unwrap_err().to_string().contains("cannot read"));
    std::io::Write::write_all(&mut std::fs::File::create(&file).unwrap(), b"admin a b\napp pass word\n").unwrap();
    let expected = Credentials::Basic { user: "app".into(), password: "pass word".into() };
    assert_eq!(credentials(&choices).unwrap(), expected);
    choices.user = Some("nobody".into());
    assert!(credentials(&choices).unwrap_err().to_string().contains("no line 'nobody PASSWORD'"));
}

const HTTP: &str = "url = 'http://127.0.0.1:9080'\nlogin = 'none'\nscenario = 'put'\n";

#[test]
fn a_warm_up_is_a_time_a_number_of_transactions_or_until_rates_are_steady() {
    let warm_up = |line: &str| {
        let choices = Choices::parse(&format!("{HTTP}{line}")).map_err(|error| error.to_string())?;
        Plan::new(choices).map(|plan| plan.warm_up).map_err(|error| error.to_string())
    };
    assert_eq!(warm_up("warmup = '2s'"), Ok(WarmUp::Time(Duration::from_secs(2))));
    assert_eq!(warm_up("warmup_requests = 500"), Ok(WarmUp::Requests(500, LONGEST)));
    assert_eq!(warm_up("warmup = 'steady'"), Ok(WarmUp::Steady(STEADY_PERCENT, STEADY_LIMIT)));
    let steady = warm_up("warmup_steady = 2.5\nwarmup = '20s'");
    assert_eq!(steady, Ok(WarmUp::Steady(2.5, Duration::from_secs(20))));
    assert!(warm_up("warmup_steady = 2\nwarmup_requests = 3").unwrap_err().contains("cannot stand beside"));
}

#[test]
fn a_number_of_transactions_ends_a_run_at_the_latest_with_its_duration() {
    assert_eq!(plan(&format!("{HTTP}requests = 10000")).unwrap().end, End::Requests(10_000, LONGEST));
    let both = plan(&format!("{HTTP}requests = 5\nduration = '1m'")).unwrap().end;
    assert_eq!(both, End::Requests(5, Duration::from_secs(60)));
}

#[test]
fn what_a_channel_holds_follows_from_how_often_it_connects_and_opens() {
    let held = |lines: &str| {
        let plan = plan(&format!("scenario = 'put-get'\nlogin = 'none'\nchannel = 'A'\n{lines}"))?;
        let DoorOptions::Channel(options) = plan.door else { panic!("a channel is named") };
        Ok::<_, String>(options.held)
    };
    assert_eq!(held(""), Ok(Held::Queues));
    assert_eq!(held("open = 'every'"), Ok(Held::Connection));
    assert_eq!(held("connect = 'every'"), Ok(Held::Nothing));
    assert!(held("connect = 'every'\nopen = 'once'").unwrap_err().contains("open: cannot be once"));
}

#[test]
fn administration_wants_paths_and_nobody_else_does() {
    let base = "url = 'http://127.0.0.1:9080'\nlogin = 'none'\nscenario = 'administration'\n";
    let chosen = plan(&format!("{base}paths = ['/a?b=*', '/c/{{client}}']\ncsrf = 'every'")).unwrap();
    assert_eq!((chosen.administration.paths.len(), chosen.administration.csrf), (2, Csrf::Every));
    for (text, words) in [
        (String::from(base), "paths: is missing"),
        (format!("{base}paths = ['a b']"), "paths: 'a b' is not a path"),
        (format!("{base}patch_path = '/a'"), "patch_body: is missing"),
        (format!("{base}patch_body = '{{}}'"), "patch_path: is missing"),
        (format!("{base}post_path = '/a'"), "body: is missing"),
        (format!("{HTTP}csrf = 'every'"), "csrf: has a meaning in administration only"),
        (format!("{HTTP}rate = 5.0\nthink_time = '1s'"), "rate: cannot stand beside think_time"),
        (format!("{HTTP}processes = 'user'\nrate = 5.0"), "processes: 'user' and 'request'"),
        (format!("{HTTP}processes = 3"), "processes: has a meaning in requester only"),
        (format!("{HTTP}processes = 'thread'"), "'thread' is not 'user', 'request' or a number"),
        (format!("{HTTP}connect = 'every'"), "connect: has a meaning beside channel only"),
        (format!("{HTTP}timeout = '0s'"), "timeout: is not between"),
    ] {
        let error = plan(&text).err().unwrap();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn a_group_is_a_process_with_its_children_or_some_of_its_threads() {
    let group = |text: &str| text.parse::<Group>();
    assert_eq!(group("42"), Ok(Group { pid: 42, children: false, threads: None }));
    assert_eq!(group("42+children"), Ok(Group { pid: 42, children: true, threads: None }));
    assert_eq!(group("42/web-"), Ok(Group { pid: 42, children: false, threads: Some("web-".to_owned()) }));
    for wrong in ["", "x", "42/", "42+children/web", "42+kids"] {
        assert!(group(wrong).is_err(), "{wrong}");
    }
    let text = format!("{HTTP}[group.web]\npid = 7\nthreads = 'web-'\n[pid]\nserver = 7");
    let watched = plan(&text).unwrap().processes;
    assert_eq!(watched[1].extent, Extent::Threads("web-".to_owned()), "{watched:?}");
}

#[test]
fn the_settled_choices_make_the_same_plan_again() {
    let text = format!("{HTTP}processes = 'request'\nthink_time = '1500us'\n[pid]\nserver = 7");
    let first = plan(&text).unwrap();
    assert_eq!(first.choices.request_size, Some(1024));
    let json = serde_json::to_string(&first.choices).unwrap();
    let again = Plan::new(serde_json::from_str(&json).unwrap()).unwrap();
    assert_eq!(again.choices, first.choices);
    assert_eq!(again.think_time, Duration::from_micros(1500));
}

#[test]
fn a_key_that_does_nothing_in_its_scenario_is_refused() {
    let paths = "paths = ['/a']\n";
    let service = "post_path = '/s'\nbody = '{id}'\n";
    let program = "program = 'perclnt'\n";
    for (scenario, lines, words) in [
        ("requester", format!("{program}drain = true"), "drain: has a meaning in put-get, put, get, browse and"),
        ("administration", format!("{paths}drain = true"), "drain: has a meaning in"),
        ("service", format!("{service}drain = true"), "drain: has a meaning in"),
        ("http-floor", "drain = true".to_owned(), "drain: has a meaning in"),
        ("put", "get_path = '/a'".to_owned(), "get_path: has a meaning in http-floor only"),
        ("put", "post_path = '/a'".to_owned(), "post_path: has a meaning in service, http-floor and"),
        ("get", "request_size = 64".to_owned(), "request_size: has a meaning in put-get, put, request-reply"),
        ("browse", "request_size = 64".to_owned(), "request_size: has a meaning in"),
        ("service", format!("{service}request_size = 64"), "request_size: has a meaning in"),
        ("administration", format!("{paths}request_size = 64"), "request_size: has a meaning in"),
        ("requester", format!("{program}request_size = 64"), "request_size: has a meaning in"),
        ("requester", format!("{program}timeout = '0s'"), "timeout: is not between"),
        ("put", "rate = nan".to_owned(), "rate: NaN is not between"),
        ("put", "rate = inf".to_owned(), "rate: inf is not between"),
        ("put", "warmup_steady = nan".to_owned(), "warmup_steady: NaN is not between"),
        (
            "put",
            "[group.x]\npid = 1\nchildren = true\nthreads = 'a'".to_owned(),
            "group: 'x' has both children and threads",
        ),
    ] {
        let url = if scenario == "requester" { "" } else { "url = 'http://127.0.0.1:9080'\n" };
        let error = plan(&format!("{url}scenario = '{scenario}'\nlogin = 'none'\n{lines}")).err().unwrap();
        assert!(error.contains(words), "{scenario}, {lines}: {error}");
    }
    let not_drained = format!("{HTTP}drain = false").replace("'put'", "'http-floor'");
    assert!(plan(&not_drained).is_ok());
}

#[test]
fn each_process_has_a_name_that_is_nobody_elses() {
    for (lines, words) in [
        ("[pid]\nserver = 1\n[group.server]\npid = 2\nchildren = true", "group: 'server' is also in pid"),
        ("[pid]\ndriver = 1", "pid: 'driver' is the name of what the driver measures"),
        ("[pid]\nnetwork = 1", "pid: 'network' is the name"),
        ("[group.programs]\npid = 1", "group: 'programs' is the name"),
    ] {
        let error = plan(&format!("{HTTP}{lines}")).err().unwrap();
        assert!(error.contains(words), "{lines}: {error}");
    }
}

#[test]
fn the_settled_choices_of_every_scenario_are_a_plan() {
    for lines in [
        "scenario = 'get'",
        "scenario = 'service'\npost_path = '/s'\nbody = '{id}'",
        "scenario = 'administration'\npaths = ['/a']",
        "scenario = 'http-floor'\nget_path = '/a'",
    ] {
        let first = plan(&format!("url = 'http://127.0.0.1:9080'\nlogin = 'none'\n{lines}")).unwrap();
        assert_eq!(Plan::new(first.choices.clone()).map(|plan| plan.choices).unwrap(), first.choices, "{lines}");
    }
    let requester = plan("scenario = 'requester'\nprogram = 'perclnt'\ntimeout = '2s'").unwrap();
    assert_eq!(requester.choices.timeout, Some(Span(Duration::from_secs(2))));
    assert!(Plan::new(requester.choices).is_ok());
}
