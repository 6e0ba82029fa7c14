//! What users install: sizes, seconds from `pip install` to a first message, and how long a test waits for a server of its own from
//! Python, Node and Java.
//!
//! It measures the files that `make dist` has made, and is left out where there are none.

#![expect(clippy::disallowed_methods, reason = "a measurement takes the time, and its files need not last")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use system_tests::program;

use crate::distribution::run as done;
use crate::effort::Effort;
use crate::interleave::median;
use crate::report::{Bar, Report};

/// A message as the first one of a user.
const FIRST_MESSAGE: &str = "import quaymaster\n\
    with quaymaster.Server() as server:\n    \
    server.put('DEV.QUEUE.1', 'first')\n    \
    assert server.get('DEV.QUEUE.1') == 'first'\n";
/// Each prints the milliseconds from the call to a server that is ready, a line for each start. The first is not printed: it reads the
/// program from the disk.
const PYTHON: &str = "import sys, time, quaymaster\n\
    for number in range(int(sys.argv[1]) + 1):\n    \
    begin = time.perf_counter()\n    \
    server = quaymaster.Server()\n    \
    took = time.perf_counter() - begin\n    \
    server.stop()\n    \
    if number: print(took * 1e3)\n";
const NODE: &str = "const { Server } = require('quaymaster');\n\
    (async () => {\n\
    for (let number = 0; number <= Number(process.argv[2]); number += 1) {\n\
    const begin = performance.now();\n\
    const server = await Server.start();\n\
    const took = performance.now() - begin;\n\
    await server.stop();\n\
    if (number) console.log(took);\n\
    }\n\
    })();\n";
const JAVA: &str = "public class Starts {\n\
    public static void main(String[] words) {\n\
    for (int number = 0; number <= Integer.parseInt(words[0]); number++) {\n\
    long begin = System.nanoTime();\n\
    quaymaster.QuaymasterServer server = quaymaster.QuaymasterServer.start();\n\
    double took = (System.nanoTime() - begin) / 1e6;\n\
    server.close();\n\
    if (number > 0) System.out.println(took);\n\
    }\n\
    }\n\
    }\n";
const MB: f64 = 1e6;

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let Ok(wheel) = program::package(".whl") else {
        eprintln!("packages: left out, as there are none: run `make dist`");
        return Ok(());
    };
    sizes(report)?;
    let folder = tempfile::tempdir_in(&effort.work)?;
    let python = first_message(effort, &wheel, folder.path(), report)?;
    let starts = (effort.rounds * 4).to_string();
    let mut add = |name, command: &mut Command| -> Result<()> {
        report.add(Bar::at_most(name, 100.0).value(median_of(command)?, "ms"));
        Ok(())
    };
    add("server for a test ready, from Python", Command::new(&python).args(["-c", PYTHON, &starts]))?;
    let node = folder.path().join("node");
    write(&node.join("starts.js"), NODE)?;
    write(&node.join("package.json"), "{}")?;
    let cpu = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let package = program::package(&format!("linux-{cpu}.tgz"))?;
    done(
        Command::new("npm").args(["install", "--offline", "--no-audit", "--no-fund"]).arg(package).current_dir(&node),
    )?;
    add("server for a test ready, from Node", Command::new("node").args(["starts.js", &starts]).current_dir(&node))?;
    let source = folder.path().join("Starts.java");
    write(&source, JAVA)?;
    // The program of the archive is unpacked there.
    let mut java = Command::new("java");
    java.env("XDG_CACHE_HOME", folder.path()).arg("-cp").arg(program::package(".jar")?);
    add("server for a test ready, from Java", java.arg(source).arg(&starts))
}

fn sizes(report: &mut Report) -> Result<()> {
    report.add(Bar::at_most("program, stripped", 25.0).value(program_megabytes("")?, "MB"));
    report.add(Bar::at_most("static program, stripped", 25.0).value(program_megabytes("-static")?, "MB"));
    report.add(Bar::at_most("container image", 30.0).value(megabytes(&program::image()?)?, "MB"));
    report.add(Bar::figure("wheel").value(megabytes(&program::package(".whl")?)?, "MB"));
    Ok(())
}

/// Of the program in the archive whose name has `kind` after the machine.
fn program_megabytes(kind: &str) -> Result<f64> {
    let (version, machine) = (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let archive = program::package(&format!("quaymaster-{version}-linux-{machine}{kind}.tar.gz"))?;
    let size = "set -o pipefail; tar -xzOf \"$1\" --wildcards '*/bin/quaymaster' | wc -c";
    let output = Command::new("bash").args(["-c", size, "size"]).arg(&archive).output()?;
    ensure!(output.status.success(), "{}: {}", archive.display(), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().parse::<f64>().context("a number of bytes")? / MB)
}

/// Installs the wheel and puts and gets as often as a round says, each time in an environment without it. Returns the last one's Python.
fn first_message(effort: &Effort, wheel: &Path, folder: &Path, report: &mut Report) -> Result<PathBuf> {
    let mut python = PathBuf::new();
    let mut seconds = Vec::new();
    for round in 0..effort.rounds {
        let environment = folder.join(format!("python-{round}"));
        done(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        python = environment.join("bin/python");
        let begin = Instant::now();
        let install = ["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"];
        done(Command::new(&python).args(install).arg(wheel))?;
        done(Command::new(&python).args(["-c", FIRST_MESSAGE]).env_remove("QUAYMASTER_BIN"))?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    report.add(Bar::at_most("pip install of the wheel to a first message", 10.0).value(median(seconds), "s"));
    Ok(python)
}

/// Of the numbers that a program prints.
fn median_of(command: &mut Command) -> Result<f64> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output =
        command.env_remove("QUAYMASTER_BIN").output().with_context(|| format!("{program} is not installed"))?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{program}: {err}");
    let times: Result<Vec<f64>, _> = out.lines().map(str::parse::<f64>).collect();
    Ok(median(times.with_context(|| out.to_string())?))
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files stay below 2^53")]
fn megabytes(file: &Path) -> Result<f64> {
    Ok(file.metadata()?.len() as f64 / MB)
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
    Ok(std::fs::write(file, text)?)
}
