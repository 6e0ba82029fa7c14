//! The two-way service of the comparison: its sources, its archive, and deploying it on the web tier.

use std::path::Path;
use std::process::Command;

use super::pair::{REMOTE, REPLY_QUEUE, REQUEST_QUEUE, ask, write};
use crate::error::TablesError;
use crate::session::Session;
use crate::setting::server::Server;

pub(super) const PATH: &str = "/zosConnect/services/tablesService?action=invoke";
/// A record of 48 bytes, which name the request.
pub(super) const REQUEST: &str = r#"{"name":"{id}"}"#;
const REQUEST_COPYBOOK: &str = "       01  REQUEST.\n           05 NAME PIC X(48).\n";
/// 1024 bytes: the name of the request and 61 items of 16.
const REPLY_COPYBOOK: &str = "       01  REPLY.
           05 NAME PIC X(48).
           05 ITEM PIC X(16) OCCURS 61 TIMES.
";

/// Latin-1, as the responder's filler is letters of ASCII.
fn source() -> String {
    format!(
        "name: tablesService\nversion: 1.0\ndescription: Two-way service of the comparison\nconnectionFactory: {REMOTE}\n\
         destination: {REQUEST_QUEUE}\nreplyDestination: {REPLY_QUEUE}\nwaitInterval: 5000\nrequestStructure: REQUEST.cpy\n\
         responseStructure: REPLY.cpy\nccsid: 819\nbyteOrder: big\n"
    )
}

/// Builds the archive and hands it to the server.
pub(super) fn deploy(session: &Session, web: &Server) -> Result<(), TablesError> {
    session.tell("building a service");
    let folder = session.setting().new_folder("service")?;
    write(&folder.join("service.yaml"), &source())?;
    write(&folder.join("REQUEST.cpy"), REQUEST_COPYBOOK)?;
    write(&folder.join("REPLY.cpy"), REPLY_COPYBOOK)?;
    let archive = folder.join("tablesService.sar");
    let mut build = Command::new(session.setting().program());
    build.env_clear().args(["service", "build"]).arg(&folder).arg("-o").arg(&archive);
    run(build)?;
    deploy_archive(web, "/zosConnect/services", &archive)
}

/// Runs a program to its end.
///
/// # Errors
/// It is not there, or does not end well: with what it said.
pub(in crate::experiment) fn run(mut command: Command) -> Result<(), TablesError> {
    let program = command.get_program().to_owned();
    let output = command.output().map_err(|source| TablesError::Start { program: program.clone().into(), source })?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let what = format!("{}: {}", program.display(), String::from_utf8_lossy(&said).trim());
    Err(TablesError::Unexpected { what })
}

/// # Errors
/// The server does not take the archive.
pub(in crate::experiment) fn deploy_archive(server: &Server, path: &str, archive: &Path) -> Result<(), TablesError> {
    let bytes = std::fs::read(archive).map_err(|source| TablesError::File {
        what: "read",
        path: archive.to_owned(),
        source,
    })?;
    ask(server, ("POST", path), "application/zip", &bytes).map(drop)
}
