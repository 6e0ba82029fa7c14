//! API requesters of the real server: a compiled COBOL program calls the remote API of the report, and records go both ways in
//! both forms.

mod chain;
mod page;
mod public;
mod records;
