//! Commands about the queue manager as a whole: REFRESH, RESET, the command server, connections, figures, traces, log messages.

use model::definition::attribute::Kind;

use crate::command::system::{SystemCommand, TraceSelection};
use crate::command::{Command, Pattern, RefreshConfiguration};
use crate::message;
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;
use crate::mqsc::statement::Verb;
use crate::status;

/// Most messages that SET SYSTEM EXCLMSG takes.
const MAXIMUM_EXCLUDED: usize = 16;

/// Of INCLINT, in minutes.
const MAXIMUM_INTERVAL: u32 = 999_999;

impl Reader {
    /// Generic class names are accepted, as on the platforms that have them.
    pub(super) fn refresh_security(&mut self) -> Result<Command, Problem> {
        self.ignore_name();
        let kind = self.take_value(&["TYPE"])?;
        match kind {
            Some(operand) if !["AUTHSERV", "CONNAUTH", "SSL"].contains(&operand.text.as_str()) => {
                Err(self.bad_value("TYPE", &operand.text, "expected AUTHSERV, CONNAUTH, SSL"))
            }
            _ => Ok(Command::RefreshSecurity),
        }
    }

    /// TYPE(CONFIGEV) alone; what else can be refreshed belongs to clusters and to z/OS.
    pub(super) fn refresh_queue_manager(&mut self) -> Result<Command, Problem> {
        let Some(kind) = self.take_value(&["TYPE"])? else { return Err(self.missing("TYPE")) };
        match kind.text.as_str() {
            "CONFIGEV" => {}
            "EARLY" | "EXPIRY" | "NSTATS" | "PROXYSUB" => {
                return Err(Problem::unsupported(format!("REFRESH QMGR TYPE({})", kind.text)));
            }
            other => return Err(self.bad_value("TYPE", other, "expected CONFIGEV")),
        }
        let kinds = match self.take_value(&["OBJECT"])? {
            None => None,
            Some(operand) if operand.text == "ALL" => None,
            Some(operand) => {
                let word = operand.text.as_str();
                let is_named = |kind: &Kind| kind.mqsc() == word || word == "QUEUE" && kind.is_queue();
                let kinds: Vec<_> = Kind::ALL.into_iter().filter(is_named).collect();
                if kinds.is_empty() {
                    return Err(self.bad_value("OBJECT", word, "not a type of object"));
                }
                Some(kinds)
            }
        };
        let name = self.take_value(&["NAME"])?.map(|operand| Pattern::parse(&operand.text));
        let within_minutes = match self.take_value(&["INCLINT"])? {
            None => None,
            Some(operand) => match operand.text.parse::<u32>() {
                Ok(minutes) if minutes <= MAXIMUM_INTERVAL => Some(minutes).filter(|minutes| *minutes > 0),
                _ => return Err(self.bad_value("INCLINT", &operand.text, "expected minutes, 0 to 999999")),
            },
        };
        Ok(Command::RefreshConfiguration(RefreshConfiguration { kinds, name, within_minutes }))
    }

    /// TYPE(STATISTICS) alone; what else can be reset belongs to logs and hierarchies.
    pub(super) fn reset_queue_manager(&mut self) -> Result<Command, Problem> {
        let Some(kind) = self.take_value(&["TYPE"])? else { return Err(self.missing("TYPE")) };
        match kind.text.as_str() {
            "STATISTICS" => Ok(Command::ResetStatistics),
            "ADVANCELOG" | "ARCHLOG" | "PUBSUB" | "REDUCELOG" => {
                Err(Problem::unsupported(format!("RESET QMGR TYPE({})", kind.text)))
            }
            other => Err(self.bad_value("TYPE", other, "expected STATISTICS")),
        }
    }

    pub(super) fn display_command_server(&mut self) -> Result<Command, Problem> {
        let request = self.request(&|keyword| status::find(status::system::COMMAND_SERVER, keyword))?;
        Ok(Command::System(SystemCommand::DisplayCommandServer(request)))
    }

    pub(super) fn switch_command_server(&mut self, on: bool) -> Result<Command, Problem> {
        Ok(Command::System(SystemCommand::SwitchCommandServer(on)))
    }

    pub(super) fn stop_connection(&mut self) -> Result<Command, Problem> {
        let identifier = self.text_name()?.to_ascii_uppercase();
        let extended = self.take_text("EXTCONN", 32)?.map(|text| text.to_ascii_uppercase());
        let is_hexadecimal =
            |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hexadecimal(&identifier, 16) {
            let problem = format!("{identifier} is not a connection identifier of 16 hexadecimal digits");
            return Err(self.problem(problem).with_message(message::NAME));
        }
        if let Some(text) = extended.as_ref().filter(|text| !is_hexadecimal(text, 32)) {
            return Err(self.bad_value("EXTCONN", text, "expected 32 hexadecimal digits"));
        }
        Ok(Command::System(SystemCommand::StopConnection { identifier, extended }))
    }

    pub(super) fn reset_queue_statistics(&mut self) -> Result<Command, Problem> {
        let name = Pattern::parse(&self.text_name()?);
        let request = self.request(&|keyword| status::find(status::system::QUEUE_STATISTICS, keyword))?;
        Ok(Command::System(SystemCommand::ResetQueueStatistics { name, request }))
    }

    pub(super) fn display_system(&mut self) -> Result<Command, Problem> {
        let request = self.request(&|keyword| status::find(status::system::SYSTEM, keyword))?;
        Ok(Command::System(SystemCommand::DisplaySystem(request)))
    }

    /// EXCLMSG alone; every other parameter of SET SYSTEM is refused by name.
    pub(super) fn set_system(&mut self) -> Result<Command, Problem> {
        if let Some(other) = self.parameters.iter().find(|parameter| parameter.keyword != "EXCLMSG") {
            return Err(Problem::unsupported(format!("SET SYSTEM {}", other.keyword)));
        }
        let Some(list) = self.take_list("EXCLMSG")? else { return Err(self.missing("EXCLMSG")) };
        let list: Vec<_> = list.into_iter().filter(|item| !item.is_empty() && item != "NONE").collect();
        if list.len() > MAXIMUM_EXCLUDED {
            return Err(self.problem(format!("EXCLMSG takes at most {MAXIMUM_EXCLUDED} messages")));
        }
        let is_identifier = |item: &&String| {
            (4..=9).contains(&item.len())
                && item.starts_with(|c: char| c.is_ascii_uppercase())
                && item.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        };
        if let Some(item) = list.iter().find(|item| !is_identifier(item)) {
            return Err(self.bad_value("EXCLMSG", item, "expected identifiers as X511 or AMQ9001"));
        }
        Ok(Command::System(SystemCommand::ExcludeMessages(list)))
    }

    pub(super) fn start_trace(&mut self) -> Result<Command, Problem> {
        self.trace_type(Verb::Start)?;
        let classes = self.trace_classes(Verb::Start)?;
        let classes = if classes.is_empty() { vec![1] } else { classes };
        if let Some(destination) = self.take_list("DEST")?.and_then(|list| list.into_iter().find(|word| word != "SMF"))
        {
            return Err(Problem::unsupported(format!("START TRACE DEST({destination})")));
        }
        self.refuse_constraints(Verb::Start, &["RMID", "TDATA", "USERID", "JOBNAME", "IFCID", "CMDSCOPE"])?;
        let comment = self.take_text("COMMENT", 256)?.unwrap_or_default();
        Ok(Command::System(SystemCommand::StartTrace { classes, comment }))
    }

    pub(super) fn stop_trace(&mut self) -> Result<Command, Problem> {
        let selection = self.trace_selection(Verb::Stop)?;
        Ok(Command::System(SystemCommand::StopTrace(selection)))
    }

    pub(super) fn display_trace(&mut self) -> Result<Command, Problem> {
        let selection = self.trace_selection(Verb::Display)?;
        self.take_value(&["DETAIL"])?;
        let request = self.request(&|keyword| status::find(status::system::TRACE, keyword))?;
        Ok(Command::System(SystemCommand::DisplayTrace { selection, request }))
    }

    fn trace_selection(&mut self, verb: Verb) -> Result<TraceSelection, Problem> {
        let is_limited = self.trace_type(verb)?;
        let classes = self.trace_classes(verb)?;
        if !is_limited && !classes.is_empty() {
            return Err(self.problem("CLASS does not go with traces of every type"));
        }
        let mut numbers = Vec::new();
        for text in self.take_list("TNO")?.unwrap_or_default() {
            match text.parse() {
                _ if text == "*" => {}
                Ok(number) if number <= 32 => numbers.push(number),
                _ => return Err(self.bad_value("TNO", &text, "expected numbers from 0 to 32")),
            }
        }
        self.take_list("DEST")?;
        self.take_text("COMMENT", 256)?;
        self.refuse_constraints(verb, &["RMID", "USERID", "CMDSCOPE"])?;
        Ok(TraceSelection { classes, numbers })
    }

    /// Whether a type was named rather than `*`. Only accounting is traced here.
    fn trace_type(&mut self, verb: Verb) -> Result<bool, Problem> {
        let text = match verb {
            Verb::Display if !self.has_name() => "*".to_owned(),
            _ => self.text_name()?,
        };
        match text.as_str() {
            "ACCTG" | "A" => Ok(true),
            "*" if verb != Verb::Start => Ok(false),
            "CHINIT" | "CHI" | "DQM" | "GLOBAL" | "G" | "STAT" | "S" => {
                Err(Problem::unsupported(format!("{} TRACE({text})", verb.name())))
            }
            _ => Err(self.problem(format!("{text} is not a type of trace")).with_message(message::VALUE)),
        }
    }

    fn trace_classes(&mut self, verb: Verb) -> Result<Vec<u8>, Problem> {
        let mut classes = Vec::new();
        for text in self.take_list("CLASS")?.unwrap_or_default() {
            match text.parse::<u8>() {
                _ if text == "*" && verb == Verb::Start => classes = vec![1, 3],
                _ if text == "*" => {}
                Ok(class @ (1 | 3)) => classes.push(class),
                Ok(class @ 2..=32) => {
                    return Err(Problem::unsupported(format!("{} TRACE(ACCTG) CLASS({class})", verb.name())));
                }
                _ => return Err(self.bad_value("CLASS", &text, "expected numbers of classes")),
            }
        }
        classes.sort_unstable();
        classes.dedup();
        Ok(classes)
    }

    /// Parameters that would limit a trace to some of the work: refused by name, unless they limit nothing.
    fn refuse_constraints(&mut self, verb: Verb, keywords: &[&str]) -> Result<(), Problem> {
        for keyword in keywords {
            let list = self.take_list(keyword)?.unwrap_or_default();
            if list.iter().any(|item| !item.is_empty() && item != "*") {
                return Err(Problem::unsupported(format!("{} TRACE {keyword}", verb.name())));
            }
        }
        Ok(())
    }
}
