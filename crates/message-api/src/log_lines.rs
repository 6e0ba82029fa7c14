//! The last lines of the server's log, as the log has them, for those who may read it.
//!
//! Never here: what is a line of the log and what is left out, which the program decides.
//!
//! Invariants
//! - Numbers grow by one from line to line. A reader that misses one sees the gap.
//! - What is kept is bounded in lines and in bytes.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use model::timestamp::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::time_text::write_moment;

/// Most lines, and bytes of them, that are kept.
const MOST_LINES: usize = 4000;
const MOST_BYTES: usize = 4 << 20;
/// A longer text is cut.
const LONGEST_TEXT: usize = 16 << 10;

/// The first is the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl Level {
    pub const ALL: [Self; 5] = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == text)
    }
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogLine {
    /// Of the line, from 1 on since the start of the server.
    pub number: u64,
    #[serde(serialize_with = "moment")]
    pub at: Timestamp,
    #[serde(serialize_with = "level")]
    pub level: Level,
    pub text: String,
    pub fields: Map<String, Value>,
}

/// Lines that follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub lines: Vec<Arc<LogLine>>,
    /// What to ask for next: lines after this number.
    pub next: u64,
    /// The number of the first line that is kept; 0 when there is none.
    pub first: u64,
}

#[derive(Default)]
pub struct LogLines {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    lines: VecDeque<Arc<LogLine>>,
    bytes: usize,
    last: u64,
}

impl LogLines {
    pub fn push(&self, at: Timestamp, level: Level, mut text: String, fields: Map<String, Value>) {
        if text.len() > LONGEST_TEXT {
            text.truncate(text.floor_char_boundary(LONGEST_TEXT));
            text.push('…');
        }
        let mut kept = self.kept.lock();
        kept.last += 1;
        let line = Arc::new(LogLine { number: kept.last, at, level, text, fields });
        kept.bytes += size(&line);
        kept.lines.push_back(line);
        while kept.lines.len() > MOST_LINES || kept.bytes > MOST_BYTES {
            let Some(gone) = kept.lines.pop_front() else { break };
            kept.bytes -= size(&gone);
        }
    }

    /// The number of the last line; 0 before the first.
    pub fn last(&self) -> u64 {
        self.kept.lock().last
    }

    /// Lines after a number, the oldest first: those of `level` or graver, `most` at most.
    pub fn after(&self, number: u64, level: Level, most: usize) -> Page {
        let kept = self.kept.lock();
        let begin = kept.lines.partition_point(|line| line.number <= number);
        let wanted = kept.lines.range(begin..).filter(|line| line.level <= level);
        let lines: Vec<_> = wanted.take(most).cloned().collect();
        // A page that is not full has seen every line.
        let next = lines.last().filter(|_| lines.len() == most).map_or(kept.last, |line| line.number);
        Page { next: next.max(number), lines, first: kept.first() }
    }

    /// The last lines, the oldest of them first: those of `level` or graver, `most` at most.
    pub fn latest(&self, level: Level, most: usize) -> Page {
        let kept = self.kept.lock();
        let wanted = kept.lines.iter().rev().filter(|line| line.level <= level);
        let mut lines: Vec<_> = wanted.take(most).cloned().collect();
        lines.reverse();
        Page { lines, next: kept.last, first: kept.first() }
    }
}

impl fmt::Debug for LogLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogLines").field("last", &self.last()).finish_non_exhaustive()
    }
}

impl Kept {
    fn first(&self) -> u64 {
        self.lines.front().map_or(0, |line| line.number)
    }
}

/// About what a line takes in memory.
fn size(line: &LogLine) -> usize {
    let fields = line.fields.iter().map(|(name, value)| name.len() + value.as_str().map_or(8, str::len) + 64);
    size_of::<LogLine>() + line.text.len() + fields.sum::<usize>()
}

fn moment<S: serde::Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&write_moment(*at))
}

fn level<S: serde::Serializer>(level: &Level, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(level.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(lines: &LogLines, level: Level, text: &str) {
        lines.push(Timestamp::from_millis(1_800_000_000_000), level, text.to_owned(), Map::new());
    }

    fn texts(page: &Page) -> Vec<&str> {
        page.lines.iter().map(|line| &*line.text).collect()
    }

    #[test]
    fn a_reader_gets_each_line_once_and_sees_what_it_has_missed() {
        let lines = LogLines::default();
        for number in 1..=MOST_LINES + 5 {
            push(&lines, Level::Info, &number.to_string());
        }
        let latest = lines.latest(Level::Info, 2);
        assert_eq!((texts(&latest), latest.next, latest.first), (vec!["4004", "4005"], 4005, 6));
        let page = lines.after(0, Level::Info, 3);
        assert_eq!((texts(&page), page.next, page.first), (vec!["6", "7", "8"], 8, 6));
        assert_eq!(texts(&lines.after(page.next, Level::Info, 1)), ["9"]);
        let none = lines.after(4005, Level::Info, 3);
        assert_eq!((none.lines.len(), none.next), (0, 4005));
    }

    #[test]
    fn lines_of_a_lesser_level_are_passed_over() {
        let lines = LogLines::default();
        for level in [Level::Error, Level::Info, Level::Debug, Level::Warn, Level::Trace] {
            push(&lines, level, level.name());
        }
        assert_eq!(texts(&lines.after(0, Level::Warn, 10)), ["error", "warn"]);
        assert_eq!(texts(&lines.latest(Level::Info, 2)), ["info", "warn"]);
        let full = lines.after(0, Level::Warn, 2);
        assert_eq!(full.next, 4, "a full page ends with its last line");
        assert_eq!(lines.after(0, Level::Warn, 3).next, 5, "one that is not full has seen all");
        assert_eq!(Level::parse("warn"), Some(Level::Warn));
        assert_eq!(Level::parse("warning"), None);
    }

    #[test]
    fn long_lines_are_cut_and_push_out_others() {
        let lines = LogLines::default();
        for _ in 0..1000 {
            push(&lines, Level::Info, &"ü".repeat(LONGEST_TEXT));
        }
        let latest = lines.latest(Level::Info, 1);
        assert!(latest.lines[0].text.len() <= LONGEST_TEXT + 3 && latest.lines[0].text.ends_with('…'));
        let kept = 1000 - latest.first + 1;
        assert!((200..300).contains(&kept), "{kept}");
    }
}
