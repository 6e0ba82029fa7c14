//! What a developer sees at every start: where console and book are, and curl lines that put and get a message as pasted.

use std::net::SocketAddr;
use std::path::Path;

use crate::serve::ready::reachable;

pub(crate) struct Greeting<'a> {
    pub https: Option<SocketAddr>,
    pub http: Option<SocketAddr>,
    /// The authority to trust; `None` when the certificate is the user's own.
    pub authority: Option<&'a Path>,
    pub initial_passwords: &'a Path,
    pub queue_manager: &'a str,
    pub user: &'a str,
}

impl Greeting<'_> {
    /// The lines, or nothing when no listener serves REST.
    pub(crate) fn lines(&self) -> Vec<String> {
        let Some((origin, trust)) = self.origin() else { return Vec::new() };
        let curl = self.curl(&origin, &trust);
        vec![
            format!("Console: {origin}/  Book: {origin}/docs"),
            "Put a message, and get it:".to_owned(),
            format!("  {curl} -H 'Content-Type: text/plain;charset=utf-8' --data 'Hello'"),
            format!("  {curl} -X DELETE"),
        ]
    }

    /// Where browsers and curl find the server, and the options with which curl trusts it.
    fn origin(&self) -> Option<(String, String)> {
        Some(match (self.https, self.authority, self.http) {
            (Some(https), Some(authority), _) => (
                format!("https://localhost:{}", https.port()),
                format!(" --cacert {}", quote(&authority.to_string_lossy())),
            ),
            (_, _, Some(http)) => (format!("http://{}", reachable(http)), String::new()),
            // The user's own certificate may be for any name, signed by anybody.
            (Some(https), None, None) => (format!("https://localhost:{}", https.port()), " --insecure".to_owned()),
            (None, _, None) => return None,
        })
    }

    fn curl(&self, origin: &str, trust: &str) -> String {
        let manager = self.queue_manager.replace('%', "%25").replace('/', "%2F");
        format!(
            "curl -sS{trust} -u \"{}:$(sed -n 's/^{} //p' {})\" -H 'ibm-mq-rest-csrf-token: x' \
             {origin}/ibmmq/rest/v3/messaging/qmgr/{manager}/queue/DEV.QUEUE.1/message",
            self.user,
            self.user,
            quote(&self.initial_passwords.to_string_lossy())
        )
    }
}

/// A word of a POSIX shell, quoted where it must be.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curl_line_reads_the_password_from_the_file_even_in_an_odd_folder() {
        let greeting = Greeting {
            https: "0.0.0.0:9443".parse().ok(),
            http: None,
            authority: Some(Path::new("/tmp/it's here/tls/ca.crt")),
            initial_passwords: Path::new("/tmp/it's here/initial-passwords"),
            queue_manager: "QM1",
            user: "app",
        };
        expect_test::expect![[r#"
            Console: https://localhost:9443/  Book: https://localhost:9443/docs
            Put a message, and get it:
              curl -sS --cacert '/tmp/it'\''s here/tls/ca.crt' -u "app:$(sed -n 's/^app //p' '/tmp/it'\''s here/initial-passwords')" -H 'ibm-mq-rest-csrf-token: x' https://localhost:9443/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message -H 'Content-Type: text/plain;charset=utf-8' --data 'Hello'
              curl -sS --cacert '/tmp/it'\''s here/tls/ca.crt' -u "app:$(sed -n 's/^app //p' '/tmp/it'\''s here/initial-passwords')" -H 'ibm-mq-rest-csrf-token: x' https://localhost:9443/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message -X DELETE"#]]
        .assert_eq(&greeting.lines().join("\n"));
    }
}
