//! Logs whose checksums are right and whose content is not: a start is refused or succeeds, and what it accepts can be
//! read or is refused, but nothing panics. The fuzz target `log_reader` does the same for longer.

use std::sync::Arc;

use bytes::Bytes;
use model::timestamp::Timestamp;
use proptest::prelude::*;
use storage::private::log::disk::Disk;
use storage::private::log::inspect::{Item, image_around, inspect, inspect_image};
use storage::{DefinitionChange, Placement, PrivateStore, QueueId, Receipt, ReceiptKey, Selection, Xid, block_on};

use crate::conformance::small;
use crate::simulated_disk::SimulatedDisk;
use crate::workload::{FOREVER, message};

/// A batch with records of every kind: its payload and the number of its units.
fn payload() -> (Vec<u8>, u32) {
    let disk = Arc::new(SimulatedDisk::default());
    let (store, _) = PrivateStore::open(Arc::clone(&disk) as Arc<dyn Disk>, small()).expect("opens");
    let queues = [store.create_queue(), store.create_queue(), store.create_queue()];
    let placement = Placement { by_priority: true, maximum_depth: 9, expires: None, persistent: true };
    let put = |unit, queue, name| {
        block_on(store.put(unit, queue, message(name, true, 2), placement, FOREVER)).expect("puts");
    };
    put(None, queues[0], 7);
    put(None, queues[0], 14);
    put(None, queues[1], 21);
    put(None, queues[2], 28);
    let (first, second) = (store.begin(), store.begin());
    block_on(store.get(Some(first), queues[0], &Selection::default(), FOREVER)).expect("gets");
    put(Some(first), queues[1], 35);
    let xid = Xid { format_id: 1, global_transaction: vec![1; 20], branch: vec![2] };
    block_on(store.prepare(first, Some(xid))).expect("prepares");
    block_on(store.get(Some(second), queues[0], &Selection::default(), FOREVER)).expect("gets");
    block_on(store.back_out(second)).expect("backs out");
    block_on(store.clear(queues[1])).expect_err("uncommitted");
    block_on(store.clear(queues[2])).expect("clears");
    block_on(store.get(None, queues[0], &Selection::default(), FOREVER)).expect("gets");
    let save = DefinitionChange::Save { key: "queue/A".to_owned(), value: vec![3; 9] };
    let delete = DefinitionChange::Delete { key: "queue/A".to_owned() };
    block_on(store.change_definitions(vec![save, delete, DefinitionChange::DropQueue(queues[2])])).expect("changes");
    block_on(store.commit(first)).expect("commits");
    let receipt =
        Receipt { key: ReceiptKey([4; 16]), expires: Timestamp(9_000_000), value: Bytes::from_static(b"done") };
    block_on(store.commit_together(&[], Some(&receipt))).expect("commits");
    store.close();
    let (mut whole, mut count) = (Vec::new(), 0);
    let image = disk.content("extent-0000000001");
    for item in inspect_image(&image) {
        if let Item::Batch { offset, length, units, .. } = item {
            let (from, to) = (usize::try_from(offset).unwrap() + 48, usize::try_from(offset + length).unwrap());
            // Padding would end the units, so it is left out by following their lengths.
            let mut at = from;
            for _ in 0..units {
                let unit = u32::from_le_bytes(image[at..at + 4].try_into().unwrap());
                at += usize::try_from(unit).unwrap();
            }
            assert!(at <= to);
            whole.extend_from_slice(&image[from..at]);
            count += units;
        }
    }
    (whole, count)
}

/// The queues that were found, and how many messages could be got.
fn start(payload: &[u8], units: u32) -> Option<usize> {
    let disk = SimulatedDisk::default();
    let image = image_around(payload, units);
    let queues: Vec<QueueId> = inspect_image(&image)
        .iter()
        .filter_map(|item| if let Item::Put { queue, .. } = item { Some(*queue) } else { None })
        .collect();
    disk.replace("extent-0000000001", image);
    let described: usize = inspect(&disk).expect("lists").map(|item| item.to_string().len()).sum();
    assert!(described > 0);
    let (store, _) = PrivateStore::open(Arc::new(disk), small()).ok()?;
    store.retain_queues(&queues);
    let _ = block_on(store.receipt(&ReceiptKey([4; 16]), FOREVER));
    let mut got = 0;
    for queue in queues {
        while let Ok(Some(_)) = block_on(store.get(None, queue, &Selection::default(), FOREVER)) {
            got += 1;
        }
    }
    Some(got)
}

#[test]
fn the_untouched_payload_is_accepted() {
    let (payload, units) = payload();
    // What was there and what the unit of work put, both on the second queue.
    assert_eq!(start(&payload, units), Some(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn changed_bytes_behind_right_checksums_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        static PAYLOAD: std::sync::OnceLock<(Vec<u8>, u32)> = std::sync::OnceLock::new();
        let (payload, units) = PAYLOAD.get_or_init(payload);
        let mut changed = payload.clone();
        for (at, value) in changes {
            let at = at.index(changed.len());
            changed[at] = value;
        }
        start(&changed, *units);
    }
}
