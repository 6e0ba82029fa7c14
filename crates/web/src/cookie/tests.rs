use http::HeaderName;
use identity::options::{Identities, Ldap, Lockout, Ltpa, Web};

use super::*;

fn headers(values: &[&str]) -> HeaderMap {
    let of = |value: &&str| (header::COOKIE, HeaderValue::try_from(*value).expect("a header value"));
    values.iter().map(of).collect::<Vec<(HeaderName, HeaderValue)>>().into_iter().collect()
}

#[test]
fn cookies_are_found_however_a_client_sends_them() {
    for (sent, expected) in [
        (&["a=b; LtpaToken2=x; c=d"][..], &["x"][..]),
        (&["a=b;LtpaToken2=x"], &["x"]),
        (&["LtpaToken2=\"x\""], &["x"]),
        (&["LtpaToken2=stale; LtpaToken2=x"], &["stale", "x"]),
        (&["a=b", "LtpaToken2=x"], &["x"]),
        (&["xLtpaToken2=x"], &[]),
        (&["ltpatoken2=x"], &[]),
        (&["other=1; LtpaToken2_1=x; LtpaToken2=\"\""], &[]),
        (&["LtpaToken2=1; LtpaToken2=2; LtpaToken2=3; LtpaToken2=4; LtpaToken2=5"], &["1", "2", "3", "4"]),
    ] {
        assert_eq!(Tokens::of(&headers(sent), "LtpaToken2").as_slice(), expected, "{sent:?}");
    }
}

#[tokio::test]
async fn the_cookie_has_the_published_attributes() {
    for (secure, attributes) in
        [(true, "; Path=/; Secure; HttpOnly; SameSite=Strict"), (false, "; Path=/; HttpOnly; SameSite=Strict")]
    {
        let web = Web { users: [("app".to_owned(), "secret".to_owned())].into(), ..Web::default() };
        let (ldap, ltpa) = (Ldap::default(), Ltpa { secure, ..Ltpa::default() });
        let lockout = Lockout::default();
        let options =
            Identities { web: &web, ldap: &ldap, ltpa: &ltpa, lockout: &lockout, bearers: None, server_user: "server" };
        let now = Timestamp::from_millis(1_800_000_000_000);
        let authenticator = Authenticator::new(&options, now).expect("fine");
        let identity = authenticator.login("app", "secret", [127, 0, 0, 1].into(), now).await.expect("right");
        let set = of_identity(&authenticator, &identity, now, secure).expect("a cookie");
        let set = set.to_str().expect("ASCII");
        assert!(set.starts_with("LtpaToken2=") && set.ends_with(attributes), "{set}");
        assert_eq!(of_identity(&authenticator, &identity, now, false).is_some(), !secure);
        let clear = if secure { "Path=/; Secure; HttpOnly" } else { "Path=/; HttpOnly" };
        let expected = format!("LtpaToken2=\"\"; Max-Age=0; Expires=Thu, 01 Dec 1994 16:00:00 GMT; {clear}");
        assert_eq!(cleared(&authenticator), expected.as_str());
        assert_eq!(authenticator.cookie_name(), "LtpaToken2");
    }
}
