//! Tokens of a real issuer of OpenID Connect, `oidc-provider` from npm, whose keys change while the server runs; and people who sign in there.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use system_tests::program;
use system_tests::server::{Server, ServerOptions};

use crate::interop::packages::node_packages;
use crate::interop::{run, text};

const PATIENCE: Duration = Duration::from_secs(300);
/// The files of the issuer, copied beside the packages that it needs.
const FILES: [(&str, &str); 3] = [
    ("package.json", include_str!("issuer/package.json")),
    ("package-lock.json", include_str!("issuer/package-lock.json")),
    ("issuer.mjs", include_str!("issuer/issuer.mjs")),
];

/// The issuer as a process, which ends with its value.
struct Issuer {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    url: String,
}

impl Issuer {
    fn start(algorithm: &str) -> Result<Self> {
        let mut command = Command::new("node");
        command.arg(installed()?.join("issuer.mjs")).arg(algorithm);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let input = child.stdin.take().context("standard input is a pipe")?;
        let mut output = BufReader::new(child.stdout.take().context("standard output is a pipe")?).lines();
        let url = output.next().context("the issuer prints its URL")??;
        Ok(Self { child, input, output, url })
    }

    fn tell(&mut self, what: &str) -> Result<()> {
        writeln!(self.input, "{what}")?;
        let said = self.output.next().context("the issuer answers")??;
        ensure!(said == "done", "{said}");
        Ok(())
    }

    /// A token for a client of the issuer.
    fn token(&self, client: &str, audience: &str) -> Result<String> {
        let mut command = Command::new("curl");
        command.args(["-sS", "-u", &format!("{client}:secret-of-{client}"), "-d", "grant_type=client_credentials"]);
        command.args(["-d", &format!("resource={audience}"), &format!("{}/token", self.url)]);
        let answer = run(&mut command)?;
        let answer: Value = serde_json::from_slice(&answer.stdout).context("the token endpoint answers with JSON")?;
        Ok(answer["access_token"].as_str().with_context(|| answer.to_string())?.to_owned())
    }

    fn configuration(&self) -> String {
        format!(
            "[identity.oidc.test]\nissuer = \"{}\"\naudiences = [\"urn:mq\"]\nuser_claim = \"preferred_username\"\n\
             groups_claim = \"realm_access.roles\"\nunknown_key_seconds = 1\n\
             [web.roles]\nMQWebUser = [\"group:mq-users\"]\nMQWebAdminRO = [\"group:mq-readers\"]\n",
            self.url
        )
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of the issuer with its packages.
pub(crate) fn installed() -> Result<PathBuf> {
    node_packages("issuer", &FILES)
}

/// Status, identifier of the error if it is one, and body.
fn ask(server: &Server, method: &str, path: &str, token: &str, body: Option<&str>) -> Result<(String, String)> {
    let mut command = Command::new("curl");
    command.args(["-sS", "--cacert"]).arg(server.ca_file()).args(["-X", method, "-w", "\n%{http_code}"]);
    command.args(["-H", &format!("Authorization: Bearer {token}"), "-H", "ibm-mq-rest-csrf-token: any"]);
    if let Some(body) = body {
        command.args(["-H", "Content-Type: text/plain", "--data-binary", body]);
    }
    let output = run(command.arg(format!("{}/ibmmq/rest{path}", server.https_url()?)))?;
    let said = text(&output.stdout);
    let (body, status) = said.rsplit_once('\n').with_context(|| text(&output.stderr))?;
    let error: Option<Value> = serde_json::from_str(body).ok();
    let id = error.and_then(|error| error["error"][0]["msgId"].as_str().map(|id| format!(" {id}"))).unwrap_or_default();
    Ok((format!("{status}{id}"), body.to_owned()))
}

const MESSAGE: &str = "/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";

fn put(server: &Server, token: &str) -> Result<String> {
    Ok(ask(server, "POST", MESSAGE, token, Some("by token"))?.0)
}

/// Puts until it is answered as expected.
fn put_until(server: &Server, token: &str, expected: &str) -> Result<()> {
    let begun = now();
    loop {
        let status = put(server, token)?;
        if status == expected {
            return Ok(());
        }
        if begun.elapsed() > PATIENCE {
            bail!("{status} instead of {expected}: {}", server.errors());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[expect(clippy::disallowed_methods, reason = "a test measures how long it waits")]
fn now() -> Instant {
    Instant::now()
}

fn quaymaster(server_data: &std::path::Path, arguments: &[&str]) -> Result<String> {
    let output = run(Command::new(program::quaymaster()?).args(arguments).env("QUAYMASTER_DATA", server_data))?;
    ensure!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
    Ok(text(&output.stdout))
}

fn start(issuer: &Issuer, data: &std::path::Path) -> Result<Server> {
    crate::client::write(&data.join("quaymaster.toml"), &issuer.configuration())?;
    let server = Server::start(&ServerOptions::on(data))?;
    let grant = "SET AUTHREC PROFILE('DEV.QUEUE.1') OBJTYPE(QUEUE) GROUP('mq-users') AUTHADD(PUT,GET,BROWSE,INQ)";
    quaymaster(data, &["mqsc", grant])?;
    Ok(server)
}

#[test]
fn a_token_of_a_real_issuer_puts_and_gets_with_the_roles_of_its_claims() -> Result<()> {
    for algorithm in ["RS256", "PS256", "ES256"] {
        let issuer = Issuer::start(algorithm)?;
        let data = tempfile::tempdir()?;
        let server = start(&issuer, data.path())?;
        let worker = issuer.token("worker", "urn:mq")?;
        assert_eq!(put(&server, &worker)?, "201", "{algorithm}: {}", server.errors());
        assert_eq!(ask(&server, "DELETE", MESSAGE, &worker, None)?, ("200".to_owned(), "by token".to_owned()));
        let shown = ask(&server, "GET", "/v3/login", &worker, None)?.1;
        assert_eq!(shown, r#"{"user":[{"name":"worker","role":["MQWebUser"],"authenticationMechanism":"bearer"}]}"#);
        let reader = issuer.token("reader", "urn:mq")?;
        assert_eq!(ask(&server, "GET", "/v2/admin/qmgr", &reader, None)?.0, "200");
        for (token, expected) in [
            (&reader, "403 MQWB0108E"),
            (&issuer.token("stranger", "urn:mq")?, "403 MQWB0108E"),
            (&issuer.token("mqm", "urn:mq")?, "401 MQWB0932E"),
            (&issuer.token("worker", "urn:other")?, "401 MQWB0932E"),
        ] {
            assert_eq!(put(&server, token)?, expected);
        }
        let configuration = data.path().join("quaymaster.toml").display().to_string();
        let checked = quaymaster(data.path(), &["config", "check", "--connect", &configuration])?;
        ensure!(checked.contains(&format!("{} answers.", issuer.url)), "{checked}");
        server.error_line("bearer token refused: it is for the audience 'urn:other'")?;
        let log = server.errors();
        let signature = worker.rsplit('.').next().context("a token has three parts")?;
        ensure!(!log.contains(signature) && !log.contains(&worker[..60]), "the log has a token: {log}");
    }
    Ok(())
}

#[test]
fn keys_of_a_real_issuer_are_rotated_withdrawn_and_missed_while_the_server_runs() -> Result<()> {
    let mut issuer = Issuer::start("ES256")?;
    let data = tempfile::tempdir()?;
    let server = start(&issuer, data.path())?;
    let first = issuer.token("worker", "urn:mq")?;
    put_until(&server, &first, "201")?;
    // Signed with a key that the server has not seen.
    issuer.tell("rotate")?;
    let second = issuer.token("worker", "urn:mq")?;
    put_until(&server, &second, "201")?;
    assert_eq!(put(&server, &first)?, "201", "the old key is still published");
    // A key that is withdrawn ends its tokens, remembered ones too, as soon as the keys are fetched again.
    issuer.tell("rotate")?;
    issuer.tell("withdraw")?;
    let third = issuer.token("worker", "urn:mq")?;
    put_until(&server, &third, "201")?;
    assert_eq!(put(&server, &first)?, "401 MQWB0932E");
    // While the issuer is away, known keys count, and of unknown ones there is no verdict.
    issuer.tell("rotate")?;
    let fourth = issuer.token("worker", "urn:mq")?;
    issuer.tell("away")?;
    put_until(&server, &fourth, "503 MQWB0934E")?;
    assert_eq!(put(&server, &third)?, "201");
    let fresh = server.kill();
    ensure!(fresh.contains("the known ones stay in use"), "{fresh}");
    // A server that starts meanwhile is ready, and takes the tokens once the issuer is back.
    let server = Server::start(&ServerOptions::on(data.path()))?;
    assert_eq!(put(&server, &third)?, "503 MQWB0934E");
    issuer.tell("back")?;
    put_until(&server, &fourth, "201")
}

/// A person at a browser: curl, which follows redirections with a jar of cookies.
struct Person<'a> {
    server: &'a Server,
    jar: tempfile::TempDir,
}

impl Person<'_> {
    /// The address at the end, and what is there.
    fn visit(&self, address: &str, form: Option<&str>) -> Result<(String, String)> {
        let jar = self.jar.path().join("cookies");
        let mut command = Command::new("curl");
        command.args(["-sS", "-L", "--max-redirs", "10", "--cacert"]).arg(self.server.ca_file());
        command.arg("-b").arg(&jar).arg("-c").arg(&jar).args(["-w", "\n%{url_effective}"]);
        command.args(form.map(|form| ["-d", form]).into_iter().flatten());
        let output = run(command.arg(address))?;
        let said = text(&output.stdout);
        let (body, address) = said.rsplit_once('\n').with_context(|| text(&output.stderr))?;
        Ok((address.to_owned(), body.to_owned()))
    }

    /// Signs in at the issuer. Gives the address where that leads.
    fn sign_in(&self, typed: &str) -> Result<String> {
        let to = "%2Fibmmq%2Fconsole%2Fqm%2FQM1%2Fqueues%3Fsearch%3Da";
        let begin = format!("{}/ibmmq/console/sign-in/test?to={to}", self.server.https_url()?);
        let (page, shown) = self.visit(&begin, None)?;
        ensure!(shown.contains("<form"), "{page}: {shown}");
        let (address, _) = self.visit(&page, Some(typed))?;
        ensure!(!address.contains("code") && !address.contains("state="), "{address}");
        Ok(address)
    }

    fn session(&self) -> Result<Value> {
        let (_, body) = self.visit(&format!("{}/api/v1/session", self.server.https_url()?), None)?;
        serde_json::from_str(&body).with_context(|| body.clone())
    }
}

#[test]
fn a_person_signs_in_at_a_real_issuer_with_and_without_a_secret_of_the_client() -> Result<()> {
    // What the client proves itself with, and what the person gets by what is typed.
    for (algorithm, method, secret) in [
        ("RS256", "client_secret_basic", "a+secret/of:tests%"),
        ("ES256", "client_secret_post", "s"),
        ("PS256", "none", ""),
    ] {
        let mut issuer = Issuer::start(algorithm)?;
        let data = tempfile::tempdir()?;
        let quoted = if secret.is_empty() { String::new() } else { format!("client_secret = \"{secret}\"\n") };
        let client = format!("client_id = \"console of tests\"\ntitle = \"Tests\"\n{quoted}[web.roles]");
        let configuration = issuer.configuration().replace("[web.roles]", &client);
        crate::client::write(&data.path().join("quaymaster.toml"), &configuration)?;
        let server = Server::start(&ServerOptions::on(data.path()))?;
        let origin = server.https_url()?;
        issuer.tell(&format!("console {origin}/ibmmq/console/sign-in/test/callback {secret} {method}"))?;
        let person = || -> Result<Person<'_>> { Ok(Person { server: &server, jar: tempfile::tempdir()? }) };

        let reader = person()?;
        let address = reader.sign_in("name=reader")?;
        assert_eq!(address, format!("{origin}/ibmmq/console/qm/QM1/queues?search=a"), "{method}: {}", server.errors());
        let session = reader.session()?;
        assert_eq!((&session["user"], &session["method"]), (&"reader.of.issuer".into(), &"oidc".into()), "{session}");
        assert_eq!(session["roles"], serde_json::json!(["MQWebAdminRO"]), "of the access token: {session}");

        for (typed, expected) in [("no=1", "denied"), ("name=stranger", "role"), ("name=mqm", "refused")] {
            let person = person()?;
            let address = person.sign_in(typed)?;
            let page = format!("{origin}/ibmmq/console/sign-in?problem={expected}&issuer=test&to=");
            ensure!(address.starts_with(&page), "{typed}: {address}: {}", server.errors());
            assert_eq!(person.session()?["status"], 401, "{typed}");
        }
        server.error_line("sign-in at an issuer refused: its user 'stranger' has no role here")?;
        let log = server.errors();
        ensure!(secret.len() < 2 || !log.contains(secret), "the log has the secret: {log}");
        ensure!(!log.contains("eyJ") && !log.contains("qs_"), "the log has a token: {log}");
    }
    Ok(())
}
