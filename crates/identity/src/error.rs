//! What cannot be used in the configuration of users.

/// Names the key of the configuration, and says what is wrong with its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}")]
pub struct IdentityError {
    pub key: String,
    pub problem: String,
}

impl IdentityError {
    pub(crate) fn new(key: &str, problem: impl ToString) -> Self {
        Self { key: key.to_owned(), problem: problem.to_string() }
    }
}
