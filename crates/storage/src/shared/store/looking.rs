//! Looks at shared queues that take nothing: browse, scans, locks of browsers.

use model::timestamp::Timestamp;

use super::SharedStore;
use crate::shared::batch::read_parts;
use crate::shared::find::{Fitting, Holder, first_fitting, fitting};
use crate::shared::lane::LAZY;
use crate::shared::operation::{Answer, Operation, Place, Wanted};
use crate::shared::row::{Found, delivery_key, position, queue_number, rank};
use crate::{DeliveryKey, Glimpse, LockOwner, QueueId, Selection, Slice, StoreError, StoredMessage, Survey, Surveyed};

impl SharedStore {
    /// The first message behind a place that fits.
    pub(super) async fn fitting_behind(
        &self,
        queue: QueueId,
        after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<Fitting>, StoreError> {
        let is_mine = |place| self.is_mine(place, selection.lock_owner);
        let is_mine = &is_mine;
        self.look(|session| async move { first_fitting(&session, queue, after, selection, now, is_mine).await }).await
    }

    /// As `PrivateStore::browse`.
    ///
    /// # Errors
    /// As `get`.
    pub async fn browse(
        &self,
        queue: QueueId,
        mut after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<StoredMessage>, StoreError> {
        self.figures(queue)?;
        self.settle().await?;
        let now = self.there(now);
        while let Some(fitting) = self.fitting_behind(queue, after, selection, now).await? {
            if let Some(stored) = self.read(queue, fitting.key).await? {
                return Ok(Some(self.shown(stored)));
            }
            after = Some(fitting.key);
        }
        Ok(None)
    }

    /// Up to `maximum` matching messages behind `after`, for a look at what they say.
    ///
    /// # Errors
    /// As `get`.
    pub async fn glimpses(
        &self,
        queue: QueueId,
        after: Option<DeliveryKey>,
        selection: &Selection<'_>,
        maximum: usize,
        now: Timestamp,
    ) -> Result<Slice, StoreError> {
        self.figures(queue)?;
        self.settle().await?;
        let is_mine = |place| self.is_mine(place, selection.lock_owner);
        let (is_mine, now) = (&is_mine, self.there(now));
        let found = self
            .look(|session| async move { fitting(&session, queue, after, selection, now, is_mine, maximum).await })
            .await?;
        let is_last = found.len() < maximum;
        let mut glimpses = Vec::with_capacity(found.len());
        for fitting in found {
            if let Some(stored) = self.read(queue, fitting.key).await? {
                let message = *stored.message;
                glimpses.push(Glimpse {
                    key: stored.key,
                    descriptor: message.descriptor,
                    beginning: message.body,
                    is_whole: true,
                });
            }
        }
        Ok(Slice { glimpses, is_last })
    }

    /// As `PrivateStore::back_from`.
    ///
    /// # Errors
    /// `UnknownQueue`, `Unreachable`, `Closed`.
    pub async fn back_from(
        &self,
        queue: QueueId,
        before: Option<DeliveryKey>,
        count: usize,
    ) -> Result<Option<DeliveryKey>, StoreError> {
        self.figures(queue)?;
        let (before_rank, before_position) = before.map_or((i16::MAX, 0), |key| (rank(key), position(key)));
        let wanted = i64::try_from(count).unwrap_or(i64::MAX).saturating_add(1);
        let rows = self
            .look(|session| async move {
                let (client, s) = (&session.reader.client, &session.reader.statements);
                client.query(&s.before, &[&queue_number(queue), &before_rank, &before_position, &wanted]).await
            })
            .await?;
        Ok(rows.get(count).map(|row| delivery_key(row.get(0), row.get(1))))
    }

    /// As `PrivateStore::lock`, in the whole group.
    ///
    /// # Errors
    /// As `get`.
    pub async fn lock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> Result<bool, StoreError> {
        let place = Place { queue, key };
        let _taking = self.figures(queue)?.take_part()?;
        // One of an earlier epoch has been given back by a peer.
        let epoch = self.session().await?.epoch;
        if let Some(holder) = self.running.locks.lock().get(&place).filter(|holder| holder.epoch == epoch) {
            return Ok(holder.owner == owner);
        }
        self.settle().await?;
        let Answer::Locked(Some(guard)) = self.submit(Operation::Lock(place)).await? else { return Ok(false) };
        self.running.locks.lock().insert(place, Holder { owner, epoch: guard.keep() });
        Ok(true)
    }

    /// False when this owner does not hold the lock. What looks at queues here next sees the message free.
    pub fn unlock(&self, queue: QueueId, key: DeliveryKey, owner: LockOwner) -> bool {
        let place = Place { queue, key };
        let mut locks = self.running.locks.lock();
        let Some(Holder { epoch, .. }) = locks.get(&place).copied().filter(|holder| holder.owner == owner) else {
            return false;
        };
        locks.remove(&place);
        self.running.driver.inboxes[LAZY].release(vec![place], epoch);
        true
    }

    /// As `PrivateStore::survey`; what other members hold is not named.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn survey(&self, queue: QueueId, maximum: usize, now: Timestamp) -> Result<Option<Survey>, StoreError> {
        let Some(figures) = self.running.driver.figures.of(queue) else { return Ok(None) };
        let (selection, now) = (&Selection::default(), self.there(now));
        let found = self
            .look(|session| async move { fitting(&session, queue, None, selection, now, &|_| true, maximum).await })
            .await?;
        let mut survey = Survey::default();
        for fitting in found {
            if let Some(stored) = self.read(queue, fitting.key).await? {
                survey.first.push(Surveyed {
                    position: stored.key.position,
                    message_id: stored.message.descriptor.message_id,
                    correlation_id: stored.message.descriptor.correlation_id,
                    group_id: stored.message.descriptor.group_id,
                    has_expired: false,
                    is_locked: fitting.is_locked,
                });
            }
        }
        let depth = figures.depth();
        survey.available = survey.first.len().max((depth.current - depth.uncommitted.min(depth.current)) as usize);
        Ok(Some(survey))
    }

    /// As `PrivateStore::first_fitting`.
    ///
    /// # Errors
    /// `Unreachable`, `Closed`.
    pub async fn first_fitting(
        &self,
        queue: QueueId,
        selection: &Selection<'_>,
        now: Timestamp,
    ) -> Result<Option<DeliveryKey>, StoreError> {
        Ok(self.fitting_behind(queue, None, selection, self.there(now)).await?.map(|fitting| fitting.key))
    }

    pub(super) async fn read(&self, queue: QueueId, key: DeliveryKey) -> Result<Option<StoredMessage>, StoreError> {
        let (number, rank, position) = (queue_number(queue), rank(key), position(key));
        let found = self
            .look(|session| async move {
                let reader = &session.reader;
                let row = reader.client.query_opt(&reader.statements.read, &[&number, &rank, &position]).await?;
                let Some(mut found) = row.as_ref().map(Found::of) else { return Ok(None) };
                if found.in_parts {
                    let mut bodies = read_parts(reader, &[(queue, position)]).await?;
                    let Some(body) = bodies.remove(&(queue, position)) else { return Ok(None) };
                    found.set_body(body);
                }
                Ok(Some(found))
            })
            .await?;
        Ok(found.and_then(Found::stored))
    }

    pub(super) fn is_mine(&self, place: Place, owner: Option<LockOwner>) -> bool {
        owner.is_some() && self.running.locks.lock().get(&place).map(|holder| holder.owner) == owner
    }

    pub(super) fn holds_locks(&self, queue: QueueId, owner: Option<LockOwner>) -> bool {
        let Some(owner) = owner else { return false };
        self.running.locks.lock().iter().any(|(place, holder)| place.queue == queue && holder.owner == owner)
    }

    pub(super) fn seen(&self, queue: QueueId, key: DeliveryKey, backouts: u32, owner: LockOwner) -> Wanted {
        Wanted::Seen { key, backouts, is_locked: self.is_mine(Place { queue, key }, Some(owner)) }
    }
}
