//! The waits of gets on the connections of one use: over once its door closes.

use queue_manager::Closing;
use tokio::sync::watch;

pub(crate) struct Waits {
    /// Looked at by the queue managers of this server.
    pub(crate) closing: Closing,
    /// Remote queue managers know nothing of it: who waits for their answers watches this.
    closed: watch::Sender<bool>,
}

impl Default for Waits {
    fn default() -> Self {
        Self { closing: Closing::default(), closed: watch::channel(false).0 }
    }
}

impl Waits {
    /// Those that wait at a queue manager of this server have to be woken besides.
    pub(crate) fn end(&self) {
        self.closing.set();
        self.closed.send_replace(true);
    }

    /// Until they are over.
    pub(crate) async fn over(&self) {
        // The sender lives as long as `self`.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }
}
