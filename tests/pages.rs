//! Pages of `docs/` are true: their shell sessions run as pasted, and what they list is what there is.

use std::collections::BTreeSet;
use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use system_tests::program::package;
use system_tests::server::{Server, ServerOptions};

use crate::client::fetch;
use crate::readme::shell_blocks;
use crate::services::{Checkout, repository};

/// Longest wait for what the server sends to its supervisor.
const LIMIT: Duration = Duration::from_secs(300);

pub(crate) fn page(name: &str) -> Result<String> {
    let path = repository()?.join("docs").join(name);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Runs the page's sessions in one shell; what the page shows as answers must be in what they print.
pub(crate) fn runs_as_pasted(name: &str, answers: usize) -> Result<()> {
    text_runs_as_pasted(name, &page(name)?, answers)
}

fn text_runs_as_pasted(name: &str, page: &str, answers: usize) -> Result<()> {
    let out = Checkout::new()?.run(&shell_blocks(page).concat())?;
    let shown: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("# -> ")).collect();
    ensure!(shown.len() >= answers, "{name} shows {} answers", shown.len());
    for answer in shown {
        ensure!(out.contains(answer), "{answer} is not in\n{out}");
    }
    Ok(())
}

#[test]
fn the_page_on_messaging_rest_works_as_pasted_in_curl_python_and_node() -> Result<()> {
    runs_as_pasted("messaging-rest.md", 5)
}

#[test]
fn the_page_on_certificates_works_as_pasted() -> Result<()> {
    let page = page("certificates.md")?;
    let (before, _) = page.split_once(crate::acme::SECTION).context("the section that needs an ACME server")?;
    text_runs_as_pasted("certificates.md", before, 2)
}

#[test]
fn the_page_on_moving_works_as_pasted() -> Result<()> {
    runs_as_pasted("moving.md", 3)
}

#[test]
fn the_page_for_users_of_rabbitmq_and_sqs_works_as_pasted() -> Result<()> {
    runs_as_pasted("coming-from-rabbitmq-or-sqs.md", 8)
}

#[test]
fn the_page_for_users_of_ibm_mq_works_as_pasted() -> Result<()> {
    runs_as_pasted("coming-from-ibm-mq.md", 10)
}

#[test]
fn the_page_on_events_works_as_pasted() -> Result<()> {
    runs_as_pasted("events.md", 1)
}

#[test]
fn the_tutorial_of_a_jms_program_works_as_pasted() -> Result<()> {
    runs_as_pasted("first-jms-program.md", 4)
}

#[test]
fn the_tutorial_of_a_queue_behind_http_works_as_pasted() -> Result<()> {
    runs_as_pasted("first-http-queue.md", 7)
}

#[test]
fn the_tutorial_of_tests_with_pytest_works_as_pasted() -> Result<()> {
    let page = page("first-tests.md")?;
    let checkout = Checkout::new()?;
    let wheel = package(".whl")?;
    let built = checkout.folder.path().join("target/dist");
    std::fs::create_dir_all(&built)?;
    std::os::unix::fs::symlink(&wheel, built.join(wheel.file_name().context("a file")?))?;
    let out = checkout.run(&shell_blocks(&page).concat())?;
    for answer in ["2 passed", "4 passed", "recorded: 3 EUR", "5 passed"] {
        ensure!(page.contains(&format!("# -> {answer}")) && out.contains(answer), "{answer} is not in\n{out}");
    }
    Ok(())
}

/// `scripts/test-bare.sh` measures them.
#[test]
fn every_tutorial_says_how_long_it_takes_and_that_is_ten_minutes_at_most() -> Result<()> {
    let contents = page("SUMMARY.md")?;
    let part = contents.split("\n# ").find(|part| part.starts_with("Tutorials\n")).context("a part with tutorials")?;
    let files: Vec<&str> =
        part.lines().filter_map(|line| line.strip_suffix(')')?.rsplit_once("](")).map(|(_, file)| file).collect();
    ensure!(files.len() >= 5, "{files:?}");
    for file in files {
        let page = page(file)?;
        let line =
            page.lines().find_map(|line| line.strip_prefix("Time: ")).with_context(|| format!("{file}: a time"))?;
        let (minutes, packages) = line.split_once(" minutes. Debian packages: ").context("minutes and packages")?;
        let minutes: u32 = minutes.parse().with_context(|| format!("{file}: {minutes}"))?;
        ensure!(minutes <= 10 && packages.starts_with('`'), "{file}: {line}");
    }
    Ok(())
}

#[test]
fn the_page_on_groups_goes_from_nothing_to_two_members_and_a_killed_one_as_pasted() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir()?;
    // PostgreSQL's own user has to enter it.
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    let programs = folder.path().join("target/release");
    std::fs::create_dir_all(&programs)?;
    std::os::unix::fs::symlink(system_tests::program::quaymaster()?, programs.join("quaymaster"))?;
    let mut group = RunningGroup(
        Command::new("bash")
            .arg(repository()?.join("scripts/run-group.sh"))
            .arg("--free-ports")
            .current_dir(folder.path())
            .spawn()?,
    );
    group.wait_until_ready(&folder.path().join("quaymaster-group/ready"))?;
    let mut script = String::from("set -o pipefail\n");
    script.push_str(&shell_blocks(&page("first-group.md")?).concat());
    for (member, port) in [("QM1", "9443"), ("QM2", "9444")] {
        let ready = std::fs::read_to_string(folder.path().join(format!("quaymaster-group/{member}.ready")))?;
        let ready: serde_json::Value = serde_json::from_str(&ready)?;
        let address = ready["https"].as_str().context("the member speaks https")?;
        script = script.replace(&format!("localhost:{port}"), &address.replace("127.0.0.1", "localhost"));
    }
    let output = Command::new("bash").arg("-ec").arg(&script).current_dir(folder.path()).output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{script}\n{out}\n{err}");
    for answer in page("first-group.md")?.lines().filter_map(|line| line.strip_prefix("# -> ")) {
        ensure!(out.contains(answer), "{answer} is not in\n{out}\n{err}");
    }
    Ok(())
}

/// `scripts/run-group.sh`; ends with all that it has started.
struct RunningGroup(std::process::Child);

impl RunningGroup {
    fn wait_until_ready(&mut self, file: &std::path::Path) -> Result<()> {
        for _ in 0..3000 {
            if file.exists() {
                return Ok(());
            }
            if let Some(status) = self.0.try_wait()? {
                anyhow::bail!("run-group.sh ended with {status}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        anyhow::bail!("the group is not ready")
    }
}

impl Drop for RunningGroup {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// The sections on lists and problems show answers with times in them.
#[test]
fn the_page_on_resources_of_the_console_works_as_pasted() -> Result<()> {
    let page = page("console-api.md")?;
    let titles = ["Page and assets", "Session", "Grammar of MQSC", "Log", "Connect card"];
    let mut sections = page.split("\n## ");
    let mut own = sections.next().unwrap_or_default().to_owned();
    for section in sections.filter(|section| titles.iter().any(|title| section.starts_with(&format!("{title}\n")))) {
        own.push('\n');
        own.push_str(section);
    }
    let out = Checkout::new()?.run(&shell_blocks(&own).concat())?;
    let shown: Vec<&str> = own.lines().filter_map(|line| line.strip_prefix("# -> ")).collect();
    ensure!(shown.len() == titles.len(), "{} sections show {} answers", titles.len(), shown.len());
    for answer in shown {
        ensure!(out.contains(answer), "{answer} is not in\n{out}");
    }
    Ok(())
}

/// Families of members of a queue-sharing group; the server's test of groups looks at them.
const OF_GROUPS: &str = "quaymaster_group_";

/// Families that the server shows only once an API requester is deployed.
const OF_REQUESTERS: [&str; 3] = [
    "quaymaster_api_requester_calls_total",
    "quaymaster_api_requester_calls_in_flight",
    "quaymaster_api_requester_call_seconds_total",
];

#[test]
fn the_page_on_metrics_lists_every_family_with_its_kind_and_no_other() -> Result<()> {
    let data = tempfile::tempdir()?;
    let server = Server::start_on(data.path())?;
    let ready: serde_json::Value = serde_json::from_str(&server.ready.line)?;
    let text = fetch(ready["metrics"].as_str().context("the ready line names the metrics")?, "/metrics")?;
    let shown: BTreeSet<(String, String)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '))
        .map(|(name, kind)| (name.to_owned(), kind.trim().to_owned()))
        .collect();
    let listed: BTreeSet<(String, String)> = page("metrics.md")?
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        // Another table names several in a row.
        .filter(|(name, _)| !name.contains('`'))
        .filter_map(|(name, rest)| Some((name.to_owned(), rest.split(' ').next()?.to_owned())))
        .filter(|(name, _)| !OF_REQUESTERS.contains(&name.as_str()) && !name.starts_with(OF_GROUPS))
        .collect();
    ensure!(shown.len() > 40, "the server shows {} families", shown.len());
    assert_eq!(listed, shown);
    Ok(())
}

/// The socket to which a supervisor has servers report.
struct Supervisor {
    folder: tempfile::TempDir,
    socket: UnixDatagram,
}

impl Supervisor {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let socket = UnixDatagram::bind(folder.path().join("notify"))?;
        socket.set_read_timeout(Some(LIMIT))?;
        Ok(Self { folder, socket })
    }

    fn options(&self) -> ServerOptions {
        let mut options = ServerOptions::on(&self.folder.path().join("data"));
        let name = self.folder.path().join("notify").display().to_string();
        options.environment.push(("NOTIFY_SOCKET".to_owned(), name));
        options
    }

    fn hear(&self) -> Result<String> {
        let mut bytes = [0; 64];
        let length = self.socket.recv(&mut bytes).context("the server says nothing to its supervisor")?;
        Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }
}

#[test]
fn a_supervisor_is_notified_when_the_server_is_ready_and_when_it_stops() -> Result<()> {
    let supervisor = Supervisor::new()?;
    let server = Server::start(&supervisor.options())?;
    assert_eq!(supervisor.hear()?, "READY=1");
    server.terminate()?;
    assert_eq!(supervisor.hear()?, "STOPPING=1");
    Ok(())
}

#[test]
fn a_supervisor_that_watches_hears_of_the_server_again_and_again() -> Result<()> {
    let supervisor = Supervisor::new()?;
    let mut options = supervisor.options();
    options.environment.push(("WATCHDOG_USEC".to_owned(), "20000".to_owned()));
    let _server = Server::start(&options)?;
    let mut alive = 0;
    while alive < 3 {
        alive += usize::from(supervisor.hear()? == "WATCHDOG=1");
    }
    Ok(())
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a file in the test's own folder")]
fn systemd_accepts_the_unit() -> Result<()> {
    let unit = std::fs::read_to_string(repository()?.join("packaging/systemd/quaymaster.service"))?;
    ensure!(unit.contains("Type=notify") && unit.contains("ExecStart=/usr/local/bin/quaymaster serve"), "{unit}");
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("quaymaster.service");
    // A program that this machine has in the place of the installed one.
    std::fs::write(&file, unit.replace("/usr/local/bin/quaymaster", "/bin/true"))?;
    let verify = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&file).output();
    // A container has no systemd; the words of the unit are looked at above all the same.
    let Ok(output) = verify else { return Ok(()) };
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let security =
        Command::new("systemd-analyze").args(["security", "--offline=true", "--no-pager"]).arg(&file).output()?;
    let text = String::from_utf8_lossy(&security.stdout);
    let line = text.lines().find(|line| line.contains("Overall exposure level")).context("a level")?;
    let level: f32 = line.split(": ").nth(1).and_then(|rest| rest.split(' ').next()).context("a number")?.parse()?;
    ensure!(level < 2.0, "{line}");
    Ok(())
}
