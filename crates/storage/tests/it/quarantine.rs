//! Messages that cannot be read back: no queue waits for one, none is delivered, lost silently or forgotten.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use model::identifier::MessageId;
use model::message::Message;
use model::timestamp::Timestamp;
use storage::private::UndefinedQueue;
use storage::private::log::disk::Disk;
use storage::{
    DefinitionChange, Placement, PrivateStore, Quarantined, QueueId, RecoveryLogError, Selection, StoreError,
    StoreOptions, block_on,
};

use crate::conformance::small;
use crate::simulated_disk::{Call, Faults, Refusal, SimulatedDisk};
use crate::workload::{body, message};

const PLACEMENT: Placement = Placement { by_priority: false, maximum_depth: u32::MAX, expires: None, persistent: true };
/// Before and after every message's expiry, where it has one.
const EARLY: Timestamp = Timestamp(1);
const EXPIRY: Timestamp = Timestamp(2);
const LATE: Timestamp = Timestamp(3);

const LARGE: usize = 300;
/// A short body, in its record, and a long one, in a file.
const SHORT: u64 = 8;
const LONG: u64 = 13;
const OTHERS: [u64; 4] = [20, 27, 34, 22];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    Flipped,
    Truncated,
    Missing,
    UnreadableFile,
}

/// What the message is met by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meeting {
    Get,
    GetInUnit,
    Browse,
    Glimpse,
    Discard,
}

const MEETINGS: [Meeting; 5] = [Meeting::Get, Meeting::GetInUnit, Meeting::Browse, Meeting::Glimpse, Meeting::Discard];

fn open(disk: &Arc<SimulatedDisk>) -> PrivateStore {
    let options = StoreOptions { large_body_bytes: LARGE as u64, buffer_pool_bytes: 0, ..small() };
    PrivateStore::open(Arc::clone(disk) as Arc<dyn Disk>, options).expect("opens").0
}

fn name_of(body: &[u8]) -> u64 {
    u64::from_le_bytes(body[..8].try_into().expect("the name"))
}

/// Damages the named message; says which file it is in and what that held before.
fn damage(disk: &SimulatedDisk, name: u64, damage: Damage) -> (String, Vec<u8>) {
    let content = body(name);
    let found = |file: String| {
        let before = disk.content(&file);
        let at = before.windows(content.len()).position(|bytes| *bytes == content)?;
        Some((file, before, at))
    };
    let (file, before, at) = disk.names().into_iter().find_map(found).expect("it is on disk");
    let mut after = before.clone();
    match damage {
        Damage::Flipped => after[at + 9] ^= 4,
        Damage::Truncated => after.truncate(at + 10),
        Damage::Missing => {
            disk.remove_from_outside(&file);
            return (file, before);
        }
        Damage::UnreadableFile => refuse_a_read(disk, libc::EIO),
    }
    disk.replace(&file, after);
    (file, before)
}

fn refuse_a_read(disk: &SimulatedDisk, error: i32) {
    let refusal = Refusal { call: Call::Read, files: "body-", from: 1, count: 1, error };
    disk.set_faults(Faults { refusal: Some(refusal), ..Faults::default() });
}

/// A queue whose first message is to be damaged.
struct Case {
    disk: Arc<SimulatedDisk>,
    store: PrivateStore,
    queue: QueueId,
    told: Arc<Mutex<Vec<Quarantined>>>,
}

impl Case {
    fn new(victim: u64, expires: bool) -> Self {
        let disk = Arc::new(SimulatedDisk::default());
        let store = open(&disk);
        let queue = store.create_queue();
        let told: Arc<Mutex<Vec<_>>> = Arc::default();
        let listener = Arc::clone(&told);
        store.listen_to_quarantine(Box::new(move |message, _| listener.lock().unwrap().push(message.clone())));
        for name in [victim].iter().chain(&OTHERS) {
            let placement = Placement { expires: expires.then_some(EXPIRY), ..PLACEMENT };
            let message: Message = message(*name, true, 0);
            block_on(store.put(None, queue, message, placement, EARLY)).expect("puts");
        }
        Self { disk, store, queue, told }
    }

    /// The names that it returns.
    fn meet(&self, meeting: Meeting) -> Result<Vec<u64>, StoreError> {
        let (store, queue, any) = (&self.store, self.queue, Selection::default());
        let bodies: Vec<_> = match meeting {
            Meeting::Get => {
                block_on(store.get(None, queue, &any, EARLY))?.map(|got| got.message.body).into_iter().collect()
            }
            Meeting::GetInUnit => {
                let unit = store.begin();
                let got = block_on(store.get(Some(unit), queue, &any, EARLY));
                block_on(store.commit(unit)).expect("commits");
                got?.map(|got| got.message.body).into_iter().collect()
            }
            Meeting::Browse => {
                block_on(store.browse(queue, None, &any, EARLY))?.map(|seen| seen.message.body).into_iter().collect()
            }
            Meeting::Glimpse => {
                let mut scan = store.open_scan(queue)?;
                scan.begin(&any, None);
                let mut seen = Vec::new();
                loop {
                    let slice = block_on(store.scan(&mut scan, &any, 1, EARLY))?;
                    seen.extend(slice.glimpses.into_iter().map(|glimpse| glimpse.beginning));
                    if !seen.is_empty() || slice.is_last {
                        break seen;
                    }
                }
            }
            Meeting::Discard => {
                let mut gone = VecDeque::new();
                block_on(store.discard_expired(queue, LATE, &mut gone))?;
                gone.into_iter().map(|stored| stored.message.body).collect()
            }
        };
        Ok(bodies.iter().map(|body| name_of(body)).collect())
    }

    fn drain(&self) -> Vec<u64> {
        std::iter::from_fn(|| self.meet(Meeting::Get).expect("gets").pop()).collect()
    }

    /// Current depth, uncommitted messages and those in quarantine.
    fn depth(&self) -> (usize, u32, u32) {
        let depth = self.store.depth(self.queue);
        (depth.current as usize, depth.uncommitted, depth.quarantined)
    }

    /// What a start finds after a crash.
    fn restarted(&self, disk: &Arc<SimulatedDisk>) -> Self {
        let store = open(disk);
        store.retain_queues(&[self.queue]);
        Self { disk: Arc::clone(disk), store, queue: self.queue, told: Arc::default() }
    }
}

fn check(victim: u64, kind: Damage, meeting: Meeting) {
    let case = Case::new(victim, meeting == Meeting::Discard);
    let (file, before) = damage(&case.disk, victim, kind);
    let what = format!("{kind:?} {file} met by {meeting:?}");
    let found = case.meet(meeting).expect("the next message is there");
    let (expected, left) = match meeting {
        Meeting::Get | Meeting::GetInUnit => (&OTHERS[..1], &OTHERS[1..]),
        Meeting::Browse | Meeting::Glimpse => (&OTHERS[..1], &OTHERS[..]),
        Meeting::Discard => (&OTHERS[..], &OTHERS[4..]),
    };
    assert_eq!(found, expected, "{what}");
    assert_eq!(case.depth(), (left.len(), 0, 1), "{what}");
    assert_eq!(case.drain(), left, "{what}: all others are delivered");
    let listed = case.store.quarantine();
    let [message] = listed.as_slice() else { panic!("{what}: {listed:?}") };
    let id: MessageId = self::message(victim, true, 0).descriptor.message_id;
    assert_eq!((&message.file, message.message_id, message.queue), (&file, id, case.queue), "{what}");
    assert_eq!(case.told.lock().unwrap().len(), 1, "{what}: told once");
    assert!(!case.store.statistics().log_failed, "{what}");
    if !file.starts_with("body-") {
        return;
    }
    // Restored from a copy, it is well after a restart.
    case.disk.stop();
    let after = Arc::new(case.disk.after_crash(3));
    after.replace(&file, before);
    let case = case.restarted(&after);
    assert_eq!(case.depth(), (1, 0, 0), "{what}: it is there after a restart");
    assert_eq!(case.drain(), [victim], "{what}");
}

#[test]
fn a_message_that_cannot_be_read_is_set_aside_and_the_next_one_is_delivered() {
    for meeting in MEETINGS {
        for kind in [Damage::Flipped, Damage::Truncated, Damage::Missing, Damage::UnreadableFile] {
            check(LONG, kind, meeting);
        }
        check(SHORT, Damage::Flipped, meeting);
    }
}

/// Long bodies, each in a file.
const LONG_ONES: [u64; 3] = [LONG, LONG + 7, LONG + 14];

/// A start with the file of the second message so, and what it held before.
fn start_with(kind: Damage) -> (Case, String, Vec<u8>, Vec<(Quarantined, RecoveryLogError)>) {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk);
    let queue = store.create_queue();
    for name in LONG_ONES {
        block_on(store.put(None, queue, message(name, true, 0), PLACEMENT, EARLY)).expect("puts");
    }
    store.close();
    let (file, before) = damage(&disk, LONG_ONES[1], kind);
    let options = StoreOptions { large_body_bytes: LARGE as u64, buffer_pool_bytes: 0, ..small() };
    let opened = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, options);
    let (store, recovered) = opened.expect("one body does not refuse the start");
    store.retain_queues(&[queue]);
    (Case { disk, store, queue, told: Arc::default() }, file, before, recovered.set_aside)
}

#[test]
fn a_start_sets_aside_what_has_lost_its_body_file_and_a_restored_file_heals_it() {
    for kind in [Damage::Missing, Damage::Truncated] {
        let (case, file, before, set_aside) = start_with(kind);
        let [(message, cause)] = &set_aside[..] else { panic!("{kind:?}: {set_aside:?}") };
        let id: MessageId = self::message(LONG_ONES[1], true, 0).descriptor.message_id;
        assert_eq!((&message.file, message.message_id, message.queue), (&file, id, case.queue), "{kind:?}");
        assert!(cause.to_string().contains(&file), "{cause}");
        assert_eq!(case.depth(), (2, 0, 1), "{kind:?}");
        let listed = case.store.quarantine();
        assert_eq!(listed.iter().map(|message| &message.file).collect::<Vec<_>>(), [&file], "{kind:?}");
        case.store.close();
        // Without a restored file it is found again, and with it delivered.
        let again = case.restarted(&case.disk);
        assert_eq!(again.depth(), (2, 0, 1), "{kind:?}");
        again.store.close();
        case.disk.replace(&file, before);
        let healed = case.restarted(&case.disk);
        assert_eq!(healed.depth(), (3, 0, 0), "{kind:?}");
        assert_eq!(healed.drain(), LONG_ONES, "{kind:?}");
    }
}

#[test]
fn what_a_start_has_set_aside_can_be_removed_and_the_others_are_delivered() {
    for kind in [Damage::Missing, Damage::Truncated] {
        let (case, _, _, set_aside) = start_with(kind);
        let (message, _) = &set_aside[0];
        let salvaged = block_on(case.store.salvage(case.queue, message.key)).expect("it is in quarantine");
        assert_eq!(salvaged.len(), if kind == Damage::Missing { 0 } else { 10 }, "{kind:?}");
        assert!(block_on(case.store.remove_quarantined(case.queue, message.key)).expect("removes"), "{kind:?}");
        case.store.close();
        let again = case.restarted(&case.disk);
        assert_eq!(again.depth(), (2, 0, 0), "{kind:?}");
        assert_eq!(again.drain(), [LONG_ONES[0], LONG_ONES[2]], "{kind:?}");
    }
}

/// A unit of work in doubt keeps what it holds until its outcome; then the next read finds out.
#[test]
fn a_prepared_message_without_its_body_file_is_set_aside_after_the_outcome() {
    for put_in_unit in [true, false] {
        for commits in [true, false] {
            let disk = Arc::new(SimulatedDisk::default());
            let store = open(&disk);
            let queue = store.create_queue();
            let unit = store.begin();
            let put_by = put_in_unit.then_some(unit);
            block_on(store.put(put_by, queue, message(LONG, true, 0), PLACEMENT, EARLY)).expect("puts");
            if !put_in_unit {
                block_on(store.get(Some(unit), queue, &Selection::default(), EARLY)).expect("gets").expect("there");
            }
            block_on(store.prepare(unit, None)).expect("prepares");
            store.close();
            damage(&disk, LONG, Damage::Missing);
            let store = open(&disk);
            store.retain_queues(&[queue]);
            let outcome = if commits { block_on(store.commit(unit)) } else { block_on(store.back_out(unit)) };
            outcome.expect("it has an outcome");
            let case = Case { disk, store, queue, told: Arc::default() };
            assert_eq!(case.drain(), [0_u64; 0]);
            let stays = u32::from(put_in_unit == commits);
            assert_eq!(case.depth(), (0, 0, stays), "put: {put_in_unit}, committed: {commits}");
        }
    }
}

/// Enough puts and gets on another queue for every old extent to be freed.
fn churn(store: &PrivateStore, disk: &SimulatedDisk) {
    let busy = store.create_queue();
    let first = disk.names().into_iter().find(|name| name.starts_with("extent-")).expect("an extent");
    for name in (0..4_000).map(|number| 7 * (100 + number)) {
        block_on(store.put(None, busy, message(name, true, 0), PLACEMENT, EARLY)).expect("put");
        block_on(store.get(None, busy, &Selection::default(), EARLY)).expect("got").expect("there");
        if !disk.names().contains(&first) {
            return;
        }
    }
    panic!("{first} is not freed");
}

#[test]
fn messages_whose_queue_has_no_definition_are_kept_listed_exported_and_removed() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk);
    let [kept, lost] = [(); 2].map(|()| store.create_queue());
    for (queue, name) in [(kept, SHORT), (lost, SHORT), (lost, LONG), (lost, 22)] {
        block_on(store.put(None, queue, message(name, true, 0), PLACEMENT, EARLY)).expect("puts");
    }
    // The last one is in doubt.
    let unit = store.begin();
    let last = Selection { message_id: Some(message(22, true, 0).descriptor.message_id), ..Selection::default() };
    block_on(store.get(Some(unit), lost, &last, EARLY)).expect("gets").expect("there");
    block_on(store.prepare(unit, None)).expect("prepares");
    store.close();
    let mut store = open(&disk);
    let undefined = [UndefinedQueue { id: lost, messages: 3 }];
    for _ in 0..3 {
        assert_eq!(store.retain_queues(&[kept]), undefined, "after every start");
        assert_eq!(store.quarantine().len(), 2);
        churn(&store, &disk);
        store.close();
        store = open(&disk);
    }
    store.retain_queues(&[kept]);
    block_on(store.back_out(unit)).expect("it has an outcome");
    let listed = store.quarantine();
    assert_eq!(listed.iter().map(|message| message.queue).collect::<Vec<_>>(), [lost; 3]);
    for (message, name) in listed.iter().zip([SHORT, LONG, 22]) {
        assert_eq!(block_on(store.salvage(lost, message.key)).as_ref(), Some(&body(name)), "its content is whole");
        assert!(block_on(store.remove_quarantined(lost, message.key)).expect("removes"));
    }
    store.close();
    let store = open(&disk);
    assert_eq!(store.retain_queues(&[kept]), []);
    assert_eq!(store.quarantine().len(), 0);
    assert_eq!(store.depth(kept).current, 1);
}

#[test]
fn of_a_queue_that_was_dropped_nothing_is_left_to_keep() {
    let disk = Arc::new(SimulatedDisk::default());
    let store = open(&disk);
    let [kept, dropped, temporary] = [(); 3].map(|()| store.create_queue());
    for name in [SHORT, LONG] {
        block_on(store.put(None, dropped, message(name, true, 0), PLACEMENT, EARLY)).expect("puts");
        let placement = Placement { persistent: false, ..PLACEMENT };
        block_on(store.put(None, temporary, message(name, false, 0), placement, EARLY)).expect("puts");
    }
    block_on(store.change_definitions(vec![DefinitionChange::DropQueue(dropped)])).expect("drops");
    store.close();
    let store = open(&disk);
    assert_eq!(store.retain_queues(&[kept]), []);
    assert_eq!(store.quarantine().len(), 0);
}

#[test]
fn what_can_be_read_is_exported_and_what_is_removed_is_gone_for_good() {
    let cases = [
        (LONG, Damage::Flipped, body(LONG).len()),
        (LONG, Damage::Truncated, 10),
        (LONG, Damage::Missing, 0),
        (SHORT, Damage::Flipped, body(SHORT).len()),
    ];
    for (victim, kind, salvaged) in cases {
        let case = Case::new(victim, false);
        damage(&case.disk, victim, kind);
        let seen = block_on(case.store.browse(case.queue, None, &Selection::default(), EARLY)).expect("browses");
        let well = seen.expect("the second message").key;
        assert_eq!(block_on(case.store.salvage(case.queue, well)), None, "only what is in quarantine");
        assert!(!block_on(case.store.remove_quarantined(case.queue, well)).expect("asked"));
        let key = case.store.quarantine()[0].key;
        let bytes = block_on(case.store.salvage(case.queue, key)).expect("it is in quarantine");
        assert_eq!(bytes.len(), salvaged, "{kind:?}");
        let differing = bytes.iter().zip(&body(victim)).filter(|(a, b)| a != b).count();
        assert_eq!(differing, usize::from(kind == Damage::Flipped), "{kind:?}");
        assert!(block_on(case.store.remove_quarantined(case.queue, key)).expect("removes"));
        assert!(!block_on(case.store.remove_quarantined(case.queue, key)).expect("asked again"));
        assert_eq!(case.depth(), (OTHERS.len(), 0, 0));
        // A start refuses a log whose middle is damaged.
        if victim == LONG {
            case.disk.stop();
            let case = case.restarted(&Arc::new(case.disk.after_crash(5)));
            assert_eq!(case.drain(), OTHERS, "{kind:?}");
        }
    }
}

#[test]
fn an_error_that_may_pass_sets_nothing_aside() {
    for error in [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::EACCES, libc::EINTR, libc::EAGAIN] {
        for meeting in MEETINGS {
            let case = Case::new(LONG, meeting == Meeting::Discard);
            refuse_a_read(&case.disk, error);
            let refused = case.meet(meeting);
            assert!(matches!(refused, Err(StoreError::File(_))), "{meeting:?} with {error}: {refused:?}");
            assert_eq!(case.depth(), (1 + OTHERS.len(), 0, 0), "{meeting:?} with {error}");
            assert_eq!(case.drain(), [&[LONG], &OTHERS[..]].concat(), "{meeting:?} with {error}");
        }
    }
}

#[test]
fn clearing_a_queue_removes_its_quarantine_too() {
    let case = Case::new(LONG, false);
    damage(&case.disk, LONG, Damage::Truncated);
    assert_eq!(case.drain(), OTHERS);
    assert_eq!(case.depth(), (0, 0, 1));
    block_on(case.store.clear(case.queue)).expect("clears");
    assert_eq!(case.depth(), (0, 0, 0));
    case.disk.stop();
    let case = case.restarted(&Arc::new(case.disk.after_crash(1)));
    assert_eq!(case.depth(), (0, 0, 0));
}
