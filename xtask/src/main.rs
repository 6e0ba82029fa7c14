//! The one door for developers: `cargo xtask ci|tidy|codegen|client|image|packages|toolkit|archive|sizes|checksums|fuzz|bench`.

mod console;
mod mqi;
mod packing;
mod steps;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const USAGE: &str = "cargo xtask ci        what CI runs, in the same order: format, lints, tidy, tests
cargo xtask tidy      the rules of the repository that a machine can check
cargo xtask codegen   make the generated parts of docs/ and the list of the console's files anew
cargo xtask codegen console   that list alone
cargo xtask codegen mqi       constants and structures of the MQI library alone
cargo xtask client FOLDER     write headers and copybooks of the MQI into a folder, as `make client` does
cargo xtask image [--program FILE] [--native FILE] [--out FOLDER] [--shell FILE|none]
                      write the container image of a program, as an archive for `docker load`; needs no Docker
cargo xtask packages [--program FILE] [--native FILE] [--static FILE] [--out FOLDER]
                      write .deb, .rpm, .tar.gz, wheel, npm package, archive of Java, chart for Helm and
                      list of parts (CycloneDX) of a program; of the static one, an archive beside the others
cargo xtask toolkit [--program FILE] [--out FOLDER]
                      write zconbt.zip, the build toolkit for API requesters
cargo xtask archive FOLDER FILE.tar.gz
                      pack a folder into the same bytes, whoever made it and when
cargo xtask sizes FILE…       programs and images are no larger than they may be
cargo xtask checksums FOLDER  write SHA256SUMS of a folder's files
cargo xtask fuzz [N]  every fuzz target for N seconds (default 60); needs nightly and cargo-fuzz
cargo xtask bench     measure the bars of docs/performance.md";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let root = root()?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci"] => steps::ci(&root),
        ["tidy"] => tidy::check(&root),
        ["codegen"] => steps::codegen(&root),
        ["codegen", "console"] => console::write(&root),
        ["codegen", "mqi"] => mqi::write(&root),
        ["client", folder] => mqi::hand_out(Path::new(folder)),
        ["image", rest @ ..] => packing::image(&root, rest),
        ["packages", rest @ ..] => packing::packages(&root, rest),
        ["toolkit", rest @ ..] => packing::toolkit(&root, rest),
        ["archive", folder, file] => packing::archive(&root, Path::new(folder), Path::new(file)),
        ["sizes", files @ ..] => packing::sizes(files),
        ["checksums", folder] => packing::checksums(Path::new(folder)),
        ["fuzz"] => steps::fuzz(&root, 60),
        ["fuzz", seconds] => steps::fuzz(&root, seconds.parse().context("fuzz: expected a number of seconds")?),
        ["bench", rest @ ..] => steps::bench(&root, rest),
        _ => bail!("expected a command\n{USAGE}"),
    }
}

fn root() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(manifest.parent().context("xtask lies in the repository")?.to_owned())
}
