//! The chain of the report: the remote API, the server with the API requester, and the COBOL programs that call it, made of the
//! report's own parts by the programs that users have for them.

use std::path::{Path, PathBuf};
use std::process::Command;

use workload::client::single::Single;
use workload::client::target::Trust;

use super::super::messaging::pair::{with_passwords, write};
use super::super::messaging::service::{deploy_archive, run};
use crate::error::TablesError;
use crate::session::Session;
use crate::setting::process::Process;
use crate::setting::server::{Server, ServerPlan};

/// The report's client program, as the example has it.
const PROGRAM: &str = include_str!("../../../../../examples/api-requester/PERCLNT.cbl");
const PROPERTIES: &str = include_str!("../../../../../examples/api-requester/APIRPERF.properties");
const DOCUMENT: &str = "/ibm/api/docs?root=/APIrequesterPerformanceRemoteAPI&compact=false";
/// Where the call of the stub begins and ends in the program.
const CALL: &str = "           CALL COMM-STUB-PGM-NAME USING";
const CALL_END: &str = "BY REFERENCE BAQ-RESPONSE-LEN.";
/// What stands there in the program that does not call: the answer that it would have had.
const NO_CALL: &str = "           MOVE ZERO TO BAQ-RETURN-CODE
           MOVE 200 TO BAQ-STATUS-CODE
           COMPUTE recv-size = ORDER-IN * 16
           COMPUTE send-size = ORDER-OUT * 512
           COMPUTE user-data-num = ORDER-OUT * 16
           MOVE 0 TO EXPECTED-NUMBER
           MOVE EXPECTED-ENTRY TO user-data(1)
           COMPUTE EXPECTED-NUMBER = FUNCTION
               MOD(user-data-num - 1, 10000)
           MOVE EXPECTED-ENTRY TO user-data(user-data-num).
";
/// Least answer that the provider's document has to allow for: 8 KiB.
const MOST_ENTRIES: &str = "256";

/// What the programs are made with and call with: no part of this program, so it may be missing.
pub(super) struct Tools {
    stub: PathBuf,
    compiler: &'static str,
}

impl Tools {
    /// # Errors
    /// There is no stub beside the program, or no compiler that can be started.
    pub(super) fn find(program: &Path, compiler: &'static str) -> Result<Self, TablesError> {
        let stub = stub_folder(program)?;
        let asked = Command::new(compiler).arg("--version").output();
        asked.map_err(|source| TablesError::Start { program: compiler.into(), source })?;
        Ok(Self { stub, compiler })
    }

    fn compile(&self, folder: &Path, name: &str, source: &str) -> Result<PathBuf, TablesError> {
        let (program, text) = (folder.join(name), folder.join(format!("{name}.cbl")));
        write(&text, source)?;
        let mut compiler = Command::new(self.compiler);
        compiler.args(["-x", "-std=ibm-strict", "-I"]).arg(folder.join("members")).arg("-I").arg(&self.stub);
        compiler.arg("-o").arg(&program).arg(&text).current_dir(folder);
        run(compiler)?;
        Ok(program)
    }
}

pub(super) struct Chain {
    pub(super) server: Server,
    pub(super) provider: Process,
    /// The program that calls the API, and the same without the call.
    pub(super) calling: PathBuf,
    pub(super) not_calling: PathBuf,
    tools: Tools,
}

impl Chain {
    pub(super) fn start(session: &Session, tools: Tools) -> Result<Self, TablesError> {
        let setting = session.setting();
        session.tell("starting the remote API");
        let listen = ["workload", "provider", "--listen", "127.0.0.1:0", "--max-entries", MOST_ENTRIES];
        let provider = setting.process("provider", &listen)?;
        let api = provider.ready_text("http")?.to_owned();
        let folder = setting.new_folder("requester")?;
        session.tell("building the API requester");
        write(&folder.join("APIRPERF.json"), &document(&api)?)?;
        write(&folder.join("APIRPERF.properties"), PROPERTIES)?;
        let mut build = Command::new(setting.program());
        build.env_clear().args(["zconbt", "-p", "APIRPERF.properties", "-f", "APIRPERF.ara"]).current_dir(&folder);
        run(build)?;
        session.tell("compiling the COBOL programs");
        let calling = tools.compile(&folder, "perclnt", PROGRAM)?;
        let not_calling = tools.compile(&folder, "pernocal", &without_call(PROGRAM)?)?;
        let server = setting.server(&with_passwords(ServerPlan::named("server")).configured(&configuration(&api)))?;
        deploy_archive(&server, "/zosConnect/apiRequesters", &folder.join("APIRPERF.ara"))?;
        Ok(Self { server, provider, calling, not_calling, tools })
    }

    /// `env` and its arguments: what a program has to know, then the program.
    pub(super) fn arguments(&self, program: &Path) -> Result<Vec<String>, TablesError> {
        let url = self.server.http_url()?;
        let (host, port) = url.trim_start_matches("http://").rsplit_once(':').unwrap_or(("127.0.0.1", "9080"));
        Ok(vec![
            format!("COB_LIBRARY_PATH={}", self.tools.stub.display()),
            format!("BAQURI={host}"),
            format!("BAQPORT={port}"),
            "BAQTIMEOUT=60".to_owned(),
            program.display().to_string(),
        ])
    }

    pub(super) fn check(&mut self) -> Result<(), TablesError> {
        self.server.check()?;
        self.provider.check()
    }
}

fn document(api: &str) -> Result<String, TablesError> {
    let url = format!("http://{api}");
    let unexpected = |what: String| TablesError::Unexpected { what: format!("{url}{DOCUMENT}: {what}") };
    let single = Single {
        url: &url,
        trust: &Trust::None,
        user: "nobody",
        password: "",
        method: "GET",
        path: DOCUMENT,
        content_type: "application/json",
        body: b"",
    };
    let answer = single.send().map_err(|error| unexpected(error.chain()))?;
    if answer.status != 200 {
        return Err(unexpected(format!("answered with {}", answer.status)));
    }
    String::from_utf8(answer.body).map_err(|_| unexpected("is no text".to_owned()))
}

/// As the report's figure 5: the connection to the API, and nobody has to say who he is.
fn configuration(api: &str) -> String {
    let (host, port) = api.rsplit_once(':').unwrap_or((api, "80"));
    format!("[zosconnect]\nrequire_auth = false\n\n[endpoint_connections.Server2Ref]\nhost = '{host}'\nport = {port}\n")
}

/// Beside the program: `target/stub-files` of a build, or the folder that it was installed to.
fn stub_folder(program: &Path) -> Result<PathBuf, TablesError> {
    let places = program.ancestors().skip(1).take(2);
    let mut found = places.flat_map(|folder| [folder.join("stub-files"), folder.to_owned()]);
    found.find(|folder| folder.join("BAQCSTUB.so").is_file()).ok_or_else(|| TablesError::Unexpected {
        what: format!("there is no communication stub beside {}: run `make stub`", program.display()),
    })
}

fn without_call(program: &str) -> Result<String, TablesError> {
    let parts = program.split_once(CALL).and_then(|(before, rest)| Some((before, rest.split_once(CALL_END)?.1)));
    let (before, behind) = parts.ok_or_else(|| TablesError::Unexpected {
        what: "the example's program does not call the stub where it is expected".to_owned(),
    })?;
    let renamed = before.replace("PROGRAM-ID. PERCLNT.", "PROGRAM-ID. PERNOCAL.");
    Ok([&renamed, NO_CALL, behind.trim_start_matches(['\r', '\n'])].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_that_does_not_call_is_the_other_without_its_call() {
        let program = without_call(PROGRAM).unwrap();
        assert!(!program.contains("CALL COMM-STUB-PGM-NAME") && program.contains("CALL COMM-TERM-PGM-NAME"));
        assert!(program.contains("MOVE 200 TO BAQ-STATUS-CODE") && program.contains("REPORT-OUTCOME."));
        assert!(program.lines().all(|line| line.len() <= 72), "fixed format ends with column 72");
    }
}
