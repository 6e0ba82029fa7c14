//! `dspmqver`: name and version, in the rows that IBM's command prints.

use std::io::Write;

use clap::Args;
use serde_json::{Map, Value, json};

use super::Location;
use super::failure::Failure;
use crate::installation;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Show all rows; this is the default.
    #[arg(short = 'a')]
    _all: bool,
    /// Show values without names.
    #[arg(short = 'b')]
    brief: bool,
    /// Rows to show, as the sum of 1 name, 2 version, 4 level, 8 build type, 16 platform, 32 mode, 64 operating system,
    /// 128 name, 256 description and 512 path of the installation, 1024 data path, 4096 command level.
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
    #[command(flatten)]
    location: Location,
}

pub(super) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let wanted = arguments.fields.unwrap_or(u32::MAX);
    let rows = rows(arguments);
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
            writeln!(out, "{}", format!("{:<13}{value}", format!("{name}:")).trim_end())?;
        }
    }
    Ok(())
}

/// Bit of `-f`, name and value of each row, in the published order.
fn rows(arguments: &Arguments) -> [(u32, &'static str, String); 12] {
    let data = arguments.location.directory();
    let data = std::path::absolute(data.root()).unwrap_or_else(|_| data.root().to_owned());
    let installation = installation::describe(&data);
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let level = installation.command_level().to_string();
    let architecture = std::env::consts::ARCH.replace("x86_64", "x86-64");
    [
        (1, "Name", "Quaymaster".to_owned()),
        (2, "Version", env!("CARGO_PKG_VERSION").to_owned()),
        (4, "Level", installation.level),
        (8, "BuildType", build.to_owned()),
        (16, "Platform", format!("Quaymaster for Linux ({architecture} platform)")),
        (32, "Mode", "64-bit".to_owned()),
        (64, "O/S", installation.operating_system),
        (128, "InstName", installation.name),
        (256, "InstDesc", installation.description),
        (512, "InstPath", installation.installation_path),
        (1024, "DataPath", installation.data_path),
        (4096, "MaxCmdLevel", level),
    ]
}
