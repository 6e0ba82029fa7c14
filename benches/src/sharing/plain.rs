//! The peer: one transaction an operation, by statements on the same tables.

use anyhow::{Context, Result, bail, ensure};
use postgres::{Client, NoTls, Row, Statement};
use storage::SharedOptions;
use storage::shared::Roles;

use crate::sharing::{Load, Queues, SIZE, identifier};

const INSERT: &str = "INSERT INTO message (queue, rank, position, persistent, arrived, length, parts, message_key, correlation_key, \
    message_id, correlation_id, group_id, sequence, segment, flags, head, body) \
    VALUES ($1, 9, $2, true, $2, 1024, 0, $3, $4, $5, $6, $7, 1, 0, 0, $8, $9)";
// MATERIALIZED: a plan that asks the inner query again would find, and remove, a second message.
const TAKE_FIRST: &str = "WITH n AS MATERIALIZED (SELECT queue, rank, position FROM message WHERE queue = $1 AND owner IS NULL \
    ORDER BY rank, position LIMIT 1 FOR UPDATE SKIP LOCKED) DELETE FROM message m USING n \
    WHERE m.queue = n.queue AND m.rank = n.rank AND m.position = n.position RETURNING m.message_id, m.head, m.body";
const TAKE_CORRELATED: &str = "WITH n AS MATERIALIZED (SELECT queue, rank, position FROM message WHERE queue = $1 \
    AND correlation_key = $2 AND correlation_id = $3 AND owner IS NULL ORDER BY rank, position LIMIT 1 FOR UPDATE SKIP LOCKED) \
    DELETE FROM message m USING n \
    WHERE m.queue = n.queue AND m.rank = n.rank AND m.position = n.position RETURNING m.message_id, m.head, m.body";

/// As members set it: plans that do not change with the statistics.
const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_sort = off; SET enable_bitmapscan = off; \
    SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off";

const LOOKS: u32 = 10_000;
/// Queues of the peer have numbers that no shared queue has.
const OFFSET: i32 = 1_000_000;
/// Bytes of an encoded descriptor, as ours has them.
const HEAD: usize = 200;

/// Tables of a group in an empty database.
pub(super) fn make_tables(database: &str, group: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let options = SharedOptions::new(database.to_owned(), String::new());
    runtime
        .block_on(storage::shared::create_group(&options, group, &Roles::default()))
        .context("cannot make the group's tables")
}

pub(super) struct Plain {
    pub(super) database: String,
}

struct Connection {
    client: Client,
    insert: Statement,
    take_first: Statement,
    take_correlated: Statement,
}

impl Plain {
    /// One caller's operation, again and again.
    pub(super) fn caller(
        &self,
        load: Load,
        queues: &Queues,
        number: usize,
    ) -> Result<impl FnMut() -> Result<()> + use<>> {
        let mut client = Client::connect(&self.database, NoTls)?;
        client.batch_execute(SETTINGS)?;
        let (insert, take_first) = (client.prepare(INSERT)?, client.prepare(TAKE_FIRST)?);
        let take_correlated = client.prepare(TAKE_CORRELATED)?;
        let mut connection = Connection { client, insert, take_first, take_correlated };
        let [requests, replies] =
            [queues.requests, queues.replies].map(|queue| OFFSET + i32::try_from(queue.0 & 0xFFFF).unwrap_or(0));
        let mut serial = 0;
        Ok(move || {
            serial += 1;
            let position = i64::try_from(number).unwrap_or(0) << 40 | serial;
            let id = identifier(number, u64::try_from(serial).unwrap_or(0));
            connection.operation(load, requests, replies, position, id)
        })
    }
}

impl Connection {
    fn operation(&mut self, load: Load, requests: i32, replies: i32, position: i64, id: [u8; 24]) -> Result<()> {
        match load {
            Load::Pair => {
                put(&mut self.client, &self.insert, requests, position, id, None)?;
                self.take_first(requests)
            }
            Load::Correlated => {
                put(&mut self.client, &self.insert, requests, position, id, Some(position))?;
                self.take_correlated(requests, position, id)
            }
            Load::Unit => {
                put(&mut self.client, &self.insert, requests, position, id, None)?;
                let mut unit = self.client.transaction()?;
                let row = first(|| unit.query_opt(&self.take_first, &[&requests]))?;
                let request: [u8; 24] = row.get::<_, &[u8]>(0).try_into()?;
                let key =
                    i64::from_le_bytes(request[16..].try_into()?) ^ i64::from_le_bytes(request[8..16].try_into()?);
                let insert = &self.insert;
                unit.execute(
                    insert,
                    &[
                        &replies,
                        &position,
                        &key,
                        &key,
                        &&request[..],
                        &&request[..],
                        &&[0_u8; 24][..],
                        &&[1_u8; HEAD][..],
                        &&[1_u8; SIZE][..],
                    ],
                )?;
                unit.commit()?;
                self.take_correlated(replies, key, request)
            }
        }
    }

    fn take_first(&mut self, queue: i32) -> Result<()> {
        let row = first(|| self.client.query_opt(&self.take_first, &[&queue]))?;
        ensure!(row.get::<_, &[u8]>(2).len() == SIZE, "a message came back with another length");
        Ok(())
    }

    fn take_correlated(&mut self, queue: i32, key: i64, id: [u8; 24]) -> Result<()> {
        let row = first(|| self.client.query_opt(&self.take_correlated, &[&queue, &key, &&id[..]]))?;
        ensure!(row.get::<_, &[u8]>(2).len() == SIZE, "a message came back with another length");
        Ok(())
    }
}

/// Again when all that a look has seen was being taken by others: the caller's own message is there for somebody.
fn first(mut look: impl FnMut() -> Result<Option<Row>, postgres::Error>) -> Result<Row> {
    for _ in 0..LOOKS {
        if let Some(row) = look()? {
            return Ok(row);
        }
    }
    bail!("the message that was put is not there")
}

fn put(
    client: &mut Client,
    insert: &Statement,
    queue: i32,
    position: i64,
    id: [u8; 24],
    correlation: Option<i64>,
) -> Result<()> {
    let key = position;
    let correlation_id = if correlation.is_some() { id } else { [0; 24] };
    client.execute(
        insert,
        &[
            &queue,
            &position,
            &key,
            &correlation,
            &&id[..],
            &&correlation_id[..],
            &&[0_u8; 24][..],
            &&[1_u8; HEAD][..],
            &&[1_u8; SIZE][..],
        ],
    )?;
    Ok(())
}
