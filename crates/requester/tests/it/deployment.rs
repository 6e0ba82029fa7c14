//! Archives in the folder, and what cannot be one.

use requester::RequesterDefinition;
use service::deploy::{Artefact, DeployError, Status};

use super::api::{Api, Server, json};
use super::structures::{BOOKS, books};

#[test]
#[expect(clippy::disallowed_methods, reason = "temporary files of a test")]
fn an_archive_that_lies_in_the_folder_is_deployed_and_goes_with_its_file() {
    let api = Api::start(|_| json(201, ""));
    let server = Server::to(&api);
    let requesters = &server.requesters;
    requesters.shelf.set_status(BOOKS, Status::Stopped).expect("stopped");
    requesters.shelf.delete(BOOKS).expect("deleted");
    let file = server.folder.path().join("apiRequesters").join("APIRPERF.ara");
    std::fs::write(&file, books("api")).expect("written");
    requesters.poll();
    let deployed = requesters.shelf.lookup(BOOKS).expect("deployed");
    assert_eq!(deployed.status(), Status::Started);
    let definition = &deployed.content;
    assert_eq!((definition.version.as_str(), definition.connection.as_str()), ("1", "api"));
    let operations: Vec<_> = definition.operations().collect();
    assert_eq!(operations[0], ("getBook", "GET", "/shop/books/{isbn}"));
    assert_eq!(
        definition.installed(&file),
        "API requester archive APIRPERF.ara is installed and API requester Book-Shop-API_2.1 is deployed successfully."
    );
    std::fs::remove_file(&file).expect("removed");
    requesters.poll();
    assert!(requesters.shelf.lookup(BOOKS).is_none());
}

#[test]
fn what_is_no_archive_of_an_api_requester_is_refused() {
    let api = Api::start(|_| json(201, ""));
    let server = Server::to(&api);
    let again = server.requesters.shelf.deploy(&books("api"), None);
    assert!(matches!(again, Err(DeployError::Exists { word: "API requester", .. })));
    for bad in [&b"no zip"[..], &books("api")[..500]] {
        assert!(RequesterDefinition::read(bad, &()).is_err());
    }
}
