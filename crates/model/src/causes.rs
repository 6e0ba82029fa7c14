//! An error and what caused it, as one line.

use std::error::Error;

/// `cannot open x: Permission denied`. A cause that its error already ends with is not repeated.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Failure {
        #[error("cannot open x")]
        Plain(#[source] std::io::Error),
        #[error("cannot open x: {0}")]
        WithCause(#[source] std::io::Error),
    }

    #[test]
    fn every_cause_is_told_once() {
        let denied = || std::io::Error::other("denied");
        for failure in [Failure::Plain(denied()), Failure::WithCause(denied())] {
            assert_eq!(chain(&failure), "cannot open x: denied");
        }
    }
}
