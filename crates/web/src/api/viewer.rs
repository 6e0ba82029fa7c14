//! What the user of a request may see of queue managers and their objects, without opening or changing any: for history and live
//! events.
//!
//! As for the administrative API, MQWebAdmin and MQWebAdminRO look with the server's authority, and MQWebUser with the user's own.
//! - A queue: `inq`, with which MQINQ tells its depth, or `dsp`, with which DISPLAY QSTATUS does.
//! - The totals of a queue manager and channels: `dsp`, as DISPLAY QMSTATUS and CHSTATUS need it.
//! - Event messages: `browse` on the queue that they go to.
//! - A problem of a queue: as the queue. Of another object: `dsp`. Of the server as a whole: MQWebAdmin and MQWebAdminRO.
//! - Lines of the server's log: MQWebAdmin and MQWebAdminRO.
//! - Whether a queue manager runs: any user with a role, as in the list of queue managers.
//!
//! An API key sees the queues that it may inquire and the events that it may browse, and nothing of a whole queue manager.

use identity::scope::{Object, Operations};
use identity::{Identity, Roles};
use message_api::history::Subject;
use message_api::live::{Concern, Sight, Viewer};
use model::authority::{Authority, AuthorityObject, Principal};
use model::name::ObjectName;
use queue_manager::queue_list::SEEN_WITH;
use queue_manager::{QueueManager, QueueManagers};

use crate::admin::{Intent, acting_principal};
use crate::error::ApiError;
use crate::service::Call;

use super::jobs;

pub(super) struct Looker {
    identity: Identity,
    /// Whose authority counts.
    acting: Principal,
    queue_managers: QueueManagers,
}

impl Looker {
    /// # Errors
    /// 403 the user has no role.
    pub(super) fn of(call: Call<'_>, identity: &Identity) -> Result<Self, ApiError> {
        let acting = acting_principal(call, identity, Intent::Look)?.clone();
        Ok(Self::acting_as(acting, identity, &call.shared.queue_managers))
    }

    /// The same user as it is known now; `None` when it has lost its roles.
    pub(super) fn again(&self, identity: &Identity, server: &Principal) -> Option<Self> {
        let has = |role| identity.roles.contains(role);
        let acting = if has(Roles::MQWEB_ADMIN) || has(Roles::MQWEB_ADMIN_RO) {
            server
        } else if has(Roles::MQWEB_USER) {
            &identity.principal
        } else {
            return None;
        };
        let is_same = identity.principal.user == self.identity.principal.user;
        is_same.then(|| Self::acting_as(acting.clone(), identity, &self.queue_managers))
    }

    fn acting_as(acting: Principal, identity: &Identity, queue_managers: &QueueManagers) -> Self {
        let mut own = Identity::new(identity.principal.clone(), identity.name.clone(), identity.roles);
        own.scope.clone_from(&identity.scope);
        Self { identity: own, acting, queue_managers: queue_managers.clone() }
    }

    /// Whether the history of a subject is to be seen.
    pub(super) fn sees_history(&self, queue_manager: &QueueManager, subject: Subject) -> bool {
        let displays = |object, name: &ObjectName| {
            self.identity.scope.is_none() && queue_manager.grants_any(&self.acting, object, name, Authority::DISPLAY)
        };
        match subject {
            Subject::QueueManager => displays(AuthorityObject::QueueManager, &queue_manager.name()),
            Subject::Queue(queue) => self.sees_queue(queue_manager, &queue),
            Subject::Channel(channel) => displays(AuthorityObject::Channel, &channel),
        }
    }

    fn sees_queue(&self, queue_manager: &QueueManager, queue: &ObjectName) -> bool {
        self.is_in_scope(Operations::INQUIRE, queue.as_str())
            && queue_manager.grants_any(&self.acting, AuthorityObject::Queue, queue, SEEN_WITH)
    }

    fn sees_problem(&self, queue_manager: &QueueManager, concern: &Concern) -> bool {
        if self.identity.scope.is_some() {
            return false;
        }
        match concern {
            Concern::Object(AuthorityObject::Queue, queue) => self.sees_queue(queue_manager, queue),
            Concern::Object(object, name) => queue_manager.grants_any(&self.acting, *object, name, Authority::DISPLAY),
            Concern::Server => self.identity.roles.intersects(Roles::MQWEB_ADMIN | Roles::MQWEB_ADMIN_RO),
        }
    }

    fn is_in_scope(&self, operation: Operations, queue: &str) -> bool {
        self.identity.scope.as_ref().is_none_or(|scope| scope.allows(operation, Object::Queue(queue)))
    }
}

/// The log is of the whole server.
fn sees_log(identity: &Identity) -> bool {
    identity.scope.is_none() && identity.roles.intersects(Roles::MQWEB_ADMIN | Roles::MQWEB_ADMIN_RO)
}

impl Viewer for Looker {
    fn user(&self) -> &str {
        &self.identity.principal.user
    }

    fn sees(&self, what: Sight<'_>) -> bool {
        let running = |name: &ObjectName| self.queue_managers.get(name.as_str()).ok();
        match what {
            Sight::QueueManager(_) => self.identity.scope.is_none(),
            Sight::Queue(name, queue) => running(name).is_some_and(|it| self.sees_queue(&it, queue)),
            Sight::Problem(name, concern) => running(name).is_some_and(|it| self.sees_problem(&it, concern)),
            Sight::Job(record) => jobs::sees(&self.identity, record),
            Sight::Log => sees_log(&self.identity),
            Sight::Events(name, queue) => {
                self.is_in_scope(Operations::BROWSE, queue)
                    && running(name).is_some_and(|it| {
                        let queue = ObjectName::literal(queue);
                        it.grants_any(&self.acting, AuthorityObject::Queue, &queue, Authority::BROWSE)
                    })
            }
        }
    }
}
