//! TLS facts as MQ names them.
