//! Names of data items, made of names in JSON.
//!
//! Two kinds of names are kept apart. Names of groups and of counters are unique in the whole structure, whatever their depth;
//! names of fields are unique in the group around them and differ from its name; at level 5.0 those made of reserved words are unique
//! in their level 01. Whatever is declared in one group differs, without regard to case, as the compiler wants it. What comes second
//! gets a number, the first of which is 2.
//! Source: reference, 2.2.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

use crate::options::{Language, NameTruncation};
use crate::reserved::is_reserved;

/// Most characters of a name, numbers not counted.
const NAME: usize = 28;
/// Characters for numbers behind it: the longest name of COBOL has 30.
const DIGITS: usize = 2;

/// What follows a name that stands for something beside the value, and how many characters are left before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suffix {
    text: &'static str,
    room: usize,
}

impl Suffix {
    const fn new(text: &'static str) -> Self {
        Self { text, room: NAME - DIGITS - text.len() }
    }
}

const NUMBER: Suffix = Suffix::new("-num");
const LENGTH: Suffix = Suffix::new("-length");
const EXISTENCE: Suffix = Suffix::new("-existence");
const AREA: Suffix = Suffix::new("-dataarea");
const CONTAINER: Suffix = Suffix::new("-cont");
const PATCH: Suffix = Suffix::new("-patch-operation");
const PATCH_ITEM: Suffix = Suffix::new("-patch-item");

/// Names of one structure.
pub(crate) struct Names {
    language: Language,
    truncation: NameTruncation,
    /// What follows the name of a data area.
    area: Suffix,
    structures: Taken,
    /// At level 5.0, fields of the level 01 that is being made, in capitals.
    record: Option<HashSet<String>>,
    /// Reserved words that were met, and what they became.
    pub(crate) changed: BTreeSet<(String, String)>,
}

/// Names declared in one group.
pub(crate) struct Scope {
    group: String,
    taken: HashSet<String>,
    next: HashMap<String, usize>,
}

/// Names that are taken, in capitals, and the number tried next for a name.
#[derive(Default)]
struct Taken {
    names: HashSet<String>,
    next: HashMap<String, usize>,
}

impl Scope {
    /// Of a group with this name; empty for the outermost level.
    pub(crate) fn new(group: &str) -> Self {
        Self { group: group.to_ascii_uppercase(), taken: HashSet::new(), next: HashMap::new() }
    }
}

impl Names {
    /// `by_record`: names made of reserved words are unique in their level 01.
    pub(crate) fn new(language: Language, truncation: NameTruncation, by_record: bool) -> Self {
        let record = by_record.then(HashSet::new);
        Self { language, truncation, area: AREA, structures: Taken::default(), record, changed: BTreeSet::new() }
    }

    /// Data areas are called containers.
    pub(crate) fn with_containers(mut self) -> Self {
        self.area = CONTAINER;
        self
    }

    /// Begins another level 01; what the one before had, for [`Names::end_record`].
    pub(crate) fn begin_record(&mut self) -> Option<HashSet<String>> {
        let before = self.record.take()?;
        self.record = Some(HashSet::new());
        Some(before)
    }

    pub(crate) fn end_record(&mut self, before: Option<HashSet<String>>) {
        self.record = before;
    }

    /// Takes a number of a name away that no item has.
    pub(crate) fn pass_over(&mut self, json_name: &str) {
        let plain = self.plain(json_name);
        self.structure(&mut Scope::new(""), &plain, NAME, &[""]);
    }

    /// The existence item of an object, of level 5.0: it has no number, whatever that of its group.
    pub(crate) fn existence(&mut self, scope: &mut Scope, json_name: &str) -> String {
        let plain = self.plain(json_name);
        let suffix = self.suffix(EXISTENCE);
        (1..)
            .map(|number| format!("{}{suffix}", self.numbered(&plain, EXISTENCE.room, number)))
            .find(|name| scope.taken.insert(name.to_ascii_uppercase()))
            .unwrap_or_default()
    }

    /// The name of a group of its own: an object, or an element of an array.
    pub(crate) fn group(&mut self, scope: &mut Scope, json_name: &str) -> String {
        let plain = self.plain(json_name);
        self.structure(scope, &plain, NAME, &[""])
    }

    /// The name of the counter of a property; the name before the suffix too, which a group around a text takes.
    /// `exists`: it is an existence item, of level 5.0.
    pub(crate) fn counter(
        &mut self,
        scope: &mut Scope,
        json_name: &str,
        has_wrapper: bool,
        exists: bool,
    ) -> (String, String) {
        let plain = self.plain(json_name);
        let kind = if exists { EXISTENCE } else { NUMBER };
        let suffix = self.suffix(kind);
        let declared: &[&str] = if has_wrapper { &["", suffix] } else { &[suffix] };
        let base = self.structure(scope, &plain, kind.room, declared);
        (format!("{base}{suffix}"), base)
    }

    /// The names of a counter and of a data area, and the name of the structure that an element of it is.
    pub(crate) fn area(&mut self, scope: &mut Scope, json_name: &str, exists: bool) -> (String, String, String) {
        let plain = self.plain(json_name);
        let number = self.suffix(if exists { EXISTENCE } else { NUMBER });
        let area = self.suffix(self.area);
        let room = if exists { EXISTENCE.room } else { self.area.room };
        let base = self.structure(scope, &plain, room, &[number, area]);
        (format!("{base}{number}"), format!("{base}{area}"), base)
    }

    /// The name of an elementary item.
    pub(crate) fn field(&mut self, scope: &mut Scope, json_name: &str) -> String {
        let plain = self.plain(json_name);
        let is_reserved = self.changed.iter().any(|(_, made)| *made == plain);
        let start = scope.next.get(&plain).copied().unwrap_or(1);
        for number in start.. {
            let name = self.numbered(&plain, NAME, number);
            let key = name.to_ascii_uppercase();
            let is_elsewhere = is_reserved && self.record.as_ref().is_some_and(|record| record.contains(&key));
            if key != scope.group && !is_elsewhere && scope.taken.insert(key.clone()) {
                scope.next.insert(plain, number + 1);
                if let Some(record) = &mut self.record {
                    record.insert(key);
                }
                return name;
            }
        }
        unreachable!("some number is free")
    }

    /// The name of the length before a text that has this name.
    pub(crate) fn length(&mut self, scope: &mut Scope, field: &str) -> String {
        let suffix = self.suffix(LENGTH);
        (1..)
            .map(|number| format!("{}{suffix}", self.numbered(field, LENGTH.room, number)))
            .find(|name| scope.taken.insert(name.to_ascii_uppercase()))
            .unwrap_or_default()
    }

    /// The name of what says what becomes of a property in a patch: the last characters of its name, of which no number is taken
    /// away, and which may be a reserved word. `lists`: it says so of the elements of an array.
    pub(crate) fn patch(&mut self, scope: &mut Scope, json_name: &str, lists: bool) -> String {
        let plain = self.characters(json_name);
        let kind = if lists { PATCH_ITEM } else { PATCH };
        let suffix = self.suffix(kind);
        let room = match self.language {
            Language::Cobol => kind.room + DIGITS,
            // Names of PL/I have a character more.
            Language::Pli => kind.room + DIGITS + 1,
        };
        let mut base = plain[plain.len().saturating_sub(room)..].to_owned();
        if !base.starts_with(|first: char| first.is_ascii_alphabetic()) {
            base.replace_range(..base.len().min(1), "X");
        }
        (1..)
            .map(|number| if number == 1 { format!("{base}{suffix}") } else { format!("{base}{number}{suffix}") })
            .find(|name| scope.taken.insert(name.to_ascii_uppercase()))
            .unwrap_or_default()
    }

    /// A name that is new among structures, and with each of these behind it new in the group.
    fn structure(&mut self, scope: &mut Scope, plain: &str, room: usize, declared: &[&str]) -> String {
        let key = format!("{plain} {room}");
        let start = self.structures.next.get(&key).copied().unwrap_or(1);
        for number in start.. {
            let name = self.numbered(plain, room, number);
            let capitals = name.to_ascii_uppercase();
            let all: Vec<String> =
                declared.iter().map(|suffix| format!("{capitals}{}", suffix.to_uppercase())).collect();
            let is_free = all.iter().all(|one| !scope.taken.contains(one) && *one != scope.group);
            if is_free && self.structures.names.insert(capitals) {
                scope.taken.extend(all);
                self.structures.next.insert(key, number + 1);
                return name;
            }
        }
        unreachable!("some number is free")
    }

    /// Steps 1 and 2: characters that names may have, none of more than one byte.
    fn characters(&self, json_name: &str) -> String {
        match self.language {
            Language::Cobol => json_name
                .chars()
                .map(|character| match character {
                    '_' => '-',
                    'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => character,
                    _ => 'X',
                })
                .collect(),
            Language::Pli => json_name
                .chars()
                .map(|character| match character {
                    '-' => '_',
                    'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => character,
                    _ => 'X',
                })
                .collect(),
        }
    }

    /// Steps 1 to 3: characters that names may have, and no reserved word.
    fn plain(&mut self, json_name: &str) -> String {
        let mut plain = self.characters(json_name);
        if plain.is_empty() || plain.starts_with(|first: char| first == '-' || first == '_' || first.is_ascii_digit()) {
            plain.insert(0, 'X');
        }
        if self.language == Language::Cobol && is_reserved(&plain) {
            let word = plain.clone();
            plain.insert(0, 'X');
            self.changed.insert((word, plain.clone()));
        }
        plain
    }

    /// Step 4 and 5: the name cut, with a number from the second on.
    fn numbered(&self, plain: &str, room: usize, number: usize) -> String {
        if number == 1 {
            return self.cut(plain, room);
        }
        let digits = number.to_string();
        let mut name = self.cut(plain, room.min(room + DIGITS - digits.len().min(room)));
        name.push_str(&digits);
        name
    }

    /// `plain` has no characters of more than one byte.
    fn cut(&self, plain: &str, room: usize) -> String {
        let mut name = match self.truncation {
            _ if plain.len() <= room => plain.to_owned(),
            NameTruncation::Right => plain[..room].to_owned(),
            NameTruncation::Left => plain[plain.len() - room..].to_owned(),
        };
        if self.language == Language::Cobol && name.ends_with('-') {
            name.pop();
            name.push('X');
        }
        if name.starts_with(['-', '_']) || !name.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            name.replace_range(..1, "X");
        }
        name
    }

    fn suffix(&self, suffix: Suffix) -> &'static str {
        match (self.language, suffix.text) {
            (Language::Cobol, text) => text,
            (Language::Pli, "-num") => "_num",
            (Language::Pli, "-existence") => "_existence",
            (Language::Pli, "-dataarea") => "_dataarea",
            (Language::Pli, "-cont") => "_cont",
            (Language::Pli, "-patch-operation") => "_patch_operation",
            (Language::Pli, "-patch-item") => "_patch_item",
            (Language::Pli, _) => "_length",
        }
    }
}

/// The name that an element's structure has, from the item with the name of its data area.
pub(crate) fn element_of_area(name: &str) -> &str {
    let suffixes = [AREA.text, CONTAINER.text, "_dataarea", "_cont"];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

#[cfg(test)]
mod tests;
