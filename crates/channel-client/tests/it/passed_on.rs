//! The verbs with structures that are passed on as they are.

use channel_client::client::Client;
use channel_client::connection::passed_on::GotPassedOn;
use channel_client::reply::Ended;
use channel_protocol::structure::descriptor_image::DescriptorImage;
use channel_protocol::structure::get_options::GetStructure;
use channel_protocol::structure::object_descriptor::ObjectStructure;
use channel_protocol::structure::put_options::PutStructure;
use model::descriptor::Encoding;
use model::descriptor::MessageDescriptor;
use model::descriptor_codec::{Version, encode};
use model::options::{GetFlags, OpenOptions, PutFlags};
use model::text::Text;

use crate::server::Server;

fn image(version: Version, change: impl FnOnce(&mut [u8])) -> DescriptorImage {
    let mut memory = Vec::new();
    encode(&MessageDescriptor::default(), version, Encoding::NATIVE, &mut memory);
    change(&mut memory);
    DescriptorImage::from_native(&memory).expect("an MQMD")
}

fn queue() -> ObjectStructure {
    ObjectStructure { name: Text::new("Q"), ..ObjectStructure::default() }
}

#[tokio::test]
async fn a_version_1_descriptor_goes_out_and_comes_back_in_version_1() {
    let server = Server::sharing("QM1", 1, None).await;
    let mut connection = Client::new(server.options()).unwrap().connect().await.unwrap();
    let opened = connection.open_passed_on(&queue(), OpenOptions::OUTPUT | OpenOptions::INPUT_SHARED).await.unwrap();
    let handle = opened.handle.expect("it is open");
    let sent = image(Version::One, |memory| memory[72..96].fill(7));
    let options = PutStructure { flags: PutFlags::SYNCPOINT, ..PutStructure::default() };
    let put = connection.put_passed_on(handle, &sent, &options, b"abc").await.unwrap();
    assert_eq!((put.ended, put.descriptor.native().len()), (Ended::WELL, 324));
    connection.commit().await.unwrap();
    let options = GetStructure { version: 1, ..GetStructure::default() };
    let got = connection.get_passed_on(handle, &image(Version::One, |_| {}), &options, 2).await.unwrap();
    // Truncated and left: the message is the next one again.
    let GotPassedOn { ended, length, data, .. } = got;
    assert_eq!((ended, length, &data[..]), (Ended { completion: 1, reason: 2080 }, 3, &b"ab"[..]));
    let got = connection.get_passed_on(handle, &image(Version::One, |_| {}), &options, 100).await.unwrap();
    assert_eq!((got.ended, &got.data[..], got.descriptor.native().len()), (Ended::WELL, &b"abc"[..], 324));
    assert_eq!(got.descriptor.native()[72..96], [7; 24]);
    let got = connection.get_passed_on(handle, &image(Version::One, |_| {}), &options, 100).await.unwrap();
    assert_eq!(got.ended, Ended { completion: 2, reason: 2033 });
    connection.disconnect().await.unwrap();
}

#[tokio::test]
async fn the_queue_manager_judges_numbers_that_no_descriptor_may_have() {
    let server = Server::sharing("QM1", 1, None).await;
    let mut connection = Client::new(server.options()).unwrap().connect().await.unwrap();
    let wrong = image(Version::Two, |memory| memory[44..48].copy_from_slice(&77_i32.to_ne_bytes()));
    let put = connection.put1_passed_on(&queue(), &wrong, &PutStructure::default(), b"").await.unwrap();
    assert_eq!(put.ended, Ended { completion: 2, reason: 2047 });
    let unknown = ObjectStructure { object_type: 99, ..queue() };
    let opened = connection.open_passed_on(&unknown, OpenOptions::OUTPUT).await.unwrap();
    assert_eq!((opened.ended.reason, opened.handle), (2043, None));
    // The connection is as good as before.
    let put = connection.put1_passed_on(&queue(), &image(Version::Two, |_| {}), &PutStructure::default(), b"x").await;
    assert_eq!(put.unwrap().ended, Ended::WELL);
    assert_eq!(server.depth("Q"), 1);
    let browse = GetStructure { flags: GetFlags::NO_SYNCPOINT, ..GetStructure::default() };
    let missing = channel_client::connection::ObjectHandle::from_number(9);
    let got = connection.get_passed_on(missing, &image(Version::Two, |_| {}), &browse, 0).await;
    assert_eq!(got.unwrap_err().reason().number(), 2019);
}
