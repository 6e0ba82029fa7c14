//! The same loads on Artemis: a connection and a thread for every client and responder, as it speaks AMQP 1.0.
//!
//! A request names its sender's own reply queue; a responder accepts it once its reply is accepted by the broker. Durable
//! messages are synced to the journal before the broker accepts them; it gives no word about what it was told is accepted.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use workload::measure::{self, processor_time};

use super::{CLIENTS, Load};
use crate::amqp::{Amqp, Outgoing};
use crate::artemis::Artemis;
use crate::effort::Effort;

const REQUESTS: &str = "bench.request";
/// Its code is compiled as it runs: what it costs falls for this long.
const WARM_UP: Duration = Duration::from_secs(10);
/// Tells a responder to end.
const STOP: &str = "stop";

/// Loads of every kind until the broker has settled.
pub(super) fn warm_up(artemis: &Artemis, effort: &Effort) -> Result<()> {
    let each = effort.warmup.max(WARM_UP / 4).min(effort.rest.max(WARM_UP / 4));
    let long = Effort { rest: each, ..effort.clone() };
    for durable in [true, false] {
        request_reply(artemis, &long, durable, 50, 1024)?;
    }
    pairs(artemis, &long, 1024).map(drop)
}

pub(super) fn request_reply(
    artemis: &Artemis,
    effort: &Effort,
    durable: bool,
    request_bytes: usize,
    reply_bytes: usize,
) -> Result<Load> {
    let address = artemis.amqp();
    let queue = format!("{REQUESTS}.{durable}");
    let client = |number: u32| {
        let mut amqp = connect(address, &format!("client-{number}"))?;
        let reply_to = format!("bench.reply.{durable}.{number}");
        amqp.receive_from(&reply_to)?;
        let (queue, body) = (queue.clone(), vec![b'x'; request_bytes]);
        let mut count = 0_u64;
        Ok(move || {
            count += 1;
            let id = count.to_be_bytes();
            let request = Outgoing { body: &body, durable, reply_to: Some(&reply_to), correlation_id: Some(&id) };
            amqp.send(&queue, request)?;
            let reply = amqp.receive()?;
            ensure!(reply.correlation_id == id && reply.body_length == reply_bytes, "another reply: {reply:?}");
            amqp.accept(&reply)
        })
    };
    std::thread::scope(|scope| {
        let responders: Vec<_> = (0..CLIENTS)
            .map(|number| {
                scope.spawn({
                    let queue = &queue;
                    move || respond(address, queue, number, durable, reply_bytes)
                })
            })
            .collect();
        let result = closed_loop(artemis, effort, &client);
        let mut stopper = connect(address, "stopper")?;
        for _ in &responders {
            let stop = Outgoing { body: b"", durable: false, reply_to: Some(STOP), correlation_id: None };
            stopper.send(&queue, stop)?;
        }
        for responder in responders {
            responder.join().map_err(|_| anyhow!("a responder panicked"))??;
        }
        result
    })
}

fn respond(address: SocketAddr, queue: &str, number: u32, durable: bool, reply_bytes: usize) -> Result<()> {
    let mut amqp = connect(address, &format!("responder-{number}"))?;
    amqp.receive_one_by_one_from(queue)?;
    let body = vec![b'y'; reply_bytes];
    loop {
        let request = amqp.receive()?;
        if request.reply_to == STOP {
            return amqp.accept_last(&request);
        }
        let reply = Outgoing { body: &body, durable, reply_to: None, correlation_id: Some(&request.correlation_id) };
        amqp.send(&request.reply_to, reply)?;
        amqp.accept(&request)?;
    }
}

pub(super) fn pairs(artemis: &Artemis, effort: &Effort, bytes: usize) -> Result<Load> {
    let address = artemis.amqp();
    let client = |number: u32| {
        let mut amqp = connect(address, &format!("pair-{number}"))?;
        let queue = format!("bench.pair.{number}");
        amqp.receive_from(&queue)?;
        let body = vec![b'x'; bytes];
        Ok(move || {
            let message = Outgoing { body: &body, durable: true, reply_to: None, correlation_id: None };
            amqp.send(&queue, message)?;
            let got = amqp.receive()?;
            ensure!(got.body_length == body.len(), "another message: {got:?}");
            amqp.accept(&got)
        })
    };
    closed_loop(artemis, effort, &client)
}

fn connect(address: SocketAddr, name: &str) -> Result<Amqp> {
    Amqp::connect(address, "admin", "admin", name).with_context(|| format!("{name} cannot connect"))
}

/// Ten clients, each doing one operation after another: warm-up, then what is measured.
fn closed_loop<F>(artemis: &Artemis, effort: &Effort, client: &(impl Fn(u32) -> Result<F> + Sync)) -> Result<Load>
where
    F: FnMut() -> Result<()>,
{
    let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = |number: u32| -> Result<()> {
        let mut operation = client(number)?;
        while !stop.load(Ordering::Relaxed) {
            operation()?;
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(move || work(number))).collect();
        std::thread::sleep(effort.warmup);
        let (before, first) = (used(artemis)?, count.load(Ordering::Relaxed));
        let driver = processor_time(std::process::id(), false)?.used;
        let begin = measure::now();
        std::thread::sleep(effort.rest);
        let (after, last) = (used(artemis)?, count.load(Ordering::Relaxed));
        let elapsed = begin.elapsed().as_secs_f64();
        let driver = processor_time(std::process::id(), false)?.used.saturating_sub(driver);
        stop.store(true, Ordering::Relaxed);
        for client in running {
            client.join().map_err(|_| anyhow!("a client panicked"))??;
        }
        ensure!(last > first, "nothing was completed");
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 operations")]
        let done = (last - first) as f64;
        eprintln!("    {:.0} /s, driver {:.1} µs each", done / elapsed, driver.as_secs_f64() * 1e6 / done);
        Ok(Load { per_second: done / elapsed, cpu_us: after.saturating_sub(before).as_secs_f64() * 1e6 / done })
    })
}

fn used(artemis: &Artemis) -> Result<Duration> {
    Ok(processor_time(artemis.pid(), false)?.used)
}
