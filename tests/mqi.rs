//! Programs in C against the MQI library and the real server. They are compiled here with the headers of the tree.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail, ensure};
use system_tests::program::{self, client_tree};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};
use tempfile::TempDir;

use reach::{Cutter, Died, Reach};

mod bags;
mod bindings;
mod cobol;
mod exporter;
mod go;
mod harness;
mod key_repositories;
mod ledger;
mod lists;
mod memory;
mod musl;
mod node;
mod page;
mod patterns;
mod programs;
mod python;
mod reach;
mod reconnect;
mod samples;
mod tls;
mod verbs;
mod xa;

/// The tree, a server with the developer's objects, and a folder for programs.
struct House {
    tree: PathBuf,
    folder: TempDir,
    server: Server,
    data: TempDir,
    reach: Reach,
    cutter: Option<Cutter>,
}

impl House {
    fn new() -> Result<Self> {
        Self::reached(Reach::Plain)
    }

    /// With a server for tests, which records messages.
    fn controlled() -> Result<Self> {
        Self::served(Reach::Plain, tempfile::tempdir()?, "", &["--test-control"])
    }

    /// Whose server is reached this way.
    fn reached(reach: Reach) -> Result<Self> {
        Self::of(reach, tempfile::tempdir()?, "")
    }

    /// With a server that reads this configuration.
    fn configured(configuration: &str) -> Result<Self> {
        Self::of(Reach::Plain, tempfile::tempdir()?, configuration)
    }

    fn of(reach: Reach, folder: TempDir, configuration: &str) -> Result<Self> {
        Self::served(reach, folder, configuration, &[])
    }

    #[expect(clippy::disallowed_methods, reason = "a configuration in a temporary folder")]
    fn served(reach: Reach, folder: TempDir, configuration: &str, arguments: &[&str]) -> Result<Self> {
        let data = tempfile::tempdir()?;
        std::fs::write(data.path().join("quaymaster.toml"), configuration)?;
        let mut options = ServerOptions::on(data.path()).listening("127.0.0.1:0");
        options.arguments.extend(arguments.iter().map(|&argument| argument.to_owned()));
        let server = Server::start(&options)?;
        let cutter = reach.is_cut().then(|| Cutter::before(&server)).transpose()?;
        let house = Self { tree: client_tree()?, folder, server, data, reach, cutter };
        house.secure_all()?;
        Ok(house)
    }

    /// The same programs, with a new server that is reached this way.
    fn moved(self, reach: Reach) -> Result<Self> {
        let Self { folder, .. } = self;
        Self::of(reach, folder, "")
    }

    fn mqserver(&self, channel: &str) -> Result<String> {
        Ok(format!("{channel}/TCP/{}", self.connection_name()?))
    }

    /// `host(port)` of the server.
    fn connection_name(&self) -> Result<String> {
        let address = self.address()?;
        Ok(format!("{}({})", address.ip(), address.port()))
    }

    /// The queue manager is killed, and started where it was.
    fn killed_and_started(self) -> Result<Self> {
        let Self { server, data, .. } = self;
        let address = server.mq_address()?.to_string();
        server.kill();
        let server = Server::start(&ServerOptions::on(data.path()).listening(&address))?;
        Ok(Self { server, data, ..self })
    }

    /// Compiles one program of this folder.
    fn compile(&self, name: &str) -> Result<PathBuf> {
        self.compile_as(&source(&format!("{name}.c")), name, &[])
    }

    /// As `compile`, of any file, with these options besides, into a program of this name.
    fn compile_as(&self, source: &Path, program: &str, options: &[&str]) -> Result<PathBuf> {
        let program = self.folder.path().join(program);
        let mut command = Command::new("cc");
        command
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"])
            .arg(self.tree.join("inc"))
            .arg(source);
        command.arg("-L").arg(self.tree.join("lib64")).args(options).args(["-lmqm_r", "-o"]).arg(&program);
        let compiled = command.output().context("cc is not installed (Debian: gcc)")?;
        succeeded(&compiled)?;
        Ok(program)
    }

    /// A program with the environment of an application of the developer's channel, and nothing else that the library reads.
    fn command(&self, program: &Path) -> Result<Command> {
        let mut command = self.limited(program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MQ")) {
            command.env_remove(name);
        }
        self.lead(&mut command, "DEV.APP.SVRCONN")?;
        command
            .env("LD_LIBRARY_PATH", self.tree.join("lib64"))
            .env("PROGRAM_USER", "app")
            .env("PASSWORD", APP_PASSWORD)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        Ok(command)
    }
}

impl House {
    /// A program of this folder, compiled, as the administrator of the developer's channel.
    fn administering(&self, name: &str) -> Result<Command> {
        let mut command = self.command(&self.compile(name)?)?;
        self.as_administrator(&mut command)?;
        Ok(command)
    }

    fn as_administrator(&self, command: &mut Command) -> Result<()> {
        self.lead(command, "DEV.ADMIN.SVRCONN")?;
        command.env("PROGRAM_USER", "admin").env("PASSWORD", ADMIN_PASSWORD);
        Ok(())
    }

    /// Runs one command on the queue manager, as its administrator on this machine.
    fn mqsc(&self, statement: &str) -> Result<()> {
        self.answer(statement).map(drop)
    }

    /// As `mqsc`, with what the queue manager answers.
    fn answer(&self, statement: &str) -> Result<String> {
        let mut command = Command::new(program::quaymaster()?);
        command.arg("mqsc").arg("--data").arg(self.data.path()).args(["QM1", statement]);
        Ok(succeeded(&command.output()?)?.to_owned())
    }

    /// Makes a channel that needs no password, for programs that have none to give. Their user is `user`.
    fn open_channel(&self, name: &str, user: &str) -> Result<()> {
        self.mqsc(&format!("DEFINE CHANNEL('{name}') CHLTYPE(SVRCONN) MCAUSER('{user}')"))?;
        let map = "TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(CHANNEL) CHCKCLNT(ASQMGR)";
        self.mqsc(&format!("SET CHLAUTH('{name}') {map}"))?;
        self.secure(name)
    }
}

/// A file of this folder.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mqi").join(name)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("not UTF-8")
}

/// Without a code, or with one that `timeout` ends with: after its time, or with 128 and the number of a signal.
fn has_died(code: Option<i32>) -> bool {
    code.is_none_or(|code| code == 124 || (129..=192).contains(&code))
}

fn succeeded(output: &Output) -> Result<&str> {
    if !output.status.success() {
        let told = format!("{}: {}{}", output.status, text(&output.stdout), text(&output.stderr));
        if has_died(output.status.code()) {
            bail!(Died(told));
        }
        bail!(told);
    }
    Ok(text(&output.stdout))
}

/// How a program ends that reads this.
fn fed(mut command: Command, input: &str) -> Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    // A program that does not read it all may have ended.
    let _ = child.stdin.take().context("a pipe")?.write_all(input.as_bytes());
    Ok(child.wait_with_output()?)
}

/// What a program that subscribes prints, once it has shown `ready`, this has published, and nothing has come for a while.
fn heard(mut subscribe: Command, ready: &str, publish: impl FnOnce() -> Result<()>) -> Result<String> {
    let mut subscriber = subscribe.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut output = BufReader::new(subscriber.stdout.take().context("a pipe")?);
    let (mut line, mut before) = (String::new(), String::new());
    while !line.contains(ready) {
        before += &line;
        line.clear();
        ensure!(output.read_line(&mut line)? > 0, "the subscriber ended: {before}");
    }
    let published = publish();
    let mut rest = String::new();
    output.read_to_string(&mut rest)?;
    let ended = subscriber.wait_with_output()?;
    published?;
    succeeded(&ended).with_context(|| rest.clone())?;
    Ok(rest)
}

fn same(told: &str, expected: &str) -> Result<()> {
    ensure!(told == expected, "expected:\n{expected}\ntold:\n{told}");
    Ok(())
}

/// A program prints this and nothing on standard error.
fn prints(output: &Output, expected: &str) -> Result<()> {
    same(succeeded(output)?, expected)?;
    same(text(&output.stderr), "")
}
