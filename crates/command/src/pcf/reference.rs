//! The commands as a page of the manual: `docs/pcf.md`.

use std::fmt::Write as _;

use crate::pcf::table::{Action, COMMANDS, Subject};

/// The whole page, Markdown, ending in a newline. A test compares it with `docs/pcf.md`.
pub fn reference() -> String {
    let mut page = String::from(include_str!("introduction.md"));
    page.push_str("\n| Number | Command | In MQSC |\n|---|---|---|\n");
    for row in COMMANDS {
        let _ = writeln!(page, "| {} | `{}` | {} |", row.number, row.name, in_mqsc(&row.action));
    }
    page
}

fn in_mqsc(action: &Action) -> String {
    let words = |verb: &str, subject: &Subject| format!("`{verb} {}`", subject.words.join("|"));
    match action {
        Action::Create(subject) => words("DEFINE", subject),
        Action::Change(subject) => words("ALTER", subject),
        Action::Copy(subject) => format!("{} with `LIKE`", words("DEFINE", subject)),
        Action::Delete(subject) => words("DELETE", subject),
        Action::Inquire(subject) => format!("`DISPLAY {}`", subject.display),
        Action::Names(_) => "names only, in one message".to_owned(),
        Action::Statement(form) => format!("`{} {}`", form.verb.name(), form.object),
        Action::Status(form) => format!("`{} {}`", form.verb.name(), form.object),
        Action::Escape => "any command, as text".to_owned(),
    }
}
