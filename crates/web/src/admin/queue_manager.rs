//! GET of queue managers: which there are, in which state, and what is known of those that run.

use std::sync::LazyLock;

use ::queue_manager::{QueueManager, registry};
use command::rest::{self, Live, ManagerLive, RunningManager};
use identity::Identity;
use model::authority::{Authority, AuthorityObject, Principal};

use crate::answer::Answer;
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::plan::Plan;
use super::selection::Selection;
use super::source::{Entry, Subject, live_entries};
use super::stream::{self, Elements};
use super::{GATEWAY_HEADER, Intent, Reached, acting_principal, decode};

/// Words of `state=`, those of other platforms and of high availability included.
pub(crate) const STATES: &[&str] = &[
    "running",
    "ended",
    "endedImmediately",
    "endedPreemptively",
    "endedUnexpectedly",
    "starting",
    "quiescing",
    "endingImmediately",
    "endingPreemptively",
    "beingDeleted",
    "stateNotAvailable",
    "runningAsStandby",
    "runningElsewhere",
];

static MEMBERS: LazyLock<Vec<Entry>> = LazyLock::new(|| live_entries(rest::QUEUE_MANAGER));

fn members_of(group: &str) -> impl Iterator<Item = &'static Entry> + Clone {
    MEMBERS.iter().filter(move |entry| entry.path.split_once('.').is_some_and(|(name, _)| name == group))
}

#[derive(Default)]
struct Query {
    attributes: Option<Selection>,
    status: Option<Selection>,
    state: Option<String>,
}

/// GET of `qmgr` and of `qmgr/NAME`. In a list, status of a queue manager that the caller may not see is left out.
///
/// # Errors
/// 400 a parameter; 403 status of one that the caller may not see; 404 no such queue manager; 503 status of one that
/// does not run.
pub(crate) fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let name = decode(call.parameters[0])?;
    let is_list = name.is_empty();
    let query = Query::read(&call, is_list)?;
    let principal = acting_principal(call, identity, Intent::Look)?;
    let reached = if has_gateway(&call) && !is_list { Some(Reached::of(call)?) } else { None };
    let wants_status = query.status.is_some();
    let mut shown = Vec::new();
    for known in known(&call) {
        if !is_list && known.name != name || query.state.as_ref().is_some_and(|state| *state != known.state) {
            continue;
        }
        let Known { name, state, running } = known;
        let may = running.as_ref().filter(|running| may_display(running, principal));
        if !is_list && wants_status && may.is_none() {
            return Err(match running {
                Some(_) => ApiError::not_authorized("display", &name, &principal.user),
                None => ApiError::connect(model::reason::Reason::QMgrNotAvailable),
            });
        }
        shown.push(ManagerLive {
            is_default: call.shared.queue_managers.default_name().is_some_and(|default| default.as_str() == name),
            running: may.filter(|_| wants_status).map(RunningManager::of),
            installation_name: call.settings.options.installation.name.clone(),
            name,
            state,
        });
    }
    if shown.is_empty() && !is_list {
        return Err(ApiError::queue_manager_unknown(&name));
    }
    let plan = Plan::in_order(&query.members(reached.is_some()), 0);
    let mut answer = stream::list("qmgr", Managers { managers: shown.into_iter(), plan });
    if let Some(reached) = reached {
        reached.decorate(&mut answer);
    }
    Ok(answer)
}

fn has_gateway(call: &Call<'_>) -> bool {
    call.headers().contains_key(GATEWAY_HEADER)
}

/// A queue manager of this server.
struct Known {
    name: String,
    state: &'static str,
    running: Option<QueueManager>,
}

fn known(call: &Call<'_>) -> Vec<Known> {
    let queue_managers = &call.shared.queue_managers;
    let of = |known: registry::Known| Known {
        name: known.name.as_str().to_owned(),
        state: known.state.word(),
        running: queue_managers.get(known.name.as_str()).ok(),
    };
    queue_managers.list().into_iter().map(of).collect()
}

fn may_display(manager: &QueueManager, principal: &Principal) -> bool {
    manager.is_authorised(principal, AuthorityObject::QueueManager, &manager.name(), Authority::DISPLAY)
}

impl Query {
    fn read(call: &Call<'_>, is_list: bool) -> Result<Self, ApiError> {
        let has_gateway = has_gateway(call) && !is_list;
        let mut query = Self::default();
        query::each(call.query(), |name, value| match name {
            "attributes" if !has_gateway => {
                query::once(&mut query.attributes, name, Selection::parse(&value, members_of("extended"))?)
            }
            "status" => query::once(&mut query.status, name, Selection::parse(&value, members_of("status"))?),
            "state" if is_list && !has_gateway => {
                if !STATES.contains(&&*value) {
                    return Err(ApiError::parameter(name, &value));
                }
                query::once(&mut query.state, name, value.into_owned())
            }
            _ => Err(query::unknown(name)),
        })?;
        Ok(query)
    }

    /// Through a gateway, state and extended attributes are not known.
    fn members(&self, has_gateway: bool) -> Vec<Entry> {
        let wanted = |entry: &&Entry| match entry.path.split_once('.') {
            None => !has_gateway || entry.path == "name",
            Some(("status", _)) => self.status.as_ref().is_some_and(|status| status.has(&entry.path)),
            Some(_) => self.attributes.as_ref().is_some_and(|attributes| attributes.has(&entry.path)),
        };
        MEMBERS.iter().filter(wanted).cloned().collect()
    }
}

struct Managers {
    managers: std::vec::IntoIter<ManagerLive>,
    plan: Plan,
}

impl Elements for Managers {
    fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(manager) = self.managers.next() else { return false };
        self.plan.write(&Subject { view: None, live: Live::QueueManager(&manager) }, out);
        true
    }
}
