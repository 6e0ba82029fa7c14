//! SET CHLAUTH and DISPLAY CHLAUTH.

use model::definition::ChannelAuthentication;
use model::definition::channel_authentication::{CheckClient, MAXIMUM_PROFILE, MapKey, Rule, RuleType, UserSource};
use model::distinguished_name::is_filter;
use queue_manager::channel_authentication::is_address_pattern;

use crate::command::channel_authentication::{ChannelAuthenticationQuery, Match, Partner, SetChannelAuthentication};
use crate::command::{Command, Condition};
use crate::message;
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;
use crate::status;

/// Bytes of DESCR and CUSTOM, and of a user in USERLIST and MCAUSER.
const MAXIMUM_DESCRIPTION: usize = 64;
const MAXIMUM_CUSTOM: usize = 128;
const MAXIMUM_USER: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Add,
    Replace,
    Remove,
    RemoveAll,
}

const ACTIONS: [(&str, Action); 4] =
    [("ADD", Action::Add), ("REPLACE", Action::Replace), ("REMOVE", Action::Remove), ("REMOVEALL", Action::RemoveAll)];

const CHECKS: [(&str, CheckClient); 3] = [
    (CheckClient::AsQueueManager.word(), CheckClient::AsQueueManager),
    (CheckClient::Required.word(), CheckClient::Required),
    (CheckClient::RequiredOfAdministrators.word(), CheckClient::RequiredOfAdministrators),
];

#[derive(Clone, Copy)]
enum Source {
    Map,
    NoAccess,
    Channel,
}

impl Reader {
    pub(super) fn set_channel_authentication(&mut self) -> Result<Command, Problem> {
        let profile = self.channel_profile()?;
        let Some(rule_type) = self.rule_type()? else { return Err(self.missing("TYPE")) };
        let action = self.take_word("ACTION", &ACTIONS)?.unwrap_or(Action::Add);
        self.names_what_is_stored = matches!(action, Action::Remove | Action::RemoveAll);
        if rule_type == RuleType::BlockAddress && profile != "*" {
            return Err(self.problem("TYPE(BLOCKADDR) goes with the profile * only").with_message(message::VALUE));
        }
        if action == Action::RemoveAll {
            let command = SetChannelAuthentication::RemoveAll { profile, rule_type };
            return Ok(Command::SetChannelAuthentication(Box::new(command)));
        }
        let rule = match rule_type {
            RuleType::BlockUser => Rule::BlockUser { users: self.user_list(action)? },
            RuleType::BlockAddress => Rule::BlockAddress { addresses: self.address_list(action)? },
            RuleType::SslPeerMap | RuleType::AddressMap | RuleType::UserMap | RuleType::QueueManagerMap => {
                self.map_rule(rule_type, action)?
            }
        };
        let record = ChannelAuthentication {
            warn: self.take_switch("WARN", false)?,
            description: self.take_text("DESCR", MAXIMUM_DESCRIPTION)?.unwrap_or_default(),
            custom: self.take_text("CUSTOM", MAXIMUM_CUSTOM)?.unwrap_or_default(),
            ..ChannelAuthentication::new(&profile, rule)
        };
        let command = match action {
            Action::Add => SetChannelAuthentication::Add(record),
            Action::Replace => SetChannelAuthentication::Replace(record),
            Action::Remove | Action::RemoveAll => SetChannelAuthentication::Remove(record),
        };
        Ok(Command::SetChannelAuthentication(Box::new(command)))
    }

    fn channel_profile(&mut self) -> Result<String, Problem> {
        let profile = self.text_name()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '%' | '*');
        if profile.len() <= MAXIMUM_PROFILE && profile.chars().all(is_name) {
            return Ok(profile);
        }
        Err(self.problem(format!("{profile} is not a channel profile")).with_message(message::NAME))
    }

    fn rule_type(&mut self) -> Result<Option<RuleType>, Problem> {
        self.take_word("TYPE", &RuleType::ALL.map(|kind| (kind.word(), kind)))
    }

    fn user_list(&mut self, action: Action) -> Result<Vec<String>, Problem> {
        let users = self.list("USERLIST", action)?;
        match users.iter().find(|user| user.len() > MAXIMUM_USER) {
            Some(user) => Err(self.bad_value("USERLIST", user, "a user has at most 64 characters")),
            None => Ok(users),
        }
    }

    fn address_list(&mut self, action: Action) -> Result<Vec<String>, Problem> {
        let addresses = self.list("ADDRLIST", action)?;
        match addresses.iter().find(|address| !is_address_pattern(address)) {
            Some(address) => Err(self.bad_value("ADDRLIST", address, "expected patterns of addresses")),
            None => Ok(addresses),
        }
    }

    /// REPLACE may leave the list out or blank: that removes the record.
    fn list(&mut self, keyword: &str, action: Action) -> Result<Vec<String>, Problem> {
        let list = self.take_list(keyword)?;
        match list {
            Some(list) => Ok(list.into_iter().filter(|item| !item.is_empty()).collect()),
            None if action == Action::Replace => Ok(Vec::new()),
            None => Err(self.missing(keyword)),
        }
    }

    fn map_rule(&mut self, rule_type: RuleType, action: Action) -> Result<Rule, Problem> {
        let address = self.address("ADDRESS")?;
        let key = match rule_type {
            RuleType::UserMap => MapKey::ClientUser(self.key("CLNTUSER", MAXIMUM_USER)?),
            RuleType::QueueManagerMap => MapKey::QueueManager(self.key("QMNAME", 48)?),
            RuleType::SslPeerMap => MapKey::Peer { subject: self.filter("SSLPEER")?, issuer: self.issuer()? },
            RuleType::AddressMap | RuleType::BlockUser | RuleType::BlockAddress => {
                if address.is_none() {
                    return Err(self.missing("ADDRESS"));
                }
                MapKey::Address
            }
        };
        let source = self.user_source(action)?;
        let check_client = self.check_client(rule_type, &source)?;
        Ok(Rule::Map { key, address: address.unwrap_or_default(), source, check_client })
    }

    fn address(&mut self, keyword: &str) -> Result<Option<String>, Problem> {
        match self.take_text(keyword, 264)? {
            Some(text) if text.is_empty() => Ok(None),
            Some(text) if !is_address_pattern(&text) => {
                Err(self.bad_value(keyword, &text, "expected a pattern of addresses or host names"))
            }
            other => Ok(other),
        }
    }

    fn key(&mut self, keyword: &str, maximum: usize) -> Result<String, Problem> {
        match self.take_text(keyword, maximum)? {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err(self.missing(keyword)),
        }
    }

    fn filter(&mut self, keyword: &str) -> Result<String, Problem> {
        let text = self.key(keyword, 1024)?;
        if is_filter(&text) {
            Ok(text)
        } else {
            Err(self.bad_value(keyword, &text, "expected attributes, CN=...,O=..."))
        }
    }

    fn issuer(&mut self) -> Result<String, Problem> {
        match self.take_text("SSLCERTI", 1024)? {
            Some(text) if !text.is_empty() && !is_filter(&text) => {
                Err(self.bad_value("SSLCERTI", &text, "expected attributes, CN=...,O=..."))
            }
            other => Ok(other.unwrap_or_default()),
        }
    }

    fn user_source(&mut self, action: Action) -> Result<UserSource, Problem> {
        let words = [("MAP", Source::Map), ("NOACCESS", Source::NoAccess), ("CHANNEL", Source::Channel)];
        let source = self.take_word("USERSRC", &words)?.unwrap_or(Source::Map);
        let user = self.take_text("MCAUSER", MAXIMUM_USER)?.filter(|user| !user.is_empty());
        match (source, user) {
            (Source::Map, Some(user)) => Ok(UserSource::Map(user)),
            (Source::Map, None) if action == Action::Remove => Ok(UserSource::Channel),
            (Source::Map, None) => Err(self.missing("MCAUSER")),
            (_, Some(user)) => Err(self.bad_value("MCAUSER", &user, "goes with USERSRC(MAP) only")),
            (Source::NoAccess, None) => Ok(UserSource::NoAccess),
            (Source::Channel, None) => Ok(UserSource::Channel),
        }
    }

    fn check_client(&mut self, rule_type: RuleType, source: &UserSource) -> Result<CheckClient, Problem> {
        match self.take_word("CHCKCLNT", &CHECKS)? {
            Some(_) if rule_type == RuleType::QueueManagerMap || *source == UserSource::NoAccess => {
                Err(self.problem("CHCKCLNT goes with clients that are let in").with_message(message::VALUE))
            }
            given => Ok(given.unwrap_or_default()),
        }
    }

    /// Match keys that come with a value: `ADDRESS('192.0.2.*')`. Without one they ask to be shown.
    fn match_keys(&mut self) -> Result<Vec<Condition>, Problem> {
        let mut keys = Vec::new();
        for keyword in ["ADDRESS", "CLNTUSER", "QMNAME", "SSLPEER", "SSLCERTI"] {
            let Some(operand) = self.take_with_value(keyword)? else { continue };
            let known = status::find(status::channel::AUTHENTICATION, keyword);
            let Some((name, kind)) = known else { continue };
            keys.push(
                Condition::new(name, &kind, "EQ", &operand.text)
                    .map_err(|problem| self.bad_value(keyword, &operand.text, &problem))?,
            );
        }
        Ok(keys)
    }

    pub(super) fn display_channel_authentication(&mut self) -> Result<Command, Problem> {
        let profile = self.channel_profile()?;
        let rule_type = match self.take_with_value("TYPE")? {
            None => None,
            Some(operand) if operand.text == "ALL" => None,
            Some(operand) => match RuleType::ALL.into_iter().find(|kind| kind.word() == operand.text) {
                Some(kind) => Some(kind),
                None => return Err(self.bad_value("TYPE", &operand.text, "not a type of record")),
            },
        };
        let matching = match self.take_value(&["MATCH"])?.as_ref().map(|operand| operand.text.as_str()) {
            None | Some("GENERIC") => Match::Generic,
            Some("EXACT") => Match::Exact,
            Some("ALL") => Match::All,
            Some("RUNCHECK") => Match::RunCheck(self.partner(&profile)?),
            Some(other) => return Err(self.bad_value("MATCH", other, "expected GENERIC, EXACT, ALL or RUNCHECK")),
        };
        let keys = self.match_keys()?;
        let request = self.request(&|keyword| status::find(status::channel::AUTHENTICATION, keyword))?;
        let query = ChannelAuthenticationQuery { profile, matching, rule_type, keys, request };
        Ok(Command::DisplayChannelAuthentication(Box::new(query)))
    }

    fn partner(&mut self, profile: &str) -> Result<Partner, Problem> {
        if profile.contains('*') {
            return Err(self.problem("MATCH(RUNCHECK) needs the name of one channel").with_message(message::NAME));
        }
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let Some(address) = self.take_text("ADDRESS", 264)? else { return Err(self.missing("ADDRESS")) };
        let Ok(address) = address.parse() else {
            return Err(self.bad_value("ADDRESS", &address, "expected one address"));
        };
        let partner = Partner {
            address,
            client_user: given(self.take_text("CLNTUSER", MAXIMUM_USER)?),
            queue_manager: given(self.take_text("QMNAME", 48)?),
            subject: given(self.take_text("SSLPEER", 1024)?),
            issuer: given(self.take_text("SSLCERTI", 1024)?),
        };
        if partner.client_user.is_none() == partner.queue_manager.is_none() {
            return Err(self.missing("CLNTUSER or QMNAME"));
        }
        Ok(partner)
    }
}
