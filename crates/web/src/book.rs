//! The book: pages of the manual and their files, which the program holds compressed.
//!
//! They are the same for everyone and hold no secret: nothing is asked of who wants them. Their guard is the console's: they run no script
//! and load no file but those of this server.

use bytes::Bytes;
use http::HeaderValue;

use crate::accept_encoding::{self, Encoding};
use crate::answer::Answer;
use crate::console::Stamp;
use crate::error::{self, ApiError};
use crate::gzip;
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
    let cache = HeaderValue::from_static("no-cache");
    let stamp = Stamp { media_type: file.media_type, tag: file.tag, encoding, cache };
    Ok(stamp.answer(call, || match encoding {
        Encoding::Gzip => Bytes::from_static(file.gzip),
        // No browser asks for it.
        Encoding::Brotli | Encoding::Identity => gzip::unpacked(file.gzip).into(),
    }))
}
