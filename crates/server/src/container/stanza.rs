//! Stanza files (`*.ini`), as they are merged into `qm.ini`: what of them means something here.
//!
//! ```text
//! Channels:
//!    MaxChannels=500
//! ```
//! A `#` or `;` begins a comment. Keys with no counterpart are noted, one line for each file.

use toml::Value;

use super::Found;

/// Stanza and key, and the key of our configuration. All are counts of at least one.
const COUNTS: [(&str, &str, &str); 2] =
    [("Channels", "MaxActiveChannels", "channels.sockets"), ("Channels", "MaxChannels", "channels.sockets")];
const MOST_SOCKETS: i64 = 1_000_000;

pub(super) fn read(file: &str, text: &str, found: &mut Found) {
    let mut stanza = String::new();
    let mut left_out: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.contains('=')) {
            name.trim().clone_into(&mut stanza);
            continue;
        }
        let (key, value) = line.split_once('=').map_or((line, ""), |(key, value)| (key.trim(), value.trim()));
        let known = COUNTS
            .iter()
            .find(|(section, name, _)| section.eq_ignore_ascii_case(&stanza) && name.eq_ignore_ascii_case(key));
        let count = value.parse().ok().filter(|count| (1..=MOST_SOCKETS).contains(count));
        match (known, count) {
            (Some((_, _, path)), Some(count)) => found.set(path, Value::Integer(count)),
            _ => left_out.push(format!("{stanza}:{key}")),
        }
    }
    if !left_out.is_empty() {
        found.note(format!("{file}: settings without a counterpart are left out: {}", left_out.join(", ")));
    }
}
