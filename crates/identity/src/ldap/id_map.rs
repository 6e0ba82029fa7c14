//! Which attributes name users and groups, and which tell who belongs to a group: Liberty's three maps.
//!
//! A map is pairs `CLASS:ATTRIBUTE`, separated by `;`. In the id maps `*` is any class. In the member map a class of
//! groups goes with the attribute that lists its members; `memberOf`, `ibm-allGroups` and the like are attributes of the
//! member instead, which list its groups. Source: Open Liberty, ldapRegistry and its filter properties.

use std::collections::HashMap;

/// First words of a member map's pair that are attributes of the member.
const MEMBERSHIPS: [&str; 5] = ["memberof", "ibm-allgroups", "ismemberof", "groupmembership", "nsrole"];

/// An attribute that lists members by user name, where others list distinguished names.
const BY_NAME: &str = "memberuid";

/// The attribute that names an entry, by its class.
#[derive(Debug, Clone)]
pub(super) struct IdMap(Vec<(Option<String>, String)>);

/// How groups are found.
#[derive(Debug, Clone)]
pub(super) struct MemberMap {
    /// Class of groups and the attribute that lists members.
    pub(super) members: Vec<(String, String)>,
    /// Attributes of a member that list its groups, lower case.
    pub(super) memberships: Vec<String>,
}

/// Values of an entry by attribute type in lower case.
pub(super) type Attributes = HashMap<String, Vec<String>>;

impl IdMap {
    /// `Err` says what is wrong with the text.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let any_or = |class: &str| (class != "*").then(|| class.to_ascii_lowercase());
        let pairs = pairs(text, true)?.into_iter().map(|(class, kind)| (any_or(class), kind.to_ascii_lowercase()));
        Ok(Self(pairs.collect()))
    }

    /// Types that have to be asked for.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, kind)| kind.as_str())
    }

    /// All values of the attribute that names the entry; the first pair that fits decides.
    pub(super) fn names<'a>(&self, entry: &'a Attributes) -> Option<(&str, &'a [String])> {
        let is_of = |class: &str| {
            entry
                .get("objectclass")
                .is_some_and(|classes| classes.iter().any(|known| known.eq_ignore_ascii_case(class)))
        };
        self.0.iter().filter(|(class, _)| class.as_deref().is_none_or(is_of)).find_map(|(_, kind)| {
            Some((kind.as_str(), entry.get(kind).filter(|values| !values.is_empty())?.as_slice()))
        })
    }
}

impl MemberMap {
    /// `Err` says what is wrong with the text.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut map = Self { members: Vec::new(), memberships: Vec::new() };
        for (class, kind) in pairs(text, false)? {
            let class = class.to_ascii_lowercase();
            if !MEMBERSHIPS.contains(&class.as_str()) {
                map.members.push((class, kind.to_ascii_lowercase()));
            } else if !map.memberships.contains(&class) {
                map.memberships.push(class);
            }
        }
        Ok(map)
    }

    /// Whether the attribute lists user names.
    pub(super) fn is_by_name(kind: &str) -> bool {
        kind == BY_NAME
    }
}

fn pairs(text: &str, any_class: bool) -> Result<Vec<(&str, &str)>, String> {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let mut pairs = Vec::new();
    for pair in text.split(';').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (class, kind) = pair.split_once(':').map(|(class, kind)| (class.trim(), kind.trim())).unwrap_or_default();
        if !(is_word(class) || (any_class && class == "*")) || !is_word(kind) {
            return Err(format!("'{pair}' is not CLASS:ATTRIBUTE"));
        }
        pairs.push((class, kind));
    }
    if pairs.is_empty() { Err("expected CLASS:ATTRIBUTE, more of them separated by ;".to_owned()) } else { Ok(pairs) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(values: &[(&str, &[&str])]) -> Attributes {
        let owned = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
        values.iter().map(|&(kind, values)| (kind.to_owned(), owned(values))).collect()
    }

    #[test]
    fn the_first_pair_that_fits_names_the_entry() {
        let map = IdMap::parse("user:sAMAccountName; *:uid").expect("a map");
        let windows = entry(&[("objectclass", &["top", "User"]), ("samaccountname", &["bob"]), ("uid", &["b"])]);
        assert_eq!(map.names(&windows), Some(("samaccountname", &["bob".to_owned()][..])));
        let other = entry(&[("objectclass", &["person"]), ("samaccountname", &["bob"]), ("uid", &["b"])]);
        assert_eq!(map.names(&other), Some(("uid", &["b".to_owned()][..])));
        assert_eq!(map.names(&entry(&[("uid", &[])])), None);
        assert_eq!(map.attributes().collect::<Vec<_>>(), ["samaccountname", "uid"]);
    }

    #[test]
    fn a_member_map_tells_lists_of_members_from_lists_of_groups() {
        let map =
            MemberMap::parse("ibm-allGroups:member;ibm-allGroups:uniqueMember;groupOfNames:member").expect("a map");
        assert_eq!(map.memberships, ["ibm-allgroups"]);
        assert_eq!(map.members, [("groupofnames".to_owned(), "member".to_owned())]);
        assert_eq!(MemberMap::parse("memberOf:member").expect("a map").memberships, ["memberof"]);
    }

    #[test]
    fn what_is_no_map_is_refused() {
        for text in ["", ";", "uid", "*:", ":uid", "*:u(id", "a:b:c d"] {
            assert!(IdMap::parse(text).is_err(), "{text}");
        }
        assert!(MemberMap::parse("*:member").is_err());
    }
}
