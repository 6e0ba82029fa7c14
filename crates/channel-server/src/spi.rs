//! Calls beside the MQI that modern clients make.
