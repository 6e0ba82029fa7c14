//! Clients of the messaging REST API, v2: puts, gets, gets with wait, and gets of an own message by its correlation identifier.

use anyhow::{Result, bail};
use rand::Rng;
use system_tests::http::{self, Answer};

use super::{Client, Stop, connect, correlation, named, unanswered};
use crate::group::faults::pause;
use crate::group::history::{Outcome, QUEUES, REPLY, WORK, What};

pub(crate) const TOKEN: &str = "ibm-mq-rest-csrf-token: x\r\n";
const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);
/// Of messages that v2 puts.
const PRIORITY: u8 = 4;

pub(crate) fn path(queue: usize, query: &str) -> String {
    format!("/ibmmq/rest/v2/messaging/qmgr/QSG1/queue/{}/message{query}", QUEUES[queue])
}

/// Of a persistent put with this correlation identifier.
pub(crate) fn headers_of_put(correlation: &str) -> String {
    format!(
        "{TOKEN}Content-Type: text/plain;charset=utf-8\r\nibm-mq-md-persistence: persistent\r\n\
         ibm-mq-md-correlationId: {correlation}\r\n"
    )
}

/// # Errors
/// The answer is none of a get that has done its work.
pub(super) fn got(answer: &Answer) -> Result<Option<u64>> {
    match answer.status {
        200 => named(&answer.body).map(Some),
        204 => Ok(None),
        status => bail!("get: {status} {}", answer.text()),
    }
}

pub(super) fn work(mut client: Client) -> Result<()> {
    let mut own = Vec::new();
    while !client.is_over() {
        let Some(mut connection) = client.any_doors().and_then(connect) else {
            pause(PAUSE);
            continue;
        };
        let stream = client.recorder.number();
        while !client.is_over() {
            match one(&mut client, &mut connection, stream, &mut own) {
                Ok(()) => {}
                Err(Stop::Gone) => break,
                Err(Stop::Failed(error)) => return Err(error),
            }
        }
    }
    Ok(())
}

/// `own`: its messages on the queue of replies, perhaps.
fn one(client: &mut Client, connection: &mut http::Client, stream: u64, own: &mut Vec<u64>) -> Result<(), Stop> {
    match client.random.gen_range(0..10) {
        0..2 => put(client, connection, stream, WORK).map(drop),
        2..4 => {
            let id = put(client, connection, stream, REPLY);
            own.extend(id.as_ref().ok());
            id.map(drop)
        }
        4..6 if !own.is_empty() => {
            let id = own.swap_remove(client.random.gen_range(0..own.len()));
            get(client, connection, REPLY, Some(id), "")
        }
        4..8 => get(client, connection, WORK, None, ""),
        _ => get(client, connection, WORK, None, "?wait=300"),
    }
}

fn put(client: &mut Client, connection: &mut http::Client, stream: u64, queue: usize) -> Result<u64, Stop> {
    let message = client.recorder.message(stream, queue, PRIORITY);
    let headers = headers_of_put(&correlation(message.id));
    let operation = client.recorder.begin(What::Put(message));
    let answer = connection.ask("POST", &path(queue, ""), &headers, Client::body(&message).as_bytes());
    let answer = answer.map_err(|error| unanswered(&error))?;
    match answer.status {
        201 => {
            client.recorder.end(operation, Outcome::Done);
            Ok(message.id)
        }
        _ => Err(refused(&answer)),
    }
}

fn get(
    client: &mut Client,
    connection: &mut http::Client,
    queue: usize,
    aim: Option<u64>,
    query: &str,
) -> Result<(), Stop> {
    let query = aim.map_or_else(|| query.to_owned(), |id| format!("?correlationId={}", correlation(id)));
    let operation = client.recorder.begin(What::Get { queue, aim, unit: None });
    let answer = connection.ask("DELETE", &path(queue, &query), TOKEN, b"").map_err(|error| unanswered(&error))?;
    if !matches!(answer.status, 200 | 204) {
        return Err(refused(&answer));
    }
    client.recorder.end(operation, Outcome::Got(got(&answer)?));
    Ok(())
}

/// A member that cannot reach the database says 5xx, and what it was asked has happened or not.
fn refused(answer: &Answer) -> Stop {
    match answer.status {
        500.. => Stop::Gone,
        status => Stop::Failed(anyhow::anyhow!("{status} {}", answer.text())),
    }
}
