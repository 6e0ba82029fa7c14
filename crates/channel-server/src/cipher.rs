//! Whether the CipherSpec that TLS negotiated is what a channel's SSLCIPH asks for.
//!
//! CipherSpecs that nothing here speaks are known by name, so that a channel that asks for one is refused with the reason
//! rather than as if its name were misspelt.
//!
//! Invariant: an old CipherSpec is good for a channel that names it, never for one that takes any.
//!
//! Source: MQ security, "Enabling CipherSpecs", 9.4.

use handshake::cipher_spec::{CipherSpec, NOT_SPOKEN};

/// How what was negotiated compares with an SSLCIPH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    Fits,
    Differs,
    /// A CipherSpec of MQ's that this server does not speak.
    NotSpoken,
    /// Not a CipherSpec at all.
    Unknown,
}

/// Does the negotiated CipherSpec fit the SSLCIPH of a channel?
pub(crate) fn fit(wanted: &str, negotiated: &str) -> Fit {
    let Some(spoken) = CipherSpec::named(negotiated) else { return Fit::Differs };
    let is_13 = spoken.protocol == "TLSV13";
    let fits = match wanted {
        // All that rustls speaks is 1.2 or higher.
        "ANY" | "ANY_TLS12_OR_HIGHER" => !spoken.is_old(),
        "ANY_TLS12" => !spoken.is_old() && !is_13,
        "ANY_TLS13" | "ANY_TLS13_OR_HIGHER" => is_13,
        name if CipherSpec::named(name).is_some() => spoken.name == name,
        name if NOT_SPOKEN.contains(&name) => return Fit::NotSpoken,
        _ => return Fit::Unknown,
    };
    if fits { Fit::Fits } else { Fit::Differs }
}

#[cfg(test)]
mod tests;
