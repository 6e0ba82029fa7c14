//! Keeps the time of a run: warm-up, then the measured part, with the processor time of every process at both ends.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::control::Phase;
use super::crew::Crew;
use crate::delay;
use crate::error::WorkloadError;
use crate::measure;
use crate::plan::watched::{DRIVER, NETWORK, PROGRAMS};
use crate::plan::{End, Lives, Plan, WarmUp};
use crate::processor::{self, Elsewhere, Extent, Process, ProcessorTime};
use crate::report::{ProcessReport, WarmUpReport};

/// Windows whose rates are compared before they are called steady, and how long each is.
const WINDOWS: usize = 3;
const WINDOW: Duration = Duration::from_secs(1);
/// A client thread that is busier than this share of the time is what limits the rate.
const THREAD_LIMIT: f64 = 0.9;
/// Processors that are busier than this share of the time have nothing left for anybody.
const MACHINE_LIMIT: f64 = 0.97;
/// How the driver's client threads are called.
const CLIENT_THREADS: &str = "clients-";

/// What the measured time showed beside transactions.
pub(super) struct Measured {
    pub(super) seconds: f64,
    pub(super) warm_up: WarmUpReport,
    pub(super) processes: Vec<ProcessReport>,
    pub(super) machine_busy_percent: Option<f64>,
    pub(super) client_limit: Option<String>,
}

/// Warms up and measures. The crew still works afterwards.
///
/// # Errors
/// A process that cannot be measured at the start, or a crew that is gone.
pub(super) fn keep(plan: &Plan, crew: &mut Crew, delayed: bool) -> Result<Measured, WorkloadError> {
    let watched = processes(plan, crew, delayed);
    let bar = Progress::new(plan);
    // A process that is not there is known before anybody works.
    let mut watch = Watch::start(watched, crew)?;
    let warm_up = warm_up(plan, crew, &bar)?;
    let tickets = match plan.end {
        End::Requests(count, _) => {
            crew.rest()?;
            Some(count)
        }
        End::Time(_) => None,
    };
    watch.restart(crew);
    crew.begin(Phase::Measuring, tickets)?;
    let length = match plan.end {
        End::Time(length) | End::Requests(_, length) => length,
    };
    bar.stage("measuring");
    run_until(watch.begin + length, tickets.is_some(), crew, &bar, || watch.sample());
    let seconds = watch.begin.elapsed().as_secs_f64();
    let measured = watch.finish(crew, seconds, warm_up);
    bar.finish();
    Ok(measured)
}

/// Waits until the end, or until the tickets are used up. `each` is called about once a second.
fn run_until(end: Instant, tickets: bool, crew: &mut Crew, bar: &Progress, mut each: impl FnMut()) {
    loop {
        let left = end.saturating_duration_since(measure::now()).min(Duration::from_secs(1));
        if left.is_zero() {
            return;
        }
        match tickets {
            true if crew.wait(left) => return,
            true => {}
            false => std::thread::sleep(left),
        }
        bar.show(crew.ended());
        each();
    }
}

fn warm_up(plan: &Plan, crew: &mut Crew, bar: &Progress) -> Result<WarmUpReport, WorkloadError> {
    let (begin, before) = (measure::now(), crew.ended());
    bar.stage("warming up");
    let mut is_steady = None;
    match plan.warm_up {
        WarmUp::Time(length) if length.is_zero() => {}
        WarmUp::Requests(0, _) => {}
        WarmUp::Time(length) => {
            crew.begin(Phase::WarmingUp, None)?;
            run_until(begin + length, false, crew, bar, || ());
        }
        WarmUp::Requests(count, limit) => {
            crew.begin(Phase::WarmingUp, Some(count))?;
            run_until(begin + limit, true, crew, bar, || ());
        }
        WarmUp::Steady(percent, limit) => {
            crew.begin(Phase::WarmingUp, None)?;
            is_steady = Some(until_steady(percent, begin + limit, crew, bar));
        }
    }
    Ok(WarmUpReport {
        seconds: begin.elapsed().as_secs_f64(),
        transactions: crew.ended().zip(before).map(|(after, before)| after - before),
        is_steady,
    })
}

/// Whether the rates of the last windows lay within so many percent of their mean before the end came.
fn until_steady(percent: f64, end: Instant, crew: &mut Crew, bar: &Progress) -> bool {
    let mut rates: Vec<f64> = Vec::new();
    while measure::now() + WINDOW <= end {
        let (begin, before) = (measure::now(), crew.ended().unwrap_or_default());
        run_until(begin + WINDOW, false, crew, bar, || ());
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 transactions a second")]
        let count = (crew.ended().unwrap_or_default() - before) as f64;
        rates.push(count / begin.elapsed().as_secs_f64());
        if is_steady(&rates, percent) {
            return true;
        }
    }
    false
}

fn is_steady(rates: &[f64], percent: f64) -> bool {
    let Some(last) = rates.len().checked_sub(WINDOWS).map(|from| &rates[from..]) else { return false };
    let (low, high) = last.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
    let mean = last.iter().sum::<f64>() / WINDOWS as f64;
    mean > 0.0 && (high - low) / mean * 100.0 <= percent
}

/// The processes of the plan, the driver itself, and the network that it imitates.
fn processes(plan: &Plan, crew: &Crew, delayed: bool) -> Vec<Process> {
    let mut all = plan.processes.clone();
    let own = |name: &str, extent| Process { name: name.to_owned(), pid: std::process::id(), extent };
    let elsewhere = Elsewhere {
        without: delayed.then_some(delay::THREADS),
        ended_children: matches!(plan.lives, Lives::Request(_)),
        users: crew.users(),
    };
    all.push(own(DRIVER, Extent::Driver(elsewhere)));
    if delayed {
        all.push(own(NETWORK, Extent::Threads(delay::THREADS.to_owned())));
    }
    all
}

/// Counters at the beginning, and as they were last seen.
struct Watch {
    begin: Instant,
    all: Vec<Watched>,
    programs: Vec<u32>,
    programs_before: ProcessorTime,
    threads_before: HashMap<String, Duration>,
    machine_before: Option<(u64, u64)>,
}

struct Watched {
    process: Process,
    before: ProcessorTime,
    last: ProcessorTime,
    ended: bool,
}

impl Watch {
    fn start(processes: Vec<Process>, crew: &Crew) -> Result<Self, WorkloadError> {
        let read = |process: Process| match process.read() {
            Ok(before) => Ok(Watched { process, before, last: before, ended: false }),
            Err(source) => Err(WorkloadError::Process { name: process.name.clone(), pid: process.pid, source }),
        };
        let all = processes.into_iter().map(read).collect::<Result<_, _>>()?;
        let programs = crew.programs();
        Ok(Self {
            begin: measure::now(),
            all,
            programs,
            programs_before: ProcessorTime::default(),
            threads_before: HashMap::new(),
            machine_before: None,
        })
    }

    /// What counts begins now.
    fn restart(&mut self, crew: &Crew) {
        self.sample();
        for watched in &mut self.all {
            watched.before = watched.last;
        }
        self.programs_before = processor::time_of_all(&self.programs);
        if crew.are_threads() {
            self.threads_before = processor::run_time_by_thread(std::process::id(), CLIENT_THREADS);
        }
        self.machine_before = processor::machine_ticks();
        self.begin = measure::now();
    }

    /// A process that is gone keeps what was last seen of it.
    fn sample(&mut self) {
        for watched in &mut self.all {
            match watched.process.read() {
                Ok(time) if !watched.ended => watched.last = time,
                _ => watched.ended = true,
            }
        }
    }

    fn finish(mut self, crew: &Crew, seconds: f64, warm_up: WarmUpReport) -> Measured {
        let machine = processor::machine_ticks();
        self.sample();
        let mut processes: Vec<_> = self.all.iter().map(|watched| watched.report(seconds)).collect();
        if let Some(&pid) = self.programs.first() {
            let used = processor::time_of_all(&self.programs).since(self.programs_before);
            let counts = format!("{} processes from {pid} on", self.programs.len());
            processes.push(process_report(PROGRAMS.to_owned(), pid, counts, used, seconds));
        }
        #[expect(clippy::cast_precision_loss, reason = "clock ticks of an interval are far fewer than 2^53")]
        let machine = self.machine_before.zip(machine).and_then(|((busy, all), (busy_after, all_after))| {
            let busy = busy_after.saturating_sub(busy) as f64;
            let used_ms = busy * 1e3 / processor::ticks_per_second() as f64;
            (all_after > all).then(|| MachineTime { share: busy / (all_after - all) as f64, used_ms })
        });
        let client_limit = self.busiest_client(crew, seconds).or_else(|| busiest_process(machine?, &processes));
        let machine_busy_percent = machine.map(|machine| machine.share * 100.0);
        Measured { seconds, warm_up, processes, machine_busy_percent, client_limit }
    }

    /// Says so when a thread of clients had hardly a pause.
    fn busiest_client(&self, crew: &Crew, seconds: f64) -> Option<String> {
        if !crew.are_threads() {
            return None;
        }
        let after = processor::run_time_by_thread(std::process::id(), CLIENT_THREADS);
        let busy =
            after.iter().filter_map(|(thread, used)| Some(used.saturating_sub(*self.threads_before.get(thread)?)));
        let share = busy.max()?.as_secs_f64() / seconds;
        (share >= THREAD_LIMIT).then(|| {
            format!("a thread of clients was busy {:.0} % of the time: more threads may ask for more", share * 100.0)
        })
    }
}

/// What all processors did, for whomever.
#[derive(Debug, Clone, Copy)]
struct MachineTime {
    /// Of the time, from 0 to 1.
    share: f64,
    used_ms: f64,
}

/// Says so when all processors were busy, and the driver used more of them than everybody else together: what is measured, and
/// programs that nobody told of.
fn busiest_process(machine: MachineTime, processes: &[ProcessReport]) -> Option<String> {
    if machine.share < MACHINE_LIMIT {
        return None;
    }
    let (driver, others): (Vec<_>, Vec<_>) = processes.iter().partition(|process| process.name == DRIVER);
    let of = |some: &[&ProcessReport]| some.iter().map(|process| process.cpu_ms).sum::<f64>();
    let (driver, others) = (of(&driver), of(&others).max(machine.used_ms - of(&driver)));
    (driver > others).then(|| {
        format!("all processors were busy, and the driver used {:.1} times what all else did", driver / others.max(1.0))
    })
}

impl Watched {
    fn report(&self, seconds: f64) -> ProcessReport {
        let used = self.last.since(self.before);
        let mut report =
            process_report(self.process.name.clone(), self.process.pid, self.process.counts(), used, seconds);
        report.ended = self.ended;
        report
    }
}

fn process_report(name: String, pid: u32, counts: String, used: ProcessorTime, seconds: f64) -> ProcessReport {
    let cpu_ms = used.used.as_secs_f64() * 1e3;
    ProcessReport {
        name,
        pid,
        counts,
        threads: used.threads,
        cpu_ms,
        user_ms: used.user.as_secs_f64() * 1e3,
        cpu_percent: cpu_ms / 10.0 / seconds,
        cpu_ms_per_transaction: None,
        ended: false,
    }
}

/// A bar on a terminal, nothing elsewhere. It has no colours, so that NO_COLOR asks for nothing more.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new(plan: &Plan) -> Self {
        let style = ProgressStyle::with_template("{msg:12} {bar:30} {elapsed_precise} of {len} {prefix}");
        let length = match (plan.warm_up, plan.end) {
            (WarmUp::Time(warm_up), End::Time(length)) => Some(warm_up + length),
            _ => None,
        };
        let bar = match length {
            Some(length) => ProgressBar::new(length.as_secs()),
            None => ProgressBar::new_spinner(),
        };
        if plan.quiet {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let (Some(_), Ok(style)) = (length, style) {
            bar.set_style(style);
        }
        Self { bar }
    }

    fn stage(&self, stage: &'static str) {
        self.bar.set_message(stage);
    }

    fn show(&self, ended: Option<u64>) {
        if let Some(ended) = ended {
            self.bar.set_prefix(format!("{ended} transactions"));
        }
        self.bar.set_position(self.bar.elapsed().as_secs());
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests;
