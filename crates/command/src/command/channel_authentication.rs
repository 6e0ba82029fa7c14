//! SET CHLAUTH and DISPLAY CHLAUTH, typed.

use std::net::IpAddr;

use model::definition::ChannelAuthentication;
use model::definition::channel_authentication::RuleType;

use crate::command::{Condition, Request};

#[derive(Debug, Clone)]
pub enum SetChannelAuthentication {
    Add(ChannelAuthentication),
    Replace(ChannelAuthentication),
    /// Of its attributes only the profile and whom it matches count.
    Remove(ChannelAuthentication),
    RemoveAll {
        profile: String,
        rule_type: RuleType,
    },
}

#[derive(Debug, Clone)]
pub struct ChannelAuthenticationQuery {
    pub profile: String,
    pub matching: Match,
    /// `None` for every type.
    pub rule_type: Option<RuleType>,
    pub request: Request,
    /// Only records with exactly these match keys: an address, a user, a subject.
    pub keys: Vec<Condition>,
}

/// MATCH: which records a profile means.
#[derive(Debug, Clone)]
pub enum Match {
    /// `*` in the profile stands for any characters.
    Generic,
    /// Records with exactly this profile.
    Exact,
    /// Every record that could match a channel the profile means.
    All,
    /// The record that decides about this partner.
    RunCheck(Partner),
}

/// What DISPLAY CHLAUTH MATCH(RUNCHECK) tells of a partner.
#[derive(Debug, Clone)]
pub struct Partner {
    pub address: IpAddr,
    pub client_user: Option<String>,
    pub queue_manager: Option<String>,
    pub subject: Option<String>,
    pub issuer: Option<String>,
}
