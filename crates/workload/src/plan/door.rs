//! The part of a plan that says how to reach the server: by URL or by channel, certificates, user.

use std::sync::Arc;
use std::time::Duration;

use channel_client::address::{AddressError, ConnectionNames};
use channel_client::client::Client;
use channel_client::options::{self, ConnectOptions};
use channel_client::tls::{self, TlsOptions};
use model::name::{ObjectName, QueueName};

use super::{Choices, Frequency, Login, Processes, Scenario, bad, in_range};
use crate::client::channel::{ChannelOptions, Held};
use crate::client::door::DoorOptions;
use crate::client::habits::Habits;
use crate::client::program::PoolOptions;
use crate::client::rest::{Credentials, RestOptions};
use crate::client::target::{Target, Trust};
use crate::error::WorkloadError;

/// The door the choices name, with everything its clients need.
///
/// # Errors
/// A value that is none of its kind, or one that has no meaning beside the others.
pub(super) fn door_options(scenario: Scenario, clients: u32, choices: &Choices) -> Result<DoorOptions, WorkloadError> {
    if scenario == Scenario::Requester {
        return pool_options(clients, choices).map(DoorOptions::Program);
    }
    let alone = [
        ("program", choices.program.is_some()),
        ("program_arguments", choices.program_arguments.is_some()),
        ("processes", matches!(choices.processes, Some(Processes::Count(_)))),
    ];
    if let Some((key, _)) = alone.iter().find(|(_, given)| *given) {
        return Err(bad(key, "has a meaning in requester only"));
    }
    let Some(channel) = &choices.channel else {
        let alone = [
            ("mq", choices.mq.is_some()),
            ("cipher", choices.cipher.is_some()),
            ("sharing_conversations", choices.sharing_conversations.is_some()),
            ("streaming", choices.streaming.is_some()),
            ("connect", choices.connect.is_some()),
            ("open", choices.open.is_some()),
        ];
        if let Some((key, _)) = alone.iter().find(|(_, given)| *given) {
            return Err(bad(key, "has a meaning beside channel only"));
        }
        let reply_queue = reply_queue(scenario, choices)?.map(str::to_owned);
        return rest_options(choices, reply_queue).map(|(options, habits)| DoorOptions::Rest(options, habits));
    };
    if matches!(scenario, Scenario::HttpFloor | Scenario::Service | Scenario::Administration) {
        return Err(bad("channel", "has no meaning in http-floor, service and administration"));
    }
    if choices.connection.is_some() {
        return Err(bad("connection", "has a meaning beside url only; connect is that of a channel"));
    }
    if choices.url.is_some() {
        return Err(bad("channel", "cannot stand beside url"));
    }
    let streaming = choices.streaming.unwrap_or(false);
    if streaming && (scenario != Scenario::RequestReply || choices.persistent.unwrap_or(false)) {
        return Err(bad("streaming", "is for nonpersistent messages of request-reply"));
    }
    let held = held(choices)?;
    if streaming && held != Held::Queues {
        return Err(bad("streaming", "is for a connection and queues that stay open"));
    }
    let queue_name = |key, name: &str| QueueName::parse(name).map_err(|error| bad(key, error.to_string()));
    let reply_queue = reply_queue(scenario, choices)?;
    Ok(DoorOptions::Channel(ChannelOptions {
        client: Arc::new(channel_client(channel, choices)?),
        queue: queue_name("queue", choices.queue.as_deref().unwrap_or("DEV.QUEUE.1"))?,
        reply_queue: reply_queue.map(|name| queue_name("reply_queue", name)).transpose()?,
        persistent: choices.persistent.unwrap_or(false),
        answer_limit: answer_limit(choices)?,
        streaming,
        held,
    }))
}

/// What a channel's client keeps from one transaction to the next.
fn held(choices: &Choices) -> Result<Held, WorkloadError> {
    match (choices.connect.unwrap_or_default(), choices.open) {
        (Frequency::Every, Some(Frequency::Once)) => {
            Err(bad("open", "cannot be once beside connect = every: queues are open within a connection"))
        }
        (Frequency::Every, _) => Ok(Held::Nothing),
        (Frequency::Once, Some(Frequency::Every)) => Ok(Held::Connection),
        (Frequency::Once, _) => Ok(Held::Queues),
    }
}

fn answer_limit(choices: &Choices) -> Result<Duration, WorkloadError> {
    let limit = choices.timeout.map_or(Duration::from_secs(30), |span| span.0);
    if limit < Duration::from_millis(1) || limit > Duration::from_secs(3600) {
        return Err(bad("timeout", "is not between 1ms and 1h"));
    }
    Ok(limit)
}

/// The programs know where the server is; all that leads to one otherwise has no meaning beside them.
fn pool_options(clients: u32, choices: &Choices) -> Result<PoolOptions, WorkloadError> {
    let elsewhere = [("url", choices.url.is_some()), ("channel", choices.channel.is_some())];
    if let Some((key, _)) = elsewhere.iter().find(|(_, given)| *given) {
        return Err(bad(key, "has no meaning in requester: BAQURI and BAQPORT tell the program where the server is"));
    }
    let path = choices.program.clone().ok_or_else(|| bad("program", "is missing: what calls the API requester"))?;
    let wanted = match choices.processes {
        Some(Processes::Count(count)) => count,
        Some(Processes::User | Processes::Request) => {
            return Err(bad("processes", "is a number in requester: of processes of the program"));
        }
        None => clients,
    };
    let processes = in_range("processes", wanted, 1, clients)?;
    Ok(PoolOptions {
        path,
        arguments: choices.program_arguments.clone().unwrap_or_default(),
        processes,
        answer_limit: answer_limit(choices)?,
    })
}

fn reply_queue(scenario: Scenario, choices: &Choices) -> Result<Option<&str>, WorkloadError> {
    match scenario {
        Scenario::RequestReply => Ok(Some(choices.reply_queue.as_deref().unwrap_or("DEV.QUEUE.2"))),
        _ if choices.reply_queue.is_some() => Err(bad("reply_queue", "has a meaning in request-reply only")),
        _ => Ok(None),
    }
}

/// The client end of channel `channel` as the choices want it.
///
/// # Errors
/// A value that is none of its kind.
pub(crate) fn channel_client(channel: &str, choices: &Choices) -> Result<Client, WorkloadError> {
    let channel = ObjectName::parse_within(channel, 20).map_err(|error| bad("channel", error.to_string()))?;
    let mq = choices.mq.as_deref().unwrap_or("127.0.0.1:1414");
    let connections: ConnectionNames = mq.parse().map_err(|error: AddressError| bad("mq", error.to_string()))?;
    let mut connect = ConnectOptions::new(channel, connections);
    connect.queue_manager = choices.queue_manager.clone().unwrap_or_default();
    connect.application_name = "quaymaster workload".to_owned();
    connect.sharing_conversations = choices.sharing_conversations.unwrap_or(1);
    connect.credentials = match choices.login.unwrap_or_default() {
        Login::None => None,
        Login::Every => return Err(bad("login", "has no 'every' on a channel: connect says how often")),
        Login::Ltpa | Login::Basic => {
            let (user, password) = user_and_password(choices)?;
            Some(options::Credentials { user, password })
        }
    };
    connect.tls = tls_options(choices)?;
    Client::new(connect).map_err(|error| bad("channel", error.to_string()))
}

fn tls_options(choices: &Choices) -> Result<Option<TlsOptions>, WorkloadError> {
    let trust = match (&choices.cacert, choices.insecure.unwrap_or(false)) {
        (Some(_), true) => return Err(bad("insecure", "cannot stand beside cacert")),
        (Some(file), false) => tls::Trust::CaFile(file.clone()),
        (None, true) => tls::Trust::Anybody,
        (None, false) if choices.cipher.is_some() => tls::Trust::System,
        (None, false) => return Ok(None),
    };
    let mut tls = TlsOptions::trusting(trust);
    if let Some(cipher) = &choices.cipher {
        tls.cipher_specification.clone_from(cipher);
    }
    tls.resume = choices.tls_resumption.unwrap_or(true);
    Ok(Some(tls))
}

fn rest_options(choices: &Choices, reply_queue: Option<String>) -> Result<(RestOptions, Habits), WorkloadError> {
    let url = choices.url.as_deref().unwrap_or("https://127.0.0.1:9443");
    let trust = match (&choices.cacert, choices.insecure.unwrap_or(false)) {
        (Some(_), true) => return Err(bad("insecure", "cannot stand beside cacert")),
        (Some(path), false) => Trust::CaFile(path.clone()),
        (None, true) => Trust::Insecure,
        (None, false) => Trust::None,
    };
    let mut target = Target::parse(url, &trust).map_err(|error| bad("url", error.chain()))?;
    if !choices.tls_resumption.unwrap_or(true) {
        target = target.without_resumption();
    }
    let options = RestOptions {
        target,
        credentials: credentials(choices)?,
        queue_manager: choices.queue_manager.clone().unwrap_or_else(|| "QM1".to_owned()),
        queue: choices.queue.clone().unwrap_or_else(|| "DEV.QUEUE.1".to_owned()),
        reply_queue,
        persistent: choices.persistent.unwrap_or(false),
        answer_limit: answer_limit(choices)?,
    };
    let habits = Habits {
        connection: choices.connection.unwrap_or_default(),
        login_every: choices.login == Some(Login::Every),
        csrf: choices.csrf.unwrap_or_default(),
    };
    Ok((options, habits))
}

pub(super) fn credentials(choices: &Choices) -> Result<Credentials, WorkloadError> {
    let plain_server = choices.scenario == Some(Scenario::HttpFloor);
    let login = choices.login.unwrap_or(if plain_server { Login::None } else { Login::Ltpa });
    if login == Login::None {
        return Ok(Credentials::None);
    }
    let (user, password) = user_and_password(choices)?;
    Ok(match login {
        Login::Basic => Credentials::Basic { user, password },
        _ => Credentials::Ltpa { user, password },
    })
}

fn user_and_password(choices: &Choices) -> Result<(String, String), WorkloadError> {
    let administers = choices.scenario == Some(Scenario::Administration);
    let user = choices.user.clone().unwrap_or_else(|| if administers { "admin" } else { "app" }.to_owned());
    let Some(file) = &choices.password_file else {
        return Err(bad("password_file", format!("is missing: a file with a line '{user} PASSWORD'")));
    };
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|source| WorkloadError::Read { file: name.clone(), source })?;
    let password = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find_map(|(who, password)| (who == user).then(|| password.trim_end().to_owned()))
        .ok_or_else(|| bad("password_file", format!("{name} has no line '{user} PASSWORD'")))?;
    Ok((user, password))
}
