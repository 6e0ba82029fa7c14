//! GET of `/qmgr/{qmgr}/queues` and the other lists: a page of what an operator looks at.

use http::StatusCode;
use identity::Identity;
use operations::lists::{List, NoPage, Query, Sight, Wrong};
use queue_manager::{Clock as _, SystemClock};

use crate::admin::{Intent, acting_principal};
use crate::answer::{self, Answer};
use crate::error::{ApiError, Verb};
use crate::query;
use crate::service::Call;

use super::PLAIN_JSON;
use super::history::local;

/// # Errors
/// 400, 403 the user may not see the list, 404 there is no such queue manager, 501 a remote queue manager.
pub(super) async fn show(call: Call<'_>, list: List, identity: &Identity) -> Result<Answer, ApiError> {
    let queue_manager = local(call)?;
    let query = read(call.query(), list)?;
    let principal = acting_principal(call, identity, Intent::Look)?;
    let sight = Sight { queue_manager: &queue_manager, principal };
    let page = list.page(sight, &query, &call.shared.message_api.history).await;
    let (name, user) = (queue_manager.name(), &principal.user);
    let page = page.map_err(|problem| match problem {
        NoPage::Hidden => ApiError::not_authorized("display", name.as_str(), user),
        // Of what the lists show, only retained publications are read from a queue.
        NoPage::Unreadable(reason) => {
            ApiError::verb(Verb::BrowseFrom, "SYSTEM.RETAINED.PUB.QUEUE", name.as_str(), user, reason)
        }
    })?;
    Ok(answer::of_service(StatusCode::OK, Some(PLAIN_JSON), page.into()))
}

fn read(text: Option<&str>, list: List) -> Result<Query, ApiError> {
    let mut query = Query::new(list, SystemClock.now());
    query::each(text, |name, value| {
        query.take(name, &value).map_err(|wrong| match wrong {
            Wrong::Parameter => query::unknown(name),
            Wrong::Value(expected) => ApiError::parameter_expected(name, &value, &expected),
        })
    })?;
    Ok(query)
}
