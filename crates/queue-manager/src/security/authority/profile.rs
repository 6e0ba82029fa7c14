//! Generic profiles: which names one matches, and which of two says more.
//!
//! `?` is one character, `*` any number of them within a qualifier, or a whole qualifier, and `**` any number of
//! qualifiers, none included. Qualifiers are the parts between periods.
//!
//! Source: MQ security, "Using wildcard characters in OAM profiles", "Profile priorities", 9.3.

use std::cmp::Ordering as Order;

use model::authority::AuthorityRecord;
use model::name::ObjectName;

/// Why no record can be made with a profile.
pub(crate) fn problem(profile: &str) -> Option<&'static str> {
    if profile == AuthorityRecord::CLASS {
        return None;
    }
    // What is left without wildcards is part of a name.
    let plain = profile.replace(['?', '*'], "");
    if profile.is_empty() {
        Some("it is blank")
    } else if profile.len() > ObjectName::MAXIMUM {
        Some("it is longer than 48 characters")
    } else if profile.matches("**").count() > 1 {
        Some("it has ** more than once")
    } else if plain.ends_with([' ', '\0']) || ObjectName::parse(&plain).is_err() {
        Some("it has a character that no name has")
    } else {
        None
    }
}

pub(crate) fn matches(profile: &str, name: &str) -> bool {
    let profile: Vec<&str> = profile.split('.').collect();
    let name: Vec<&str> = name.split('.').collect();
    let fits = |wanted: &&str, qualifier: &&str| characters_match(wanted.as_bytes(), qualifier.as_bytes());
    parts_match(&profile, &name, |wanted| *wanted == "**", fits)
}

fn characters_match(profile: &[u8], text: &[u8]) -> bool {
    parts_match(profile, text, |wanted| *wanted == b'*', |wanted, character| *wanted == b'?' || wanted == character)
}

/// Parts of a name, one by one, against those of a profile, of which `is_any` tells the ones that stand for any number.
///
/// Goes back to the last of these only, so that the cost is at most the product of the lengths.
fn parts_match<T>(profile: &[T], name: &[T], is_any: impl Fn(&T) -> bool, fits: impl Fn(&T, &T) -> bool) -> bool {
    let (mut at_profile, mut at_name) = (0, 0);
    let mut any: Option<(usize, usize)> = None;
    while at_name < name.len() {
        match profile.get(at_profile) {
            Some(wanted) if is_any(wanted) => {
                any = Some((at_profile, at_name));
                at_profile += 1;
            }
            Some(wanted) if fits(wanted, &name[at_name]) => {
                at_profile += 1;
                at_name += 1;
            }
            Some(_) | None => {
                let Some((last, from)) = any else { return false };
                at_profile = last + 1;
                at_name = from + 1;
                any = Some((last, from + 1));
            }
        }
    }
    profile[at_profile..].iter().all(is_any)
}

/// Less is more specific. A profile without wildcards says most; otherwise the first difference from the left decides:
/// a character beats `?`, `?` beats `*`, `*` beats `**`.
pub(super) fn specificity(a: &str, b: &str) -> Order {
    let is_generic = |profile: &str| profile.contains(['?', '*']);
    is_generic(a).cmp(&is_generic(b)).then_with(|| by_first_difference(a.as_bytes(), b.as_bytes()))
}

fn by_first_difference(a: &[u8], b: &[u8]) -> Order {
    let differs = (0..a.len().min(b.len())).find(|&index| rank(a, index) != rank(b, index));
    match differs {
        Some(index) => rank(a, index).cmp(&rank(b, index)),
        None if a.len() == b.len() => Order::Equal,
        // One goes on where the other ends: that says more, unless only wildcards follow.
        None if a.len() < b.len() => {
            if says_more(&b[a.len()..]) {
                Order::Greater
            } else {
                Order::Less
            }
        }
        None => by_first_difference(b, a).reverse(),
    }
}

/// 0 for a character, 1 for `?`, 2 for `*`, 3 for the first of `**`.
fn rank(profile: &[u8], index: usize) -> u8 {
    match profile[index] {
        b'*' if profile.get(index + 1) == Some(&b'*') => 3,
        b'*' => 2,
        b'?' => 1,
        _ => 0,
    }
}

fn says_more(rest: &[u8]) -> bool {
    rest.iter().any(|character| !matches!(character, b'*' | b'.'))
}
