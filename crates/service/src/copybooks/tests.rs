use model::descriptor::{Ccsid, Encoding};
use queue_manager::clock::SystemClock;

use super::*;
use crate::registry::Settings;

const ORDER: &str = "       01  ORDER-RECORD.\n           05  ORDER-NUMBER  PIC 9(4).\n           05  PRICE         PIC S9(3)V99 COMP-3.\n";

struct Server {
    registry: Registry,
    copybooks: CopybookFolder,
    folder: tempfile::TempDir,
}

impl Server {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let registry = Registry::new(folder.path().join("zosconnect"), Settings::default(), Arc::new(SystemClock));
        let copybooks = CopybookFolder::new(folder.path().join("copybooks"));
        let server = Self { registry, copybooks, folder };
        fs::create_dir(server.folder.path().join("copybooks")).expect("the folder");
        files.iter().for_each(|(name, text)| server.write(name, text));
        server.copybooks.poll();
        server
    }

    #[expect(clippy::disallowed_methods, reason = "a temporary folder of a test")]
    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join("copybooks").join(name), text).expect("it is written");
    }

    fn find(&self, name: &str) -> Result<Arc<RecordStructure>, NoStructure> {
        find(&self.registry, &self.copybooks, name)
    }

    fn names(&self) -> Vec<String> {
        all(&self.registry, &self.copybooks).into_iter().map(|one| one.name).collect()
    }

    fn problem(&self, name: &str) -> String {
        match self.find(name) {
            Err(NoStructure::Unusable(problem)) => problem,
            Err(NoStructure::Unknown) => "unknown".to_owned(),
            Ok(_) => "none".to_owned(),
        }
    }
}

#[test]
fn a_file_is_a_copybook_by_its_name_and_converts_as_services_do_by_default() {
    let server = Server::with(&[("ORDER.cpy", ORDER), ("notes.txt", "no copybook"), (".hidden.cpy", ORDER)]);
    assert_eq!(server.names(), ["ORDER"]);
    let order = server.find("ORDER").expect("the copybook");
    let written = order.encode(br#"{"order_number":17,"price":-1.5}"#, None, None).expect("a record");
    assert_eq!(written.data, b"\xF0\xF0\xF1\xF7\x00\x15\x0D");
    assert_eq!((written.ccsid, written.encoding), (Ccsid(37), Encoding::Z_OS));
    let json = order.decode(&written.data, Ccsid::Q_MGR, Encoding::NATIVE).expect("JSON");
    assert_eq!(json, br#"{"order_number":17,"price":-1.5}"#);
}

#[test]
fn a_record_is_written_and_read_as_the_message_says() {
    let server = Server::with(&[("N.cpy", "01 R. 05 A PIC X(2). 05 N PIC S9(9) COMP. 05 F COMP-1.")]);
    let structure = server.find("N").expect("the copybook");
    let cases: [(i32, Encoding, &[u8]); 3] = [
        (37, Encoding::Z_OS, b"\x81\x82\0\0\x01\x02\x41\x18\0\0"),
        (819, Encoding::BIG_ENDIAN, b"ab\0\0\x01\x02\x3f\xc0\0\0"),
        (1208, Encoding::LITTLE_ENDIAN, b"ab\x02\x01\0\0\0\0\xc0\x3f"),
    ];
    for (ccsid, encoding, bytes) in cases {
        let lower = br#"{"a":"ab","n":258,"f":1.5}"#;
        let written = structure.encode(lower, Some(Ccsid(ccsid)), Some(encoding)).expect("a record");
        assert_eq!(written.data, bytes, "{ccsid}");
        assert_eq!(structure.decode(bytes, Ccsid(ccsid), encoding).expect("JSON"), lower, "{ccsid}");
    }
    let error = structure.decode(b"ab", Ccsid(99_999), Encoding::Z_OS).expect_err("no such set");
    assert_eq!(error.to_string(), "CCSID 99999 is not known");
}

#[test]
fn records_of_a_file_with_several_are_named_behind_it() {
    let server = Server::with(&[("ORDERS.cpy", "01 HEAD. 05 A PIC X.\n01 LINE. 05 B PIC X(2).\n")]);
    assert_eq!(server.names(), ["ORDERS/HEAD", "ORDERS/LINE"]);
    assert_eq!(server.find("ORDERS/line").expect("the record").lengths(), (2, 2));
    assert_eq!(server.problem("ORDERS"), "it has several records: choose ORDERS/HEAD or ORDERS/LINE");
    assert_eq!(server.problem("ORDERS/OTHER"), "unknown");
}

#[test]
fn properties_beside_a_copybook_say_how_it_converts() {
    let text = "01 R.\n 05 A PIC X(4).\n 05 B REDEFINES A PIC 9(4).\n";
    let server = Server::with(&[("R.cpy", text), ("R.properties", "use=B\nccsid=1208\nnames=cobol\n")]);
    let structure = server.find("R").expect("the copybook");
    let written = structure.encode(br#"{"B":12}"#, None, None).expect("a record");
    assert_eq!((&written.data[..], written.ccsid), (&b"0012"[..], Ccsid(1208)));
    server.write("R.properties", "requestStructure=x\n");
    server.copybooks.poll();
    assert_eq!(server.problem("R"), "R.properties: 'requestStructure' is no property of a copybook");
}

#[test]
fn a_copybook_that_is_wrong_is_named_with_its_line_and_takes_no_other_with_it() {
    let server = Server::with(&[
        ("BAD.cpy", "01 R.\n 05 A PIC Q.\n"),
        ("ORDER.cpy", ORDER),
        ("COPIES.cpy", "01 R.\nCOPY NONE.\n"),
    ]);
    assert_eq!(server.names(), ["BAD", "COPIES", "ORDER"]);
    assert!(server.problem("BAD").starts_with("BAD.cpy: line 2, column"), "{}", server.problem("BAD"));
    assert!(server.problem("COPIES").contains("line 2"), "{}", server.problem("COPIES"));
    assert_eq!(server.problem("ORDER"), "none");
}

#[test]
fn a_copybook_that_changes_counts_at_the_next_look_and_one_that_goes_is_gone() {
    let server = Server::with(&[("A.cpy", "01 R.\nCOPY PART.\n"), ("PART.cpy", "05 X PIC X.\n")]);
    assert_eq!(server.find("A").expect("the copybook").lengths(), (1, 1));
    server.write("PART.cpy", "05 X PIC X(100).\n");
    server.copybooks.poll();
    assert_eq!(server.find("A").expect("the copybook").lengths(), (100, 100));
    fs::remove_file(server.folder.path().join("copybooks/A.cpy")).expect("it is removed");
    server.copybooks.poll();
    assert_eq!(server.problem("A"), "unknown");
    fs::remove_dir_all(server.folder.path().join("copybooks")).expect("it is removed");
    server.copybooks.poll();
    assert!(server.names().is_empty());
}
