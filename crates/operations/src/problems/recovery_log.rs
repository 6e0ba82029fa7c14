//! Rules about the recovery log and the queue manager as a whole.

use message_api::live::Concern;
use model::authority::AuthorityObject;
use model::definition::queue_manager::Control;
use serde_json::json;

use super::facts::Facts;
use super::finding::{Finding, Severity, command};

pub(super) fn find(facts: &Facts) -> Vec<Finding> {
    [failed(facts), full(facts), damaged(facts), command_server(facts)].into_iter().flatten().collect()
}

fn of_manager(facts: &Facts, rule: &'static str, severity: Severity) -> Finding {
    let concern = Concern::Object(AuthorityObject::QueueManager, facts.name);
    Finding::new(rule, severity, ("qmgr", facts.name.as_str()), concern)
}

fn failed(facts: &Facts) -> Option<Finding> {
    facts.status.store.log_failed.then(|| {
        of_manager(facts, "log-failed", Severity::Error)
            .text(format!("The recovery log of {} has failed: nothing is written, and the queue manager ends. Mend the disk, then start it again.", facts.name))
            .next(json!({ "action": "server", "text": "See the log of the server" }))
    })
}

fn full(facts: &Facts) -> Option<Finding> {
    let store = &facts.status.store;
    store.log_full.then(|| {
        of_manager(facts, "log-full", Severity::Error)
            .text(format!(
                "The recovery log of {} has no space: persistent puts fail with 2102 (MQRC_RESOURCE_PROBLEM). Free space on its disk, or take messages off its queues.",
                facts.name
            ))
            .value("logBytes", store.log_bytes_in_use)
            .value("extents", store.log_extents)
            .next(json!({ "action": "server", "text": "See the recovery log" }))
    })
}

fn damaged(facts: &Facts) -> Option<Finding> {
    let found = facts.status.store.log_damage_found;
    (found > 0).then(|| {
        of_manager(facts, "log-damaged", Severity::Error)
            .mark(found)
            .text(format!(
                "The recovery log of {} is damaged at {found} places that were written well before. Take a backup, then check the disk.",
                facts.name
            ))
            .value("places", found)
            .next(json!({ "action": "server", "text": "See the recovery log" }))
    })
}

fn command_server(facts: &Facts) -> Option<Finding> {
    let is_to_run = facts.definition.command_server_control == Control::QueueManager;
    (is_to_run && !facts.status.command_server).then(|| {
        of_manager(facts, "command-server-stopped", Severity::Warning)
            .text(format!(
                "The command server of {} is stopped: programs that send PCF commands get no answer. Start it.",
                facts.name
            ))
            .next(command(&["START CMDSERV".to_owned()], "Start the command server"))
    })
}
