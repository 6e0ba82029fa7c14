//! The crate's public face.

mod auth;
mod auth_vectors;
mod http;
mod import;
mod ldap;
