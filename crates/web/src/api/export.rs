//! Export: the messages of a queue as lines, each whole, while the client reads them. They stay where they are.
//!
//! A task browses no faster than the client reads. It ends with the messages that were there when it began, or with the client.
//! An error on the way is the last line, and no envelope: an import refuses it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use bytes::Bytes;
use connection::pool::Lent;
use connection::verbs::ObjectHandle;
use http::StatusCode;
use identity::Identity;
use message_api::content::{Content, Wanted};
use message_api::exported::Exported;
use model::options::{GetFlags, GetOptions, ObjectDescriptor, OpenOptions};
use model::reason::Reason;
use queue_manager::{Clock, Position, SystemClock};
use serde_json::json;
use tokio::sync::mpsc;

use crate::answer::{self, Answer};
use crate::error::{ApiError, Verb};
use crate::messaging::{Target, Walk};
use crate::query;
use crate::service::Call;

use super::keys;
use super::lines::{LINES, write_line};
use super::selection::{MOST, Match, take_wanted};

/// Pieces that wait for their client before no more messages are browsed, and bytes after which a piece is sent.
const UNREAD_PIECES: usize = 4;
const PIECE_BYTES: usize = 64 << 10;

/// # Errors
/// 400, 403, 404, 501 a remote queue manager.
pub(super) async fn export(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of_operator(call, identity, Verb::BrowseFrom)?;
    keys::local(call, &target)?;
    let mut matched = Match::default();
    let (mut wanted, mut limit, mut positions) = (Wanted::default(), None, None);
    query::each(call.query(), |name, value: Cow<'_, str>| match name {
        "positions" => query::once(&mut positions, name, read_positions(name, &value)?),
        "limit" => {
            let number = value.parse::<u64>().ok().filter(|number| *number > 0);
            let number = number.ok_or_else(|| ApiError::parameter_expected(name, &value, "a number from 1 on"))?;
            query::once(&mut limit, name, number)
        }
        _ if matched.take(name, &value)? || take_wanted(&mut wanted, name, &value)? => Ok(()),
        _ => Err(query::unknown(name)),
    })?;
    let mut options = matched.options();
    options.flags |= GetFlags::NO_SYNCPOINT | GetFlags::BROWSE_NEXT;
    let object = ObjectDescriptor { selector: matched.selector.unwrap_or_default(), ..target.queue()? };
    let flags = OpenOptions::BROWSE | OpenOptions::FAIL_IF_QUIESCING;
    let opened = target.pool().open(target.acting(), &object, flags).await;
    let (mut lent, opened) = opened.map_err(|error| target.failed(&error))?;
    let local = lent.connection().local().ok_or_else(|| target.failed(&Reason::FunctionNotSupported.into()))?;
    let bound = local.next_position_on(opened.handle).map_err(|error| target.failed(&error))?;
    let (pieces, sent) = mpsc::channel(UNREAD_PIECES);
    let export = Export { handle: opened.handle, options, bound, positions, wanted, limit, pieces };
    tokio::spawn(export.run(lent));
    Ok(answer::streamed(StatusCode::OK, LINES, sent))
}

fn read_positions(name: &str, value: &str) -> Result<BTreeSet<Position>, ApiError> {
    let expected = || ApiError::parameter_expected(name, value, "up to 1000 positions with commas between");
    let read = |text: &str| text.parse().map(Position).map_err(|_| expected());
    let positions: BTreeSet<_> = value.split(',').map(read).collect::<Result<_, _>>()?;
    if positions.len() > MOST { Err(expected()) } else { Ok(positions) }
}

struct Export {
    handle: ObjectHandle,
    options: GetOptions,
    /// What is on the queue already has a lower position.
    bound: Position,
    /// Only messages at these.
    positions: Option<BTreeSet<Position>>,
    wanted: Wanted,
    limit: Option<u64>,
    pieces: mpsc::Sender<Bytes>,
}

impl Export {
    async fn run(self, mut lent: Lent) {
        self.write(&mut lent).await;
        match lent.connection().close(self.handle).await {
            Ok(()) => lent.give_back(),
            Err(error) => lent.give_back_after(&error),
        }
    }

    /// Until the last message, or until the client has gone.
    async fn write(&self, lent: &mut Lent) {
        let Some(local) = lent.connection().local() else { return };
        let (mut out, mut count, mut walk) = (Vec::new(), 0_u64, Walk::default());
        while self.limit.is_none_or(|limit| count < limit) {
            let got = match local.get_placed(self.handle, &self.options).await {
                Ok(got) => got,
                Err(error) if error.reason() == Reason::NoMsgAvailable => break,
                Err(error) => {
                    let problem = ApiError::connect(error.reason()).as_problem();
                    write_line(&mut out, &json!({ "error": problem }));
                    break;
                }
            };
            let is_named = self.positions.as_ref().is_none_or(|positions| positions.contains(&got.position()));
            let is_wanted = got.position() < self.bound
                && is_named
                && (self.wanted.is_all() || self.wanted.fits(&Content::of(&got.message)));
            if is_wanted {
                write_line(&mut out, &Exported { message: &got.message, now: SystemClock.now() });
                count += 1;
            }
            if out.len() >= PIECE_BYTES && self.pieces.send(std::mem::take(&mut out).into()).await.is_err() {
                return;
            }
            walk.step().await;
        }
        if !out.is_empty() {
            // A client that has gone needs no end.
            let _ = self.pieces.send(out.into()).await;
        }
    }
}
