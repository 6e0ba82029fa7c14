//! Crates import only what the block under `## Arrows` of docs/ARCHITECTURE.md lists, or what lies below that.

use std::collections::{BTreeMap, BTreeSet};

use super::manifest::Crate;

type Arrows = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(map: &str, crates: &[Crate]) -> Vec<String> {
    let arrows = parse(map);
    if arrows.is_empty() {
        return vec!["docs/ARCHITECTURE.md: no list of arrows under '## Arrows'".to_owned()];
    }
    let names: BTreeSet<&str> = crates.iter().map(|each| each.name.as_str()).collect();
    let mut problems = Vec::new();
    for each in crates {
        let Some(listed) = arrows.get(&each.name) else {
            problems.push(format!("docs/ARCHITECTURE.md: the crate {} has no line under '## Arrows'", each.name));
            continue;
        };
        let allowed = below(&arrows, &each.name);
        let imported: BTreeSet<&str> =
            each.dependencies.iter().map(String::as_str).filter(|name| names.contains(name)).collect();
        for import in &imported {
            if !allowed.contains(*import) {
                problems.push(format!("crates/{}: the arrow {} -> {import} is not listed", each.name, each.name));
            }
        }
        for arrow in listed.iter().filter(|arrow| !imported.contains(arrow.as_str())) {
            problems.push(format!("docs/ARCHITECTURE.md: {} -> {arrow} is listed, and not imported", each.name));
        }
    }
    for gone in arrows.keys().filter(|name| !names.contains(name.as_str())) {
        problems.push(format!("docs/ARCHITECTURE.md: there is no crate {gone}"));
    }
    problems
}

/// `crate -> a, b, c`, a line each, in the first fenced block after the heading.
fn parse(map: &str) -> Arrows {
    let Some((_, after)) = map.split_once("\n## Arrows") else { return Arrows::new() };
    let block = after.split("```").nth(1).unwrap_or_default();
    block
        .lines()
        .filter_map(|line| line.split_once("->"))
        .map(|(from, to)| {
            let to = to.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
            (from.trim().to_owned(), to.collect())
        })
        .collect()
}

/// Everything that can be reached from a crate along the arrows.
fn below(arrows: &Arrows, name: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&String> = arrows.get(name).into_iter().flatten().collect();
    while let Some(next) = waiting.pop() {
        if reached.insert(next.clone()) {
            waiting.extend(arrows.get(next).into_iter().flatten());
        }
    }
    reached
}
