//! What the disk allows: callers append records of the same bytes into zero-written space and share one sync a batch.
//!
//! One thread writes. While it syncs, callers gather; then it takes all of them at once, writes their bytes with one
//! write and syncs once. There are no checksums, no indexes, no record heads: nothing durable can be quicker.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::throughput;

/// Bytes of the zero-written file; writing starts over at its end.
const SPACE: u64 = 64 << 20;

struct Shared {
    batch: Mutex<Batch>,
    work: Condvar,
    synced: Condvar,
}

#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// Number of the batch being gathered, and of the last that is durable.
    gathering: u64,
    durable: u64,
    closed: bool,
}

/// Records of `size` bytes a second from `callers` callers.
pub fn records_per_second(folder: &Path, callers: usize, size: usize, duration: Duration) -> Result<f64> {
    let path = folder.join("floor.dat");
    let file = zero_written(&path)?;
    let shared = Arc::new(Shared { batch: Mutex::default(), work: Condvar::new(), synced: Condvar::new() });
    lock(&shared.batch).gathering = 1;
    let writer = std::thread::spawn({
        let shared = Arc::clone(&shared);
        move || write_batches(&file, &shared)
    });
    let record = vec![b'x'; size];
    let rate = throughput::rate(callers, duration, |_| {
        Ok(|| {
            append(&shared, &record);
            Ok(())
        })
    });
    lock(&shared.batch).closed = true;
    shared.work.notify_one();
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

fn append(shared: &Shared, record: &[u8]) {
    let mut batch = lock(&shared.batch);
    batch.bytes.extend_from_slice(record);
    let mine = batch.gathering;
    shared.work.notify_one();
    while batch.durable < mine {
        batch = shared.synced.wait(batch).unwrap_or_else(PoisonError::into_inner);
    }
}

fn write_batches(file: &File, shared: &Shared) -> Result<()> {
    let mut at = 0;
    let mut taken = Vec::new();
    loop {
        let mut batch = lock(&shared.batch);
        while batch.bytes.is_empty() {
            if batch.closed {
                return Ok(());
            }
            batch = shared.work.wait(batch).unwrap_or_else(PoisonError::into_inner);
        }
        taken.clear();
        std::mem::swap(&mut taken, &mut batch.bytes);
        let number = batch.gathering;
        batch.gathering += 1;
        drop(batch);
        let length = taken.len() as u64;
        if at + length > SPACE {
            at = 0;
        }
        file.write_all_at(&taken, at)?;
        file.sync_data()?;
        at += length;
        lock(&shared.batch).durable = number;
        shared.synced.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
