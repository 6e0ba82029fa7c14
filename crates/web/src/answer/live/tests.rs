//! What the sender of a piece learns.

use std::future::poll_fn;
use std::net::{IpAddr, Ipv4Addr};

use super::*;
use crate::connections::{Connections, Entry, most};
use crate::options::Limits;
use crate::service::Door;

const PATIENCE: Duration = Duration::from_secs(5);

struct Setting {
    entry: Entry,
    budget: Arc<Budget>,
}

fn setting() -> Setting {
    let connections = Connections::new(Door::Https);
    let most = most(Door::Https, &Limits::default());
    let entry = Connections::admit(&connections, IpAddr::V4(Ipv4Addr::LOCALHOST), most).expect("a place");
    Setting { entry, budget: Arc::default() }
}

fn begin(setting: &Setting) -> (tokio::task::JoinHandle<Result<(), Unwritten>>, Live) {
    let (sender, live) = live(setting.entry.occupant(), &setting.budget);
    (tokio::spawn(async move { sender.send(Bytes::from_static(b"0123456789"), PATIENCE).await }), live)
}

#[tokio::test]
async fn a_piece_is_written_when_its_last_byte_is() {
    let setting = setting();
    let (sending, mut live) = begin(&setting);
    let mut piece = poll_fn(|context| live.poll_piece(context)).await.expect("a piece");
    assert_eq!((piece.chunk(), setting.budget.used()), (&b"0123456789"[..], 10));
    piece.advance(9);
    tokio::task::yield_now().await;
    assert!(!sending.is_finished());
    piece.advance(1);
    assert_eq!(sending.await.expect("it ends"), Ok(()));
    drop(piece);
    assert_eq!(setting.budget.used(), 0);
}

#[tokio::test]
async fn of_a_piece_that_is_dropped_the_sender_learns_how_much_was_written() {
    let setting = setting();
    let (sending, mut live) = begin(&setting);
    let mut piece = poll_fn(|context| live.poll_piece(context)).await.expect("a piece");
    piece.advance(4);
    drop(piece);
    assert_eq!(sending.await.expect("it ends"), Err(Unwritten { written: 4, is_stalled: false }));
    let (sending, live) = begin(&setting);
    drop(live);
    assert_eq!(sending.await.expect("it ends"), Err(Unwritten { written: 0, is_stalled: false }));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_is_waited_for_and_one_that_does_not_read_is_not() {
    let setting = setting();
    let (sending, mut live) = begin(&setting);
    let mut piece = poll_fn(|context| live.poll_piece(context)).await.expect("a piece");
    for _ in 0..4 {
        tokio::time::sleep(PATIENCE * 4 / 5).await;
        piece.advance(1);
        assert!(!sending.is_finished());
    }
    assert_eq!(sending.await.expect("it ends"), Err(Unwritten { written: 4, is_stalled: true }));
}
