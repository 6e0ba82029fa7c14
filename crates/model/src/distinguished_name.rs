//! Filters of distinguished names: SSLPEER and SSLCERTI, `CN=app*,OU=payments,O="Example, Inc"`.
//!
//! Every attribute of the filter must be in the name, in the filter's order where an attribute stands several times (OU,
//! DC); `*` at either end of a value stands for any characters.
//!
//! Source: MQ security, "IBM MQ rules for SSLPEER values", 9.3.

use crate::pattern;

/// Attribute type in upper case, and its value.
type Part = (String, String);

/// Is this a filter with at least one attribute?
pub fn is_filter(text: &str) -> bool {
    parse(text).is_some_and(|parts| !parts.is_empty())
}

/// Does a distinguished name have what a filter such as SSLPEER asks for?
pub fn fits(filter: &str, name: &str) -> bool {
    match_rank(filter, name).is_some()
}

/// How specific a filter is, larger being more specific; `None` when the name does not match.
pub fn match_rank(filter: &str, name: &str) -> Option<usize> {
    let (filter, name) = (parse(filter)?, parse(name)?);
    let mut rank = 0;
    let mut used = vec![false; name.len()];
    let mut last: Vec<(&str, usize)> = Vec::new();
    for (kind, value) in &filter {
        let after = last.iter().rev().find(|(known, _)| known == kind).map_or(0, |(_, at)| at + 1);
        let matches =
            |(index, (known, held)): &(usize, &Part)| !used[*index] && known == kind && value_matches(value, held);
        let (index, _) = name.iter().enumerate().skip(after).find(matches)?;
        used[index] = true;
        last.push((kind, index));
        // An attribute more outweighs any number of characters.
        rank += 100_000 + value.len() - value.matches('*').count();
    }
    Some(rank)
}

fn value_matches(filter: &str, held: &str) -> bool {
    pattern::matches(&filter.to_lowercase(), &held.to_lowercase())
}

/// Cut at commas, semicolons and plus signs outside quotes. `None`: a part without `=`, or a quote that does not end.
fn parse(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (kind, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (value, left) = if let Some(quoted) = after.strip_prefix('"') {
            let (value, left) = quoted.split_once('"')?;
            (value.to_owned(), left.trim_start())
        } else {
            unquoted(after)
        };
        let kind = kind.trim().to_ascii_uppercase();
        if kind.is_empty() || kind.contains([',', ';', '"']) {
            return None;
        }
        parts.push((known_as(kind), value));
        rest = match left.chars().next() {
            None => "",
            Some(',' | ';' | '+') => left[1..].trim_start(),
            Some(_) => return None,
        };
    }
    Some(parts)
}

/// One name for an attribute type that has several, as certificates and filters spell it.
fn known_as(kind: String) -> String {
    let known = match kind.as_str() {
        "E" | "EMAIL" | "EMAILADDRESS" | "MAIL" | "0.9.2342.19200300.100.1.3" => "MAIL",
        "S" | "SP" | "ST" => "ST",
        "UID" | "USERID" => "UID",
        "T" | "TITLE" | "2.5.4.12" => "T",
        "PC" | "POSTALCODE" | "2.5.4.17" => "PC",
        "SN" | "SURNAME" => "SURNAME",
        _ => return kind,
    };
    known.to_owned()
}

/// A value up to the next separator that no backslash precedes; and what follows it.
fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            ',' | ';' | '+' => return (value.trim_end().to_owned(), &text[at..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value.trim_end().to_owned(), "")
}
