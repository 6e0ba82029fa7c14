//! One property of a message as the calls see it: types and their bytes, names and patterns, MQPD.
//!
//! Source: MQ reference, "MQSETMP", "MQINQMP", "MQPD", "Property names", 9.4.

use model::descriptor::Encoding;
use model::property::{PropertyValue, check_name};
use model::reason::Reason;

use crate::constant::{
    MQCOPY_FORWARD, MQCOPY_PUBLISH, MQCOPY_REPORT, MQPD_NO_CONTEXT, MQPD_SUPPORT_OPTIONAL, MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING, MQTYPE_FLOAT32, MQTYPE_FLOAT64, MQTYPE_INT8, MQTYPE_INT16, MQTYPE_INT32, MQTYPE_INT64,
    MQTYPE_NULL, MQTYPE_STRING,
};

/// Longest name, in bytes.
const LONGEST_NAME: usize = 4095;
/// Folders that a name may begin with; every other name is the program's own.
const FOLDERS: [&str; 8] = ["usr", "mcd", "jms", "mq", "mqext", "mqps", "mqema", "sib"];

#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The folder of the MQRFH2 that carries it.
    pub(crate) folder: String,
    /// Within the folder.
    pub(crate) name: String,
    pub(crate) value: PropertyValue,
    pub(crate) description: Description,
}

/// MQPD without its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    pub support: i32,
    pub context: i32,
    pub copy_options: i32,
}

impl Default for Description {
    fn default() -> Self {
        Self {
            support: MQPD_SUPPORT_OPTIONAL,
            context: MQPD_NO_CONTEXT,
            copy_options: MQCOPY_FORWARD | MQCOPY_PUBLISH | MQCOPY_REPORT,
        }
    }
}

impl Property {
    /// # Errors
    /// 2442, 2513 a name that no property may have.
    pub fn new(name: &str, value: PropertyValue, description: Description, checks_name: bool) -> Result<Self, Reason> {
        if name.len() > LONGEST_NAME {
            return Err(Reason::PropertyNameLengthErr);
        }
        let (folder, name) = split(name);
        let is_named = name.split('.').all(|part| !part.is_empty());
        let is_allowed = folder != "usr" || !checks_name || name.split('.').all(|part| check_name(part).is_ok());
        if name.is_empty() || !is_named || !is_allowed {
            return Err(Reason::PropertyNameError);
        }
        Ok(Self { folder: folder.to_owned(), name: name.to_owned(), value, description })
    }

    pub fn value(&self) -> &PropertyValue {
        &self.value
    }

    pub fn description(&self) -> Description {
        self.description
    }

    /// As an inquiry returns it: names of the program's own folder stand alone.
    pub fn full_name(&self) -> String {
        if self.folder == "usr" { self.name.clone() } else { format!("{}.{}", self.folder, self.name) }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.folder, &self.name) == (&other.folder, &other.name)
    }

    /// Whether a name or a pattern with `%` at its end means it.
    pub fn is_meant_by(&self, wanted: &str) -> bool {
        let Some(start) = wanted.strip_suffix('%') else {
            let (folder, name) = split(wanted);
            return self.folder == folder && self.name == name;
        };
        let whole = format!("{}.{}", self.folder, self.name);
        start.is_empty() || whole.starts_with(start) || self.full_name().starts_with(start)
    }
}

fn split(name: &str) -> (&str, &str) {
    match name.split_once('.') {
        Some((folder, rest)) if FOLDERS.contains(&folder) => (folder, rest),
        _ => ("usr", name),
    }
}

/// MQTYPE_* of a value.
pub fn type_of(value: &PropertyValue) -> i32 {
    match value {
        PropertyValue::Null => MQTYPE_NULL,
        PropertyValue::Boolean(_) => MQTYPE_BOOLEAN,
        PropertyValue::Byte(_) => MQTYPE_INT8,
        PropertyValue::Short(_) => MQTYPE_INT16,
        PropertyValue::Integer(_) => MQTYPE_INT32,
        PropertyValue::Long(_) => MQTYPE_INT64,
        PropertyValue::Float(_) => MQTYPE_FLOAT32,
        PropertyValue::Double(_) => MQTYPE_FLOAT64,
        PropertyValue::String(_) => MQTYPE_STRING,
        PropertyValue::Bytes(_) => MQTYPE_BYTE_STRING,
    }
}

/// Reads a value of the program's memory.
///
/// # Errors
/// 2473 a type that is none; 2469, 2470 a length or bytes that the type cannot have.
pub fn read_value(kind: i32, bytes: &[u8], encoding: i32, ccsid: i32) -> Result<PropertyValue, Reason> {
    let encoding = Encoding(encoding);
    let integers_are_little = encoding.integers_are_little_endian();
    Ok(match kind {
        MQTYPE_NULL => PropertyValue::Null,
        MQTYPE_BOOLEAN => PropertyValue::Boolean(i32::from_le_bytes(ordered(bytes, integers_are_little)?) != 0),
        MQTYPE_INT8 => PropertyValue::Byte(i8::from_le_bytes(ordered(bytes, true)?)),
        MQTYPE_INT16 => PropertyValue::Short(i16::from_le_bytes(ordered(bytes, integers_are_little)?)),
        MQTYPE_INT32 => PropertyValue::Integer(i32::from_le_bytes(ordered(bytes, integers_are_little)?)),
        MQTYPE_INT64 => PropertyValue::Long(i64::from_le_bytes(ordered(bytes, integers_are_little)?)),
        MQTYPE_FLOAT32 => PropertyValue::Float(f32::from_le_bytes(ordered(bytes, floats_are_little(encoding))?)),
        MQTYPE_FLOAT64 => PropertyValue::Double(f64::from_le_bytes(ordered(bytes, floats_are_little(encoding))?)),
        MQTYPE_BYTE_STRING => PropertyValue::Bytes(bytes.to_vec()),
        MQTYPE_STRING => PropertyValue::String(text(bytes, ccsid)?),
        _ => return Err(Reason::PropertyTypeError),
    })
}

/// The value's bytes as the program wants them.
///
/// # Errors
/// 2470 the character set is not known.
pub fn write_value(value: &PropertyValue, encoding: i32, ccsid: i32) -> Result<Vec<u8>, Reason> {
    let encoding = Encoding(encoding);
    let is_little = match value {
        PropertyValue::Float(_) | PropertyValue::Double(_) => floats_are_little(encoding),
        _ => encoding.integers_are_little_endian(),
    };
    let mut bytes = match value {
        PropertyValue::Null => Vec::new(),
        PropertyValue::Boolean(value) => i32::from(*value).to_le_bytes().to_vec(),
        PropertyValue::Byte(value) => value.to_le_bytes().to_vec(),
        PropertyValue::Short(value) => value.to_le_bytes().to_vec(),
        PropertyValue::Integer(value) => value.to_le_bytes().to_vec(),
        PropertyValue::Long(value) => value.to_le_bytes().to_vec(),
        PropertyValue::Float(value) => value.to_le_bytes().to_vec(),
        PropertyValue::Double(value) => value.to_le_bytes().to_vec(),
        PropertyValue::Bytes(value) => return Ok(value.clone()),
        PropertyValue::String(value) => return encoded(value, ccsid),
    };
    if !is_little {
        bytes.reverse();
    }
    Ok(bytes)
}

/// The value as another type, with MQIMPO_CONVERT_TYPE.
///
/// # Errors
/// 2470 there is no such conversion; 2472 the text is no number of the type.
pub fn converted(value: &PropertyValue, kind: i32) -> Result<PropertyValue, Reason> {
    if type_of(value) == kind {
        return Ok(value.clone());
    }
    let data_type = match kind {
        MQTYPE_STRING => {
            let text = match value {
                PropertyValue::Boolean(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
                other => other.to_string(),
            };
            return Ok(PropertyValue::String(text));
        }
        MQTYPE_BOOLEAN => "boolean",
        MQTYPE_INT8 => "i1",
        MQTYPE_INT16 => "i2",
        MQTYPE_INT32 => "i4",
        MQTYPE_INT64 => "i8",
        MQTYPE_FLOAT32 => "r4",
        MQTYPE_FLOAT64 => "r8",
        _ => return Err(Reason::PropConvNotSupported),
    };
    if matches!(value, PropertyValue::Bytes(_) | PropertyValue::Null) {
        return Err(Reason::PropConvNotSupported);
    }
    PropertyValue::parse(Some(data_type), &value.to_string()).map_err(|_| Reason::PropNumberFormatError)
}

fn floats_are_little(encoding: Encoding) -> bool {
    // MQENC_FLOAT_IEEE_REVERSED.
    encoding.0 & 0xF00 == 0x200
}

fn ordered<const N: usize>(bytes: &[u8], is_little: bool) -> Result<[u8; N], Reason> {
    let mut ordered: [u8; N] = bytes.try_into().map_err(|_| Reason::PropertyValueTooBig)?;
    if !is_little {
        ordered.reverse();
    }
    Ok(ordered)
}

/// A text of the program's.
///
/// # Errors
/// 2470 a character set that is not known, or bytes that are not of it.
pub fn text(bytes: &[u8], ccsid: i32) -> Result<String, Reason> {
    let mut text = String::new();
    let ccsid = u32::try_from(ccsid).map_err(|_| Reason::PropConvNotSupported)?;
    codepage::decode(ccsid, bytes, &mut text).map_err(|_| Reason::PropConvNotSupported)?;
    Ok(text)
}

pub(crate) fn encoded(text: &str, ccsid: i32) -> Result<Vec<u8>, Reason> {
    let mut bytes = Vec::new();
    let ccsid = u32::try_from(ccsid).map_err(|_| Reason::PropConvNotSupported)?;
    codepage::encode(ccsid, text, &mut bytes).map_err(|_| Reason::PropConvNotSupported)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
