//! What a command came to, before anybody prints it: an item per object, with codes for programs and texts for people.

use model::definition::attribute::Shown;

use crate::message::{Message, RESPONSES_FROM};
use crate::{Answer, Outcome, display};

/// MQRCCF_* and MQRC_* numbers that have no row among the MQI reasons.
pub const MQRCCF_COMMAND_FAILED: i32 = 3008;
pub const MQRCCF_EVENTS_DISABLED: i32 = 3224;
pub const MQRCCF_PARM_SYNTAX_ERROR: i32 = 3097;
pub const MQRCCF_PARM_VALUE_ERROR: i32 = 3229;
pub const MQRCCF_CHL_STATUS_NOT_FOUND: i32 = 3065;
pub const MQRCCF_LSTR_STATUS_NOT_FOUND: i32 = 3250;
pub const MQRCCF_SERVICE_RUNNING: i32 = 3251;
pub const MQRCCF_SERV_STATUS_NOT_FOUND: i32 = 3252;
pub const MQRCCF_LISTENER_STILL_ACTIVE: i32 = 3268;
pub const MQRCCF_CHANNEL_NOT_FOUND: i32 = 4032;
pub const MQRCCF_CHANNEL_TYPE_ERROR: i32 = 3034;
pub const MQRCCF_CHANNEL_NOT_ACTIVE: i32 = 4064;
pub const MQRCCF_NONE_FOUND: i32 = 3200;
pub const MQRCCF_DISPOSITION_CONFLICT: i32 = 3211;
pub const MQRCCF_Q_MGR_NOT_IN_QSG: i32 = 3212;
pub const MQRCCF_COMMAND_SCOPE_ERROR: i32 = 3225;
pub const MQRCCF_COMMAND_REPLY_ERROR: i32 = 3226;
pub const MQRCCF_CF_STRUC_ERROR: i32 = 3236;
pub const MQRCCF_TOPIC_STRING_ALREADY_EXISTS: i32 = 3300;
pub const MQRCCF_CHLAUTH_ALREADY_EXISTS: i32 = 3337;
pub const MQRCCF_CHLAUTH_NOT_FOUND: i32 = 3338;
pub const MQRCCF_PARM_MISSING: i32 = 3228;
pub const MQRCCF_OBJECT_ALREADY_EXISTS: i32 = 4001;
pub const MQRCCF_OBJECT_WRONG_TYPE: i32 = 4002;
pub const MQRCCF_OBJECT_OPEN: i32 = 4004;
pub const MQRCCF_ATTR_VALUE_ERROR: i32 = 4005;
pub const MQRCCF_OBJECT_NAME_ERROR: i32 = 4008;
pub const MQRCCF_CHANNEL_ALREADY_EXISTS: i32 = 4042;
pub const MQRCCF_Q_STATUS_NOT_FOUND: i32 = 4091;
pub const MQRCCF_CONNECTION_ID_ERROR: i32 = 3174;

/// The answer to one command. Never empty.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub items: Vec<Item>,
}

/// One object shown, or what became of a change.
#[derive(Debug, Clone, Default)]
pub struct Item {
    /// MQRC_ or MQRCCF_ number; 0 when all was well.
    pub reason: i32,
    /// The line with the message identifier; for a shown object the title.
    pub message: String,
    /// In the order they are shown.
    pub attributes: Vec<Shown>,
    /// Handles of a connection.
    pub parts: Vec<Vec<Shown>>,
    /// Lines that follow: what a command that was done asks for and does not get. A warning changes neither the outcome nor a
    /// code.
    pub warnings: Vec<String>,
    /// The queue manager that says it, where CMDSCOPE names others than the one that was asked.
    pub member: Option<String>,
}

impl Item {
    /// An object shown under a title.
    pub(crate) fn shown(title: Message, attributes: Vec<Shown>) -> Self {
        Self { message: title.line(&[]), attributes, ..Self::default() }
    }
}

impl Reply {
    pub(crate) fn of(items: Vec<Item>) -> Self {
        Self { items }
    }

    pub(crate) fn done(message: Message) -> Self {
        Self::told(message, &[])
    }

    /// Adds a warning. `execute` logs it too, once, with the name of the queue manager.
    #[must_use]
    pub(crate) fn warn(mut self, message: Message, arguments: &[&str]) -> Self {
        if let Some(item) = self.items.last_mut() {
            item.warnings.push(message.line(arguments));
        }
        self
    }

    /// Done, with what there is to tell of it.
    pub(crate) fn told(message: Message, arguments: &[&str]) -> Self {
        Self::failed(0, message, arguments)
    }

    pub(crate) fn failed(reason: i32, message: Message, arguments: &[&str]) -> Self {
        let message = message.line(arguments);
        Self::of(vec![Item { reason, message, ..Item::default() }])
    }

    /// What is warned of.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &String> {
        self.items.iter().flat_map(|item| &item.warnings)
    }

    pub fn succeeded(&self) -> bool {
        self.items.iter().all(|item| item.reason == 0)
    }

    /// As runmqsc prints it.
    pub fn answer(&self) -> Answer {
        let mut lines = Vec::new();
        let mut member = &None;
        for item in &self.items {
            if item.member != *member {
                member = &item.member;
                lines.extend(member.as_ref().map(|name| RESPONSES_FROM.line(&[name])));
            }
            lines.extend(display::lines(item));
        }
        Answer { lines, outcome: if self.succeeded() { Outcome::Succeeded } else { Outcome::Failed } }
    }
}
