//! The library for musl, in a root with nothing of another C library: programs compiled by musl-gcc put and get, by TLS too.

use std::env::consts::ARCH;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use system_tests::privileged::privileged;
use system_tests::program::client_tree_for;
use system_tests::server::APP_PASSWORD;

use super::reach::Reach;
use super::verbs::EXPECTED;
use super::{House, fed, prints, source, succeeded, text};

/// Of this machine.
fn loader() -> String {
    format!("lib/ld-musl-{ARCH}.so.1")
}

/// Runs a program in a root. Its loader asks `/proc` where a program lies.
const WITHIN: &str = r#"mount -t proc proc "$0/proc" && exec chroot "$0" "$@""#;

/// A root as that of Alpine: the loader, which is the C library, and the tree.
struct Root<'a> {
    house: &'a House,
    tree: PathBuf,
    folder: PathBuf,
}

impl<'a> Root<'a> {
    fn new(house: &'a House) -> Result<Self> {
        let folder = house.folder.path().join("root");
        for below in ["lib", "bin", "proc", "tree", "tmp"] {
            std::fs::create_dir_all(folder.join(below))?;
        }
        std::fs::copy(Path::new("/").join(loader()), folder.join(loader())).context("no musl (Debian: musl-tools)")?;
        let tree = client_tree_for(&format!("{ARCH}-unknown-linux-musl"))?;
        for below in ["lib64", "bin"] {
            let copied = Command::new("cp").arg("-R").arg(tree.join(below)).arg(folder.join("tree")).output()?;
            succeeded(&copied)?;
        }
        let root = Self { house, tree, folder };
        // What a child process of a test becomes.
        root.compile("int main(void) { return 0; }", &["-x", "c", "-"], "true")?;
        Ok(root)
    }

    /// Compiles a program into the root's `bin`.
    fn compile(&self, input: &str, options: &[&str], name: &str) -> Result<()> {
        let mut command = Command::new("musl-gcc");
        command.args(["-std=gnu11", "-pthread", "-I"]).arg(self.tree.join("inc")).args(options).arg("-x").arg("none");
        command.arg("-L").arg(self.tree.join("lib64")).args(["-lmqm_r", "-Wl,-rpath,/tree/lib64", "-o"]);
        command.arg(self.folder.join("bin").join(name));
        succeeded(&fed(command, input)?)?;
        Ok(())
    }

    /// Runs a program of the root there.
    fn run(&self, program: &str, arguments: &[&str], input: &str) -> Result<Output> {
        let mut command = privileged("env");
        command.args(["-i", "PATH=/usr/sbin:/usr/bin", "MQSAMP_USER_ID=app", "MQSAMP_WAIT=100", "PROGRAM_USER=app"]);
        command.arg(format!("PASSWORD={APP_PASSWORD}"));
        // The files of this variable have to be in the root.
        let mut ours = Command::new(program);
        self.house.lead(&mut ours, "DEV.APP.SVRCONN")?;
        for (name, value) in ours.get_envs().filter_map(|(name, value)| Some((name, value?))) {
            let (name, mut value) = (text(name.as_encoded_bytes()), text(value.as_encoded_bytes()));
            let within = format!("/tmp/{name}");
            if Path::new(value).is_file() {
                std::fs::copy(value, self.folder.join(&within[1..]))?;
                value = &within;
            }
            command.arg(format!("{name}={value}"));
        }
        command.args(["unshare", "--mount", "sh", "-c", WITHIN]).arg(&self.folder).arg(program).args(arguments);
        fed(command, input)
    }
}

#[test]
#[ignore = "needs the tree for musl: make test-full builds it"]
fn on_a_root_of_musl_programs_put_browse_and_get_and_every_verb_ends_as_elsewhere() -> Result<()> {
    House::new()?.by(&[Reach::Tls], |house| {
        let root = Root::new(house)?;
        let sample = |name: &str, input: &str| {
            root.run(&format!("/tree/bin/{name}"), &["DEV.QUEUE.2", "QM1"], &format!("{APP_PASSWORD}\n{input}"))
        };
        succeeded(&sample("amqsputc", "first\nsecond\n")?)?;
        let browsed = sample("amqsbcgc", "")?;
        ensure!(succeeded(&browsed)?.contains("2 messages"), "{}", text(&browsed.stdout));
        assert_eq!(succeeded(&sample("amqsgetc", "")?)?, "message <first>\nmessage <second>\n");
        let verbs = source("verbs.c").display().to_string();
        root.compile("", &[&verbs], "verbs")?;
        prints(&root.run("/bin/verbs", &[], "")?, EXPECTED)
    })
}
