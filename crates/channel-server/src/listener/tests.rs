use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

use super::bind;

#[tokio::test]
async fn the_system_looks_after_accepted_sockets_that_are_silent() {
    let listener = bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), 1).expect("a free port");
    let _client = TcpStream::connect(listener.local_addr().expect("bound")).await.expect("it listens");
    let (accepted, _) = listener.accept().await.expect("a client");
    let accepted = TcpSocket::from_std_stream(accepted.into_std().expect("a socket"));
    assert!(accepted.keepalive().expect("an option of sockets"));
}
