//! `Accept-Encoding`: which form of an answer a client takes.
//!
//! Source: RFC 9110, 12.5.3.

use http::header::{self, HeaderMap};

/// How the bytes of an answer are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Brotli,
    Gzip,
    /// As they are.
    Identity,
}

impl Encoding {
    /// As `Content-Encoding` names it; `None` for bytes as they are.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        }
    }
}

/// The first of `offered` that the client takes, best first; bytes as they are where it takes none.
pub(crate) fn choose(headers: &HeaderMap, offered: &[Encoding]) -> Encoding {
    let accepts = |encoding: &&Encoding| encoding.name().is_some_and(|name| accepts(headers, name));
    offered.iter().find(accepts).copied().unwrap_or(Encoding::Identity)
}

fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let mut any = false;
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        for entry in value.to_str().unwrap_or_default().split(',') {
            let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
            let name = name.trim();
            if name.eq_ignore_ascii_case(wanted) {
                return !is_refused(parameters);
            }
            any |= name == "*" && !is_refused(parameters);
        }
    }
    any
}

/// A weight of zero.
fn is_refused(parameters: &str) -> bool {
    let weight = parameters.trim().strip_prefix(['q', 'Q']).and_then(|rest| rest.trim_start().strip_prefix('='));
    weight.is_some_and(|weight| weight.trim().parse() == Ok(0.0))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn chosen(sent: &str) -> Encoding {
        let mut headers = HeaderMap::new();
        if !sent.is_empty() {
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_str(sent).expect("a value"));
        }
        choose(&headers, &[Encoding::Brotli, Encoding::Gzip])
    }

    #[test]
    fn the_best_form_is_chosen_that_the_client_takes() {
        for (sent, expected) in [
            ("", Encoding::Identity),
            ("gzip, deflate", Encoding::Gzip),
            ("gzip, deflate, br, zstd", Encoding::Brotli),
            ("br;q=0, gzip;q=0.1", Encoding::Gzip),
            ("BR", Encoding::Brotli),
            ("*", Encoding::Brotli),
            ("*, br;q=0.000", Encoding::Gzip),
            ("*;q=0", Encoding::Identity),
            ("identity", Encoding::Identity),
            ("brotli", Encoding::Identity),
        ] {
            assert_eq!(chosen(sent), expected, "{sent}");
        }
    }
}
