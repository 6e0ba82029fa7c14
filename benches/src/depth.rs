//! A get by correlation identifier costs the same whatever waits on the queue.
//!
//! The operation is the same at both depths: a message is put and got by its identifier, and only the get is timed. In
//! process, nonpersistent, so that nothing hides a difference; and through the door, where a user would feel it. A
//! get of a random one of the million is shown beside it: it also pays for memory that no cache holds any more.

use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use model::descriptor::Persistence;
use model::identifier::CorrelationId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use system_tests::server::Server;
use workload::measure;
use workload::payload::Payload;

use crate::effort::Effort;
use crate::engine::{Caller, Engine};
use crate::fill::{self, fill};
use crate::interleave::{Cell, interleave, median};
use crate::lifecycle::unlimited;
use crate::report::{Bar, Report};

const SIZE: usize = 64;
const IN_PROCESS_BATCH: usize = 20_000;
const REST_BATCH: usize = 1_500;
const SHALLOW: &str = "get by correlation id in process, depth 1";
const DEEP: &str = "get by correlation id in process, depth 1,000,000";
const RANDOM: &str = "get of a random one in process, depth 1,000,000";
const REST_SHALLOW: &str = "get by correlation id over REST, depth 1";
const REST_DEEP: &str = "get by correlation id over REST, depth 1,000,000";

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    in_process(effort, report)?;
    through_the_door(effort, report)
}

fn in_process(effort: &Effort, report: &mut Report) -> Result<()> {
    let engine = Engine::start(None)?;
    for queue in ["SHALLOW", "DEEP"] {
        engine.define(queue)?;
    }
    let (shallow, deep) = (engine.caller("SHALLOW")?, engine.caller("DEEP")?);
    let body = Bytes::from(vec![b'x'; SIZE]);
    for number in 0..effort.messages {
        deep.put(Persistence::NonPersistent, correlation_id(number), body.clone())?;
    }
    let mut random = StdRng::seed_from_u64(effort.messages);
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(SHALLOW, || batch(&shallow, &body, true, || effort.messages)),
            Cell::new(DEEP, || batch(&deep, &body, true, || effort.messages)),
            Cell::new(RANDOM, || batch(&deep, &body, false, || random.gen_range(0..effort.messages))),
        ],
    )?;
    engine.stop();
    report.add(
        Bar::figure("get by correlation id in process, depth 1,000,000 against depth 1")
            .ratio(&measured, DEEP, SHALLOW, "µs"),
    );
    report.add(Bar::figure("get of a random one of 1,000,000 in process").value(measured.median(RANDOM), "µs"));
    Ok(())
}

/// Mean microseconds of a get. What is got is put back, or was just put when `fresh`.
fn batch(caller: &Caller, body: &Bytes, fresh: bool, mut number: impl FnMut() -> u64) -> Result<f64> {
    let mut total = Duration::ZERO;
    for _ in 0..IN_PROCESS_BATCH {
        let id = correlation_id(number());
        if fresh {
            caller.put(Persistence::NonPersistent, id, body.clone())?;
        }
        let begin = measure::now();
        caller.get(Some(id))?;
        total += begin.elapsed();
        if !fresh {
            caller.put(Persistence::NonPersistent, id, body.clone())?;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a batch is small")]
    Ok(total.as_secs_f64() * 1e6 / IN_PROCESS_BATCH as f64)
}

fn correlation_id(number: u64) -> CorrelationId {
    let mut bytes = [7; CorrelationId::LENGTH];
    bytes[16..].copy_from_slice(&number.to_be_bytes());
    CorrelationId::new(bytes)
}

fn through_the_door(effort: &Effort, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir_in(&effort.work)?;
    let (deep, shallow) = (folder.path().join("deep"), folder.path().join("shallow"));
    let deep = Server::start(&unlimited(&deep)?)?;
    let shallow = Server::start(&unlimited(&shallow)?)?;
    fill(&deep, effort.messages, SIZE, false)?;
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(REST_SHALLOW, || rest_batch(&shallow, effort.messages)),
            Cell::new(REST_DEEP, || rest_batch(&deep, effort.messages)),
        ],
    )?;
    report.add(Bar::at_most("get by correlation id over REST, depth 1,000,000 against depth 1", 1.1).ratio(
        &measured,
        REST_DEEP,
        REST_SHALLOW,
        "µs",
    ));
    Ok(())
}

/// Median microseconds of a get of a message just put, over one connection.
fn rest_batch(server: &Server, number: u64) -> Result<f64> {
    let payload = Payload::new(SIZE);
    let hex = fill::id(number).to_hex();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut rest = fill::client(server, false)?;
        let mut times = Vec::with_capacity(REST_BATCH);
        for _ in 0..REST_BATCH {
            fill::put(&mut rest, &payload, number).await?;
            let begin = measure::now();
            let got = rest.get(Some(&hex), None).await?;
            times.push(begin.elapsed().as_secs_f64() * 1e6);
            got.context("a message just put is gone")?;
        }
        Ok(median(times))
    })
}
