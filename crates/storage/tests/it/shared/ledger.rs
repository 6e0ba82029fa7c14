//! What clients were told, line by line, and whether what is left agrees: nothing answered is lost, nothing is there twice, units of
//! work are whole, each producer's order is kept.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::str::FromStr as _;

/// What one client did and was told, in order. A line that begins something is written before it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// A put outside a unit of work begins: name, persistent.
    Putting(u64, bool),
    Put(u64),
    /// A get outside a unit of work begins.
    Getting,
    /// It has answered this, or nothing.
    Got(Option<u64>),
    /// A unit of work is to be committed: what it has got, what it has put and whether that is persistent.
    Committing(Vec<u64>, Vec<(u64, bool)>),
    Committed,
    /// It was backed out, as asked or instead of a commit.
    BackedOut(Vec<u64>),
}

impl Line {
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        match self {
            Self::Putting(name, persistent) => write!(text, "p {name} {}", u8::from(*persistent)),
            Self::Put(name) => write!(text, "P {name}"),
            Self::Getting => write!(text, "g"),
            Self::Got(name) => write!(text, "G {}", name.unwrap_or(0)),
            Self::Committing(gets, puts) => {
                let puts = puts.iter().map(|(name, persistent)| format!("{name}.{}", u8::from(*persistent)));
                write!(text, "c {} {}", list(gets.iter().map(u64::to_string)), list(puts))
            }
            Self::Committed => write!(text, "C"),
            Self::BackedOut(puts) => write!(text, "B {}", list(puts.iter().map(u64::to_string))),
        }
        .expect("a text");
        text
    }

    /// `None`: the process ended in the middle of it.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let number = |at: usize| words.get(at).and_then(|word| u64::from_str(word).ok());
        Some(match *words.first()? {
            "p" => Self::Putting(number(1)?, number(2)? == 1),
            "P" => Self::Put(number(1)?),
            "g" => Self::Getting,
            "G" => Self::Got(number(1).filter(|name| *name > 0)),
            "c" => {
                let puts = names(words.get(2)?).map(|word| {
                    let (name, persistent) = word.split_once('.').expect("NAME.PERSISTENT");
                    (name.parse().expect("a name"), persistent == "1")
                });
                Self::Committing(
                    names(words.get(1)?).map(|name| name.parse().expect("a name")).collect(),
                    puts.collect(),
                )
            }
            "C" => Self::Committed,
            "B" => Self::BackedOut(names(words.get(1)?).map(|name| name.parse().expect("a name")).collect()),
            _ => return None,
        })
    }
}

fn list(words: impl Iterator<Item = String>) -> String {
    format!("[{}]", words.collect::<Vec<_>>().join(","))
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.trim_matches(['[', ']']).split(',').filter(|name| !name.is_empty())
}

#[derive(Default)]
struct Message {
    persistent: bool,
    is_sure: bool,
    /// An end of its put was not told.
    is_open: bool,
    /// Was backed out.
    is_void: bool,
    /// Gets that were answered or committed, and how often it was left at the end.
    taken: u32,
    /// Commits that took it, and were not answered.
    perhaps_taken: u32,
}

/// All of it together.
#[derive(Default)]
pub(crate) struct Ledger {
    messages: BTreeMap<u64, Message>,
    /// Commits that were not answered.
    open: Vec<(Vec<u64>, Vec<u64>)>,
    /// Gets outside a unit of work that were not answered: each may have taken one.
    open_gets: u32,
}

impl Ledger {
    pub(crate) fn add(&mut self, lines: &[Line]) {
        for (at, line) in lines.iter().enumerate() {
            let next = lines.get(at + 1);
            match line {
                Line::Putting(name, persistent) => {
                    let is_sure = next == Some(&Line::Put(*name));
                    let message = self.messages.entry(*name).or_default();
                    (message.persistent, message.is_sure, message.is_open) = (*persistent, is_sure, !is_sure);
                }
                Line::Getting => match next {
                    Some(Line::Got(Some(name))) => self.messages.entry(*name).or_default().taken += 1,
                    Some(Line::Got(None)) => {}
                    _ => self.open_gets += 1,
                },
                Line::Committing(gets, puts) => self.add_commit(gets, puts, next),
                Line::BackedOut(puts) => {
                    puts.iter().for_each(|put| self.messages.entry(*put).or_default().is_void = true);
                }
                Line::Put(_) | Line::Got(_) | Line::Committed => {}
            }
        }
    }

    fn add_commit(&mut self, gets: &[u64], puts: &[(u64, bool)], next: Option<&Line>) {
        let (is_sure, is_void) = (next == Some(&Line::Committed), matches!(next, Some(Line::BackedOut(_))));
        if is_void {
            return;
        }
        for (put, persistent) in puts {
            let message = self.messages.entry(*put).or_default();
            (message.persistent, message.is_sure, message.is_open) = (*persistent, is_sure, !is_sure);
        }
        for get in gets {
            let message = self.messages.entry(*get).or_default();
            if is_sure { message.taken += 1 } else { message.perhaps_taken += 1 }
        }
        if !is_sure {
            self.open.push((gets.to_vec(), puts.iter().filter(|put| put.1).map(|put| put.0).collect()));
        }
    }

    /// `left`: what is still on the queues. `loses`: nonpersistent messages may be lost.
    pub(crate) fn check(mut self, left: &[u64], loses: bool) {
        let left_names: HashSet<u64> = left.iter().copied().collect();
        assert_eq!(left_names.len(), left.len(), "nothing is left twice");
        for name in left {
            self.messages.entry(*name).or_default().taken += 1;
        }
        let (mut lost, mut wrong) = (Vec::new(), Vec::new());
        for (name, message) in &self.messages {
            if message.taken > 1 {
                wrong.push(format!("{name} was taken {} times", message.taken));
            }
            if message.taken > 0 && !message.is_sure && !message.is_open {
                wrong.push(format!("{name} was there and not put: backed out {}", message.is_void));
            }
            let may_go = message.perhaps_taken > 0 || loses && !message.persistent;
            if message.is_sure && message.taken == 0 && !may_go {
                lost.push(*name);
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(lost.len() <= self.open_gets as usize, "lost: {lost:?}, gets without an answer: {}", self.open_gets);
        let there: HashMap<u64, bool> =
            self.messages.iter().map(|(name, message)| (*name, message.taken + message.perhaps_taken > 0)).collect();
        for (gets, puts) in &self.open {
            let came = puts.iter().filter(|put| there[put]).count();
            let returned = gets.iter().filter(|get| self.messages[get].taken > 0).count();
            // Its own name counts as taken by itself: what was put and taken again by an open commit is not known.
            assert!(came == 0 || came == puts.len() || self.open_gets > 0, "half of a unit of work came: {puts:?}");
            let is_committed = came > 0;
            assert!(!(is_committed && returned > 0), "{gets:?} were committed and returned");
        }
    }

    pub(crate) fn sure(&self) -> usize {
        self.messages.values().filter(|message| message.is_sure).count()
    }
}
