//! Which channel leads to the queue manager, and with which keys.
//!
//! The first that says something counts: MQCD, the table of MQCNO, `MQSERVER`, `ServerConnectionParms`, the table of the
//! environment, the table of `mqclient.ini`. What cannot be had is refused with a line in the error log; nothing that would weaken a
//! channel is read over.
//!
//! Source: MQ Configuring, "Connecting a client to a queue manager by using ...", 9.4.

use std::path::{Path, PathBuf};
use std::time::Duration;

use channel_client::address::ConnectionNames;
use channel_client::ccdt::Ccdt;
use channel_client::options::ConnectOptions;
use channel_client::tls::{ServerNamePolicy, TlsOptions, Trust};
use model::name::ObjectName;
use model::reason::Reason;

use crate::constant::MQXPT_TCP;
use crate::log;
use crate::settings::{Settings, path_of};

pub(crate) mod keys;

/// What MQSERVER allows, in bytes.
const LONGEST_MESSAGE: u32 = 100 << 20;

/// What a program says of a channel by MQCD.
#[derive(Debug, Clone, Default)]
pub struct Channel {
    pub name: String,
    pub connection_name: String,
    pub transport: i32,
    pub cipher_specification: String,
    pub peer_name: String,
    pub certificate_label: String,
    /// `None`: the version of the structure does not have it.
    pub maximum_message_length: Option<i32>,
    pub heartbeat_interval: Option<i32>,
    pub sharing_conversations: Option<i32>,
    /// The name of an exit, where one is named.
    pub exit: Option<String>,
}

/// What a program says of keys by MQSCO.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    pub repository: String,
    /// Opens the repository; plain text.
    pub password: Option<String>,
    pub certificate_label: String,
    pub needs_fips: bool,
}

/// Where to connect.
#[derive(Debug)]
pub struct Route {
    pub options: ConnectOptions,
    /// The channels come from this table, not from the options.
    pub table: Option<Ccdt>,
}

/// # Errors
/// 2058 nothing leads to the queue manager; 2277, 2278, 2381, 2393, 2406, 2600 as the log says.
pub fn find(
    settings: &Settings,
    queue_manager: &str,
    channel: Option<&Channel>,
    table_url: Option<&str>,
    keys: Option<&Keys>,
) -> Result<Route, Reason> {
    let finder = Finder { settings, queue_manager, keys };
    if let Some(channel) = channel {
        return finder.by_definition(channel);
    }
    if let Some(url) = table_url {
        return finder.by_table(&location(url));
    }
    if let Some(server) = settings.variable("MQSERVER") {
        return finder.by_server(server, "MQSERVER");
    }
    if let Some(server) = settings.attribute("CHANNELS", "ServerConnectionParms") {
        return finder.by_server(server, "ServerConnectionParms");
    }
    if let Some(url) = settings.variable("MQCCDTURL") {
        return finder.by_table(&location(url));
    }
    let (folder, file) = match settings.variable("MQCHLLIB") {
        Some(folder) => (Some(folder), settings.variable("MQCHLTAB")),
        None => (
            settings.attribute("CHANNELS", "ChannelDefinitionDirectory"),
            settings.attribute("CHANNELS", "ChannelDefinitionFile").or_else(|| settings.variable("MQCHLTAB")),
        ),
    };
    let Some(folder) = folder else {
        return finder.refuse(
            Reason::QMgrNameError,
            &format!("No channel leads to queue manager '{queue_manager}': neither MQSERVER, MQCCDTURL, MQCHLLIB nor mqclient.ini names one"),
            "Set MQSERVER='CHANNEL/TCP/host(port)', or MQCCDTURL to a channel definition table in JSON.",
        );
    };
    finder.by_table(&location(&format!("{}/{}", folder.trim_end_matches('/'), file.unwrap_or("AMQCLCHL.TAB"))))
}

struct Finder<'a> {
    settings: &'a Settings,
    queue_manager: &'a str,
    keys: Option<&'a Keys>,
}

impl Finder<'_> {
    fn refuse<T>(&self, reason: Reason, problem: &str, action: &str) -> Result<T, Reason> {
        log::write(self.settings, problem, action);
        Err(reason)
    }

    fn by_definition(&self, channel: &Channel) -> Result<Route, Reason> {
        if channel.transport != MQXPT_TCP {
            return self.refuse(
                Reason::CdError,
                &format!("Channel '{}' has transport type {}", channel.name, channel.transport),
                "Set TransportType to MQXPT_TCP (2).",
            );
        }
        if let Some(exit) = &channel.exit {
            return self.refuse(
                Reason::CdError,
                &format!("Channel '{}' names the exit '{exit}'; exits are not supported", channel.name),
                "Take the exit out of the channel definition.",
            );
        }
        let mut options = self.options(&channel.name, &channel.connection_name, Reason::CdError)?;
        options.tls = self.tls(channel)?;
        let length = |value: Option<i32>| value.and_then(|value| u32::try_from(value).ok()).filter(|&value| value > 0);
        options.maximum_message_length = length(channel.maximum_message_length).unwrap_or(LONGEST_MESSAGE);
        if let Some(seconds) = channel.heartbeat_interval.and_then(|value| u64::try_from(value).ok()) {
            // MQCD_DEFAULT says 1: a client that asks for so short an interval means the default.
            options.heartbeat_interval =
                if seconds == 1 { options.heartbeat_interval } else { Duration::from_secs(seconds) };
        }
        if channel.sharing_conversations == Some(0) {
            options.sharing_conversations = 0;
        }
        Ok(Route { options, table: None })
    }

    /// `CHANNEL/TCP/host(port),host(port)`.
    fn by_server(&self, text: &str, from: &str) -> Result<Route, Reason> {
        let mut parts = text.trim().splitn(3, '/');
        let (Some(channel), Some(transport), Some(names)) = (parts.next(), parts.next(), parts.next()) else {
            return self.refuse(
                Reason::QMgrNameError,
                &format!("{from} is '{text}'"),
                "Write it as CHANNEL/TCP/host(port).",
            );
        };
        if !transport.trim().eq_ignore_ascii_case("TCP") {
            return self.refuse(Reason::QMgrNameError, &format!("{from} names transport '{transport}'"), "Write TCP.");
        }
        let options = self.options(channel, names, Reason::QMgrNameError)?;
        Ok(Route { options, table: None })
    }

    fn by_table(&self, place: &Place) -> Result<Route, Reason> {
        let path = match place {
            Place::File(path) => path,
            Place::Remote(url) => {
                return self.refuse(
                    Reason::CcdtUrlError,
                    &format!("The channel definition table {url} is not on this machine"),
                    "Copy it to a file, for instance by curl, and name the file.",
                );
            }
        };
        if is_binary(path) {
            return self.refuse(
                Reason::ClientConnError,
                &format!("{} is a binary channel definition table; its format is not published", path.display()),
                "Write the table in JSON, and name its file in MQCCDTURL.",
            );
        }
        let table = match Ccdt::read(path) {
            Ok(table) => table,
            Err(error) => {
                let problem = format!("{}: {}", path.display(), model::causes::chain(&error));
                return self.refuse(Reason::ClientConnError, &problem, "Correct the table, or name another one.");
            }
        };
        let mut options = ConnectOptions::new(ObjectName::BLANK, ConnectionNames::one("localhost", 1414));
        options.queue_manager = self.queue_manager.to_owned();
        options.maximum_message_length = LONGEST_MESSAGE;
        let uses_tls = table.channels().iter().any(|channel| !channel.cipher_specification.is_empty());
        if uses_tls {
            let channel = Channel { cipher_specification: "ANY_TLS12_OR_HIGHER".to_owned(), ..Channel::default() };
            options.tls = self.tls(&channel)?;
        }
        Ok(Route { options, table: Some(table) })
    }

    fn options(&self, channel: &str, names: &str, otherwise: Reason) -> Result<ConnectOptions, Reason> {
        let name = ObjectName::parse_within(channel.trim(), 20).ok().filter(|name| !name.is_blank());
        let (Some(name), Ok(names)) = (name, names.trim().parse::<ConnectionNames>()) else {
            return self.refuse(
                otherwise,
                &format!("'{channel}' is not a channel name, or '{names}' is not a list of addresses"),
                "Write addresses as host(1414),other(1415).",
            );
        };
        let mut options = ConnectOptions::new(name, names);
        options.queue_manager = self.queue_manager.to_owned();
        options.maximum_message_length = LONGEST_MESSAGE;
        Ok(options)
    }

    fn tls(&self, channel: &Channel) -> Result<Option<TlsOptions>, Reason> {
        if channel.cipher_specification.is_empty() {
            return Ok(None);
        }
        if self.keys.is_some_and(|keys| keys.needs_fips) || self.settings.variable("MQSSLFIPS") == Some("YES") {
            return self.refuse(
                Reason::SslInitializationError,
                "FIPS 140 certified cryptography is asked for, and this library has none",
                "Set FipsRequired to MQSSL_FIPS_NO.",
            );
        }
        let named = self.keys.map(|keys| keys.repository.as_str()).filter(|name| !name.is_empty());
        let named = named.or_else(|| self.settings.variable("MQSSLKEYR"));
        let named = named.or_else(|| self.settings.attribute("SSL", "SSLKeyRepository"));
        let mut tls = match named {
            None => TlsOptions::trusting(Trust::System),
            Some(name) => self.keys_of(&path_of(name), channel)?,
        };
        channel.cipher_specification.clone_into(&mut tls.cipher_specification);
        channel.peer_name.trim().clone_into(&mut tls.peer_name);
        // Certificates of queue managers seldom name a host, and IBM's clients do not look for one.
        tls.server_name = match self.settings.attribute("SSL", "CheckHostName") {
            Some(answer) if answer.eq_ignore_ascii_case("yes") => ServerNamePolicy::Host,
            _ => ServerNamePolicy::Any,
        };
        Ok(Some(tls))
    }
}

enum Place {
    File(PathBuf),
    Remote(String),
}

fn location(url: &str) -> Place {
    let is_remote = url.contains("://") && !url.starts_with("file:");
    if is_remote { Place::Remote(url.to_owned()) } else { Place::File(path_of(url)) }
}

/// A file that does not begin as JSON does.
fn is_binary(path: &Path) -> bool {
    let Ok(content) = std::fs::read(path) else { return false };
    !content.trim_ascii_start().starts_with(b"{")
}

#[cfg(test)]
mod tests;
