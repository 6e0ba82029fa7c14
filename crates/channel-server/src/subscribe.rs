//! MQSUB, MQSUBRQ, and the SPI form of subscribing.
