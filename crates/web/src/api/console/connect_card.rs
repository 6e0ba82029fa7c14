//! `/connect-card`: what a program needs to connect to a queue manager, as its user and from its address.
//!
//! Channels are those that would let the user in who asks, by the decisions of the queue manager itself. Nothing secret is told:
//! commands ask for the password.

use std::net::{IpAddr, SocketAddr};

use http::uri::Authority as UriAuthority;
use http::{StatusCode, header};
use identity::{Identity, Roles};
use model::authority::{Authority, AuthorityObject};
use model::definition::authentication::CheckPassword;
use model::name::QueueName;
use queue_manager::QueueManager;
use queue_manager::channel_admission::{Client, server_connection};
use serde::Serialize;
use serde_json::{Value, json};

use crate::admin::Reached;
use crate::answer::Answer;
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::super::json as answer_json;

/// The queue of examples, where it is defined.
const EXAMPLE_QUEUE: &str = "DEV.QUEUE.1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Card {
    qmgr: String,
    user: String,
    /// As the client calls this server.
    host: String,
    http_port: Option<u16>,
    https_port: Option<u16>,
    listeners: Vec<Listener>,
    channels: Vec<Channel>,
    /// PEM of who signs the server's own certificates; `None` where they are of another's making.
    certificate_authority: Option<String>,
    ccdt: Value,
    curl: String,
    jms: Option<String>,
    mqserver: Option<String>,
}

#[derive(Serialize)]
struct Listener {
    name: String,
    port: u16,
    /// Channels with SSLCIPH are served there.
    tls: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Channel {
    name: String,
    /// As whom the program acts.
    user: String,
    /// `None`: without TLS.
    cipher_spec: Option<String>,
    certificate_required: bool,
}

/// GET of `/connect-card`.
///
/// # Errors
/// 400 a query; 404 there is no such queue manager.
pub(super) async fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let manager = Reached::of(call)?.queue_manager;
    let host = host(call);
    let listeners = listeners(call, &manager);
    let channels = channels(call, identity, &manager).await;
    let https_port = call.shared.https_port.get().copied();
    let card = Card {
        qmgr: manager.name().to_string(),
        user: identity.name.clone(),
        http_port: reachable(call.shared.http_address.get().copied(), call.address),
        https_port,
        certificate_authority: call.settings.options.tls.authority.as_deref().map(str::to_owned),
        ccdt: ccdt(&manager, &host, listeners.first(), &channels),
        curl: curl(call, identity, &manager, &host),
        jms: listeners.first().zip(channels.first()).map(|(door, channel)| jms(&manager, &host, door, channel)),
        // A client that is told its channel so speaks no TLS.
        mqserver: listeners
            .first()
            .zip(channels.iter().find(|channel| channel.cipher_spec.is_none()))
            .map(|(door, channel)| format!("{}/TCP/{}({})", channel.name, bare(&host), door.port)),
        host,
        listeners,
        channels,
    };
    Ok(answer_json(StatusCode::OK, &card))
}

/// The name by which the client reached this server, without a port.
fn host(call: Call<'_>) -> String {
    let sent = call.headers().get(header::HOST).and_then(|host| UriAuthority::try_from(host.as_bytes()).ok());
    let host = sent.as_ref().or_else(|| call.parts.uri.authority()).map_or("localhost", UriAuthority::host);
    // It becomes part of commands.
    let is_plain = host.chars().all(|c| c.is_ascii_alphanumeric() || "-.:[]_".contains(c));
    if is_plain && !host.is_empty() { host.to_owned() } else { "localhost".to_owned() }
}

/// An address of IPv6 without its brackets.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

/// The port, unless the address is for clients on this machine and this one is elsewhere.
fn reachable(address: Option<SocketAddr>, client: IpAddr) -> Option<u16> {
    address.filter(|address| !address.ip().is_loopback() || client.is_loopback()).map(|address| address.port())
}

/// Where MQ clients of the queue manager are served, the server's own address first.
fn listeners(call: Call<'_>, manager: &QueueManager) -> Vec<Listener> {
    let own = reachable(call.shared.mq_address.get().copied(), call.address);
    let own = own.map(|port| ("server.mq".to_owned(), port));
    let started = manager.started_objects(AuthorityObject::Listener).into_iter().filter(|one| !one.is_stopping);
    let mut found: Vec<Listener> = Vec::new();
    for (name, port) in own.into_iter().chain(started.map(|one| (one.started.name, one.started.port))) {
        // A listener of the server's own port is the server's own address.
        if found.iter().all(|known| known.port != port) {
            found.push(Listener { name, port, tls: true });
        }
    }
    found
}

/// The channels that would let the user in, from where it asks.
async fn channels(call: Call<'_>, identity: &Identity, manager: &QueueManager) -> Vec<Channel> {
    if manager.address_blocker(call.address).is_some_and(|record| !record.warn) {
        return Vec::new();
    }
    let Ok(policy) = manager.password_policy() else { return Vec::new() };
    let checks = policy.is_some_and(|policy| policy.check_client != CheckPassword::None);
    let checked = checks.then_some(&identity.principal);
    let mut found = Vec::new();
    for object in manager.objects(AuthorityObject::Channel) {
        let Some(channel) = server_connection(&object) else { continue };
        let name = channel.name.to_string();
        if name.starts_with("SYSTEM.") {
            continue;
        }
        let client =
            Client { channel: &name, address: call.address, asserted: &identity.name, subject: None, issuer: None };
        let authenticator = &call.settings.authenticator;
        let look_up = |user: String| async move { authenticator.principal_of(&user, call.now).await };
        let decision = manager.user_of_client(&client, policy, checked, look_up).await;
        let (Ok(()), Some(principal)) = (decision.outcome, decision.principal) else { continue };
        let queue_manager = manager.name();
        if manager.is_authorised(&principal, AuthorityObject::QueueManager, &queue_manager, Authority::CONNECT) {
            let cipher = channel.cipher_specification.trim();
            found.push(Channel {
                name,
                user: principal.user.to_string(),
                cipher_spec: (!cipher.is_empty()).then(|| cipher.to_owned()),
                certificate_required: !cipher.is_empty() && !channel.client_certificate_optional,
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// A client channel definition table.
fn ccdt(manager: &QueueManager, host: &str, door: Option<&Listener>, channels: &[Channel]) -> Value {
    let Some(door) = door else { return json!({ "channel": [] }) };
    let entries: Vec<Value> = channels
        .iter()
        .map(|channel| {
            let mut entry = json!({
                "name": channel.name,
                "type": "clientConnection",
                "clientConnection": {
                    "connection": [{ "host": bare(host), "port": door.port }],
                    "queueManager": manager.name().as_str()
                }
            });
            if let Some(cipher) = &channel.cipher_spec {
                entry["transmissionSecurity"] = json!({ "cipherSpecification": cipher });
            }
            entry
        })
        .collect();
    json!({ "channel": entries })
}

/// A line of a shell. curl asks for the password.
fn curl(call: Call<'_>, identity: &Identity, manager: &QueueManager, host: &str) -> String {
    let (origin, trust) = match (call.shared.https_port.get(), call.shared.http_address.get()) {
        (Some(port), _) => {
            let trust = if call.settings.options.tls.authority.is_some() { " --cacert ca.crt" } else { "" };
            (format!("https://{host}:{port}"), trust)
        }
        (None, Some(address)) => (format!("http://{host}:{}", address.port()), ""),
        (None, None) => (format!("https://{host}"), ""),
    };
    let name = encoded(manager.name().as_str());
    let user = quoted(&identity.name);
    if !identity.roles.intersects(Roles::MQWEB_ADMIN | Roles::MQWEB_USER) {
        return format!("curl{trust} -u {user} '{origin}/api/v1/qmgr/{name}/queues'");
    }
    let has_example = manager.queue(&QueueName::literal(EXAMPLE_QUEUE)).is_some();
    let queue = if has_example { EXAMPLE_QUEUE } else { "QUEUE" };
    format!(
        "curl{trust} -u {user} '{origin}/api/v1/qmgr/{name}/queue/{queue}/messages' -H 'Content-Type: text/plain' -d 'Hello'"
    )
}

/// Two characters of names mean something in a path.
fn encoded(name: &str) -> String {
    name.replace('%', "%25").replace('/', "%2F")
}

/// One word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Statements of a Java program.
fn jms(manager: &QueueManager, host: &str, door: &Listener, channel: &Channel) -> String {
    let mut lines = vec![
        "JmsConnectionFactory factory =".to_owned(),
        "    JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();".to_owned(),
        "factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);".to_owned(),
        format!("factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, \"{}\");", bare(host)),
        format!("factory.setIntProperty(WMQConstants.WMQ_PORT, {});", door.port),
        format!("factory.setStringProperty(WMQConstants.WMQ_CHANNEL, \"{}\");", channel.name),
        format!("factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, \"{}\");", manager.name()),
    ];
    if channel.cipher_spec.is_some() {
        lines.push("factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, \"*TLS12ORHIGHER\");".to_owned());
    }
    lines.push("JMSContext context = factory.createContext(user, password);".to_owned());
    lines.join("\n")
}
