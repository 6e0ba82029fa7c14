//! Frames of the administration socket: lengths, a JSON header, a body. See the module above for the layout.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest header in bytes.
pub(crate) const MAXIMUM_HEADER: usize = 1 << 20;
/// Longest body in bytes: the longest message, with room for its properties.
pub(crate) const MAXIMUM_BODY: usize = 128 << 20;
/// The body of an answer is sent in parts of this length, in bytes.
pub(crate) const PART: usize = 1 << 20;

/// Lengths of header and body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub header: usize,
    pub body: usize,
}

impl Lengths {
    pub(crate) const WIDTH: usize = 8;

    /// # Errors
    /// `InvalidData` when a length is beyond its limit.
    pub(crate) fn decode(bytes: [u8; Self::WIDTH]) -> io::Result<Self> {
        let [a, b, c, d, e, f, g, h] = bytes;
        let header = u32::from_be_bytes([a, b, c, d]) as usize;
        let body = u32::from_be_bytes([e, f, g, h]) as usize;
        if header > MAXIMUM_HEADER || body > MAXIMUM_BODY {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is longer than allowed"));
        }
        Ok(Self { header, body })
    }
}

/// Header and lengths of a frame; the body follows.
///
/// # Errors
/// `InvalidInput` when header or body is too long.
pub(crate) fn encode(header: &impl Serialize, body_length: usize) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(header)?;
    let fits = |length: usize, maximum: usize| u32::try_from(length).ok().filter(|_| length <= maximum);
    let (Some(header_length), Some(body_length)) = (fits(json.len(), MAXIMUM_HEADER), fits(body_length, MAXIMUM_BODY))
    else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a frame is longer than allowed"));
    };
    let mut frame = Vec::with_capacity(Lengths::WIDTH + json.len());
    frame.extend_from_slice(&header_length.to_be_bytes());
    frame.extend_from_slice(&body_length.to_be_bytes());
    frame.extend_from_slice(&json);
    Ok(frame)
}

/// # Errors
/// `InvalidData` when it is not the JSON expected.
pub(crate) fn decode_header<T: DeserializeOwned>(json: &[u8]) -> io::Result<T> {
    serde_json::from_slice(json).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::super::Request;
    use super::*;

    #[test]
    fn decode_undoes_encode_and_refuses_what_is_too_long() {
        let frame = encode(&Request::Taken, 5).expect("short");
        let (lengths, json) = frame.split_at(Lengths::WIDTH);
        let lengths = Lengths::decode(lengths.try_into().expect("eight bytes")).expect("within limits");
        assert_eq!(lengths, Lengths { header: json.len(), body: 5 });
        assert!(matches!(decode_header(json).expect("a request"), Request::Taken));
        assert!(encode(&Request::Taken, MAXIMUM_BODY + 1).is_err());
        assert!(Lengths::decode([0xFF; 8]).is_err());
        assert!(decode_header::<Request>(b"{\"request\":\"nonsense\"}").is_err());
    }
}
