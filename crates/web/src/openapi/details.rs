//! What the documents say of each handler beyond its row in the route table.

use crate::openapi::{admin, console, message_api, messaging, zosconnect};
use crate::routes::{Handler, PublicHandler};

/// Groups of operations, in the order the explorer shows them.
pub(super) const TAGS: &[(&str, &str)] = &[
    (ADMINISTRATION, "Queue managers, their objects, and MQSC commands."),
    (MESSAGING, "Put, get, browse, list and publish messages."),
    (MESSAGE_API, "Messages with locks, transactions, jobs, keys and cursors: this server's own API."),
    (CONSOLE, "The console's page, and what it asks the server for beside messages."),
    (SERVICES, "Services in front of queues, APIs in front of services, and APIs that programs call."),
    (SIGN_IN, "Log in for a token cookie, see who is logged in, log out."),
    (OPERATION, "Health and metrics of the process."),
    (DOCUMENTS, "Descriptions of these resources."),
];

pub(super) const ADMINISTRATION: &str = "administration";
pub(super) const MESSAGING: &str = "messaging";
pub(super) const MESSAGE_API: &str = "message-api";
pub(super) const CONSOLE: &str = "console";
pub(super) const SERVICES: &str = "services";
pub(super) const SIGN_IN: &str = "sign-in";
pub(super) const OPERATION: &str = "operation";
pub(super) const DOCUMENTS: &str = "documents";

/// One handler.
#[derive(Clone, Copy)]
pub(super) struct Details {
    pub(super) tag: &'static str,
    /// What the summary leaves out; may be empty.
    pub(super) description: &'static str,
    /// Beside those of the path and the CSRF header.
    pub(super) parameters: &'static [Parameter],
    pub(super) body: Option<Body>,
    /// Answers that are no error.
    pub(super) answers: &'static [Success],
    /// Not a resource of the product whose interface this follows.
    pub(super) extension: bool,
}

/// A parameter of the query or a header of the request.
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) place: Place,
    pub(super) shape: Shape,
    pub(super) help: &'static str,
    pub(super) extension: bool,
    pub(super) is_required: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Query,
    Header,
}

impl Place {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum Shape {
    Text,
    /// A text that follows this regular expression.
    Pattern(&'static str),
    /// From the first to the second, both included.
    Number(i64, i64),
    Words(&'static [&'static str]),
}

#[derive(Clone, Copy)]
pub(super) enum Body {
    /// The text of a message, in any of the media types a message may have.
    Message,
    /// A message of any media type, an envelope or lines.
    AnyMessage,
    /// JSON of a component schema.
    Json(&'static str),
    /// The same, or nothing.
    OptionalJson(&'static str),
    /// An archive; with `true` there may be none.
    Archive { is_optional: bool },
    /// The record of a program.
    Record,
}

/// What an answer carries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Nothing,
    /// The text of a message.
    Message,
    /// A text of this media type.
    Text(&'static str),
    /// JSON of a component schema.
    Json(&'static str),
    /// Any JSON object.
    AnyJson,
    /// Data of any media type.
    Any,
    /// The same document as JSON or as YAML.
    JsonOrYaml,
    /// The record of a program.
    Record,
}

#[derive(Clone, Copy)]
pub(super) struct Success {
    pub(super) status: u16,
    pub(super) help: &'static str,
    pub(super) content: Content,
    /// Headers of the answer and what they say.
    pub(super) headers: &'static [(&'static str, &'static str)],
}

pub(super) const fn query(name: &'static str, shape: Shape, help: &'static str) -> Parameter {
    Parameter { name, place: Place::Query, shape, help, extension: false, is_required: false }
}

pub(super) const fn header(name: &'static str, shape: Shape, help: &'static str) -> Parameter {
    Parameter { name, place: Place::Header, shape, help, extension: false, is_required: false }
}

pub(super) const fn success(status: u16, help: &'static str, content: Content) -> Success {
    Success { status, help, content, headers: &[] }
}

/// No parameters, no body.
pub(super) const fn plain(tag: &'static str, description: &'static str, answers: &'static [Success]) -> Details {
    Details { tag, description, parameters: &[], body: None, answers, extension: false }
}

pub(super) fn details(handler: Handler) -> Details {
    match handler {
        Handler::Public(handler) => of_public(handler),
        Handler::ZosConnect(handler) => zosconnect::details(handler),
        Handler::Api(handler) => message_api::details(handler),
        Handler::Console(handler) => console::details(handler),
        Handler::PutMessage => messaging::PUT,
        Handler::GetMessage => messaging::GET,
        Handler::BrowseMessage => messaging::BROWSE,
        Handler::ListMessages => messaging::LIST,
        Handler::PublishMessage => messaging::PUBLISH,
        Handler::RunMqsc => admin::MQSC,
        Handler::ShowInstallation => admin::INSTALLATION,
        Handler::ListQueueManagers => admin::QUEUE_MANAGERS,
        Handler::ShowQueueManager => admin::QUEUE_MANAGER,
        Handler::DumpDefinitions => admin::DEFINITIONS,
        Handler::ListQueues => admin::QUEUES,
        Handler::ShowQueue => admin::QUEUE,
        Handler::CreateQueue => admin::CREATE_QUEUE,
        Handler::AlterQueue => admin::ALTER_QUEUE,
        Handler::DeleteQueue => admin::DELETE_QUEUE,
        Handler::ListChannels => admin::CHANNELS,
        Handler::ShowChannel => admin::CHANNEL,
        Handler::ListSubscriptions => admin::SUBSCRIPTIONS,
        Handler::ShowSubscription => admin::SUBSCRIPTION,
        Handler::ShowLogin => SHOW_LOGIN,
        Handler::Logout => LOGOUT,
    }
}

fn of_public(handler: PublicHandler) -> Details {
    match handler {
        PublicHandler::Login => LOGIN,
        PublicHandler::Live => LIVE,
        PublicHandler::Ready => READY,
        PublicHandler::Metrics => METRICS,
        PublicHandler::OpenApi => OPEN_API,
        PublicHandler::Docs => DOCS,
        PublicHandler::Explorer => Details { extension: false, ..ROOT },
        PublicHandler::Root => ROOT,
        PublicHandler::ConsolePage => console::PAGE,
        PublicHandler::ConsoleAsset => console::ASSET,
        PublicHandler::ConsoleSignIn => console::SIGN_IN,
        PublicHandler::Book => console::BOOK,
        PublicHandler::BeginSignIn => console::BEGIN_SIGN_IN,
        PublicHandler::FinishSignIn => console::FINISH_SIGN_IN,
        PublicHandler::ZosConnectDocs => zosconnect::DOCS,
        PublicHandler::Problem => message_api::PROBLEM,
        PublicHandler::ApiDocument => INVOKE,
    }
}

pub(super) const INVOKE: Details = plain(
    MESSAGING,
    "Request and answer are those of the service.",
    &[
        success(200, "The answer of the service.", Content::AnyJson),
        success(204, "There was no message within the wait.", Content::Nothing),
    ],
);

const COOKIE: &[(&str, &str)] = &[("Set-Cookie", "The token cookie.")];

const LOGIN: Details = Details {
    body: Some(Body::Json("Login")),
    ..plain(
        SIGN_IN,
        "The cookie replaces user and password in later requests, until it expires or is revoked.",
        &[Success { headers: COOKIE, ..success(204, "Logged in", Content::Nothing) }],
    )
};
const SHOW_LOGIN: Details = plain(SIGN_IN, "", &[success(200, "User and roles", Content::Json("LoggedIn"))]);
const LOGOUT: Details = plain(
    SIGN_IN,
    "",
    &[Success { headers: COOKIE, ..success(204, "Logged out; the cookie is cleared", Content::Nothing) }],
);
const LIVE: Details = Details {
    extension: true,
    ..plain(OPERATION, "", &[success(200, "The process works", Content::Text("text/plain"))])
};
const READY: Details = Details {
    extension: true,
    parameters: &[query("qmgr", Shape::Text, "Whether this queue manager takes work. Without it: whether any does.")],
    ..plain(
        OPERATION,
        "",
        &[
            success(200, "Requests are served", Content::Text("text/plain")),
            success(503, "Not yet, or no more", Content::Text("text/plain")),
        ],
    )
};
const METRICS: Details =
    Details { extension: true, ..plain(OPERATION, "", &[success(200, "Metrics", Content::Text("text/plain"))]) };
const OPEN_API: Details =
    Details { extension: true, ..plain(DOCUMENTS, "", &[success(200, "The document", Content::AnyJson)]) };
const DOCS: Details = Details {
    parameters: &[
        query(
            "root",
            Shape::Pattern("^/"),
            "Only resources below this path, which is the base path: `/ibmmq/rest/v2`.",
        ),
        query("compact", Shape::Words(&["true", "false"]), "Without line breaks and indentation."),
    ],
    ..plain(
        DOCUMENTS,
        "Send `Accept: application/yaml` for YAML.",
        &[success(200, "The document", Content::JsonOrYaml)],
    )
};
const ROOT: Details = Details {
    extension: true,
    ..plain(
        DOCUMENTS,
        "",
        &[Success {
            headers: &[("Location", "Where to go on.")],
            ..success(302, "See the page it leads to", Content::Nothing)
        }],
    )
};
