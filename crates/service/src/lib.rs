//! JSON in front of queues: what a service is, and the provider that turns one request into messages and back.
//!
//! No HTTP types: a request comes as [`provider::request::ServiceRequest`], the answer goes as
//! [`provider::answer::ServiceAnswer`]. The owner of the archives knows the services; this crate's
//! [`definition::Service`] is what they become.

pub mod activity;
pub mod api;
pub mod archive;
pub mod build;
pub mod convert;
pub mod copybooks;
pub mod definition;
pub mod deploy;
pub mod error;
pub mod names;
pub mod openapi;
pub mod provider;
pub mod record;
pub mod registry;
pub mod services;
pub mod starter;

pub use services::Services;
