//! What a group in which nothing happens costs its database.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::effort::Effort;
use crate::postgresql::Postgresql;
use crate::report::{Bar, Report};
use crate::sharing::processes::used_by;
use crate::sharing::{GROUP, Member, plain};
use crate::throughput::block_on;

const QUEUES: usize = 1000;

pub(super) fn run(effort: &Effort, server: &Postgresql, report: &mut Report) -> Result<()> {
    let database = server.database("idle")?;
    plain::make_tables(&database, GROUP)?;
    let members = ["QM1", "QM2", "QM3"].map(|name| Member::join(&database, name));
    let members = members.into_iter().collect::<Result<Vec<_>>>()?;
    for _ in 0..QUEUES {
        let queue = block_on(members[0].store.create_shared_queue("APP1"))?;
        for member in &members[1..] {
            block_on(member.store.shared().context("the member is in a group")?.know_queue(queue))?;
        }
    }
    std::thread::sleep(Duration::from_secs(3));
    let time = effort.engine * 10;
    let before = used_by(server.id())?;
    std::thread::sleep(time);
    let used = used_by(server.id())?.saturating_sub(before);
    let share = 100.0 * used.as_secs_f64() / time.as_secs_f64();
    report.add(
        Bar::at_most("database CPU of an idle group: 3 members, 1000 shared queues", 1.0).value(share, "% of a core"),
    );
    members.iter().for_each(|member| member.store.close());
    Ok(())
}
