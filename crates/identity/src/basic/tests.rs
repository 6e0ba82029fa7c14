use base64::engine::general_purpose::STANDARD;
use model::authority::Principal;
use proptest::prelude::*;

use super::super::role::Roles;
use super::*;

fn credentials(user: &str, password: &str) -> Option<BasicCredentials> {
    Some(BasicCredentials { user: user.to_owned(), password: password.to_owned() })
}

#[test]
fn user_and_password_split_at_the_first_colon() {
    assert_eq!(parse(b"Basic YTpiOmM="), credentials("a", "b:c"));
    assert_eq!(parse(b"bAsIc  YTpiOmM"), credentials("a", "b:c"));
    assert_eq!(parse(format!("Basic {}", STANDARD.encode("ž:é")).as_bytes()), credentials("ž", "é"));
}

#[test]
fn what_is_not_basic_is_refused() {
    for value in ["", "Basic", "Basic !", "Basic YWJj", "Basicx YTpi", "Bearer YTpi", "Basic //86"] {
        assert_eq!(parse(value.as_bytes()), None, "{value}");
    }
    assert_eq!(parse(format!("Basic {}", "YTpi".repeat(4096)).as_bytes()), None);
}

#[test]
fn a_header_stays_verified_while_it_is_used_but_not_for_ever() {
    let headers = VerifiedHeaders::new();
    let identity = Arc::new(Identity::new(Principal::user("a"), "a", Roles::empty()));
    let digest = headers.digest(b"Basic YTpi");
    let at = |seconds: u64| Timestamp::from_millis(1_000_000 + seconds * 1000);
    headers.insert(&digest, &identity, at(0));
    assert!(headers.find(&digest, at(59)).is_some());
    assert!(headers.find(&digest, at(59 + 59)).is_some(), "the use at 59 s prolonged it");
    assert!(headers.find(&digest, at(59 + 59 + 60)).is_none(), "unused for a minute");
    headers.insert(&digest, &identity, at(200));
    for seconds in (200..800).step_by(50) {
        assert!(headers.find(&digest, at(seconds)).is_some(), "{seconds}");
    }
    assert!(headers.find(&digest, at(800)).is_none(), "ten minutes are over");
}

#[test]
fn another_header_is_not_found() {
    let headers = VerifiedHeaders::new();
    let identity = Arc::new(Identity::new(Principal::user("a"), "a", Roles::empty()));
    let now = Timestamp::from_millis(1);
    headers.insert(&headers.digest(b"Basic YTpi"), &identity, now);
    assert!(headers.find(&headers.digest(b"Basic YTpj"), now).is_none());
    assert!(VerifiedHeaders::new().find(&headers.digest(b"Basic YTpi"), now).is_none());
}

proptest! {
    #[test]
    fn parsing_undoes_encoding(user in "[^:]{0,20}", password in "\\PC{0,20}") {
        let value = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        prop_assert_eq!(parse(value.as_bytes()), Some(BasicCredentials { user, password }));
    }

    #[test]
    fn any_bytes_are_parsed_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let _ = parse(&bytes);
    }
}

#[test]
fn a_password_is_not_printed() {
    let shown = format!("{:?}", credentials("bob", "secret"));
    assert!(shown.contains("bob") && !shown.contains("secret"), "{shown}");
}
