//! A selector as a tree. Chains of one operator are one node, so that the tree is as deep as parentheses nest.

use std::cmp::Ordering;

use crate::selection::selector::Identifiers;
use crate::selection::selector::field::Field;
use crate::selection::selector::like::Pattern;
use crate::selection::selector::value::Value;

/// True, false or unknown.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    Literal(bool),
    Field(Field),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Compare(Comparison, Operand, Operand),
    /// `BETWEEN low AND high`.
    Between(Operand, Operand, Operand),
    In(Field, Vec<String>),
    Like(Field, Pattern),
    IsNull(Field),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Literal(Value<'static>),
    Field(Field),
    Negated(Box<Operand>),
    Sum(Box<Operand>, Vec<(Sign, Operand)>),
    Product(Box<Operand>, Vec<(Factor, Operand)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Factor {
    Times,
    DividedBy,
}

impl Comparison {
    pub(super) fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessOrEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

impl Condition {
    /// What every selected message has for identifiers, and whether that says it all.
    pub(super) fn identifiers(&self) -> (Identifiers, bool) {
        let parts = match self {
            Condition::And(parts) => &**parts,
            one => std::slice::from_ref(one),
        };
        let mut found = Identifiers::default();
        let mut is_exact = true;
        for part in parts {
            let Condition::Compare(Comparison::Equal, one, other) = part else {
                is_exact = false;
                continue;
            };
            let said = match (one, other) {
                (Operand::Field(field), Operand::Literal(value)) | (Operand::Literal(value), Operand::Field(field)) => {
                    field.identifiers(value)
                }
                _ => None,
            };
            // Of two different ones only the first narrows; both together are still asked.
            match said {
                Some((said, exactly)) if found.take(said) => is_exact &= exactly,
                _ => is_exact = false,
            }
        }
        (found, is_exact)
    }
}

impl Identifiers {
    /// False when one of them is said differently already.
    fn take(&mut self, said: Self) -> bool {
        let agrees = self.message_id.is_none_or(|id| said.message_id.is_none_or(|said| said == id))
            && self.correlation_id.is_none_or(|id| said.correlation_id.is_none_or(|said| said == id));
        if agrees {
            self.message_id = self.message_id.or(said.message_id);
            self.correlation_id = self.correlation_id.or(said.correlation_id);
        }
        agrees
    }
}
