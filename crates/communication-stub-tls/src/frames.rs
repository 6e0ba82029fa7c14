//! Where TLS records begin and end in what the peer sends, to know whether a part of one was received.
//!
//! A record: type 1, version 2, length 2 (big endian), then as many bytes as the length says.

const HEAD: usize = 5;

#[derive(Default)]
pub(crate) struct Frames {
    head: [u8; HEAD],
    /// Bytes of the head that were received; 0 between records and within a record's content.
    have: usize,
    /// Bytes of the content that are missing.
    missing: usize,
}

impl Frames {
    /// These bytes were received.
    pub(crate) fn passed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let taken = if self.missing > 0 {
                let taken = self.missing.min(bytes.len());
                self.missing -= taken;
                taken
            } else {
                let taken = (HEAD - self.have).min(bytes.len());
                self.head[self.have..self.have + taken].copy_from_slice(&bytes[..taken]);
                self.have += taken;
                if self.have == HEAD {
                    self.have = 0;
                    self.missing = u16::from_be_bytes([self.head[3], self.head[4]]).into();
                }
                taken
            };
            bytes = &bytes[taken..];
        }
    }

    pub(crate) fn is_between(&self) -> bool {
        self.have == 0 && self.missing == 0
    }
}

#[cfg(test)]
mod tests;
