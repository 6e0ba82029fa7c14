//! The reply to a verb: how it ended, and the structures behind.

use channel_protocol::assembly::Unit;
use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::call::ApiHeader;
use model::reason::{CompletionCode, Reason};

use crate::error::ChannelError;

/// How a call ended, in the numbers of the MQI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    pub completion: i32,
    pub reason: i32,
}

impl Ended {
    pub const WELL: Self = Self { completion: 0, reason: 0 };

    pub fn is_failed(self) -> bool {
        self.completion >= CompletionCode::Failed as i32
    }

    /// # Errors
    /// It failed.
    pub fn well(self, verb: &'static str) -> Result<(), ChannelError> {
        if self.is_failed() { Err(self.error(verb)) } else { Ok(()) }
    }

    pub(crate) fn error(self, verb: &'static str) -> ChannelError {
        ChannelError::Refused { verb, completion: CompletionCode::Failed, number: self.reason }
    }

    pub(crate) fn warning(self) -> Option<Reason> {
        let warned = self.completion == CompletionCode::Warning as i32;
        warned.then(|| Reason::from_number(self.reason).unwrap_or(Reason::UnexpectedError))
    }
}

pub(crate) struct Reply {
    verb: &'static str,
    pub(crate) header: ApiHeader,
    unit: Unit,
}

impl Reply {
    /// # Errors
    /// The reply is shorter than an API header.
    pub(crate) fn new(verb: &'static str, unit: Unit) -> Result<Self, ChannelError> {
        let header = ApiHeader::decode(&mut Reader::new("API header", &unit.body, unit.form));
        let header = header.map_err(|error| ChannelError::broken(error.to_string()))?;
        Ok(Self { verb, header, unit })
    }

    pub(crate) fn ended(&self) -> Ended {
        Ended { completion: self.header.completion, reason: self.header.reason }
    }

    /// The reply, unless the call failed. Warnings are well.
    pub(crate) fn well(self) -> Result<Self, ChannelError> {
        if self.header.completion < CompletionCode::Failed as i32 {
            return Ok(self);
        }
        Err(ChannelError::Refused { verb: self.verb, completion: CompletionCode::Failed, number: self.header.reason })
    }

    /// For calls whose warnings say that they did not do what was asked.
    pub(crate) fn without_warning(self) -> Result<(), ChannelError> {
        match self.header.completion {
            0 => Ok(()),
            completion => {
                let failed = completion >= CompletionCode::Failed as i32;
                let completion = if failed { CompletionCode::Failed } else { CompletionCode::Warning };
                Err(ChannelError::Refused { verb: self.verb, completion, number: self.header.reason })
            }
        }
    }

    pub(crate) fn warning(&self) -> Option<Reason> {
        self.ended().warning()
    }

    /// Reads what follows the API header.
    ///
    /// # Errors
    /// It is not what it should be: the queue manager breaks the protocol.
    pub(crate) fn read<T>(
        &self,
        decode: impl FnOnce(&mut Reader<'_>) -> Result<T, DecodeError>,
    ) -> Result<T, ChannelError> {
        let mut reader = Reader::new(self.verb, &self.unit.body, self.unit.form);
        ApiHeader::decode(&mut reader)
            .map_err(DecodeError::from)
            .and_then(|_| decode(&mut reader))
            .map_err(|error| ChannelError::broken(format!("the reply to {}: {error}", self.verb)))
    }
}
