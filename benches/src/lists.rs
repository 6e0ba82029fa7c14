//! Lists by page of the console API: processor time of a page of 10,000 queues, for each way to search, filter and sort, and of the
//! three columns of 3000 queues that the published console widget shows.
//!
//! Every queue has a message, so that bytes, depth and the oldest message are read for each. Published figures: processor milliseconds
//! of a refresh of the widget on z/OS, for 1000 / 2000 / 3000 queues: 99 / 169 / 243.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};

use crate::admin::{base64, cpu_ms_per_request, runmqsc};
use crate::effort::Effort;
use crate::interleave::{Cell, interleave};
use crate::listing::{Client, Request};
use crate::report::{Bar, Report};

const QUEUES: usize = 10_000;
/// Of these, so many are those of the widget.
const WIDGET: usize = 3000;
/// Queues with more than one message.
const DEEP: usize = 400;

/// Pages of 200 of 10,000 queues.
const PAGES: [(&str, &str); 14] = [
    ("by name", "limit=200"),
    ("by name, at 9800", "limit=200&offset=9800"),
    ("by name, descending", "limit=200&sort=-name"),
    ("by depth", "limit=200&sort=-depth"),
    ("by depth and name, at 5000", "limit=200&sort=-depth,-name&offset=5000"),
    ("by percent of the maximum", "limit=200&sort=-full"),
    ("by description", "limit=200&sort=description"),
    ("by rate", "limit=200&sort=-in"),
    ("by oldest message", "limit=200&sort=oldest"),
    ("by bytes", "limit=200&sort=-bytes"),
    ("by last put", "limit=200&sort=-lastPut"),
    ("by readers, then writers", "limit=200&sort=-readers,-writers"),
    ("two words and depth>1", "limit=200&search=dev+widget&where=depth%3E1&sort=-full"),
    ("two conditions, all queues left", "limit=200&where=type=local&where=oldest%3C1d%7Creaders%3E0&sort=-depth"),
];
const AS_USER: &str = "10000 queues, page of 200 by depth, MQWebUser";
const WIDGET_WHOLE: &str = "3000 queues, name type depth, all rows";
const WIDGET_PAGE: &str = "3000 queues, name type depth, page of 200";

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let data = folder.path().join("data");
    let server = Server::start(&ServerOptions::on(&data))?;
    let address = server.ready.http.context("a plain listener")?;
    define(&data)?;
    fill(address)?;
    let (pid, time) = (server.pid(), effort.rest / 8);
    let measure = |requests: Vec<Request>| {
        move || requests.iter().try_fold(0.0, |sum, one| Ok(sum + cpu_ms_per_request(&[pid], one, time)?.0))
    };
    let names: Vec<String> = PAGES.iter().map(|(what, _)| format!("10000 queues, page of 200 {what}")).collect();
    let names: Vec<&'static str> = names.into_iter().map(|name| &*name.leak()).collect();
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for (name, (_, query)) in names.iter().zip(PAGES) {
        cells.push(Cell::new(name, measure(vec![request(address, &ADMINISTRATOR, query, 2000)])));
    }
    cells.push(Cell::new(AS_USER, measure(vec![request(address, &USER, "limit=200&sort=-depth", 2000)])));
    let widget = |page: &str| {
        request(address, &ADMINISTRATOR, &format!("where=name=DEV.WIDGET.*&columns=name,type,depth&{page}"), 2000)
    };
    let pages = (0..WIDGET / 1000).map(|page| widget(&format!("limit=1000&offset={}", page * 1000)));
    cells.push(Cell::new(WIDGET_WHOLE, measure(pages.collect())));
    cells.push(Cell::new(WIDGET_PAGE, measure(vec![widget("limit=200")])));
    let measured = interleave(effort.rounds, cells)?;
    for name in names.into_iter().chain([AS_USER, WIDGET_WHOLE, WIDGET_PAGE]) {
        report.add(Bar::at_most(name, 2.0).value(measured.median(name), "ms CPU"));
    }
    Ok(())
}

fn queue(number: usize) -> String {
    format!("DEV.{}.{number:05}", if number < WIDGET { "WIDGET" } else { "OTHER" })
}

fn define(data: &Path) -> Result<()> {
    let mut script = String::new();
    for number in 0..QUEUES {
        writeln!(script, "DEFINE QLOCAL({}) DESCR('queue {}')", queue(number), number % 97)?;
    }
    script.push_str("SET AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(DSP)\n");
    runmqsc(data, &script)
}

/// A message on each queue, a second one on some.
fn fill(address: SocketAddr) -> Result<()> {
    for number in (0..QUEUES).chain(0..DEEP) {
        let request = Request {
            address,
            head: format!(
                "POST /api/v1/qmgr/QM1/queue/{}/messages HTTP/1.1\r\nContent-Type: text/plain\r\n{}",
                queue(number),
                USER.header()
            ),
            body: "a message".to_owned(),
            at_least: 0,
        };
        Client::connect(&request)?.ask_any()?;
    }
    Ok(())
}

struct Credentials(&'static str, &'static str);

const ADMINISTRATOR: Credentials = Credentials("admin", ADMIN_PASSWORD);
const USER: Credentials = Credentials("app", APP_PASSWORD);

impl Credentials {
    fn header(&self) -> String {
        format!("Authorization: Basic {}", base64(&format!("{}:{}", self.0, self.1)))
    }
}

fn request(address: SocketAddr, credentials: &Credentials, query: &str, at_least: usize) -> Request {
    let head = format!("GET /api/v1/qmgr/QM1/queues?{query} HTTP/1.1\r\n{}", credentials.header());
    Request { address, head, body: String::new(), at_least }
}
