//! `dspmqver`: name and version, in the rows that IBM's command prints.

use std::io::Write;

use clap::Args;
use serde_json::{Map, Value, json};

use super::failure::Failure;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Every row.
    #[arg(short = 'a')]
    all: bool,
    /// Values without their names.
    #[arg(short = 'b')]
    brief: bool,
    /// Rows to show, as the sum of 1 name, 2 version, 4 level, 8 build type, 16 platform, 32 mode, 64 operating system,
    /// 4096 command level.
    #[arg(short = 'f', value_name = "NUMBER")]
    fields: Option<u32>,
    /// Accepted for compatibility.
    #[arg(short = 'i', hide = true)]
    _i: bool,
    /// Accepted for compatibility.
    #[arg(short = 'v', hide = true)]
    _v: bool,
    /// Accepted for compatibility.
    #[arg(short = 'p', hide = true, value_name = "NUMBER")]
    _p: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Level of the commands and REST API that are followed: 9.3.
const COMMAND_LEVEL: &str = "930";
/// The same as a version.
pub(super) const COMMAND_LEVEL_VERSION: &str = "9.3.0.0";

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let rows: [(u32, &str, &str); 8] = [
        (1, "Name", "Quaymaster"),
        (2, "Version", env!("CARGO_PKG_VERSION")),
        (4, "Level", build),
        (8, "BuildType", build),
        (16, "Platform", std::env::consts::ARCH),
        (32, "Mode", "64-bit"),
        (64, "O/S", std::env::consts::OS),
        (4096, "MaxCmdLevel", COMMAND_LEVEL),
    ];
    let wanted = arguments.fields.unwrap_or(if arguments.all { u32::MAX } else { 0x103F });
    let chosen = rows.iter().filter(|(bit, _, _)| wanted & bit != 0);
    if arguments.json {
        let object: Map<String, Value> = chosen.map(|(_, name, value)| ((*name).to_owned(), json!(value))).collect();
        writeln!(out, "{}", Value::Object(object))?;
        return Ok(());
    }
    for (_, name, value) in chosen {
        if arguments.brief {
            writeln!(out, "{value}")?;
        } else {
            writeln!(out, "{:<13}{value}", format!("{name}:"))?;
        }
    }
    Ok(())
}
