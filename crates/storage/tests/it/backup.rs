//! Backups taken while the log goes on: what a restored log holds, what a second backup costs, and what an unfinished,
//! damaged or foreign one leads to.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::private::log::backup::pace::{Pace, Paced};
use storage::private::log::backup::{BackupError, Contents, Copied, back_up, restore, stream, verify};
use storage::private::log::disk::{Disk, FileName};
use storage::private::log::hold::{Held, Point};
use storage::{Placement, PrivateStore, QueueId, RecoveryLogError, StoreError, StoreOptions, block_on};

use crate::conformance::small;
use crate::oracle::Oracle;
use crate::simulated_disk::{Faults, SimulatedDisk};
use crate::workload::{Ended, FOREVER, Workload, message};

/// Extents are freed soon, and some bodies have files of their own.
fn options() -> StoreOptions {
    StoreOptions { buffer_pool_bytes: 6 << 10, large_body_bytes: 900, ..small() }
}

/// A store at work, with the model of what it holds.
struct Busy {
    disk: Arc<SimulatedDisk>,
    store: PrivateStore,
    oracle: Oracle,
    random: StdRng,
    next_name: u64,
}

impl Busy {
    fn new(seed: u64) -> Self {
        let disk = Arc::new(SimulatedDisk::default());
        let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options()).expect("opens");
        let mut busy =
            Self { disk, store, oracle: Oracle::default(), random: StdRng::seed_from_u64(seed), next_name: 1 };
        let first = busy.store.create_queue();
        busy.oracle.queues.insert(first, Default::default());
        busy
    }

    fn work(&mut self, steps: u32) {
        let Self { store, oracle, random, next_name, .. } = self;
        let ended = Workload { store, oracle, random, next_name }.run(steps);
        assert!(matches!(ended, Ended::Done), "the disk is well");
    }

    /// Holds the log, with what a start would find now.
    fn hold(&self) -> (Held, Oracle) {
        let held = block_on(self.store.hold()).expect("held").expect("it is on a disk");
        (held, self.oracle.restarted())
    }

    fn back_up(&self, held: &Held, backup: &SimulatedDisk) -> Result<Copied, BackupError> {
        back_up(self.disk.as_ref(), held.point(), "QM1", backup, || {
            assert!(held.stands());
            Ok(())
        })
    }
}

/// What a store finds that starts on a log restored from the backup.
fn differences(backup: &SimulatedDisk, oracle: &Oracle) -> Vec<String> {
    let log = Arc::new(SimulatedDisk::default());
    restore(backup, log.as_ref()).expect("restored");
    // Only what was synced is sure to be there.
    differences_of(Arc::new(log.after_crash(7)), oracle)
}

fn differences_of(log: Arc<SimulatedDisk>, oracle: &Oracle) -> Vec<String> {
    let (store, recovered) = PrivateStore::open(log as Arc<dyn Disk>, options()).expect("a restored log starts");
    let queues: Vec<QueueId> = oracle.queues.keys().copied().collect();
    store.retain_queues(&queues);
    oracle.differences(&store, &recovered.definitions)
}

#[test]
fn a_backup_holds_what_the_log_held_when_it_began() {
    for seed in 0..40 {
        let mut busy = Busy::new(seed);
        let before = busy.random.gen_range(0..400);
        busy.work(before);
        let (held, oracle) = busy.hold();
        // The log goes on, and would have freed extents and removed bodies.
        busy.work(400);
        let backup = SimulatedDisk::default();
        busy.back_up(&held, &backup).expect("copied");
        drop(held);
        busy.work(50);
        assert_eq!(differences(&backup, &oracle), Vec::<String>::new(), "seed {seed}");
    }
}

#[test]
fn a_restored_log_that_has_lost_its_tail_is_refused() {
    let mut busy = Busy::new(11);
    busy.work(200);
    let (held, _) = busy.hold();
    let (backup, from_folder) = (SimulatedDisk::default(), Arc::new(SimulatedDisk::default()));
    busy.back_up(&held, &backup).expect("copied");
    let Point { end, .. } = restore(&backup, from_folder.as_ref()).expect("restored").point;
    let (bytes, copied) = busy.stream(&held, usize::MAX);
    copied.expect("copied");
    let (_, from_stream) = restore_stream(&bytes).expect("restored");
    let (extent, offset) = (end >> 32, usize::try_from(end & 0xFFFF_FFFF).unwrap());
    let name = format!("extent-{extent:010}");
    for log in [from_folder, from_stream] {
        let mut content = log.content(&name);
        content[offset - 8..offset].fill(0xEE);
        log.replace(&name, content);
        let refused = PrivateStore::open(log as Arc<dyn Disk>, options()).map(drop);
        assert!(matches!(refused, Err(RecoveryLogError::Lost { .. })), "{refused:?}");
    }
}

#[test]
fn a_second_backup_copies_what_is_new_and_leaves_nothing_of_the_first() {
    for seed in 0..20 {
        let mut busy = Busy::new(seed);
        let backup = SimulatedDisk::default();
        for _ in 0..6 {
            busy.work(120);
            let (held, oracle) = busy.hold();
            let copied = busy.back_up(&held, &backup).expect("copied");
            let again = busy.back_up(&held, &backup).expect("copied again");
            assert_eq!((again.new_bytes, again.bytes), (0, copied.bytes), "nothing is new");
            let contents = verify(&backup).expect("whole");
            let files = contents.files.iter().map(|file| file.name.0.as_str()).chain(["contents"]);
            let mut files: Vec<&str> = files.collect();
            files.sort_unstable();
            assert_eq!(backup.names(), files, "no other file stays");
            assert_eq!(differences(&backup, &oracle), Vec::<String>::new(), "seed {seed}");
        }
    }
}

/// Wherever the second backup is cut short, the folder holds the first one or the second one, whole.
#[test]
fn a_backup_that_is_cut_short_leaves_the_one_before() {
    let mut busy = Busy::new(3);
    busy.work(300);
    let first = SimulatedDisk::default();
    let (held, before) = busy.hold();
    busy.back_up(&held, &first).expect("copied");
    drop(held);
    busy.work(200);
    let (held, after) = busy.hold();
    let whole = first.copy();
    busy.back_up(&held, &whole).expect("copied");
    let mut first_ones = 0;
    for crash_at in 1..=whole.operations() {
        let cut = first.copy();
        cut.set_faults(Faults { crash_at: Some(crash_at), ..Faults::default() });
        let ended = busy.back_up(&held, &cut);
        let cut = cut.after_crash(crash_at);
        let is_second = Contents::read(&cut).expect("readable").expect("there is one").point == held.point();
        assert!(is_second || ended.is_err(), "a backup that was answered is there");
        first_ones += u32::from(!is_second);
        let oracle = if is_second { &after } else { &before };
        assert_eq!(differences(&cut, oracle), Vec::<String>::new(), "cut at {crash_at}");
        // The next one is complete.
        let next = cut.copy();
        busy.back_up(&held, &next).expect("copied");
        assert_eq!(differences(&next, &after), Vec::<String>::new(), "cut at {crash_at}");
    }
    assert!(first_ones > 3);
}

#[test]
fn any_changed_byte_of_a_backup_is_found() {
    let mut busy = Busy::new(5);
    busy.work(150);
    let backup = SimulatedDisk::default();
    let (held, _) = busy.hold();
    busy.back_up(&held, &backup).expect("copied");
    verify(&backup).expect("whole");
    for name in backup.names() {
        let content = backup.content(&name);
        for at in (0..content.len()).step_by(1.max(content.len() / 50)) {
            let damaged = backup.copy();
            let mut changed = content.clone();
            changed[at] ^= 0x04;
            damaged.replace(&name, changed);
            let found = verify(&damaged);
            assert!(matches!(found, Err(BackupError::Damaged { .. })), "byte {at} of {name}: {found:?}");
            assert!(restore(&damaged, &SimulatedDisk::default()).is_err());
        }
        let short = backup.copy();
        short.replace(&name, content[..content.len() - 1].to_vec());
        assert!(matches!(verify(&short), Err(BackupError::Damaged { .. })), "{name} is short");
        short.remove_from_outside(&name);
        let expected = if name == "contents" { "no complete backup" } else { "damaged" };
        assert!(verify(&short).expect_err("a file is missing").to_string().contains(expected), "{name}");
    }
}

/// The bytes of an extent before its first batch.
const HEADER_PAGE: usize = 4096;

#[test]
fn a_damaged_log_is_not_backed_up() {
    let mut busy = Busy::new(6);
    busy.work(300);
    let (held, _) = busy.hold();
    let whole = SimulatedDisk::default();
    busy.back_up(&held, &whole).expect("copied");
    let needed = Contents::read(&whole).expect("readable").expect("there is one").files;
    for file in needed {
        let damaged = busy.disk.copy();
        let mut content = damaged.content(&file.name.0);
        let bytes = usize::try_from(file.bytes).unwrap();
        // The first page of an extent is empty behind its header.
        let at = match bytes.checked_sub(HEADER_PAGE).filter(|_| file.name.0.starts_with("extent-")) {
            Some(0) => 20,
            Some(batches) => HEADER_PAGE + batches / 2,
            None => bytes / 2,
        };
        content[at] ^= 0x20;
        damaged.replace(&file.name.0, content);
        let refused = back_up(&damaged, held.point(), "QM1", &SimulatedDisk::default(), || Ok(()));
        assert!(matches!(refused, Err(BackupError::Log(_) | BackupError::DamagedBody { .. })), "{file:?}: {refused:?}");
    }
}

#[test]
fn a_folder_with_a_backup_of_another_log_is_refused() {
    let backup = SimulatedDisk::default();
    let mut first = Busy::new(8);
    first.work(100);
    first.back_up(&first.hold().0, &backup).expect("copied");
    let mut second = Busy::new(8);
    second.work(100);
    let refused = second.back_up(&second.hold().0, &backup);
    assert!(matches!(refused, Err(BackupError::OtherLog { .. })), "{refused:?}");
    let held = first.hold().0;
    let refused = back_up(first.disk.as_ref(), held.point(), "QM2", &backup, || Ok(()));
    assert!(matches!(refused, Err(BackupError::OtherLog { .. })), "{refused:?}");
    assert_eq!(verify(&backup).expect("still whole").name, "QM1");
}

#[test]
fn the_directory_of_a_log_is_never_taken_for_a_backup() {
    let mut busy = Busy::new(9);
    busy.work(100);
    let held = busy.hold().0;
    let other = Busy::new(10).disk;
    let names = other.names();
    let refused = busy.back_up(&held, &other);
    assert!(matches!(refused, Err(BackupError::NotEmpty { .. })), "{refused:?}");
    assert_eq!(other.names(), names);
}

/// A full disk is drained although a backup has begun: the backup has to go. With every seventh name the log itself fills
/// the disk, with all names bodies in files of their own do.
#[test]
fn a_full_disk_ends_a_hold() {
    const PLACEMENT: Placement =
        Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
    for step in [1, 7] {
        let disk = Arc::new(SimulatedDisk::default());
        disk.set_faults(Faults { capacity: Some(200 << 10), ..Faults::default() });
        let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, small()).expect("opens");
        let queue = store.create_queue();
        let put = |name| block_on(store.put(None, queue, message(name, true, 0), PLACEMENT, FOREVER));
        let held = block_on(store.hold()).expect("held").expect("it is on a disk");
        let mut name = step;
        while held.stands() {
            assert!(name < 100_000, "the disk is full by now");
            match put(name) {
                Ok(_) => name += step,
                Err(error) => assert!(matches!(error, StoreError::NoSpace), "{error}"),
            }
            // Its space would be free by now.
            block_on(store.get(None, queue, &Default::default(), FOREVER)).expect("readable");
        }
        let free_again = (0..60_000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            put(name).is_ok()
        });
        assert!(free_again, "step {step}: what the hold kept is freed");
    }
}

/// Takes this many bytes, and then refuses as a pipe does whose reader has gone.
struct Pipe {
    written: Vec<u8>,
    capacity: usize,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.capacity - self.written.len());
        if count == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.written.extend(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives bytes in small pieces, as a pipe may.
struct Pieces<'a>(&'a [u8]);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.0.len()).min(777);
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

impl Busy {
    fn stream(&self, held: &Held, capacity: usize) -> (Vec<u8>, Result<Copied, BackupError>) {
        let mut pipe = Pipe { written: Vec::new(), capacity };
        let copied = stream::back_up(self.disk.as_ref(), held.point(), "QM1", &mut pipe, || {
            assert!(held.stands());
            Ok(())
        });
        (pipe.written, copied)
    }
}

fn restore_stream(bytes: &[u8]) -> Result<(Contents, Arc<SimulatedDisk>), BackupError> {
    let log = Arc::new(SimulatedDisk::default());
    let contents = stream::restore(&mut Pieces(bytes), |name| {
        assert_eq!(name, "QM1");
        Ok::<_, BackupError>(Arc::clone(&log) as Arc<dyn Disk>)
    })?;
    Ok((contents, log))
}

#[test]
fn a_stream_holds_what_the_log_held_when_it_began() {
    for seed in 0..20 {
        let mut busy = Busy::new(seed);
        let before = busy.random.gen_range(0..400);
        busy.work(before);
        let (held, oracle) = busy.hold();
        busy.work(400);
        let (bytes, copied) = busy.stream(&held, usize::MAX);
        let copied = copied.expect("copied");
        assert_eq!(copied.new_bytes, copied.bytes, "a stream is whole");
        drop(held);
        let contents = stream::verify(&mut Pieces(&bytes)).expect("whole");
        let (restored, log) = restore_stream(&bytes).expect("restored");
        assert_eq!((&restored, restored.files.len() as u64), (&contents, copied.files));
        // Only what was synced is sure to be there.
        let log = Arc::new(log.after_crash(seed));
        assert_eq!(differences_of(log, &oracle), Vec::<String>::new(), "seed {seed}");
        // Unpacked it is a backup in a directory.
        let folder = SimulatedDisk::default();
        let mut archive = tar::Archive::new(bytes.as_slice());
        for entry in archive.entries().expect("an archive") {
            let mut entry = entry.expect("an entry");
            let mut content = Vec::new();
            entry.read_to_end(&mut content).expect("readable");
            folder.replace(&String::from_utf8_lossy(&entry.path_bytes()), content);
        }
        assert_eq!(verify(&folder).expect("whole"), contents);
    }
}

#[test]
fn a_stream_that_is_cut_or_changed_anywhere_is_refused() {
    let mut busy = Busy::new(5);
    busy.work(150);
    let (held, _) = busy.hold();
    let (bytes, copied) = busy.stream(&held, usize::MAX);
    copied.expect("copied");
    let step = bytes.len() / 300;
    for length in (0..bytes.len()).step_by(step).chain([bytes.len() - 513, bytes.len() - 1]) {
        let cut = restore_stream(&bytes[..length]).map(|(contents, _)| contents);
        assert!(matches!(cut, Err(BackupError::NoStream { .. } | BackupError::Damaged { .. })), "{length}: {cut:?}");
        let (written, refused) = busy.stream(&held, length);
        assert!(matches!(refused, Err(BackupError::Stream { .. })), "{length}: {refused:?}");
        assert_eq!(written.len(), length);
    }
    // Bytes of a tar header that say nothing of the file may be anything: only what is restored is checked.
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(step / 3) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x04;
        match restore_stream(&changed) {
            Err(_) => refused += 1,
            Ok((_, log)) => {
                assert_eq!(contents_of(&log), contents_of(&restore_stream(&bytes).expect("whole").1), "{at}");
            }
        }
    }
    assert!(refused > 700, "{refused}");
    let followed = [&bytes[..], b"more"].concat();
    assert!(matches!(restore_stream(&followed), Err(BackupError::NoStream { .. })));
    restore_stream(&[&bytes[..], &[0; 9000]].concat()).expect("tar fills its last block with zeros");
}

fn contents_of(disk: &SimulatedDisk) -> Vec<(String, Vec<u8>)> {
    disk.names().into_iter().map(|name| (name.clone(), disk.content(&name))).collect()
}

#[test]
fn an_archive_with_other_names_or_twice_the_same_is_no_stream() {
    let mut busy = Busy::new(7);
    busy.work(60);
    let (held, _) = busy.hold();
    let (bytes, copied) = busy.stream(&held, usize::MAX);
    copied.expect("copied");
    let mut files = Vec::new();
    let mut archive = tar::Archive::new(bytes.as_slice());
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("readable");
        files.push((name, content));
    }
    let again = |files: &[(String, Vec<u8>)]| {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o600);
            builder.append_data(&mut header, name, content.as_slice()).expect("written");
        }
        restore_stream(&builder.into_inner().expect("written")).map(|(contents, _)| contents)
    };
    again(&files).expect("the same archive");
    let with = |at: usize, name: &str| {
        let mut changed = files.clone();
        changed.insert(at, (name.to_owned(), b"x".to_vec()));
        again(&changed)
    };
    for name in ["lock", "extent-x", "a/extent-0000000001", "contents"] {
        let refused = with(1, name);
        assert!(refused.is_err(), "{name}: {refused:?}");
    }
    let twice = with(1, &files[1].0);
    assert!(matches!(twice, Err(BackupError::Damaged { .. })), "{twice:?}");
    let more = with(1, "extent-0000009999");
    assert!(matches!(more, Err(BackupError::NoStream { .. })), "{more:?}");
    let late = with(files.len(), "extent-0000009999");
    assert!(matches!(late, Err(BackupError::NoStream { .. })), "{late:?}");
    assert!(again(&files[1..]).is_err(), "without its beginning");
}

#[test]
fn a_damaged_log_makes_no_complete_stream() {
    let mut busy = Busy::new(6);
    busy.work(300);
    let (held, _) = busy.hold();
    let whole = SimulatedDisk::default();
    busy.back_up(&held, &whole).expect("copied");
    for file in Contents::read(&whole).expect("readable").expect("there is one").files {
        let mut content = busy.disk.content(&file.name.0);
        let bytes = usize::try_from(file.bytes).unwrap();
        let at = if bytes > 2 * HEADER_PAGE { HEADER_PAGE + (bytes - HEADER_PAGE) / 2 } else { 20 };
        content[at] ^= 0x20;
        let damaged = busy.disk.copy();
        damaged.replace(&file.name.0, content);
        let mut written = Vec::new();
        let refused = stream::back_up(&damaged, held.point(), "QM1", &mut written, || Ok(()));
        assert!(matches!(refused, Err(BackupError::Log(_) | BackupError::DamagedBody { .. })), "{file:?}: {refused:?}");
        assert!(restore_stream(&written).is_err(), "{file:?}");
    }
}

#[test]
fn a_body_file_that_is_missing_or_too_short_ends_a_backup_with_its_name() {
    let mut busy = Busy::new(6);
    busy.work(300);
    let (held, _) = busy.hold();
    let whole = SimulatedDisk::default();
    busy.back_up(&held, &whole).expect("copied");
    let contents = Contents::read(&whole).expect("readable").expect("there is one");
    let body = contents.files.iter().find(|file| file.name.0.starts_with("body-")).expect("there is one");
    let name = &body.name.0;
    let (missing, short) = (busy.disk.copy(), busy.disk.copy());
    missing.remove_from_outside(name);
    short.replace(name, busy.disk.content(name)[..usize::try_from(body.bytes).unwrap() - 1].to_vec());
    for log in [missing, short] {
        let folder = back_up(&log, held.point(), "QM1", &SimulatedDisk::default(), || Ok(()));
        let stream = stream::back_up(&log, held.point(), "QM1", &mut Vec::new(), || Ok(()));
        for refused in [folder, stream] {
            let Err(BackupError::DamagedBody { file }) = &refused else { panic!("{refused:?}") };
            assert_eq!(file, name);
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "what is tested is a share of real time")]
fn a_paced_disk_rests_nine_times_as_long_as_was_worked_and_changes_no_byte() {
    const LENGTH: usize = 3 << 20;
    let file = FileName("extent-0000000001".to_owned());
    let content: Vec<u8> = (0..LENGTH).map(|at| u8::try_from(at % 251).expect("a byte")).collect();
    let (disk, copy) = (SimulatedDisk::default(), SimulatedDisk::default());
    disk.replace(&file.0, content.clone());
    let pace = Pace::start();
    let (from, to) = (Paced::new(&disk, &pace), Paced::new(&copy, &pace));
    let begun = Instant::now();
    // The work, whatever it is.
    std::thread::sleep(Duration::from_millis(10));
    let work = begun.elapsed();
    to.create(&file).expect("created");
    assert!(begun.elapsed() >= work * 10, "{:?} after {work:?}", begun.elapsed());
    let (mut offset, mut buffer) = (0, vec![0; LENGTH]);
    while offset < LENGTH {
        let count = from.read(&file, offset as u64, &mut buffer).expect("read");
        to.write(&file, offset as u64, &buffer[..count]).expect("written");
        offset += count;
    }
    assert!(copy.content(&file.0) == content, "the bytes");
}
