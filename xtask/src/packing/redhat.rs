//! A package for systems that have rpm, written by the crate of that name.

use std::path::Path;

use anyhow::{Context, Result};
use rpm::{BuildConfig, CompressionWithLevel, Dependency, FileOptions, PackageBuilder};

use super::contents::SETTINGS;
use super::program::Program;
use super::tree::{Content, Tree, level};

/// The package.
///
/// # Errors
/// A script of `packaging/rpm` cannot be read, or the crate refuses a file.
pub(super) fn package(root: &Path, program: &Program, files: &Tree, version: &str, date: u64) -> Result<Vec<u8>> {
    let script = |name: &str| {
        let path = root.join("packaging/rpm").join(name);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let summary = "Durable queue manager for IBM MQ programs, with the messaging REST API";
    let date = u32::try_from(date).context("a date after 2106")?;
    let mut package = PackageBuilder::new("quaymaster", version, "Apache-2.0", program.architecture.machine(), summary);
    package
        .using_config(BuildConfig::default().compression(CompressionWithLevel::Gzip(level())).source_date(date))
        .build_host("quaymaster.invalid")
        .description(summary)
        .post_install_script(script("post")?)
        .pre_uninstall_script(script("preun")?)
        .post_uninstall_script(script("postun")?);
    if let Some(libc) = program.needed_libc() {
        package.requires(Dependency::any(format!("libc.so.6(GLIBC_{libc})(64bit)")));
        package.requires(Dependency::any("libgcc_s.so.1()(64bit)"));
    }
    for (path, mode, content) in files.entries() {
        let place = format!("/{path}");
        let permissions = u16::try_from(mode & 0o7777)?;
        match content {
            // The folders of a system belong to it, the others to this package.
            Content::Folder if path.ends_with("/quaymaster") => {
                package.with_dir_entry(FileOptions::dir(place).permissions(permissions))?;
            }
            Content::Folder => {}
            Content::File(bytes) => {
                let options = FileOptions::new(place).permissions(permissions);
                let options = if path == SETTINGS { options.config().noreplace() } else { options };
                package.with_file_contents(bytes.as_slice(), options)?;
            }
            Content::Link(target) => drop(package.with_symlink(FileOptions::symlink(place, target))?),
        }
    }
    let mut bytes = Vec::new();
    package.build()?.write(&mut bytes)?;
    Ok(bytes)
}
