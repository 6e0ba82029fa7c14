//! What a caller chooses: how text is read, how items are placed, how bytes are understood.

use codepage::{ByteOrder, CharacterSet};

/// Reference format of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Fixed, unless lines begin in columns where fixed format has none of its code.
    #[default]
    Detect,
    /// Sequence numbers in columns 1 to 6, indicator in 7, code in 8 to 72.
    Fixed,
    /// As fixed, code up to the end of the line.
    Variable,
    /// Code anywhere.
    Free,
}

/// Gives the text of a member by its name and library, upper case unless quoted; `None` where there is none.
pub type Resolver<'a> = dyn Fn(&str, Option<&str>) -> Option<String> + 'a;

/// How a copybook is read.
#[derive(Clone, Copy)]
pub struct ParseOptions<'a> {
    pub format: Format,
    /// Answers COPY statements; without one, each COPY is an error.
    pub resolver: Option<&'a Resolver<'a>>,
    /// The program says DECIMAL-POINT IS COMMA.
    pub decimal_comma: bool,
    /// The CURRENCY SIGN of the program.
    pub currency: char,
}

impl Default for ParseOptions<'_> {
    fn default() -> Self {
        Self { format: Format::Detect, resolver: None, decimal_comma: false, currency: '$' }
    }
}

/// Whether COBOL allows a character as CURRENCY SIGN: it means nothing else in a picture, and ends none.
///
/// Source: Enterprise COBOL language reference, "CURRENCY SIGN clause".
pub fn is_currency_sign(character: char) -> bool {
    const OTHERS: &str = "ABCDEGNPRSUVXZ0123456789 +-*/,.;()\"='";
    !character.is_control() && !OTHERS.contains(character.to_ascii_uppercase())
}

/// Where the compiler puts slack bytes for SYNCHRONIZED, and how far it aligns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Slack {
    /// Each item on a multiple of its own length, slack directly before the item. What GnuCOBOL does, but for the padding of
    /// a table's elements, which stands at their end here as well.
    #[default]
    Natural,
    /// Binary items of eight bytes and pointers on fullwords, COMP-2 on doublewords; slack before an item that begins a
    /// group stands before the group. What Enterprise COBOL documents.
    Enterprise,
}

/// How items are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutOptions {
    pub slack: Slack,
    /// 4 or 8: POINTER, FUNCTION-POINTER and PROCEDURE-POINTER (which has 8 in any case under `Slack::Enterprise`).
    pub pointer_bytes: u8,
    /// Binary items of one and two digits take one byte instead of two.
    pub byte_binary: bool,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        Self { slack: Slack::Natural, pointer_bytes: 4, byte_binary: false }
    }
}

/// Floating-point form of COMP-1 and COMP-2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatForm {
    /// IBM hexadecimal: sign, seven-bit exponent of 16 in excess 64, 24 or 56 bits of fraction.
    Hexadecimal,
    /// IEEE 754 binary32 and binary64.
    Ieee,
}

/// How the sign of a zoned number is overpunched where the code page is built on ASCII. Both are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AsciiSign {
    /// Zone 3 positive, zone 7 negative: `0`-`9` and `p`-`y`.
    #[default]
    Zone,
    /// The characters that EBCDIC shows: `{`, `A`-`I` positive, `}`, `J`-`R` negative.
    Letters,
}

/// What DISPLAY-1 (and PIC G) holds.
#[derive(Clone, Copy, Default)]
pub enum Graphic {
    /// Shown as hexadecimal digits, four a character: the double-byte code pages of EBCDIC are not known here.
    #[default]
    Hexadecimal,
    /// Text in a set of two-byte units.
    Text(CharacterSet),
}

/// How JSON names are made from COBOL names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameStyle {
    /// As written in the copybook.
    #[default]
    Cobol,
    /// Hyphens as underscores, segments all in upper case lower-cased: what DFHLS2JS makes.
    Assistant,
    /// Hyphens as underscores, case kept: what the API toolkit makes.
    Underscore,
}

/// Which of the items that share bytes JSON has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Redefines {
    /// One alternative of each area.
    #[default]
    One,
    /// All alternatives, and level-66 items: those whose bytes hold no value are left out, and of those that are given each is
    /// written over the ones before it.
    All,
}

/// What JSON has of an item otherwise than its description says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjustment {
    /// The item's name, or the end of its path.
    pub item: String,
    pub change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The name of its member.
    Rename(String),
    /// It has no member; its bytes are its initial ones.
    Omit,
    /// Its initial value, a text or a number, in place of VALUE.
    Default(String),
}

/// A field whose value chooses the alternative of a REDEFINES that a record has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    /// An item at a fixed place, by its name or the end of its path.
    pub field: String,
    /// Values of the field with the alternative of each, named as in `ConvertOptions::alternatives`; `*` is every other value.
    pub alternatives: Vec<(String, String)>,
}

/// How record bytes and JSON correspond.
#[derive(Clone)]
pub struct ConvertOptions {
    /// Of DISPLAY items.
    pub ccsid: u32,
    /// Of COMP-5, COMP-N, INDEX, pointers, floats, and NATIONAL.
    pub byte_order: ByteOrder,
    /// Of COMP, COMP-4 and BINARY; `None` is as `byte_order`. Some compilers keep these big-endian everywhere.
    pub binary_order: Option<ByteOrder>,
    pub float: FloatForm,
    pub ascii_sign: AsciiSign,
    pub graphic: Graphic,
    pub names: NameStyle,
    /// Alternatives taken in place of the item they redefine: the name of one, or of any item inside, or its path from the
    /// record down or from a group. All alternatives around an item are taken with it.
    pub alternatives: Vec<String>,
    pub redefines: Redefines,
    /// Beside `alternatives`; each record has one of these.
    pub choices: Option<Choices>,
    pub adjustments: Vec<Adjustment>,
    /// The object of an OCCURS DEPENDING ON is a member of its own in JSON; it is always set from the array.
    pub show_counters: bool,
    /// COMP, COMP-4 and BINARY hold what their bytes hold, as COMP-5 does, not what their PICTURE says.
    pub full_binary: bool,
    /// A character that the code page has not is an error; else it becomes SUB, and a byte without one U+FFFD.
    pub strict_characters: bool,
    /// VALUE is passed over: without a member an item is blanks or zeros. Decoding needs no VALUE, and so can do without one
    /// that is wrong.
    pub ignore_values: bool,
    /// Members of JSON that no item has are passed over.
    pub ignore_unknown: bool,
    /// Bytes behind the record are passed over.
    pub ignore_excess: bool,
    /// A record may end before all its items: those not wholly there are left out.
    pub allow_short: bool,
    /// Members of JSON that would be `""`, `{}` or `[]` are left out.
    pub omit_empty: bool,
    /// Elementary items that hold nothing but this byte are left out of JSON.
    pub omit_filled_with: Option<u8>,
    /// Every byte comes back when what was decoded is encoded: FILLER and bytes between items are members too, and an item whose
    /// value would be written in other bytes is a text `0x...` of its bytes.
    pub exact: bool,
}

impl ConvertOptions {
    /// What records of z/OS have: big-endian, hexadecimal floats, text in the code page.
    pub fn of_ccsid(ccsid: u32) -> Self {
        Self {
            ccsid,
            byte_order: ByteOrder::Big,
            binary_order: None,
            float: FloatForm::Hexadecimal,
            ascii_sign: AsciiSign::Zone,
            graphic: Graphic::Hexadecimal,
            names: NameStyle::Cobol,
            alternatives: Vec::new(),
            redefines: Redefines::One,
            choices: None,
            adjustments: Vec::new(),
            show_counters: true,
            full_binary: false,
            strict_characters: false,
            ignore_values: false,
            ignore_unknown: false,
            ignore_excess: false,
            allow_short: false,
            omit_empty: false,
            omit_filled_with: None,
            exact: false,
        }
    }
}
