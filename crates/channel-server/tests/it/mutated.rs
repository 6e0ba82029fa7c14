//! Captured flows with bytes changed, cut and repeated at random: whatever comes, a socket ends in peace and disturbs
//! nobody. The seed of a failure is in its message.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::{Server, any, define_queue, message};
use crate::put_get::BOTH;
use model::options::GetFlags;

const ROUNDS: u64 = 400;

/// Every capture of what a client sent.
fn captures() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../channel-protocol/tests/vectors");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".c2s.bin"));
    paths.sort();
    assert!(!paths.is_empty());
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Spoils a capture: more often behind its first segment, which would end it at once.
fn mutate(capture: &[u8], random: &mut StdRng) -> Vec<u8> {
    const INITIAL: usize = 268;
    let mut bytes = capture.to_vec();
    let from = if random.gen_bool(0.9) { INITIAL } else { 0 };
    for _ in 0..random.gen_range(1..=6) {
        let at = random.gen_range(from..bytes.len());
        match random.gen_range(0..10) {
            0 => bytes.truncate(at.max(from + 1)),
            1 => {
                let end = (at + random.gen_range(1..200)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            2 => bytes[at] = 0xFF,
            3 => bytes[at] = 0,
            _ => bytes[at] ^= 1 << random.gen_range(0..8),
        }
    }
    bytes
}

#[tokio::test(start_paused = true)]
async fn whatever_a_client_sends_its_socket_ends_and_others_go_on() {
    let server = Server::start().await;
    define_queue(&server.queue_manager, "DEV.QUEUE.1").await;
    let captures = captures();
    for seed in 0..ROUNDS {
        let mut random = StdRng::seed_from_u64(seed);
        let bytes = mutate(&captures[random.gen_range(0..captures.len())], &mut random);
        let (client, task) = server.socket_and_task();
        let (mut read, mut write) = tokio::io::split(client);
        let drain = tokio::spawn(async move {
            let mut nowhere = Vec::new();
            let _ = read.read_to_end(&mut nowhere).await;
        });
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (piece, left) = rest.split_at(random.gen_range(1..=rest.len().min(3000)));
            // The server may have closed the socket.
            if write.write_all(piece).await.is_err() {
                break;
            }
            rest = left;
            tokio::task::yield_now().await;
        }
        let _ = write.shutdown().await;
        let ended = tokio::time::timeout(std::time::Duration::from_secs(600), task).await;
        ended
            .unwrap_or_else(|_| panic!("seed {seed}: the socket did not end"))
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        drain.await.unwrap();
    }
    let mut other = server.connected().await;
    let queue = other.open(1, "Q", BOTH).await;
    assert_eq!(other.put(1, queue, message(b"x")).await.0, 0);
    assert_eq!(other.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await.0, 0);
    crate::lost_client::wait_until(|| server.queue_manager.connections().len() == 1).await;
    assert_eq!(server.queue_manager.channel_statuses().len(), 1);
}
