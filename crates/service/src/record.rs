//! The structure of a record, for messages in any character set and encoding: the plans of those that came last are kept.
//!
//! A service converts by one plan each way (`convert.rs`). Here a message says how it is written, and a structure states only
//! what counts where the message says nothing.
//!
//! Invariant: at most `MOST_KEPT` plans are kept for a structure, the oldest one going first.

use std::sync::Arc;

use codepage::ByteOrder;
use copybook::{ConvertOptions, Converter, DataError, FloatForm, LayoutItem, PlanError, RecordLayout};
use model::descriptor::{Ccsid, Encoding};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

const MOST_KEPT: usize = 8;
/// The part of an MQMD encoding that says how floats are written, and the value of hexadecimal ones.
const FLOATS: i32 = 0xF00;
const HEXADECIMAL: i32 = 0x300;

/// A record's layout, and how its bytes and JSON correspond.
pub struct RecordStructure {
    layout: RecordLayout,
    options: ConvertOptions,
    plans: Mutex<Vec<(Form, Arc<Converter>)>>,
}

/// What of CCSID and encoding a plan depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    ccsid: u32,
    is_little: bool,
    is_hexadecimal: bool,
}

/// Why bytes or a JSON text are no record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Data(#[from] Box<DataError>),
    #[error("the record cannot be written in CCSID {ccsid}")]
    Plan {
        ccsid: i32,
        #[source]
        source: PlanError,
    },
    #[error("CCSID {0} is not known")]
    Ccsid(i32),
}

/// A record in bytes, and how they are written.
pub struct WrittenRecord {
    pub data: Vec<u8>,
    pub ccsid: Ccsid,
    pub encoding: Encoding,
}

/// The JSON schema of records. Where a field chooses among alternatives it has the members of all of them.
pub(crate) fn schema_of(layout: &RecordLayout, options: &ConvertOptions) -> Result<Value, PlanError> {
    let one = |options: &ConvertOptions| -> Result<Value, PlanError> {
        Ok(serde_json::from_str(&layout.schema(options)?).unwrap_or_default())
    };
    let Some(choices) = &options.choices else { return one(options) };
    // The field has to be one that can choose.
    Converter::new(layout, &ConvertOptions { ignore_values: true, ..options.clone() })?;
    let mut schema = Value::Null;
    for (_, alternative) in &choices.alternatives {
        let mut options = ConvertOptions { choices: None, ..options.clone() };
        options.alternatives.push(alternative.clone());
        merge(&mut schema, one(&options)?);
    }
    Ok(schema)
}

/// Adds what another schema has beyond this one.
fn merge(schema: &mut Value, other: Value) {
    match (schema, other) {
        (Value::Object(known), Value::Object(others)) => {
            for (name, other) in others {
                match known.get_mut(&name) {
                    Some(known) => merge(known, other),
                    None => drop(known.insert(name, other)),
                }
            }
        }
        (schema @ Value::Null, other) => *schema = other,
        _ => {}
    }
}

/// MQMD `Encoding` of what the options write.
pub(crate) fn encoding_of(options: &ConvertOptions) -> Encoding {
    match (options.byte_order, options.float) {
        (ByteOrder::Little, _) => Encoding::LITTLE_ENDIAN,
        (ByteOrder::Big, FloatForm::Ieee) => Encoding::BIG_ENDIAN,
        (ByteOrder::Big, FloatForm::Hexadecimal) => Encoding::Z_OS,
    }
}

impl RecordStructure {
    /// # Errors
    /// Options that do not go with the layout.
    pub fn new(layout: RecordLayout, options: ConvertOptions) -> Result<Self, PlanError> {
        let converter = Arc::new(Converter::new(&layout, &options)?);
        let form = Form {
            ccsid: options.ccsid,
            is_little: options.byte_order == ByteOrder::Little,
            is_hexadecimal: options.float == FloatForm::Hexadecimal,
        };
        Ok(Self { layout, options, plans: Mutex::new(vec![(form, converter)]) })
    }

    pub fn ccsid(&self) -> Ccsid {
        Ccsid(i32::try_from(self.options.ccsid).unwrap_or(0))
    }

    pub fn encoding(&self) -> Encoding {
        encoding_of(&self.options)
    }

    /// The record's own name, where it has one.
    pub fn name(&self) -> Option<&str> {
        self.layout.name.as_deref()
    }

    /// Of the longest and of the shortest record, in bytes.
    pub fn lengths(&self) -> (usize, usize) {
        (self.layout.length, self.layout.minimum_length)
    }

    /// The record of a JSON text; without a CCSID or an encoding, in those of the structure.
    ///
    /// # Errors
    /// The text is no record of this structure, or the record cannot be written so.
    pub fn encode(
        &self,
        json: &[u8],
        ccsid: Option<Ccsid>,
        encoding: Option<Encoding>,
    ) -> Result<WrittenRecord, RecordError> {
        let (ccsid, encoding) = (ccsid.unwrap_or(self.ccsid()), encoding.unwrap_or(self.encoding()));
        let mut data = Vec::with_capacity(self.layout.minimum_length);
        self.plan(ccsid, encoding)?.encode(json, &mut data)?;
        Ok(WrittenRecord { data, ccsid, encoding })
    }

    /// The JSON text of a record. CCSID 0 says nothing: the record is then written as the structure says.
    ///
    /// # Errors
    /// The bytes are no record of this structure.
    pub fn decode(&self, record: &[u8], ccsid: Ccsid, encoding: Encoding) -> Result<Vec<u8>, RecordError> {
        let (ccsid, encoding) = if ccsid == Ccsid::Q_MGR { (self.ccsid(), self.encoding()) } else { (ccsid, encoding) };
        let mut json = Vec::new();
        self.plan(ccsid, encoding)?.decode(record, &mut json)?;
        Ok(json)
    }

    fn plan(&self, ccsid: Ccsid, encoding: Encoding) -> Result<Arc<Converter>, RecordError> {
        let number = u32::try_from(ccsid.0).ok().filter(|number| codepage::is_known(*number));
        let form = Form {
            ccsid: number.ok_or(RecordError::Ccsid(ccsid.0))?,
            is_little: encoding.integers_are_little_endian(),
            is_hexadecimal: !encoding.integers_are_little_endian() && encoding.0 & FLOATS == HEXADECIMAL,
        };
        if let Some((_, known)) = self.plans.lock().iter().find(|(known, _)| *known == form) {
            return Ok(Arc::clone(known));
        }
        let order = if form.is_little { ByteOrder::Little } else { ByteOrder::Big };
        let options = ConvertOptions {
            ccsid: form.ccsid,
            byte_order: order,
            // That of one compiler; another order of bytes is of another.
            binary_order: self.options.binary_order.filter(|_| order == self.options.byte_order),
            float: if form.is_hexadecimal { FloatForm::Hexadecimal } else { FloatForm::Ieee },
            ..self.options.clone()
        };
        let made = Converter::new(&self.layout, &options);
        let made = Arc::new(made.map_err(|source| RecordError::Plan { ccsid: ccsid.0, source })?);
        let mut plans = self.plans.lock();
        if plans.len() >= MOST_KEPT {
            plans.remove(0);
        }
        plans.push((form, Arc::clone(&made)));
        Ok(made)
    }

    /// The JSON schema of records.
    ///
    /// # Errors
    /// As `new`.
    pub fn schema(&self) -> Result<Value, PlanError> {
        schema_of(&self.layout, &self.options)
    }

    /// The items below the record, with their places in the longest record.
    pub fn items(&self) -> Vec<Value> {
        let items = match self.layout.items.as_slice() {
            [only] => std::slice::from_ref(only),
            all => all.get(1..).unwrap_or_default(),
        };
        items.iter().map(|item| self.item(item)).collect()
    }

    fn item(&self, item: &LayoutItem) -> Value {
        let path = |index: usize| self.layout.items[index].path.clone();
        let mut members = Map::new();
        let mut add = |name: &str, value: Value| members.insert(name.to_owned(), value);
        add("path", json!(item.path));
        add("level", json!(item.level));
        add("offset", json!(item.offset));
        add("length", json!(item.length));
        add("usage", json!(item.usage.map_or("GROUP", |usage| usage.spelled())));
        if let Some(picture) = &item.picture {
            add("picture", json!(picture.text));
        }
        if let Some(redefined) = item.redefines {
            add("redefines", json!(path(redefined)));
        }
        if let Some(occurs) = item.occurs {
            add("occurs", json!(occurs.maximum));
            if let Some(counter) = occurs.depending_on {
                add("minimumOccurs", json!(occurs.minimum));
                add("dependingOn", json!(path(counter)));
            }
        }
        Value::Object(members)
    }
}
