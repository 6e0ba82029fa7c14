//! Exit codes, each with one meaning. docs/exit-codes.md and the manual pages print these tables.

/// What was asked could not be done, or the queue manager refused it.
pub(super) const FAILED: u8 = 1;
/// An argument, an option or the configuration is wrong. Nothing was done.
pub(super) const USAGE: u8 = 2;
/// `get`: there is no message that matches.
pub(super) const NO_MESSAGE: u8 = 3;
/// `log salvage`: what could be read is written, and it is not all.
pub(super) const INCOMPLETE: u8 = 4;
/// `group status`, `group repair`, `doctor`: what was asked is shown, and something of it needs attention.
pub(super) const ATTENTION: u8 = 4;
/// An MQSC command failed.
pub(super) const COMMAND_FAILED: u8 = 10;
/// `chkmqready`: IBM's, of a pod beside the first one.
pub(super) const STANDBY: u8 = 10;
pub(super) const REPLICA: u8 = 20;
/// The queue manager cannot be reached, or the connection broke.
pub(super) const UNREACHABLE: u8 = 20;

/// A code and its meaning.
pub(super) type Code = (u8, &'static str);

const DONE: Code = (0, "The command did what was asked.");
const REFUSED: Code = (FAILED, "The command could not do what was asked, or the queue manager refused it.");
const WRONG: Code = (USAGE, "An argument, an option or the configuration is wrong. Nothing was done.");
const NOTHING: Code = (NO_MESSAGE, "No message matches.");
const MQSC: Code = (COMMAND_FAILED, "An MQSC command failed, or part of a script is refused.");
const NOT_REACHED: Code = (
    UNREACHABLE,
    "The queue manager cannot be reached: no server runs, the queue manager does not exist or has ended, or the connection \
     broke.",
);

/// Every code of Quaymaster's own commands.
#[cfg(test)]
pub(super) const GENERAL: &[Code] = &[DONE, REFUSED, WRONG, NOTHING, MQSC, NOT_REACHED];

/// Commands that work on files alone.
pub(super) const LOCAL: &[Code] = &[DONE, REFUSED, WRONG];
/// Commands that need a queue manager.
pub(super) const REMOTE: &[Code] = &[DONE, REFUSED, WRONG, NOT_REACHED];
pub(super) const GET: &[Code] = &[DONE, REFUSED, WRONG, NOTHING, NOT_REACHED];
pub(super) const ONE_COMMAND: &[Code] = &[DONE, REFUSED, WRONG, MQSC, NOT_REACHED];
pub(super) const SCRIPT: &[Code] = &[DONE, REFUSED, WRONG, MQSC];
pub(super) const SERVE: &[Code] = &[
    (0, "The server stopped on request."),
    (FAILED, "The server could not start, or with `--end-with-last` a recovery log has failed."),
    (USAGE, "An argument, an option or the configuration is wrong. The server did not start."),
];
pub(super) const SALVAGE: &[Code] = &[
    (0, "The whole log was read and written. A start would not refuse it."),
    (FAILED, "Nothing was salvaged. Standard error says why."),
    (USAGE, "An argument or an option is wrong. Nothing was done."),
    (
        INCOMPLETE,
        "What could be read was written. Messages may be missing, and messages that were got may be there again.",
    ),
];
/// IBM's.
pub(super) const RUNMQSC: &[Code] = &[
    (0, "Every command was processed."),
    (COMMAND_FAILED, "A command failed or has a syntax error."),
    (UNREACHABLE, "The commands were not run: bad usage, or the queue manager cannot be reached."),
];
/// IBM's, of trigger monitors.
pub(super) const TRIGGER_MONITOR: &[Code] = &[
    (0, "The queue manager ends."),
    (COMMAND_FAILED, "The trigger monitor was interrupted by an error. Standard error says which."),
    (UNREACHABLE, "The trigger monitor did not start. Standard error says why."),
];
pub(super) const STATUS: &[Code] = &[
    (0, "All is well."),
    (FAILED, "The group's database cannot be read. Standard error says why."),
    WRONG,
    (ATTENTION, "Something needs attention. The last lines say what."),
];
pub(super) const REPAIR: &[Code] = &[
    (0, "Nothing is stuck, or it was mended."),
    (FAILED, "The group's database cannot be read, or refuses a change. Standard error says why."),
    WRONG,
    (ATTENTION, "Something is stuck, and nothing was changed."),
];
pub(super) const DOCTOR: &[Code] =
    &[(0, "All is well."), (FAILED, "Something does not work."), WRONG, (ATTENTION, "Something needs attention.")];
pub(super) const CHECK: &[Code] = &[
    (0, "All is well."),
    (FAILED, "It is not. Standard error says why."),
    (STANDBY, "`chkmqready`: `MQ_MULTI_INSTANCE` is on, and this pod serves nothing beside the first one."),
    (REPLICA, "`chkmqready`: `MQ_NATIVE_HA` is on, and this pod serves nothing beside the first one."),
];
/// IBM's, of commands that make, start, end and delete queue managers.
pub(super) const LIFE_CYCLE: &[Code] = &[
    (0, "The command did what was asked."),
    (USAGE, "An argument or an option is wrong."),
    (5, "The queue manager is running."),
    (8, "The queue manager exists."),
    (16, "The queue manager does not exist."),
    (40, "The queue manager is not running."),
    (49, "The queue manager is ending."),
    (71, "Another error. Standard error says which."),
    (72, "The name of the queue manager is wrong."),
];
pub(super) const DISPLAY: &[Code] = &[DONE, REFUSED, WRONG, NOT_REACHED, (72, "The queue manager does not exist.")];
/// IBM's, of setmqaut and dspmqaut.
pub(super) const AUTHORITY: &[Code] = &[
    (0, "The command did what was asked."),
    (36, "An option is wrong."),
    (40, "The queue manager is not available."),
    (71, "Another error. Standard error says which."),
    (72, "The queue manager does not exist."),
    (133, "The object or the authority record does not exist."),
    (145, "-n is given for the queue manager, which has no profile."),
    (146, "-n is missing."),
    (147, "-t is missing."),
    (148, "-t names no type of object."),
    (149, "-p and -g are missing."),
    (150, "No authority is given."),
    (151, "An authority does not exist, or cannot be combined with the others."),
];

/// The tables of docs/exit-codes.md: heading, commands, codes.
#[cfg(test)]
pub(super) const TABLES: &[(&str, &str, &[Code])] = &[
    ("All commands, unless a table below names them", "", GENERAL),
    ("The server", "`serve`, `runmqserver`", SERVE),
    ("Salvage of a damaged log", "`log salvage`", SALVAGE),
    ("MQSC scripts", "`runmqsc`", RUNMQSC),
    ("Life of queue managers", "`crtmqm`, `dltmqm`, `strmqm`, `endmqm`", LIFE_CYCLE),
    ("List of queue managers", "`dspmq`", DISPLAY),
    ("Authorities", "`setmqaut`, `dspmqaut`", AUTHORITY),
    ("Trigger monitors", "`trigger-monitor`, `runmqtrm`, `runmqtmc`", TRIGGER_MONITOR),
    ("State of a queue-sharing group", "`group status`", STATUS),
    ("Repair of a queue-sharing group", "`group repair`", REPAIR),
    ("All checks", "`doctor`", DOCTOR),
    ("Checks", "`chkmqstarted`, `chkmqready`, `chkmqhealthy`", CHECK),
];
