//! A start on a damaged log: edits to a real one, with checksums made right again or left wrong, are refused or
//! recovered, never a panic; and what is recovered can be browsed and got.
#![no_main]

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use model::descriptor::{MessageDescriptor, Persistence};
use model::message::Message;
use model::timestamp::Timestamp;
use storage::private::log::disk::{Disk, FileName};
use storage::{DefinitionChange, Placement, PrivateStore, QueueId, Selection, StoreOptions, UnitOfWorkId, Xid};

const EXTENT: &str = "extent-0000000001";
const NOW: Timestamp = Timestamp(1_800_000_000_000_000);
const FIRST_BATCH: usize = 4096;
/// Offsets of an extent header and of a batch header.
const SALT: usize = 24;
const CHECKSUM: usize = 4;
const CHECKED_FROM: usize = 8;
const LENGTH: usize = 40;

/// Files in memory.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<FileName, Vec<u8>>>);

impl Memory {
    fn with<T>(&self, file: &FileName, work: impl FnOnce(&mut Vec<u8>) -> T) -> io::Result<T> {
        let mut files = self.0.lock().expect("no panic while locked");
        files.get_mut(file).map(work).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Disk for Memory {
    fn list(&self) -> io::Result<Vec<FileName>> {
        Ok(self.0.lock().expect("no panic while locked").keys().cloned().collect())
    }
    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.with(file, |bytes| bytes.len() as u64)
    }
    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(file, |bytes| {
            let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            count
        })
    }
    fn write(&self, file: &FileName, offset: u64, new: &[u8]) -> io::Result<()> {
        self.with(file, |bytes| {
            let offset = usize::try_from(offset).expect("a small log");
            bytes.resize(bytes.len().max(offset + new.len()), 0);
            bytes[offset..offset + new.len()].copy_from_slice(new);
        })
    }
    fn sync(&self, _: &FileName) -> io::Result<()> {
        Ok(())
    }
    fn create(&self, file: &FileName) -> io::Result<()> {
        self.0.lock().expect("no panic while locked").insert(file.clone(), Vec::new());
        Ok(())
    }
    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        let mut files = self.0.lock().expect("no panic while locked");
        let bytes = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.clone(), bytes);
        Ok(())
    }
    fn remove(&self, file: &FileName) -> io::Result<()> {
        self.0.lock().expect("no panic while locked").remove(file);
        Ok(())
    }
}

struct Original {
    extent: Vec<u8>,
    /// Offset and length of each batch.
    batches: Vec<(usize, usize)>,
}

static ORIGINAL: LazyLock<Original> = LazyLock::new(|| {
    let disk = Arc::new(Memory::default());
    fill(Arc::clone(&disk));
    let extent = disk.with(&FileName(EXTENT.to_owned()), |bytes| bytes.clone()).expect("the first extent");
    let mut batches = Vec::new();
    let mut at = FIRST_BATCH;
    while extent[at..].starts_with(b"QMB1") {
        let length = u32::from_le_bytes(extent[at + LENGTH..][..4].try_into().expect("four bytes")) as usize;
        batches.push((at, length));
        at += length;
    }
    // One for each of the five calls that wait for the disk; a back out may share the next one's.
    assert!(batches.len() >= 5, "the layout of docs/recovery-log.md");
    Original { extent, batches }
});

fn options() -> StoreOptions {
    StoreOptions { first_extent_bytes: 64 << 10, extent_bytes: 64 << 10, ..StoreOptions::default() }
}

/// Something of every kind of record.
fn fill(disk: Arc<Memory>) {
    let (store, _) = PrivateStore::open(disk, options()).expect("an empty disk");
    let queue = store.create_queue();
    let value = b"{}".to_vec();
    wait(store.change_definitions(vec![DefinitionChange::Save { key: "queue/A".to_owned(), value }])).expect("saved");
    let placement =
        Placement { by_priority: true, maximum_depth: 100, expires: Some(Timestamp(NOW.0 + 1)), persistent: true };
    let put = |unit| {
        let descriptor = MessageDescriptor { persistence: Persistence::Persistent, priority: 4, ..Default::default() };
        let message = Message { descriptor, body: Bytes::from_static(b"hello") };
        wait(store.put(unit, queue, message, placement, NOW)).expect("put");
    };
    put(None);
    put(None);
    for end in 0..3 {
        let unit: UnitOfWorkId = store.begin();
        put(Some(unit));
        wait(store.get(Some(unit), queue, &Selection::default(), NOW)).expect("got");
        match end {
            0 => wait(store.commit(unit)).expect("committed"),
            1 => wait(store.back_out(unit)).expect("backed out"),
            _ => {
                let xid = Xid { format_id: 1, global_transaction: vec![1; 8], branch: vec![2; 4] };
                wait(store.prepare(unit, Some(xid))).expect("prepared");
            }
        }
    }
    store.close();
}

/// Runs to the end on this thread; the writer wakes us.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::yield_now();
    }
}

fuzz_target!(|input: (Vec<(u16, u8)>, bool, u8)| {
    let (edits, mend, cut) = input;
    let mut extent = ORIGINAL.extent.clone();
    let end = ORIGINAL.batches.last().map_or(FIRST_BATCH, |(at, length)| at + length);
    for (at, mask) in edits {
        let at = FIRST_BATCH + usize::from(at) % (end - FIRST_BATCH);
        extent[at] ^= mask;
    }
    if mend {
        for &(at, length) in &ORIGINAL.batches {
            let checksum =
                crc32c::crc32c_append(crc32c::crc32c(&extent[SALT..SALT + 8]), &extent[at + CHECKED_FROM..at + length]);
            extent[at + CHECKSUM..at + CHECKED_FROM].copy_from_slice(&checksum.to_le_bytes());
        }
    } else {
        let kept = extent.len() - usize::from(cut).min(extent.len() - FIRST_BATCH);
        extent.truncate(kept);
    }
    let disk = Arc::new(Memory::default());
    disk.0.lock().expect("no panic while locked").insert(FileName(EXTENT.to_owned()), extent);
    let Ok((store, recovered)) = PrivateStore::open(disk, options()) else { return };
    drop(recovered);
    for queue in (0..4).map(QueueId) {
        while let Ok(Some(_)) = wait(store.get(None, queue, &Selection::default(), NOW)) {}
    }
    store.close();
});
