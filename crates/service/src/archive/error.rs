//! Why an archive, or a source of one, cannot be used.

use document::package::PackageError;

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It cannot be unpacked or packed.
    #[error(transparent)]
    Package(PackageError),
    #[error("the archive has no entry {name}")]
    Missing { name: String },
    #[error("{name}: {problem}")]
    Entry { name: String, problem: String },
    /// A property, by the name under which sources and manifests have it.
    #[error("{property}: {problem}")]
    Property { property: String, problem: String },
}

impl From<PackageError> for ArchiveError {
    fn from(error: PackageError) -> Self {
        match error {
            PackageError::Missing { name } => Self::Missing { name },
            other => Self::Package(other),
        }
    }
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
