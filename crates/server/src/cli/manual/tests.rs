mod lines;

use super::pages::PAGES;
use super::*;
use crate::cli::exit_code::TABLES;

/// Every command that has no commands of its own, by its words.
fn leaves(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
    let inner: Vec<&Command> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
    if inner.is_empty() {
        found.push((path.to_owned(), command.clone()));
    }
    for command in inner {
        leaves(command, format!("{path} {}", command.get_name()).trim_start(), found);
    }
}

fn all() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    leaves(&built(), "", &mut found);
    found
}

#[test]
fn every_command_has_a_page_with_examples_and_exit_statuses() {
    let commands = all();
    for (path, _) in &commands {
        let page = page(path).unwrap_or_else(|| panic!("manual/pages.rs has no row for {path}"));
        assert!(!page.examples.is_empty() && !page.exits.is_empty(), "{path}");
        let text = String::from_utf8(rendered(&built_at(path), path).expect("rendered")).expect("text");
        for heading in [".SH NAME", ".SH SYNOPSIS", ".SH \"EXIT STATUS\"", ".SH EXAMPLES", ".SH \"SEE ALSO\""] {
            assert!(text.contains(heading), "{path} has no {heading}: {text}");
        }
    }
    for page in PAGES {
        assert!(commands.iter().any(|(path, _)| path == page.command), "there is no command {}", page.command);
    }
}

fn built_at(path: &str) -> Command {
    path.split(' ').fold(built(), |command, word| command.find_subcommand(word).expect("a command").clone())
}

#[test]
fn examples_are_command_lines_that_the_program_takes() {
    for page in PAGES {
        for (_, line) in page.examples.iter().filter(|(_, line)| line.starts_with("quaymaster ")) {
            let line = line.split(" | ").next().unwrap_or(line).split(['<', '>']).next().unwrap_or(line);
            let mut words: Vec<std::ffi::OsString> = Vec::new();
            for (index, part) in line.trim().split('"').enumerate() {
                // Every second part is in quotes.
                if index % 2 == 1 {
                    words.push(part.into());
                } else {
                    words.extend(part.split_whitespace().map(Into::into));
                }
            }
            let command = words[1].to_string_lossy().into_owned();
            crate::cli::spell_out(&command, &mut words);
            if let Err(error) = command_line().try_get_matches_from(words) {
                assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{line}: {error}");
            }
        }
    }
}

#[test]
fn every_argument_has_help_and_shows_its_default_once() {
    let mut wrong = Vec::new();
    for (path, command) in all() {
        for argument in command.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            if help.trim().is_empty() {
                wrong.push(format!("{path}: {} has no help", argument.get_id()));
            }
            let shows = !argument.is_hide_default_value_set() && !argument.get_default_values().is_empty();
            let takes_value = argument.get_action().takes_values();
            if shows && takes_value && help.contains("[default") {
                wrong.push(format!("{path}: {} shows two defaults", argument.get_id()));
            }
        }
        if command.get_about().is_none() {
            wrong.push(format!("{path} has no help"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn help_ends_with_the_examples() {
    for (path, mut command) in all() {
        let help = command.render_long_help().to_string();
        assert!(help.contains("Examples:\n"), "{path}: {help}");
    }
}

#[test]
fn the_page_of_exit_codes_is_the_tables() {
    let mut text = String::from(include_str!("exit_codes.md"));
    for (heading, commands, codes) in TABLES {
        text.push_str(&format!("\n## {heading}\n\n"));
        if !commands.is_empty() {
            text.push_str(&format!("Commands: {commands}.\n\n"));
        }
        text.push_str("| Code | Meaning |\n|---|---|\n");
        text.extend(codes.iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n")));
    }
    expect_test::expect_file!["../../../../../docs/exit-codes.md"].assert_eq(&text);
}
