//! A client of the server under test, for modules that put and get a few messages.

use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use http::HeaderValue;
use system_tests::server::{APP_PASSWORD, Server};
use workload::client::rest::{Credentials, RestClient, RestOptions};
use workload::client::target::{Target, Trust};

pub(crate) fn basic() -> Credentials {
    Credentials::Basic { user: "app".to_owned(), password: APP_PASSWORD.to_owned() }
}

/// User `app` over TLS on one queue.
pub(crate) fn client(server: &Server, queue: &str, persistent: bool) -> Result<RestClient> {
    client_with(server, queue, persistent, basic())
}

pub(crate) fn client_with(
    server: &Server,
    queue: &str,
    persistent: bool,
    credentials: Credentials,
) -> Result<RestClient> {
    let target = Target::parse(&server.https_url()?, &Trust::CaFile(server.ca_file()))
        .map_err(|error| anyhow::anyhow!(error.chain()))?;
    Ok(RestClient::new(RestOptions {
        target,
        credentials,
        queue_manager: "QM1".to_owned(),
        queue: queue.to_owned(),
        reply_queue: None,
        persistent,
        answer_limit: Duration::from_secs(300),
    })?)
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime needs only an epoll descriptor")
        .block_on(future)
}

pub(crate) async fn put(client: &mut RestClient, body: &str) -> Result<HeaderValue> {
    client.put(Bytes::from(body.to_owned()), None).await?.context("a put is answered with the message identifier")
}

/// Everything on the queue, in delivery order.
pub(crate) async fn get_all(client: &mut RestClient) -> Result<Vec<String>> {
    let mut bodies = Vec::new();
    while let Some(message) = client.get(None, None).await? {
        bodies.push(String::from_utf8(message.body.to_vec())?);
    }
    Ok(bodies)
}

/// The body of a plain `GET`.
pub(crate) fn fetch(address: &str, path: &str) -> Result<String> {
    use std::io::{Read, Write};
    let mut socket = std::net::TcpStream::connect(address)?;
    socket.set_read_timeout(Some(Duration::from_secs(300)))?;
    write!(socket, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").context("an answer has a head")?;
    Ok(body.to_owned())
}

#[expect(clippy::disallowed_methods, reason = "files of a test need not last")]
pub(crate) fn write(path: &std::path::Path, text: &str) -> Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
