use super::*;

fn files(folder: &Path, file_bytes: u64, files: u32) -> RecordLines {
    RecordLines::new(LineFiles { folder: folder.join("records"), file_bytes, files }, "QM1")
}

fn read(folder: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join("records").join(name)).ok()
}

#[test]
fn no_file_is_longer_than_allowed_and_the_oldest_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = files(folder.path(), 8, 3);
    assert_eq!(read(folder.path(), "QM1.jsonl"), None, "nothing before the first line");
    for line in ["aaa", "bbb", "ccc", "ddd", "eee", "fff", "ggg"] {
        lines.write(line);
    }
    assert_eq!(read(folder.path(), "QM1.jsonl").as_deref(), Some("ggg\n"));
    assert_eq!(read(folder.path(), "QM1.jsonl.1").as_deref(), Some("eee\nfff\n"));
    assert_eq!(read(folder.path(), "QM1.jsonl.2").as_deref(), Some("ccc\nddd\n"));
    assert_eq!(read(folder.path(), "QM1.jsonl.3"), None);
}

#[test]
fn a_line_longer_than_a_file_has_a_file_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = files(folder.path(), 4, 2);
    for line in ["a", "longer than allowed", "b"] {
        lines.write(line);
    }
    assert_eq!(read(folder.path(), "QM1.jsonl").as_deref(), Some("b\n"));
    assert_eq!(read(folder.path(), "QM1.jsonl.1").as_deref(), Some("longer than allowed\n"));
}

#[test]
fn the_next_server_goes_on_where_the_last_one_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), 8, 1).write("aaa");
    files(folder.path(), 8, 1).write("bbb");
    assert_eq!(read(folder.path(), "QM1.jsonl").as_deref(), Some("aaa\nbbb\n"));
    files(folder.path(), 8, 1).write("ccc");
    assert_eq!(read(folder.path(), "QM1.jsonl").as_deref(), Some("ccc\n"));
    assert_eq!(read(folder.path(), "QM1.jsonl.1"), None, "one file is all there may be");
}

#[test]
fn lines_that_cannot_be_written_are_counted_until_they_can() {
    let folder = tempfile::tempdir().expect("a folder");
    File::create(folder.path().join("records")).expect("a file in the folder's place");
    let lines = files(folder.path(), 100, 1);
    lines.write("lost");
    assert_eq!(lines.state.lock().expect("not poisoned").lost, 1);
    std::fs::remove_file(folder.path().join("records")).expect("removed");
    lines.write("kept");
    assert_eq!(read(folder.path(), "QM1.jsonl").as_deref(), Some("kept\n"));
    assert_eq!(lines.state.lock().expect("not poisoned").lost, 0);
}
