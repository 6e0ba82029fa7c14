//! What a message costs on a queue that a million others wait on, and how fast a peer gives back what a dead member had got there.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use postgres::{Client, NoTls};
use storage::QueueId;
use workload::measure;

use crate::effort::Effort;
use crate::interleave::{Cell, interleave, median};
use crate::postgresql::Postgresql;
use crate::report::{Bar, Report};
use crate::sharing::{GROUP, Load, Member, Queues, identifier, ours, plain, put};
use crate::throughput::block_on;

const SHALLOW: u32 = 100;
const DEEP: u32 = 1_000_000;
const DEEP_QUICK: u32 = 100_000;
const CALLERS: usize = 50;

const PAIR_SHALLOW: &str = "put and get at depth 100, 50 callers";
const PAIR_DEEP: &str = "put and get at depth 1,000,000, 50 callers";
const CORRELATED_SHALLOW: &str = "by correlation id at depth 100, 50 callers";
const CORRELATED_DEEP: &str = "by correlation id at depth 1,000,000, 50 callers";

/// Claims of the member that dies.
const CLAIMS: i64 = 100;
/// A peer looks at a silent member for six seconds.
const RECOVERED: Duration = Duration::from_secs(60);

/// Of every priority. Copies of one message that the member has put; their identifiers differ.
const FILL: &str = "INSERT INTO message (queue, rank, position, persistent, arrived, length, parts, message_key, correlation_key, \
    message_id, correlation_id, group_id, sequence, segment, flags, head, body) \
    SELECT queue, i % 10, position - 4000000 + i, persistent, arrived, length, parts, i * 7919, i * 104729, \
    decode(lpad(to_hex(i), 48, '0'), 'hex'), decode(lpad(to_hex(i), 48, '0'), 'hex'), group_id, sequence, segment, flags, head, body \
    FROM message, generate_series(1, $2::int8) AS t(i) WHERE queue = $1::int4";

pub(super) fn run(effort: &Effort, server: &Postgresql, report: &mut Report) -> Result<()> {
    let depth = if report.is_quick() { DEEP_QUICK } else { DEEP };
    let database = server.database("deep")?;
    plain::make_tables(&database, GROUP)?;
    let member = Member::join(&database, "QM1")?;
    let (shallow, deep) = (Queues::make(&member)?, Queues::make(&member)?);
    let mut client = Client::connect(&database, NoTls)?;
    for (queues, messages) in [(&shallow, SHALLOW), (&deep, depth)] {
        block_on(put(&member.store, None, queues.requests, identifier(0, 0), [0; 24]))?;
        let filled = client.execute(FILL, &[&number_of(queues.requests), &i64::from(messages)])?;
        ensure!(filled == u64::from(messages), "{filled} messages were added");
    }
    client.batch_execute("VACUUM ANALYZE message")?;
    let cost = |load: Load, queues: &Queues| {
        server.tidy_up()?;
        ours(effort, server, CALLERS, load, &[(&member, queues)])
    };
    let measured = interleave(
        effort.rounds,
        vec![
            Cell::new(PAIR_SHALLOW, || cost(Load::Pair, &shallow)),
            Cell::new(PAIR_DEEP, || cost(Load::Pair, &deep)),
            Cell::new(CORRELATED_SHALLOW, || cost(Load::Correlated, &shallow)),
            Cell::new(CORRELATED_DEEP, || cost(Load::Correlated, &deep)),
        ],
    )?;
    let bars = [
        ("database CPU of a put and get by priority at depth 1,000,000", PAIR_DEEP, PAIR_SHALLOW),
        ("database CPU of a put and get by correlation id at depth 1,000,000", CORRELATED_DEEP, CORRELATED_SHALLOW),
    ];
    for (name, deep, shallow) in bars {
        report.add(Bar::at_most(name, 2.0).ratio(&measured, deep, shallow, "µs"));
    }
    let rounds = if report.is_quick() { 1 } else { 3 };
    let times = (0..rounds).map(|round| recovery(&mut client, deep.requests, 1000 + round));
    let times = times.collect::<Result<Vec<f64>>>()?;
    report.add(
        Bar::at_most("a peer gives back 100 messages of a dead member among 1,000,000, after the fence", 100.0)
            .value(median(times), "ms"),
    );
    member.store.close();
    Ok(())
}

/// Milliseconds from the end of a member's epoch until all that it had got is free. The member is one that shows no life.
fn recovery(client: &mut Client, queue: QueueId, member: i32) -> Result<f64> {
    let owner = (i64::from(member) << 32) + 1;
    client.batch_execute(&format!(
        "INSERT INTO member (number, name, epoch, process, state, address, level) VALUES ({member}, 'DEAD{member}', 1, 0, 'ACTIVE', '', 1); \
         INSERT INTO lane (member, lane, epoch, batch) SELECT {member}, l, 1, 0 FROM generate_series(0, 1) AS t(l)"
    ))?;
    let claimed = client.execute(
        "UPDATE message m SET owner = $2, hold = 'g' FROM (SELECT queue, rank, position FROM message \
         WHERE queue = $1 AND owner IS NULL ORDER BY rank, position OFFSET 5000 LIMIT $3) n \
         WHERE m.queue = n.queue AND m.rank = n.rank AND m.position = n.position",
        &[&number_of(queue), &owner, &CLAIMS],
    )?;
    ensure!(claimed == CLAIMS as u64, "{claimed} messages were claimed");
    let look = client.prepare(
        "SELECT state <> 'ACTIVE', NOT EXISTS (SELECT FROM message WHERE owner = $2) FROM member WHERE number = $1",
    )?;
    let begun = measure::now();
    let mut fenced = None;
    while begun.elapsed() < RECOVERED {
        let row = client.query_one(&look, &[&member, &owner])?;
        if row.get(0) {
            let fenced = *fenced.get_or_insert_with(measure::now);
            if row.get(1) {
                return Ok(fenced.elapsed().as_secs_f64() * 1e3);
            }
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    None.context("no peer has recovered the member")
}

/// As the tables have it: without the bit that says that it is shared.
fn number_of(queue: QueueId) -> i32 {
    i32::try_from(queue.0 & 0x7FFF_FFFF).unwrap_or_default()
}
