//! GET of subscriptions: one by name or identifier, or a list.
//!
//! Subscriptions have no authority of their own: who may see the queue manager sees them, as in MQSC.

use std::sync::{Arc, LazyLock};

use ::queue_manager::QueueManager;
use command::command::Pattern;
use command::rest::{self, Live, SubscriptionLive};
use identity::Identity;
use model::authority::{Authority, AuthorityObject};
use model::definition::SubscriptionDefinition;
use model::definition::attribute::{Kind, View};

use crate::answer::Answer;
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::filter::Filter;
use super::kind::{KindPlan, KnownKind, Wanted};
use super::paging::Paging;
use super::picked::{Picked, Resource};
use super::selection::Selection;
use super::source::{Subject, live_entries};
use super::stream;
use super::{Intent, Reached, acting_principal, decode};

static KNOWN: LazyLock<KnownKind> =
    LazyLock::new(|| KnownKind::new(Kind::Subscription, live_entries(rest::SUBSCRIPTION)));

#[derive(Default)]
struct Query {
    attributes: Option<Selection>,
    filter: Option<Filter>,
    id: Option<String>,
    name: Option<Pattern>,
    paging: Paging,
}

/// GET of `subscription` and of `subscription/NAME`.
///
/// # Errors
/// 400 a parameter or a member that does not exist; 403 the caller may not see the queue manager; 404 no such
/// subscription or queue manager.
pub(crate) fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let reached = Reached::of(call)?;
    let manager = reached.queue_manager.clone();
    let name = decode(call.parameters[1])?;
    let query = Query::read(&call, name.is_empty())?;
    let principal = acting_principal(call, identity, Intent::Look)?;
    let manager_name = manager.name();
    if !manager.is_authorised(principal, AuthorityObject::QueueManager, &manager_name, Authority::DISPLAY) {
        return Err(ApiError::not_authorized("display", manager_name.as_str(), &principal.user));
    }
    let wanted = |subscription: &Arc<SubscriptionDefinition>| {
        (name.is_empty() || subscription.name == name)
            && query.name.as_ref().is_none_or(|pattern| pattern.matches(&subscription.name))
            && query.id.as_ref().is_none_or(|id| subscription.identifier.to_string().eq_ignore_ascii_case(id))
    };
    let found: Vec<_> = manager.subscriptions().into_iter().filter(wanted).collect();
    if found.is_empty() && (!name.is_empty() || query.id.is_some()) {
        let asked = query.id.as_deref().unwrap_or(&name);
        return Err(ApiError::object_unknown("subscription", asked, manager_name.as_str()));
    }
    let asked = Wanted {
        attributes: query.attributes.unwrap_or_default(),
        filter: query.filter.as_ref(),
        sort: query.paging.sort.as_ref(),
        ..Wanted::default()
    };
    // What the definition lacks belongs to its attributes all the same.
    let asked = Wanted { status: asked.attributes.clone(), ..asked };
    let resource = Subscriptions { manager, plan: KNOWN.plan(&asked, Vec::new()) };
    let mut answer = stream::list("subscription", Picked::new(resource, found, &query.paging));
    reached.decorate(&mut answer);
    Ok(answer)
}

impl Query {
    fn read(call: &Call<'_>, is_list: bool) -> Result<Self, ApiError> {
        let mut query = Self::default();
        let known = || KNOWN.defined().chain(KNOWN.live());
        query::each(call.query(), |name, value| match name {
            "attributes" => query::once(&mut query.attributes, name, Selection::parse(&value, known())?),
            "filter" if is_list => query::once(&mut query.filter, name, Filter::parse(&value, known())?),
            "id" if is_list => query::once(&mut query.id, name, identifier(&value)?),
            "name" if is_list => query::once(&mut query.name, name, Pattern::parse(&value)),
            _ if is_list => query.paging.take(name, &value, known())?.ok_or_else(|| query::unknown(name)),
            _ => Err(query::unknown(name)),
        })?;
        Ok(query)
    }
}

/// 48 hexadecimal digits.
fn identifier(text: &str) -> Result<String, ApiError> {
    let is_good = text.len() == 48 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_good { Ok(text.to_owned()) } else { Err(ApiError::parameter("id", text)) }
}

struct Subscriptions {
    manager: QueueManager,
    plan: Option<KindPlan>,
}

impl Resource for Subscriptions {
    type Object = Arc<SubscriptionDefinition>;

    fn plan(&self, _: &Self::Object) -> Option<&KindPlan> {
        self.plan.as_ref()
    }

    fn with(&self, definition: &Self::Object, see: &mut dyn FnMut(&Subject<'_>)) {
        let object = self.manager.topic(&definition.topic_object);
        let live = SubscriptionLive::new(definition, object.as_ref().map(|topic| topic.topic_string.as_str()));
        see(&Subject { view: Some(View::Subscription(definition)), live: Live::Subscription(&live) });
    }
}
