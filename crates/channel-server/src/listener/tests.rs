use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

use workers::places::Occupant;

use super::{Waiting, bind};

#[tokio::test]
async fn the_system_looks_after_accepted_sockets_that_are_silent() {
    let listener = bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), 1).expect("a free port");
    let _client = TcpStream::connect(listener.local_addr().expect("bound")).await.expect("it listens");
    let (accepted, _) = listener.accept().await.expect("a client");
    let accepted = TcpSocket::from_std_stream(accepted.into_std().expect("a socket"));
    assert!(accepted.keepalive().expect("an option of sockets"));
}

#[tokio::test]
async fn a_task_that_is_known_only_after_its_socket_made_room_ends_too() {
    let waiting = [Waiting::default(), Waiting::default()];
    let tasks = [(); 2].map(|()| tokio::spawn(std::future::pending::<()>()));
    waiting[0].is_served_by(tasks[0].abort_handle());
    waiting.iter().for_each(Waiting::end);
    waiting[1].is_served_by(tasks[1].abort_handle());
    for task in tasks {
        assert!(task.await.expect_err("it never ends by itself").is_cancelled());
    }
}
