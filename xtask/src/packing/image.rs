//! The container image: from nothing, with the program, the libraries and signers that it needs, and the folders that a
//! container mounts on. Two layers, so that a new program is fetched without the rest.
//!
//! Names and places are those of IBM's image; `docs/container.md` lists them. Source: IBM MQ container documentation, 9.4.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use super::oci::{self, Image, Layer};
use super::program::Program;
use super::tree::Tree;
use super::{VERSION, rfc3339, write};

/// The signers that Debian trusts, for connections that the server opens.
const SIGNERS: &str = "/etc/ssl/certs/ca-certificates.crt";
/// The terms of what is taken from the machine that builds.
const TERMS: [&str; 3] = ["libc6", "libgcc-s1", "dash"];

/// Writes the archive, and returns its name.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write_to(
    out: &Path,
    root: &Path,
    program: &Program,
    shell: Option<&Program>,
    names: &[String],
    date: u64,
) -> Result<PathBuf> {
    let created = rfc3339(date)?;
    let architecture = program.architecture.name();
    let image = Image { architecture, config: config(&created), created, name: format!("quaymaster:{VERSION}") };
    let layers = [
        Layer { tree: system(program, shell)?, comment: "libraries, signers, users and folders" },
        Layer { tree: product(root, program, names)?, comment: "the program and its names" },
    ];
    let file = out.join(format!("quaymaster-{VERSION}-linux-{architecture}.oci.tar"));
    write(&file, &oci::archive(&image, &layers, date)?)?;
    Ok(file)
}

fn config(created: &str) -> Value {
    json!({
        "User": "1001",
        "ExposedPorts": { "1414/tcp": {}, "9157/tcp": {}, "9443/tcp": {} },
        "Env": [
            "PATH=/usr/bin:/opt/mqm/bin:/bin",
            "QUAYMASTER_DATA=/mnt/mqm/quaymaster",
        ],
        "Entrypoint": ["runmqserver"],
        "WorkingDir": "/",
        "StopSignal": "SIGTERM",
        "Labels": {
            "org.opencontainers.image.created": created,
            "org.opencontainers.image.licenses": "Apache-2.0",
            "org.opencontainers.image.title": "Quaymaster",
            "org.opencontainers.image.version": VERSION,
        },
    })
}

/// What is there before the program.
fn system(program: &Program, shell: Option<&Program>) -> Result<Tree> {
    let mut tree = Tree::default();
    let mut libraries = program.libraries()?;
    libraries.extend(shell.map(Program::libraries).transpose()?.unwrap_or_default());
    let has_libraries = !libraries.is_empty();
    for library in libraries {
        tree.file(&library.path, 0o755, library.bytes);
    }
    // For health commands and `docker exec`, which are lines of a shell more often than not.
    if let Some(shell) = shell {
        tree.file("bin/sh", 0o755, shell.bytes.clone());
    }
    if has_libraries {
        for name in TERMS {
            if let Ok(text) = std::fs::read(format!("/usr/share/doc/{name}/copyright")) {
                tree.file(&format!("usr/share/doc/{name}/copyright"), 0o644, text);
            }
        }
    }
    if let Ok(text) = std::fs::read(SIGNERS) {
        tree.file(SIGNERS, 0o644, text);
    }
    tree.file("etc/passwd", 0o644, "root:x:0:0:root:/:/bin/sh\nmqm:x:1001:0:mqm:/mnt/mqm:/bin/sh\n");
    tree.file("etc/group", 0o644, "root:x:0:\nmqm:x:1001:\n");
    tree.file("etc/nsswitch.conf", 0o644, "passwd: files\ngroup: files\nhosts: files dns\n");
    for folder in ["dev", "etc/mqm", "proc", "run", "sys"] {
        tree.folder(folder, 0o755);
    }
    // Any user may run the server, and makes a folder of its own there.
    tree.folder("mnt/mqm", 0o1777);
    tree.folder("tmp", 0o1777);
    tree.link("var/mqm", "../mnt/mqm");
    // Charts mount secrets below the older name.
    tree.link("var/run", "../run");
    Ok(tree)
}

fn product(root: &Path, program: &Program, names: &[String]) -> Result<Tree> {
    let mut tree = Tree::default();
    tree.file("usr/bin/quaymaster", 0o755, program.bytes.clone());
    for name in names {
        tree.link(&format!("usr/bin/{name}"), "quaymaster");
    }
    tree.link("opt/mqm/bin", "../../usr/bin");
    tree.file("usr/share/doc/quaymaster/LICENSE", 0o644, std::fs::read(root.join("LICENSE"))?);
    Ok(tree)
}
