//! Definitions as MQSC: dmpmqcfg.
//!
//! Running what is written here on an empty queue manager makes the same definitions, and dumping that gives the same
//! text. So nothing here depends on the time, and what cannot be set stands in comments.

use std::fmt::Write as _;
use std::sync::Arc;

use model::authority::{AuthorityObject, AuthorityRecord, Entity};
use model::definition::attribute::{self, Access, Attribute, Kind, Shown, Value, ValueType, View};
use model::definition::queue::{DefinitionType, Disposition};
use model::definition::subscription::MadeBy;
use model::definition::{AdministeredObject, ChannelAuthentication, History, QueueManagerDefinition};
use queue_manager::QueueManager;

use crate::command::{Request, Selection};
use crate::execute::{as_defined, disposition_word};
use crate::filter::Pattern;
use crate::{authority_words, status};

/// Texts that say nothing to the queue manager: an object without one is the same.
const REMARKS: [&str; 6] = ["CUSTOM", "DESCR", "PUBACCT", "PUBAPPID", "TRIGDATA", "USERDATA"];

/// What `DumpOptions::export` may be: dmpmqcfg's `-x`, then its `-t`. There are no policies, so `policy` writes nothing.
pub const EXPORTS: [&str; 21] = [
    "all", "object", "authrec", "chlauth", "sub", "policy", "authinfo", "channel", "clntconn", "comminfo", "listener",
    "lstr", "namelist", "process", "prcs", "qmgr", "queue", "service", "srvc", "topic", "nl",
];

/// dmpmqcfg's choices.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// Every attribute rather than those that differ from the default (`-a`).
    pub all_attributes: bool,
    /// One line a command (`-o 1line`).
    pub one_line: bool,
    /// Generic object name (`-n`).
    pub name: Option<String>,
    /// Object type as dmpmqcfg names it (`-x`): all, object, authrec, channel, qmgr, queue, topic, sub ...
    pub export: Option<String>,
    /// Also SYSTEM objects that are as made.
    pub include_defaults: bool,
}

/// The definitions as MQSC, as dmpmqcfg writes them.
pub fn dump(queue_manager: &QueueManager, options: &DumpOptions) -> String {
    let mut dump = Dump { queue_manager, options, script: String::new() };
    dump.title();
    if dump.wants(&["object", "qmgr"]) {
        dump.manager();
    }
    // Shared queues name them.
    if dump.wants(export_words(AuthorityObject::Structure)) {
        dump.family(AuthorityObject::Structure);
    }
    if dump.wants(&["object", "queue"]) {
        dump.queues();
    }
    if dump.wants(&["object", "topic"]) {
        dump.topics();
    }
    if dump.wants(&["object", "sub"]) {
        dump.subscriptions();
    }
    dump.objects();
    if dump.wants(&["authrec"]) {
        dump.authorities();
    }
    if dump.wants(&["chlauth"]) {
        dump.channel_authentications();
    }
    dump.script
}

/// Objects that DEFINE starts from come last, so that a changed one does not change those that were made before it.
fn is_default_object(name: &str) -> bool {
    name.starts_with("SYSTEM.DEF")
}

/// How dmpmqcfg names the types of such objects.
fn export_words(family: AuthorityObject) -> &'static [&'static str] {
    match family {
        AuthorityObject::Channel => &["object", "channel"],
        AuthorityObject::ClientChannel => &["object", "channel", "clntconn"],
        AuthorityObject::Listener => &["object", "listener", "lstr"],
        AuthorityObject::Process => &["object", "process", "prcs"],
        AuthorityObject::NameList => &["object", "namelist", "nl"],
        AuthorityObject::Service => &["object", "service", "srvc"],
        AuthorityObject::AuthenticationInformation => &["object", "authinfo"],
        AuthorityObject::CommunicationInformation => &["object", "comminfo"],
        AuthorityObject::Structure => &["object"],
        AuthorityObject::QueueManager
        | AuthorityObject::Queue
        | AuthorityObject::Topic
        | AuthorityObject::RemoteQueueManager => &[],
    }
}

/// What a script can set of a definition.
fn rows(view: View<'_>) -> impl Iterator<Item = &'static Attribute> {
    attribute::told_by(view).filter(|row| row.access != Access::ReadOnly)
}

/// Is the attribute other than in a fresh definition?
fn differs(row: &Attribute, view: View<'_>) -> bool {
    let default = match view {
        // Some defaults follow from the queue manager's name.
        View::QueueManager(manager) => {
            let fresh = QueueManagerDefinition { name: manager.name, ..QueueManagerDefinition::default() };
            (row.read)(View::QueueManager(&fresh))
        }
        View::Queue(..) | View::Topic(_) | View::Subscription(_) | View::Object(_) => row.default_value(view.kind()),
    };
    (row.read)(view) != default
}

struct Dump<'a> {
    queue_manager: &'a QueueManager,
    options: &'a DumpOptions,
    script: String,
}

impl Dump<'_> {
    /// Is one of these the type asked for, or all?
    fn wants(&self, types: &[&str]) -> bool {
        match self.options.export.as_deref() {
            None => true,
            Some(export) => {
                let export = export.to_ascii_lowercase();
                export == "all" || types.contains(&export.as_str())
            }
        }
    }

    /// Does the name match, and is it worth writing?
    fn selects(&self, name: &str, history: History, view: View<'_>) -> bool {
        let matches = self.options.name.as_deref().is_none_or(|wanted| Pattern::parse(wanted).matches(name));
        let as_made = if is_default_object(name) {
            !rows(view).any(|row| differs(row, view))
        } else {
            name.starts_with("SYSTEM.") && history.created == history.altered
        };
        matches && (self.options.include_defaults || !as_made)
    }

    fn title(&mut self) {
        let stars = "*".repeat(79);
        let name = self.queue_manager.name();
        let _ = writeln!(self.script, "{stars}\n* Definitions of queue manager {name}\n* Written by dmpmqcfg\n{stars}");
    }

    fn manager(&mut self) {
        let definition = self.queue_manager.definition();
        let matches =
            self.options.name.as_deref().is_none_or(|wanted| Pattern::parse(wanted).matches(definition.name.as_str()));
        if !matches {
            return;
        }
        let parts = self.settings(definition.name.as_str(), View::QueueManager(&definition));
        if !parts.is_empty() {
            self.command("ALTER QMGR", &parts, "");
        }
    }

    fn queues(&mut self) {
        // Those of the group first: copies are made of them.
        let masters = self.queue_manager.masters(AuthorityObject::Queue);
        let mut queues: Vec<_> = masters.iter().filter_map(|master| master.as_queue().cloned().map(Arc::new)).collect();
        queues.extend(self.queue_manager.queues());
        queues.sort_by_key(|queue| is_default_object(queue.name.as_str()));
        for queue in queues {
            let dynamic =
                queue.as_local().is_some_and(|local| local.definition_type == DefinitionType::TemporaryDynamic);
            let view = View::Queue(&queue, None);
            if !dynamic && self.selects(queue.name.as_str(), queue.history, view) {
                self.definition(view.kind(), queue.name.as_str(), view);
            }
        }
    }

    fn topics(&mut self) {
        let masters = self.queue_manager.masters(AuthorityObject::Topic);
        let mut topics: Vec<_> = masters.iter().filter_map(|master| master.as_topic().cloned().map(Arc::new)).collect();
        topics.extend(self.queue_manager.topics());
        topics.sort_by_key(|topic| is_default_object(topic.name.as_str()));
        for topic in topics {
            let view = View::Topic(&topic);
            if self.selects(topic.name.as_str(), topic.history, view) {
                self.definition(Kind::Topic, topic.name.as_str(), view);
            }
        }
    }

    /// Those that DEFINE SUB makes; others belong to applications.
    fn subscriptions(&mut self) {
        for subscription in self.queue_manager.subscriptions() {
            let administrative = subscription.made_by == MadeBy::Administrator && !subscription.name.is_empty();
            let view = View::Subscription(&subscription);
            if administrative && self.selects(&subscription.name, subscription.history, view) {
                let written = as_defined(self.queue_manager, &subscription);
                self.definition(Kind::Subscription, &subscription.name, View::Subscription(&written));
            }
        }
    }

    /// Channels, listeners and the others, family by family.
    fn objects(&mut self) {
        for family in AdministeredObject::FAMILIES {
            if family != AuthorityObject::Structure && self.wants(export_words(family)) {
                self.family(family);
            }
        }
    }

    fn family(&mut self, family: AuthorityObject) {
        let masters = self.queue_manager.masters(family);
        let mut objects: Vec<_> =
            masters.iter().filter_map(|master| master.as_object().cloned().map(Arc::new)).collect();
        objects.extend(self.queue_manager.objects(family));
        objects.sort_by_key(|object| is_default_object(object.name().as_str()));
        for object in objects {
            let view = View::Object(&object);
            if self.selects(object.name().as_str(), object.history(), view) {
                self.definition(object.kind(), object.name().as_str(), view);
            }
        }
    }

    fn definition(&mut self, kind: Kind, name: &str, view: View<'_>) {
        let head = format!("DEFINE {}({})", kind.mqsc(), attribute::quoted(name));
        let mut parts = self.settings(name, view);
        if let Some((keyword, word)) = kind.type_parameter() {
            parts.insert(0, format!("{keyword}({word})"));
        }
        if view.disposition() != Disposition::QueueManager {
            parts.insert(0, format!("QSGDISP({})", disposition_word(view.disposition())));
        }
        self.command(&head, &parts, "REPLACE");
    }

    /// Attributes as a script sets them: those that differ from the default, or all. In place of a remark with control
    /// characters, which a script cannot say, stands a comment; without another such text the object would be a different
    /// one, and `command` leaves all of it out.
    fn settings(&mut self, name: &str, view: View<'_>) -> Vec<String> {
        let mut parts = Vec::new();
        for row in rows(view) {
            let Some(value) = (row.read)(view) else { continue };
            if matches!(row.value, ValueType::Secret { .. }) {
                if differs(row, view) {
                    let _ = writeln!(self.script, "* {} of {name} is set, and is not written here", row.mqsc);
                }
                continue;
            }
            // A blank that only DEFINE could set says nothing, and ALTER would refuse it.
            let says_nothing = value == Value::Text(String::new()) && row.access == Access::Fixed;
            if !differs(row, view) && (!self.options.all_attributes || says_nothing) {
                continue;
            }
            let part = row.value.script(row.mqsc, &value);
            if REMARKS.contains(&row.mqsc) && !attribute::is_plain(&part) {
                self.left_out(&format!("{} of {name}", row.mqsc));
            } else {
                parts.push(part);
            }
        }
        parts
    }

    /// Says in a comment of one line what holds control characters.
    fn left_out(&mut self, what: &str) {
        let shown: String = what.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        let _ = writeln!(self.script, "* {shown} holds control characters, and is not written here");
    }

    /// A command that holds control characters, in a name for one, is a comment as a whole: behind a line break in it
    /// would stand a command of somebody else's, which runs as whoever runs the script.
    fn command(&mut self, head: &str, parts: &[String], tail: &str) {
        if !attribute::is_plain(head) || !parts.iter().all(|part| attribute::is_plain(part)) {
            self.left_out(&format!("{head} {}", parts.join(" ")));
            return;
        }
        let tail = (!tail.is_empty()).then_some(tail);
        let parts: Vec<&str> = parts.iter().map(String::as_str).chain(tail).collect();
        if self.options.one_line {
            let _ = writeln!(self.script, "{head} {}", parts.join(" "));
            return;
        }
        let _ = writeln!(self.script, "{head} +\n   {}", parts.join(" +\n   "));
    }

    fn authorities(&mut self) {
        for record in self.queue_manager.authority_records() {
            let name = self.options.name.as_deref();
            if name.is_none_or(|wanted| Pattern::parse(wanted).matches(&record.profile)) {
                self.authority(&record);
            }
        }
    }

    fn channel_authentications(&mut self) {
        for record in self.queue_manager.channel_authentications().iter() {
            let name = self.options.name.as_deref();
            if name.is_none_or(|wanted| Pattern::parse(wanted).matches(&record.profile)) {
                let parts = channel_authentication(record);
                self.command(
                    &format!("SET CHLAUTH({})", attribute::quoted(&record.profile)),
                    &parts,
                    "ACTION(REPLACE)",
                );
            }
        }
    }

    fn authority(&mut self, record: &AuthorityRecord) {
        let mut parts = Vec::new();
        if record.object != AuthorityObject::QueueManager {
            parts.push(format!("PROFILE({})", attribute::quoted(&record.profile)));
        }
        parts.push(match &record.entity {
            Entity::Principal(name) => format!("PRINCIPAL({})", attribute::quoted(name)),
            Entity::Group(name) => format!("GROUP({})", attribute::quoted(name)),
        });
        parts.push(format!("OBJTYPE({})", authority_words::object_word(record.object)));
        parts.push(format!("AUTHADD({})", record.authorities.list()));
        self.command("SET AUTHREC", &parts, "");
    }
}

/// The SET CHLAUTH that makes the record anew.
pub fn channel_authentication_line(record: &ChannelAuthentication) -> String {
    let (profile, parts) = (attribute::quoted(&record.profile), channel_authentication(record));
    format!("SET CHLAUTH({profile}) {} ACTION(REPLACE)", parts.join(" "))
}

/// What SET CHLAUTH needs to make the record anew: every attribute with a value, dates apart.
fn channel_authentication(record: &ChannelAuthentication) -> Vec<String> {
    let everything = Request { selection: Selection::All, condition: None };
    let shown = status::show(status::channel::AUTHENTICATION, record, &everything).unwrap_or_default();
    let is_set = |shown: &&Shown| {
        !["CHLAUTH", "ALTDATE", "ALTTIME"].contains(&shown.keyword) && shown.value != Value::Text(String::new())
    };
    let part = |shown: &Shown| match &shown.value {
        Value::List(list) => {
            let items: Vec<_> = list.iter().map(|item| attribute::quoted(item)).collect();
            format!("{}({})", shown.keyword, items.join(","))
        }
        _ if ["TYPE", "USERSRC", "CHCKCLNT", "WARN"].contains(&shown.keyword) => shown.display(),
        _ => shown.kind.script(shown.keyword, &shown.value),
    };
    shown.iter().filter(is_set).map(part).collect()
}
