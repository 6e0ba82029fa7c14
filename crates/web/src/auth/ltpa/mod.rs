//! LTPA version 2: key files, tokens and the cookie that carries them.

pub mod cookie;
