//! `mq_prometheus`, `mq_json` and `mq_otel`, the public exporters, unmodified: what they show of a queue is what was done to it.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use system_tests::{ports, program};

use super::reach::Reach;
use super::{House, succeeded};
use crate::client::{fetch, write};

const PAGE: &str = include_str!("../../docs/metrics.md");
const MODULE: &str = "github.com/ibm-messaging/mq-metric-samples/v5@v5.7.1";
const QUEUE: &str = "DEV.QUEUE.1";

/// The exporter on the server of a house, run as `docs/metrics.md` says.
struct Exporter {
    process: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Exporter {
    fn start(house: &House) -> Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, ports::free()?));
        let log = house.folder.path().join("exporter.log");
        let mut command = configured(house, "mq_prometheus", |page| page.replace("9158", &address.port().to_string()))?;
        let process = command.stdout(Stdio::null()).stderr(std::fs::File::create(&log)?).spawn()?;
        Ok(Self { process, address, log })
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// One scrape. The exporter answers once it has found what there is.
    fn scrape(&mut self) -> Result<String> {
        loop {
            if let Some(status) = self.process.try_wait()? {
                bail!("the exporter ended, {status}: {}", self.said());
            }
            let Ok(mut stream) = TcpStream::connect(self.address) else {
                sleep(Duration::from_millis(100));
                continue;
            };
            stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n")?;
            let mut page = String::new();
            stream.read_to_string(&mut page)?;
            ensure!(page.starts_with("HTTP/1.0 200"), "{page}");
            return Ok(page);
        }
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Builds programs of the module as the page says.
fn build(house: &House, programs: &[&str]) -> Result<()> {
    ensure!(block("sh")?.contains(MODULE), "the page names another version than {MODULE}");
    succeeded(&house.go(&["mod", "init", "exporter"])?.output().context("go is not installed (Debian: golang-go)")?)?;
    succeeded(&house.go(&["mod", "edit", &format!("-require={MODULE}")])?.output()?)?;
    let (module, _) = MODULE.split_once('@').context("a version")?;
    for program in programs {
        let package = format!("{module}/cmd/{program}");
        succeeded(&house.go(&["build", "-o", program, &package])?.output()?)?;
    }
    Ok(())
}

/// Lets the exporters' user in, as the page says.
fn admit(house: &House) -> Result<()> {
    for statement in block("mqsc")?.lines() {
        house.mqsc(statement)?;
    }
    house.secure("MONITOR.SVRCONN")
}

/// A program with the page's configuration, changed for it.
fn configured(house: &House, program: &str, change: impl Fn(&str) -> String) -> Result<Command> {
    let configuration = house.folder.path().join(format!("{program}.yaml"));
    write(&configuration, &change(block("yaml")?))?;
    let mut command = house.command(&house.folder.path().join(program))?;
    house.lead(&mut command, "MONITOR.SVRCONN")?;
    command.arg("-f").arg(configuration);
    Ok(command)
}

/// A block of the page that tells users how to run the exporter.
fn block(language: &str) -> Result<&'static str> {
    let (_, section) = PAGE.split_once("## Exporters built on the MQI").context("the section is in metrics.md")?;
    let (_, rest) =
        section.split_once(&format!("```{language}\n")).with_context(|| format!("a block of {language}"))?;
    Ok(rest.split_once("```").context("the block ends")?.0)
}

/// The names of its metrics, without its figures about itself.
fn names(page: &str) -> BTreeSet<String> {
    let samples = page.lines().filter_map(|line| line.strip_prefix("ibmmq_")?.split('{').next());
    samples.filter(|name| !name.starts_with("qmgr_exporter_")).map(str::to_owned).collect()
}

/// Lets the server show the same names, as the page says. Its metrics listener is returned.
fn name_as_the_exporter_does(house: &House) -> Result<String> {
    let (_, section) =
        PAGE.split_once("## Names of the exporters for IBM MQ").context("the section is in metrics.md")?;
    let (_, rest) = section.split_once("```toml\n").context("a block of toml")?;
    let configuration = rest.split_once("```").context("the block ends")?.0;
    write(&house.data.path().join("quaymaster.toml"), configuration)?;
    let mut command = Command::new(program::quaymaster()?);
    command.args(["config", "reload", "--data"]).arg(house.data.path());
    succeeded(&command.output()?)?;
    let ready: Value = serde_json::from_str(&house.server.ready.line)?;
    Ok(ready["metrics"].as_str().context("the ready line names the metrics")?.to_owned())
}

/// Names of the exporter that the server does not show.
const LEFT_OUT: [&str; 6] = [
    "channel_instance_type",
    "channel_security_protocol",
    "qmgr_log_start_epoch",
    "queue_qfile_max_size",
    "queue_qtime_long",
    "queue_qtime_short",
];
/// Names that the exporter shows of queues that are monitored, and where there is something to tell.
const AT_TIMES: [&str; 8] = [
    "channel_time_since_msg",
    "queue_time_since_get",
    "queue_time_since_put",
    "subscription_time_since_message_published",
    "topic_messages_published",
    "topic_messages_received",
    "topic_time_since_msg_published",
    "topic_time_since_msg_received",
];

/// The value of a metric of the queue.
fn value(page: &str, metric: &str) -> Option<f64> {
    let label = format!("queue=\"{QUEUE}\"");
    let line = page.lines().find(|line| line.starts_with(&format!("{metric}{{")) && line.contains(&label))?;
    line.rsplit_once(' ')?.1.parse().ok()
}

fn put(house: &House, text: &str) -> Result<()> {
    let mut command = Command::new(program::quaymaster()?);
    command.args(["put", QUEUE, text, "--data"]).arg(house.data.path());
    succeeded(&command.output()?).map(drop)
}

/// What is published while no subscription stands is lost, so connections are not cut here.
#[test]
fn the_exporter_for_prometheus_shows_what_was_put_and_what_is_there() -> Result<()> {
    let house = House::new()?;
    build(&house, &["mq_prometheus"])?;
    house.by(&[Reach::Tls], shows)
}

fn shows(house: &House) -> Result<()> {
    admit(house)?;
    let mut exporter = Exporter::start(house)?;
    let metrics = name_as_the_exporter_does(house)?;
    // The first look begins the counting.
    fetch(&metrics, "/metrics")?;
    // The exporter shows nothing of what it finds at its first scrape.
    exporter.scrape()?;
    for text in ["one", "two", "three"] {
        put(house, text)?;
    }
    let (mut puts, mut bytes, mut page) = (0.0, 0.0, String::new());
    // Values are published every ten seconds, and each is shown once.
    while puts < 3.0 {
        sleep(Duration::from_millis(500));
        page = exporter.scrape()?;
        puts += value(&page, "ibmmq_queue_mqput_mqput1_count").unwrap_or(0.0);
        bytes += value(&page, "ibmmq_queue_mqput_bytes").unwrap_or(0.0);
    }
    assert_eq!((puts, bytes), (3.0, 11.0), "{page}");
    assert_eq!(value(&page, "ibmmq_queue_depth"), Some(3.0), "{page}");
    let own = fetch(&metrics, "/metrics")?;
    let (theirs, ours) = (names(&page), names(&own));
    let without = |some: &BTreeSet<String>, others: &BTreeSet<String>| -> Vec<String> {
        some.difference(others).cloned().collect()
    };
    assert_eq!(without(&theirs, &ours), LEFT_OUT, "of the exporter");
    let more = without(&ours, &theirs);
    ensure!(more.iter().all(|name| AT_TIMES.contains(&name.as_str())), "of the server: {more:?}");
    ensure!(own.contains("quaymaster_queue_depth{"), "{own}");
    assert_eq!(value(&own, "ibmmq_queue_depth"), Some(3.0), "{own}");
    assert!(value(&own, "ibmmq_queue_mqput_mqput1_count") >= Some(3.0), "{own}");
    for metric in [
        "qmgr_ram_total_bytes{",
        "qmgr_log_in_use_bytes{",
        "qmgr_commit_count{",
        "channel_cur_inst{channel=\"MONITOR.SVRCONN\"",
        "topic_subscriber_count{",
        "subscription_messsages_received{",
    ] {
        ensure!(page.contains(&format!("ibmmq_{metric}")), "{metric} {page}");
    }
    ensure!(page.contains("platform=\"UNIX\""), "{page}");
    ensure!(
        page.lines().any(|line| line.starts_with("ibmmq_qmgr_active_listeners{") && line.ends_with(" 1")),
        "{page}"
    );
    ensure!(!exporter.said().contains("level=error"), "{}", exporter.said());
    Ok(())
}

/// An exporter that prints a JSON document for each collection.
struct Printer {
    process: Child,
    printed: PathBuf,
    /// What a document says of the queue: its depth and the messages put to it since the one before.
    read: fn(&Value) -> Option<(f64, f64)>,
}

impl Printer {
    fn start(house: &House, program: &str, section: &str, read: fn(&Value) -> Option<(f64, f64)>) -> Result<Self> {
        let change = |page: &str| format!("{page}{section}:\n  interval: 5s\n");
        let printed = house.folder.path().join(format!("{program}.out"));
        let mut command = configured(house, program, change)?;
        let process = command.stdout(std::fs::File::create(&printed)?).stderr(Stdio::null()).spawn()?;
        Ok(Self { process, printed, read })
    }

    /// All that it printed, as far as it is whole.
    fn documents(&mut self) -> Result<Vec<Value>> {
        if let Some(status) = self.process.try_wait()? {
            bail!("the exporter ended, {status}");
        }
        let text = std::fs::read_to_string(&self.printed)?;
        Ok(serde_json::Deserializer::from_str(&text).into_iter().map_while(Result::ok).collect())
    }

    /// Waits until the documents say that so many messages were put, and are there.
    fn await_messages(&mut self, count: f64) -> Result<()> {
        loop {
            let documents = self.documents()?;
            let told: Vec<(f64, f64)> = documents.iter().filter_map(self.read).collect();
            let puts: f64 = told.iter().map(|(_, puts)| puts).sum();
            if puts >= count {
                assert_eq!((puts, told.last().map(|(depth, _)| *depth)), (count, Some(count)));
                return Ok(());
            }
            sleep(Duration::from_millis(500));
        }
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Of a document of `mq_json`: it has each queue twice.
fn of_json(document: &Value) -> Option<(f64, f64)> {
    let points = document["points"].as_array()?;
    let metrics = &points.iter().find(|point| point["tags"]["queue"] == QUEUE)?["metrics"];
    Some((metrics["depth"].as_f64()?, metrics["mqputMqput1Count"].as_f64()?))
}

/// Of a document of `mq_otel`.
fn of_telemetry(document: &Value) -> Option<(f64, f64)> {
    let metrics = document["ScopeMetrics"][0]["Metrics"].as_array()?;
    let value = |name: &str| {
        let metric = metrics.iter().find(|metric| metric["Name"] == format!("ibmmq.queue.{name}"))?;
        let is_queue = |point: &&Value| {
            let attributes = point["Attributes"].as_array();
            attributes.is_some_and(|all| all.iter().any(|one| one["Key"] == "queue" && one["Value"]["Value"] == QUEUE))
        };
        metric["Data"]["DataPoints"].as_array()?.iter().find(is_queue)?["Value"].as_f64()
    };
    Some((value("depth")?, value("mqput_mqput1_count")?))
}

#[test]
fn the_exporters_in_json_and_for_opentelemetry_show_what_was_put_and_what_is_there() -> Result<()> {
    let house = House::new()?;
    build(&house, &["mq_json", "mq_otel"])?;
    house.by(&[Reach::Tls], print)
}

fn print(house: &House) -> Result<()> {
    admit(house)?;
    let mut printers =
        [Printer::start(house, "mq_json", "json", of_json)?, Printer::start(house, "mq_otel", "otel", of_telemetry)?];
    for printer in &mut printers {
        while printer.documents()?.is_empty() {
            sleep(Duration::from_millis(100));
        }
    }
    for text in ["one", "two", "three"] {
        put(house, text)?;
    }
    printers.iter_mut().try_for_each(|printer| printer.await_messages(3.0))
}
