//! The public face of the crate: scripts in, lines out.

mod administered;
mod authority;
mod channel_authentication;
mod channel_status;
mod command_queue;
mod compatibility;
mod display_keywords;
mod dump;
mod events;
mod every_attribute;
mod group;
mod in_doubt;
mod json;
mod json_clients;
mod local_queue;
mod pcf;
mod properties;
mod refusals;
mod scope;
mod secrets;
mod session;
mod shared_channels;
mod structure_status;
mod support;
mod syntax;
mod system;
mod topic_status;
mod warnings;

use group_harness::postgres;
