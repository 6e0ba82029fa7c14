//! A disk in memory that behaves as badly as disks may: it forgets what was not synced, sector by sector, tears writes,
//! fails, stalls, fills up, and stops dead at any chosen operation.
//!
//! What is durable: the content of a file up to its last sync, and every create and rename that returned. What a failed
//! sync did not write is read back until the disk stops, and is durable only when it is written again.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::private::log::disk::{Disk, FileName};

const SECTOR: usize = 512;

#[derive(Clone, Default)]
struct File {
    /// What reads see.
    now: Vec<u8>,
    /// What is sure to survive.
    durable: Vec<u8>,
    /// Sectors that differ from `durable`, perhaps.
    dirty: std::collections::BTreeSet<usize>,
}

#[derive(Default)]
struct State {
    files: BTreeMap<FileName, File>,
    operations: u64,
    bytes_written: u64,
    faults: Faults,
    /// Calls that the refusal looked at, and those that it refused.
    looked_at: u64,
    refused: u64,
    /// Calls that the stall looked at.
    stall_looked_at: u64,
    dead: bool,
}

/// What shall go wrong. Operations are writes, syncs, creates, renames and removes, counted from 1.
#[derive(Clone, Default)]
pub(crate) struct Faults {
    /// This operation happens in part or not at all, and nothing works afterwards.
    pub(crate) crash_at: Option<u64>,
    /// Syncs fail from this operation on.
    pub(crate) sync_fails_from: Option<u64>,
    /// The first sync from this operation on panics.
    pub(crate) sync_panics_from: Option<u64>,
    /// Bytes that all files together may have.
    pub(crate) capacity: Option<usize>,
    /// Calls of one kind on one kind of file are refused.
    pub(crate) refusal: Option<Refusal>,
    /// A write that is refused has written a part.
    pub(crate) tears: bool,
    /// Calls of one kind wait at a gate before they do anything.
    pub(crate) stall: Option<Stall>,
}

/// All calls of one kind from the n-th on, counted from 1 since the faults were set.
#[derive(Clone)]
pub(crate) struct Stall {
    pub(crate) call: Call,
    pub(crate) from: u64,
    pub(crate) gate: Arc<Gate>,
}

/// Where stalled calls wait until the test opens it: as long as the test needs, whatever the clock says.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    waiting: u32,
    is_open: bool,
    was_forced: bool,
}

/// A stalled call goes on after this time, so that a test that waits for it fails and does not hang.
const LONGEST_STALL: Duration = Duration::from_secs(300);
/// How often a test looks whether there is still something that may come to the gate.
const LOOK: Duration = Duration::from_millis(2);

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.waiting += 1;
        self.changed.notify_all();
        let (mut state, waited) =
            self.changed.wait_timeout_while(state, LONGEST_STALL, |state| !state.is_open).unwrap();
        state.waiting -= 1;
        state.was_forced |= waited.timed_out();
    }

    /// True once a call waits, false once `may_come` says that none will.
    pub(crate) fn until_reached(&self, may_come: impl Fn() -> bool) -> bool {
        let mut state = self.state.lock().unwrap();
        while state.waiting == 0 && may_come() {
            state = self.changed.wait_timeout(state, LOOK).unwrap().0;
        }
        state.waiting > 0
    }

    /// False when a call did not wait for this.
    pub(crate) fn open(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        state.is_open = true;
        self.changed.notify_all();
        !state.was_forced
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Create,
    Write,
    Sync,
    Read,
    Remove,
    Rename,
}

/// Refused calls change nothing, but for writes with `tears`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal {
    pub(crate) call: Call,
    /// Begin of the files' names.
    pub(crate) files: &'static str,
    /// The first call that is refused, counted from 1 since the faults were set.
    pub(crate) from: u64,
    pub(crate) count: u64,
    /// The error number that it is refused with.
    pub(crate) error: i32,
}

#[derive(Default)]
pub(crate) struct SimulatedDisk {
    state: Mutex<State>,
}

fn gone() -> io::Error {
    io::Error::other("the simulated disk has stopped")
}

impl SimulatedDisk {
    pub(crate) fn set_faults(&self, faults: Faults) {
        let mut state = self.state.lock().unwrap();
        state.faults = faults;
        (state.looked_at, state.refused, state.stall_looked_at) = (0, 0, 0);
    }

    /// How many calls were refused since the faults were set.
    pub(crate) fn refused(&self) -> u64 {
        self.state.lock().unwrap().refused
    }

    pub(crate) fn operations(&self) -> u64 {
        self.state.lock().unwrap().operations
    }

    pub(crate) fn bytes_written(&self) -> u64 {
        self.state.lock().unwrap().bytes_written
    }

    /// Bytes of all files together.
    pub(crate) fn bytes_in_files(&self) -> usize {
        self.state.lock().unwrap().bytes_in_files()
    }

    pub(crate) fn crashed(&self) -> bool {
        self.state.lock().unwrap().dead
    }

    /// Stops the disk now.
    pub(crate) fn stop(&self) {
        self.state.lock().unwrap().dead = true;
    }

    /// What a new start finds: of everything that was not synced, an arbitrary subset of sectors.
    pub(crate) fn after_crash(&self, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let state = self.state.lock().unwrap();
        let mut files = BTreeMap::new();
        for (name, file) in &state.files {
            let keep_length = random.gen_bool(0.5);
            let mut content = file.durable.clone();
            if keep_length && file.now.len() > content.len() {
                content.resize(file.now.len(), 0);
            }
            let survive = random.gen_range(0..3);
            for sector in &file.dirty {
                let kept = match survive {
                    0 => false,
                    1 => true,
                    _ => random.gen_bool(0.5),
                };
                let from = sector * SECTOR;
                let to = (from + SECTOR).min(file.now.len()).min(content.len());
                if kept && from < to {
                    content[from..to].copy_from_slice(&file.now[from..to]);
                }
            }
            let file = File { now: content.clone(), durable: content, dirty: Default::default() };
            files.insert(name.clone(), file);
        }
        Self { state: Mutex::new(State { files, ..State::default() }) }
    }

    /// The lock is free meanwhile.
    fn stall(&self, call: Call) {
        let gate = self.state.lock().unwrap().gate(call);
        if let Some(gate) = gate {
            gate.pass();
        }
    }

    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        self.state.lock().unwrap().files[&FileName(name.to_owned())].now.clone()
    }

    /// Replaces a file from outside, durably.
    pub(crate) fn replace(&self, name: &str, content: Vec<u8>) {
        let file = File { now: content.clone(), durable: content, dirty: Default::default() };
        self.state.lock().unwrap().files.insert(FileName(name.to_owned()), file);
    }

    /// Changes a byte on the disk, of which the cache has no word.
    pub(crate) fn rot_below_the_cache(&self, name: &str, at: usize) {
        let mut state = self.state.lock().unwrap();
        state.files.get_mut(&FileName(name.to_owned())).unwrap().durable[at] ^= 0x40;
    }

    pub(crate) fn remove_from_outside(&self, name: &str) {
        self.state.lock().unwrap().files.remove(&FileName(name.to_owned()));
    }

    /// An independent copy as it is now.
    pub(crate) fn copy(&self) -> Self {
        let files = self.state.lock().unwrap().files.clone();
        Self { state: Mutex::new(State { files, ..State::default() }) }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.state.lock().unwrap().files.keys().map(|name| name.0.clone()).collect()
    }
}

impl State {
    /// Counts an operation; `Ok(true)` when it is the one that is cut short.
    fn step(&mut self) -> io::Result<bool> {
        if self.dead {
            return Err(gone());
        }
        self.operations += 1;
        if self.faults.crash_at == Some(self.operations) {
            self.dead = true;
            return Ok(true);
        }
        Ok(false)
    }

    fn refuse(&mut self, call: Call, file: &FileName) -> io::Result<()> {
        let Some(refusal) = self.faults.refusal else { return Ok(()) };
        if refusal.call != call || !file.0.starts_with(refusal.files) {
            return Ok(());
        }
        self.looked_at += 1;
        if (refusal.from..refusal.from + refusal.count).contains(&self.looked_at) {
            self.refused += 1;
            return Err(io::Error::from_raw_os_error(refusal.error));
        }
        Ok(())
    }

    fn gate(&mut self, call: Call) -> Option<Arc<Gate>> {
        let stall = self.faults.stall.as_ref().filter(|stall| stall.call == call)?;
        self.stall_looked_at += 1;
        (self.stall_looked_at >= stall.from).then(|| Arc::clone(&stall.gate))
    }

    fn bytes_in_files(&self) -> usize {
        self.files.values().map(|file| file.now.len()).sum()
    }

    fn file(&mut self, name: &FileName) -> io::Result<&mut File> {
        self.files.get_mut(name).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Disk for SimulatedDisk {
    fn list(&self) -> io::Result<Vec<FileName>> {
        Ok(self.state.lock().unwrap().files.keys().cloned().collect())
    }

    fn length(&self, file: &FileName) -> io::Result<u64> {
        Ok(self.state.lock().unwrap().file(file)?.now.len() as u64)
    }

    fn read(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.stall(Call::Read);
        let mut state = self.state.lock().unwrap();
        state.refuse(Call::Read, file)?;
        let content = &state.file(file)?.now;
        let from = usize::try_from(offset).unwrap().min(content.len());
        let count = buffer.len().min(content.len() - from);
        buffer[..count].copy_from_slice(&content[from..from + count]);
        Ok(count)
    }

    fn read_stored(&self, file: &FileName, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock().unwrap();
        state.refuse(Call::Read, file)?;
        let content = &state.file(file)?.durable;
        let from = usize::try_from(offset).unwrap().min(content.len());
        let count = buffer.len().min(content.len() - from);
        buffer[..count].copy_from_slice(&content[from..from + count]);
        Ok(count)
    }

    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.stall(Call::Write);
        let mut state = self.state.lock().unwrap();
        let crash = state.step()?;
        let refused = state.refuse(Call::Write, file);
        if refused.is_err() && !state.faults.tears {
            return refused;
        }
        let used = state.bytes_in_files();
        let capacity = state.faults.capacity;
        let operations = state.operations;
        state.bytes_written += bytes.len() as u64;
        let file = state.file(file)?;
        let from = usize::try_from(offset).unwrap();
        // A torn write: a prefix of arbitrary length arrives.
        let count = if crash || refused.is_err() {
            usize::try_from(operations.wrapping_mul(7_919)).unwrap() % (bytes.len() + 1)
        } else {
            bytes.len()
        };
        let to = from + count;
        if to > file.now.len() {
            let growth = to - file.now.len();
            if capacity.is_some_and(|capacity| used + growth > capacity) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            file.now.resize(to, 0);
        }
        file.now[from..to].copy_from_slice(&bytes[..count]);
        if count > 0 {
            file.dirty.extend(from / SECTOR..=(to - 1) / SECTOR);
        }
        if crash { Err(gone()) } else { refused }
    }

    fn free_bytes(&self) -> io::Result<Option<u64>> {
        let state = self.state.lock().unwrap();
        Ok(state.faults.capacity.map(|capacity| capacity.saturating_sub(state.bytes_in_files()) as u64))
    }

    fn sync(&self, file: &FileName) -> io::Result<()> {
        self.stall(Call::Sync);
        let mut state = self.state.lock().unwrap();
        let crash = state.step()?;
        if crash {
            return Err(gone());
        }
        state.refuse(Call::Sync, file)?;
        if state.faults.sync_panics_from.is_some_and(|from| state.operations >= from) {
            state.faults.sync_panics_from = None;
            drop(state);
            panic!("the simulated disk panics");
        }
        let fails = state.faults.sync_fails_from.is_some_and(|from| state.operations >= from);
        let file = state.file(file)?;
        let dirty = std::mem::take(&mut file.dirty);
        if fails {
            // What was not written counts as written all the same: a later sync does not try again.
            return Err(io::Error::other("the simulated sync fails"));
        }
        file.durable.resize(file.now.len(), 0);
        for sector in dirty {
            let (from, to) = (sector * SECTOR, (sector * SECTOR + SECTOR).min(file.now.len()));
            file.durable[from..to].copy_from_slice(&file.now[from..to]);
        }
        Ok(())
    }

    fn create(&self, file: &FileName) -> io::Result<()> {
        self.stall(Call::Create);
        let mut state = self.state.lock().unwrap();
        let crash = state.step()?;
        state.refuse(Call::Create, file)?;
        if !crash || state.operations.is_multiple_of(2) {
            state.files.insert(file.clone(), File::default());
        }
        if crash { Err(gone()) } else { Ok(()) }
    }

    fn rename(&self, from: &FileName, to: &FileName) -> io::Result<()> {
        self.stall(Call::Rename);
        let mut state = self.state.lock().unwrap();
        let crash = state.step()?;
        state.refuse(Call::Rename, from)?;
        if !crash || state.operations.is_multiple_of(2) {
            let content = state.files.remove(from).ok_or(io::ErrorKind::NotFound)?;
            state.files.insert(to.clone(), content);
        }
        if crash { Err(gone()) } else { Ok(()) }
    }

    fn remove(&self, file: &FileName) -> io::Result<()> {
        self.stall(Call::Remove);
        let mut state = self.state.lock().unwrap();
        let crash = state.step()?;
        state.refuse(Call::Remove, file)?;
        if !crash || state.operations.is_multiple_of(2) {
            state.files.remove(file);
        }
        if crash { Err(gone()) } else { Ok(()) }
    }
}
