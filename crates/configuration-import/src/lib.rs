//! Reads the configuration of an mqweb server (`mqwebuser.xml`, `mqweb.xml`, `bootstrap.properties`) or of a z/OS Connect server
//! (`server.xml`) into our options.
//!
//! Done once, by `quaymaster config import`; nothing of this runs in a server. It touches no disk and no environment: the
//! caller hands in the files and answers for included files and `${env.X}`. Input is bounded in size, depth and
//! substitution; document types and entities of a file's own are refused.
//!
//! What has no counterpart here is never dropped in silence: each such thing is a line of [`Imported::left_out`].
//! Source: IBM MQ 9.3, "Configuring the mqweb server"; Open Liberty 24.0.0.12, server configuration.

mod elements;
pub mod error;
mod ldap;
mod render;
mod requester;
mod security;
mod settings;
mod variables;
mod zosconnect;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use document::properties;
use identity::options::{Ldap, Ltpa, Web};
use web::options::{Console, Cors, Messaging, RemoteQueueManagers, Zosconnect};

use self::elements::Elements;
use self::error::ImportError;
use self::variables::Variables;

/// Longest file that is read, in bytes.
pub const MAXIMUM_BYTES: usize = 4 << 20;

/// What the caller answers for.
pub trait Surroundings {
    /// Value of an environment variable.
    fn environment(&self, name: &str) -> Option<String>;

    /// Contents of the file that an `include` names, if it exists. Relative to the file being imported.
    fn included(&self, location: &str) -> Option<Vec<u8>>;
}

/// What a configuration says, in our terms.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// `server.https` and `server.http`, `HOST:PORT` or `off`; `None` where the files say nothing.
    pub https: Option<String>,
    pub http: Option<String>,
    pub web: Web,
    pub ldap: Ldap,
    pub ltpa: Ltpa,
    pub cors: Cors,
    pub messaging: Messaging,
    pub console: Console,
    pub zosconnect: Zosconnect,
    pub remote_queue_managers: RemoteQueueManagers,
    /// Roles bound in the console's application, which may differ from those of REST in `web.roles`.
    pub console_roles: BTreeMap<String, Vec<String>>,
    pub left_out: Vec<LeftOut>,
}

/// Something that has no counterpart here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    pub what: String,
    pub why: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

/// A file to import: its name, for messages, and its contents.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub name: &'a str,
    pub contents: &'a [u8],
}

/// Imports files in the order given; what a later one says wins, as when the earlier one includes it. A name that ends
/// in `.properties` is a properties file, any other is XML.
///
/// # Errors
/// A file is too long, is not XML, or is something else than a server configuration.
pub fn import(sources: &[Source<'_>], surroundings: &dyn Surroundings) -> Result<Imported, ImportError> {
    let mut variables = Variables::new(surroundings);
    let mut imported = Imported::default();
    for source in sources.iter().filter(|source| is_properties(source)) {
        check_length(source.name, source.contents)?;
        for (name, value) in properties::parse(source.contents) {
            variables.set_bootstrap(name, value);
        }
    }
    let mut elements = Elements::default();
    for source in sources.iter().filter(|source| !is_properties(source)) {
        elements.add_file(source.name, source.contents, &mut variables, &mut imported.left_out)?;
    }
    let server = elements.resolved(&variables);
    security::read(&server, &mut imported);
    ldap::read(&server, &mut imported);
    zosconnect::read(&server, &mut imported);
    requester::read(&server, &mut imported);
    settings::read(&server, &variables, &mut imported);
    let mut filled_later = imported.ldap.certificate_filter.clone().unwrap_or_default();
    filled_later
        .extend(imported.zosconnect.requesters.auth_tokens.values().filter_map(|token| token.request.body.clone()));
    for name in variables.unresolved() {
        // What a certificate or a program fills in later stands like a variable.
        if filled_later.contains(&format!("${{{name}}}")) {
            continue;
        }
        imported.leave_out(format!("${{{name}}}"), "the variable has no value; the text is kept unchanged");
    }
    imported.left_out = without_repeats(std::mem::take(&mut imported.left_out));
    Ok(imported)
}

fn is_properties(source: &Source<'_>) -> bool {
    source.name.ends_with(".properties")
}

/// The items in their order, each once.
fn without_repeats<T: Clone + Ord>(items: Vec<T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}

fn check_length(file: &str, contents: &[u8]) -> Result<(), ImportError> {
    if contents.len() > MAXIMUM_BYTES { Err(ImportError::TooLong { file: file.to_owned() }) } else { Ok(()) }
}

impl Imported {
    /// The configuration file: what was said and differs from our defaults, then what was left out, as comments.
    pub fn to_toml(&self) -> String {
        render::to_toml(self)
    }

    fn leave_out(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.left_out.push(LeftOut { what: what.into(), why: why.into() });
    }
}

#[cfg(test)]
mod tests;
