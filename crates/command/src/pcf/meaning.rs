//! What the parameters of one command mean: attributes of the kinds it is about, and terms.

use model::definition::attribute::{Access, Attribute, Kind, Membership, Value, ValueType};
use model::pcf::{Parameter, ParameterValue};

use crate::mqsc::statement::{Operand, Parameter as Words};
use crate::pcf::refusal::Refusal;
use crate::pcf::term::{Form, Term};
use crate::pcf::value;

/// An attribute, or a term.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Attribute(&'static Attribute),
    Term(&'static Term),
}

/// The parameters one command may have.
pub(super) struct Vocabulary {
    /// Attributes of these kinds come first.
    pub(super) kinds: Vec<Kind>,
    /// Whether the queue manager has those of a queue-sharing group.
    pub(super) membership: Membership,
    pub(super) terms: Vec<&'static [Term]>,
}

impl Vocabulary {
    pub(super) fn by_id(&self, id: i32) -> Option<Meaning> {
        let attribute = self.kinds.iter().find_map(|kind| self.membership.by_pcf(*kind, id)).map(Meaning::Attribute);
        attribute.or_else(|| self.all_terms().find(|term| term.id == id).map(Meaning::Term))
    }

    pub(super) fn by_keyword(&self, keyword: &str) -> Option<Meaning> {
        let of_kind = |kind: &Kind| self.membership.of(*kind).find(|row| row.mqsc == keyword);
        let attribute = self.kinds.iter().find_map(of_kind).map(Meaning::Attribute);
        attribute.or_else(|| self.all_terms().find(|term| term.keyword == keyword).map(Meaning::Term))
    }

    fn all_terms(&self) -> impl Iterator<Item = &'static Term> {
        self.terms.iter().flat_map(|terms| terms.iter())
    }
}

impl Meaning {
    pub(super) const fn keyword(self) -> &'static str {
        match self {
            Self::Attribute(attribute) => attribute.mqsc,
            Self::Term(term) => term.keyword,
        }
    }

    /// May a definition be given this? Names of kinds (TYPE, CHLTYPE and so on) say which definition it is.
    pub(super) fn may_set(self, defining: bool) -> bool {
        match self {
            Self::Term(_) => true,
            Self::Attribute(attribute) => match attribute.access {
                Access::Settable => true,
                Access::Fixed => defining,
                Access::ReadOnly => matches!(attribute.value, ValueType::Choice(_)) && attribute.mqsc.ends_with("TYPE"),
            },
        }
    }

    /// The words MQSC would have for it. `None`: it says what is so anyway.
    ///
    /// # Errors
    /// Another structure than it has, or not a value it takes.
    pub(super) fn words(self, parameter: &Parameter) -> Result<Option<Words>, Refusal> {
        let with = |operands: Vec<Operand>| Some(words(self.keyword(), Some(operands)));
        match self {
            Self::Attribute(attribute) => {
                let value = value::of_attribute(attribute, parameter)?;
                Ok(match attribute.value {
                    ValueType::Flag(_) => Some(words(&attribute.value.word_or_text(&value), None)),
                    _ => with(vec![quoted(&attribute.value.word_or_text(&value))]),
                })
            }
            Self::Term(term) => match term.form {
                Form::Switch(yes, no) => {
                    let word = match parameter.value.number() {
                        Some(1) => yes,
                        Some(0) => no,
                        Some(_) => return Err(Refusal::word(parameter.id)),
                        None => return Err(Refusal::unknown(parameter)),
                    };
                    Ok((!word.is_empty()).then(|| words(word, None)))
                }
                _ => Ok(with(value::of_term(term, parameter)?.iter().map(|text| quoted(text)).collect())),
            },
        }
    }

    /// The text a filter compares with.
    pub(super) fn filter_text(self, parameter: &Parameter) -> Result<String, Refusal> {
        match (&parameter.value, self) {
            (ParameterValue::TextFilter { text, .. }, _) => Ok(text.clone()),
            (ParameterValue::BytesFilter { bytes, .. }, _) => Ok(value::hexadecimal(bytes)),
            (ParameterValue::IntegerFilter { value, .. }, Self::Attribute(attribute)) => {
                Ok(attribute.value.word_or_text(&Value::Integer(i64::from(*value))))
            }
            (ParameterValue::IntegerFilter { value, .. }, Self::Term(term)) => Ok(match term.form {
                Form::Words(known) => {
                    let word = known.iter().find(|(_, code)| code == value);
                    word.map(|(word, _)| (*word).to_owned()).ok_or(Refusal::word(parameter.id))?
                }
                _ => value.to_string(),
            }),
            _ => Err(Refusal::unknown(parameter)),
        }
    }

    /// The parameter that says a value; `None` for what PCF has no number for.
    pub(super) fn parameter(self, shown: &Value) -> Option<Parameter> {
        match self {
            Self::Attribute(attribute) => {
                Some(Parameter { id: attribute.pcf?, value: value::shown_attribute(attribute, shown)? })
            }
            Self::Term(term) => Some(Parameter { id: term.id, value: value::shown_term(term, shown)? }),
        }
    }
}

pub(super) fn words(keyword: &str, operands: Option<Vec<Operand>>) -> Words {
    Words { keyword: keyword.to_owned(), operands, end: None }
}

pub(super) fn quoted(text: &str) -> Operand {
    Operand { text: text.to_owned(), quoted: true }
}
