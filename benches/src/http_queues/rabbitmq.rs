//! RabbitMQ's management over HTTP: publishing to a queue, and getting from it.
//!
//! A message is published by a request of its own: there is none for several. One request gets messages and acknowledges them.
//! Persistent: a durable queue and messages of delivery mode 2; the answer to a publication waits for the queue's confirmation, the
//! acknowledgement is not synced.

use std::net::SocketAddr;

use anyhow::{Result, ensure};
use serde_json::json;

use super::queue::{CLIENTS, Connection, HttpQueue, JSON, Persistence, Taking, body, holds};
use crate::rabbitmq::{CREDENTIALS, RabbitMq};

pub(super) struct Queues<'a> {
    server: &'a RabbitMq,
    persistence: Persistence,
    /// One for each queue.
    publications: Vec<String>,
}

impl<'a> Queues<'a> {
    /// # Errors
    /// The server refuses the queues.
    pub(super) fn declare(server: &'a RabbitMq, persistence: Persistence) -> Result<Self> {
        let mut connection = Connection::new(server.address(), CREDENTIALS);
        let is_durable = persistence == Persistence::Persistent;
        for queue in 0..CLIENTS {
            let definition = json!({ "durable": is_durable, "auto_delete": false, "arguments": {} }).to_string();
            let path = format!("/api/queues/%2F/{}", name(queue, persistence));
            connection.ask("PUT", &path, JSON, definition.as_bytes())?;
        }
        let publication = |queue: usize| {
            json!({
                "properties": { "delivery_mode": if is_durable { 2 } else { 1 } },
                "routing_key": name(queue, persistence), "payload": body(), "payload_encoding": "string"
            })
            .to_string()
        };
        Ok(Self { server, persistence, publications: (0..CLIENTS).map(publication).collect() })
    }
}

impl HttpQueue for Queues<'_> {
    fn name(&self) -> &'static str {
        "RabbitMQ"
    }

    fn persistence(&self) -> Persistence {
        self.persistence
    }

    fn taking(&self) -> Taking {
        Taking::AtOnce
    }

    fn address(&self) -> SocketAddr {
        self.server.address()
    }

    fn credentials(&self) -> &'static str {
        CREDENTIALS
    }

    fn pids(&self) -> Result<Vec<u32>> {
        Ok(vec![self.server.pid()?])
    }

    fn send(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        for _ in 0..together {
            let publication = self.publications[queue].as_bytes();
            let answer = connection.ask("POST", "/api/exchanges/%2F/amq.default/publish", JSON, publication)?;
            ensure!(answer.text().contains("true"), "not routed: {}", answer.text());
        }
        Ok(())
    }

    fn take(&self, connection: &mut Connection, queue: usize, together: usize) -> Result<()> {
        let path = format!("/api/queues/%2F/{}/get", name(queue, self.persistence));
        let wanted = json!({ "count": together, "ackmode": "ack_requeue_false", "encoding": "auto" }).to_string();
        holds(&connection.ask("POST", &path, JSON, wanted.as_bytes())?, together)
    }
}

fn name(queue: usize, persistence: Persistence) -> String {
    format!("bench.{}.{queue}", persistence.word())
}
