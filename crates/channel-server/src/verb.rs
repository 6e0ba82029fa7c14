//! The MQI verbs, one file each.
