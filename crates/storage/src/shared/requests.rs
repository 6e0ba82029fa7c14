//! Requests of one member to others, in a table of the database: of any content, and with an answer from each.
//!
//! The asker adds a row for each member that it asks, and tells them by a hint; a tick finds what a hint did not tell. A member takes
//! a row before it acts on it, and writes its answer into the row. What a request says is not known here.
//!
//! Invariants
//! - A request is acted on once at most: what was taken is never taken again.
//! - An asker's rows go when it has its answers or gives up, and with its epoch. Rows to a member go with the member's epoch.

use std::collections::{BTreeMap, HashSet};

use tokio::time::Instant;

use crate::StoreError;
use crate::shared::driver::{Driver, Phase};
use crate::shared::store::SharedStore;
use crate::store::boxed;

/// What another member asks of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRequest {
    asker: i32,
    number: i64,
    pub content: Vec<u8>,
}

impl SharedStore {
    /// Asks other members, by their numbers, and waits for their answers for as long as `SharedOptions::answers` says. A member that
    /// does not answer, or ends meanwhile, is missing in what comes back.
    ///
    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn ask_members(&self, members: &[i32], content: &[u8]) -> Result<BTreeMap<i32, Vec<u8>>, StoreError> {
        let driver = self.driver();
        let until = Instant::now() + driver.options.answers;
        let mut told = driver.requests.subscribe();
        let number = driver.in_common.unit_number(self.session().await?.epoch).0;
        let asked = Asked::new(driver, number);
        boxed(self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            client.execute(&s.ask_members, &[&session.member, &number, &members, &content]).await?;
            if let Some(hints) = driver.in_common.hints() {
                hints.tell_requests(members);
            }
            Ok(())
        }))
        .await?;
        let mut answers = BTreeMap::new();
        let mut open: Vec<i32> = members.to_vec();
        while !open.is_empty() && Instant::now() < until {
            told.borrow_and_update();
            open = self.collect(number, &open, &mut answers).await?;
            if !open.is_empty() {
                let _ = told.changed().await;
            }
        }
        drop(asked);
        self.forget_requests().await?;
        Ok(answers)
    }

    /// Adds the answers that have come from these members; gives those that may still answer.
    async fn collect(
        &self,
        number: i64,
        open: &[i32],
        answers: &mut BTreeMap<i32, Vec<u8>>,
    ) -> Result<Vec<i32>, StoreError> {
        let rows = boxed(self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            client.query(&s.answers, &[&session.member, &number, &open]).await
        }))
        .await?;
        let mut waiting = Vec::new();
        for row in rows {
            match row.get::<_, Option<Vec<u8>>>(1) {
                Some(answer) => drop(answers.insert(row.get(0), answer)),
                None => waiting.push(row.get(0)),
            }
        }
        Ok(waiting)
    }

    /// Removes the rows of requests that this member does not wait for.
    async fn forget_requests(&self) -> Result<(), StoreError> {
        let open: Vec<i64> = self.driver().asked.lock().iter().copied().collect();
        let open = &open;
        boxed(self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            client.execute(&s.forget_requests, &[&session.member, open]).await
        }))
        .await
        .map(|_| ())
    }

    /// The next request of another member, which is this one's to answer. `None`: the member has ended, or is another process now.
    pub async fn next_request(&self) -> Option<MemberRequest> {
        let driver = self.driver();
        let mut told = driver.requests.subscribe();
        loop {
            told.borrow_and_update();
            let taken = boxed(self.look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query_opt(&s.take_request, &[&session.member]).await
            }));
            match taken.await {
                Ok(Some(row)) => {
                    return Some(MemberRequest { asker: row.get(0), number: row.get(1), content: row.get(2) });
                }
                Ok(None) | Err(StoreError::Database) => {}
                Err(_) => {
                    let decided = |phase: &Phase| matches!(phase, Phase::Open(_) | Phase::TakenOver | Phase::Closed);
                    let is_open = match driver.phase.subscribe().wait_for(decided).await.as_deref() {
                        Ok(Phase::Open(_)) => true,
                        Ok(_) | Err(_) => false,
                    };
                    if !is_open {
                        return None;
                    }
                    continue;
                }
            }
            if told.changed().await.is_err() {
                return None;
            }
        }
    }

    /// # Errors
    /// `Unreachable`, `Database`, `Closed`.
    pub async fn answer(&self, request: &MemberRequest, answer: &[u8]) -> Result<(), StoreError> {
        let driver = self.driver();
        boxed(self.look(|session| async move {
            let (client, s) = (&session.reader.client, &session.reader.statements);
            client.execute(&s.answer, &[&request.asker, &request.number, &session.member, &answer]).await?;
            if let Some(hints) = driver.in_common.hints() {
                hints.tell_requests(&[request.asker]);
            }
            Ok(())
        }))
        .await
    }
}

/// A request that is waited for, until it is dropped.
struct Asked<'a> {
    driver: &'a Driver,
    number: i64,
}

impl<'a> Asked<'a> {
    fn new(driver: &'a Driver, number: i64) -> Self {
        driver.asked.lock().insert(number);
        Self { driver, number }
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let mut asked: parking_lot::MutexGuard<'_, HashSet<i64>> = self.driver.asked.lock();
        asked.remove(&self.number);
    }
}
