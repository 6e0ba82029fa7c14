//! Processor time of each verb: many connections do the same verb, then all do the next.
//!
//! What the server used in between is read when it has come to rest, from the scheduler's count of its threads, which is
//! exact for a thread that does not run.

use std::cell::RefCell;
use std::time::Duration;

use anyhow::{Context, Result};
use channel_client::client::Client;
use channel_client::connection::{Connection, ObjectHandle};
use model::options::CloseOptions;
use workload::measure;

use super::{CLIENTS, Setting, correlation, get, join_all, open, per_one, put};
use crate::effort::Effort;
use crate::interleave::Cell;

const VERBS: usize = 6;
/// Connections of each of the ten clients at a time.
const EACH: u32 = 20;
/// What the server does after it has answered is over then.
const REST: Duration = Duration::from_millis(3);

/// Six cells of one run: whichever is asked first in a round runs it, the others take what is left.
pub(super) struct Split<F> {
    run: F,
    left: RefCell<[Option<f64>; VERBS]>,
}

impl<F: Fn() -> Result<[f64; VERBS]>> Split<F> {
    pub(super) fn new(run: F) -> Self {
        Self { run, left: RefCell::default() }
    }

    fn take(&self, verb: usize) -> Result<f64> {
        if let Some(figure) = self.left.borrow_mut()[verb].take() {
            return Ok(figure);
        }
        let figures = (self.run)()?;
        *self.left.borrow_mut() = figures.map(Some);
        self.left.borrow_mut()[verb].take().context("it was just measured")
    }

    pub(super) fn cells(&self, names: &[&'static str; VERBS]) -> Vec<Cell<'_>> {
        names.iter().enumerate().map(|(verb, name)| Cell::new(name, move || self.take(verb))).collect()
    }
}

/// A connection on its way through the verbs.
struct Going {
    number: u32,
    connection: Connection,
    queue: Option<ObjectHandle>,
}

impl Going {
    fn queue(&self) -> Result<ObjectHandle> {
        self.queue.context("the queue is open")
    }
}

/// Microseconds of MQCONN, MQOPEN, MQPUT, MQGET, MQCLOSE and MQDISC.
pub(super) fn cpu_us(setting: &Setting, client: &Client, effort: &Effort) -> Result<[f64; VERBS]> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (mut used, mut count) = ([Duration::ZERO; VERBS], 0);
        // The first batch warms up.
        batch(setting, client).await?;
        let begin = measure::now();
        while begin.elapsed() < effort.rest {
            for (sum, one) in used.iter_mut().zip(batch(setting, client).await?) {
                *sum += one;
            }
            count += u64::from(CLIENTS * EACH);
        }
        let mut figures = [0.0; VERBS];
        for (figure, used) in figures.iter_mut().zip(used) {
            *figure = per_one(used, count)?;
        }
        Ok(figures)
    })
}

async fn batch(setting: &Setting, client: &Client) -> Result<[Duration; VERBS]> {
    let mut marks = [run_time(setting.server.pid())?; VERBS + 1];
    let mut mark = 0;
    let mut used = async || -> Result<()> {
        tokio::time::sleep(REST).await;
        mark += 1;
        marks[mark] = run_time(setting.server.pid())?;
        Ok(())
    };
    let clients: Vec<_> = (0..CLIENTS).map(|_| RefCell::new(Vec::new())).collect();
    let connect = async |(client_number, going): (u32, &RefCell<Vec<Going>>)| -> Result<()> {
        for number in 0..EACH {
            let connection = client.connect().await?;
            going.borrow_mut().push(Going { number: client_number * EACH + number, connection, queue: None });
        }
        Ok(())
    };
    join_all((0..CLIENTS).zip(&clients).map(connect)).await?;
    used().await?;
    let mut clients: Vec<Vec<Going>> = clients.into_iter().map(RefCell::into_inner).collect();
    each(&mut clients, async |going| {
        going.queue = Some(open(&mut going.connection).await?);
        Ok(())
    })
    .await?;
    used().await?;
    each(&mut clients, async |going| {
        let queue = going.queue()?;
        put(&mut going.connection, queue, correlation(going.number)).await
    })
    .await?;
    used().await?;
    each(&mut clients, async |going| {
        let queue = going.queue()?;
        get(&mut going.connection, queue, correlation(going.number)).await
    })
    .await?;
    used().await?;
    each(&mut clients, async |going| {
        let queue = going.queue()?;
        Ok(going.connection.close(queue, CloseOptions::empty()).await?)
    })
    .await?;
    used().await?;
    let disconnect = async |going: Vec<Going>| -> Result<()> {
        for one in going {
            one.connection.disconnect().await?;
        }
        Ok(())
    };
    join_all(clients.into_iter().map(disconnect)).await?;
    used().await?;
    Ok(std::array::from_fn(|verb| marks[verb + 1].saturating_sub(marks[verb])))
}

/// One verb on every connection, the clients side by side.
async fn each(clients: &mut [Vec<Going>], verb: impl AsyncFn(&mut Going) -> Result<()>) -> Result<()> {
    let all = async |going: &mut Vec<Going>| -> Result<()> {
        for one in going {
            verb(one).await?;
        }
        Ok(())
    };
    join_all(clients.iter_mut().map(all)).await
}

/// What all threads of a process have run so far.
fn run_time(pid: u32) -> Result<Duration> {
    let mut total = Duration::ZERO;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        // One that has ended since is not missed: the server keeps those that serve channels.
        let Ok(text) = std::fs::read_to_string(thread?.path().join("schedstat")) else { continue };
        let running = text.split_ascii_whitespace().next().context("the scheduler's statistics")?;
        total += Duration::from_nanos(running.parse()?);
    }
    Ok(total)
}
