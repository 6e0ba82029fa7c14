//! Why the server or a command beside it could not do what was asked. `cli` turns these into exit codes.

use std::path::PathBuf;

use crate::configuration::ConfigurationError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error(
        "another server{} is using {}; stop it, or name another folder with --data",
        if process.is_empty() { String::new() } else { format!(" (process {process})") },
        directory.display()
    )]
    InUse { directory: PathBuf, process: String },
    #[error("cannot {action} {}", path.display())]
    File {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "every user of this machine may write {what} {} (mode {mode:o}), and so replace what the server relies on; \
         take that away with chmod o-w, or name another one",
        path.display()
    )]
    WritableByOthers { what: &'static str, path: PathBuf, mode: u32 },
    #[error(transparent)]
    QueueManager(#[from] queue_manager::StartError),
    #[error(transparent)]
    Group(#[from] storage::shared::SharedError),
    #[error(transparent)]
    RecoveryLog(#[from] storage::RecoveryLogError),
    #[error("the recovery log has failed")]
    LogFailed(#[source] std::sync::Arc<storage::RecoveryLogError>),
    #[error("queue manager {name} has ended unexpectedly: {problem}")]
    EndedUnexpectedly { name: model::name::QueueManagerName, problem: String },
    #[error(transparent)]
    Web(#[from] web::WebError),
    #[error(transparent)]
    ApiKeys(#[from] identity::api_key::ApiKeyError),
    #[error(transparent)]
    Identity(#[from] identity::error::IdentityError),
    #[error("cannot listen on {address} for MQ clients")]
    Listen {
        address: std::net::SocketAddr,
        #[source]
        source: std::io::Error,
    },
    #[error(transparent)]
    Tls(#[from] handshake::files::FileError),
    #[error("cannot make the TLS certificate")]
    Certificate(#[from] rcgen::Error),
    #[error("cannot make the RSA key of the TLS certificate")]
    RsaKey,
    #[error("cannot start the threads that serve connections")]
    Threads(#[source] std::io::Error),
    #[error("cannot start the async runtime")]
    Runtime(#[source] std::io::Error),
    #[error("{file}, line {line}: a command failed, and server.strict (--strict) ends the start")]
    DropIn { file: String, line: usize },
    #[error("cannot make the developer defaults of {queue_manager}: {object}")]
    DeveloperDefaults {
        queue_manager: String,
        object: String,
        #[source]
        source: queue_manager::objects::ObjectError,
    },
    #[error("cannot create queue manager {name}: {problem}")]
    NewQueueManager { name: model::name::QueueManagerName, problem: String },
    #[error("a task of the start ended without a result: the log above has the cause")]
    StartUpTask,
}

pub(crate) use model::causes::chain;
