//! The crate's public face.

mod http;
mod ldap;
