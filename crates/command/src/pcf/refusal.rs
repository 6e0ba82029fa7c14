//! Why a request is refused: the published reason, and which parameter it is about.

use model::definition::attribute::ValueProblem;
use model::pcf::Parameter;

use crate::mqsc::Problem;
use crate::pcf::Answer;

pub(super) const MQRCCF_CFH_TYPE_ERROR: i32 = 3001;
pub(super) const MQRCCF_CFH_MSG_SEQ_NUMBER_ERR: i32 = 3004;
pub(super) const MQRCCF_CFH_CONTROL_ERROR: i32 = 3005;
pub(super) const MQRCCF_CFH_COMMAND_ERROR: i32 = 3007;
pub(super) const MQRCCF_PARM_COUNT_TOO_SMALL: i32 = 3019;
pub(super) const MQRCCF_ESCAPE_TYPE_ERROR: i32 = 3054;
pub(super) const MQRCCF_TOO_MANY_FILTERS: i32 = 3248;
const MQRCCF_CFST_STRING_LENGTH_ERR: i32 = 3011;
const MQRCCF_CFBS_STRING_LENGTH_ERR: i32 = 3257;
const MQRCCF_Q_TYPE_ERROR: i32 = 3022;
const MQRCCF_PARM_VALUE_ERROR: i32 = 3229;
const MQRCCF_ATTR_VALUE_ERROR: i32 = 4005;
const MQRCCF_OBJECT_NAME_ERROR: i32 = 4008;
const MQRC_SELECTOR_ERROR: i32 = 2067;

/// `Parameter` of the one structure in an error response: which parameter it is about.
const MQIACF_PARAMETER_ID: i32 = 1012;
/// The same for one value of a list of selectors.
const MQIACF_SELECTOR: i32 = 1014;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    reason: i32,
    about: Option<About>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Parameter(i32),
    Selector(i32),
}

impl Refusal {
    pub(super) const fn of(reason: i32) -> Self {
        Self { reason, about: None }
    }

    pub(super) const fn about(reason: i32, parameter: i32) -> Self {
        Self { reason, about: Some(About::Parameter(parameter)) }
    }

    /// The command has no such parameter, or not in such a structure.
    pub(super) const fn unknown(parameter: &Parameter) -> Self {
        let reason = match parameter.value.structure() {
            4 => 3015,
            5 | 25 => 3047,
            6 => 3033,
            9 => 3256,
            13 => 3243,
            14 => 3247,
            15 => 3265,
            20 => 3240,
            _ => 3014,
        };
        Self::about(reason, parameter.id)
    }

    /// The parameter stands twice.
    pub(super) const fn duplicate(parameter: &Parameter) -> Self {
        let reason = match parameter.value.structure() {
            4 | 14 => 3018,
            5 | 25 => 3026,
            6 => 3066,
            9 | 15 => 3254,
            _ => 3017,
        };
        Self::about(reason, parameter.id)
    }

    /// A parameter the command needs is not there: it is the first of a kind that others stand in for.
    pub(super) const fn missing(parameter: i32, is_empty: bool) -> Self {
        const MQRCCF_PARM_MISSING: i32 = 3228;
        if is_empty { Self::of(MQRCCF_PARM_COUNT_TOO_SMALL) } else { Self::about(MQRCCF_PARM_MISSING, parameter) }
    }

    /// One value of the list of attributes to show is none.
    pub(super) const fn selector(selector: i32) -> Self {
        Self { reason: MQRC_SELECTOR_ERROR, about: Some(About::Selector(selector)) }
    }

    /// A number that stands for no word of the parameter.
    pub(super) const fn word(parameter: i32) -> Self {
        const MQIA_Q_TYPE: i32 = 20;
        let reason = if parameter == MQIA_Q_TYPE { MQRCCF_Q_TYPE_ERROR } else { MQRCCF_PARM_VALUE_ERROR };
        Self::about(reason, parameter)
    }

    pub(super) const fn value(problem: &ValueProblem, parameter: i32) -> Self {
        let reason = match problem {
            ValueProblem::TooLong { .. } => MQRCCF_CFST_STRING_LENGTH_ERR,
            ValueProblem::NotAName { .. } => MQRCCF_OBJECT_NAME_ERROR,
            ValueProblem::NotHexadecimal { .. } => MQRCCF_CFBS_STRING_LENGTH_ERR,
            _ => MQRCCF_ATTR_VALUE_ERROR,
        };
        Self::about(reason, parameter)
    }

    pub(super) fn answer(self) -> Answer {
        let parameters = match self.about {
            None => Vec::new(),
            Some(About::Parameter(id)) => vec![Parameter::integer(MQIACF_PARAMETER_ID, id)],
            Some(About::Selector(id)) => vec![Parameter::integer(MQIACF_SELECTOR, id)],
        };
        Answer { reason: self.reason, parameters }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::of(problem.reason())
    }
}
