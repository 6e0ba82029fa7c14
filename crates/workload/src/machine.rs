//! What a result was measured on: machine, kernel, versions.

use serde::Serialize;

/// Read once a run. What cannot be read is empty or 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Model of the first processor.
    pub cpu: String,
    /// Processors that this process may use.
    pub processors: usize,
    pub memory_bytes: u64,
    pub architecture: &'static str,
    /// Kernel release.
    pub kernel: String,
    /// Distribution.
    pub system: String,
}

/// Of the driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Versions {
    pub driver: &'static str,
    /// `optimized` or `debug`: figures of a debug build say little.
    pub build: &'static str,
}

impl Machine {
    pub fn read() -> Self {
        let kibibytes: u64 = value("/proc/meminfo", "MemTotal", ':')
            .and_then(|text| text.split_whitespace().next()?.parse().ok())
            .unwrap_or_default();
        Self {
            cpu: value("/proc/cpuinfo", "model name", ':')
                .or_else(|| value("/proc/cpuinfo", "CPU part", ':'))
                .unwrap_or_default(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: kibibytes * 1024,
            architecture: std::env::consts::ARCH,
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned(),
            system: value("/etc/os-release", "PRETTY_NAME", '=').unwrap_or_default().trim_matches('"').to_owned(),
        }
    }
}

impl Versions {
    pub fn read() -> Self {
        let build = if cfg!(debug_assertions) { "debug" } else { "optimized" };
        Self { driver: env!("CARGO_PKG_VERSION"), build }
    }
}

/// What stands behind the first `key` of a file of such lines.
fn value(file: &str, key: &str, separator: char) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let found = text.lines().filter_map(|line| line.split_once(separator)).find(|(name, _)| name.trim() == key);
    found.map(|(_, value)| value.trim().to_owned())
}
