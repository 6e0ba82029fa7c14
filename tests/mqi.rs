//! Programs in C against the MQI library and the real server. They are compiled here with the headers of the tree.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use system_tests::program::{self, client_tree};
use system_tests::server::{ADMIN_PASSWORD, APP_PASSWORD, Server, ServerOptions};
use tempfile::TempDir;

mod bags;
mod bindings;
mod cobol;
mod exporter;
mod harness;
mod key_repositories;
mod lists;
mod memory;
mod node;
mod page;
mod patterns;
mod programs;
mod python;
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
}

impl House {
    fn new() -> Result<Self> {
        Self::configured("")
    }

    /// With a server that reads this configuration.
    #[expect(clippy::disallowed_methods, reason = "a configuration in a temporary folder")]
    fn configured(configuration: &str) -> Result<Self> {
        let data = tempfile::tempdir()?;
        std::fs::write(data.path().join("quaymaster.toml"), configuration)?;
        let server = Server::start(&ServerOptions::on(data.path()).listening("127.0.0.1:0"))?;
        Ok(Self { tree: client_tree()?, folder: tempfile::tempdir()?, server, data })
    }

    fn mqserver(&self, channel: &str) -> Result<String> {
        let address = self.server.ready.mq.context("it listens for MQ clients")?;
        Ok(format!("{channel}/TCP/{}({})", address.ip(), address.port()))
    }

    /// The queue manager is killed, and started where it was.
    fn killed_and_started(self) -> Result<Self> {
        let Self { tree, folder, server, data } = self;
        let address = server.mq_address()?.to_string();
        server.kill();
        let server = Server::start(&ServerOptions::on(data.path()).listening(&address))?;
        Ok(Self { tree, folder, server, data })
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
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MQ")) {
            command.env_remove(name);
        }
        command.env("LD_LIBRARY_PATH", self.tree.join("lib64")).env("MQSERVER", self.mqserver("DEV.APP.SVRCONN")?);
        command
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
        command.env("MQSERVER", self.mqserver("DEV.ADMIN.SVRCONN")?);
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
        self.mqsc(&format!("SET CHLAUTH('{name}') {map}"))
    }
}

/// A file of this folder.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mqi").join(name)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("not UTF-8")
}

fn succeeded(output: &Output) -> Result<&str> {
    ensure!(output.status.success(), "{}: {}{}", output.status, text(&output.stdout), text(&output.stderr));
    Ok(text(&output.stdout))
}
