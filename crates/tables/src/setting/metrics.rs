//! Counters of a server, read from its `/metrics`: what it alone can tell of the work inside.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::error::TablesError;

const LIMIT: Duration = Duration::from_secs(20);

/// One reading of all samples.
#[derive(Debug, Clone)]
pub struct Metrics {
    text: String,
}

impl Metrics {
    /// # Errors
    /// The server does not answer with 200.
    pub fn read(address: &str) -> Result<Self, TablesError> {
        let failed = |what: String| TablesError::Unexpected { what: format!("metrics at {address}: {what}") };
        let socket: SocketAddr = address.parse().map_err(|_| failed("no address".to_owned()))?;
        let exchange = || {
            let mut stream = TcpStream::connect_timeout(&socket, LIMIT)?;
            stream.set_read_timeout(Some(LIMIT))?;
            // HTTP/1.0: the answer comes in one piece and ends with the connection.
            write!(stream, "GET /metrics HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
            let mut text = String::new();
            stream.read_to_string(&mut text)?;
            std::io::Result::Ok(text)
        };
        let answer = exchange().map_err(|error| failed(error.to_string()))?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| failed("half an answer".to_owned()))?;
        let status = head.lines().next().unwrap_or_default();
        if status.split_whitespace().nth(1) != Some("200") {
            return Err(failed(status.to_owned()));
        }
        Ok(Self { text: body.to_owned() })
    }

    #[cfg(test)]
    fn of(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// Sum of all samples of this name whose labels hold `label`, such as `qmgr="QM1"`; `None` when there is none.
    pub fn sum(&self, name: &str, label: &str) -> Option<f64> {
        let value = |line: &str| {
            let (sample, value) = line.rsplit_once(' ')?;
            let labels = sample.strip_prefix(name)?;
            let is_this = labels.is_empty() || labels.starts_with('{');
            (is_this && labels.contains(label)).then(|| value.parse::<f64>().ok()).flatten()
        };
        self.text.lines().filter_map(value).reduce(|sum, value| sum + value)
    }
}

#[cfg(test)]
mod tests;
