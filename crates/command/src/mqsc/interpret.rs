//! From words to a typed command: which objects a verb takes, which keywords an object has, which values those take.

use model::authority::{Authority, AuthorityObject, Entity};
use model::definition::attribute::{self, Access, Attribute, Kind, Value, ValueProblem, ValueType};
use model::name::{GenericName, ObjectName};

use crate::command::{
    Alter, AuthorityKey, AuthorityQuery, Command, Condition, ConnectionParts, ConnectionQuery, Define, Delete,
    OpenType, Pattern, QueueStatusOf, Request, Selection, SetAuthority, Setting,
};
use crate::mqsc::problem::Problem;
use crate::mqsc::statement::{Operand, Parameter, Statement, Verb};
use crate::{authority_words, message, status};

/// What stands after a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Object {
    Definition(Kind),
    AnyQueue,
    QueueStatus,
    QueueManagerStatus,
    Connection,
    SubscriptionStatus,
    AuthorityRecord,
    Security,
}

const OBJECTS: &[(&[&str], Object)] = &[
    (&["QLOCAL", "QL"], Object::Definition(Kind::QueueLocal)),
    (&["QALIAS", "QA"], Object::Definition(Kind::QueueAlias)),
    (&["QREMOTE", "QR"], Object::Definition(Kind::QueueRemote)),
    (&["QMODEL", "QM"], Object::Definition(Kind::QueueModel)),
    (&["TOPIC"], Object::Definition(Kind::Topic)),
    (&["SUB"], Object::Definition(Kind::Subscription)),
    (&["QMGR"], Object::Definition(Kind::QueueManager)),
    (&["QUEUE", "Q"], Object::AnyQueue),
    (&["QSTATUS", "QS"], Object::QueueStatus),
    (&["QMSTATUS", "QMS"], Object::QueueManagerStatus),
    (&["CONN"], Object::Connection),
    (&["SBSTATUS"], Object::SubscriptionStatus),
    (&["AUTHREC"], Object::AuthorityRecord),
    (&["SECURITY"], Object::Security),
];

/// Objects of MQ that this queue manager does not have, by their full names.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["APSTATUS"], "APSTATUS"),
    (&["ARCHIVE"], "ARCHIVE"),
    (&["AUTHINFO"], "AUTHINFO"),
    (&["AUTHSERV"], "AUTHSERV"),
    (&["BUFFPOOL"], "BUFFPOOL"),
    (&["CFSTATUS"], "CFSTATUS"),
    (&["CFSTRUCT"], "CFSTRUCT"),
    (&["CHANNEL", "CHL"], "CHANNEL"),
    (&["CHINIT"], "CHINIT"),
    (&["CHLAUTH"], "CHLAUTH"),
    (&["CHSTATUS", "CHS"], "CHSTATUS"),
    (&["CLUSQMGR"], "CLUSQMGR"),
    (&["CLUSTER"], "CLUSTER"),
    (&["CMDSERV"], "CMDSERV"),
    (&["COMMINFO"], "COMMINFO"),
    (&["ENTAUTH"], "ENTAUTH"),
    (&["LISTENER", "LSTR"], "LISTENER"),
    (&["LOG"], "LOG"),
    (&["LSSTATUS"], "LSSTATUS"),
    (&["NAMELIST", "NL"], "NAMELIST"),
    (&["POLICY"], "POLICY"),
    (&["PROCESS", "PROC", "PRO"], "PROCESS"),
    (&["PSID"], "PSID"),
    (&["PUBSUB"], "PUBSUB"),
    (&["QCLUSTER", "QC"], "QCLUSTER"),
    (&["QSTATS"], "QSTATS"),
    (&["SERVICE"], "SERVICE"),
    (&["STGCLASS"], "STGCLASS"),
    (&["SVSTATUS"], "SVSTATUS"),
    (&["TCLUSTER"], "TCLUSTER"),
    (&["TOPICSTR"], "TOPICSTR"),
    (&["TPIPE"], "TPIPE"),
    (&["TPSTATUS"], "TPSTATUS"),
    (&["TRACE"], "TRACE"),
];

pub(super) fn interpret(text: &str) -> Result<Command, Problem> {
    let mut statement = Statement::begin(text)?;
    let Some(object) = lookup(OBJECTS, &statement.object) else {
        return Err(match lookup(ELSEWHERE, &statement.object) {
            Some(name) => Problem::unsupported(format!("{} {name}", statement.verb.name())),
            None => statement.problem_here(format!("{} is not an object of MQ", statement.object)),
        });
    };
    let verb = statement.verb;
    if !takes(verb, object) {
        return Err(if is_of_mq(verb, object) {
            Problem::unsupported(format!("{} {}", verb.name(), statement.object))
        } else {
            statement.problem_here(format!("{} does not go with {}", verb.name(), statement.object))
        });
    }
    let (name, parameters) = statement.rest()?;
    let mut reader = Reader { statement, name, parameters };
    let command = reader.command(verb, object)?;
    reader.finish()?;
    Ok(command)
}

fn lookup<T: Copy>(table: &[(&[&str], T)], word: &str) -> Option<T> {
    table.iter().find(|(words, _)| words.contains(&word)).map(|(_, found)| *found)
}

fn takes(verb: Verb, object: Object) -> bool {
    match verb {
        Verb::Define | Verb::Delete if object == Object::AuthorityRecord => verb == Verb::Delete,
        Verb::Define | Verb::Delete => matches!(object, Object::Definition(kind) if kind != Kind::QueueManager),
        Verb::Alter => matches!(object, Object::Definition(_)),
        Verb::Clear => object == Object::Definition(Kind::QueueLocal),
        Verb::Display => object != Object::Security,
        Verb::Ping => object == Object::Definition(Kind::QueueManager),
        Verb::Refresh => object == Object::Security,
        Verb::Set => object == Object::AuthorityRecord,
        _ => false,
    }
}

/// Combinations MQ has and we do not.
fn is_of_mq(verb: Verb, object: Object) -> bool {
    let manager = object == Object::Definition(Kind::QueueManager);
    match verb {
        Verb::Refresh | Verb::Reset | Verb::Resume | Verb::Suspend | Verb::Start | Verb::Stop if manager => true,
        Verb::Stop => object == Object::Connection,
        Verb::Display => object == Object::Security,
        Verb::Move => object == Object::Definition(Kind::QueueLocal),
        _ => false,
    }
}

/// The parts of one statement, taken out one by one; what is left at the end is a mistake.
struct Reader<'a> {
    statement: Statement<'a>,
    name: Option<Vec<Operand>>,
    parameters: Vec<Parameter>,
}

impl Reader<'_> {
    fn command(&mut self, verb: Verb, object: Object) -> Result<Command, Problem> {
        match (verb, object) {
            (Verb::Define, Object::Definition(kind)) => self.define(kind),
            (Verb::Alter, Object::Definition(Kind::QueueManager)) => self.alter_queue_manager(),
            (Verb::Alter, Object::Definition(kind)) => self.alter(kind),
            (Verb::Delete, Object::Definition(kind)) => self.delete(kind),
            (Verb::Clear, _) => {
                let name = self.object_name(Kind::QueueLocal)?;
                Ok(Command::ClearQueue(
                    ObjectName::parse(&name).map_err(|e| self.statement.problem_here(e.to_string()))?,
                ))
            }
            (Verb::Ping, _) => Ok(Command::PingQueueManager),
            (Verb::Refresh, _) => self.refresh(),
            (Verb::Set, _) => self.set_authority(),
            (Verb::Delete, _) => Ok(Command::DeleteAuthority(self.authority_key()?)),
            (Verb::Display, Object::Definition(Kind::QueueManager)) => {
                let request = self.request(&|keyword| definition_keyword(&[Kind::QueueManager], keyword))?;
                Ok(Command::DisplayQueueManager(request))
            }
            (Verb::Display, Object::Definition(kind)) => self.display_objects(vec![kind]),
            (Verb::Display, Object::AnyQueue) => self.display_queues(),
            (Verb::Display, Object::QueueStatus) => self.display_queue_status(),
            (Verb::Display, Object::QueueManagerStatus) => {
                let request = self.request(&|keyword| status::find(status::QUEUE_MANAGER_STATUS, keyword))?;
                Ok(Command::DisplayQueueManagerStatus(request))
            }
            (Verb::Display, Object::SubscriptionStatus) => {
                let name = Pattern::parse(&self.text_name()?);
                let request = self.request(&|keyword| status::find(status::SUBSCRIPTION_STATUS, keyword))?;
                Ok(Command::DisplaySubscriptionStatus { name, request })
            }
            (Verb::Display, Object::Connection) => self.display_connections(),
            (Verb::Display, Object::AuthorityRecord) => self.display_authority(),
            _ => Err(self.statement.problem_here("the verb does not go with the object")),
        }
    }

    /// Nothing may be left.
    fn finish(&self) -> Result<(), Problem> {
        if let Some(parameter) = self.parameters.first() {
            return Err(self.unknown(parameter));
        }
        if self.name.is_some() {
            return Err(self.statement.problem_here(format!("{} takes no name", self.statement.object)));
        }
        Ok(())
    }

    fn unknown(&self, parameter: &Parameter) -> Problem {
        let problem = format!("{} is not a keyword of this command", parameter.keyword);
        self.statement.problem_at(parameter.end, problem)
    }

    /// Takes the parameter with one of these keywords out.
    fn take(&mut self, keywords: &[&str]) -> Option<Parameter> {
        let index = self.parameters.iter().position(|known| keywords.contains(&known.keyword.as_str()))?;
        Some(self.parameters.remove(index))
    }

    /// A keyword that stands alone.
    fn take_flag(&mut self, keyword: &str) -> Result<bool, Problem> {
        match self.take(&[keyword]) {
            None => Ok(false),
            Some(Parameter { operands: None, .. }) => Ok(true),
            Some(parameter) => Err(self.statement.problem_at(parameter.end, format!("{keyword} takes no value"))),
        }
    }

    /// The one value of a keyword, which is left alone when it has none.
    fn take_with_value(&mut self, keyword: &str) -> Result<Option<Operand>, Problem> {
        let has_value = |known: &Parameter| known.keyword == keyword && known.operands.is_some();
        if self.parameters.iter().any(has_value) { self.take_value(&[keyword]) } else { Ok(None) }
    }

    /// The one value of a keyword.
    fn take_value(&mut self, keywords: &[&str]) -> Result<Option<Operand>, Problem> {
        let Some(parameter) = self.take(keywords) else { return Ok(None) };
        self.one_value(&parameter).map(Some)
    }

    fn one_value(&self, parameter: &Parameter) -> Result<Operand, Problem> {
        match parameter.operands.as_deref() {
            Some([operand]) => Ok(operand.clone()),
            Some(_) => Err(self.statement.problem_at(parameter.end, format!("{} takes one value", parameter.keyword))),
            None => Err(self.statement.problem_at(parameter.end, format!("{} needs a value", parameter.keyword))),
        }
    }

    /// YES or NO.
    fn take_switch(&mut self, keyword: &str, default: bool) -> Result<bool, Problem> {
        match self.take_value(&[keyword])? {
            None => Ok(default),
            Some(operand) if operand.text == "YES" => Ok(true),
            Some(operand) if operand.text == "NO" => Ok(false),
            Some(operand) => Err(self.bad_value(keyword, &operand.text, "expected YES or NO")),
        }
    }

    fn bad_value(&self, keyword: &str, value: &str, problem: &str) -> Problem {
        self.statement.problem_here(format!("{keyword}({value}): {problem}")).with_message(message::VALUE)
    }

    fn missing(&self, keyword: &str) -> Problem {
        self.statement.problem_here(keyword).with_message(message::REQUIRED)
    }

    /// The text after the object keyword.
    fn text_name(&mut self) -> Result<String, Problem> {
        match self.name.take().as_deref() {
            Some([operand]) if !operand.text.trim().is_empty() => Ok(operand.text.trim_end().to_owned()),
            Some(_) => Err(self.statement.problem_here("one name is expected").with_message(message::NAME)),
            None => Err(self.missing(&format!("{} needs a name", self.statement.object))),
        }
    }

    /// The text after the object keyword as a name of this kind: an object name, but any text for subscriptions.
    fn object_name(&mut self, kind: Kind) -> Result<String, Problem> {
        let text = self.text_name()?;
        if kind != Kind::Subscription {
            ObjectName::parse(&text)
                .map_err(|e| self.statement.problem_here(e.to_string()).with_message(message::NAME))?;
        }
        Ok(text)
    }

    fn pattern(&mut self, kind: Kind) -> Result<Pattern, Problem> {
        let text = self.text_name()?;
        if kind != Kind::Subscription {
            GenericName::parse(&text)
                .map_err(|e| self.statement.problem_here(e.to_string()).with_message(message::NAME))?;
        }
        Ok(Pattern::parse(&text))
    }

    fn define(&mut self, kind: Kind) -> Result<Command, Problem> {
        let name = self.object_name(kind)?;
        let like = self.take_value(&["LIKE"])?.map(|operand| operand.text);
        let replace = self.take_flag("REPLACE")?;
        if self.take_flag("NOREPLACE")? && replace {
            return Err(self.statement.problem_here("REPLACE and NOREPLACE exclude each other"));
        }
        if kind == Kind::Topic && self.take_value(&["TYPE"])?.is_some_and(|operand| operand.text != "LOCAL") {
            return Err(self.statement.problem_here("TYPE is LOCAL for topics that can be defined"));
        }
        let settings = self.settings(kind, true)?;
        Ok(Command::Define(Define { kind, name, like, replace, settings }))
    }

    fn alter(&mut self, kind: Kind) -> Result<Command, Problem> {
        let name = self.object_name(kind)?;
        let force = self.take_flag("FORCE")?;
        if kind == Kind::Topic && self.take_value(&["TYPE"])?.is_some_and(|operand| operand.text != "LOCAL") {
            return Err(self.statement.problem_here("TYPE is LOCAL for topics that can be altered"));
        }
        let settings = self.settings(kind, false)?;
        Ok(Command::Alter(Alter { kind, name, force, settings }))
    }

    fn alter_queue_manager(&mut self) -> Result<Command, Problem> {
        self.take_flag("FORCE")?;
        Ok(Command::AlterQueueManager(self.settings(Kind::QueueManager, false)?))
    }

    fn delete(&mut self, kind: Kind) -> Result<Command, Problem> {
        let name = self.object_name(kind)?;
        let (mut purge, mut authority_records) = (false, true);
        if kind != Kind::Subscription {
            authority_records = self.take_switch("AUTHREC", true)?;
            self.take_switch("IGNSTATE", false)?;
        }
        if kind == Kind::QueueLocal {
            purge = self.take_flag("PURGE")?;
            if self.take_flag("NOPURGE")? && purge {
                return Err(self.statement.problem_here("PURGE and NOPURGE exclude each other"));
            }
        }
        Ok(Command::Delete(Delete { kind, name, purge, authority_records }))
    }

    /// Generic class names are accepted, as on the platforms that have them.
    fn refresh(&mut self) -> Result<Command, Problem> {
        self.name = None;
        let kind = self.take_value(&["TYPE"])?;
        match kind {
            Some(operand) if !["AUTHSERV", "CONNAUTH", "SSL"].contains(&operand.text.as_str()) => {
                Err(self.bad_value("TYPE", &operand.text, "expected AUTHSERV, CONNAUTH, SSL"))
            }
            _ => Ok(Command::RefreshSecurity),
        }
    }

    /// All remaining parameters as settings of attributes.
    fn settings(&mut self, kind: Kind, defining: bool) -> Result<Vec<Setting>, Problem> {
        let mut settings: Vec<Setting> = Vec::new();
        for parameter in std::mem::take(&mut self.parameters) {
            let attribute = attribute::find(kind, &parameter.keyword).ok_or_else(|| self.unknown(&parameter))?;
            let may_set = match attribute.access {
                Access::Settable => true,
                Access::Fixed => defining,
                Access::ReadOnly => false,
            };
            if !may_set {
                let verb = if defining { "set" } else { "altered" };
                let problem = format!("{} cannot be {verb}", parameter.keyword);
                return Err(self.statement.problem_at(parameter.end, problem));
            }
            if settings.iter().any(|known| std::ptr::eq(known.attribute, attribute)) {
                let problem = self.statement.problem_at(parameter.end, attribute.mqsc);
                return Err(problem.with_message(message::DUPLICATE));
            }
            let value = self.value(attribute, &parameter)?;
            settings.push(Setting { attribute, value });
        }
        Ok(settings)
    }

    fn value(&self, attribute: &Attribute, parameter: &Parameter) -> Result<Value, Problem> {
        if let ValueType::Flag(words) = attribute.value {
            let word = words.iter().find(|word| word.mqsc == parameter.keyword);
            return match (word, &parameter.operands) {
                (Some(word), None) => Ok(Value::Integer(word.code)),
                _ => Err(self.statement.problem_at(parameter.end, format!("{} takes no value", parameter.keyword))),
            };
        }
        let text = match parameter.operands.as_deref() {
            Some(several) if several.len() > 1 && matches!(attribute.value, ValueType::Choice(_)) => {
                several.iter().map(|operand| operand.text.as_str()).collect::<Vec<_>>().join(",")
            }
            _ => self.one_value(parameter)?.text,
        };
        attribute.value.parse(&text).map_err(|problem| {
            let message = match problem {
                ValueProblem::OutOfRange { .. } => message::RANGE,
                ValueProblem::TooLong { .. } => message::LENGTH,
                ValueProblem::NotAName { .. } => message::NAME,
                _ => message::VALUE,
            };
            let shown: String = text.chars().take(64).collect();
            self.statement
                .problem_at(parameter.end, format!("{}({shown}): {problem}", parameter.keyword))
                .with_message(message)
        })
    }

    fn display_queues(&mut self) -> Result<Command, Problem> {
        let mut kinds = Kind::QUEUES.to_vec();
        let operand = match self.take_with_value("TYPE")? {
            Some(operand) => Some(operand),
            None => self.take_with_value("QTYPE")?,
        };
        if let Some(operand) = operand {
            match lookup(OBJECTS, &operand.text) {
                _ if operand.text == "ALL" => {}
                Some(Object::Definition(kind)) if kind.is_queue() => kinds = vec![kind],
                _ => return Err(self.bad_value("TYPE", &operand.text, "expected a kind of queue or ALL")),
            }
        }
        self.display_objects(kinds)
    }

    fn display_objects(&mut self, kinds: Vec<Kind>) -> Result<Command, Problem> {
        let first = kinds.first().copied().unwrap_or(Kind::QueueLocal);
        let name = self.pattern(first)?;
        if first == Kind::Topic
            && let Some(operand) = self.take_with_value("TYPE")?
            && !["LOCAL", "ALL"].contains(&operand.text.as_str())
        {
            return Err(self.bad_value("TYPE", &operand.text, "expected LOCAL or ALL"));
        }
        let mut request = self.request(&|keyword| definition_keyword(&kinds, keyword))?;
        // One object, nothing named: MQ shows all of it. A generic name shows names and types.
        if !name.is_generic() && request.condition.is_none() && request.selection == Selection::Usual {
            request.selection = Selection::All;
        }
        Ok(Command::DisplayObjects { kinds, name, request })
    }

    fn display_queue_status(&mut self) -> Result<Command, Problem> {
        let name = self.pattern(Kind::QueueLocal)?;
        let handles = match self.take_value(&["TYPE"])? {
            None => false,
            Some(operand) if operand.text == "QUEUE" => false,
            Some(operand) if operand.text == "HANDLE" => true,
            Some(operand) => return Err(self.bad_value("TYPE", &operand.text, "expected QUEUE or HANDLE")),
        };
        let open = match self.take_value(&["OPENTYPE"])?.as_ref().map(|operand| operand.text.as_str()) {
            None | Some("ALL") => OpenType::All,
            Some("INPUT") => OpenType::Input,
            Some("OUTPUT") => OpenType::Output,
            Some(other) => return Err(self.bad_value("OPENTYPE", other, "expected ALL, INPUT or OUTPUT")),
        };
        let (about, request) = if handles {
            let request = self.request(&|keyword| status::find(status::QUEUE_HANDLES, keyword))?;
            (QueueStatusOf::Handles(open), request)
        } else {
            (QueueStatusOf::Queue, self.request(&|keyword| status::find(status::QUEUE_STATUS, keyword))?)
        };
        Ok(Command::DisplayQueueStatus { name, about, request })
    }

    fn display_connections(&mut self) -> Result<Command, Problem> {
        let identifier = Pattern::parse(&self.text_name()?.to_ascii_uppercase());
        let extended = self.take_value(&["EXTCONN"])?.map(|operand| Pattern::parse(&operand.text.to_ascii_uppercase()));
        let parts = match self.take_value(&["TYPE"])?.as_ref().map(|operand| operand.text.as_str()) {
            None | Some("CONN") => ConnectionParts::Connection,
            Some("HANDLE") => ConnectionParts::Handles,
            Some("ALL" | "*") => ConnectionParts::All,
            Some(other) => return Err(self.bad_value("TYPE", other, "expected CONN, HANDLE or ALL")),
        };
        let request = self.request(&|keyword| {
            status::find(status::CONNECTION, keyword).or_else(|| status::find(status::CONNECTION_HANDLES, keyword))
        })?;
        Ok(Command::DisplayConnections(ConnectionQuery { identifier, extended, parts, request }))
    }

    /// ALL, WHERE and the attributes named; these are all the parameters that remain.
    fn request(&mut self, known: &dyn Fn(&str) -> Option<(&'static str, ValueType)>) -> Result<Request, Problem> {
        let condition = self.condition(known)?;
        let all = self.take_flag("ALL")?;
        let mut names = Vec::new();
        for parameter in std::mem::take(&mut self.parameters) {
            let (name, _) = known(&parameter.keyword).ok_or_else(|| self.unknown(&parameter))?;
            if parameter.operands.is_some() {
                let problem = format!("{} takes no value here; use WHERE to select", parameter.keyword);
                return Err(self.statement.problem_at(parameter.end, problem));
            }
            names.push(name);
        }
        let selection = match (all, names.is_empty()) {
            (true, _) => Selection::All,
            (false, true) => Selection::Usual,
            (false, false) => Selection::Named(names),
        };
        Ok(Request { selection, condition })
    }

    fn condition(
        &mut self,
        known: &dyn Fn(&str) -> Option<(&'static str, ValueType)>,
    ) -> Result<Option<Condition>, Problem> {
        let Some(parameter) = self.take(&["WHERE"]) else { return Ok(None) };
        let refuse =
            |problem: String| Err(self.statement.problem_at(parameter.end, problem).with_message(message::FILTER));
        let Some([keyword, operator, value]) = parameter.operands.as_deref() else {
            return refuse("expected a keyword, an operator and a value".to_owned());
        };
        let Some((name, kind)) = known(&keyword.text) else {
            return refuse(format!("{} is not an attribute here", keyword.text));
        };
        Condition::new(name, &kind, &operator.text, &value.text).map(Some).or_else(refuse)
    }

    fn object_type(&mut self) -> Result<Option<AuthorityObject>, Problem> {
        match self.take_value(&["OBJTYPE"])? {
            None => Ok(None),
            Some(operand) => match authority_words::object(&operand.text) {
                Some(object) => Ok(Some(object)),
                None => Err(self.bad_value("OBJTYPE", &operand.text, "not a type of object")),
            },
        }
    }

    fn entities(&mut self) -> Vec<Entity> {
        let mut entities = Vec::new();
        for (keyword, make) in
            [("PRINCIPAL", Entity::Principal as fn(String) -> Entity), ("GROUP", Entity::Group as fn(String) -> Entity)]
        {
            if let Some(parameter) = self.take(&[keyword]) {
                entities.extend(parameter.operands.unwrap_or_default().into_iter().map(|operand| make(operand.text)));
            }
        }
        entities
    }

    fn authority_key(&mut self) -> Result<AuthorityKey, Problem> {
        let profile = self.take_value(&["PROFILE"])?.map(|operand| operand.text);
        let Some(object) = self.object_type()? else { return Err(self.missing("OBJTYPE")) };
        let entities = self.entities();
        self.take_value(&["SERVCOMP"])?;
        if entities.is_empty() {
            return Err(self.missing("PRINCIPAL or GROUP"));
        }
        if profile.is_none() && object != AuthorityObject::QueueManager {
            return Err(self.missing("PROFILE"));
        }
        Ok(AuthorityKey { profile, object, entities })
    }

    fn set_authority(&mut self) -> Result<Command, Problem> {
        let key = self.authority_key()?;
        let add = self.authorities("AUTHADD", key.object)?;
        let remove = self.authorities("AUTHRMV", key.object)?;
        if add.is_none() && remove.is_none() {
            return Err(self.missing("AUTHADD or AUTHRMV"));
        }
        let (add, remove) = (add.unwrap_or_default(), remove.unwrap_or_default());
        Ok(Command::SetAuthority(SetAuthority { key, add, remove }))
    }

    fn authorities(&mut self, keyword: &str, object: AuthorityObject) -> Result<Option<Authority>, Problem> {
        let Some(parameter) = self.take(&[keyword]) else { return Ok(None) };
        let Some(operands) = &parameter.operands else { return Err(self.missing(&format!("{keyword} with a list"))) };
        let mut authorities = Authority::empty();
        for operand in operands {
            match authority_words::authority(&operand.text, object) {
                Some(authority) => authorities |= authority,
                None => return Err(self.bad_value(keyword, &operand.text, "not an authority")),
            }
        }
        Ok(Some(authorities))
    }

    fn display_authority(&mut self) -> Result<Command, Problem> {
        let profile = self.take_value(&["PROFILE"])?.map(|operand| Pattern::parse(&operand.text));
        let object = self.object_type()?;
        let mut entities = self.entities();
        self.take_value(&["SERVCOMP"])?;
        if let Some(operand) = self.take_value(&["MATCH"])?
            && !["PROFILE", "EXACT"].contains(&operand.text.as_str())
        {
            return Err(self.bad_value("MATCH", &operand.text, "expected PROFILE or EXACT"));
        }
        if entities.len() > 1 {
            return Err(self.statement.problem_here("one PRINCIPAL or GROUP is expected"));
        }
        let request = self.request(&|keyword| status::find(status::AUTHORITY, keyword))?;
        Ok(Command::DisplayAuthority(AuthorityQuery { profile, object, entity: entities.pop(), request }))
    }
}

/// The attribute a keyword names for any of these kinds.
fn definition_keyword(kinds: &[Kind], keyword: &str) -> Option<(&'static str, ValueType)> {
    let row = kinds.iter().find_map(|kind| attribute::find(*kind, keyword))?;
    Some((row.mqsc, row.value))
}
