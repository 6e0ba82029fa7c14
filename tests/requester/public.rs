//! IBM's public programs that call APIs (zosconnect/sample-oas3-requester with the host API, zosconnect-sample-cobol-apirequester with
//! BAQCSTUB; Apache-2.0): fetched by the tests, never stored. They compile unchanged, and call an API through stub and server.
//!
//! Of the first, one member is that of the sample: the body of a JSON patch, which no operation here sends. Programs of IMS get their
//! messages from modules of the test.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::program::{quaymaster, stub_folder};
use system_tests::server::{Server, ServerOptions};

const REPOSITORY: &str = "zosconnect/sample-oas3-requester";
const COMMIT: &str = "5a39f77ce3946d632e98920ed37ce49a20d2b554";
const PROPERTIES: &str = "apiDescriptionFile=redbookapi.yaml\nlanguage=COBOL\ndataStructuresLocation=members\n\
    apiInfoFileLocation=members\nlogFileDirectory=logs\nrequesterPrefix=RBK\nrequesterExtension=cpy\nmappingLevel=5.0\n\
    apiName=RedbookApi\nconnectionRef=redbooks\ndefaultCharacterMaxLength=50\ndefaultFractionDigits=2\n";
/// What JCL does: a length and the text of PARM.
const CALLER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PARMCALL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  PARM-BUFFER.
           05 PARM-LENGTH PIC S9(4) COMP VALUE 4.
           05 PARM-TEXT   PIC X(100).
       PROCEDURE DIVISION.
           ACCEPT PARM-TEXT FROM COMMAND-LINE
           CALL 'BAQHRBKZ' USING PARM-BUFFER
           STOP RUN.
";
const CLAIMS: (&str, &str) =
    ("zosconnect/zosconnect-sample-cobol-apirequester", "d4fa75e7c57a99b84efabf1b35d2eb5dc8724485");
const CLAIM: &str = r#"{"claim-type":"DRUG","amount":"100","status":"Accepted","reason":"Normal claim"}"#;
/// Stand-ins for IMS: a region, and DL/I with one message, which the environment names.
const IMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/requester/ims");
const BOOK: &str = r#"{"title":"The Sea","authors":[{"firstName":"Ada","lastName":"Byron"},{"firstName":"Grace"}],"status":"DRAFT","formNumber":"SG24-0000-01","sizeMB":1.5}"#;

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn the_public_programs_of_the_host_api_run_unchanged() -> Result<()> {
    let sample = public_files::of_github(REPOSITORY, COMMIT, &["RedbookApi", "COPY", "COBOL"]);
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    std::fs::copy(sample.join("RedbookApi/src/main/api/redbookapi.yaml"), at.join("redbookapi.yaml"))?;
    write(&at.join("redbook.properties"), PROPERTIES)?;
    write(&at.join("PARMCALL.cbl"), CALLER)?;
    let archive = ["zconbt", "-p", "redbook.properties", "-f", "redbook.ara"];
    run(Command::new(quaymaster()?).args(archive).current_dir(at))?;
    for member in ["RBK02Q01.cpy", "BAQHCIMS.cpy"] {
        std::fs::copy(sample.join("COPY").join(member), at.join("members").join(member))?;
    }
    let stub = stub_folder()?;
    run(Command::new("cobc").args(["-x", "-o", "parmcall", "PARMCALL.cbl"]).current_dir(at))?;
    ims(at)?;
    for program in ["BAQHRBKZ", "BAQHRBKT", "BAQHRBKB"] {
        run(Command::new("cobc")
            .args(["-m", "-std=ibm-strict", "-I", "members", "-o", &format!("{program}.so"), "-I"])
            .arg(&stub)
            .arg(sample.join(format!("COBOL/finish/{program}.cbl")))
            .current_dir(at))?;
    }

    let server = server(at, "redbook.ara", "redbooks")?;

    for (operation, expected) in [
        ("GARB", &["GARB Title The Sea", "GARB Title The Sea"][..]),
        ("GRBK", &["Status Code 00000200. Found Redbook", "GRBK Title The Sea"]),
        ("CRBK", &["Status Code 00000201. Created Redbook"]),
    ] {
        // By JCL, as a message, and as the parameter of a batch program.
        for (caller, program, message) in [
            ("parmcall", operation, String::new()),
            ("imsregn", "BAQHRBKT", format!("BAQHRBKT {operation}")),
            ("imsregn", "BAQHRBKB", operation.to_owned()),
        ] {
            let told = call(&server, at, &[caller, program], &message)?;
            let mut rest = told.as_str();
            for line in expected {
                let (_, behind) =
                    rest.split_once(line).with_context(|| format!("{program}: {line} is not in\n{told}"))?;
                rest = behind;
            }
        }
    }
    Ok(())
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn the_public_claims_have_their_members_and_the_program_runs_unchanged() -> Result<()> {
    let sample = public_files::of_github(CLAIMS.0, CLAIMS.1, &["source"]).join("source");
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    // Only its folders are not those of the sample; its members are of a level that is not our default.
    let properties = std::fs::read_to_string(sample.join("config/claims.properties"))?;
    let theirs = properties.lines().find_map(|line| line.strip_prefix("logFileDirectory=")).context("a folder")?;
    let properties = properties.replace(theirs, &at.display().to_string());
    write(&at.join("claims.properties"), &format!("{properties}\nmappingLevel=4.3\n"))?;
    std::fs::copy(sample.join("config/claims.json"), at.join("claims.json"))?;
    let archive = ["zconbt", "-p", "claims.properties", "-f", "claims.ara"];
    run(Command::new(quaymaster()?).args(archive).current_dir(at))?;
    for (ours, public) in [("CLA00Q01", "claimreq"), ("CLA00P01", "claimrsp"), ("CLA00I01", "claiminf")] {
        let ours = code_lines(&at.join("structures").join(ours))?;
        assert_eq!(ours, code_lines(&sample.join(format!("cobol/{public}.cpy")))?, "{public}");
    }

    let stub = stub_folder()?;
    let copies = at.join("copies");
    write(&copies.join("baqrinfo.cpy"), &std::fs::read_to_string(stub.join("BAQRINFO.cpy"))?)?;
    ims(at)?;
    run(Command::new("cobc")
        .args(["-m", "-std=ibm", "-ffold-copy=lower", "-o", "IMSCLAIM.so", "-I", "copies", "-I"])
        .args([sample.join("cobol"), sample.join("cobol/imsclaim.cbl")])
        .current_dir(at))?;

    let server = server(at, "claims.ara", "nodejsClaims")?;
    let message = "IMSCLAIM  DRUG    11/27/20260000100.00ASPIRIN";
    let told = call(&server, at, &["imsregn", "IMSCLAIM"], message)?;
    let answer = "ISRT DRUG    ACCEPTED  ASPIRIN             0000100.00CLAIM WAS PROCESSED";
    ensure!(told.contains(answer) && told.contains("BAQCSTUB CONNECTION TERMINATED"), "{told}");
    Ok(())
}

/// Compiles the stand-ins for IMS.
fn ims(at: &Path) -> Result<()> {
    for (output, form, source) in
        [("imsregn", "-x", "IMSREGN"), ("CBLTDLI.so", "-m", "CBLTDLI"), ("AIBTDLI.so", "-m", "AIBTDLI")]
    {
        let source = format!("{IMS}/{source}.cbl");
        run(Command::new("cobc").args([form, "-std=ibm", "-o", output, &source]).current_dir(at))?;
    }
    Ok(())
}

/// A server with the API of `listen` behind an archive.
fn server(at: &Path, archive: &str, connection: &str) -> Result<Server> {
    let api = listen()?;
    let data = at.join("data");
    std::fs::create_dir_all(data.join("zosconnect/apiRequesters"))?;
    std::fs::copy(at.join(archive), data.join("zosconnect/apiRequesters").join(archive))?;
    let endpoint = format!("[endpoint_connections.{connection}]\nhost = \"127.0.0.1\"\nport = {}\n", api.port());
    write(&data.join("quaymaster.toml"), &format!("[zosconnect]\nrequire_auth = false\n{endpoint}"))?;
    Server::start(&ServerOptions::on(&data))
}

/// Runs a compiled program, with its argument, to the end: what it displays.
fn call(server: &Server, at: &Path, words: &[&str; 2], message: &str) -> Result<String> {
    let http = server.ready.http.context("the server speaks http")?;
    let mut command = Command::new(at.join(words[0]));
    command.arg(words[1]).env("IMS_MESSAGE", message);
    command.env("COB_LIBRARY_PATH", format!("{}:{}", at.display(), stub_folder()?.display()));
    run(command.env("BAQURI", http.ip().to_string()).env("BAQPORT", http.port().to_string()))
}

/// Lines of a member that are no comments, without blanks at their ends.
fn code_lines(member: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(member).with_context(|| member.display().to_string())?;
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && line.chars().nth(6) != Some('*'));
    Ok(lines.map(str::to_owned).collect())
}

#[expect(clippy::disallowed_methods, reason = "a file in the test's own folder")]
fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::create_dir_all(file.parent().context("a folder")?)?;
    Ok(std::fs::write(file, text)?)
}

/// Runs to the end: standard output.
fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{command:?}\n{told}\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(told)
}

/// An API that has one book, and two of it in the list, and accepts claims. It ends with the process.
fn listen() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A caller that goes away in between has its own test.
            std::thread::spawn(move || drop(serve(stream)));
        }
    });
    Ok(address)
}

/// Answers the requests of a connection.
fn serve(mut stream: TcpStream) -> Result<()> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        while let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
            let whole = end + 4 + length.unwrap_or(0);
            if bytes.len() < whole {
                break;
            }
            let (status, body) = match head.split(' ').take(2).collect::<Vec<_>>().as_slice() {
                ["get", path] if path.starts_with("/redbooks") => (200, format!("[{BOOK},{BOOK}]")),
                ["get", path] if path.starts_with("/claim/rule?") => (200, CLAIM.to_owned()),
                ["post", _] => (201, BOOK.to_owned()),
                _ => (200, BOOK.to_owned()),
            };
            let length = body.len();
            let head =
                format!("HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
            stream.write_all((head + &body).as_bytes())?;
            bytes.drain(..whole);
        }
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    }
}
