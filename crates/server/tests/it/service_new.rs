//! `service new` on a terminal: what is not given is asked for, and wrong answers are asked for again.

use std::process::Command;

use crate::program::{BINARY, Folder, finish};

const REQUEST: &str =
    "       01  ASK.\n           05 A PIC X(5).\n       01  ASK-AGAIN.\n           05 MONTHS PIC 9(2).\n";
const REPLY: &str = "       01  ANSWER.\n           05 MONTHS PIC 9(4).\n";

/// Runs it on a terminal of its own.
fn on_terminal(folder: &Folder, options: &str, answers: &str) -> String {
    let mut command = Command::new("script");
    command.args(["-qec", &format!("{BINARY} service new ORDREQ.cpy ORDREP.cpy {options}"), "/dev/null"]);
    command.current_dir(folder.path()).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    String::from_utf8_lossy(&finish(command, answers).stdout).replace('\r', "")
}

fn copybooks() -> Folder {
    let folder = Folder::new();
    folder.write("ORDREQ.cpy", REQUEST);
    folder.write("ORDREP.cpy", REPLY);
    folder
}

#[test]
fn what_is_not_given_is_asked_for_and_enter_takes_the_default() {
    let folder = copybooks();
    let told = on_terminal(&folder, "--user batch", "1orders\norders\nnone\nask-again\n\nSHOP.ORDERS\n\n");
    for line in [
        "Name of the service and its API [ord]: ",
        "the name '1orders' cannot be used",
        "Record of the requests (ASK, ASK-AGAIN) [ASK]: ",
        "expected one of ASK, ASK-AGAIN",
        "Compiler of the program (enterprise, gnucobol, gnucobol-ibm) [gnucobol]: ",
        "First part of the names of the queues [ORDERS]: ",
        "Milliseconds to wait for a reply [10000]: ",
        "Next: orders/start.sh",
    ] {
        assert!(told.contains(line), "{line} is not in\n{told}");
    }
    assert!(!told.contains("User of the program"), "it was given: {told}");
    let source = folder.read("orders/service.yaml");
    for line in
        ["destination: SHOP.ORDERS.REQUEST", "requestRecord: ASK-AGAIN", "compiler: gnucobol", "waitInterval: 10000"]
    {
        assert!(source.contains(&format!("{line}\n")), "{line} is not in\n{source}");
    }
    assert!(folder.read("orders/queues.mqsc").contains("PRINCIPAL('batch')"));
}

#[test]
fn a_third_wrong_answer_ends_the_command_and_leaves_nothing_behind() {
    let folder = copybooks();
    let told = on_terminal(&folder, "--request-record ASK", "1\n2\n3\n");
    assert!(told.contains("the name '3' cannot be used: letters, digits"), "{told}");
    let left = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(left, 2);
}

#[test]
fn without_a_terminal_the_defaults_are_taken() {
    let folder = copybooks();
    let arguments = |name: &str| folder.join(name).display().to_string();
    let (request, reply, out) = (arguments("ORDREQ.cpy"), arguments("ORDREP.cpy"), arguments("made"));
    let told = folder.run(&["service", "new", &request, &reply, "--out", &out]);
    assert!(
        told.contains("ORDREQ.cpy has the records ASK, ASK-AGAIN; name the one of the request with --request-record"),
        "{told}"
    );
    let told = folder.run(&["service", "new", &request, &reply, "--out", &out, "--request-record", "ASK"]);
    assert!(told.starts_with("exit 0") && told.contains("Next: DIR/made/start.sh"), "{told}");
}
