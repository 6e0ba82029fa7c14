//! Fixed-width character fields of MQ structures, blank-padded, kept as the bytes that travel.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A character field of exactly `N` bytes, padded with blanks on the right, as MQMD and its relatives hold them.
///
/// Content is not interpreted: an application may put any byte there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text<const N: usize>([u8; N]);

impl<const N: usize> Text<N> {
    pub const BLANK: Self = Self([b' '; N]);

    /// Takes the first `N` bytes of `text`, padding with blanks; what does not fit is cut, as MQ cuts it.
    pub fn new(text: &str) -> Self {
        let mut field = [b' '; N];
        let length = text.len().min(N);
        field[..length].copy_from_slice(&text.as_bytes()[..length]);
        Self(field)
    }

    pub const fn from_bytes(bytes: [u8; N]) -> Self {
        Self(bytes)
    }

    pub const fn as_bytes(&self) -> &[u8; N] {
        &self.0
    }

    /// The bytes up to the first NUL, without trailing blanks.
    pub fn trimmed(&self) -> &[u8] {
        // Most fields of most messages are blank: one comparison instead of two walks.
        if self.0 == [b' '; N] {
            return &[];
        }
        let end = self.0.iter().position(|&b| b == 0).unwrap_or(N);
        self.0[..end].trim_ascii_end()
    }

    /// With blanks for a NUL and all that follows it, as a queue manager returns a field that a program ended with one.
    #[must_use]
    pub fn padded(mut self) -> Self {
        if let Some(end) = self.0.iter().position(|&byte| byte == 0) {
            self.0[end..].fill(b' ');
        }
        self
    }

    pub fn is_blank(&self) -> bool {
        self.trimmed().is_empty()
    }

    /// Trimmed and as text; bytes that are not UTF-8 become U+FFFD.
    pub fn to_text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.trimmed())
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Self::BLANK
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_text(), f)
    }
}

impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl<const N: usize> Serialize for Text<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<'de, const N: usize> Deserialize<'de> for Text<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::new(&String::deserialize(deserializer)?))
    }
}
