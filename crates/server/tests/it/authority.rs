//! `setmqaut` and `dspmqaut` against a server: what they grant, what they print, how they end.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::program::{Folder, Server};

/// Exit code and the identifier on standard error, of a command line in words.
fn ends(folder: &Folder, line: &str) -> (String, String) {
    let words: Vec<_> = line.split(' ').collect();
    let shown = folder.run(&words);
    let code = shown.lines().next().and_then(|line| line.strip_prefix("exit ")).unwrap_or_default().to_owned();
    let message = shown.lines().find_map(|line| line.strip_prefix("err: ")).unwrap_or_default();
    (code, message.split(':').next().unwrap_or_default().to_owned())
}

#[test]
fn authorities_are_granted_shown_taken_away_and_removed() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let set = folder.run(&["setmqaut", "-m", "QM1", "-n", "DEV.QUEUE.1", "-t", "queue", "-p", "eva", "+put", "+get"]);
    assert!(set.starts_with("exit 0\nout: AMQ7024I"), "{set}");
    let show = |arguments: &[&str]| folder.run(&[&["dspmqaut", "-m", "QM1"], arguments].concat());
    let of_eva = ["-n", "DEV.QUEUE.1", "-t", "q", "-p", "eva"];
    assert_eq!(
        show(&of_eva),
        "exit 0\nout: Authorities of principal eva on queue DEV.QUEUE.1:\nout: \tget\nout: \tput\n"
    );
    let json = show(&[&of_eva[..], &["--json"]].concat());
    let json: serde_json::Value =
        serde_json::from_str(json.strip_prefix("exit 0\nout: ").expect("one line")).expect("JSON");
    assert_eq!(json["authorities"], serde_json::json!(["get", "put"]));
    assert_eq!((&json["entity"], &json["entityType"]), (&"eva".into(), &"principal".into()));

    // All at once: what is there goes, then what is named comes.
    assert_eq!(ends(&folder, "setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva -all +browse+inq").0, "0");
    assert!(show(&of_eva).ends_with(":\nout: \tbrowse\nout: \tinq\n"), "{}", show(&of_eva));
    // From left to right: what is taken away last is gone.
    assert_eq!(ends(&folder, "setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva +all -alladm -allmqi +inq+browse").0, "0");
    assert!(show(&of_eva).ends_with(":\nout: \tbrowse\nout: \tinq\n"), "{}", show(&of_eva));
    assert_eq!(ends(&folder, "setmqaut -m QM1 -n DEV.** -t queue -g staff -p eva +alladm").0, "0");
    assert!(show(&["-n", "DEV.QUEUE.2", "-t", "queue", "-g", "staff"]).contains("out: \tchg\n"));
    // The more specific profile counts alone.
    assert!(show(&of_eva).ends_with(":\nout: \tbrowse\nout: \tinq\n"));
    assert_eq!(ends(&folder, "setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva -remove").0, "0");
    assert!(show(&of_eva).contains("out: \tclr\n"));

    assert_eq!(ends(&folder, "setmqaut -m QM1 -t qmgr -g staff +connect +inq").0, "0");
    assert_eq!(
        show(&["-t", "qmgr", "-g", "staff"]),
        "exit 0\nout: Authorities of group staff on qmgr QM1:\nout: \tconnect\nout: \tinq\n"
    );
    let records = folder.run(&["mqsc", "QM1", "DISPLAY AUTHREC GROUP('staff') OBJTYPE(QMGR)"]);
    assert!(records.contains("AUTHLIST(CONNECT,INQ)"), "{records}");
    drop(server);
}

/// The command line in words, over HTTPS as a user of the server; its data directory is of no use to it.
fn by_url(folder: &Folder, url: &str, user: &str, line: &str) -> String {
    let file = |name: &str| folder.join(name).display().to_string();
    let (ca, passwords, nowhere) = (file("tls/ca.crt"), file("initial-passwords"), file("nowhere"));
    let how = ["--url", url, "--user", user, "--password-file", &passwords, "--cacert", &ca, "--data", &nowhere];
    folder.run(&line.split(' ').chain(how).collect::<Vec<_>>())
}

#[test]
fn authorities_are_set_and_shown_by_url_as_on_the_machine() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let url = format!("https://{}", server.address("https"));
    let run = |user: &str, line: &str| by_url(&folder, &url, user, line);
    let set = run("admin", "setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva -all +put +get");
    assert_eq!(set, "exit 0\nout: AMQ7024I: The authorities are set.\n");
    let show = "dspmqaut -m QM1 -n DEV.QUEUE.1 -t q -p eva";
    let here = folder.run(&show.split(' ').collect::<Vec<_>>());
    assert!(here.ends_with(":\nout: \tget\nout: \tput\n"), "{here}");
    assert_eq!(run("admin", show), here);
    assert_eq!(run("reader", show), here);
    for (user, line, code, message) in [
        ("reader", "setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva +browse", "71", "AMQ8135E"),
        ("admin", "setmqaut -m QM1 -n NONE -t queue -p eva +put", "133", "AMQ7085E"),
        ("admin", "setmqaut -m QM9 -n DEV.QUEUE.1 -t queue -p eva +put", "72", "AMQ8118E"),
        ("admin", "dspmqaut -m QM1 -n NONE -t queue -p eva", "133", "AMQ7085E"),
    ] {
        let said = run(user, line);
        assert!(said.starts_with(&format!("exit {code}\nerr: {message}")), "{line}: {said}");
    }
    drop(server);
    let nobody = run("admin", show);
    assert!(nobody.starts_with("exit 40\nerr: AMQ8146E"), "{nobody}");
    assert!(run("admin", "setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva").starts_with("exit 150\nerr: AMQ7096E"));
}

#[test]
fn what_is_wrong_has_its_exit_code_and_identifier() {
    let folder = Folder::new();
    let pair = |code: &str, message: &str| (code.to_owned(), message.to_owned());
    let before = ends(&folder, "setmqaut -m QM1 -n A -t queue -p eva +put");
    assert_eq!(before, pair("40", "AMQ8146E"), "no server runs");
    let server = Server::start(&folder, &[]);
    for (line, code, message) in [
        ("setmqaut -m QM1 -n NONE -t queue -p eva +put", "133", "AMQ7085E"),
        ("setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva -remove", "133", "AMQ7085E"),
        ("setmqaut -m QM1 -n QX -t qmgr -p eva +connect", "145", "AMQ7091E"),
        ("setmqaut -m QM1 -t queue -p eva +put", "146", "AMQ7092E"),
        ("setmqaut -m QM1 -n DEV.QUEUE.1 -p eva +put", "147", "AMQ7093E"),
        ("setmqaut -m QM1 -n DEV.QUEUE.1 -t quue -p eva +put", "148", "AMQ7094E"),
        ("setmqaut -m QM1 -n DEV.QUEUE.1 -t queue +put", "149", "AMQ7095E"),
        ("setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva", "150", "AMQ7096E"),
        ("setmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p eva +fly", "151", "AMQ7097E"),
        ("setmqaut -m QM9 -n DEV.QUEUE.1 -t queue -p eva +put", "72", "AMQ8118E"),
        ("dspmqaut -m QM1 -n DEV.QUEUE.1 -t queue", "149", "AMQ7095E"),
        ("dspmqaut -m QM1 -n NONE -t queue -p eva", "133", "AMQ7085E"),
    ] {
        assert_eq!(ends(&folder, line), pair(code, message), "{line}");
    }
    assert_eq!(ends(&folder, "dspmqaut --nonsense").0, "36");
    drop(server);
}

#[test]
fn a_refusal_is_logged_once_with_the_command_that_grants_it() {
    let folder = Folder::new();
    let server = Server::start_with(&folder, &[], &[("MQ_APP_PASSWORD", "app-password")]);
    let credentials = STANDARD.encode("app:app-password");
    let authorization = format!("Authorization: Basic {credentials}\r\n");
    let path = "/ibmmq/rest/v3/messaging/qmgr/QM1/queue/SYSTEM.DEAD.LETTER.QUEUE/message";
    assert_eq!(server.get(path, &authorization), 403);
    assert_eq!(server.get(path, &authorization), 403);
    let errors = server.errors_with("AMQ8077W");
    let line = errors.lines().find(|line| line.contains("AMQ8077W")).expect("the line");
    let grant = "SET AUTHREC PROFILE('SYSTEM.DEAD.LETTER.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(BROWSE,INQ)";
    for part in ["SYSTEM.DEAD.LETTER.QUEUE", "QUEUE", "app", "BROWSE", grant] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let granted = folder.run(&["mqsc", "QM1", grant]);
    assert!(granted.starts_with("exit 0"), "{granted}");
    assert_eq!(server.get(path, &authorization), 204);
    let (_, errors) = server.terminate();
    assert_eq!(errors.matches("AMQ8077W").count(), 1, "{errors}");
    assert!(!errors.contains("app-password"));
}
