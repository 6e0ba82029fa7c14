use std::time::Duration;

use super::{Settings, Verbose};
use crate::error::StubError;

fn read(variables: &[(&str, &str)]) -> Result<Settings, StubError> {
    Settings::of(|name| Ok(variables.iter().find(|(each, _)| *each == name).map(|(_, value)| (*value).to_owned())))
}

fn refused(variables: &[(&str, &str)]) -> String {
    match read(variables) {
        Ok(_) => panic!("{variables:?} is accepted"),
        Err(error) => {
            assert_eq!((error.return_code(), error.status()), (3, 20));
            error.to_string()
        }
    }
}

#[test]
fn nothing_set_means_the_server_on_this_machine() {
    let settings = read(&[]).expect("defaults");
    assert_eq!(settings.server.to_string(), "127.0.0.1:9080");
    assert!(!settings.server.is_tls);
    assert_eq!(settings.timeout, Some(Duration::from_secs(120)));
    assert_eq!(settings.verbose, Verbose::Off);
    assert_eq!(settings.authorization, None);
    assert!(settings.form.is_some_and(|form| form.ends_with(",ieee,1208")));
}

#[test]
fn each_variable_is_followed() {
    let settings = read(&[
        ("BAQURI", "https://zos.example"),
        ("BAQPORT", "4711"),
        ("BAQUSERNAME", "Aladdin"),
        ("BAQPASSWORD", "open sesame"),
        ("BAQTIMEOUT", "5"),
        ("BAQVERBOSE", "audit"),
        ("BAQCAFILE", "ca.pem"),
        ("BAQCERTFILE", "c.pem"),
        ("BAQKEYFILE", "k.pem"),
        ("BAQFORM", "big,hexadecimal,37"),
    ])
    .expect("settings");
    assert_eq!(settings.server.to_string(), "zos.example:4711");
    assert!(settings.server.is_tls);
    // RFC 7617, section 2.
    assert_eq!(settings.authorization.as_deref(), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
    assert_eq!(settings.timeout, Some(Duration::from_secs(5)));
    assert_eq!(settings.verbose, Verbose::Calls);
    assert_eq!(settings.files.signers.as_deref(), Some("ca.pem"));
    assert_eq!(settings.form.as_deref(), Some("big,hexadecimal,37"));
}

#[test]
fn an_empty_variable_counts_as_not_set_and_0_seconds_as_no_limit() {
    let settings = read(&[("BAQURI", ""), ("BAQPORT", ""), ("BAQTIMEOUT", "0"), ("BAQFORM", "archive")]);
    let settings = settings.expect("settings");
    assert_eq!(settings.server.to_string(), "127.0.0.1:9080");
    assert_eq!(settings.timeout, None);
    assert_eq!(settings.form, None);
}

#[test]
fn what_cannot_be_used_is_named() {
    for (name, value) in [
        ("BAQURI", "ftp://a"),
        ("BAQPORT", "0"),
        ("BAQPORT", "http"),
        ("BAQUSERNAME", "a:b"),
        ("BAQTIMEOUT", "-1"),
        ("BAQTIMEOUT", "1.5"),
        ("BAQVERBOSE", "LOUD"),
        ("BAQFORM", "big,ieee"),
        ("BAQFORM", "big,ieee,37,"),
        ("BAQFORM", "middle,ieee,37"),
    ] {
        assert!(refused(&[(name, value)]).contains(name));
    }
    assert!(refused(&[("BAQCERTFILE", "c.pem")]).contains("BAQKEYFILE"));
    assert!(!refused(&[("BAQUSERNAME", "a:b"), ("BAQPASSWORD", "sesame")]).contains("sesame"));
}
