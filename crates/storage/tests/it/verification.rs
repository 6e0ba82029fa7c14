//! Verification in the background: rot of what nobody reads is found, healed where disk or memory still has the content, and told once
//! where nothing has it.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;
use storage::private::log::disk::Disk;
use storage::private::log::inspect::{Item, inspect};
use storage::{Placement, PrivateStore, Quarantined, QueueId, Selection, StoreOptions, VerificationRate, block_on};

use crate::conformance::small;
use crate::log_lines::lines_of;
use crate::oracle::Oracle;
use crate::simulated_disk::{Call, Faults, Refusal, SimulatedDisk};
use crate::workload::{Ended, FOREVER, Workload, body, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
/// Enough for many extents of `small`, none of which is moved for its own sake: all is needed.
const MESSAGES: u64 = 150;
/// One in an extent in the middle, and one whose body has a file.
const VICTIM: u64 = 64;
const LONG: u64 = 11;

struct Cold {
    disk: Arc<SimulatedDisk>,
    store: PrivateStore,
    queue: QueueId,
    told: Arc<Mutex<Vec<Quarantined>>>,
}

impl Cold {
    fn new(options: StoreOptions) -> Self {
        let disk = Arc::new(SimulatedDisk::default());
        let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options).expect("opens");
        let queue = store.create_queue();
        let told: Arc<Mutex<Vec<_>>> = Arc::default();
        let listener = Arc::clone(&told);
        store.listen_to_quarantine(Box::new(move |message, _| listener.lock().unwrap().push(message.clone())));
        for name in all() {
            block_on(store.put(None, queue, message(name, true, 0), PLACEMENT, FOREVER)).expect("put");
        }
        Self { disk, store, queue, told }
    }

    /// The file with the body of a message, and where in it.
    fn body_of(&self, name: u64) -> (String, usize) {
        let content = body(name);
        let place = |file: String| {
            let bytes = self.disk.content(&file);
            bytes.windows(content.len()).position(|window| *window == content).map(|at| (file, at))
        };
        self.disk.names().into_iter().find_map(place).expect("it is on the disk")
    }

    fn rot(&self, file: &str, at: usize) {
        let mut content = self.disk.content(file);
        content[at] ^= 0x40;
        self.disk.replace(file, content);
    }

    fn has(&self, file: &str) -> bool {
        self.disk.names().iter().any(|name| name == file)
    }

    /// True once the file has gone.
    fn goes(&self, file: &str) -> bool {
        wait_for(|| !self.has(file))
    }

    fn found(&self) -> u64 {
        self.store.statistics().log_damage_found
    }

    /// What a start finds after a crash now.
    fn restarted(&self) -> Vec<u64> {
        let disk: Arc<dyn Disk> = Arc::new(self.disk.after_crash(1));
        let (store, _) = PrivateStore::open(disk, small()).expect("the log is whole");
        store.retain_queues(&[self.queue]);
        crate::oracle::names(&store, self.queue)
    }
}

fn wait_for(done: impl Fn() -> bool) -> bool {
    (0..60_000).any(|_| {
        let is_done = done();
        if !is_done {
            std::thread::sleep(Duration::from_millis(5));
        }
        is_done
    })
}

/// Those with the longest bodies have no place in a short extent.
fn all() -> Vec<u64> {
    (1..=MESSAGES).filter(|name| name % 7 != 6).collect()
}

fn without_memory() -> StoreOptions {
    StoreOptions { buffer_pool_bytes: 0, ..small() }
}

#[test]
fn rot_in_a_cold_extent_is_found_and_healed_from_memory_and_the_next_start_succeeds() {
    let cold = Cold::new(small());
    let (file, at) = cold.body_of(VICTIM);
    assert!(["extent-0000000002", "extent-0000000003"].contains(&file.as_str()), "{file} is in the middle");
    cold.rot(&file, at + 9);
    let ((), lines) = lines_of(|| cold.store.verify());
    assert!(cold.goes(&file), "the damaged extent is freed");
    let warnings: Vec<_> = lines.iter().filter(|line| line.contains("damaged on the disk")).collect();
    assert_eq!(warnings.len(), 1, "{lines:?}");
    cold.store.verify();
    assert_eq!(cold.found(), 1);
    assert_eq!(cold.restarted(), all());
}

/// Batch by batch over every extent but the last: whatever is hit, also its header.
#[test]
fn every_kind_of_rot_that_the_cache_knows_nothing_of_is_healed_from_it() {
    for at in [0, 17, 30, 4096, 4101, 4110, 4120, 4136, 4150, 5000, 6000, 9000] {
        let cold = Cold::new(without_memory());
        let (file, _) = cold.body_of(VICTIM);
        cold.disk.rot_below_the_cache(&file, at);
        cold.store.verify();
        assert!(cold.goes(&file), "byte {at}: the damaged extent is freed");
        assert_eq!(cold.restarted(), all(), "byte {at}");
        assert!(cold.told.lock().unwrap().is_empty(), "byte {at}");
    }
}

#[test]
fn an_extent_whose_header_or_last_batches_are_gone_is_healed_from_memory() {
    let cuts: [fn(&mut Vec<u8>); 3] =
        [|content| content[..4096].fill(0), |content| content[9000..].fill(0), |content| content[4096..].fill(0)];
    for cut in cuts {
        let cold = Cold::new(small());
        let (file, _) = cold.body_of(VICTIM);
        let mut content = cold.disk.content(&file);
        cut(&mut content);
        cold.disk.replace(&file, content);
        cold.store.verify();
        assert!(cold.goes(&file), "the damaged extent is freed");
        assert_eq!(cold.restarted(), all());
    }
}

#[test]
fn an_extent_whose_file_another_program_has_removed_is_written_again_and_the_log_goes_on() {
    let cold = Cold::new(small());
    let (file, _) = cold.body_of(VICTIM);
    let number: u32 = file["extent-".len()..].parse().expect("a number");
    cold.disk.remove_from_outside(&file);
    cold.store.verify();
    let is_freed = || match inspect(cold.disk.as_ref()).expect("lists").next() {
        Some(Item::Anchor { oldest, .. }) => oldest > number,
        _ => false,
    };
    assert!(wait_for(is_freed), "the anchor says that it is not needed");
    assert_eq!((cold.found(), cold.store.statistics().log_failed), (1, false));
    block_on(cold.store.put(None, cold.queue, message(1_000, true, 0), PLACEMENT, FOREVER)).expect("put");
    assert_eq!(cold.restarted(), [all(), vec![1_000]].concat());
}

#[test]
fn what_can_be_had_from_nowhere_is_told_once_and_its_extent_goes_once_it_is_removed() {
    let cold = Cold::new(without_memory());
    let (file, at) = cold.body_of(VICTIM);
    cold.rot(&file, at + 9);
    for _ in 0..3 {
        cold.store.verify();
        assert!(wait_for(|| !cold.told.lock().unwrap().is_empty()), "the message is named");
    }
    assert_eq!(cold.told.lock().unwrap().len(), 1, "once");
    assert_eq!(cold.found(), 1);
    assert!(cold.has(&file), "nothing is thrown away");
    let message = cold.told.lock().unwrap()[0].clone();
    assert_eq!((message.queue, &message.file), (cold.queue, &file));
    assert!(block_on(cold.store.remove_quarantined(message.queue, message.key)).expect("removed"));
    cold.store.verify();
    assert!(cold.goes(&file), "the damaged extent is freed");
    let others: Vec<u64> = all().into_iter().filter(|name| *name != VICTIM).collect();
    assert_eq!(cold.restarted(), others);
}

#[test]
fn a_part_of_the_disk_that_cannot_be_read_is_healed_as_damage_is() {
    let cold = Cold::new(small());
    let refusal =
        Refusal { call: Call::Read, files: "extent-0000000003", from: 1, count: u64::MAX - 1, error: libc::EIO };
    cold.disk.set_faults(Faults { refusal: Some(refusal), ..Faults::default() });
    cold.store.verify();
    assert!(cold.goes("extent-0000000003"));
    assert_eq!(cold.restarted(), all());
}

#[test]
fn an_error_that_may_pass_is_no_damage() {
    for error in [libc::EMFILE, libc::ENOMEM, libc::EACCES] {
        let cold = Cold::new(StoreOptions { large_body_bytes: 300, ..without_memory() });
        let refusal = Refusal { call: Call::Read, files: "", from: 1, count: u64::MAX - 1, error };
        cold.disk.set_faults(Faults { refusal: Some(refusal), ..Faults::default() });
        cold.store.verify();
        assert_eq!((cold.found(), cold.store.statistics().log_verified_at), (0, 0), "no round was complete");
        cold.disk.set_faults(Faults::default());
        cold.store.verify();
        assert_eq!(cold.found(), 0);
        assert!(cold.store.statistics().log_verified_at > 0);
    }
}

#[test]
fn a_damaged_body_file_is_written_again_from_the_cache_else_its_message_is_set_aside_once() {
    let options = StoreOptions { large_body_bytes: 300, ..without_memory() };
    let cold = Cold::new(options.clone());
    let (file, at) = cold.body_of(LONG);
    assert!(file.starts_with("body-"));
    cold.disk.rot_below_the_cache(&file, at + 9);
    let ((), lines) = lines_of(|| cold.store.verify());
    assert!(lines.iter().any(|line| line.contains(&file)), "{lines:?}");
    assert_eq!(cold.found(), 1);
    assert_eq!(cold.restarted(), all());

    let cold = Cold::new(options);
    let (file, at) = cold.body_of(LONG);
    cold.rot(&file, at + 9);
    cold.store.verify();
    cold.store.verify();
    let told = cold.told.lock().unwrap().clone();
    let [message] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(message.file, file);
    assert_eq!(cold.found(), 1);
    let depth = cold.store.depth(cold.queue);
    assert_eq!((depth.current as usize, depth.quarantined), (all().len() - 1, 1));
}

#[test]
fn a_log_at_work_has_no_findings() {
    for seed in 0..20 {
        let disk = Arc::new(SimulatedDisk::default());
        let options = StoreOptions { buffer_pool_bytes: 6 << 10, large_body_bytes: 900, ..at_once() };
        let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options).expect("opens");
        let (mut oracle, mut random, mut next_name) = (Oracle::default(), StdRng::seed_from_u64(seed), 1);
        oracle.queues.insert(store.create_queue(), Default::default());
        let ended = Workload { store: &store, oracle: &mut oracle, random: &mut random, next_name: &mut next_name };
        let ended = { ended }.run(800);
        assert!(matches!(ended, Ended::Done), "seed {seed}");
        assert!(wait_for(|| store.statistics().log_verified_at > 0), "seed {seed}: rounds end");
        assert_eq!(store.statistics().log_damage_found, 0, "seed {seed}");
        assert_eq!(store.quarantine().len(), 0, "seed {seed}");
    }
}

/// Round after round without a pause.
fn at_once() -> StoreOptions {
    let rate = VerificationRate { bytes_per_second: NonZeroU64::MAX, interval: Duration::ZERO };
    StoreOptions { verification: Some(rate), ..small() }
}

#[test]
fn the_thread_of_a_store_finds_rot_by_itself_and_ends_with_the_store() {
    let cold = Cold::new(at_once());
    let (file, at) = cold.body_of(VICTIM);
    cold.rot(&file, at + 9);
    assert!(cold.goes(&file), "found and healed");
    assert!(cold.store.statistics().log_verified_bytes > 0);
    assert_eq!(cold.restarted(), all());
    let slow = VerificationRate { bytes_per_second: NonZeroU64::MIN, interval: Duration::from_secs(3600) };
    let cold = Cold::new(StoreOptions { verification: Some(slow), ..small() });
    // A pause of an hour does not hold up the end, nor does one between two reads.
    cold.store.close();
    let got = block_on(cold.store.get(None, cold.queue, &Selection::default(), FOREVER));
    assert!(got.is_err(), "closed");
}
