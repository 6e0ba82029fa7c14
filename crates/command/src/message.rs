//! Message identifiers of runmqsc and what they say here.
//!
//! Identifiers are the published ones, as scripts look for them; sentences are ours. Warnings that no other queue manager
//! has begin with `QUA`. Titles of DISPLAY blocks end in
//! `details.`, which clients parse after.
//! Source: MQ messages reference, AMQ7xxx and AMQ8xxx; identifiers seen in live output and in public clients.

/// An identifier and its sentence, in which each `{}` takes an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    pub id: &'static str,
    sentence: &'static str,
}

impl Message {
    const fn new(id: &'static str, sentence: &'static str) -> Self {
        Self { id, sentence }
    }

    /// `AMQ8147E: Object A.B not found.`
    pub fn line(&self, arguments: &[&str]) -> String {
        let mut line = format!("{}: ", self.id);
        let mut arguments = arguments.iter();
        for (index, part) in self.sentence.split("{}").enumerate() {
            if index > 0 {
                line.push_str(arguments.next().unwrap_or(&""));
            }
            line.push_str(part);
        }
        line
    }
}

// Done.
pub const QUEUE_MANAGER_CHANGED: Message = Message::new("AMQ8005I", "Queue manager changed.");
pub const QUEUE_CREATED: Message = Message::new("AMQ8006I", "Queue created.");
pub const QUEUE_DELETED: Message = Message::new("AMQ8007I", "Queue deleted.");
pub const QUEUE_CHANGED: Message = Message::new("AMQ8008I", "Queue changed.");
pub const PROCESS_CREATED: Message = Message::new("AMQ8010I", "Process created.");
pub const PROCESS_DELETED: Message = Message::new("AMQ8011I", "Process deleted.");
pub const PROCESS_CHANGED: Message = Message::new("AMQ8012I", "Process changed.");
pub const CHANNEL_CREATED: Message = Message::new("AMQ8014I", "Channel created.");
pub const CHANNEL_DELETED: Message = Message::new("AMQ8015I", "Channel deleted.");
pub const CHANNEL_CHANGED: Message = Message::new("AMQ8016I", "Channel changed.");
/// No message of IBM's says it.
pub const QUEUE_MOVED: Message = Message::new("QUA0020I", "The queue is in the database of the structure.");
pub const MESSAGES_MOVED: Message = Message::new("QUA0021I", "Messages that moved to queue {}: {}.");
pub const QUEUE_CLEARED: Message = Message::new("AMQ8022I", "Queue cleared.");
pub const SUBSCRIPTION_CREATED: Message = Message::new("AMQ8094I", "Subscription created.");
pub const SUBSCRIPTION_CHANGED: Message = Message::new("AMQ8095I", "Subscription changed.");
pub const SUBSCRIPTION_DELETED: Message = Message::new("AMQ8097I", "Subscription deleted.");
pub const PING_COMPLETE: Message = Message::new("AMQ8415I", "The queue manager answers.");
pub const CONFIGURATION_REFRESHED: Message = Message::new("AMQ8005I", "Configuration events put.");
pub const NAMELIST_CHANGED: Message = Message::new("AMQ8551I", "Namelist changed.");
pub const NAMELIST_CREATED: Message = Message::new("AMQ8552I", "Namelist created.");
pub const NAMELIST_DELETED: Message = Message::new("AMQ8553I", "Namelist deleted.");
pub const SECURITY_REFRESHED: Message = Message::new("AMQ8560I", "Security information refreshed.");
pub const AUTHENTICATION_CREATED: Message = Message::new("AMQ8563I", "Authentication information created.");
pub const AUTHENTICATION_DELETED: Message = Message::new("AMQ8564I", "Authentication information deleted.");
pub const AUTHENTICATION_CHANGED: Message = Message::new("AMQ8567I", "Authentication information changed.");
pub const SERVICE_CHANGED: Message = Message::new("AMQ8622I", "Service changed.");
pub const SERVICE_DELETED: Message = Message::new("AMQ8624I", "Service deleted.");
pub const SERVICE_CREATED: Message = Message::new("AMQ8625I", "Service created.");
pub const LISTENER_CREATED: Message = Message::new("AMQ8626I", "Listener created.");
pub const LISTENER_CHANGED: Message = Message::new("AMQ8627I", "Listener changed.");
pub const LISTENER_DELETED: Message = Message::new("AMQ8628I", "Listener deleted.");
pub const TOPIC_CREATED: Message = Message::new("AMQ8690I", "Topic created.");
pub const TOPIC_CHANGED: Message = Message::new("AMQ8691I", "Topic changed.");
pub const TOPIC_DELETED: Message = Message::new("AMQ8692I", "Topic deleted.");
pub const COMMUNICATION_CREATED: Message = Message::new("AMQ8858I", "Communication information created.");
pub const COMMUNICATION_CHANGED: Message = Message::new("AMQ8859I", "Communication information changed.");
pub const COMMUNICATION_DELETED: Message = Message::new("AMQ8860I", "Communication information deleted.");
pub const AUTHORITY_SET: Message = Message::new("AMQ8862I", "Authority record set.");
pub const AUTHORITY_DELETED: Message = Message::new("AMQ8863I", "Authority record deleted.");

pub const CHANNEL_AUTHENTICATION_SET: Message = Message::new("AMQ8877I", "Channel authentication record set.");
pub const TOPIC_STRING_CLEARED: Message = Message::new("AMQ8699I", "What was retained on the topic string is cleared.");
pub const CHANNEL_STARTED: Message = Message::new("AMQ8018I", "The channel may start.");
pub const CHANNEL_STOPPED: Message = Message::new("AMQ8019I", "The channel is asked to stop.");
pub const LISTENER_STOPPED: Message = Message::new("AMQ8706I", "The listener is asked to stop.");
pub const SERVICE_STARTED: Message = Message::new("AMQ8733I", "The service is asked to start.");
pub const SERVICE_STOPPED: Message = Message::new("AMQ8732I", "The service is asked to stop.");
pub const CONNECTION_STOPPED: Message = Message::new("AMQ8457I", "Connection stopped.");
pub const COMMAND_SERVER_STARTED: Message = Message::new("CSQN200I", "The command server is started.");
pub const COMMAND_SERVER_STOPPED: Message = Message::new("CSQN202I", "The command server is stopped.");
pub const TRACE_STARTED: Message = Message::new("CSQW130I", "Accounting trace started, number {}.");
pub const TRACE_STOPPED: Message = Message::new("CSQW131I", "Trace stopped, number {}.");
pub const UNIT_COMMITTED: Message = Message::new("CSQV414I", "Unit of recovery {} is committed.");
pub const UNIT_BACKED_OUT: Message = Message::new("CSQV415I", "Unit of recovery {} is backed out.");
pub const NORMAL_COMPLETION: Message = Message::new("CSQ9022I", "The command completed normally.");

// Titles of DISPLAY blocks.
pub const CHANNEL_STATUS_DETAILS: Message = Message::new("AMQ8417I", "Display Channel Status details.");
pub const LISTENER_STATUS_DETAILS: Message = Message::new("AMQ8631I", "Display listener status details.");
pub const SERVICE_STATUS_DETAILS: Message = Message::new("AMQ8632I", "Display service status details.");
pub const PUBLISH_SUBSCRIBE_DETAILS: Message = Message::new("AMQ8723I", "Display pub/sub status details.");
pub const TOPIC_STATUS_DETAILS: Message = Message::new("AMQ8754I", "Display topic status details.");
pub const COMMAND_SERVER_DETAILS: Message = Message::new("CSQN201I", "Display command server details.");
pub const QUEUE_STATISTICS_DETAILS: Message = Message::new("CSQM201I", "Reset queue statistics details.");
pub const TRACE_DETAILS: Message = Message::new("CSQW127I", "Display trace details.");
pub const SYSTEM_DETAILS: Message = Message::new("CSQY201I", "Display system details.");
pub const CHANNEL_AUTHENTICATION_DETAILS: Message =
    Message::new("AMQ8878I", "Display channel authentication record details.");
pub const SUBSCRIPTION_DETAILS: Message = Message::new("AMQ8096I", "Display Subscription details.");
pub const SUBSCRIPTION_STATUS: Message = Message::new("AMQ8099I", "Display Subscription Status details.");
pub const CONNECTION_DETAILS: Message = Message::new("AMQ8276I", "Display Connection details.");
pub const PROCESS_DETAILS: Message = Message::new("AMQ8407I", "Display Process details.");
pub const QUEUE_MANAGER_DETAILS: Message = Message::new("AMQ8408I", "Display Queue Manager details.");
pub const QUEUE_DETAILS: Message = Message::new("AMQ8409I", "Display Queue details.");
pub const CHANNEL_DETAILS: Message = Message::new("AMQ8414I", "Display Channel details.");
pub const QUEUE_STATUS_DETAILS: Message = Message::new("AMQ8450I", "Display queue status details.");
pub const NAMELIST_DETAILS: Message = Message::new("AMQ8550I", "Display namelist details.");
pub const AUTHENTICATION_DETAILS: Message = Message::new("AMQ8566I", "Display authentication information details.");
pub const SERVICE_DETAILS: Message = Message::new("AMQ8629I", "Display service information details.");
pub const LISTENER_DETAILS: Message = Message::new("AMQ8630I", "Display listener information details.");
pub const TOPIC_DETAILS: Message = Message::new("AMQ8633I", "Display topic details.");
pub const QUEUE_MANAGER_STATUS: Message = Message::new("AMQ8705I", "Display Queue Manager Status details.");
pub const AUTHORITY_SERVICE_DETAILS: Message = Message::new("AMQ8865I", "Display authority service details.");
pub const ENTITY_AUTHORITY_DETAILS: Message = Message::new("AMQ8866I", "Display entity authority details.");
pub const GROUP_DETAILS: Message = Message::new("CSQM201I", "Display group details.");
pub const STRUCTURE_DETAILS: Message = Message::new("CSQM201I", "Display structure details.");
pub const STRUCTURE_STATUS_DETAILS: Message = Message::new("CSQM201I", "Display structure status details.");
pub const THREAD_DETAILS: Message = Message::new("CSQV406I", "Display thread details.");
pub const COMMUNICATION_DETAILS: Message = Message::new("AMQ8861I", "Display communication information details.");
pub const AUTHORITY_DETAILS: Message = Message::new("AMQ8864I", "Display authority record details.");

// Done, with less effect than the command asks for.
pub const CHANNEL_DOES_NOT_RUN: Message =
    Message::new("QUA0001W", "Channel {} is kept as a definition only. Channels of type {} do not run here.");
pub const NOBODY_READS: Message = Message::new(
    "QUA0002W",
    "No program reads transmission queue {}. Messages for {} stay there, because message channels do not run here.",
);
pub const NO_WAY: Message = Message::new(
    "QUA0003W",
    "No transmission queue leads to queue manager {}, so puts to {} fail. Message channels do not run here.",
);
pub const SERVICE_DOES_NOT_START: Message =
    Message::new("QUA0005W", "Service {} is kept as a definition only. Services are not started here.");
pub const NOT_IN_GROUP: Message = Message::new("QUA0007E", "The queue manager is in no queue-sharing group.");
pub const OTHER_DISPOSITION: Message = Message::new("QUA0008E", "Object {} is there with another QSGDISP.");
pub const NO_STRUCTURE: Message =
    Message::new("QUA0009E", "Structure '{}' is not defined: DEFINE CFSTRUCT comes first.");
pub const NO_ANSWER: Message =
    Message::new("QUA0010E", "Queue manager {} has not answered in time. The command may have run there.");
pub const LONG_ANSWER: Message =
    Message::new("QUA0011E", "The answer of queue manager {} is too long for another member: ask for less.");
pub const UNREADABLE: Message =
    Message::new("QUA0012E", "The command was sent in a form that this version does not know.");
pub const RESPONSES_FROM: Message = Message::new("CSQN121I", "Command responses from {}.");
pub const SCOPE_AND_DISPOSITION: Message =
    Message::new("CSQN132E", "CMDSCOPE({}) does not go with this QSGDISP: the group has the object once.");
pub const NOT_ACTIVE: Message = Message::new("CSQN135E", "Queue manager {} is not active in the queue-sharing group.");
pub const NO_EFFECT: Message = Message::new("QUA0004W", "{} of {} has no effect: {}.");
pub const CIPHER_NOT_SERVED: Message = Message::new("QUA0006W", "Channel {} refuses every client: {}.");

// Refused.
pub const UNEXPECTED: Message = Message::new("AMQ8101S", "The command failed with reason {}.");
pub const EVENTS_DISABLED: Message = Message::new("AMQ8101S", "The events are switched off by {}.");
pub const NOT_AUTHORIZED: Message = Message::new("AMQ8135E", "Not authorized: user {} lacks {} on {}.");
pub const NOT_EMPTY: Message = Message::new("AMQ8143E", "Queue {} is not empty.");
pub const NOT_FOUND: Message = Message::new("AMQ8147E", "Object {} not found.");
pub const NOTHING_TO_DELETE: Message = Message::new("AMQ8147W", "Object {} not found, there is nothing to delete.");
pub const IN_USE: Message = Message::new("AMQ8148E", "Object {} is in use.");
pub const ALREADY_EXISTS: Message = Message::new("AMQ8150E", "Object {} already exists.");
pub const WRONG_TYPE: Message = Message::new("AMQ8151E", "Object {} is of another type.");
pub const CONNECTION_NOT_FOUND: Message = Message::new("AMQ8155E", "Connection {} not found.");
pub const CHANNEL_EXISTS: Message = Message::new("AMQ8226E", "Channel {} already exists.");
pub const UNSUPPORTED: Message = Message::new("AMQ8404E", "{} is not supported by this queue manager yet.");
pub const ATTRIBUTE_REFUSED: Message = Message::new("AMQ8425E", "{} of {}: {}.");
pub const QUEUE_STATUS_NOT_FOUND: Message =
    Message::new("AMQ8565E", "No handle is open: queue status of {} not found.");
pub const AUTHORITY_NOT_FOUND: Message = Message::new("AMQ8884E", "Authority record of {} not found.");
pub const CHANNEL_AUTHENTICATION_EXISTS: Message =
    Message::new("AMQ8883E", "A channel authentication record of {} for the same partners already exists.");
pub const CHANNEL_AUTHENTICATION_NOT_FOUND: Message =
    Message::new("AMQ8884E", "Channel authentication record of {} not found.");
pub const TOPIC_STRING_EXISTS: Message = Message::new("AMQ8698E", "The topic string belongs to topic {} already.");
pub const CHANNEL_STATUS_NOT_FOUND: Message = Message::new("AMQ8420I", "Channel status of {} not found.");
pub const CHANNEL_TYPE: Message = Message::new("AMQ8151E", "{} does not go with the type of channel {}.");
pub const CHANNEL_NOT_ACTIVE: Message = Message::new("AMQ9533W", "Channel {} is not active.");
pub const LISTENER_IS_ACTIVE: Message = Message::new("AMQ8730E", "Listener {} is active already.");
pub const LISTENER_STARTED: Message = Message::new("AMQ8021I", "The listener is asked to start.");
pub const LISTENER_NOT_STARTED: Message = Message::new("AMQ9218E", "Listener {} cannot listen: {}.");
pub const LISTENER_NOT_ACTIVE: Message = Message::new("AMQ8731E", "Listener {} is not active.");
pub const SERVICE_IS_ACTIVE: Message = Message::new("AMQ8737E", "Service {} is active already.");
pub const SERVICE_NOT_ACTIVE: Message = Message::new("AMQ8738E", "Service {} is not active.");
pub const NOT_IN_DOUBT: Message = Message::new("CSQV417I", "Unit of recovery {} is not in doubt.");
pub const NONE_FOUND: Message = Message::new("AMQ8147E", "No object matches the command.");
pub const COMMAND_SERVER_IS_STARTED: Message = Message::new("CSQN223I", "The command server is started already.");
pub const COMMAND_SERVER_IS_STOPPED: Message = Message::new("CSQN224I", "The command server is stopped already.");
pub const NO_TRACE: Message = Message::new("CSQW133E", "There is no such trace.");
pub const TOO_MANY_TRACES: Message = Message::new("CSQW134E", "No more traces can be started.");

// Not understood.
pub const SYNTAX_ERROR: Message =
    Message::new("AMQ8405I", "Syntax error detected at or near end of command segment below:-");
pub const DUPLICATE: Message = Message::new("AMQ8411E", "Keyword given twice: {}.");
pub const RANGE: Message = Message::new("AMQ8412E", "Number out of range: {}.");
pub const LENGTH: Message = Message::new("AMQ8413E", "Text too long: {}.");
pub const REQUIRED: Message = Message::new("AMQ8421E", "Keyword missing: {}.");
pub const NAME: Message = Message::new("AMQ8424E", "Not a name: {}.");
pub const VALUE: Message = Message::new("AMQ8425E", "Not a value: {}.");
pub const VALID_COMMANDS: Message = Message::new("AMQ8426I", "Commands begin with one of {}.");
pub const VALID_SYNTAX: Message = Message::new("AMQ8427I", "Not the valid syntax of the command: {}.");
pub const FILTER: Message = Message::new("AMQ8569E", "WHERE is not usable: {}.");
