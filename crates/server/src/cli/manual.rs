//! `completions`, `man` and the examples of `--help`: made from the command line's own description and `pages`.

mod pages;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use super::exit_code::USAGE;
use super::failure::Failure;
use super::{NAMES, command_line};
use crate::data_directory::write_file;
use pages::Named;
pub(super) use pages::page;

/// The program's name, and the first word of each page's.
const PROGRAM: &str = "quaymaster";

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// Shell of the completion script.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// Words of the command, such as serve or config check [default: the program].
    command: Vec<String>,
    /// Folder for the pages of all commands and linked names, instead of standard output.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

/// Adds the examples to the help of each command.
pub(super) fn with_examples(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|known| known.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(&name, |known| explained(known, &name)))
}

fn explained(command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|known| known.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(&name, |known| explained(known, &path))
    });
    match page(path) {
        Some(page) => {
            let lines = page.examples.iter().map(|(what, line)| format!("  {what}:\n    {line}\n"));
            command.after_help(format!("Examples:\n{}", lines.collect::<String>()))
        }
        None => command,
    }
}

/// The script completes the program, and the names that `links` makes.
pub(super) fn completions(arguments: &CompletionsArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let program = built();
    let mut scripts = vec![script(arguments.shell, &program, PROGRAM)];
    for name in NAMES {
        let found = program
            .get_subcommands()
            .find(|known| known.get_all_aliases().chain([known.get_name()]).any(|known| known == *name));
        // The names of shell functions have no dot; zconbt.zos is the same command as zconbt.
        if let Some(found) = found.filter(|_| !name.contains('.')) {
            scripts.push(script(arguments.shell, found, name));
        }
    }
    let script = match arguments.shell {
        Shell::Zsh => joined_for_zsh(&scripts),
        _ => scripts.concat(),
    };
    Ok(out.write_all(script.as_bytes())?)
}

/// Written into memory first: the generator panics when its output goes away.
fn script(shell: Shell, command: &Command, name: &str) -> String {
    let mut command = command.clone().name(name.to_owned()).bin_name(name).display_name(name.to_owned());
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// One file for the completion system of zsh: it is named in the first line, and at its first use defines the functions of
/// all names.
fn joined_for_zsh(scripts: &[String]) -> String {
    let names: Vec<&str> =
        [PROGRAM].into_iter().chain(NAMES.iter().copied().filter(|name| !name.contains('.'))).collect();
    let mut joined = format!("#compdef {}\n", names.join(" "));
    for script in scripts {
        // Behind the functions stands what calls one of them; that is done once, for all.
        let functions = script.split("\nif [ \"$funcstack[1]\"").next().unwrap_or_default();
        let lines = functions.lines().filter(|line| !line.starts_with("#compdef"));
        joined.extend(lines.flat_map(|line| [line, "\n"]));
    }
    joined.push('\n');
    for name in &names {
        joined.push_str(&format!("compdef _{name} {name}\n"));
    }
    joined.push_str("if [ \"$funcstack[1]\" = \"_quaymaster\" ]; then\n    \"_$service\" \"$@\"\nfi\n");
    joined
}

pub(super) fn man(arguments: &ManArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let program = built();
    if let Some(folder) = &arguments.out {
        return write_pages(&program, folder, out);
    }
    let mut command = &program;
    for word in &arguments.command {
        command = command
            .find_subcommand(word)
            .ok_or_else(|| Failure::new(USAGE, format!("man: there is no command {}", arguments.command.join(" "))))?;
    }
    Ok(out.write_all(&rendered(command, &arguments.command.join(" "))?)?)
}

fn built() -> Command {
    let mut program = command_line();
    program.build();
    program
}

/// One file a command, and one a linked name, which shows the command's.
fn write_pages(program: &Command, folder: &PathBuf, out: &mut dyn Write) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| {
        Failure::new(super::exit_code::FAILED, format!("cannot create {}: {error}", folder.display()))
    })?;
    let mut left = vec![(String::new(), program)];
    while let Some((path, command)) = left.pop() {
        let file = folder.join(format!("{}.1", title(&path)));
        write_file(&file, &rendered(command, &path)?, 0o644)?;
        writeln!(out, "{}", file.display())?;
        let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
        left.extend(inner.map(|inner| (format!("{path} {}", inner.get_name()).trim().to_owned(), inner)));
    }
    for name in NAMES {
        let file = folder.join(format!("{name}.1"));
        let command = program.find_subcommand(name).map_or(*name, Command::get_name);
        write_file(&file, format!(".so man1/{}.1\n", title(command)).as_bytes(), 0o644)?;
        writeln!(out, "{}", file.display())?;
    }
    Ok(())
}

/// `quaymaster-config-check`.
fn title(path: &str) -> String {
    format!("{PROGRAM} {path}").trim_end().replace(' ', "-")
}

fn rendered(command: &Command, path: &str) -> Result<Vec<u8>, Failure> {
    // What a user types is in the synopsis, examples have a section of their own.
    let shown = command.clone().after_help(None::<&str>).after_long_help(None::<&str>);
    let title = title(path);
    let has_options = shown.get_arguments().any(|argument| !argument.is_hide_set());
    let has_commands = shown.get_subcommands().next().is_some();
    let man = Man::new(shown)
        .title(&title)
        .manual("Quaymaster manual")
        .source(concat!("quaymaster ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if has_options {
        man.render_options_section(&mut text)?;
    }
    if has_commands {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(page) = page(path) {
        let mut sections = Roff::new();
        let codes = page.exits.iter().map(|(code, meaning)| (code.to_string(), *meaning));
        section(&mut sections, "EXIT STATUS", codes);
        let owned = |list: &'static [Named]| list.iter().map(|(name, meaning)| ((*name).to_owned(), *meaning));
        section(&mut sections, "ENVIRONMENT", owned(page.environment));
        section(&mut sections, "FILES", owned(page.files));
        sections.control("SH", ["EXAMPLES"]);
        for (what, line) in page.examples {
            sections.text([roman(format!("{what}:"))]);
            sections.control("PP", []);
            sections.control("RS", ["4"]).control("nf", []);
            sections.text([bold(*line)]);
            sections.control("fi", []).control("RE", []).control("PP", []);
        }
        text.extend_from_slice(sections.to_roff().as_bytes());
    }
    if !path.is_empty() {
        let mut sections = Roff::new();
        sections.control("SH", ["SEE ALSO"]);
        sections.text([bold(PROGRAM), roman("(1)")]);
        text.extend_from_slice(sections.to_roff().as_bytes());
    }
    Ok(text)
}

/// A heading and a list of terms; nothing when there are none.
fn section<'a>(out: &mut Roff, heading: &str, entries: impl Iterator<Item = (String, &'a str)>) {
    let entries: Vec<(String, &str)> = entries.collect();
    if entries.is_empty() {
        return;
    }
    out.control("SH", [heading]);
    for (term, meaning) in entries {
        let term: Vec<Inline> = vec![bold(term)];
        out.control("TP", []);
        out.text(term);
        out.text([roman(meaning)]);
    }
}
