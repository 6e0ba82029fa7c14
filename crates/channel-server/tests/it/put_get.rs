//! Messages go in and come out.

use channel_protocol::form::Form;
use model::options::{GetFlags, OpenOptions};

use crate::client::{Options, Server, any, message};

pub(crate) const BOTH: OpenOptions = OpenOptions::INPUT_SHARED.union(OpenOptions::OUTPUT);

#[tokio::test]
async fn a_message_that_is_put_can_be_got() {
    let server = Server::start().await;
    let mut client = server.connected().await;
    let queue = client.open(1, "Q", BOTH).await;
    let (reason, put) = client.put(1, queue, message(b"hello")).await;
    assert_eq!(reason, 0);
    let (reason, got) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!((reason, &got.data[..], got.length), (0, &b"hello"[..], 5));
    assert_eq!(got.descriptor.fields.message_id, put.descriptor.fields.message_id);
    let (reason, _) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
    assert_eq!(reason, 2033);
}

#[tokio::test]
async fn both_byte_orders_ebcdic_and_unshared_sockets_are_served() {
    for (form, conversations) in [(Form::BIG, 0), (Form::LITTLE, 0), (Form::LITTLE, 10), (Form::ebcdic(500), 10)] {
        let server = Server::start().await;
        let mut client = server.client_with(Options { form, conversations, ..Options::default() }).await;
        assert_eq!(client.negotiated.conversations, conversations);
        client.connect(1, "").await;
        let queue = client.open(1, "Q", BOTH).await;
        client.put(1, queue, message(b"hello")).await;
        let (reason, got) = client.get(1, queue, any(GetFlags::NO_SYNCPOINT)).await;
        assert_eq!((reason, &got.data[..]), (0, &b"hello"[..]));
    }
}
