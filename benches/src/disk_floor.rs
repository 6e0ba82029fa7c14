//! What the disk allows: callers append records of the same bytes into zero-written space and share one sync a batch.
//!
//! One thread writes. While it syncs, callers gather; then it takes all of them at once, writes their bytes with one
//! write and syncs once. There are no checksums, no indexes, no record heads: nothing durable can be quicker.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::throughput;

/// Bytes of the zero-written file; writing starts over at its end.
const SPACE: u64 = 64 << 20;

struct Shared {
    batch: Mutex<Batch>,
    closed: AtomicBool,
}

#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// Who waits for these bytes.
    callers: Vec<Arc<Caller>>,
}

struct Caller {
    thread: Thread,
    durable: AtomicBool,
}

/// Records of `size` bytes a second from `callers` callers.
pub fn records_per_second(folder: &Path, callers: usize, size: usize, duration: Duration) -> Result<f64> {
    let path = folder.join("floor.dat");
    let file = zero_written(&path)?;
    let shared = Arc::new(Shared { batch: Mutex::default(), closed: AtomicBool::new(false) });
    let writer = std::thread::spawn({
        let shared = Arc::clone(&shared);
        move || write_batches(&file, &shared)
    });
    let record = vec![b'x'; size];
    let rate = throughput::rate(callers, duration, |_| {
        let caller = Arc::new(Caller { thread: std::thread::current(), durable: AtomicBool::new(false) });
        let (shared, record, writer) = (&shared, &record, writer.thread());
        Ok(move || {
            append(shared, &caller, record, writer);
            Ok(())
        })
    });
    shared.closed.store(true, Ordering::Release);
    writer.thread().unpark();
    writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
    std::fs::remove_file(&path)?;
    rate
}

fn zero_written(path: &PathBuf) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    let zeros = vec![0; 1 << 20];
    for at in (0..SPACE).step_by(zeros.len()) {
        file.write_all_at(&zeros, at)?;
    }
    file.sync_all()?;
    Ok(file)
}

fn append(shared: &Shared, caller: &Arc<Caller>, record: &[u8], writer: &Thread) {
    caller.durable.store(false, Ordering::Relaxed);
    let mut batch = lock(&shared.batch);
    batch.bytes.extend_from_slice(record);
    batch.callers.push(Arc::clone(caller));
    let first = batch.callers.len() == 1;
    drop(batch);
    if first {
        writer.unpark();
    }
    while !caller.durable.load(Ordering::Acquire) {
        std::thread::park();
    }
}

fn write_batches(file: &File, shared: &Shared) -> Result<()> {
    let mut at = 0;
    let mut taken = Batch::default();
    loop {
        std::mem::swap(&mut taken, &mut *lock(&shared.batch));
        if taken.callers.is_empty() {
            if shared.closed.load(Ordering::Acquire) {
                return Ok(());
            }
            std::thread::park();
            continue;
        }
        let length = taken.bytes.len() as u64;
        if at + length > SPACE {
            at = 0;
        }
        file.write_all_at(&taken.bytes, at)?;
        file.sync_data()?;
        at += length;
        taken.bytes.clear();
        for caller in taken.callers.drain(..) {
            caller.durable.store(true, Ordering::Release);
            caller.thread.unpark();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
