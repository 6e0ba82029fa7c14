//! The data directory: its layout, its lock, and the few small files the server itself writes.
//!
//! ```text
//! DIR/quaymaster.toml            configuration, the user's
//! DIR/server.lock                held while a server runs; holds its process id
//! DIR/admin.sock                 administration socket, mode 0600
//! DIR/initial-passwords          lines `user password`, mode 0600
//! DIR/ltpa.keys                  LTPA keys, unless [ltpa] names others
//! DIR/tls/                       ca.crt, ca.key, server.crt, server.key
//! DIR/mqsc.d/                    drop-in MQSC
//! DIR/qmgrs/NAME/log/            recovery log; written by `storage` alone
//! DIR/qmgrs/NAME/state           how the queue manager last ended, for dspmq
//! ```
//! In a folder's name, `/` of a queue manager's name is `&`, and a leading `.` is `!`.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use model::name::QueueManagerName;

use crate::error::ServerError;

#[derive(Debug, Clone)]
pub(crate) struct DataDirectory {
    root: PathBuf,
}

/// How a queue manager last ended, as `DIR/qmgrs/NAME/state` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    EndedNormally,
    EndedImmediately,
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

    pub(crate) fn ltpa_keys(&self) -> PathBuf {
        self.root.join("ltpa.keys")
    }

    pub(crate) fn tls(&self) -> PathBuf {
        self.root.join("tls")
    }

    pub(crate) fn mqsc_dir(&self) -> PathBuf {
        self.root.join("mqsc.d")
    }

    pub(crate) fn queue_manager(&self, name: &QueueManagerName) -> PathBuf {
        let mut folder = name.as_str().replace('/', "&");
        if folder.starts_with('.') {
            folder.replace_range(..1, "!");
        }
        self.root.join("qmgrs").join(folder)
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
                let folder = entry.file_name().into_string().ok()?;
                QueueManagerName::parse(&folder.replace('&', "/").replace('!', ".")).ok()
            })
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    pub(crate) fn exists(&self, name: &QueueManagerName) -> bool {
        self.log(name).is_dir()
    }

    pub(crate) fn state(&self, name: &QueueManagerName) -> Option<State> {
        match fs::read_to_string(self.queue_manager(name).join("state")).ok()?.trim() {
            "running" => Some(State::Running),
            "ended normally" => Some(State::EndedNormally),
            "ended immediately" => Some(State::EndedImmediately),
            _ => None,
        }
    }

    pub(crate) fn set_state(&self, name: &QueueManagerName, state: State) -> Result<(), ServerError> {
        let text = match state {
            State::Running => "running\n",
            State::EndedNormally => "ended normally\n",
            State::EndedImmediately => "ended immediately\n",
        };
        let file = self.queue_manager(name).join("state");
        File::create(&file)
            .and_then(|mut open| open.write_all(text.as_bytes()))
            .map_err(|e| file_error("write", &file, e))
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
