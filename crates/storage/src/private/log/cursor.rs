//! The one bounds-checked reader of bytes from the log, and its writing counterpart. All numbers are little-endian.
//!
//! Never indexes, never panics: reading past the end is `None`, which every caller turns into "malformed".

/// Reads a byte slice from front to back.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.rest.split_at_checked(length)?;
        self.rest = tail;
        Some(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.rest.split_first_chunk::<N>()?;
        self.rest = tail;
        Some(*head)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A length in four bytes.
    pub(crate) fn length(&mut self) -> Option<usize> {
        self.u32().and_then(|length| usize::try_from(length).ok())
    }

    /// Everything that is left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// A field that was written without its trailing padding, behind one byte of length: padded again to `N` bytes.
    pub(crate) fn padded<const N: usize>(&mut self, padding: u8) -> Option<[u8; N]> {
        let length = usize::from(self.u8()?);
        if length == N {
            return self.array();
        }
        let bytes = self.take(length)?;
        let mut field = [padding; N];
        field.get_mut(..length)?.copy_from_slice(bytes);
        Some(field)
    }
}

/// A length as the log writes it. The caller has bounded it.
pub(crate) fn length_field(length: usize) -> u32 {
    u32::try_from(length).expect("lengths in the log are bounded far below four gibibytes")
}
