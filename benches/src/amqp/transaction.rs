//! Local transactions with one round trip each: what is settled, the discharge that commits it, and the declaration of the
//! next transaction go out in one write.
//!
//! This is the only way to have the broker's word that a message it was told is accepted is gone for good: Artemis 2.39
//! answers no disposition, also where a link asks for `rcv-settle-mode` second, which it attaches as first.
//!
//! Source: OASIS AMQP 1.0, part 4 "Transactions".

use anyhow::Result;

use super::value::ListWriter;
use super::{ACCEPTED, Amqp, DISPOSITION, Delivery, Outgoing};

const COORDINATOR: u8 = 0x30;
const DECLARE: u8 = 0x31;
const DISCHARGE: u8 = 0x32;
/// The outcome of a declaration: the name of the transaction.
pub(super) const DECLARED: u8 = 0x33;
/// The state of a delivery within a transaction.
pub(super) const STATE: u8 = 0x34;
const AMQP_VALUE: u8 = 0x77;
/// Name of the link to the coordinator; no queue has it.
const LINK: &str = "the coordinator";

impl Amqp {
    /// Declares the first transaction: to be called once, before any of the others here.
    pub fn declare(&mut self) -> Result<()> {
        self.control(DECLARE)?;
        self.await_settled()
    }

    /// Accepts a message and waits until the broker has made that last.
    pub fn accept_and_commit(&mut self, delivery: &Delivery) -> Result<()> {
        self.dispose_transacted(delivery);
        self.commit()
    }

    /// Sends one message and accepts another as one unit, and waits until the broker has made both last.
    pub fn send_accept_and_commit(&mut self, address: &str, message: Outgoing<'_>, delivery: &Delivery) -> Result<()> {
        let handle = self.sender(address)?;
        self.transfer(handle, message, true);
        self.dispose_transacted(delivery);
        self.commit()
    }

    /// Commits the transaction at hand and declares the next.
    fn commit(&mut self) -> Result<()> {
        self.control(DISCHARGE)?;
        self.control(DECLARE)?;
        self.top_up_credit();
        self.await_settled()
    }

    /// A message for the coordinator.
    fn control(&mut self, what: u8) -> Result<()> {
        let capability = |target: &mut ListWriter<'_>| {
            target.symbol("amqp:local-transactions");
        };
        let handle = self.sender_to(LINK, capability, COORDINATOR)?;
        let start = self.begin_transfer(handle, false);
        self.output.extend_from_slice(&[0x00, 0x53, AMQP_VALUE]);
        let mut list = ListWriter::new(&mut self.output, what);
        if what == DISCHARGE {
            list.binary(&self.transaction).boolean(false);
        }
        list.end();
        self.end_frame(start);
        Ok(())
    }

    fn dispose_transacted(&mut self, delivery: &Delivery) {
        let start = self.begin_frame(0);
        let mut disposition = ListWriter::new(&mut self.output, DISPOSITION);
        disposition.boolean(true).uint(delivery.number).uint(delivery.number).boolean(true);
        disposition.nested(STATE, |state| {
            state.binary(&self.transaction).nested(ACCEPTED, |_| {});
        });
        disposition.end();
        self.end_frame(start);
    }
}
