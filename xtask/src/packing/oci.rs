//! An image as one tar archive: an OCI layout, which is also what `docker load` reads.
//!
//! ```text
//! oci-layout  index.json  manifest.json  blobs/sha256/DIGEST
//! ```
//! `manifest.json` is the older index of `docker save`; it names the same blobs.
//! Source: OCI image specification 1.1, image layout, manifest and configuration.

use anyhow::Result;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::tree::{Tree, gzip};

/// What of an image is not its layers.
pub(super) struct Image {
    /// Of OCI: amd64, arm64.
    pub architecture: &'static str,
    /// RFC 3339.
    pub created: String,
    /// The member `config` of the configuration.
    pub config: Value,
    /// `quaymaster:0.1.0`.
    pub name: String,
}

/// A layer and what is said of it in the history.
pub(super) struct Layer {
    pub tree: Tree,
    pub comment: &'static str,
}

struct Blobs(Tree);

impl Blobs {
    /// Descriptor of the bytes, which are a blob afterwards.
    fn add(&mut self, media_type: &str, bytes: Vec<u8>) -> Value {
        let digest = digest(&bytes);
        let size = bytes.len();
        self.0.file(&path_of(&digest), 0o644, bytes);
        json!({ "mediaType": format!("application/vnd.oci.image.{media_type}"), "digest": digest, "size": size })
    }
}

/// The archive.
///
/// # Errors
/// A path is longer than an archive takes.
pub(super) fn archive(image: &Image, layers: &[Layer], date: u64) -> Result<Vec<u8>> {
    let mut blobs = Blobs(Tree::default());
    let (mut descriptors, mut contents, mut history) = (Vec::new(), Vec::new(), Vec::new());
    for layer in layers {
        let tar = layer.tree.tar(date)?;
        contents.push(digest(&tar));
        descriptors.push(blobs.add("layer.v1.tar+gzip", gzip(&tar)?));
        history.push(json!({ "created": image.created, "created_by": "cargo xtask image", "comment": layer.comment }));
    }
    let config = json!({
        "created": image.created,
        "architecture": image.architecture,
        "os": "linux",
        "config": image.config,
        "rootfs": { "type": "layers", "diff_ids": contents },
        "history": history,
    });
    let config = blobs.add("config.v1+json", text(&config));
    let paths: Vec<String> =
        descriptors.iter().map(|layer| path_of(layer["digest"].as_str().unwrap_or_default())).collect();
    let docker = json!([{
        "Config": path_of(config["digest"].as_str().unwrap_or_default()),
        "RepoTags": [image.name],
        "Layers": paths,
    }]);
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config,
        "layers": descriptors,
        "annotations": image.config["Labels"],
    });
    let mut manifest = blobs.add("manifest.v1+json", text(&manifest));
    manifest["platform"] = json!({ "architecture": image.architecture, "os": "linux" });
    manifest["annotations"] = json!({
        "io.containerd.image.name": format!("docker.io/library/{}", image.name),
        "org.opencontainers.image.ref.name": image.name.split(':').next_back(),
    });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [manifest],
    });
    let mut whole = blobs.0;
    whole.file("index.json", 0o644, text(&index));
    whole.file("manifest.json", 0o644, text(&docker));
    whole.file("oci-layout", 0o644, text(&json!({ "imageLayoutVersion": "1.0.0" })));
    whole.tar(date)
}

/// `sha256:` and the digits.
fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", digits(bytes))
}

/// SHA-256 as hexadecimal digits.
pub(super) fn digits(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn path_of(digest: &str) -> String {
    format!("blobs/{}", digest.replace(':', "/"))
}

fn text(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
