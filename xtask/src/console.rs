//! The files of the console in the program: `crates/web/src/console/assets.rs`, made of `console/dist/assets.json`.
//!
//! Made here and not by a test of `web`: that crate does not compile while its list names files that are gone.
//!
//! Invariants
//! - What `assets.json` says of a file is true of the file in `dist`, and `dist` has no other files.
//! - The same `dist` gives the same list.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

const DIST: &str = "console/dist";
const LIST: &str = "crates/web/src/console/assets.rs";

/// One file as `assets.json` describes it.
struct Asset {
    path: String,
    media_type: String,
    sha256: String,
    plain: u64,
    /// Lengths of the file compressed beside it; `None` where there is none.
    gzip: Option<u64>,
    brotli: Option<u64>,
}

/// # Errors
/// `assets.json` is not what it has to be, or says what is not so.
#[expect(clippy::disallowed_methods, reason = "writes generated source into the work tree")]
pub(crate) fn write(root: &Path) -> Result<()> {
    let (assets, problems) = read(root)?;
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    std::fs::write(root.join(LIST), list(&assets)).with_context(|| format!("cannot write {LIST}"))
}

/// What is wrong with `dist` or the list.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let (assets, mut problems) = match read(root) {
        Ok(read) => read,
        Err(error) => return vec![format!("{DIST}/assets.json: {error:#}")],
    };
    let written = std::fs::read_to_string(root.join(LIST)).unwrap_or_default();
    if problems.is_empty() && written != list(&assets) {
        problems.push(format!("{LIST}: stale, make it anew with `cargo xtask codegen`"));
    }
    problems
}

fn read(root: &Path) -> Result<(Vec<Asset>, Vec<String>)> {
    let dist = root.join(DIST);
    let text = std::fs::read_to_string(dist.join("assets.json")).context("cannot read it")?;
    let Value::Array(entries) = serde_json::from_str(&text)? else { anyhow::bail!("expected an array") };
    let mut assets = entries.iter().map(asset).collect::<Result<Vec<_>>>()?;
    assets.sort_by(|a, b| a.path.cmp(&b.path));
    let problems = problems(&dist, &assets)?;
    Ok((assets, problems))
}

fn asset(entry: &Value) -> Result<Asset> {
    let text = |name: &str| -> Result<String> {
        let text = entry[name].as_str().with_context(|| format!("{entry}: {name} is not a text"))?;
        // It is written into source as it is.
        ensure!(!text.contains(['"', '\\', '\n']), "{entry}: {name} has a character that a name does not have");
        Ok(text.to_owned())
    };
    let sha256 = text("sha256")?;
    let is_digest = sha256.len() == 64 && sha256.chars().all(|c| c.is_ascii_hexdigit());
    ensure!(is_digest, "{entry}: sha256 is not 64 hexadecimal digits");
    Ok(Asset {
        path: text("path")?,
        media_type: text("type")?,
        sha256,
        plain: entry["plain"].as_u64().with_context(|| format!("{entry}: plain is not a length"))?,
        gzip: entry["gzip"].as_u64(),
        brotli: entry["brotli"].as_u64(),
    })
}

fn problems(dist: &Path, assets: &[Asset]) -> Result<Vec<String>> {
    let mut listed = BTreeSet::from([PathBuf::from("assets.json")]);
    let mut problems = Vec::new();
    for asset in assets {
        for (path, length) in asset.files() {
            let found = std::fs::metadata(dist.join(&path)).map(|file| file.len()).ok();
            if found != Some(length) {
                problems.push(format!("{DIST}/{path}: {found:?} bytes, assets.json says {length}"));
            }
            listed.insert(path.into());
        }
    }
    let mut found = BTreeSet::new();
    walk(dist, Path::new(""), &mut found)?;
    problems.extend(found.difference(&listed).map(|path| format!("{DIST}/{}: not in assets.json", path.display())));
    if !assets.iter().any(|asset| asset.path == "index.html") {
        problems.push(format!("{DIST}/assets.json: index.html is missing"));
    }
    Ok(problems)
}

fn walk(dist: &Path, folder: &Path, found: &mut BTreeSet<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(dist.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            walk(dist, &path, found)?;
        } else {
            found.insert(path);
        }
    }
    Ok(())
}

impl Asset {
    /// The forms in which the file lies in `dist`.
    fn files(&self) -> impl Iterator<Item = (String, u64)> {
        let compressed = |ending: &str, length: Option<u64>| Some((format!("{}.{ending}", self.path), length?));
        let forms = [compressed("gz", self.gzip), compressed("br", self.brotli)];
        [(self.path.clone(), self.plain)].into_iter().chain(forms.into_iter().flatten())
    }
}

fn list(assets: &[Asset]) -> String {
    let mut source = String::from(
        "//! The files of the console. Made by `cargo xtask codegen` of `console/dist/assets.json`; do not edit.\n\n\
         use super::{File, Form};\n\n\
         #[rustfmt::skip]\n\
         pub(super) static FILES: &[File] = &[\n",
    );
    for asset in assets {
        let file = |ending: &str| format!("include_bytes!(\"../../../../{DIST}/{}{ending}\")", asset.path);
        let compressed = |ending: &str, length: Option<u64>| match length {
            Some(_) => format!("Some({})", file(ending)),
            None => "None".to_owned(),
        };
        // Who takes neither form gets the first one unpacked: the file as it is would be the most of the three.
        let form = match asset.gzip {
            Some(_) => format!("Form::Packed {{ gzip: {}, brotli: {} }}", file(".gz"), compressed(".br", asset.brotli)),
            None => format!("Form::Plain({})", file("")),
        };
        let _ = write!(
            source,
            "    File {{\n        path: \"{}\",\n        media_type: \"{}\",\n        sha256: \"{}\",\n        form: {form},\n    }},\n",
            asset.path, asset.media_type, asset.sha256,
        );
    }
    source.push_str("];\n");
    source
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "makes a folder to look at")]
mod tests {
    use super::*;

    fn with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        root
    }

    #[test]
    fn a_list_is_fresh_once_it_is_made_and_stale_when_the_files_change() {
        let sha256 = "0f".repeat(32);
        let json = format!(
            r#"[{{"path":"index.html","type":"text/html","sha256":"{sha256}","plain":4,"gzip":null,"brotli":null}}]"#
        );
        let root = with(&[("console/dist/assets.json", &json), ("console/dist/index.html", "page"), (LIST, "")]);
        assert_eq!(check(root.path()), [format!("{LIST}: stale, make it anew with `cargo xtask codegen`")]);
        write(root.path()).expect("written");
        assert_eq!(check(root.path()), Vec::<String>::new());
        std::fs::write(root.path().join(DIST).join("index.html"), "longer").expect("written");
        std::fs::write(root.path().join(DIST).join("more.js"), "").expect("written");
        let found = check(root.path());
        assert_eq!(
            found,
            ["console/dist/index.html: Some(6) bytes, assets.json says 4", "console/dist/more.js: not in assets.json"]
        );
    }
}
