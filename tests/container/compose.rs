//! Compose files: their services with the image, started as Compose starts them. Nothing of a file is changed but the image's name,
//! and an entry that is not understood here fails the test.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use document::yaml::{self, Scalars};
use serde_json::Value;

use super::run::{Container, Image, Started, make_folder, open_folder};

/// Entries of a service that say nothing of its container.
const AROUND: [&str; 9] =
    ["container_name", "depends_on", "deploy", "image", "labels", "networks", "restart", "stdin_open", "tty"];

/// A folder with Compose files, and the volumes of its services.
struct Project<'a> {
    image: &'a Image,
    folder: PathBuf,
    volumes: tempfile::TempDir,
    /// What `.env` says.
    variables: &'a [(&'a str, &'a str)],
}

/// A service of a file.
struct Service<'a> {
    container: Container<'a>,
    ports: Vec<String>,
    health: Option<String>,
}

impl<'a> Project<'a> {
    fn new(image: &'a Image, folder: &Path, variables: &'a [(&'a str, &'a str)]) -> Result<Self> {
        Ok(Self { image, folder: folder.to_owned(), volumes: open_folder()?, variables })
    }

    fn service(&self, file: &str, name: &str) -> Result<Service<'a>> {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let document = yaml::read(&self.interpolated(&text)?, Scalars::Text)?;
        let entries = document["services"][name].as_object().with_context(|| format!("{file} has a service {name}"))?;
        ensure!(entries.contains_key("image"), "{file}: the service {name} has an image");
        let mut service = Service { container: Container::plain(self.image)?, ports: Vec::new(), health: None };
        let container = &mut service.container;
        if let Some(entry) = entries.get("entrypoint") {
            container.program = words(entry);
        }
        for (key, value) in entries {
            match key.as_str() {
                "entrypoint" => {}
                "command" => container.program.extend(words(value)),
                "environment" => {
                    for (name, value) in pairs(value)? {
                        container.set(&name, &value);
                    }
                }
                "healthcheck" => service.health = Some(health(&value["test"])?),
                "hostname" => text_of(value)?.clone_into(&mut container.host),
                "ports" => service.ports = list(value).map(container_port).collect::<Result<_>>()?,
                "read_only" => container.read_only = value == "true",
                "secrets" => self.mount_secrets(container, value, &document)?,
                "tmpfs" => {
                    for target in words(value) {
                        container.mount(&self.volume(&target)?, &target, false);
                    }
                }
                "user" => container.user = text_of(value)?.parse().context("a number of a user")?,
                "volumes" => self.mount_volumes(container, value)?,
                key if AROUND.contains(&key) => {}
                key => bail!("{file}: the entry {key} of {name} is not understood"),
            }
        }
        Ok(service)
    }

    /// The text with the values of `${NAME}`, `${NAME:-default}` and `${NAME:?message}`.
    fn interpolated(&self, text: &str) -> Result<String> {
        let mut parts = text.split("${");
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (reference, rest) = part.split_once('}').context("a reference ends")?;
            let (name, otherwise) = reference.split_once(':').unwrap_or((reference, ""));
            let known = self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            whole += known.or(otherwise.strip_prefix('-')).with_context(|| format!("no value of {name}"))?;
            whole += rest;
        }
        Ok(whole)
    }

    /// A volume of this name; a new one has the mode of the image's folder.
    fn volume(&self, name: &str) -> Result<PathBuf> {
        let volume = self.volumes.path().join(name.replace('/', "+"));
        if !volume.exists() {
            make_folder(&volume, 0o1777)?;
        }
        Ok(volume)
    }

    fn mount_volumes(&self, container: &mut Container<'_>, entry: &Value) -> Result<()> {
        for volume in list(entry) {
            let parts: Vec<&str> = text_of(volume)?.split(':').collect();
            let [source, target, options @ ..] = &parts[..] else { bail!("{volume} has a source and a target") };
            let source =
                if source.starts_with('.') { self.folder.join(source).canonicalize()? } else { self.volume(source)? };
            container.mount(&source, target, options.contains(&"ro"));
        }
        Ok(())
    }

    fn mount_secrets(&self, container: &mut Container<'_>, entry: &Value, document: &Value) -> Result<()> {
        for name in words(entry) {
            let file = text_of(&document["secrets"][&name]["file"])?;
            container.mount(&self.folder.join(file).canonicalize()?, &format!("/run/secrets/{name}"), true);
        }
        Ok(())
    }
}

impl Service<'_> {
    /// Starts it: its ports are served and it is healthy.
    fn start(&self) -> Result<Started<'_>> {
        let started = self.container.start()?;
        for port in &self.ports {
            let said = started.beside(&format!("bash -c ': < /dev/tcp/localhost/{port}' && echo served"))?;
            assert_eq!(said.trim(), "served", "port {port}");
        }
        if let Some(line) = &self.health {
            let (code, said) = started.exec(line)?;
            ensure!(code == 0, "{line}: {code} {said}");
        }
        Ok(started)
    }
}

/// Puts and gets as the user `app` by the developer's channel.
pub(super) fn put_and_get(started: &Started<'_>, queue_manager: &str, password: &str) -> Result<()> {
    let variables = [("MQSERVER", "DEV.APP.SVRCONN/TCP/localhost(1414)"), ("MQSAMP_USER_ID", "app")];
    let ends = format!("DEV.QUEUE.1 {queue_manager}");
    started.sample(&format!("amqsputc {ends}"), &variables, &format!("{password}\\nfrom Compose\\n"))?;
    let variables = [&variables[..], &[("MQSAMP_WAIT", "100")]].concat();
    let got = started.sample(&format!("amqsgetc {ends}"), &variables, &format!("{password}\\n"))?;
    ensure!(got.contains("message <from Compose>"), "{got}");
    Ok(())
}

fn words(entry: &Value) -> Vec<String> {
    match entry {
        Value::String(text) => text.split_whitespace().map(str::to_owned).collect(),
        _ => list(entry).filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

fn list(entry: &Value) -> impl Iterator<Item = &Value> {
    entry.as_array().into_iter().flatten()
}

fn text_of(entry: &Value) -> Result<&str> {
    entry.as_str().with_context(|| format!("{entry} is a text"))
}

/// A mapping, or a list of `NAME=VALUE`.
fn pairs(entry: &Value) -> Result<Vec<(String, String)>> {
    if let Some(map) = entry.as_object() {
        return map.iter().map(|(name, value)| Ok((name.clone(), text_of(value)?.to_owned()))).collect();
    }
    let pair = |text: &str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    list(entry).map(|text| pair(text_of(text)?).with_context(|| format!("{text} is a pair"))).collect()
}

fn container_port(entry: &Value) -> Result<String> {
    let port = text_of(entry)?.rsplit(':').next().unwrap_or_default();
    Ok(port.trim_end_matches("/tcp").to_owned())
}

/// The line of a shell that a test is.
fn health(test: &Value) -> Result<String> {
    let line = words(test);
    Ok(match line.first().map(String::as_str) {
        _ if test.is_string() => text_of(test)?.to_owned(),
        Some("CMD" | "CMD-SHELL") => line[1..].join(" "),
        _ => bail!("{test} is no test"),
    })
}

#[test]
fn the_example_for_compose_starts_with_its_queues_and_keeps_its_messages() -> Result<()> {
    let image = Image::unpack()?;
    let folder = open_folder()?;
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/compose");
    for name in ["compose.yaml", "20-orders.mqsc"] {
        crate::client::write(&folder.path().join(name), &std::fs::read_to_string(example.join(name))?)?;
    }
    for (name, password) in [("admin-password.txt", "of-the-administrator"), ("app-password.txt", "of-the-application")]
    {
        crate::client::write(&folder.path().join(name), &format!("{password}\n"))?;
    }
    let project = Project::new(&image, folder.path(), &[])?;
    let service = project.service("compose.yaml", "mq")?;
    ensure!(service.ports == ["1414", "9443", "9157"] && service.health.is_some(), "the example has ports and a check");
    let started = service.start()?;
    put_and_get(&started, "QM1", "of-the-application")?;
    let administrator = Some("admin:of-the-administrator");
    assert_eq!(started.status_of("https://localhost:9443/ibmmq/rest/v3/admin/qmgr", administrator)?, "200");
    assert_eq!(started.status_of("http://localhost:9157/metrics", None)?, "200");
    let (code, said) = started.exec("quaymaster put -m QM1 ORDERS 'kept in the volume' --persistent")?;
    ensure!(code == 0, "{said}");
    assert_eq!(started.terminate()?, Some(0));
    let again = service.start()?;
    let (_, said) = again.exec("quaymaster get -m QM1 ORDERS")?;
    ensure!(said.contains("kept in the volume"), "{said}");
    Ok(())
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn compose_files_of_ibm_need_no_change_but_the_name_of_the_image() -> Result<()> {
    const REPOSITORY: &str = "ibm-messaging/mq-dev-patterns";
    const COMMIT: &str = "bfff4419d60593f8d7b4f38e109628ba33ffc77d";
    const SHOWCASE: &str = "ibm-messaging-mq-cloud-showcase-app/docker-compose.yaml";
    const TRACING: &str = "Node.js-OTel/docker-compose.yaml";
    const COMPOSE: &str = "container/queuemanager/compose";
    let files = public_files::of_github(REPOSITORY, COMMIT, &[COMPOSE, SHOWCASE, TRACING]);
    let image = Image::unpack()?;
    let passwords = [("APP_PASSWORD", "passw0rd"), ("ADMIN_PASSWORD", "passw0rd-of-admin")];
    // As their README says: the volume is made first, then the queue manager starts on it.
    let project = Project::new(&image, &files.join(COMPOSE), &passwords)?;
    let made = project.service("mq-init-compose.yaml", "mq-init")?;
    let (code, said) = made.container.run()?;
    ensure!(code == Some(0), "{code:?} {said}");
    let service = project.service("docker-compose.yaml", "mq")?;
    let started = service.start()?;
    put_and_get(&started, "QM1", "passw0rd")?;
    let administrator = Some("admin:passw0rd-of-admin");
    assert_eq!(started.status_of("https://localhost:9443/ibmmq/rest/v3/admin/qmgr", administrator)?, "200");
    assert_eq!(started.terminate()?, Some(0));
    // Whose files of passwords are filled by the user.
    let own = open_folder()?;
    for (file, name) in [(format!("{COMPOSE}/docker-compose-secrets.yaml"), "QM1"), (TRACING.to_owned(), "QM2")] {
        crate::client::write(&own.path().join("compose.yaml"), &std::fs::read_to_string(files.join(file))?)?;
        for (name, password) in [("admin-password.txt", "passw0rd-of-admin"), ("app-password.txt", "passw0rd")] {
            crate::client::write(&own.path().join(name), password)?;
        }
        let project = Project::new(&image, own.path(), &[])?;
        put_and_get(&project.service("compose.yaml", "mq")?.start()?, name, "passw0rd")?;
    }
    let showcase = files.join(SHOWCASE);
    let project = Project::new(&image, showcase.parent().context("a folder")?, &passwords)?;
    put_and_get(&project.service("docker-compose.yaml", "mq")?.start()?, "QM1", "passw0rd")
}
