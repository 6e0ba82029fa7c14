//! GET of a message: the first that matches, left on the queue.

use http::StatusCode;
use identity::Identity;
use model::options::{GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;

use crate::answer::{self, Answer};
use crate::error::{ApiError, Verb};
use crate::service::Call;

use super::readable::Readable;
use super::selection::{Selection, Takes};
use super::{OpenQueue, Target, Walk, get_flags};

/// On a queue whose gets are inhibited nothing is visible: 204, as the message list is empty then.
///
/// # Errors
/// As section 1.7 of the reference: 400, 403, 404, 500, 501, 503.
pub(crate) async fn browse(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let target = Target::of(call, identity, Verb::BrowseFrom)?;
    let selection = Selection::read(&call, Takes::Identifiers)?;
    let mut queue = target.open(OpenOptions::BROWSE | OpenOptions::INQUIRE).await?;
    let result = look(call, &mut queue, &selection).await;
    queue.close().await;
    result
}

async fn look(call: Call<'_>, queue: &mut OpenQueue<'_>, selection: &Selection) -> Result<Answer, ApiError> {
    let mut options = GetOptions { flags: get_flags() | GetFlags::BROWSE_FIRST, ..GetOptions::default() };
    selection.apply(&mut options);
    let mut walk = Walk::default();
    loop {
        let message = match queue.get(&options).await {
            Ok(message) => message,
            Err(error) if matches!(error.reason(), Reason::NoMsgAvailable | Reason::GetInhibited) => {
                return Ok(answer::empty(StatusCode::NO_CONTENT));
            }
            Err(error) => return Err(queue.target.failed(&error)),
        };
        let readable = Readable::of(call.version, &message);
        if !selection.accepts(&readable) {
            options.flags = (options.flags - GetFlags::BROWSE_FIRST) | GetFlags::BROWSE_NEXT;
            walk.step().await;
            continue;
        }
        return Ok(readable?.into_answer(call.version, &message.descriptor));
    }
}
