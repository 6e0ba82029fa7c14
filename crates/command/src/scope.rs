//! CMDSCOPE: runs a command on the members of a queue-sharing group that it names, and joins what they answer.
//!
//! A command goes to another member as MQSC, with the name and the groups of its user as the asking member has authenticated them.
//! The member that runs it checks them against its own authority records. `wire.rs` has the bytes.
//!
//! START and STOP CHANNEL of shared channels are about every member, so they have CMDSCOPE(*) unless they name a member.
//!
//! Never: sends what the group has once (QSGDISP(GROUP) and QSGDISP(SHARED)) to another member.
//!
//! Invariants
//! - Each item of an answer names its queue manager, and each member that was asked has an item.
//! - A member that does not answer takes nothing from the answers of the others.
//!
//! Source: MQ reference, "Directing commands to different queue managers", "DISPLAY QUEUE" (CMDSCOPE), 9.3.

mod wire;

use model::definition::attribute::{self, Kind};
use model::definition::queue::Disposition;
use model::name::ObjectName;
use model::reason::Reason;
use queue_manager::QueueManager;
use queue_manager::channel_status::{ChannelDisposition, StopMode};
use queue_manager::event::command::{Issued, Issuer};
use tracing::warn;

use crate::command::channel::{ChannelCommand, StopChannel};
use crate::command::group::{DispositionChoice, Scope};
use crate::command::{Alter, Command, Define, Delete, Setting};
use crate::execute::channel::effective;
use crate::execute::disposition_word;
use crate::message;
use crate::mqsc;
use crate::observed::execute_here;
use crate::reply::{
    Item, MQRCCF_CHANNEL_NOT_ACTIVE, MQRCCF_CHL_STATUS_NOT_FOUND, MQRCCF_COMMAND_REPLY_ERROR,
    MQRCCF_COMMAND_SCOPE_ERROR, Reply,
};

/// Longest answer of a member, in bytes.
const LONGEST_ANSWER: usize = 16 << 20;

/// Runs a command on the members that the scope names. `text` is the command as MQSC.
pub(crate) async fn run(
    queue_manager: &QueueManager,
    issuer: &Issuer<'_>,
    issued: Issued<'_>,
    scope: &Scope,
    text: &str,
    command: &Command,
) -> Reply {
    let own = queue_manager.name().to_string();
    let here = execute_here(queue_manager, issuer, issued, command);
    let others = match scope {
        Scope::Here => return here.await,
        Scope::Member(name) if *name == own => return here.await,
        Scope::Member(name) => vec![name.clone()],
        Scope::All => others(queue_manager, &own),
    };
    let place = place(command);
    if place == Place::Group || place == Place::OnceShown && *scope != Scope::All {
        let shown = if let Scope::Member(name) = scope { name } else { "*" };
        return Reply::failed(MQRCCF_COMMAND_SCOPE_ERROR, message::SCOPE_AND_DISPOSITION, &[shown]);
    }
    let mut joined = Reply::default();
    if *scope == Scope::All {
        joined.items.extend(named(here.await, &own));
        if place == Place::OnceShown {
            return joined;
        }
    } else if !queue_manager.active_members().contains(&others[0]) {
        return Reply::failed(MQRCCF_COMMAND_SCOPE_ERROR, message::NOT_ACTIVE, &[&others[0]]);
    }
    joined.items.extend(elsewhere(queue_manager, issuer, &others, text).await);
    if let Some(nothing) = nothing_here(command).filter(|_| joined.items.iter().any(|item| item.reason == 0)) {
        joined.items.retain(|item| item.reason != nothing);
    }
    joined
}

/// The reason of a member that has none of what the command is about, which is no failure while another has one.
fn nothing_here(command: &Command) -> Option<i32> {
    match command {
        Command::DisplayObjects { .. } => Some(Reason::UnknownObjectName.number()),
        Command::Channel(ChannelCommand::DisplayStatus(_)) => Some(MQRCCF_CHL_STATUS_NOT_FOUND),
        Command::Channel(ChannelCommand::Stop(_)) => Some(MQRCCF_CHANNEL_NOT_ACTIVE),
        _ => None,
    }
}

/// START or STOP CHANNEL of shared channels, as MQSC for each member; `None` for all other commands.
pub(crate) fn of_shared_channel(queue_manager: &QueueManager, command: &Command) -> Option<String> {
    let (channel, disposition, text) = match command {
        Command::Channel(ChannelCommand::Start { channel, disposition, ignore_state }) => {
            (channel, *disposition, format!("START CHANNEL({}){}", attribute::quoted(channel), ignoring(*ignore_state)))
        }
        Command::Channel(ChannelCommand::Stop(stop)) => (&stop.channel, stop.disposition, stop_text(stop)),
        _ => return None,
    };
    let is_shared = effective(queue_manager, channel, disposition) == ChannelDisposition::Shared;
    is_shared.then(|| format!("{text} CHLDISP(SHARED)"))
}

fn stop_text(stop: &StopChannel) -> String {
    let mode = match stop.mode {
        StopMode::Quiesce | StopMode::Ended => "QUIESCE",
        StopMode::Force => "FORCE",
        StopMode::Terminate => "TERMINATE",
    };
    let status = if stop.disable { "STOPPED" } else { "INACTIVE" };
    let named = |keyword: &str, name: &Option<String>| {
        name.as_ref().map_or_else(String::new, |name| format!(" {keyword}({})", attribute::quoted(name)))
    };
    format!(
        "STOP CHANNEL({}) MODE({mode}) STATUS({status}){}{}{}",
        attribute::quoted(&stop.channel),
        named("CONNAME", &stop.connection_name),
        named("QMNAME", &stop.queue_manager),
        ignoring(stop.ignore_state)
    )
}

const fn ignoring(state: bool) -> &'static str {
    if state { " IGNSTATE(YES)" } else { "" }
}

/// The scope that a value of CMDSCOPE names. `None`: not a name.
pub fn named_scope(value: &str) -> Option<Scope> {
    match value.trim_end() {
        "" => Some(Scope::Here),
        "*" => Some(Scope::All),
        name => ObjectName::parse(name).ok().map(|name| Scope::Member(name.to_string())),
    }
}

/// DEFINE, ALTER or DELETE of a queue with CMDSCOPE, of a caller that has no text of it.
pub fn of_queue(scope: Scope, command: Command) -> Command {
    Command::Scoped { scope, text: text(&command), command: Box::new(command) }
}

fn text(command: &Command) -> String {
    let head =
        |verb: &str, kind: Kind, name: &str| vec![format!("{verb} {}({})", kind.mqsc(), attribute::quoted(name))];
    let set = |setting: &Setting| setting.attribute.value.script(setting.attribute.mqsc, &setting.value);
    let mut words = match command {
        Command::Define(define) => {
            let mut words = head("DEFINE", define.kind, &define.name);
            words.extend(define.like.as_ref().map(|like| format!("LIKE({})", attribute::quoted(like))));
            words.extend(define.replace.then(|| "REPLACE".to_owned()));
            words.push(format!("QSGDISP({})", disposition_word(define.disposition)));
            words.extend(define.settings.iter().map(set));
            return words.join(" ");
        }
        Command::Alter(alter) => {
            let mut words = head("ALTER", alter.kind, &alter.name);
            words.extend(alter.force.then(|| "FORCE".to_owned()));
            words.extend(alter.settings.iter().map(set));
            words
        }
        Command::Delete(delete) => {
            let mut words = head("DELETE", delete.kind, &delete.name);
            words.extend(delete.purge.then(|| "PURGE".to_owned()));
            words.push(format!("AUTHREC({})", if delete.authority_records { "YES" } else { "NO" }));
            words
        }
        _ => return String::new(),
    };
    words.push("QSGDISP(PRIVATE)".to_owned());
    words.join(" ")
}

/// For code that runs what a scope holds.
pub(crate) fn not_here() -> Reply {
    Reply::failed(MQRCCF_COMMAND_SCOPE_ERROR, message::NOT_ACTIVE, &[""])
}

fn others(queue_manager: &QueueManager, own: &str) -> Vec<String> {
    queue_manager.active_members().into_iter().filter(|name| name != own).collect()
}

/// What the others answer, in their order.
async fn elsewhere(queue_manager: &QueueManager, issuer: &Issuer<'_>, members: &[String], text: &str) -> Vec<Item> {
    let answers = match queue_manager.ask_members(members, &wire::request(issuer, text)).await {
        Ok(answers) => answers,
        Err(reason) => {
            let failed = || Reply::failed(reason.number(), message::UNEXPECTED, &[&reason.to_string()]);
            return members.iter().flat_map(|name| named(failed(), name)).collect();
        }
    };
    let reply = |answer: Option<Vec<u8>>, name: &str| {
        let read = answer.and_then(|answer| wire::read_reply(&answer));
        read.unwrap_or_else(|| Reply::failed(MQRCCF_COMMAND_REPLY_ERROR, message::NO_ANSWER, &[name]))
    };
    let of_member = |member: queue_manager::MemberAnswer| {
        let name = member.queue_manager;
        named(reply(member.answer, &name), &name)
    };
    answers.into_iter().flat_map(of_member).collect()
}

fn named(reply: Reply, name: &str) -> Vec<Item> {
    let of_member = |item| Item { member: Some(name.to_owned()), ..item };
    reply.items.into_iter().map(of_member).collect()
}

/// Where what a command is about is.
#[derive(PartialEq, Eq)]
enum Place {
    /// In each member.
    Members,
    /// In the group, once: a change names no other member.
    Group,
    /// The same, and is only looked at.
    OnceShown,
}

fn place(command: &Command) -> Place {
    let of_choice = |choice: DispositionChoice| {
        let is_once = matches!(choice, DispositionChoice::Group | DispositionChoice::Shared);
        if is_once { Place::Group } else { Place::Members }
    };
    match command {
        Command::Define(Define { kind: Kind::Structure, .. })
        | Command::Alter(Alter { kind: Kind::Structure, .. })
        | Command::Delete(Delete { kind: Kind::Structure, .. })
        | Command::DeleteIfThere(Delete { kind: Kind::Structure, .. }) => Place::Group,
        Command::DisplayObjects { kinds, .. } if kinds.contains(&Kind::Structure) => Place::OnceShown,
        Command::Define(define) => match define.disposition {
            Disposition::Group | Disposition::Shared => Place::Group,
            Disposition::QueueManager | Disposition::Copy => Place::Members,
        },
        Command::Alter(alter) => of_choice(alter.dispositions),
        Command::Delete(Delete { dispositions, .. }) | Command::DeleteIfThere(Delete { dispositions, .. }) => {
            of_choice(*dispositions)
        }
        Command::ClearQueue(_, choice) => of_choice(*choice),
        Command::MoveMessages { dispositions, .. } => of_choice(*dispositions),
        Command::DisplayObjects { dispositions, .. } if of_choice(*dispositions) == Place::Group => Place::OnceShown,
        _ => Place::Members,
    }
}

/// Answers what other members ask, one request after the other, until the queue manager ends.
pub async fn serve(queue_manager: &QueueManager) {
    while let Some(request) = queue_manager.next_member_request().await {
        let reply = answer(queue_manager, &request.content).await;
        let mut bytes = wire::reply(&reply);
        if bytes.len() > LONGEST_ANSWER {
            let own = queue_manager.name();
            bytes = wire::reply(&Reply::failed(MQRCCF_COMMAND_REPLY_ERROR, message::LONG_ANSWER, &[own.as_str()]));
        }
        if let Err(reason) = queue_manager.answer_member(&request, &bytes).await {
            warn!(queue_manager = %queue_manager.name(), %reason, "the answer to a command of another member is lost");
        }
    }
}

async fn answer(queue_manager: &QueueManager, request: &[u8]) -> Reply {
    let Some(request) = wire::read_request(request) else {
        return Reply::failed(MQRCCF_COMMAND_REPLY_ERROR, message::UNREADABLE, &[]);
    };
    let text = request.text();
    match mqsc::parse(text, queue_manager.membership()) {
        Ok(command) => {
            let command = without_what_is_shared(command);
            execute_here(queue_manager, &request.issuer(), Issued::Mqsc(text), &command).await
        }
        // The asking member has another version.
        Err(problem) => {
            let line = problem.answer().lines.last().cloned().unwrap_or_default();
            Reply::of(vec![Item { reason: problem.reason(), message: line, ..Item::default() }])
        }
    }
}

/// The asking member shows what the group has once.
fn without_what_is_shared(command: Command) -> Command {
    match command {
        Command::DisplayObjects {
            kinds,
            name,
            having,
            dispositions: DispositionChoice::Live | DispositionChoice::All,
            request,
        } => Command::DisplayObjects { kinds, name, having, dispositions: DispositionChoice::Private, request },
        other => other,
    }
}
