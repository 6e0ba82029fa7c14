//! Whole commands of the built binary: what they print, how they exit, and a server that they talk to.

mod api_keys;
mod authority;
mod backup;
mod certificates;
mod channel_commands;
mod channels;
mod configuration;
mod copybook;
mod damaged_log;
mod descriptors;
mod drop_ins;
mod failed_log;
mod group;
mod group_listener;
mod lifecycle;
mod messages;
mod moving;
mod names;
mod program;
mod quarantine;
mod records;
mod remote;
mod remote_messaging;
mod requester;
mod responder;
mod runmqsc;
mod service;
mod service_new;
mod serving;
mod several;
mod several_load;
mod usage;
mod wrong_input;
mod zconbt;

use group_harness::postgres;
