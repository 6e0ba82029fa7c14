//! The same loads on Artemis: a connection and a thread for every client and responder, as it speaks AMQP 1.0.
//!
//! A request names its sender's own reply queue. A durable message is synced to the journal before the broker accepts it.
//! What it is told is accepted it writes to the journal as well, but gives no word about that outside transactions; hence
//! there are two ways to get a durable message, which `Promise` tells apart.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use workload::batch;
use workload::measure::{self, processor_time};

use super::setting::Transport;
use super::{CLIENTS, Load, REPLY_BYTES, REQUEST_BYTES};
use crate::amqp::{Amqp, Delivery, Endpoint, Outgoing};
use crate::artemis::Artemis;
use crate::effort::Effort;

/// Its code is compiled as it runs: what it costs falls by half and more in the first half minute. Each load runs for the
/// time of one measurement and a quarter, and at least for this long.
const WARM_UP: Duration = Duration::from_secs(2);
/// Tells a responder to end.
const STOP: &str = "stop";

/// What is sent, and what a client waits for before a get counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// Durable messages. A get counts when the transaction that accepts it is committed; a responder's reply and its
    /// acceptance of the request are one transaction.
    Committed,
    /// Durable messages. A get counts when its acceptance is sent: it may come to nothing if the broker ends then.
    SentOff,
    /// Messages that are not durable; gets as before.
    NotDurable,
    /// Messages that are not durable, settled by who sends them: neither puts nor gets are answered.
    Streamed,
}

impl Promise {
    fn durable(self) -> bool {
        matches!(self, Self::Committed | Self::SentOff)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::SentOff => "sent-off",
            Self::NotDurable => "not-durable",
            Self::Streamed => "streamed",
        }
    }
}

pub(super) fn warm_up_time(effort: &Effort) -> Duration {
    (effort.rest * 5 / 4).max(WARM_UP)
}

/// Loads of every kind until the broker has settled.
pub(super) fn warm_up(artemis: &Artemis, effort: &Effort, pair_bytes: usize) -> Result<()> {
    let loads = [
        (Transport::Plain, Promise::Committed),
        (Transport::Tls, Promise::Committed),
        (Transport::Plain, Promise::SentOff),
        (Transport::Tls, Promise::NotDurable),
        (Transport::Plain, Promise::Streamed),
        (Transport::Tls, Promise::Streamed),
    ];
    let long = Effort { rest: warm_up_time(effort), ..effort.clone() };
    for (transport, promise) in loads {
        request_reply(artemis, &long, transport, promise, [REQUEST_BYTES, REPLY_BYTES])?;
    }
    for promise in [Promise::Committed, Promise::SentOff] {
        pairs(artemis, &long, promise, pair_bytes)?;
    }
    Ok(())
}

/// Ten clients and ten responders; bytes of a request and of a reply.
pub(super) fn request_reply(
    artemis: &Artemis,
    effort: &Effort,
    transport: Transport,
    promise: Promise,
    [request_bytes, reply_bytes]: [usize; 2],
) -> Result<Load> {
    let endpoint = endpoint(artemis, transport);
    let kind = format!("{transport:?}.{}", promise.name());
    let queue = format!("bench.request.{kind}");
    let client = |number: u32| {
        let mut amqp = connect(endpoint, &format!("client-{number}"), promise)?;
        let reply_to = format!("bench.reply.{kind}.{number}");
        amqp.receive_from(&reply_to)?;
        let (queue, body, durable) = (queue.clone(), vec![b'x'; request_bytes], promise.durable());
        let mut count = 0_u64;
        Ok(move || {
            count += 1;
            let id = count.to_be_bytes();
            let request = Outgoing { body: &body, durable, reply_to: Some(&reply_to), correlation_id: Some(&id) };
            amqp.send(&queue, request)?;
            let reply = amqp.receive()?;
            ensure!(reply.correlation_id == id && reply.body_length == reply_bytes, "another reply: {reply:?}");
            accept(&mut amqp, &reply, promise)
        })
    };
    with_responders(endpoint, &queue, promise, reply_bytes, || closed_loop(artemis, effort, &client))
}

/// Does `work` while ten responders serve the queue.
pub(super) fn with_responders<T>(
    endpoint: &Endpoint,
    queue: &str,
    promise: Promise,
    reply_bytes: usize,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    std::thread::scope(|scope| {
        let responders: Vec<_> = (0..CLIENTS)
            .map(|number| scope.spawn(move || respond(endpoint, queue, number, promise, reply_bytes)))
            .collect();
        let result = work();
        let mut stopper = connect(endpoint, "stopper", Promise::NotDurable)?;
        for _ in &responders {
            let stop = Outgoing { body: b"", durable: false, reply_to: Some(STOP), correlation_id: None };
            stopper.send(queue, stop)?;
        }
        for responder in responders {
            responder.join().map_err(|_| anyhow!("a responder panicked"))??;
        }
        result
    })
}

fn respond(endpoint: &Endpoint, queue: &str, number: u32, promise: Promise, reply_bytes: usize) -> Result<()> {
    batch::enter();
    let mut amqp = connect(endpoint, &format!("responder-{number}"), promise)?;
    amqp.receive_one_by_one_from(queue)?;
    let body = vec![b'y'; reply_bytes];
    loop {
        let request = amqp.receive()?;
        if request.reply_to == STOP {
            return amqp.accept_last(&request);
        }
        let id = Some(request.correlation_id.as_slice());
        let reply = Outgoing { body: &body, durable: promise.durable(), reply_to: None, correlation_id: id };
        match promise {
            Promise::Committed => amqp.send_accept_and_commit(&request.reply_to, reply, &request)?,
            // The credit for the next request goes out with the reply.
            Promise::Streamed => {
                amqp.accept(&request)?;
                amqp.send(&request.reply_to, reply)?;
            }
            Promise::SentOff | Promise::NotDurable => {
                amqp.send(&request.reply_to, reply)?;
                amqp.accept(&request)?;
            }
        }
    }
}

pub(super) fn pairs(artemis: &Artemis, effort: &Effort, promise: Promise, bytes: usize) -> Result<Load> {
    let client = |number: u32| {
        let mut amqp = connect(artemis.amqp(), &format!("pair-{number}"), promise)?;
        let queue = format!("bench.pair.{}.{number}", promise.name());
        amqp.receive_from(&queue)?;
        let body = vec![b'x'; bytes];
        Ok(move || {
            let message = Outgoing { body: &body, durable: promise.durable(), reply_to: None, correlation_id: None };
            amqp.send(&queue, message)?;
            let got = amqp.receive()?;
            ensure!(got.body_length == body.len(), "another message: {got:?}");
            accept(&mut amqp, &got, promise)
        })
    };
    closed_loop(artemis, effort, &client)
}

fn accept(amqp: &mut Amqp, delivery: &Delivery, promise: Promise) -> Result<()> {
    if promise == Promise::Committed { amqp.accept_and_commit(delivery) } else { amqp.accept(delivery) }
}

pub(super) fn endpoint(artemis: &Artemis, transport: Transport) -> &Endpoint {
    match transport {
        Transport::Plain => artemis.amqp(),
        Transport::Tls => artemis.amqps(),
    }
}

fn connect(endpoint: &Endpoint, name: &str, promise: Promise) -> Result<Amqp> {
    let mut amqp = Amqp::connect(endpoint, "admin", "admin", name).with_context(|| format!("{name} cannot connect"))?;
    if promise == Promise::Committed {
        amqp.declare()?;
    }
    Ok(if promise == Promise::Streamed { amqp.stream() } else { amqp })
}

/// Ten clients, each doing one operation after another: warm-up, then what is measured.
fn closed_loop<F>(artemis: &Artemis, effort: &Effort, client: &(impl Fn(u32) -> Result<F> + Sync)) -> Result<Load>
where
    F: FnMut() -> Result<()>,
{
    let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = |number: u32| -> Result<()> {
        batch::enter();
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

/// Processor time of the broker so far.
fn used(artemis: &Artemis) -> Result<Duration> {
    Ok(processor_time(artemis.pid(), false)?.used)
}
