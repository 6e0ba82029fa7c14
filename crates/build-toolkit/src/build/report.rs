//! What the build says: lines for the console, the logs, and the summary.
//!
//! Identifiers, labels and their order are the published ones; sentences are our own. BAQB09nn are identifiers of our own, for
//! what has no published one. Source: reference, 1.1.

use crate::description::{Api, Listed};
use crate::options::Options;
use crate::schema::Dropped;

/// What came of it all.
#[derive(Debug)]
pub struct Summary {
    pub api_name: String,
    pub base_path: String,
    pub description_name: String,
    pub processed: Vec<Processed>,
    /// Operations that are not in the archive, and why.
    pub ignored: Vec<(String, String)>,
}

/// An operation that is in the archive.
#[derive(Debug)]
pub struct Processed {
    pub operation_id: String,
    pub path: String,
    pub method: &'static str,
    /// Name of the member and length of the record in bytes.
    pub request: Option<(String, u32)>,
    pub response: Option<(String, u32)>,
    pub information: String,
}

impl Summary {
    pub(super) fn new(api: &Api<'_>, description_name: &str) -> Self {
        Self {
            api_name: api.name.clone(),
            base_path: api.base_path.clone(),
            description_name: description_name.to_owned(),
            processed: Vec::new(),
            ignored: Vec::new(),
        }
    }

    /// As the console shows it.
    pub(super) fn lines(&self) -> Vec<String> {
        let (success, ignored) = (self.processed.len(), self.ignored.len());
        let mut lines = vec![
            format!(
                "Total {} operation(s) (success: {success}, ignored: {ignored}) in the API description file: {}",
                success + ignored,
                self.description_name
            ),
            "------ Operations processed ------".to_owned(),
        ];
        lines.extend(self.processed.iter().flat_map(|one| one.lines(&self.base_path)));
        if ignored > 0 {
            lines.push("------ Operations ignored ------".to_owned());
            lines.extend(self.ignored.iter().map(|(id, why)| plain(format!("operationId: {id}: {why}"))));
        }
        lines
    }
}

impl Processed {
    pub(super) fn new(listed: &Listed<'_>, information: String) -> Self {
        let (operation_id, path, method) = (listed.id.clone(), listed.path.to_owned(), listed.method);
        Self { operation_id, path, method, request: None, response: None, information }
    }

    pub(super) fn lines(&self, base_path: &str) -> Vec<String> {
        let mut lines = vec![format!(
            "operationId: {}, basePath: {base_path}, relativePath: {}, method: {}",
            self.operation_id, self.path, self.method
        )];
        if let Some((member, _)) = &self.request {
            lines.push(format!("- request data structure : {member}"));
        }
        if let Some((member, _)) = &self.response {
            lines.push(format!("- response data structure : {member}"));
        }
        lines.push(format!("- api info file           : {}", self.information));
        lines
    }

    /// Lengths of the records, for the log.
    pub(super) fn lengths(&self) -> Vec<String> {
        let members = self.request.iter().chain(&self.response);
        members.map(|(member, length)| format!("{member} describes {length} bytes")).collect()
    }
}

/// `PPPnnQ01`; the hundredth is `PPP00Q02`.
pub(super) fn member_name(options: &Options, number: usize, letter: char) -> String {
    format!("{}{:02}{letter}{:02}", options.requester_prefix, number % 100, number / 100 + 1)
}

fn operation(listed: &Listed<'_>) -> String {
    format!("(operationId: {}, relativePath: {}, method: {})", listed.id, listed.path, listed.method)
}

/// One line, for any texts of the description.
fn plain(line: String) -> String {
    if line.contains(char::is_control) {
        line.chars().map(|one| if one.is_control() { ' ' } else { one }).collect()
    } else {
        line
    }
}

pub(super) fn named(api: &Api<'_>) -> String {
    plain(format!(
        "BAQB0040I: The API requester is named {}, as the API with the title {} has the version {}.",
        api.name, api.title, api.version
    ))
}

pub(super) fn started(listed: &Listed<'_>) -> String {
    format!("BAQB0015I: Processing the operation {}.", operation(listed))
}

pub(super) fn finished(listed: &Listed<'_>) -> String {
    format!("BAQB0016I: Processed the operation {}.", operation(listed))
}

pub(super) fn reserved((word, name): &(String, String)) -> String {
    format!("DFHPI9586W The word \"{word}\" is reserved; the structure has \"{name}\" instead.")
}

pub(super) fn dropped(listed: &Listed<'_>, dropped: &Dropped) -> String {
    plain(format!("BAQB0901W: {}: {} is left out: {}.", listed.id, dropped.place, dropped.problem))
}

pub(super) fn dropped_lines(listed: &Listed<'_>, all: &[Dropped]) -> Vec<String> {
    all.iter().map(|one| dropped(listed, one)).collect()
}

pub(super) fn ignored(listed: &Listed<'_>, why: &str) -> String {
    plain(format!("BAQB0902W: The operation is ignored {}: {why}.", operation(listed)))
}

pub(super) fn refused(place: &str, why: &str) -> String {
    plain(format!("BAQB0902W: {place} is ignored: {why}."))
}
