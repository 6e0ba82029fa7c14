//! A proxy on the loopback interface between a member and its database, which cuts, stalls and delays what goes through it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// For the ends of connections that are cut: a minute in all.
const BETWEEN_LOOKS: Duration = Duration::from_micros(100);
const MOST_LOOKS: u32 = 600_000;

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    ToServer,
    ToClient,
}

/// Running until it is dropped.
pub struct Proxy {
    port: u16,
    controls: Arc<Controls>,
    _runtime: tokio::runtime::Runtime,
}

struct Controls {
    server: SocketAddr,
    refuses: AtomicBool,
    delay_us: AtomicU64,
    lingering_us: AtomicU64,
    is_stalled: watch::Sender<bool>,
    /// Ends the connections that listen to it: those that began since the last cut. Each cut puts another one in its place.
    cuts: Mutex<watch::Sender<bool>>,
    trap: Mutex<Trap>,
    holds: Mutex<Holds>,
    /// Of those that hold back transactions, so many go on.
    released: watch::Sender<usize>,
}

/// Connections whose transactions are on their way for as long as the test wants.
#[derive(Default)]
struct Holds {
    /// So many more.
    wanted: usize,
    /// In their order.
    caught: Vec<u64>,
}

/// Waits for a transaction, and cuts its connection behind some bytes.
#[derive(Default)]
enum Trap {
    #[default]
    None,
    /// Of the connection on which the bytes come to the server.
    Bytes(Way, Vec<u8>),
    /// In the transaction after so many others.
    Set(Way, u64, u32),
    /// On this connection, after so many bytes more.
    Caught(u64, Way, u64),
    Sprung,
}

impl Proxy {
    /// In front of a server on the loopback interface.
    pub fn start(server_port: u16) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("test-proxy")
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let port = listener.local_addr().expect("has an address").port();
        let controls = Arc::new(Controls {
            server: ([127, 0, 0, 1], server_port).into(),
            refuses: AtomicBool::new(false),
            delay_us: AtomicU64::new(0),
            lingering_us: AtomicU64::new(0),
            is_stalled: watch::Sender::new(false),
            cuts: Mutex::default(),
            trap: Mutex::default(),
            holds: Mutex::default(),
            released: watch::Sender::new(0),
        });
        runtime.spawn(accept(listener, Arc::clone(&controls)));
        Self { port, controls, _runtime: runtime }
    }

    /// The database's address through the proxy.
    pub fn url(&self, direct: &str) -> String {
        let (host, database) = direct.rsplit_once('/').expect("postgres://user@host:port/database");
        let (user, _) = host.rsplit_once(':').expect("a port");
        format!("{user}:{}/{database}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections that there are: so many. They have ended when this returns.
    pub fn cut(&self) -> usize {
        let cut = std::mem::take(&mut *self.controls.cuts());
        let count = cut.receiver_count();
        cut.send_replace(true);
        for _ in 0..MOST_LOOKS {
            if cut.receiver_count() == 0 {
                return count;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        panic!("a connection does not end");
    }

    /// Takes what comes and passes nothing on, until it is told otherwise; then what it has taken goes on.
    pub fn stall(&self, stalls: bool) {
        self.controls.is_stalled.send_replace(stalls);
    }

    /// New connections are closed at once.
    pub fn refuse(&self, refuses: bool) {
        self.controls.refuses.store(refuses, Ordering::Release);
    }

    /// Each piece waits for so long.
    pub fn delay(&self, delay: Duration) {
        self.controls.delay_us.store(in_microseconds(delay), Ordering::Release);
    }

    /// The server learns of the end of a connection so much later than the client.
    pub fn linger(&self, lingering: Duration) {
        self.controls.lingering_us.store(in_microseconds(lingering), Ordering::Release);
    }

    /// The connection that begins the next transaction is cut after so many bytes from there on.
    pub fn cut_transaction_after(&self, way: Way, bytes: u64) {
        self.cut_later_transaction_after(0, way, bytes);
    }

    /// The same of the transaction that begins behind so many others.
    pub fn cut_later_transaction_after(&self, others: u32, way: Way, bytes: u64) {
        *self.controls.trap() = Trap::Set(way, bytes, others);
    }

    /// The connection on which these bytes come to the server is cut: before them, or before anything that answers them.
    pub fn cut_at(&self, way: Way, bytes: &[u8]) {
        *self.controls.trap() = Trap::Bytes(way, bytes.to_vec());
    }

    /// The next transactions do not reach the server before they are released. Their connections stay open there when a member gives them
    /// up.
    pub fn hold_transactions(&self, count: usize) {
        self.controls.holds().wanted = count;
    }

    /// How many are on their way.
    pub fn held(&self) -> usize {
        self.controls.holds().caught.len()
    }

    /// The first so many of them reach the server.
    pub fn release(&self, count: usize) {
        self.controls.released.send_replace(count);
    }

    /// Whether the cut that was asked for has come about.
    pub fn has_sprung(&self) -> bool {
        matches!(*self.controls.trap(), Trap::Sprung)
    }

    /// Whether the cut that was asked for has come about; nothing is cut any more.
    pub fn disarm(&self) -> bool {
        matches!(std::mem::take(&mut *self.controls.trap()), Trap::Sprung)
    }
}

impl Controls {
    fn trap(&self) -> std::sync::MutexGuard<'_, Trap> {
        self.trap.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn cuts(&self) -> std::sync::MutexGuard<'_, watch::Sender<bool>> {
        self.cuts.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn holds(&self) -> std::sync::MutexGuard<'_, Holds> {
        self.holds.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Its number among those that are held, if these bytes begin a transaction that is.
    fn catch(&self, connection: u64, way: Way, bytes: &[u8]) -> Option<usize> {
        let mut holds = self.holds();
        let is_whole = begins(bytes) && !is_beginning(bytes);
        if way == Way::ToServer && holds.wanted > 0 && is_whole {
            holds.wanted -= 1;
            holds.caught.push(connection);
            return Some(holds.caught.len());
        }
        None
    }

    fn was_caught(&self, connection: u64) -> bool {
        self.holds().caught.contains(&connection)
    }

    /// How many of these bytes may pass before the connection is cut; `None`: all.
    fn allowed(&self, connection: u64, way: Way, bytes: &[u8]) -> Option<usize> {
        let mut trap = self.trap();
        if let Trap::Set(trapped, after, others) = *trap
            && way == Way::ToServer
            && bytes.windows(6).any(|window| window == b"BEGIN\0")
        {
            *trap = match others.checked_sub(1) {
                Some(others) => Trap::Set(trapped, after, others),
                None => Trap::Caught(connection, trapped, after),
            };
        }
        if let Trap::Bytes(trapped, wanted) = &*trap
            && way == Way::ToServer
            && bytes.windows(wanted.len()).any(|window| window == wanted)
        {
            *trap = Trap::Caught(connection, *trapped, 0);
        }
        let Trap::Caught(caught, trapped, left) = &mut *trap else { return None };
        if *caught != connection || *trapped != way {
            return None;
        }
        let length = bytes.len() as u64;
        if *left >= length {
            *left -= length;
            return None;
        }
        let allowed = usize::try_from(*left).expect("less than a piece");
        *trap = Trap::Sprung;
        Some(allowed)
    }
}

async fn accept(listener: TcpListener, controls: Arc<Controls>) {
    for connection in 0.. {
        let Ok((client, _)) = listener.accept().await else { return };
        if !controls.refuses.load(Ordering::Acquire) {
            tokio::spawn(pass(connection, client, Arc::clone(&controls)));
        }
    }
}

async fn pass(connection: u64, client: TcpStream, controls: Arc<Controls>) {
    let mut cuts = controls.cuts().subscribe();
    let Ok(server) = TcpStream::connect(controls.server).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    tokio::select! {
        _ = pump(connection, Way::ToServer, &mut from_client, &mut to_server, &controls) => {}
        _ = pump(connection, Way::ToClient, &mut from_server, &mut to_client, &controls) => {}
        _ = cuts.changed() => {}
    }
    drop((from_client, to_client, cuts));
    tokio::time::sleep(Duration::from_micros(controls.lingering_us.load(Ordering::Acquire))).await;
}

fn in_microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).expect("a short time")
}

fn begins(bytes: &[u8]) -> bool {
    bytes.windows(6).any(|window| window == b"BEGIN\0")
}

/// Too short for more than the beginning of a transaction.
fn is_beginning(bytes: &[u8]) -> bool {
    begins(bytes) && bytes.len() <= 100
}

/// Until either side ends.
async fn pump(
    connection: u64,
    way: Way,
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    controls: &Controls,
) -> std::io::Result<()> {
    let mut is_stalled = controls.is_stalled.subscribe();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let mut length = from.read(&mut buffer).await?;
        if length == 0 {
            return Ok(());
        }
        if way == Way::ToServer && controls.holds().wanted > 0 && is_beginning(&buffer[..length]) {
            // Of a lane's transaction the rest comes without an answer; others begin theirs alone.
            let rest = tokio::time::timeout(Duration::from_millis(100), from.read(&mut buffer[length..])).await;
            length += rest.unwrap_or(Ok(0))?;
        }
        let _ = is_stalled.wait_for(|stalled| !stalled).await;
        let delay = controls.delay_us.load(Ordering::Acquire);
        if delay > 0 {
            tokio::time::sleep(Duration::from_micros(delay)).await;
        }
        if let Some(number) = controls.catch(connection, way, &buffer[..length]) {
            let _ = controls.released.subscribe().wait_for(|released| *released >= number).await;
            to.write_all(&buffer[..length]).await?;
            // The member is gone; the server has time to do all of it.
            tokio::time::sleep(Duration::from_secs(1)).await;
            continue;
        }
        let allowed = controls.allowed(connection, way, &buffer[..length]);
        let written = to.write_all(&buffer[..allowed.unwrap_or(length)]).await;
        if !(way == Way::ToClient && controls.was_caught(connection)) {
            written?;
        }
        if allowed.is_some() {
            return Ok(());
        }
    }
}
