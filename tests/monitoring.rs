//! `examples/monitoring`: alerts and dashboards, held against a running Prometheus that scrapes a running server.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use system_tests::http::Client;
use system_tests::ports;
use system_tests::server::Server;
use tempfile::TempDir;

use crate::client::write;
use crate::services::repository;

/// Five minutes.
const LOOKS: u32 = 1500;
const PAUSE: Duration = Duration::from_millis(200);
const PAGE: &str = include_str!("../docs/metrics.md");

fn folder() -> Result<PathBuf> {
    Ok(repository()?.join("examples/monitoring"))
}

#[test]
fn promtool_accepts_the_configuration_and_the_alerts_and_their_tests_pass() -> Result<()> {
    for arguments in [["check", "config", "prometheus.yml"], ["test", "rules", "quaymaster.rules.test.yml"]] {
        let mut promtool = Command::new("promtool");
        let said = promtool.args(arguments).current_dir(folder()?).output();
        let said = said.context("promtool is not installed (Debian: prometheus)")?;
        let text = [said.stdout, said.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).join("\n");
        ensure!(said.status.success() && text.contains("SUCCESS"), "{arguments:?}: {text}");
    }
    Ok(())
}

/// A Prometheus that scrapes one server every second.
struct Prometheus {
    process: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Prometheus {
    fn start(metrics: &str) -> Result<Self> {
        let kept = tempfile::tempdir()?;
        let configuration = std::fs::read_to_string(folder()?.join("prometheus.yml"))?;
        let configuration =
            configuration.replace("127.0.0.1:9157", metrics).replace("15s", "1s\n  evaluation_interval: 1s");
        write(&kept.path().join("prometheus.yml"), &configuration)?;
        let rules = std::fs::read_to_string(folder()?.join("quaymaster.rules.yml"))?;
        write(&kept.path().join("quaymaster.rules.yml"), &rules)?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, ports::free()?));
        let log = std::fs::File::options().create(true).append(true).open(kept.path().join("log"))?;
        let mut command = Command::new("prometheus");
        command.arg(format!("--web.listen-address={address}")).arg("--storage.tsdb.path=data");
        command.arg("--config.file=prometheus.yml").current_dir(kept.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let process = command.spawn().context("prometheus is not installed (Debian: prometheus)")?;
        Ok(Self { process, address, folder: kept })
    }

    /// What the API answers, once it answers and `look` finds something in it.
    fn until<T>(&self, path: &str, look: impl Fn(&Value) -> Option<T>) -> Result<T> {
        for _ in 0..LOOKS {
            let answer = self.ask(path).unwrap_or_default();
            if let Some(found) = look(&answer) {
                return Ok(found);
            }
            sleep(PAUSE);
        }
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        bail!("{path}: {:?}\n{log}", self.ask(path))
    }

    fn ask(&self, path: &str) -> Result<Value> {
        let answer = Client::connect(self.address, "")?.ask("GET", path, "", b"")?;
        Ok(answer.json()["data"].clone())
    }

    /// The series that an expression gives now.
    fn query(&self, expression: &str) -> Result<Vec<Value>> {
        let encoded: String = expression.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = self.ask(&format!("/api/v1/query?query={encoded}"))?;
        let series = answer["result"].as_array().with_context(|| format!("{expression} is not valid"))?;
        Ok(series.clone())
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Title of the panel, whether it may be empty, and expression.
fn expressions(dashboard: &Path) -> Result<Vec<(String, bool, String)>> {
    let dashboard: Value = serde_json::from_slice(&std::fs::read(dashboard)?)?;
    let mut found = Vec::new();
    for panel in dashboard["panels"].as_array().context("panels")? {
        let title = panel["title"].as_str().context("a title")?;
        let may_be_empty = panel["description"].as_str().is_some_and(|text| text.contains("Empty w"));
        for target in panel["targets"].as_array().into_iter().flatten() {
            let expression = target["expr"].as_str().context("an expression")?;
            let filled = [("$__rate_interval", "1m"), ("$instance", ".*"), ("$qmgr", ".*"), ("$queue", ".*")]
                .iter()
                .fold(expression.to_owned(), |text, (name, value)| text.replace(name, value));
            ensure!(!filled.contains('$'), "{title}: {filled}");
            found.push((title.to_owned(), may_be_empty, filled));
        }
    }
    Ok(found)
}

/// The queries behind the lists at the top of a dashboard: the series, and the label whose values the list has.
fn lists(dashboard: &Path) -> Result<Vec<(String, String)>> {
    let dashboard: Value = serde_json::from_slice(&std::fs::read(dashboard)?)?;
    let variables = dashboard["templating"]["list"].as_array().context("variables")?;
    let queries = variables.iter().filter_map(|variable| variable["query"]["query"].as_str());
    let parsed = queries.map(|query| {
        let inner = query.strip_prefix("label_values(").and_then(|rest| rest.strip_suffix(')'));
        let (series, label) = inner.and_then(|inner| inner.rsplit_once(", ")).with_context(|| query.to_owned())?;
        Ok((series.replace("$instance", ".*").replace("$qmgr", ".*"), label.to_owned()))
    });
    parsed.collect()
}

/// The names of our metrics in a text, without the endings of histograms.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let ours = words.filter(|word| word.starts_with("quaymaster_"));
    ours.map(|word| ["_bucket", "_count", "_sum"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word))
        .collect()
}

#[test]
fn alerts_and_dashboards_name_metrics_that_there_are() -> Result<()> {
    for file in ["quaymaster.rules.yml", "grafana/quaymaster-servers.json", "grafana/quaymaster-queues.json"] {
        let text = std::fs::read_to_string(folder()?.join(file))?;
        let known = |name: &&str| PAGE.contains(&format!("| `{name}` |"));
        let used = names(&text);
        ensure!(used.len() > 10, "{file}: {used:?}");
        let unknown: Vec<&str> = used.into_iter().filter(|name| !known(name)).collect();
        ensure!(unknown.is_empty(), "{file}: docs/metrics.md does not have {unknown:?}");
    }
    Ok(())
}

/// The first column of the table of alerts.
fn listed_alerts() -> Result<BTreeSet<String>> {
    let (_, section) = PAGE.split_once("\n## Alerts\n").context("the section is in metrics.md")?;
    let section = section.split("\n## ").next().unwrap_or_default();
    Ok(section
        .lines()
        .filter_map(|line| line.strip_prefix("| Quaymaster")?.split(' ').next())
        .map(str::to_owned)
        .collect())
}

#[test]
fn every_panel_shows_something_and_an_alert_is_raised() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let ready: Value = serde_json::from_str(&server.ready.line)?;
    let prometheus = Prometheus::start(ready["metrics"].as_str().context("the ready line names the metrics")?)?;
    let is_up = |answer: &Value| answer["result"][0]["value"][1].as_str().filter(|&value| value == "1").map(drop);
    prometheus.until("/api/v1/query?query=up", is_up)?;
    // Rates need a value from before.
    let seen_twice = |answer: &Value| answer["result"].as_array().filter(|series| !series.is_empty()).map(drop);
    prometheus.until("/api/v1/query?query=rate(process_cpu_seconds_total[1m])", seen_twice)?;
    for queue in ["DEV.QUEUE.1", "DEV.DEAD.LETTER.QUEUE"] {
        let mut command = Command::new(system_tests::program::quaymaster()?);
        let said = command.args(["put", "--persistent", queue, "text", "--data"]).arg(data.path()).output()?;
        ensure!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    let raised = |answer: &Value| {
        let alerts = answer["alerts"].as_array()?;
        let alert = alerts.iter().find(|alert| alert["labels"]["alertname"] == "QuaymasterDeadLetters")?;
        (alert["state"] == "firing").then(|| alert["annotations"]["summary"].clone())
    };
    let summary = prometheus.until("/api/v1/alerts", raised)?;
    assert_eq!(summary, "Messages arrive on DEV.DEAD.LETTER.QUEUE of QM1");

    for dashboard in ["quaymaster-servers.json", "quaymaster-queues.json"] {
        let all = expressions(&folder()?.join("grafana").join(dashboard))?;
        ensure!(all.len() > 10, "{dashboard}");
        for (title, may_be_empty, expression) in all {
            let series = prometheus.query(&expression)?;
            ensure!(may_be_empty || !series.is_empty(), "{dashboard}, {title}: nothing for {expression}");
        }
        for (series, label) in lists(&folder()?.join("grafana").join(dashboard))? {
            let found = prometheus.query(&series)?;
            let has_label = |one: &Value| one["metric"][&label].is_string();
            ensure!(!found.is_empty() && found.iter().all(has_label), "{dashboard}: no {label} of {series}");
        }
    }

    let rules = prometheus.ask("/api/v1/rules")?;
    let rules = rules["groups"].as_array().into_iter().flatten().flat_map(|group| group["rules"].as_array());
    let rules: Vec<&Value> = rules.flatten().collect();
    for rule in &rules {
        ensure!(rule["health"] != "err", "{rule}");
    }
    let names = rules.iter().filter_map(|rule| rule["name"].as_str()?.strip_prefix("Quaymaster").map(str::to_owned));
    assert_eq!(listed_alerts()?, names.collect::<BTreeSet<_>>(), "docs/metrics.md lists the alerts");
    Ok(())
}
