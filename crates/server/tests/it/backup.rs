//! `backup` and `restore`: of a queue manager that runs and of one at rest, again into the same folder, under another name.

use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};

use crate::program::{BINARY, Folder, Server, shown};

fn depth(folder: &Folder, name: &str) -> String {
    folder.run(&["depth", "DEV.QUEUE.1", "-m", name])
}

#[test]
fn a_running_queue_manager_is_backed_up_and_restored_under_another_name() {
    let (folder, backups) = (Folder::new(), Folder::new());
    let server = Server::start(&folder, &[]);
    let long: String = ["0123456789abcdef"; 130_000].concat();
    assert!(folder.run(&["put", "DEV.QUEUE.1", "first", "--persistent"]).starts_with("exit 0\n"));
    assert!(folder.run_with(&["put", "DEV.QUEUE.1", "--persistent"], &long).starts_with("exit 0\n"));
    assert!(folder.run(&["put", "DEV.QUEUE.1", "not persistent", "--nonpersistent"]).starts_with("exit 0\n"));

    let to = backups.join("QM1").display().to_string();
    let said = folder.run(&["backup", "QM1", "--to", &to]);
    assert!(said.starts_with("exit 0\nout: Queue manager QM1 was backed up to "), "{said}");

    // After the backup.
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: first\n");
    assert!(folder.run(&["put", "DEV.QUEUE.1", "second", "--persistent"]).starts_with("exit 0\n"));

    let said = folder.run(&["restore", "QM2", "--from", &to]);
    assert!(said.starts_with("exit 0\nout: Queue manager QM2 was restored from "), "{said}");
    assert!(folder.run(&["dspmq", "-m", "QM2"]).contains("Ended normally"));
    let said = folder.run(&["strmqm", "QM2"]);
    assert!(said.starts_with("exit 0\n"), "{said}");
    assert_eq!(folder.run(&["get", "DEV.QUEUE.1", "-m", "QM2"]), "exit 0\nout: first\n");
    assert!(
        folder.run(&["get", "DEV.QUEUE.1", "-m", "QM2"]) == format!("exit 0\nout: {long}\n"),
        "the long one is there"
    );
    assert_eq!(depth(&folder, "QM2"), "exit 0\nout: 0\n", "nothing else was there when the backup began");
    let shown = folder.run(&["mqsc", "QM2", "DISPLAY QMGR QMID"]);
    assert!(shown.contains("QMNAME(QM2)") && shown.contains("QMID(QM2_"), "{shown}");
    assert_eq!(depth(&folder, "QM1"), "exit 0\nout: 3\n", "the queue manager itself went on");

    let said = folder.run(&["restore", "--from", &to]);
    assert!(said.starts_with("exit 1\nerr: AMQ8110E: Queue manager QM1 exists already."), "{said}");
    let said = folder.run(&["backup", "QM2", "--to", &to]);
    assert!(said.starts_with("exit 1\n") && said.contains("backup of another log"), "{said}");
    assert_eq!(server.terminate().0, Some(0));
}

#[test]
fn a_second_backup_copies_what_is_new_and_a_queue_manager_at_rest_is_backed_up_too() {
    let (folder, backups, other) = (Folder::new(), Folder::new(), Folder::new());
    let to = backups.join("QM1").display().to_string();
    let new_bytes = || -> u64 {
        let said = folder.run(&["backup", "--json", "--to", &to]);
        let answer = said.strip_prefix("exit 0\nout: ").unwrap_or_else(|| panic!("{said}"));
        let answer: serde_json::Value = serde_json::from_str(answer).expect("JSON");
        answer["newBytes"].as_u64().expect("a number")
    };
    let server = Server::start(&folder, &[]);
    let all = new_bytes();
    assert!(folder.run(&["put", "DEV.QUEUE.1", "one more", "--persistent"]).starts_with("exit 0\n"));
    let more = new_bytes();
    assert!(0 < more && more < all / 4, "{more} of {all} bytes");
    assert_eq!(server.terminate().0, Some(0));
    assert!(new_bytes() < all / 4, "of a queue manager at rest");

    let said = other.run(&["restore", "--from", &to, "--verify"]);
    assert!(said.starts_with("exit 0\nout: The backup of QM1 in "), "{said}");
    let said = other.run(&["restore", "--from", &to]);
    assert!(said.starts_with("exit 0\nout: Queue manager QM1 was restored from "), "{said}");
    let _server = Server::start(&other, &[]);
    assert_eq!(other.run(&["get", "DEV.QUEUE.1"]), "exit 0\nout: one more\n");
}

#[test]
fn what_is_no_backup_or_is_damaged_is_refused_and_leaves_nothing() {
    let (folder, backups, other) = (Folder::new(), Folder::new(), Folder::new());
    assert!(folder.run(&["crtmqm", "QM1"]).starts_with("exit 0\n"));
    let to = backups.join("QM1").display().to_string();
    let said = other.run(&["restore", "--from", &backups.path().display().to_string()]);
    assert!(said.starts_with("exit 1\n") && said.contains("holds no complete backup"), "{said}");
    let log = folder.join("qmgrs/QM1/log").display().to_string();
    let _server = Server::start(&folder, &[]);
    let said = folder.run(&["backup", "--to", &log]);
    assert!(said.starts_with("exit 1\n") && said.contains("another server is using"), "{said}");
    assert!(folder.run(&["backup", "--to", &to]).starts_with("exit 0\n"));
    let extent = backups.join("QM1/extent-0000000001");
    let bytes = std::fs::read(&extent).expect("readable");
    let middle = bytes.len() / 2;
    let open = std::fs::OpenOptions::new().write(true).open(&extent).expect("open");
    open.write_all_at(&[bytes[middle] ^ 1], middle as u64).expect("written");
    for arguments in [&["restore", "--from", &to, "--verify"][..], &["restore", "--from", &to]] {
        let said = other.run(arguments);
        assert!(said.starts_with("exit 1\n") && said.contains("extent-0000000001 of the backup is damaged"), "{said}");
    }
    assert_eq!(other.run(&["dspmq"]), "exit 0\n");
    assert!(!other.join("qmgrs/.restoring.QM1").exists());
}

/// A shell with the binary as `$QM`, on this data directory.
fn shell(folder: &Folder, script: &str) -> String {
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", script]).env("QM", BINARY).env("QUAYMASTER_DATA", folder.path());
    folder.filtered(&shown(&shell.stdin(Stdio::null()).output().expect("bash starts")))
}

#[test]
fn a_backup_goes_through_a_pipe_from_a_running_server_to_another() {
    let (folder, other, files) = (Folder::new(), Folder::new(), Folder::new());
    let _server = Server::start(&folder, &[]);
    let _target = Server::start(&other, &["--qmgr", "HUB"]);
    let long: String = ["0123456789abcdef"; 130_000].concat();
    assert!(folder.run(&["put", "DEV.QUEUE.1", "first", "--persistent"]).starts_with("exit 0\n"));
    assert!(folder.run_with(&["put", "DEV.QUEUE.1", "--persistent"], &long).starts_with("exit 0\n"));

    let to = other.path().display();
    let said =
        shell(&folder, &format!("$QM backup QM1 --to - | gzip | gzip -d | $QM restore QM2 --from - --data {to}"));
    assert!(said.starts_with("exit 0\nout: Queue manager QM2 was restored from standard input: "), "{said}");
    assert!(said.contains("err: Queue manager QM1 was backed up to standard output: "), "{said}");
    assert!(other.run(&["strmqm", "QM2"]).starts_with("exit 0\n"));
    assert_eq!(other.run(&["get", "DEV.QUEUE.1", "-m", "QM2"]), "exit 0\nout: first\n");
    assert!(other.run(&["get", "DEV.QUEUE.1", "-m", "QM2"]) == format!("exit 0\nout: {long}\n"), "the long one");

    // A file, under the name that it had; tar makes a folder of it that is a backup as well.
    let file = files.join("QM1.tar").display().to_string();
    let folder_of = files.path().display();
    assert!(shell(&folder, &format!("$QM backup QM1 --json --to - > {file}")).contains("\"newBytes\""));
    let said = other.run(&["restore", "--from", "-", "--verify"]);
    assert!(said.starts_with("exit 1\n") && said.contains("no complete backup"), "of nothing: {said}");
    let said = shell(&other, &format!("$QM restore --from - --verify < {file}"));
    assert!(said.starts_with("exit 0\nout: The backup of QM1 in standard input is whole: "), "{said}");
    assert!(shell(&other, &format!("$QM restore --from - < {file}")).starts_with("exit 0\nout: Queue manager QM1 was"));
    let said = shell(&other, &format!("$QM restore --from - < {file}"));
    assert!(said.starts_with("exit 1\nerr: AMQ8110E: Queue manager QM1 exists already."), "{said}");
    let said = shell(
        &other,
        &format!("mkdir {folder_of}/u && tar -xf {file} -C {folder_of}/u && $QM restore QM3 --from {folder_of}/u"),
    );
    assert!(said.starts_with("exit 0\nout: Queue manager QM3 was restored from "), "{said}");
}

#[test]
fn a_stream_that_is_cut_or_damaged_is_refused_and_leaves_nothing() {
    let (folder, other) = (Folder::new(), Folder::new());
    assert!(folder.run(&["crtmqm", "QM1"]).starts_with("exit 0\n"));
    for damage in ["head -c -1000", "head -c 100000", "head -c 0", "sed 's/QMNAME\\|SYSTEM/QMXAME/'"] {
        for verify in ["", "--verify"] {
            let script = format!(
                "$QM backup QM1 --to - 2> /dev/null | {damage} | $QM restore --from - {verify} --data {}",
                other.path().display()
            );
            let said = shell(&folder, &script);
            assert!(said.starts_with("exit 1\n"), "{damage}: {said}");
            assert!(said.contains("no complete backup") || said.contains("is damaged"), "{damage}: {said}");
        }
    }
    assert_eq!(other.run(&["dspmq"]), "exit 0\n");
    let left = std::fs::read_dir(other.join("qmgrs")).into_iter().flatten().count();
    assert_eq!(left, 0, "nothing is left of what was refused");
    let said = shell(&folder, "$QM backup QM1 --to - > /dev/full");
    assert!(said.starts_with("exit 1\n") && said.contains("cannot write the stream of the backup"), "{said}");
}
