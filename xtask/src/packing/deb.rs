//! A package of Debian: an `ar` archive of a version, the control files and the files to install.
//!
//! ```text
//! !<arch>\n  { name 16  date 12  owner 6  group 6  mode 8  length 10  `\n  bytes  \n to an even length }
//! debian-binary  control.tar.gz  data.tar.gz
//! ```
//! Source: deb(5), deb-control(5), ar(5).

use std::path::Path;

use anyhow::{Context, Result};

use super::contents::SETTINGS;
use super::oci::digits;
use super::program::Program;
use super::tree::{Tree, gzip};

const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// The package.
///
/// # Errors
/// A script of `packaging/deb` cannot be read.
pub(super) fn package(root: &Path, program: &Program, files: &Tree, version: &str, date: u64) -> Result<Vec<u8>> {
    let mut control = Tree::default();
    control.file("control", 0o644, control_file(program, files.size(), version));
    control.file("conffiles", 0o644, format!("/{SETTINGS}\n"));
    control.file("sha256sums", 0o644, sums(files));
    for name in SCRIPTS {
        let path = root.join("packaging/deb").join(name);
        control.file(name, 0o755, std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?);
    }
    Ok(archive(
        &[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", gzip(&control.tar(date)?)?),
            ("data.tar.gz", gzip(&files.tar(date)?)?),
        ],
        date,
    ))
}

fn control_file(program: &Program, bytes: usize, version: &str) -> String {
    let architecture = program.architecture.name();
    let kilobytes = bytes.div_ceil(1024);
    let depends = match program.needed_libc() {
        Some(libc) => format!("Depends: libc6 (>= {libc}), libgcc-s1\n"),
        None => String::new(),
    };
    format!(
        "Package: quaymaster\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: Quaymaster <packages@quaymaster.invalid>\nInstalled-Size: {kilobytes}\n{depends}\
         Section: net\nPriority: optional\n\
         Description: durable queue manager for IBM MQ programs, with the messaging REST API\n \
         Serves MQ clients, the messaging and administrative REST APIs of IBM MQ, services and APIs\n \
         of z/OS Connect, and a console in the browser, with the commands that operators know.\n"
    )
}

/// Digests of the installed files, relative to the root.
fn sums(files: &Tree) -> String {
    let line = |(path, bytes): (&str, &[u8])| format!("{}  {path}\n", digits(bytes));
    files.files().map(line).collect()
}

fn archive(members: &[(&str, Vec<u8>)], date: u64) -> Vec<u8> {
    let mut whole = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let length = bytes.len();
        whole.extend(format!("{name:<16}{date:<12}{:<6}{:<6}{:<8}{length:<10}`\n", 0, 0, 100_644).into_bytes());
        whole.extend(bytes);
        if length % 2 == 1 {
            whole.push(b'\n');
        }
    }
    whole
}
