//! The queue manager through its public face: scripts of verbs, a model to compare with, waiters, restarts, authority.

mod script;

mod accounting;
mod administered;
mod administration;
mod authority;
mod authority_table;
mod browse;
mod definitions;
mod delayed;
mod detached;
mod disk;
mod dropped;
mod events;
mod explained;
mod failed_log;
mod follow;
mod group;
mod group_members;
mod groups;
mod inquire;
mod log;
mod model_property;
mod monitoring;
mod names;
mod publish_subscribe;
mod put_get;
mod refused_calls;
mod report_authority;
mod reports;
mod restart;
mod scans;
mod selectors;
mod shared_subscriptions;
mod status;
mod test_control;
mod transmission;
mod triggers;
mod units_of_work;
mod visible_queues;
mod waiting;
mod xa;

use group_harness::postgres;
