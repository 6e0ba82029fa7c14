//! GET of the installation that the server belongs to: there is one.

use std::sync::LazyLock;

use command::rest::{self, Installation, Live};

use crate::answer::Answer;
use crate::error::{self, ApiError};
use crate::query;
use crate::service::Call;

use super::decode;
use super::plan::Plan;
use super::selection::Selection;
use super::source::{Entry, Subject, live_entries};
use super::stream::{self, Elements};

static MEMBERS: LazyLock<Vec<Entry>> = LazyLock::new(|| live_entries(rest::INSTALLATION));

/// GET of `installation` and of `installation/NAME`.
///
/// # Errors
/// 400 a parameter or a member that does not exist; 404 another installation.
pub(crate) fn show(call: Call<'_>) -> Result<Answer, ApiError> {
    let installation = &call.settings.options.installation;
    let name = decode(call.parameters[0])?;
    if !name.is_empty() && name != installation.name {
        return Err(ApiError::new(&error::INSTALLATION_UNKNOWN, &[&name]));
    }
    let extended = MEMBERS.iter().filter(|entry| entry.path.contains('.'));
    let mut attributes = None;
    query::each(call.query(), |name, value| match name {
        "attributes" => query::once(&mut attributes, name, Selection::parse(&value, extended.clone())?),
        _ => Err(query::unknown(name)),
    })?;
    let attributes = attributes.unwrap_or_default();
    let is_shown = |entry: &&Entry| !entry.path.contains('.') || attributes.has(&entry.path);
    let members: Vec<_> = MEMBERS.iter().filter(is_shown).cloned().collect();
    let installation = Some(installation.clone());
    Ok(stream::list("installation", Only { installation, plan: Plan::in_order(&members, 0) }))
}

struct Only {
    installation: Option<Installation>,
    plan: Plan,
}

impl Elements for Only {
    fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(installation) = self.installation.take() else { return false };
        self.plan.write(&Subject { view: None, live: Live::Installation(&installation) }, out);
        true
    }
}
