//! How issuers of tokens are reached: the HTTP that `identity` does not have, and when their keys are looked after.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use identity::oidc::{Answered, Connect, Fetch, Fetched, Form, Posted};
use requester::fetch::Source;

use crate::server::Shared;

/// Longest document of an issuer, in bytes.
const LONGEST: usize = 1 << 20;
/// How often keys that are due, and uses of API keys, are looked for.
const TICK: Duration = Duration::from_secs(1);

/// Reaches issuers by HTTP.
#[derive(Debug)]
pub(crate) struct ByHttp;

struct Documents(Arc<Source>);

impl Connect for ByHttp {
    fn connect(&self, ca_file: Option<&Path>, within: Duration) -> Result<Arc<dyn Fetch>, String> {
        Ok(Arc::new(Documents(Arc::new(Source::new(ca_file, within.as_secs(), LONGEST)?))))
    }
}

impl Fetch for Documents {
    fn get(&self, url: &str) -> Fetched {
        let (source, url) = (Arc::clone(&self.0), url.to_owned());
        Box::pin(async move { Ok(source.get(&url).await?.to_vec()) })
    }

    fn post(&self, url: &str, Form { body, authorization }: Form) -> Answered {
        let (source, url) = (Arc::clone(&self.0), url.to_owned());
        Box::pin(async move {
            let (status, body) = source.post_form(&url, body, authorization).await?;
            Ok(Posted { status: status.as_u16(), body: body.to_vec() })
        })
    }
}

/// Fetches keys of issuers that are due, and writes when API keys were used, until the task is aborted.
pub(crate) async fn look_after(shared: Arc<Shared>) {
    loop {
        let (authenticator, now) = (Arc::clone(&shared.settings().authenticator), shared.now());
        authenticator.refresh_issuers(now);
        let api_keys = Arc::clone(authenticator.api_keys());
        let written = tokio::task::spawn_blocking(move || api_keys.write_uses(now, false)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!("the times of last use of API keys are not kept: {error}");
        }
        tokio::time::sleep(TICK).await;
    }
}
