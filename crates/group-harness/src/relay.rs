//! A relay of the datagrams that members of a group tell each other arrivals by. It loses them when it is told to.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::postgres::{Database, asked};

/// Passes datagrams between the first members of a group, while it is told to. Ends when it is dropped.
pub struct Relay {
    /// To the member of each number.
    passes: Vec<Arc<AtomicBool>>,
    is_over: Arc<AtomicBool>,
}

impl Relay {
    /// Between so many. Members that join from now on tell each other its ports in place of their own.
    pub fn between_members_of(database: &Database, members: usize) -> Self {
        let sockets: Vec<UdpSocket> =
            (0..members).map(|_| UdpSocket::bind("127.0.0.1:0").expect("a free port")).collect();
        let addresses = sockets
            .iter()
            .map(|socket| format!("'{}'", socket.local_addr().expect("has an address")))
            .collect::<Vec<_>>();
        let addresses = addresses.join(", ");
        database.run(&format!(
            "CREATE TABLE relayed (number int4 PRIMARY KEY, address text); \
             CREATE FUNCTION relay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
               IF NEW.address <> OLD.address THEN \
                 INSERT INTO relayed VALUES (NEW.number, NEW.address) \
                   ON CONFLICT (number) DO UPDATE SET address = excluded.address; \
                 NEW.address := (ARRAY[{addresses}])[NEW.number]; \
               END IF; RETURN NEW; END $$; \
             CREATE TRIGGER relay BEFORE UPDATE ON member FOR EACH ROW EXECUTE FUNCTION relay()"
        ));
        let is_over = Arc::new(AtomicBool::new(false));
        let passes: Vec<Arc<AtomicBool>> = sockets.iter().map(|_| Arc::new(AtomicBool::new(true))).collect();
        for ((socket, passes), number) in sockets.into_iter().zip(&passes).zip(1..) {
            let (passes, is_over, url) = (Arc::clone(passes), Arc::clone(&is_over), database.url.clone());
            std::thread::spawn(move || relay(&socket, &url, number, &passes, &is_over));
        }
        Self { passes, is_over }
    }

    /// To all members.
    pub fn pass(&self, passes: bool) {
        self.passes.iter().for_each(|member| member.store(passes, Ordering::Release));
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
    }
}

/// What is for one member. Its own address changes when it starts again: then the one that is known is asked for anew.
fn relay(socket: &UdpSocket, url: &str, number: i32, passes: &AtomicBool, is_over: &AtomicBool) {
    let sql = format!("SELECT address FROM relayed WHERE number = {number}");
    let limit = Duration::from_secs(10);
    let mut buffer = [0; 2048];
    let mut member: Option<String> = None;
    let mut relayed = 0_u32;
    socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a time");
    while !is_over.load(Ordering::Acquire) {
        let Ok(length) = socket.recv(&mut buffer) else { continue };
        if member.is_none() || relayed.is_multiple_of(64) {
            // A database that a test has killed keeps the address that is known.
            let rows = asked(url, &sql, limit).unwrap_or_default();
            member = rows.into_iter().next().and_then(|mut row| row.remove(0)).or(member);
        }
        relayed = relayed.wrapping_add(1);
        if let (true, Some(member)) = (passes.load(Ordering::Acquire), &member) {
            // A member that is killed takes none.
            let _ = socket.send_to(&buffer[..length], member);
        }
    }
}
