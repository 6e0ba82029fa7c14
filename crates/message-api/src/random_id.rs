//! Numbers that cannot be guessed, as 32 hexadecimal digits: what tokens of deliveries and names of jobs are made of.

use std::fmt;

use rand::RngCore;
use rand::rngs::OsRng;

pub(crate) fn draw() -> u128 {
    let mut bytes = [0; 16];
    OsRng.fill_bytes(&mut bytes);
    u128::from_be_bytes(bytes)
}

pub(crate) fn read(text: &str) -> Option<u128> {
    let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u128::from_str_radix(text, 16).ok() } else { None }
}

pub(crate) fn write(f: &mut fmt::Formatter<'_>, id: u128) -> fmt::Result {
    write!(f, "{id:032x}")
}
