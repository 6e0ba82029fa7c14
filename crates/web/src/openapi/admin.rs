//! The administrative resources, as the documents describe them.

use crate::admin::queue_manager::STATES;
use crate::openapi::details::{
    ADMINISTRATION, Body, Content, Details, Parameter, Shape, Success, header, plain, query, success,
};

const GATEWAY: Parameter = header(
    "ibm-mq-rest-gateway-qmgr",
    Shape::Pattern("^[A-Za-z0-9._/%]{1,48}$"),
    "The queue manager through which the one in the path is administered.",
);
const GATEWAY_USED: &[(&str, &str)] = &[("ibm-mq-rest-gateway-qmgr", "The gateway that was used, if any.")];

pub(super) const MQSC: Details = Details {
    parameters: &[GATEWAY],
    body: Some(Body::Json("Mqsc")),
    ..plain(
        ADMINISTRATION,
        "MQWebAdmin acts with the authority of the server, MQWebAdminRO too but for DISPLAY and PING only, MQWebUser with \
         its own. 200 says that the command was processed; whether it succeeded is told by the codes in the answer.",
        &[Success { headers: GATEWAY_USED, ..success(200, "Result of the command", Content::Json("MqscReply")) }],
    )
};

/// A parameter of our own.
const fn own(parameter: Parameter) -> Parameter {
    Parameter { extension: true, ..parameter }
}

const NAMES: Shape = Shape::Pattern("^[A-Za-z.*]+(,[A-Za-z.*]+)*$");
const FLAG: Shape = Shape::Words(&["", "true"]);
const ATTRIBUTES: Parameter =
    query("attributes", NAMES, "Attributes or groups of them, separated by commas, or `*` for all.");
const STATUS: Parameter = query("status", NAMES, "Status attributes, separated by commas, or `*` for all.");
const HANDLES: Parameter =
    query("applicationHandle", NAMES, "Attributes of open handles, separated by commas, or `*` for all.");
const NAME: Parameter = query("name", Shape::Text, "Only objects of this name, which may end in `*`.");
const QUEUE_TYPE: Parameter =
    query("type", Shape::Words(&["all", "local", "alias", "remote", "model", "cluster"]), "Only queues of this type.");
const CHANNEL_TYPE: Parameter = query(
    "type",
    Shape::Words(&["all", "sender", "receiver", "server", "requester", "clusterSender", "clusterReceiver"]),
    "Only channels of this type.",
);
const FILTER: Parameter = query(
    "filter",
    Shape::Pattern("^[A-Za-z.]+:(lessThan|greaterThan|equalTo|notEqualTo|lessThanOrEqualTo|greaterThanOrEqualTo):.*$"),
    "One condition: `storage.maximumDepth:greaterThan:10000`. Texts may end in `*`.",
);
const SORT: Parameter = own(query(
    "sort",
    Shape::Pattern("^-?[A-Za-z.]+$"),
    "Attribute to sort by, downwards after `-`. Default: the name.",
));
const OFFSET: Parameter = own(query("offset", Shape::Number(0, u32::MAX as i64), "Number of objects to skip."));
const LIMIT: Parameter = own(query("limit", Shape::Number(0, u32::MAX as i64), "Most objects to show."));
const IF_NONE_MATCH: Parameter =
    own(header("If-None-Match", Shape::Text, "ETag of an answer that need not be sent again."));
const STATE: Parameter = query("state", Shape::Words(STATES), "Only queue managers in this state.");
const TAGGED: &[(&str, &str)] =
    &[("ibm-mq-rest-gateway-qmgr", "The gateway that was used, if any."), ("ETag", "Until a definition changes.")];
const NOT_MODIFIED: Success = success(304, "As it was", Content::Nothing);
const WHOSE: &str = "MQWebAdmin and MQWebAdminRO see everything, MQWebUser what it has authority to display.";
const WHO_CHANGES: &str = "MQWebAdmin acts with the authority of the server, MQWebUser with its own.";

pub(super) const INSTALLATION: Details = Details {
    parameters: &[ATTRIBUTES],
    ..plain(ADMINISTRATION, "", &[success(200, "The installation", Content::Json("Installations"))])
};
pub(super) const QUEUE_MANAGERS: Details = Details {
    parameters: &[ATTRIBUTES, STATUS, STATE],
    ..plain(
        ADMINISTRATION,
        "Status of a queue manager that the caller may not display is left out.",
        &[success(200, "The queue managers", Content::Json("QueueManagers"))],
    )
};
pub(super) const QUEUE_MANAGER: Details = Details {
    parameters: &[ATTRIBUTES, STATUS, GATEWAY],
    ..plain(
        ADMINISTRATION,
        "",
        &[Success { headers: GATEWAY_USED, ..success(200, "The queue manager", Content::Json("QueueManagers")) }],
    )
};
pub(super) const DEFINITIONS: Details = Details {
    parameters: &[
        query("name", Shape::Text, "Name of the objects, perhaps with an asterisk at its end."),
        query(
            "type",
            Shape::Text,
            "Kind of definition as dmpmqcfg -x and -t name it: object, queue, topic, authrec, all.",
        ),
        query("allAttributes", FLAG, "Also attributes that have their default."),
        query("oneLine", FLAG, "One line a command."),
        query("includeDefaults", FLAG, "Also the SYSTEM objects that are as they were made."),
        GATEWAY,
    ],
    extension: true,
    ..plain(
        ADMINISTRATION,
        "What dmpmqcfg writes: running it on an empty queue manager makes the same definitions. Passwords are left out.",
        &[Success { headers: GATEWAY_USED, ..success(200, "MQSC commands", Content::Text("text/plain")) }],
    )
};
pub(super) const QUEUES: Details = Details {
    parameters: &[ATTRIBUTES, STATUS, HANDLES, QUEUE_TYPE, NAME, FILTER, SORT, OFFSET, LIMIT, IF_NONE_MATCH, GATEWAY],
    ..plain(
        ADMINISTRATION,
        WHOSE,
        &[Success { headers: TAGGED, ..success(200, "The queues", Content::Json("Queues")) }, NOT_MODIFIED],
    )
};
pub(super) const QUEUE: Details = Details {
    parameters: &[ATTRIBUTES, STATUS, HANDLES, QUEUE_TYPE, IF_NONE_MATCH, GATEWAY],
    ..plain(
        ADMINISTRATION,
        WHOSE,
        &[Success { headers: TAGGED, ..success(200, "The queue", Content::Json("Queues")) }, NOT_MODIFIED],
    )
};
pub(super) const CREATE_QUEUE: Details = Details {
    parameters: &[
        query("like", Shape::Pattern("^[A-Za-z0-9._/%]{1,48}$"), "Take what the body leaves out from this queue."),
        query("noReplace", FLAG, "Refuse when the queue exists. Without it, the queue is replaced."),
        GATEWAY,
    ],
    body: Some(Body::Json("NewQueue")),
    ..plain(
        ADMINISTRATION,
        WHO_CHANGES,
        &[Success {
            headers: &[
                ("Location", "URL of the queue."),
                ("ibm-mq-rest-gateway-qmgr", "The gateway that was used, if any."),
            ],
            ..success(201, "The queue exists", Content::Nothing)
        }],
    )
};
pub(super) const ALTER_QUEUE: Details = Details {
    parameters: &[query("force", FLAG, "Even when applications that have the queue open would feel it."), GATEWAY],
    body: Some(Body::Json("QueueChange")),
    ..plain(
        ADMINISTRATION,
        WHO_CHANGES,
        &[Success { headers: GATEWAY_USED, ..success(204, "The queue is changed", Content::Nothing) }],
    )
};
pub(super) const DELETE_QUEUE: Details = Details {
    parameters: &[
        query("purge", FLAG, "Even when there are messages on the queue."),
        query("keepAuthorityRecords", FLAG, "Leave the authority records of the queue."),
        GATEWAY,
    ],
    ..plain(
        ADMINISTRATION,
        WHO_CHANGES,
        &[Success { headers: GATEWAY_USED, ..success(204, "The queue is gone", Content::Nothing) }],
    )
};
pub(super) const CHANNELS: Details = Details {
    parameters: &[ATTRIBUTES, STATUS, CHANNEL_TYPE, NAME, FILTER, SORT, OFFSET, LIMIT, GATEWAY],
    ..plain(
        ADMINISTRATION,
        WHOSE,
        &[Success { headers: GATEWAY_USED, ..success(200, "The channels", Content::Json("Channels")) }],
    )
};
pub(super) const CHANNEL: Details = Details {
    parameters: &[ATTRIBUTES, STATUS, CHANNEL_TYPE, GATEWAY],
    ..plain(
        ADMINISTRATION,
        WHOSE,
        &[Success { headers: GATEWAY_USED, ..success(200, "The channel", Content::Json("Channels")) }],
    )
};
pub(super) const SUBSCRIPTIONS: Details = Details {
    parameters: &[
        ATTRIBUTES,
        query("id", Shape::Pattern("^[0-9A-Fa-f]{48}$"), "Only the subscription of this identifier."),
        NAME,
        FILTER,
        SORT,
        OFFSET,
        LIMIT,
        GATEWAY,
    ],
    ..plain(
        ADMINISTRATION,
        WHOSE,
        &[Success { headers: GATEWAY_USED, ..success(200, "The subscriptions", Content::Json("Subscriptions")) }],
    )
};
pub(super) const SUBSCRIPTION: Details = Details {
    parameters: &[ATTRIBUTES, GATEWAY],
    ..plain(
        ADMINISTRATION,
        WHOSE,
        &[Success { headers: GATEWAY_USED, ..success(200, "The subscription", Content::Json("Subscriptions")) }],
    )
};
