//! DISPLAY of definitions; and what every DISPLAY has: ALL, WHERE and the attributes to show.

use model::definition::attribute::{self, Kind, Membership, ValueType};

use crate::command::{Command, Condition, Pattern, Request, Selection};
use crate::message;
use crate::mqsc::interpret::object;
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;

impl Reader {
    pub(super) fn display_queue_manager(&mut self) -> Result<Command, Problem> {
        let mut group = Vec::new();
        for name in attribute::QUEUE_MANAGER_GROUPS {
            if self.take_flag(name)? {
                group.extend(attribute::queue_manager_group(name, self.membership));
            }
        }
        let membership = self.membership;
        let mut request = self.request(&|keyword| definition_keyword(membership, &[Kind::QueueManager], keyword))?;
        if !group.is_empty() {
            request.selection = match request.selection {
                Selection::All => Selection::All,
                Selection::Usual => Selection::Named(group),
                Selection::Named(names) => Selection::Named([names, group].concat()),
            };
        }
        Ok(Command::DisplayQueueManager(request))
    }

    pub(super) fn display_queues(&mut self) -> Result<Command, Problem> {
        let mut kinds = Kind::QUEUES.to_vec();
        let operand = match self.take_with_value("TYPE")? {
            Some(operand) => Some(operand),
            None => self.take_with_value("QTYPE")?,
        };
        if let Some(operand) = operand {
            match object::definition_kind(&operand.text) {
                _ if operand.text == "ALL" => {}
                Some(kind) if kind.is_queue() => kinds = vec![kind],
                _ => return Err(self.bad_value("TYPE", &operand.text, "expected a kind of queue or ALL")),
            }
        }
        self.display_objects(kinds)
    }

    /// CHLTYPE, which may be called TYPE, or AUTHTYPE chooses among the kinds; ALL is every one.
    pub(super) fn display_typed(&mut self, kinds: &[Kind]) -> Result<Command, Problem> {
        let keyword = kinds.first().and_then(|kind| kind.type_parameter()).map_or("TYPE", |(keyword, _)| keyword);
        let operand = match self.take_with_value(keyword)? {
            Some(operand) => Some(operand),
            None if keyword == "CHLTYPE" => self.take_with_value("TYPE")?,
            None => None,
        };
        let Some(operand) = operand.filter(|operand| operand.text != "ALL") else {
            return self.display_objects(kinds.to_vec());
        };
        match object::of_type(kinds, &operand.text) {
            Some(kind) => self.display_objects(vec![kind]),
            None => {
                let expected = format!("expected ALL or one of {}", object::types(kinds));
                Err(self.bad_value(keyword, &operand.text, &expected))
            }
        }
    }

    pub(super) fn display_objects(&mut self, kinds: Vec<Kind>) -> Result<Command, Problem> {
        let first = kinds.first().copied().unwrap_or(Kind::QueueLocal);
        let name = self.pattern(first)?;
        if first == Kind::Topic
            && let Some(operand) = self.take_with_value("TYPE")?
            && !["LOCAL", "ALL"].contains(&operand.text.as_str())
        {
            return Err(self.bad_value("TYPE", &operand.text, "expected LOCAL or ALL"));
        }
        if let [kind] = kinds[..]
            && let Some((keyword, word)) = kind.type_parameter()
            && let Some(operand) = self.take_with_value(keyword)?
            && ![word, "ALL"].contains(&operand.text.as_str())
        {
            return Err(self.bad_value(keyword, &operand.text, &format!("expected {word} or ALL")));
        }
        let mut having = Vec::new();
        if first.is_queue() || first == Kind::Topic {
            // What a cluster would tell of queues and topics elsewhere: there is no cluster to tell it.
            self.take_flag("CLUSINFO")?;
            having = self.having(&kinds)?;
        }
        let dispositions = self.take_dispositions_to_show(first)?;
        let membership = self.membership;
        let mut request = self.request(&|keyword| definition_keyword(membership, &kinds, keyword))?;
        all_of_one(&mut request, !name.is_generic());
        Ok(Command::DisplayObjects { kinds, name, having, dispositions, request })
    }

    /// CFSTRUCT, CLUSTER, CLUSNL and TARGTYPE with a value choose objects; without one they are attributes to show.
    fn having(&mut self, kinds: &[Kind]) -> Result<Vec<(&'static str, Pattern)>, Problem> {
        let mut having = Vec::new();
        for keyword in ["CFSTRUCT", "CLUSTER", "CLUSNL", "TARGTYPE"] {
            let is_known = kinds.iter().any(|kind| self.membership.find(*kind, keyword).is_some());
            let Some(operand) = (if is_known { self.take_with_value(keyword)? } else { None }) else { continue };
            match operand.text.as_str() {
                "ALL" if keyword == "TARGTYPE" => {}
                "QUEUE" | "TOPIC" => having.push((keyword, Pattern::parse(&operand.text))),
                other if keyword == "TARGTYPE" => {
                    return Err(self.bad_value(keyword, other, "expected ALL, QUEUE or TOPIC"));
                }
                _ => having.push((keyword, Pattern::parse(&operand.text))),
            }
        }
        Ok(having)
    }

    /// ALL, WHERE and the attributes named; these are all the parameters that remain.
    pub(super) fn request(
        &mut self,
        known: &dyn Fn(&str) -> Option<(&'static str, ValueType)>,
    ) -> Result<Request, Problem> {
        let condition = self.condition(known)?;
        let all = self.take_flag("ALL")?;
        let mut names = Vec::new();
        for parameter in std::mem::take(&mut self.parameters) {
            let (name, _) = known(&parameter.keyword).ok_or_else(|| self.unknown(&parameter))?;
            if parameter.operands.is_some() {
                let problem = format!("{} takes no value here; use WHERE to select", parameter.keyword);
                return Err(self.problem_at(parameter.end, problem).about(&parameter.keyword));
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

    pub(super) fn condition(
        &mut self,
        known: &dyn Fn(&str) -> Option<(&'static str, ValueType)>,
    ) -> Result<Option<Condition>, Problem> {
        let Some(parameter) = self.take(&["WHERE"]) else { return Ok(None) };
        let refuse = |problem: String| Err(self.problem_at(parameter.end, problem).with_message(message::FILTER));
        let Some([keyword, operator, value]) = parameter.operands.as_deref() else {
            return refuse("expected a keyword, an operator and a value".to_owned());
        };
        let Some((name, kind)) = known(&keyword.text) else {
            return refuse(format!("{} is not an attribute here", keyword.text));
        };
        Condition::new(name, &kind, &operator.text, &value.text).map(Some).or_else(refuse)
    }
}

/// One object, nothing named: MQ shows all of it. A generic name shows names and types.
pub(super) fn all_of_one(request: &mut Request, is_one: bool) {
    if is_one && request.condition.is_none() && request.selection == Selection::Usual {
        request.selection = Selection::All;
    }
}

/// The attribute a keyword names for any of these kinds.
pub(super) fn definition_keyword(
    membership: Membership,
    kinds: &[Kind],
    keyword: &str,
) -> Option<(&'static str, ValueType)> {
    let row = kinds.iter().find_map(|kind| membership.find(*kind, keyword))?;
    Some((row.mqsc, row.value))
}
