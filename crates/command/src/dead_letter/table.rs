//! The text of a rules table: entries over lines, keywords with a value in parentheses.

use std::time::Duration;

use super::pattern::{Pattern, SUBJECTS, Subject};
use super::{Action, Control, ManagerOf, PutAuthority, QueueOf, Rule, RulesTable, Wait, symbol};

/// Longest table in bytes, and most rules in one.
const MAXIMUM_LENGTH: usize = 1 << 20;
const MAXIMUM_RULES: usize = 10_000;
/// RETRYINT, WAIT and RETRY are at most this.
const LARGEST: u32 = 999_999_999;

/// What is wrong with a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    #[error("the rules table is longer than {MAXIMUM_LENGTH} bytes")]
    Length,
    #[error("the rules table has more than {MAXIMUM_RULES} rules")]
    Rules,
    #[error("the rules table has no rule, expected at least one")]
    NoRule,
    #[error("line {line}: {problem}")]
    Entry { line: usize, problem: String },
}

/// A keyword of an entry and its value.
#[derive(Debug)]
struct Term {
    keyword: String,
    value: String,
    quoted: bool,
}

impl RulesTable {
    /// # Errors
    /// The first entry that cannot be meant, or a table that is too long.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        if text.len() > MAXIMUM_LENGTH {
            return Err(TableError::Length);
        }
        let mut table = Self { control: Control::default(), rules: Vec::new() };
        for (index, (line, entry)) in entries(text).into_iter().enumerate() {
            let at = |problem: String| TableError::Entry { line, problem };
            let terms = terms(&entry).map_err(at)?;
            let is_control = |term: &Term| ["INPUTQ", "INPUTQM", "RETRYINT", "WAIT"].contains(&&*term.keyword);
            if index == 0 && terms.iter().any(is_control) {
                table.control = control(&terms).map_err(at)?;
                continue;
            }
            if table.rules.len() == MAXIMUM_RULES {
                return Err(TableError::Rules);
            }
            table.rules.push(rule(line, terms).map_err(at)?);
        }
        if table.rules.is_empty() { Err(TableError::NoRule) } else { Ok(table) }
    }
}

/// Entries with the line on which each begins. A plus at the end of a line goes on at the first character of the next, a minus
/// at its start.
fn entries(text: &str) -> Vec<(usize, String)> {
    let mut entries: Vec<(usize, String)> = Vec::new();
    let mut goes_on: Option<char> = None;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('*') || (goes_on.is_none() && line.trim().is_empty()) {
            continue;
        }
        let trimmed = line.trim_end();
        let sign = trimmed.chars().last().filter(|last| matches!(last, '+' | '-'));
        let content = if sign.is_some() { &trimmed[..trimmed.len() - 1] } else { trimmed };
        match (goes_on, entries.last_mut()) {
            (Some('+'), Some((_, entry))) => entry.push_str(content.trim_start()),
            (Some(_), Some((_, entry))) => entry.push_str(content),
            _ => entries.push((index + 1, content.to_owned())),
        }
        goes_on = sign;
    }
    entries
}

fn terms(entry: &str) -> Result<Vec<Term>, String> {
    let is_blank = |c: char| c.is_whitespace() || c == ',';
    let mut terms: Vec<Term> = Vec::new();
    let mut rest = entry.trim_start_matches(is_blank);
    while !rest.is_empty() {
        let end = rest.find(|c: char| is_blank(c) || c == '(' || c == ')').unwrap_or(rest.len());
        let keyword = rest[..end].to_ascii_uppercase();
        let Some(open) = rest[end..].trim_start().strip_prefix('(').filter(|_| !keyword.is_empty()) else {
            return Err(format!("expected KEYWORD(value) at '{}'", shortened(rest)));
        };
        let (value, quoted, after) = value(open.trim_start(), &keyword)?;
        let Some(after) = after.trim_start().strip_prefix(')') else {
            return Err(format!("{keyword}: expected a closing parenthesis"));
        };
        if terms.iter().any(|term| term.keyword == keyword) {
            return Err(format!("{keyword} is given twice"));
        }
        terms.push(Term { keyword, value, quoted });
        rest = after.trim_start_matches(is_blank);
    }
    Ok(terms)
}

/// In quotes, where two quotes are one, or up to the parenthesis; without quotes it is folded to upper case.
fn value<'a>(text: &'a str, keyword: &str) -> Result<(String, bool, &'a str), String> {
    let Some(quoted) = text.strip_prefix('\'') else {
        let end = text.find([')', '(', '\'']).unwrap_or(text.len());
        let value = text[..end].trim_end();
        if value.is_empty() || value.contains(char::is_whitespace) {
            return Err(format!("{keyword}: expected one value; a value with blanks needs quotes"));
        }
        return Ok((value.to_ascii_uppercase(), false, &text[end..]));
    };
    let mut value = String::new();
    let mut rest = quoted;
    loop {
        let Some(end) = rest.find('\'') else { return Err(format!("{keyword}: a quote is not closed")) };
        value.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('\'') {
            Some(after) => {
                value.push('\'');
                rest = after;
            }
            None => return Ok((value.trim_end().to_owned(), true, rest)),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

fn control(terms: &[Term]) -> Result<Control, String> {
    let mut control = Control::default();
    for term in terms {
        match &*term.keyword {
            "INPUTQ" => control.input_queue = name(term)?,
            "INPUTQM" => control.input_queue_manager = name(term)?,
            "RETRYINT" => control.retry_interval = Duration::from_secs(u64::from(number(term, 0)?)),
            "WAIT" => {
                control.wait = match &*term.value {
                    "YES" => Wait::Forever,
                    "NO" => Wait::No,
                    _ => Wait::For(Duration::from_secs(u64::from(number(term, 0)?))),
                }
            }
            other => return Err(format!("{other} does not belong to control data")),
        }
    }
    Ok(control)
}

fn rule(line: usize, terms: Vec<Term>) -> Result<Rule, String> {
    let (mut action, mut queue, mut manager, mut header) = (None, None, None, None);
    let (mut put_authority, mut attempts, mut patterns) = (PutAuthority::Handler, 1, Vec::new());
    for term in terms {
        if let Some((_, subject)) = SUBJECTS.iter().find(|(keyword, _)| *keyword == term.keyword) {
            patterns.extend(pattern(*subject, &term)?);
            continue;
        }
        match &*term.keyword {
            "ACTION" => action = Some(term.value.clone()),
            "FWDQ" => {
                queue = Some(match (&*term.value, term.quoted) {
                    ("&DESTQ", false) => QueueOf::Destination,
                    ("&REPLYQ", false) => QueueOf::Reply,
                    _ => match name(&term)? {
                        blank if blank.is_empty() => return Err("FWDQ: a queue name is expected".to_owned()),
                        name => QueueOf::Named(name),
                    },
                });
            }
            "FWDQM" => {
                manager = Some(match (&*term.value, term.quoted) {
                    ("&DESTQM", false) => ManagerOf::Destination,
                    ("&REPLYQM", false) => ManagerOf::Reply,
                    _ => ManagerOf::Named(name(&term)?),
                });
            }
            "HEADER" => header = Some(choice(&term, [("YES", true), ("NO", false)])?),
            "PUTAUT" => {
                put_authority = choice(&term, [("DEF", PutAuthority::Handler), ("CTX", PutAuthority::Context)])?;
            }
            "RETRY" => attempts = number(&term, 1)?,
            other => return Err(format!("{other} is not a keyword of a rule")),
        }
    }
    let forwards = action.as_deref() == Some("FWD");
    if !forwards && (queue.is_some() || manager.is_some() || header.is_some()) {
        return Err("FWDQ, FWDQM and HEADER belong to ACTION(FWD)".to_owned());
    }
    let action = match action.as_deref() {
        Some("DISCARD") => Action::Discard,
        Some("IGNORE") => Action::Ignore,
        Some("RETRY") => Action::Retry,
        Some("FWD") => Action::Forward {
            queue: queue.ok_or("ACTION(FWD) needs FWDQ")?,
            queue_manager: manager.unwrap_or(ManagerOf::Named(String::new())),
            keeps_header: header.unwrap_or(true),
        },
        Some(other) => return Err(format!("ACTION({other}): expected DISCARD, IGNORE, RETRY or FWD")),
        None => return Err("a rule needs ACTION".to_owned()),
    };
    Ok(Rule { line, patterns, action, put_authority, attempts })
}

/// `None` for an asterisk, which everything matches.
fn pattern(subject: Subject, term: &Term) -> Result<Option<Pattern>, String> {
    if term.value == "*" {
        return Ok(None);
    }
    if !subject.is_number() {
        return Ok(Some(Pattern::Text(subject, term.value.clone())));
    }
    let number = term.value.parse().ok().or_else(|| symbol::number(subject, &term.value.to_ascii_uppercase()));
    let unknown = || format!("{}: '{}' is neither a number nor a known name", term.keyword, shortened(&term.value));
    Ok(Some(Pattern::Number(subject, number.ok_or_else(unknown)?)))
}

fn choice<T: Copy>(term: &Term, words: [(&str, T); 2]) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| *word == term.value).map(|(_, value)| *value);
    found.ok_or_else(|| format!("{}: expected {} or {}", term.keyword, words[0].0, words[1].0))
}

fn number(term: &Term, least: u32) -> Result<u32, String> {
    let number = term.value.parse().ok().filter(|number| (least..=LARGEST).contains(number));
    number.ok_or_else(|| format!("{}: expected a number from {least} to {LARGEST}", term.keyword))
}

/// An object name or nothing.
fn name(term: &Term) -> Result<String, String> {
    let name = model::name::ObjectName::parse(&term.value).map_err(|error| format!("{}: {error}", term.keyword))?;
    Ok(name.to_string())
}
