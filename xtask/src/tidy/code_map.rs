//! Every path that docs/ARCHITECTURE.md names exists: in the layout block, and in the text between backticks.

use std::path::Path;

pub(super) fn check(map: &str, root: &Path) -> Vec<String> {
    let mut paths = named_in_text(map);
    paths.extend(named_in_layout(map));
    paths.sort_unstable();
    paths.dedup();
    paths
        .iter()
        .filter(|path| !root.join(path).exists())
        .map(|path| format!("docs/ARCHITECTURE.md: {path} does not exist"))
        .collect()
}

/// Words between backticks that begin with a folder of the repository's root.
pub(super) fn named_in_text(map: &str) -> Vec<String> {
    let mut fenced = false;
    let mut paths = Vec::new();
    for line in map.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            paths.extend(line.split('`').skip(1).step_by(2).flat_map(alternatives).filter(|word| is_path(word)));
        }
    }
    paths
}

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn alternatives(word: &str) -> Vec<String> {
    let Some((before, rest)) = word.split_once('{') else { return vec![word.to_owned()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![word.to_owned()] };
    inside.split(',').map(|each| format!("{before}{each}{after}")).collect()
}

fn is_path(word: &str) -> bool {
    const FOLDERS: [&str; 8] = ["crates", "docs", "tests", "benches", "fuzz", "xtask", "scripts", "examples"];
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    plain && word.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder))
}

/// The tree in the first fenced block after `## Layout`: folders end in `/`, two blanks a level.
pub(super) fn named_in_layout(map: &str) -> Vec<String> {
    let Some((_, after)) = map.split_once("\n## Layout") else { return Vec::new() };
    let block = after.split("```").nth(1).unwrap_or_default();
    let mut parents: Vec<String> = Vec::new();
    let mut paths = Vec::new();
    for line in block.lines() {
        let Some(name) = line.split_whitespace().next().filter(|name| name.ends_with('/')) else { continue };
        let level = (line.len() - line.trim_start().len()) / 2;
        parents.truncate(level);
        let path = format!("{}{name}", parents.concat());
        parents.push(name.to_owned());
        paths.push(path);
    }
    paths
}
