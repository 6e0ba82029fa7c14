//! Events of MQI calls that were refused: authority (AUTHOREV), inhibit (INHIBTEV), local (LOCALEV) and remote (REMOTEEV).
//!
//! They are raised where a verb ends (`connection.rs`), from its reason and what it was called with, so that the paths of
//! successful calls know nothing of them.
//!
//! Source: MQ monitoring, "Not Authorized (type 1)" to "(type 6)", "Put Inhibited", "Unknown Object Name" and their like, 9.2.

use model::authority::{Authority, Principal};
use model::definition::QueueKind;
use model::definition::queue::AliasTarget;
use model::name::{ObjectName, QueueManagerName, QueueName, TopicName};
use model::options::{ObjectDescriptor, ObjectKind, OpenOptions};
use model::pcf::{Parameter, ParameterValue};
use model::reason::Reason;
use model::subscribe::SubscriptionDescriptor;

use crate::engine::Engine;
use crate::instrumentation::event::number as n;
use crate::instrumentation::event::{self, Event, Family};
use crate::publish;
use crate::queue::resolve::Destination;
use crate::verb::connection::{Connection, ObjectHandle};
use crate::verb::handle::{Handle, Target};
use crate::{ConnectOptions, QueueManager};

/// The call that was refused, as far as an event tells of it.
pub(crate) enum Call<'a> {
    /// MQOPEN and MQPUT1.
    Open {
        caller: &'a Principal,
        object: &'a ObjectDescriptor,
        options: OpenOptions,
    },
    /// MQPUT and MQGET.
    Handle(ObjectHandle),
    Close(ObjectHandle),
    Subscribe {
        caller: &'a Principal,
        descriptor: &'a SubscriptionDescriptor,
    },
}

/// Whether a refusal with this reason is an event, and the event is switched on.
pub(crate) fn is_wanted(engine: &Engine, reason: Reason) -> bool {
    let definition = engine.definition.read();
    match reason {
        Reason::NotAuthorized => definition.authority_event,
        Reason::GetInhibited | Reason::PutInhibited => definition.inhibit_event,
        Reason::UnknownObjectName | Reason::UnknownAliasBaseQ | Reason::AliasBaseQTypeError => definition.local_event,
        Reason::UnknownRemoteQMgr
        | Reason::RemoteQNameError
        | Reason::UnknownXmitQ
        | Reason::XmitQTypeError
        | Reason::XmitQUsageError
        | Reason::UnknownDefXmitQ
        | Reason::DefXmitQTypeError
        | Reason::DefXmitQUsageError => definition.remote_event,
        _ => false,
    }
}

/// Puts the event of a refused call, if it is switched on.
pub(crate) async fn refused(connection: &Connection, reason: Reason, call: &Call<'_>) {
    let engine = &connection.engine;
    if !is_wanted(engine, reason) {
        return;
    }
    let application = &connection.state.options;
    let event = match call {
        Call::Open { caller, object, options } => opened(engine, application, reason, caller, object, *options),
        Call::Handle(handle) | Call::Close(handle) => {
            let Ok(open) = connection.state.handle(*handle) else { return };
            let closes = matches!(call, Call::Close(_));
            of_handle(engine, application, reason, &open, closes)
        }
        Call::Subscribe { caller, descriptor } => subscribed(engine, application, reason, caller, descriptor),
    };
    if let Some(event) = event {
        event::send(engine, event).await;
    }
}

/// Not Authorized (type 1). MQCONN does not wait for the event.
pub(crate) fn connect_refused(engine: &Engine, options: &ConnectOptions) {
    connection_refused(engine, options, n::MQRQ_CONN_NOT_AUTHORIZED);
}

impl QueueManager {
    /// A client's password was wrong: Not Authorized (type 1), for which `options` says what is known of the client.
    pub fn password_refused(&self, options: &ConnectOptions) {
        connection_refused(self.engine(), options, n::MQRQ_CSP_NOT_AUTHORIZED);
    }
}

fn connection_refused(engine: &Engine, options: &ConnectOptions, qualifier: i32) {
    if !is_wanted(engine, Reason::NotAuthorized) {
        return;
    }
    let mut parameters = begin(engine);
    parameters.push(Parameter::integer(n::MQIACF_REASON_QUALIFIER, qualifier));
    parameters.push(user(&options.principal));
    add_application(&mut parameters, options);
    add_client(&mut parameters, options);
    engine.left_over.push_event(Family::QueueManager.event(Reason::NotAuthorized.number(), parameters));
}

/// Not Authorized (type 4): a command, by its number MQCMD_*.
pub(super) async fn command_refused(engine: &Engine, user: &str, command: i32) {
    if !is_wanted(engine, Reason::NotAuthorized) {
        return;
    }
    let mut parameters = begin(engine);
    parameters.push(Parameter::integer(n::MQIACF_REASON_QUALIFIER, n::MQRQ_CMD_NOT_AUTHORIZED));
    parameters.push(Parameter::integer(n::MQIACF_COMMAND, command));
    parameters.push(event::user(n::MQCACF_USER_IDENTIFIER, user));
    event::send(engine, Family::QueueManager.event(Reason::NotAuthorized.number(), parameters)).await;
}

fn opened(
    engine: &Engine,
    application: &ConnectOptions,
    reason: Reason,
    caller: &Principal,
    object: &ObjectDescriptor,
    options: OpenOptions,
) -> Option<Event> {
    let mut parameters = begin(engine);
    if reason == Reason::NotAuthorized {
        parameters.push(Parameter::integer(n::MQIACF_REASON_QUALIFIER, n::MQRQ_OPEN_NOT_AUTHORIZED));
        parameters.push(Parameter::integer(n::MQIACF_OPEN_OPTIONS, bits(options.bits())));
        parameters.push(user(caller));
    }
    add_application(&mut parameters, application);
    add_object(engine, &mut parameters, object);
    add_path(engine, &mut parameters, object, reason);
    add_client(&mut parameters, application);
    Some(Family::QueueManager.event(reason.number(), parameters))
}

/// MQPUT and MQGET meet what is inhibited; MQCLOSE may not delete (type 3).
fn of_handle(
    engine: &Engine,
    application: &ConnectOptions,
    reason: Reason,
    open: &Handle,
    closes: bool,
) -> Option<Event> {
    let mut parameters = begin(engine);
    match reason {
        Reason::NotAuthorized if closes => {
            parameters.push(Parameter::integer(n::MQIACF_REASON_QUALIFIER, n::MQRQ_CLOSE_NOT_AUTHORIZED));
        }
        Reason::GetInhibited | Reason::PutInhibited if !closes => {}
        _ => return None,
    }
    match &open.target {
        Target::Queue(Destination::Remote { opened: None, queue, queue_manager, .. }) => {
            parameters.push(event::name(n::MQCA_Q_NAME, queue));
            parameters.push(event::name(n::MQCACF_OBJECT_Q_MGR_NAME, queue_manager));
        }
        Target::Queue(_) => parameters.push(event::name(n::MQCA_Q_NAME, &open.name)),
        Target::Topic(topic) => parameters.push(Parameter::text(n::MQCA_TOPIC_STRING, topic.topic_string.clone())),
        Target::Subscription(_) | Target::QueueManager | Target::Object(_) => return None,
    }
    if closes {
        parameters.push(user(&open.caller));
    }
    add_application(&mut parameters, application);
    add_client(&mut parameters, application);
    Some(Family::QueueManager.event(reason.number(), parameters))
}

/// Types 5 and 6: the topic, or the queue that publications are to go to.
fn subscribed(
    engine: &Engine,
    application: &ConnectOptions,
    reason: Reason,
    caller: &Principal,
    descriptor: &SubscriptionDescriptor,
) -> Option<Event> {
    if reason != Reason::NotAuthorized {
        return None;
    }
    let topic = publish::full_topic_string(engine, &descriptor.topic_object, &descriptor.topic_string).ok()?;
    let above = publish::topics_above(engine, &topic);
    let about_topic = !publish::grants(engine, caller, &above, Authority::SUBSCRIBE);
    let qualifier = if about_topic { n::MQRQ_SUB_NOT_AUTHORIZED } else { n::MQRQ_SUB_DEST_NOT_AUTHORIZED };
    let mut parameters = begin(engine);
    parameters.push(Parameter::integer(n::MQIACF_REASON_QUALIFIER, qualifier));
    parameters.push(Parameter::integer(n::MQIACF_SUB_OPTIONS, bits(descriptor.flags.bits())));
    parameters.push(user(caller));
    add_application(&mut parameters, application);
    add_topic(&mut parameters, topic, &above);
    add_client(&mut parameters, application);
    Some(Family::QueueManager.event(reason.number(), parameters))
}

fn begin(engine: &Engine) -> Vec<Parameter> {
    vec![event::name(n::MQCA_Q_MGR_NAME, &engine.name)]
}

/// Options as the signed number that PCF carries.
const fn bits(options: u32) -> i32 {
    i32::from_ne_bytes(options.to_ne_bytes())
}

fn user(caller: &Principal) -> Parameter {
    event::user(n::MQCACF_USER_IDENTIFIER, &caller.user)
}

fn add_application(parameters: &mut Vec<Parameter>, application: &ConnectOptions) {
    parameters.push(Parameter::integer(n::MQIA_APPL_TYPE, application.application_type));
    parameters.push(event::padded(n::MQCACF_APPL_NAME, &application.application_name, n::MQ_APPL_NAME_LENGTH));
}

/// For programs that come over a channel.
fn add_client(parameters: &mut Vec<Parameter>, application: &ConnectOptions) {
    for (id, text) in
        [(n::MQCACH_CONNECTION_NAME, &application.connection_name), (n::MQCACH_CHANNEL_NAME, &application.channel)]
    {
        if !text.is_empty() {
            parameters.push(Parameter::text(id, text.as_str()));
        }
    }
}

/// What the object descriptor named.
fn add_object(engine: &Engine, parameters: &mut Vec<Parameter>, object: &ObjectDescriptor) {
    if !engine.is_this(&object.queue_manager) {
        parameters.push(event::name(n::MQCACF_OBJECT_Q_MGR_NAME, &object.queue_manager));
    }
    match object.object {
        ObjectKind::Queue => parameters.push(event::name(n::MQCA_Q_NAME, &object.name)),
        ObjectKind::Process => parameters.push(event::name(n::MQCA_PROCESS_NAME, &object.name)),
        ObjectKind::NameList => parameters.push(event::name(n::MQCA_NAMELIST_NAME, &object.name)),
        ObjectKind::QueueManager => {}
        ObjectKind::Topic => {
            if let Ok(topic) = publish::full_topic_string(engine, &object.name, &object.topic_string) {
                let above = publish::topics_above(engine, &topic);
                add_topic(parameters, topic, &above);
            }
        }
    }
}

fn add_topic(parameters: &mut Vec<Parameter>, topic: String, asked: &[TopicName]) {
    parameters.push(Parameter::text(n::MQCA_TOPIC_STRING, topic));
    let names = asked.iter().map(ToString::to_string).collect();
    parameters.push(Parameter { id: n::MQCA_ADMIN_TOPIC_NAME, value: ParameterValue::Texts(names) });
}

/// How far name resolution came: the base of an alias, the transmission queue.
fn add_path(engine: &Engine, parameters: &mut Vec<Parameter>, object: &ObjectDescriptor, reason: Reason) {
    match reason {
        Reason::UnknownAliasBaseQ | Reason::AliasBaseQTypeError => {
            let Some((base, kind)) = alias_base(engine, &object.name) else { return };
            parameters.push(event::name(n::MQCA_BASE_OBJECT_NAME, &base));
            if reason == Reason::AliasBaseQTypeError {
                add_queue_type(engine, parameters, &base);
            }
            parameters.push(Parameter::integer(n::MQIA_BASE_TYPE, kind));
        }
        Reason::UnknownXmitQ | Reason::XmitQUsageError | Reason::XmitQTypeError => {
            let name = transmission_queue(engine, object);
            parameters.push(event::name(n::MQCA_XMIT_Q_NAME, &name));
            if reason == Reason::XmitQTypeError {
                add_queue_type(engine, parameters, &name);
            }
        }
        Reason::UnknownDefXmitQ | Reason::DefXmitQUsageError | Reason::DefXmitQTypeError => {
            let name = engine.definition.read().default_transmission_queue;
            parameters.push(event::name(n::MQCA_XMIT_Q_NAME, &name));
            if reason == Reason::DefXmitQTypeError {
                add_queue_type(engine, parameters, &name);
            }
        }
        _ => {}
    }
}

fn alias_base(engine: &Engine, name: &QueueName) -> Option<(ObjectName, i32)> {
    engine.queue(name)?.with(|definition| match &definition.kind {
        QueueKind::Alias(alias) => {
            let kind = if alias.target_type == AliasTarget::Topic { n::MQOT_TOPIC } else { n::MQOT_Q };
            Some((alias.target, kind))
        }
        QueueKind::Local(_) | QueueKind::Remote(_) | QueueKind::Model(_) => None,
    })
}

/// The transmission queue that was looked for: what a remote definition names, else the queue manager's name.
fn transmission_queue(engine: &Engine, object: &ObjectDescriptor) -> QueueName {
    let first = if engine.is_this(&object.queue_manager) { object.name } else { object.queue_manager };
    let named = alias_base(engine, &first).map_or(first, |(base, _)| base);
    let remote = |name: &QueueName| -> Option<(QueueName, QueueManagerName)> {
        engine.queue(name)?.with(|definition| match &definition.kind {
            QueueKind::Remote(remote) => Some((remote.transmission_queue, remote.remote_queue_manager)),
            QueueKind::Local(_) | QueueKind::Alias(_) | QueueKind::Model(_) => None,
        })
    };
    match remote(&named) {
        Some((queue, _)) if !queue.is_blank() => queue,
        Some((_, queue_manager)) => queue_manager,
        None => first,
    }
}

fn add_queue_type(engine: &Engine, parameters: &mut Vec<Parameter>, name: &QueueName) {
    let Some(queue) = engine.queue(name) else { return };
    let kind = queue.with(|definition| match &definition.kind {
        QueueKind::Local(_) => n::MQQT_LOCAL,
        QueueKind::Model(_) => n::MQQT_MODEL,
        QueueKind::Alias(_) => n::MQQT_ALIAS,
        QueueKind::Remote(_) => n::MQQT_REMOTE,
    });
    parameters.push(Parameter::integer(n::MQIA_Q_TYPE, kind));
}
