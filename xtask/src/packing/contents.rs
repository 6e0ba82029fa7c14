//! What an installation has beside the program: its names, manual pages, completions, the systemd unit and the user.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::program::{Program, run};
use super::tree::{Tree, gzip};

/// Texts that the program writes of itself, made once for all packages.
pub(super) struct Contents {
    program: Vec<u8>,
    names: Vec<String>,
    /// File name and text of each manual page.
    pages: Vec<(String, Vec<u8>)>,
    bash: String,
    fish: String,
    zsh: String,
    unit: String,
    user: Vec<u8>,
    pub(super) settings: Vec<u8>,
    license: Vec<u8>,
}

/// Where a kind of system looks for completions of zsh.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Debian,
    Fedora,
}

/// The file of settings, which an operator changes.
pub(super) const SETTINGS: &str = "etc/default/quaymaster";

impl Contents {
    /// `native` is the program, or the same one of this machine.
    ///
    /// # Errors
    /// `native` cannot be run, or a file of `packaging/` is missing.
    pub(super) fn gather(root: &Path, program: &Program, native: &Path) -> Result<Self> {
        let read = |path: &str| std::fs::read(root.join(path)).with_context(|| format!("cannot read {path}"));
        let completions = |shell: &str| run(native, &["completions".as_ref(), shell.as_ref()]);
        let unit = String::from_utf8(read("packaging/systemd/quaymaster.service")?)?;
        let installed = "/usr/local/bin/quaymaster";
        ensure!(unit.contains(installed), "the unit does not start {installed}");
        Ok(Self {
            program: program.bytes.clone(),
            names: super::program::names(native)?,
            pages: pages(native)?,
            bash: completions("bash")?,
            fish: completions("fish")?,
            zsh: completions("zsh")?,
            unit: unit.replace(installed, "/usr/bin/quaymaster"),
            user: read("packaging/systemd/sysusers.conf")?,
            settings: read("packaging/default")?,
            license: read("LICENSE")?,
        })
    }

    /// As a package installs it.
    ///
    /// # Errors
    /// A page cannot be compressed.
    pub(super) fn installed(&self, kind: Kind) -> Result<Tree> {
        let mut tree = Tree::default();
        self.enter_program(&mut tree, "usr", &self.program);
        for (name, text) in &self.pages {
            tree.file(&format!("usr/share/man/man1/{name}.gz"), 0o644, gzip(text)?);
        }
        let bash = "usr/share/bash-completion/completions";
        tree.file(&format!("{bash}/quaymaster"), 0o644, self.bash.as_bytes());
        for name in &self.names {
            tree.link(&format!("{bash}/{name}"), "quaymaster");
        }
        tree.file("usr/share/fish/vendor_completions.d/quaymaster.fish", 0o644, self.fish.as_bytes());
        let zsh = match kind {
            Kind::Debian => "usr/share/zsh/vendor-completions/_quaymaster",
            Kind::Fedora => "usr/share/zsh/site-functions/_quaymaster",
        };
        tree.file(zsh, 0o644, self.zsh.as_bytes());
        tree.file("usr/lib/systemd/system/quaymaster.service", 0o644, self.unit.as_bytes());
        tree.file("usr/lib/sysusers.d/quaymaster.conf", 0o644, self.user.as_slice());
        tree.file(SETTINGS, 0o600, self.settings.as_slice());
        // Debian's name for the terms; others look for the licence.
        let terms = match kind {
            Kind::Debian => "usr/share/doc/quaymaster/copyright",
            Kind::Fedora => "usr/share/licenses/quaymaster/LICENSE",
        };
        tree.file(terms, 0o644, self.license.as_slice());
        Ok(tree)
    }

    /// To unpack anywhere, below a folder of this name, with this form of the program.
    pub(super) fn portable(&self, folder: &str, program: &[u8]) -> Tree {
        let mut tree = Tree::default();
        self.enter_program(&mut tree, folder, program);
        for (name, text) in &self.pages {
            tree.file(&format!("{folder}/share/man/man1/{name}"), 0o644, text.as_slice());
        }
        for (name, text) in
            [("quaymaster.bash", &self.bash), ("quaymaster.fish", &self.fish), ("_quaymaster", &self.zsh)]
        {
            tree.file(&format!("{folder}/share/completions/{name}"), 0o644, text.as_bytes());
        }
        tree.file(&format!("{folder}/share/systemd/quaymaster.service"), 0o644, self.unit.as_bytes());
        tree.file(&format!("{folder}/share/systemd/sysusers.conf"), 0o644, self.user.as_slice());
        tree.file(&format!("{folder}/LICENSE"), 0o644, self.license.as_slice());
        tree
    }

    fn enter_program(&self, tree: &mut Tree, prefix: &str, program: &[u8]) {
        tree.file(&format!("{prefix}/bin/quaymaster"), 0o755, program);
        for name in &self.names {
            tree.link(&format!("{prefix}/bin/{name}"), "quaymaster");
        }
    }
}

fn pages(native: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = std::env::temp_dir().join(format!("quaymaster-man-{}", std::process::id()));
    let written = run(native, &["man".as_ref(), OsStr::new("--out"), folder.as_os_str()]);
    let read = |line: &str| {
        let file = Path::new(line);
        let name = file.file_name().context("a page has a name")?.to_string_lossy().into_owned();
        Ok((name, std::fs::read(file)?))
    };
    let pages = written.and_then(|lines| lines.lines().map(read).collect());
    let _ = std::fs::remove_dir_all(&folder);
    pages
}
