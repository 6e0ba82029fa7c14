use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use super::*;

/// Answers every byte with the same, on one connection after another.
fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((mut socket, _)) = listener.accept() {
            let mut buffer = [0; 16 << 10];
            while let Ok(read @ 1..) = socket.read(&mut buffer) {
                if socket.write_all(&buffer[..read]).is_err() {
                    break;
                }
            }
        }
    });
    address
}

#[test]
fn an_answer_takes_a_round_trip_and_the_first_one_also_that_of_connecting() {
    let round_trip = Duration::from_millis(30);
    let delay = Delay::start(echo(), round_trip).unwrap();
    let begin = measure::now();
    let mut socket = TcpStream::connect(delay.address()).unwrap();
    socket.set_nodelay(true).unwrap();
    let mut answer = [0; 4];
    for (number, least) in [(1, round_trip * 2), (2, round_trip * 3), (3, round_trip * 4)] {
        socket.write_all(b"ping").unwrap();
        socket.read_exact(&mut answer).unwrap();
        assert!(begin.elapsed() >= least, "{number}: {:?}", begin.elapsed());
    }
    assert_eq!(&answer, b"ping");
}

#[test]
fn bytes_keep_their_order_and_their_end() {
    let delay = Delay::start(echo(), Duration::from_millis(4)).unwrap();
    let mut socket = TcpStream::connect(delay.address()).unwrap();
    let mut writing = socket.try_clone().unwrap();
    let sent: Vec<u8> = (0..3_000_000_u32).map(|number| (number % 251) as u8).collect();
    let expected = sent.clone();
    let writer = std::thread::spawn(move || {
        writing.write_all(&sent).unwrap();
        writing.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let mut received = Vec::new();
    socket.read_to_end(&mut received).unwrap();
    writer.join().unwrap();
    assert!(received == expected, "{} bytes of {} came back", received.len(), expected.len());
}

#[test]
fn a_server_that_is_not_there_is_hung_up_on() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let delay = Delay::start(free, Duration::from_millis(2)).unwrap();
    let mut socket = TcpStream::connect(delay.address()).unwrap();
    assert!(matches!(socket.read(&mut [0; 1]), Ok(0) | Err(_)));
}
