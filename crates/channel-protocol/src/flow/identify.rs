//! USERID and CONAUTH: who the user is.
//!
//! ```text
//! UID    0 "UID "       4     16 password     12     92 security identifier, zeros   40
//!        4 short user  12     28 long user    64    132
//!
//! CAUT   0 "CAUT"                4     12 maximum password length  4     24 maximum token length  4 (0)
//!        4 type                  4     16 user length              4     28 token length          4
//!        8 maximum user length   4     20 password length          4     32 user, password, token, padding
//! ```
//!
//! Older clients leave out both token fields, so that the user begins at 24 (D). Which form it is shows by the length of
//! the body. CONAUTH is answered with STATUS 0, or refused by one with another code. Source: reference, section 5 (C).

use std::fmt;

use bytes::Bytes;
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

/// Always sent by a client after INITIAL; not answered.
#[derive(Clone, PartialEq, Eq)]
pub struct UserId {
    pub short_user: Text<12>,
    /// Blank unless the client is set not to use CONAUTH.
    pub password: Text<12>,
    pub long_user: Text<64>,
    pub security: [u8; 40],
}

impl fmt::Debug for UserId {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserId")
            .field("short_user", &self.short_user)
            .field("long_user", &self.long_user)
            .finish_non_exhaustive()
    }
}

impl UserId {
    /// Of a user of the operating system: the short form is in capitals.
    pub fn of(user: &str) -> Self {
        Self {
            short_user: Text::new(&user.to_uppercase()),
            password: Text::BLANK,
            long_user: Text::new(user),
            security: [0; 40],
        }
    }

    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("UID");
        reader.identifier(*b"UID ")?;
        let short_user = reader.text()?;
        let password = reader.text()?;
        // Clients below FAP 5 stop here (D).
        if reader.is_empty() {
            return Ok(Self { short_user, password, long_user: Text::BLANK, security: [0; 40] });
        }
        Ok(Self { short_user, password, long_user: reader.text()?, security: reader.array()? })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.text(b"UID ");
        writer.text(self.short_user.as_bytes());
        writer.text(self.password.as_bytes());
        writer.text(self.long_user.as_bytes());
        writer.bytes(&self.security);
    }
}

/// CONAUTH: credentials to be checked.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// 0 none, 1 user and password, 2 token (D).
    pub authentication_type: i32,
    pub maximum_user: u32,
    pub maximum_password: u32,
    /// In the partner's character set, as `user_text` and `password_text` decode it.
    pub user: Bytes,
    pub password: Bytes,
    /// `None`: the form of older clients.
    pub token: Option<Bytes>,
}

impl fmt::Debug for Credentials {
    /// Without password and token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("authentication_type", &self.authentication_type)
            .field("user", &String::from_utf8_lossy(&self.user))
            .finish_non_exhaustive()
    }
}

impl Credentials {
    pub const USER_AND_PASSWORD: i32 = 1;
    const SHORT: usize = 24;
    const WITH_TOKEN: usize = 32;

    /// In ASCII or UTF-8.
    pub fn user_and_password(user: &str, password: &str) -> Self {
        let user = Bytes::copy_from_slice(user.as_bytes());
        let password = Bytes::copy_from_slice(password.as_bytes());
        Self {
            authentication_type: Self::USER_AND_PASSWORD,
            maximum_user: u32::try_from(user.len()).unwrap_or(0),
            maximum_password: u32::try_from(password.len()).unwrap_or(0),
            user,
            password,
            token: Some(Bytes::new()),
        }
    }

    /// # Errors
    /// The three lengths together exceed the body.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("CAUT");
        let length = reader.remaining();
        reader.identifier(*b"CAUT")?;
        let authentication_type = reader.integer()?;
        let maximum_user = reader.bits()?;
        let maximum_password = reader.bits()?;
        let user_length = reader.count("user length")?;
        let password_length = reader.count("password length")?;
        let texts = user_length.saturating_add(password_length);
        let with_token = length >= texts.saturating_add(Self::WITH_TOKEN);
        let token_length = if with_token {
            reader.integer()?;
            Some(reader.count("token length")?)
        } else {
            None
        };
        debug_assert!(with_token || reader.offset() == Self::SHORT);
        Ok(Self {
            authentication_type,
            maximum_user,
            maximum_password,
            user: reader.bytes(user_length)?,
            password: reader.bytes(password_length)?,
            token: token_length.map(|length| reader.bytes(length)).transpose()?,
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.text(b"CAUT");
        writer.integer(self.authentication_type);
        writer.bits(self.maximum_user);
        writer.bits(self.maximum_password);
        writer.count(self.user.len());
        writer.count(self.password.len());
        if let Some(token) = &self.token {
            writer.integer(0);
            writer.count(token.len());
        }
        writer.bytes(&self.user);
        writer.bytes(&self.password);
        writer.bytes(self.token.as_deref().unwrap_or_default());
        writer.pad_end();
    }
}
