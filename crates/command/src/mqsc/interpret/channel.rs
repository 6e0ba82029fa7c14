//! Channels as they run: DISPLAY CHSTATUS, START, STOP, PING, RESET and RESOLVE CHANNEL; listeners and services likewise.

use model::definition::attribute::{Kind, Membership};
use queue_manager::channel_status::{ChannelDisposition, StopMode};

use crate::command::channel::{ChannelCommand, ChannelStatusQuery, StopChannel};
use crate::command::{Command, Pattern};
use crate::message;
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;
use crate::mqsc::statement::Verb;
use crate::status;

const DISPOSITIONS: [(&str, ChannelDisposition); 2] =
    [("PRIVATE", ChannelDisposition::Private), ("SHARED", ChannelDisposition::Shared)];

impl Reader {
    pub(super) fn display_channel_status(&mut self) -> Result<Command, Problem> {
        let channel = Pattern::parse(&self.text_name()?);
        let pattern = |text: Option<String>| text.map(|text| Pattern::parse(&text));
        let connection_name = match self.take_with_value("CONNAME")? {
            Some(operand) => pattern(Some(operand.text)),
            None => None,
        };
        let transmission_queue = match self.take_with_value("XMITQ")? {
            Some(operand) => pattern(Some(operand.text)),
            None => None,
        };
        let disposition = self.take_dispositions_of_instances()?;
        let current = self.take_flag("CURRENT")?;
        let saved = self.take_flag("SAVED")?;
        if current && saved {
            return Err(self.problem("CURRENT and SAVED exclude each other"));
        }
        // SHORT and MONITOR choose what to show; what they choose is shown anyway.
        self.take_flag("SHORT")?;
        self.take_flag("MONITOR")?;
        let membership = self.membership;
        let request = self.request(&|keyword| status::find_of(membership, status::channel::STATUS, keyword))?;
        let query = ChannelStatusQuery { channel, connection_name, transmission_queue, disposition, saved, request };
        Ok(Command::Channel(ChannelCommand::DisplayStatus(query)))
    }

    /// CHLDISP of DISPLAY CHSTATUS: with a value it chooses instances, without one it is an attribute to show.
    fn take_dispositions_of_instances(&mut self) -> Result<Option<ChannelDisposition>, Problem> {
        if self.membership == Membership::Alone {
            return Ok(None);
        }
        let [private, shared] = DISPOSITIONS.map(|(word, disposition)| (word, Some(disposition)));
        Ok(self.take_choice("CHLDISP", &[("ALL", None), private, shared])?.flatten())
    }

    /// CHLDISP of START and STOP CHANNEL.
    fn take_channel_disposition(&mut self) -> Result<Option<ChannelDisposition>, Problem> {
        match self.membership {
            Membership::Alone => Ok(None),
            Membership::Member => self.take_word("CHLDISP", &DISPOSITIONS),
        }
    }

    fn channel_name(&mut self) -> Result<String, Problem> {
        let name = self.object_name(Kind::QueueLocal)?;
        if name.len() <= 20 {
            return Ok(name);
        }
        Err(self.problem(format!("{name} is longer than 20 characters")).with_message(message::NAME))
    }

    pub(super) fn start_channel(&mut self) -> Result<Command, Problem> {
        let channel = self.channel_name()?;
        let disposition = self.take_channel_disposition()?;
        let ignore_state = self.take_switch("IGNSTATE", false)?;
        Ok(Command::Channel(ChannelCommand::Start { channel, disposition, ignore_state }))
    }

    pub(super) fn stop_channel(&mut self) -> Result<Command, Problem> {
        let channel = self.channel_name()?;
        let modes = [("QUIESCE", StopMode::Quiesce), ("FORCE", StopMode::Force), ("TERMINATE", StopMode::Terminate)];
        let stop = StopChannel {
            channel,
            disposition: self.take_channel_disposition()?,
            connection_name: self.take_text("CONNAME", 264)?,
            queue_manager: self.take_text("QMNAME", 48)?,
            mode: self.take_word("MODE", &modes)?.unwrap_or(StopMode::Quiesce),
            disable: self.take_word("STATUS", &[("STOPPED", true), ("INACTIVE", false)])?.unwrap_or(true),
            ignore_state: self.take_switch("IGNSTATE", false)?,
        };
        // With a partner named, only its instances end, and the channel is not kept from starting.
        let one_partner = stop.connection_name.is_some() || stop.queue_manager.is_some();
        Ok(Command::Channel(ChannelCommand::Stop(StopChannel { disable: stop.disable && !one_partner, ..stop })))
    }

    pub(super) fn ping_channel(&mut self) -> Result<Command, Problem> {
        let channel = self.channel_name()?;
        self.take_number("DATALEN", 16, 32_768)?;
        Ok(Command::Channel(ChannelCommand::Ping { channel }))
    }

    pub(super) fn reset_channel(&mut self) -> Result<Command, Problem> {
        let channel = self.channel_name()?;
        self.take_number("SEQNUM", 1, 999_999_999)?;
        Ok(Command::Channel(ChannelCommand::Reset { channel }))
    }

    pub(super) fn resolve_channel(&mut self) -> Result<Command, Problem> {
        let channel = self.channel_name()?;
        if self.take_word("ACTION", &[("COMMIT", ()), ("BACKOUT", ())])?.is_none() {
            return Err(self.missing("ACTION"));
        }
        Ok(Command::Channel(ChannelCommand::Resolve { channel }))
    }

    pub(super) fn display_listener_status(&mut self) -> Result<Command, Problem> {
        let name = self.pattern(Kind::QueueLocal)?;
        let membership = self.membership;
        let request = self.request(&|keyword| status::find_of(membership, status::channel::LISTENER, keyword))?;
        Ok(Command::Channel(ChannelCommand::DisplayListenerStatus { name, request }))
    }

    /// START without a name is about the listener that every queue manager has.
    pub(super) fn switch_listener(&mut self, verb: Verb) -> Result<Command, Problem> {
        let start = verb == Verb::Start;
        let name = match Kind::Listener.default_object() {
            Some(default) if start && !self.has_name() => default.to_owned(),
            _ => self.object_name(Kind::Listener)?,
        };
        let ignore_state = self.take_switch("IGNSTATE", false)?;
        Ok(Command::Channel(ChannelCommand::SwitchListener { name, start, ignore_state }))
    }

    pub(super) fn display_service_status(&mut self) -> Result<Command, Problem> {
        let name = self.pattern(Kind::QueueLocal)?;
        let request = self.request(&|keyword| status::find(status::channel::SERVICE, keyword))?;
        Ok(Command::Channel(ChannelCommand::DisplayServiceStatus { name, request }))
    }

    pub(super) fn switch_service(&mut self, verb: Verb) -> Result<Command, Problem> {
        let name = self.object_name(Kind::Service)?;
        let ignore_state = self.take_switch("IGNSTATE", false)?;
        Ok(Command::Channel(ChannelCommand::SwitchService { name, start: verb == Verb::Start, ignore_state }))
    }
}
