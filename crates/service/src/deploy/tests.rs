//! A folder of archives and what is deployed from it.

use std::path::Path;
use std::sync::Arc;

use queue_manager::clock::SystemClock;
use tempfile::TempDir;
use tokio::time::Instant;

use super::{DeployError, Status, sentence};
use crate::archive::ServiceArchive;
use crate::archive::conversion::Members;
use crate::archive::manifest::Manifest;
use crate::archive::{ApiArchive, ArchiveError};
use crate::registry::{Registry, Settings};

struct NoMembers;

impl Members for NoMembers {
    fn structure(&self, name: &str) -> Result<Vec<u8>, ArchiveError> {
        Err(ArchiveError::Missing { name: name.to_owned() })
    }

    fn member(&self, _: &str, _: Option<&str>) -> Option<Vec<u8>> {
        None
    }
}

/// The archive of a service that puts to a queue.
fn service(name: &str, version: &str) -> Vec<u8> {
    let manifest = Manifest {
        name: name.to_owned(),
        version: version.to_owned(),
        provider: "mq".to_owned(),
        ..Manifest::default()
    };
    let properties = [("destination".to_owned(), "Q".to_owned())];
    ServiceArchive::build(manifest, &properties, &NoMembers).expect("built").write().expect("written")
}

fn api(name: &str, base_path: &str) -> Vec<u8> {
    let definition = crate::api::ApiDefinition {
        name: name.to_owned(),
        title: name.to_owned(),
        version: "1".to_owned(),
        description: String::new(),
        base_path: base_path.to_owned(),
        operations: vec![crate::api::Operation {
            path: crate::api::path::Template::parse("/").expect("a path"),
            method: "GET",
            operation_id: "o".to_owned(),
            summary: String::new(),
            description: String::new(),
            service: "a".to_owned(),
            request: crate::api::mapping::Mapping::pass(),
            responses: vec![crate::api::mapping::Response::pass()],
            required: Vec::new(),
        }],
        document: None,
    };
    ApiArchive::build(definition).expect("built").write().expect("written")
}

fn registry(folder: &Path) -> Registry {
    let registry = Registry::new(folder.to_owned(), Settings::default(), Arc::new(SystemClock));
    registry.poll();
    registry
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// As another program does it: a new file, renamed.
#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn drop_in(folder: &TempDir, file: &str, content: &[u8]) {
    let services = folder.path().join("services");
    std::fs::create_dir_all(&services).expect("made");
    std::fs::write(services.join(".copying"), content).expect("written");
    std::fs::rename(services.join(".copying"), services.join(file)).expect("renamed");
}

fn shown(registry: &Registry) -> Vec<String> {
    let services = registry.services.all();
    let one = |(name, deployed): (&String, &Arc<crate::registry::DeployedService>)| {
        format!("{name} {} {}", deployed.content.service.version, deployed.status().shown())
    };
    services.iter().map(one).collect()
}

#[test]
fn archives_dropped_in_are_deployed_replaced_and_removed_without_a_restart() {
    let folder = folder();
    let registry = registry(folder.path());
    assert!(shown(&registry).is_empty(), "no folder, no services");
    drop_in(&folder, "x.sar", &service("a", "1"));
    drop_in(&folder, "y.SAR", &service("b", "1"));
    drop_in(&folder, "z.txt", b"no archive");
    registry.poll();
    assert_eq!(shown(&registry), ["a 1 Started", "b 1 Started"]);
    let before = registry.services.lookup("a").expect("deployed");
    let under_way = before.activity.admit(Instant::now()).expect("started");
    drop_in(&folder, "x.sar", &service("a", "2"));
    registry.poll();
    assert_eq!(shown(&registry), ["a 2 Started", "b 1 Started"]);
    assert_eq!(before.content.service.version, "1", "a request under way keeps what it began with");
    assert_eq!(registry.services.lookup("a").expect("deployed").activity.in_flight(), 1);
    drop(under_way);
    std::fs::remove_file(folder.path().join("services/x.sar")).expect("removed");
    registry.poll();
    assert_eq!(shown(&registry), ["b 1 Started"]);
    assert!(before.activity.admit(Instant::now()).is_none(), "what is gone takes no request");
    drop_in(&folder, "y.SAR", &service("c", "1"));
    registry.poll();
    assert_eq!(shown(&registry), ["c 1 Started"]);
}

#[test]
fn an_archive_whose_name_was_taken_is_used_once_another_gives_it_up() {
    let folder = folder();
    let registry = registry(folder.path());
    drop_in(&folder, "x.sar", &service("a", "1"));
    registry.poll();
    drop_in(&folder, "b.sar", &service("a", "2"));
    drop_in(&folder, "y.sar", &service("a", "3"));
    registry.poll();
    assert_eq!(shown(&registry), ["a 1 Started"]);
    drop_in(&folder, "x.sar", &service("c", "1"));
    registry.poll();
    registry.poll();
    let seen = shown(&registry);
    assert!(seen == ["a 2 Started", "c 1 Started"] || seen == ["a 3 Started", "c 1 Started"], "{seen:?}");
}

#[test]
fn a_broken_archive_changes_nothing_and_counts_once_it_is_whole() {
    let folder = folder();
    let registry = registry(folder.path());
    drop_in(&folder, "x.sar", &service("a", "1"));
    registry.poll();
    let whole = service("a", "2");
    drop_in(&folder, "x.sar", &whole[..whole.len() / 2]);
    for _ in 0..3 {
        registry.poll();
        assert_eq!(shown(&registry), ["a 1 Started"]);
    }
    {
        let files = registry.services.files.lock();
        let problem = files.known["x.sar"].problem.as_ref().expect("a problem");
        assert!(
            problem.is_told && problem.sentence.starts_with("the archive cannot be unpacked"),
            "{}",
            problem.sentence
        );
    }
    drop_in(&folder, "y.sar", &service("b", "1"));
    registry.poll();
    drop_in(&folder, "y.sar", &service("b", "2"));
    registry.poll();
    registry.poll();
    let is_told = registry.services.files.lock().known["x.sar"].problem.as_ref().map(|problem| problem.is_told);
    assert_eq!(is_told, Some(true), "it is looked at again and not told twice");
    drop_in(&folder, "x.sar", &whole);
    registry.poll();
    assert_eq!(shown(&registry), ["a 2 Started", "b 2 Started"]);
}

#[test]
fn a_second_file_with_a_name_waits_until_the_first_is_gone() {
    let folder = folder();
    let registry = registry(folder.path());
    drop_in(&folder, "1.sar", &service("a", "1"));
    drop_in(&folder, "2.sar", &service("a", "2"));
    registry.poll();
    registry.poll();
    assert_eq!(shown(&registry), ["a 1 Started"]);
    std::fs::remove_file(folder.path().join("services/1.sar")).expect("removed");
    registry.poll();
    assert_eq!(shown(&registry), ["a 2 Started"]);
}

#[test]
fn what_is_deployed_and_stopped_is_found_by_the_next_server() {
    let folder = folder();
    {
        let registry = registry(folder.path());
        registry.services.deploy(&service("a", "1"), None).expect("deployed");
        registry.services.deploy(&service("Zins Ü", "1"), Some(Status::Stopped)).expect("deployed");
        registry.services.deploy(&service(".hidden", "1"), None).expect("deployed");
        registry.services.set_status("a", Status::Stopped).expect("stopped");
        registry.services.set_status("Zins Ü", Status::Started).expect("started");
        registry.poll();
        assert_eq!(shown(&registry), [".hidden 1 Started", "Zins Ü 1 Started", "a 1 Stopped"]);
    }
    let next = registry(folder.path());
    assert_eq!(shown(&next), [".hidden 1 Started", "Zins Ü 1 Started", "a 1 Stopped"]);
    next.services.delete("a").expect("deleted");
    let last = registry(folder.path());
    last.services.deploy(&service("a", "3"), None).expect("deployed");
    assert_eq!(shown(&last), [".hidden 1 Started", "Zins Ü 1 Started", "a 3 Started"]);
}

#[test]
fn updating_and_deleting_want_a_stopped_service_without_requests() {
    let folder = folder();
    let registry = registry(folder.path());
    let services = &registry.services;
    services.deploy(&service("a", "1"), None).expect("deployed");
    assert!(matches!(services.deploy(&service("a", "2"), None), Err(DeployError::Exists { .. })));
    assert!(matches!(services.update("a", &service("a", "2"), None), Err(DeployError::NotStopped { .. })));
    assert!(matches!(services.delete("a"), Err(DeployError::NotStopped { .. })));
    let deployed = services.lookup("a").expect("deployed");
    let under_way = deployed.activity.admit(Instant::now()).expect("started");
    services.set_status("a", Status::Stopped).expect("stopped");
    assert!(matches!(services.update("a", &service("a", "2"), None), Err(DeployError::Busy { .. })));
    drop(under_way);
    assert!(matches!(services.update("a", &service("b", "2"), None), Err(DeployError::OtherName { .. })));
    assert!(matches!(services.update("a", b"PK", None), Err(DeployError::Archive(_))));
    assert!(matches!(services.update("b", &service("b", "2"), None), Err(DeployError::Unknown { .. })));
    assert_eq!(shown(&registry), ["a 1 Stopped"]);
    services.update("a", &service("a", "2"), Some(Status::Stopped)).expect("updated");
    assert_eq!(shown(&registry), ["a 2 Stopped"]);
    services.update("a", &service("a", "3"), None).expect("updated");
    assert_eq!(shown(&registry), ["a 3 Started"]);
    registry.poll();
    assert_eq!(shown(&registry), ["a 3 Started"]);
    services.set_status("a", Status::Stopped).expect("stopped");
    services.delete("a").expect("deleted");
    registry.poll();
    assert!(shown(&registry).is_empty());
    let left: Vec<_> = std::fs::read_dir(folder.path().join("services"))
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name != ".stopped")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_update_of_what_was_dropped_in_replaces_its_file() {
    let folder = folder();
    let registry = registry(folder.path());
    drop_in(&folder, "my file.sar", &service("a", "1"));
    registry.poll();
    registry.services.set_status("a", Status::Stopped).expect("stopped");
    registry.services.update("a", &service("a", "2"), None).expect("updated");
    assert!(!folder.path().join("services/a.sar").exists());
    assert_eq!(shown(&self::registry(folder.path())), ["a 2 Started"]);
}

#[test]
fn two_apis_cannot_share_a_base_path_and_the_longest_one_wins() {
    let folder = folder();
    let registry = registry(folder.path());
    registry.apis.deploy(&api("one", "/a"), None).expect("deployed");
    registry.apis.deploy(&api("two", "/a/b"), None).expect("deployed");
    let clash = registry.apis.deploy(&api("three", "/a"), None).err().expect("refused");
    assert_eq!(sentence(&clash), "the API one has the base path /a");
    let found = |path| registry.api_of_path(path).map(|(api, rest)| (api.content.name.clone(), rest));
    assert_eq!(found("/a/x"), Some(("one".to_owned(), "/x")));
    assert_eq!(found("/a"), Some(("one".to_owned(), "")));
    assert_eq!(found("/a/b/c"), Some(("two".to_owned(), "/c")));
    assert_eq!(found("/a/bc"), Some(("one".to_owned(), "/bc")));
    assert_eq!(found("/ab"), None);
}

#[test]
fn uris_of_the_configuration_lead_to_services_the_most_specific_first() {
    let folder = folder();
    let uris = |uris: &[&str]| uris.iter().map(|uri| (*uri).to_owned()).collect::<Vec<_>>();
    let settings = Settings {
        invoke_uris: [("a".to_owned(), uris(&["/x/*", "/y"])), ("b".to_owned(), uris(&["/x/y*"]))].into(),
        ..Settings::default()
    };
    let registry = Registry::new(folder.path().to_owned(), settings, Arc::new(SystemClock));
    registry.services.deploy(&service("a", "1"), None).expect("deployed");
    registry.services.deploy(&service("b", "1"), None).expect("deployed");
    let found = |path| registry.service_of_uri(path).map(|service| service.content.service.name.clone());
    assert_eq!(found("/x/1"), Some("a".to_owned()));
    assert_eq!(found("/x/y1"), Some("b".to_owned()));
    assert_eq!(found("/y"), Some("a".to_owned()));
    assert_eq!(found("/y/1"), None);
}

#[test]
fn properties_of_the_configuration_win_over_those_of_the_archive() {
    let folder = folder();
    let registry = registry(folder.path());
    registry.services.deploy(&service("a", "1"), None).expect("deployed");
    let kind = || registry.services.lookup("a").expect("deployed").content.service.provider.kind.clone();
    assert_eq!(kind(), crate::definition::Kind::Queue);
    let mut settings = Settings::default();
    settings.properties.insert("a".to_owned(), [("messagingAction".to_owned(), "mqget".to_owned())].into());
    registry.configure(settings);
    assert_eq!(kind(), crate::definition::Kind::Get);
}
