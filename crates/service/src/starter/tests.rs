//! What is made works: programs are compiled by `cobc`, read the test data, and write replies that the service understands.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;
use crate::build::{self, Built};
use crate::names::Names;

const LOAN_REQUEST: &str = "       01  LOAN-REQUEST.
           05 CUSTOMER-NAME          PIC X(20).
           05 LOAN-AMOUNT            PIC 9(7)V99  COMP-3.
           05 MONTHS                 PIC 9(3)     COMP.
";
const LOAN_REPLY: &str = "       01  LOAN-REPLY.
           05 CUSTOMER-NAME          PIC X(20).
           05 APPROVED               PIC X VALUE 'N'.
           05 MONTHS                 PIC 9(5).
";

#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn write(folder: &Path, name: &str, content: &[u8]) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(file, content).expect("written");
}

fn wanted(folder: &Path) -> Wanted {
    Wanted {
        name: "loan".to_owned(),
        request: folder.join("LOANREQ.cpy"),
        response: folder.join("LOANREP.cpy"),
        request_record: None,
        response_record: None,
        compiler: Compiler::GnuCobol,
        queues: "LOAN".to_owned(),
        user: "app".to_owned(),
        wait_interval_ms: 1000,
    }
}

struct Made {
    files: Vec<StarterFile>,
    folder: tempfile::TempDir,
}

impl Made {
    fn text(&self, name: &str) -> String {
        let file = self.files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("{name} is made"));
        String::from_utf8_lossy(&file.content).into_owned()
    }

    fn program(&self) -> String {
        let name = self.files.iter().find_map(|file| file.name.strip_suffix(".cbl")).expect("a program");
        name.to_owned()
    }
}

fn made(copybooks: &[(&str, &str)], change: impl Fn(&mut Wanted)) -> Result<Made, StarterError> {
    let folder = tempfile::tempdir().expect("a folder");
    copybooks.iter().for_each(|(name, text)| write(folder.path(), &format!("own/{name}"), text.as_bytes()));
    let mut wanted = wanted(&folder.path().join("own"));
    change(&mut wanted);
    let files = make(&wanted)?;
    files.iter().for_each(|file| write(&folder.path().join("loan"), &file.name, &file.content));
    Ok(Made { files, folder })
}

/// Compiles the program as `start.sh` does, runs it with the test data, and gives its replies as the service reads them.
fn replies(made: &Made) -> Vec<String> {
    let folder = made.folder.path().join("loan");
    let start = made.text("start.sh");
    let line = start.lines().find(|line| line.starts_with("cobc ")).expect("start.sh compiles");
    let line = line.split("||").next().expect("the command");
    let script = format!("here=.; {line} && ./{} < requests.dat > replies.dat", made.program());
    let output = Command::new("sh").args(["-ec", &script]).current_dir(&folder).stdin(Stdio::null()).output();
    let output = output.expect("a shell");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{}", made.text(&format!("{}.cbl", made.program())));
    let Built::Service(archive) = build::build(&folder).expect("the source is right") else { panic!("a service") };
    let content = archive.content(&Names::default(), &BTreeMap::new()).expect("a service");
    let transformation = content.service.transformation.expect("copybooks");
    let structure = transformation.of_responses().expect("a structure").record();
    let bytes = fs::read(folder.join("replies.dat")).expect("replies");
    let records: Vec<&[u8]> = match start.contains("--records variable") {
        false => bytes.chunks(bytes.len() / 3).collect(),
        true => {
            let mut rest = &bytes[..];
            std::iter::from_fn(|| {
                let length = usize::from(u16::from_be_bytes([*rest.first()?, *rest.get(1)?]));
                let record = &rest[4..4 + length];
                rest = &rest[4 + length..];
                Some(record)
            })
            .collect()
        }
    };
    let json = |record: &&[u8]| {
        let json = structure.decode(record, structure.ccsid(), structure.encoding()).expect("a reply");
        String::from_utf8(json).expect("text")
    };
    records.iter().map(json).collect()
}

#[test]
fn the_program_compiles_and_answers_the_test_data_with_items_of_one_name_moved() {
    let made = made(&[("LOANREQ.cpy", LOAN_REQUEST), ("LOANREP.cpy", LOAN_REPLY)], |_| {}).expect("made");
    assert_eq!(
        made.text("request.json"),
        "{\"customer_name\":\"CUSTOMER NAME\",\"loan_amount\":12.34,\"months\":123}\n"
    );
    let reply = |name, months| format!("{{\"customer_name\":\"{name}\",\"approved\":\"N\",\"months\":{months}}}");
    assert_eq!(replies(&made), [reply("CUSTOMER NAME", 123), reply("ABCDEFGHIJKLMNOPQRST", 999), reply("", 0)]);
}

#[test]
fn copybooks_without_a_level_01_in_free_format_or_with_long_lines_make_a_program() {
    let long = format!("       01  LOAN-REPLY.\n           05 APPROVED{:60}PIC X(3).\n", "");
    let free = "05 CUSTOMER-NAME PIC X(9).\n05 MONTHS PIC 9(3).\n";
    for (request, reply) in [(free, LOAN_REPLY), (LOAN_REQUEST, free), (LOAN_REQUEST, &long), (free, free)] {
        let made = made(&[("LOANREQ.cpy", request), ("LOANREP.cpy", reply)], |_| {}).expect("made");
        assert_eq!(replies(&made).len(), 3, "{request}{reply}");
    }
}

#[test]
fn records_of_variable_length_and_names_that_both_copybooks_have_make_a_program() {
    let lines = "       01  ORDER-RECORD.
           05 LINE-COUNT   PIC 9(2) COMP.
           05 LINES-OF-IT OCCURS 0 TO 5 TIMES DEPENDING ON LINE-COUNT.
              10 LINE-TEXT PIC X(4).
           05 NUMBER-OF-IT PIC 9(4).
";
    let copybooks = [("LOANREQ.cpy", lines), ("LOANREP.cpy", lines), ("FIXED.cpy", LOAN_REPLY)];
    for compiler in [Compiler::GnuCobol, Compiler::GnuCobolIbm] {
        let made_of = |reply: &'static str| {
            made(&copybooks, |wanted| {
                wanted.compiler = compiler;
                wanted.response = wanted.request.with_file_name(reply);
            })
        };
        let both = made_of("LOANREP.cpy").expect("made");
        let moved = |number| format!("{{\"lines_of_it\":[],\"number_of_it\":{number}}}");
        assert_eq!(replies(&both), [moved(1234), moved(9999), moved(0)]);
        // One copybook for both directions.
        assert_eq!(replies(&made_of("LOANREQ.cpy").expect("made")), [moved(1234), moved(9999), moved(0)]);
        assert_eq!(replies(&made_of("FIXED.cpy").expect("made")).len(), 3);
    }
}

#[test]
fn copybooks_may_have_the_file_names_that_members_of_z_os_have() {
    let names = ["@LOAN #1", "$REP.cpy"];
    let made = made(&[(names[0], LOAN_REQUEST), (names[1], LOAN_REPLY)], |wanted| {
        wanted.request.set_file_name(names[0]);
        wanted.response.set_file_name(names[1]);
    })
    .expect("made");
    assert_eq!(replies(&made).len(), 3);
}

#[test]
fn a_file_name_that_cannot_be_is_refused() {
    let told = |request: &str| {
        let copybooks = [(request, LOAN_REQUEST), ("LOANREP.cpy", LOAN_REPLY)];
        let made = made(&copybooks, |wanted| wanted.request.set_file_name(request));
        made.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(told("LOANREQ.cpy"), "");
    let long = "X".repeat(41);
    for name in ["it's.cpy", "a\"b.cpy", "a\nb.cpy", "größe.cpy", " a.cpy", "a ", long.as_str()] {
        let expected = format!("the file name '{name}' of a copybook cannot be used: use at most 40 letters, digits");
        assert!(told(name).starts_with(&expected), "{name}: {}", told(name));
    }
    for name in ["service.yaml", "LOANSRV.cbl"] {
        let expected =
            format!("the file name '{name}' of a copybook cannot be used: another file of the service has it");
        assert_eq!(told(name), expected);
    }
}

#[test]
fn queues_keep_the_case_of_their_names() {
    let copybooks = [("LOANREQ.cpy", LOAN_REQUEST), ("LOANREP.cpy", LOAN_REPLY)];
    let made = made(&copybooks, |wanted| wanted.queues = "loan".to_owned()).expect("made");
    assert!(made.text("service.yaml").contains("destination: loan.REQUEST\nreplyDestination: loan.REPLY\n"));
    let definitions = made.text("queues.mqsc");
    assert_eq!(definitions.matches("('loan.").count(), 7, "MQSC folds a name without quotes to upper case");
    assert!(!definitions.contains("(loan."), "{definitions}");
}

#[test]
fn a_user_without_a_password_is_named_before_anything_starts() {
    let copybooks = [("LOANREQ.cpy", LOAN_REQUEST), ("LOANREP.cpy", LOAN_REPLY)];
    let told = |user: &str, caller: &str| {
        let made = made(&copybooks, |wanted| wanted.user = user.to_owned()).expect("made");
        write(made.folder.path(), "data/initial-passwords", b"admin a1\napp p2\n");
        // A program of that name is all that start.sh looks for before it reads the passwords.
        let script = ": > quaymaster; chmod +x quaymaster; PATH=$PWD:$PATH; sh loan/start.sh";
        let output = Command::new("sh")
            .args(["-c", script])
            .envs([("DATA", "data"), ("CALLER", caller)])
            .current_dir(made.folder.path())
            .output()
            .expect("a shell");
        assert!(!made.folder.path().join("loan/LOANSRV").exists(), "nothing is compiled");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(
        told("app", "guest"),
        "start.sh: data/initial-passwords has no line 'guest PASSWORD'. Add it, or set CALLER to a user that the file has.\n"
    );
    assert_eq!(
        told("batch", "app"),
        "start.sh: data/initial-passwords has no line 'batch PASSWORD', by which the program connects. Add it.\n"
    );
}

#[test]
fn names_of_the_copybooks_and_names_of_the_program_do_not_meet() {
    let request = "       01  THE-RECORD.
       78  REPLIES VALUE 2.
           05 MAIN-LOGIC             PIC X(5).
           05 ANSWER-REQUEST         PIC 9(3).
           05 THE-RECORD-REPLY       PIC X OCCURS REPLIES INDEXED BY REQUESTS.
";
    let reply = "       01  THE-RECORD.\n           05 MAIN-LOGIC PIC X(5).\n           05 MONTHS PIC 9(2).\n";
    let made = made(&[("LOANREQ.cpy", request), ("LOANREP.cpy", reply)], |_| {}).expect("made");
    let reply = |name: &str| format!("{{\"main_logic\":\"{name}\",\"months\":0}}");
    assert_eq!(replies(&made), [reply("MAIN"), reply("ABCDE"), reply("")]);
}

#[test]
fn a_record_is_chosen_and_members_of_copy_come_along() {
    let several =
        "       01  A-REQUEST.\n           05 A-NAME PIC X(5).\n       01  B-REQUEST.\n           COPY COMMON.\n";
    let files =
        [("LOANREQ.cpy", several), ("LOANREP.cpy", LOAN_REPLY), ("COMMON.cpy", "           05 MONTHS PIC 9(2).\n")];
    let refused = made(&files, |_| {}).err().map(|error| error.to_string());
    assert_eq!(
        refused.as_deref(),
        Some("LOANREQ.cpy has the records A-REQUEST, B-REQUEST; name the one of the request with --request-record")
    );
    let made = made(&files, |wanted| wanted.request_record = Some("B-REQUEST".to_owned())).expect("made");
    assert_eq!(made.text("request.json"), "{\"months\":12}\n");
    let reply = |months| format!("{{\"customer_name\":\"\",\"approved\":\"N\",\"months\":{months}}}");
    assert_eq!(replies(&made), [reply(12), reply(99), reply(0)]);
}

#[test]
fn one_copybook_with_records_of_both_directions_makes_a_program() {
    let both = "       01  ASK.\n           05 MONTHS PIC 9(2).\n           05 ASK-COUNT PIC 9(2).
           05 ASK-TEXT OCCURS 0 TO 3 TIMES DEPENDING ON ASK-COUNT PIC X(4).
       01  ANSWER.\n           05 MONTHS PIC 9(4).\n           05 ANSWER-COUNT PIC 9(2).
           05 ANSWER-TEXT OCCURS 0 TO 9 TIMES DEPENDING ON ANSWER-COUNT PIC X(9).\n           05 REST PIC X(2).\n";
    let made = made(&[("LOANREQ.cpy", both)], |wanted| {
        wanted.response.clone_from(&wanted.request);
        (wanted.request_record, wanted.response_record) = (Some("ASK".to_owned()), Some("ANSWER".to_owned()));
    })
    .expect("made");
    let reply = |months| format!("{{\"months\":{months},\"answer_text\":[],\"rest\":\"\"}}");
    assert_eq!(replies(&made), [reply(12), reply(99), reply(0)]);
}

#[test]
fn a_program_of_z_os_gets_everything_but_a_program() {
    let made = made(&[("LOANREQ.cpy", LOAN_REQUEST), ("LOANREP.cpy", LOAN_REPLY)], |wanted| {
        wanted.compiler = Compiler::Enterprise;
    })
    .expect("made");
    let names: Vec<&str> = made.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "LOANREP.cpy",
            "LOANREQ.cpy",
            "api.yaml",
            "queues.mqsc",
            "request.json",
            "requests.dat",
            "requests.jsonl",
            "service.yaml",
            "start.sh"
        ]
    );
    assert!(!made.text("start.sh").contains("cobc"));
    let data = made.files.iter().find(|file| file.name == "requests.dat").expect("test data");
    assert_eq!(data.content[..8], [0xC3, 0xE4, 0xE2, 0xE3, 0xD6, 0xD4, 0xC5, 0xD9]);
}

#[test]
fn a_name_that_cannot_be_is_refused_with_what_could() {
    let check = |change: fn(&mut Wanted)| {
        let mut wanted = wanted(Path::new(""));
        change(&mut wanted);
        wanted.check().err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(check(|_| {}), "");
    assert!(check(|wanted| wanted.name = "../x".to_owned()).starts_with("the name '../x' cannot be used"));
    assert!(check(|wanted| wanted.user = "it's".to_owned()).starts_with("the user 'it's' cannot be used"));
    assert!(check(|wanted| wanted.queues = "A B".to_owned()).starts_with("the queues cannot begin with 'A B'"));
    let names =
        ["LOANREQ.cpy", "orders-request.cpy", "REQ.cpy", "7.cpy", "CUST_IN"].map(|file| name_of(Path::new(file)));
    assert_eq!(names, ["loan", "orders", "req", "service", "cust"]);
}
