//! The book: pages of the manual and their files, which the program holds compressed.
//!
//! They are the same for everyone and hold no secret: nothing is asked of who wants them. Their guard is the console's: they run no script
//! and load no file but those of this server.

use std::io::Read;

use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{HeaderValue, StatusCode, header};

use crate::accept_encoding::{self, Encoding};
use crate::answer::{self, Answer};
use crate::entity_tag::EntityTag;
use crate::error::{self, ApiError};
use crate::options::BookFile;
use crate::service::Call;

/// The query is the page's own.
///
/// # Errors
/// 404 there is no such page.
pub(crate) fn page(call: Call<'_>) -> Result<Answer, ApiError> {
    let unknown = || ApiError::new(&error::UNKNOWN_RESOURCE, &[call.parts.uri.path()]);
    let name = call.parameters[0];
    let file = call.settings.options.book.iter().find(|file| file.name == name).ok_or_else(unknown)?;
    let encoding = accept_encoding::choose(call.headers(), &[Encoding::Gzip]);
    let tag = EntityTag::new(&format!("{}{}", file.tag, encoding.name().unwrap_or_default()));
    let mut answer = tag.not_modified(call.headers()).unwrap_or_else(|| {
        let media_type = HeaderValue::from_static(file.media_type);
        let mut answer = answer::with_body(StatusCode::OK, Some(media_type), bytes(file, encoding));
        if let Some(name) = encoding.name() {
            answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        tag.decorate(&mut answer);
        answer
    });
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
    call.settings.console_guard.decorate(headers);
    Ok(answer)
}

fn bytes(file: &BookFile, encoding: Encoding) -> Bytes {
    if encoding == Encoding::Gzip {
        return Bytes::from_static(file.gzip);
    }
    let mut plain = Vec::with_capacity(file.gzip.len() * 4);
    GzDecoder::new(file.gzip).read_to_end(&mut plain).expect("the build compressed it");
    plain.into()
}
