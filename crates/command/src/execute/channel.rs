//! Channels, listeners and services as they run.
//!
//! Channels that clients come in by are served by the channel listener, which reads the table that is changed here. This
//! queue manager moves no messages to others by itself and starts no programs: commands that would make it do so are
//! refused by name, once it is clear that the object is there and the caller may.

use ::queue_manager::QueueManager;
use ::queue_manager::channel_status::{
    ChannelDisposition, ChannelInstance, ChannelState, ChannelStatus, StoppedChannel,
};
use ::queue_manager::started::{ListenerError, StartedStatus};
use model::authority::{Authority, AuthorityObject, Principal};
use model::definition::attribute::Membership;
use model::definition::channel::{ChannelType, DefaultDisposition};
use model::name::ObjectName;

use crate::command::channel::{ChannelCommand, ChannelStatusQuery, StopChannel};
use crate::command::{Pattern, Request};
use crate::execute::authority::may_display;
use crate::execute::{Failure, object_name};
use crate::message::{self, Message};
use crate::reply::{
    Item, MQRCCF_CHANNEL_NOT_ACTIVE, MQRCCF_CHANNEL_NOT_FOUND, MQRCCF_CHANNEL_TYPE_ERROR, MQRCCF_CHL_STATUS_NOT_FOUND,
    MQRCCF_COMMAND_FAILED, MQRCCF_LSTR_STATUS_NOT_FOUND, MQRCCF_SERV_STATUS_NOT_FOUND, Reply,
};
use crate::status;
use crate::status::channel::StartedView;

pub(super) fn run(
    queue_manager: &QueueManager,
    caller: &Principal,
    command: &ChannelCommand,
) -> Result<Reply, Failure> {
    let call = Call { queue_manager, caller };
    match command {
        ChannelCommand::DisplayStatus(query) => call.display_status(query),
        ChannelCommand::Start { channel, disposition, .. } => call.start(channel, *disposition),
        ChannelCommand::Stop(stop) => call.stop(stop),
        ChannelCommand::Ping { channel } => call.of_message_channel(
            "PING CHANNEL",
            channel,
            Authority::CONTROL,
            &[ChannelType::Sender, ChannelType::Server, ChannelType::ClusterSender],
        ),
        ChannelCommand::Reset { channel } => call.of_message_channel(
            "RESET CHANNEL",
            channel,
            Authority::CONTROL_EXTENDED,
            &[
                ChannelType::Sender,
                ChannelType::Server,
                ChannelType::Receiver,
                ChannelType::Requester,
                ChannelType::ClusterSender,
                ChannelType::ClusterReceiver,
            ],
        ),
        ChannelCommand::Resolve { channel } => call.of_message_channel(
            "RESOLVE CHANNEL",
            channel,
            Authority::CONTROL_EXTENDED,
            &[ChannelType::Sender, ChannelType::Server, ChannelType::ClusterSender],
        ),
        ChannelCommand::DisplayListenerStatus { name, request } => call.display_started(&LISTENER, name, request),
        ChannelCommand::SwitchListener { name, start, ignore_state } => {
            call.switch(&LISTENER, name, *start, *ignore_state)
        }
        ChannelCommand::DisplayServiceStatus { name, request } => call.display_started(&SERVICE, name, request),
        ChannelCommand::SwitchService { name, start, ignore_state } => {
            call.switch(&SERVICE, name, *start, *ignore_state)
        }
    }
}

struct Call<'a> {
    queue_manager: &'a QueueManager,
    caller: &'a Principal,
}

impl Call<'_> {
    /// The channel's type, once the caller may do `wanted` to it.
    fn channel(&self, name: &str, wanted: Authority) -> Result<ChannelType, Failure> {
        let object = object_name(name)?;
        self.queue_manager.authorise(self.caller, AuthorityObject::Channel, &object, wanted)?;
        self.channel_type(&object)
            .ok_or_else(|| Failure::Reply(Reply::failed(MQRCCF_CHANNEL_NOT_FOUND, message::NOT_FOUND, &[name])))
    }

    fn channel_type(&self, name: &ObjectName) -> Option<ChannelType> {
        let families = [AuthorityObject::Channel, AuthorityObject::ClientChannel];
        let object = families.into_iter().find_map(|family| self.queue_manager.object(family, name))?;
        Some(object.as_channel()?.channel_type)
    }

    fn start(&self, channel: &str, disposition: Option<ChannelDisposition>) -> Result<Reply, Failure> {
        let start = || self.queue_manager.start_channel(channel, effective(self.queue_manager, channel, disposition));
        match self.channel(channel, Authority::CONTROL)? {
            ChannelType::ServerConnection => {
                start();
                Ok(Reply::done(message::CHANNEL_STARTED))
            }
            // Scripts start these to take a STOP back, which is done; that no partner comes in by them is said.
            other @ (ChannelType::Receiver | ChannelType::ClusterReceiver) => {
                start();
                let word = status::channel::type_word(other);
                Ok(Reply::done(message::CHANNEL_STARTED).warn(message::CHANNEL_DOES_NOT_RUN, &[channel, word]))
            }
            ChannelType::ClientConnection => Err(wrong_type("START CHANNEL", channel)),
            ChannelType::Sender
            | ChannelType::Server
            | ChannelType::Requester
            | ChannelType::ClusterSender
            | ChannelType::Amqp => Err(unsupported("START CHANNEL")),
        }
    }

    fn stop(&self, stop: &StopChannel) -> Result<Reply, Failure> {
        if self.channel(&stop.channel, Authority::CONTROL)? == ChannelType::ClientConnection {
            return Err(wrong_type("STOP CHANNEL", &stop.channel));
        }
        let asked = self.queue_manager.stop_channel(&::queue_manager::channel_status::StopChannel {
            channel: &stop.channel,
            disposition: effective(self.queue_manager, &stop.channel, stop.disposition),
            connection_name: stop.connection_name.as_deref(),
            queue_manager: stop.queue_manager.as_deref(),
            mode: stop.mode,
            disable: stop.disable,
        });
        if asked == 0 && !stop.disable && !stop.ignore_state {
            let reply = Reply::failed(MQRCCF_CHANNEL_NOT_ACTIVE, message::CHANNEL_NOT_ACTIVE, &[&stop.channel]);
            return Err(Failure::Reply(reply));
        }
        Ok(Reply::done(message::CHANNEL_STOPPED))
    }

    /// A command for channels of some types, which this queue manager does not run.
    fn of_message_channel(
        &self,
        command: &str,
        channel: &str,
        wanted: Authority,
        types: &[ChannelType],
    ) -> Result<Reply, Failure> {
        let channel_type = self.channel(channel, wanted)?;
        Err(if types.contains(&channel_type) { unsupported(command) } else { wrong_type(command, channel) })
    }

    fn display_status(&self, query: &ChannelStatusQuery) -> Result<Reply, Failure> {
        let matches = |pattern: &Option<Pattern>, text: &str| pattern.as_ref().is_none_or(|p| p.matches(text));
        let wanted = |status: &ChannelStatus| {
            query.channel.matches(&status.instance.channel)
                && matches(&query.connection_name, &status.instance.connection_name)
                && matches(&query.transmission_queue, &status.instance.transmission_queue)
                && query.disposition.is_none_or(|disposition| status.instance.disposition == disposition)
                && self.may_see(&status.instance.channel)
        };
        let membership = self.queue_manager.membership();
        let items: Vec<_> = self
            .statuses()
            .iter()
            .filter(|status| !query.saved && wanted(status))
            .filter_map(|status| status::show_of(membership, status::channel::STATUS, status, &query.request))
            .map(|attributes| Item::shown(message::CHANNEL_STATUS_DETAILS, attributes))
            .collect();
        if items.is_empty() {
            let channel = query.channel.to_string();
            let reply = Reply::failed(MQRCCF_CHL_STATUS_NOT_FOUND, message::CHANNEL_STATUS_NOT_FOUND, &[&channel]);
            return Err(Failure::Reply(reply));
        }
        Ok(Reply::of(items))
    }

    fn may_see(&self, channel: &str) -> bool {
        ObjectName::parse(channel)
            .is_ok_and(|name| may_display(self.queue_manager, self.caller, AuthorityObject::Channel, &name))
    }

    /// What runs, and channels that are stopped and of which nothing runs any more.
    fn statuses(&self) -> Vec<ChannelStatus> {
        let mut statuses = self.queue_manager.channel_statuses();
        for StoppedChannel { channel, disposition } in self.queue_manager.stopped_channels() {
            let is_it = |instance: &ChannelInstance| instance.channel == channel && instance.disposition == disposition;
            if !statuses.iter().any(|status| is_it(&status.instance)) {
                let channel_type = ObjectName::parse(&channel).ok().and_then(|name| self.channel_type(&name));
                let instance = ChannelInstance {
                    channel_type: channel_type.map_or("", status::channel::type_word),
                    disposition,
                    channel,
                    state: ChannelState::Stopped,
                    ..ChannelInstance::default()
                };
                statuses.push(ChannelStatus::of_stopped(instance, self.queue_manager.name()));
            }
        }
        statuses.sort_by(|a, b| a.instance.channel.cmp(&b.instance.channel));
        statuses
    }

    /// Status of listeners or services that run.
    fn display_started(&self, kind: &StartedKind, name: &Pattern, request: &Request) -> Result<Reply, Failure> {
        let may_see = |name: &str| {
            ObjectName::parse(name).is_ok_and(|name| may_display(self.queue_manager, self.caller, kind.family, &name))
        };
        let view = |status: StartedStatus| StartedView {
            definition: ObjectName::parse(&status.started.name)
                .ok()
                .and_then(|name| self.queue_manager.object(kind.family, &name)),
            status,
        };
        let membership = self.queue_manager.membership();
        let items: Vec<_> = self
            .queue_manager
            .started_objects(kind.family)
            .into_iter()
            .filter(|status| name.matches(&status.started.name) && may_see(&status.started.name))
            .filter_map(|status| status::show_of(membership, kind.rows, &view(status), request))
            .map(|attributes| Item::shown(kind.title, attributes))
            .collect();
        if items.is_empty() {
            let reply = Reply::failed(kind.nothing_runs, message::NOT_FOUND, &[&name.to_string()]);
            return Err(Failure::Reply(reply));
        }
        Ok(Reply::of(items))
    }

    fn switch(&self, kind: &StartedKind, name: &str, start: bool, ignore_state: bool) -> Result<Reply, Failure> {
        let object = object_name(name)?;
        self.queue_manager.authorise(self.caller, kind.family, &object, Authority::CONTROL)?;
        if self.queue_manager.object(kind.family, &object).is_none() {
            return Err(Failure::not_found(name));
        }
        let failed = |message, inserts: &[&str]| Failure::Reply(Reply::failed(MQRCCF_COMMAND_FAILED, message, inserts));
        if !start {
            let stopped = self.queue_manager.stop_started(kind.family, name) || ignore_state;
            return if stopped { Ok(Reply::done(kind.stopped)) } else { Err(failed(kind.not_active, &[name])) };
        }
        let is_active =
            || if ignore_state { Ok(Reply::done(kind.started)) } else { Err(failed(kind.is_active, &[name])) };
        if kind.family != AuthorityObject::Listener {
            let runs = self.queue_manager.started_objects(kind.family).iter().any(|status| status.started.name == name);
            return if runs { is_active() } else { Err(unsupported("START SERVICE")) };
        }
        match self.queue_manager.start_listener(&object) {
            Ok(()) => Ok(Reply::done(kind.started)),
            Err(ListenerError::NotFound) => Err(Failure::not_found(name)),
            Err(ListenerError::IsActive) => is_active(),
            Err(ListenerError::Listen(why)) => Err(failed(message::LISTENER_NOT_STARTED, &[name, &why.to_string()])),
        }
    }
}

/// Which instances START and STOP CHANNEL are about: those that CHLDISP names, or else the channel's DEFCDISP. A queue manager
/// in no group has private ones alone.
pub(crate) fn effective(
    queue_manager: &QueueManager,
    channel: &str,
    named: Option<ChannelDisposition>,
) -> ChannelDisposition {
    let by_default = || {
        let name = ObjectName::parse(channel).ok()?;
        let object = queue_manager.object(AuthorityObject::Channel, &name)?;
        Some(match object.as_channel()?.default_disposition {
            DefaultDisposition::Private => ChannelDisposition::Private,
            DefaultDisposition::Shared | DefaultDisposition::FixedShared => ChannelDisposition::Shared,
        })
    };
    match queue_manager.membership() {
        Membership::Alone => ChannelDisposition::Private,
        Membership::Member => named.or_else(by_default).unwrap_or_default(),
    }
}

/// What differs between listeners and services.
struct StartedKind {
    family: AuthorityObject,
    rows: &'static [status::Row<StartedView>],
    title: Message,
    nothing_runs: i32,
    started: Message,
    stopped: Message,
    is_active: Message,
    not_active: Message,
}

static LISTENER: StartedKind = StartedKind {
    family: AuthorityObject::Listener,
    rows: status::channel::LISTENER,
    title: message::LISTENER_STATUS_DETAILS,
    nothing_runs: MQRCCF_LSTR_STATUS_NOT_FOUND,
    started: message::LISTENER_STARTED,
    stopped: message::LISTENER_STOPPED,
    is_active: message::LISTENER_IS_ACTIVE,
    not_active: message::LISTENER_NOT_ACTIVE,
};

static SERVICE: StartedKind = StartedKind {
    family: AuthorityObject::Service,
    rows: status::channel::SERVICE,
    title: message::SERVICE_STATUS_DETAILS,
    nothing_runs: MQRCCF_SERV_STATUS_NOT_FOUND,
    started: message::SERVICE_STARTED,
    stopped: message::SERVICE_STOPPED,
    is_active: message::SERVICE_IS_ACTIVE,
    not_active: message::SERVICE_NOT_ACTIVE,
};

fn unsupported(command: &str) -> Failure {
    Failure::Reply(Reply::failed(MQRCCF_COMMAND_FAILED, message::UNSUPPORTED, &[command]))
}

fn wrong_type(command: &str, channel: &str) -> Failure {
    Failure::Reply(Reply::failed(MQRCCF_CHANNEL_TYPE_ERROR, message::CHANNEL_TYPE, &[command, channel]))
}
