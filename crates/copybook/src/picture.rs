//! PICTURE strings: what kind of data, how many positions, where the decimal point is, what is edited in.

use crate::editing;
use crate::error::Problem;
use crate::options::ParseOptions;

/// Most digits of a number: as many as a `u128` holds.
pub(crate) const MAXIMUM_DIGITS: u32 = 38;
/// Most positions of an edited number.
const MAXIMUM_EDITED: u32 = 256;
/// Most characters of a text.
const MAXIMUM_TEXT: u32 = 100 << 20;

/// What a PICTURE describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    Alphabetic,
    Alphanumeric,
    AlphanumericEdited,
    Numeric,
    NumericEdited,
    /// A mantissa, E and an exponent, all in characters.
    ExternalFloat,
    /// PIC N.
    National,
    NationalEdited,
    /// PIC G.
    DoubleByte,
    /// PIC U.
    Utf8,
}

/// A PICTURE string, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// As written.
    pub text: String,
    pub category: Category,
    /// Digits that are stored; 0 for text.
    pub digits: u32,
    /// The value is the digits times 10 to the power of minus this. Negative with P on the right.
    pub scale: i32,
    pub signed: bool,
    /// Character positions; S, V and P take none.
    pub positions: u32,
    pub(crate) editing: Option<Editing>,
}

/// How an edited number, or an external float, is put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Editing {
    pub(crate) slots: Vec<Slot>,
    pub(crate) point: u8,
    /// That of the program; where the PICTURE has none, what stands for it.
    pub(crate) currency: char,
}

/// One symbol of an edited number; CR and DB take two positions, all others one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// 9
    Digit,
    /// Z
    Blank,
    /// *
    Star,
    /// The first of a floating string: no digit.
    FloatStart(Float),
    /// The others: a digit or nothing.
    Float(Float),
    /// , . 0 / or a blank
    Insert(u8),
    Point,
    /// V: no position
    Implied,
    Plus,
    Minus,
    Currency,
    Credit,
    Debit,
    /// E of an external float
    Exponent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Float {
    Plus,
    Minus,
    Currency,
}

impl Picture {
    /// `constant` knows the numbers of level-78 entries, which may stand as repetition counts.
    ///
    /// # Errors
    /// The string is none.
    pub(crate) fn parse(
        text: &str,
        options: &ParseOptions<'_>,
        constant: &dyn Fn(&str) -> Option<u32>,
    ) -> Result<Self, Problem> {
        let wrong = |why| Problem::Picture { picture: text.to_owned(), why };
        let runs = runs(text, options, constant).map_err(wrong)?;
        let has = |symbols: &[Symbol]| runs.iter().any(|(symbol, _)| symbols.contains(symbol));
        let picture = if has(&[Symbol::X, Symbol::A]) {
            characters(&runs, has(&[Symbol::X, Symbol::Nine]))
        } else if has(&[Symbol::N]) {
            wide(&runs, Symbol::N, Category::National, Some(Category::NationalEdited))
        } else if has(&[Symbol::G]) {
            wide(&runs, Symbol::G, Category::DoubleByte, None)
        } else if has(&[Symbol::U]) {
            wide(&runs, Symbol::U, Category::Utf8, None)
        } else if has(&[Symbol::E]) {
            external_float(&runs, options)
        } else if runs.iter().all(|(symbol, _)| matches!(symbol, Symbol::Nine | Symbol::S | Symbol::V | Symbol::P)) {
            numeric(&runs)
        } else {
            edited(&runs, options)
        };
        picture.map(|picture| Self { text: text.to_owned(), ..picture }).map_err(wrong)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbol {
    A,
    B,
    E,
    G,
    N,
    P,
    S,
    U,
    V,
    X,
    Z,
    Nine,
    Zero,
    Slash,
    /// The grouping mark: comma, or period where the decimal point is a comma.
    Grouping,
    Point,
    Plus,
    Minus,
    Star,
    Currency,
    Credit,
    Debit,
}

type Runs = Vec<(Symbol, u32)>;

fn runs(text: &str, options: &ParseOptions<'_>, constant: &dyn Fn(&str) -> Option<u32>) -> Result<Runs, &'static str> {
    let characters: Vec<char> = text.chars().map(|c| c.to_ascii_uppercase()).collect();
    let mut runs: Runs = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let next = characters.get(at + 1).copied();
        let symbol = match characters[at] {
            'C' if next == Some('R') => Symbol::Credit,
            'D' if next == Some('B') => Symbol::Debit,
            c if c == options.currency.to_ascii_uppercase() => Symbol::Currency,
            'A' => Symbol::A,
            'B' => Symbol::B,
            'E' => Symbol::E,
            'G' => Symbol::G,
            'N' => Symbol::N,
            'P' => Symbol::P,
            'S' => Symbol::S,
            'U' => Symbol::U,
            'V' => Symbol::V,
            'X' => Symbol::X,
            'Z' => Symbol::Z,
            '9' => Symbol::Nine,
            '0' => Symbol::Zero,
            '/' => Symbol::Slash,
            '.' if options.decimal_comma => Symbol::Grouping,
            ',' if options.decimal_comma => Symbol::Point,
            ',' => Symbol::Grouping,
            '.' => Symbol::Point,
            '+' => Symbol::Plus,
            '-' => Symbol::Minus,
            '*' => Symbol::Star,
            _ => return Err("it has a character that is no PICTURE symbol"),
        };
        at += if matches!(symbol, Symbol::Credit | Symbol::Debit) { 2 } else { 1 };
        let mut count = 1;
        if characters.get(at) == Some(&'(') {
            let close = characters[at..].iter().position(|&c| c == ')').ok_or("a parenthesis is not closed")?;
            let inside: String = characters[at + 1..at + close].iter().collect();
            let digits = !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit());
            let number = if digits { inside.parse().ok() } else { constant(&inside) };
            count =
                number.filter(|&n| n > 0 && n <= MAXIMUM_TEXT).ok_or("a repetition count is not a usable number")?;
            at += close + 1;
        }
        match runs.last_mut() {
            Some((last, total)) if *last == symbol => {
                *total = total.checked_add(count).filter(|&n| n <= MAXIMUM_TEXT).ok_or("it has too many positions")?;
            }
            _ => runs.push((symbol, count)),
        }
    }
    if runs.is_empty() { Err("it is empty") } else { Ok(runs) }
}

fn total(runs: &Runs) -> Result<u32, &'static str> {
    let total: u64 = runs.iter().map(|(_, count)| u64::from(*count)).sum();
    u32::try_from(total).ok().filter(|&n| n <= MAXIMUM_TEXT).ok_or("it has too many positions")
}

fn of_text(category: Category, positions: u32) -> Picture {
    Picture { text: String::new(), category, digits: 0, scale: 0, signed: false, positions, editing: None }
}

fn characters(runs: &Runs, not_alphabetic: bool) -> Result<Picture, &'static str> {
    let mut is_edited = false;
    for (symbol, _) in runs {
        match symbol {
            Symbol::X | Symbol::A | Symbol::Nine => {}
            Symbol::B | Symbol::Zero | Symbol::Slash => is_edited = true,
            _ => return Err("it mixes symbols of text with symbols of numbers"),
        }
    }
    let category = match (is_edited, not_alphabetic) {
        (true, _) => Category::AlphanumericEdited,
        (false, true) => Category::Alphanumeric,
        (false, false) => Category::Alphabetic,
    };
    Ok(of_text(category, total(runs)?))
}

fn wide(runs: &Runs, symbol: Symbol, plain: Category, edited: Option<Category>) -> Result<Picture, &'static str> {
    let insertion = |each: &Symbol| matches!(each, Symbol::B | Symbol::Zero | Symbol::Slash);
    if runs.iter().all(|(each, _)| *each == symbol) {
        return Ok(of_text(plain, total(runs)?));
    }
    match edited {
        Some(edited) if runs.iter().all(|(each, _)| *each == symbol || insertion(each)) => {
            Ok(of_text(edited, total(runs)?))
        }
        None if runs.iter().all(|(each, _)| *each == symbol || *each == Symbol::B) => Ok(of_text(plain, total(runs)?)),
        _ => Err("it mixes symbols that do not go together"),
    }
}

/// `S`, digits and `V`, with `P` at one end.
fn numeric(runs: &Runs) -> Result<Picture, &'static str> {
    let mut point = Point::default();
    let mut signed = false;
    for (index, &(symbol, count)) in runs.iter().enumerate() {
        match symbol {
            Symbol::S if index == 0 && count == 1 => signed = true,
            Symbol::S => return Err("S stands once, and first"),
            Symbol::Nine => point.digits(count)?,
            Symbol::V => point.mark(count)?,
            _ => point.scaling(count)?,
        }
    }
    let (digits, scale) = point.finish()?;
    Ok(Picture { digits, scale, signed, positions: digits, ..of_text(Category::Numeric, 0) })
}

/// Counts digits before and behind the decimal point.
#[derive(Default)]
struct Point {
    before: u32,
    behind: u32,
    is_marked: bool,
    /// P before all digits, P behind them.
    left: u32,
    right: u32,
}

impl Point {
    fn digits(&mut self, count: u32) -> Result<(), &'static str> {
        if self.right > 0 {
            return Err("P stands at one end");
        }
        if self.is_marked {
            self.behind += count;
        } else {
            self.before += count;
        }
        if self.before + self.behind > MAXIMUM_DIGITS { Err("it has more than 38 digits") } else { Ok(()) }
    }

    fn mark(&mut self, count: u32) -> Result<(), &'static str> {
        if count > 1 || self.is_marked {
            return Err("the decimal point stands once");
        }
        if self.left > 0 {
            return Err("the decimal point stands left of P");
        }
        self.is_marked = true;
        Ok(())
    }

    fn scaling(&mut self, count: u32) -> Result<(), &'static str> {
        if count > MAXIMUM_DIGITS {
            return Err("it has too many P");
        }
        if self.before + self.behind == 0 && self.left == 0 {
            self.left = count;
        } else if self.right == 0 && self.left == 0 && !self.is_marked {
            self.right = count;
        } else {
            return Err("P stands at one end");
        }
        Ok(())
    }

    /// Digits and scale.
    fn finish(self) -> Result<(u32, i32), &'static str> {
        let digits = self.before + self.behind;
        if digits == 0 {
            return Err("it has no digit");
        }
        let number = |count: u32| i32::try_from(count).map_err(|_| "it has too many positions");
        let scale = match (self.left, self.right) {
            (0, 0) => number(self.behind)?,
            (0, right) => -number(right)?,
            (left, _) => number(left + digits)?,
        };
        Ok((digits, scale))
    }
}

fn edited(runs: &Runs, options: &ParseOptions<'_>) -> Result<Picture, &'static str> {
    if total(runs)? > MAXIMUM_EDITED {
        return Err("an edited number has at most 256 positions");
    }
    let count = |symbol: Symbol| runs.iter().filter(|run| run.0 == symbol).map(|run| run.1).sum::<u32>();
    let signs = [Symbol::Plus, Symbol::Minus, Symbol::Credit, Symbol::Debit].map(count);
    if signs.iter().filter(|&&n| n > 0).count() > 1 {
        return Err("it has two kinds of sign");
    }
    if count(Symbol::Credit) > 1 || count(Symbol::Debit) > 1 || count(Symbol::S) > 0 {
        return Err("it has a sign too many");
    }
    let floats = [Symbol::Plus, Symbol::Minus, Symbol::Currency].map(|symbol| count(symbol) > 1);
    let suppressing = [count(Symbol::Z) > 0, count(Symbol::Star) > 0];
    if floats.iter().chain(&suppressing).filter(|&&used| used).count() > 1 {
        return Err("it suppresses zeros in two ways");
    }
    fixed_signs_at_an_end(runs, floats)?;
    floating_together(runs, floats)?;
    one_kind_behind_the_point(runs, floats)?;
    let mut point = Point::default();
    let mut slots = Vec::new();
    let mut floating = false;
    for &(symbol, repeated) in runs {
        if symbol == Symbol::P {
            point.scaling(repeated)?;
            continue;
        }
        for _ in 0..repeated {
            let slot = slot(symbol, floats, floating, options)?;
            floating |= matches!(slot, Slot::FloatStart(_));
            match slot {
                Slot::Digit | Slot::Blank | Slot::Star | Slot::Float(_) => point.digits(1)?,
                Slot::Point | Slot::Implied => point.mark(1)?,
                _ => {}
            }
            slots.push(slot);
        }
    }
    let (digits, scale) = point.finish()?;
    if !well_ordered(&slots) {
        return Err("a suppressed digit stands behind a 9");
    }
    let positions = slots.iter().map(|slot| slot.width()).sum();
    let signed = signs.iter().any(|&n| n > 0);
    let editing = Some(Editing::new(slots, options));
    Ok(Picture { digits, scale, signed, editing, positions, ..of_text(Category::NumericEdited, 0) })
}

/// Symbols that float where they stand more than once, as `floats` says of each.
const FLOATING: [Symbol; 3] = [Symbol::Plus, Symbol::Minus, Symbol::Currency];

fn floats_here(symbol: Symbol, floats: [bool; 3]) -> bool {
    FLOATING.iter().zip(floats).any(|(each, floats)| *each == symbol && floats)
}

fn is_point(symbol: Symbol) -> bool {
    matches!(symbol, Symbol::Point | Symbol::V)
}

/// Source: Enterprise COBOL language reference, "Fixed insertion editing".
fn fixed_signs_at_an_end(runs: &Runs, floats: [bool; 3]) -> Result<(), &'static str> {
    let is_sign = |symbol| matches!(symbol, Symbol::Plus | Symbol::Minus) && !floats_here(symbol, floats);
    for (at, &(symbol, _)) in runs.iter().enumerate() {
        let is_last = at + 1 == runs.len();
        match symbol {
            Symbol::Credit | Symbol::Debit if !is_last => return Err("CR and DB stand at the end"),
            _ if is_sign(symbol) && at > 0 && !is_last => {
                return Err("a sign that does not float stands first or last");
            }
            Symbol::Currency if !floats_here(symbol, floats) && at > 0 && !(at == 1 && is_sign(runs[0].0)) => {
                return Err("a currency sign that does not float stands first, or behind a leading sign");
            }
            _ => {}
        }
    }
    Ok(())
}

/// What floats is one string, which only inserted characters and the decimal point interrupt, and begins with two signs.
fn floating_together(runs: &Runs, floats: [bool; 3]) -> Result<(), &'static str> {
    let is_floating = |run: &(Symbol, u32)| floats_here(run.0, floats);
    let (Some(first), Some(last)) = (runs.iter().position(is_floating), runs.iter().rposition(is_floating)) else {
        return Ok(());
    };
    let string = &runs[first..=last];
    let is_inside =
        |symbol| is_point(symbol) || matches!(symbol, Symbol::Grouping | Symbol::B | Symbol::Zero | Symbol::Slash);
    if !string.iter().all(|run| is_floating(run) || is_inside(run.0)) {
        return Err("the signs that float do not stand together");
    }
    let before = string.iter().take_while(|run| !is_point(run.0));
    let signs: u32 = before.filter(|run| is_floating(run)).map(|run| run.1).sum();
    if signs < 2 { Err("a single sign before the decimal point does not float behind it") } else { Ok(()) }
}

/// Digits behind the decimal point, which P at the left stands for as well, are all 9, or all Z, * or floating.
fn one_kind_behind_the_point(runs: &Runs, floats: [bool; 3]) -> Result<(), &'static str> {
    let is_scaled = runs.iter().any(|run| run.0 == Symbol::P);
    if is_scaled && runs.iter().any(|run| run.0 == Symbol::Point) {
        return Err("P implies a decimal point of its own");
    }
    let is_digit = |symbol| matches!(symbol, Symbol::Nine | Symbol::Z | Symbol::Star) || floats_here(symbol, floats);
    let begins = |run: &(Symbol, u32)| is_point(run.0) || run.0 == Symbol::P;
    let behind = runs.iter().skip_while(|run| !begins(run)).map(|run| run.0).filter(|symbol| is_digit(*symbol));
    let behind: Vec<Symbol> = behind.collect();
    let are_alike = behind.windows(2).all(|pair| pair[0] == pair[1]);
    if are_alike { Ok(()) } else { Err("the digits behind the decimal point are not all 9, or all suppressed") }
}

fn slot(symbol: Symbol, floats: [bool; 3], floating: bool, options: &ParseOptions<'_>) -> Result<Slot, &'static str> {
    let float = |kind| if floating { Slot::Float(kind) } else { Slot::FloatStart(kind) };
    Ok(match symbol {
        Symbol::Nine => Slot::Digit,
        Symbol::Z => Slot::Blank,
        Symbol::Star => Slot::Star,
        Symbol::Plus if floats[0] => float(Float::Plus),
        Symbol::Plus => Slot::Plus,
        Symbol::Minus if floats[1] => float(Float::Minus),
        Symbol::Minus => Slot::Minus,
        Symbol::Currency if floats[2] => float(Float::Currency),
        Symbol::Currency => Slot::Currency,
        Symbol::Credit => Slot::Credit,
        Symbol::Debit => Slot::Debit,
        Symbol::Point => Slot::Point,
        Symbol::V => Slot::Implied,
        Symbol::Grouping => Slot::Insert(if options.decimal_comma { b'.' } else { b',' }),
        Symbol::B => Slot::Insert(b' '),
        Symbol::Zero => Slot::Insert(b'0'),
        Symbol::Slash => Slot::Insert(b'/'),
        _ => return Err("it mixes symbols that do not go together"),
    })
}

/// Zeros are suppressed from the left only.
fn well_ordered(slots: &[Slot]) -> bool {
    let first = slots.iter().position(|slot| *slot == Slot::Digit).unwrap_or(slots.len());
    !slots[first..].iter().any(|slot| matches!(slot, Slot::Blank | Slot::Star | Slot::Float(_) | Slot::FloatStart(_)))
}

/// Sign, mantissa with a decimal point somewhere, E, sign, two digits.
fn external_float(runs: &Runs, options: &ParseOptions<'_>) -> Result<Picture, &'static str> {
    let mut slots = Vec::new();
    for &(symbol, count) in runs {
        let slot = match symbol {
            Symbol::Plus => Slot::Plus,
            Symbol::Minus => Slot::Minus,
            Symbol::Nine => Slot::Digit,
            Symbol::Point => Slot::Point,
            Symbol::V => Slot::Implied,
            Symbol::E => Slot::Exponent,
            _ => return Err("it mixes symbols that do not go together"),
        };
        if count > MAXIMUM_DIGITS {
            return Err("it has more than 38 digits");
        }
        slots.extend((0..count).map(|_| slot));
    }
    const SHAPE: &str = "an external float is a sign, a mantissa, E, a sign and two digits";
    let at = slots.iter().position(|slot| *slot == Slot::Exponent).ok_or(SHAPE)?;
    let (mantissa, exponent) = (&slots[..at], &slots[at + 1..]);
    let is_sign = |slot: &Slot| matches!(slot, Slot::Plus | Slot::Minus);
    let [sign, rest @ ..] = mantissa else { return Err(SHAPE) };
    let digits = rest.iter().filter(|slot| **slot == Slot::Digit).count();
    let points = rest.iter().filter(|slot| matches!(slot, Slot::Point | Slot::Implied)).count();
    let good_exponent = matches!(exponent, [sign, Slot::Digit, Slot::Digit] if is_sign(sign));
    if !is_sign(sign) || !good_exponent || digits == 0 || points > 1 || rest.len() != digits + points {
        return Err(SHAPE);
    }
    let digits = u32::try_from(digits).ok().filter(|&n| n <= MAXIMUM_DIGITS).ok_or("it has more than 38 digits")?;
    let behind = rest.iter().rev().take_while(|slot| **slot == Slot::Digit).count();
    let scale = if points == 0 { 0 } else { i32::try_from(behind).unwrap_or(0) };
    let positions = slots.iter().map(|slot| slot.width()).sum();
    let editing = Some(Editing::new(slots, options));
    Ok(Picture { digits, scale, signed: true, editing, positions, ..of_text(Category::ExternalFloat, 0) })
}

impl Editing {
    fn new(slots: Vec<Slot>, options: &ParseOptions<'_>) -> Self {
        let point = if options.decimal_comma { b',' } else { b'.' };
        let has_sign = slots.iter().any(|slot| matches!(slot, Slot::Currency | Slot::FloatStart(Float::Currency)));
        let currency = if has_sign { options.currency } else { char::from(editing::CURRENCY) };
        Self { slots, point, currency }
    }
}

impl Slot {
    pub(crate) fn width(self) -> u32 {
        match self {
            Self::Implied => 0,
            Self::Credit | Self::Debit => 2,
            _ => 1,
        }
    }
}
