//! What DISPLAY CONN, QSTATUS and QMSTATUS read.

use bytes::Bytes;
use model::definition::QueueDefinition;
use model::descriptor::MessageDescriptor;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions};
use queue_manager::QueueManager;

use crate::script::{EVERYTHING, FakeClock, START, administrator, connect, ephemeral, name};

async fn with_queue() -> (QueueManager, ObjectDescriptor) {
    let queue_manager = ephemeral(FakeClock::new());
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name("Q")), false).await.unwrap();
    (queue_manager, ObjectDescriptor { name: name("Q"), ..ObjectDescriptor::default() })
}

#[tokio::test]
async fn a_connection_shows_its_handles_and_its_unit_of_work_until_it_ends() {
    let (queue_manager, object) = with_queue().await;
    let connection = connect(&queue_manager, administrator());
    connection.open(&administrator(), &object, OpenOptions::BROWSE).await.unwrap();
    let options = PutOptions { flags: PutFlags::SYNCPOINT, context: None };
    connection.put1(&administrator(), &object, MessageDescriptor::default(), &options, Bytes::new()).await.unwrap();

    let connections = queue_manager.connections();
    assert_eq!(connections.len(), 1);
    let shown = &connections[0];
    assert_eq!(shown.identifier, connection.identifier());
    assert!(shown.identifier.starts_with(b"AMQCQM1         "));
    assert_eq!((&*shown.user, &*shown.application_name), ("mqadmin", "script"));
    assert_eq!(shown.unit_of_work_since, Some(START));
    assert_eq!((&*shown.handles[0].object_name, shown.handles[0].object_type), ("Q", "QUEUE"));
    assert_eq!(shown.handles[0].open_options, OpenOptions::BROWSE.bits());
    assert_eq!(queue_manager.status().connections, 1);

    // MQDISC commits.
    connection.disconnect().await.unwrap();
    assert!(queue_manager.connections().is_empty());
    assert_eq!(queue_manager.queue_status(&name("Q")).unwrap().depth.current, 1);
}

#[tokio::test]
async fn a_queue_counts_what_is_done_to_it() {
    let (queue_manager, object) = with_queue().await;
    let connection = connect(&queue_manager, administrator());
    let handle = connection.open(&administrator(), &object, EVERYTHING).await.unwrap().handle;
    for _ in 0..3 {
        let options = PutOptions::default();
        connection.put(handle, MessageDescriptor::default(), &options, Bytes::from("12345")).await.unwrap();
    }
    connection.get(handle, &GetOptions { flags: GetFlags::BROWSE_FIRST, ..GetOptions::default() }).await.unwrap();
    connection.get(handle, &GetOptions::default()).await.unwrap();
    let status = queue_manager.queue_status(&name("Q")).unwrap();
    assert_eq!((status.puts, status.browses, status.gets), (3, 1, 1));
    assert_eq!((status.depth.current, status.depth.bytes), (2, 10));
    assert_eq!((status.last_put, status.last_get), (Some(START), Some(START)));
    assert_eq!((status.open_input, status.open_output), (1, 1));
    assert!(queue_manager.queue_status(&name("NONE")).is_none());
}
