//! How the body of a request becomes a record, and a record the body of an answer: a compiled plan each way, with the
//! object names that JSON is wrapped in.
//!
//! Nothing is parsed into a tree: request bytes go through the plan into one buffer, reply bytes into another.

use std::sync::Arc;

use copybook::{ConvertOptions, Converter, DataError, PlanError, RecordLayout};
use model::descriptor::{Ccsid, Encoding};

use crate::record::{RecordStructure, encoding_of};

/// Conversion of a service, each direction for itself: a one-way service may have one only.
#[derive(Clone)]
pub struct Transformation {
    pub request: Option<Structure>,
    pub response: Option<Structure>,
}

/// One direction.
#[derive(Clone)]
pub struct Structure {
    converter: Converter,
    /// The same for messages that say themselves how they are written.
    record: Arc<RecordStructure>,
    /// Names of the objects around the record's own members, from the outside in.
    wrapper: Vec<String>,
    ccsid: Ccsid,
    encoding: Encoding,
    /// Of the longest record, or a bound where that is long.
    expected_length: usize,
}

/// Bytes set aside for a record before it is known how long it is.
const MOST_SET_ASIDE: usize = 32 << 10;

impl Transformation {
    /// The structure of what is sent. Where only one is given, it is that of both directions.
    pub fn of_requests(&self) -> Option<&Structure> {
        self.request.as_ref().or(self.response.as_ref())
    }

    /// The structure of what is received.
    pub fn of_responses(&self) -> Option<&Structure> {
        self.response.as_ref().or(self.request.as_ref())
    }

    /// MQMD `CodedCharSetId` of records: the request's, or the response's.
    pub fn ccsid(&self) -> Ccsid {
        self.of_requests().map_or(Ccsid::UTF_8, |structure| structure.ccsid)
    }
}

impl Structure {
    /// # Errors
    /// Options that do not go with the layout.
    pub fn new(layout: &RecordLayout, options: &ConvertOptions, wrapper: Vec<String>) -> Result<Self, PlanError> {
        let converter = Converter::new(layout, options)?;
        let expected_length = layout.length.min(MOST_SET_ASIDE);
        Ok(Self {
            converter,
            record: Arc::new(RecordStructure::new(layout.clone(), options.clone())?),
            expected_length,
            wrapper,
            ccsid: Ccsid(i32::try_from(options.ccsid).unwrap_or(0)),
            encoding: encoding_of(options),
        })
    }

    pub fn wrapper(&self) -> &[String] {
        &self.wrapper
    }

    /// The JSON of a record without members: the wrapper around nothing.
    pub fn empty(&self) -> String {
        let inside = |inside, name: &String| format!("{{{}:{inside}}}", serde_json::Value::from(name.as_str()));
        self.wrapper.iter().rev().fold("{}".to_owned(), inside)
    }

    /// What its records are, without the wrapper.
    pub fn record(&self) -> &Arc<RecordStructure> {
        &self.record
    }

    pub(crate) fn expected_length(&self) -> usize {
        self.expected_length
    }

    /// MQMD `Encoding` of its records.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The record of a JSON text.
    ///
    /// # Errors
    /// The text is no JSON, lacks the wrapper, or holds what its item cannot.
    pub fn encode(&self, json: &[u8], record: &mut Vec<u8>) -> Result<(), Box<DataError>> {
        self.converter.encode_within(&self.wrapper, json, record)
    }

    /// The JSON text of a record.
    ///
    /// # Errors
    /// The record is too short or too long, or an item holds what its description does not allow.
    pub fn decode(&self, record: &[u8], json: &mut Vec<u8>) -> Result<(), Box<DataError>> {
        self.converter.decode_within(&self.wrapper, record, json)
    }
}
