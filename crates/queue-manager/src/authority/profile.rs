//! Generic profiles: which names one matches, and which of two says more.
//!
//! `?` is one character, `*` any number of them within a qualifier, or a whole qualifier, and `**` any number of
//! qualifiers, none included. Qualifiers are the parts between periods.
//!
//! Source: MQ security, "Using wildcard characters in OAM profiles", "Profile priorities", 9.3.

use std::cmp::Ordering as Order;

pub(crate) fn matches(profile: &str, name: &str) -> bool {
    let profile: Vec<&str> = profile.split('.').collect();
    let name: Vec<&str> = name.split('.').collect();
    qualifiers_match(&profile, &name)
}

fn qualifiers_match(profile: &[&str], name: &[&str]) -> bool {
    match profile.split_first() {
        None => name.is_empty(),
        Some((&"**", rest)) => (0..=name.len()).any(|skipped| qualifiers_match(rest, &name[skipped..])),
        Some((first, rest)) => name.split_first().is_some_and(|(qualifier, others)| {
            characters_match(first.as_bytes(), qualifier.as_bytes()) && qualifiers_match(rest, others)
        }),
    }
}

/// Goes back to the last asterisk only, so that the cost is at most the product of the lengths.
fn characters_match(profile: &[u8], text: &[u8]) -> bool {
    let (mut at_profile, mut at_text) = (0, 0);
    let mut asterisk: Option<(usize, usize)> = None;
    while at_text < text.len() {
        match profile.get(at_profile) {
            Some(b'*') => {
                asterisk = Some((at_profile, at_text));
                at_profile += 1;
            }
            Some(wanted) if *wanted == b'?' || *wanted == text[at_text] => {
                at_profile += 1;
                at_text += 1;
            }
            Some(_) | None => {
                let Some((star, from)) = asterisk else { return false };
                at_profile = star + 1;
                at_text = from + 1;
                asterisk = Some((star, from + 1));
            }
        }
    }
    profile[at_profile..].iter().all(|character| *character == b'*')
}

/// Less is more specific. A profile without wildcards says most; otherwise the first difference from the left decides:
/// a character beats `?`, `?` beats `*`, `*` beats `**`.
pub(crate) fn specificity(a: &str, b: &str) -> Order {
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
