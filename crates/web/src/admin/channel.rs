//! GET of channels: message channels over TCP, one by name or a list. Channels of clients are no part of this resource.

use std::sync::{Arc, LazyLock};

use ::queue_manager::QueueManager;
use ::queue_manager::channel_status::ChannelStatus;
use command::command::Pattern;
use command::rest::{self, ChannelLive, Live};
use identity::Identity;
use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::AdministeredObject;
use model::definition::attribute::{Kind, View};
use model::definition::channel::Transport;
use model::name::ObjectName;

use crate::answer::Answer;
use crate::error::{self, ApiError};
use crate::query;
use crate::service::Call;

use super::filter::Filter;
use super::kind::{KindPlan, KnownKind, Wanted};
use super::paging::Paging;
use super::picked::{Picked, Resource};
use super::plan::{Array, EachItem};
use super::selection::Selection;
use super::source::{Entry, Source, Subject, type_word};
use super::{Intent, Reached, acting_principal, decode, stream};

/// Longest name of a channel.
const NAME_LENGTH: usize = 20;
/// Arrays of instances.
const CURRENT: &str = "currentStatus";
const SAVED: &str = "savedStatus";

/// Kinds that the resource shows.
pub(crate) const TYPES: &[Kind; 6] = &[
    Kind::SenderChannel,
    Kind::ReceiverChannel,
    Kind::ServerChannel,
    Kind::RequesterChannel,
    Kind::ClusterSender,
    Kind::ClusterReceiver,
];

static KINDS: LazyLock<[KnownKind; 6]> = LazyLock::new(|| TYPES.map(|kind| KnownKind::new(kind, Vec::new())));

/// Members of an instance, under the names of both arrays.
static INSTANCE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let named = |array: &'static str| {
        rest::CHANNEL_INSTANCE
            .iter()
            .map(move |row| Entry { path: format!("{array}.{}", row.json), source: Source::Live(row) })
    };
    named(CURRENT).chain(named(SAVED)).collect()
});

#[derive(Default)]
struct Query {
    attributes: Option<Selection>,
    status: Option<Selection>,
    /// Types to show; `None` shows all.
    kinds: Option<Vec<Kind>>,
    filter: Option<Filter>,
    name: Option<Pattern>,
    paging: Paging,
}

/// GET of `channel` and of `channel/NAME`.
///
/// # Errors
/// 400 a parameter or a member that does not exist; 403 the caller may not see the channel; 404 no such channel or queue
/// manager.
pub(crate) fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let reached = Reached::of(call)?;
    let manager = &reached.queue_manager;
    let query = Query::read(&call)?;
    let principal = acting_principal(call, identity, Intent::Look)?;
    let name = decode(call.parameters[1])?;
    let plans: Vec<_> = KINDS.iter().map(|known| query.plan(known)).collect();
    let found = if name.is_empty() {
        let wanted = |channel: &Arc<AdministeredObject>| {
            query.name.as_ref().is_none_or(|pattern| pattern.matches(channel.name().as_str()))
                && may_display(manager, principal, &channel.name())
        };
        manager.objects(AuthorityObject::Channel).into_iter().filter(wanted).collect()
    } else {
        vec![only(manager, principal, &name, &query)?]
    };
    let resource = Channels { plans, instances: manager.channel_statuses() };
    let mut answer = stream::list("channel", Picked::new(resource, found, &query.paging));
    reached.decorate(&mut answer);
    Ok(answer)
}

fn may_display(manager: &QueueManager, principal: &Principal, name: &ObjectName) -> bool {
    manager.is_authorised(principal, AuthorityObject::Channel, name, Authority::DISPLAY)
}

/// The channel that the path names.
fn only(
    manager: &QueueManager,
    principal: &Principal,
    name: &str,
    query: &Query,
) -> Result<Arc<AdministeredObject>, ApiError> {
    let parsed = ObjectName::parse(name).ok().filter(|_| name.len() <= NAME_LENGTH);
    let parsed = parsed.ok_or_else(|| ApiError::new(&error::NAME_NOT_VALID, &[name]))?;
    let shown = |channel: &Arc<AdministeredObject>| is_shown(channel) && query.shows(channel.kind());
    let found = manager.object(AuthorityObject::Channel, &parsed).filter(shown);
    let found = found.ok_or_else(|| ApiError::object_unknown("channel", name, manager.name().as_str()))?;
    if may_display(manager, principal, &parsed) {
        Ok(found)
    } else {
        Err(ApiError::not_authorized("display", name, &principal.user))
    }
}

/// Is it a message channel over TCP?
fn is_shown(channel: &AdministeredObject) -> bool {
    place(channel.kind()).is_some()
        && channel.as_channel().is_some_and(|definition| definition.transport == Transport::Tcp)
}

fn place(kind: Kind) -> Option<usize> {
    TYPES.iter().position(|known| *known == kind)
}

impl Query {
    fn read(call: &Call<'_>) -> Result<Self, ApiError> {
        let all = || KINDS.iter().flat_map(KnownKind::all);
        let defined = || KINDS.iter().flat_map(KnownKind::defined);
        let is_list = call.parameters[1].is_empty();
        let mut query = Self::default();
        query::each(call.query(), |name, value| match name {
            "attributes" => query::once(&mut query.attributes, name, Selection::parse(&value, defined())?),
            "status" => query::once(&mut query.status, name, Selection::parse(&value, INSTANCE.iter())?),
            "type" => query::once(&mut query.kinds, name, kinds(&value)?),
            "filter" if is_list => query::once(&mut query.filter, name, Filter::parse(&value, all())?),
            "name" if is_list => query::once(&mut query.name, name, Pattern::parse(&value)),
            _ if is_list => query.paging.take(name, &value, all())?.ok_or_else(|| query::unknown(name)),
            _ => Err(query::unknown(name)),
        })?;
        Ok(query)
    }

    fn shows(&self, kind: Kind) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }

    fn plan(&self, known: &KnownKind) -> Option<KindPlan> {
        if !self.shows(known.kind) {
            return None;
        }
        let wanted = Wanted {
            attributes: self.attributes.clone().unwrap_or_default(),
            status: Selection::default(),
            filter: self.filter.as_ref(),
            sort: self.paging.sort.as_ref(),
        };
        let status = self.status.as_ref();
        let arrays = [CURRENT, SAVED].into_iter().filter_map(|name| array(name, status?)).collect();
        known.plan(&wanted, arrays)
    }
}

/// `None` when nothing of the array was asked for. Nothing is saved of channels that do not run.
fn array(name: &'static str, selection: &Selection) -> Option<Array> {
    let inner = |entry: &Entry| {
        let path = entry.path.strip_prefix(name)?.strip_prefix('.')?.to_owned();
        selection.has(&entry.path).then_some(Entry { path, source: entry.source })
    };
    let members: Vec<_> = INSTANCE.iter().filter_map(inner).collect();
    if members.is_empty() {
        return None;
    }
    let each: EachItem = if name == CURRENT {
        |subject, see| {
            if let Live::Channel(channel) = subject.live {
                channel.each_instance(see);
            }
        }
    } else {
        |_, _| {}
    };
    Some(Array { name, each, members })
}

/// What `type=` stands for.
fn kinds(word: &str) -> Result<Vec<Kind>, ApiError> {
    if word == "all" {
        return Ok(TYPES.to_vec());
    }
    let found = TYPES.iter().copied().find(|&kind| type_word(kind) == Some(word));
    found.map(|kind| vec![kind]).ok_or_else(|| ApiError::parameter("type", word))
}

struct Channels {
    /// In the order of `TYPES`.
    plans: Vec<Option<KindPlan>>,
    instances: Vec<ChannelStatus>,
}

impl Resource for Channels {
    type Object = Arc<AdministeredObject>;

    fn plan(&self, channel: &Self::Object) -> Option<&KindPlan> {
        if is_shown(channel) { self.plans[place(channel.kind())?].as_ref() } else { None }
    }

    fn with(&self, channel: &Self::Object, see: &mut dyn FnMut(&Subject<'_>)) {
        let name = channel.name();
        let live = ChannelLive::new(name.as_str(), &self.instances);
        see(&Subject { view: Some(View::Object(channel)), live: Live::Channel(&live) });
    }
}
