//! What Patroni says of the database's hosts, by its REST API on port 8008. Most databases have no Patroni; one that does not answer
//! is none.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde_json::Value;
use storage::shared::administration::{Check, Host};

const PORT: u16 = 8008;
const PATIENCE: Duration = Duration::from_secs(2);
/// Its answers are short.
const LONGEST: u64 = 256 << 10;
/// Before it, the section `etcd3` wrote the key of the leader without comparing.
const SAFE: (u32, u32, u32) = (3, 0, 3);

pub(super) fn checks(hosts: &[Host]) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut has_configuration = false;
    for host in hosts {
        let name = host.name.rsplit_once(':').map_or(&*host.name, |(name, _)| name);
        let Some(said) = get(name, "/patroni") else { continue };
        checks.extend(version(name, &said));
        if !has_configuration && let Some(configuration) = get(name, "/config") {
            has_configuration = true;
            checks.push(synchronous(&configuration));
        }
    }
    checks
}

fn version(host: &str, said: &Value) -> Option<Check> {
    let version = said["patroni"]["version"].as_str()?;
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    if (next(), next(), next()) >= SAFE {
        return Some(Check::fine("patroni", format!("{host} has version {version}")));
    }
    let text = format!(
        "{host} has version {version}: with the section etcd3 it may discard what a new primary has committed. Use 3.0.3 or \
         later, or the section etcd"
    );
    Some(Check::warning("patroni", text))
}

fn synchronous(configuration: &Value) -> Check {
    let is_on = |key: &str| match &configuration[key] {
        Value::Bool(on) => *on,
        Value::String(word) => matches!(word.as_str(), "on" | "true" | "quorum"),
        _ => false,
    };
    match (is_on("synchronous_mode"), is_on("synchronous_mode_strict")) {
        (true, true) => Check::fine("patroni", "synchronous_mode and synchronous_mode_strict are on"),
        (true, false) => Check::warning(
            "patroni",
            "synchronous_mode_strict is off: without a standby commits are answered that may be lost. Set it to true",
        ),
        (false, _) => Check::warning(
            "patroni",
            "synchronous_mode is off: the last messages may be lost with the primary. Set it and synchronous_mode_strict to true",
        ),
    }
}

/// `None`: no Patroni answers there.
fn get(host: &str, path: &str) -> Option<Value> {
    let address = (host, PORT).to_socket_addrs().ok()?.next()?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer).ok()?;
    let text = String::from_utf8(answer).ok()?;
    serde_json::from_str(text.split_once("\r\n\r\n")?.1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use storage::shared::administration::Verdict;

    fn verdict_of(said: &str) -> Verdict {
        version("db1", &json!({"patroni": {"version": said}})).expect("a version").verdict
    }

    #[test]
    fn versions_before_3_0_3_are_warned_of() {
        assert_eq!(["3.0.2", "2.1.7", "3.0"].map(verdict_of), [Verdict::Warning; 3]);
        assert_eq!(["3.0.3", "3.1.0", "4.0.4"].map(verdict_of), [Verdict::Fine; 3]);
    }

    #[test]
    fn both_synchronous_modes_must_be_on() {
        let verdict = |configuration| synchronous(&configuration).verdict;
        assert_eq!(verdict(json!({})), Verdict::Warning);
        assert_eq!(verdict(json!({"synchronous_mode": true})), Verdict::Warning);
        assert_eq!(verdict(json!({"synchronous_mode": true, "synchronous_mode_strict": true})), Verdict::Fine);
        assert_eq!(verdict(json!({"synchronous_mode": "quorum", "synchronous_mode_strict": "on"})), Verdict::Fine);
    }
}
