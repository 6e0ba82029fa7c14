//! AMQP 1.0 types, as far as a client of queues needs them: described lists out, described lists in.
//!
//! Source: OASIS AMQP 1.0, part 1 "Types".

use anyhow::{Context, Result, bail};

/// A value that was read; composite ones keep what is in them.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Boolean(bool),
    Number(u64),
    /// Binary, string or symbol.
    Bytes(&'a [u8]),
    List(Vec<Value<'a>>),
    /// Descriptor and what it describes.
    Described(u64, Box<Value<'a>>),
    /// Maps, arrays, floats and other types: read over.
    Other,
}

impl<'a> Value<'a> {
    pub(super) fn number(&self) -> Option<u64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub(super) fn bytes(&self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The field at `index` of a list; absent ones are null.
    pub(super) fn field(&self, index: usize) -> &Value<'a> {
        match self {
            Self::List(fields) => fields.get(index).unwrap_or(&Value::Null),
            _ => &Value::Null,
        }
    }
}

/// Reads one value off the front of `input`.
pub(super) fn read<'a>(input: &mut &'a [u8]) -> Result<Value<'a>> {
    let code = take(input, 1)?[0];
    Ok(match code {
        0x00 => {
            let descriptor = read(input)?.number().context("a descriptor that is no number")?;
            Value::Described(descriptor, Box::new(read(input)?))
        }
        0x40 => Value::Null,
        0x41 => Value::Boolean(true),
        0x42 => Value::Boolean(false),
        0x43 | 0x44 => Value::Number(0),
        0x45 => Value::List(Vec::new()),
        0x56 => Value::Boolean(take(input, 1)?[0] != 0),
        0x50..=0x53 => Value::Number(u64::from(take(input, 1)?[0])),
        0x60 | 0x70 | 0x80 => Value::Number(unsigned(input, 1 << ((code >> 4) - 5))?),
        0xA0 | 0xA1 | 0xA3 => {
            let length = unsigned(input, 1)?;
            Value::Bytes(take(input, length)?)
        }
        0xB0 | 0xB1 | 0xB3 => {
            let length = unsigned(input, 4)?;
            Value::Bytes(take(input, length)?)
        }
        0xC0 => list(input, 1)?,
        0xD0 => list(input, 4)?,
        _ => {
            let width = match code >> 4 {
                4 => 0,
                class @ 5..=9 => 1 << (class - 5),
                0xC | 0xE => unsigned(input, 1)?,
                0xD | 0xF => unsigned(input, 4)?,
                _ => bail!("no AMQP type has the code {code:#x}"),
            };
            take(input, width)?;
            Value::Other
        }
    })
}

fn list<'a>(input: &mut &'a [u8], width: u64) -> Result<Value<'a>> {
    let size = unsigned(input, width)?;
    let mut content = take(input, size)?;
    let count = unsigned(&mut content, width)?;
    let fields: Result<Vec<_>> = (0..count).map(|_| read(&mut content)).collect();
    Ok(Value::List(fields?))
}

fn unsigned(input: &mut &[u8], width: u64) -> Result<u64> {
    Ok(take(input, width)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn take<'a>(input: &mut &'a [u8], length: u64) -> Result<&'a [u8]> {
    let (head, rest) = input.split_at_checked(usize::try_from(length)?).context("a frame ends too early")?;
    *input = rest;
    Ok(head)
}

/// A described list being written.
pub(super) struct ListWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Where its size stands.
    start: usize,
    count: u32,
}

impl<'a> ListWriter<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>, descriptor: u8) -> Self {
        out.extend_from_slice(&[0x00, 0x53, descriptor, 0xD0]);
        let start = out.len();
        out.extend_from_slice(&[0; 8]);
        Self { out, start, count: 0 }
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.out.extend_from_slice(bytes);
        self.count += 1;
        self
    }

    pub(super) fn null(&mut self) -> &mut Self {
        self.raw(&[0x40])
    }

    pub(super) fn boolean(&mut self, value: bool) -> &mut Self {
        self.raw(&[if value { 0x41 } else { 0x42 }])
    }

    pub(super) fn byte(&mut self, value: u8) -> &mut Self {
        self.raw(&[0x50, value])
    }

    pub(super) fn uint(&mut self, value: u32) -> &mut Self {
        self.out.push(0x70);
        self.raw(&value.to_be_bytes())
    }

    pub(super) fn ushort(&mut self, value: u16) -> &mut Self {
        self.out.push(0x60);
        self.raw(&value.to_be_bytes())
    }

    fn short(&mut self, code: u8, bytes: &[u8]) -> &mut Self {
        self.out.push(code);
        self.out.push(u8::try_from(bytes.len()).expect("names and tags here are short"));
        self.raw(bytes)
    }

    pub(super) fn binary(&mut self, bytes: &[u8]) -> &mut Self {
        self.short(0xA0, bytes)
    }

    pub(super) fn string(&mut self, text: &str) -> &mut Self {
        self.short(0xA1, text.as_bytes())
    }

    pub(super) fn symbol(&mut self, text: &str) -> &mut Self {
        self.short(0xA3, text.as_bytes())
    }

    /// A described list in the list.
    pub(super) fn nested(&mut self, descriptor: u8, fill: impl FnOnce(&mut ListWriter<'_>)) -> &mut Self {
        let mut inner = ListWriter::new(self.out, descriptor);
        fill(&mut inner);
        inner.end();
        self.count += 1;
        self
    }

    pub(super) fn end(&mut self) {
        let size = u32::try_from(self.out.len() - self.start - 4).expect("frames are small");
        self.out[self.start..self.start + 4].copy_from_slice(&size.to_be_bytes());
        self.out[self.start + 4..self.start + 8].copy_from_slice(&self.count.to_be_bytes());
    }
}

#[cfg(test)]
mod tests;
