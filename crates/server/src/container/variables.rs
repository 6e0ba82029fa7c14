//! Environment variables of IBM's image: what each sets here, or why it sets nothing.

use std::collections::BTreeMap;

use toml::Value;

use super::Found;
use crate::configuration::keys::KEYS;

/// What a variable does.
enum Effect {
    /// Sets a key to what its text means; `None`: the text means nothing.
    Sets(&'static str, fn(&str) -> Option<Value>),
    /// Nothing, and nothing is missing: another part reads it, or it chooses among things that are one here.
    None,
    /// Asks for something that is not there, and is noted unless it says no.
    Missing(&'static str),
}

use Effect::{Missing, Sets};

const VARIABLES: &[(&str, Effect)] = &[
    ("DEBUG", Sets("server.log_level", |text| is_yes(text).then(|| Value::String("debug".to_owned())))),
    ("LOG_FORMAT", Sets("server.log_format", format_of)),
    // After LOG_FORMAT, which it replaced.
    ("MQ_LOGGING_CONSOLE_FORMAT", Sets("server.log_format", format_of)),
    ("MQ_ENABLE_METRICS", Sets("server.metrics", |text| address(text, 9157))),
    ("MQ_ENABLE_METRICS", Sets("metrics.names", |text| Some(metric_names(is_yes(text))))),
    ("MQ_ENABLE_EMBEDDED_WEB_SERVER", Sets("server.https", |text| address(text, 9443))),
    ("MQ_GRACE_PERIOD", Sets("server.grace_seconds", seconds)),
    ("MQ_LOGGING_CONSOLE_EXCLUDE_ID", Effect::None),
    ("MQ_LOGGING_CONSOLE_SOURCE", Effect::None),
    ("MQ_CONNAUTH_USE_HTP", Effect::None),
    ("MQ_EPHEMERAL_PREFIX", Effect::None),
    ("MQ_CMDLEVEL", Missing("the command level is that of the program")),
    ("MQ_ENABLE_FIPS", Missing("the cryptographic modules are not validated by FIPS 140")),
    ("MQ_ENABLE_OPEN_TRACING", Missing("there is no tracing of that kind")),
    ("MQ_ENABLE_TRACE_CRTMQDIR", Missing("there is no trace of that kind")),
    ("MQ_ENABLE_TRACE_CRTMQM", Missing("there is no trace of that kind")),
    ("MQ_ENABLE_TRACE_STRMQM", Missing("there is no trace of that kind")),
    ("MQ_GENERATE_CERTIFICATE_HOSTNAME", Missing("the generated certificate is for the host's own name and localhost")),
    ("MQ_MULTI_INSTANCE", Missing("one server holds the data of a queue manager")),
    ("MQ_NATIVE_HA", Missing("one server holds the data of a queue manager")),
    ("MQ_QMGR_LOG_FILE_PAGES", Missing("the recovery log sizes its extents itself")),
];

/// Beginnings of names that Kubernetes and Docker make for a service or a linked container named `mq`.
const OF_SERVICES: [&str; 3] = ["MQ_PORT", "MQ_SERVICE_", "MQ_ENV_"];
/// Beginning of names of the instances of `MQ_NATIVE_HA`, which is noted itself. `spare.rs` reads them.
const OF_INSTANCES: &str = "MQ_NATIVE_HA_";

pub(super) fn read(variables: &BTreeMap<String, String>, found: &mut Found) {
    for (name, effect) in VARIABLES {
        let Some(text) = variables.get(*name) else { continue };
        match effect {
            Sets(path, meaning) => match meaning(text) {
                Some(value) => found.set(path, value),
                // DEBUG=false and the like.
                None if is_no(text) => {}
                None => {
                    found.note(format!("the environment variable {name} has no such value, and is ignored: {text}"));
                }
            },
            Missing(why) if !is_no(text) => {
                found.note(format!("the environment variable {name} has no effect: {why}"));
            }
            Missing(_) | Effect::None => {}
        }
    }
    if let Some(list) = variables.get("MQ_LOGGING_CONSOLE_EXCLUDE_ID") {
        let known = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let words: Vec<&str> = list.split(',').map(str::trim).filter(known).collect();
        if !words.is_empty() {
            found.scripts.insert("00-log.mqsc", format!("SET SYSTEM EXCLMSG({})\n", words.join(",")));
        }
    }
    let unknown: Vec<&str> = variables.keys().map(String::as_str).filter(|name| is_unknown(name)).collect();
    if !unknown.is_empty() {
        found.note(format!("environment variables that are not known and are ignored: {}", unknown.join(", ")));
    }
}

/// `text` or `json`, as the newer of the two variables says.
pub(super) fn log_format(variables: &BTreeMap<String, String>) -> Option<&'static str> {
    let text = variables.get("MQ_LOGGING_CONSOLE_FORMAT").or_else(|| variables.get("LOG_FORMAT"))?;
    match text.to_ascii_lowercase().as_str() {
        "basic" => Some("text"),
        "json" => Some("json"),
        _ => None,
    }
}

fn is_unknown(name: &str) -> bool {
    let is_ours = || {
        let passwords = crate::developer::variables();
        KEYS.iter().map(|key| key.environment).chain(passwords).any(|known| known == name)
    };
    name.starts_with("MQ_")
        && !OF_SERVICES.iter().any(|beginning| name.starts_with(beginning))
        && !name.starts_with(OF_INSTANCES)
        && !VARIABLES.iter().any(|(known, _)| *known == name)
        && !is_ours()
}

pub(super) fn is_yes(text: &str) -> bool {
    text == "1" || text.eq_ignore_ascii_case("true")
}

fn is_no(text: &str) -> bool {
    text == "0" || text.eq_ignore_ascii_case("false")
}

fn address(text: &str, port: u16) -> Option<Value> {
    if is_yes(text) {
        Some(Value::String(format!("0.0.0.0:{port}")))
    } else {
        is_no(text).then(|| Value::String("off".to_owned()))
    }
}

/// Dashboards of the image find the names that they know.
fn metric_names(of_image: bool) -> Value {
    let names = ["quaymaster", "mq_container"].into_iter().take(1 + usize::from(of_image));
    Value::Array(names.map(|name| Value::String(name.to_owned())).collect())
}

fn format_of(text: &str) -> Option<Value> {
    let only = BTreeMap::from([("LOG_FORMAT".to_owned(), text.to_owned())]);
    log_format(&only).map(|format| Value::String(format.to_owned()))
}

fn seconds(text: &str) -> Option<Value> {
    text.parse().ok().filter(|seconds| (1..=3600).contains(seconds)).map(Value::Integer)
}
