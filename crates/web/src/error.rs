//! Every HTTP error body: which identifier, status, completion code and reason an answer outside 200-299 carries.
//!
//! The only place that knows MQWB identifiers and turns a `Reason` into a status. Identifiers up to MQWB0499 are the
//! published ones; the sentences are ours. MQWB09nn are our own, for situations whose published identifier is unknown.
//! Member order is that of 9.3: msgId, action, completionCode, reasonCode, type, message, explanation. What z/OS Connect's
//! resources refuse before a service or API is asked is told in their form, whose identifiers `service::error` knows.

use std::fmt::Write;

use http::header::{self, HeaderName};
use http::{HeaderValue, StatusCode};
use identity::attempts::Locked;
use identity::role::MissingRole;
use model::reason::Reason;
use serde_json::{Value, json};
use service::error::ServiceError;

use crate::answer::{self, Answer};

const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");
/// Where the pages of problems are.
pub(crate) const PROBLEMS: &str = "/api/v1/problems/";

/// An error on its way to the client.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    entry: &'static Entry,
    status: StatusCode,
    /// MQRC_ or MQRCCF_ number.
    reason: Option<i32>,
    inserts: Vec<String>,
    /// Which of several messages it is about.
    line: Option<usize>,
    /// What to do, where more is known than the entry says; in the form of a problem only.
    hint: Option<Box<str>>,
    /// A member of its own; in the form of a problem only.
    member: Option<Box<(&'static str, Value)>>,
    /// What the answer carries beside it: `Allow`, or a cookie that is cleared.
    header: Option<Box<(HeaderName, HeaderValue)>>,
}

/// The form of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the messaging and administrative REST APIs do.
    Messaging,
    /// `errorMessage` and `errorDetails`.
    ZosConnect,
    /// RFC 9457.
    Problem,
}

impl Form {
    /// Below a path under which nothing was found.
    pub(crate) fn of_path(path: &str) -> Self {
        match path.strip_prefix("/zosConnect") {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Self::ZosConnect,
            _ if path.starts_with("/api/") || path.starts_with("/ibmmq/console") || path.starts_with("/docs") => {
                Self::Problem
            }
            _ => Self::Messaging,
        }
    }
}

/// One identifier with its sentences; `{0}` and `{1}` stand for the inserts.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) message: &'static str,
    pub(crate) explanation: &'static str,
    pub(crate) action: &'static str,
}

macro_rules! entries {
    ($($name:ident = $id:literal, $status:ident, $message:literal, $explanation:literal, $action:literal;)*) => {
        $(pub(crate) static $name: Entry = Entry {
            id: $id, status: StatusCode::$status, message: $message, explanation: $explanation, action: $action,
        };)*
        /// Every identifier this server can send.
        pub(crate) static ENTRIES: &[&Entry] = &[$(&$name,)*];
    };
}

entries! {
    QUEUE_MANAGER_PROBLEM = "MQWB0004E", INTERNAL_SERVER_ERROR,
        "The queue manager could not do what was asked of it: reason '{0}'.",
        "The queue manager is stopping, or ran into a problem of its own, while it worked on the request.",
        "Look up the reason and the log of the server, then send the request again.";
    QUEUE_MANAGER_UNKNOWN = "MQWB0009E", NOT_FOUND,
        "There is no queue manager '{0}' here.",
        "The URL, or the header ibm-mq-rest-gateway-qmgr, names a queue manager that this server does not host. Names are \
         case-sensitive.",
        "Correct the name of the queue manager.";
    OBJECT_UNKNOWN = "MQWB0037E", NOT_FOUND,
        "There is no {0} '{1}' on queue manager '{2}'.",
        "The URL, or the query parameter 'like', names an object that does not exist. Names are case-sensitive.",
        "Correct the name, or create the object first.";
    CSRF_HEADER_MISSING = "MQWB0100E", FORBIDDEN,
        "The request lacks the header '{0}'.",
        "Requests that change something must carry this header, with any value, so that other web sites cannot forge them.",
        "Send the request again with the header.";
    CSRF_HEADER_MISMATCH = "MQWB0101E", FORBIDDEN,
        "The header '{0}' does not hold the expected token.",
        "On this path the header has to repeat the content of the cookie 'csrfToken'.",
        "Get a token with GET of the login resource and send its content in the header.";
    NOT_AUTHORIZED = "MQWB0103E", FORBIDDEN,
        "User '{2}' is not authorized to {0} '{1}'.",
        "The user lacks an authority that the request needs.",
        "Use another user, or ask an administrator to grant the authority.";
    NOT_AUTHENTICATED = "MQWB0104E", UNAUTHORIZED,
        "The request to '{0}' is not authenticated.",
        "The resource is protected, and the request has no valid credentials.",
        "Log in, or send the request with HTTP basic credentials or a client certificate.";
    BASIC_FAILED = "MQWB0105E", UNAUTHORIZED,
        "HTTP basic authentication failed.",
        "The user name or the password in the Authorization header is wrong.",
        "Send valid credentials, or authenticate in another way, such as with a client certificate.";
    ROLE_MISSING = "MQWB0108E", FORBIDDEN,
        "User '{0}' is authenticated, but has none of these roles: '{1}'.",
        "The resource is open only to users with one of the roles.",
        "Use another user, or ask an administrator to grant one of the roles.";
    TOKEN_FAILED = "MQWB0112E", UNAUTHORIZED,
        "The authentication token in the cookie '{0}' could not be verified.",
        "The token is expired, damaged, logged out, or was issued by a server that shares no keys with this one.",
        "Log in to obtain a new cookie.";
    ATTRIBUTE_NOT_VALID = "MQWB0120E", BAD_REQUEST,
        "The attribute or parameter '{0}' is not valid for the requested command.",
        "The command or resource does not have it, or does not accept it in this place.",
        "Correct or leave out the attribute and send the request again.";
    DESTINATION_NOT_OPENED = "MQWB0300E", INTERNAL_SERVER_ERROR,
        "No messaging connection could be made to '{0}' on queue manager '{1}': reason '{2}'.",
        "The queue or topic does not exist, or cannot be opened in the way the request needs.",
        "Look up the reason, and correct the name in the URL or the definition of the object.";
    HEADER_NOT_VALID = "MQWB0302E", BAD_REQUEST,
        "The request header '{0}' cannot be set, because '{1}' is not a valid value: expected {2}.",
        "The header does not accept this value.",
        "Correct the value of the header and send the request again.";
    MESSAGING_FAILED = "MQWB0303E", INTERNAL_SERVER_ERROR,
        "The queue manager refused to {0} '{1}': reason '{2}'.",
        "An operation on the queue or topic ended with a reason other than success.",
        "Look up the reason, remove its cause and send the request again.";
    CHARACTER_SET = "MQWB0305E", BAD_REQUEST,
        "The character set of the request is not acceptable: '{0}'.",
        "A message text must be in UTF-8.",
        "Send the text in UTF-8, with 'charset=utf-8' or no charset in the Content-Type header.";
    MEDIA_TYPE = "MQWB0306E", UNSUPPORTED_MEDIA_TYPE,
        "The media type '{0}' is not supported for this request: expected {1}.",
        "The Content-Type header is missing, or names a type that the resource does not accept.",
        "Send the request with a supported Content-Type.";
    NOT_TEXT = "MQWB0309E", NOT_IMPLEMENTED,
        "The message '{0}' of format '{1}' is not text and cannot be returned.",
        "Only messages of format MQSTR and JMS text messages can be read by this interface. The message is still on the queue.",
        "Read the message with an application of another interface. To get the next text message instead, send the header \
         'quaymaster-unreadable: skip'.";

    UNKNOWN_RESOURCE = "MQWB0901E", NOT_FOUND,
        "There is no resource '{0}'.",
        "The path of the URL matches no resource of this server. Paths are case-sensitive.",
        "Correct the URL.";
    METHOD_NOT_ALLOWED = "MQWB0902E", METHOD_NOT_ALLOWED,
        "The resource '{1}' has no method '{0}'.",
        "The Allow header of this answer lists the methods of the resource.",
        "Use one of those methods.";
    PARAMETER_UNKNOWN = "MQWB0903E", BAD_REQUEST,
        "The query parameter '{0}' is unknown to this resource, or is given twice.",
        "Each resource accepts its documented parameters, each at most once.",
        "Correct the query part of the URL.";
    PARAMETER_NOT_VALID = "MQWB0904E", BAD_REQUEST,
        "The query parameter '{0}' has a value that is not valid: '{1}'{2}.",
        "The parameter does not accept this value.",
        "Correct the value of the parameter.";
    BODY_NOT_VALID = "MQWB0905E", BAD_REQUEST,
        "The body of the request is not valid: '{0}'.",
        "The body is not a JSON object that this resource accepts.",
        "Correct the body and send the request again.";
    BODY_TOO_LARGE = "MQWB0906E", PAYLOAD_TOO_LARGE,
        "The body of the request is longer than '{0}' bytes.",
        "The configuration of the server limits the length of bodies.",
        "Send a shorter body, or ask an administrator to raise the limit.";
    BODY_TOO_SLOW = "MQWB0907E", REQUEST_TIMEOUT,
        "The body of the request did not arrive within '{0}' seconds, or at fewer than '{1}' bytes a second.",
        "The server does not wait longer for the body of a request.",
        "Send the request again, faster, or ask an administrator to change limits.body_seconds or limits.body_bytes_per_second.";
    BODY_BROKEN_OFF = "MQWB0908E", BAD_REQUEST,
        "The body of the request ended early or was damaged.",
        "Fewer bytes arrived than were announced, or their framing is wrong.",
        "Send the request again.";
    TOO_BUSY = "MQWB0909E", SERVICE_UNAVAILABLE,
        "Too many passwords are waiting to be checked.",
        "The server limits the number of concurrent password checks.",
        "Send the request again later, or log in once and use the cookie.";
    POOL_EXHAUSTED = "MQWB0910E", SERVICE_UNAVAILABLE,
        "All '{0}' pooled connections to queue manager '{1}' are in use.",
        "The server is configured to refuse requests while its connection pool is exhausted.",
        "Send the request again later, or ask an administrator to enlarge the pool.";
    MESSAGING_DISABLED = "MQWB0911E", NOT_FOUND,
        "The messaging REST API is switched off.",
        "The configuration of this server disables the messaging resources.",
        "Ask an administrator to enable them.";
    NAME_NOT_VALID = "MQWB0912E", BAD_REQUEST,
        "'{0}' in the URL is not a valid name.",
        "Names have at most 48 characters of A-Z a-z 0-9 . / _ %, in percent-encoded UTF-8.",
        "Correct the URL.";
    NOT_CONVERTIBLE = "MQWB0913E", NOT_IMPLEMENTED,
        "The text of message '{0}' cannot be converted from its character set '{1}' to UTF-8.",
        "The character set of the message is not supported, or the text is damaged. The message is still on the queue.",
        "Read the message with an application that does not convert it.";
    COMMAND_NOT_VALID = "MQWB0914E", BAD_REQUEST,
        "'{0}' is not a command that can be sent as JSON.",
        "The command or the qualifier is unknown, or the command exists as text only.",
        "Correct the command, or send it as text with the type runCommand.";
    ATTRIBUTE_VALUE = "MQWB0915E", BAD_REQUEST,
        "The attribute '{0}' cannot have the value {1}: {2}.",
        "The value has the wrong type, or the attribute does not accept it.",
        "Correct the value and send the request again.";
    COMMAND_REFUSED = "MQWB0916E", BAD_REQUEST,
        "The queue manager refused to {0} '{1}': {2}",
        "A command made from the request has failed. Nothing was changed.",
        "Remove the cause and send the request again.";
    INSTALLATION_UNKNOWN = "MQWB0917E", NOT_FOUND,
        "There is no installation '{0}'.",
        "The name must be that of the server's installation. Names are case-sensitive.",
        "Correct the name, or leave it out.";
    OUTCOME_UNKNOWN = "MQWB0918E", SERVICE_UNAVAILABLE,
        "The connection to queue manager '{2}' broke during a request to {0} '{1}': the outcome is not known.",
        "The request was sent, and no answer came: it may have taken effect or not.",
        "Check the outcome before you send the request again, because it may have taken effect.";
    OVERLOADED = "MQWB0919E", SERVICE_UNAVAILABLE,
        "The server is at its limit '{0}'.",
        "Other requests use the capacity that this one needs. Nothing was done.",
        "Send the request again after the seconds in the header Retry-After, or ask an administrator to raise the limit.";
    HOST_HEADER = "MQWB0920E", BAD_REQUEST,
        "The request has '{0}' Host headers.",
        "An HTTP/1.1 request needs exactly one. Otherwise proxies and this server could read different hosts.",
        "Send the request with one Host header.";
    DELIVERY_UNKNOWN = "MQWB0940E", NOT_FOUND,
        "There is no delivery '{0}' of yours.",
        "The token is wrong or another user's, or the delivery ended so long ago that the server has forgotten it. After a restart \
         of the server all deliveries are over, and their messages are on their queues again unless they were completed.",
        "Receive the message again.";
    DELIVERY_IN_PROGRESS = "MQWB0941E", CONFLICT,
        "Another request settles the delivery '{0}' at this moment.",
        "Only one request settles a delivery.",
        "Send the request again to learn how the other one ended.";
    LOCK_LOST = "MQWB0942E", GONE,
        "The lock of the delivery '{0}' has run out, or its queue manager has ended.",
        "The message is on its queue again with a raised backout count, or on the backout queue, and another client may get it.",
        "Receive the message again, with a longer lock or with renewals.";
    SETTLED_OTHERWISE = "MQWB0943E", CONFLICT,
        "The delivery '{0}' was {1} before.",
        "A delivery is settled once. The same settlement may be repeated, another one may not.",
        "Settle each delivery in one way.";
    NOT_REMOTE = "MQWB0944E", NOT_IMPLEMENTED,
        "The request cannot be served for the remote queue manager '{0}'.",
        "Deliveries, transactions, keys and positions exist only for queue managers of this server.",
        "Send the request to the server of the queue manager.";
    KEY_OF_ANOTHER = "MQWB0945E", UNPROCESSABLE_ENTITY,
        "Another request had the same Idempotency-Key.",
        "A key stands for one request with its parameters, headers and body. Nothing was done.",
        "Use a new key for each new request.";
    KEY_IN_USE = "MQWB0946E", CONFLICT,
        "A request with the same Idempotency-Key is being carried out.",
        "Of two requests with one key at the same time, one is carried out.",
        "Send the request again in a moment to get the answer of the first.";
    NO_SUCH_MESSAGE = "MQWB0947E", NOT_FOUND,
        "There is no message at position '{0}' that can be shown or taken.",
        "The message was taken, has expired, or is in a unit of work or a delivery of another program.",
        "Browse the queue to see which messages are there.";
    POSITION_NOT_VALID = "MQWB0948E", BAD_REQUEST,
        "'{0}' is not the position of a message.",
        "Positions are the numbers that puts and browses answer with.",
        "Correct the URL.";
    NO_REPLY = "MQWB0949E", GATEWAY_TIMEOUT,
        "No reply to the request '{0}' came within {1} ms.",
        "The request was put, and the program that answers it has not replied in time. A reply that comes later is discarded, kept or \
         moved as the parameter 'late' says.",
        "Find out whether a program reads the queue and may put to the reply queue. Then send the request again, or wait longer.";
    JOB_UNKNOWN = "MQWB0970E", NOT_FOUND,
        "There is no job '{0}' of yours.",
        "The identifier is wrong or another user's, or the job ended so long ago that the server has forgotten it. Jobs of a queue \
         manager are known while it runs.",
        "List the jobs to see which there are.";
    SAME_QUEUE = "MQWB0971E", BAD_REQUEST,
        "The queue '{0}' is the one that the messages are on.",
        "Messages are moved to another queue. Both names lead to the same one.",
        "Name another queue in the member 'to'.";
    PUSH_UNKNOWN = "MQWB0980E", NOT_FOUND,
        "There is no push target '{0}' of yours.",
        "The name is wrong, or the target is another user's.",
        "List the push targets to see which there are.";
    PUSH_OF_ANOTHER = "MQWB0981E", CONFLICT,
        "Another user has a push target '{0}'.",
        "A name stands for one push target of a queue manager. Only its user and administrators change it.",
        "Choose another name.";
    PUSH_NOT_KEPT = "MQWB0982E", INTERNAL_SERVER_ERROR,
        "The push target '{0}' could not be changed.",
        "The file of push targets cannot be written. Nothing was changed. The log of the server has the cause.",
        "Ask an administrator to look at the data directory of the server, then send the request again.";
    PUSH_NAME = "MQWB0983E", BAD_REQUEST,
        "'{0}' cannot be the name of a push target.",
        "Names of push targets have at most 48 characters of A-Z a-z 0-9 . _ -",
        "Correct the URL.";
    FAULT_UNKNOWN = "MQWB0984E", NOT_FOUND,
        "There is no rule of faults '{0}'.",
        "The rule was deleted, or never made.",
        "List the rules to see which there are.";
    SNAPSHOT_UNKNOWN = "MQWB0987E", NOT_FOUND,
        "There is no snapshot '{0}'.",
        "The snapshot was deleted, or never taken.",
        "List the snapshots to see which there are.";
    SNAPSHOT_REFUSED = "MQWB0988E", CONFLICT,
        "The snapshot cannot be taken or restored: {0}.",
        "Snapshots are of queue managers in memory in which no unit of work and no delivery is open.",
        "Remove the cause and send the request again.";
    SERVER_STOPS = "MQWB0985E", SERVICE_UNAVAILABLE,
        "The server stops.",
        "Streams end with the server.",
        "Open the stream again when the server runs.";
    CREDENTIALS_OVER = "MQWB0986E", UNAUTHORIZED,
        "The credentials of the stream are not accepted.",
        "They have expired or were revoked since the stream began, or their user has lost the role.",
        "Open the stream again with credentials that count.";
    NO_HISTORY = "MQWB0990E", NOT_FOUND,
        "This server keeps no history.",
        "The configuration key console.history_bytes is 0.",
        "Ask an administrator to set console.history_bytes.";
    STREAM_UNKNOWN = "MQWB0991E", NOT_FOUND,
        "There is no stream '{0}' of yours.",
        "The identifier is wrong or another user's, or the stream has had no connection for a minute. A restart of the server ends all \
         streams.",
        "Open a stream. Its first event has the identifier.";
    PROBLEM_UNKNOWN = "MQWB0993E", NOT_FOUND,
        "There is no problem '{0}' that you may see.",
        "The problem has ended, its identifier is wrong, or it is about an object that you may not display.",
        "List the problems to see which there are.";
    NO_GROUP = "MQWB0961E", NOT_FOUND,
        "The queue manager '{0}' is in no queue-sharing group.",
        "The configuration of its server names no group, or another of its queue managers is the member.",
        "Look at `group.name` in the configuration. The first queue manager of a server is the member.";
    NO_UNDO = "MQWB0973E", CONFLICT,
        "The job '{0}' cannot be undone: {1}.",
        "An undo puts back the messages that a move or a replay has put, or removes copies. The server keeps in mind which ones these \
         are while the queue manager runs.",
        "Move the messages with another job.";
    NO_SUCH_COPYBOOK = "MQWB0972E", NOT_FOUND,
        "There is no copybook '{0}'.",
        "Copybooks are those of deployed services, as SERVICE/request and SERVICE/response, and the files of the folder copybooks.",
        "List the copybooks to see which there are.";
    USERS_UNAVAILABLE = "MQWB0930E", SERVICE_UNAVAILABLE,
        "The directory of users does not answer.",
        "The credentials could not be checked. They were neither accepted nor refused.",
        "Send the request again later. The log of the server has the cause.";
    LOCKED = "MQWB0931E", TOO_MANY_REQUESTS,
        "Wrong passwords were sent before this one, which was not checked. The next one may be sent in {0} seconds.",
        "Each wrong password doubles the wait of that user at that address. Other addresses do not wait.",
        "Send the request again after the number of seconds that the Retry-After header of this answer names.";
    BEARER_FAILED = "MQWB0932E", UNAUTHORIZED,
        "The bearer token in the Authorization header is not accepted.",
        "The token is expired, damaged, for another audience, or of an issuer that is not configured. The log of the server has \
         the reason.",
        "Get a new token from the issuer and send the request again.";
    API_KEY_FAILED = "MQWB0933E", UNAUTHORIZED,
        "The API key is not accepted.",
        "There is no such key: it is wrong, expired or revoked.",
        "Send a valid key, or ask an administrator to create one.";
    ISSUER_UNAVAILABLE = "MQWB0934E", SERVICE_UNAVAILABLE,
        "The issuer of the bearer token does not answer.",
        "The key that the token was signed with is not known here, and the issuer could not be asked for it. The token was neither \
         accepted nor refused.",
        "Send the request again later. The log of the server has the cause.";
    API_KEY_RESOURCE = "MQWB0935E", FORBIDDEN,
        "An API key does not open the resource '{0}'.",
        "API keys are for messaging resources: to put, get, browse and publish messages.",
        "Sign in as a user with the role that the resource needs.";
    SCOPE_MISSING = "MQWB0936E", FORBIDDEN,
        "The API key does not allow its sender to {0} '{1}'.",
        "The key was created for other operations, or for other queues or topics.",
        "Use another key, or ask an administrator to create one.";
    FOREIGN_ORIGIN = "MQWB0937E", FORBIDDEN,
        "The request comes from a page of another origin.",
        "Credentials that a browser sends by itself count only for pages of this server and of the origins in \
         cors.allowed_origins.",
        "Send the request from an allowed origin, or with a bearer token or an API key.";
}

/// What a messaging request was about to do, for the sentences and for the choice of an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    PutTo,
    GetFrom,
    BrowseFrom,
    PublishTo,
    SubscribeTo,
}

impl Verb {
    fn words(self) -> &'static str {
        match self {
            Self::PutTo => "put to",
            Self::GetFrom => "get from",
            Self::BrowseFrom => "browse from",
            Self::PublishTo => "publish to",
            Self::SubscribeTo => "subscribe to",
        }
    }
}

impl ApiError {
    /// Long inserts are cut: a request cannot make its refusal long.
    pub(crate) fn new(entry: &'static Entry, inserts: &[&str]) -> Self {
        let inserts = inserts.iter().map(|&insert| shortened(insert)).collect();
        Self { entry, status: entry.status, reason: None, inserts, line: None, hint: None, member: None, header: None }
    }

    /// A limit of the server is reached; the client may try again soon.
    pub(crate) fn overloaded(limit: &str) -> Self {
        Self::new(&OVERLOADED, &[limit]).with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// `expected` says what the header accepts.
    pub(crate) fn header(name: &str, value: &str, expected: &str) -> Self {
        Self::new(&HEADER_NOT_VALID, &[name, value, expected])
    }

    pub(crate) fn parameter(name: &str, value: &str) -> Self {
        Self::new(&PARAMETER_NOT_VALID, &[name, value, ""])
    }

    /// `expected` says what the parameter accepts.
    pub(crate) fn parameter_expected(name: &str, value: &str, expected: &str) -> Self {
        Self::new(&PARAMETER_NOT_VALID, &[name, value, &format!("; expected {expected}")])
    }

    pub(crate) fn role(missing: &MissingRole) -> Self {
        let roles: Vec<_> = missing.required.names().collect();
        Self::new(&ROLE_MISSING, &[&missing.name, &roles.join(", ")])
    }

    pub(crate) fn locked(locked: Locked) -> Self {
        let seconds = locked.seconds();
        Self::new(&LOCKED, &[&seconds.to_string()]).with_header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// The bearer token that was sent is not accepted.
    pub(crate) fn bearer() -> Self {
        let how = HeaderValue::from_static("Bearer error=\"invalid_token\"");
        Self::new(&BEARER_FAILED, &[]).with_header(header::WWW_AUTHENTICATE, how)
    }

    /// The API key that was sent is not accepted.
    pub(crate) fn api_key() -> Self {
        let how = HeaderValue::from_static("Bearer error=\"invalid_token\"");
        Self::new(&API_KEY_FAILED, &[]).with_header(header::WWW_AUTHENTICATE, how)
    }

    /// What an API key is not for.
    pub(crate) fn scope(verb: Verb, object: &str) -> Self {
        Self::new(&SCOPE_MISSING, &[verb.words(), object])
    }

    pub(crate) fn method(method: &str, path: &str, allow: HeaderValue) -> Self {
        Self::new(&METHOD_NOT_ALLOWED, &[method, path]).with_header(header::ALLOW, allow)
    }

    pub(crate) fn queue_manager_unknown(name: &str) -> Self {
        Self { reason: Some(Reason::QMgrNameError.number()), ..Self::new(&QUEUE_MANAGER_UNKNOWN, &[name]) }
    }

    /// Connecting to a queue manager failed.
    pub(crate) fn connect(reason: Reason) -> Self {
        let entry = &QUEUE_MANAGER_PROBLEM;
        Self { status: status(reason), reason: Some(reason.number()), ..Self::new(entry, &[&reason.to_string()]) }
    }

    /// A verb on `object` of `queue_manager` failed.
    pub(crate) fn verb(verb: Verb, object: &str, queue_manager: &str, user: &str, reason: Reason) -> Self {
        let text = reason.to_string();
        let error = match reason {
            Reason::NotAuthorized => Self::new(&NOT_AUTHORIZED, &[verb.words(), object, user]),
            _ if status(reason) == StatusCode::SERVICE_UNAVAILABLE => Self::new(&QUEUE_MANAGER_PROBLEM, &[&text]),
            _ if is_about_opening(reason) => Self::new(&DESTINATION_NOT_OPENED, &[object, queue_manager, &text]),
            _ => Self::new(&MESSAGING_FAILED, &[verb.words(), object, &text]),
        };
        Self { status: status(reason), reason: Some(reason.number()), ..error }
    }

    /// A verb was sent, and its answer never came.
    pub(crate) fn unknown_outcome(verb: Verb, object: &str, queue_manager: &str, reason: Reason) -> Self {
        let error = Self::new(&OUTCOME_UNKNOWN, &[verb.words(), object, queue_manager]);
        Self { reason: Some(reason.number()), ..error }
    }

    /// An object that the URL names is not there.
    pub(crate) fn object_unknown(what: &str, name: &str, queue_manager: &str) -> Self {
        let reason = Some(Reason::UnknownObjectName.number());
        Self { reason, ..Self::new(&OBJECT_UNKNOWN, &[what, name, queue_manager]) }
    }

    /// `user` may not do `verb` with `object`.
    pub(crate) fn not_authorized(verb: &str, object: &str, user: &str) -> Self {
        Self { reason: Some(Reason::NotAuthorized.number()), ..Self::new(&NOT_AUTHORIZED, &[verb, object, user]) }
    }

    pub(crate) fn attribute_unknown(name: &str) -> Self {
        Self::new(&ATTRIBUTE_NOT_VALID, &[name])
    }

    pub(crate) fn attribute_value(name: &str, value: &str, problem: &str) -> Self {
        Self::new(&ATTRIBUTE_VALUE, &[name, value, problem])
    }

    /// A command ended with `reason`; `said` is what it told people, its message identifier first.
    ///
    /// Reasons that lie in the request or in the state of the object are 400; those of the queue manager keep theirs.
    pub(crate) fn command(verb: &str, object: &str, reason: i32, said: &str) -> Self {
        let error = Self::new(&COMMAND_REFUSED, &[verb, object, said]);
        let status = match Reason::from_number(reason).map(status) {
            Some(StatusCode::SERVICE_UNAVAILABLE) => StatusCode::SERVICE_UNAVAILABLE,
            _ if reason == Reason::ResourceProblem.number() => StatusCode::INTERNAL_SERVER_ERROR,
            _ => error.status,
        };
        Self { status, reason: Some(reason), ..error }
    }

    pub(crate) fn with_header(self, name: HeaderName, value: HeaderValue) -> Self {
        Self { header: Some(Box::new((name, value))), ..self }
    }

    /// The queue manager refused it with 2035.
    pub(crate) fn is_not_authorized(&self) -> bool {
        self.reason == Some(Reason::NotAuthorized.number())
    }

    /// The object that it is about, of an error with reason 2035.
    pub(crate) fn object(&self) -> &str {
        self.inserts.get(1).map_or("", String::as_str)
    }

    pub(crate) fn with_hint(self, hint: String) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn with_member(self, name: &'static str, value: Value) -> Self {
        Self { member: Some(Box::new((name, value))), ..self }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn into_answer(self, form: Form) -> Answer {
        let mut answer = match form {
            Form::Messaging => answer::json(self.status, self.body()),
            Form::ZosConnect => answer::json(self.status, self.as_service_error().body()),
            Form::Problem => {
                let body = self.as_problem().to_string().into();
                answer::of_service(self.status, Some(PROBLEM), body)
            }
        };
        if let Some(header) = self.header {
            let (name, value) = *header;
            answer.headers_mut().insert(name, value);
        }
        answer
    }

    /// As a member of a list whose other members may have succeeded; its number counts from 1.
    pub(crate) fn in_line(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }

    /// The object of RFC 9457.
    pub(crate) fn as_problem(&self) -> Value {
        let mut problem = json!({
            "type": format!("{PROBLEMS}{}", self.entry.id),
            "title": self.entry.explanation,
            "status": self.status.as_u16(),
            "detail": self.with_inserts(self.entry.message),
            "hint": self.hint.as_deref().unwrap_or(self.entry.action),
        });
        if let Some(number) = self.reason {
            let name = Reason::from_number(number).map(Reason::name);
            problem["reason"] = json!({ "code": number, "name": name });
        }
        if let Some(line) = self.line {
            problem["line"] = json!(line);
        }
        if let Some((name, value)) = self.member.as_deref() {
            problem[*name] = value.clone();
        }
        problem
    }

    fn as_service_error(&self) -> ServiceError {
        let insert = |index: usize| self.inserts.get(index).map_or("", String::as_str);
        let is = |entry: &Entry| entry.id == self.entry.id;
        let error = if is(&ROLE_MISSING) {
            ServiceError::not_authorized(insert(0))
        } else if is(&UNKNOWN_RESOURCE) {
            ServiceError::not_found(insert(0))
        } else if is(&METHOD_NOT_ALLOWED) {
            ServiceError::method(insert(0), insert(1))
        } else {
            ServiceError::before_service(self.status.as_u16(), &self.with_inserts(self.entry.message))
        };
        error.with_details(self.entry.action)
    }

    fn body(&self) -> String {
        let (completion, number) = match self.reason {
            Some(reason) => (2, reason),
            None => (0, 0),
        };
        let kind = if self.reason.is_some() { "pcf" } else { "rest" };
        let mut body = String::with_capacity(512);
        body.push_str("{\"error\": [{\n");
        text_member(&mut body, "msgId", self.entry.id);
        text_member(&mut body, "action", self.entry.action);
        let _ = writeln!(body, "  \"completionCode\": {completion},\n  \"reasonCode\": {number},");
        text_member(&mut body, "type", kind);
        text_member(&mut body, "message", &format!("{}: {}", self.entry.id, self.with_inserts(self.entry.message)));
        text_member(&mut body, "explanation", self.entry.explanation);
        body.truncate(body.len() - ",\n".len());
        body.push_str("\n}]}");
        body
    }

    fn with_inserts(&self, sentence: &str) -> String {
        let mut text = String::with_capacity(sentence.len() + 32);
        let mut rest = sentence;
        while let Some(start) = rest.find('{') {
            text.push_str(&rest[..start]);
            let index = usize::from(rest.as_bytes()[start + 1] - b'0');
            text.push_str(self.inserts.get(index).map_or("", String::as_str));
            rest = &rest[start + "{0}".len()..];
        }
        text.push_str(rest);
        text
    }
}

/// The longest insert of a sentence, in characters.
const LONGEST_INSERT: usize = 512;

fn shortened(insert: &str) -> String {
    match insert.char_indices().nth(LONGEST_INSERT) {
        Some((end, _)) => format!("{}…", &insert[..end]),
        None => insert.to_owned(),
    }
}

fn text_member(body: &mut String, name: &str, value: &str) {
    let quoted = Value::from(value);
    let _ = writeln!(body, "  \"{name}\": {quoted},");
}

/// HTTP status of a reason. Where the reference leaves room: sizes are the client's fault (400), a full queue is not.
pub(crate) fn status(reason: Reason) -> StatusCode {
    match reason {
        Reason::NotAuthorized => StatusCode::FORBIDDEN,
        Reason::UnknownObjectName
        | Reason::UnknownAliasBaseQ
        | Reason::UnknownObjectQMgr
        | Reason::UnknownRemoteQMgr
        | Reason::UnknownXmitQ
        | Reason::QMgrNameError => StatusCode::NOT_FOUND,
        Reason::GetInhibited | Reason::PutInhibited | Reason::SubInhibited => StatusCode::METHOD_NOT_ALLOWED,
        Reason::IdentityMismatch | Reason::DurabilityNotAllowed => StatusCode::FORBIDDEN,
        Reason::SubscriptionInUse
        | Reason::TopicNotAlterable
        | Reason::SelectorNotAlterable
        | Reason::DestClassNotAlterable
        | Reason::GroupingNotAlterable
        | Reason::DurabilityNotAlterable => StatusCode::CONFLICT,
        Reason::TopicStringError | Reason::SubNameError => StatusCode::BAD_REQUEST,
        Reason::MsgTooBigForQ
        | Reason::MsgTooBigForQMgr
        | Reason::SelectorSyntaxError
        | Reason::SelectorInvalidForType
        | Reason::SelectionStringError => StatusCode::BAD_REQUEST,
        Reason::ConnectionBroken
        | Reason::NotConnected
        | Reason::QMgrNotAvailable
        | Reason::QMgrQuiescing
        | Reason::QMgrStopping
        | Reason::ConnectionQuiescing
        | Reason::ConnectionStopping
        | Reason::HostNotAvailable
        | Reason::ChannelNotAvailable
        | Reason::StandbyQMgr
        | Reason::MaxConnsLimitReached => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn is_about_opening(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::UnknownObjectName
            | Reason::UnknownAliasBaseQ
            | Reason::UnknownObjectQMgr
            | Reason::UnknownRemoteQMgr
            | Reason::UnknownXmitQ
            | Reason::AliasBaseQTypeError
            | Reason::ObjectTypeError
            | Reason::OptionNotValidForType
            | Reason::ObjectInUse
            | Reason::ObjectDamaged
            | Reason::XmitQTypeError
            | Reason::XmitQUsageError
            | Reason::DefXmitQTypeError
            | Reason::DefXmitQUsageError
            | Reason::HandleNotAvailable
    )
}

#[cfg(test)]
mod tests;
