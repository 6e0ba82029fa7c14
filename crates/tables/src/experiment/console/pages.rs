//! Pages of the console in a real browser: signed in once, opened and refreshed by the page's own action, or left open beside a
//! load. What is counted is what the page asks the server for, and the server's processor time meanwhile.

use std::time::{Duration, Instant};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use workload::processor::processor_time;

use crate::drive::Run;
use crate::error::TablesError;
use crate::session::Repetition;
use crate::setting::Setting;
use crate::setting::browser::traffic::Traffic;
use crate::setting::browser::{Browser, BrowserProgram, PageId};
use crate::setting::server::Server;

/// The console's list of queues with what the published widget shows.
const LIST: &str = "/queues?columns=name,type,depth";
/// The same with the columns that it has at first, in the order of names.
const LIVE_LIST: &str = "/queues?sort=name";
const LOGIN: &str = "/ibmmq/rest/v3/login";
const USER: &str = "admin";
/// What the list asks the server for.
const ASKED: &str = "/queues?";
/// What every page of the console says last when it is opened: what it shows, so that it gets live values.
const WATCH: &str = "/watch";
/// The action of the list's menu.
const REFRESH: &str = "(() => {
  const items = [...document.querySelectorAll('.list .toolbar [role=menuitem]')];
  const action = items.find((item) => item.textContent.trim() === 'Refresh');
  if (!action) throw new Error('the list of queues has no action Refresh');
  action.click();
})()";

/// A browser that is signed in to a server.
pub(super) struct Console {
    browser: Browser,
    /// The list, and the overview beside it.
    list: PageId,
    overview: PageId,
    url: String,
    server: u32,
    watching: bool,
}

/// One visit of the list: opened with nothing of it in the browser, then refreshed.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    pub(super) opening: Exchange,
    /// All refreshes together.
    pub(super) refreshing: Exchange,
    pub(super) refreshes: u32,
    /// Rows of the last answer, and queues that fit.
    pub(super) rows: usize,
    pub(super) total: u64,
}

/// What was exchanged for something, and the server's processor time for it.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) traffic: Traffic,
    pub(super) cpu: Duration,
}

/// A load, with the live events that arrived at the pages meanwhile.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pub(super) run: Run,
    /// A second; none where no page was open.
    pub(super) live_events: Option<f64>,
}

impl Repetition for Visit {
    fn load(&self) -> Option<&Run> {
        None
    }
}

impl Repetition for Watched {
    fn load(&self) -> Option<&Run> {
        Some(&self.run)
    }
}

impl Console {
    /// Starts the browser and signs in, as the page for it does: the LTPA token is in the browser's cookies from then on.
    pub(super) fn start(setting: &Setting, program: &BrowserProgram, server: &Server) -> Result<Self, TablesError> {
        let mut browser = setting.browser(program)?;
        let (list, overview) = (browser.page()?, browser.page()?);
        let url = server.https_url()?;
        browser.open(list, &format!("{url}/ibmmq/console/"))?;
        browser.settle(list)?;
        let body = json!({ "username": USER, "password": password(server)? }).to_string();
        let headers = json!({ "Content-Type": "application/json", "ibm-mq-rest-csrf-token": "tables" });
        let request = json!({ "method": "POST", "headers": headers, "body": body });
        let status = browser.evaluate(list, &format!("fetch('{LOGIN}', {request}).then(({{ status }}) => status)"))?;
        if status != 204 {
            return Err(TablesError::Unexpected {
                what: format!("signing in to the console is answered with {status}"),
            });
        }
        Ok(Self { browser, list, overview, url, server: server.pid(), watching: false })
    }

    /// Opens the list of a queue manager and refreshes it so often, each time when the one before is shown.
    pub(super) fn visit(&mut self, queue_manager: &str, refreshes: u32) -> Result<Visit, TablesError> {
        self.leave()?;
        let before = self.cpu()?;
        self.open(self.list, queue_manager, LIST)?;
        let opening = self.exchanged(self.list, before)?;
        // The first one is not measured: it follows the work of opening.
        self.refresh(1)?;
        self.browser.take_traffic(self.list)?;
        let before = self.cpu()?;
        for count in 1..=refreshes {
            self.refresh(count as usize)?;
        }
        let refreshing = self.exchanged(self.list, before)?;
        let (rows, total) = self.answer(&refreshing.traffic)?;
        Ok(Visit { opening, refreshing, refreshes, rows, total })
    }

    /// Runs a load with the overview and the list of a queue manager open, or with neither.
    pub(super) fn beside(
        &mut self,
        open: Option<&str>,
        run: &mut dyn FnMut() -> Result<Run, TablesError>,
    ) -> Result<Watched, TablesError> {
        let Some(queue_manager) = open else {
            self.leave()?;
            return Ok(Watched { run: run()?, live_events: None });
        };
        if !self.watching {
            self.open(self.overview, queue_manager, "")?;
            self.open(self.list, queue_manager, LIVE_LIST)?;
            // Each row on screen comes once at first, and then when it changes.
            self.browser.until(self.list, "the list gets live values", |traffic| traffic.live_events > 1)?;
            self.browser.settle(self.list)?;
            self.watching = true;
        }
        self.live_events()?;
        let begin = now();
        let run = run()?;
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Watched { run, live_events: Some(self.live_events()? / seconds) })
    }

    fn open(&mut self, page: PageId, queue_manager: &str, path: &str) -> Result<(), TablesError> {
        self.browser.take_traffic(page)?;
        let url = format!("{}/ibmmq/console/qm/{queue_manager}{path}", self.url);
        self.browser.open(page, &url)?;
        let is_watching = |traffic: &Traffic| traffic.answered("PUT", WATCH).is_some();
        self.browser.until(page, "the page of the console says what it shows", is_watching)?;
        self.browser.settle(page)
    }

    /// Both pages show nothing.
    fn leave(&mut self) -> Result<(), TablesError> {
        for page in [self.list, self.overview] {
            self.browser.open(page, "about:blank")?;
            self.browser.settle(page)?;
            self.browser.take_traffic(page)?;
        }
        self.watching = false;
        Ok(())
    }

    /// Refreshes the list until it has asked so often.
    fn refresh(&mut self, count: usize) -> Result<(), TablesError> {
        self.browser.evaluate(self.list, REFRESH)?;
        let asked = |traffic: &Traffic| traffic.requests.iter().filter(|request| request.path.contains(ASKED)).count();
        self.browser.until(self.list, "the list asks for its rows", |traffic| asked(traffic) >= count)?;
        self.browser.settle(self.list)
    }

    /// What a page has exchanged, and the server's time since `before`.
    fn exchanged(&mut self, page: PageId, before: Duration) -> Result<Exchange, TablesError> {
        let cpu = self.cpu()?.saturating_sub(before);
        let traffic = self.browser.take_traffic(page)?;
        match traffic.trouble() {
            None => Ok(Exchange { traffic, cpu }),
            Some(trouble) => Err(TablesError::Unexpected { what: format!("a page of the console had {trouble}") }),
        }
    }

    /// How many rows the last answer has, and of how many.
    fn answer(&mut self, traffic: &Traffic) -> Result<(usize, u64), TablesError> {
        let wrong = || TablesError::Unexpected { what: "the list of queues got an answer without rows".to_owned() };
        let request = traffic.answered("GET", ASKED).ok_or_else(wrong)?;
        let body = self.browser.body(self.list, &request.id)?;
        let body: Value = serde_json::from_str(&body).map_err(|_| wrong())?;
        let rows = body["rows"].as_array().filter(|rows| !rows.is_empty()).ok_or_else(wrong)?;
        Ok((rows.len(), body["total"].as_u64().ok_or_else(wrong)?))
    }

    /// Live events at both pages since this was asked last.
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 events")]
    fn live_events(&mut self) -> Result<f64, TablesError> {
        let events = self.browser.take_traffic(self.list)?.live_events;
        Ok((events + self.browser.take_traffic(self.overview)?.live_events) as f64)
    }

    fn cpu(&self) -> Result<Duration, TablesError> {
        let time = processor_time(self.server, false);
        time.map(|time| time.used).map_err(|error| TablesError::Unexpected { what: format!("server: {error}") })
    }
}

impl Exchange {
    /// What was asked for, each once: methods and paths with their queries, as a person reads them.
    pub(super) fn paths(&self, queue_manager: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for request in &self.traffic.requests {
            let path = request.path.replace(&format!("/qmgr/{queue_manager}/"), "/qmgr/{qmgr}/").replace('&', " &");
            let text = format!("{} {}", request.method, percent_decode_str(&path).decode_utf8_lossy());
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all
    }
}

/// Of `USER`, as the server has given it.
fn password(server: &Server) -> Result<String, TablesError> {
    let path = server.password_file();
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|source| TablesError::File { what: "read", path: path.clone(), source })?;
    let of_user = |line: &str| Some(line.split_once(' ').filter(|(user, _)| *user == USER)?.1.trim().to_owned());
    let missing = || TablesError::Unexpected { what: format!("{} has no password of {USER}", path.display()) };
    text.lines().find_map(of_user).ok_or_else(missing)
}

#[expect(clippy::disallowed_methods, reason = "live events are counted by the second")]
fn now() -> Instant {
    Instant::now()
}
