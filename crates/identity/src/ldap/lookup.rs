//! What is asked over one connection: who is meant, which groups that user is in, whether a password is right.
//!
//! Nothing here knows of identities, roles or caches. Every search has a bound on its entries, of which the server is
//! told and which is kept here too; what outgrows it is a failure, never half an answer.
//! Referrals are not followed: they would lead to servers that are not configured.

use std::collections::{HashSet, VecDeque};

use ldap3::{Ldap, LdapResult, Scope, SearchEntry, SearchOptions};

use super::dn::Dn;
use super::failure::Failure;
use super::filter;
use super::id_map::{Attributes, MemberMap};
use super::settings::Settings;

/// Groups of one user, nested ones included.
const MOST_GROUPS: usize = 1000;
/// Levels of groups within groups.
const MOST_LEVELS: usize = 16;
/// Members that one search asks about.
const MEMBERS_A_SEARCH: usize = 20;

/// Result codes of RFC 4511 that mean something here.
const SUCCESS: u32 = 0;
const SIZE_LIMIT_EXCEEDED: u32 = 4;
const REFERRAL: u32 = 10;
const NO_SUCH_OBJECT: u32 = 32;
const INVALID_DN_SYNTAX: u32 = 34;
/// A bind that ends so tells that the credentials are no good: constraintViolation (a locked account),
/// inappropriateAuthentication, invalidCredentials, noSuchObject, invalidDNSyntax, unwillingToPerform (a disabled one),
/// insufficientAccessRights.
const BIND_REFUSALS: [u32; 7] = [19, 32, 34, 48, 49, 50, 53];

/// Who is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// By what was typed.
    Name(String),
    /// By distinguished name: tokens, certificates.
    Dn(String),
    /// By a filter that a certificate filled.
    Filter(String),
}

/// An entry of the directory, as far as it was asked for.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) dn: String,
    attributes: Attributes,
}

/// A user with what it belongs to.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) dn: String,
    /// The one name of the user, whichever way it was found.
    pub(super) name: String,
    pub(super) groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) dn: String,
}

/// Finds a user and its groups; `None` when there is no such user.
pub(super) async fn find(ldap: &mut Ldap, settings: &Settings, subject: &Subject) -> Result<Option<Person>, Failure> {
    let Some(entry) = find_user(ldap, settings, subject).await? else { return Ok(None) };
    let Some(name) = name_of_user(&entry, settings, subject) else { return Ok(None) };
    let groups = Groups::of(ldap, settings, &entry, &name).await?;
    Ok(Some(Person { dn: entry.dn, name, groups }))
}

/// Whether the password is that of the entry. The connection then belongs to that user: nothing else may be asked on it.
pub(super) async fn bind(ldap: &mut Ldap, dn: &str, password: &str) -> Result<bool, Failure> {
    // RFC 4513, 5.1: without a name or a password a bind succeeds, and proves nothing.
    if dn.is_empty() || password.is_empty() {
        return Ok(false);
    }
    let LdapResult { rc, text, .. } = ldap.simple_bind(dn, password).await?;
    match rc {
        SUCCESS => Ok(true),
        _ if BIND_REFUSALS.contains(&rc) => Ok(false),
        code => Err(Failure::Refused { code, text }),
    }
}

async fn find_user(ldap: &mut Ldap, settings: &Settings, subject: &Subject) -> Result<Option<Entry>, Failure> {
    let any = || settings.user_filter.any();
    let (base, scope, filter) = match subject {
        Subject::Name(name) => (settings.base.as_str(), Scope::Subtree, settings.user_filter.naming(name)),
        Subject::Dn(dn) => (dn.as_str(), Scope::Base, any()),
        Subject::Filter(filter) => (settings.base.as_str(), Scope::Subtree, filter::all(&[filter.clone(), any()])),
    };
    let mut wanted = vec!["objectClass"];
    wanted.extend(settings.user_ids.attributes());
    wanted.extend(settings.members.memberships.iter().map(String::as_str));
    let mut found = match search(ldap, base, scope, &filter, &wanted, 2).await {
        Ok(found) if found.len() < 2 => found,
        Ok(_) | Err(Failure::TooMany { .. }) => {
            tracing::warn!("sign-in refused: more than one entry of the directory matches {filter:?}");
            return Ok(None);
        }
        Err(failure) => return Err(failure),
    };
    let inside = |entry: &Entry| Dn::parse(&entry.dn).is_some_and(|dn| dn.is_at_or_below(&settings.base_dn));
    Ok(found.pop().filter(inside))
}

/// The name that roles and authorities go by. Of several values, the one in the distinguished name, else the first in
/// order, so that it is the same whichever way the user signs in.
fn name_of_user(entry: &Entry, settings: &Settings, subject: &Subject) -> Option<String> {
    let (kind, values) = settings.user_ids.names(&entry.attributes)?;
    if let Subject::Name(typed) = subject
        && !settings.ignore_case
        && !values.contains(typed)
    {
        return None;
    }
    preferred(kind, values, &entry.dn)
}

fn preferred(kind: &str, values: &[String], dn: &str) -> Option<String> {
    let parsed = Dn::parse(dn)?;
    let in_dn = parsed.first_value(kind).and_then(|value| values.iter().find(|known| *known == value));
    in_dn.or_else(|| values.iter().min()).filter(|name| is_name(name)).cloned()
}

/// Whether a text may be the name of a user or group.
pub(super) fn is_name(text: &str) -> bool {
    (1..=256).contains(&text.len()) && !text.chars().any(char::is_control)
}

/// The search for groups: breadth first, each group once.
struct Groups<'a> {
    settings: &'a Settings,
    found: Vec<Group>,
    seen: HashSet<String>,
    /// Entries whose groups are still to be looked for.
    waiting: VecDeque<Entry>,
}

impl<'a> Groups<'a> {
    async fn of(ldap: &mut Ldap, settings: &'a Settings, user: &Entry, name: &str) -> Result<Vec<Group>, Failure> {
        let mut groups = Self { settings, found: Vec::new(), seen: HashSet::new(), waiting: VecDeque::new() };
        groups.waiting.push_back(user.clone());
        for level in 0..MOST_LEVELS {
            let level_entries: Vec<Entry> = groups.waiting.drain(..).collect();
            if level_entries.is_empty() {
                break;
            }
            let user_name = (level == 0).then_some(name);
            for some in level_entries.chunks(MEMBERS_A_SEARCH) {
                groups.that_list(ldap, some, user_name).await?;
            }
            for entry in &level_entries {
                groups.listed_in(ldap, entry).await?;
            }
            if !settings.nested_groups {
                break;
            }
        }
        if settings.nested_groups && !groups.waiting.is_empty() {
            return Err(Failure::TooMany { what: "levels of groups" });
        }
        Ok(groups.found)
    }

    /// Groups that list one of the entries as a member.
    async fn that_list(&mut self, ldap: &mut Ldap, entries: &[Entry], user_name: Option<&str>) -> Result<(), Failure> {
        let mut filters = Vec::new();
        for (class, kind) in &self.settings.members.members {
            let members: Vec<String> = if MemberMap::is_by_name(kind) {
                user_name.iter().map(|name| filter::equals(kind, name)).collect()
            } else {
                entries.iter().map(|entry| filter::equals(kind, &entry.dn)).collect()
            };
            if !members.is_empty() {
                filters.push(filter::all(&[filter::equals("objectclass", class), filter::either(&members)]));
            }
        }
        if filters.is_empty() {
            return Ok(());
        }
        let filter = filter::all(&[self.settings.group_filter.any(), filter::either(&filters)]);
        let wanted = self.wanted();
        let base = &self.settings.base;
        for entry in search(ldap, base, Scope::Subtree, &filter, &wanted, MOST_GROUPS).await? {
            self.add(entry)?;
        }
        Ok(())
    }

    /// Groups that the entry itself lists.
    async fn listed_in(&mut self, ldap: &mut Ldap, entry: &Entry) -> Result<(), Failure> {
        let attributes = self.settings.members.memberships.iter().filter_map(|kind| entry.attributes.get(kind));
        let listed: Vec<String> = attributes.flatten().cloned().collect();
        for dn in listed {
            let inside = || Dn::parse(&dn).is_some_and(|dn| dn.is_at_or_below(&self.settings.base_dn));
            if self.seen.contains(&dn) || !inside() {
                continue;
            }
            let found = search(ldap, &dn, Scope::Base, &self.settings.group_filter.any(), &self.wanted(), 1).await?;
            for entry in found {
                self.add(entry)?;
            }
        }
        Ok(())
    }

    fn wanted(&self) -> Vec<&'a str> {
        let mut wanted = vec!["objectClass"];
        wanted.extend(self.settings.group_ids.attributes());
        wanted.extend(self.settings.members.memberships.iter().map(String::as_str));
        wanted
    }

    fn add(&mut self, entry: Entry) -> Result<(), Failure> {
        if !self.seen.insert(entry.dn.clone()) {
            return Ok(());
        }
        if self.seen.len() > MOST_GROUPS {
            return Err(Failure::TooMany { what: "groups of one user" });
        }
        let named = self.settings.group_ids.names(&entry.attributes);
        if let Some(name) = named.and_then(|(kind, values)| preferred(kind, values, &entry.dn)) {
            self.found.push(Group { name, dn: entry.dn.clone() });
        }
        self.waiting.push_back(entry);
        Ok(())
    }
}

/// At most `most` entries; a base that does not exist has none.
async fn search(
    ldap: &mut Ldap,
    base: &str,
    scope: Scope,
    filter: &str,
    wanted: &[&str],
    most: usize,
) -> Result<Vec<Entry>, Failure> {
    let limit = i32::try_from(most).unwrap_or(i32::MAX);
    let mut stream = ldap
        .with_search_options(SearchOptions::new().sizelimit(limit))
        .streaming_search(base, scope, filter, wanted.to_vec())
        .await?;
    let mut entries = Vec::new();
    while let Some(item) = stream.next().await? {
        if item.is_ref() || item.is_intermediate() {
            continue;
        }
        // A server that keeps to no limit; the client library throws away what still comes.
        if entries.len() == most {
            return Err(Failure::TooMany { what: "entries in an answer" });
        }
        let SearchEntry { dn, attrs, .. } = SearchEntry::construct(item);
        let attributes = attrs.into_iter().map(|(kind, values)| (kind.to_ascii_lowercase(), values)).collect();
        entries.push(Entry { dn, attributes });
    }
    let LdapResult { rc, text, .. } = stream.finish().await;
    match rc {
        SUCCESS => Ok(entries),
        NO_SUCH_OBJECT | INVALID_DN_SYNTAX | REFERRAL => Ok(Vec::new()),
        SIZE_LIMIT_EXCEEDED => Err(Failure::TooMany { what: "entries that match" }),
        code => Err(Failure::Refused { code, text }),
    }
}

/// Whether the base of all searches is there.
pub(super) async fn has_base(ldap: &mut Ldap, settings: &Settings) -> Result<bool, Failure> {
    let found = search(ldap, &settings.base, Scope::Base, "(objectClass=*)", &["objectClass"], 1).await?;
    Ok(!found.is_empty())
}
