//! A build in memory.

use std::collections::BTreeMap;

use build_toolkit::archive::{self, Archive};
use build_toolkit::build::{BuildError, Input, Location, Sink, Summary, build};
use build_toolkit::options::{self, Options};

/// Everything that a build made.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) members: BTreeMap<String, String>,
    pub(crate) logs: BTreeMap<String, String>,
    pub(crate) lines: Vec<String>,
    pub(crate) archive: Option<Archive>,
    pub(crate) packed: Vec<u8>,
    pub(crate) summary: Option<Summary>,
}

impl Sink for Made {
    fn file(&mut self, location: Location, name: &str, content: &[u8]) -> std::io::Result<()> {
        let text = String::from_utf8(content.to_vec()).map_err(std::io::Error::other)?;
        let files = if location == Location::Logs { &mut self.logs } else { &mut self.members };
        assert!(files.insert(name.to_owned(), text).is_none(), "{name} was made twice");
        Ok(())
    }

    fn line(&mut self, line: &str) {
        self.lines.push(line.to_owned());
    }

    fn progress(&mut self, done: usize, all: usize) {
        assert!(done <= all);
    }
}

/// Properties without which nothing is built.
pub(crate) fn properties(more: &str) -> Options {
    let text = format!(
        "apiDescriptionFile=a.json\ndataStructuresLocation=out\napiInfoFileLocation=out\nlogFileDirectory=logs\n\
         language=COBOL\nconnectionRef=Server2Ref\n{more}\n"
    );
    options::parse(text.as_bytes()).expect("properties")
}

/// Builds, and reads the archive back.
pub(crate) fn built(more: &str, name: &str, description: &str) -> Made {
    match attempt(more, name, description, false) {
        (made, Ok(())) => made,
        (made, Err(error)) => panic!("{error}\n{}", made.lines.join("\n")),
    }
}

pub(crate) fn attempt(more: &str, name: &str, description: &str, strict: bool) -> (Made, Result<(), BuildError>) {
    let options = properties(more);
    let mut made = Made::default();
    let input = Input { options: &options, description_name: name, description: description.as_bytes(), strict };
    let result = build(&input, &mut made).map(|(archive, summary)| {
        made.archive = Some(archive::read(&archive).expect("the archive is read back"));
        made.packed = archive;
        made.summary = Some(summary);
    });
    (made, result)
}

/// Every line behind a margin: expected texts lose the blanks that their lines have in common.
pub(crate) fn with_margin(text: &str) -> String {
    text.lines().map(|line| format!("|{line}\n")).collect()
}

/// Code lines of a member: neither comments nor blank lines.
pub(crate) fn code(member: &str) -> String {
    let is_code = |line: &&str| !line.trim().is_empty() && line.as_bytes().get(6) != Some(&b'*');
    member.lines().filter(is_code).map(|line| format!("{line}\n")).collect()
}
