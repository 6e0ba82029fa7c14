//! What every door does about TLS in the same way: files of certificates, whom to believe, which certificate to show, and
//! what the published names of CipherSpecs mean.
//!
//! Doors keep their own configurations of rustls. Nothing here opens a socket or makes a key.

pub mod anchors;
pub mod any_certificate;
pub mod certificate_name;
pub mod cipher_spec;
pub mod files;
pub mod identity;
pub mod served;
