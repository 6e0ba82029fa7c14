//! Work in order by several threads: the caller hands out pieces, threads do them, and the results come back as the pieces went.
//!
//! Piece n goes to thread n modulo their number, and its result is taken from there: nothing has to be sorted, and a slow piece keeps
//! at most one piece of each other thread waiting.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Pieces that wait for each thread.
const AHEAD: usize = 1;

/// Does the pieces that `next` gives with `threads` threads, each of which has its own state. `take` gets the results in order. The
/// first error ends all.
pub(crate) fn in_order<P, R, S, E>(
    threads: usize,
    mut next: impl FnMut() -> Result<Option<P>, E> + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, P) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E>
where
    P: Send,
    R: Send,
    E: Send,
{
    let threads = threads.max(1);
    thread::scope(|scope| {
        let mut pieces: Vec<SyncSender<P>> = Vec::with_capacity(threads);
        let mut results: Vec<Receiver<R>> = Vec::with_capacity(threads);
        for _ in 0..threads {
            let (piece, pieces_of_one) = sync_channel::<P>(AHEAD);
            let (result, results_of_one) = sync_channel::<R>(AHEAD);
            pieces.push(piece);
            results.push(results_of_one);
            let (state, work) = (&state, &work);
            scope.spawn(move || {
                let mut state = state();
                for piece in pieces_of_one {
                    // Nobody takes results after an error.
                    if result.send(work(&mut state, piece)).is_err() {
                        break;
                    }
                }
            });
        }
        let feeder = scope.spawn(move || {
            for thread in (0..threads).cycle() {
                let Some(piece) = next()? else { break };
                // A thread that takes no pieces has ended, because of an error.
                if pieces[thread].send(piece).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let mut outcome = Ok(());
        for thread in (0..threads).cycle() {
            let Ok(result) = results[thread].recv() else { break };
            outcome = take(result);
            if outcome.is_err() {
                break;
            }
        }
        // What threads wait to send is not wanted any more.
        drop(results);
        let fed = feeder.join().unwrap_or(Ok(()));
        outcome.and(fed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        for threads in [1, 2, 3] {
            let mut pieces = 0..1000_u64;
            let mut seen = Vec::new();
            let done: Result<(), ()> = in_order(
                threads,
                || Ok(pieces.next()),
                || (),
                |(), piece| piece * 2,
                |result| {
                    seen.push(result);
                    Ok(())
                },
            );
            assert_eq!((done, seen), (Ok(()), (0..1000).map(|piece| piece * 2).collect()));
        }
    }

    #[test]
    fn an_error_of_either_side_ends_all() {
        let refuse = |result| if result == 5 { Err("taken") } else { Ok(()) };
        let mut pieces = 0..;
        assert_eq!(in_order(3, || Ok(pieces.next()), || (), |(), piece: i32| piece, refuse), Err("taken"));
        let mut pieces = 0..;
        let feed = || if pieces.next() == Some(9) { Err("fed") } else { Ok(Some(0)) };
        assert_eq!(in_order(2, feed, || (), |(), piece: i32| piece, |_| Ok(())), Err("fed"));
    }
}
