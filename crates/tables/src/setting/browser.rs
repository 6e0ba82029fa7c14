//! A Chromium without a window, driven by its DevTools protocol: what a page of the console asks a server for is what a real browser
//! asks for.
//!
//! It speaks over a pipe and not over a port: no other program of this machine can drive it, and it ends when this one does. Its
//! profile lies in a folder of the setting. It resolves no name, so that it reaches only the servers on 127.0.0.1.
//!
//! Invariants
//! - Every wait has a bound (`LIMIT`).
//! - Its processes are a group of their own, and end with its value or with a signal (`processes`).

pub mod traffic;
mod wire;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::traffic::Traffic;
use self::wire::Wire;
use super::processes::Processes;
use crate::error::TablesError;

/// Names of Chromium, in the order in which they are looked for.
pub const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Begin of the names under which these programs tell their version: `Chromium`, `Google Chrome`.
const FAMILY: &str = "Chrom";
/// Longest wait for something that a page or the browser does.
const LIMIT: Duration = Duration::from_secs(60);
/// Longest wait for the browser to end when it is asked to.
const END_LIMIT: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);
/// Becomes the browser, with the pipe where its protocol expects it: it reads from 3 and writes to 4.
const WITH_PIPE: &str = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>&2"#;
/// No window, nothing but what pages ask for, and no page slowed down because it is behind another.
const ARGUMENTS: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--window-size=1440,900",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--password-store=basic",
];
/// The server's certificate is signed by itself. This holds for the temporary profile alone.
const TRUSTS: &str = "--ignore-certificate-errors";
/// Chromium refuses its sandbox to root, as whom tests run in containers.
const NO_SANDBOX: &str = "--no-sandbox";
/// Two frames later, what was to be shown is on the screen.
const FRAMES: &str = "new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(() => shown(true))))";

/// A program that can be started as a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserProgram {
    path: PathBuf,
    /// What it says of its version.
    pub version: String,
}

pub struct Browser {
    child: Child,
    processes: Arc<Processes>,
    wire: Wire,
    pages: Vec<OpenPage>,
}

/// A page of a browser, in a window of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageId(usize);

struct OpenPage {
    /// The protocol's name of the attachment.
    session: String,
    traffic: Traffic,
}

impl BrowserProgram {
    /// The one that is named, or the first that is installed.
    ///
    /// # Errors
    /// None of them can be started.
    pub fn find(named: Option<&Path>) -> Result<Self, TablesError> {
        let candidates: Vec<PathBuf> =
            named.map_or_else(|| NAMES.map(PathBuf::from).to_vec(), |path| vec![path.to_owned()]);
        let known = || candidates.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        candidates.iter().find_map(|path| Self::at(path)).ok_or_else(|| TablesError::NoBrowser { looked_for: known() })
    }

    fn at(path: &Path) -> Option<Self> {
        let output = Command::new(path).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && version.contains(FAMILY)).then(|| Self { path: path.to_owned(), version })
    }
}

impl Browser {
    /// Starts it with an empty profile in `folder`.
    pub(super) fn start(
        processes: &Arc<Processes>,
        program: &BrowserProgram,
        folder: &Path,
    ) -> Result<Self, TablesError> {
        let log = folder.join("standard-error.log");
        let errors =
            File::create(&log).map_err(|source| TablesError::File { what: "make", path: log.clone(), source })?;
        let mut command = Command::new("sh");
        command.args(["-c", WITH_PIPE]).arg(&program.path).args(ARGUMENTS).arg(TRUSTS);
        if rustix::process::geteuid().is_root() {
            command.arg(NO_SANDBOX);
        }
        let mut profile = std::ffi::OsString::from("--user-data-dir=");
        profile.push(folder.join("profile"));
        command.arg(profile);
        // What it writes beside its profile goes with the folder, too.
        command.env_clear().env("HOME", folder).env("TMPDIR", folder);
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut child = processes
            .start_group(&mut command)
            .map_err(|source| TablesError::Start { program: program.path.clone(), source })?;
        let pipe = child.stdin.take().zip(child.stdout.take());
        let Some((to, from)) = pipe else { unreachable!("both ends were asked for as pipes") };
        let mut browser =
            Self { child, processes: Arc::clone(processes), wire: Wire::over(to, from, log), pages: Vec::new() };
        browser.call(None, "Browser.getVersion", json!({}))?;
        Ok(browser)
    }

    /// A new page, which shows nothing. Its browser keeps no file that a page has fetched.
    ///
    /// # Errors
    /// The browser has ended, or does not do it, as in the others below.
    pub fn page(&mut self) -> Result<PageId, TablesError> {
        let made = self.call(None, "Target.createTarget", json!({ "url": "about:blank", "newWindow": true }))?;
        let attach = json!({ "targetId": made["targetId"], "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", attach)?;
        let session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        self.pages.push(OpenPage { session, traffic: Traffic::default() });
        let page = PageId(self.pages.len() - 1);
        self.call(Some(page), "Network.enable", json!({}))?;
        self.call(Some(page), "Network.setCacheDisabled", json!({ "cacheDisabled": true }))?;
        Ok(page)
    }

    /// Goes to an address. `until` tells when it is there.
    pub fn open(&mut self, page: PageId, url: &str) -> Result<(), TablesError> {
        let answer = self.call(Some(page), "Page.navigate", json!({ "url": url }))?;
        match answer["errorText"].as_str() {
            None => Ok(()),
            Some(error) => Err(TablesError::Unexpected { what: format!("the browser cannot open {url}: {error}") }),
        }
    }

    /// The value of an expression, or of what it promises.
    pub fn evaluate(&mut self, page: PageId, expression: &str) -> Result<Value, TablesError> {
        let wanted = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call(Some(page), "Runtime.evaluate", wanted)?;
        let exception = &answer["exceptionDetails"];
        if !exception.is_null() {
            let text = exception["exception"]["description"].as_str().or(exception["text"].as_str());
            return Err(TablesError::Unexpected { what: format!("in the page: {}", text.unwrap_or_default()) });
        }
        Ok(answer["result"]["value"].take())
    }

    /// Waits until the traffic of a page is as wanted.
    ///
    /// # Errors
    /// It is not so in time; `what` says for what it waited.
    pub fn until(
        &mut self,
        page: PageId,
        what: &str,
        mut is_so: impl FnMut(&Traffic) -> bool,
    ) -> Result<(), TablesError> {
        let end = now() + LIMIT;
        while !is_so(&self.pages[page.0].traffic) {
            let rest = end.saturating_duration_since(now());
            match self.wire.event(rest)? {
                Some(event) => route(&mut self.pages, &event),
                None => return Err(TablesError::Unexpected { what: format!("not within {LIMIT:?}: {what}") }),
            }
        }
        Ok(())
    }

    /// Waits until what a page has asked for is answered and shown, what it asks for meanwhile included.
    pub fn settle(&mut self, page: PageId) -> Result<(), TablesError> {
        let end = now() + LIMIT;
        loop {
            self.until(page, "every request of the page is answered", Traffic::is_answered)?;
            self.evaluate(page, FRAMES)?;
            if self.pages[page.0].traffic.is_answered() {
                return Ok(());
            }
            if now() > end {
                return Err(TablesError::Unexpected { what: format!("the page asks without end ({LIMIT:?})") });
            }
        }
    }

    /// What a page has exchanged since this was asked last.
    pub fn take_traffic(&mut self, page: PageId) -> Result<Traffic, TablesError> {
        while let Some(event) = self.wire.event(Duration::ZERO)? {
            route(&mut self.pages, &event);
        }
        Ok(std::mem::take(&mut self.pages[page.0].traffic))
    }

    /// The body of an answer, by the identifier of its request.
    pub fn body(&mut self, page: PageId, id: &str) -> Result<String, TablesError> {
        let answer = self.call(Some(page), "Network.getResponseBody", json!({ "requestId": id }))?;
        Ok(answer["body"].as_str().unwrap_or_default().to_owned())
    }

    fn call(&mut self, page: Option<PageId>, method: &str, parameters: Value) -> Result<Value, TablesError> {
        let session = page.map(|page| self.pages[page.0].session.clone());
        let pages = &mut self.pages;
        self.wire.call(session.as_deref(), method, parameters, LIMIT, |event| route(pages, event))
    }
}

fn route(pages: &mut [OpenPage], event: &Value) {
    if let Some(page) = pages.iter_mut().find(|page| event["sessionId"] == page.session.as_str()) {
        page.traffic.take_in(event);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that ends by itself has written its profile, which is then removed in peace.
        if self.wire.call(None, "Browser.close", json!({}), END_LIMIT, |_| {}).is_ok() {
            let end = now() + END_LIMIT;
            while matches!(self.child.try_wait(), Ok(None)) && now() < end {
                std::thread::sleep(LOOK);
            }
        }
        self.processes.end_group(&mut self.child);
    }
}

#[expect(clippy::disallowed_methods, reason = "waiting for a browser has a bound")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests;
