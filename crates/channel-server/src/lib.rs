//! The server end of MQ client channels (SVRCONN): sockets, conversations, and the MQI verbs asked for on them.
//!
//! Where to look: `listener` accepts and tells TLS (`tls`) from plain; `socket` is the one task a socket has, which reads
//! segments, runs what its conversations have to do and writes what they answer; `admission` says who may come in by
//! which channel and as whom; `conversation` owns one connection to the queue manager and runs its requests in order;
//! `verb` has a file for each MQI verb, `spi` for the calls beside them, `consumer` asynchronous delivery, `subscribe`
//! MQSUB and its SPI form, `xa` the verbs of a transaction manager; `spoilt` knows what must not be committed.
//!
//! Layouts of bytes are `channel-protocol`'s; what a verb means is `queue-manager`'s. Here is neither.

pub mod admission;
pub mod listener;
pub mod socket;
pub mod tls;

mod cipher;
mod consumer;
mod conversation;
mod jobs;
mod shared;
mod spi;
mod spoilt;
mod subscribe;
mod verb;
mod xa;
