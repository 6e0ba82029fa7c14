//! Looks at a log directory without changing it: also at one that a server is using, and at a damaged one.
//!
//! Yields what is there, in order, and goes on where recovery would refuse. Bodies are never shown. A running server
//! may write while this reads: what is half written shows as the end of the batches.

use std::fmt;

use crate::private::log::anchor::{Anchor, Promise};
use crate::private::log::disk::{Disk, FileName, disk_error};
use crate::private::log::extent::{
    BATCH_ALIGNMENT, BATCH_HEADER_BYTES, BatchHeader, EXTENT_HEADER_BYTES, ExtentHeader, LogFile, PAGE_BYTES, Place,
};
use crate::private::log::reader::{Piece, pieces, read_extent};
use crate::private::log::record::{Operation, PutRecord, Unit, units};
use crate::{DeliveryKey, QueueId, ReceiptKey, RecoveryLogError, UnitOfWorkId, Xid};

pub use crate::private::log::record::UnitKind;

/// One thing found in a log directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Anchor {
        counter: u64,
        /// The log is durable up to this extent and offset.
        extent: u32,
        offset: u64,
        oldest: u32,
        highest: u32,
    },
    UnreadableAnchor {
        reason: String,
    },
    /// What the anchor promises is not there: recovery refuses such a log.
    Lost {
        reason: String,
    },
    Extent {
        sequence: u32,
        salt: u64,
        length: u64,
    },
    /// The header is not readable, so nothing of the extent is.
    UnreadableExtent {
        sequence: u32,
        reason: String,
    },
    Batch {
        extent: u32,
        offset: u64,
        length: u64,
        units: u32,
        oldest_needed: u32,
    },
    Unit {
        kind: UnitKind,
        unit_of_work: UnitOfWorkId,
        xid: Option<Xid>,
    },
    /// Put, or with `moved` the same message again at a new place.
    Put {
        offset: u64,
        moved: bool,
        queue: QueueId,
        key: DeliveryKey,
        backout_count: u32,
        body_length: u32,
        /// Number of the file that holds the body.
        body_file: Option<u64>,
    },
    Get {
        offset: u64,
        queue: QueueId,
        key: DeliveryKey,
    },
    BackoutCount {
        offset: u64,
        queue: QueueId,
        key: DeliveryKey,
        count: u32,
    },
    SaveDefinition {
        offset: u64,
        key: String,
        length: usize,
    },
    DeleteDefinition {
        offset: u64,
        key: String,
    },
    DropQueue {
        offset: u64,
        queue: QueueId,
    },
    ClearQueue {
        offset: u64,
        queue: QueueId,
    },
    /// What was answered to a request, by its key.
    Receipt {
        offset: u64,
        key: ReceiptKey,
        length: usize,
    },
    /// No whole batch starts here. With `more_at`, one does further on: recovery refuses such a log.
    End {
        extent: u32,
        offset: u64,
        more_at: Option<u64>,
    },
    /// A record inside a batch that makes no sense.
    Malformed {
        extent: u32,
        offset: u64,
    },
    OtherFile {
        name: String,
        length: u64,
    },
}

/// Everything in the directory: the anchor, extents by sequence, and other files of the log.
///
/// # Errors
/// The directory cannot be listed. What goes wrong with a single extent is an item.
pub fn inspect(disk: &dyn Disk) -> Result<impl Iterator<Item = Item>, RecoveryLogError> {
    // Before all else: beside a running server, everything that is read later has what it promises.
    let anchor = Anchor::read(disk);
    let mut files: Vec<(LogFile, FileName)> = disk
        .list()
        .map_err(|source| disk_error("list", &FileName(".".to_owned()), source))?
        .into_iter()
        .filter_map(|name| LogFile::parse(&name).map(|file| (file, name)))
        .collect();
    files.sort_by_key(|(file, name)| match file {
        LogFile::Anchor => (0, 0, name.clone()),
        LogFile::Extent(sequence) => (1, *sequence, name.clone()),
        _ => (2, 0, name.clone()),
    });
    let has_anchor = matches!(files.first(), Some((LogFile::Anchor, _)));
    let promise = anchor.as_ref().ok().map(|anchor| anchor.promise);
    let mut kept = Kept { promise, extents: extents(&files), end: Place::START };
    let first = if has_anchor { kept.anchor(anchor) } else { Vec::new() };
    let others = files.into_iter().filter(|(file, _)| *file != LogFile::Anchor);
    Ok(first.into_iter().chain(others.flat_map(move |(file, name)| match file {
        LogFile::Extent(sequence) => kept.extent(disk, sequence),
        _ => vec![Item::OtherFile { length: disk.length(&name).unwrap_or(0), name: name.0 }],
    })))
}

fn extents(files: &[(LogFile, FileName)]) -> Vec<u32> {
    let sequence = |(file, _): &(LogFile, FileName)| match file {
        LogFile::Extent(sequence) => Some(*sequence),
        _ => None,
    };
    files.iter().filter_map(sequence).collect()
}

/// Compares what is there with what the anchor promises.
struct Kept {
    promise: Option<Promise>,
    /// Ascending.
    extents: Vec<u32>,
    /// Where the last batch ended.
    end: Place,
}

impl Kept {
    fn anchor(&mut self, anchor: Result<Anchor, RecoveryLogError>) -> Vec<Item> {
        let item = match anchor {
            Ok(Anchor { counter, promise: Promise { durable, oldest, highest, .. } }) => {
                Item::Anchor { counter, extent: durable.extent(), offset: durable.offset(), oldest, highest }
            }
            Err(error) => Item::UnreadableAnchor { reason: error.to_string() },
        };
        [item].into_iter().chain(self.lost(|promise, kept| promise.check_files(&kept.extents))).collect()
    }

    fn extent(&mut self, disk: &dyn Disk, sequence: u32) -> Vec<Item> {
        let image = match read_extent(disk, sequence, None) {
            Ok(image) => image,
            Err(error) => return vec![Item::UnreadableExtent { sequence, reason: error.to_string() }],
        };
        let mut items = image_items(&image.header, &image.bytes);
        for item in &items {
            if let Item::Batch { extent, offset, length, .. } = item {
                let end = usize::try_from(offset + length).expect("an offset within a file that is in memory");
                self.end = Place::new(*extent, end);
            }
        }
        items.extend(self.lost(|promise, _| promise.check_extent(&image.header)));
        if self.extents.last() == Some(&sequence) {
            let start = Place::new(self.extents[0], EXTENT_HEADER_BYTES);
            items.extend(self.lost(|promise, kept| promise.check_end(kept.end.max(start))));
        }
        items
    }

    /// The first promise that is not kept: what follows from it is not told.
    fn lost(&mut self, check: impl FnOnce(&Promise, &Self) -> Result<(), RecoveryLogError>) -> Option<Item> {
        let error = check(self.promise.as_ref()?, self).err()?;
        self.promise = None;
        Some(Item::Lost { reason: error.to_string() })
    }
}

/// The items of an extent given as bytes; for a header that makes no sense, nothing.
pub fn inspect_image(bytes: &[u8]) -> Vec<Item> {
    match ExtentHeader::decode(bytes) {
        Ok(header) => image_items(&header, bytes),
        Err(_) => Vec::new(),
    }
}

/// The items of a batch's content, checksum aside. Offsets count from the start of `payload`.
pub fn inspect_units(payload: &[u8], count: u32) -> Vec<Item> {
    let mut items = Vec::new();
    unit_items(payload, count, 0, 0, &mut items);
    items
}

/// An extent, numbered 1, whose only batch has this payload and says it has so many units: what a decoder meets when all
/// checksums are right and nothing else need be. For tests and fuzzing.
pub fn image_around(payload: &[u8], units: u32) -> Vec<u8> {
    let length = (BATCH_HEADER_BYTES + payload.len()).next_multiple_of(BATCH_ALIGNMENT);
    let whole = (EXTENT_HEADER_BYTES + length).next_multiple_of(PAGE_BYTES) + PAGE_BYTES;
    let header = ExtentHeader { sequence: 1, salt: 0x5EED, length: whole as u64 };
    let mut image = vec![0; whole];
    let head = header.encode();
    image[..head.len()].copy_from_slice(&head);
    let place = Place::new(1, EXTENT_HEADER_BYTES);
    let batch = &mut image[EXTENT_HEADER_BYTES..EXTENT_HEADER_BYTES + length];
    batch[BATCH_HEADER_BYTES..BATCH_HEADER_BYTES + payload.len()].copy_from_slice(payload);
    BatchHeader { place, previous_end: place, next_position: 1, oldest: 1, length, units }.seal(header.salt, batch);
    image
}

fn image_items(header: &ExtentHeader, bytes: &[u8]) -> Vec<Item> {
    let extent = header.sequence;
    let mut items = vec![Item::Extent { sequence: extent, salt: header.salt, length: header.length }];
    let mut gap = None;
    for piece in pieces(header, bytes) {
        match piece {
            Piece::Gap(offset) => gap = Some(offset),
            Piece::Batch { batch, payload, offset } => {
                items.extend(gap.take().map(|gap| end(extent, gap, Some(offset))));
                items.push(Item::Batch {
                    extent,
                    offset: offset as u64,
                    length: batch.length as u64,
                    units: batch.units,
                    oldest_needed: batch.oldest,
                });
                unit_items(payload, batch.units, extent, offset + BATCH_HEADER_BYTES, &mut items);
            }
        }
    }
    items.extend(gap.map(|gap| end(extent, gap, None)));
    items
}

fn end(extent: u32, offset: usize, more_at: Option<usize>) -> Item {
    Item::End { extent, offset: offset as u64, more_at: more_at.map(|at| at as u64) }
}

fn unit_items(payload: &[u8], count: u32, extent: u32, base: usize, items: &mut Vec<Item>) {
    for unit in units(payload, count) {
        match unit {
            Ok(Unit { kind, unit_of_work, ref xid, .. }) => {
                items.push(Item::Unit { kind, unit_of_work, xid: xid.clone() });
                for located in unit.iter().flat_map(Unit::operations) {
                    items.push(match located {
                        Ok(located) => operation_item(&located.operation, (base + located.start) as u64),
                        Err(offset) => Item::Malformed { extent, offset: (base + offset) as u64 },
                    });
                }
            }
            Err(offset) => items.push(Item::Malformed { extent, offset: (base + offset) as u64 }),
        }
    }
}

fn operation_item(operation: &Operation<'_>, offset: u64) -> Item {
    match *operation {
        Operation::Put(record) => put_item(&record, offset, false),
        Operation::Moved(record) => put_item(&record, offset, true),
        Operation::Get { queue, key } => Item::Get { offset, queue, key: key.delivery_key() },
        Operation::BackoutCount { queue, key, count } => {
            Item::BackoutCount { offset, queue, key: key.delivery_key(), count }
        }
        Operation::SaveDefinition { key, value, .. } => {
            Item::SaveDefinition { offset, key: key.to_owned(), length: value.len() }
        }
        Operation::DeleteDefinition { key } => Item::DeleteDefinition { offset, key: key.to_owned() },
        Operation::DropQueue(queue) => Item::DropQueue { offset, queue },
        Operation::ClearQueue(queue) => Item::ClearQueue { offset, queue },
        Operation::Receipt { key, value, .. } => Item::Receipt { offset, key, length: value.len() },
    }
}

fn put_item(record: &PutRecord<'_>, offset: u64, moved: bool) -> Item {
    Item::Put {
        offset,
        moved,
        queue: record.queue,
        key: record.key.delivery_key(),
        backout_count: record.backout_count,
        body_length: record.body_length,
        body_file: (record.body_file != 0).then_some(record.body_file),
    }
}

/// Rank and position, as `0/17`.
struct KeyText(DeliveryKey);

impl fmt::Display for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0.rank, self.0.position.0)
    }
}

/// The line that `quaymaster log inspect` prints.
pub fn describe(item: &Item) -> String {
    item.to_string()
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anchor { counter, extent, offset, oldest, highest } => write!(
                f,
                "anchor {counter}: durable up to {extent}:{offset}, needs extents from {oldest} on, extents up to \
                 {highest} begun"
            ),
            Self::UnreadableAnchor { reason } => write!(f, "the anchor cannot be read: {reason}"),
            Self::Lost { reason } => write!(f, "LOST: {reason}"),
            Self::Extent { sequence, salt, length } => {
                write!(f, "extent {sequence}: {length} bytes, salt {salt:016x}")
            }
            Self::UnreadableExtent { sequence, reason } => write!(f, "extent {sequence} cannot be read: {reason}"),
            Self::Batch { extent, offset, length, units, oldest_needed } => write!(
                f,
                "  batch at {extent}:{offset}: {length} bytes, {units} units, needs extents from {oldest_needed} on"
            ),
            Self::Unit { kind, unit_of_work, xid } => {
                write!(f, "    {}", unit_name(*kind))?;
                if unit_of_work.0 != 0 {
                    write!(f, " unit of work {}", unit_of_work.0)?;
                }
                match xid {
                    Some(xid) => write!(f, " xid {}", XidText(xid)),
                    None => Ok(()),
                }
            }
            Self::Put { offset, moved, queue, key, backout_count, body_length, body_file } => {
                let word = if *moved { "moved" } else { "put" };
                write!(
                    f,
                    "      {offset}: {word} queue {} message {}, body {body_length} bytes",
                    queue.0,
                    KeyText(*key)
                )?;
                if let Some(number) = body_file {
                    write!(f, " in {}", LogFile::Body(*number).name().0)?;
                }
                if *backout_count > 0 { write!(f, ", backed out {backout_count} times") } else { Ok(()) }
            }
            Self::Get { offset, queue, key } => {
                write!(f, "      {offset}: get queue {} message {}", queue.0, KeyText(*key))
            }
            Self::BackoutCount { offset, queue, key, count } => {
                write!(f, "      {offset}: backout count {count} queue {} message {}", queue.0, KeyText(*key))
            }
            Self::SaveDefinition { offset, key, length } => {
                write!(f, "      {offset}: save definition {key}, {length} bytes")
            }
            Self::DeleteDefinition { offset, key } => write!(f, "      {offset}: delete definition {key}"),
            Self::DropQueue { offset, queue } => write!(f, "      {offset}: drop queue {}", queue.0),
            Self::ClearQueue { offset, queue } => write!(f, "      {offset}: clear queue {}", queue.0),
            Self::Receipt { offset, key, length } => {
                write!(f, "      {offset}: receipt {:032x}, {length} bytes", u128::from_be_bytes(key.0))
            }
            Self::End { extent, offset, more_at: None } => write!(f, "  end of batches at {extent}:{offset}"),
            Self::End { extent, offset, more_at: Some(more) } => {
                write!(f, "  DAMAGED at {extent}:{offset}, although a batch follows at {extent}:{more}")
            }
            Self::Malformed { extent, offset } => write!(f, "      MALFORMED record at {extent}:{offset}"),
            Self::OtherFile { name, length } => write!(f, "{name}: {length} bytes"),
        }
    }
}

fn unit_name(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Complete => "complete",
        UnitKind::Part => "part of",
        UnitKind::Prepared => "prepared",
        UnitKind::Commit => "commit",
        UnitKind::BackOut => "back out",
    }
}

/// Format id and both parts in hexadecimal.
struct XidText<'a>(&'a Xid);

impl fmt::Display for XidText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.0.format_id)?;
        self.0.global_transaction.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(".")?;
        self.0.branch.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
