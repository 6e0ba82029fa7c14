//! What `runmqsc -v` prints.

use command::{split, verify};

pub(crate) fn verified(script: &str) -> String {
    split(script).iter().flat_map(|source| verify(&source.text).lines).map(|line| line + "\n").collect()
}
