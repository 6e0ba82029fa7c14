//! MQSUB, MQSUBRQ, and the SPI form of subscribing.

use channel_protocol::cursor::Reader;
use channel_protocol::error::DecodeError;
use channel_protocol::flow::spi::Spi;
use channel_protocol::flow::spi_subscribe::SpiSubscribe;
use model::reason::Reason;

use crate::verb::Call;

/// MQSUB.
pub(crate) async fn subscribe(_call: &Call<'_>, _reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    Err(DecodeError::Refused(Reason::FunctionNotSupported))
}

/// MQSUBRQ.
pub(crate) async fn request(_call: &Call<'_>, _reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    Err(DecodeError::Refused(Reason::FunctionNotSupported))
}

/// SPI verb 7.
pub(crate) async fn subscribe_by_spi(call: &Call<'_>, _request: &Spi, _wanted: &SpiSubscribe) {
    call.refuse(Reason::FunctionNotSupported);
}
