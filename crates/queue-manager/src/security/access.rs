//! How an open comes to its decisions about authority, step by step: for people who ask why a program gets 2035.
//!
//! Never: decides. The steps call what MQOPEN calls: `resolve`, `asked_name`, `topics_above` and `Authorities`. A property test
//! compares them with MQOPEN.
//!
//! Source: MQ security, "Authority to work with IBM MQ objects", 9.3.

use model::authority::{Authority, AuthorityObject, Principal};
use model::name::{ObjectName, QueueManagerName, QueueName, TopicName};
use model::options::{ObjectDescriptor, ObjectKind};
use model::reason::Reason;

use crate::QueueManager;
use crate::engine::Engine;
use crate::publish::{full_topic_string, nearest, topics_above, wanted_of_topic};
use crate::queue::resolve::{Destination, Resolved, resolve};
use crate::security::authority::decision::{Basis, Decision};
use crate::verb::open::asked_name;

/// What a program wants to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Queue {
        name: QueueName,
        queue_manager: QueueManagerName,
    },
    /// A topic object, a topic string, or both joined.
    Topic {
        object: TopicName,
        string: String,
    },
    /// Of another type, or a command about any object: no name is resolved.
    Object {
        object: AuthorityObject,
        name: ObjectName,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The name is one for something else.
    Resolved(Resolution),
    Decided(Decision),
    /// Of the topic objects above a topic string, the nearest first, one that allows it is enough.
    AnyOf {
        topic_string: String,
        decisions: Vec<Decision>,
    },
}

/// What a name leads to. The profile of the name that was given counts, unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    Alias {
        alias: QueueName,
        queue: QueueName,
    },
    /// The local definition of a queue elsewhere, or an alias of one.
    Remote {
        definition: QueueName,
        queue: QueueName,
        queue_manager: QueueManagerName,
        transmission: QueueName,
    },
    /// No definition names the queue: the profile of the transmission queue counts.
    Elsewhere {
        queue_manager: QueueManagerName,
        transmission: QueueName,
    },
    /// The topic is asked besides.
    TopicAlias {
        alias: QueueName,
        topic: TopicName,
    },
    Model {
        model: QueueName,
    },
}

/// The steps, as far as they go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub steps: Vec<Step>,
    /// `NotAuthorized` (2035), or why the name leads nowhere.
    pub outcome: Result<(), Reason>,
}

impl Step {
    pub fn is_allowed(&self) -> bool {
        match self {
            Self::Resolved(_) => true,
            Self::Decided(decision) => decision.is_allowed(),
            Self::AnyOf { decisions, .. } => decisions.iter().any(Decision::is_allowed),
        }
    }

    /// The decision that refuses, if the step does: of topic objects the nearest.
    pub fn refusal(&self) -> Option<&Decision> {
        match self {
            _ if self.is_allowed() => None,
            Self::Resolved(_) => None,
            Self::Decided(decision) => Some(decision),
            Self::AnyOf { decisions, .. } => decisions.first(),
        }
    }
}

impl Access {
    /// What refuses, if anything does: the last step.
    pub fn refusal(&self) -> Option<&Decision> {
        self.steps.last().and_then(Step::refusal)
    }
}

impl QueueManager {
    /// Whether `principal` may do all of `wanted`, as MQOPEN, MQPUT1, MQSUB and commands decide it, and why. Nothing is noted as a
    /// refusal.
    pub fn explain_access(&self, principal: &Principal, asked: &Asked, wanted: Authority) -> Access {
        let mut walk = Walk { engine: self.engine(), principal, steps: Vec::new() };
        let outcome = match asked {
            Asked::Queue { name, queue_manager } => walk.queue(name, queue_manager, wanted),
            Asked::Topic { object, string } => walk.topic(object, string, wanted),
            Asked::Object { object, name } => walk.decide(*object, name, wanted),
        };
        Access { steps: walk.steps, outcome }
    }
}

struct Walk<'a> {
    engine: &'a Engine,
    principal: &'a Principal,
    steps: Vec<Step>,
}

impl Walk<'_> {
    fn queue(&mut self, name: &QueueName, queue_manager: &QueueManagerName, wanted: Authority) -> Result<(), Reason> {
        let destination = match resolve(self.engine, name, queue_manager)? {
            Resolved::Model(model) => {
                self.steps.push(Step::Resolved(Resolution::Model { model: model.name }));
                return self.decide(AuthorityObject::Queue, &model.name, wanted);
            }
            Resolved::Destination(destination) => destination,
        };
        self.steps.extend(resolution(&destination).map(Step::Resolved));
        let object = ObjectDescriptor {
            object: ObjectKind::Queue,
            name: *name,
            queue_manager: *queue_manager,
            ..ObjectDescriptor::default()
        };
        match asked_name(self.principal, &object, &destination) {
            None => self.steps.push(Step::Decided(self.of_maker(name, wanted))),
            Some(asked) => self.decide(AuthorityObject::Queue, &asked, wanted)?,
        }
        match destination {
            Destination::Topic { topic, .. } => self.topic(&topic, "", wanted_of_topic(wanted)),
            Destination::Local { .. } | Destination::Remote { .. } => Ok(()),
        }
    }

    fn topic(&mut self, object: &TopicName, string: &str, wanted: Authority) -> Result<(), Reason> {
        let topic_string = full_topic_string(self.engine, object, string)?;
        let mut above = topics_above(self.engine, &topic_string);
        if above.is_empty() {
            above.push(nearest(&above));
        }
        let explain = |name| self.engine.authorities.explain(self.principal, AuthorityObject::Topic, name, wanted);
        let decisions = above.iter().map(explain).collect();
        self.step(Step::AnyOf { topic_string, decisions })
    }

    fn decide(&mut self, object: AuthorityObject, name: &ObjectName, wanted: Authority) -> Result<(), Reason> {
        self.step(Step::Decided(self.engine.authorities.explain(self.principal, object, name, wanted)))
    }

    fn step(&mut self, step: Step) -> Result<(), Reason> {
        let is_allowed = step.is_allowed();
        self.steps.push(step);
        if is_allowed { Ok(()) } else { Err(Reason::NotAuthorized) }
    }

    fn of_maker(&self, name: &QueueName, wanted: Authority) -> Decision {
        let (principal, object) = (self.principal.clone(), AuthorityObject::Queue);
        Decision { principal, object, name: *name, wanted, granted: Authority::all(), basis: Basis::Maker }
    }
}

/// What the name was for; `None` when it is the queue itself.
fn resolution(destination: &Destination) -> Option<Resolution> {
    match destination {
        Destination::Local { opened, queue } => {
            (opened.name != queue.name).then_some(Resolution::Alias { alias: opened.name, queue: queue.name })
        }
        Destination::Remote { opened: Some(opened), transmission, queue, queue_manager } => Some(Resolution::Remote {
            definition: opened.name,
            queue: *queue,
            queue_manager: *queue_manager,
            transmission: transmission.name,
        }),
        Destination::Remote { opened: None, transmission, queue_manager, .. } => {
            Some(Resolution::Elsewhere { queue_manager: *queue_manager, transmission: transmission.name })
        }
        Destination::Topic { alias, topic } => Some(Resolution::TopicAlias { alias: alias.name, topic: *topic }),
    }
}
