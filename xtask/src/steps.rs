//! Commands that run other programs, one after the other, stopping at the first that fails.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{console, mqi, tidy};

pub(crate) fn ci(root: &Path) -> Result<()> {
    cargo(root, &["fmt", "--all", "--check"], &[])?;
    cargo(root, &["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    eprintln!("xtask: tidy");
    tidy::check(root)?;
    program(root, "scripts/test.sh", &[], &[])
}

pub(crate) fn codegen(root: &Path) -> Result<()> {
    console::write(root)?;
    mqi::write(root)?;
    let update = [("QUAYMASTER_UPDATE_DOCS", "1")];
    cargo(root, &["test", "--locked", "--package", "model", "--package", "server", "--lib", "--bins"], &update)
}

pub(crate) fn fuzz(root: &Path, seconds: u32) -> Result<()> {
    let folder = root.join("fuzz/fuzz_targets");
    let mut targets: Vec<String> = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    targets.sort_unstable();
    let limit = format!("-max_total_time={seconds}");
    for target in &targets {
        // Background threads of the store may still be freeing when an input ends: that is no leak.
        program(root, "cargo", &["+nightly", "fuzz", "run", target, "--", &limit, "-detect_leaks=0"], &[])?;
    }
    Ok(())
}

pub(crate) fn bench(root: &Path, rest: &[&str]) -> Result<()> {
    cargo(root, &["build", "--release", "--locked", "--package", "server"], &[])?;
    program(root, "scripts/stub.sh", &[], &[])?;
    program(root, "scripts/client.sh", &[], &[])?;
    let mut arguments = vec!["run", "--release", "--locked", "--package", "benches", "--"];
    arguments.extend(rest);
    cargo(root, &arguments, &[])
}

fn cargo(root: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    program(root, &std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()), arguments, environment)
}

fn program(root: &Path, name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    eprintln!("xtask: {name} {}", arguments.join(" "));
    let status = Command::new(name)
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(root)
        .status()
        .with_context(|| format!("cannot start {name}"))?;
    ensure!(status.success(), "{name} {} ended with {status}", arguments.join(" "));
    Ok(())
}
