//! Headers as JSON objects: the fields by their names. `outgoing/headers.rs` reads them back.
//!
//! A field that is as in a new header is left out. `format`, `ccsid` and `encoding` say what follows; `writtenIn` says how the
//! header itself is written, where that is not as the data.
//!
//! Invariant: what is shown is all that the header has, so that it can be written again byte for byte.

use model::descriptor::{Ccsid, MessageType, Report};
use model::header::fixed::{FixedHeader, Part};
use model::header::layout::{Field, Kind};
use model::header::rfh2::Rfh2;
use model::property;
use model::text::Text;
use model::timestamp::Timestamp;
use serde_json::{Map, Value, json};

use super::write_properties;
use crate::content::{Content, Header};
use crate::outgoing::write_folder;
use crate::time_text::{read_moment, write_moment};
use crate::words::{write_persistence_number, write_report, write_type};

/// How headers are written that do not say so: as the data, but not in UTF-16.
pub(crate) fn usual(data: Part) -> Part {
    let is_utf_16 = matches!(data.ccsid.0, 1200..=1202 | 13488 | 17584);
    Part { ccsid: if is_utf_16 { Ccsid::UTF_8 } else { data.ccsid }, ..data }
}

pub(super) fn write(content: &Content) -> Vec<Value> {
    let usual = usual(content.part());
    content.headers.iter().map(|header| write_header(header, usual)).collect()
}

fn write_header(header: &Header, usual: Part) -> Value {
    let (mut members, part, inherits) = match header {
        Header::Fixed(header) => (write_fixed(header), header.part(), header.layout().next_inherits()),
        Header::Folders(header, part) => (write_folders(header), *part, false),
    };
    if part != usual && !inherits {
        members.insert("writtenIn".to_owned(), json!({ "ccsid": part.ccsid, "encoding": part.encoding }));
    }
    Value::Object(members)
}

fn write_fixed(header: &FixedHeader) -> Map<String, Value> {
    let layout = header.layout();
    let mut members = Map::new();
    members.insert("structure".to_owned(), layout.structure.into());
    if layout.is_old() {
        members.insert("version".to_owned(), layout.version.into());
    }
    let put_at = put_at(header);
    for field in layout.fields.iter().filter(|field| !field.name.is_empty()) {
        let announces = field.name == "format" || layout.announces(field);
        let is_in_put_at = put_at.is_some() && matches!(field.name, "putDate" | "putTime");
        if is_in_put_at || (header.is_preset(field) && !announces) {
            continue;
        }
        insert(&mut members, field.name, write_field(header, field));
    }
    if let Some(at) = put_at {
        members.insert("putAt".to_owned(), at.into());
    }
    members
}

/// The members of `replyTo` and the like are one object.
fn insert(members: &mut Map<String, Value>, name: &str, value: Value) {
    match name.split_once('.') {
        Some((outer, inner)) => {
            let object = members.entry(outer).or_insert_with(|| Value::Object(Map::new()));
            object[inner] = value;
        }
        None => {
            members.insert(name.to_owned(), value);
        }
    }
}

fn write_field(header: &FixedHeader, field: &Field) -> Value {
    match field.kind {
        Kind::Integer(_) | Kind::Constant(_) => write_number(field.name, header.integer(field)),
        Kind::Text(..) | Kind::Mark(_) => match header.text(field) {
            Some(text) => text.into(),
            None => json!({ "hex": hex(header.bytes(field)) }),
        },
        Kind::Bytes(_) => hex(header.bytes(field)).into(),
    }
}

/// In words where a message says it in words.
fn write_number(name: &str, number: i32) -> Value {
    match name {
        "type" => write_type(MessageType(number)).into(),
        "persistence" => write_persistence_number(number),
        "report" => write_report(Report::from_bits_retain(number.cast_unsigned())).into(),
        _ => number.into(),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    model::hex::write(bytes, &mut vec![0; 2 * bytes.len()]).to_owned()
}

/// The moment of date and time, where it says both exactly.
fn put_at(header: &FixedHeader) -> Option<String> {
    let text = |name: &str| {
        let field = header.layout().fields.iter().find(|field| field.name == name)?;
        header.text(field)
    };
    let (date, time) = (text("putDate")?, text("putTime")?);
    let at = write_moment(Timestamp::of_put(&Text::new(&date), &Text::new(&time))?);
    let again = read_moment(&at)?;
    (again.put_date().to_text() == date && again.put_time().to_text() == time).then_some(at)
}

fn write_folders(header: &Rfh2) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("structure".to_owned(), "MQRFH2".into());
    if header.flags != 0 {
        members.insert("flags".to_owned(), header.flags.into());
    }
    if matches!(header.ccsid, Ccsid::INHERIT | Ccsid::Q_MGR) {
        members.insert("ccsid".to_owned(), header.ccsid.0.into());
    }
    let (mut folders, mut says_all) = (Map::new(), true);
    for folder in &header.folders {
        let Ok((name, properties)) = property::read_folder(folder) else {
            says_all = false;
            continue;
        };
        let shown = Value::Object(write_properties(&properties));
        says_all &= write_folder(&name, &shown).as_ref() == Some(folder);
        says_all &= folders.insert(name, shown).is_none();
    }
    members.insert("folders".to_owned(), folders.into());
    if !says_all {
        members.insert("texts".to_owned(), header.folders.clone().into());
    }
    members
}
