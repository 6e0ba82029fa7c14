//! The verbs of a transaction manager.
