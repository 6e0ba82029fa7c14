//! The queue manager through its public face: scripts of verbs, a model to compare with, waiters, restarts, authority.

mod script;

mod put_get;
