//! The batch server of these loads.

use anyhow::Result;

use super::setting::{Setting, Transport};
use crate::responder::{Habit, Order, Responder};

pub(super) fn start(
    setting: &Setting,
    transport: Transport,
    connections: u32,
    response_size: usize,
    streams: bool,
) -> Result<Responder> {
    Responder::start(&Order {
        mq: setting.mq,
        channel: transport.channel(),
        queue: &super::request_queue(transport, streams),
        connections,
        response_size,
        passwords: &setting.passwords,
        ca_file: (transport == Transport::Tls).then(|| setting.server.ca_file()),
        habit: if streams { Habit::Streaming } else { Habit::Asking },
    })
}
