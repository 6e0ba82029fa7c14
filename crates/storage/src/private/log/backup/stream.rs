//! A backup as a stream: a tar archive whose last file says what belongs to it.
//!
//! ```text
//! stream               "quaymaster-backup-stream 1", then "log NAME": whose log it is
//! extent-…, body-…     the files of the backup, each once
//! contents             as in a directory
//! ```
//! Unpacked by tar, the files are a backup in a directory. Sums come last because a file is read once: what a reader has
//! written counts only when `contents` has come and agrees, and the archive has ended.
//!
//! Never holds a body in memory, and seeks in neither direction: a stream goes through a pipe.

use std::cell::OnceCell;
use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;

use tar::{Archive, Builder, Entry, EntryType, Header};

use crate::private::log::backup::{
    BackupError, BackupFile, BodyContent, CONTENTS, Contents, Copied, PIECE, Step, Target, copy, end_restored,
    write_step,
};
use crate::private::log::disk::{Disk, FileName};
use crate::private::log::extent::LogFile;
use crate::private::log::hold::Point;

const BEGINNING: &str = "stream";
/// First line of `stream`; the number is the version of this layout.
const FIRST_LINE: &str = "quaymaster-backup-stream 1";
/// Most bytes of `stream`.
const LONGEST_BEGINNING: u64 = 4096;
/// Most bytes of a line of `contents`.
const LONGEST_LINE: u64 = 128;
/// Zeros after the last file of a tar archive, in bytes.
const END_OF_ARCHIVE: u64 = 1024;
const FILE_MODE: u32 = 0o600;

/// Writes a log up to `point` into `output`, as [`super::back_up`] does into a directory.
///
/// # Errors
/// The log is damaged or cannot be read, or `output` takes no more: what was written is no backup.
pub fn back_up(
    log: &dyn Disk,
    point: Point,
    name: &str,
    output: &mut dyn Write,
    still_stands: impl FnOnce() -> Result<(), BackupError>,
) -> Result<Copied, BackupError> {
    let mut stream = Stream { archive: Builder::new(output) };
    stream.append(BEGINNING, format!("{FIRST_LINE}\nlog {name}\n").as_bytes())?;
    copy(log, point, name, &mut stream, still_stands).map(|(_, copied)| copied)
}

struct Stream<'a> {
    archive: Builder<&'a mut dyn Write>,
}

impl Stream<'_> {
    fn append(&mut self, name: &str, bytes: &[u8]) -> Result<(), BackupError> {
        self.append_from(name, bytes.len() as u64, bytes).map_err(unwritable)
    }

    fn append_from(&mut self, name: &str, length: u64, content: impl Read) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(FILE_MODE);
        header.set_size(length);
        self.archive.append_data(&mut header, name, content)
    }
}

impl Target for Stream<'_> {
    fn extent(&mut self, file: &BackupFile, bytes: &[u8]) -> Result<u64, BackupError> {
        self.append(&file.name.0, bytes).map(|()| 0)
    }

    fn body(&mut self, file: &BackupFile, mut content: BodyContent<'_>) -> Result<u64, BackupError> {
        let mut watched = Watched { content: &mut content, refused: None };
        let appended = self.append_from(&file.name.0, file.bytes, BufReader::with_capacity(PIECE, &mut watched));
        if let Some(refused) = watched.refused {
            return Err(content.refused(refused));
        }
        appended.map_err(unwritable)?;
        content.check().map(|()| 0)
    }

    fn complete(&mut self, contents: &Contents) -> Result<(), BackupError> {
        self.append(CONTENTS, contents.to_text().as_bytes())?;
        self.archive.finish().and_then(|()| self.archive.get_mut().flush()).map_err(unwritable)
    }
}

/// Tells what the log's disk refused from what the stream refused.
struct Watched<'a, 'b> {
    content: &'a mut BodyContent<'b>,
    refused: Option<io::Error>,
}

impl Read for Watched<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.content.read(buffer).map_err(|error| {
            let kind = error.kind();
            self.refused = Some(error);
            kind.into()
        })
    }
}

fn unwritable(source: io::Error) -> BackupError {
    BackupError::Stream { action: "write", source }
}

fn unreadable(source: io::Error) -> BackupError {
    match source.kind() {
        io::ErrorKind::UnexpectedEof => broken("it ends too early"),
        // What tar makes no sense of.
        io::ErrorKind::Other | io::ErrorKind::InvalidData => broken("it is no tar archive, or damaged"),
        _ => BackupError::Stream { action: "read", source },
    }
}

fn broken(what: &str) -> BackupError {
    BackupError::NoStream { what: what.to_owned() }
}

/// Reads a stream to its end, and compares every file with its checksum.
///
/// # Errors
/// `NoStream`, `Damaged`, or the stream cannot be read.
pub fn verify(input: &mut dyn Read) -> Result<Contents, BackupError> {
    walk::<BackupError>(input, |_| Ok(()), |_| Ok(()))
}

/// Writes a log directory from a stream, checking every byte. `begin` is told whose log it is, and says where to write.
/// That directory is of use only once this has succeeded.
///
/// # Errors
/// As [`verify`]'s, what `begin` says, or the directory cannot be written.
pub fn restore<E: From<BackupError>>(
    input: &mut dyn Read,
    begin: impl FnOnce(&str) -> Result<Arc<dyn Disk>, E>,
) -> Result<Contents, E> {
    let log: OnceCell<Arc<dyn Disk>> = OnceCell::new();
    let begin = |name: &str| begin(name).map(|to| log.get_or_init(|| to)).map(drop);
    let log = || log.get().expect("a stream begins with the name of the log").as_ref();
    let contents = walk(input, begin, |step| Ok(write_step(log(), step)?))?;
    end_restored(log(), &contents)?;
    Ok(contents)
}

/// Files come as they are read, and end when all have been checked.
fn walk<E: From<BackupError>>(
    input: &mut dyn Read,
    begin: impl FnOnce(&str) -> Result<(), E>,
    mut each: impl FnMut(Step<'_>) -> Result<(), E>,
) -> Result<Contents, E> {
    let mut archive = Archive::new(Counted { input, count: 0 });
    let mut files: Vec<BackupFile> = Vec::new();
    let mut begin = Some(begin);
    let mut contents = None;
    for entry in archive.entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let name = file_name(&entry)?;
        if contents.is_some() {
            return Err(broken("files follow the contents").into());
        }
        if let Some(begin) = begin.take() {
            begin(&beginning(&name, &mut entry)?)?;
        } else if name.0 == CONTENTS {
            contents = Some(read_contents(&mut entry, files.len() as u64)?);
        } else {
            files.push(receive(name, &mut entry, &mut each)?);
        }
    }
    let Some((contents, end)) = contents else { return Err(broken("it ends before its contents").into()) };
    finish(archive.into_inner(), end)?;
    compare(&contents, &mut files)?;
    for file in &contents.files {
        each(Step::End(&file.name, file.bytes))?;
    }
    Ok(contents)
}

fn file_name<R: Read>(entry: &Entry<'_, R>) -> Result<FileName, BackupError> {
    let name = String::from_utf8(entry.path_bytes().into_owned()).ok();
    let name = name.filter(|_| entry.header().entry_type() == EntryType::Regular);
    name.map(FileName).ok_or_else(|| broken("it has an entry that is no file of a backup"))
}

/// The name of the log.
fn beginning(name: &FileName, entry: &mut impl Read) -> Result<String, BackupError> {
    let no_stream = || broken("it does not begin as one");
    if name.0 != BEGINNING {
        return Err(no_stream());
    }
    let mut text = String::new();
    entry.take(LONGEST_BEGINNING).read_to_string(&mut text).map_err(unreadable)?;
    let lines = text.strip_suffix('\n').and_then(|text| text.split_once('\n'));
    let log = lines.filter(|(first, _)| *first == FIRST_LINE).and_then(|(_, log)| log.strip_prefix("log "));
    log.map(str::to_owned).ok_or_else(no_stream)
}

/// The contents, and where the archive may end.
fn read_contents<R: Read>(entry: &mut Entry<'_, R>, files: u64) -> Result<(Contents, u64), BackupError> {
    let damaged = || BackupError::Damaged { file: CONTENTS.to_owned() };
    if entry.size() > (files + 4) * LONGEST_LINE {
        return Err(damaged());
    }
    let end = entry.raw_file_position() + entry.size().next_multiple_of(512) + END_OF_ARCHIVE;
    let mut text = String::new();
    entry.read_to_string(&mut text).map_err(unreadable)?;
    Ok((Contents::parse(&text).ok_or_else(damaged)?, end))
}

fn receive<R: Read, E: From<BackupError>>(
    name: FileName,
    entry: &mut Entry<'_, R>,
    each: &mut impl FnMut(Step<'_>) -> Result<(), E>,
) -> Result<BackupFile, E> {
    // No other name may ever be written below the directory of a log.
    if !matches!(LogFile::parse(&name), Some(LogFile::Extent(_) | LogFile::Body(_))) {
        return Err(broken("it has an entry that is no file of a backup").into());
    }
    each(Step::Begin(&name))?;
    let (mut bytes, mut crc) = (0, 0);
    let mut piece = vec![0; PIECE.min(usize::try_from(entry.size()).unwrap_or(PIECE))];
    while bytes < entry.size() {
        let count = entry.read(&mut piece).map_err(unreadable)?;
        if count == 0 {
            return Err(broken("it ends too early").into());
        }
        crc = crc32c::crc32c_append(crc, &piece[..count]);
        each(Step::Piece(&name, bytes, &piece[..count]))?;
        bytes += count as u64;
    }
    Ok(BackupFile { name, bytes, crc })
}

/// Reads what follows the archive, so that the program before this one in a pipe can end: zeros, as tar fills blocks.
fn finish(mut input: Counted<'_>, end: u64) -> Result<(), BackupError> {
    let mut rest = vec![0; 1 << 16];
    loop {
        match input.read(&mut rest) {
            Ok(0) => break,
            Ok(count) if rest[..count].iter().all(|byte| *byte == 0) => {}
            Ok(_) => return Err(broken("something follows it")),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
    if input.count < end { Err(broken("it ends too early")) } else { Ok(()) }
}

/// What has come is what the contents name, each file once.
fn compare(contents: &Contents, files: &mut [BackupFile]) -> Result<(), BackupError> {
    let damaged = |file: &FileName| Err(BackupError::Damaged { file: file.0.clone() });
    files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    if let Some(twice) = files.windows(2).find(|two| two[0].name == two[1].name) {
        return damaged(&twice[0].name);
    }
    for file in &contents.files {
        match files.binary_search_by(|other| other.name.cmp(&file.name)) {
            Ok(at) if files[at] == *file => {}
            _ => return damaged(&file.name),
        }
    }
    if files.len() == contents.files.len() { Ok(()) } else { Err(broken("it has more files than its contents name")) }
}

struct Counted<'a> {
    input: &'a mut dyn Read,
    count: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}
