//! Authentication and roles: users and their passwords, LTPA tokens, client certificates, an LDAP directory, tokens of OpenID
//! Connect issuers, API keys.
//!
//! Every door asks here: HTTP with what a request carries, client channels with a user name and a password. What is HTTP's
//! alone stays there: headers, cookies as they are written, the CSRF rule. What a user may do to an object is the queue
//! manager's decision, by the [`Principal`](model::authority::Principal) that an [`Identity`] holds.
//! Nothing here answers anybody, and nothing here reads a clock: callers pass the time.

pub mod api_key;
pub mod attempts;
pub mod authenticator;
pub mod basic;
mod bearer;
mod bindings;
mod cache;
pub mod certificate;
pub mod error;
mod fair_queue;
mod identity;
mod keyed_digest;
mod ldap;
mod local_names;
mod log_lines;
pub mod ltpa;
pub mod oidc;
pub mod options;
pub mod password;
mod random_text;
mod registry;
pub mod role;
pub mod scope;
mod slow;
mod users;

pub use self::authenticator::Authenticator;
pub use self::certificate::CertificateIdentity;
pub use self::identity::{Identity, MintedToken};
pub use self::role::Roles;
