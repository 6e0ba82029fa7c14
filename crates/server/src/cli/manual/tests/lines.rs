//! Command lines that pages of `docs/` show are such as the program takes: no option or command in them is unknown.

use std::ffi::OsString;
use std::path::Path;

use crate::cli::command_line;

/// The words of a line of a POSIX shell, up to what ends its first command. `None`: quotes go on in another line.
fn words(line: &str) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '|' | ';' | '&' | '<' | '>' | '#' | ')') => break,
            (None, ' ') => words.extend(word.take().map(OsString::from)),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word.map(OsString::from));
    quote.is_none().then_some(words)
}

/// Lines of code blocks that call the program, each with those that it goes on in.
fn lines(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_code = false;
    let mut begun = String::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            begun.push_str(line.trim());
            if let Some(rest) = begun.strip_suffix('\\') {
                begun = rest.to_owned();
                continue;
            }
            let line = std::mem::take(&mut begun);
            let call = line.strip_prefix("target/release/").unwrap_or(&line);
            // Placeholders of synopses are not words that someone types, and only a shell knows what a process has for a number.
            if call.starts_with("quaymaster ") && !call.contains(['…', '[']) && !call.contains("=$") {
                found.push(call.to_owned());
            }
        }
    }
    found
}

#[test]
fn command_lines_in_pages_have_known_commands_and_options() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut checked = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(docs).expect("docs").filter_map(Result::ok) {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        for line in lines(&std::fs::read_to_string(&path).expect("a page")) {
            let Some(mut words) = words(&line) else { continue };
            let command = words[1].to_string_lossy().into_owned();
            crate::cli::spell_out(&command, &mut words);
            checked += 1;
            if let Err(error) = command_line().try_get_matches_from(words)
                && !matches!(error.kind(), clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion)
            {
                wrong.push(format!("{}: {line}\n{error}", path.display()));
            }
        }
    }
    assert!(checked > 60, "{checked} lines");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
