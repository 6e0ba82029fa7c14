//! The log reader on arbitrary bytes: as a whole extent, as the anchor, and as the units of a batch whose checksums are right. Whatever
//! comes, a start succeeds or is refused with an error, a started store can be read, and inspection ends.

#![no_main]

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use model::timestamp::Timestamp;
use storage::private::log::disk::{Disk, FileName};
use storage::private::log::inspect::{Item, image_around, inspect, inspect_image, inspect_units};
use storage::{PrivateStore, QueueId, Selection, StoreOptions, block_on};

/// Files in memory.
#[derive(Default)]
struct Memory {
    files: Mutex<BTreeMap<FileName, Vec<u8>>>,
}

impl Memory {
    fn with<T>(&self, file: &FileName, work: impl FnOnce(&mut Vec<u8>) -> T) -> io::Result<T> {
        let mut files = self.files.lock().map_err(|_| io::Error::other("poisoned"))?;
        files.get_mut(file).map(work).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Disk for Memory {
    fn list(&self) -> io::Result<Vec<FileName>> {
        Ok(self.files.lock().map_err(|_| io::Error::other("poisoned"))?.keys().cloned().collect())
    }

    fn length(&self, file: &FileName) -> io::Result<u64> {
        self.with(file, |content| content.len() as u64)
    }

    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.with(file, |content| {
            let from = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
            let count = buffer.len().min(content.len() - from);
            buffer[..count].copy_from_slice(&content[from..from + count]);
            count
        })
    }

    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.with(file, |content| {
            let from = usize::try_from(offset).unwrap_or(0);
            content.resize(content.len().max(from + bytes.len()), 0);
            content[from..from + bytes.len()].copy_from_slice(bytes);
        })
    }

    fn sync(&self, _: &FileName) -> io::Result<()> {
        Ok(())
    }

    fn create(&self, file: &FileName) -> io::Result<()> {
        self.files.lock().map_err(|_| io::Error::other("poisoned"))?.insert(file.clone(), Vec::new());
        Ok(())
    }

    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        let mut files = self.files.lock().map_err(|_| io::Error::other("poisoned"))?;
        let content = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.clone(), content);
        Ok(())
    }

    fn remove(&self, file: &FileName) -> io::Result<()> {
        self.files.lock().map_err(|_| io::Error::other("poisoned"))?.remove(file);
        Ok(())
    }
}

/// Starts on one extent and, if that is accepted, gets what is there.
fn start(image: Vec<u8>, anchor: Option<Vec<u8>>) {
    let options = StoreOptions { first_extent_bytes: 1 << 14, extent_bytes: 1 << 14, ..StoreOptions::default() };
    let memory = Memory::default();
    if let Ok(mut files) = memory.files.lock() {
        files.insert(FileName("extent-0000000001".to_owned()), image.clone());
        if let Some(anchor) = anchor {
            files.insert(FileName("anchor".to_owned()), anchor);
        }
    }
    let queues: Vec<QueueId> = inspect_image(&image)
        .iter()
        .filter_map(|item| match item {
            Item::Put { queue, .. } => Some(*queue),
            _ => None,
        })
        .collect();
    let disk: Arc<dyn Disk> = Arc::new(memory);
    if let Ok(items) = inspect(disk.as_ref()) {
        let _ = items.map(|item| item.to_string().len()).sum::<usize>();
    }
    let Ok((store, _)) = PrivateStore::open(disk, options) else { return };
    store.retain_queues(&queues);
    for queue in queues {
        while let Ok(Some(_)) = block_on(store.get(None, queue, &Selection::default(), Timestamp(0))) {}
    }
}

fuzz_target!(|data: &[u8]| {
    let (count, payload) = data.split_first().map_or((1, data), |(count, rest)| (u32::from(*count % 8), rest));
    let _ = inspect_units(payload, count);
    let _ = inspect_image(data);
    start(image_around(payload, count), None);
    start(image_around(payload, count), Some(data.to_vec()));
    start(data.to_vec(), None);
});
