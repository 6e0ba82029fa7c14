//! What is committed together may be on private and on shared queues: all of it or nothing.

use super::{
    Bytes, Disposition, Duration, GetFlags, Member, MessageDescriptor, PutFlags, PutOptions, Reason, administrator,
    get, object, on_database, put,
};
use queue_manager::{Clock as _, Receipt, ReceiptKey};

#[test]
fn a_message_of_a_private_queue_and_its_answer_on_a_shared_one_are_committed_together() {
    on_database(async |database| {
        let one = Member::start(database, "QM1").await;
        one.define_structure().await;
        one.define("REQUESTS", Disposition::QueueManager).await.unwrap();
        one.define("ANSWERS", Disposition::Shared).await.unwrap();
        let receipt = || Receipt {
            key: ReceiptKey([7; 16]),
            expires: one.clock.now().saturating_add(Duration::from_secs(60)),
            value: Bytes::from_static(b"done"),
        };
        for is_new in [true, false] {
            let (reader, writer) = (one.connect(), one.connect());
            put(&writer, "REQUESTS", "question", PutFlags::NO_SYNCPOINT).await;
            assert_eq!(get(&reader, "REQUESTS", GetFlags::SYNCPOINT).await.unwrap(), "question");
            let options = PutOptions { flags: PutFlags::SYNCPOINT, ..PutOptions::default() };
            let answer = Bytes::from_static(b"answer");
            writer
                .put1(&administrator(), &object("ANSWERS"), MessageDescriptor::default(), &options, answer)
                .await
                .unwrap();
            let got = reader.detach().expect("has work");
            let done = writer.commit_together(vec![got], Some(receipt())).await;
            assert_eq!(done.map_err(|refused| refused.reason).is_ok(), is_new);
            if is_new {
                assert_eq!(get(&reader, "ANSWERS", GetFlags::NO_SYNCPOINT).await.unwrap(), "answer");
                assert_eq!(get(&reader, "REQUESTS", GetFlags::NO_SYNCPOINT).await.unwrap_err(), Reason::NoMsgAvailable);
            } else {
                // The same request has been answered: nothing of the second one is left.
                assert_eq!(get(&reader, "REQUESTS", GetFlags::NO_SYNCPOINT).await.unwrap(), "question");
                assert_eq!(get(&reader, "ANSWERS", GetFlags::NO_SYNCPOINT).await.unwrap_err(), Reason::NoMsgAvailable);
            }
        }
        one.stop().await;
    });
}
