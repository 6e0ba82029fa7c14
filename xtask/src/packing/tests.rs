//! Archives have what was entered, in the same bytes each time.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::oci::{self, Image, Layer};
use super::program::{Architecture, Program};
use super::tree::Tree;
use super::{image, packages_of, toolkit};

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

/// Copies what is packed, as a clone with this umask would have it, in an order of its own.
fn copy(from: &Path, to: &Path, umask: u32, is_reversed: bool) {
    if from.is_file() {
        std::fs::copy(from, to).expect("a copy");
        let run = from.metadata().expect("about it").permissions().mode() & 0o100;
        let mode = if run == 0 { 0o666 } else { 0o777 };
        return std::fs::set_permissions(to, PermissionsExt::from_mode(mode & !umask)).expect("a mode");
    }
    std::fs::create_dir_all(to).expect("a folder");
    let mut names: Vec<_> =
        from.read_dir().expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    if is_reversed {
        names.reverse();
    }
    for name in names {
        copy(&from.join(&name), &to.join(&name), umask, is_reversed);
    }
    std::fs::set_permissions(to, PermissionsExt::from_mode(0o777 & !umask)).expect("a mode");
}

/// Everything that is handed out but the list of parts, made in a clone of the repository.
fn handed_out(umask: u32, is_reversed: bool) -> BTreeMap<String, Vec<u8>> {
    let clone = tempfile::tempdir().expect("a folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = here.parent().expect("the repository");
    std::fs::create_dir(clone.path().join("docs")).expect("a folder");
    for path in ["packaging", "LICENSE", "docs/zconbt.md"] {
        copy(&repository.join(path), &clone.path().join(path), umask, is_reversed);
    }
    symlink("packaging/default", clone.path().join("link")).expect("a link");
    let native = here.join("src/packing/program.sh");
    let program = Program::of(Architecture::X86, true, b"GLIBC_2.34\0");
    let static_program = Program::of(Architecture::X86, false, b"static");
    let names = ["dspmq".to_owned()];
    let image = image::write_to(clone.path(), clone.path(), &static_program, None, &names, 7).expect("an image");
    let mut made: BTreeMap<_, _> = packages_of(clone.path(), &program, Some(&static_program.bytes), &native, 7)
        .expect("packages")
        .into_iter()
        .collect();
    made.insert("image".to_owned(), std::fs::read(&image).expect("the image"));
    std::fs::remove_file(image).expect("it is there");
    made.insert("toolkit".to_owned(), toolkit::archive_of(clone.path(), &program).expect("an archive"));
    made.insert("folder".to_owned(), Tree::read(clone.path(), "folder").expect("a tree").tar(7).expect("an archive"));
    made
}

#[test]
fn each_archive_has_the_same_bytes_from_another_clone_at_another_time() {
    let made = handed_out(0o022, false);
    // ZIP archives count by two seconds.
    std::thread::sleep(Duration::from_millis(2100));
    let later = handed_out(0o077, true);
    assert_eq!(made.len(), 11, "{:?}", made.keys());
    assert!(made.keys().eq(later.keys()), "{:?} {:?}", made.keys(), later.keys());
    for (name, bytes) in &made {
        assert!(*bytes == later[name], "{name} differs");
    }
    let folder = entries(&made["folder"]);
    assert_eq!(folder["folder/LICENSE"].0, 0o644);
    assert_eq!(folder["folder/link"], (0o777, tar::EntryType::Symlink, "packaging/default".to_owned()));
}
