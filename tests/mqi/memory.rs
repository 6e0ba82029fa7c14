//! The memory of programs: under valgrind and with gcc's address sanitizer the samples and the programs of these tests read and
//! write nothing that is not theirs, use nothing that was never written, and lose nothing.

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};

use super::{House, source, succeeded, text};

/// Each with its arguments. Their own tests look at what they print.
const PROGRAMS: [(&str, &[&str]); 5] =
    [("stress", &["2"]), ("verbs", &[]), ("properties", &[]), ("callbacks", &[]), ("lists", &[])];
/// With what they read; they leave the queue empty.
const SAMPLES: [(&str, &str); 3] = [("amqsput", "first\nsecond\n"), ("amqsbcg", ""), ("amqsget", "")];
const PROMPT: &str = "Password: ";

/// How a program is watched.
#[derive(Debug, Clone, Copy)]
enum Watch {
    Valgrind,
    AddressSanitizer,
}

impl Watch {
    /// Options of the compiler: lines are named in what is told.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Valgrind => &["-g", "-Wno-unused-function"],
            Self::AddressSanitizer => &["-g", "-Wno-unused-function", "-fsanitize=address", "-fno-omit-frame-pointer"],
        }
    }

    /// The program of a file, compiled and watched.
    fn program(self, house: &House, file: &Path, name: &str) -> Result<Command> {
        let program = house.compile_as(file, name, self.options())?;
        match self {
            Self::AddressSanitizer => {
                let mut command = house.command(&program)?;
                // Valgrind looks for what is lost.
                command.env("ASAN_OPTIONS", "detect_leaks=0");
                Ok(command)
            }
            Self::Valgrind => {
                let mut command = house.command(Path::new("valgrind"))?;
                command.args(["--quiet", "--error-exitcode=99", "--num-callers=30", "--leak-check=full"]);
                command.args(["--errors-for-leak-kinds=definite", "--show-leak-kinds=definite"]).arg(program);
                Ok(command)
            }
        }
    }

    fn run(self) -> Result<()> {
        let house = House::new()?;
        for (name, arguments) in PROGRAMS {
            let mut program = self.program(&house, &source(&format!("{name}.c")), name)?;
            clean(
                name,
                &program.args(arguments).output().context("valgrind is not installed (Debian: valgrind)")?,
                "",
            )?;
        }
        let mut bags = self.program(&house, &source("bags.c"), "bags")?;
        house.as_administrator(&mut bags)?;
        clean("bags", &bags.output()?, "")?;
        for (name, input) in SAMPLES {
            let program = self.program(&house, &house.tree.join("samp").join(format!("{name}.c")), name)?;
            clean(name, &House::run_sample(program, input)?, PROMPT)?;
        }
        Ok(())
    }
}

/// What watches a program tells on standard error what is wrong.
fn clean(name: &str, output: &Output, usual: &str) -> Result<()> {
    succeeded(output).with_context(|| name.to_owned())?;
    let said = text(&output.stderr);
    ensure!(said == usual, "{name}: {said}");
    Ok(())
}

#[test]
fn under_valgrind_programs_with_threads_callbacks_forks_and_cancelled_waits_are_clean() -> Result<()> {
    Watch::Valgrind.run()
}

#[test]
fn with_the_address_sanitizer_programs_with_threads_callbacks_forks_and_cancelled_waits_are_clean() -> Result<()> {
    Watch::AddressSanitizer.run()
}
