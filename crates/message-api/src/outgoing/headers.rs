//! Headers of an envelope, written before the data: `incoming/headers.rs` shows them.
//!
//! They are written from the last to the first, because each one says what follows: its format, its CCSID and its encoding. An
//! MQRFH2 with the message's properties stands behind headers of queue managers (MQDLH, MQXQH, MQMDE) and before all others.

use model::descriptor::{Ccsid, Encoding, Format, Report};
use model::header::fixed::{FixedHeader, Part, layouts_of};
use model::header::layout::{Field, Kind, Layout};
use model::header::rfh2::Rfh2;
use model::property;
use model::text::Text;
use serde_json::{Map, Value};

use super::Outgoing;
use super::origin::bytes_of_hex;
use crate::content::MOST_HEADERS;
use crate::error::NotAMessage;
use crate::incoming::usual;
use crate::time_text::read_moment;
use crate::words::{read_persistence_number, read_report, read_type};

pub(super) type Members = Map<String, Value>;

/// What comes behind a header.
struct Next {
    format: Format,
    part: Part,
}

/// Puts headers before the data.
///
/// # Errors
/// A structure that is not known, a member that it has not, or a value that its field cannot hold.
pub(super) fn put_before(outgoing: &mut Outgoing, headers: &[Members]) -> Result<(), NotAMessage> {
    if headers.len() > MOST_HEADERS {
        let problem = format!("are {}, at most {MOST_HEADERS} are possible", headers.len());
        return Err(NotAMessage::Headers(problem));
    }
    let descriptor = &outgoing.descriptor;
    let data = Part { encoding: descriptor.encoding, ccsid: descriptor.ccsid };
    let mut next = Next { format: descriptor.format, part: data };
    let of_queue_managers = headers.iter().take_while(|header| is_of_queue_manager(header)).count();
    let mut pieces = Vec::with_capacity(headers.len() + 1);
    for (index, header) in headers.iter().enumerate().rev() {
        if index + 1 == of_queue_managers {
            pieces.extend(properties(outgoing, &mut next));
        }
        let written = write(header, usual(data), &mut next);
        pieces.push(written.map_err(|problem| NotAMessage::Header { index, problem })?);
    }
    if of_queue_managers == 0 {
        pieces.extend(properties(outgoing, &mut next));
    }
    let length = pieces.iter().map(Vec::len).sum::<usize>() + outgoing.data.len();
    let mut whole = Vec::with_capacity(length);
    pieces.iter().rev().for_each(|piece| whole.extend_from_slice(piece));
    whole.extend_from_slice(&outgoing.data);
    outgoing.data = whole.into();
    outgoing.properties.clear();
    outgoing.content_type = None;
    let descriptor = &mut outgoing.descriptor;
    (descriptor.format, descriptor.encoding, descriptor.ccsid) = (next.format, next.part.encoding, next.part.ccsid);
    Ok(())
}

fn is_of_queue_manager(header: &Members) -> bool {
    matches!(header.get("structure").and_then(Value::as_str), Some("MQDLH" | "MQXQH" | "MQMDE"))
}

/// The MQRFH2 of properties, where there are any.
fn properties(outgoing: &Outgoing, next: &mut Next) -> Option<Vec<u8>> {
    let folders = outgoing.folders()?;
    let Part { encoding, ccsid } = next.part;
    let header = Rfh2 { encoding, ccsid, format: next.format, flags: 0, folders };
    let mut out = Vec::with_capacity(256);
    header.encode(Encoding::BIG_ENDIAN, &mut out);
    *next = Next { format: Format::RF_HEADER_2, part: Part { encoding: Encoding::BIG_ENDIAN, ccsid: Ccsid::UTF_8 } };
    Some(out)
}

/// The bytes of one header. What comes next is the header itself afterwards.
fn write(members: &Members, usual: Part, next: &mut Next) -> Result<Vec<u8>, String> {
    let structure = members.get("structure").and_then(Value::as_str).unwrap_or_default();
    let stated = match members.get("writtenIn") {
        Some(stated) => Some(read_part(stated)?),
        None => None,
    };
    if structure == "MQRFH2" {
        let part = stated.unwrap_or(usual);
        let bytes = write_folders(members, part, next)?;
        *next = Next { format: Format::RF_HEADER_2, part };
        return Ok(bytes);
    }
    let format = FORMATS.iter().find(|(known, _)| *known == structure).map(|(_, format)| *format);
    let format = format.ok_or_else(|| {
        format!("has the structure '{structure}'; expected MQDLH, MQXQH, MQMDE, MQRFH2, MQIIH or MQCIH")
    })?;
    let layout = layout_of(format, members.get("version"))?;
    if layout.next_inherits() && stated.is_some() {
        return Err(format!("has writtenIn, and {structure} is written as what follows: leave it out"));
    }
    let part = if layout.next_inherits() { next.part } else { stated.unwrap_or(usual) };
    let mut header = FixedHeader::new(layout, part);
    for (name, value) in members {
        set(&mut header, name, value)?;
    }
    let inherited = check_next(members, part, next, layout.next_inherits())?;
    header.announce(next.format, next.part, inherited);
    *next = Next { format, part };
    Ok(header.as_bytes().to_vec())
}

const FORMATS: [(&str, Format); 5] = [
    ("MQDLH", Format::DEAD_LETTER_HEADER),
    ("MQXQH", Format::XMIT_QUEUE_HEADER),
    ("MQMDE", Format::MD_EXTENSION),
    ("MQIIH", Format::IMS),
    ("MQCIH", Format::CICS),
];

fn layout_of(format: Format, version: Option<&Value>) -> Result<&'static Layout, String> {
    let layouts = layouts_of(format);
    let newest = layouts.first().expect("each of these formats has a layout");
    let Some(version) = version else { return Ok(newest) };
    let found = layouts.iter().find(|layout| version.as_i64() == Some(layout.version.into()));
    found.copied().ok_or_else(|| format!("has the version {version}, which is not known"))
}

fn read_part(stated: &Value) -> Result<Part, String> {
    let number = |name: &str| stated.get(name).and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok());
    match (number("ccsid"), number("encoding")) {
        (Some(ccsid), Some(encoding)) => Ok(Part { ccsid: Ccsid(ccsid), encoding: Encoding(encoding) }),
        _ => Err("has a writtenIn without the numbers ccsid and encoding".to_owned()),
    }
}

/// Format, CCSID and encoding follow from what comes next. Where they are stated they must agree, or say that the CCSID is
/// inherited: then the number that says so.
fn check_next(members: &Members, own: Part, next: &Next, inherits: bool) -> Result<Option<Ccsid>, String> {
    let differs = |name: &str, stated: &Value, is: &dyn std::fmt::Display| {
        format!("has the {name} {stated}, and what follows has {is}: leave {name} out, or change it")
    };
    if let Some(stated) = members.get("format").and_then(Value::as_str)
        && stated != next.format.0.to_text()
    {
        return Err(differs("format", &stated.into(), &format!("'{}'", next.format.0)));
    }
    if inherits {
        return Ok(None);
    }
    if let Some(stated) = members.get("encoding")
        && stated.as_i64() != Some(next.part.encoding.0.into())
    {
        return Err(differs("encoding", stated, &next.part.encoding.0));
    }
    match members.get("ccsid") {
        Some(stated) if stated.as_i64() == Some(next.part.ccsid.0.into()) => Ok(None),
        Some(stated) if own.ccsid == next.part.ccsid => match stated.as_i64() {
            Some(0) => Ok(Some(Ccsid::Q_MGR)),
            Some(-2) => Ok(Some(Ccsid::INHERIT)),
            _ => Err(differs("ccsid", stated, &next.part.ccsid.0)),
        },
        Some(stated) => Err(differs("ccsid", stated, &next.part.ccsid.0)),
        None => Ok(None),
    }
}

/// Sets the field, or the fields, of a member.
fn set(header: &mut FixedHeader, name: &str, value: &Value) -> Result<(), String> {
    let layout = header.layout();
    if matches!(name, "structure" | "version" | "writtenIn" | "format") {
        return Ok(());
    }
    if name == "putAt" && layout.fields.iter().any(|field| field.name == "putDate") {
        return set_put_at(header, value);
    }
    if let Some(field) = layout.fields.iter().find(|field| field.name == name) {
        return if layout.announces(field) { Ok(()) } else { set_field(header, field, value) };
    }
    let unknown = || format!("has the member '{name}', which {} has not", layout.structure);
    let Value::Object(inner) = value else { return Err(unknown()) };
    for (inner, value) in inner {
        let is_meant = |field: &&Field| field.name.split_once('.') == Some((name, inner));
        let field = layout.fields.iter().find(is_meant).ok_or_else(unknown)?;
        set_field(header, field, value)?;
    }
    Ok(())
}

fn set_field(header: &mut FixedHeader, field: &Field, value: &Value) -> Result<(), String> {
    let wrong = |expected: &str| {
        let value: String = value.to_string().chars().take(80).collect();
        format!("has '{}' as {value}; expected {expected}", field.name)
    };
    match field.kind {
        Kind::Integer(_) | Kind::Constant(_) => {
            let number =
                read_number(field.name, value).ok_or_else(|| wrong("a whole number of 32 bits, or its word"))?;
            header.set_integer(field, number);
        }
        Kind::Text(width, _) => {
            let fits = match value {
                Value::String(text) => header.set_text(field, text),
                other => hex_of(other).is_some_and(|bytes| header.set_bytes(field, &bytes)),
            };
            if !fits {
                let ccsid = header.part().ccsid.0;
                return Err(wrong(&format!(
                    "at most {width} bytes of text in CCSID {ccsid}, or {{\"hex\": all of them}}"
                )));
            }
        }
        Kind::Bytes(width) => {
            let bytes = value.as_str().and_then(bytes_of_hex);
            if !bytes.is_some_and(|bytes| header.set_bytes(field, &bytes)) {
                return Err(wrong(&format!("{} hexadecimal digits", 2 * width)));
            }
        }
        Kind::Mark(_) => {}
    }
    Ok(())
}

fn hex_of(value: &Value) -> Option<Vec<u8>> {
    bytes_of_hex(value.get("hex")?.as_str()?)
}

fn read_number(name: &str, value: &Value) -> Option<i32> {
    match (name, value) {
        ("report", Value::Array(words)) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            read_report(words?).map(|report: Report| report.bits().cast_signed())
        }
        ("type", Value::String(word)) => read_type(word).map(|message_type| message_type.0),
        ("persistence", Value::String(word)) => read_persistence_number(word),
        _ => i32::try_from(value.as_i64()?).ok(),
    }
}

fn set_put_at(header: &mut FixedHeader, value: &Value) -> Result<(), String> {
    let at = value.as_str().and_then(read_moment);
    let at = at.ok_or_else(|| format!("has putAt as {value}; expected a moment such as 2026-11-23T04:00:00Z"))?;
    let texts = [("putDate", at.put_date()), ("putTime", at.put_time())];
    for (name, text) in texts {
        let field = header.layout().fields.iter().find(|field| field.name == name);
        field.map(|field| header.set_text(field, &Text::to_text(&text)));
    }
    Ok(())
}

fn write_folders(members: &Members, part: Part, next: &Next) -> Result<Vec<u8>, String> {
    const KNOWN: [&str; 8] = ["structure", "writtenIn", "flags", "ccsid", "encoding", "format", "folders", "texts"];
    if let Some(unknown) = members.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        return Err(format!("has the member '{unknown}', which MQRFH2 has not"));
    }
    let flags = match members.get("flags") {
        None => 0,
        Some(flags) => read_number("flags", flags).ok_or_else(|| format!("has flags as {flags}; expected a number"))?,
    };
    let folders = match (members.get("texts"), members.get("folders")) {
        (Some(Value::Array(texts)), _) => {
            let texts: Option<Vec<String>> = texts.iter().map(|text| text.as_str().map(str::to_owned)).collect();
            texts.ok_or("has texts that are no texts")?
        }
        (None, Some(Value::Object(folders))) => {
            let texts = folders.iter().map(|(name, members)| write_folder(name, members));
            texts.collect::<Option<_>>().ok_or("has a folder with a name or a value that no folder has")?
        }
        _ => return Err("has neither an object 'folders' nor a list 'texts'".to_owned()),
    };
    let inherited = check_next(members, part, next, false)?;
    let (format, encoding, ccsid) = (next.format, next.part.encoding, inherited.unwrap_or(next.part.ccsid));
    let mut out = Vec::new();
    Rfh2 { encoding, ccsid, format, flags, folders }.encode_in(part, &mut out);
    Ok(out)
}

/// The text of a folder. `None` where reading it would not give these members.
pub(crate) fn write_folder(name: &str, members: &Value) -> Option<String> {
    let properties = read_any_properties(members.as_object()?)?;
    let text = property::write_folder(name, properties.iter().map(|property| (&*property.name, &property.value)));
    let (again, read) = property::read_folder(&text).ok()?;
    (again == name && read == properties).then_some(text)
}

/// Names are those of the folder's owner: reserved ones too.
fn read_any_properties(members: &Members) -> Option<Vec<property::Property>> {
    members
        .iter()
        .map(|(name, value)| Some(property::Property { name: name.clone(), value: super::read_value(value)? }))
        .collect()
}
