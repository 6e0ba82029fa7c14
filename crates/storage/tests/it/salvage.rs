//! A damaged log is read as far as it can be: what is wrong is said, and what could be read is a backup from which a log is restored
//! that starts. The source stays as it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use storage::private::log::backup::restore;
use storage::private::log::disk::Disk;
use storage::private::log::inspect::{Item, inspect};
use storage::private::log::salvage::Salvaged;
use storage::private::log::survey::{Damaged, Finding, Survey, Where};
use storage::{
    DefinitionChange, Placement, PrivateStore, QueueId, Selection, StoreOptions, UnitOfWorkId, Xid, block_on,
};

use crate::conformance::small;
use crate::oracle::Oracle;
use crate::simulated_disk::SimulatedDisk;
use crate::workload::{Ended, FOREVER, Workload, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
const MESSAGES: u64 = 150;
/// Its record is in the second of several extents.
const VICTIM: u64 = 64;
const SECOND: &str = "extent-0000000002";

type Definitions = Vec<(String, Vec<u8>)>;

fn open(disk: SimulatedDisk, options: StoreOptions) -> (Arc<SimulatedDisk>, PrivateStore, Definitions) {
    let disk = Arc::new(disk);
    let (store, found) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options).expect("opens");
    (disk, store, found.definitions)
}

/// A log of several extents in which all is needed: one message a batch.
struct Log {
    disk: SimulatedDisk,
    queue: QueueId,
}

impl Log {
    fn new(more: impl FnOnce(&PrivateStore, QueueId)) -> Self {
        let (disk, store, _) = open(SimulatedDisk::default(), small());
        let queue = store.create_queue();
        let change = DefinitionChange::Save { key: "queue/KEPT".to_owned(), value: vec![42; 100] };
        block_on(store.change_definitions(vec![change])).expect("saved");
        for name in all() {
            block_on(store.put(None, queue, message(name, true, 0), PLACEMENT, FOREVER)).expect("put");
        }
        more(&store, queue);
        store.close();
        Self { disk: disk.copy(), queue }
    }

    /// Extent file and offset of the batch with the put of a message, and its length.
    fn batch_of(&self, name: u64) -> (String, usize, usize) {
        let mut before = all().iter().position(|known| *known == name).expect("one of them");
        self.batch_with(|item| {
            let is_put = matches!(item, Item::Put { .. });
            let is_it = is_put && before == 0;
            before = before.saturating_sub(usize::from(is_put));
            is_it
        })
    }

    /// The first batch with such an item.
    fn batch_with(&self, mut is_it: impl FnMut(&Item) -> bool) -> (String, usize, usize) {
        let mut last = None;
        for item in inspect(&self.disk).expect("readable") {
            if let Item::Batch { extent, offset, length, .. } = item {
                last = Some((extent, offset, length));
            } else if is_it(&item) {
                let (extent, offset, length) = last.expect("it is in a batch");
                let file = format!("extent-{extent:010}");
                return (file, usize::try_from(offset).unwrap(), usize::try_from(length).unwrap());
            }
        }
        panic!("no batch has it");
    }

    fn change(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut content = self.disk.content(file);
        change(&mut content);
        self.disk.replace(file, content);
    }

    fn starts(&self) -> bool {
        PrivateStore::open(Arc::new(self.disk.copy()), small()).is_ok()
    }

    /// Names of the messages that come back, and what is said.
    fn salvaged(&self) -> (Vec<u64>, Vec<Finding>) {
        let before: Vec<_> = self.disk.names().into_iter().map(|name| (self.disk.content(&name), name)).collect();
        let (folder, salvaged, findings) = salvage(&self.disk);
        for (content, name) in before {
            assert_eq!(self.disk.content(&name), content, "{name} of the source is as it was");
        }
        let (_, store, definitions) = open(restored(&folder), small());
        assert_eq!(definitions, [("queue/KEPT".to_owned(), vec![42; 100])]);
        store.retain_queues(&[self.queue]);
        let names = crate::oracle::names(&store, self.queue);
        assert_eq!(salvaged.messages, names.len() as u64);
        // It is a log like any other.
        block_on(store.put(None, self.queue, message(7, true, 0), PLACEMENT, FOREVER)).expect("put");
        (names, findings)
    }
}

/// Those with the longest bodies have no place in a short extent.
fn all() -> Vec<u64> {
    (1..=MESSAGES).filter(|name| name % 7 != 6).collect()
}

fn but(gone: &[u64]) -> Vec<u64> {
    all().into_iter().filter(|name| !gone.contains(name)).collect()
}

fn salvage(disk: &SimulatedDisk) -> (SimulatedDisk, Salvaged, Vec<Finding>) {
    let folder = SimulatedDisk::default();
    let mut survey = Survey::read(disk, None, Damaged::Salvaged).expect("reads on");
    let salvaged = survey.write(disk, &folder, "QM1", &[]).expect("written");
    (folder, salvaged, survey.findings().to_vec())
}

fn restored(folder: &SimulatedDisk) -> SimulatedDisk {
    let log = SimulatedDisk::default();
    restore(folder, &log).expect("it is a backup");
    log.after_crash(3)
}

fn findings(disk: &SimulatedDisk) -> Vec<Finding> {
    let mut survey = Survey::read(disk, None, Damaged::PassedOver).expect("reads on");
    survey.check_bodies(disk).expect("reads on");
    survey.findings().to_vec()
}

#[test]
fn a_whole_log_has_no_findings_and_all_of_it_is_salvaged() {
    for seed in 0..30 {
        let options = StoreOptions { buffer_pool_bytes: 6 << 10, large_body_bytes: 900, ..small() };
        let (disk, store, _) = open(SimulatedDisk::default(), options.clone());
        let (mut oracle, mut random, mut next_name) = (Oracle::default(), StdRng::seed_from_u64(seed), 1);
        oracle.queues.insert(store.create_queue(), Default::default());
        let mut work = Workload { store: &store, oracle: &mut oracle, random: &mut random, next_name: &mut next_name };
        assert!(matches!(work.run(600), Ended::Done), "seed {seed}");
        let held = block_on(store.hold()).expect("held").expect("on a disk");
        let mut survey = Survey::read(disk.as_ref(), Some(held.point()), Damaged::PassedOver).expect("readable");
        survey.check_bodies(disk.as_ref()).expect("readable");
        assert_eq!(survey.findings(), [], "seed {seed}, of a running one");
        drop(held);
        store.close();
        assert_eq!(findings(&disk), [], "seed {seed}");
        let (folder, _, found) = salvage(&disk);
        assert_eq!(found, [], "seed {seed}");
        let (_, store, definitions) = open(restored(&folder), options);
        let oracle = oracle.restarted();
        let queues: Vec<QueueId> = oracle.queues.keys().copied().collect();
        store.retain_queues(&queues);
        assert_eq!(oracle.differences(&store, &definitions), Vec::<String>::new(), "seed {seed}");
    }
}

#[test]
fn a_batch_of_zeros_costs_its_message_alone_and_is_named() {
    let log = Log::new(|_, _| ());
    let (file, offset, length) = log.batch_of(VICTIM);
    assert_eq!(file, SECOND);
    log.change(&file, |content| content[offset..offset + length].fill(0));
    assert!(!log.starts());
    let (names, findings) = log.salvaged();
    assert_eq!(names, but(&[VICTIM]));
    let next = Some((offset + length) as u64);
    let [Finding::DamagedBatch { at, next: found, salvaged: 0 }] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((at.extent, at.offset, *found), (2, offset as u64, next));
}

#[test]
fn what_a_damaged_batch_or_an_extent_without_header_still_says_of_messages_comes_back() {
    // Checksum, length, magic of a batch; header and length of an extent.
    for at in [4, 40, 0] {
        let log = Log::new(|_, _| ());
        let (file, offset, _) = log.batch_of(VICTIM);
        log.change(&file, |content| content[offset + at] ^= 0x10);
        assert!(!log.starts(), "byte {at}");
        let (names, findings) = log.salvaged();
        assert_eq!(names, all(), "byte {at}: {findings:?}");
        assert!(findings.iter().all(|finding| matches!(finding, Finding::DamagedBatch { salvaged: 1, .. })));
    }
    // The key of a message, with the checksum of its batch: what would leave no number for later does not count.
    let log = Log::new(|_, _| ());
    let (file, offset, _) = log.batch_of(VICTIM);
    log.change(&file, |content| content[offset + 48 + 16 + 8 + 8..][..8].fill(0xFF));
    assert_eq!(log.salvaged().0, but(&[VICTIM]));
    let log = Log::new(|_, _| ());
    log.change(SECOND, |content| content[..64].fill(0));
    let (names, findings) = log.salvaged();
    assert_eq!(names, all(), "{findings:?}");
    assert_eq!(findings[0], Finding::DamagedHeader { extent: 2 });
}

#[test]
fn missing_extents_and_missing_ends_cost_what_they_had_and_are_named() {
    let of = |log: &Log, file: &str, from: usize| -> Vec<u64> {
        let there = |name: &u64| {
            let (at, offset, _) = log.batch_of(*name);
            at == file && offset >= from
        };
        all().into_iter().filter(there).collect()
    };
    for (file, number) in [("extent-0000000001", 1), (SECOND, 2)] {
        let log = Log::new(|_, _| ());
        let gone = of(&log, file, 0);
        assert!(gone.len() > 5);
        log.disk.remove_from_outside(file);
        assert!(!log.starts());
        if number == 1 {
            // The definition was in it, too.
            let (_, salvaged, findings) = salvage(&log.disk);
            assert_eq!((salvaged.messages, salvaged.definitions), ((all().len() - gone.len()) as u64, 0));
            assert_eq!(findings, [Finding::MissingExtents { first: 1, last: 1 }]);
            continue;
        }
        let (names, findings) = log.salvaged();
        assert_eq!(names, but(&gone));
        assert_eq!(findings, [Finding::MissingExtents { first: number, last: number }]);
    }
    let log = Log::new(|_, _| ());
    let (_, offset, _) = log.batch_of(VICTIM);
    let gone = of(&log, SECOND, offset);
    log.change(SECOND, |content| content[offset..].fill(0));
    let (names, findings) = log.salvaged();
    assert_eq!(names, but(&gone));
    assert!(matches!(findings.as_slice(), [Finding::DamagedBatch { next: None, salvaged: 0, .. }]), "{findings:?}");
}

#[test]
fn a_message_whose_get_is_in_a_lost_batch_comes_back() {
    let log = Log::new(|store, queue| {
        let first = block_on(store.get(None, queue, &Selection::default(), FOREVER)).expect("got").expect("there");
        assert_eq!(first.message.body[..8], 1_u64.to_le_bytes());
        block_on(store.put(None, queue, message(1_000, true, 0), PLACEMENT, FOREVER)).expect("put");
    });
    let later = [all(), vec![1_000]].concat();
    assert_eq!(log.salvaged().0, later[1..], "not while the log is whole");
    let (file, offset, length) = log.batch_with(|item| matches!(item, Item::Get { .. }));
    log.change(&file, |content| content[offset..offset + length].fill(0));
    let (names, findings) = log.salvaged();
    assert_eq!(names, later);
    assert_eq!(findings.len(), 1);
}

#[test]
fn a_unit_of_work_whose_outcome_may_be_lost_counts_as_far_as_it_adds_messages() {
    let long: Vec<u64> = (1..=12).map(|number| 1_000 + 7 * number).map(|name| name / 7 * 7 + 4).collect();
    let log = Log::new(|store, queue| {
        let unit = store.begin();
        block_on(store.get(Some(unit), queue, &Selection::default(), FOREVER)).expect("got").expect("there");
        for name in &long {
            block_on(store.put(Some(unit), queue, message(*name, true, 0), PLACEMENT, FOREVER)).expect("put");
        }
        block_on(store.commit(unit)).expect("committed");
        block_on(store.put(None, queue, message(2_002, true, 0), PLACEMENT, FOREVER)).expect("put");
    });
    let committed = [but(&[1]), long.clone(), vec![2_002]].concat();
    assert_eq!(log.salvaged().0, committed);
    let is_commit =
        |item: &Item| matches!(item, Item::Unit { kind: storage::private::log::inspect::UnitKind::Commit, .. });
    let (file, offset, length) = log.batch_with(is_commit);
    log.change(&file, |content| content[offset..offset + length].fill(0));
    let (names, findings) = log.salvaged();
    let expected: BTreeSet<u64> = [all(), long, vec![2_002]].concat().into_iter().collect();
    let unknown = findings.iter().find_map(|finding| match finding {
        Finding::UnknownOutcome { puts, gets, .. } => Some((*puts, *gets)),
        _ => None,
    });
    // What the commit's own record had is lost with it.
    let (puts, gets) = unknown.unwrap_or_else(|| panic!("{findings:?}"));
    let names: BTreeSet<u64> = names.into_iter().collect();
    assert!(names.is_subset(&expected));
    assert_eq!(names.len() as u64, all().len() as u64 + puts + 1, "{findings:?}");
    assert!(puts > 0 && gets <= 1);
}

#[test]
fn a_unit_of_work_in_doubt_stays_in_doubt() {
    let xid = Xid { format_id: 7, global_transaction: vec![1; 64], branch: vec![2; 5] };
    let mut unit = UnitOfWorkId(0);
    let log = Log::new(|store, queue| {
        unit = store.begin();
        block_on(store.get(Some(unit), queue, &Selection::default(), FOREVER)).expect("got").expect("there");
        block_on(store.put(Some(unit), queue, message(1_000, true, 0), PLACEMENT, FOREVER)).expect("put");
        block_on(store.prepare(unit, Some(xid.clone()))).expect("prepared");
    });
    let (file, offset, length) = log.batch_of(VICTIM);
    log.change(&file, |content| content[offset..offset + length].fill(0));
    for commits in [false, true] {
        let (folder, salvaged, _) = salvage(&log.disk);
        assert_eq!(salvaged.messages, all().len() as u64);
        let (_, store, _) = open(restored(&folder), small());
        store.retain_queues(&[log.queue]);
        assert_eq!(store.in_doubt(), [(unit, Some(xid.clone()))]);
        let outcome = if commits { block_on(store.commit(unit)) } else { block_on(store.back_out(unit)) };
        outcome.expect("decided");
        let names = crate::oracle::names(&store, log.queue);
        let expected = if commits { [but(&[1, VICTIM]), vec![1_000]].concat() } else { but(&[VICTIM]) };
        assert_eq!(names, expected);
    }
}

#[test]
fn a_body_that_is_damaged_or_missing_is_named_by_verify_and_left_out_by_salvage() {
    let options = StoreOptions { large_body_bytes: 300, ..small() };
    let (disk, store, _) = open(SimulatedDisk::default(), options.clone());
    let queue = store.create_queue();
    for name in [4, 11, 18] {
        block_on(store.put(None, queue, message(name, true, 0), PLACEMENT, FOREVER)).expect("put");
    }
    store.close();
    let bodies: Vec<String> = disk.names().into_iter().filter(|name| name.starts_with("body-")).collect();
    let damaged = disk.copy();
    let mut content = disk.content(&bodies[1]);
    content[200] ^= 1;
    damaged.replace(&bodies[1], content);
    let missing = disk.copy();
    missing.remove_from_outside(&bodies[1]);
    for disk in [damaged, missing] {
        let found = findings(&disk);
        let [Finding::UnreadableMessage { file, .. }] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(*file, bodies[1]);
        let (folder, salvaged, found) = salvage(&disk);
        assert_eq!((salvaged.messages, found.len()), (2, 1));
        let (_, store, _) = open(restored(&folder), options.clone());
        store.retain_queues(&[queue]);
        assert_eq!(crate::oracle::names(&store, queue), [4, 18]);
    }
}

/// Whatever a start refuses, verification finds; what it finds nothing in, starts.
#[test]
fn every_changed_byte_that_a_start_refuses_is_found() {
    let log = Log::new(|_, _| ());
    let mut refused = 0;
    for file in log.disk.names().into_iter().filter(|name| name.starts_with("extent-")) {
        for at in (0..log.disk.content(&file).len()).step_by(97) {
            let changed = Log { disk: log.disk.copy(), queue: log.queue };
            changed.change(&file, |content| content[at] ^= 0x04);
            let survey = Survey::read(&changed.disk, None, Damaged::PassedOver).expect("reads on");
            let starts = changed.starts();
            assert_eq!(starts, !survey.is_damaged(), "byte {at} of {file}: {:?}", survey.findings());
            refused += u32::from(!starts);
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Without the anchor, a start takes a log that is cut off for a shorter one.
#[test]
fn what_the_anchor_says_was_durable_and_is_not_there_is_found_and_the_rest_is_salvaged() {
    let log = Log::new(|_, _| ());
    let (last, offset, length) = log.batch_of(*all().last().expect("some"));
    let (number, end): (u64, _) = (last["extent-".len()..].parse().expect("a number"), (offset + length) as u64);
    let in_last: Vec<u64> = all().into_iter().filter(|name| log.batch_of(*name).0 == last).collect();
    let changed = |change: &dyn Fn(&Log)| {
        let changed = Log { disk: log.disk.copy(), queue: log.queue };
        change(&changed);
        assert!(!changed.starts());
        let (names, salvaging) = changed.salvaged();
        let found = findings(&changed.disk);
        assert_eq!((found.len(), found[0].is_damage()), (1, true), "{found:?}");
        assert_eq!((salvaging.len(), salvaging[0].kind()), (1, found[0].kind()));
        // Without the anchor a start cuts what it cannot read, and salvage needs none.
        changed.disk.remove_from_outside("anchor");
        let (_, without) = changed.salvaged();
        (names, found, changed.starts(), without.iter().any(Finding::is_damage))
    };
    let at = |extent: u64, offset: usize| Where { extent, offset: offset as u64 };

    let cut = |log: &Log| log.change(&last, |content| content[offset..].fill(0));
    let lost = Finding::LostEnd { at: at(number, offset), until: Where { extent: number, offset: end } };
    assert_eq!(changed(&cut), (but(&in_last[in_last.len() - 1..]), vec![lost], true, false));

    let torn = |log: &Log| log.change(&last, |content| content[offset + 4] ^= 1);
    let damage = |salvaged| Finding::DamagedBatch { at: at(number, offset), next: None, salvaged };
    assert_eq!(changed(&torn), (all(), vec![damage(0)], true, true), "its message is read all the same");

    let gone = |log: &Log| {
        for name in log.disk.names().into_iter().filter(|name| name.starts_with("extent-") && *name >= last) {
            log.disk.remove_from_outside(&name);
        }
    };
    let (names, found, starts, _) = changed(&gone);
    let first = u32::try_from(number).expect("small");
    assert_eq!((names, found), (but(&in_last), vec![Finding::MissingExtents { first, last: first }]));
    assert!(starts, "without the anchor it looks like a shorter log");

    let other = Log::new(|_, _| ());
    let replaced = |log: &Log| log.disk.replace(&last, other.disk.content(&last));
    let (names, found, ..) = changed(&replaced);
    assert_eq!((names, found), (but(&in_last), vec![Finding::ReplacedExtent { extent: first }]));

    let unreadable = |log: &Log| log.change("anchor", |content| content.fill(0));
    let (names, found, ..) = changed(&unreadable);
    assert_eq!(names, all());
    assert!(matches!(found.as_slice(), [Finding::UnreadableAnchor { .. }]));
}

#[test]
fn a_salvaged_log_is_restored_with_the_anchor_of_its_own_end() {
    let log = Log::new(|_, _| ());
    let (folder, ..) = salvage(&log.disk);
    assert!(!folder.names().contains(&"anchor".to_owned()));
    let restored = restored(&folder);
    let items: Vec<Item> = inspect(&restored).expect("lists").collect();
    let mut ends = items.iter().filter_map(|item| match item {
        Item::Batch { extent, offset, length, .. } => Some((*extent, offset + length)),
        _ => None,
    });
    let end = ends.next_back().expect("batches");
    let Item::Anchor { extent, offset, oldest, highest, .. } = items[0] else { panic!("{:?}", items[0]) };
    assert_eq!(((extent, offset), oldest, highest), (end, 1, end.0));
    let last = Log { disk: restored, queue: log.queue };
    last.change(&format!("extent-{:010}", end.0), |content| content[usize::try_from(end.1).unwrap() - 8..].fill(0));
    assert!(!last.starts(), "it holds what was restored to its anchor");
}

/// Anything may be damaged anywhere: what comes back starts, and no message is another than it was.
#[test]
fn of_a_log_torn_everywhere_comes_back_what_is_right() {
    let log = Log::new(|_, _| ());
    let known: BTreeSet<u64> = all().into_iter().collect();
    let (mut came_back, mut lost) = (0, 0);
    for seed in 0..60 {
        let mut random = StdRng::seed_from_u64(seed);
        let torn = Log { disk: log.disk.copy(), queue: log.queue };
        for file in torn.disk.names() {
            for _ in 0..random.gen_range(0..4) {
                torn.change(&file, |content| {
                    let from = random.gen_range(0..content.len());
                    let to = (from + random.gen_range(1..3_000)).min(content.len());
                    match random.gen_range(0..4) {
                        0 => content[from..to].fill(0),
                        1 => content[from..to].iter_mut().for_each(|byte| *byte = random.r#gen()),
                        2 => content[from] ^= 1 << random.gen_range(0..8),
                        _ => content.truncate(from.max(1)),
                    }
                });
            }
        }
        let (folder, salvaged, _) = salvage(&torn.disk);
        let (_, store, _) = open(restored(&folder), small());
        let queues = [log.queue];
        store.retain_queues(&queues);
        // Names are checked against bodies.
        let names: BTreeSet<u64> = crate::oracle::names(&store, log.queue).into_iter().collect();
        assert!(names.is_subset(&known), "seed {seed}");
        assert!(salvaged.messages >= names.len() as u64, "seed {seed}");
        came_back += names.len();
        lost += known.len() - names.len();
    }
    assert!(came_back > lost, "{came_back} came back, {lost} did not");
}

#[test]
fn a_folder_that_holds_a_backup_is_not_written() {
    let log = Log::new(|_, _| ());
    let (folder, ..) = salvage(&log.disk);
    let mut survey = Survey::read(&log.disk, None, Damaged::Salvaged).expect("reads");
    assert!(survey.write(&log.disk, &folder, "QM1", &[]).is_err());
    let mut survey = Survey::read(&log.disk, None, Damaged::Salvaged).expect("reads");
    assert!(survey.write(&log.disk, &log.disk.copy(), "QM1", &[]).is_err(), "nor one with a log");
}
