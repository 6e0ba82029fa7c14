//! Patterns of addresses: numbers, ranges and `*` in the parts of an address, or host names with `*`.
//!
//! ```text
//! 192.0.2.7        192.0.2.*        192.0.2-5.*        10.*
//! 2001:DB8:0:0:0:0:0:7              2001:DB8:*          *.example.com
//! ```
//!
//! Source: MQ reference, "Generic IP addresses for channel authentication records", 9.3.

use std::net::{IpAddr, Ipv6Addr};

use model::pattern;

/// How specific a pattern is: larger is more specific. An address beats a host name; part by part, from the left, a
/// number beats a range, a narrow range a wide one, and anything beats `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Rank {
    kind: u8,
    /// Per part 65536 less what it leaves open.
    parts: [u32; 8],
}

/// One part of a pattern, both ends included.
#[derive(Debug, Clone, Copy)]
struct Range {
    from: u16,
    to: u16,
}

enum AddressPattern {
    V4([Range; 4]),
    V6([Range; 8]),
}

/// Is this a pattern at all: of addresses, or of host names?
pub fn is_address_pattern(text: &str) -> bool {
    let is_host_character = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '*');
    let looks_numeric = text.contains(':') || text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '*'));
    if looks_numeric { parse(text).is_some() } else { !text.is_empty() && text.chars().all(is_host_character) }
}

pub(super) fn match_rank(text: &str, address: IpAddr, host: Option<&str>) -> Option<Rank> {
    if text == "*" {
        return Some(Rank { kind: 1, parts: [0; 8] });
    }
    match parse(text) {
        Some(AddressPattern::V4(ranges)) => {
            let address = match address {
                IpAddr::V4(address) => address,
                IpAddr::V6(address) => address.to_ipv4_mapped()?,
            };
            rank(&ranges, &address.octets().map(u16::from))
        }
        Some(AddressPattern::V6(ranges)) => match address {
            IpAddr::V6(address) => rank(&ranges, &address.segments()),
            IpAddr::V4(_) => None,
        },
        None => {
            let (pattern, host) = (text.to_ascii_lowercase(), host?.to_ascii_lowercase());
            let literal = u32::try_from(pattern.len() - pattern.matches('*').count()).unwrap_or(u32::MAX);
            let is_exact = u32::from(!pattern.contains('*'));
            pattern::matches(&pattern, &host).then_some(Rank { kind: 2, parts: [is_exact, literal, 0, 0, 0, 0, 0, 0] })
        }
    }
}

fn rank(ranges: &[Range], parts: &[u16]) -> Option<Rank> {
    let mut rank = Rank { kind: 3, parts: [0; 8] };
    for (index, (range, part)) in ranges.iter().zip(parts).enumerate() {
        if !(range.from..=range.to).contains(part) {
            return None;
        }
        rank.parts[index] = 65_536 - u32::from(range.to - range.from);
    }
    Some(rank)
}

fn parse(text: &str) -> Option<AddressPattern> {
    if text.contains(':') {
        if let Ok(address) = text.parse::<Ipv6Addr>() {
            return Some(AddressPattern::V6(address.segments().map(|part| Range { from: part, to: part })));
        }
        return parts(text, ':', 16, u16::MAX).map(AddressPattern::V6);
    }
    parts(text, '.', 10, 255).map(AddressPattern::V4)
}

/// A `*` at the end stands for all parts that are missing.
fn parts<const N: usize>(text: &str, separator: char, radix: u32, maximum: u16) -> Option<[Range; N]> {
    let mut ranges = [Range { from: 0, to: maximum }; N];
    let given: Vec<&str> = text.split(separator).collect();
    if given.len() > N || (given.len() < N && given.last() != Some(&"*")) {
        return None;
    }
    for (range, part) in ranges.iter_mut().zip(given) {
        *range = part_range(part, radix, maximum)?;
    }
    Some(ranges)
}

fn part_range(part: &str, radix: u32, maximum: u16) -> Option<Range> {
    if part == "*" {
        return Some(Range { from: 0, to: maximum });
    }
    let (from, to) = part.split_once('-').unwrap_or((part, part));
    let number = |digits: &str| {
        let digits = (!digits.is_empty() && !digits.starts_with('+')).then_some(digits)?;
        u16::from_str_radix(digits, radix).ok().filter(|number| *number <= maximum)
    };
    let (from, to) = (number(from)?, number(to)?);
    (from <= to).then_some(Range { from, to })
}
