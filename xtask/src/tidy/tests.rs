//! The checks find what they are for, and the repository passes them.

use std::path::Path;

use super::manifest::{Crate, check_reasons, parse};
use super::{arrows, check, code_map, files, prose, rooms};

const MAP: &str = "# Map\n\n## Layout\n\n```\ncrates/\n  a/   first\n  b/   second\ndocs/  texts\n```\n\n## Arrows\n\n\
                   ```\na -> b\nb -> c\nc ->\n```\n\nSee `crates/a/src/lib.rs`, `crates/b/src/{x,y}.rs` and `other/z.rs`.\n";

fn named(name: &str, dependencies: &[&str]) -> Crate {
    Crate { name: name.to_owned(), dependencies: dependencies.iter().map(|name| (*name).to_owned()).collect() }
}

#[test]
fn an_arrow_must_be_listed_or_lead_below_a_listed_one() {
    let good = [named("a", &["b", "c", "serde"]), named("b", &["c"]), named("c", &[])];
    assert_eq!(arrows::check(MAP, &good), Vec::<String>::new());
    let upward = [named("a", &["b"]), named("b", &["c"]), named("c", &["a"])];
    assert_eq!(arrows::check(MAP, &upward), ["crates/c: the arrow c -> a is not listed"]);
    let stale = [named("a", &[]), named("b", &["c"]), named("c", &[])];
    assert_eq!(arrows::check(MAP, &stale), ["docs/ARCHITECTURE.md: a -> b is listed, and not imported"]);
    let new = [named("a", &["b"]), named("b", &["c"]), named("c", &[]), named("d", &[])];
    assert_eq!(arrows::check(MAP, &new), ["docs/ARCHITECTURE.md: the crate d has no line under '## Arrows'"]);
}

#[test]
fn paths_of_the_code_map_are_read_from_text_and_tree() {
    assert_eq!(code_map::named_in_text(MAP), ["crates/a/src/lib.rs", "crates/b/src/x.rs", "crates/b/src/y.rs"]);
    assert_eq!(code_map::named_in_layout(MAP), ["crates/", "crates/a/", "crates/b/", "docs/"]);
}

#[test]
fn a_room_has_a_front_file_with_a_page_and_a_place_on_the_map_and_a_module_its_first_line() {
    let found = |sources: &[(&str, &str)], named: &[&str]| {
        let sources = sources.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        rooms::check(&named.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), &sources)
    };
    let page = "//! Why.\n//!\n//! Owns: b.\n";
    let small = [("crates/a/src/b.rs", "//! Why.\n"), ("crates/a/src/b/c.rs", "//! Why.\n")];
    assert_eq!(found(&small, &["crates/a/src/b/"]), Vec::<String>::new());
    assert_eq!(found(&small, &["crates/a/src/"]), Vec::<String>::new());
    assert_eq!(found(&small, &["crates/a/src/bb/"]), ["docs/ARCHITECTURE.md: the map does not name crates/a/src/b/"]);
    assert_eq!(found(&small[1..], &[]), ["crates/a/src/b/: no crates/a/src/b.rs beside it"]);
    let silent = [("crates/a/src/b.rs", "use x;\n"), ("crates/a/src/b/tests.rs", "use x;\n"), ("tests/a.rs", "")];
    assert_eq!(found(&silent, &[]), ["crates/a/src/b.rs: its first line says why it is there, after //!"]);
    let inside = ["c", "d", "e", "f"].map(|name| format!("crates/a/src/b/{name}.rs"));
    let mut large: Vec<(&str, &str)> = inside.iter().map(|path| (path.as_str(), "//! Why.\n")).collect();
    large.push(("crates/a/src/b.rs", page));
    assert_eq!(found(&large, &["crates/a/src/b.rs"]), Vec::<String>::new());
    large.last_mut().expect("just pushed").1 = "//! Why.\n";
    let thin = "crates/a/src/b.rs: a room of 4 files has a page of 3 lines or more";
    assert_eq!(found(&large, &["crates/a/src/b.rs"]), [thin]);
}

#[test]
fn a_dependency_stands_under_its_reason() {
    let manifest = "[workspace.dependencies]\n# Why.\na = \"1\"\nb = \"1\"\n\nc = \"1\"\n[profile.dev]\nd = 1\n";
    assert_eq!(check_reasons(manifest), ["Cargo.toml:6: a dependency without the reason above it"]);
}

#[test]
fn only_dependencies_of_the_library_count() {
    let text = "[package]\nname = \"a\"\n[dependencies]\nb.workspace = true\n[dev-dependencies]\nc.workspace = true\n";
    assert_eq!(parse(text).expect("a manifest").dependencies, ["b"]);
}

#[test]
fn a_vague_name_a_long_file_a_bare_ignore_and_a_machine_path_are_found() {
    assert!(files::check_name(Path::new("crates/a/src/utils.rs")).is_some());
    assert!(files::check_name(Path::new("crates/a/src/waiters.rs")).is_none());
    assert!(files::check_name(Path::new("crates/a/src/waiters/mod.rs")).is_some());
    let text = format!("#[ignore]\nfn a() {{ \"/ho{}/me/x\" }}\n{}", "me", "\n".repeat(900));
    let found = files::check_text(Path::new("a.rs"), &text);
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn a_phrase_that_hides_the_actor_is_found_in_pages_and_an_example_everywhere() {
    let habit = ["no", "body"].concat();
    let example = ["Came to", " no end."].concat();
    let longer = ["The rep", "lies", " there."].concat();
    let text = format!("Here {habit} waits.\nThe {habit}-like.\n{example}\n{longer}\n");
    let found = |name: &str| prose::check(Path::new(name), &text).len();
    assert_eq!(found("docs/a.md"), 2);
    assert_eq!(found("crates/a/src/lib.rs"), 1);
    assert_eq!(found("Cargo.lock"), 0);
}

#[test]
fn the_contents_have_every_page_and_links_of_the_readme_lead_to_files() {
    let tracked = ["README.md", "docs/SUMMARY.md", "docs/a.md", "docs/b.md"].map(std::path::PathBuf::from);
    assert_eq!(prose::check_links("[a](docs/a.md) [b](docs/b.md#part) [x](https://x)", &tracked), Vec::<String>::new());
    assert_eq!(prose::check_links("[c](docs/c.md)", &tracked), ["README.md: the link to docs/c.md leads nowhere"]);
    assert_eq!(prose::check_contents("[a](a.md)\n- [b](b.md)", &tracked), Vec::<String>::new());
    assert_eq!(prose::check_contents("- [a](a.md)", &tracked), ["docs/SUMMARY.md: docs/b.md is not in the contents"]);
}

#[test]
fn the_repository_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    if let Err(problems) = check(root) {
        panic!("{problems:#}");
    }
}
