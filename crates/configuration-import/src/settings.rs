//! Ports, messaging, CORS and the other named properties of a configuration (`setmqweb properties -k NAME`).

use document::xml::Element;
use web::options::{Console, FullPoolBehavior};

use super::Imported;
use super::elements::{Server, is_true};
use super::variables::Variables;
use super::{requester, zosconnect};

pub(super) fn read(server: &Server, variables: &Variables<'_>, imported: &mut Imported) {
    let mut endpoint = Endpoint::default();
    for element in server.named("httpEndpoint") {
        endpoint.read(element, imported);
    }
    for name in variables.names() {
        let value = variables.value(name).unwrap_or_default();
        if !endpoint.read_variable(name, &value) && !read_variable(name, &value, imported) && !variables.is_used(name) {
            let known = IGNORED_VARIABLES.iter().find(|(known, _)| *known == name);
            imported.leave_out(format!("variable {name}"), known.map_or("nothing here reads it", |(_, why)| why));
        }
    }
    endpoint.write(imported);
    for element in server.named("cors") {
        cors(element, imported);
    }
    let is_read = |name: &str| {
        READ_ELEMENTS.contains(&name)
            || zosconnect::reads(name)
            || requester::reads(name)
            || name.ends_with("LdapFilterProperties")
    };
    for element in server.elements().filter(|element| !is_read(&element.name)) {
        let id = element.attribute("id").map(|id| format!(" {id}")).unwrap_or_default();
        imported.leave_out(format!("{}{id}", element.name), "it has no counterpart");
    }
}

/// Elements that this file or `security.rs` reads, or that mean nothing without Liberty.
const READ_ELEMENTS: [&str; 18] = [
    "basicRegistry",
    "customRegistry",
    "cors",
    "enterpriseApplication",
    "featureManager",
    "federatedRepository",
    "httpEndpoint",
    "keyStore",
    "ldapRegistry",
    "ltpa",
    "quickStartSecurity",
    "safAuthorization",
    "safCredentials",
    "safRegistry",
    "safRoleMapper",
    "ssl",
    "sslDefault",
    "webAppSecurity",
];

/// Published properties without a counterpart, and why.
const IGNORED_VARIABLES: [(&str, &str); 22] = [
    ("managementMode", "queue managers are created and deleted by the quaymaster command"),
    ("maxTraceFileSize", LOGS),
    ("maxTraceFiles", LOGS),
    ("mqConsoleAutostart", "the console starts with the server"),
    ("mqConsoleEnableUnsafeInline", CONSOLE),
    ("mqConsoleMaxMsgCharsToDisplay", CONSOLE),
    ("mqConsoleMaxMsgRequestSize", CONSOLE),
    ("mqConsoleMaxMsgsPerRequest", CONSOLE),
    ("mqConsoleRemoteAllowLocal", CONSOLE),
    ("mqConsoleRemotePollTime", CONSOLE),
    ("mqConsoleRemoteSupportEnabled", CONSOLE),
    ("mqConsoleRemoteUIAdmin", CONSOLE),
    ("mqRestAutostart", "REST starts with the server"),
    ("mqRestCsrfExpirationInMinutes", "the token of the 9.0.x rule does not expire"),
    ("mqRestGatewayEnabled", GATEWAY),
    ("mqRestGatewayQmgr", GATEWAY),
    ("mqRestMftCommandQmgr", MFT),
    ("mqRestMftCoordinationQmgr", MFT),
    ("mqRestMftEnabled", MFT),
    ("mqRestMftReconnectTimeoutInMinutes", MFT),
    ("mqRestRequestTimeout", "requests to queue managers of the same process do not time out"),
    ("traceSpec", LOGS),
];

const LOGS: &str = "logs go to standard error; server.log_level sets how much";
const CONSOLE: &str = "the console has no such setting";
const GATEWAY: &str = "there is no administrative gateway";
const MFT: &str = "there is no managed file transfer";

/// Applies one variable; `false` when it is not one of those with a counterpart.
fn read_variable(name: &str, value: &str, imported: &mut Imported) -> bool {
    let value = value.trim();
    match name {
        "ltpaExpiration" => match value.parse::<u32>().ok().filter(|&minutes| minutes > 0) {
            Some(minutes) => imported.ltpa.expiration = minutes.into(),
            None => imported.leave_out("variable ltpaExpiration", "it is not a number of minutes from 1 on"),
        },
        "ltpaCookieName" if value.contains("${") => {
            imported.leave_out(
                "variable ltpaCookieName",
                "its random ending is not known; ltpa.cookie_name sets a fixed name",
            );
        }
        "ltpaCookieName" => imported.ltpa.cookie_name = value.to_owned(),
        "mqRestMessagingEnabled" => imported.messaging.enabled = is_true(Some(value)),
        "mqRestMessagingMaxPoolSize" => match value.parse::<u32>().map(usize::try_from) {
            Ok(Ok(connections)) => imported.messaging.max_pool_size = connections,
            _ => imported.leave_out("variable mqRestMessagingMaxPoolSize", "it is not a number of connections"),
        },
        "mqRestMessagingFullPoolBehavior" => match full_pool_behavior(value) {
            Some(behavior) => imported.messaging.full_pool_behavior = behavior,
            None => {
                imported.leave_out("variable mqRestMessagingFullPoolBehavior", "it is not block, error or overflow");
            }
        },
        "mqRestMessagingAdoptWebUserContext" => imported.messaging.adopt_web_user_context = is_true(Some(value)),
        "mqRestCsrfValidation" => imported.web.csrf_validation.0 = is_true(Some(value)),
        "mqRestCorsAllowedOrigins" => imported.cors.allowed_origins = list(value),
        "mqRestCorsMaxAgeInSeconds" => match value.parse::<u32>() {
            Ok(seconds) => imported.cors.max_age_seconds = seconds.into(),
            Err(_) => imported.leave_out("variable mqRestCorsMaxAgeInSeconds", "it is not a number of seconds"),
        },
        "mqConsoleFrameAncestors" => {
            let console = Console { frame_ancestors: list(value), ..imported.console.clone() };
            match console.check() {
                Ok(()) => imported.console = console,
                Err(_) => imported.leave_out(
                    "variable mqConsoleFrameAncestors",
                    "it is not a list of origins such as https://portal.example",
                ),
            }
        }
        "wlp.password.encryption.key" => imported.web.password_encryption_key = Some(value.to_owned()),
        _ if name.eq_ignore_ascii_case("secureLtpa") => imported.ltpa.secure = is_true(Some(value)),
        _ => return false,
    }
    true
}

fn full_pool_behavior(value: &str) -> Option<FullPoolBehavior> {
    match value.to_ascii_lowercase().as_str() {
        "block" => Some(FullPoolBehavior::Block),
        "error" => Some(FullPoolBehavior::Error),
        "overflow" => Some(FullPoolBehavior::Overflow),
        _ => None,
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Host and ports, from variables and from an `httpEndpoint`; -1 is off.
#[derive(Default)]
struct Endpoint {
    host: Option<String>,
    https: Option<String>,
    http: Option<String>,
}

impl Endpoint {
    fn read(&mut self, element: &Element, imported: &mut Imported) {
        for (name, value) in &element.attributes {
            match name.as_str() {
                "host" => self.host = Some(value.clone()),
                "httpsPort" => self.https = Some(value.clone()),
                "httpPort" => self.http = Some(value.clone()),
                "id" => {}
                "enabled" if is_true(Some(value)) => {}
                _ => imported.leave_out(format!("httpEndpoint {name}"), "it has no counterpart"),
            }
        }
    }

    /// Variables win over an endpoint that does not refer to them.
    fn read_variable(&mut self, name: &str, value: &str) -> bool {
        let field = match name {
            "httpHost" => &mut self.host,
            "httpsPort" => &mut self.https,
            "httpPort" => &mut self.http,
            _ => return false,
        };
        *field = Some(value.to_owned());
        true
    }

    fn write(self, imported: &mut Imported) {
        let host = self.host.as_deref().map(str::trim);
        imported.https = listen(host, self.https.as_deref(), 9443, "httpsPort", imported);
        // MQ leaves plain HTTP off unless a port is given.
        imported.http = match &self.http {
            None => None,
            given => listen(host, given.as_deref(), 9080, "httpPort", imported),
        };
    }
}

/// `HOST:PORT`, `off`, or nothing when neither host nor port is given.
fn listen(
    host: Option<&str>,
    port: Option<&str>,
    default_port: u16,
    name: &str,
    imported: &mut Imported,
) -> Option<String> {
    if host.is_none() && port.is_none() {
        return None;
    }
    let port = match port.map(|port| port.trim().parse::<i32>()) {
        None => default_port,
        Some(Ok(-1)) => return Some("off".to_owned()),
        Some(port) => match port.ok().and_then(|port| u16::try_from(port).ok()) {
            Some(port) => port,
            None => {
                imported.leave_out(name, "it is not a port");
                return None;
            }
        },
    };
    let host = match host.unwrap_or("localhost") {
        "*" => "0.0.0.0".to_owned(),
        // What a browser calls localhost is the loopback address; a name might resolve to another one first.
        "localhost" => "127.0.0.1".to_owned(),
        address if address.contains(':') && !address.starts_with('[') => format!("[{address}]"),
        address => address.to_owned(),
    };
    Some(format!("{host}:{port}"))
}

/// A `cors` element of Liberty counts when it is about the REST API.
fn cors(element: &Element, imported: &mut Imported) {
    let domain = element.attribute("domain").unwrap_or_default();
    if !domain.starts_with("/ibmmq") && domain != "/" {
        imported.leave_out(format!("cors {domain}"), "only /ibmmq/rest answers other origins");
        return;
    }
    for (name, value) in &element.attributes {
        match name.as_str() {
            "id" | "domain" => {}
            "allowedOrigins" => imported.cors.allowed_origins = list(value),
            "maxAge" => match value.trim().parse::<u32>() {
                Ok(seconds) => imported.cors.max_age_seconds = seconds.into(),
                Err(_) => imported.leave_out("cors maxAge", "it is not a number of seconds"),
            },
            _ => imported.leave_out(format!("cors {name}"), "methods and headers are those of the REST API"),
        }
    }
}
