//! A small blocking AMQP 1.0 client, plain or over TLS: senders and one receiver a connection, as lean as the peer deserves.
//!
//! The driver shares the processors with the broker it measures, so this costs one write for a message sent or accepted and
//! a read for what came; credit is topped up by halves. What is settled in a local transaction is in `transaction.rs`.
//!
//! Source: OASIS AMQP 1.0, parts 2 "Transport", 3 "Messaging" and 5 "Security".

mod stream;
mod transaction;
mod value;

use std::collections::HashMap;
use std::io::{Read, Write};

use anyhow::{Context, Result, bail, ensure};

pub use self::stream::Endpoint;
use self::stream::Stream;
use self::value::{ListWriter, Value, read};

const OPEN: u8 = 0x10;
const BEGIN: u8 = 0x11;
const ATTACH: u8 = 0x12;
const FLOW: u8 = 0x13;
const TRANSFER: u8 = 0x14;
const DISPOSITION: u8 = 0x15;
const DETACH: u8 = 0x16;
const END: u8 = 0x17;
const CLOSE: u8 = 0x18;
const ACCEPTED: u8 = 0x24;
const SOURCE: u8 = 0x28;
const TARGET: u8 = 0x29;
const HEADER: u8 = 0x70;
const PROPERTIES: u8 = 0x73;
const DATA: u8 = 0x75;

const RECEIVER_HANDLE: u32 = 0;
/// Messages the broker may send before it is told that there is room for more.
const CREDIT: u32 = 100;
const WINDOW: u32 = i32::MAX.unsigned_abs();
const LONGEST_FRAME: usize = 1 << 20;

/// A connection with one session.
pub struct Amqp {
    stream: Stream,
    input: Vec<u8>,
    /// What of `input` has been dealt with.
    consumed: usize,
    output: Vec<u8>,
    next_delivery: u32,
    /// By address: handle and credit that the broker has given.
    senders: HashMap<String, Sender>,
    receiver: Receiver,
    /// Deliveries of ours that are not settled yet.
    unsettled: u32,
    /// Messages go either way without either end answering.
    streams: bool,
    /// The broker's name of the transaction that was declared last.
    transaction: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Sender {
    handle: u32,
    /// The broker's number for its end, once it has attached.
    remote: Option<u32>,
    delivery_count: u32,
    credit: u32,
}

#[derive(Debug, Default)]
struct Receiver {
    /// Left of the credit given.
    credit: u32,
    /// Credit that is given at once.
    most: u32,
    delivery_count: u32,
    arrived: Vec<Delivery>,
}

/// A message that came, not yet accepted.
#[derive(Debug, Clone, Default)]
pub struct Delivery {
    number: u32,
    pub reply_to: String,
    pub correlation_id: Vec<u8>,
    pub body_length: usize,
}

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    pub body: &'a [u8],
    pub durable: bool,
    pub reply_to: Option<&'a str>,
    pub correlation_id: Option<&'a [u8]>,
}

impl Amqp {
    pub fn connect(endpoint: &Endpoint, user: &str, password: &str, name: &str) -> Result<Self> {
        let mut client = Self {
            stream: endpoint.connect()?,
            input: Vec::new(),
            consumed: 0,
            output: Vec::new(),
            next_delivery: 0,
            senders: HashMap::new(),
            receiver: Receiver::default(),
            unsettled: 0,
            streams: false,
            transaction: Vec::new(),
        };
        client.sign_in(user, password)?;
        client.exchange_headers(b"AMQP\x00\x01\x00\x00")?;
        client.performative(OPEN, |open| {
            open.string(name).string("localhost").uint(u32::try_from(LONGEST_FRAME).unwrap_or(u32::MAX)).ushort(0);
        });
        client.performative(BEGIN, |begin| {
            begin.null().uint(0).uint(WINDOW).uint(WINDOW);
        });
        client.flush()?;
        client.await_performative(OPEN)?;
        client.await_performative(BEGIN)?;
        Ok(client)
    }

    /// From now on messages are sent and received without an answer of either end: settled when they are sent.
    pub fn stream(mut self) -> Self {
        self.streams = true;
        self
    }

    fn sign_in(&mut self, user: &str, password: &str) -> Result<()> {
        self.exchange_headers(b"AMQP\x03\x01\x00\x00")?;
        self.next_frame()?;
        let start = self.begin_frame(1);
        let response = [b"\0", user.as_bytes(), b"\0", password.as_bytes()].concat();
        ListWriter::new(&mut self.output, 0x41).symbol("PLAIN").binary(&response).end();
        self.end_frame(start);
        self.flush()?;
        let frame = self.next_frame()?;
        let Value::Described(0x44, outcome) = read(&mut frame.as_slice())? else { bail!("no outcome of SASL") };
        ensure!(outcome.field(0).number() == Some(0), "the broker refused the user");
        Ok(())
    }

    /// Protocol headers go both ways before any frame.
    fn exchange_headers(&mut self, header: &[u8; 8]) -> Result<()> {
        self.stream.write_all(header)?;
        while self.input.len() - self.consumed < 8 {
            self.fill()?;
        }
        ensure!(self.input[self.consumed..].starts_with(header), "the broker speaks another protocol");
        self.consumed += 8;
        Ok(())
    }

    /// Messages from `address` come from now on, some in advance.
    pub fn receive_from(&mut self, address: &str) -> Result<()> {
        self.receive_with(address, CREDIT)
    }

    /// The same, one at a time: for queues that several read.
    pub fn receive_one_by_one_from(&mut self, address: &str) -> Result<()> {
        self.receive_with(address, 1)
    }

    fn receive_with(&mut self, address: &str, most: u32) -> Result<()> {
        self.receiver.most = most;
        let mode = u8::from(self.streams);
        self.performative(ATTACH, |attach| {
            attach.string(&format!("from-{address}")).uint(RECEIVER_HANDLE).boolean(true).byte(mode).byte(0);
            attach.nested(SOURCE, |source| place(source, address, 10)).nested(TARGET, |target| {
                target.string(address);
            });
        });
        self.grant_credit();
        self.flush()?;
        self.await_performative(ATTACH)
    }

    /// Sends one message and, unless it streams, waits until the broker has accepted it.
    pub fn send(&mut self, address: &str, message: Outgoing<'_>) -> Result<()> {
        let handle = self.sender(address)?;
        self.transfer(handle, message, false);
        self.await_settled()
    }

    /// Sends what is written and waits until the broker has settled all of ours.
    fn await_settled(&mut self) -> Result<()> {
        self.flush()?;
        while self.unsettled > 0 {
            self.take_frame()?;
        }
        Ok(())
    }

    /// The next message, waiting for it. It stays the broker's until `accept`.
    pub fn receive(&mut self) -> Result<Delivery> {
        while self.receiver.arrived.is_empty() {
            self.take_frame()?;
        }
        Ok(self.receiver.arrived.remove(0))
    }

    /// Accepts a message; the broker's word is not waited for, as the broker gives none. Of a stream there is nothing to
    /// accept, and new credit goes out with the next message that is sent.
    pub fn accept(&mut self, delivery: &Delivery) -> Result<()> {
        if self.streams {
            self.top_up_credit();
            return Ok(());
        }
        self.dispose(delivery);
        self.top_up_credit();
        self.flush()
    }

    /// Accepts a message and closes, so that no further one is sent here.
    pub fn accept_last(mut self, delivery: &Delivery) -> Result<()> {
        if !self.streams {
            self.dispose(delivery);
        }
        self.performative(CLOSE, |_| {});
        self.flush()
    }

    fn dispose(&mut self, delivery: &Delivery) {
        self.performative(DISPOSITION, |disposition| {
            disposition.boolean(true).uint(delivery.number).uint(delivery.number).boolean(true);
            disposition.nested(ACCEPTED, |_| {});
        });
    }

    /// The handle of a sender to a queue, with credit.
    fn sender(&mut self, address: &str) -> Result<u32> {
        self.sender_to(address, |target| place(target, address, 6), TARGET)
    }

    /// The handle of the sender known as `name`, with credit; attached to the target when there is none.
    fn sender_to(&mut self, name: &str, fill: impl FnOnce(&mut ListWriter<'_>), target: u8) -> Result<u32> {
        if !self.senders.contains_key(name) {
            let handle = 1 + u32::try_from(self.senders.len())?;
            let mode = u8::from(self.streams);
            self.performative(ATTACH, |attach| {
                attach.string(&format!("to-{name}")).uint(handle).boolean(false).byte(mode).byte(0);
                attach.nested(SOURCE, |source| {
                    source.string(name);
                });
                attach.nested(target, fill).null().null().uint(0);
            });
            self.senders.insert(name.to_owned(), Sender { handle, remote: None, delivery_count: 0, credit: 0 });
        }
        loop {
            let sender = self.senders.get_mut(name).context("the sender was just made")?;
            if sender.credit > 0 {
                sender.credit -= 1;
                sender.delivery_count = sender.delivery_count.wrapping_add(1);
                return Ok(sender.handle);
            }
            self.flush()?;
            self.take_frame()?;
        }
    }

    /// Writes a message, in the transaction at hand or in none.
    fn transfer(&mut self, handle: u32, message: Outgoing<'_>, transacted: bool) {
        let start = self.begin_transfer(handle, transacted);
        let out = &mut self.output;
        ListWriter::new(out, HEADER).boolean(message.durable).end();
        let mut properties = ListWriter::new(out, PROPERTIES);
        properties.null().null().null().null();
        match message.reply_to {
            Some(address) => properties.string(address),
            None => properties.null(),
        };
        match message.correlation_id {
            Some(id) => properties.binary(id),
            None => properties.null(),
        };
        properties.end();
        out.extend_from_slice(&[0x00, 0x53, DATA, 0xB0]);
        out.extend_from_slice(&u32::try_from(message.body.len()).unwrap_or(u32::MAX).to_be_bytes());
        out.extend_from_slice(message.body);
        self.end_frame(start);
    }

    /// Starts a frame with a transfer; what it bears is to follow.
    fn begin_transfer(&mut self, handle: u32, transacted: bool) -> usize {
        let number = self.next_delivery;
        self.next_delivery = number.wrapping_add(1);
        let is_settled = self.streams;
        self.unsettled += u32::from(!is_settled);
        let start = self.begin_frame(0);
        let mut transfer = ListWriter::new(&mut self.output, TRANSFER);
        transfer.uint(handle).uint(number).binary(&number.to_be_bytes()).uint(0).boolean(is_settled).boolean(false);
        if transacted {
            transfer.null().nested(transaction::STATE, |state| {
                state.binary(&self.transaction);
            });
        }
        transfer.end();
        start
    }

    fn top_up_credit(&mut self) {
        if self.receiver.credit <= self.receiver.most / 2 {
            self.grant_credit();
        }
    }

    fn grant_credit(&mut self) {
        let (next, count) = (self.next_delivery, self.receiver.delivery_count);
        let most = self.receiver.most;
        self.receiver.credit = most;
        self.performative(FLOW, |flow| {
            flow.uint(0).uint(WINDOW).uint(next).uint(WINDOW).uint(RECEIVER_HANDLE).uint(count).uint(most);
        });
    }

    fn performative(&mut self, code: u8, fill: impl FnOnce(&mut ListWriter<'_>)) {
        let start = self.begin_frame(0);
        let mut list = ListWriter::new(&mut self.output, code);
        fill(&mut list);
        list.end();
        self.end_frame(start);
    }

    /// `kind`: 0 AMQP, 1 SASL.
    fn begin_frame(&mut self, kind: u8) -> usize {
        let start = self.output.len();
        self.output.extend_from_slice(&[0, 0, 0, 0, 2, kind, 0, 0]);
        start
    }

    fn end_frame(&mut self, start: usize) {
        let length = u32::try_from(self.output.len() - start).unwrap_or(u32::MAX);
        self.output[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }

    fn flush(&mut self) -> Result<()> {
        if self.output.is_empty() {
            return Ok(());
        }
        self.stream.write_all(&self.output)?;
        self.stream.flush()?;
        self.output.clear();
        Ok(())
    }

    fn fill(&mut self) -> Result<()> {
        self.input.drain(..self.consumed);
        self.consumed = 0;
        let length = self.input.len();
        self.input.resize(length + 65_536, 0);
        let read = self.stream.read(&mut self.input[length..])?;
        self.input.truncate(length + read);
        ensure!(read > 0, "the broker hung up");
        Ok(())
    }

    /// The body of the next frame that has one.
    fn next_frame(&mut self) -> Result<Vec<u8>> {
        loop {
            let rest = &self.input[self.consumed..];
            if let Some(size) = rest.first_chunk::<4>() {
                let size = usize::try_from(u32::from_be_bytes(*size))?;
                ensure!((8..=LONGEST_FRAME).contains(&size), "a frame of {size} bytes");
                if let Some(frame) = rest.get(..size) {
                    let body = frame.get(usize::from(frame[4]) * 4..).context("a frame without a body")?.to_vec();
                    self.consumed += size;
                    if !body.is_empty() {
                        return Ok(body);
                    }
                    continue;
                }
            }
            self.fill()?;
        }
    }

    fn await_performative(&mut self, wanted: u8) -> Result<()> {
        while self.take_frame()? != wanted {}
        Ok(())
    }

    /// Reads one frame and does what it says; its performative.
    fn take_frame(&mut self) -> Result<u8> {
        let frame = self.next_frame()?;
        let mut rest = frame.as_slice();
        let Value::Described(code, fields) = read(&mut rest)? else { bail!("a frame that is no performative") };
        let code = u8::try_from(code).unwrap_or(0);
        match code {
            ATTACH => self.attached(&fields),
            FLOW => self.credit_given(&fields),
            TRANSFER => self.arrived(&fields, rest)?,
            DISPOSITION => self.settled(&fields)?,
            DETACH | END | CLOSE => bail!("the broker ended: {fields:?}"),
            _ => {}
        }
        Ok(code)
    }

    /// The broker's answer to an attach bears the link's name and the broker's own number for it.
    fn attached(&mut self, fields: &Value<'_>) {
        let name = String::from_utf8_lossy(fields.field(0).bytes().unwrap_or_default());
        if let Some(sender) = name.strip_prefix("to-").and_then(|address| self.senders.get_mut(address)) {
            sender.remote = fields.field(1).number().and_then(|number| u32::try_from(number).ok());
        }
    }

    fn credit_given(&mut self, fields: &Value<'_>) {
        let number = |index: usize| fields.field(index).number().and_then(|number| u32::try_from(number).ok());
        let Some(handle) = number(4) else { return };
        let (seen, credit) = (number(5).unwrap_or(0), number(6).unwrap_or(0));
        if let Some(sender) = self.senders.values_mut().find(|sender| sender.remote == Some(handle)) {
            sender.credit = seen.wrapping_add(credit).wrapping_sub(sender.delivery_count);
        }
    }

    fn arrived(&mut self, fields: &Value<'_>, mut payload: &[u8]) -> Result<()> {
        let number = fields.field(1).number().context("a transfer without a number")?;
        ensure!(*fields.field(5) != Value::Boolean(true), "a message in several frames");
        let mut delivery = Delivery { number: u32::try_from(number)?, ..Delivery::default() };
        while !payload.is_empty() {
            match read(&mut payload)? {
                Value::Described(section, properties) if section == u64::from(PROPERTIES) => {
                    let text = properties.field(4).bytes().unwrap_or_default();
                    delivery.reply_to = String::from_utf8_lossy(text).into_owned();
                    delivery.correlation_id = properties.field(5).bytes().unwrap_or_default().to_vec();
                }
                Value::Described(section, body) if section == u64::from(DATA) => {
                    delivery.body_length = body.bytes().map_or(0, <[u8]>::len);
                }
                _ => {}
            }
        }
        self.receiver.credit = self.receiver.credit.saturating_sub(1);
        self.receiver.delivery_count = self.receiver.delivery_count.wrapping_add(1);
        self.receiver.arrived.push(delivery);
        Ok(())
    }

    fn settled(&mut self, fields: &Value<'_>) -> Result<()> {
        if *fields.field(0) != Value::Boolean(true) {
            return Ok(());
        }
        match fields.field(4) {
            Value::Described(code, _) if *code == u64::from(ACCEPTED) => {}
            Value::Described(code, state) if *code == u64::from(transaction::DECLARED) => {
                self.transaction = state.field(0).bytes().context("a transaction without a name")?.to_vec();
            }
            Value::Described(code, state) if *code == u64::from(transaction::STATE) => {
                let outcome = state.field(1);
                let accepted = matches!(outcome, Value::Described(code, _) if *code == u64::from(ACCEPTED));
                ensure!(accepted, "the broker did not accept a message: {fields:?}");
            }
            _ => bail!("the broker did not accept a message: {fields:?}"),
        }
        let first = fields.field(1).number().unwrap_or(0);
        let last = fields.field(2).number().unwrap_or(first);
        self.unsettled = self.unsettled.saturating_sub(u32::try_from(last - first + 1)?);
        Ok(())
    }
}

/// Address and, at field `capabilities`, that it is a queue.
fn place(list: &mut ListWriter<'_>, address: &str, capabilities: usize) {
    list.string(address);
    for _ in 1..capabilities {
        list.null();
    }
    list.symbol("queue");
}

#[cfg(test)]
mod tests;
