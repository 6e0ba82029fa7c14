//! IBM's chart for Helm with the values of its samples: the pods of its StatefulSet, started as a node of Kubernetes starts them.
//!
//! The samples' own scripts install it. `helm install` renders here, with the image's name as the one value that is added, and
//! `kubectl` accepts everything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use document::yaml::{self, Scalars};
use serde_json::Value;
use system_tests::privileged::privileged;

use super::run::{Container, Image, Started, make_folder, open_folder};
use crate::client::write;
use crate::interop::text;

const REPOSITORY: &str = "ibm-messaging/mq-helm";
const COMMIT: &str = "d218ef6a839518a4454ee448c0ad80fc39effa56";
const FOLDERS: [&str; 2] = ["charts", "samples"];
/// A sample and its queue manager.
const SAMPLES: [(&str, &str); 12] = [
    ("AWSEKS", "secureapphelm"),
    ("AzureAKS", "secureapphelm"),
    ("AzureAKSFreeTier", "secureapphelm"),
    ("AzureAKSMultiInstance", "multiinstance"),
    ("GoogleKubernetesEngine", "secureapphelm"),
    ("IBMKubernetesService", "secureapphelm"),
    ("Minikube", "secureapphelm"),
    ("OpenShiftIBMPower", "secureapphelm"),
    ("OpenShiftNativeHA", "secureapphelm"),
    ("OpenShiftNativeHAMQAdvancedContainer", "secureapphelm"),
    ("RancherRKEOpenEBS", "secureapphelm"),
    ("VMwareTanzu", "secureapphelm"),
];
/// What OpenShift's security context constraint gives to a pod.
const OPENSHIFT_GROUP: u32 = 1_000_650_000;

/// What an installation applies and renders.
struct Release {
    /// ConfigMaps and Secrets, by kind and name: their files.
    files: BTreeMap<(String, String), BTreeMap<String, Vec<u8>>>,
    /// The StatefulSet.
    set: Value,
    folder: tempfile::TempDir,
}

impl Release {
    /// Runs the sample's `install.sh`.
    fn install(samples: &Path, sample: &str, helm: &Path) -> Result<Self> {
        let folder = open_folder()?;
        let (programs, applied) = (folder.path().join("bin"), folder.path().join("applied"));
        let rendered = folder.path().join("rendered.yaml");
        let shown = rendered.display();
        let helm = format!(
            "while [ \"$1\" != install ] && [ \"$1\" != --install ]; do shift; done; shift\n\
             exec '{}' template \"$@\" --set image.repository=quaymaster,image.tag=under-test > '{shown}'\n",
            helm.display()
        );
        let kubectl = format!("[ \"$1\" != apply ] || {{ cat \"$3\"; echo; echo ---; }} >> '{}'\n", applied.display());
        for (name, script) in [("helm", &helm), ("kubectl", &kubectl), ("oc", &kubectl)] {
            let program = programs.join(name);
            write(&program, &format!("#!/bin/sh\n{script}"))?;
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(program, mode)?;
        }
        let path = std::env::join_paths(
            [programs].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        )?;
        let mut install = Command::new("bash");
        install.arg("install.sh").current_dir(samples.join(sample).join("deploy")).env("PATH", path);
        let output = install.output()?;
        ensure!(output.status.success() && rendered.exists(), "{sample}: {}", text(&output.stderr));
        let mut release = Self { files: BTreeMap::new(), set: Value::Null, folder };
        for text in [applied, rendered].map(std::fs::read_to_string) {
            for document in text?.split("\n---") {
                release.take(yaml::read(document, Scalars::Typed)?)?;
            }
        }
        ensure!(release.set.is_object(), "{sample}: the chart renders a StatefulSet");
        Ok(release)
    }

    fn take(&mut self, resource: Value) -> Result<()> {
        let kind = resource["kind"].as_str().unwrap_or_default().to_owned();
        match kind.as_str() {
            "StatefulSet" => self.set = resource,
            "ConfigMap" | "Secret" => {
                let mut files = BTreeMap::new();
                for (name, content) in resource["data"].as_object().into_iter().flatten() {
                    let content = content.as_str().context("a text")?;
                    let bytes =
                        if kind == "Secret" { BASE64_STANDARD.decode(content)? } else { content.as_bytes().to_vec() };
                    files.insert(name.clone(), bytes);
                }
                let name = resource["metadata"]["name"].as_str().context("a name")?.to_owned();
                self.files.insert((kind, name), files);
            }
            _ => {}
        }
        Ok(())
    }

    fn pod(&self) -> &Value {
        &self.set["spec"]["template"]["spec"]
    }

    fn replicas(&self) -> u64 {
        self.set["spec"]["replicas"].as_u64().unwrap_or(1)
    }

    /// The group that volumes have.
    fn group(&self) -> u32 {
        let stated = self.pod()["securityContext"]["fsGroup"].as_u64().and_then(|group| u32::try_from(group).ok());
        stated.unwrap_or(OPENSHIFT_GROUP)
    }

    /// One of the containers of a pod.
    fn container<'a>(&self, image: &'a Image, entry: &Value, number: u64) -> Result<Container<'a>> {
        let mut container = Container::plain(image)?;
        ensure!(entry["image"] == "quaymaster:under-test", "another image: {}", entry["image"]);
        container.host = format!("{}-{number}", self.set["metadata"]["name"].as_str().context("a name")?);
        let context = &entry["securityContext"];
        if let Some(user) = context["runAsUser"].as_u64() {
            container.user = user.try_into()?;
        }
        let groups = self.pod()["securityContext"]["supplementalGroups"].as_array().into_iter().flatten();
        container.groups = groups.filter_map(|group| group.as_u64()?.try_into().ok()).chain([self.group()]).collect();
        container.read_only = context["readOnlyRootFilesystem"] == true;
        ensure!(context["capabilities"]["drop"][0] == "ALL", "the chart drops all capabilities");
        container.capabilities = Some(strings(&context["capabilities"]["add"]));
        if entry["command"].is_array() {
            container.program = strings(&entry["command"]);
        }
        container.program.extend(strings(&entry["args"]));
        for variable in entry["env"].as_array().into_iter().flatten() {
            let value = match &variable["value"] {
                Value::String(text) => text.clone(),
                other => bail!("{}: Kubernetes takes texts, and not {other}", variable["name"]),
            };
            container.set(variable["name"].as_str().context("a name")?, &value);
        }
        for mount in entry["volumeMounts"].as_array().into_iter().flatten() {
            let source = self.volume(mount["name"].as_str().context("a name")?, number)?;
            let source = mount["subPath"].as_str().map_or_else(|| source.clone(), |path| source.join(path));
            ensure!(source.exists(), "{} has nothing to mount", mount["name"]);
            let target = mount["mountPath"].as_str().context("a path")?;
            container.mount(&source, target, mount["readOnly"] == true);
        }
        Ok(container)
    }

    /// The folder of a volume of a pod, made as it is first asked for.
    fn volume(&self, name: &str, number: u64) -> Result<PathBuf> {
        let folder = self.folder.path().join(format!("{name}-{number}"));
        if folder.exists() {
            return Ok(folder);
        }
        let mut volumes = self.pod()["volumes"].as_array().into_iter().flatten();
        let found = volumes.find(|volume| volume["name"] == name).unwrap_or(&Value::Null);
        let (kind, entry, key) = if found["configMap"].is_object() {
            ("ConfigMap", &found["configMap"], "name")
        } else if found["secret"].is_object() {
            ("Secret", &found["secret"], "secretName")
        } else if found["emptyDir"].is_object() {
            make_folder(&folder, 0o777)?;
            return Ok(folder);
        } else {
            // A disk. A provisioner without support of groups, as that of Minikube, leaves it to root.
            let of_root = self.pod()["initContainers"].is_array();
            make_folder(&folder, if of_root { 0o755 } else { 0o2775 })?;
            return self.owned(folder, if of_root { 0 } else { self.group() });
        };
        make_folder(&folder, 0o755)?;
        let name = entry[key].as_str().context("a name")?.to_owned();
        let files = self.files.get(&(kind.to_owned(), name.clone())).with_context(|| format!("no {kind} {name}"))?;
        let mode = u32::try_from(entry["defaultMode"].as_u64().unwrap_or(0o644))?;
        for (key, bytes) in files {
            let mut items = entry["items"].as_array().into_iter().flatten();
            let path = match entry["items"].is_array() {
                true => items.find(|item| item["key"] == *key).and_then(|item| item["path"].as_str()),
                false => Some(key.as_str()),
            };
            let Some(path) = path else { continue };
            write(&folder.join(path), std::str::from_utf8(bytes)?)?;
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(folder.join(path), mode)?;
        }
        self.owned(folder, self.group())
    }

    fn owned(&self, folder: PathBuf, group: u32) -> Result<PathBuf> {
        let status = privileged("chown").arg("-R").arg(format!("0:{group}")).arg(&folder).status()?;
        ensure!(status.success(), "{} cannot be given to its group", folder.display());
        Ok(folder)
    }

    /// Runs the containers that come first, and makes the one that stays.
    fn prepared<'a>(&self, image: &'a Image, number: u64) -> Result<Container<'a>> {
        for entry in self.pod()["initContainers"].as_array().into_iter().flatten() {
            let (code, said) = self.container(image, entry, number)?.run()?;
            ensure!(code == Some(0), "{}: {code:?} {said}", entry["name"]);
        }
        self.container(image, &self.pod()["containers"][0], number)
    }

    /// The exit code of a probe; `None` when the pod has none.
    fn probe(&self, name: &str, started: &Started<'_>) -> Result<Option<i32>> {
        let command = strings(&self.pod()["containers"][0][name]["exec"]["command"]);
        if command.is_empty() {
            return Ok(None);
        }
        Ok(Some(started.exec(&command.join(" "))?.0))
    }
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Puts and gets as the sample's scripts do: by its channel definition table, with the application's certificate.
fn put_and_get(started: &Started<'_>, sample: &Path, queue_manager: &str) -> Result<()> {
    let table = std::fs::read_to_string(sample.join("test/ccdt_template.json"))?;
    let line = |line: &str| {
        let name = line.trim_start().split(':').next().unwrap_or_default();
        match name {
            "\"host\"" => "\"host\": \"localhost\",\n".to_owned(),
            "\"port\"" => "\"port\": 1414\n".to_owned(),
            _ => format!("{line}\n"),
        }
    };
    let file = sample.join("test/ccdt_generated.json");
    write(&file, &table.lines().map(line).collect::<String>())?;
    // Its key database, in the form that docs/mqi-library.md names.
    let keys = sample.join("../genericresources/createcerts");
    let mut export = Command::new("openssl");
    export.args(["pkcs12", "-export", "-in", "application.crt", "-inkey", "application.key"]);
    export.args(["-certfile", "server.crt", "-name", "aceclient", "-passout", "pass:password"]);
    export.args(["-out", "application.p12"]).current_dir(&keys);
    ensure!(export.output()?.status.success(), "openssl cannot write application.p12");
    let (file, keys) = (file.display().to_string(), keys.join("application.p12").display().to_string());
    let variables = [("MQCCDTURL", &*file), ("MQSSLKEYR", &keys), ("MQKEYRPWD", "password"), ("MQSAMP_WAIT", "100")];
    started.sample(&format!("amqsputc APPQ {queue_manager}"), &variables, "from the sample\\n")?;
    let got = started.sample(&format!("amqsgetc APPQ {queue_manager}"), &variables, "")?;
    ensure!(got.contains("message <from the sample>"), "{got}");
    Ok(())
}

/// The chart and its samples, whose scripts write beside themselves.
fn copied() -> Result<tempfile::TempDir> {
    let files = public_files::of_github(REPOSITORY, COMMIT, &FOLDERS);
    let own = open_folder()?;
    for folder in FOLDERS {
        let copied = Command::new("cp").arg("-r").arg(files.join(folder)).arg(own.path()).status()?;
        ensure!(copied.success(), "{folder} cannot be copied");
    }
    Ok(own)
}

#[test]
#[ignore = "builds Helm, which takes minutes once, and fetches files from GitHub; make test-full runs it"]
fn ibms_chart_with_passwords_in_a_secret_serves_on_a_read_only_root() -> Result<()> {
    const INSTALL: &str = "kubectl apply -f passwords.yaml\n\
        helm install orders ../../../charts/ibm-mq --set license=accept,credentials.enable=true,log.format=json \\\n\
        --set security.readOnlyRootFilesystem=true,security.runAsUser=4711,queueManager.name=ORDERS\n";
    let helm = crate::chart::helm()?;
    let own = copied()?;
    let samples = own.path().join("samples");
    let deploy = samples.join("own/deploy");
    write(&deploy.join("install.sh"), INSTALL)?;
    let passwords = ["password-of-app", "password-of-admin"].map(|password| BASE64_STANDARD.encode(password));
    write(
        &deploy.join("passwords.yaml"),
        &format!(
            "kind: Secret\nmetadata: {{ name: mq-credentials }}\ndata: {{ mqAppPassword: {}, mqAdminPassword: {} }}\n",
            passwords[0], passwords[1]
        ),
    )?;
    let release = Release::install(&samples, "own", &helm)?;
    let image = Image::unpack()?;
    let container = release.prepared(&image, 0)?;
    ensure!(container.read_only && container.user == 4711, "the chart's values are those of the container");
    let started = container.start()?;
    for probe in ["livenessProbe", "readinessProbe"] {
        assert_eq!(release.probe(probe, &started)?, Some(0), "{probe}");
    }
    let log = started.line("Started web server")?;
    ensure!(log.starts_with('{'), "a line of JSON: {log}");
    super::compose::put_and_get(&started, "ORDERS", "password-of-app")
}

#[test]
#[ignore = "builds Helm, which takes minutes once, and fetches files from GitHub; make test-full runs it"]
fn the_samples_of_ibms_chart_need_no_change_but_the_name_of_the_image() -> Result<()> {
    let helm = crate::chart::helm()?;
    let own = copied()?;
    let samples = own.path().join("samples");
    let image = Image::unpack()?;
    for (sample, queue_manager) in SAMPLES {
        let told = |what: &str| format!("{sample}: {what}");
        let release = Release::install(&samples, sample, &helm)?;
        let container = release.prepared(&image, 0).with_context(|| told("the first pod"))?;
        let started = container.start().with_context(|| told("the first pod"))?;
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
            let code = release.probe(probe, &started)?;
            ensure!(matches!(code, None | Some(0)), "{sample}: {probe}: {code:?}");
        }
        started.line("Started web server")?;
        ensure!(!started.log().contains("mq.mqsc, line"), "{sample}: a command fails: {}", started.log());
        put_and_get(&started, &samples.join(sample), queue_manager).with_context(|| told("a message"))?;
        assert_eq!(started.terminate()?, Some(0), "{sample}: an orderly stop");
        // One pod serves, so that no message is where the others do not see it.
        for number in 1..release.replicas() {
            let container = release.prepared(&image, number)?;
            let started = container.start_idle("serves nothing").with_context(|| told("another pod"))?;
            let codes = ["startupProbe", "livenessProbe", "readinessProbe"]
                .map(|probe| release.probe(probe, &started).ok().flatten().unwrap_or(-1));
            let never_ready = if release.replicas() == 2 { 10 } else { 20 };
            assert_eq!(codes, [0, 0, never_ready], "{sample}: probes of pod {number}");
            assert_eq!(started.terminate()?, Some(0), "{sample}: an orderly stop of pod {number}");
        }
    }
    Ok(())
}
