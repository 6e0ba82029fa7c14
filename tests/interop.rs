//! Foreign clients against our binary: curl, Python, Node, Go, OpenSSL, pymqrest, schemathesis, an issuer of
//! OpenID Connect, Zowe CLI, and programs with the public MQ clients for Java.

mod clients;
mod curl;
mod families;
pub(crate) mod java;
mod liberty;
mod openssl;
pub(crate) mod packages;
mod python;
mod schemathesis;
mod setup_file;
pub(crate) mod sign_in;
mod zowe;

use std::process::{Command, Output};

use anyhow::{Context, Result};

/// Runs a program to its end. A missing program is an error that names it: `make test` installs them.
pub(crate) fn run(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("cannot start {command:?}"))
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
