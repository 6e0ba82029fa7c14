//! `completions SHELL` and `man`: made from the command line's own description.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use super::command_line;
use super::failure::Failure;

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// Shell to complete for.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// Command, such as serve [default: the program].
    command: Option<String>,
}

pub(super) fn completions(arguments: &CompletionsArguments, out: &mut dyn Write) -> Result<(), Failure> {
    // Written at once: the generator panics when its output goes away.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command_line(), "quaymaster", &mut script);
    Ok(out.write_all(&script)?)
}

pub(super) fn man(arguments: &ManArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let mut program = command_line();
    program.build();
    let page = match &arguments.command {
        None => program,
        Some(name) => program
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| Failure::new(2, format!("man: there is no command {name}")))?,
    };
    Ok(clap_mangen::Man::new(page).render(out)?)
}
