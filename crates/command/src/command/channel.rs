//! Commands about channels, listeners and services as they run, typed.

use queue_manager::channel_status::{ChannelDisposition, StopMode};

use crate::command::{Pattern, Request};

#[derive(Debug, Clone)]
pub enum ChannelCommand {
    DisplayStatus(ChannelStatusQuery),
    Start {
        channel: String,
        /// CHLDISP; `None` is the channel's DEFCDISP.
        disposition: Option<ChannelDisposition>,
        /// IGNSTATE(YES): one that is started already is fine.
        ignore_state: bool,
    },
    Stop(StopChannel),
    Ping {
        channel: String,
    },
    Reset {
        channel: String,
    },
    Resolve {
        channel: String,
    },
    DisplayListenerStatus {
        name: Pattern,
        request: Request,
    },
    /// START, or else STOP.
    SwitchListener {
        name: String,
        start: bool,
        /// IGNSTATE(YES): one that is as wanted already is fine.
        ignore_state: bool,
    },
    DisplayServiceStatus {
        name: Pattern,
        request: Request,
    },
    SwitchService {
        name: String,
        start: bool,
        ignore_state: bool,
    },
}

#[derive(Debug, Clone)]
pub struct ChannelStatusQuery {
    pub channel: Pattern,
    pub connection_name: Option<Pattern>,
    pub transmission_queue: Option<Pattern>,
    /// CHLDISP; `None` is ALL.
    pub disposition: Option<ChannelDisposition>,
    /// SAVED rather than CURRENT: no status is saved here.
    pub saved: bool,
    pub request: Request,
}

#[derive(Debug, Clone)]
pub struct StopChannel {
    pub channel: String,
    /// As of START.
    pub disposition: Option<ChannelDisposition>,
    pub connection_name: Option<String>,
    pub queue_manager: Option<String>,
    pub mode: StopMode,
    /// STATUS(STOPPED), or INACTIVE.
    pub disable: bool,
    pub ignore_state: bool,
}
