//! The messaging resources, as the documents describe them.

use crate::openapi::details::{
    Body, Content, Details, MESSAGING, Parameter, Shape, Success, header, plain, query, success,
};

const LONGEST: i64 = 0x7FFF_FFFF;

const MESSAGE_ID: Parameter = query(
    "messageId",
    Shape::Pattern("^(ID:)?[0-9A-Fa-f]{48}$"),
    "Only the message with this id: 48 hexadecimal digits, in v3 after `ID:`.",
);
const CORRELATION_ID: Parameter = query(
    "correlationId",
    Shape::Pattern("^(ID:)?[0-9A-Fa-f]{48}$|^[^I\\s].*$"),
    "Only messages with this correlation id: 48 hexadecimal digits; in v3 after `ID:`, or any other text.",
);
const WAIT: Parameter =
    query("wait", Shape::Number(0, LONGEST), "How long to wait for a message, in milliseconds. Default 0.");
const LIMIT: Parameter =
    query("limit", Shape::Number(0, LONGEST), "Maximum number of messages to list. Default 10000.");

const UNREADABLE: Parameter = Parameter {
    extension: true,
    ..header(
        "quaymaster-unreadable",
        Shape::Words(&["refuse", "skip"]),
        "What becomes of messages that are no text: `refuse` (default) answers with 501 when one is the first that matches, \
         `skip` passes over them.",
    )
};

const SET_CORRELATION: Parameter = header(
    "ibm-mq-md-correlationId",
    Shape::Pattern("^(ID:)?[0-9A-Fa-f]{48}$|^[^I\\s].*$"),
    "Correlation id of the message: 48 hexadecimal digits; in v3 after `ID:`, or any other text.",
);
const SET_EXPIRY: Parameter = header(
    "ibm-mq-md-expiry",
    Shape::Pattern("^(unlimited|[0-9]{1,10})$"),
    "`unlimited`, or the life of the message in milliseconds, up to 99999999900.",
);
const SET_PERSISTENCE: Parameter = header(
    "ibm-mq-md-persistence",
    Shape::Words(&["nonPersistent", "persistent"]),
    "Does the message survive a restart? Default nonPersistent.",
);
const SET_PRIORITY: Parameter =
    header("ibm-mq-md-priority", Shape::Number(0, 9), "Priority of the message. v3; default is the queue's.");
const SET_REPLY_TO: Parameter = header(
    "ibm-mq-md-replyTo",
    Shape::Pattern("^[A-Za-z0-9._/%]{1,48}(@[A-Za-z0-9._/%]{1,48})?$"),
    "Where a reply is expected: `queue` or `queue@queueManager`.",
);
const SET_PROPERTIES: Parameter = header(
    "ibm-mq-usr",
    Shape::Text,
    "Message properties, `name;type;value` separated by commas: `colour;string;\"red\",size;integer;7`. v3.",
);

const OF_A_MESSAGE: &[(&str, &str)] = &[
    ("ibm-mq-md-messageId", "Id of the message."),
    ("ibm-mq-md-correlationId", "Correlation id, if the message has one."),
    ("ibm-mq-md-expiry", "Remaining life in milliseconds, or `unlimited`."),
    ("ibm-mq-md-persistence", "`persistent` or `nonPersistent`."),
    ("ibm-mq-md-priority", "Priority. v3."),
    ("ibm-mq-md-replyTo", "Where a reply is expected."),
    ("ibm-mq-usr", "Message properties. v3."),
];
const NOTHING_THERE: Success = success(204, "No message matches", Content::Nothing);

pub(super) const PUT: Details = Details {
    parameters: &[SET_CORRELATION, SET_EXPIRY, SET_PERSISTENCE, SET_PRIORITY, SET_REPLY_TO, SET_PROPERTIES],
    body: Some(Body::Message),
    ..plain(
        MESSAGING,
        "The message is durable before the answer, if it is persistent.",
        &[Success {
            headers: &[("ibm-mq-md-messageId", "Id of the message.")],
            ..success(201, "The message is on the queue", Content::Nothing)
        }],
    )
};
pub(super) const GET: Details = Details {
    parameters: &[MESSAGE_ID, CORRELATION_ID, WAIT, UNREADABLE],
    ..plain(
        MESSAGING,
        "Only text messages can be read; others stay on the queue and are answered with 501.",
        &[Success { headers: OF_A_MESSAGE, ..success(200, "The message", Content::Message) }, NOTHING_THERE],
    )
};
pub(super) const BROWSE: Details = Details {
    parameters: &[MESSAGE_ID, CORRELATION_ID, UNREADABLE],
    ..plain(
        MESSAGING,
        "The message stays on the queue.",
        &[Success { headers: OF_A_MESSAGE, ..success(200, "The message", Content::Message) }, NOTHING_THERE],
    )
};
pub(super) const LIST: Details = Details {
    parameters: &[MESSAGE_ID, CORRELATION_ID, LIMIT],
    ..plain(
        MESSAGING,
        "In the order in which they would be got.",
        &[success(200, "The messages", Content::Json("MessageList"))],
    )
};
pub(super) const PUBLISH: Details = Details {
    parameters: &[SET_CORRELATION, SET_EXPIRY, SET_PERSISTENCE, SET_PRIORITY, SET_REPLY_TO, SET_PROPERTIES],
    body: Some(Body::Message),
    ..plain(
        MESSAGING,
        "The topic string may span several parts of the path.",
        &[Success {
            headers: &[("ibm-mq-md-messageId", "Id of the publication.")],
            ..success(201, "Published", Content::Nothing)
        }],
    )
};
