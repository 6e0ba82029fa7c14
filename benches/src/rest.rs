//! Through the door: processor time of the server for a put and a get over kept TLS, against nginx for the same bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use system_tests::server::{APP_PASSWORD, Server, ServerOptions};
use workload::plan::{Choices, Login, Plan, Scenario, Span};

use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::nginx::{GET_PATH, Nginx, POST_PATH};
use crate::report::{Bar, Report};

const CLIENTS: u32 = 10;
const SIZE: usize = 1024;
pub const NGINX: &str = "nginx: no-op POST + static GET";
const NONPERSISTENT: &str = "put+get nonpersistent, LTPA";
const PERSISTENT: &str = "put+get persistent, LTPA";
const BASIC: &str = "put+get nonpersistent, Basic";

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let nginx = NginxFloor::start(effort)?;
    let server = Server::start(&ServerOptions::on(&folder.path().join("data")))?;
    let passwords = password_file(folder.path())?;
    let ours = Choices {
        scenario: Some(Scenario::PutGet),
        url: Some(server.https_url()?),
        cacert: Some(server.ca_file()),
        password_file: Some(passwords),
        pid: BTreeMap::from([("server".to_owned(), server.pid())]),
        ..base(effort)
    };
    let persistent = Choices { persistent: Some(true), ..ours.clone() };
    let basic = Choices { login: Some(Login::Basic), ..ours.clone() };
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(NGINX, || nginx.cpu_us()),
            Cell::new(NONPERSISTENT, || cpu_us_per_pair(&ours)),
            Cell::new(PERSISTENT, || cpu_us_per_pair(&persistent)),
            Cell::new(BASIC, || cpu_us_per_pair(&basic)),
        ],
    )?;
    report.add(Bar::at_most("CPU of a nonpersistent put+get pair, against nginx", 1.0).ratio(
        &measured,
        NONPERSISTENT,
        NGINX,
        "µs",
    ));
    report.add(
        Bar::at_most("CPU of a persistent put+get pair, against nginx", 2.0).ratio(&measured, PERSISTENT, NGINX, "µs"),
    );
    report.add(Bar::at_most("CPU of a pair with Basic, against the LTPA cookie", 1.3).ratio(
        &measured,
        BASIC,
        NONPERSISTENT,
        "µs",
    ));
    Ok(())
}

/// nginx, and what a no-op `POST` with a static `GET` over TLS costs it: the index of the machine.
pub struct NginxFloor {
    pub(crate) choices: Choices,
    _nginx: Nginx,
}

impl NginxFloor {
    /// # Errors
    /// nginx is not there.
    pub fn start(effort: &Effort) -> Result<Self> {
        let nginx = Nginx::start(&effort.work, SIZE)?;
        let choices = Choices {
            scenario: Some(Scenario::HttpFloor),
            url: Some(nginx.url.clone()),
            insecure: Some(true),
            login: Some(Login::None),
            post_path: Some(POST_PATH.to_owned()),
            get_path: Some(GET_PATH.to_owned()),
            pid: (0..).zip(&nginx.workers).map(|(number, pid)| (format!("nginx {number}"), *pid)).collect(),
            ..base(effort)
        };
        Ok(Self { choices, _nginx: nginx })
    }

    /// Runs the load once; processor time of all workers, in microseconds a pair.
    ///
    /// # Errors
    /// The load did not go well.
    pub fn cpu_us(&self) -> Result<f64> {
        cpu_us_per_pair(&self.choices)
    }
}

fn base(effort: &Effort) -> Choices {
    Choices {
        clients: Some(CLIENTS),
        request_size: Some(SIZE),
        warmup: Some(Span(effort.warmup)),
        duration: Some(Span(effort.rest)),
        ..Choices::default()
    }
}

/// Runs the load once; processor time of all named processes together, in microseconds a pair.
pub(crate) fn cpu_us_per_pair(choices: &Choices) -> Result<f64> {
    let report = workload::run(&Plan::new(choices.clone())?)?;
    ensure!(report.errors == 0 && report.is_clean(), "the load did not go well: {report}");
    ensure!(report.transactions > 0, "nothing was completed: {report}");
    let watched = choices.pid.keys().map(|name| report.cpu_us_per_transaction(name));
    let total: Option<f64> = watched.sum();
    let driver = report.cpu_us_per_transaction("driver").unwrap_or_default();
    eprintln!("    {:.0} pairs/s, driver {driver:.1} µs a pair", report.transactions_per_second);
    total.context("a process was not measured")
}

#[expect(clippy::disallowed_methods, reason = "files of a measurement need not last")]
pub fn password_file(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("passwords");
    std::fs::write(&path, format!("app {APP_PASSWORD}\n"))?;
    Ok(path)
}
