//! Unpacking the image, and running its root as a container runtime does.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use system_tests::privileged::{is_root, privileged};
use system_tests::program;

/// A user that no file of the image names, in the group that runtimes give to such a user.
pub(super) const USER: u32 = 4711;
const GROUP: u32 = 0;
const LIMIT: Duration = Duration::from_secs(300);

/// Makes the mounts of a container and starts its program, in namespaces of its own: root, host name, mounts, program.
/// A mount is `SOURCE TARGET`; files of the image's root stay as they are.
const RUNTIME: &str = r#"
set -e
root=$1 host=$2 user=$3 volume=$4 around=$5
echo "$host" > /proc/sys/kernel/hostname
python3 -c '
import fcntl, socket, struct
lo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(lo, 0x8914, struct.pack("16sh14x", b"lo", 1))
'
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
[ -z "$volume" ] || mount --bind "$volume" "$root/mnt/mqm"
mount --bind "$around/etc/mqm" "$root/etc/mqm"
mount --bind "$around/run" "$root/run"
mount -o remount,bind,ro "$root"
shift 5
exec chroot --userspec="$user" "$root" "$@"
"#;

/// The image's root, unpacked.
pub(super) struct Image {
    folder: tempfile::TempDir,
    /// The blob that the manifest names as configuration.
    pub(super) configuration: Value,
}

impl Image {
    pub(super) fn unpack() -> Result<Self> {
        use std::os::unix::fs::PermissionsExt;

        let archive = program::image()?;
        let folder = tempfile::tempdir()?;
        // The container's user has to pass it.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
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

fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    let status = Command::new("tar").arg("-xpf").arg(archive).arg("-C").arg(folder).status()?;
    ensure!(status.success(), "tar cannot unpack {}", archive.display());
    Ok(())
}

/// What a user gives to `docker run`.
pub(super) struct Container<'a> {
    image: &'a Image,
    /// The files that are mounted, and the volume.
    folder: tempfile::TempDir,
    has_volume: bool,
    host: String,
    variables: Vec<(String, String)>,
}

impl<'a> Container<'a> {
    pub(super) fn new(image: &'a Image) -> Result<Self> {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir()?;
        for (name, mode) in [("", 0o755), ("volume", 0o1777), ("etc/mqm", 0o755), ("run", 0o755)] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path)?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
        }
        Ok(Self { image, folder, has_volume: true, host: "container".to_owned(), variables: image.variables() })
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn host(mut self, name: &str) -> Self {
        name.clone_into(&mut self.host);
        self
    }

    pub(super) fn without_volume(mut self) -> Self {
        self.has_volume = false;
        self
    }

    /// A path below `etc/mqm` or `run`, outside of the container.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn file(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        std::io::Write::write_all(&mut std::fs::File::create(path)?, text.as_bytes()).map_err(Into::into)
    }

    fn command(&self) -> Command {
        let entry = self.image.configuration["config"]["Entrypoint"][0].as_str().unwrap_or_default();
        let volume = self.folder.path().join("volume");
        let mut command = privileged("unshare");
        // The outer programs are found by the machine's own path, the entry point by the image's.
        command
            .args(["--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "sh", "-c", RUNTIME, "runtime"])
            .arg(self.image.root())
            .arg(&self.host)
            .arg(format!("{USER}:{GROUP}"))
            .arg(if self.has_volume { volume.as_os_str() } else { "".as_ref() })
            .arg(self.folder.path())
            .arg("/bin/sh")
            .args(["-c", &format!("{} exec {entry}", self.exports())])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The variables as a shell sets them, and no others that a server reads.
    fn exports(&self) -> String {
        let one = |(name, value): &(String, String)| format!("export {name}='{}';", value.replace('\'', "'\\''"));
        self.variables.iter().map(one).collect()
    }

    /// Runs a container that ends by itself: its code, and what it said.
    pub(super) fn fail(&self) -> Result<(Option<i32>, String)> {
        let output = self.command().output()?;
        Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    pub(super) fn start(&self) -> Result<Started<'_>> {
        let mut child = self.command().spawn().context("cannot start unshare")?;
        let out = child.stdout.take().context("a pipe")?;
        let mut err = child.stderr.take().context("a pipe")?;
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = err.read(&mut bytes) {
                let mut log = kept.lock().unwrap_or_else(PoisonError::into_inner);
                log.push_str(&String::from_utf8_lossy(&bytes[..length]));
            }
        });
        let (sender, line) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = BufReader::new(out).read_line(&mut text);
            let _ = sender.send(text);
        });
        let mut started = Started { container: self, child, log, reader: Some(reader), inside: None };
        match line.recv_timeout(LIMIT) {
            Ok(line) if line.contains("\"ready\"") => {}
            _ => bail!("the container is not ready: {}", started.ended_log()),
        }
        started.inside = Some(child_of(started.child.id())?);
        Ok(started)
    }
}

/// A container whose server is ready; it ends with its value.
pub(super) struct Started<'a> {
    container: &'a Container<'a>,
    child: Child,
    log: Arc<Mutex<String>>,
    reader: Option<std::thread::JoinHandle<()>>,
    /// The first process inside, by its number outside.
    inside: Option<u32>,
}

impl Started<'_> {
    pub(super) fn log(&self) -> String {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn ended_log(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.reader.take().map(std::thread::JoinHandle::join);
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
            .args(["--setgid", &GROUP.to_string(), "--setuid", &USER.to_string()])
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
