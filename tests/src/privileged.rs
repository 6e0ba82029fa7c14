//! Programs that need root: run directly by root, through `sudo` by others.

use std::process::Command;

pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// A program that needs root. `sudo` asks for no password: it fails where it would.
pub fn privileged(program: &str) -> Command {
    if is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("sudo");
    command.args(["-n", program]);
    command
}
