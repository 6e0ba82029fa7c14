//! Archives have what was entered, in the same bytes each time.

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::{Value, json};

use super::oci::{self, Image, Layer};
use super::tree::Tree;

fn tree() -> Tree {
    let mut tree = Tree::default();
    tree.file("/usr/bin/program", 0o755, "text");
    tree.link("usr/bin/name", "program");
    tree.folder("mnt/data", 0o1777);
    tree.file(&format!("{}/file", "long".repeat(60)), 0o644, "deep");
    tree
}

/// Entries by path: mode, kind and what is in them.
fn entries(tar: &[u8]) -> BTreeMap<String, (u32, tar::EntryType, String)> {
    let mut archive = tar::Archive::new(tar);
    let entry = |entry: std::io::Result<tar::Entry<'_, &[u8]>>| {
        let mut entry = entry.expect("an entry");
        let header = entry.header().clone();
        assert_eq!((header.uid().expect("a number"), header.mtime().expect("a number")), (0, 7));
        let path = entry.path().expect("a path").to_string_lossy().into_owned();
        let mut text = String::new();
        match entry.link_name().expect("a name or none") {
            Some(target) => text = target.to_string_lossy().into_owned(),
            None => drop(entry.read_to_string(&mut text).expect("text")),
        }
        (path, (header.mode().expect("a mode"), header.entry_type(), text))
    };
    archive.entries().expect("an archive").map(entry).collect()
}

#[test]
fn an_archive_has_files_links_and_the_folders_above_them() {
    let entries = entries(&tree().tar(7).expect("an archive"));
    assert_eq!(entries["usr/bin/program"], (0o755, tar::EntryType::Regular, "text".to_owned()));
    assert_eq!(entries["usr/bin/name"], (0o777, tar::EntryType::Symlink, "program".to_owned()));
    assert_eq!(entries["mnt/data/"], (0o1777, tar::EntryType::Directory, String::new()));
    assert_eq!(entries["usr/bin/"].0, 0o755);
    assert_eq!(entries[&format!("{}/file", "long".repeat(60))].2, "deep");
}

#[test]
fn every_descriptor_of_an_image_leads_to_a_blob_with_its_digest_and_size() {
    use sha2::{Digest, Sha256};

    let image = || Image {
        architecture: "amd64",
        created: "1970-01-01T00:00:07Z".to_owned(),
        config: json!({ "User": "1001", "Labels": { "a": "b" } }),
        name: "quaymaster:1".to_owned(),
    };
    let layers = || [Layer { tree: tree(), comment: "all" }];
    let archive = oci::archive(&image(), &layers(), 7).expect("an archive");
    assert_eq!(archive, oci::archive(&image(), &layers(), 7).expect("an archive"), "the same bytes");
    let mut files = BTreeMap::new();
    for entry in tar::Archive::new(archive.as_slice()).entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("bytes");
        files.insert(entry.path().expect("a path").to_string_lossy().into_owned(), bytes);
    }
    let json = |path: &str| serde_json::from_slice::<Value>(&files[path]).expect("JSON");
    let blob = |descriptor: &Value| {
        let digest = descriptor["digest"].as_str().expect("a digest");
        let bytes = &files[&format!("blobs/{}", digest.replace(':', "/"))];
        let digits: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((digest, descriptor["size"].as_u64()), (&*format!("sha256:{digits}"), Some(bytes.len() as u64)));
        bytes.clone()
    };
    let manifest: Value = serde_json::from_slice(&blob(&json("index.json")["manifests"][0])).expect("JSON");
    let config: Value = serde_json::from_slice(&blob(&manifest["config"])).expect("JSON");
    let layer = blob(&manifest["layers"][0]);
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(layer.as_slice()).read_to_end(&mut unpacked).expect("gzip");
    assert_eq!(unpacked, tree().tar(7).expect("an archive"));
    let digits: String = Sha256::digest(&unpacked).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(config["rootfs"]["diff_ids"], json!([format!("sha256:{digits}")]));
    assert_eq!((&config["architecture"], &config["config"]["User"]), (&json!("amd64"), &json!("1001")));
    let docker = json("manifest.json");
    assert_eq!(docker[0]["RepoTags"], json!(["quaymaster:1"]));
    assert!(files.contains_key(docker[0]["Config"].as_str().expect("a path")), "{docker}");
    assert!(files.contains_key(docker[0]["Layers"][0].as_str().expect("a path")), "{docker}");
    assert_eq!(json("oci-layout")["imageLayoutVersion"], "1.0.0");
}
