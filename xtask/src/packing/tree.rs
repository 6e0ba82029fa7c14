//! Files below a root, and the tar archive of them: sorted, owned by root, all of one date. Here alone archives are written.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// How hard zlib tries: a level above 6 takes twice the time for one percent. Tests, which need no small files, ask for 1 with
/// `QUAYMASTER_PACKING_LEVEL`.
pub(super) fn level() -> u32 {
    std::env::var("QUAYMASTER_PACKING_LEVEL")
        .ok()
        .and_then(|level| level.parse().ok())
        .filter(|level| *level <= 9)
        .unwrap_or(6)
}

/// Paths without the leading slash. Folders above an entry are made with it.
#[derive(Debug, Default)]
pub(super) struct Tree(BTreeMap<String, Entry>);

#[derive(Debug)]
struct Entry {
    mode: u32,
    content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Folder,
    File(Vec<u8>),
    Link(String),
}

impl Tree {
    /// What is in a folder, below this path. Of a file's mode only remains whether it is run: the rest is the umask's.
    ///
    /// # Errors
    /// It cannot be read, or has something else than folders, files and links.
    pub(super) fn read(folder: &Path, path: &str) -> Result<Self> {
        let mut tree = Self::default();
        tree.enter_folder(folder, path)?;
        Ok(tree)
    }

    fn enter_folder(&mut self, folder: &Path, path: &str) -> Result<()> {
        self.folder(path, 0o755);
        for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            let (place, name) = (entry.path(), entry.file_name());
            let inner = format!("{path}/{}", name.to_str().context("a name is not UTF-8")?);
            let about = entry.metadata()?;
            if about.is_dir() {
                self.enter_folder(&place, &inner)?;
            } else if about.is_symlink() {
                self.link(&inner, std::fs::read_link(&place)?.to_str().context("a link's target is not UTF-8")?);
            } else if about.is_file() {
                let mode = if about.permissions().mode() & 0o100 == 0 { 0o644 } else { 0o755 };
                self.file(&inner, mode, std::fs::read(&place)?);
            } else {
                bail!("{} is neither folder nor file nor link", place.display());
            }
        }
        Ok(())
    }

    pub(super) fn folder(&mut self, path: &str, mode: u32) {
        self.enter(path, mode, Content::Folder);
    }

    pub(super) fn file(&mut self, path: &str, mode: u32, bytes: impl Into<Vec<u8>>) {
        self.enter(path, mode, Content::File(bytes.into()));
    }

    pub(super) fn link(&mut self, path: &str, target: &str) {
        self.enter(path, 0o777, Content::Link(target.to_owned()));
    }

    fn enter(&mut self, path: &str, mode: u32, content: Content) {
        let path = path.trim_start_matches('/');
        for (end, _) in path.match_indices('/') {
            let folder = Entry { mode: 0o755, content: Content::Folder };
            self.0.entry(path[..end].to_owned()).or_insert(folder);
        }
        self.0.insert(path.to_owned(), Entry { mode, content });
    }

    /// Path, mode and content of each entry, sorted by path.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, u32, &Content)> {
        self.0.iter().map(|(path, entry)| (path.as_str(), entry.mode, &entry.content))
    }

    /// Path and bytes of each file.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.entries().filter_map(|(path, _, content)| match content {
            Content::File(bytes) => Some((path, bytes.as_slice())),
            Content::Folder | Content::Link(_) => None,
        })
    }

    /// Bytes of all files.
    pub(super) fn size(&self) -> usize {
        self.files().map(|(_, bytes)| bytes.len()).sum()
    }

    /// # Errors
    /// A path is longer than an archive takes.
    pub(super) fn tar(&self, date: u64) -> Result<Vec<u8>> {
        let mut archive = tar::Builder::new(Vec::new());
        for (path, entry) in &self.0 {
            let mut header = tar::Header::new_gnu();
            header.set_mode(entry.mode);
            header.set_uid(0);
            header.set_gid(0);
            header.set_mtime(date);
            match &entry.content {
                Content::Folder => {
                    header.set_entry_type(tar::EntryType::Directory);
                    header.set_size(0);
                    archive.append_data(&mut header, format!("{path}/"), std::io::empty())?;
                }
                Content::File(bytes) => {
                    header.set_entry_type(tar::EntryType::Regular);
                    header.set_size(bytes.len() as u64);
                    archive.append_data(&mut header, path, bytes.as_slice())?;
                }
                Content::Link(target) => {
                    header.set_entry_type(tar::EntryType::Symlink);
                    header.set_size(0);
                    archive.append_link(&mut header, path, target)?;
                }
            }
        }
        Ok(archive.into_inner()?)
    }
}

/// Without a date or a name in its head.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = GzBuilder::new().write(Vec::new(), Compression::new(level()));
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

/// A ZIP archive of paths, modes and bytes, in this order, without a date.
pub(super) fn zip(files: &[(String, u32, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, mode, bytes) in files {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(i64::from(level())))
            .last_modified_time(DateTime::default())
            .unix_permissions(*mode);
        archive.start_file(path, options)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}
