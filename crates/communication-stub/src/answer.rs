//! The head of an answer: bytes in, what matters to the stub out. No socket.

/// Most bytes of a head.
pub(crate) const HEAD_LIMIT: usize = 16 * 1024;

type Problem = &'static str;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) framing: Framing,
    /// The server keeps the connection.
    pub(crate) keeps: bool,
    /// Baq-Return-Code and Baq-Status-Code.
    pub(crate) return_code: Option<i32>,
    pub(crate) status_code: Option<i32>,
    /// Baq-Base-Length: bytes of the record before its data areas.
    pub(crate) base: Option<usize>,
}

/// Where the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

/// Where the head ends, its empty line included. `searched`: bytes known to hold no end.
pub(crate) fn end_of_head(bytes: &[u8], searched: usize) -> Option<usize> {
    const END: &[u8] = b"\r\n\r\n";
    let from = searched.saturating_sub(END.len() - 1);
    bytes.get(from..)?.windows(END.len()).position(|window| window == END).map(|at| from + at + END.len())
}

impl Head {
    /// An interim answer, which another follows.
    pub(crate) fn is_interim(&self) -> bool {
        (100..200).contains(&self.status)
    }

    /// Reads a head that ends with its empty line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        let mut lines = bytes.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let (minor, status) = status_line(lines.next().unwrap_or_default())?;
        let mut head = Self {
            status,
            framing: Framing::UntilClose,
            keeps: minor >= 1,
            return_code: None,
            status_code: None,
            base: None,
        };
        let mut length = None;
        let mut is_chunked = false;
        for line in lines.take_while(|line| !line.is_empty()) {
            let colon = line.iter().position(|&byte| byte == b':').ok_or("a header has no colon")?;
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if name.eq_ignore_ascii_case(b"content-length") {
                let number = decimal(value).ok_or("Content-Length is no number")?;
                if length.replace(number).is_some_and(|before| before != number) {
                    return Err("two values of Content-Length");
                }
            } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                is_chunked = value.eq_ignore_ascii_case(b"chunked");
                if !is_chunked {
                    return Err("a Transfer-Encoding other than chunked");
                }
            } else if name.eq_ignore_ascii_case(b"connection") {
                head.keeps = keeps(value, head.keeps);
            } else if name.eq_ignore_ascii_case(b"baq-return-code") {
                let code = code(value).filter(|code| (0..=2).contains(code));
                head.return_code = Some(code.ok_or("Baq-Return-Code is not 0, 1 or 2")?);
            } else if name.eq_ignore_ascii_case(b"baq-base-length") {
                let base = decimal(value).and_then(|base| usize::try_from(base).ok());
                head.base = Some(base.ok_or("Baq-Base-Length is no number")?);
            } else if name.eq_ignore_ascii_case(b"baq-status-code") {
                head.status_code = Some(code(value).ok_or("Baq-Status-Code is no number")?);
            }
        }
        head.framing = match length {
            _ if head.is_interim() || matches!(status, 204 | 304) => Framing::Length(0),
            _ if is_chunked => Framing::Chunked,
            Some(length) => Framing::Length(length),
            None => Framing::UntilClose,
        };
        Ok(head)
    }
}

/// Minor version and status.
fn status_line(line: &[u8]) -> Result<(u8, u16), Problem> {
    const NO_ANSWER: Problem = "it does not begin with HTTP/1.1 and a status";
    let rest = line.strip_prefix(b"HTTP/1.").ok_or(NO_ANSWER)?;
    let &[minor @ b'0'..=b'9', b' ', ref rest @ ..] = rest else { return Err(NO_ANSWER) };
    let (digits, after) = rest.split_at_checked(3).ok_or(NO_ANSWER)?;
    let status = decimal(digits).and_then(|status| u16::try_from(status).ok());
    let status = status.filter(|status| *status >= 100).ok_or(NO_ANSWER)?;
    if !matches!(after.first(), None | Some(b' ')) {
        return Err(NO_ANSWER);
    }
    Ok((minor - b'0', status))
}

fn keeps(value: &[u8], before: bool) -> bool {
    let mut options = value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    let has = |wanted: &[u8], option: &[u8]| option.eq_ignore_ascii_case(wanted);
    if options.clone().any(|option| has(b"close", option)) {
        return false;
    }
    before || options.any(|option| has(b"keep-alive", option))
}

fn code(value: &[u8]) -> Option<i32> {
    decimal(value).and_then(|code| i32::try_from(code).ok())
}

/// Digits and nothing else.
fn decimal(value: &[u8]) -> Option<u64> {
    let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    is_number.then(|| std::str::from_utf8(value).ok()?.parse().ok())?
}

/// The number of bytes of a chunk, from its line without the line end; extensions are ignored.
pub(crate) fn chunk_length(line: &[u8]) -> Result<u64, Problem> {
    const PROBLEM: Problem = "the length of a chunk is no number";
    let digits = line.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(PROBLEM);
    }
    let digits = std::str::from_utf8(digits).map_err(|_| PROBLEM)?;
    u64::from_str_radix(digits, 16).map_err(|_| PROBLEM)
}

#[cfg(test)]
mod tests;
