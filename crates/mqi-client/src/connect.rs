//! MQCONN, MQCONNX and MQDISC.
//!
//! Source: MQ reference, "MQCONNX", "MQCNO", "MQDISC", 9.4.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use channel_client::client::Client;
use channel_client::options::Credentials;
use channel_client::reconnect::{Patience, Reconnect};
use model::reason::Reason;
use parking_lot::Mutex;

use crate::constant::{
    MQCNO_ALL_CONVS_SHARE, MQCNO_CD_FOR_OUTPUT_ONLY, MQCNO_CLIENT_BINDING, MQCNO_FASTPATH_BINDING,
    MQCNO_HANDLE_SHARE_BLOCK, MQCNO_HANDLE_SHARE_NO_BLOCK, MQCNO_HANDLE_SHARE_NONE, MQCNO_ISOLATED_BINDING,
    MQCNO_LOCAL_BINDING, MQCNO_NO_CONV_SHARING, MQCNO_RECONNECT, MQCNO_RECONNECT_DISABLED, MQCNO_RECONNECT_Q_MGR,
    MQCNO_SHARED_BINDING, MQXPT_TCP,
};
use crate::handles::{self, Handle, Made, Sharing, User};
use crate::per_process::PerProcess;
use crate::route::{self, Channel, Keys};
use crate::settings::Settings;
use crate::xa::OpenString;
use crate::{Ended, ended_by, failed, keeper, log, warned};

/// Options that say how this end connects; the queue manager is not told of them.
const OF_THIS_END: i32 = MQCNO_HANDLE_SHARE_NONE
    | MQCNO_HANDLE_SHARE_BLOCK
    | MQCNO_HANDLE_SHARE_NO_BLOCK
    | MQCNO_RECONNECT
    | MQCNO_RECONNECT_DISABLED
    | MQCNO_RECONNECT_Q_MGR
    | MQCNO_NO_CONV_SHARING
    | MQCNO_ALL_CONVS_SHARE
    | MQCNO_CD_FOR_OUTPUT_ONLY
    | MQCNO_FASTPATH_BINDING
    | MQCNO_SHARED_BINDING
    | MQCNO_ISOLATED_BINDING
    | MQCNO_CLIENT_BINDING;
/// Longest name of a program that a queue manager shows, in bytes.
const APPLICATION_NAME: usize = 28;
/// The path of the program.
static PROGRAM: PerProcess<OnceLock<String>> = PerProcess::new();
/// The last user that was looked up, by number: a program that connects often looks once.
static USER: PerProcess<Mutex<Option<(u32, String)>>> = PerProcess::new();

/// What a program says by MQCONNX.
#[derive(Debug, Default)]
pub struct Request {
    pub queue_manager: String,
    /// MQCNO_*.
    pub options: i32,
    pub channel: Option<Channel>,
    pub keys: Option<Keys>,
    /// User and password of MQCSP.
    pub credentials: Option<(String, String)>,
    pub table_url: Option<String>,
    /// Blank: the name of the program.
    pub application_name: String,
}

/// A handle, and how the call ended: 2002 with a handle that the thread had already.
///
/// # Errors
/// As MQCONNX: 2046 options that contradict each other, 2012 local bindings, 2058, 2059, 2035, 2538 and more by
/// `channel_client::client::Client::connect`.
pub fn connect(request: &Request) -> Result<(i32, Ended), Ended> {
    let sharing = sharing(request.options)?;
    let settings = Settings::read();
    let is_local = request.options & MQCNO_LOCAL_BINDING != 0 || settings.variable("MQ_CONNECT_TYPE") == Some("LOCAL");
    if is_local {
        log::write(
            &settings,
            "Local bindings are asked for; this library connects as a client",
            "Ask for client bindings.",
        );
        return Err(failed(Reason::EnvironmentError));
    }
    if sharing == Sharing::None
        && let Some(own) = handles::own_of_thread(&request.queue_manager)
    {
        // It is the transaction manager's: the program shares it, and hears of nothing.
        let ended = if own.join(User::Program) { Ended::WELL } else { warned(Reason::AlreadyConnected) };
        return Ok((own.number, ended));
    }
    let handle = made(&settings, request, sharing, User::Program)?;
    Ok((handle.number, Ended::WELL))
}

/// The thread's connection to the queue manager, for a transaction manager: the program's, or a new one.
///
/// # Errors
/// As `connect`.
pub(crate) fn for_transactions(string: &OpenString) -> Result<Arc<Handle>, Ended> {
    if let Some(own) = handles::own_of_thread(&string.queue_manager) {
        own.join(User::TransactionManager);
        return Ok(own);
    }
    let channel = (!string.channel.is_empty()).then(|| Channel {
        name: string.channel.clone(),
        connection_name: string.connection_name.clone(),
        transport: MQXPT_TCP,
        ..Channel::default()
    });
    // A branch would be gone with the connection that is lost.
    let request = Request {
        queue_manager: string.queue_manager.clone(),
        options: MQCNO_RECONNECT_DISABLED,
        channel,
        ..Request::default()
    };
    made(&Settings::read(), &request, Sharing::None, User::TransactionManager)
}

fn made(settings: &Settings, request: &Request, sharing: Sharing, user: User) -> Result<Arc<Handle>, Ended> {
    let (client, advice) = client(settings, request).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|_| failed(Reason::ResourceProblem))?;
    let connection = runtime.block_on(client.connect()).map_err(|error| {
        let problem =
            format!("Cannot connect to queue manager '{}': {}", request.queue_manager, model::causes::chain(&error));
        log::write(settings, &problem, advice.as_deref().unwrap_or("See the reason code."));
        ended_by(&error)
    })?;
    let (queue_manager, ccsid) = (request.queue_manager.clone(), settings.ccsid());
    let handle = handles::add(Made { queue_manager, ccsid, sharing, runtime, connection, user });
    keeper::begin();
    Ok(handle)
}

fn sharing(options: i32) -> Result<Sharing, Ended> {
    let shared = options & (MQCNO_HANDLE_SHARE_NONE | MQCNO_HANDLE_SHARE_BLOCK | MQCNO_HANDLE_SHARE_NO_BLOCK);
    let reconnects = options & (MQCNO_RECONNECT | MQCNO_RECONNECT_DISABLED | MQCNO_RECONNECT_Q_MGR);
    let is_one_at_most = |bits: i32| bits.count_ones() <= 1;
    if !is_one_at_most(shared) || !is_one_at_most(reconnects) {
        return Err(failed(Reason::OptionsError));
    }
    Ok(match shared {
        MQCNO_HANDLE_SHARE_BLOCK => Sharing::Block,
        MQCNO_HANDLE_SHARE_NO_BLOCK => Sharing::NoBlock,
        _ => Sharing::None,
    })
}

/// With what may mend a connection that cannot be made.
fn client(settings: &Settings, request: &Request) -> Result<(Client, Option<String>), Reason> {
    let url = request.table_url.as_deref();
    let found = route::find(settings, &request.queue_manager, request.channel.as_ref(), url, request.keys.as_ref())?;
    let mut options = found.options;
    options.application_name = application_name(settings, &request.application_name);
    options.asserted_user = asserted_user(settings);
    options.credentials = request
        .credentials
        .as_ref()
        .map(|(user, password)| Credentials { user: user.clone(), password: password.clone() });
    // A socket belongs to the runtime of its connection, so that no two connections share one.
    options.sharing_conversations = options.sharing_conversations.min(1);
    options.connect_flags = (request.options & !OF_THIS_END).cast_unsigned();
    options.reconnect = reconnect(settings, request.options);
    options.patience = patience(settings);
    let advice = route::keys::advice(&options);
    let made = match found.table {
        Some(table) => Client::with_ccdt(options, table),
        None => Client::new(options),
    };
    made.map(|client| (client, advice)).map_err(|error| {
        log::write(
            settings,
            &model::causes::chain(&error),
            "Correct the channel definition, the table or the key repository.",
        );
        error.reason()
    })
}

fn reconnect(settings: &Settings, options: i32) -> Reconnect {
    if options & MQCNO_RECONNECT != 0 {
        Reconnect::Any
    } else if options & MQCNO_RECONNECT_Q_MGR != 0 {
        Reconnect::SameQueueManager
    } else if options & MQCNO_RECONNECT_DISABLED != 0 {
        Reconnect::Disabled
    } else {
        match settings.attribute("CHANNELS", "DefRecon").unwrap_or("NO").to_uppercase().as_str() {
            "YES" => Reconnect::Any,
            "QMGR" => Reconnect::SameQueueManager,
            _ => Reconnect::Disabled,
        }
    }
}

/// MQReconnectTimeout in seconds, and ReconDelay as `(1000,200)(2000,200)`.
fn patience(settings: &Settings) -> Patience {
    let mut patience = Patience::default();
    if let Some(delays) = settings.attribute("CHANNELS", "ReconDelay") {
        let pairs = delays.split(')').filter_map(|part| {
            let (fixed, random) = part.trim().strip_prefix('(')?.split_once(',')?;
            Some((
                Duration::from_millis(fixed.trim().parse().ok()?),
                Duration::from_millis(random.trim().parse().ok()?),
            ))
        });
        patience = Patience::new(patience.limit, pairs.collect()).unwrap_or(patience);
    }
    if let Some(seconds) = settings.attribute("CHANNELS", "MQReconnectTimeout").and_then(|text| text.parse().ok()) {
        patience.limit = Duration::from_secs(seconds);
    }
    patience
}

fn application_name(settings: &Settings, stated: &str) -> String {
    let named =
        [Some(stated), settings.variable("MQAPPLNAME")].into_iter().flatten().find(|name| !name.trim().is_empty());
    if let Some(name) = named {
        return name.trim_end().to_owned();
    }
    let path = PROGRAM
        .get()
        .get_or_init(|| std::env::current_exe().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default());
    let cut = path.len().saturating_sub(APPLICATION_NAME);
    let start = (cut..path.len()).find(|&at| path.is_char_boundary(at)).unwrap_or(0);
    path[start..].to_owned()
}

/// The user that the program runs as. What that is worth the channel decides.
pub(crate) fn asserted_user(settings: &Settings) -> String {
    let own = rustix::process::geteuid().as_raw();
    let mut known = USER.get().lock();
    if known.as_ref().is_none_or(|(number, _)| *number != own) {
        *known = name_of(own).map(|name| (own, name));
    }
    let named = || settings.variable("LOGNAME").or_else(|| settings.variable("USER")).unwrap_or("").to_owned();
    known.as_ref().map_or_else(named, |(_, name)| name.clone())
}

fn name_of(wanted: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, number) = (fields.next()?, fields.next()?, fields.next()?);
        (number.parse() == Ok(wanted)).then(|| name.to_owned())
    })
}

/// # Errors
/// As MQDISC: 2018 no such handle, 2003 what was under syncpoint is backed out, 2009.
pub fn disconnect(number: i32) -> Result<Ended, Ended> {
    let handle = handles::find(number)?;
    leave(&handle, User::Program)
}

/// Disconnects when no other user keeps the connection.
pub(crate) fn leave(handle: &Handle, user: User) -> Result<Ended, Ended> {
    handle.check_thread()?;
    if handle.is_kept_without(user) {
        return Ok(Ended::WELL);
    }
    handle.consuming.stop();
    let session = handle.take()?;
    handles::remove(handle.number);
    match handle.runtime.block_on(session.connection.disconnect()) {
        Ok(()) => Ok(Ended::WELL),
        Err(error) => Err(ended_by(&error)),
    }
}
