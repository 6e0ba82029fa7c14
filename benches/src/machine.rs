//! The machine and the peers' versions, for the head of the report.

use std::process::Command;

/// Lines of `name: value`.
pub fn describe() -> Vec<(String, String)> {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut lines = vec![("processor".to_owned(), format!("{} x {}", cores, processor()))];
    for (name, program, arguments) in [
        ("kernel", "uname", &["-sr"][..]),
        ("date", "date", &["-u", "+%F %H:%M UTC"]),
        ("nginx", "nginx", &["-v"]),
        ("postgresql", "psql", &["--version"]),
        ("rustc", "rustc", &["--version"]),
    ] {
        lines.push((name.to_owned(), said(program, arguments)));
    }
    lines
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| "unknown processor".to_owned(), |(_, name)| name.trim().to_owned())
}

/// The first line a program prints, on either stream.
fn said(program: &str, arguments: &[&str]) -> String {
    let Ok(output) = Command::new(program).args(arguments).output() else { return "not installed".to_owned() };
    let both = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&both).lines().next().unwrap_or_default().to_owned()
}

/// Memory of a process in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Its own pages and its share of those it has in common with others.
    pub proportional: u64,
    pub resident: u64,
}

pub fn memory(pid: u32) -> std::io::Result<Memory> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    match (field("Pss:"), field("Rss:")) {
        (Some(proportional), Some(resident)) => {
            Ok(Memory { proportional: proportional << 10, resident: resident << 10 })
        }
        _ => Err(std::io::ErrorKind::InvalidData.into()),
    }
}
