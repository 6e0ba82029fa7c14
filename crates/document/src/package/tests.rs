//! Archives as they come from outside.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Limits, MAXIMUM_ENTRIES, MAXIMUM_UNPACKED, Package, PackageError, Packer};

/// A zip file made without our checks.
fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, options).expect("begun");
        zip.write_all(content).expect("written");
    }
    zip.finish().expect("finished").into_inner()
}

#[test]
fn entries_are_read_by_name_and_directories_are_none() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_directory("files/", SimpleFileOptions::default()).expect("added");
    zip.start_file("files\\A.cpy", SimpleFileOptions::default()).expect("begun");
    zip.write_all(b"01 A.").expect("written");
    let package = Package::read(&zip.finish().expect("finished").into_inner()).expect("an archive");
    assert_eq!(package.names_below("").collect::<Vec<_>>(), ["files/A.cpy"]);
    assert_eq!(package.text("files/A.cpy"), Ok("01 A."));
    assert_eq!(package.text("x"), Err(PackageError::Missing { name: "x".to_owned() }));
}

#[test]
fn a_name_that_leads_out_of_the_archive_is_refused() {
    for name in ["../a", "a/../b", "/etc/passwd", "C:\\a", "a//b", "./a", "a/..\\b", "a\nb"] {
        let refused = Package::read(&zipped(&[(name, b"x")]));
        assert!(matches!(refused, Err(PackageError::Name { .. })), "{name:?}: {refused:?}");
    }
    let long = "a".repeat(513);
    assert!(matches!(Package::read(&zipped(&[(&long, b"x")])), Err(PackageError::Name { .. })));
    // Two spellings of one name.
    assert!(Package::read(&zipped(&[("a/b", b"1"), ("a\\b", b"2")])).is_err());
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused() {
    let much = vec![0; 1 + usize::try_from(MAXIMUM_UNPACKED).expect("fits") / 2];
    let bomb = zipped(&[("a", &much), ("b", &much)]);
    assert!(bomb.len() < 1 << 20, "it is small itself: {}", bomb.len());
    assert_eq!(Package::read(&bomb), Err(PackageError::TooMuch { limit: MAXIMUM_UNPACKED }));
}

#[test]
fn a_length_that_the_directory_understates_does_not_let_more_in() {
    let content = vec![b'x'; 100_000];
    let mut lying = zipped(&[("a", &content)]);
    let length = 100_000_u32.to_le_bytes();
    let places: Vec<usize> = (0..lying.len() - 4).filter(|&at| lying[at..at + 4] == length).collect();
    assert_eq!(places.len(), 2, "the length stands before the entry and in the directory");
    for at in places {
        lying[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    let read = Package::read(&lying);
    assert!(read.as_ref().map_or(true, |package| package.get("a").is_some_and(|it| it.len() <= 100_000)), "{read:?}");
}

#[test]
fn too_many_entries_are_refused() {
    let names: Vec<String> = (0..=MAXIMUM_ENTRIES).map(|index| format!("e{index}")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(Package::read(&zipped(&entries)), Err(PackageError::TooManyEntries { limit: MAXIMUM_ENTRIES }));
}

#[test]
fn what_is_no_archive_and_what_is_damaged_is_told() {
    for bytes in [&b""[..], b"PK", b"not a zip file at all"] {
        assert!(matches!(Package::read(bytes), Err(PackageError::Damaged { .. })));
    }
    let whole = zipped(&[("a", b"some content that can be damaged"), ("b", b"more")]);
    for cut in 0..whole.len() {
        let _ = Package::read(&whole[..cut]);
    }
    // A content that does not fit its checksum.
    let at = whole.windows(1).position(|_| true).expect("not empty") + 40;
    let mut damaged = whole.clone();
    damaged[at] ^= 0x55;
    assert_ne!(Package::read(&damaged).ok(), Package::read(&whole).ok());
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_and_written_alike(
        entries in prop::collection::btree_map("[a-z]{1,8}(/[a-zA-Z0-9._-]{1,8}x)?", prop::collection::vec(any::<u8>(), 0..200), 0..8)
    ) {
        let mut package = Package::default();
        for (name, content) in &entries {
            package.insert(name, content.clone()).expect("a name");
        }
        let archive = package.write().expect("written");
        let read = Package::read(&archive);
        prop_assert_eq!(read.as_ref(), Ok(&package));
        prop_assert_eq!(package.write(), Ok(archive));
    }

    #[test]
    fn no_bytes_make_reading_panic(flips in prop::collection::vec((0_usize..400, any::<u8>()), 1..6)) {
        let mut archive = zipped(&[("manifest.yml", b"name: x\nprovider: mq\n"), ("files/A.cpy", b"01 A PIC X.")]);
        for (at, value) in flips {
            let length = archive.len();
            archive[at % length] = value;
        }
        let _ = Package::read(&archive);
    }
}

#[test]
fn what_is_packed_entry_by_entry_is_read_back_and_has_its_directories() {
    let mut packer = Packer::new(Limits::SERVICE);
    packer.add("a/b/c.txt", b"first").expect("added");
    packer.add("a/d.txt", b"second").expect("added");
    assert_eq!(packer.add("a/d.txt", b""), Err(PackageError::Name { name: "a/d.txt".to_owned() }));
    assert!(matches!(packer.add("../d.txt", b""), Err(PackageError::Name { .. })));
    let archive = packer.finish().expect("packed");
    let zip = zip::ZipArchive::new(Cursor::new(&archive)).expect("a zip file");
    let names: Vec<_> = zip.file_names().map(|name| name.expect("a name").into_owned()).collect();
    assert_eq!(names, ["a/", "a/b/", "a/b/c.txt", "a/d.txt"]);
    let package = Package::read_within(&archive, &Limits::SERVICE, |name| name.ends_with("c.txt")).expect("read");
    assert_eq!(package.names_below("").collect::<Vec<_>>(), ["a/b/c.txt"]);
    assert_eq!(package.text("a/b/c.txt"), Ok("first"));
}

#[test]
fn a_packer_stops_at_its_limits() {
    let limits = Limits { archive: 100, entries: 3, unpacked: 1000 };
    let mut packer = Packer::new(limits);
    assert_eq!(packer.add("a", &[0; 1001]), Err(PackageError::TooMuch { limit: 1000 }));
    let mut packer = Packer::new(limits);
    packer.add("a/b", b"").expect("added");
    packer.add("a/c", b"").expect("added");
    assert_eq!(packer.add("a/d", b""), Err(PackageError::TooManyEntries { limit: 3 }));
    assert_eq!(packer.finish().map(|archive| archive.len()), Err(PackageError::TooLong { limit: 100 }));
}
