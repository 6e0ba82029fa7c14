//! The console: a page and its assets, which are in the program. Every path that is not an asset's answers the page, which draws what
//! its address says.
//!
//! Never here: what the page shows. It asks `/api/v1` and the other REST APIs for it, as the user who has signed in.
//!
//! Invariants
//! - Page and assets are the same for everyone and hold no secret: nothing is asked of who wants them.
//! - An asset's name changes with its bytes. So it is kept for ever, and the page is asked for each time.
//! - The page runs no script and loads no file but those of this server.

mod assets;
pub(crate) mod sign_in;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use self::assets::FILES;
use crate::accept_encoding::{self, Encoding};
use crate::answer::{self, Answer};
use crate::entity_tag::EntityTag;
use crate::error::{self, ApiError};
use crate::options::Console;
use crate::service::Call;
use crate::{WebError, gzip, query};

/// Where the page is.
const CONSOLE: HeaderValue = HeaderValue::from_static("/ibmmq/console/");
const SIGN_IN: HeaderValue = HeaderValue::from_static("/ibmmq/console/sign-in");

/// A file of the console, compressed beforehand.
struct File {
    /// Below `/ibmmq/console/`.
    path: &'static str,
    media_type: &'static str,
    /// Of the bytes as they are.
    sha256: &'static str,
    form: Form,
}

/// What the program has of a file.
enum Form {
    Plain(&'static [u8]),
    Packed { gzip: &'static [u8], brotli: Option<&'static [u8]> },
}

/// What guards the page in a browser.
pub(crate) struct Guard {
    content_security_policy: HeaderValue,
    /// No page may hold it in a frame.
    is_alone: bool,
}

impl Guard {
    /// # Errors
    /// `console.frame_ancestors` has an entry that is no origin.
    pub(crate) fn new(options: &Console) -> Result<Self, WebError> {
        let ancestors = &options.frame_ancestors;
        if let Some(wrong) = ancestors.iter().find(|text| !is_source(text)) {
            let problem = format!("'{wrong}' is not an origin, expected one such as https://portal.example");
            return Err(WebError::Option { key: "console.frame_ancestors".to_owned(), problem });
        }
        let ancestors = if ancestors.is_empty() { "'none'".to_owned() } else { ancestors.join(" ") };
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; \
             connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}; \
             require-trusted-types-for 'script'; trusted-types 'none'"
        );
        Ok(Self {
            content_security_policy: HeaderValue::try_from(policy).expect("origins are ASCII"),
            is_alone: options.frame_ancestors.is_empty(),
        })
    }

    fn decorate(&self, headers: &mut HeaderMap) {
        const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
        const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
        const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
        const NO_DEVICES: HeaderValue = HeaderValue::from_static(
            "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        );
        const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");

        headers.insert(header::CONTENT_SECURITY_POLICY, self.content_security_policy.clone());
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(PERMISSIONS_POLICY, NO_DEVICES);
        headers.insert(OPENER_POLICY, SAME_ORIGIN);
        headers.insert(RESOURCE_POLICY, SAME_ORIGIN);
        if self.is_alone {
            headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        }
    }
}

/// A scheme with a host, and nothing that begins another directive.
fn is_source(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| {
        !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-._:*[]".contains(c))
    })
}

/// The page, whose script draws the view that the address names.
///
/// # Errors
/// 404 the path is where assets are.
pub(crate) fn page(call: Call<'_>) -> Result<Answer, ApiError> {
    let view = call.parameters[0];
    if view == "assets" || view.starts_with("assets/") {
        return Err(unknown(call));
    }
    let page = find("index.html").ok_or_else(|| unknown(call))?;
    Ok(send(call, page, HeaderValue::from_static("no-cache")))
}

/// # Errors
/// 404 there is no such asset; 400 a query.
pub(crate) fn asset(call: Call<'_>) -> Result<Answer, ApiError> {
    query::none(call.query())?;
    let name = call.parameters[0];
    let asset = FILES.iter().find(|file| file.path.strip_prefix("assets/") == Some(name));
    let asset = asset.ok_or_else(|| unknown(call))?;
    Ok(send(call, asset, HeaderValue::from_static("public, max-age=31536000, immutable")))
}

/// To the page.
pub(crate) fn lead_there() -> Answer {
    lead_to(CONSOLE)
}

/// To the page's form, from where the consoles of other products have theirs.
pub(crate) fn lead_to_explorer() -> Answer {
    lead_to(HeaderValue::from_static("/ibmmq/console/explorer"))
}

pub(crate) fn lead_to_sign_in() -> Answer {
    lead_to(SIGN_IN)
}

fn lead_to(place: HeaderValue) -> Answer {
    let mut answer = answer::empty(StatusCode::FOUND);
    answer.headers_mut().insert(header::LOCATION, place);
    answer
}

fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

fn unknown(call: Call<'_>) -> ApiError {
    ApiError::new(&error::UNKNOWN_RESOURCE, &[call.parts.uri.path()])
}

fn send(call: Call<'_>, file: &File, cache: HeaderValue) -> Answer {
    let encoding = file.encoding(call.headers());
    let stamp = Stamp { media_type: file.media_type, tag: &file.sha256[..32], encoding, cache };
    stamp.answer(call, || file.bytes(encoding))
}

/// What is said of a file that is sent, of the console or of the book.
pub(crate) struct Stamp<'a> {
    pub(crate) media_type: &'static str,
    /// Letters and digits: others whenever the bytes of the file are others.
    pub(crate) tag: &'a str,
    pub(crate) encoding: Encoding,
    pub(crate) cache: HeaderValue,
}

impl Stamp<'_> {
    /// The file, unless the client has it already.
    pub(crate) fn answer(self, call: Call<'_>, bytes: impl FnOnce() -> Bytes) -> Answer {
        let tag = EntityTag::new(&format!("{}{}", self.tag, self.encoding.name().unwrap_or_default()));
        let mut answer = tag.not_modified(call.headers()).unwrap_or_else(|| {
            let media_type = HeaderValue::from_static(self.media_type);
            let mut answer = answer::with_body(StatusCode::OK, Some(media_type), bytes());
            if let Some(name) = self.encoding.name() {
                answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
            }
            tag.decorate(&mut answer);
            answer
        });
        let headers = answer.headers_mut();
        headers.insert(header::CACHE_CONTROL, self.cache);
        headers.insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
        call.settings.console_guard.decorate(headers);
        answer
    }
}

impl File {
    /// The shortest form that the client takes.
    fn encoding(&self, headers: &HeaderMap) -> Encoding {
        match self.form {
            Form::Plain(_) => Encoding::Identity,
            Form::Packed { brotli: Some(_), .. } => {
                accept_encoding::choose(headers, &[Encoding::Brotli, Encoding::Gzip])
            }
            Form::Packed { brotli: None, .. } => accept_encoding::choose(headers, &[Encoding::Gzip]),
        }
    }

    fn bytes(&self, encoding: Encoding) -> Bytes {
        match (&self.form, encoding) {
            (Form::Plain(bytes), _)
            | (Form::Packed { gzip: bytes, .. }, Encoding::Gzip)
            | (Form::Packed { brotli: Some(bytes), .. }, Encoding::Brotli) => Bytes::from_static(bytes),
            // No browser asks for it.
            (Form::Packed { gzip, .. }, _) => gzip::unpacked(gzip).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn who_takes_no_packed_form_gets_the_file_as_it_was() {
        let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../console/dist");
        for file in FILES {
            let whole = std::fs::read(dist.join(file.path)).expect("the file is there");
            assert!(file.bytes(Encoding::Identity) == whole, "{}", file.path);
        }
    }
}
