//! What a server's certificates and configuration let it serve, and in words why not.

use rustls::CipherSuite;

use crate::cipher_spec::{ALL, CipherSpec, Family, NOT_SPOKEN, WILDCARDS};

/// Most suites of a client that a sentence names.
const NAMED: usize = 12;

/// The CipherSpecs that handshakes can end with.
#[derive(Debug, Clone, Default)]
pub struct Served {
    families: Vec<Family>,
    /// Those of `tls.old_cipherspecs`.
    old: Vec<&'static CipherSpec>,
}

impl Served {
    pub fn new(families: Vec<Family>, old: Vec<&'static CipherSpec>) -> Self {
        Self { families, old }
    }

    fn has_certificate(&self, family: Family) -> bool {
        family == Family::Either || self.families.contains(&family)
    }

    fn serves(&self, one: &CipherSpec) -> bool {
        self.has_certificate(one.family) && (!one.is_old() || self.old.contains(&one))
    }

    /// Whether rustls can end a handshake with one of these suites.
    pub fn is_modern(&self, offered: &[CipherSuite]) -> bool {
        ALL.iter().any(|one| !one.is_old() && self.has_certificate(one.family) && offered.contains(&one.suite))
    }

    /// Why a channel with this SSLCIPH would refuse every client, and what to do; `None` when it would not.
    pub fn why_not(&self, name: &str) -> Option<String> {
        let name = name.trim();
        if name.is_empty() || WILDCARDS.contains(&name) {
            return None;
        }
        let Some(one) = CipherSpec::named(name) else {
            return Some(match NOT_SPOKEN.contains(&name) {
                true => format!("{name} is too weak to be spoken here: choose another CipherSpec"),
                false => format!("{name} is not the name of a CipherSpec"),
            });
        };
        if !self.has_certificate(one.family) {
            let (wanted, present) = (one.family.name(), self.present());
            return Some(format!(
                "{name} needs an {wanted} certificate, and the server has {present}: name a second certificate and key as \
                 tls.second_certificate and tls.second_key, or choose another CipherSpec"
            ));
        }
        (!self.serves(one)).then(|| {
            format!(
                "{name} is served only where tls.old_cipherspecs names it: add it there, or choose another CipherSpec"
            )
        })
    }

    /// Why a handshake with a client that offered these suites could not end, and what to do.
    pub fn why_nothing_in_common(&self, offered: &[CipherSuite]) -> String {
        let offers = named(offered);
        let serves: Vec<&str> = ALL.iter().filter(|one| self.serves(one)).map(|one| one.name).collect();
        let serves = serves.join(", ");
        let known = offered.iter().filter_map(|suite| CipherSpec::of_suite(*suite));
        let advice = known
            .filter_map(|one| self.why_not(one.name))
            .next()
            .unwrap_or_else(|| "let the client use one of those".to_owned());
        format!("the client offers {offers}; this server serves {serves}: {advice}")
    }

    fn present(&self) -> String {
        match &self.families[..] {
            [] => "none".to_owned(),
            families => {
                let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
                format!("an {} one only", names.join(" and an "))
            }
        }
    }
}

/// Suites by their CipherSpecs' names, or their own.
fn named(suites: &[CipherSuite]) -> String {
    // Signals that are sent as suites: renegotiation and fallback.
    let is_signal = |suite: &CipherSuite| matches!(u16::from(*suite), 0x00ff | 0x5600);
    let real = || suites.iter().filter(|suite| !is_signal(suite));
    let mut names: Vec<String> = real()
        .take(NAMED)
        .map(|suite| match (CipherSpec::of_suite(*suite), suite.as_str()) {
            (Some(one), _) => one.name.to_owned(),
            (None, Some(name)) => name.to_owned(),
            (None, None) => format!("{:#06x}", u16::from(*suite)),
        })
        .collect();
    if let Some(more) = real().count().checked_sub(NAMED).filter(|more| *more > 0) {
        names.push(format!("{more} more"));
    }
    if names.is_empty() { "no cipher suite".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;
