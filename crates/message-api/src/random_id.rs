//! Numbers that cannot be guessed, as 32 hexadecimal digits: what tokens of deliveries and names of jobs are made of.

use std::fmt;

use model::hex;

/// By the thread's generator, which is a cryptographic one and asks the system for its seeds alone.
pub(crate) fn draw() -> u128 {
    rand::random()
}

pub(crate) fn read(text: &str) -> Option<u128> {
    hex::read(text).map(u128::from_be_bytes)
}

pub(crate) fn write(f: &mut fmt::Formatter<'_>, id: u128) -> fmt::Result {
    f.write_str(hex::write(&id.to_be_bytes(), &mut [0; 32]))
}
