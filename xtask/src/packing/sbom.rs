//! The list of what the program is made of: CycloneDX 1.5, from what cargo resolves for the crate `server`, and what npm has
//! locked for the console, whose pages are in the program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// The list as JSON.
///
/// # Errors
/// cargo cannot resolve the workspace: a package that no build has needed yet is not here, and the registry is not reached.
pub(super) fn list(root: &Path, machine: &str, version: &str, created: &str) -> Result<Vec<u8>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let platform = format!("{machine}-unknown-linux-gnu");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &platform])
        .current_dir(root)
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let lock: toml::Table = std::fs::read_to_string(root.join("Cargo.lock"))?.parse()?;
    let metadata = serde_json::from_slice(&output.stdout)?;
    let mut list = of(&metadata, &checksums(&lock), version, created)?;
    let locked = serde_json::from_slice(&std::fs::read(root.join("console/package-lock.json"))?)?;
    if let Some(components) = list["components"].as_array_mut() {
        components.extend(of_console(&locked));
    }
    Ok(serde_json::to_vec_pretty(&list)?)
}

/// By name and version.
fn checksums(lock: &toml::Table) -> BTreeMap<(String, String), String> {
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let text = |package: &toml::Value, name: &str| package.get(name)?.as_str().map(str::to_owned);
    packages
        .filter_map(|package| Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?)))
        .collect()
}

fn of(metadata: &Value, checksums: &BTreeMap<(String, String), String>, version: &str, created: &str) -> Result<Value> {
    let packages: BTreeMap<&str, &Value> =
        list_of(&metadata["packages"]).map(|package| (text(&package["id"]), package)).collect();
    let nodes: BTreeMap<&str, &Value> =
        list_of(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), node)).collect();
    let product =
        packages.iter().find(|(_, package)| package["name"] == "server").context("there is a crate server")?.0;
    let mut reached = BTreeSet::from([*product]);
    let mut waiting = vec![*product];
    while let Some(id) = waiting.pop() {
        let node = nodes.get(id).context("each package is resolved")?;
        waiting.extend(needed(node).filter(|id| reached.insert(id)));
    }
    let reference = |id: &str| packages.get(id).map(|package| purl(package)).unwrap_or_default();
    let (mut components, mut dependencies) = (BTreeMap::new(), BTreeMap::new());
    for id in &reached {
        let name = reference(id);
        let inner: BTreeSet<String> = needed(nodes[id]).map(reference).collect();
        if id != product {
            components.insert(name.clone(), component(packages[id], checksums));
        }
        dependencies.insert(name.clone(), json!({ "ref": name, "dependsOn": inner }));
    }
    let mut whole = component(packages[product], checksums);
    whole["type"] = json!("application");
    whole["name"] = json!("quaymaster");
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "timestamp": created, "component": whole, "tools": { "components": [
            { "type": "application", "name": "cargo xtask packages", "version": version },
        ] } },
        "components": components.into_values().collect::<Vec<_>>(),
        "dependencies": dependencies.into_values().collect::<Vec<_>>(),
    }))
}

/// Packages that the console's pages are built of; those of its tools and tests are marked `dev`.
fn of_console(locked: &Value) -> Vec<Value> {
    let packages = locked["packages"].as_object().into_iter().flatten();
    let component = |(path, package): (&String, &Value)| {
        let name = path.strip_prefix("node_modules/").filter(|_| package["dev"] != true && package["peer"] != true)?;
        let version = text(&package["version"]);
        let purl = format!("pkg:npm/{}@{version}", name.replace('@', "%40"));
        let mut component =
            json!({ "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl });
        if let Some(license) = package["license"].as_str() {
            component["licenses"] = json!([{ "expression": license }]);
        }
        Some(component)
    };
    packages.filter_map(component).collect()
}

/// What is linked into a package: no tools of its build, nothing of its tests.
fn needed(node: &Value) -> impl Iterator<Item = &str> {
    let is_linked = |dependency: &&Value| list_of(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
    list_of(&node["deps"]).filter(is_linked).map(|dependency| text(&dependency["pkg"]))
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    let mut component = json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "purl": purl(package),
    });
    // Older crates separate their licences by a slash.
    if let Some(license) = package["license"].as_str() {
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ").replace("  ", " ") }]);
    }
    if let Some(checksum) = checksums.get(&(name.to_owned(), version.to_owned())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

fn purl(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

fn list_of(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_the_console_are_those_that_its_pages_need() {
        let locked = json!({ "packages": {
            "": { "name": "console" },
            "node_modules/@a/b": { "version": "1.2.3", "license": "MIT" },
            "node_modules/tool": { "version": "1", "dev": true },
        } });
        let components = of_console(&locked);
        assert_eq!(components.len(), 1);
        assert_eq!(components[0]["purl"], "pkg:npm/%40a/b@1.2.3");
    }

    #[test]
    fn the_list_has_what_is_linked_and_nothing_of_builds_and_tests() {
        let package = |name: &str| json!({ "id": name, "name": name, "version": "1", "license": "MIT/Apache-2.0" });
        let needs = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [package("server"), package("linked"), package("below"), package("tested"), package("built")],
            "resolve": { "nodes": [
                { "id": "server", "deps": [
                    needs("linked", Value::Null), needs("tested", json!("dev")), needs("built", json!("build")),
                ] },
                { "id": "linked", "deps": [needs("below", Value::Null)] },
                { "id": "below", "deps": [] },
                { "id": "tested", "deps": [] },
                { "id": "built", "deps": [] },
            ] },
        });
        let checksums = BTreeMap::from([(("below".to_owned(), "1".to_owned()), "abc".to_owned())]);
        let list = of(&metadata, &checksums, "1", "1970-01-01T00:00:00Z").expect("a list");
        let names: Vec<&str> = list_of(&list["components"]).map(|component| text(&component["name"])).collect();
        assert_eq!(names, ["below", "linked"]);
        assert_eq!(list["components"][0]["hashes"][0]["content"], "abc");
        assert_eq!(list["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(list["metadata"]["component"]["name"], "quaymaster");
        assert_eq!(list["dependencies"][1], json!({ "ref": "pkg:cargo/linked@1", "dependsOn": ["pkg:cargo/below@1"] }));
    }
}
