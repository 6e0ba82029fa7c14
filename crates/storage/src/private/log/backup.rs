//! Backups of a recovery log: its files as they were at one point, copied while the log goes on, and copied back.
//!
//! A backup is a directory with the files of a log directory, except that each extent ends where its last batch ended, and
//! with a file `contents`, which says what belongs to the backup:
//!
//! ```text
//! quaymaster-backup 1
//! log NAME                      whose log it is
//! point OLDEST END              as `Point`, both decimal
//! file NAME BYTES CRC           one line a file; CRC-32C in hexadecimal
//! crc CRC                       of all lines before
//! ```
//! `contents.new` is there from the beginning of the first backup until there are contents: without either file, no
//! directory is written to that holds files of a log.
//!
//! Files of a backup only grow. A second backup into the same directory therefore copies what is new, and the first one
//! is whole until `contents` is replaced, which is one rename. Files that the new contents do not name go after that.
//!
//! A backup may also travel as a stream, which is always whole: see `stream.rs`.
//!
//! Everything is checked on the way: batches and records as a start checks them, bodies against the checksum in their
//! record, and on the way back each file against `contents`. A backup has no anchor; a restored log has the one of its point.

pub mod pace;
pub mod stream;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read;

use bytes::Bytes;

use crate::RecoveryLogError;
use crate::private::log::anchor::anchor_restored;
use crate::private::log::disk::{Disk, FileName, disk_error, read_exact};
use crate::private::log::extent::{ExtentHeader, LogFile, PAGE_BYTES, Place};
use crate::private::log::hold::Point;
use crate::private::log::reader::{Image, Piece};
use crate::private::log::record::{Operation, Unit, units};
use crate::private::log::recovery::read_until;
use crate::private::quarantine::is_lasting;

const CONTENTS: &str = "contents";
const NEW_CONTENTS: &str = "contents.new";
/// First line of `contents`; the number is the version of this layout.
const FIRST_LINE: &str = "quaymaster-backup 1";
/// Bytes copied at once.
const PIECE: usize = 1 << 20;
/// Bytes of an extent that are synced together.
const SYNCED: usize = 4 << 20;

/// Why there is no backup, or nothing was restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Log(#[from] RecoveryLogError),
    #[error(
        "{file}, the body of a message, is damaged or missing; quaymaster log quarantine removes such a message once it was read"
    )]
    DamagedBody { file: String },
    #[error("the folder holds a backup of another log ({what} differs); choose an empty folder")]
    OtherLog { what: String },
    #[error("the folder holds no complete backup: {what}")]
    NoBackup { what: String },
    #[error("{file} of the backup is damaged")]
    Damaged { file: String },
    #[error("the folder is not empty and holds no backup ({file}); choose an empty folder")]
    NotEmpty { file: String },
    #[error("the backup was given up: {why}")]
    GivenUp { why: String },
    #[error("the stream holds no complete backup: {what}")]
    NoStream { what: String },
    #[error("cannot {action} the stream of the backup")]
    Stream {
        action: &'static str,
        #[source]
        source: std::io::Error,
    },
}

/// What belongs to a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Whose log it is.
    pub name: String,
    pub point: Point,
    pub files: Vec<BackupFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFile {
    pub name: FileName,
    pub bytes: u64,
    pub crc: u32,
}

/// What a backup cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copied {
    pub files: u64,
    /// Length of all files together.
    pub bytes: u64,
    /// Bytes that were not in an earlier backup in the same directory.
    pub new_bytes: u64,
}

impl Contents {
    /// `None` when the directory holds no backup.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn read(backup: &dyn Disk) -> Result<Option<Self>, BackupError> {
        let file = FileName(CONTENTS.to_owned());
        if !list(backup)?.contains(&file) {
            return Ok(None);
        }
        let length = backup.length(&file).map_err(|source| disk_error("measure", &file, source))?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        read_exact(backup, &file, 0, &mut bytes).map_err(|source| disk_error("read", &file, source))?;
        let text = String::from_utf8(bytes).ok();
        text.and_then(|text| Self::parse(&text)).map(Some).ok_or(BackupError::Damaged { file: file.0 })
    }

    /// As `read`, of a directory that must hold a backup.
    ///
    /// # Errors
    /// `NoBackup` as well.
    pub fn of(backup: &dyn Disk) -> Result<Self, BackupError> {
        let none = || BackupError::NoBackup { what: format!("it has no file {CONTENTS}") };
        Self::read(backup)?.ok_or_else(none)
    }

    fn parse(text: &str) -> Option<Self> {
        let (lines, last) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        let crc = u32::from_str_radix(last.strip_prefix("crc ")?, 16).ok()?;
        if crc32c::crc32c(&text.as_bytes()[..=lines.len()]) != crc {
            return None;
        }
        let mut lines = lines.lines();
        if lines.next()? != FIRST_LINE {
            return None;
        }
        let name = lines.next()?.strip_prefix("log ")?.to_owned();
        let (oldest, end) = lines.next()?.strip_prefix("point ")?.split_once(' ')?;
        let point = Point { oldest: oldest.parse().ok()?, end: end.parse().ok()? };
        let files = lines.map(BackupFile::parse).collect::<Option<_>>()?;
        Some(Self { name, point, files })
    }

    fn to_text(&self) -> String {
        let Point { oldest, end } = self.point;
        let mut text = format!("{FIRST_LINE}\nlog {}\npoint {oldest} {end}\n", self.name);
        for BackupFile { name, bytes, crc } in &self.files {
            writeln!(text, "file {} {bytes} {crc:08x}", name.0).expect("a string takes everything");
        }
        let crc = crc32c::crc32c(text.as_bytes());
        writeln!(text, "crc {crc:08x}").expect("a string takes everything");
        text
    }

    /// Makes the backup that which these contents describe.
    pub(super) fn write(&self, backup: &dyn Disk) -> Result<(), BackupError> {
        let new = FileName(NEW_CONTENTS.to_owned());
        let written = backup
            .create(&new)
            .and_then(|()| backup.write(&new, 0, self.to_text().as_bytes()))
            .and_then(|()| backup.sync(&new))
            .and_then(|()| backup.rename(&new, &FileName(CONTENTS.to_owned())));
        Ok(written.map_err(|source| disk_error("write", &new, source))?)
    }
}

impl BackupFile {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("file ")?.split(' ');
        let name = FileName(words.next()?.to_owned());
        let bytes = words.next()?.parse().ok()?;
        let crc = u32::from_str_radix(words.next()?, 16).ok()?;
        // No other name may ever be written below the directory of a log.
        let is_ours = matches!(LogFile::parse(&name)?, LogFile::Extent(_) | LogFile::Body(_));
        (is_ours && words.next().is_none()).then_some(Self { name, bytes, crc })
    }
}

/// Copies a log up to `point` into a directory that is empty or holds an earlier backup of the same log. The log must
/// not change up to there meanwhile: see `hold.rs`. The backup is complete when `still_stands` says so at the end.
///
/// # Errors
/// The log is damaged or cannot be read, or the directory cannot be written. An earlier backup in it is still whole then.
pub fn back_up(
    log: &dyn Disk,
    point: Point,
    name: &str,
    backup: &dyn Disk,
    still_stands: impl FnOnce() -> Result<(), BackupError>,
) -> Result<Copied, BackupError> {
    let earlier = Contents::read(backup)?;
    if earlier.is_none() {
        begin(backup)?;
    }
    if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.name != name) {
        return Err(BackupError::OtherLog { what: format!("the name {}", earlier.name) });
    }
    let earlier = earlier.map_or_else(Vec::new, |contents| contents.files);
    let earlier = earlier.into_iter().map(|file| (file.name.clone(), file)).collect();
    let mut folder = Folder { backup, earlier };
    let (contents, copied) = copy(log, point, name, &mut folder, still_stands)?;
    remove_others(backup, &contents);
    Ok(copied)
}

/// Where a backup goes.
trait Target {
    /// An extent up to the end of its last batch. Returns how many bytes from the beginning were there before.
    fn extent(&mut self, file: &BackupFile, bytes: &[u8]) -> Result<u64, BackupError>;

    /// A body; `content` has as many bytes as `file` says. Returns how many bytes were there before.
    fn body(&mut self, file: &BackupFile, content: BodyContent<'_>) -> Result<u64, BackupError>;

    /// Makes the backup that which these contents describe.
    fn complete(&mut self, contents: &Contents) -> Result<(), BackupError>;
}

/// Copies a log up to `point`. Everything is checked on the way, and nothing counts before `complete`.
fn copy(
    log: &dyn Disk,
    point: Point,
    name: &str,
    target: &mut dyn Target,
    still_stands: impl FnOnce() -> Result<(), BackupError>,
) -> Result<(Contents, Copied), BackupError> {
    let mut contents = Contents { name: name.to_owned(), point, files: Vec::new() };
    let mut copied = Copied::default();
    let mut done = |file: BackupFile, kept: u64| {
        copied.files += 1;
        copied.bytes += file.bytes;
        copied.new_bytes += file.bytes - kept;
        contents.files.push(file);
    };
    let mut records = HashMap::new();
    let bodies = read_until(log, point, |image, used| {
        records.extend(body_records(image));
        let (name, bytes) = (LogFile::Extent(image.header.sequence).name(), &image.bytes[..used]);
        let file = BackupFile { name, bytes: used as u64, crc: crc32c::crc32c(bytes) };
        let kept = target.extent(&file, bytes)?;
        done(file, kept);
        Ok::<_, BackupError>(())
    })?;
    for number in bodies {
        let record: BodyRecord = records.get(&number).copied().expect("its message has a record");
        let file = BackupFile { name: LogFile::Body(number).name(), bytes: u64::from(record.length), crc: record.crc };
        let kept = target.body(&file, BodyContent::new(log, &file))?;
        done(file, kept);
    }
    still_stands()?;
    target.complete(&contents)?;
    Ok((contents, copied))
}

/// Marks the directory as one of a backup that is not complete.
pub(super) fn begin(backup: &dyn Disk) -> Result<(), BackupError> {
    let mark = FileName(NEW_CONTENTS.to_owned());
    let names = list(backup)?;
    if names.contains(&mark) {
        return Ok(());
    }
    if let Some(file) = names.into_iter().find(|name| LogFile::parse(name).is_some()) {
        return Err(BackupError::NotEmpty { file: file.0 });
    }
    Ok(backup.create(&mark).map_err(|source| disk_error("create", &mark, source))?)
}

fn list(disk: &dyn Disk) -> Result<Vec<FileName>, RecoveryLogError> {
    disk.list().map_err(|source| disk_error("list", &FileName(".".to_owned()), source))
}

/// Length and checksum of a body that has a file of its own.
#[derive(Debug, Clone, Copy)]
struct BodyRecord {
    length: u32,
    crc: u32,
}

fn body_records(image: &Image) -> HashMap<u64, BodyRecord> {
    let mut found = HashMap::new();
    for piece in image.pieces() {
        let Piece::Batch { batch, payload, .. } = piece else { continue };
        for unit in units(payload, batch.units).map_while(Result::ok) {
            for located in Unit::operations(&unit).map_while(Result::ok) {
                if let Operation::Put(put) | Operation::Moved(put) = located.operation
                    && put.body_file != 0
                {
                    found.insert(put.body_file, BodyRecord { length: put.body_length, crc: put.body_crc });
                }
            }
        }
    }
    found
}

/// The bytes of a body in the log, as far as its record says. Never holds more of them than it is asked for.
struct BodyContent<'a> {
    log: &'a dyn Disk,
    file: &'a BackupFile,
    offset: u64,
    crc: u32,
}

impl<'a> BodyContent<'a> {
    fn new(log: &'a dyn Disk, file: &'a BackupFile) -> Self {
        Self { log, file, offset: 0, crc: 0 }
    }

    /// # Errors
    /// `DamagedBody`: what was read is not what the record is about.
    fn check(&self) -> Result<(), BackupError> {
        let is_right = self.offset == self.file.bytes && self.crc == self.file.crc;
        if is_right { Ok(()) } else { Err(self.damaged()) }
    }

    /// What it means that the disk of the log does not give the bytes.
    fn refused(&self, source: std::io::Error) -> BackupError {
        let error = disk_error("read", &self.file.name, source);
        if is_lasting(&error) { self.damaged() } else { error.into() }
    }

    fn damaged(&self) -> BackupError {
        BackupError::DamagedBody { file: self.file.name.0.clone() }
    }
}

impl Read for BodyContent<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = usize::try_from(self.file.bytes - self.offset).unwrap_or(usize::MAX);
        let count = rest.min(buffer.len());
        read_exact(self.log, &self.file.name, self.offset, &mut buffer[..count])?;
        self.crc = crc32c::crc32c_append(self.crc, &buffer[..count]);
        self.offset += count as u64;
        Ok(count)
    }
}

/// A directory, with the files that an earlier backup has left in it.
struct Folder<'a> {
    backup: &'a dyn Disk,
    earlier: HashMap<FileName, BackupFile>,
}

impl Target for Folder<'_> {
    fn extent(&mut self, file: &BackupFile, bytes: &[u8]) -> Result<u64, BackupError> {
        let name = &file.name;
        let kept = match self.earlier.get(name) {
            None => 0,
            Some(earlier) => {
                let beginning = usize::try_from(earlier.bytes).ok().and_then(|length| bytes.get(..length));
                if beginning.is_none_or(|beginning| crc32c::crc32c(beginning) != earlier.crc) {
                    return Err(BackupError::OtherLog { what: name.0.clone() });
                }
                earlier.bytes
            }
        };
        if kept == 0 {
            self.create(name)?;
        }
        let new = &bytes[usize::try_from(kept).expect("a part of an extent")..];
        // What gathers in memory would hold up the log's next sync.
        for (piece, at) in new.chunks(SYNCED).zip((kept..).step_by(SYNCED)) {
            self.write(name, at, piece)?;
            self.sync(name)?;
        }
        Ok(kept)
    }

    fn body(&mut self, file: &BackupFile, mut content: BodyContent<'_>) -> Result<u64, BackupError> {
        match self.earlier.get(&file.name) {
            Some(earlier) if earlier == file => return Ok(file.bytes),
            Some(_) => return Err(BackupError::OtherLog { what: file.name.0.clone() }),
            None => {}
        }
        self.create(&file.name)?;
        let mut piece = vec![0; PIECE.min(usize::try_from(file.bytes).unwrap_or(PIECE))];
        while content.offset < file.bytes {
            let offset = content.offset;
            let count = content.read(&mut piece).map_err(|source| content.refused(source))?;
            self.write(&file.name, offset, &piece[..count])?;
        }
        content.check()?;
        self.sync(&file.name)?;
        Ok(0)
    }

    fn complete(&mut self, contents: &Contents) -> Result<(), BackupError> {
        contents.write(self.backup)
    }
}

impl Folder<'_> {
    fn create(&self, file: &FileName) -> Result<(), BackupError> {
        Ok(self.backup.create(file).map_err(|source| disk_error("create", file, source))?)
    }

    fn write(&self, file: &FileName, offset: u64, bytes: &[u8]) -> Result<(), BackupError> {
        Ok(self.backup.write(file, offset, bytes).map_err(|source| disk_error("write", file, source))?)
    }

    fn sync(&self, file: &FileName) -> Result<(), BackupError> {
        Ok(self.backup.sync(file).map_err(|source| disk_error("sync", file, source))?)
    }
}

/// Copies one body into a directory that does not have it. False when the body is missing, or is not as its record says; what was
/// copied then has no use.
pub(super) fn copy_body(log: &dyn Disk, backup: &dyn Disk, file: &BackupFile) -> Result<bool, BackupError> {
    let mut folder = Folder { backup, earlier: HashMap::new() };
    match folder.body(file, BodyContent::new(log, file)) {
        Ok(_) => Ok(true),
        Err(BackupError::DamagedBody { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The first `length` bytes of a file, piece by piece, each with its offset.
fn pieces<'a>(
    disk: &'a dyn Disk,
    file: &'a FileName,
    length: u64,
) -> impl Iterator<Item = Result<(u64, Bytes), RecoveryLogError>> + 'a {
    (0..length).step_by(PIECE).map(move |offset| {
        let count = usize::try_from(length - offset).unwrap_or(usize::MAX).min(PIECE);
        let mut bytes = vec![0; count];
        read_exact(disk, file, offset, &mut bytes).map_err(|source| disk_error("read", file, source))?;
        Ok((offset, bytes.into()))
    })
}

/// What an earlier backup had and this one does not need, or what an unfinished one left.
pub(super) fn remove_others(backup: &dyn Disk, contents: &Contents) {
    let needed: std::collections::HashSet<&FileName> = contents.files.iter().map(|file| &file.name).collect();
    for file in backup.list().unwrap_or_default() {
        let is_ours = LogFile::parse(&file).is_some() || file.0 == NEW_CONTENTS;
        if is_ours
            && !needed.contains(&file)
            && let Err(error) = backup.remove(&file)
        {
            tracing::warn!(file = %file.0, error = %error, "cannot remove an unused file of the backup");
        }
    }
}

/// Reads a backup whole, and compares every file with its checksum.
///
/// # Errors
/// `NoBackup`, `Damaged`, or a file cannot be read.
pub fn verify(backup: &dyn Disk) -> Result<Contents, BackupError> {
    walk(backup, |_| Ok(()))
}

/// Writes a log directory from a backup, checking every byte. The directory is of use only once this has succeeded.
///
/// # Errors
/// As [`verify`]'s, or the directory cannot be written.
pub fn restore(backup: &dyn Disk, log: &dyn Disk) -> Result<Contents, BackupError> {
    let contents = walk(backup, |step| write_step(log, step))?;
    end_restored(log, &contents)?;
    Ok(contents)
}

fn write_step(log: &dyn Disk, step: Step<'_>) -> Result<(), BackupError> {
    let done = match step {
        Step::Begin(file) => log.create(file),
        Step::Piece(file, offset, bytes) => log.write(file, offset, bytes),
        Step::End(file, bytes) => match LogFile::parse(file) {
            Some(LogFile::Extent(_)) => fill_extent(log, file, bytes),
            _ => log.sync(file),
        },
    };
    Ok(done.map_err(|source| disk_error("write", step.file(), source))?)
}

/// Gives a log whose files are all there the anchor of its point.
fn end_restored(log: &dyn Disk, contents: &Contents) -> Result<(), BackupError> {
    Ok(anchor_restored(log, contents.point.oldest, Place(contents.point.end))?)
}

/// An extent is as long as its header says, and filled with zeros: see `prepare.rs`.
fn fill_extent(log: &dyn Disk, file: &FileName, bytes: u64) -> std::io::Result<()> {
    let mut head = [0; 64];
    read_exact(log, file, 0, &mut head)?;
    let header = ExtentHeader::decode(&head).map_err(|_| std::io::ErrorKind::InvalidData)?;
    // Zeros are written by whole pages.
    let page = PAGE_BYTES as u64;
    let aligned = bytes.next_multiple_of(page).min(header.length);
    log.write(file, bytes, &vec![0; usize::try_from(aligned - bytes).expect("less than a page")])?;
    log.sync(file)?;
    let rest = usize::try_from(header.length - aligned).map_err(|_| std::io::ErrorKind::InvalidData)?;
    log.write_zeros(file, aligned, rest)?;
    log.sync(file)
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Begin(&'a FileName),
    Piece(&'a FileName, u64, &'a [u8]),
    /// With the length in bytes; all bytes were as they should be.
    End(&'a FileName, u64),
}

impl<'a> Step<'a> {
    fn file(&self) -> &'a FileName {
        match self {
            Self::Begin(file) | Self::Piece(file, ..) | Self::End(file, _) => file,
        }
    }
}

fn walk(backup: &dyn Disk, mut each: impl FnMut(Step<'_>) -> Result<(), BackupError>) -> Result<Contents, BackupError> {
    let contents = Contents::of(backup)?;
    for file in &contents.files {
        each(Step::Begin(&file.name))?;
        let mut crc = 0;
        for piece in pieces(backup, &file.name, file.bytes) {
            let (offset, bytes) = piece.map_err(|error| short(error, &file.name))?;
            crc = crc32c::crc32c_append(crc, &bytes);
            each(Step::Piece(&file.name, offset, &bytes))?;
        }
        if crc != file.crc {
            return Err(BackupError::Damaged { file: file.name.0.clone() });
        }
        each(Step::End(&file.name, file.bytes))?;
    }
    Ok(contents)
}

/// A file that is missing or too short is damage; anything else is the disk's error.
fn short(error: RecoveryLogError, file: &FileName) -> BackupError {
    match error {
        RecoveryLogError::Disk { source, .. }
            if matches!(source.kind(), std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::NotFound) =>
        {
            BackupError::Damaged { file: file.0.clone() }
        }
        other => other.into(),
    }
}
