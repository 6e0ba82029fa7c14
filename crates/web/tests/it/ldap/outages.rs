//! A directory that is slow, gone, back again, or not the one that was meant.

use identity::Authenticator;
use identity::options::{Identities, Ldap, LdapTls, Lockout, Ltpa, Web};
use model::timestamp::Timestamp;

use super::slapd::Slapd;
use super::{log_in, server, sign_in};
use crate::http::client::{basic, plain, tls};
use crate::http::server::{TestServer, eventually, make_signer};

const UNAVAILABLE: &str = "503 MQWB0930E";

#[test]
fn a_frozen_directory_costs_its_users_a_503_and_others_nothing() {
    let slapd = Slapd::start();
    let server = server(Ldap { timeout_seconds: 12, ..slapd.options() });
    let mut token_holder = tls(&server);
    assert_eq!(log_in(&mut token_holder, "carol", "carolpw"), "204");
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
    slapd.freeze();
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..8).map(|_| scope.spawn(|| sign_in(&server, "alice", "alicepw"))).collect();
        // Requests that need no directory are answered while those wait, on every thread that serves.
        for _ in 0..10 {
            let mut client = plain(&server);
            assert_eq!(client.exchange(&format!("GET v3/login\n{}", basic("app", "secret"))).status, 200);
            assert_eq!(
                client.exchange(&format!("GET v3/login\n{}", basic("bob", "bobpw"))).status,
                200,
                "verified lately"
            );
        }
        assert_eq!(token_holder.exchange("GET v3/login\n-authorization\ncookie: {cookie}").status, 200);
        assert!(waiting.iter().any(|request| !request.is_finished()), "the directory still keeps somebody waiting");
        for answer in waiting {
            assert_eq!(answer.join().expect("an answer"), UNAVAILABLE);
        }
    });
    assert_eq!(log_in(&mut tls(&server), "alice", "alicepw"), UNAVAILABLE);
    slapd.thaw();
    eventually("the directory is asked again", || sign_in(&server, "alice", "alicepw") == "alice MQWebAdmin");
}

#[test]
fn a_directory_that_was_started_again_is_connected_to_again() {
    let mut slapd = Slapd::start();
    let server = server(slapd.options());
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
    slapd.stop();
    slapd.start_again();
    assert_eq!(sign_in(&server, "alice", "alicepw"), "alice MQWebAdmin", "at once, on a new connection");
    slapd.stop();
    assert_eq!(sign_in(&server, "carol", "carolpw"), UNAVAILABLE);
    slapd.start_again();
    eventually("the directory is asked again", || sign_in(&server, "carol", "carolpw") == "carol MQWebUser");
}

#[test]
fn a_token_whose_user_cannot_be_looked_up_is_kept() {
    let mut slapd = Slapd::start();
    let server = server(Ldap { cache_seconds: 1, ..slapd.options() });
    let mut client = tls(&server);
    assert_eq!(log_in(&mut client, "bob", "bobpw"), "204");
    slapd.stop();
    let show = "GET v3/login\n-authorization\ncookie: {cookie}";
    let client = std::cell::RefCell::new(client);
    let status = || client.borrow_mut().exchange(show).status;
    eventually("the directory is needed", || status() == 503);
    let answer = client.borrow_mut().exchange(show);
    assert_eq!(
        (answer.error_id().as_str(), answer.header("set-cookie")),
        ("MQWB0930E", None),
        "the client keeps its cookie"
    );
    let with_basic =
        client.borrow_mut().exchange(&format!("GET v3/login\ncookie: {{cookie}}\n{}", basic("app", "secret")));
    assert_eq!(with_basic.status, 200, "another good credential counts");
    slapd.start_again();
    eventually("the token is good again", || status() == 200);
}

#[test]
fn another_server_is_asked_while_the_first_is_gone() {
    let (mut first, second) = (Slapd::start(), Slapd::start());
    let mut both = first.options();
    both.failover = vec![second.address()];
    // One file may hold the signers of both.
    let signers = [&first.signer, &second.signer].map(|file| std::fs::read_to_string(file).expect("PEM")).concat();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("signers.pem");
    write(&file, &signers);
    both.ca_file = Some(file);
    let server = server(both);
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
    first.stop();
    assert_eq!(sign_in(&server, "alice", "alicepw"), "alice MQWebAdmin");
}

#[test]
fn start_tls_encrypts_too() {
    let slapd = Slapd::start();
    assert_eq!(sign_in(&server(slapd.start_tls()), "bob", "bobpw"), "bob MQWebUser");
    let clear = Ldap { tls: LdapTls::Off, ca_file: None, ..slapd.start_tls() };
    assert_eq!(sign_in(&server(clear), "bob", "bobpw"), "bob MQWebUser", "and may be left off");
}

#[test]
fn a_server_whose_signer_is_not_trusted_is_told_nothing() {
    let slapd = Slapd::start();
    let folder = tempfile::tempdir().expect("a folder");
    let stranger = Some(make_signer(folder.path()).file);
    for ldap in [slapd.options(), slapd.start_tls()] {
        let server = server(Ldap { ca_file: stranger.clone(), ..ldap });
        assert_eq!(sign_in(&server, "bob", "bobpw"), UNAVAILABLE);
    }
}

#[test]
fn a_certificate_for_another_host_is_refused() {
    let slapd = Slapd::start_as("ldap.example.com");
    for ldap in [slapd.options(), slapd.start_tls()] {
        assert_eq!(sign_in(&server(ldap), "bob", "bobpw"), UNAVAILABLE);
    }
}

#[test]
fn a_wrong_service_password_signs_nobody_in_and_is_told_by_the_check() {
    let slapd = Slapd::start();
    let wrong = Ldap { bind_password: Some("wrong".to_owned()), ..slapd.options() };
    assert_eq!(sign_in(&server(wrong.clone()), "bob", "bobpw"), UNAVAILABLE);
    let probe = |ldap: Ldap| {
        let (web, ltpa) = (Web::default(), Ltpa::default());
        let options = Identities {
            web: &web,
            ldap: &ldap,
            ltpa: &ltpa,
            lockout: &Lockout::default(),
            bearers: None,
            server_user: "server",
        };
        let authenticator = Authenticator::new(&options, Timestamp::from_millis(0)).expect("valid options");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let said = runtime.block_on(authenticator.probe_directory());
        said.into_iter().map(|(url, result)| (url, result.err().unwrap_or_default())).collect::<Vec<_>>()
    };
    let url = format!("ldaps://{}", slapd.address());
    assert_eq!(probe(slapd.options()), [(url.clone(), String::new())]);
    let said = probe(wrong);
    assert!(said[0].0 == url && said[0].1.contains("ldap.bind_password is wrong"), "{said:?}");
    let said = probe(Ldap { base_dn: Some("dc=nowhere".to_owned()), ..slapd.options() });
    assert!(said[0].1.contains("dc=nowhere"), "{said:?}");
    let said = probe(Ldap { failover: vec!["localhost:1".to_owned()], ..slapd.options() });
    assert!(said.len() == 2 && said[0].1.is_empty() && said[1].1.contains("connection"), "{said:?}");
    assert_eq!(probe(Ldap::default()), []);
}

#[test]
fn a_flood_of_wrong_passwords_ends_in_bounded_time() {
    let slapd = Slapd::start();
    let server = TestServer::start_with(|options| {
        super::bind_roles(&mut options.web.roles);
        options.ldap = slapd.options();
        options.lockout.failures = 0;
    });
    std::thread::scope(|scope| {
        let flood: Vec<_> = (0..16)
            .map(|number| {
                scope.spawn({
                    let server = &server;
                    move || sign_in(server, "bob", &format!("wrong{number}"))
                })
            })
            .collect();
        for answer in flood {
            assert_eq!(answer.join().expect("an answer"), "401 MQWB0105E");
        }
    });
    assert_eq!(sign_in(&server, "bob", "bobpw"), "bob MQWebUser");
}

#[test]
fn a_guesser_of_a_directorys_password_waits_and_the_directory_is_not_asked() {
    let slapd = Slapd::start();
    let server = TestServer::start_with(|options| {
        super::bind_roles(&mut options.web.roles);
        options.ldap = slapd.options();
        options.lockout.first_seconds = 300;
    });
    for number in 0..5 {
        assert_eq!(sign_in(&server, "bob", &format!("wrong{number}")), "401 MQWB0105E");
    }
    for password in ["wrong", "bobpw"] {
        assert_eq!(sign_in(&server, "bob", password), "429 MQWB0931E");
        assert_eq!(log_in(&mut plain(&server), "BOB", password), "429 MQWB0931E");
    }
    assert_eq!(sign_in(&server, "alice", "alicepw"), "alice MQWebAdmin");
}

#[expect(clippy::disallowed_methods, reason = "a temporary file of a test")]
fn write(file: &std::path::Path, text: &str) {
    std::fs::write(file, text).expect("written");
}
