//! Those who do the work of a run: clients on threads of this process, or processes of the driver.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tokio::task::LocalSet;

use super::client::{Announce, Client, drive};
use super::control::{Control, Phase};
use super::pace::Pace;
use super::tally::Tally;
use super::users::Users;
use super::{Shared, runtime};
use crate::batch;
use crate::client::door::{Door, DoorOptions};
use crate::client::program::Pool;
use crate::error::WorkloadError;
use crate::ledger::Verdict;
use crate::measure;
use crate::plan::Plan;

pub(super) enum Crew {
    Threads(Threads),
    Users(Users),
}

impl Crew {
    /// Lets any number of transactions, or so many, begin.
    pub(super) fn begin(&mut self, phase: Phase, tickets: Option<u64>) -> Result<(), WorkloadError> {
        match self {
            Self::Threads(threads) => {
                threads.begin(phase, tickets);
                Ok(())
            }
            Self::Users(users) => users.begin(phase, tickets),
        }
    }

    /// Waits so long at most for the transactions of a phase with tickets to end. True when they all have.
    pub(super) fn wait(&mut self, limit: Duration) -> bool {
        match self {
            Self::Threads(threads) => threads.wait(limit),
            Self::Users(users) => users.wait(limit),
        }
    }

    /// Transactions that have ended, where that is known while they go on.
    pub(super) fn ended(&self) -> Option<u64> {
        match self {
            Self::Threads(threads) => Some(threads.control.ended()),
            Self::Users(_) => None,
        }
    }

    /// Keeps anybody from beginning, and waits for those who have begun. They end within their own limits.
    pub(super) fn rest(&mut self) -> Result<(), WorkloadError> {
        match self {
            Self::Threads(threads) => {
                threads.control.begin(Phase::Resting, None);
                while !threads.control.is_at_rest() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            }
            Self::Users(users) => users.rest(),
        }
    }

    pub(super) fn programs(&self) -> Vec<u32> {
        match self {
            Self::Threads(threads) => threads.pools.iter().flat_map(|pool| pool.pids()).collect(),
            Self::Users(_) => Vec::new(),
        }
    }

    /// Processes of the driver, one a client.
    pub(super) fn users(&self) -> Vec<u32> {
        match self {
            Self::Threads(_) => Vec::new(),
            Self::Users(users) => users.pids(),
        }
    }

    /// Whether the clients are threads of this process, named `clients-N`.
    pub(super) fn are_threads(&self) -> bool {
        matches!(self, Self::Threads(_))
    }

    /// Stops everybody; what they measured, and the verdict of ledgers that are not here.
    pub(super) fn finish(self) -> Result<(Tally, Option<Verdict>), WorkloadError> {
        match self {
            Self::Threads(threads) => Ok((threads.finish()?, None)),
            Self::Users(users) => users.finish(),
        }
    }
}

/// Clients on a few threads.
pub(super) struct Threads {
    control: Arc<Control>,
    /// The processes of each thread's clients, where there are any.
    pools: Vec<Arc<Pool>>,
    threads: Vec<std::thread::JoinHandle<Tally>>,
    /// What says when transactions are due, in a run with a rate, and its thread.
    pace: Option<(Arc<Pace>, std::thread::JoinHandle<()>)>,
}

impl Threads {
    /// Returns when every client is connected and logged in; the first that cannot ends the run.
    pub(super) fn start(plan: &Plan, shared: &Arc<Shared>, through: Option<SocketAddr>) -> Result<Self, WorkloadError> {
        let pools = pools(plan);
        let (announce, ready) = mpsc::channel();
        let failed = |source| WorkloadError::Start { client: 0, source };
        let options = plan.door.through(through).map_err(failed)?;
        let mut threads = Vec::with_capacity(plan.threads);
        for thread in 0..plan.threads {
            let mut clients = Vec::new();
            for number in (0..plan.clients).filter(|&number| number as usize % plan.threads == thread) {
                let door = match &shared.elsewhere {
                    Some(_) => Door::Elsewhere,
                    None => Door::new(&options, pools.get(thread)).map_err(failed)?,
                };
                clients.push(Client::new(number, door, Arc::clone(shared)));
            }
            threads.push(spawn(thread, clients, announce.clone(), pools.get(thread).cloned())?);
        }
        drop(announce);
        let started = await_ready(&ready, plan.clients);
        let pace = match (&shared.pace, &started) {
            (Some(pace), Ok(())) => Some((Arc::clone(pace), pace.start(Arc::clone(&shared.control))?)),
            _ => None,
        };
        let crew = Self { control: Arc::clone(&shared.control), pools, threads, pace };
        match started {
            Ok(()) => Ok(crew),
            Err(error) => {
                // Its own errors are those of clients that were told to stop.
                let _ = crew.finish();
                Err(error)
            }
        }
    }

    fn begin(&self, phase: Phase, tickets: Option<u64>) {
        if let Some((pace, _)) = &self.pace
            && phase.is_working()
        {
            pace.forget_before(measure::now());
        }
        self.control.begin(phase, tickets);
    }

    fn wait(&self, limit: Duration) -> bool {
        let end = measure::now() + limit;
        while !self.control.is_done() {
            let left = end.saturating_duration_since(measure::now());
            if left.is_zero() {
                return false;
            }
            std::thread::park_timeout(left);
        }
        true
    }

    fn finish(self) -> Result<Tally, WorkloadError> {
        self.control.stop();
        let mut tally = Tally::default();
        for thread in self.threads {
            let one = thread.join().map_err(|_| WorkloadError::Thread(std::io::Error::other("a client panicked")))?;
            tally.add(one);
        }
        if let Some((_, beat)) = self.pace {
            beat.join().map_err(|_| WorkloadError::Thread(std::io::Error::other("the pace panicked")))?;
        }
        Ok(tally)
    }
}

/// The processes of each thread's clients, where there are any.
fn pools(plan: &Plan) -> Vec<Arc<Pool>> {
    let DoorOptions::Program(options) = &plan.door else { return Vec::new() };
    let processes = options.processes as usize;
    // As many clients as a thread has, if there are enough processes.
    (0..plan.threads)
        .map(|thread| {
            Arc::new(Pool::new(options, processes / plan.threads + usize::from(thread < processes % plan.threads)))
        })
        .collect()
}

fn spawn(
    thread: usize,
    clients: Vec<Client>,
    announce: Announce,
    pool: Option<Arc<Pool>>,
) -> Result<std::thread::JoinHandle<Tally>, WorkloadError> {
    let runtime = runtime()?;
    let work = move || {
        batch::enter();
        let tally = runtime.block_on(LocalSet::new().run_until(drive_all(clients, announce)));
        if let Some(pool) = pool {
            runtime.block_on(pool.finish());
        }
        tally
    };
    std::thread::Builder::new().name(format!("clients-{thread}")).spawn(work).map_err(WorkloadError::Thread)
}

async fn drive_all(clients: Vec<Client>, announce: Announce) -> Tally {
    let tally = Rc::new(RefCell::new(Tally::default()));
    let tasks: Vec<_> = clients
        .into_iter()
        .map(|client| tokio::task::spawn_local(drive(client, announce.clone(), Rc::clone(&tally))))
        .collect();
    drop(announce);
    for task in tasks {
        // A panic of a client shows in `await_ready` or in the ledger; the others' figures still count.
        let _ = task.await;
    }
    tally.take()
}

/// Waits until every client is connected and logged in; each has a limit of its own for that.
fn await_ready(ready: &mpsc::Receiver<Result<(), WorkloadError>>, clients: u32) -> Result<(), WorkloadError> {
    for _ in 0..clients {
        match ready.recv() {
            Ok(result) => result?,
            Err(_) => return Err(WorkloadError::Thread(std::io::Error::other("a client ended before it began"))),
        }
    }
    Ok(())
}
