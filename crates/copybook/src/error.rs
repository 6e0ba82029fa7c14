//! What can be wrong with a copybook, with the choice of a conversion, and with data.
//!
//! Errors of a copybook name member, line, column and item; errors of data name JSON pointer, item and offset.

use std::fmt;

/// Where a character stands: lines and columns count from 1; `member` is an index into the list of texts read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    pub(crate) member: u16,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// An error inside the crate, before the name of its member is looked up.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) item: Option<String>,
    pub(crate) problem: Problem,
}

impl Fault {
    pub(crate) fn at(place: Place, problem: Problem) -> Self {
        Self { place, item: None, problem }
    }

    pub(crate) fn of_item(place: Place, item: &str, problem: Problem) -> Self {
        Self { place, item: Some(item.to_owned()), problem }
    }

    /// Names the item, unless a more exact one is named already.
    pub(crate) fn about(mut self, item: &str) -> Self {
        self.item.get_or_insert_with(|| item.to_owned());
        self
    }

    pub(crate) fn named(self, members: &[String]) -> CopybookError {
        CopybookError {
            member: members.get(usize::from(self.place.member)).filter(|name| !name.is_empty()).cloned(),
            line: self.place.line,
            column: self.place.column,
            item: self.item,
            problem: self.problem,
            cut_off: None,
        }
    }
}

/// A copybook that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopybookError {
    /// The member named in a COPY statement; `None` for the text that was handed over.
    pub member: Option<String>,
    /// From 1.
    pub line: u32,
    /// From 1, tabs expanded to every eighth column.
    pub column: u32,
    /// The data item, FILLER for one without a name, where there is one.
    pub item: Option<String>,
    pub problem: Problem,
    /// Code before the error that was not read, which may be why.
    pub cut_off: Option<CutOff>,
}

/// A line of fixed format whose code goes on beyond column 72.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutOff {
    /// From 1.
    pub line: u32,
    pub has_tabs: bool,
}

impl std::error::Error for CopybookError {}

impl fmt::Display for CopybookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(member) = &self.member {
            write!(f, "member {member}, ")?;
        }
        write!(f, "line {}, column {}", self.line, self.column)?;
        if let Some(item) = &self.item {
            write!(f, ", item {item}")?;
        }
        write!(f, ": {}", self.problem)?;
        let Some(CutOff { line, has_tabs }) = self.cut_off else { return Ok(()) };
        let tabs = if has_tabs { ", because tabs go to every eighth column" } else { "" };
        write!(
            f,
            ". Line {line} has text beyond column 72{tabs}; fixed format does not read it. Choose the format variable or free, or \
             shorten the line"
        )
    }
}

/// What is wrong with a copybook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("there is no data description here")]
    Empty,
    #[error("the text is longer than {maximum} characters")]
    TooLong { maximum: usize },
    #[error("the literal is not closed")]
    OpenLiteral,
    #[error("a literal with a quotation mark in column 72 must continue with two quotation marks")]
    QuoteAtMargin,
    #[error("a continuation line has nothing to continue")]
    NothingToContinue,
    #[error("{directive}: conditional compilation is not supported: keep only the lines that apply")]
    ConditionalCompilation { directive: String },
    #[error("the pseudo-text is not closed by ==")]
    OpenPseudoText,
    #[error("expected {expected}, found '{found}'")]
    Unexpected { found: String, expected: &'static str },
    #[error("the text ends where {expected} is expected")]
    Ended { expected: &'static str },
    #[error("member {name} is not found")]
    MemberNotFound { name: String },
    #[error("members copy each other, or more than {maximum} deep")]
    CopyTooDeep { maximum: usize },
    #[error("COPY and REPLACE made more than {maximum} characters")]
    CopyTooLong { maximum: usize },
    #[error("constants have more than {maximum} characters")]
    ConstantsTooLong { maximum: usize },
    #[error("'{word}' is not supported: {why}")]
    Unsupported { word: String, why: &'static str },
    #[error("'{word}' is not a clause of a data description")]
    UnknownClause { word: String },
    #[error("the level number {level} is inside an entry: the period before it may be missing")]
    LevelInEntry { level: String },
    #[error("the clause {clause} is given twice")]
    Twice { clause: &'static str },
    #[error("level number {level} is not one of 01 to 49, 66, 77, 78 and 88")]
    Level { level: String },
    #[error("a level-{level} entry has no item it belongs to")]
    Orphan { level: u8 },
    #[error("an item with a PICTURE has items below it")]
    PictureOnGroup,
    #[error("neither a PICTURE nor items below it, and its USAGE needs one")]
    NoPicture,
    #[error("USAGE {usage} has no PICTURE")]
    PictureNotAllowed { usage: &'static str },
    #[error("PICTURE {picture} cannot be used with USAGE {usage}")]
    PictureAndUsage { picture: String, usage: &'static str },
    #[error("PICTURE {picture}: {why}")]
    Picture { picture: String, why: &'static str },
    #[error("{clause} cannot be used for this item: {why}")]
    Misplaced { clause: &'static str, why: &'static str },
    #[error("USAGE {inner} below a group of USAGE {outer}")]
    UsageConflict { outer: &'static str, inner: &'static str },
    #[error("OCCURS {minimum} TO {maximum} is not a valid range")]
    OccursRange { minimum: u32, maximum: u32 },
    #[error("REDEFINES {name}: there is no such item at this level before it")]
    RedefinesUnknown { name: String },
    #[error("REDEFINES {name}: {why}")]
    Redefines { name: String, why: &'static str },
    #[error("DEPENDING ON {name}: there is no such item before the table")]
    DependingUnknown { name: String },
    #[error("DEPENDING ON {name}: several items before the table have this name; qualify it with OF or IN")]
    DependingAmbiguous { name: String },
    #[error("DEPENDING ON {name}: {why}")]
    Depending { name: String, why: &'static str },
    #[error("RENAMES {name}: there is no such item in the record")]
    RenamesUnknown { name: String },
    #[error("VALUE {value} does not fit the item")]
    Value { value: String },
    #[error("VALUE {value} reaches into a table with DEPENDING ON")]
    ValueOfTable { value: String },
    #[error("the record is longer than {maximum} bytes")]
    RecordTooLong { maximum: u64 },
    #[error("there is no record {name}, expected one of {known}")]
    RecordUnknown { name: String, known: String },
    #[error("the record name {name} is used twice: a record must have a unique name to be selected")]
    RecordTwice { name: String },
    #[error("there are several records, {known}; choose one")]
    RecordAmbiguous { known: String },
}

/// Options that cannot be carried out on a layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("code page {ccsid} is not known")]
    UnknownCodepage { ccsid: u32 },
    #[error("item {item}: code page {ccsid} cannot hold zoned and edited numbers, which have one byte a digit")]
    WideDigits { item: String, ccsid: u32 },
    #[error("'{name}' names no alternative of a REDEFINES")]
    UnknownAlternative { name: String },
    #[error("'{name}' names several alternatives{}", advice(choices))]
    AmbiguousAlternative { name: String, choices: Vec<String> },
    #[error("'{first}' and '{second}' choose different alternatives of {item}")]
    ConflictingAlternatives { first: String, second: String, item: String },
    #[error("there is no item '{name}'")]
    UnknownItem { name: String },
    #[error("'{name}' names several items{}", advice(choices))]
    AmbiguousItem { name: String, choices: Vec<String> },
    #[error("item {item} cannot have the default '{value}'{}", problem.as_ref().map_or_else(String::new, |problem| format!(": {problem}")))]
    Default { item: String, value: String, problem: Option<DataProblem> },
    #[error("the alternatives cannot be chosen so: {problem}")]
    Choices { problem: String },
    /// A VALUE, which only some uses of a record need.
    #[error(transparent)]
    Copybook(#[from] CopybookError),
    #[error("item {item}: code page {ccsid} cannot hold the currency sign {sign} in one position")]
    CurrencySign { item: String, ccsid: u32, sign: char },
}

fn advice(choices: &[String]) -> String {
    match choices {
        [] => ", and no name distinguishes them".to_owned(),
        choices => format!("; choose one by {}", choices.join(" or ")),
    }
}

/// Data that cannot be converted: where, in the words of both sides, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataError {
    /// RFC 6901, "" for the whole document.
    pub pointer: String,
    /// Qualified from the record down, as in `ORDER.LINES.PRICE`; the record's own name where no item is known.
    pub item: String,
    /// Of the first byte of the item, from the start of the record.
    pub offset: usize,
    /// Where in the JSON text, for `encode`.
    pub json_offset: Option<usize>,
    pub problem: DataProblem,
}

impl std::error::Error for DataError {}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at '{}', item {}, offset {}: {}", self.pointer, self.item, self.offset, self.problem)?;
        match self.json_offset {
            Some(at) => write!(f, " (byte {at} of the JSON text)"),
            None => Ok(()),
        }
    }
}

/// Why data cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataProblem {
    #[error("the record ends after {length} bytes, inside or before this item")]
    RecordTooShort { length: usize },
    #[error("the record has {length} bytes, expected {expected}")]
    RecordTooLong { length: usize, expected: usize },
    #[error("X'{bytes}' is not a valid number of this kind")]
    NotANumber { bytes: String },
    #[error("the number is negative, the item has no sign")]
    Negative,
    #[error("the number of occurrences is negative")]
    NegativeCount,
    #[error("the number has more than {digits} digits before the decimal point")]
    TooLarge { digits: u32 },
    #[error("the number is outside {minimum} to {maximum}")]
    OutOfRange { minimum: String, maximum: String },
    #[error("the number has more than {scale} decimals")]
    TooPrecise { scale: u32 },
    #[error("the number is not a multiple of {unit}")]
    NotAMultiple { unit: String },
    #[error("the number is out of range for this float")]
    FloatRange,
    #[error("the float is not a number that JSON can represent")]
    NotFinite,
    #[error("{form} is malformed at byte {at} of the item")]
    Malformed { form: &'static str, at: usize },
    #[error("a character is not in the code page: U+{code:04X}")]
    NoSuchCharacter { code: u32 },
    #[error("the text takes {length} bytes, the item has {room}")]
    TextTooLong { length: usize, room: usize },
    #[error("the text has {length} characters, the item holds {most}")]
    TooManyCharacters { length: usize, most: usize },
    #[error("expected hexadecimal digits, two for each byte")]
    NotHexadecimal,
    #[error("X'{byte:02X}' is not a boolean, expected X'00' or X'01'")]
    NotABoolean { byte: u8 },
    #[error("X'{byte:02X}' is not an operation of a patch, expected U, D or a blank")]
    NotAPatchOperation { byte: u8 },
    #[error(
        "'{list}' does not list {count} elements as the counter says, expected numbers from 1, ranges such as 3-5, and + at the end \
         for a new element"
    )]
    NotAPatchList { list: String, count: u64 },
    #[error("the count is {count}, at least {minimum} occurrences are expected")]
    TooFewOccurrences { count: u64, minimum: u32 },
    #[error("a value is required, found null")]
    Null,
    #[error("it is not a date and time")]
    NotATime,
    #[error("expected {expected}, found {found}")]
    WrongType { expected: &'static str, found: &'static str },
    #[error("there are {count} occurrences, the table has at most {maximum}")]
    TooManyOccurrences { count: u64, maximum: u32 },
    #[error("the count {counter} is {stated}, the table has {count} occurrences")]
    CountMismatch { counter: String, stated: String, count: u64 },
    #[error("there is no item for the member '{name}'")]
    UnknownMember { name: String },
    #[error("the member '{name}' is given twice")]
    DuplicateMember { name: String },
    #[error("expected an object with the member '{name}' around the record")]
    WrapperMissing { name: String },
    #[error("the value {value} chooses no alternative of a REDEFINES")]
    NoAlternative { value: String },
    #[error("the JSON text is malformed: {what}")]
    Json { what: &'static str },
}
