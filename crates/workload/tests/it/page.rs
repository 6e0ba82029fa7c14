//! `docs/workload.md` says what is true: its plans are plans, and every key of plans and results stands there.

use std::path::Path;

use serde_json::Value;
use workload::plan::Choices;

use crate::queue_server::{Faults, QueueServer};
use crate::run::plan;

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workload.md")).unwrap()
}

#[test]
fn its_plans_are_plans() {
    let page = page();
    let plans: Vec<&str> = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(plans.len(), 3);
    for plan in plans {
        let choices = Choices::parse(plan).unwrap_or_else(|error| panic!("{plan}\n{error}"));
        assert!(choices.scenario.is_some(), "{plan}");
    }
}

#[test]
fn it_names_every_key_of_a_plan_and_of_a_result() {
    let page = page();
    let server = QueueServer::start(Faults::default(), None);
    let outcome = workload::repeat(&plan(&server, "scenario = 'put'\nrequests = 3\nwarmup = '0s'")).unwrap();
    let mut keys: Vec<String> = Choices::KEYS.iter().map(|&key| key.to_owned()).collect();
    collect(&serde_json::from_str(&outcome.to_json()).unwrap(), &mut keys);
    for key in keys.iter().filter(|key| *key != "driver") {
        assert!(page.contains(&format!("`{key}`")), "{key} is not on the page");
    }
}

fn collect(value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            keys.push(key.clone());
            collect(value, keys);
        }),
        Value::Array(values) => values.iter().for_each(|value| collect(value, keys)),
        _ => {}
    }
}
