//! Signing in to the console at an issuer: the way there, and the way back.
//!
//! `identity::oidc::sign_in` decides. Here are addresses, cookies and redirections. Each refusal leads to the console's page for signing in,
//! which says what to do.
//!
//! Invariants
//! - Every answer leads on, so that no address with a code or a state stays in the browser, and none is kept by a cache.
//! - A person is led to the console of this server alone, and to no address that signs in or out.

use http::{HeaderValue, StatusCode, header};
use identity::oidc::sign_in::{LONGEST_SIGN_IN, Refused, Returned, SignInRefusal, Wish};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::lead_to;
use crate::answer::Answer;
use crate::cookie;
use crate::error::ApiError;
use crate::query;
use crate::service::Call;

/// Holds the secret of the browser while its user is at the issuer.
const COOKIE: &str = "quaymasterSignIn";
const CONSOLE: &str = "/ibmmq/console/";
const SIGN_IN: &str = "/ibmmq/console/sign-in";
/// Longest address that is come back to, in bytes.
const LONGEST_TO: usize = 2048;
/// Longest parameter of an issuer that is read, in bytes.
const LONGEST_PARAMETER: usize = 8192;
/// What would end an address, or its query, too early.
const IN_ADDRESS: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

/// Where a browser begins to sign in at an issuer.
pub(crate) fn path(issuer: &str) -> String {
    format!("{SIGN_IN}/{}", utf8_percent_encode(issuer, NAME))
}

const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// Leads the browser to the issuer.
///
/// # Errors
/// 400 an unknown parameter.
pub(crate) async fn begin(call: Call<'_>) -> Result<Answer, ApiError> {
    let mut to = None;
    query::each(call.query(), |name, value| match name {
        "to" => query::once(&mut to, name, value.into_owned()),
        _ => Err(query::unknown(name)),
    })?;
    let to = to.as_deref().and_then(own_address).unwrap_or_else(|| CONSOLE.to_owned());
    let issuer = issuer(call);
    let Some(origin) = origin(call, &issuer) else { return Ok(refused("host", &issuer, Some(&to))) };
    let authenticator = &call.settings.authenticator;
    if !call.over_tls && authenticator.is_secure() {
        return Ok(refused("https", &issuer, Some(&to)));
    }
    let redirect_uri = format!("{origin}{}/callback", path(&issuer));
    let wish = Wish { issuer: &issuer, redirect_uri, to: to.clone(), address: call.address };
    match authenticator.begin_sign_in(wish, call.now).await {
        Ok(begun) => match HeaderValue::try_from(begun.location) {
            Ok(location) => {
                let cookie =
                    browser_cookie(&issuer, &begun.browser, LONGEST_SIGN_IN.as_secs(), is_https(call, &origin));
                Ok(lead(location, &[cookie]))
            }
            Err(_) => Ok(refused("unavailable", &issuer, Some(&to))),
        },
        Err(why) => Ok(refused(word(&why), &issuer, Some(&to))),
    }
}

/// Signs the person in who comes back, and leads to where that person wanted to go.
///
/// # Errors
/// None: every answer leads on.
pub(crate) async fn finish(call: Call<'_>) -> Result<Answer, ApiError> {
    let issuer = issuer(call);
    let mut browsers = cookie::values(call.headers(), COOKIE);
    let mut returned =
        Returned { issuer: &issuer, browser: browsers.next().unwrap_or_default(), ..Returned::default() };
    // An issuer may send more than is known here.
    let parameters = query::each(call.query(), |name, value| match name {
        _ if value.len() > LONGEST_PARAMETER => Ok(()),
        "state" => query::once(&mut returned.state, name, value.into_owned()),
        "code" => query::once(&mut returned.code, name, value.into_owned()),
        "error" => query::once(&mut returned.error, name, value.into_owned()),
        "iss" => query::once(&mut returned.iss, name, value.into_owned()),
        _ => Ok(()),
    });
    let origin = origin(call, &issuer).unwrap_or_default();
    let forgotten = browser_cookie(&issuer, "", 0, is_https(call, &origin));
    if parameters.is_err() {
        return Ok(refused("state", &issuer, None));
    }
    let clock = || call.shared.now();
    let authenticator = &call.settings.authenticator;
    match authenticator.finish_sign_in(&returned, call.address, &clock).await {
        Ok(finished) => {
            let session = cookie::of_session(authenticator, &finished.session, is_https(call, &origin));
            Ok(lead(address(&finished.to), &[session, forgotten]))
        }
        // Another sign-in of this browser may be under way.
        Err(Refused { why: why @ SignInRefusal::NotBegun(_), to }) => Ok(refused(word(&why), &issuer, to.as_deref())),
        Err(Refused { why, to }) => {
            let mut answer = refused(word(&why), &issuer, to.as_deref());
            answer.headers_mut().append(header::SET_COOKIE, forgotten);
            Ok(answer)
        }
    }
}

fn issuer(call: Call<'_>) -> String {
    percent_decode_str(call.parameters[0]).decode_utf8_lossy().into_owned()
}

/// The origin of this server as the browser sees it. The issuer compares what is made of it with what is registered there.
fn origin(call: Call<'_>, issuer: &str) -> Option<String> {
    if let Some(url) = call.settings.options.oidc.get(issuer).and_then(|entry| entry.console_url.as_ref()) {
        return Some(url.clone());
    }
    let host = match call.parts.uri.authority() {
        Some(authority) => authority.as_str(),
        None => call.headers().get(header::HOST)?.to_str().ok()?,
    };
    let is_host =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte));
    is_host.then(|| format!("{}://{host}", if call.over_tls { "https" } else { "http" }))
}

/// Whether the browser came by HTTPS, be it to a proxy.
fn is_https(call: Call<'_>, origin: &str) -> bool {
    call.over_tls || origin.starts_with("https://")
}

/// `Set-Cookie` value for the address that the issuer leads to. It has to come with a navigation from another site: `Lax`.
fn browser_cookie(issuer: &str, secret: &str, seconds: u64, is_https: bool) -> HeaderValue {
    let secure = if is_https { "; Secure" } else { "" };
    let path = path(issuer);
    HeaderValue::try_from(format!(
        "{COOKIE}={secret}; Max-Age={seconds}; Path={path}/callback{secure}; HttpOnly; SameSite=Lax"
    ))
    .expect("secrets and encoded names are ASCII")
}

/// An address that a person may be led to: a page of the console, other than those that sign in.
fn own_address(to: &str) -> Option<String> {
    let path = to.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let is_own = to.len() <= LONGEST_TO
        && to.starts_with(CONSOLE)
        && !path.starts_with(SIGN_IN)
        && !path.contains(['\\', '\0'])
        && !path.contains("//")
        && !path.split('/').any(|part| matches!(part, "." | ".."));
    is_own.then(|| to.to_owned())
}

fn address(to: &str) -> HeaderValue {
    let encoded = utf8_percent_encode(to, IN_ADDRESS).to_string();
    HeaderValue::try_from(encoded).unwrap_or(HeaderValue::from_static(CONSOLE))
}

/// What the page for signing in is told. Why, the log says.
fn word(why: &SignInRefusal) -> &'static str {
    match why {
        SignInRefusal::UnknownIssuer(_) => "unknown",
        SignInRefusal::NotBegun(_) => "state",
        SignInRefusal::Denied => "denied",
        SignInRefusal::Refused(_) | SignInRefusal::Token(_) => "refused",
        SignInRefusal::Unavailable(_) => "unavailable",
        SignInRefusal::NoRole(_) => "role",
    }
}

fn refused(word: &str, issuer: &str, to: Option<&str>) -> Answer {
    let issuer = utf8_percent_encode(issuer, NAME);
    let to = to.map(|to| format!("&to={}", utf8_percent_encode(to, NON_ALPHANUMERIC))).unwrap_or_default();
    lead(HeaderValue::try_from(format!("{SIGN_IN}?problem={word}&issuer={issuer}{to}")).expect("it is encoded"), &[])
}

fn lead(location: HeaderValue, cookies: &[HeaderValue]) -> Answer {
    let mut answer = lead_to(location);
    *answer.status_mut() = StatusCode::SEE_OTHER;
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    for cookie in cookies {
        headers.append(header::SET_COOKIE, cookie.clone());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_led_to_pages_of_this_console_alone() {
        for to in
            ["/ibmmq/console/", "/ibmmq/console/qm/QM1/queues?search=a%2Fb&where=type%3Dlocal", "/ibmmq/console/qm/Q#x"]
        {
            assert_eq!(own_address(to).as_deref(), Some(to));
        }
        for to in [
            "",
            "/",
            "//evil.example/ibmmq/console/",
            "https://evil.example/ibmmq/console/",
            "/ibmmq/console",
            "/ibmmq/consoles/",
            "/ibmmq/console/../rest/v3/login",
            "/ibmmq/console/%2e%2e/rest",
            "/ibmmq/console/..%2frest",
            "/ibmmq/console/a/%2E/b",
            "/ibmmq/console//evil.example",
            "/ibmmq/console/\\evil.example",
            "/ibmmq/console/sign-in",
            "/ibmmq/console/sign-in/corporate?to=x",
            "/ibmmq/console/sign%2Din/corporate",
            &format!("/ibmmq/console/{}", "a".repeat(LONGEST_TO)),
        ] {
            assert_eq!(own_address(to), None, "{to}");
        }
    }

    #[test]
    fn an_address_never_ends_its_header() {
        assert_eq!(address("/ibmmq/console/a\r\nset-cookie: x"), "/ibmmq/console/a%0D%0Aset-cookie:%20x");
        assert_eq!(address("/ibmmq/console/é?x=ü"), "/ibmmq/console/%C3%A9?x=%C3%BC");
    }
}
