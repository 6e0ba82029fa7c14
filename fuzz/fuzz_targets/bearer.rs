//! Any key set of an issuer, then any bearer token: nothing but a verdict comes of it, and no token without a good signature is accepted.
#![no_main]

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use identity::Authenticator;
use identity::api_key::ApiKeys;
use identity::authenticator::{Credentials, Verdict};
use identity::oidc::{Connect, Fetch, Fetched};
use identity::options::{BearerOptions, Identities, Ldap, Lockout, Ltpa, OidcIssuer, Web};
use libfuzzer_sys::fuzz_target;
use model::timestamp::Timestamp;
use tokio::runtime::Runtime;

const ISSUER: &str = "https://issuer.example";

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

/// Has the LTPA keys, which are slow to make.
static BASE: LazyLock<Authenticator> = LazyLock::new(|| {
    let (web, ldap, ltpa, lockout) = (Web::default(), Ldap::default(), Ltpa::default(), Lockout::default());
    let options =
        Identities { web: &web, ldap: &ldap, ltpa: &ltpa, lockout: &lockout, bearers: None, server_user: "server" };
    Authenticator::new(&options, Timestamp::from_millis(0)).expect("the options are fine")
});

/// An issuer whose key set is the input.
#[derive(Debug, Clone)]
struct Issuer(Vec<u8>);

impl Connect for Issuer {
    fn connect(&self, _: Option<&Path>, _: Duration) -> Result<Arc<dyn Fetch>, String> {
        Ok(Arc::new(self.clone()))
    }
}

impl Fetch for Issuer {
    fn get(&self, url: &str) -> Fetched {
        let description = format!("{{\"issuer\": \"{ISSUER}\", \"jwks_uri\": \"{ISSUER}/keys\"}}");
        let document = if url.ends_with("/keys") { self.0.clone() } else { description.into_bytes() };
        Box::pin(async { Ok(document) })
    }
}

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (keys, token) = input;
    let (web, ldap, ltpa, lockout) = (Web::default(), Ldap::default(), Ltpa::default(), Lockout::default());
    let oidc = BTreeMap::from([("issuer".to_owned(), OidcIssuer::new(ISSUER, vec!["mq".to_owned()]))]);
    let (connect, api_keys) = (Issuer(keys), Arc::new(ApiKeys::in_memory()));
    let bearers = Some(BearerOptions { oidc: &oidc, connect: &connect, api_keys: &api_keys });
    let options = Identities { web: &web, ldap: &ldap, ltpa: &ltpa, lockout: &lockout, bearers, server_user: "server" };
    let now = Timestamp::from_millis(1_800_000_000_000);
    let header = [b"Bearer ", token.as_slice()].concat();
    let credentials = Credentials {
        tokens: &[],
        authorization: Some(&header),
        api_key: Some(&token),
        client_certificate: None,
        over_tls: true,
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    RUNTIME.block_on(async {
        let authenticator = BASE.reloaded(&options, now).expect("the options are fine");
        let verdict = authenticator.authenticate_slow(&credentials, now).await;
        // The input would have to sign for it.
        assert!(!matches!(verdict, Verdict::Identified { .. } | Verdict::Slow), "{verdict:?}");
    });
});
