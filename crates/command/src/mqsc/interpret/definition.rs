//! DEFINE, ALTER, DELETE and CLEAR of everything that is a definition.

use model::definition::attribute::{Access, Attribute, Kind, Membership, Value, ValueProblem, ValueType};
use model::name::ObjectName;

use crate::command::{Alter, Command, Define, Delete, Setting};
use crate::message;
use crate::mqsc::interpret::object;
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;
use crate::mqsc::statement::Parameter;

impl Reader {
    pub(super) fn define(&mut self, kind: Kind) -> Result<Command, Problem> {
        let name = self.new_name(kind)?;
        self.check_structure_name(kind, &name)?;
        let like = self.take_value(&["LIKE"])?.map(|operand| operand.text);
        let replace = self.take_flag("REPLACE")?;
        if self.take_flag("NOREPLACE")? && replace {
            return Err(self.problem("REPLACE and NOREPLACE exclude each other"));
        }
        self.take_type(kind)?;
        let disposition = self.take_disposition(kind)?;
        let settings = self.settings(kind, true)?;
        Ok(Command::Define(Define { kind, name, like, replace, disposition, settings }))
    }

    pub(super) fn alter(&mut self, kind: Kind) -> Result<Command, Problem> {
        let name = self.object_name(kind)?;
        let force = self.take_flag("FORCE")?;
        self.take_type(kind)?;
        let dispositions = self.take_dispositions(kind)?;
        let settings = self.settings(kind, false)?;
        Ok(Command::Alter(Alter { kind, name, force, dispositions, settings }))
    }

    /// The type of a kind that has only one may be given.
    fn take_type(&mut self, kind: Kind) -> Result<(), Problem> {
        let (keyword, word) = match kind {
            Kind::Topic => ("TYPE", "LOCAL"),
            _ => match kind.type_parameter() {
                Some(parameter) => parameter,
                None => return Ok(()),
            },
        };
        match self.take_value(&[keyword])? {
            Some(operand) if operand.text != word => {
                Err(self.bad_value(keyword, &operand.text, &format!("expected {word}")))
            }
            _ => Ok(()),
        }
    }

    /// The kind that the type parameter names, which is left in its place; it has to be there.
    fn kind_of(&mut self, kinds: &[Kind]) -> Result<Kind, Problem> {
        let keyword = kinds.first().and_then(|kind| kind.type_parameter()).map_or("TYPE", |(keyword, _)| keyword);
        let Some(parameter) = self.parameters.iter().find(|parameter| parameter.keyword == keyword) else {
            return Err(self.missing(keyword));
        };
        let operand = self.one_value(parameter)?;
        object::of_type(kinds, &operand.text)
            .ok_or_else(|| self.bad_value(keyword, &operand.text, &format!("expected one of {}", object::types(kinds))))
    }

    pub(super) fn define_typed(&mut self, kinds: &[Kind]) -> Result<Command, Problem> {
        let kind = self.kind_of(kinds)?;
        self.define(kind)
    }

    pub(super) fn alter_typed(&mut self, kinds: &[Kind]) -> Result<Command, Problem> {
        let kind = self.kind_of(kinds)?;
        self.alter(kind)
    }

    /// Client connections stand in a table of their own, which CHLTABLE names.
    pub(super) fn delete_typed(&mut self, kinds: &[Kind]) -> Result<Command, Problem> {
        let other = kinds.first().copied().unwrap_or(Kind::ServerConnection);
        let kind = match self.take_value(&["CHLTABLE"])?.as_ref().map(|operand| operand.text.as_str()) {
            Some("CLNTTBL") if other.is_channel() => Kind::ClientConnection,
            None => other,
            Some("QMGRTBL") if other.is_channel() => other,
            Some(text) => return Err(self.bad_value("CHLTABLE", text, "expected QMGRTBL or CLNTTBL, of a channel")),
        };
        self.delete(kind)
    }

    pub(super) fn alter_queue_manager(&mut self) -> Result<Command, Problem> {
        self.take_flag("FORCE")?;
        Ok(Command::AlterQueueManager(self.settings(Kind::QueueManager, false)?))
    }

    pub(super) fn delete(&mut self, kind: Kind) -> Result<Command, Problem> {
        let name = self.object_name(kind)?;
        let (mut purge, mut authority_records, mut ignore_state) = (false, true, false);
        if kind != Kind::Subscription {
            authority_records = self.take_switch("AUTHREC", true)?;
            ignore_state = self.take_switch("IGNSTATE", false)?;
        }
        if kind == Kind::QueueLocal {
            purge = self.take_flag("PURGE")?;
            if self.take_flag("NOPURGE")? && purge {
                return Err(self.problem("PURGE and NOPURGE exclude each other"));
            }
        }
        let dispositions = self.take_dispositions(kind)?;
        let delete = Delete { kind, name, purge, authority_records, dispositions };
        Ok(if ignore_state { Command::DeleteIfThere(delete) } else { Command::Delete(delete) })
    }

    pub(super) fn clear_queue(&mut self) -> Result<Command, Problem> {
        let name = self.object_name(Kind::QueueLocal)?;
        let name = ObjectName::parse(&name).map_err(|e| self.problem(e.to_string()))?;
        Ok(Command::ClearQueue(name, self.take_dispositions_to_clear()?))
    }

    /// TOQLOCAL moves messages. TOCFSTRUCT is ours, and moves the queue, which keeps its name.
    pub(super) fn move_queue(&mut self) -> Result<Command, Problem> {
        let name = self.object_name(Kind::QueueLocal)?;
        let name = ObjectName::parse(&name).map_err(|e| self.problem(e.to_string()))?;
        if let Some(to) = self.take_text("TOQLOCAL", Kind::QueueLocal.maximum_name_length())? {
            let to = ObjectName::parse(&to).map_err(|e| self.problem(e.to_string()).with_message(message::NAME))?;
            let dispositions = self.take_dispositions_to_clear()?;
            let adds = self.take_word("TYPE", &[("MOVE", false), ("ADD", true)])?.unwrap_or(false);
            return Ok(Command::MoveMessages { from: name, dispositions, to, adds });
        }
        let structure = self.take_text("TOCFSTRUCT", Kind::Structure.maximum_name_length())?;
        let structure = structure.ok_or_else(|| self.missing("TOQLOCAL, or TOCFSTRUCT: where the messages go"))?;
        let structure = ObjectName::parse(&structure).map_err(|e| self.problem(e.to_string()))?;
        Ok(Command::MoveQueue { name, structure })
    }

    /// All remaining parameters as settings of attributes.
    pub(super) fn settings(&mut self, kind: Kind, defining: bool) -> Result<Vec<Setting>, Problem> {
        let mut settings: Vec<Setting> = Vec::new();
        for parameter in std::mem::take(&mut self.parameters) {
            let attribute = self.membership.find(kind, &parameter.keyword).ok_or_else(|| self.unknown(&parameter))?;
            let may_set = match attribute.access {
                Access::Settable => true,
                Access::Fixed => defining,
                Access::ReadOnly => false,
            };
            if !may_set {
                let verb = if defining { "set" } else { "altered" };
                let problem = format!("{} cannot be {verb}", parameter.keyword);
                return Err(self.problem_at(parameter.end, problem).about(&parameter.keyword));
            }
            if settings.iter().any(|known| std::ptr::eq(known.attribute, attribute)) {
                let problem = self.problem_at(parameter.end, attribute.mqsc);
                return Err(problem.with_message(message::DUPLICATE));
            }
            let value = self.value(attribute, &parameter)?;
            if self.membership == Membership::Alone && attribute.value.word_or_text(&value) == "SHAREDYN" {
                return Err(self.bad_value(attribute.mqsc, "SHAREDYN", "expected PERMDYN or TEMPDYN"));
            }
            settings.push(Setting { attribute, value });
        }
        Ok(settings)
    }

    pub(super) fn value(&self, attribute: &Attribute, parameter: &Parameter) -> Result<Value, Problem> {
        if let ValueType::Flag(words) = attribute.value {
            let word = words.iter().find(|word| word.mqsc == parameter.keyword);
            return match (word, &parameter.operands) {
                (Some(word), None) => Ok(Value::Integer(word.code)),
                _ => Err(self.problem_at(parameter.end, format!("{} takes no value", parameter.keyword))),
            };
        }
        let takes_several = attribute.value.is_list() || matches!(attribute.value, ValueType::Choice(_));
        let text = match parameter.operands.as_deref() {
            Some(several) if several.len() > 1 && takes_several => {
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
            self.problem_at(parameter.end, format!("{}({shown}): {problem}", parameter.keyword)).with_message(message)
        })
    }
}
