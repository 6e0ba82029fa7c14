//! Makes the files of the book: a page of HTML for each page of `docs/SUMMARY.md`, the search index, style and script.

#![expect(clippy::disallowed_methods, reason = "a build reads the pages and writes what it makes of them")]

mod layout;
mod page;
mod search;
mod summary;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::page::Page;
use crate::summary::Summary;

const HTML: &str = "text/html; charset=utf-8";

fn main() -> Result<()> {
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let repository = here.join("../..");
    let docs = repository.join("docs");
    let mut out = Files { folder: PathBuf::from(std::env::var("OUT_DIR")?), list: String::new() };

    let summary = Summary::parse(&read(&docs.join("SUMMARY.md"))?);
    let known: BTreeSet<&str> = summary.pages().map(|(name, _)| name).collect();
    let mut pages = Vec::new();
    for (name, title) in summary.pages() {
        let page = Page::read(name, &read(&docs.join(name))?, &known).with_context(|| format!("docs/{name}"))?;
        pages.push((title, page));
    }
    for (_, page) in &pages {
        out.add(page::address(&page.file), HTML, layout::page(&summary, page).as_bytes())?;
    }
    out.add("search.json", "application/json", search::index(&pages).as_bytes())?;

    let styles = tokens(&repository)? + &read(&here.join("assets/book.css"))?;
    out.add("book.css", "text/css; charset=utf-8", styles.as_bytes())?;
    out.add("book.js", "text/javascript; charset=utf-8", &bytes(&here.join("assets/book.js"))?)?;
    println!("cargo::rerun-if-changed=build");
    out.finish()
}

/// The console's colours and fonts. The fonts are in the program once: where the console has them.
fn tokens(repository: &Path) -> Result<String> {
    let mut styles = read(&repository.join("console/src/styles/tokens.css"))?;
    let assets: Vec<Value> = serde_json::from_str(&read(&repository.join("console/dist/assets.json"))?)?;
    for font in ["IBMPlexSans-Regular-Latin1", "IBMPlexSans-SemiBold-Latin1", "IBMPlexMono-Regular-Latin1"] {
        let mut paths = assets.iter().filter_map(|asset| asset["path"].as_str());
        let path = paths.find(|path| path.starts_with(&format!("assets/{font}")));
        let path = path.with_context(|| format!("console/dist/assets.json has no {font}"))?;
        styles = styles.replace(&format!("../fonts/{font}.woff2"), &format!("/ibmmq/console/{path}"));
    }
    Ok(styles)
}

/// What the program holds, and the list of it in Rust.
struct Files {
    folder: PathBuf,
    list: String,
}

impl Files {
    fn add(&mut self, name: &str, media_type: &str, bytes: &[u8]) -> Result<()> {
        let file = if name.is_empty() { "index" } else { name };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes)?;
        std::fs::write(self.folder.join(file), encoder.finish()?)?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        writeln!(
            self.list,
            "    File {{ name: {name:?}, media_type: {media_type:?}, tag: \"{:016x}\", gzip: include_bytes!({file:?}) }},",
            hasher.finish()
        )?;
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let list = format!("/// All of them; the first page first.\npub static FILES: &[File] = &[\n{}];\n", self.list);
        Ok(std::fs::write(self.folder.join("files.rs"), list)?)
    }
}

fn read(path: &Path) -> Result<String> {
    let text = bytes(path)?;
    String::from_utf8(text).with_context(|| format!("{} is not UTF-8", path.display()))
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    println!("cargo::rerun-if-changed={}", path.display());
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
