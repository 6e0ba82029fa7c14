//! The administrative resources, as the documents describe them.

use crate::openapi::details::{
    ADMINISTRATION, Body, Content, Details, Parameter, Shape, Success, header, plain, success,
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
        &[Success { headers: GATEWAY_USED, ..success(200, "What the command came to", Content::Json("MqscReply")) }],
    )
};
