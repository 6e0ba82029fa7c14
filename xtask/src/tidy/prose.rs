//! Phrases that a reader has to read twice: examples in every file, habits in pages.

use std::path::Path;

/// Phrases that no file has: pages, help texts, messages and comments. Each is in two parts, so that this file does not hold it.
const EXAMPLES: [(&str, &str); 24] = [
    ("on debian or", " a relative"),
    ("what would become", " of"),
    ("by whose names", " the program acts"),
    ("lets its channels end", " what they are doing"),
    ("counts at", " start only"),
    ("came to", " no end"),
    ("leaves it", " to himself"),
    ("may as well", " not come"),
    ("through many", " a layer"),
    ("what is taken", " so ("),
    ("counts for", " nothing"),
    ("count for", " nothing"),
    ("lies", " there"),
    ("lie", " there"),
    ("lies", " behind"),
    ("as they", " may"),
    ("of its own", " accord"),
    ("word for", " word"),
    ("wins", " over"),
    ("over and", " over"),
    ("has no", " place"),
    ("holds", " good"),
    ("on its way", " down"),
    ("comes to no", " end"),
];

/// Ways of speaking that hide who does something. Not in pages; code is free to name a queue's waiters "nobody".
const HABITS: [&str; 23] = [
    "nobody",
    "somebody",
    "whoever",
    "everybody",
    "stands in",
    "stand in",
    "is told",
    "are told",
    "comes in",
    "come in by",
    "counts as nothing",
    "for want of",
    "what becomes",
    "becomes of",
    "leaves it to",
    "leave it to",
    "stands there",
    "stand there",
    "leads nowhere",
    "lead nowhere",
    "for ever",
    "is let in",
    "hung up",
];

pub(super) fn check(path: &Path, text: &str) -> Vec<String> {
    let name = path.display().to_string();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if !matches!(extension, "rs" | "md" | "toml" | "sh" | "html" | "cbl" | "cpy" | "h") {
        return Vec::new();
    }
    let is_page = extension == "md";
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        let mut found: Vec<String> = EXAMPLES
            .iter()
            .map(|(first, rest)| format!("{first}{rest}"))
            .filter(|phrase| begins_a_word(&line, phrase))
            .collect();
        if is_page {
            // Names of tests and files are not sentences.
            let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            found.extend(HABITS.iter().filter(|habit| has_words(&prose, habit)).map(|habit| (*habit).to_owned()));
        }
        problems.extend(found.into_iter().map(|phrase| {
            format!("{name}:{}: '{phrase}' leaves open who does what: name the actor and the act", index + 1)
        }));
    }
    problems
}

/// Whether the line has the phrase, not as the end of a longer word.
fn begins_a_word(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(start, _)| !line[..start].chars().next_back().is_some_and(char::is_alphanumeric))
}

/// Whether the words are in the line as words of their own.
fn has_words(line: &str, words: &str) -> bool {
    line.match_indices(words).any(|(start, _)| {
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
        !is_letter(line[..start].chars().next_back()) && !is_letter(line[start + words.len()..].chars().next())
    })
}

/// Every page of `docs/` is in the contents of the book, `docs/SUMMARY.md`.
pub(super) fn check_contents(contents: &str, tracked: &[std::path::PathBuf]) -> Vec<String> {
    let pages = tracked.iter().filter_map(|path| path.strip_prefix("docs").ok()?.to_str());
    let pages = pages.filter(|page| page.ends_with(".md") && *page != "SUMMARY.md");
    let missing = pages.filter(|page| !contents.contains(&format!("]({page})")));
    missing.map(|page| format!("docs/SUMMARY.md: docs/{page} is not in the contents")).collect()
}

/// Every link of the README leads to a file.
pub(super) fn check_links(readme: &str, tracked: &[std::path::PathBuf]) -> Vec<String> {
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files =
        links.filter_map(|link| link.split('#').next()).filter(|file| !file.is_empty() && !file.contains("://"));
    let missing = files.filter(|file| !tracked.iter().any(|path| path == Path::new(file)));
    missing.map(|file| format!("README.md: the link to {file} leads nowhere")).collect()
}
