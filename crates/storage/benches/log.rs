//! `cargo bench -p storage`: durable puts and put+get pairs by ten threads beside the disk's own floor, a restart with a
//! million messages, memory per waiting message, and gets by correlation id at depth 1 and a million. Arguments choose
//! parts: `memory correlation floor put pair memory-pair restart`.
//!
//! The floor appends the same number of bytes as a put record has into space that was written before, one write and one
//! sync for all that wait. Rounds are interleaved, because the speed of a shared disk drifts.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use model::descriptor::{MessageDescriptor, Persistence};
use model::identifier::{CorrelationId, MessageId};
use model::message::Message;
use model::text::Text;
use model::timestamp::Timestamp;
use storage::private::log::disk::{DirectoryDisk, Disk};
use storage::{Placement, PrivateStore, Selection, StoreOptions, block_on};

const THREADS: u64 = 10;
const BODY: usize = 1024;
/// Bytes that a put of `BODY` bytes takes in a batch.
const RECORD: usize = 1260;
const ROUND: Duration = Duration::from_secs(3);
const NOW: Timestamp = Timestamp(1_000_000);

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}

/// What ten callers sharing syncs reach without a queue manager.
struct Floor {
    file: File,
    state: Mutex<FloorState>,
    changed: Condvar,
}

#[derive(Default)]
struct FloorState {
    waiting: Vec<u8>,
    taken: u64,
    appended: u64,
    durable: u64,
    offset: u64,
    writing: bool,
}

const FLOOR_FILE_BYTES: u64 = 512 << 20;

impl Floor {
    fn new(directory: &Path) -> Self {
        let path = directory.join("floor");
        let file = OpenOptions::new().create(true).truncate(true).write(true).read(true).open(path).expect("opens");
        let zeros = vec![0; 1 << 20];
        for megabyte in 0..FLOOR_FILE_BYTES >> 20 {
            file.write_all_at(&zeros, megabyte << 20).expect("writes");
        }
        file.sync_all().expect("syncs");
        Self { file, state: Mutex::default(), changed: Condvar::new() }
    }

    fn append(&self, record: &[u8]) {
        let mut state = self.state.lock().expect("not poisoned");
        state.waiting.extend_from_slice(record);
        state.appended += 1;
        let mine = state.appended;
        loop {
            if state.durable >= mine {
                return;
            }
            if state.writing {
                state = self.changed.wait(state).expect("not poisoned");
                continue;
            }
            state.writing = true;
            let batch = std::mem::take(&mut state.waiting);
            state.taken = state.appended;
            let (upto, offset) = (state.taken, state.offset % (FLOOR_FILE_BYTES - (1 << 20)));
            state.offset = offset + batch.len() as u64;
            drop(state);
            self.file.write_all_at(&batch, offset).expect("writes");
            self.file.sync_data().expect("syncs");
            state = self.state.lock().expect("not poisoned");
            state.durable = upto;
            state.writing = false;
            self.changed.notify_all();
        }
    }
}

/// Runs `work` in all threads for one round; operations a second, and processor microseconds an operation.
fn round(work: impl Fn(u64) + Sync) -> (f64, f64) {
    let (count, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let barrier = Barrier::new(usize::try_from(THREADS).expect("few") + 1);
    let mut elapsed = Duration::ZERO;
    let cpu = processor_time();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (count, stop, barrier, work) = (&count, &stop, &barrier, &work);
            scope.spawn(move || {
                barrier.wait();
                while !stop.load(Ordering::Relaxed) {
                    work(thread);
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        barrier.wait();
        let started = now();
        std::thread::sleep(ROUND);
        stop.store(true, Ordering::Relaxed);
        elapsed = started.elapsed();
    });
    let count = count.load(Ordering::Relaxed) as f64;
    (count / elapsed.as_secs_f64(), (processor_time() - cpu) * 1e6 / count)
}

/// Seconds of processor time this process has used.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks: f64 = [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<f64>().ok()).sum();
    ticks / 100.0
}

fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

fn message(number: u64, persistent: bool, body: usize) -> Message {
    let mut id = [7; 24];
    id[16..].copy_from_slice(&number.to_le_bytes());
    let descriptor = MessageDescriptor {
        message_id: MessageId::new(id),
        correlation_id: MessageId::new(id).into(),
        priority: 4,
        persistence: if persistent { Persistence::Persistent } else { Persistence::NonPersistent },
        user_identifier: Text::new("app"),
        put_application_name: Text::new("bench"),
        put_date: Text::new("20260101"),
        put_time: Text::new("12000000"),
        ..MessageDescriptor::default()
    };
    Message { descriptor, body: Bytes::from(vec![b'x'; body]) }
}

fn placement(persistent: bool) -> Placement {
    Placement { by_priority: true, maximum_depth: u32::MAX, expires: None, persistent }
}

fn open(directory: &Path, options: StoreOptions) -> (PrivateStore, u64) {
    let disk: Arc<dyn Disk> = Arc::new(DirectoryDisk::open(directory.to_owned()).expect("opens"));
    let (store, recovered) = PrivateStore::open(disk, options).expect("opens");
    (store, recovered.messages)
}

fn rates(parts: &[String]) {
    let directory = tempfile::tempdir_in(".").expect("a folder");
    let floor = Floor::new(directory.path());
    let (store, _) = open(&directory.path().join("log"), StoreOptions::default());
    let number = AtomicU64::new(0);
    let record = vec![7; RECORD];
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|asked| asked == part);
    for _ in 0..3 {
        if wanted("floor") {
            let (rate, cpu) = round(|_| floor.append(&record));
            println!("floor  {rate:>9.0}/s  {cpu:>5.1} us of processor each");
        }
        if wanted("put") {
            let queue = store.create_queue();
            let before = store.statistics();
            let (rate, cpu) = round(|_| {
                let message = message(number.fetch_add(1, Ordering::Relaxed), true, BODY);
                block_on(store.put(None, queue, message, placement(true), NOW)).expect("puts");
            });
            report("put", rate, cpu, &store, &before);
            block_on(store.clear(queue)).expect("clears");
        }
        if wanted("pair") {
            let queue = store.create_queue();
            let before = store.statistics();
            let (rate, cpu) = round(|_| {
                let message = message(number.fetch_add(1, Ordering::Relaxed), true, BODY);
                block_on(store.put(None, queue, message, placement(true), NOW)).expect("puts");
                block_on(store.get(None, queue, &Selection::default(), NOW)).expect("gets").expect("a message");
            });
            report("pair", rate, cpu, &store, &before);
        }
        if wanted("memory-pair") {
            let queue = store.create_queue();
            let before = store.statistics();
            let (rate, cpu) = round(|_| {
                let message = message(number.fetch_add(1, Ordering::Relaxed), false, BODY);
                block_on(store.put(None, queue, message, placement(false), NOW)).expect("puts");
                block_on(store.get(None, queue, &Selection::default(), NOW)).expect("gets").expect("a message");
            });
            report("memory-pair", rate, cpu, &store, &before);
        }
    }
}

fn report(what: &str, rate: f64, cpu: f64, store: &PrivateStore, before: &storage::private::StoreStatistics) {
    let after = store.statistics();
    let syncs = after.log_syncs - before.log_syncs;
    let seconds = after.sync_seconds_total - before.sync_seconds_total;
    let units = (after.log_records - before.log_records) as f64 / syncs.max(1) as f64;
    println!(
        "{what:<6} {rate:>9.0}/s  {cpu:>5.1} us of processor each, {units:.1} units a sync, {:.0} us a sync",
        seconds * 1e6 / syncs.max(1) as f64
    );
}

fn restart() {
    let directory = tempfile::tempdir_in(".").expect("a folder");
    let path = directory.path().join("log");
    let (store, _) = open(&path, StoreOptions::default());
    let queue = store.create_queue();
    for chunk in 0..MESSAGES / 1000 {
        let unit = store.begin();
        for number in 0..1000 {
            let message = message(chunk * 1000 + number, true, BODY);
            block_on(store.put(Some(unit), queue, message, placement(true), NOW)).expect("puts");
        }
        block_on(store.commit(unit)).expect("commits");
    }
    drop(store);
    // In a process of its own, so that memory this one has used before does not hide what the messages take.
    let program = std::env::current_exe().expect("this program");
    let done = std::process::Command::new(program).arg("reopen").arg(&path).status().expect("starts");
    assert!(done.success());
}

const MESSAGES: u64 = 1_000_000;

fn reopen(path: &Path) {
    let before = resident_bytes();
    let started = now();
    let (store, messages) = open(path, StoreOptions::default());
    let elapsed = started.elapsed();
    let each = (resident_bytes().saturating_sub(before)) / MESSAGES;
    println!("restart with {messages} messages: {:.2} s, {each} bytes of memory a message", elapsed.as_secs_f64());
    drop(store);
}

/// Get by correlation id, nonpersistent so that only the queue is measured.
fn correlation() {
    for (depth, shared) in [(1, false), (MESSAGES, false), (MESSAGES, true)] {
        let store = PrivateStore::ephemeral(StoreOptions { buffer_pool_bytes: 4 << 30, ..StoreOptions::default() });
        let queue = store.create_queue();
        let put = |number| {
            let mut message = message(number, false, 0);
            if shared {
                message.descriptor.correlation_id = CorrelationId::new([9; 24]);
            }
            let correlation_id = message.descriptor.correlation_id;
            block_on(store.put(None, queue, message, placement(false), NOW)).expect("puts");
            correlation_id
        };
        for number in 0..depth {
            put(number);
        }
        const ROUNDS: u64 = 200_000;
        let started = now();
        for number in 0..ROUNDS {
            let correlation_id = put(depth + number);
            let selection = Selection { correlation_id: Some(correlation_id), ..Selection::default() };
            block_on(store.get(None, queue, &selection, NOW)).expect("gets").expect("a message");
        }
        let each = started.elapsed().as_secs_f64() * 1e6 / ROUNDS as f64;
        let kind = if shared { "one shared correlation id" } else { "a correlation id each" };
        println!("put and get by correlation id at depth {depth}, {kind}: {each:.2} us");
    }
}

fn memory() {
    let store = PrivateStore::ephemeral(StoreOptions { buffer_pool_bytes: 4 << 30, ..StoreOptions::default() });
    let queue = store.create_queue();
    let before = resident_bytes();
    for number in 0..MESSAGES {
        block_on(store.put(None, queue, message(number, false, 0), placement(false), NOW)).expect("puts");
    }
    println!("{} bytes of memory a waiting nonpersistent message", (resident_bytes() - before) / MESSAGES);
}

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if let [part, path] = &parts[..]
        && part == "reopen"
    {
        return reopen(Path::new(path));
    }
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|asked| asked == part);
    if wanted("memory") {
        memory();
    }
    if wanted("correlation") {
        correlation();
    }
    if ["floor", "put", "pair", "memory-pair"].into_iter().any(wanted) {
        rates(&parts);
    }
    if wanted("restart") {
        restart();
    }
}
