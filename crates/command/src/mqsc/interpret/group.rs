//! What members of a queue-sharing group have in commands: QSGDISP, CMDSCOPE, DISPLAY GROUP, DISPLAY CFSTATUS, and
//! DISPLAY THREAD and RESOLVE INDOUBT of units of recovery.
//!
//! Source: MQ reference, "DEFINE QLOCAL", "DISPLAY QUEUE", "DISPLAY GROUP", "DISPLAY CFSTATUS", "DISPLAY THREAD", "RESOLVE INDOUBT", 9.3.

use model::definition::attribute::{Kind, Membership};
use model::definition::queue::Disposition;
use model::name::ObjectName;

use crate::command::group::{DispositionChoice, GroupCommand, Scope, StructureStatusOf};
use crate::command::{Command, Pattern};
use crate::message;
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;
use crate::mqsc::statement::{Parameter, Statement};
use crate::status::{self, structure};

const TO_DEFINE: [(&str, Disposition); 4] = [
    ("COPY", Disposition::Copy),
    ("GROUP", Disposition::Group),
    ("QMGR", Disposition::QueueManager),
    ("SHARED", Disposition::Shared),
];
/// What else ALTER and DELETE may be about.
const TO_CHANGE: [(&str, DispositionChoice); 5] = [
    ("COPY", DispositionChoice::Copy),
    ("GROUP", DispositionChoice::Group),
    ("PRIVATE", DispositionChoice::Private),
    ("QMGR", DispositionChoice::QueueManager),
    ("SHARED", DispositionChoice::Shared),
];
const TO_CLEAR: [(&str, DispositionChoice); 2] =
    [("PRIVATE", DispositionChoice::Private), ("SHARED", DispositionChoice::Shared)];

/// The command as MQSC that members of CMDSCOPE run; blank when there is no CMDSCOPE.
pub(super) fn without_scope(statement: &Statement) -> String {
    let is_scope = |parameter: &Parameter| parameter.keyword == "CMDSCOPE";
    if !statement.parameters.iter().any(is_scope) {
        return String::new();
    }
    let mut statement = statement.clone();
    statement.parameters.retain(|parameter| !is_scope(parameter));
    statement.text()
}

impl Reader {
    fn has_dispositions(&self, kind: Kind) -> bool {
        self.membership == Membership::Member && kind.has_disposition()
    }

    /// CMDSCOPE, which members alone have.
    pub(super) fn take_scope(&mut self) -> Result<Option<Scope>, Problem> {
        if self.membership == Membership::Alone {
            return Ok(None);
        }
        let Some(operand) = self.take_value(&["CMDSCOPE"])? else { return Ok(None) };
        let text = operand.text.trim_end();
        Ok(Some(match text {
            "" => Scope::Here,
            "*" => Scope::All,
            name => {
                ObjectName::parse(name).map_err(|error| self.problem(error.to_string()).with_message(message::NAME))?;
                Scope::Member(name.to_owned())
            }
        }))
    }

    /// QSGDISP of DEFINE.
    pub(super) fn take_disposition(&mut self, kind: Kind) -> Result<Disposition, Problem> {
        if !self.has_dispositions(kind) {
            return Ok(Disposition::QueueManager);
        }
        let words = if kind.is_queue() { &TO_DEFINE[..] } else { &TO_DEFINE[..3] };
        Ok(self.take_word("QSGDISP", words)?.unwrap_or_default())
    }

    /// QSGDISP of ALTER and DELETE.
    pub(super) fn take_dispositions(&mut self, kind: Kind) -> Result<DispositionChoice, Problem> {
        if !self.has_dispositions(kind) {
            return Ok(DispositionChoice::QueueManager);
        }
        let words = if kind.is_queue() { &TO_CHANGE[..] } else { &TO_CHANGE[..4] };
        Ok(self.take_word("QSGDISP", words)?.unwrap_or_default())
    }

    /// QSGDISP of CLEAR.
    pub(super) fn take_dispositions_to_clear(&mut self) -> Result<DispositionChoice, Problem> {
        if !self.has_dispositions(Kind::QueueLocal) {
            return Ok(DispositionChoice::QueueManager);
        }
        Ok(self.take_word("QSGDISP", &TO_CLEAR)?.unwrap_or(DispositionChoice::Private))
    }

    /// QSGDISP of DISPLAY: with a value it chooses queues, without one it is an attribute to show.
    pub(super) fn take_dispositions_to_show(&mut self, kind: Kind) -> Result<DispositionChoice, Problem> {
        if !self.has_dispositions(kind) {
            return Ok(DispositionChoice::Live);
        }
        Ok(self.take_choice("QSGDISP", &DispositionChoice::WORDS)?.unwrap_or(DispositionChoice::Live))
    }

    /// The name of a structure: letters in upper case and digits, a letter first.
    pub(super) fn check_structure_name(&self, kind: Kind, name: &str) -> Result<(), Problem> {
        let is_right = name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.chars().all(|character| character.is_ascii_uppercase() || character.is_ascii_digit());
        if kind != Kind::Structure || is_right {
            return Ok(());
        }
        let problem = format!("'{name}' is not the name of a structure: it has to have A-Z 0-9, and a letter first");
        Err(self.problem(problem).with_message(message::NAME))
    }

    /// What the group has obsolete messages of, which OBSMSGS asks for, there is none of.
    pub(super) fn display_group(&mut self) -> Result<Command, Problem> {
        self.take_switch("OBSMSGS", false)?;
        let request = self.request(&|keyword| status::find(structure::GROUP, keyword))?;
        Ok(Command::Group(GroupCommand::Display(request)))
    }

    /// Programs that are connected have no threads here: DISPLAY CONN shows them. So TYPE is INDOUBT, and `*` is the same.
    pub(super) fn display_in_doubt(&mut self) -> Result<Command, Problem> {
        self.every_connection()?;
        if self.take_word("TYPE", &[("INDOUBT", ()), ("*", ())])?.is_none() {
            return Err(self.missing("TYPE"));
        }
        let request = self.request(&|keyword| status::find(structure::IN_DOUBT, keyword))?;
        Ok(Command::Group(GroupCommand::DisplayInDoubt(request)))
    }

    pub(super) fn resolve_in_doubt(&mut self) -> Result<Command, Problem> {
        self.every_connection()?;
        let commits = self.take_word("ACTION", &[("COMMIT", true), ("BACKOUT", false)])?;
        let commits = commits.ok_or_else(|| self.missing("ACTION"))?;
        let identifier = self.take_value(&["NID"])?.ok_or_else(|| self.missing("NID"))?;
        let identifier = identifier.text.trim_end().to_owned();
        Ok(Command::Group(GroupCommand::ResolveInDoubt { identifier, commits }))
    }

    /// A branch has no connection any more whose name could be given.
    fn every_connection(&mut self) -> Result<(), Problem> {
        match self.text_name()?.as_str() {
            "*" => Ok(()),
            name => Err(self.problem(format!("'{name}' is not *: units of recovery have no connection name"))),
        }
    }

    pub(super) fn display_structure_status(&mut self) -> Result<Command, Problem> {
        let name = Pattern::parse(&self.text_name()?);
        let words = [
            ("SUMMARY", StructureStatusOf::Summary),
            ("CONNECT", StructureStatusOf::Connections),
            ("BACKUP", StructureStatusOf::Backup),
            ("SMDS", StructureStatusOf::DataSets),
        ];
        let about = self.take_word("TYPE", &words)?.unwrap_or(StructureStatusOf::Summary);
        let request = match about {
            StructureStatusOf::Summary => self.request(&|keyword| status::find(structure::SUMMARY, keyword))?,
            StructureStatusOf::Connections | StructureStatusOf::Backup | StructureStatusOf::DataSets => {
                self.request(&|keyword| status::find(structure::CONNECTIONS, keyword))?
            }
        };
        Ok(Command::Group(GroupCommand::DisplayStructureStatus { name, about, request }))
    }
}
