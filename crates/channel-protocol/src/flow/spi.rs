//! SPI: calls beyond the MQI that modern clients make.
//!
//! ```text
//! request   verb 4, version of the out structure 4, its maximum length 4,
//!           in/out structure "SPxU", version 1, length 12
//!           in structure     "SPxI", version 1, length, fields
//! reply     the same three words, the in/out structure,
//!           out structure    "SPxO", version 1, length, fields
//!
//! verb  x  in, from 12                        out, from 12
//!   1   Q  (12)                               count 4, then of each verb: number, highest in/out, in and out version,
//!                                             flags (20)
//!   2   P  `spi_put.rs`
//!   6   R  tag size 4, wanted 4 (20)          granted 4, offset of the increment 4, base identifier 24 (44)
//!   7   B  `spi_subscribe.rs`
//!  12   O  LPOO 32, MQOD                      LPOO 32, MQOD
//! ```
//!
//! Lengths count the structure with its 12-byte head. Others are kept as bytes, so that they can be refused with 2298.
//! Source: reference, section 9.2 (C).

use bytes::Bytes;
use model::reason::Reason;

use crate::cursor::{Reader, Writer};
use crate::error::{DecodeError, ProtocolError};
use crate::flow::spi_put::{self, SpiPut, SpiPutReply};
use crate::flow::spi_subscribe::SpiSubscribe;
use crate::structure::object_descriptor::ObjectStructure;
use crate::structure::open_attributes::OpenOptionsStructure;

/// Numbers of the SPI verbs.
pub mod verb {
    pub const QUERY: i32 = 1;
    pub const PUT: i32 = 2;
    pub const GET: i32 = 3;
    pub const ACTIVATE: i32 = 4;
    pub const SYNCPOINT: i32 = 5;
    pub const RESERVE: i32 = 6;
    pub const SUBSCRIBE: i32 = 7;
    pub const NOTIFY: i32 = 11;
    pub const OPEN: i32 = 12;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spi {
    pub verb: i32,
    pub out_version: i32,
    /// Of the out structure, in bytes.
    pub out_maximum: i32,
    pub input: SpiInput,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpiInput {
    Query,
    Put(Box<SpiPut>),
    Open(SpiOpen),
    Reserve(Reserve),
    Subscribe(SpiSubscribe),
    /// A verb that is not spoken here: all after the three words.
    Other(Bytes),
}

/// Of verb 12, both ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpiOpen {
    pub options: OpenOptionsStructure,
    pub object: ObjectStructure,
}

/// Asks for message identifiers that the client may give itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserve {
    /// Length of an identifier: 24.
    pub tag_size: u32,
    pub wanted: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpiReply {
    pub verb: i32,
    pub out_version: i32,
    pub out_maximum: i32,
    pub output: SpiOutput,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpiOutput {
    Query(Vec<SpiVerb>),
    Put(Box<SpiPutReply>),
    Open(SpiOpen),
    Reserve(Reserved),
    Subscribe(SpiSubscribe),
    /// A failed call may carry its request back, and other verbs anything.
    Other(Bytes),
}

/// One row of what the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpiVerb {
    pub verb: i32,
    pub in_out_version: i32,
    pub in_version: i32,
    pub out_version: i32,
    pub flags: i32,
}

impl SpiVerb {
    /// A verb in its first version; the put in the one that has a delay.
    pub const fn spoken(verb: i32) -> Self {
        let in_version = if verb == verb::PUT { spi_put::IN_VERSION } else { 1 };
        Self { verb, in_out_version: 1, in_version, out_version: 1, flags: 0 }
    }
}

/// `granted` identifiers counted from `base` in the bytes about `increment_offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserved {
    pub granted: u32,
    pub increment_offset: u32,
    pub base: [u8; 24],
}

const HEAD: usize = 12;

impl Spi {
    pub fn query() -> Self {
        Self { verb: verb::QUERY, out_version: 1, out_maximum: 256, input: SpiInput::Query }
    }

    pub fn open(open: SpiOpen) -> Self {
        let strings = [&open.object.object_string, &open.object.selection_string];
        let texts: usize = strings.iter().map(|string| string.text.len().next_multiple_of(4)).sum();
        let length = HEAD + OpenOptionsStructure::LENGTH + open.object.length() + texts;
        let out_maximum = i32::try_from(length).unwrap_or(i32::MAX);
        Self { verb: verb::OPEN, out_version: 1, out_maximum, input: SpiInput::Open(open) }
    }

    pub fn reserve(wanted: u32) -> Self {
        let input = SpiInput::Reserve(Reserve { tag_size: 24, wanted });
        Self { verb: verb::RESERVE, out_version: 1, out_maximum: 44, input }
    }

    /// # Errors
    /// Too short, other identifiers, lengths beyond the data.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("SPI");
        let verb = reader.integer()?;
        let out_version = reader.integer()?;
        let out_maximum = reader.integer()?;
        let Some(letter) = letter(verb) else {
            return Ok(Self { verb, out_version, out_maximum, input: SpiInput::Other(reader.rest()) });
        };
        if verb == verb::PUT {
            let input = SpiInput::Put(Box::new(SpiPut::decode(reader)?));
            return Ok(Self { verb, out_version, out_maximum, input });
        }
        decode_in_out(letter, reader)?;
        decode_head([b'S', b'P', letter, b'I'], 1, reader)?;
        let input = match verb {
            verb::QUERY => SpiInput::Query,
            verb::OPEN => SpiInput::Open(SpiOpen::decode(reader)?),
            verb::RESERVE => SpiInput::Reserve(Reserve { tag_size: reader.bits()?, wanted: reader.bits()? }),
            _ => SpiInput::Subscribe(SpiSubscribe::decode(reader)?),
        };
        Ok(Self { verb, out_version, out_maximum, input })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integers(&[self.verb, self.out_version, self.out_maximum]);
        if let SpiInput::Other(bytes) = &self.input {
            writer.bytes(bytes);
            return;
        }
        if let SpiInput::Put(put) = &self.input {
            return put.encode(writer);
        }
        encode_structures(self.verb, b'I', writer, |writer| match &self.input {
            SpiInput::Query | SpiInput::Put(_) | SpiInput::Other(_) => {}
            SpiInput::Open(open) => open.encode(writer),
            SpiInput::Reserve(reserve) => {
                writer.bits(reserve.tag_size);
                writer.bits(reserve.wanted);
            }
            SpiInput::Subscribe(subscribe) => subscribe.encode(writer),
        });
    }

    /// A reply to this call.
    pub fn reply(&self, output: SpiOutput) -> SpiReply {
        SpiReply { verb: self.verb, out_version: self.out_version, out_maximum: self.out_maximum, output }
    }
}

impl SpiReply {
    /// # Errors
    /// Too short, other identifiers, counts beyond the data.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.enter("SPI reply");
        let verb = reader.integer()?;
        let out_version = reader.integer()?;
        let out_maximum = reader.integer()?;
        let output = match letter(verb) {
            Some(letter) if is_output(letter, reader) => decode_output(verb, letter, reader)?,
            _ => SpiOutput::Other(reader.rest()),
        };
        Ok(Self { verb, out_version, out_maximum, output })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.integers(&[self.verb, self.out_version, self.out_maximum]);
        if let SpiOutput::Other(bytes) = &self.output {
            writer.bytes(bytes);
            return;
        }
        if let SpiOutput::Put(put) = &self.output {
            put.encode(writer);
            return encode_head(*b"SPPO", 1, writer);
        }
        encode_structures(self.verb, b'O', writer, |writer| match &self.output {
            SpiOutput::Query(verbs) => {
                writer.count(verbs.len());
                for v in verbs {
                    writer.integers(&[v.verb, v.in_out_version, v.in_version, v.out_version, v.flags]);
                }
            }
            SpiOutput::Open(open) => open.encode(writer),
            SpiOutput::Reserve(reserved) => {
                writer.bits(reserved.granted);
                writer.bits(reserved.increment_offset);
                writer.bytes(&reserved.base);
            }
            SpiOutput::Subscribe(subscribe) => subscribe.encode(writer),
            SpiOutput::Put(_) | SpiOutput::Other(_) => {}
        });
    }
}

impl SpiOpen {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { options: OpenOptionsStructure::decode(reader)?, object: ObjectStructure::decode(reader)? })
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        self.options.encode(writer);
        self.object.encode(writer);
    }
}

fn decode_output(verb: i32, letter: u8, reader: &mut Reader<'_>) -> Result<SpiOutput, DecodeError> {
    if verb == verb::PUT {
        let put = SpiPutReply::decode(reader)?;
        decode_head(*b"SPPO", 1, reader)?;
        return Ok(SpiOutput::Put(Box::new(put)));
    }
    decode_in_out(letter, reader)?;
    decode_head([b'S', b'P', letter, b'O'], 1, reader)?;
    Ok(match verb {
        verb::QUERY => SpiOutput::Query(decode_verbs(reader)?),
        verb::OPEN => SpiOutput::Open(SpiOpen::decode(reader)?),
        verb::RESERVE => SpiOutput::Reserve(Reserved {
            granted: reader.bits()?,
            increment_offset: reader.bits()?,
            base: reader.array()?,
        }),
        _ => SpiOutput::Subscribe(SpiSubscribe::decode(reader)?),
    })
}

fn decode_verbs(reader: &mut Reader<'_>) -> Result<Vec<SpiVerb>, ProtocolError> {
    let count = reader.count("verb count")?;
    reader.peek(count.saturating_mul(20))?;
    (0..count)
        .map(|_| {
            Ok(SpiVerb {
                verb: reader.integer()?,
                in_out_version: reader.integer()?,
                in_version: reader.integer()?,
                out_version: reader.integer()?,
                flags: reader.integer()?,
            })
        })
        .collect()
}

/// The third letter of the structures of a verb that is spoken here.
fn letter(verb: i32) -> Option<u8> {
    match verb {
        verb::QUERY => Some(b'Q'),
        verb::PUT => Some(b'P'),
        verb::OPEN => Some(b'O'),
        verb::RESERVE => Some(b'R'),
        verb::SUBSCRIBE => Some(b'B'),
        _ => None,
    }
}

/// Whether an out structure follows the in/out structure, rather than the request's own in structure.
fn is_output(letter: u8, reader: &Reader<'_>) -> bool {
    letter == b'P' || reader.clone_at(HEAD).peek_identifier() == Ok([b'S', b'P', letter, b'O'])
}

fn decode_in_out(letter: u8, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let base = reader.offset();
    let (_, length) = decode_head([b'S', b'P', letter, b'U'], 1, reader)?;
    reader.skip_to(base.saturating_add(length));
    Ok(())
}

/// Identifier, version and length; the length is at least that of the head and lies within the body. Returns version and length.
pub(super) fn decode_head(
    identifier: [u8; 4],
    highest: i32,
    reader: &mut Reader<'_>,
) -> Result<(i32, usize), DecodeError> {
    reader.enter("SPI structure");
    let available = reader.remaining();
    reader.identifier(identifier)?;
    let version = reader.integer()?;
    if !(1..=highest).contains(&version) {
        return Err(DecodeError::Refused(Reason::FunctionNotSupported));
    }
    let length = reader.count("length")?;
    if length < HEAD || length > available.next_multiple_of(4) {
        return Err(reader.value("length", i64::try_from(length).unwrap_or(i64::MAX)).into());
    }
    Ok((version, length))
}

/// A structure of the head alone; what follows patches the length.
pub(super) fn encode_head(identifier: [u8; 4], version: i32, writer: &mut Writer<'_>) {
    writer.text(&identifier);
    writer.integers(&[version, i32::try_from(HEAD).unwrap_or(0)]);
}

fn encode_structures(verb: i32, kind: u8, writer: &mut Writer<'_>, fields: impl FnOnce(&mut Writer<'_>)) {
    let letter = letter(verb).unwrap_or(b' ');
    encode_head([b'S', b'P', letter, b'U'], 1, writer);
    let base = writer.offset();
    encode_head([b'S', b'P', letter, kind], 1, writer);
    fields(writer);
    writer.patch(base + 8, writer.offset() - base);
}
