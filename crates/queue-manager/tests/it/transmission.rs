//! Transmission queues that no program reads: what the log says of them, and how often.

use model::definition::QueueDefinition;

use crate::log::{field, warnings_of};
use crate::script::{FakeClock, Session, administrator, ephemeral, name};

/// The names of the queues that the log calls unread while `script` runs.
fn unread(script: &str) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (said, lines) = warnings_of(|| {
        runtime.block_on(async {
            let clock = FakeClock::new();
            let queue_manager = ephemeral(clock.clone());
            queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
            Session::new(queue_manager, clock).run(script).await
        })
    });
    assert_eq!(said, "", "every statement of the script succeeds");
    let of_queue = |line: &String| {
        let (_, rest) = line.split_once("messages for other queue managers stay on a transmission queue")?;
        assert!(rest.contains("no program has the queue open for input"), "{line}");
        Some(field(line, "queue")?.trim_matches('"').to_owned())
    };
    lines.iter().filter_map(of_queue).collect()
}

#[test]
fn a_put_to_a_remote_queue_whose_messages_stay_here_is_logged_once_for_each_transmission_queue() {
    let remote = "define X1 USAGE=XMITQ; define R1 remote RNAME=A RQMNAME=QM2 XMITQ=X1; \
                  define R2 remote RNAME=B RQMNAME=QM2 XMITQ=X1; define QM3 USAGE=XMITQ; \
                  define R3 remote RNAME=C RQMNAME=QM3;";
    assert_eq!(unread(remote), Vec::<String>::new());
    let puts = "put1 M to=R1; put1 M to=R1; put1 M to=R2; open r R3 output; put M on=r; put M on=r";
    assert_eq!(unread(&format!("{remote} {puts}")), ["X1", "QM3"]);
}

#[test]
fn a_put_to_an_unread_transmission_queue_itself_is_logged_once() {
    let script = "define X USAGE=XMITQ; put1 M to=X; put1 M to=X; put1 M to=Q; alter X MAXDEPTH=9; put1 M to=X";
    assert_eq!(unread(script), ["X"]);
}

#[test]
fn a_transmission_queue_that_a_program_reads_is_logged_only_when_that_program_has_closed_it() {
    let read = "define X USAGE=XMITQ; define R remote RNAME=A RQMNAME=QM2 XMITQ=X; @2 open x X input; put1 M to=R;";
    assert_eq!(unread(read), Vec::<String>::new());
    assert_eq!(unread(&format!("{read} @2 close x; put1 M to=R; put1 M to=R")), ["X"]);
    // A program that browses takes nothing away.
    assert_eq!(unread("define X USAGE=XMITQ; open x X browse; put1 M to=X"), ["X"]);
}
