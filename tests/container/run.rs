//! Unpacking the image, and running its root as a container runtime does.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use system_tests::log::Log;
use system_tests::privileged::{is_root, privileged};
use system_tests::program;

/// A user that no file of the image names, in the group that runtimes give to such a user.
pub(super) const USER: u32 = 4711;
const GROUP: u32 = 0;
const VOLUME: &str = "/mnt/mqm";
const LIMIT: Duration = Duration::from_secs(300);

/// Makes the mounts of a container and becomes its program, in namespaces of its own.
const RUNTIME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/container/runtime.py");

/// The image's root, unpacked.
pub(super) struct Image {
    folder: tempfile::TempDir,
    /// The blob that the manifest names as configuration.
    pub(super) configuration: Value,
}

impl Image {
    pub(super) fn unpack() -> Result<Self> {
        let archive = program::image()?;
        let folder = open_folder()?;
        let layout = folder.path().join("layout");
        let root = folder.path().join("root");
        std::fs::create_dir(&layout)?;
        std::fs::create_dir(&root)?;
        unpack(&archive, &layout)?;
        let blob = |descriptor: &Value| -> Result<PathBuf> {
            let digest = descriptor["digest"].as_str().context("a descriptor has a digest")?;
            Ok(layout.join("blobs").join(digest.replace(':', "/")))
        };
        let read = |path: &Path| -> Result<Value> { Ok(serde_json::from_slice(&std::fs::read(path)?)?) };
        let manifest = read(&blob(&read(&layout.join("index.json"))?["manifests"][0])?)?;
        for layer in manifest["layers"].as_array().context("a manifest has layers")? {
            unpack(&blob(layer)?, &root)?;
        }
        let configuration = read(&blob(&manifest["config"])?)?;
        Ok(Self { folder, configuration })
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// The variables that the image sets.
    fn variables(&self) -> Vec<(String, String)> {
        let list = self.configuration["config"]["Env"].as_array().into_iter().flatten();
        let pair =
            |text: &Value| text.as_str()?.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        list.filter_map(pair).collect()
    }
}

/// A temporary folder that the container's user can pass.
pub(super) fn open_folder() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    make_folder(folder.path(), 0o755)?;
    Ok(folder)
}

/// Makes a folder of this mode, unless it is there, and those above it.
pub(super) fn make_folder(folder: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    std::fs::create_dir_all(folder)?;
    Ok(std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode))?)
}

fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    let status = Command::new("tar").arg("-xpf").arg(archive).arg("-C").arg(folder).status()?;
    ensure!(status.success(), "tar cannot unpack {}", archive.display());
    Ok(())
}

/// What a user gives to `docker run`.
pub(super) struct Container<'a> {
    image: &'a Image,
    /// Files that are mounted, and the specification.
    folder: tempfile::TempDir,
    pub(super) host: String,
    pub(super) user: u32,
    pub(super) groups: Vec<u32>,
    pub(super) read_only: bool,
    /// The only capabilities that are left, without a way to others. `None`: what the starting user has.
    pub(super) capabilities: Option<Vec<String>>,
    /// The entry point with its arguments.
    pub(super) program: Vec<String>,
    variables: Vec<(String, String)>,
    mounts: Vec<Value>,
}

impl<'a> Container<'a> {
    /// The image alone, as the user that it names.
    pub(super) fn plain(image: &'a Image) -> Result<Self> {
        let config = &image.configuration["config"];
        let entry = config["Entrypoint"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(Self {
            image,
            folder: open_folder()?,
            host: "container".to_owned(),
            user: config["User"].as_str().context("the image has a user")?.parse().context("a number")?,
            groups: Vec::new(),
            read_only: false,
            capabilities: None,
            program: entry.map(str::to_owned).collect(),
            variables: image.variables(),
            mounts: Vec::new(),
        })
    }

    /// An unknown user on a read-only root, with a volume and folders for files of settings and secrets.
    pub(super) fn new(image: &'a Image) -> Result<Self> {
        let mut container = Self { user: USER, read_only: true, ..Self::plain(image)? };
        for (name, target, mode) in [("volume", VOLUME, 0o1777), ("etc/mqm", "/etc/mqm", 0o755), ("run", "/run", 0o755)]
        {
            let path = container.path(name);
            make_folder(&path, mode)?;
            container.mount(&path, target, false);
        }
        Ok(container)
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    pub(super) fn host(mut self, name: &str) -> Self {
        name.clone_into(&mut self.host);
        self
    }

    pub(super) fn without_volume(mut self) -> Self {
        self.mounts.retain(|mount| mount["target"] != VOLUME);
        self
    }

    pub(super) fn mount(&mut self, source: &Path, target: &str, read_only: bool) {
        self.mounts.push(json!({ "source": source, "target": target, "readOnly": read_only }));
    }

    /// A path below `etc/mqm` or `run`, outside of the container.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn file(&self, name: &str, text: &str) -> Result<()> {
        crate::client::write(&self.path(name), text)
    }

    /// What `runtime.py` reads.
    fn specification(&self) -> Result<PathBuf> {
        let file = self.path("specification.json");
        let environment: serde_json::Map<String, Value> =
            self.variables.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect();
        let specification = json!({
            "root": self.image.root(),
            "host": self.host,
            "user": self.user,
            "group": GROUP,
            "groups": self.groups,
            "readOnly": self.read_only,
            "capabilities": self.capabilities,
            "mounts": self.mounts,
            "environment": environment,
            "program": self.program,
        });
        crate::client::write(&file, &specification.to_string())?;
        Ok(file)
    }

    fn command(&self) -> Result<Command> {
        let mut command = privileged("unshare");
        command
            .args(["--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "python3", RUNTIME])
            .arg(self.specification()?)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
    }

    /// The variables as a shell sets them, and no others that a server reads.
    fn exports(&self) -> String {
        let one = |(name, value): &(String, String)| format!("export {name}='{}';", value.replace('\'', "'\\''"));
        self.variables.iter().map(one).collect()
    }

    /// Runs a container that ends by itself: its code, and what it said.
    pub(super) fn run(&self) -> Result<(Option<i32>, String)> {
        let output = self.command()?.output()?;
        Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    pub(super) fn start(&self) -> Result<Started<'_>> {
        let (mut started, out) = self.spawn()?;
        let (sender, line) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = BufReader::new(out).read_line(&mut text);
            let _ = sender.send(text);
        });
        match line.recv_timeout(LIMIT) {
            Ok(line) if line.contains("\"ready\"") => {}
            _ => bail!("the container is not ready: {}", started.ended_log()),
        }
        started.inside = Some(child_of(started.child.id())?);
        Ok(started)
    }

    /// Starts a container that says this in its log, and is never ready.
    pub(super) fn start_idle(&self, sentence: &str) -> Result<Started<'_>> {
        let (mut started, _out) = self.spawn()?;
        let begin = now();
        while !started.log().contains(sentence) {
            if begin.elapsed() > LIMIT || started.child.try_wait()?.is_some() {
                bail!("the container does not say '{sentence}': {}", started.ended_log());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        started.inside = Some(child_of(started.child.id())?);
        Ok(started)
    }

    fn spawn(&self) -> Result<(Started<'_>, ChildStdout)> {
        let mut child = self.command()?.spawn().context("cannot start unshare")?;
        let out = child.stdout.take().context("a pipe")?;
        let log = Log::of(child.stderr.take().context("a pipe")?);
        Ok((Started { container: self, child, log, inside: None }, out))
    }
}

/// A container that runs; it ends with its value.
pub(super) struct Started<'a> {
    container: &'a Container<'a>,
    child: Child,
    log: Log,
    /// The first process inside, by its number outside.
    inside: Option<u32>,
}

impl Started<'_> {
    pub(super) fn log(&self) -> String {
        self.log.text()
    }

    /// The first line of the log that contains this, once it has been written.
    pub(super) fn line(&self, part: &str) -> Result<String> {
        self.log.line(part)
    }

    fn ended_log(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.log.join();
        self.log()
    }

    fn inside(&self) -> Result<u32> {
        self.inside.context("the container runs")
    }

    /// The effective user of the server.
    pub(super) fn user(&self) -> Result<u32> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.inside()?))?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:")).context("a process has a user")?;
        line.split_whitespace().nth(1).context("an effective user")?.parse().context("a number")
    }

    /// `docker exec … sh -c LINE`: the exit code, and both outputs.
    pub(super) fn exec(&self, line: &str) -> Result<(i32, String)> {
        let output = privileged("nsenter")
            .args(["--target", &self.inside()?.to_string(), "--mount", "--net", "--uts", "--pid", "--root", "--wd"])
            .args(["--setgid", &GROUP.to_string(), "--setuid", &self.container.user.to_string()])
            .args(["/bin/sh", "-c", &format!("{} {line}", self.container.exports())])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .output()?;
        let text = [output.stdout, output.stderr].concat();
        Ok((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned()))
    }

    /// A line of a shell of this machine, in the network of the container.
    pub(super) fn beside(&self, line: &str) -> Result<String> {
        let output = privileged("nsenter")
            .args(["--target", &self.inside()?.to_string(), "--net", "sh", "-c", line])
            .stdin(Stdio::null())
            .output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What a sample of the MQI library, run beside the container with these variables, prints for this input.
    pub(super) fn sample(&self, line: &str, variables: &[(&str, &str)], input: &str) -> Result<String> {
        let tree = program::client_tree()?;
        let variables: String = variables.iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
        let line = format!("LD_LIBRARY_PATH={0}/lib64 {variables}{0}/bin/{line}", tree.display());
        let said = self.beside(&format!("printf '{input}' | {line} 2>&1; echo \" code $?\""))?;
        said.strip_suffix(" code 0\n").map(str::to_owned).with_context(|| format!("{line}: {said}\n{}", self.log()))
    }

    /// The status of a GET from outside; `000` when nothing listens.
    pub(super) fn status_of(&self, address: &str, user: Option<&str>) -> Result<String> {
        let user = user.map_or_else(String::new, |user| format!("-u '{user}'"));
        self.beside(&format!("curl -sk -o /dev/null -w '%{{http_code}}' --max-time 20 {user} '{address}'"))
    }

    /// Stops the server as a runtime does; its exit code.
    pub(super) fn terminate(mut self) -> Result<Option<i32>> {
        let status = privileged("kill").args(["-TERM", &self.inside()?.to_string()]).status()?;
        ensure!(status.success(), "the server cannot be stopped");
        let begin = now();
        while begin.elapsed() < LIMIT {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.code());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("the server does not stop: {}", self.ended_log())
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        // The first process of a namespace takes the others with it.
        if let (Some(inside), Ok(None)) = (self.inside, self.child.try_wait()) {
            let _ = privileged("kill").args(["-KILL", &inside.to_string()]).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's patience")]
fn now() -> Instant {
    Instant::now()
}

/// The only child of a process, or of its child where `sudo` is between.
fn child_of(process: u32) -> Result<u32> {
    let children = |process: u32| -> Result<Vec<u32>> {
        let text = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"))?;
        Ok(text.split_whitespace().filter_map(|number| number.parse().ok()).collect())
    };
    let mut found = *children(process)?.first().context("unshare has a child")?;
    while let Some(inner) = children(found)?.first().filter(|_| !is_root()) {
        found = *inner;
    }
    Ok(found)
}
