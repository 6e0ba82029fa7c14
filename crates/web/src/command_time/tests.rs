use http::StatusCode;

use super::*;
use crate::answer;

/// Keeps the processor busy for a while that the thread's clock sees.
fn work() {
    let begin = thread_time();
    while thread_time() - begin < 2_000_000 {
        std::hint::spin_loop();
    }
}

struct Two(u32);

impl Pieces for Two {
    fn next_piece(&mut self) -> Option<Bytes> {
        self.0 = self.0.checked_sub(1)?;
        work();
        Some(Bytes::from_static(b"piece"))
    }
}

#[test]
fn a_command_s_work_is_counted_with_the_pieces_of_its_answer() {
    let time = Arc::new(CommandTime::default());
    let mut answer = time
        .of(|| {
            work();
            Ok(answer::json_in_pieces(StatusCode::OK, Box::new(Two(2))))
        })
        .unwrap();
    let head = time.seconds();
    assert!((0.002..0.1).contains(&head), "{head}");
    let Body::Pieces(pieces) = answer.body_mut() else { panic!("the answer is in pieces") };
    while pieces.next_piece().is_some() {}
    assert!(time.seconds() >= head + 0.004, "{}", time.seconds());
    assert_eq!(time.commands(), 1);
}

#[tokio::test]
async fn what_others_do_while_a_command_waits_is_not_its_time() {
    let time = Arc::new(CommandTime::default());
    let waiting = async {
        work();
        tokio::task::yield_now().await;
        Ok(answer::empty(StatusCode::NO_CONTENT))
    };
    let others = async {
        for _ in 0..20 {
            work();
            tokio::task::yield_now().await;
        }
    };
    let (answer, ()) = tokio::join!(time.of_waiting(waiting), others);
    assert!(answer.is_ok());
    assert!((0.002..0.03).contains(&time.seconds()), "{}", time.seconds());
}
