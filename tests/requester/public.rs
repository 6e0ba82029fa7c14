//! IBM's public program of the host API (zosconnect/sample-oas3-requester, Apache-2.0): fetched by the test, never stored. It compiles
//! unchanged with the members and copybooks of ours, and calls an API through stub and server.
//!
//! One member is that of the sample: the body of a JSON patch, which no operation here sends.

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
const BOOK: &str = r#"{"title":"The Sea","authors":[{"firstName":"Ada","lastName":"Byron"},{"firstName":"Grace"}],"status":"DRAFT","formNumber":"SG24-0000-01","sizeMB":1.5}"#;

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn the_public_program_of_the_host_api_runs_unchanged() -> Result<()> {
    let sample = public_files::of_github(REPOSITORY, COMMIT, &["RedbookApi", "COPY", "COBOL"]);
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    std::fs::copy(sample.join("RedbookApi/src/main/api/redbookapi.yaml"), at.join("redbookapi.yaml"))?;
    write(&at.join("redbook.properties"), PROPERTIES)?;
    write(&at.join("PARMCALL.cbl"), CALLER)?;
    let archive = ["zconbt", "-p", "redbook.properties", "-f", "redbook.ara"];
    run(Command::new(quaymaster()?).args(archive).current_dir(at))?;
    std::fs::copy(sample.join("COPY/RBK02Q01.cpy"), at.join("members/RBK02Q01.cpy"))?;
    let stub = stub_folder()?;
    run(Command::new("cobc").args(["-x", "-o", "parmcall", "PARMCALL.cbl"]).current_dir(at))?;
    run(Command::new("cobc")
        .args(["-m", "-std=ibm-strict", "-I", "members", "-o", "BAQHRBKZ.so", "-I"])
        .arg(&stub)
        .arg(sample.join("COBOL/finish/BAQHRBKZ.cbl"))
        .current_dir(at))?;

    let api = listen()?;
    let data = at.join("data");
    std::fs::create_dir_all(data.join("zosconnect/apiRequesters"))?;
    std::fs::copy(at.join("redbook.ara"), data.join("zosconnect/apiRequesters/redbook.ara"))?;
    let endpoint = format!("[endpoint_connections.redbooks]\nhost = \"127.0.0.1\"\nport = {}\n", api.port());
    write(&data.join("quaymaster.toml"), &format!("[zosconnect]\nrequire_auth = false\n{endpoint}"))?;
    let server = Server::start(&ServerOptions::on(&data))?;
    let http = server.ready.http.context("the server speaks http")?;

    for (operation, expected) in [
        ("GARB", &["GARB Title The Sea", "GARB Title The Sea"][..]),
        ("GRBK", &["Status Code 00000200. Found Redbook", "GRBK Title The Sea"]),
        ("CRBK", &["Status Code 00000201. Created Redbook"]),
    ] {
        let mut command = Command::new(at.join("parmcall"));
        command.arg(operation).env("COB_LIBRARY_PATH", format!("{}:{}", at.display(), stub.display()));
        command.env("BAQURI", http.ip().to_string()).env("BAQPORT", http.port().to_string());
        let told = run(&mut command)?;
        let mut rest = told.as_str();
        for line in expected {
            let (_, behind) = rest.split_once(line).with_context(|| format!("{line} is not in\n{told}"))?;
            rest = behind;
        }
    }
    Ok(())
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

/// An API that has one book, and two of it in the list. It ends with the process.
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
