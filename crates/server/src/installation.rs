//! What the `installation` resource tells of this program and the machine it runs on.

use std::path::Path;

use web::options::Installation;

/// One server is one installation; the name is the one that a first installation has.
const NAME: &str = "Installation1";

/// `data` is the data directory.
pub(crate) fn describe(data: &Path) -> Installation {
    let program = std::env::current_exe().ok();
    Installation {
        name: NAME.to_owned(),
        description: String::new(),
        operating_system: operating_system(),
        installation_path: program.as_deref().and_then(Path::parent).map(text).unwrap_or_default(),
        data_path: text(data),
        level: concat!("quaymaster-", env!("CARGO_PKG_VERSION")).to_owned(),
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Kernel and distribution: `Linux 6.1.0 (Debian GNU/Linux 12 (bookworm))`.
fn operating_system() -> String {
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let release = read("/proc/sys/kernel/osrelease");
    let distribution = read("/etc/os-release");
    let kernel = format!("Linux {}", release.trim());
    match pretty_name(&distribution) {
        Some(name) => format!("{} ({name})", kernel.trim()),
        None => kernel.trim().to_owned(),
    }
}

fn pretty_name(release: &str) -> Option<&str> {
    release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).map(|name| name.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::pretty_name;

    #[test]
    fn the_distribution_is_named_as_it_names_itself() {
        assert_eq!(pretty_name("NAME=\"x\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"), Some("Debian GNU/Linux 12"));
        assert_eq!(pretty_name("NAME=x"), None);
    }
}
