//! The server end of the administration socket: one task a connection, joined at shutdown.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::frame::{self, Lengths};
use super::{Answer, Refusal, RefusalKind, Request, verbs};
use crate::data_directory::file_error;
use crate::error::ServerError;
use crate::serve::{Server, until_stop};
use crate::server_user;

/// Clients served at once; the next one waits to be accepted.
const MAXIMUM_CLIENTS: usize = 64;

pub(crate) struct AdministrationServer {
    listener: UnixListener,
    socket: PathBuf,
}

impl AdministrationServer {
    /// Makes the socket. It is bound in a folder of mode 0700 and moved into place once its own mode is 0600, so that
    /// nobody else can open it at any moment.
    ///
    /// # Errors
    /// The socket cannot be made in the data directory.
    pub(crate) fn bind(socket: PathBuf) -> Result<Self, ServerError> {
        let bind = || -> io::Result<UnixListener> {
            let folder = socket.parent().unwrap_or_else(|| Path::new("."));
            let private = tempfile::Builder::new()
                .prefix(".admin")
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(folder)?;
            let new = private.path().join("s");
            let listener = with_short_path(&new, |path| UnixListener::bind(path))?;
            fs::set_permissions(&new, Permissions::from_mode(0o600))?;
            fs::rename(&new, &socket)?;
            Ok(listener)
        };
        let listener = bind().map_err(|e| file_error("make the socket", &socket, e))?;
        Ok(Self { listener, socket })
    }

    /// Serves until `stop` turns true, then ends what is left and removes the socket.
    pub(crate) async fn run(self, server: Arc<Server>, mut stop: watch::Receiver<bool>) {
        let mut clients = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if clients.len() < MAXIMUM_CLIENTS => match accepted {
                    Ok((stream, _)) => {
                        clients.spawn(serve_client(stream, Arc::clone(&server)));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the administration socket cannot accept a client");
                        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                    }
                },
                Some(_) = clients.join_next() => {}
                () = until_stop(&mut stop) => break,
            }
        }
        // A client that asked for the stop gets its answer; one that waits for a message is cut off.
        let finish = async { while clients.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(std::time::Duration::from_millis(500), finish).await;
        clients.shutdown().await;
        let _ = fs::remove_file(&self.socket);
    }
}

/// A socket's path may have about 100 bytes. A longer one is reached through its opened folder in /proc.
pub(super) fn with_short_path<T>(socket: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if socket.as_os_str().len() < 100 {
        return act(socket);
    }
    let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else { return act(socket) };
    let folder = File::open(folder)?;
    act(&PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name))
}

async fn serve_client(stream: UnixStream, server: Arc<Server>) {
    let mut peer = Peer { stream };
    loop {
        match peer.receive().await {
            Ok(Some((request, body))) => {
                if let Err(error) = verbs::answer(&server, &mut peer, request, body).await {
                    tracing::debug!(%error, "an administration client went away");
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => {
                let refusal = Refusal::new(RefusalKind::Invalid, format!("not a request: {error}"));
                let _ = peer.send(&Answer::Refused(refusal), &[]).await;
                return;
            }
        }
    }
}

/// One connected client.
pub(super) struct Peer {
    stream: UnixStream,
}

impl Peer {
    /// The user of the operating system whose program this is: the server's, or root.
    pub(super) fn user(&self) -> Option<String> {
        let user = self.stream.peer_cred().ok()?.uid();
        Some(server_user::of_number(&user.to_string()))
    }

    /// The next request with its body; `None` when the client has hung up.
    pub(super) async fn receive(&mut self) -> io::Result<Option<(Request, Vec<u8>)>> {
        let mut lengths = [0; Lengths::WIDTH];
        match self.stream.read_exact(&mut lengths).await {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let lengths = Lengths::decode(lengths)?;
        let mut header = vec![0; lengths.header];
        self.stream.read_exact(&mut header).await?;
        let mut body = vec![0; lengths.body];
        self.stream.read_exact(&mut body).await?;
        Ok(Some((frame::decode_header(&header)?, body)))
    }

    /// Sends an answer with a body of any length.
    pub(super) async fn send(&mut self, answer: &Answer, body: &[u8]) -> io::Result<()> {
        let mut rest = body;
        while rest.len() > frame::PART {
            let (part, after) = rest.split_at(frame::PART);
            self.send_frame(&Answer::Part, part).await?;
            rest = after;
        }
        self.send_frame(answer, rest).await
    }

    async fn send_frame(&mut self, answer: &Answer, body: &[u8]) -> io::Result<()> {
        let frame = frame::encode(answer, body.len())?;
        self.stream.write_all(&frame).await?;
        self.stream.write_all(body).await
    }

    /// Ends when the client hangs up, or says something while it ought to wait.
    pub(super) async fn gone(&self) {
        while self.stream.readable().await.is_ok() {
            // Readiness may be stale; only a read that would block proves that the client is still there and silent.
            match self.stream.try_read(&mut [0]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(_) | Err(_) => return,
            }
        }
    }
}
