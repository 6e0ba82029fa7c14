//! The body files of what a start has found: each has to be there, and as long as the body. What they hold is checked when they are
//! read.

use std::io::ErrorKind;
use std::num::NonZeroU64;

use hashbrown::HashSet;

use super::Map;
use crate::private::log::disk::{Disk, disk_error};
use crate::private::log::extent::LogFile;
use crate::private::quarantine::{Quarantined, is_lasting};
use crate::private::queue::{Holder, Queue};
use crate::{QueueId, RecoveryLogError};

/// Files that no message needs, and messages that were set aside.
pub(super) type CheckedBodies = (Vec<u64>, Vec<(Quarantined, RecoveryLogError)>);

/// Sets messages aside whose body file is missing or too short, unless a unit of work holds them: those are set aside
/// when they are read. Returns the files that no message needs, and the messages.
pub(super) fn check_bodies(
    disk: &dyn Disk,
    queues: &mut Map<QueueId, Queue>,
    present: &[u64],
) -> Result<CheckedBodies, RecoveryLogError> {
    let mut unneeded: HashSet<u64, foldhash::fast::RandomState> = present.iter().copied().collect();
    let mut set_aside = Vec::new();
    for (id, queue) in queues {
        let mut unreadable = Vec::new();
        for (slot, number) in queue.body_files() {
            let entry = queue.entry(slot);
            let is_there = unneeded.remove(&number.get());
            if let Err(error) = check_body(disk, number, is_there, entry.body_bytes)?
                && entry.holder == Holder::Nobody
            {
                unreadable.push((slot, error));
            }
        }
        for (slot, error) in unreadable {
            queue.set_aside(slot);
            set_aside.push((Quarantined::of(*id, queue.entry(slot)), error));
        }
    }
    set_aside.sort_by_key(|(message, _)| (message.queue, message.key));
    Ok((unneeded.into_iter().collect(), set_aside))
}

/// Is the file of a body long enough? What the disk says is the inner result if it is about this message.
fn check_body(
    disk: &dyn Disk,
    number: NonZeroU64,
    is_there: bool,
    length: u32,
) -> Result<Result<(), RecoveryLogError>, RecoveryLogError> {
    let file = LogFile::Body(number.get()).name();
    if !is_there {
        return Ok(Err(disk_error("find", &file, ErrorKind::NotFound.into())));
    }
    match disk.length(&file) {
        Ok(found) if found >= u64::from(length) => Ok(Ok(())),
        Ok(_) => Ok(Err(disk_error("read all of", &file, ErrorKind::UnexpectedEof.into()))),
        Err(source) => {
            let error = disk_error("measure", &file, source);
            if is_lasting(&error) { Ok(Err(error)) } else { Err(error) }
        }
    }
}
