//! The page of one kind of error: where the `type` of a problem leads.

use http::StatusCode;

use crate::answer::{self, Answer, HTML};
use crate::error::{self, ApiError};
use crate::service::Call;

/// # Errors
/// 404 there is no such kind.
pub(crate) fn page(call: Call<'_>) -> Result<Answer, ApiError> {
    let id = call.parameters[0];
    let unknown = || ApiError::new(&error::UNKNOWN_RESOURCE, &[call.parts.uri.path()]);
    let entry = error::ENTRIES.iter().find(|entry| entry.id == id).ok_or_else(unknown)?;
    let text = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{id}</title>\n<h1>{id}</h1>\n\
         <p>Status {status}. {explanation}</p>\n<p>{action}</p>\n</html>\n",
        status = entry.status,
        explanation = text(entry.explanation),
        action = text(entry.action),
    );
    Ok(answer::with_body(StatusCode::OK, Some(HTML), page.into()))
}
