//! Quotas of disk and memory: warned of before they are used, then puts are refused with their reasons, gets go on, and make room.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use system_tests::program;
use system_tests::server::{Server, ServerOptions};
use system_tests::wait;
use workload::client::rest::RestClient;

use crate::client::{block_on, client, fetch};

/// The log gives room back in the background.
const ROOM_LIMIT: Duration = Duration::from_secs(300);
const DISK_QUOTA: u64 = 64 << 20;
const MEMORY_QUOTA: u64 = 1 << 20;
const BODY: usize = 200 << 10;

#[test]
fn a_queue_manager_warns_of_a_quota_of_disk_refuses_with_2056_and_goes_on_when_messages_are_got() -> Result<()> {
    let world = World::start("QUAYMASTER_LIMITS_DISK_QUOTA", DISK_QUOTA)?;
    ensure!(world.doctor()?.contains("its quota of disk"), "{}", world.doctor()?);
    let mut app = client(&world.server, "DEV.QUEUE.1", true)?;
    let count = world.fill(&mut app, BODY, "disk", "2056")?;
    ensure!(count > 100, "only {count} messages of {BODY} bytes were taken");
    world.server.error_line("is used: the call is refused")?;
    let doctor = world.doctor()?;
    ensure!(doctor.contains("raise limits.disk_quota, before puts are refused"), "{doctor}");
    world.drain_and_put(&mut app, BODY, count)?;
    let said = world.server.errors();
    ensure!(!said.contains("ERROR"), "{said}");
    Ok(())
}

#[test]
fn a_queue_manager_warns_of_a_quota_of_memory_refuses_with_2071_and_goes_on_when_messages_are_got() -> Result<()> {
    let world = World::start("QUAYMASTER_LIMITS_MEMORY_QUOTA", MEMORY_QUOTA)?;
    let mut app = client(&world.server, "DEV.QUEUE.1", false)?;
    let count = world.fill(&mut app, 100, "memory", "2071")?;
    ensure!(count > 500, "only {count} messages were taken");
    world.server.error_line("the quota of memory (limits.memory_quota) is used: the put is refused")?;
    ensure!(world.doctor()?.contains("its quota of memory"), "{}", world.doctor()?);
    world.drain_and_put(&mut app, 100, count)
}

struct World {
    _data: tempfile::TempDir,
    folder: std::path::PathBuf,
    metrics: String,
    server: Server,
}

impl World {
    fn start(variable: &str, bytes: u64) -> Result<Self> {
        let data = tempfile::tempdir()?;
        let mut options = ServerOptions::on(data.path());
        options.environment.push((variable.to_owned(), bytes.to_string()));
        let server = Server::start(&options)?;
        let ready: serde_json::Value = serde_json::from_str(&server.ready.line)?;
        let metrics = ready["metrics"].as_str().context("the ready line names the metrics")?.to_owned();
        Ok(Self { folder: data.path().to_owned(), _data: data, metrics, server })
    }

    /// Percent of a quota that the metrics show.
    fn percent(&self, of: &str) -> Result<u64> {
        let page = fetch(&self.metrics, "/metrics")?;
        let value = |name: String| -> Result<f64> {
            let line = page.lines().find(|line| line.starts_with(&format!("{name}{{"))).context(name)?;
            Ok(line.rsplit(' ').next().context("a value")?.parse()?)
        };
        let used = value(format!("quaymaster_{of}_quota_used_bytes"))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a percentage")]
        Ok((used * 100.0 / value(format!("quaymaster_{of}_quota_bytes"))?) as u64)
    }

    /// Puts until a put is refused; at 80 % and 90 % the log has its lines. Says how many were taken.
    fn fill(&self, app: &mut RestClient, length: usize, of: &str, reason: &str) -> Result<usize> {
        let mut warnings = [80, 90].into_iter().peekable();
        for count in 0..50_000 {
            if let Err(refused) = block_on(app.put(Bytes::from(vec![b'q'; length]), None)) {
                let said = refused.chain();
                ensure!(said.contains(reason), "{said}");
                ensure!(warnings.peek().is_none(), "{count} messages were taken, and no warning came");
                return Ok(count);
            }
            // A scrape for each small message would take long.
            if count % (1 + 20_000 / length) != 0 {
                continue;
            }
            while let Some(warning) =
                warnings.peek().copied().filter(|warning| self.percent(of).unwrap_or(0) >= *warning)
            {
                self.server
                    .error_line(&format!("% of the quota of {of} is used: get messages"))
                    .with_context(|| format!("{warning} %"))?;
                warnings.next();
            }
        }
        bail!("no put was refused")
    }

    fn doctor(&self) -> Result<String> {
        let said = Command::new(program::quaymaster()?).arg("doctor").arg("--data").arg(&self.folder).output()?;
        Ok(String::from_utf8(said.stdout)?)
    }

    /// All that was taken is there, whole; then there is room again.
    fn drain_and_put(&self, app: &mut RestClient, length: usize, count: usize) -> Result<()> {
        for number in 0..count {
            let got = block_on(app.get(None, None))?.with_context(|| format!("message {number} of {count}"))?;
            ensure!(
                got.body.len() == length && got.body.iter().all(|byte| *byte == b'q'),
                "message {number} is damaged"
            );
        }
        ensure!(block_on(app.get(None, None))?.is_none(), "more than was put");
        wait::until("a put is taken after all messages were got", ROOM_LIMIT, || {
            Ok(block_on(app.put(Bytes::from(vec![b'q'; length]), None)).is_ok())
        })
    }
}
