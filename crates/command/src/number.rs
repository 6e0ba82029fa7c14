//! MQCMD_* numbers of commands: what events call them, however they came.
//!
//! Source: the published constants (cmqcfc.h), 9.3.

use model::authority::AuthorityObject;
use model::definition::attribute::Kind;

use crate::command::Command;
use crate::command::channel::ChannelCommand;
use crate::command::group::GroupCommand;
use crate::command::system::SystemCommand;

/// The command that a PCF program would send for the same effect; 0 (MQCMD_NONE) for one that has none.
pub(crate) fn of(command: &Command) -> i32 {
    match command {
        Command::Define(define) => of_object(define.kind).create,
        Command::Alter(alter) => of_object(alter.kind).change,
        Command::Delete(delete) | Command::DeleteIfThere(delete) => of_object(delete.kind).delete,
        Command::AlterQueueManager(_) => 1,
        Command::DisplayQueueManager(_) => 2,
        Command::ClearQueue(..) => 9,
        Command::MoveQueue { .. } | Command::MoveMessages { .. } => 127,
        Command::DisplayObjects { kinds, .. } => kinds.first().map_or(0, |kind| of_object(*kind).inquire),
        Command::RefreshConfiguration(_) => 16,
        Command::PingQueueManager => 40,
        Command::DisplayQueueStatus { .. } => 41,
        Command::RefreshSecurity => 78,
        Command::DisplayConnections(_) => 85,
        Command::DisplayAuthority(_) => 87,
        Command::DisplayEntityAuthority(_) => 88,
        Command::DeleteAuthority(_) => 89,
        Command::SetAuthority(_) => 90,
        Command::ResetStatistics => 92,
        Command::DisplayQueueManagerStatus(_) => 161,
        Command::DisplayAuthorityService(_) => 169,
        Command::DisplaySubscriptions(_) => 176,
        Command::DisplaySubscriptionStatus(_) => 182,
        Command::DisplayTopicStatus(_) => 183,
        Command::ClearTopicString(_) => 184,
        Command::DisplayPublishSubscribe { .. } => 185,
        Command::SetChannelAuthentication(_) => 203,
        Command::DisplayChannelAuthentication(_) => 204,
        Command::Channel(command) => of_channel(command),
        Command::System(command) => of_system(command),
        Command::Group(GroupCommand::DisplayStructureStatus { .. }) => 116,
        Command::Group(GroupCommand::Display(_)) => 119,
        Command::Group(GroupCommand::DisplayInDoubt(_) | GroupCommand::ResolveInDoubt { .. }) => 0,
        Command::Scoped { command, .. } => of(command),
    }
}

const fn of_channel(command: &ChannelCommand) -> i32 {
    match command {
        ChannelCommand::Ping { .. } => 26,
        ChannelCommand::Reset { .. } => 27,
        ChannelCommand::Start { .. } => 28,
        ChannelCommand::Stop(_) => 29,
        ChannelCommand::SwitchListener { start: true, .. } => 31,
        ChannelCommand::Resolve { .. } => 39,
        ChannelCommand::DisplayStatus(_) => 42,
        ChannelCommand::DisplayListenerStatus { .. } => 98,
        ChannelCommand::SwitchListener { start: false, .. } => 142,
        ChannelCommand::DisplayServiceStatus { .. } => 154,
        ChannelCommand::SwitchService { start: true, .. } => 155,
        ChannelCommand::SwitchService { start: false, .. } => 156,
    }
}

/// The commands of z/OS among them, and those of the command server, have no number here.
const fn of_system(command: &SystemCommand) -> i32 {
    match command {
        SystemCommand::ResetQueueStatistics { .. } => 17,
        SystemCommand::StopConnection { .. } => 86,
        SystemCommand::DisplayCommandServer(_)
        | SystemCommand::SwitchCommandServer(_)
        | SystemCommand::DisplaySystem(_)
        | SystemCommand::ExcludeMessages(_)
        | SystemCommand::StartTrace { .. }
        | SystemCommand::StopTrace(_)
        | SystemCommand::DisplayTrace { .. } => 0,
    }
}

struct Numbers {
    change: i32,
    create: i32,
    delete: i32,
    inquire: i32,
}

const fn numbers(change: i32, create: i32, delete: i32, inquire: i32) -> Numbers {
    Numbers { change, create, delete, inquire }
}

const fn of_object(kind: Kind) -> Numbers {
    match kind.authority_object() {
        AuthorityObject::Topic if matches!(kind, Kind::Subscription) => numbers(178, 177, 179, 176),
        AuthorityObject::Topic => numbers(170, 172, 173, 174),
        AuthorityObject::QueueManager | AuthorityObject::RemoteQueueManager => numbers(1, 0, 0, 2),
        AuthorityObject::Queue => numbers(8, 11, 12, 13),
        AuthorityObject::Channel | AuthorityObject::ClientChannel => numbers(21, 23, 24, 25),
        AuthorityObject::Listener => numbers(93, 95, 96, 97),
        AuthorityObject::Process => numbers(3, 5, 6, 7),
        AuthorityObject::NameList => numbers(32, 34, 35, 36),
        AuthorityObject::AuthenticationInformation => numbers(79, 81, 82, 83),
        AuthorityObject::Service => numbers(149, 151, 152, 153),
        AuthorityObject::CommunicationInformation => numbers(192, 190, 194, 191),
        AuthorityObject::Structure => numbers(101, 108, 112, 115),
    }
}

/// DISPLAY and PING change nothing.
pub(crate) fn only_reads(command: &Command) -> bool {
    if let Command::Scoped { command, .. } = command {
        return only_reads(command);
    }
    matches!(
        command,
        Command::DisplayQueueManager(_)
            | Command::DisplayObjects { .. }
            | Command::PingQueueManager
            | Command::DisplayQueueStatus { .. }
            | Command::Group(
                GroupCommand::Display(_)
                    | GroupCommand::DisplayInDoubt(_)
                    | GroupCommand::DisplayStructureStatus { .. }
            )
            | Command::DisplayConnections(_)
            | Command::DisplayAuthority(_)
            | Command::DisplayEntityAuthority(_)
            | Command::DisplayQueueManagerStatus(_)
            | Command::DisplayAuthorityService(_)
            | Command::DisplaySubscriptions(_)
            | Command::DisplaySubscriptionStatus(_)
            | Command::DisplayTopicStatus(_)
            | Command::DisplayPublishSubscribe { .. }
            | Command::DisplayChannelAuthentication(_)
            | Command::Channel(
                ChannelCommand::DisplayStatus(_)
                    | ChannelCommand::DisplayListenerStatus { .. }
                    | ChannelCommand::DisplayServiceStatus { .. }
                    | ChannelCommand::Ping { .. }
            )
            | Command::System(
                SystemCommand::DisplayCommandServer(_)
                    | SystemCommand::DisplaySystem(_)
                    | SystemCommand::DisplayTrace { .. }
            )
    )
}
