//! The single-byte code pages as the machine's `iconv` (glibc) knows them.
//!
//! Choices that `iconv` does not make:
//! - glibc took some old pages from RFC 1345, which errs (278 has É and \\ exchanged, 871 Þ and þ; 285, 870 and
//!   1026 have other characters in one to three places). Their euro successors are right, and differ by design only in
//!   having € for the currency sign ¤; so those pages are the successor with ¤ put back.
//! - CCSID 924 is unknown to glibc. It is 1047 with the eight characters in which ISO 8859-15 differs from 8859-1
//!   replaced, as 923 is to 819; so the table is 1047 -> ISO 8859-1 byte -> ISO 8859-15.
//! - A byte that a Windows page (125x) leaves open between 0x80 and 0x9F stands for the C1 control of its number, as
//!   IBM's own tables have it. Any other byte without a character is `0xFFFD` here.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// CCSID and the name `iconv` has for it; a leading `¤` says: with the currency sign where that page has the euro.
pub(crate) const SOURCES: [(u32, &str); 58] = [
    (37, "IBM037"),
    (273, "IBM273"),
    (277, "IBM277"),
    (278, "¤IBM1143"),
    (280, "IBM280"),
    (284, "IBM284"),
    (285, "¤IBM1146"),
    (297, "IBM297"),
    (367, "ANSI_X3.4-1968"),
    (437, "IBM437"),
    (500, "IBM500"),
    (819, "ISO-8859-1"),
    (850, "IBM850"),
    (852, "IBM852"),
    (855, "IBM855"),
    (857, "IBM857"),
    (858, "CP858"),
    (866, "IBM866"),
    (870, "¤IBM1153"),
    (871, "¤IBM1149"),
    (912, "ISO-8859-2"),
    (915, "ISO-8859-5"),
    (920, "ISO-8859-9"),
    (923, "ISO-8859-15"),
    (924, LATIN_9_OF_1047),
    (1025, "IBM1025"),
    (1026, "¤IBM1155"),
    (1047, "IBM1047"),
    (1112, "IBM1112"),
    (1122, "IBM1122"),
    (1123, "IBM1123"),
    (1140, "IBM1140"),
    (1141, "IBM1141"),
    (1142, "IBM1142"),
    (1143, "IBM1143"),
    (1144, "IBM1144"),
    (1145, "IBM1145"),
    (1146, "IBM1146"),
    (1147, "IBM1147"),
    (1148, "IBM1148"),
    (1149, "IBM1149"),
    (1153, "IBM1153"),
    (1154, "IBM1154"),
    (1155, "IBM1155"),
    (1156, "IBM1156"),
    (1157, "IBM1157"),
    (1158, "IBM1158"),
    (1250, "CP1250"),
    (1251, "CP1251"),
    (1252, "CP1252"),
    (1253, "CP1253"),
    (1254, "CP1254"),
    (1256, "CP1256"),
    (1257, "CP1257"),
    (5346, "CP1250"),
    (5347, "CP1251"),
    (5348, "CP1252"),
    (5349, "CP1253"),
];

/// Not a name of `iconv`: see the module's comment.
const LATIN_9_OF_1047: &str = "IBM1047 as ISO 8859-15";

/// What a byte without a character is in a table.
const UNDEFINED: u16 = 0xFFFD;

/// The UTF-16 unit of each byte; `None` when `iconv` does not know the name.
pub(crate) fn table(name: &str) -> Option<[u16; 256]> {
    if name == LATIN_9_OF_1047 {
        let latin_9 = table("ISO-8859-15")?;
        return Some(table("IBM1047")?.map(|unit| latin_9[usize::from(unit)]));
    }
    if let Some(successor) = name.strip_prefix('¤') {
        return Some(table(successor)?.map(|unit| if unit == 0x20AC { 0x00A4 } else { unit }));
    }
    let all: Vec<u8> = (0..=255).collect();
    let mut table = [UNDEFINED; 256];
    if let Some(units) = iconv(name, &all)
        && units.len() == 256
    {
        table.copy_from_slice(&units);
        return Some(table);
    }
    iconv(name, b"")?;
    for (byte, unit) in (0..=255u8).zip(&mut table) {
        match iconv(name, &[byte]).as_deref() {
            Some(&[one]) => *unit = one,
            _ if name.starts_with("CP125") && (0x80..0xA0).contains(&byte) => *unit = u16::from(byte),
            _ => {}
        }
    }
    Some(table)
}

/// `None` when `iconv` fails: an unknown name, or a byte without a character.
fn iconv(name: &str, bytes: &[u8]) -> Option<Vec<u16>> {
    let mut child = Command::new("iconv")
        .args(["-f", name, "-t", "UTF-16BE"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(bytes).ok()?;
    let output = child.wait_with_output().ok()?;
    let units = output.stdout.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    output.status.success().then(|| units.collect())
}
