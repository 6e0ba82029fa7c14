//! Authentication and roles: users and their passwords, LTPA tokens, client certificates, an LDAP directory.
//!
//! Every door asks here: HTTP with what a request carries, client channels with a user name and a password. What is HTTP's
//! alone stays there: headers, cookies as they are written, the CSRF rule. What a user may do to an object is the queue
//! manager's decision, by the [`Principal`](model::authority::Principal) that an [`Identity`] holds.
//! Nothing here answers anybody, and nothing here reads a clock: callers pass the time.

pub mod attempts;
pub mod authenticator;
pub mod basic;
mod bindings;
mod cache;
pub mod certificate;
pub mod error;
mod fair_queue;
mod identity;
mod ldap;
pub mod ltpa;
pub mod options;
pub mod password;
mod registry;
pub mod role;
mod slow;
mod users;

pub use self::authenticator::Authenticator;
pub use self::certificate::CertificateIdentity;
pub use self::identity::{Identity, MintedToken};
pub use self::role::Roles;
