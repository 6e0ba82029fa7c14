//! Data directories of releases: this version serves each of them, with everything that was answered.
//!
//! `upgrade/release-VERSION.tar.gz` has the folder `qmgrs` of a server that was killed, with what `KEPT` lists. A release adds the one that it
//! writes; none is ever removed or changed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;
use system_tests::server::Server;

use crate::interop::{run, text};
use crate::services::repository;

/// What each has, as a command and a part of what it prints: the definitions, a message of 200,000 bytes behind one that was got, a
/// delayed one that does not count, copies of a durable subscription, and a retained publication.
const KEPT: &[(&[&str], &str)] = &[
    (&["mqsc", "QM1", "DISPLAY QLOCAL(ORDERS) MAXDEPTH DESCR BOQNAME"], "MAXDEPTH(77)"),
    (&["mqsc", "QM1", "DISPLAY QLOCAL(ORDERS) DESCR"], "DESCR(of release 0.1.0)"),
    (&["mqsc", "QM1", "DISPLAY QALIAS(ORDERS.ALIAS) TARGET"], "TARGET(ORDERS)"),
    (&["mqsc", "QM1", "DISPLAY TOPIC(NEWS) TOPICSTR"], "TOPICSTR(news/)"),
    (&["mqsc", "QM1", "DISPLAY SUB(KEPT) SELECTOR DEST"], "region = 'EU'"),
    (&["mqsc", "QM1", "DISPLAY CHANNEL(ORDERS.SVRCONN) CHLTYPE"], "CHLTYPE(SVRCONN)"),
    (&["mqsc", "QM1", "DISPLAY NAMELIST(NAMES) NAMES"], "NAMES(A"),
    (&["mqsc", "QM1", "DISPLAY PROCESS(WORK) APPLICID"], "APPLICID(work)"),
    (&["mqsc", "QM1", "DISPLAY AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('worker') AUTHLIST"], "BROWSE"),
    (&["mqsc", "QM1", "DISPLAY TPSTATUS('news/kept') RETAINED"], "RETAINED(YES)"),
    (&["depth", "ORDERS"], "2\n"),
    (&["browse", "ORDERS"], "xxxxxxxxxx"),
    (&["browse", "ORDERS"], "put and got"),
    (&["browse", "COPIES"], "news of Europe"),
    (&["browse", "COPIES"], "second copy"),
];

fn releases() -> Result<Vec<PathBuf>> {
    let listed = std::fs::read_dir(repository()?.join("tests/upgrade"))?;
    Ok(listed.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?)
}

fn command(data: &Path, words: &[&str]) -> Result<String> {
    let output = run(Command::new(quaymaster()?).args(words).arg("--data").arg(data))?;
    ensure!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    Ok(text(&output.stdout))
}

#[test]
fn data_of_every_release_are_served_with_all_definitions_and_messages() -> Result<()> {
    let releases = releases()?;
    ensure!(!releases.is_empty(), "there is a release");
    for release in releases {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        std::fs::create_dir(&data)?;
        let unpacked = Command::new("tar").arg("-xzf").arg(&release).arg("-C").arg(&data).status()?;
        ensure!(unpacked.success(), "{} can be unpacked", release.display());
        // Twice: what this version has written it reads, too.
        for _ in 0..2 {
            let server = Server::start_on(&data)?;
            for (words, part) in KEPT {
                let said = command(&data, words).with_context(|| release.display().to_string())?;
                ensure!(said.contains(part), "{}: {words:?} has no {part}: {said}", release.display());
            }
            command(&data, &["put", "--persistent", "COPIES", "of this version"])?;
            drop(server);
        }
        let _server = Server::start_on(&data)?;
        ensure!(
            command(&data, &["depth", "COPIES"])?.trim() == "4",
            "{}: the new messages are there",
            release.display()
        );
    }
    Ok(())
}
