//! The environment variables of `docs/stub-protocol.md`, read at each call.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::StubError;
use crate::host::Parameters;
use crate::target::{self, Target};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
const DEFAULT_FORM: &str = if cfg!(target_endian = "little") { "little,ieee,1208" } else { "big,ieee,1208" };

/// How much goes to standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbose {
    Off,
    Errors,
    Calls,
    All,
}

pub(crate) struct Settings {
    pub(crate) server: Target,
    /// Value of the Authorization header.
    pub(crate) authorization: Option<String>,
    /// `None`: no limit.
    pub(crate) timeout: Option<Duration>,
    pub(crate) verbose: Verbose,
    pub(crate) files: TlsFiles,
    /// Value of the Baq-Record-Form header.
    pub(crate) form: Option<String>,
}

/// PEM files for https; `None` for the system's signers and for no client certificate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TlsFiles {
    pub(crate) signers: Option<String>,
    pub(crate) certificate: Option<String>,
    pub(crate) key: Option<String>,
}

impl Settings {
    /// # Errors
    /// A variable whose value cannot be used.
    pub(crate) fn of_environment() -> Result<Self, StubError> {
        Self::of(|name| {
            let Some(value) = std::env::var_os(name) else { return Ok(None) };
            value.into_string().map(Some).map_err(|_| StubError::Environment(name, "it is not UTF-8"))
        })
    }

    fn of(variable: impl Fn(&'static str) -> Result<Option<String>, StubError>) -> Result<Self, StubError> {
        let variable = |name| Ok(variable(name)?.filter(|value| !value.is_empty()));
        Ok(Self {
            server: server(variable("BAQURI")?, variable("BAQPORT")?)?,
            authorization: authorization(variable("BAQUSERNAME")?, variable("BAQPASSWORD")?)?,
            timeout: timeout(variable("BAQTIMEOUT")?)?,
            verbose: verbose(variable("BAQVERBOSE")?)?,
            files: TlsFiles {
                signers: variable("BAQCAFILE")?,
                certificate: variable("BAQCERTFILE")?,
                key: variable("BAQKEYFILE")?,
            }
            .complete()?,
            form: form(variable("BAQFORM")?)?,
        })
    }
}

impl Settings {
    /// With what the parameters of a program's BAQ-ZCONNECT-AREA say otherwise.
    ///
    /// # Errors
    /// A parameter that cannot be used.
    pub(crate) fn with(self, parameters: &Parameters) -> Result<Self, StubError> {
        let text = |name: &str| parameters.value(name).map(|value| String::from_utf8_lossy(value).into_owned());
        let (host, port) = (text("BAQHAPI-Server-Host"), text("BAQHAPI-Server-Port"));
        let user = text("BAQHAPI-Server-Username");
        let seconds = text("BAQHAPI-Server-Timeout");
        let word = text("BAQHAPI-Trace-Verbose");
        Ok(Self {
            server: if host.is_some() || port.is_some() { server(host, port)? } else { self.server },
            authorization: match user {
                Some(user) => authorization(Some(user), text("BAQHAPI-Server-Password"))?,
                None => self.authorization,
            },
            timeout: if seconds.is_some() { timeout(seconds)? } else { self.timeout },
            verbose: if word.is_some() { verbose(word)? } else { self.verbose },
            ..self
        })
    }
}

impl TlsFiles {
    fn complete(self) -> Result<Self, StubError> {
        match (&self.certificate, &self.key) {
            (Some(_), None) => Err(StubError::Environment("BAQKEYFILE", "BAQCERTFILE needs it")),
            (None, Some(_)) => Err(StubError::Environment("BAQCERTFILE", "BAQKEYFILE needs it")),
            _ => Ok(self),
        }
    }
}

fn server(uri: Option<String>, port: Option<String>) -> Result<Target, StubError> {
    let port = match port {
        Some(port) => Some(
            target::parse_port(&port).ok_or(StubError::Environment("BAQPORT", "a number from 1 to 65535 is wanted"))?,
        ),
        None => None,
    };
    let Some(uri) = uri else { return Ok(Target::local(port)) };
    Target::parse(&uri, port)
        .ok_or(StubError::Environment("BAQURI", "a host is wanted, perhaps with http:// or https:// and a port"))
}

fn authorization(user: Option<String>, password: Option<String>) -> Result<Option<String>, StubError> {
    let Some(user) = user else { return Ok(None) };
    if user.contains(':') {
        return Err(StubError::Environment("BAQUSERNAME", "a user name cannot have a colon"));
    }
    let pair = format!("{user}:{}", password.unwrap_or_default());
    let mut value = "Basic ".to_owned();
    STANDARD.encode_string(pair, &mut value);
    Ok(Some(value))
}

fn timeout(seconds: Option<String>) -> Result<Option<Duration>, StubError> {
    let Some(text) = seconds else { return Ok(Some(DEFAULT_TIMEOUT)) };
    match text.parse::<u32>() {
        Ok(0) => Ok(None),
        Ok(seconds) => Ok(Some(Duration::from_secs(seconds.into()))),
        Err(_) => Err(StubError::Environment("BAQTIMEOUT", "a whole number of seconds is wanted")),
    }
}

fn verbose(word: Option<String>) -> Result<Verbose, StubError> {
    let Some(word) = word else { return Ok(Verbose::Off) };
    match word.to_ascii_uppercase().as_str() {
        "OFF" => Ok(Verbose::Off),
        "ERROR" => Ok(Verbose::Errors),
        "AUDIT" => Ok(Verbose::Calls),
        "ON" | "ALL" => Ok(Verbose::All),
        _ => Err(StubError::Environment("BAQVERBOSE", "OFF, ON, ERROR, AUDIT or ALL is wanted")),
    }
}

/// `{big|little},{hexadecimal|ieee},{ccsid}`; nothing for `archive`.
fn form(text: Option<String>) -> Result<Option<String>, StubError> {
    let Some(text) = text else { return Ok(Some(DEFAULT_FORM.to_owned())) };
    if text == "archive" {
        return Ok(None);
    }
    let mut parts = text.split(',');
    let is_form = matches!(parts.next(), Some("big" | "little"))
        && matches!(parts.next(), Some("hexadecimal" | "ieee"))
        && parts.next().is_some_and(|ccsid| ccsid.parse::<u16>().is_ok_and(|number| number != 0))
        && parts.next().is_none();
    match is_form {
        true => Ok(Some(text)),
        false => Err(StubError::Environment("BAQFORM", "archive, or a form such as big,hexadecimal,37 is wanted")),
    }
}

#[cfg(test)]
mod tests;
