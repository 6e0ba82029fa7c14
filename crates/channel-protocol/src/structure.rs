//! MQI structures as they lie within calls: every field kept, encoding undoes decoding.
//!
//! Pointers are four bytes and zero on the wire; offsets count from the start of the structure. What a field means is the
//! engine's business: `model` types are made by the `to_model` of each structure.

pub mod char_string;
pub mod connect_options;
pub mod descriptor_image;
pub mod distribution;
pub mod get_options;
pub mod message_descriptor;
pub mod object_descriptor;
pub mod open_attributes;
pub mod put_options;
pub mod status_structure;
pub mod subscription_descriptor;
pub mod xid;
