//! `doctor` on a server whose queues need attention, and the archive of `support`, which has no secret.

use std::process::Command;

use crate::program::{Folder, Server};

#[test]
fn what_waits_on_queues_is_told_by_doctor_and_in_the_archive_without_messages_and_passwords() {
    let folder = Folder::new();
    folder.write("quaymaster.toml", "[web.users]\nops = \"hunter2\"\n\n[limits]\nwaiting_requests = 777\n");
    let _server = Server::start(&folder, &[]);
    assert!(folder.run(&["doctor"]).contains("ok       queues: QM1 has no queue that needs attention"));
    folder.run(&["mqsc", "QM1", "DEFINE QLOCAL(SMALL) MAXDEPTH(1) DESCR('kept small')"]);
    for queue in ["SMALL", "DEV.DEAD.LETTER.QUEUE"] {
        folder.run(&["put", queue, "hunter2 in a message"]);
    }
    let said = folder.run(&["doctor"]);
    assert!(said.starts_with("exit 4"), "{said}");
    for line in [
        "warning  dead letters: DEV.DEAD.LETTER.QUEUE of QM1 has 1 message: `quaymaster browse -m QM1",
        "warning  depth: SMALL of QM1 has 1 message of 1: ",
        "ok       descriptors: ",
    ] {
        assert!(said.contains(line), "{line} is missing: {said}");
    }

    let archive = folder.join("support.tar.gz").display().to_string();
    let said = folder.run(&["support", "--out", &archive]);
    assert!(said.starts_with("exit 0") && said.contains("no password, key or message"), "{said}");
    let unpacked = Command::new("tar").args(["-xzOf", &archive]).output().expect("tar runs");
    let text = String::from_utf8_lossy(&unpacked.stdout);
    for part in [
        "depth: SMALL of QM1",
        "web.users = { ops = \"(left out)\" }",
        "limits.waiting_requests = 777",
        "DESCR('kept small')",
        "QUEUE(SMALL)",
        "initial-passwords",
        "MemTotal",
    ] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    for secret in ["hunter2", folder.password("app").as_str(), "PRIVATE KEY"] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
}
