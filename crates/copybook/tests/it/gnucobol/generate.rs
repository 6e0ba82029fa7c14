//! Random copybooks with values: text for the parser, JSON for the encoder, MOVE statements for the compiler.

use std::fmt::Write as _;

use copybook::{Copybook, LayoutOptions, ParseOptions};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::between;

pub(super) struct Record {
    pub(super) name: String,
    pub(super) copybook: String,
    pub(super) json: String,
    /// Items taken in place of those they redefine.
    pub(super) alternatives: Vec<String>,
    statements: Vec<String>,
    kind: Kind,
    /// Counters of variable tables with their maximum: the program clears the longest record.
    counters: Vec<(String, u32)>,
}

/// What a record is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Some items keep what they begin with.
    Initial,
    /// Items are SYNCHRONIZED. Compilers leave anything in slack bytes, so all is cleared first and all items are given.
    Aligned,
    /// Tables of variable length; cleared as well.
    Variable,
}

/// How one elementary item is described.
#[derive(Clone)]
enum Leaf {
    Text { length: u32, letters: bool, justified: bool },
    Number { clauses: String, digits: u32, scale: i32, signed: bool },
    Float { short: bool },
}

enum Body {
    Leaf(Leaf),
    Group(Vec<Item>),
}

enum Occurs {
    Once,
    Times(u32),
    Depending { maximum: u32, count: u32, counter: String },
}

struct Item {
    /// `None` is FILLER.
    name: Option<String>,
    occurs: Occurs,
    synchronized: bool,
    redefines: Option<String>,
    value: Option<String>,
    body: Body,
}

struct Generator<'a> {
    random: &'a mut StdRng,
    prefix: String,
    next: u32,
    kind: Kind,
    /// Counters made: name, digits the counter holds, count.
    counters: Vec<(String, u32, u32)>,
    alternatives: Vec<String>,
    within: Within,
}

/// GnuCOBOL 3.1 forgets to pad an element in which a group follows a SYNCHRONIZED item, so there are two kinds of tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    NoTable,
    /// Any items, none SYNCHRONIZED.
    Unaligned,
    /// Elementary items, some of them SYNCHRONIZED.
    Flat,
}

/// Record `number` of a program. GnuCOBOL 3.1 puts the padding of a table's element before its last item instead of
/// behind it, so records with such padding are not compared.
pub(super) fn record(number: usize, random: &mut StdRng) -> Record {
    loop {
        let record = any_record(number, random);
        if !has_padding(&record.copybook) {
            return record;
        }
    }
}

fn has_padding(text: &str) -> bool {
    let copybook = Copybook::parse(text, &ParseOptions::default()).expect("a copybook");
    let layout = copybook.layout(None, &LayoutOptions::default()).expect("a layout");
    layout.items.iter().filter(|item| item.occurs.is_some()).any(|item| {
        let ends = item.children.iter().map(|&child| layout.items[child].offset + layout.items[child].total_length());
        ends.max().is_some_and(|end| end < item.offset + item.length)
    })
}

fn any_record(number: usize, random: &mut StdRng) -> Record {
    let name = format!("R{number}");
    let kind = [Kind::Initial, Kind::Aligned, Kind::Variable][number % 3];
    let mut generator = Generator {
        random,
        prefix: name.clone(),
        next: 0,
        kind,
        counters: Vec::new(),
        alternatives: Vec::new(),
        within: Within::NoTable,
    };
    let mut items = generator.counters();
    items.extend(generator.items(0));
    let counters = generator.counters.iter().map(|(name, maximum, _)| (name.clone(), *maximum)).collect();
    let alternatives = generator.alternatives.clone();
    let mut text = format!("       01  {name}.\n");
    for item in &items {
        item.write(5, &mut text);
    }
    let mut values = Values { random, statements: Vec::new(), kind, alternatives: &alternatives };
    let json = values.object(&items, &[]);
    let statements = values.statements;
    Record { name, copybook: text, json, alternatives, statements, kind, counters }
}

impl Generator<'_> {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("{}-F{}", self.prefix, self.next)
    }

    fn counters(&mut self) -> Vec<Item> {
        if self.kind != Kind::Variable {
            return Vec::new();
        }
        let pictures = ["PIC 9(2)", "PIC 9(3) COMP-3", "PIC S9(4) COMP", "PIC 9(4) COMP-5", "PIC S9(3)"];
        (0..between(self.random, 1, 2))
            .map(|_| {
                let name = self.name();
                let maximum = between(self.random, 1, 6);
                let count = between(self.random, 0, maximum);
                self.counters.push((name.clone(), maximum, count));
                let clauses = pictures.choose(self.random).copied().unwrap_or(pictures[0]).to_owned();
                let leaf = Leaf::Number { clauses, digits: 0, scale: 0, signed: false };
                Item::plain(Some(name), Body::Leaf(leaf))
            })
            .collect()
    }

    fn items(&mut self, depth: u32) -> Vec<Item> {
        let count = between(self.random, 1, if depth == 0 { 7 } else { 4 });
        let mut items = Vec::new();
        for _ in 0..count {
            let item = self.item(depth);
            let may_redefine =
                depth < 3 && self.kind == Kind::Initial && item.is_plain_text() && self.random.gen_bool(0.3);
            if may_redefine {
                let alternative = self.alternative(&item);
                if let Some(name) = alternative.name.clone().filter(|_| self.random.gen_bool(0.5)) {
                    self.alternatives.push(name);
                }
                items.push(item);
                items.push(alternative);
            } else {
                items.push(item);
            }
        }
        items
    }

    fn item(&mut self, depth: u32) -> Item {
        let is_group = depth < 3 && self.within != Within::Flat && self.random.gen_bool(0.3);
        if !is_group && self.random.gen_bool(0.1) {
            return self.filler();
        }
        let name = Some(self.name());
        let occurs = self.occurs(depth);
        let is_once = matches!(occurs, Occurs::Once);
        // Behind a variable table GnuCOBOL puts no slack bytes at all.
        let may_align = self.within != Within::Unaligned && self.kind == Kind::Aligned;
        let synchronized = may_align && self.random.gen_bool(0.3);
        let around = self.within;
        if is_group && !is_once && around == Within::NoTable {
            self.within = if self.random.gen_bool(0.5) { Within::Flat } else { Within::Unaligned };
        }
        let body = if is_group { Body::Group(self.items(depth + 1)) } else { Body::Leaf(self.leaf()) };
        self.within = around;
        let value = if is_once && depth == 0 && self.kind == Kind::Initial { self.value(&body) } else { None };
        Item { name, occurs, synchronized, redefines: None, value, body }
    }

    fn filler(&mut self) -> Item {
        let length = between(self.random, 1, 5);
        let leaf = Leaf::Text { length, letters: false, justified: false };
        let value = match self.kind {
            Kind::Initial => format!("\"{}\"", "#".repeat(length as usize)),
            Kind::Aligned | Kind::Variable => "LOW-VALUE".to_owned(),
        };
        Item { value: Some(value), ..Item::plain(None, Body::Leaf(leaf)) }
    }

    fn occurs(&mut self, depth: u32) -> Occurs {
        if !self.random.gen_bool(0.25) {
            return Occurs::Once;
        }
        match self.counters.choose(self.random).cloned() {
            Some((counter, maximum, count)) if depth < 2 && self.random.gen_bool(0.7) => {
                Occurs::Depending { maximum, count, counter }
            }
            _ => Occurs::Times(between(self.random, 2, 4)),
        }
    }

    /// VALUE of an elementary item.
    fn value(&mut self, body: &Body) -> Option<String> {
        if !self.random.gen_bool(0.2) {
            return None;
        }
        match body {
            Body::Leaf(Leaf::Text { .. }) => Some("\"V\"".to_owned()),
            Body::Leaf(Leaf::Number { digits, scale: 0, clauses, .. }) if *digits > 0 && is_computational(clauses) => {
                Some("7".to_owned())
            }
            _ => None,
        }
    }

    /// A group of the same length as a text item, all of it named.
    fn alternative(&mut self, item: &Item) -> Item {
        let Body::Leaf(Leaf::Text { length, .. }) = item.body else { return self.filler() };
        let mut rest = length;
        let mut parts = Vec::new();
        while rest > 0 {
            let length = between(self.random, 1, rest);
            let leaf = if self.random.gen_bool(0.5) && length < 10 {
                Leaf::Number { clauses: format!("PIC 9({length})"), digits: length, scale: 0, signed: false }
            } else {
                Leaf::Text { length, letters: false, justified: false }
            };
            let name = self.name();
            parts.push(Item::plain(Some(name), Body::Leaf(leaf)));
            rest -= length;
        }
        let name = self.name();
        Item { redefines: item.name.clone(), ..Item::plain(Some(name), Body::Group(parts)) }
    }

    fn leaf(&mut self) -> Leaf {
        let random = &mut *self.random;
        match between(random, 0, 9) {
            0..=1 => Leaf::Text {
                length: between(random, 1, 20),
                letters: random.gen_bool(0.2),
                justified: random.gen_bool(0.15),
            },
            2 => Leaf::Float { short: random.gen_bool(0.5) },
            3..=4 => edited(random),
            _ => number(random),
        }
    }
}

fn is_computational(clauses: &str) -> bool {
    clauses.contains("COMP")
}

/// Digits, scale and sign in any of the numeric usages.
fn number(random: &mut StdRng) -> Leaf {
    let signed = random.gen_bool(0.6);
    let digits = between(random, 1, 18);
    let behind = if random.gen_bool(0.4) { between(random, 0, digits) } else { 0 };
    let before = digits - behind;
    let scaled = behind == 0 && random.gen_bool(0.1);
    let zeros = between(random, 1, 3);
    let sign = if signed { "S" } else { "" };
    let (picture, scale) = match (before, behind, scaled) {
        (_, 0, true) => (format!("{sign}9({digits})P({zeros})"), -i32::try_from(zeros).unwrap_or(0)),
        (_, 0, false) => (format!("{sign}9({digits})"), 0),
        (0, _, _) => (format!("{sign}V9({behind})"), i32::try_from(behind).unwrap_or(0)),
        _ => (format!("{sign}9({before})V9({behind})"), i32::try_from(behind).unwrap_or(0)),
    };
    let mut usages = vec!["", "COMP", "COMP-3", "COMP-5", "BINARY", "PACKED-DECIMAL", "COMP-4", "USAGE IS COMP-3"];
    if signed {
        usages.extend([
            "SIGN LEADING",
            "SIGN IS TRAILING SEPARATE CHARACTER",
            "SIGN LEADING SEPARATE",
            "USAGE DISPLAY SIGN TRAILING",
        ]);
    } else {
        usages.extend(["COMP-6", "BLANK WHEN ZERO", "COMP-X"]);
    }
    if digits < 3 {
        // It takes one byte for these, whatever is asked for; the compilers of z/OS take two.
        usages.retain(|usage| *usage != "COMP-5");
    }
    if scale != 0 {
        // libcob 3.1 writes a byte too many into an edited item with V or P, which BLANK WHEN ZERO makes of a number.
        usages.retain(|usage| *usage != "BLANK WHEN ZERO");
    }
    if scale < 0 {
        // It never ends a MOVE to a binary item with P, and loses digits in a packed one.
        usages.retain(|usage| !usage.contains("COMP") && !matches!(*usage, "BINARY" | "PACKED-DECIMAL"));
    }
    let usage = usages.choose(random).copied().unwrap_or("");
    Leaf::Number { clauses: format!("PIC {picture} {usage}"), digits, scale, signed }
}

/// Edited numbers: shapes of suppression, floating insertion and signs in random widths.
fn edited(random: &mut StdRng) -> Leaf {
    let (a, b, c) = (between(random, 1, 6), between(random, 1, 4), between(random, 1, 3));
    let repeated = |symbol: &str, count: u32| symbol.repeat(count as usize);
    let z = |count| repeated("Z", count);
    let (picture, digits, scale, signed) = match between(random, 0, 21) {
        0 => (format!("{}9({b})", z(a)), a + b, 0, false),
        1 => (format!("{}9.{}", z(a), repeated("9", c)), a + 1 + c, c, false),
        2 => (format!("{},{}9", z(b), z(2)), b + 3, 0, false),
        3 => (format!("{}9.99", repeated("*", a)), a + 3, 2, false),
        4 => (format!("${}9.99", z(a)), a + 3, 2, false),
        5 => (format!("{},$$9.99", repeated("$", b + 1)), b + 5, 2, false),
        6 => (format!("+{}9", z(a)), a + 1, 0, true),
        7 => (format!("{}9-", z(a)), a + 1, 0, true),
        8 => (format!("{}9.{}", repeated("+", a + 1), repeated("9", c)), a + 1 + c, c, true),
        9 => (format!("{},--9", repeated("-", b + 1)), b + 3, 0, true),
        10 => (format!("{}9CR", z(a)), a + 1, 0, true),
        11 => (format!("{}9.99DB", z(a)), a + 3, 2, true),
        12 => ("99/99/9999".to_owned(), 8, 0, false),
        13 => (format!("9({b})B9({c})"), b + c, 0, false),
        14 => (format!("{}90", z(a)), a + 1, 0, false),
        15 => (z(a), a, 0, false),
        16 => (format!("{}.{}", z(a), z(c)), a + c, c, false),
        17 => (format!("{}.{}", repeated("*", a), repeated("*", c)), a + c, c, false),
        18 => (repeated("$", a + 1), a, 0, false),
        19 => (format!("{}.{}", repeated("-", a + 1), repeated("-", c)), a + c, c, true),
        20 => (format!("-9({a}).9({c})"), a + c, c, true),
        _ => (format!("{},{}9.99+", repeated("*", b), repeated("*", 2)), b + 5, 2, true),
    };
    let stars = picture.contains('*');
    let blank = if !stars && random.gen_bool(0.15) { " BLANK WHEN ZERO" } else { "" };
    let scale = i32::try_from(scale).unwrap_or(0);
    Leaf::Number { clauses: format!("PIC {picture}{blank}"), digits, scale, signed }
}

impl Item {
    fn plain(name: Option<String>, body: Body) -> Self {
        Self { name, occurs: Occurs::Once, synchronized: false, redefines: None, value: None, body }
    }

    fn is_plain_text(&self) -> bool {
        let is_text = matches!(self.body, Body::Leaf(Leaf::Text { justified: false, letters: false, .. }));
        is_text && self.name.is_some() && matches!(self.occurs, Occurs::Once)
    }

    /// The entry, a clause a line at times so that no line is too long.
    fn write(&self, level: u32, text: &mut String) {
        let name = self.name.as_deref().unwrap_or("FILLER");
        let _ = write!(text, "           {level:02} {name}");
        if let Some(redefined) = &self.redefines {
            let _ = write!(text, " REDEFINES {redefined}");
        }
        if let Body::Leaf(leaf) = &self.body {
            let _ = write!(text, "\n               {}", leaf.clauses(self.synchronized));
        }
        match &self.occurs {
            Occurs::Once => {}
            Occurs::Times(count) => {
                let _ = write!(text, "\n               OCCURS {count} TIMES");
            }
            Occurs::Depending { maximum, counter, .. } => {
                let _ =
                    write!(text, "\n               OCCURS 0 TO {maximum} TIMES\n               DEPENDING ON {counter}");
            }
        }
        if let Some(value) = &self.value {
            let _ = write!(text, "\n               VALUE {value}");
        }
        text.push_str(".\n");
        if let Body::Group(items) = &self.body {
            for item in items {
                item.write(level + 5, text);
            }
        }
    }
}

impl Leaf {
    fn clauses(&self, synchronized: bool) -> String {
        match self {
            Self::Text { length, letters, justified } => {
                let symbol = if *letters { 'A' } else { 'X' };
                format!("PIC {symbol}({length}){}", if *justified { " JUSTIFIED RIGHT" } else { "" })
            }
            Self::Number { clauses, .. } => {
                let binary = ["COMP", "COMP-4", "COMP-5", "BINARY"].iter().any(|usage| clauses.ends_with(usage));
                format!("{clauses}{}", if synchronized && binary { " SYNC" } else { "" })
            }
            Self::Float { short } => {
                let usage = if *short { "COMP-1" } else { "COMP-2" };
                format!("{usage}{}", if synchronized { " SYNC" } else { "" })
            }
        }
    }
}

struct Values<'a> {
    random: &'a mut StdRng,
    statements: Vec<String>,
    kind: Kind,
    alternatives: &'a [String],
}

impl Values<'_> {
    /// The JSON object of some items, and the statements that fill them.
    fn object(&mut self, items: &[Item], subscripts: &[u32]) -> String {
        let mut members = Vec::new();
        for item in items {
            let Some(name) = &item.name else { continue };
            let is_redefined = items.iter().any(|other| {
                other.redefines.as_ref() == Some(name)
                    && other.name.as_ref().is_some_and(|other| self.alternatives.contains(other))
            });
            let is_left_out = item.redefines.is_some() && !self.alternatives.contains(name);
            // Without a value the item keeps what it begins with; a cleared record begins with nothing, and an alternative
            // with what the redefined item left there.
            let keeps = self.kind == Kind::Initial && self.alternatives.is_empty();
            let is_absent = keeps && self.random.gen_bool(0.1);
            if is_redefined || is_left_out || is_absent || is_counter(item) {
                continue;
            }
            let value = self.occurrences(item, name, subscripts);
            members.push(format!("\"{name}\":{value}"));
        }
        format!("{{{}}}", members.join(","))
    }

    fn occurrences(&mut self, item: &Item, name: &str, subscripts: &[u32]) -> String {
        let count = match &item.occurs {
            Occurs::Once => return self.value(item, name, subscripts),
            Occurs::Times(count) => *count,
            Occurs::Depending { count, counter, .. } => {
                self.statements.insert(0, format!("MOVE {count}\n             TO {counter}"));
                *count
            }
        };
        let each: Vec<String> = (1..=count)
            .map(|subscript| {
                let subscripts: Vec<u32> = subscripts.iter().copied().chain([subscript]).collect();
                self.value(item, name, &subscripts)
            })
            .collect();
        format!("[{}]", each.join(","))
    }

    fn value(&mut self, item: &Item, name: &str, subscripts: &[u32]) -> String {
        let leaf = match &item.body {
            Body::Group(items) => return self.object(items, subscripts),
            Body::Leaf(leaf) => leaf,
        };
        let (json, literal) = match leaf {
            Leaf::Text { length, letters, .. } => {
                let text = self.text(*length, *letters);
                (format!("\"{text}\""), format!("\"{text}\""))
            }
            Leaf::Number { digits, scale, signed, .. } => {
                let number = self.number(*digits, *scale, *signed);
                (number.clone(), number)
            }
            Leaf::Float { short } => {
                // Halves and quarters are exact in any form.
                let limit = if *short { 1 << 20 } else { 1 << 40 };
                let quarters: i64 = self.random.gen_range(-limit..limit);
                let sign = if quarters < 0 { "-" } else { "" };
                let number = format!("{sign}{}.{:02}", quarters.abs() / 4, quarters.abs() % 4 * 25);
                (number.clone(), number)
            }
        };
        let subscripts: Vec<String> = subscripts.iter().map(ToString::to_string).collect();
        let place = if subscripts.is_empty() { String::new() } else { format!("({})", subscripts.join(" ")) };
        self.statements.push(format!("MOVE {literal}\n             TO {name}{place}"));
        json
    }

    /// No blank at either end, so that it comes back as it was.
    fn text(&mut self, most: u32, letters: bool) -> String {
        let set: &[u8] = if letters { b"ABCxyz" } else { b"ABCxyz0189 .,:-+*/()=<>%&!?" };
        let length = between(self.random, 1, most);
        let text: Vec<u8> = (0..length).map(|_| set.choose(self.random).copied().unwrap_or(b'X')).collect();
        let text = String::from_utf8(text).unwrap_or_default();
        let trimmed = text.trim();
        if trimmed.is_empty() { "A".to_owned() } else { trimmed.to_owned() }
    }

    fn number(&mut self, digits: u32, scale: i32, signed: bool) -> String {
        let digits = between(self.random, 1, digits);
        let mut value: u64 = self.random.gen_range(0..10u64.pow(digits));
        if self.random.gen_bool(0.1) {
            value = 0;
        }
        let sign = if signed && value > 0 && self.random.gen_bool(0.5) { "-" } else { "" };
        match usize::try_from(scale) {
            Ok(0) => format!("{sign}{value}"),
            Ok(decimals) => {
                let text = format!("{value:0width$}", width = decimals + 1);
                let (before, behind) = text.split_at(text.len() - decimals);
                format!("{sign}{before}.{behind}")
            }
            Err(_) if value == 0 => "0".to_owned(),
            Err(_) => format!("{sign}{value}{}", "0".repeat(scale.unsigned_abs() as usize)),
        }
    }
}

/// Counters are set by the arrays they count.
fn is_counter(item: &Item) -> bool {
    matches!(item.body, Body::Leaf(Leaf::Number { digits: 0, .. }))
}

/// The program that fills all records and writes length and bytes of each.
pub(super) fn program(records: &[Record]) -> String {
    let mut text = String::from(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. PROG.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01  THE-LENGTH PIC S9(9) COMP-5.\n",
    );
    for record in records {
        let _ = writeln!(text, "       COPY \"{}.cpy\".", record.name);
    }
    text.push_str("       PROCEDURE DIVISION.\n");
    for record in records {
        let name = &record.name;
        let mut statements: Vec<String> = Vec::new();
        if record.kind != Kind::Initial {
            for (counter, maximum) in &record.counters {
                statements.push(format!("MOVE {maximum}\n             TO {counter}"));
            }
            statements.push(format!("MOVE LOW-VALUES TO {name}"));
            statements.extend(record.counters.iter().map(|(counter, _)| format!("MOVE 0 TO {counter}")));
        }
        statements.extend(record.statements.iter().cloned());
        statements.push(format!("MOVE FUNCTION LENGTH({name}) TO THE-LENGTH"));
        statements.push("CALL \"write\" USING BY VALUE 1\n             BY REFERENCE THE-LENGTH BY VALUE 4".to_owned());
        statements
            .push(format!("CALL \"write\" USING BY VALUE 1\n             BY REFERENCE {name} BY VALUE THE-LENGTH"));
        for statement in statements {
            let _ = writeln!(text, "           {statement}");
        }
    }
    text.push_str("           MOVE 0 TO RETURN-CODE\n           STOP RUN.\n");
    text
}
