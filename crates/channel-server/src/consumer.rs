//! Asynchronous consumers: messages that are sent to a client without an MQGET of their own.
