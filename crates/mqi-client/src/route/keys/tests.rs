use super::*;
use crate::route::Keys;
use crate::settings::Settings;

const FILE: &str = "SSL:\nSSLKeyRepositoryPassword=of the file\nCertificateLabel=file\n";

fn with<T>(environment: &[(&str, &str)], file: &str, keys: Option<&Keys>, ask: impl Fn(&Finder<'_>) -> T) -> T {
    let settings = Settings::of(environment, file);
    ask(&Finder { settings: &settings, queue_manager: "QM1", keys })
}

#[test]
fn the_password_is_that_of_the_program_else_of_the_environment_else_of_the_file_else_of_the_stash() {
    let folder = tempfile::tempdir().expect("a folder");
    let repository = folder.path().join("key.p12");
    let password = |environment: &[(&str, &str)], file: &str, keys: Option<&Keys>| {
        with(environment, file, keys, |finder| finder.password(&repository))
    };
    let stated = Keys { password: Some("of the program".to_owned()), ..Keys::default() };
    let environment = [("MQKEYRPWD", "of the environment")];
    assert_eq!(password(&environment, FILE, Some(&stated)), Ok("of the program".to_owned()));
    assert_eq!(password(&environment, FILE, Some(&Keys::default())), Ok("of the environment".to_owned()));
    assert_eq!(password(&[], FILE, None), Ok("of the file".to_owned()));
    assert_eq!(password(&[], "", None), Err(Reason::KeyRepositoryError));
    #[expect(clippy::disallowed_methods, reason = "makes a file in a temporary folder")]
    std::fs::write(repository.with_extension("sth"), stashed("of the stash")).expect("written");
    assert_eq!(password(&[], "", None), Ok("of the stash".to_owned()));
    assert_eq!(password(&[("MQKEYRPWD", "<MQI>!2!abc")], "", None), Err(Reason::KeyRepositoryError));
}

/// As the tools write it: what follows the NUL is not looked at.
fn stashed(password: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = password.bytes().chain([0]).map(|byte| byte ^ STASH_MASK).collect();
    bytes.resize(129, 0x17);
    bytes
}

#[test]
fn a_stash_file_of_another_form_is_no_password() {
    assert_eq!(unstashed(&stashed("päss word")), Some("päss word".to_owned()));
    for other in [&stashed("")[..], &[0x17; 193], &[0x00; 193], &[]] {
        assert_eq!(unstashed(other), None);
    }
}

#[test]
fn the_label_is_that_of_the_channel_else_of_the_program_else_of_the_environment_else_of_the_file() {
    let channel = Channel { certificate_label: "channel".to_owned(), ..Channel::default() };
    let keys = Keys { certificate_label: "program".to_owned(), ..Keys::default() };
    let environment = [("MQCERTLABL", "environment")];
    let label = |channel: &Channel, keys: Option<&Keys>, environment: &[(&str, &str)], file: &str| {
        with(environment, file, keys, |finder| finder.label(channel).map(str::to_owned))
    };
    let none = Channel::default();
    assert_eq!(label(&channel, Some(&keys), &environment, FILE).as_deref(), Some("channel"));
    assert_eq!(label(&none, Some(&keys), &environment, FILE).as_deref(), Some("program"));
    assert_eq!(label(&none, Some(&Keys::default()), &environment, FILE).as_deref(), Some("environment"));
    assert_eq!(label(&none, None, &[], FILE).as_deref(), Some("file"));
    assert_eq!(label(&none, None, &[], ""), None);
}
