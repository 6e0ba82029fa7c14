//! Processor time as the kernel counts it: of processes, of processes with their children, of threads by their names.
//!
//! Never an estimate: what a process or thread used is read at both ends of an interval and subtracted.
//!
//! The whole of a process is its scheduler's clock, in nanoseconds, ended threads included. What of it was not in the kernel is
//! sampled by the kernel at its timer's ticks, so that share is taken of an interval's samples, and of all processes of a
//! group together: those of one short-lived process tell nothing.
//!
//! Source: proc_pid_stat(5), proc_pid_task(5), clock_getcpuclockid(3) and the kernel's `posix-timers.h` for the clocks of another
//! process; `schedstat` holds a thread's nanoseconds on a processor first.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// Entry of the auxiliary vector that holds clock ticks per second.
const AT_CLKTCK: u64 = 17;

/// Something to watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub name: String,
    pub pid: u32,
    pub extent: Extent,
}

/// What of a process is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// All its threads, ended ones included.
    Process,
    /// Also its children and theirs: those that live, and those that ended and were waited for.
    Children,
    /// The living threads whose name begins so.
    Threads(String),
    /// All its threads but living ones whose name begins so, with what is its own elsewhere.
    Driver(Elsewhere),
}

/// What belongs to the driver beside its process, and what does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elsewhere {
    /// Begin of the names of threads that are not counted.
    pub without: Option<&'static str>,
    /// Also what children had used when they were waited for.
    pub ended_children: bool,
    /// Also these processes, one a client.
    pub users: Vec<u32>,
}

/// Processor time used so far, and threads now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessorTime {
    pub used: Duration,
    /// The part of `used` that was not spent in the kernel.
    pub user: Duration,
    pub threads: u64,
    /// Where processor time was at the timer's ticks; zero where that is not known.
    pub(crate) samples: Samples,
}

/// Time as it is sampled at the ticks of the kernel's timer, a few milliseconds each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Samples {
    pub(crate) user: Duration,
    pub(crate) all: Duration,
}

impl Process {
    /// # Errors
    /// The process is gone, or this is not Linux.
    pub fn read(&self) -> io::Result<ProcessorTime> {
        match &self.extent {
            Extent::Process => processor_time(self.pid, false),
            Extent::Children => family_time(self.pid),
            Extent::Threads(prefix) => threads_time(self.pid, prefix),
            Extent::Driver(elsewhere) => elsewhere.read(self.pid),
        }
    }

    /// What is counted, in words.
    pub fn counts(&self) -> String {
        match &self.extent {
            Extent::Process => format!("process {}", self.pid),
            Extent::Children => format!("process {} and its children", self.pid),
            Extent::Threads(prefix) => format!("threads {prefix}* of process {}", self.pid),
            Extent::Driver(elsewhere) => format!("process {}{}", self.pid, elsewhere.counts()),
        }
    }
}

impl Elsewhere {
    fn read(&self, pid: u32) -> io::Result<ProcessorTime> {
        let mut sum = processor_time(pid, self.ended_children)?;
        if let Some(prefix) = self.without {
            let part = threads_time(pid, prefix)?;
            sum = ProcessorTime {
                used: sum.used.saturating_sub(part.used),
                user: sum.user.saturating_sub(part.user),
                threads: sum.threads - part.threads.min(sum.threads),
                samples: Samples::default(),
            };
        }
        sum.add(time_of_all(&self.users));
        Ok(sum)
    }

    fn counts(&self) -> String {
        let without = self.without.map(|prefix| format!(" without its threads {prefix}*"));
        let children = self.ended_children.then(|| " and its children that have ended".to_owned());
        let users = (!self.users.is_empty()).then(|| format!(" and {} processes of its users", self.users.len()));
        [without, children, users].into_iter().flatten().collect()
    }
}

/// User plus system time of all threads, ended ones included, to the nanosecond; with children, what those that were waited for
/// had used as well, in the hundredths of `/proc/PID/stat`.
///
/// # Errors
/// The process is gone or has ended, or this is not Linux.
pub fn processor_time(pid: u32, with_children: bool) -> io::Result<ProcessorTime> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    if stat_fields(&stat).is_some_and(|fields| matches!(fields.first(), Some(&("Z" | "X")))) {
        return Err(io::ErrorKind::NotFound.into());
    }
    time_of(pid, &stat, with_children)
}

fn time_of(pid: u32, stat: &str, with_children: bool) -> io::Result<ProcessorTime> {
    let per_second = ticks_per_second();
    let mut time = parse_stat(stat, with_children, per_second).ok_or(io::ErrorKind::InvalidData)?;
    if !with_children && let Some((used, samples)) = clocks(pid) {
        time.samples = samples;
        time.used = used;
        time.user = samples.user_of(used).unwrap_or(time.user);
    }
    Ok(time)
}

/// The clocks of a whole process: the scheduler's, and those that are sampled.
fn clocks(pid: u32) -> Option<(Duration, Samples)> {
    // As MAKE_PROCESS_CPUCLOCK has it: CPUCLOCK_PROF, CPUCLOCK_VIRT, CPUCLOCK_SCHED.
    let pid = i32::try_from(pid).ok().filter(|pid| *pid > 0)?;
    let read = |kind: i32| clock_gettime(ClockId::from_raw((!pid << 3) | kind)).ok().map(Duration::from);
    Some((read(2)?, Samples { user: read(1)?, all: read(0)? }))
}

impl Samples {
    /// The part of `used` that was not in the kernel; `None` without a sample.
    fn user_of(self, used: Duration) -> Option<Duration> {
        (!self.all.is_zero()).then(|| used.mul_f64((self.user.as_secs_f64() / self.all.as_secs_f64()).min(1.0)))
    }
}

/// What the threads of all these processes have run so far, by the scheduler's count in nanoseconds: many processes that do
/// little each are lost in the clock ticks of `processor_time`. A process that has ended adds nothing.
pub fn run_time_of_all(pids: &[u32]) -> Duration {
    pids.iter().filter_map(|pid| run_time(*pid).ok()).sum()
}

/// The sum of all these processes. A process that has ended adds nothing.
pub(crate) fn time_of_all(pids: &[u32]) -> ProcessorTime {
    let mut sum = ProcessorTime::default();
    for time in pids.iter().filter_map(|pid| processor_time(*pid, false).ok()) {
        sum.add(time);
    }
    sum
}

impl ProcessorTime {
    /// From `before` to this. User time is the share of the samples in between.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        let used = self.used.saturating_sub(before.used);
        let samples = Samples {
            user: self.samples.user.saturating_sub(before.samples.user),
            all: self.samples.all.saturating_sub(before.samples.all),
        };
        let user = samples.user_of(used).unwrap_or_else(|| self.user.saturating_sub(before.user));
        Self { used, user, threads: self.threads, samples }
    }

    fn add(&mut self, other: Self) {
        self.used += other.used;
        self.user += other.user;
        self.threads += other.threads;
        self.samples.user += other.samples.user;
        self.samples.all += other.samples.all;
    }

    /// Takes a finer count of the whole; the user's part keeps its share.
    fn refine(&mut self, used: Duration) {
        if !self.used.is_zero() {
            self.user = used.mul_f64((self.user.as_secs_f64() / self.used.as_secs_f64()).min(1.0));
        }
        self.used = used;
    }
}

/// A process, its living descendants, and what ended ones had used when they were waited for.
fn family_time(pid: u32) -> io::Result<ProcessorTime> {
    let mut sum = processor_time(pid, true)?;
    for one in descendants(pid)? {
        // It may have been waited for since; then its parent has it. One that has ended and was not is still here.
        let stat = std::fs::read_to_string(format!("/proc/{one}/stat"));
        if let Ok(time) = stat.and_then(|stat| time_of(one, &stat, true)) {
            sum.add(time);
        }
    }
    Ok(sum)
}

fn descendants(pid: u32) -> io::Result<Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(child) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{child}/stat")) else { continue };
        if let Some(parent) = stat_fields(&stat).and_then(|fields| fields.get(1)?.parse::<u32>().ok()) {
            children.entry(parent).or_default().push(child);
        }
    }
    let (mut found, mut seen, mut next) = (Vec::new(), HashSet::from([pid]), vec![pid]);
    while let Some(parent) = next.pop() {
        for &child in children.get(&parent).into_iter().flatten() {
            if seen.insert(child) {
                found.push(child);
                next.push(child);
            }
        }
    }
    Ok(found)
}

/// The living threads whose name begins with `prefix`, each by the scheduler's count.
fn threads_time(pid: u32, prefix: &str) -> io::Result<ProcessorTime> {
    let per_second = ticks_per_second();
    let mut sum = ProcessorTime::default();
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let folder = thread?.path();
        if let Some(time) = one_thread(&folder, prefix, per_second) {
            sum.add(time);
        }
    }
    Ok(sum)
}

/// `None` for a thread with another name, or one that has just ended.
fn one_thread(folder: &Path, prefix: &str, per_second: u64) -> Option<ProcessorTime> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    let name = stat.get(stat.find('(')? + 1..stat.rfind(')')?)?;
    if !name.starts_with(prefix) {
        return None;
    }
    let mut time = parse_stat(&stat, false, per_second)?;
    time.threads = 1;
    if let Some(run) = schedstat(folder) {
        time.refine(run);
    }
    Some(time)
}

/// The busiest living thread of a process whose name begins with `prefix`, by thread.
pub(crate) fn run_time_by_thread(pid: u32, prefix: &str) -> HashMap<String, Duration> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return HashMap::new() };
    let per_second = ticks_per_second();
    let times = threads.flatten().filter_map(|thread| {
        let used = one_thread(&thread.path(), prefix, per_second)?.used;
        Some((thread.file_name().to_string_lossy().into_owned(), used))
    });
    times.collect()
}

/// The sum over the threads that live now.
fn run_time(pid: u32) -> io::Result<Duration> {
    let mut run = Duration::ZERO;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        run += schedstat(&thread?.path()).unwrap_or_default();
    }
    Ok(run)
}

fn schedstat(folder: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(folder.join("schedstat")).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Fields from the third on. Field 2, the name, may hold blanks and parentheses.
fn stat_fields(stat: &str) -> Option<Vec<&str>> {
    Some(stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().collect())
}

/// Fields 14 to 17 and 20 of a `stat` file, counted from 1.
fn parse_stat(stat: &str, with_children: bool, ticks_per_second: u64) -> Option<ProcessorTime> {
    let fields = stat_fields(stat)?;
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let (mut user, mut system) = (field(14)?, field(15)?);
    if with_children {
        user += field(16)?;
        system += field(17)?;
    }
    let length = |ticks: u64| Duration::from_micros(ticks.saturating_mul(1_000_000) / ticks_per_second.max(1));
    let (used, user) = (length(user + system), length(user));
    Some(ProcessorTime { used, user, threads: field(20)?, samples: Samples::default() })
}

/// Busy and whole time of all processors since the start of the machine, in clock ticks; waiting for a disk is no work.
pub(crate) fn machine_ticks() -> Option<(u64, u64)> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<u64> = stat.lines().next()?.split_ascii_whitespace().skip(1).map_while(|n| n.parse().ok()).collect();
    // user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user.
    let all: u64 = ticks.iter().take(8).sum();
    let idle = ticks.get(3)? + ticks.get(4)?;
    Some((all - idle, all))
}

/// Clock ticks per second, from the auxiliary vector; 100 where that cannot be read.
pub(crate) fn ticks_per_second() -> u64 {
    let Ok(vector) = std::fs::read("/proc/self/auxv") else { return 100 };
    let (words, _) = vector.as_chunks::<8>();
    let (entries, _) = words.as_chunks::<2>();
    entries
        .iter()
        .map(|entry| entry.map(u64::from_ne_bytes))
        .find_map(|[kind, value]| (kind == AT_CLKTCK).then_some(value))
        .unwrap_or(100)
}

#[cfg(test)]
mod tests;
