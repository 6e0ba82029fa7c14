//! Message handles (MQHMSG): the properties of a message, in the memory of the client.
//!
//! On the channel they travel as an MQRFH2 in front of the body: `with_properties` puts it there, `apart` takes it off.
//!
//! Source: MQ reference, "MQCRTMH" to "MQMHBUF", "MQRFH2", 9.4.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use channel_protocol::structure::descriptor_image::DescriptorImage;
use model::descriptor::{Ccsid, Encoding, Format};
use model::header::rfh2::Rfh2;
use model::property::{PropertyValue, read_folder, write_folder};
use model::reason::Reason;
use model::text::Text;
use parking_lot::Mutex;

use crate::constant::{
    MQACTP_FORWARD, MQACTP_REPLY, MQACTP_REPORT, MQCMHO_NO_VALIDATION, MQCOPY_ALL, MQCOPY_FORWARD, MQCOPY_REPLY,
    MQCOPY_REPORT, MQHC_UNASSOCIATED_HCONN, MQIMPO_INQ_NEXT, MQIMPO_INQ_PROP_UNDER_CURSOR, MQSMPO_APPEND_PROPERTY,
    MQSMPO_SET_PROP_AFTER_CURSOR, MQSMPO_SET_PROP_BEFORE_CURSOR, MQSMPO_SET_PROP_UNDER_CURSOR,
};
use crate::handles;
use crate::per_process::PerProcess;
use crate::property::{Description, Property};
use crate::{Ended, failed};

/// MQFMT_RF_HEADER_2.
pub const RFH2: [u8; 8] = *Format::RF_HEADER_2.0.as_bytes();

static MESSAGES: PerProcess<Mutex<HashMap<i64, Arc<Mutex<Message>>>>> = PerProcess::new();
static NEXT_NUMBER: AtomicI64 = AtomicI64::new(1);

/// What a handle holds.
#[derive(Debug, Default)]
pub struct Message {
    checks_names: bool,
    properties: Vec<Property>,
    /// The property that was inquired, deleted or set last.
    cursor: Option<usize>,
}

/// MQCRTMH.
///
/// # Errors
/// 2018, 2046.
pub fn create(hconn: i32, options: i32) -> Result<i64, Ended> {
    if hconn != MQHC_UNASSOCIATED_HCONN {
        handles::find(hconn)?;
    }
    if !(0..=2).contains(&options) {
        return Err(failed(Reason::OptionsError));
    }
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    let message = Message { checks_names: options != MQCMHO_NO_VALIDATION, ..Message::default() };
    MESSAGES.get().lock().insert(number, Arc::new(Mutex::new(message)));
    Ok(number)
}

/// MQDLTMH.
///
/// # Errors
/// 2460.
pub fn delete(number: i64) -> Result<Ended, Ended> {
    let removed = MESSAGES.get().lock().remove(&number);
    removed.map(|_| Ended::WELL).ok_or(failed(Reason::HmsgError))
}

/// Works on the message of a handle.
///
/// # Errors
/// 2460, and what `work` says.
pub fn with<R>(number: i64, work: impl FnOnce(&mut Message) -> Result<R, Reason>) -> Result<R, Ended> {
    let message = MESSAGES.get().lock().get(&number).cloned().ok_or(failed(Reason::HmsgError))?;
    let mut message = message.lock();
    work(&mut message).map_err(failed)
}

impl Message {
    /// MQSETMP.
    ///
    /// # Errors
    /// 2442, 2513 the name; 2471 there is no property under the cursor.
    pub fn set(
        &mut self,
        options: i32,
        name: &str,
        value: PropertyValue,
        description: Description,
    ) -> Result<(), Reason> {
        let property = Property::new(name, value, description, self.checks_names)?;
        let cursor = self.cursor.filter(|&at| at < self.properties.len()).ok_or(Reason::PropertyNotAvailable);
        let at = match options {
            MQSMPO_SET_PROP_UNDER_CURSOR => {
                let at = cursor?;
                self.properties[at] = property;
                at
            }
            MQSMPO_SET_PROP_AFTER_CURSOR => self.insert(cursor? + 1, property),
            MQSMPO_SET_PROP_BEFORE_CURSOR => self.insert(cursor?, property),
            MQSMPO_APPEND_PROPERTY => self.insert(self.properties.len(), property),
            _ => match self.position(name) {
                Some(at) => {
                    self.properties[at] = property;
                    at
                }
                None => self.insert(self.properties.len(), property),
            },
        };
        self.cursor = Some(at);
        Ok(())
    }

    fn insert(&mut self, at: usize, property: Property) -> usize {
        self.properties.insert(at, property);
        at
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|property| property.is_meant_by(name))
    }

    /// MQINQMP: the property that `options` choose among those that the name or pattern means.
    ///
    /// # Errors
    /// 2471 there is none.
    pub fn inquire(&mut self, options: i32, name: &str) -> Result<&Property, Reason> {
        let start = if options & MQIMPO_INQ_PROP_UNDER_CURSOR != 0 {
            let at = self.cursor.filter(|&at| at < self.properties.len()).ok_or(Reason::PropertyNotAvailable)?;
            return Ok(&self.properties[at]);
        } else if options & MQIMPO_INQ_NEXT != 0 {
            self.cursor.map_or(0, |at| at + 1)
        } else {
            0
        };
        let found = self.properties.iter().skip(start).position(|property| property.is_meant_by(name));
        let at = found.ok_or(Reason::PropertyNotAvailable)? + start;
        self.cursor = Some(at);
        Ok(&self.properties[at])
    }

    /// MQDLTMP.
    ///
    /// # Errors
    /// 2471 there is none.
    pub fn remove(&mut self, under_cursor: bool, name: &str) -> Result<(), Reason> {
        let at = if under_cursor { self.cursor } else { self.position(name) };
        let at = at.filter(|&at| at < self.properties.len()).ok_or(Reason::PropertyNotAvailable)?;
        self.properties.remove(at);
        // The next inquiry goes on behind what was removed.
        self.cursor = at.checked_sub(1);
        Ok(())
    }

    /// Takes over all that a got message carries.
    pub(crate) fn replace(&mut self, properties: Vec<Property>) {
        self.properties = properties;
        self.cursor = None;
    }

    /// MQMHBUF: the header with the properties that the pattern means; `None` when there are none.
    pub fn header(&mut self, pattern: &str, removes: bool, md: &DescriptorImage) -> Option<Vec<u8>> {
        let meant: Vec<Property> = self.properties.iter().filter(|known| known.is_meant_by(pattern)).cloned().collect();
        if removes {
            self.properties.retain(|known| !known.is_meant_by(pattern));
            self.cursor = None;
        }
        header(&meant, md)
    }

    /// MQBUFMH: takes the properties of a header in front of a body; how long the header is.
    ///
    /// # Errors
    /// 2334 there is no such header.
    pub fn take_from(&mut self, md: &DescriptorImage, buffer: &[u8]) -> Result<usize, Reason> {
        let apart = apart(md, buffer).ok_or(Reason::RfhError)?;
        for property in apart.properties {
            self.properties.retain(|known| !known.is_same(&property));
            self.properties.push(property);
        }
        self.cursor = None;
        Ok(apart.length)
    }
}

/// The properties that go with a message that is put by MQPMO's handles.
///
/// # Errors
/// 2460.
pub(crate) fn of_put(original: i64, new: i64, action: i32) -> Result<Vec<Property>, Ended> {
    let of = |number: i64| match number {
        0 => Ok(Vec::new()),
        number => with(number, |message| Ok(message.properties.clone())),
    };
    let copied = match action {
        MQACTP_FORWARD => MQCOPY_FORWARD,
        MQACTP_REPLY => MQCOPY_REPLY,
        MQACTP_REPORT => MQCOPY_REPORT,
        _ => return if new != 0 { of(new) } else { of(original) },
    };
    let mut properties = of(original)?;
    properties.retain(|property| property.description.copy_options & (copied | MQCOPY_ALL) != 0);
    for property in of(new)? {
        properties.retain(|known| !known.is_same(&property));
        properties.push(property);
    }
    Ok(properties)
}

/// The descriptor and the body with the properties in front; `None` when there are none.
pub(crate) fn with_properties(
    properties: &[Property],
    md: &DescriptorImage,
    body: &[u8],
) -> Option<(DescriptorImage, Vec<u8>)> {
    let mut whole = header(properties, md)?;
    whole.extend_from_slice(body);
    let mut md = md.clone();
    md.set_format(RFH2);
    Some((md, whole))
}

fn header(properties: &[Property], md: &DescriptorImage) -> Option<Vec<u8>> {
    if properties.is_empty() {
        return None;
    }
    let mut folders: Vec<&str> = Vec::new();
    for property in properties {
        if !folders.contains(&property.folder.as_str()) {
            folders.push(&property.folder);
        }
    }
    // Where it is, the folder that says what the body is comes first.
    folders.sort_by_key(|folder| match *folder {
        "mcd" => 0,
        "jms" => 1,
        _ => 2,
    });
    let texts = folders.iter().map(|folder| {
        let of = properties.iter().filter(|property| property.folder == *folder);
        write_folder(folder, of.map(|property| (property.name.as_str(), &property.value)))
    });
    let rfh2 = Rfh2 {
        encoding: Encoding(md.encoding()),
        ccsid: Ccsid::INHERIT,
        format: Format(Text::from_bytes(md.format())),
        flags: 0,
        folders: texts.collect(),
    };
    let mut bytes = Vec::new();
    rfh2.encode(Encoding(md.encoding()), &mut bytes);
    Some(bytes)
}

/// The descriptor of what follows the header that the data begin with.
pub fn behind_header(md: &DescriptorImage, data: &[u8]) -> DescriptorImage {
    apart(md, data).map_or_else(|| md.clone(), |apart| apart.md)
}

/// A message without its properties.
pub(crate) struct Apart {
    pub(crate) properties: Vec<Property>,
    /// Of the header.
    pub(crate) length: usize,
    pub(crate) md: DescriptorImage,
}

/// Takes an MQRFH2 off; `None` when there is none at the front, or it is cut.
pub(crate) fn apart(md: &DescriptorImage, data: &[u8]) -> Option<Apart> {
    if md.format() != RFH2 {
        return None;
    }
    let (rfh2, length) = Rfh2::decode(data, Encoding(md.encoding())).ok()?;
    let mut properties = Vec::new();
    for folder in &rfh2.folders {
        let (folder, listed) = read_folder(folder).ok()?;
        properties.extend(listed.into_iter().map(|property| Property {
            folder: folder.clone(),
            name: property.name,
            value: property.value,
            description: Description::default(),
        }));
    }
    let mut rest = md.clone();
    rest.set_format(*rfh2.format.0.as_bytes());
    rest.set_encoding(rfh2.encoding.0);
    if rfh2.ccsid != Ccsid::INHERIT {
        rest.set_ccsid(rfh2.ccsid.0);
    }
    Some(Apart { properties, length, md: rest })
}

#[cfg(test)]
mod tests;
