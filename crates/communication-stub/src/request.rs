//! The head of a request, as `docs/stub-protocol.md` specifies it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, percent_encode};

use crate::call_area::Call;
use crate::settings::Settings;
use crate::target::Target;

/// All but letters, digits and `-._~` is encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The same for a path that is encoded already.
const KEPT_PERCENT: &AsciiSet = &ENCODED.remove(b'%');
/// Methods that may be repeated without harm (RFC 9110, 9.2.2).
const REPEATABLE: [&[u8]; 5] = [b"GET", b"HEAD", b"OPTIONS", b"PUT", b"DELETE"];
/// Longer than most heads.
const USUAL_HEAD: usize = 768;

pub(crate) fn head(call: &Call<'_>, target: &Target, settings: &Settings) -> Vec<u8> {
    let mut head = Vec::with_capacity(USUAL_HEAD);
    head.extend_from_slice(b"POST /zosConnect/apiRequesters/");
    put(&mut head, encoded(call.name));
    head.extend_from_slice(b"?apiPath=");
    put(&mut head, percent_encode(call.path, if call.path.contains(&b'/') { ENCODED } else { KEPT_PERCENT }));
    head.extend_from_slice(b"&apiMethod=");
    head.extend(call.method.iter().map(u8::to_ascii_uppercase));
    head.extend_from_slice(b" HTTP/1.1\r\nHost: ");
    head.extend_from_slice(target.to_string().as_bytes());
    head.extend_from_slice(b"\r\nContent-Type: application/octet-stream\r\nContent-Length: ");
    head.extend_from_slice(call.request.length.to_string().as_bytes());
    if let Some(form) = &settings.form {
        header(&mut head, "Baq-Record-Form", [form.as_str()]);
    }
    // The rest after the last value of a table stays in the program's area as it was.
    header(&mut head, "Baq-Short-Record", ["yes"]);
    if let Some(authorization) = &settings.authorization {
        header(&mut head, "Authorization", [authorization.as_str()]);
    }
    let credentials = &call.credentials;
    for (name, value) in [
        ("Baq-Oauth-Username", credentials.oauth_username),
        ("Baq-Oauth-Password", credentials.oauth_password),
        ("Baq-Oauth-Client-Id", credentials.oauth_client_id),
        ("Baq-Oauth-Client-Secret", credentials.oauth_client_secret),
        ("Baq-Oauth-Scope", credentials.oauth_scope),
        ("Baq-Token-Username", credentials.token_username),
        ("Baq-Token-Password", credentials.token_password),
    ] {
        if !value.is_empty() {
            header(&mut head, name, encoded(value));
        }
    }
    head.extend_from_slice(b"\r\n\r\n");
    head
}

/// Whether the API's method may be called twice.
pub(crate) fn is_repeatable(method: &[u8]) -> bool {
    REPEATABLE.iter().any(|each| each.eq_ignore_ascii_case(method))
}

fn encoded(bytes: &[u8]) -> PercentEncode<'_> {
    percent_encode(bytes, ENCODED)
}

fn header<'v>(head: &mut Vec<u8>, name: &str, value: impl IntoIterator<Item = &'v str>) {
    head.extend_from_slice(b"\r\n");
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    put(head, value);
}

fn put<'v>(head: &mut Vec<u8>, pieces: impl IntoIterator<Item = &'v str>) {
    for piece in pieces {
        head.extend_from_slice(piece.as_bytes());
    }
}
