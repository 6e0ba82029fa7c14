//! A folder of archives and what is deployed from it.
//!
//! The folder is the truth: what is dropped into it, replaced or taken away counts at the next `poll`, what is deployed by
//! REST lands in it, and a restart finds it. `.stopped` in it lists what is not to be started, one name a line.
//!
//! Invariants
//! - An archive that cannot be used changes nothing: what its file deployed before stays. It is logged once, with file and
//!   reason, and only when the file has stayed the same for one interval: it may still be being copied.
//! - A name is deployed from one file. Files begin to count in the order of their names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use document::package::MAXIMUM_ARCHIVE;
use parking_lot::{Mutex, RwLock};
use queue_manager::clock::Clock;

use crate::activity::Activity;

/// Something deployed, with what has been done with it.
pub struct Deployed<T> {
    pub content: T,
    pub activity: Arc<Activity>,
    /// When this archive was taken in.
    pub registered: model::timestamp::Timestamp,
}

/// What can be deployed from an archive.
pub trait Artefact: Sized + Send + Sync + 'static {
    /// Of archive files, without the dot.
    const ENDING: &'static str;
    /// How sentences call it.
    const WORD: &'static str;
    /// Of the log line that tells of one installed.
    const INSTALLED: &'static str;
    /// Bytes that an archive has at most.
    const LONGEST: usize = MAXIMUM_ARCHIVE;

    /// What the configuration says to archives of the kind.
    type Settings: Send + Sync;
    /// Why an archive cannot be used.
    type Problem: std::error::Error + Send + Sync + 'static;

    /// # Errors
    /// The archive cannot be used on this server.
    fn read(archive: &[u8], settings: &Self::Settings) -> Result<Self, Self::Problem>;

    fn name(&self) -> &str;

    /// Why both cannot be deployed at once, names apart.
    fn clash(&self, other: &Self) -> Option<String>;

    /// The log line, behind its identifier. `path` is that of the archive.
    fn installed(&self, path: &Path) -> String {
        format!("{} archive {} is installed as {}", Self::WORD, path.display(), self.name())
    }
}

/// Archives of one kind.
pub struct Shelf<T: Artefact> {
    folder: PathBuf,
    table: RwLock<Table<T>>,
    /// Held while the folder or the table is changed.
    files: Mutex<Files>,
    settings: Arc<RwLock<T::Settings>>,
    clock: Arc<dyn Clock>,
}

type Table<T> = Arc<BTreeMap<String, Arc<Deployed<T>>>>;

#[derive(Default)]
struct Files {
    /// By file name.
    known: BTreeMap<String, Known>,
    /// Names that are not to be started.
    stopped: BTreeSet<String>,
    has_read_stopped: bool,
    /// The folder cannot be read, which has been told.
    is_unreadable: bool,
}

struct Known {
    /// `None`: to be read at the next look.
    signature: Option<Signature>,
    /// What it deployed.
    name: Option<String>,
    problem: Option<Problem>,
}

struct Problem {
    sentence: String,
    is_told: bool,
}

/// Tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signature {
    inode: u64,
    length: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// Started or stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Started,
    Stopped,
}

impl Status {
    /// As a query says it.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "started" => Some(Self::Started),
            "stopped" => Some(Self::Stopped),
            _ => None,
        }
    }

    /// As answers say it.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Started => "Started",
            Self::Stopped => "Stopped",
        }
    }
}

/// Why something is not deployed, updated or deleted.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    #[error("there is no {word} {name}")]
    Unknown { word: &'static str, name: String },
    #[error("the {word} {name} exists already")]
    Exists { word: &'static str, name: String },
    #[error("the {word} {name} is started: stop it first")]
    NotStopped { word: &'static str, name: String },
    #[error("requests to the {word} {name} are still running: try again later")]
    Busy { word: &'static str, name: String },
    #[error("the archive is for the {word} {found}, not for {name}")]
    OtherName { word: &'static str, name: String, found: String },
    #[error("{0}")]
    Clash(String),
    #[error("{0}")]
    Archive(Box<dyn std::error::Error + Send + Sync>),
    #[error("cannot {action} {file}")]
    File {
        action: &'static str,
        file: String,
        #[source]
        source: io::Error,
    },
}

impl<T> Deployed<T> {
    pub fn status(&self) -> Status {
        if self.activity.is_started() { Status::Started } else { Status::Stopped }
    }
}

impl<T: Artefact> Shelf<T> {
    /// Of the archives in a folder; nothing is read yet.
    pub fn new(folder: PathBuf, settings: Arc<RwLock<T::Settings>>, clock: Arc<dyn Clock>) -> Self {
        Self { folder, table: RwLock::default(), files: Mutex::default(), settings, clock }
    }

    /// Makes the folder, so that archives can be put there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_folder(&self) -> Result<(), DeployError> {
        make_folder(&self.folder)
    }

    /// What is deployed under a name.
    pub fn lookup(&self, name: &str) -> Option<Arc<Deployed<T>>> {
        self.table.read().get(name).map(Arc::clone)
    }

    /// All, by name.
    pub fn all(&self) -> Arc<BTreeMap<String, Arc<Deployed<T>>>> {
        Arc::clone(&self.table.read())
    }

    /// Deploys an archive; without a status it is started.
    ///
    /// # Errors
    /// It cannot be used, its name is taken, or the folder cannot be written.
    pub fn deploy(&self, archive: &[u8], status: Option<Status>) -> Result<Arc<Deployed<T>>, DeployError> {
        let artefact = self.read(archive)?;
        let name = artefact.name().to_owned();
        let mut files = self.files.lock();
        files.read_stopped(&self.folder);
        if self.lookup(&name).is_some() {
            return Err(DeployError::Exists { word: T::WORD, name });
        }
        self.check_clash(&artefact, None)?;
        let file = self.free_file(&files, &name);
        files.set_stopped(&self.folder, &name, status == Some(Status::Stopped))?;
        self.keep(&mut files, &file, archive, artefact)
    }

    /// Deploys what comes from no archive, started, in place of one of its name. A restart does not find it.
    pub fn install(&self, artefact: T) {
        self.take(&self.files.lock(), artefact);
    }

    /// Replaces the archive of what is stopped; without a status it is started afterwards.
    ///
    /// # Errors
    /// There is nothing of the name, or it is started or busy; the archive has another name or cannot be used; the folder
    /// cannot be written.
    pub fn update(&self, name: &str, archive: &[u8], status: Option<Status>) -> Result<Arc<Deployed<T>>, DeployError> {
        let mut files = self.files.lock();
        self.idle(name)?;
        let artefact = self.read(archive)?;
        if artefact.name() != name {
            let found = artefact.name().to_owned();
            return Err(DeployError::OtherName { word: T::WORD, name: name.to_owned(), found });
        }
        self.check_clash(&artefact, Some(name))?;
        let of_name = |known: &&String| files.known[known.as_str()].name.as_deref() == Some(name);
        let file = files.known.keys().find(of_name).cloned().unwrap_or_else(|| self.free_file(&files, name));
        files.set_stopped(&self.folder, name, status == Some(Status::Stopped))?;
        self.keep(&mut files, &file, archive, artefact)
    }

    /// Starts or stops; requests under way go on.
    ///
    /// # Errors
    /// There is nothing of the name, or the folder cannot be written.
    pub fn set_status(&self, name: &str, status: Status) -> Result<Arc<Deployed<T>>, DeployError> {
        let mut files = self.files.lock();
        files.read_stopped(&self.folder);
        let deployed = self.known(name)?;
        files.set_stopped(&self.folder, name, status == Status::Stopped)?;
        match status {
            Status::Started => deployed.activity.start(),
            Status::Stopped => deployed.activity.stop(),
        }
        Ok(deployed)
    }

    /// Deletes what is stopped, its archive included.
    ///
    /// # Errors
    /// There is nothing of the name, or it is started; the folder cannot be written.
    pub fn delete(&self, name: &str) -> Result<(), DeployError> {
        let mut files = self.files.lock();
        self.idle(name)?;
        let of_name = |(file, known): (&String, &Known)| (known.name.as_deref() == Some(name)).then(|| file.clone());
        if let Some(file) = files.known.iter().find_map(of_name) {
            match fs::remove_file(self.folder.join(&file)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(file_error("delete", &self.folder.join(&file), error));
                }
                _ => {}
            }
            sync(&self.folder)?;
            files.known.remove(&file);
        }
        self.replace(|table| {
            table.remove(name);
        });
        files.set_stopped(&self.folder, name, false)?;
        files.look_again_at_problems();
        Ok(())
    }

    /// Takes in what has changed in the folder since the last time. What is wrong is logged. Reads files: not for a thread
    /// that serves sockets.
    pub fn poll(&self) {
        let mut files = self.files.lock();
        let listed = match list(&self.folder, T::ENDING) {
            Ok(listed) => listed,
            Err(error) => {
                if !files.is_unreadable {
                    tracing::error!(%error, "the archives in {} cannot be listed", self.folder.display());
                    files.is_unreadable = true;
                }
                return;
            }
        };
        files.is_unreadable = false;
        files.read_stopped(&self.folder);
        let gone: Vec<String> = files.known.keys().filter(|file| !listed.contains_key(*file)).cloned().collect();
        for file in gone {
            if let Some(name) = files.known.remove(&file).and_then(|known| known.name) {
                self.undeploy(&name);
                if let Err(error) = files.set_stopped(&self.folder, &name, false) {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "a stopped {} cannot be removed from the list of stopped ones",
                        T::WORD
                    );
                }
                files.look_again_at_problems();
            }
        }
        for (file, signature) in listed {
            self.look_at(&mut files, &file, signature);
        }
    }

    /// Every archive is read anew at the next `poll`, for the settings have changed.
    pub fn forget_signatures(&self) {
        for known in self.files.lock().known.values_mut() {
            known.signature = None;
        }
    }

    fn look_at(&self, files: &mut Files, file: &str, signature: Signature) {
        let path = self.folder.join(file);
        let known = files.known.get_mut(file);
        let deployed = known.as_ref().and_then(|known| known.name.clone());
        if let Some(known) = known.filter(|known| known.signature == Some(signature)) {
            if let Some(problem) = known.problem.as_mut().filter(|problem| !problem.is_told) {
                problem.is_told = true;
                tracing::error!("the {} archive {} is not used: {}", T::WORD, path.display(), problem.sentence);
            }
            return;
        }
        let outcome = read_file(&path, T::LONGEST)
            .map_err(|error| file_error("read", &path, error))
            .and_then(|archive| self.read(&archive))
            .and_then(|artefact| self.check_place(files, file, &artefact).map(|()| artefact));
        match outcome {
            Ok(artefact) => {
                let name = artefact.name().to_owned();
                if let Some(before) = deployed {
                    if before != name {
                        self.undeploy(&before);
                    }
                    // Its name or place may be what another archive waits for.
                    files.look_again_at_problems();
                }
                let told = artefact.installed(&path);
                self.take(files, artefact);
                tracing::info!("{}: {told}", T::INSTALLED);
                files
                    .known
                    .insert(file.to_owned(), Known { signature: Some(signature), name: Some(name), problem: None });
            }
            Err(error) => {
                let sentence = sentence(&error);
                let before = files.known.get(file).and_then(|known| known.problem.as_ref());
                let is_told = before.is_some_and(|before| before.is_told && before.sentence == sentence);
                let problem = Problem { sentence, is_told };
                let known = Known { signature: Some(signature), name: deployed, problem: Some(problem) };
                files.known.insert(file.to_owned(), known);
            }
        }
    }

    fn read(&self, archive: &[u8]) -> Result<T, DeployError> {
        T::read(archive, &self.settings.read()).map_err(|problem| DeployError::Archive(Box::new(problem)))
    }

    /// Is the name of an archive free for a file?
    fn check_place(&self, files: &Files, file: &str, artefact: &T) -> Result<(), DeployError> {
        let name = artefact.name();
        let has_name = |known: &Known| known.name.as_deref() == Some(name);
        if files.known.iter().any(|(other, known)| other != file && has_name(known)) {
            return Err(DeployError::Exists { word: T::WORD, name: name.to_owned() });
        }
        let before = files.known.get(file).and_then(|known| known.name.as_deref());
        self.check_clash(artefact, before.or(Some(name)))
    }

    /// `instead_of` is about to go.
    fn check_clash(&self, artefact: &T, instead_of: Option<&str>) -> Result<(), DeployError> {
        let table = self.all();
        let others = table.iter().filter(|(name, _)| Some(name.as_str()) != instead_of);
        match others.filter_map(|(_, other)| artefact.clash(&other.content)).next() {
            Some(problem) => Err(DeployError::Clash(problem)),
            None => Ok(()),
        }
    }

    /// Writes an archive, then deploys it.
    fn keep(
        &self,
        files: &mut Files,
        file: &str,
        archive: &[u8],
        artefact: T,
    ) -> Result<Arc<Deployed<T>>, DeployError> {
        let path = self.folder.join(file);
        make_folder(&self.folder)?;
        write_whole(&path, archive)?;
        let name = artefact.name().to_owned();
        let told = artefact.installed(&path);
        // Without a signature the next look reads the file again, which changes nothing.
        let signature = fs::metadata(&path).ok().map(|metadata| Signature::of(&metadata));
        files.look_again_at_problems();
        files.known.insert(file.to_owned(), Known { signature, name: Some(name.clone()), problem: None });
        self.take(files, artefact);
        tracing::info!("{}: {told}", T::INSTALLED);
        self.known(&name)
    }

    /// Enters an artefact into the table, in place of one of its name.
    fn take(&self, files: &Files, artefact: T) {
        let name = artefact.name().to_owned();
        let is_stopped = files.stopped.contains(&name);
        let activity = match self.lookup(&name) {
            Some(before) => Arc::clone(&before.activity),
            None => Arc::new(Activity::new(!is_stopped)),
        };
        if is_stopped {
            activity.stop();
        } else {
            activity.start();
        }
        let deployed = Deployed { content: artefact, activity, registered: self.clock.now() };
        self.replace(|table| {
            table.insert(name, Arc::new(deployed));
        });
    }

    fn undeploy(&self, name: &str) {
        if let Some(deployed) = self.lookup(name) {
            deployed.activity.stop();
        }
        self.replace(|table| {
            table.remove(name);
        });
        tracing::info!("the {} {name} was removed", T::WORD);
    }

    fn replace(&self, change: impl FnOnce(&mut BTreeMap<String, Arc<Deployed<T>>>)) {
        let mut table = self.table.write();
        let mut new: BTreeMap<_, _> = (**table).clone();
        change(&mut new);
        *table = Arc::new(new);
    }

    fn known(&self, name: &str) -> Result<Arc<Deployed<T>>, DeployError> {
        self.lookup(name).ok_or_else(|| DeployError::Unknown { word: T::WORD, name: name.to_owned() })
    }

    /// # Errors
    /// It is unknown, started, or has requests under way.
    fn idle(&self, name: &str) -> Result<(), DeployError> {
        let deployed = self.known(name)?;
        let name = name.to_owned();
        if deployed.activity.is_started() {
            return Err(DeployError::NotStopped { word: T::WORD, name });
        }
        if deployed.activity.in_flight() > 0 {
            return Err(DeployError::Busy { word: T::WORD, name });
        }
        Ok(())
    }

    /// A file name for a name that is not in use.
    fn free_file(&self, files: &Files, name: &str) -> String {
        let stem = file_stem(name);
        let first = format!("{stem}.{}", T::ENDING);
        let numbered = (2..).map(|number| format!("{stem}-{number}.{}", T::ENDING));
        let is_free = |file: &String| !files.known.contains_key(file) && !self.folder.join(file).exists();
        std::iter::once(first.clone()).chain(numbered).find(is_free).unwrap_or(first)
    }
}

impl Files {
    /// Once; a file that cannot be read is logged and treated as empty.
    fn read_stopped(&mut self, folder: &Path) {
        if std::mem::replace(&mut self.has_read_stopped, true) {
            return;
        }
        let path = folder.join(STOPPED);
        match fs::read_to_string(&path) {
            Ok(text) => self.stopped = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::error!(%error, "{} cannot be read: all services, APIs and API requesters are started", path.display());
            }
        }
    }

    fn set_stopped(&mut self, folder: &Path, name: &str, is_stopped: bool) -> Result<(), DeployError> {
        let mut stopped = self.stopped.clone();
        let changes = if is_stopped { stopped.insert(name.to_owned()) } else { stopped.remove(name) };
        if !changes {
            return Ok(());
        }
        make_folder(folder)?;
        let text: String = stopped.iter().flat_map(|name| [name, "\n"]).collect();
        write_whole(&folder.join(STOPPED), text.as_bytes())?;
        self.stopped = stopped;
        Ok(())
    }

    /// A name that was in the way may be free now.
    fn look_again_at_problems(&mut self) {
        for known in self.known.values_mut().filter(|known| known.problem.is_some()) {
            known.signature = None;
        }
    }
}

const STOPPED: &str = ".stopped";

impl Signature {
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn of(metadata: &fs::Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            length: metadata.size(),
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec(),
        }
    }
}

/// Archives of a folder; one that is not there has none.
fn list(folder: &Path, ending: &str) -> io::Result<BTreeMap<String, Signature>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let mut listed = BTreeMap::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_archive = Path::new(&name).extension().is_some_and(|known| known.eq_ignore_ascii_case(ending));
        if name.starts_with('.') || !is_archive {
            continue;
        }
        // A file that went away in the meantime is not there.
        if let Ok(metadata) = fs::metadata(entry.path())
            && metadata.is_file()
        {
            listed.insert(name, Signature::of(&metadata));
        }
    }
    Ok(listed)
}

/// At most one byte more than an archive may have.
fn read_file(path: &Path, longest: usize) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(longest as u64 + 1).read_to_end(&mut content)?;
    Ok(content)
}

fn make_folder(folder: &Path) -> Result<(), DeployError> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| file_error("create", folder, error))
}

fn write_whole(path: &Path, content: &[u8]) -> Result<(), DeployError> {
    whole_file::replace(path, content).map_err(|error| file_error("write", path, error))
}

/// Makes what was renamed or deleted in a folder last.
fn sync(folder: &Path) -> Result<(), DeployError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| file_error("sync", folder, error))
}

fn file_error(action: &'static str, file: &Path, source: io::Error) -> DeployError {
    DeployError::File { action, file: file.display().to_string(), source }
}

/// The error and what caused it.
pub fn sentence(error: &DeployError) -> String {
    match error {
        DeployError::File { source, .. } => format!("{error}: {source}"),
        _ => error.to_string(),
    }
}

/// A name as that of a file: what is not plain becomes `%` and two digits, and so does a leading dot.
fn file_stem(name: &str) -> String {
    let mut stem = String::with_capacity(name.len());
    for (index, byte) in name.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || (byte == b'.' && index > 0);
        if is_plain {
            stem.push(char::from(byte));
        } else {
            stem.push_str(&format!("%{byte:02X}"));
        }
    }
    stem
}

#[cfg(test)]
mod tests;
