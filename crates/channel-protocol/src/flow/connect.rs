//! MQCONN, request and reply alike; MQDISC is an API header alone both ways.
//!
//! ```text
//!   0 queue manager name   48      76 application type    4     112 bits of the client  4
//!  48 application name     28      80 accounting token   32     116 MQCNO Options       4
//!                                                               120 FCNO (`structure::connect_options`), by client
//! ```
//!
//! The reply repeats all of it, with the queue manager's real name. All MQCNO options of the program are at 116: seen of the Java client
//! 9.4.2 with options of accounting and of connection tags, one by one and together, while it had 15 at 112. Source: reference, section 7 (C; lengths of older
//! clients, 120 to 460 bytes, D).

use bytes::Bytes;
use model::text::Text;

use crate::cursor::{Reader, Writer};
use crate::error::ProtocolError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connect {
    pub queue_manager: Text<48>,
    pub application_name: Text<28>,
    /// MQAT_*.
    pub application_type: i32,
    pub accounting_token: [u8; 32],
    /// The client's own: 7 or 15 of the Java client.
    pub client_bits: u32,
    /// MQCNO_*, as the program gave them.
    pub options: u32,
    /// What follows, as it is; a reply repeats it.
    pub rest: Bytes,
}

/// Where the connect options hold the connection tag.
const TAG: usize = 12;
/// Where the connect options of the Java client hold the identifier of a connection that was lost, and how it begins.
const LOST_CONNECTION: usize = 332;
const IDENTIFIER: &[u8] = b"AMQC";

impl Connect {
    /// A client that reconnects by itself makes a conversation again that it has lost.
    pub fn is_reconnection(&self) -> bool {
        self.rest.get(LOST_CONNECTION..).is_some_and(|lost| lost.starts_with(IDENTIFIER))
    }

    /// The connection tag, of a client whose connect options have one.
    pub fn tag(&self) -> Option<[u8; 128]> {
        self.rest.get(TAG..TAG + 128)?.try_into().ok()
    }

    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, ProtocolError> {
        reader.enter("MQCONN");
        Ok(Self {
            queue_manager: reader.text()?,
            application_name: reader.text()?,
            application_type: reader.integer()?,
            accounting_token: reader.array()?,
            client_bits: reader.bits()?,
            options: reader.bits()?,
            rest: reader.rest(),
        })
    }

    pub fn encode(&self, writer: &mut Writer<'_>) {
        writer.text(self.queue_manager.as_bytes());
        writer.text(self.application_name.as_bytes());
        writer.integer(self.application_type);
        writer.bytes(&self.accounting_token);
        writer.bits(self.client_bits);
        writer.bits(self.options);
        writer.bytes(&self.rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;

    /// As the Java client 9.4.2 sends it for MQCNO_ACCOUNTING_MQI_DISABLED, MQCNO_ACCOUNTING_Q_ENABLED and MQCNO_SERIALIZE_CONN_TAG_QSG.
    #[test]
    fn the_options_of_a_program_stand_behind_the_bits_of_its_client() {
        let mut bytes = [b' '; 120];
        bytes[76..112].fill(0);
        bytes[112..116].copy_from_slice(&15_u32.to_be_bytes());
        bytes[116..120].copy_from_slice(&0x6004_u32.to_be_bytes());
        let connect =
            Connect::decode(&mut Reader::new("MQCONN", &Bytes::copy_from_slice(&bytes), Form::BIG)).expect("decodes");
        assert_eq!((connect.client_bits, connect.options), (15, 0x6004));
    }
}
