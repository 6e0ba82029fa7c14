use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use super::*;

/// A broker that grants all and settles all; it ends with what it was told in transactions, in order.
struct Broker {
    stream: TcpStream,
    next_transaction: u8,
    told: Vec<String>,
}

impl Broker {
    fn start() -> Result<(Endpoint, JoinHandle<Result<Vec<String>>>)> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let serve = move || Self { stream: listener.accept()?.0, next_transaction: 0, told: Vec::new() }.serve();
        Ok((Endpoint { address, tls: None }, std::thread::spawn(serve)))
    }

    fn serve(mut self) -> Result<Vec<String>> {
        self.header()?;
        self.send(1, 0x40, |_| {})?;
        self.frame()?;
        self.send(1, 0x44, |outcome| {
            outcome.byte(0);
        })?;
        self.header()?;
        loop {
            let frame = self.frame()?;
            let mut rest = frame.as_slice();
            let Value::Described(code, fields) = read(&mut rest)? else { bail!("no performative") };
            match u8::try_from(code)? {
                CLOSE => return Ok(self.told),
                DISPOSITION => {
                    let name = transaction_of(fields.field(4));
                    self.told.push(format!("accept {} in {name}", fields.field(1).number().unwrap_or(0)));
                }
                TRANSFER => self.transfer(&fields, rest)?,
                ATTACH => self.attach(&fields)?,
                code => self.send(0, code, |_| {})?,
            }
        }
    }

    fn attach(&mut self, fields: &Value<'_>) -> Result<()> {
        let name = String::from_utf8_lossy(fields.field(0).bytes().unwrap_or_default()).into_owned();
        let handle = u32::try_from(fields.field(1).number().unwrap_or(0))?;
        self.send(0, ATTACH, |attach| {
            attach.string(&name).uint(handle).boolean(true);
        })?;
        self.send(0, FLOW, |flow| {
            flow.uint(0).uint(WINDOW).uint(0).uint(WINDOW).uint(handle).uint(0).uint(100);
        })
    }

    fn transfer(&mut self, fields: &Value<'_>, mut payload: &[u8]) -> Result<()> {
        let number = u32::try_from(fields.field(1).number().unwrap_or(0))?;
        let Value::Described(section, body) = read(&mut payload)? else { bail!("no section") };
        let mut declared = None;
        match (section, *body) {
            (0x77, Value::Described(0x31, _)) => {
                self.next_transaction += 1;
                declared = Some(self.next_transaction);
                self.told.push(format!("declare t{}", self.next_transaction));
            }
            (0x77, Value::Described(0x32, discharge)) => {
                assert_eq!(*discharge.field(1), Value::Boolean(false), "it is to commit");
                self.told.push(format!("commit {}", text(discharge.field(0))));
            }
            _ => self.told.push(format!("message in {}", transaction_of(fields.field(7)))),
        }
        self.send(0, DISPOSITION, |disposition| {
            disposition.boolean(true).uint(number).uint(number).boolean(true);
            match declared {
                Some(name) => disposition.nested(transaction::DECLARED, |state| {
                    state.binary(format!("t{name}").as_bytes());
                }),
                None => disposition.nested(ACCEPTED, |_| {}),
            };
        })
    }

    fn header(&mut self) -> Result<()> {
        let mut header = [0; 8];
        self.stream.read_exact(&mut header)?;
        Ok(self.stream.write_all(&header)?)
    }

    fn frame(&mut self) -> Result<Vec<u8>> {
        let mut head = [0; 8];
        self.stream.read_exact(&mut head)?;
        let mut body = vec![0; u32::from_be_bytes(head[..4].try_into()?) as usize - 8];
        self.stream.read_exact(&mut body)?;
        Ok(body)
    }

    fn send(&mut self, kind: u8, code: u8, fill: impl FnOnce(&mut ListWriter<'_>)) -> Result<()> {
        let mut frame = vec![0, 0, 0, 0, 2, kind, 0, 0];
        let mut list = ListWriter::new(&mut frame, code);
        fill(&mut list);
        list.end();
        let length = u32::try_from(frame.len())?;
        frame[..4].copy_from_slice(&length.to_be_bytes());
        Ok(self.stream.write_all(&frame)?)
    }
}

/// The transaction that a delivery's state names.
fn transaction_of(state: &Value<'_>) -> String {
    match state {
        Value::Described(0x34, state) => text(state.field(0)),
        _ => "none".to_owned(),
    }
}

fn text(value: &Value<'_>) -> String {
    String::from_utf8_lossy(value.bytes().unwrap_or_default()).into_owned()
}

#[test]
fn what_is_settled_is_committed_and_the_next_transaction_declared() {
    let (endpoint, broker) = Broker::start().unwrap();
    let mut amqp = Amqp::connect(&endpoint, "user", "password", "test").unwrap();
    amqp.declare().unwrap();
    amqp.accept_and_commit(&Delivery { number: 7, ..Delivery::default() }).unwrap();
    let reply = Outgoing { body: b"reply", durable: true, reply_to: None, correlation_id: None };
    let request = Delivery { number: 8, ..Delivery::default() };
    amqp.send_accept_and_commit("replies", reply, &request).unwrap();
    amqp.accept_last(&Delivery { number: 9, ..Delivery::default() }).unwrap();
    assert_eq!(
        broker.join().unwrap().unwrap(),
        [
            "declare t1",
            "accept 7 in t1",
            "commit t1",
            "declare t2",
            "message in t2",
            "accept 8 in t2",
            "commit t2",
            "declare t3",
            "accept 9 in none",
        ]
    );
}
