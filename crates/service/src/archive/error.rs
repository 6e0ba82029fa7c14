//! Why an archive, or a source of one, cannot be used.

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    #[error("the archive cannot be unpacked: {problem}")]
    Damaged { problem: String },
    #[error("the archive is longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("the archive has more than {limit} entries")]
    TooManyEntries { limit: usize },
    #[error("the archive unpacks to more than {limit} bytes")]
    TooMuch { limit: u64 },
    #[error("the archive has an entry whose name cannot be used: {name:?}")]
    Name { name: String },
    #[error("the archive has no entry {name}")]
    Missing { name: String },
    #[error("{name}: {problem}")]
    Entry { name: String, problem: String },
    /// A property, by the name under which sources and manifests have it.
    #[error("{property}: {problem}")]
    Property { property: String, problem: String },
}

impl ArchiveError {
    /// Something is wrong with what an entry or a file says.
    pub(crate) fn entry(name: &str, problem: impl ToString) -> Self {
        Self::Entry { name: name.to_owned(), problem: problem.to_string() }
    }

    pub(crate) fn property(property: &str, problem: impl ToString) -> Self {
        Self::Property { property: property.to_owned(), problem: problem.to_string() }
    }
}
