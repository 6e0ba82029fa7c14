//! `/session`: who has signed in, until when, and what that user may do here; or how to sign in.

use http::{HeaderValue, StatusCode, header};
use identity::authenticator::{Credentials, Mechanism, Session};
use identity::{Identity, Roles};
use message_api::time_text::write_moment;
use model::authority::{Authority, AuthorityObject, Principal};
use queue_manager::QueueManager;
use queue_manager::registry::Known;
use serde::Serialize;
use serde_json::{Value, json};

use crate::admin::{Intent, acting_principal};
use crate::answer::Answer;
use crate::console::sign_in;
use crate::cookie::Tokens;
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

use super::super::json as answer_json;

const LOGIN: &str = "/ibmmq/rest/v3/login";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    user: &'a str,
    method: &'static str,
    roles: Vec<&'static str>,
    /// `None`: as long as the credentials are sent.
    ends: Option<String>,
    issuer: Option<Issuer>,
    version: &'static str,
    /// The server's clock.
    now: String,
    may: May,
    qmgrs: Vec<ShownQueueManager>,
}

#[derive(Serialize)]
struct Issuer {
    name: Option<String>,
    url: String,
}

/// What the roles open. What may be done to an object is the queue manager's decision.
#[derive(Serialize)]
struct May {
    /// See everything of the server and its queue managers.
    administer: bool,
    /// Change definitions.
    change: bool,
    /// Put and get messages. Every role browses them.
    messages: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownQueueManager {
    name: String,
    state: &'static str,
    is_default: bool,
    /// The queue-sharing group that it is a member of.
    group: Option<String>,
    /// `None`: there is none, or it is not known to the user.
    dead_letter_queue: Option<String>,
}

/// GET of `/session`.
///
/// # Errors
/// 400 a query.
pub(super) fn show(call: Call<'_>, identity: &Identity, mechanism: Mechanism) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let has = |roles: Roles| identity.roles.intersects(roles);
    let Session { ends, issuer } = session(call, mechanism);
    let viewer = acting_principal(call, identity, Intent::Look).ok();
    let list = call.shared.queue_managers.list();
    let shown = Shown {
        user: &identity.name,
        method: mechanism.name(),
        roles: identity.roles.names().collect(),
        ends: ends.map(write_moment),
        issuer: issuer.map(|url| Issuer { name: name_of(call, &url), url }),
        version: env!("CARGO_PKG_VERSION"),
        now: write_moment(call.now),
        may: May {
            administer: has(Roles::MQWEB_ADMIN | Roles::MQWEB_ADMIN_RO),
            change: has(Roles::MQWEB_ADMIN | Roles::MQWEB_USER),
            messages: has(Roles::MQWEB_ADMIN | Roles::MQWEB_USER),
        },
        qmgrs: viewer
            .map_or_else(Vec::new, |viewer| list.into_iter().map(|one| queue_manager(call, viewer, one)).collect()),
    };
    Ok(answer_json(StatusCode::OK, &shown))
}

fn session(call: Call<'_>, mechanism: Mechanism) -> Session {
    let authenticator = &call.settings.authenticator;
    let tokens = Tokens::of(call.headers(), authenticator.cookie_name());
    let credentials = Credentials {
        tokens: tokens.as_slice(),
        authorization: call.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes),
        api_key: None,
        client_certificate: None,
        over_tls: call.over_tls,
        address: call.address,
    };
    authenticator.session(&credentials, mechanism, call.now)
}

fn name_of(call: Call<'_>, url: &str) -> Option<String> {
    let entries = &call.settings.options.oidc;
    entries.iter().find(|(_, entry)| entry.issuer == url).map(|(name, _)| name.clone())
}

fn queue_manager(call: Call<'_>, viewer: &Principal, known: Known) -> ShownQueueManager {
    let queue_managers = &call.shared.queue_managers;
    let running = queue_managers.get(known.name.as_str()).ok();
    let displayed = running.filter(|running| {
        running.is_authorised(viewer, AuthorityObject::QueueManager, &known.name, Authority::DISPLAY)
    });
    let group = displayed.as_ref().and_then(QueueManager::group).map(|group| group.to_string());
    let dead_letter_queue = displayed.map(|manager| manager.definition().dead_letter_queue);
    ShownQueueManager {
        state: known.state.word(),
        is_default: queue_managers.default_name() == Some(known.name),
        group,
        dead_letter_queue: dead_letter_queue.filter(|name| !name.is_blank()).map(|name| name.to_string()),
        name: known.name.to_string(),
    }
}

/// The ways to sign in, for a client that has not.
pub(super) fn ways(call: Call<'_>) -> Value {
    let options = &call.settings.options;
    let choices = call.settings.authenticator.sign_in_choices();
    let issuers: Vec<_> = options
        .oidc
        .iter()
        .map(|(name, entry)| {
            let choice = choices.iter().find(|choice| choice.name == *name);
            json!({
                "name": name,
                "url": entry.issuer,
                "title": choice.map(|choice| &choice.title),
                "path": choice.map(|choice| sign_in::path(&choice.name)),
                "endSession": choice.and_then(|choice| choice.end_session.as_ref()),
            })
        })
        .collect();
    json!({
        // A browser does not keep a cookie for TLS that comes without.
        "form": { "path": LOGIN, "isOpen": call.over_tls || !call.settings.authenticator.is_secure() },
        "basic": true,
        "clientCertificate": options.tls.client_ca.is_some(),
        "issuers": issuers,
        "httpsPort": call.shared.https_port.get(),
    })
}
