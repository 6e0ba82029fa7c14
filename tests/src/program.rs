//! Where the program under test is.
//!
//! `QUAYMASTER_BIN` names it. Without that it is looked for where cargo puts it: beside the test's own profile first,
//! then the release build. It is never built from here. Nor is the communication stub.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// # Errors
/// No program there: the message says how to get one.
pub fn quaymaster() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("QUAYMASTER_BIN") {
        let path = PathBuf::from(named);
        if !path.is_file() {
            bail!("QUAYMASTER_BIN names {}, which is not a file", path.display());
        }
        return path.canonicalize().context("cannot resolve QUAYMASTER_BIN");
    }
    let own = std::env::current_exe().context("cannot tell where this test is")?;
    candidates(&own)
        .into_iter()
        .find(|path| path.is_file())
        .context("no quaymaster program: run `make build`, or name one in QUAYMASTER_BIN")
}

/// The folder of the communication stub and its copybook: `QUAYMASTER_STUB`, else where `make stub` puts it in the build that
/// the program is of.
///
/// # Errors
/// There is none: the message says how to get one.
pub fn stub_folder() -> Result<PathBuf> {
    let stub = Made {
        what: "communication stub",
        variable: "QUAYMASTER_STUB",
        target: "stub",
        folder: "stub-files",
        file: "BAQCSTUB.so",
    };
    stub.find()
}

/// The tree of the MQI library: `QUAYMASTER_CLIENT`, else where `make client` puts it in the build that the program is of.
///
/// # Errors
/// There is none: the message says how to get one.
pub fn client_tree() -> Result<PathBuf> {
    CLIENT.find()
}

/// The tree of the MQI library for another target of Rust, where `make client TARGET=…` puts it.
///
/// # Errors
/// There is none: the message says how to get one.
pub fn client_tree_for(target: &str) -> Result<PathBuf> {
    let (variable, folder) = ("QUAYMASTER_CLIENT_FOR", format!("quaymaster-client-{target}"));
    Made { variable, target: &format!("client TARGET={target}"), folder: &folder, ..CLIENT }.find()
}

/// The archive of the container image: `QUAYMASTER_IMAGE`, else where `make image` puts it in the build that the program is of.
///
/// # Errors
/// There is none: the message says how to get one.
pub fn image() -> Result<PathBuf> {
    let folder = match std::env::var_os("QUAYMASTER_IMAGE") {
        Some(named) => return Path::new(&named).canonicalize().context("cannot resolve QUAYMASTER_IMAGE"),
        None => quaymaster()?.ancestors().nth(2).context("a program lies in a build")?.join("dist"),
    };
    let listed = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let is_image = |path: &PathBuf| path.to_string_lossy().ends_with(".oci.tar");
    let newest = listed.filter(is_image).max_by_key(|path| path.metadata().and_then(|found| found.modified()).ok());
    newest.with_context(|| format!("no container image in {}: run `make image`", folder.display()))
}

/// A package of this machine that `make dist` puts beside the container image: the one whose name ends so.
///
/// # Errors
/// There is none, or more than one.
pub fn package(end: &str) -> Result<PathBuf> {
    let folder = image()?.parent().context("an image lies in a folder")?.to_owned();
    let paths = std::fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<_> =
        paths.filter(|path| path.to_string_lossy().ends_with(end) && !is_of_another_machine(path)).collect();
    ensure!(found.len() < 2, "which of the packages {found:?}: their names all end with {end}");
    found.pop().with_context(|| format!("no package {end} in {}: run `make dist`", folder.display()))
}

/// The words of compilers, Debian and Node.
fn is_of_another_machine(package: &Path) -> bool {
    const MACHINES: [&[&str]; 2] = [&["x86_64", "amd64", "x64"], &["aarch64", "arm64"]];
    let name = package.file_name().unwrap_or_default().to_string_lossy();
    let mut others = MACHINES.into_iter().filter(|words| !words.contains(&std::env::consts::ARCH)).flatten();
    others.any(|word| name.contains(word))
}

/// A folder that a target of `make` puts in the build.
struct Made<'a> {
    what: &'static str,
    /// Names another folder.
    variable: &'static str,
    target: &'a str,
    folder: &'a str,
    /// In each such folder.
    file: &'static str,
}

const CLIENT: Made<'static> = Made {
    what: "MQI library",
    variable: "QUAYMASTER_CLIENT",
    target: "client",
    folder: "quaymaster-client",
    file: "lib64/libmqm_r.so",
};

impl Made<'_> {
    fn find(&self) -> Result<PathBuf> {
        let Self { what, variable, target, folder, file } = self;
        let folder = match std::env::var_os(variable) {
            Some(named) => PathBuf::from(named),
            None => quaymaster()?.ancestors().nth(2).context("a program lies in a build")?.join(folder),
        };
        if !folder.join(file).is_file() {
            bail!("no {what} in {}: run `make {target}`, or name its folder in {variable}", folder.display());
        }
        folder.canonicalize().with_context(|| format!("cannot resolve the folder of the {what}"))
    }
}

/// `target/PROFILE/deps/it-HASH`, as tests are called, and `target/PROFILE/benches` lead to `target/PROFILE/quaymaster`, then
/// `target/release/quaymaster`.
fn candidates(own: &Path) -> [PathBuf; 2] {
    let folder = own.parent().unwrap_or(own);
    let profile = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    let target = profile.parent().unwrap_or(profile);
    [profile.join("quaymaster"), target.join("release/quaymaster")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_another_machine_are_known_by_their_names() {
        let (own, other) = match std::env::consts::ARCH {
            "aarch64" => {
                (["linux-arm64.tgz", "manylinux_2_34_aarch64.whl"], ["linux-x64.tgz", "manylinux_2_34_x86_64.whl"])
            }
            _ => (["linux-x64.tgz", "manylinux_2_34_x86_64.whl"], ["linux-arm64.tgz", "manylinux_2_34_aarch64.whl"]),
        };
        for (own, other) in own.into_iter().zip(other) {
            let named = |end: &str| PathBuf::from(format!("aarch64-x64/quaymaster-0.1.0-{end}"));
            assert!(!is_of_another_machine(&named(own)) && is_of_another_machine(&named(other)), "{own} {other}");
        }
        assert!(!is_of_another_machine(Path::new("quaymaster-chart-0.1.0.tgz")));
    }

    #[test]
    fn the_program_is_looked_for_beside_tests_and_beside_programs() {
        let found = |own: &str| candidates(Path::new(own));
        let both = [PathBuf::from("t/debug/quaymaster"), PathBuf::from("t/release/quaymaster")];
        assert_eq!(found("t/debug/deps/it-0123"), both);
        assert_eq!(found("t/debug/benches"), both);
        assert_eq!(found("t/release/benches")[0], both[1]);
    }
}
