//! Members of IBM's public samples of the host API and of an API for CICS programs (zosconnect/sample-oas3-requester and
//! zosconnect/sample-cics-api-first, Apache-2.0): fetched by the test, never stored.

use std::path::Path;

use crate::building::built;

const REPOSITORY: &str = "zosconnect/sample-oas3-requester";
const COMMIT: &str = "5a39f77ce3946d632e98920ed37ce49a20d2b554";
const MEMBERS: usize = 15;
const OF_CHANNEL: (&str, &str) = ("zosconnect/sample-cics-api-first", "1e59a7f0211e199d3d415bfdc5c272de14d7367d");
const MEMBERS_OF_CHANNEL: usize = 6;

/// Words of the code, without comments.
fn code(member: &str) -> Vec<&str> {
    match member.rsplit_once("*/") {
        Some((_, code)) => code.split_whitespace().collect(),
        None => {
            let is_code = |line: &&str| line.get(6..7).is_none_or(|indicator| indicator != "*");
            member.lines().filter(is_code).flat_map(str::split_whitespace).collect()
        }
    }
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn members_are_those_of_the_public_sample_word_by_word() {
    let files = public_files::of_github(REPOSITORY, COMMIT, &["RedbookApi", "RedbookApiPLI", "COPY", "INCLUDE"]);
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (project, language, folder, extension) in
        [("RedbookApi", "COBOL", "COPY", "cpy"), ("RedbookApiPLI", "PLI", "INCLUDE", "inc")]
    {
        let description = read(&files.join(project).join("src/main/api/redbookapi.yaml"));
        let options = format!(
            "mappingLevel=5.0\nrequesterPrefix=RBK\napiName={project}\nlanguage={language}\n\
             defaultCharacterMaxLength=50\ndefaultFractionDigits=2"
        );
        let made = built(&options, "redbookapi.yaml", &description);
        assert_eq!(made.members.len(), MEMBERS, "{language}");
        for (name, member) in &made.members {
            let public = read(&files.join(folder).join(format!("{name}.{extension}")));
            assert_eq!(code(member), code(&public), "{language} {name}");
        }
    }
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn members_of_a_channel_are_those_of_the_public_sample_word_by_word() {
    let (repository, commit) = OF_CHANNEL;
    let files = public_files::of_github(repository, commit, &["finish/src/main/api", "COPY"]);
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let description = read(&files.join("finish/src/main/api/openapi.yaml"));
    let options = "mappingLevel=5.0\nprogramInterface=CHANNEL\nrequesterPrefix=RBK\n\
        defaultCharacterMaxLength=50\ndefaultFractionDigits=2";
    let made = built(options, "openapi.yaml", &description);
    // Programs behind an API have no API information.
    let members = made.members.iter().filter(|(name, _)| !name.contains('I'));
    let equal = members.map(|(name, member)| {
        let public = read(&files.join(format!("COPY/{name}.cpy")));
        assert_eq!(code(member), code(&public), "{name}");
    });
    assert_eq!(equal.count(), MEMBERS_OF_CHANNEL);
}
