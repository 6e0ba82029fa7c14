//! Histories of a few shared queues, judged by a linearizability checker: Porcupine, a Go module, with a model of a queue as MQ promises
//! it (`checker/model.go`).
//!
//! Each history is short: clients work at three members, one of which is killed or loses its connections to the database, then the group
//! comes to rest and the queues are emptied. The checker's own tests plant faults: messages that are lost, got twice or out of order.
//!
//! `QSG_ROUNDS` sets how many histories there are, by default 8.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use super::clients::{self, Crew, Role};
use super::faults::{Fault, happen, pause};
use super::history::{History, Message, Operation, Outcome, What};
use super::site::Site;
use crate::crash::setting;
use crate::interop::packages::cache;

const HISTORIES: u32 = 8;
/// Answers of a history before its fault, and as many behind it.
const ANSWERS: u64 = 60;
const CREW: [Role; 7] = [Role::InOrder, Role::Channel, Role::Channel, Role::Channel, Role::Rest, Role::Rest, Role::Api];

#[test]
fn histories_of_shared_queues_are_linearizable_while_members_are_killed_and_connections_are_cut() -> Result<()> {
    let rounds = setting("QSG_ROUNDS")?.unwrap_or(HISTORIES);
    let seed: u64 = setting("QSG_SEED")?.unwrap_or_else(rand::random);
    eprintln!("histories: {rounds}, QSG_SEED={seed}");
    let checker = checker()?;
    let mut random = StdRng::seed_from_u64(seed);
    let site = Arc::new(Site::start(3)?);
    let history = Arc::new(History::new());
    for round in 1..=rounds {
        let judged = check(&site, &history, &checker, round, &mut random);
        judged.with_context(|| format!("history {round}, QSG_SEED={seed}"))?;
        history.clear();
    }
    site.end()
}

fn check(site: &Arc<Site>, history: &Arc<History>, checker: &PathBuf, round: u32, random: &mut StdRng) -> Result<()> {
    let crew = Crew::start(site, history, random.r#gen(), &CREW);
    let mut disturbed = None;
    let worked = crew.await_answers(ANSWERS).and_then(|()| {
        pause(Duration::from_micros(random.gen_range(0..50_000)));
        let victim = random.gen_range(0..site.members().len());
        let fault = if round.is_multiple_of(3) { Fault::ConnectionsCut } else { Fault::Killed };
        let begun = history.time();
        happen(site, fault, victim)?;
        disturbed = (fault == Fault::ConnectionsCut).then(|| (begun, history.time()));
        crew.await_answers(ANSWERS)
    });
    let settled = clients::settle(site, history, crew, worked)?;
    let operations = history.operations();
    let mut text: String = operations.iter().map(|operation| format!("{}\n", line(operation))).collect();
    if let Some((begun, ended)) = disturbed {
        writeln!(text, "{}", json!({ "kind": "disturbed", "begun": begun, "ended": ended }))?;
    }
    writeln!(text, "{}", json!({ "kind": "settled", "begun": settled }))?;
    let said = run(checker, &text)?;
    let unknown = operations.iter().filter(|operation| operation.outcome == Outcome::Unknown).count();
    eprintln!("history {round}: {} operations, {unknown} without an answer; {said}", operations.len());
    Ok(())
}

/// One operation for the checker.
fn line(operation: &Operation) -> serde_json::Value {
    let messages = |messages: &[Message]| -> Vec<serde_json::Value> {
        let one = |message: &Message| json!({ "id": message.id, "queue": message.queue, "priority": message.priority, "stream": message.stream });
        messages.iter().map(one).collect()
    };
    let (outcome, got) = match operation.outcome {
        Outcome::Done => ("done", None),
        Outcome::Got(got) => ("got", got),
        Outcome::Failed => ("failed", None),
        Outcome::Unknown => ("unknown", None),
    };
    let mut line = match &operation.what {
        What::Put(message) => json!({ "kind": "put", "puts": messages(&[*message]) }),
        What::Get { queue, aim, unit } => {
            json!({ "kind": "get", "queue": queue, "aim": aim, "unit": unit, "got": got })
        }
        What::Commit { unit, gets, puts } => {
            json!({ "kind": "commit", "unit": unit, "gets": gets, "puts": messages(puts) })
        }
        What::BackOut { unit, gets } => json!({ "kind": "backout", "unit": unit, "gets": gets }),
    };
    line["client"] = json!(operation.client);
    line["begun"] = json!(operation.begun);
    line["ended"] = json!(operation.ended);
    line["outcome"] = json!(outcome);
    line
}

/// The checker as a program, once its own tests have passed. Go fetches Porcupine the first time.
fn checker() -> Result<PathBuf> {
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("group/checker");
    let program = cache("history-checker")?.join("history-checker");
    let go = |arguments: &[&str]| -> Result<()> {
        let mut command = Command::new("go");
        command.args(arguments).current_dir(&sources).env("GOCACHE", cache("go")?).env("GOFLAGS", "-mod=readonly");
        let output = command.env("GOTOOLCHAIN", "local").env_remove("GO111MODULE").output().context("go starts")?;
        let said = [output.stdout, output.stderr].concat();
        ensure!(output.status.success(), "go {arguments:?}: {}", String::from_utf8_lossy(&said));
        Ok(())
    };
    go(&["test", "./..."])?;
    go(&["build", "-o", program.to_str().context("a path")?, "."])?;
    Ok(program)
}

/// What the checker says of a history that it accepts. One that it does not is kept.
fn run(checker: &PathBuf, history: &str) -> Result<String> {
    let mut child = Command::new(checker).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().context("a pipe")?.write_all(history.as_bytes())?;
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout).trim().replace('\n', "; ");
    if !output.status.success() {
        let kept = cache("history-checker")?.join("rejected.json");
        crate::client::write(&kept, history)?;
        anyhow::bail!("{}: {said}; the history is in {}", output.status, kept.display());
    }
    Ok(said)
}
