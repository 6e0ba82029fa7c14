//! Members of IBM's public sample of the host API (zosconnect/sample-oas3-requester, Apache-2.0): fetched by the test, never stored.

use std::path::Path;

use crate::building::built;

const REPOSITORY: &str = "zosconnect/sample-oas3-requester";
const COMMIT: &str = "5a39f77ce3946d632e98920ed37ce49a20d2b554";
/// All but one: a body of JSON patch, which that tool maps in a form of its own.
const EQUAL: [&str; 14] = [
    "RBK00I01", "RBK00P01", "RBK00Q01", "RBK01I01", "RBK01P01", "RBK01Q01", "RBK02I01", "RBK02P01", "RBK03I01",
    "RBK03P01", "RBK03Q01", "RBK04I01", "RBK04P01", "RBK04Q01",
];

/// Words of the code, without comments.
fn code(member: &str) -> Vec<&str> {
    let is_code = |line: &&str| line.get(6..7).is_none_or(|indicator| indicator != "*");
    member.lines().filter(is_code).flat_map(str::split_whitespace).collect()
}

#[test]
#[ignore = "fetches files from GitHub: make test runs it where that is reached"]
fn members_are_those_of_the_public_sample_word_by_word() {
    let files = public_files::of_github(REPOSITORY, COMMIT, &["RedbookApi", "COPY"]);
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let description = read(&files.join("RedbookApi/src/main/api/redbookapi.yaml"));
    let options = "mappingLevel=5.0\nrequesterPrefix=RBK\napiName=RedbookApi\ndefaultCharacterMaxLength=50\ndefaultFractionDigits=2";
    let made = built(options, "redbookapi.yaml", &description);
    for name in EQUAL {
        let public = read(&files.join(format!("COPY/{name}.cpy")));
        assert_eq!(code(&made.members[name]), code(&public), "{name}");
    }
}
