//! Packages: installed, run, upgraded and removed by the machine's own dpkg and rpm, on a root that forgets what was written.
//!
//! The root is an overlay of this machine's, with its writes in memory, in a mount namespace. It needs root; other users need
//! `sudo` without a password.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::privileged::privileged;
use system_tests::program;

/// Runs a script on such a root, with the packages in `/packages`: the folder with them, the script.
const ROOT: &str = r#"
set -e
place=$(mktemp -d)
mount -t tmpfs -o mode=755 tmpfs "$place"
mkdir "$place/upper" "$place/work" "$place/whole"
mount -t overlay overlay -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" "$place/whole"
mount -t proc proc "$place/whole/proc"
mount --rbind /dev "$place/whole/dev"
mkdir "$place/whole/packages" "$place/whole/written"
mount --bind "$place/upper" "$place/whole/written"
cp "$1"/quaymaster_*_"$(dpkg --print-architecture)".deb "$1"/quaymaster-*."$(uname -m)".rpm "$place/whole/packages"
rm -rf "$place/whole/var/lib/quaymaster"
exec chroot "$place/whole" /bin/bash -c "$2"
"#;

/// The server as its user.
const SERVICE: &str = include_str!("packages/service.sh");

/// What both kinds of package have to do. `add`, `upgrade`, `remove` and `purge` are functions that the caller defines.
const LIFE: &str = r#"
set -eu
# Of what was written here; programs beside this one write to the root below. A device stands for a file that is gone.
traces() {
    find /written \( -path /written/packages -o -path /written/tmp \) -prune -o -name '*quaymaster*' ! -type c -print
}

add
getent passwd quaymaster | grep -q /var/lib/quaymaster
test "$(stat -c '%a %U' /etc/default/quaymaster)" = '600 root'
quaymaster --version
test "$(readlink /usr/bin/dspmq)" = quaymaster
gzip -dc /usr/share/man/man1/quaymaster-serve.1.gz | grep -q '^.TH quaymaster-serve'
grep -q '^ExecStart=/usr/bin/quaymaster serve' /usr/lib/systemd/system/quaymaster.service
bash -c 'source /usr/share/bash-completion/completions/runmqsc && complete -p runmqsc quaymaster' > /dev/null

run_as_service
as_service quaymaster put --data /var/lib/quaymaster DEV.QUEUE.1 'kept over an upgrade' --persistent
as_service dspmq --data /var/lib/quaymaster | grep -q 'STATUS(Running)'
stop
echo MQ_DEV=true >> /etc/default/quaymaster
upgrade
grep -q '^MQ_DEV=true' /etc/default/quaymaster
run_as_service
as_service quaymaster get --data /var/lib/quaymaster DEV.QUEUE.1 | grep -q 'kept over an upgrade'
stop

remove
test ! -e /usr/bin/quaymaster && test ! -L /usr/bin/dspmq
test -d /var/lib/quaymaster/qmgrs/QM1 && getent passwd quaymaster > /dev/null
rm -rf /var/lib/quaymaster
add
purge
if getent passwd quaymaster; then echo 'the user is left'; exit 1; fi
left=$(traces)
test -z "$left" || { echo "left: $left"; exit 1; }
echo all is well
"#;

fn packages() -> Result<PathBuf> {
    program::image()?.parent().map(Path::to_owned).context("an image lies beside the packages")
}

/// Runs functions and the life of a package on a root of its own.
fn lives(functions: &str) -> Result<()> {
    let output = privileged("unshare")
        .args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ROOT, "root"])
        .arg(packages()?)
        .arg(format!("{SERVICE}\n{functions}\n{LIFE}"))
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success() && out.ends_with("all is well\n"), "{}\n{out}\n{err}", output.status);
    Ok(())
}

#[test]
fn the_package_of_debian_installs_upgrades_and_goes_away_without_a_trace_but_its_data() -> Result<()> {
    lives(
        "add() {
            dpkg --install /packages/quaymaster_*.deb < /dev/null
            (cd / && grep -v etc/default /var/lib/dpkg/info/quaymaster.sha256sums | sha256sum -c --quiet)
        }
        upgrade() { add; }
        remove() { dpkg --remove quaymaster; }
        purge() { dpkg --purge quaymaster; }",
    )
}

#[test]
fn the_package_of_rpm_installs_upgrades_and_goes_away_without_a_trace_but_its_data() -> Result<()> {
    // Debian's rpm knows nothing of the packages of Debian, which have what this one requires.
    lives(
        "add() { rpm --install --nodeps /packages/quaymaster-*.rpm && rpm --verify --nodeps quaymaster; }
        upgrade() { rpm --upgrade --nodeps --force /packages/quaymaster-*.rpm; }
        remove() { rpm --erase quaymaster; rm -f /etc/default/quaymaster.rpmsave; }
        purge() { rpm --erase quaymaster; }",
    )
}

#[test]
fn the_archive_runs_where_it_is_unpacked_under_every_name() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let archive = std::fs::read_dir(packages()?)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            path.to_string_lossy().ends_with(&format!("linux-{}.tar.gz", std::env::consts::ARCH)) && {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("quaymaster-0"))
            }
        })
        .context("there is an archive")?;
    let unpacked = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder.path()).status()?;
    ensure!(unpacked.success(), "tar cannot unpack it");
    let inner = std::fs::read_dir(folder.path())?.next().context("one folder")??.path();
    for name in ["quaymaster", "dspmqver", "runmqsc", "runmqserver"] {
        let output = Command::new(inner.join("bin").join(name)).arg("--help").output()?;
        ensure!(output.status.success() && !output.stdout.is_empty(), "{name}: {output:?}");
    }
    ensure!(inner.join("share/man/man1/quaymaster.1").is_file(), "there is a manual page");
    Ok(())
}

#[test]
fn the_list_of_parts_names_the_program_and_what_it_is_linked_with() -> Result<()> {
    let list = program::package(".cdx.json")?;
    let list: serde_json::Value = serde_json::from_slice(&std::fs::read(list)?)?;
    assert_eq!(list["metadata"]["component"]["name"], "quaymaster");
    let names: Vec<&str> =
        list["components"].as_array().context("components")?.iter().filter_map(|part| part["name"].as_str()).collect();
    for (name, is_part) in [("rustls", true), ("tokio", true), ("preact", true), ("criterion", false), ("rpm", false)] {
        assert_eq!(names.contains(&name), is_part, "{name}");
    }
    Ok(())
}
