//! The data directory: its layout, its lock, and the few small files the server itself writes.
//!
//! ```text
//! DIR/quaymaster.toml            configuration, the user's
//! DIR/server.lock                held while a server runs; holds its process id
//! DIR/admin.sock                 administration socket, mode 0600
//! DIR/initial-passwords          lines `user password`, mode 0600
//! DIR/api-keys.json              API keys as hashes, mode 0600; written by `identity`
//! DIR/push-targets.json          push targets with the secrets that they sign with, mode 0600; written by `message-api`
//! DIR/ltpa.keys                  LTPA keys, unless [ltpa] names others
//! DIR/tls/                       ca.crt, ca.key, server.crt, server.key, server-rsa.crt, server-rsa.key
//! DIR/mqsc.d/                    drop-in MQSC
//! DIR/accounting/NAME.jsonl      accounting and statistics records, if collected; .1, .2 ... older ones
//! DIR/copybooks/                 copybooks for bodies of messages, the user's
//! DIR/zosconnect/                archives of services and APIs; written by `service` alone
//! DIR/qmgrs/NAME/log/            recovery log; written by `storage` alone
//! DIR/qmgrs/NAME/state           how the queue manager is or last ended, and whether it starts with the next server
//! DIR/qmgrs/.deleted.NAME/       a queue manager that was being deleted; what a crash left of it goes at the next look
//! DIR/qmgrs/.restoring.NAME/     a queue manager that is being restored; what a crash left of it goes with the next try
//! ```
//! In a folder's name, `/` of a queue manager's name is `&`, and a leading `.` is `!`.
//!
//! `state` has one or two lines: the words of `dspmq` in lower case, then `resumes` if the next server starts it.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use model::name::QueueManagerName;
use queue_manager::registry::State;

use crate::error::ServerError;
use crate::server_user;

#[derive(Debug, Clone)]
pub(crate) struct DataDirectory {
    root: PathBuf,
}

/// What `DIR/qmgrs/NAME/state` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Saved {
    pub state: State,
    /// The next server starts it without being told its name: it ran when the last server ended.
    pub resumes: bool,
}

/// Held for as long as the server runs.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl DataDirectory {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The folder that counts: the flag, `$QUAYMASTER_DATA`, else `./quaymaster-data`.
    pub(crate) fn locate(flag: Option<&Path>) -> Self {
        let given = flag
            .map(Path::to_owned)
            .or_else(|| std::env::var_os("QUAYMASTER_DATA").filter(|value| !value.is_empty()).map(PathBuf::from));
        Self::new(given.unwrap_or_else(|| PathBuf::from("quaymaster-data")))
    }

    /// Makes the folder, readable by its owner alone, unless it exists, and turns its path absolute.
    pub(crate) fn create(&mut self) -> Result<(), ServerError> {
        create_folder(&self.root)?;
        self.root = fs::canonicalize(&self.root).map_err(|e| file_error("open", &self.root, e))?;
        Ok(())
    }

    /// Prepares the volume that this folder is to lie on. Root opens the volume to every user, as the image has it, because the server
    /// runs as another user. Any other user makes the folder.
    pub(crate) fn prepare_volume(mut self) -> Result<(), ServerError> {
        if !server_user::is_root() {
            return self.create();
        }
        let volume = self.root.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::set_permissions(volume, Permissions::from_mode(0o1777))
            .map_err(|e| file_error("open to every user", volume, e))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn configuration_file(&self) -> PathBuf {
        crate::configuration::file_in(&self.root)
    }

    pub(crate) fn administration_socket(&self) -> PathBuf {
        self.root.join("admin.sock")
    }

    pub(crate) fn initial_passwords(&self) -> PathBuf {
        self.root.join("initial-passwords")
    }

    pub(crate) fn api_keys(&self) -> PathBuf {
        self.root.join("api-keys.json")
    }

    pub(crate) fn push_targets(&self) -> PathBuf {
        self.root.join("push-targets.json")
    }

    pub(crate) fn ltpa_keys(&self) -> PathBuf {
        self.root.join("ltpa.keys")
    }

    pub(crate) fn tls(&self) -> PathBuf {
        self.root.join("tls")
    }

    pub(crate) fn mqsc_dir(&self) -> PathBuf {
        self.root.join("mqsc.d")
    }

    /// Of records as lines, unless `[accounting]` names another.
    pub(crate) fn record_lines(&self) -> PathBuf {
        self.root.join("accounting")
    }

    pub(crate) fn copybooks(&self) -> PathBuf {
        self.root.join("copybooks")
    }

    pub(crate) fn archives(&self) -> PathBuf {
        self.root.join("zosconnect")
    }

    pub(crate) fn queue_manager(&self, name: &QueueManagerName) -> PathBuf {
        self.root.join("qmgrs").join(folder_name(name))
    }

    pub(crate) fn log(&self, name: &QueueManagerName) -> PathBuf {
        self.queue_manager(name).join("log")
    }

    /// Queue managers that have been created here, by name.
    pub(crate) fn queue_managers(&self) -> Result<Vec<QueueManagerName>, ServerError> {
        let folder = self.root.join("qmgrs");
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(file_error("read", &folder, error)),
        };
        let mut names: Vec<QueueManagerName> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().join("log").is_dir())
            .filter_map(|entry| {
                let folder = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
                QueueManagerName::parse(&folder.replace('&', "/").replace('!', ".")).ok()
            })
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    pub(crate) fn exists(&self, name: &QueueManagerName) -> bool {
        self.log(name).is_dir()
    }

    /// What the queue manager's file says; `None` when there is none, or it makes no sense.
    pub(crate) fn saved(&self, name: &QueueManagerName) -> Option<Saved> {
        Saved::parse(&fs::read_to_string(self.queue_manager(name).join("state")).ok()?)
    }

    /// How a queue manager is that no server of this directory runs.
    pub(crate) fn state_at_rest(&self, name: &QueueManagerName) -> State {
        match self.saved(name).map(|saved| saved.state) {
            Some(state) if state.has_ended() => state,
            Some(_) => State::EndedUnexpectedly,
            None => State::EndedNormally,
        }
    }

    pub(crate) fn save(&self, name: &QueueManagerName, saved: Saved) -> Result<(), ServerError> {
        write_file(&self.queue_manager(name).join("state"), saved.text().as_bytes(), 0o600)
    }

    /// Deletes a queue manager with its messages. Its folder is renamed first, so that a crash leaves it whole or gone.
    pub(crate) fn delete(&self, name: &QueueManagerName) -> Result<(), ServerError> {
        let folder = self.queue_manager(name);
        let doomed = self.root.join("qmgrs").join(format!("{DELETED}{}", folder_name(name)));
        self.sweep();
        fs::rename(&folder, &doomed).map_err(|e| file_error("delete", &folder, e))?;
        fs::remove_dir_all(&doomed).map_err(|e| file_error("delete", &doomed, e))
    }

    /// Where a queue manager is restored before it is one of the directory's.
    pub(crate) fn restoring(&self, name: &QueueManagerName) -> PathBuf {
        self.root.join("qmgrs").join(format!(".restoring.{}", folder_name(name)))
    }

    /// Makes what was restored a queue manager of the directory, which has none of the name. It has ended normally.
    pub(crate) fn take_in_restored(&self, name: &QueueManagerName) -> Result<(), ServerError> {
        let (from, to) = (self.restoring(name), self.queue_manager(name));
        let saved = Saved { state: State::EndedNormally, resumes: false };
        write_file(&from.join("state"), saved.text().as_bytes(), 0o600)?;
        let sync = |folder: &Path| File::open(folder).and_then(|open| open.sync_all());
        sync(&from)
            .and_then(|()| fs::rename(&from, &to))
            .and_then(|()| sync(&self.root.join("qmgrs")))
            .map_err(|e| file_error("move into place", &from, e))
    }

    /// Removes what is left of queue managers whose deletion was cut short. What cannot be removed now stays for later.
    pub(crate) fn sweep(&self) {
        let Ok(entries) = fs::read_dir(self.root.join("qmgrs")) else { return };
        for entry in entries.filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().starts_with(DELETED)
                && let Err(error) = fs::remove_dir_all(entry.path())
            {
                tracing::warn!(%error, "{} cannot be removed", entry.path().display());
            }
        }
    }

    /// Takes the lock.
    ///
    /// # Errors
    /// `InUse` when another process holds it.
    pub(crate) fn lock(&self) -> Result<Lock, ServerError> {
        let path = self.lock_file();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|e| file_error("open", &path, e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let process = fs::read_to_string(&path).unwrap_or_default().trim().to_owned();
                return Err(ServerError::InUse { directory: self.root.clone(), process });
            }
            Err(TryLockError::Error(error)) => return Err(file_error("lock", &path, error)),
        }
        file.set_len(0)
            .and_then(|()| file.write_all(format!("{}\n", std::process::id()).as_bytes()))
            .map_err(|e| file_error("write", &path, e))?;
        Ok(Lock { _file: file })
    }

    /// Whether a server holds the lock, without taking it for longer than the look.
    pub(crate) fn is_locked(&self) -> bool {
        File::open(self.lock_file()).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    fn lock_file(&self) -> PathBuf {
        self.root.join("server.lock")
    }
}

impl Saved {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let words = lines.next()?;
        let state = State::ALL.into_iter().find(|state| state.text().eq_ignore_ascii_case(words))?;
        Some(Self { state, resumes: state == State::Running || lines.next() == Some(RESUMES) })
    }

    fn text(self) -> String {
        let resumes = if self.resumes { format!("{RESUMES}\n") } else { String::new() };
        format!("{}\n{resumes}", self.state.text().to_ascii_lowercase())
    }
}

/// How the name of a folder starts whose queue manager is being deleted; no queue manager's folder does.
const DELETED: &str = ".deleted.";
const RESUMES: &str = "resumes";

/// The name of a folder that is a queue manager's own.
pub(crate) fn folder_name(name: &QueueManagerName) -> String {
    let mut folder = name.as_str().replace('/', "&");
    if folder.starts_with('.') {
        folder.replace_range(..1, "!");
    }
    folder
}

/// A folder that only its owner may enter, with the folders above it; one that exists stays as it is.
pub(crate) fn create_folder(folder: &Path) -> Result<(), ServerError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|e| file_error("create", folder, e))
}

/// Writes a file whole or not at all: a new file with `mode` beside it, synced, then renamed over it.
pub(crate) fn write_file(file: &Path, bytes: &[u8], mode: u32) -> Result<(), ServerError> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let new = file.with_file_name(format!(".{name}.{}", std::process::id()));
    let write = || -> io::Result<()> {
        let mut open = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&new)?;
        open.write_all(bytes)?;
        open.sync_all()?;
        fs::rename(&new, file)
    };
    write().map_err(|e| file_error("write", file, e))
}

pub(crate) fn file_error(action: &'static str, path: &Path, source: io::Error) -> ServerError {
    ServerError::File { action, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_read_back_and_a_file_of_one_line_too() {
        for state in State::ALL {
            for resumes in [true, false] {
                let saved = Saved { state, resumes: resumes || state == State::Running };
                assert_eq!(Saved::parse(&saved.text()), Some(saved));
            }
        }
        let first = |text| Saved::parse(text).map(|saved| (saved.state, saved.resumes));
        assert_eq!(first("running\n"), Some((State::Running, true)));
        assert_eq!(first("ended immediately\n"), Some((State::EndedImmediately, false)));
        assert_eq!(first(""), None);
        assert_eq!(first("asleep\n"), None);
    }

    #[test]
    fn a_deletion_that_was_cut_short_is_no_queue_manager_and_is_swept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = DataDirectory::new(folder.path().to_owned());
        let names = [".A", "A.B", "A/B"].map(|name| QueueManagerName::parse(name).expect("a name"));
        for name in &names {
            create_folder(&data.log(name)).expect("made");
        }
        create_folder(&data.root().join("qmgrs/.deleted.X/log")).expect("made");
        assert_eq!(data.queue_managers().expect("listed"), names);
        data.delete(&names[1]).expect("deleted");
        assert_eq!(data.queue_managers().expect("listed"), [names[0], names[2]]);
        assert!(!data.root().join("qmgrs/.deleted.X").exists());
    }
}
