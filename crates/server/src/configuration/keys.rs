//! Every configuration key, once: path, kind, default, unit, environment variable, flag and help.
//!
//! Data only. `check.rs` validates files against it, `environment.rs` and the command line set keys through it,
//! `explain.rs` prints it, and docs/configuration.md is that print. A test proves that the structs of `configuration.rs` and
//! this table name the same keys with the same defaults.

/// One key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// `table.key`.
    pub path: &'static str,
    pub kind: Kind,
    /// As it would be in the file; empty where there is none and `default_note` says what happens.
    pub default: &'static str,
    pub default_note: &'static str,
    /// Name of the unit; empty where there is none.
    pub unit: &'static str,
    pub environment: &'static str,
    /// Flag of `serve`; empty where there is none.
    pub flag: &'static str,
    /// Whether a reload is enough; otherwise the server has to be started again.
    pub reload: bool,
    pub help: &'static str,
}

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Integer {
        minimum: i64,
        maximum: i64,
    },
    Text,
    Choice(&'static [&'static str]),
    /// A list of words, one at least.
    Choices(&'static [&'static str]),
    /// `ADDRESS:PORT` or `off`.
    Address,
    Path,
    /// Queue manager names.
    QueueManagers,
    Texts,
    /// A table of the user's own keys, each with a text.
    TextTable,
    /// A table of the user's own keys, each with a list of texts.
    TextsTable,
    /// A table of the user's own keys, each with a table.
    Tables,
    /// A table of the user's own keys, each with a text or a table.
    TextsOrTables,
}

impl Kind {
    /// How `explain` names the type.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Boolean => "boolean".to_owned(),
            Self::Integer { minimum, maximum } => format!("integer {minimum} to {maximum}"),
            Self::Text => "text".to_owned(),
            Self::Choice(words) => words.join(" | "),
            Self::Choices(words) => format!("list of {}", words.join(", ")),
            Self::Address => "ADDRESS:PORT | off".to_owned(),
            Self::Path => "path".to_owned(),
            Self::QueueManagers => "list of queue manager names".to_owned(),
            Self::Texts => "list of texts".to_owned(),
            Self::TextTable => "table of texts".to_owned(),
            Self::TextsTable => "table of lists of texts".to_owned(),
            Self::Tables => "table of tables".to_owned(),
            Self::TextsOrTables => "table of texts or tables".to_owned(),
        }
    }

    /// How an error sentence says what was expected.
    pub(crate) fn expectation(self) -> String {
        match self {
            Self::Boolean => "true or false".to_owned(),
            Self::Integer { minimum, maximum } => format!("an integer from {minimum} to {maximum}"),
            Self::Text => "a text".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Choices(words) => format!("a list of one or more of {}", words.join(", ")),
            Self::Address => "ADDRESS:PORT, such as 127.0.0.1:9443, or off".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::QueueManagers => {
                "a list of queue manager names, each of at most 48 of A-Z a-z 0-9 . / _ %".to_owned()
            }
            Self::Texts => "a list of texts".to_owned(),
            Self::TextTable => "a table of texts".to_owned(),
            Self::TextsTable => "a table of lists of texts".to_owned(),
            Self::Tables => "a table of tables".to_owned(),
            Self::TextsOrTables => "a table of texts or tables".to_owned(),
        }
    }

    /// Is it a table of the user's own keys?
    #[cfg(test)]
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::TextTable | Self::TextsTable | Self::Tables | Self::TextsOrTables)
    }
}

const SECONDS: Kind = Kind::Integer { minimum: 0, maximum: 86_400 };
const LEVELS: Kind = Kind::Choice(&["error", "warn", "info", "debug", "trace"]);

/// The key of a path.
pub(crate) fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

const fn key(path: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Key {
    Key { path, kind, default, default_note: "", unit: "", environment: "", flag: "", reload: true, help }
}

impl Key {
    const fn note(mut self, note: &'static str) -> Self {
        self.default_note = note;
        self
    }
    const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }
    const fn environment(mut self, name: &'static str) -> Self {
        self.environment = name;
        self
    }
    /// A key that counts only at start.
    const fn once(mut self) -> Self {
        self.reload = false;
        self
    }
    /// A key that also has a flag of `serve`, and counts only at start.
    const fn at_start(mut self, flag: &'static str) -> Self {
        self.flag = flag;
        self.reload = false;
        self
    }
}

/// In the order in which `config explain` prints them.
pub(crate) const KEYS: &[Key] = &[
    key("server.queue_managers", Kind::QueueManagers, "[\"QM1\"]", "Queue managers to start. Missing ones are created. The first is the default. Other queue managers in the data directory start if they ran when the last server ended. [] together with remote_queue_managers: the server hosts none itself.")
        .environment("MQ_QMGR_NAME")
        .at_start("--qmgr"),
    key("server.https", Kind::Address, "\"0.0.0.0:9443\"", "Address of the HTTPS listener for REST, services, APIs and API documents. Port 0: any free port.")
        .environment("QUAYMASTER_HTTPS")
        .at_start("--https"),
    key("server.http", Kind::Address, "\"127.0.0.1:9080\"", "Address of the HTTP listener, which serves the same without TLS. Keep it on loopback.")
        .environment("QUAYMASTER_HTTP")
        .at_start("--http"),
    key("server.mq", Kind::Address, "\"0.0.0.0:1414\"", "Address for client channels of MQ clients, with or without TLS. Listeners of queue managers with another port than 1414 are additional. Port 0: any free port.")
        .environment("QUAYMASTER_MQ")
        .at_start("--mq"),
    key("server.metrics", Kind::Address, "\"127.0.0.1:9157\"", "Address of the metrics listener, which serves /metrics to Prometheus without authentication.")
        .environment("QUAYMASTER_METRICS")
        .at_start("--metrics"),
    key("server.mqsc_dir", Kind::Path, "", "Folder of *.mqsc files. They run at start in alphabetical order, on the first queue manager. Files in a subfolder run on the queue manager of that name.")
        .note("DIR/mqsc.d")
        .environment("QUAYMASTER_MQSC_DIR")
        .at_start("--mqsc-dir"),
    key("server.strict", Kind::Boolean, "false", "End the start with exit code 1 if a command of a file in mqsc_dir fails.")
        .environment("QUAYMASTER_STRICT")
        .at_start("--strict"),
    key("server.developer_defaults", Kind::Boolean, "true", "Create the DEV.* objects and the users admin, app and reader.")
        .environment("MQ_DEV")
        .at_start(""),
    key("server.grace_seconds", Kind::Integer { minimum: 1, maximum: 3600 }, "30", "Time for requests in progress to end after SIGTERM.")
        .unit("seconds")
        .environment("QUAYMASTER_GRACE_SECONDS"),
    key("server.reload_interval_seconds", SECONDS, "0", "Interval for checking whether the configuration file has changed, and reloading it. 0: only on SIGHUP or `config reload`.")
        .unit("seconds")
        .environment("QUAYMASTER_RELOAD_INTERVAL_SECONDS")
        .at_start(""),
    key("server.restart_failed_seconds", SECONDS, "0", "Pause before a queue manager whose recovery log has failed is started again, if a small file can be written in the folder of its log. The pause doubles after each attempt, up to ten minutes. 0: only strmqm starts it again.")
        .unit("seconds")
        .environment("QUAYMASTER_RESTART_FAILED_SECONDS")
        .at_start(""),
    key("server.log_format", Kind::Choice(&["text", "json"]), "\"text\"", "Format of the log lines on standard error.")
        .environment("QUAYMASTER_LOG_FORMAT")
        .at_start("--log-format"),
    key("server.log_level", LEVELS, "\"info\"", "Lowest severity that is logged.")
        .environment("QUAYMASTER_LOG_LEVEL")
        .at_start("--log-level"),
    key("server.slow_request_milliseconds", Kind::Integer { minimum: 0, maximum: 86_400_000 }, "0", "Log a line for each HTTP request that takes longer. Time that a request waits for a message because it asks to does not count. 0: no such lines.")
        .unit("milliseconds")
        .environment("QUAYMASTER_SLOW_REQUEST_MILLISECONDS"),
    key("tls.certificate", Kind::Path, "", "PEM file with the server's certificate, then its issuers.")
        .note("made at start, signed by DIR/tls/ca.crt")
        .environment("QUAYMASTER_TLS_CERTIFICATE"),
    key("tls.key", Kind::Path, "", "PEM file with the private key of tls.certificate.")
        .note("made at start")
        .environment("QUAYMASTER_TLS_KEY"),
    key("tls.second_certificate", Kind::Path, "", "PEM file with a second certificate, then its issuers: an RSA certificate if the first is ECDSA, or an ECDSA one if the first is RSA. Each client gets the one that it supports.")
        .note("made at start with tls.certificate; none beside a configured one")
        .environment("QUAYMASTER_TLS_SECOND_CERTIFICATE"),
    key("tls.second_key", Kind::Path, "", "PEM file with the private key of tls.second_certificate.")
        .note("made at first start")
        .environment("QUAYMASTER_TLS_SECOND_KEY"),
    key("tls.client_ca", Kind::Path, "", "PEM file with the signers of client certificates. Clients may then sign in with a certificate, see web.certificate_map.")
        .note("clients are not asked for a certificate")
        .environment("QUAYMASTER_TLS_CLIENT_CA"),
    key("tls.client_required", Kind::Boolean, "false", "Refuse TLS clients without a certificate of tls.client_ca.")
        .environment("QUAYMASTER_TLS_CLIENT_REQUIRED"),
    key("tls.old_cipherspecs", Kind::Texts, "[]", "Additional CipherSpecs for client channels, without forward secrecy or in CBC mode, such as TLS_RSA_WITH_AES_128_CBC_SHA256. docs/tls.md lists them.")
        .environment("QUAYMASTER_TLS_OLD_CIPHERSPECS"),
    key("tls.reload_interval_seconds", SECONDS, "60", "Interval for checking whether certificate and key files have changed. New connections get the new certificates. 0: only on SIGHUP or `config reload`.")
        .unit("seconds")
        .environment("QUAYMASTER_TLS_RELOAD_INTERVAL_SECONDS")
        .at_start(""),
    key("web.realm", Kind::Text, "\"defaultRealm\"", "Realm of LTPA tokens; servers that share tokens must share it.")
        .environment("QUAYMASTER_WEB_REALM"),
    key("web.users", Kind::TextTable, "", "User names and their passwords: {argon2id}, {hash}, {xor}, {aes} or clear text. `quaymaster config password` makes {argon2id}."),
    key("web.groups", Kind::TextsTable, "", "Group names and their members."),
    key("web.roles", Kind::TextsTable, "", "Roles MQWebAdmin, MQWebAdminRO, MQWebUser and their holders: user:NAME, group:NAME, ALL_AUTHENTICATED_USERS or EVERYONE."),
    key("web.no_security", Kind::Boolean, "false", "Grant every role to every request, without authentication. Use it only on machines that no other machine can reach.")
        .environment("QUAYMASTER_WEB_NO_SECURITY"),
    key("web.csrf_validation", Kind::Boolean, "true", "Require the header ibm-mq-rest-csrf-token on requests that change something.")
        .environment("QUAYMASTER_WEB_CSRF_VALIDATION"),
    key("web.password_encryption_key", Kind::Text, "", "Key of {aes} passwords (wlp.password.encryption.key).")
        .note("the published default key")
        .environment("QUAYMASTER_WEB_PASSWORD_ENCRYPTION_KEY"),
    key("web.ignore_case", Kind::Boolean, "false", "Ignore the case of user names.")
        .environment("QUAYMASTER_WEB_IGNORE_CASE"),
    key("web.certificate_map", Kind::Choice(&["PRINCIPAL_CN", "EXACT_DN", "NOT_SUPPORTED"]), "\"PRINCIPAL_CN\"", "How a client certificate identifies its user: by common name (PRINCIPAL_CN), by complete subject such as CN=Fred,O=IBM,C=GB (EXACT_DN), or not (NOT_SUPPORTED).")
        .environment("QUAYMASTER_WEB_CERTIFICATE_MAP"),
    key("ldap.host", Kind::Text, "", "Name or IPv4 address of an LDAP server. Its users may sign in, in addition to those of web.users.")
        .note("no directory")
        .environment("QUAYMASTER_LDAP_HOST"),
    key("ldap.port", Kind::Integer { minimum: 1, maximum: 65_535 }, "", "Port of ldap.host.")
        .note("636 with ldaps, else 389")
        .environment("QUAYMASTER_LDAP_PORT"),
    key("ldap.failover", Kind::Texts, "[]", "Further servers, HOST or HOST:PORT, tried in this order if the previous ones do not answer.")
        .environment("QUAYMASTER_LDAP_FAILOVER"),
    key("ldap.tls", Kind::Choice(&["ldaps", "starttls", "off"]), "\"ldaps\"", "TLS from the first byte (ldaps), by StartTLS (starttls), or none (off). With off, passwords are sent in clear.")
        .environment("QUAYMASTER_LDAP_TLS"),
    key("ldap.ca_file", Kind::Path, "", "PEM file with the signers of the servers' certificates. Certificates must name the host.")
        .note("those the system trusts")
        .environment("QUAYMASTER_LDAP_CA_FILE"),
    key("ldap.bind_dn", Kind::Text, "", "Distinguished name for searches of users and groups.")
        .note("searches without signing in")
        .environment("QUAYMASTER_LDAP_BIND_DN"),
    key("ldap.bind_password", Kind::Text, "", "Password of ldap.bind_dn, in any reversible form ({hash} and {argon2id} are not).")
        .environment("QUAYMASTER_LDAP_BIND_PASSWORD"),
    key("ldap.base_dn", Kind::Text, "", "Base of searches for users and groups, such as dc=example,dc=com. Required with ldap.host.")
        .environment("QUAYMASTER_LDAP_BASE_DN"),
    key("ldap.user_filter", Kind::Text, "\"(&(uid=%v)(objectclass=person))\"", "Filter that finds a user. %v is replaced by the name.")
        .environment("QUAYMASTER_LDAP_USER_FILTER"),
    key(
        "ldap.group_filter",
        Kind::Text,
        "\"(&(cn=%v)(|(objectclass=groupOfNames)(objectclass=groupOfUniqueNames)))\"",
        "Filter that groups must match. %v is replaced by the name.",
    )
    .environment("QUAYMASTER_LDAP_GROUP_FILTER"),
    key("ldap.user_id_map", Kind::Text, "\"*:uid\"", "Attribute of an entry that is the user name for roles and authorities, as CLASS:ATTRIBUTE. Separate several with ;.")
        .environment("QUAYMASTER_LDAP_USER_ID_MAP"),
    key("ldap.group_id_map", Kind::Text, "\"*:cn\"", "As ldap.user_id_map, for groups.")
        .environment("QUAYMASTER_LDAP_GROUP_ID_MAP"),
    key(
        "ldap.group_member_id_map",
        Kind::Text,
        "\"groupOfNames:member;groupOfUniqueNames:uniqueMember\"",
        "Attribute of a group that lists its members, as CLASS:ATTRIBUTE. With memberOf:member or ibm-allGroups:member, that attribute of the user lists the groups.",
    )
    .environment("QUAYMASTER_LDAP_GROUP_MEMBER_ID_MAP"),
    key("ldap.nested_groups", Kind::Boolean, "false", "Treat members of a group inside another group as members of both.")
        .environment("QUAYMASTER_LDAP_NESTED_GROUPS"),
    key("ldap.ignore_case", Kind::Boolean, "true", "Ignore the case of user names.")
        .environment("QUAYMASTER_LDAP_IGNORE_CASE"),
    key(
        "ldap.certificate_map",
        Kind::Choice(&["EXACT_DN", "CERTIFICATE_FILTER", "PRINCIPAL_CN", "NOT_SUPPORTED"]),
        "\"EXACT_DN\"",
        "How a client certificate without a user in web.users identifies a user of the directory: its subject is the distinguished name (EXACT_DN), ldap.certificate_filter finds the user (CERTIFICATE_FILTER), its common name is the user name (PRINCIPAL_CN), or not (NOT_SUPPORTED).",
    )
    .environment("QUAYMASTER_LDAP_CERTIFICATE_MAP"),
    key("ldap.certificate_filter", Kind::Text, "", "Filter for CERTIFICATE_FILTER, such as uid=${SubjectCN}. Variables: ${SubjectDN}, ${SubjectCN} and other attributes of the subject, ${IssuerDN}, ${IssuerCN} and other attributes of the issuer, ${SerialNumber}.")
        .environment("QUAYMASTER_LDAP_CERTIFICATE_FILTER"),
    key("ldap.connect_timeout_seconds", Kind::Integer { minimum: 1, maximum: 300 }, "5", "Time limit for a connection, including TLS and the bind with ldap.bind_dn.")
        .unit("seconds")
        .environment("QUAYMASTER_LDAP_CONNECT_TIMEOUT_SECONDS"),
    key("ldap.timeout_seconds", Kind::Integer { minimum: 1, maximum: 300 }, "10", "Time limit for a search of a user and its groups, and for the check of a password.")
        .unit("seconds")
        .environment("QUAYMASTER_LDAP_TIMEOUT_SECONDS"),
    key("ldap.connections", Kind::Integer { minimum: 1, maximum: 64 }, "4", "Concurrent requests to the directory. Each may use two connections, which are kept.")
        .environment("QUAYMASTER_LDAP_CONNECTIONS"),
    key("ldap.cache_seconds", Kind::Integer { minimum: 1, maximum: 3600 }, "60", "Time for which a verified password, and the groups and roles of a user, are used without asking the directory again.")
        .unit("seconds")
        .environment("QUAYMASTER_LDAP_CACHE_SECONDS"),
    key("ltpa.keys_file", Kind::Path, "", "File of LTPA keys in the format of Open Liberty.")
        .note("DIR/ltpa.keys, made at first start")
        .environment("QUAYMASTER_LTPA_KEYS_FILE"),
    key("ltpa.keys_password", Kind::Text, "", "Password of ltpa.keys_file, in any reversible form ({hash} and {argon2id} are not).")
        .note("the published default password")
        .environment("QUAYMASTER_LTPA_KEYS_PASSWORD"),
    key("ltpa.cookie_name", Kind::Text, "\"LtpaToken2\"", "Name of the sign-in cookie.")
        .environment("QUAYMASTER_LTPA_COOKIE_NAME"),
    key("ltpa.expiration", Kind::Integer { minimum: 1, maximum: 525_600 }, "120", "Lifetime of a sign-in.")
        .unit("minutes")
        .environment("QUAYMASTER_LTPA_EXPIRATION"),
    key("ltpa.secure", Kind::Boolean, "true", "Neither set nor accept the cookie over HTTP without TLS.")
        .environment("QUAYMASTER_LTPA_SECURE"),
    key("identity.lockout.failures", Kind::Integer { minimum: 0, maximum: 1000 }, "5", "Wrong passwords of one user from one address before that user waits there. 0: no wait after a wrong password.")
        .environment("QUAYMASTER_IDENTITY_LOCKOUT_FAILURES"),
    key("identity.lockout.first_seconds", Kind::Integer { minimum: 1, maximum: 3600 }, "2", "The first wait. Each further wrong password doubles it.")
        .unit("seconds")
        .environment("QUAYMASTER_IDENTITY_LOCKOUT_FIRST_SECONDS"),
    key("identity.lockout.longest_seconds", Kind::Integer { minimum: 1, maximum: 86_400 }, "300", "The longest wait.")
        .unit("seconds")
        .environment("QUAYMASTER_IDENTITY_LOCKOUT_LONGEST_SECONDS"),
    key("identity.lockout.user_failures", Kind::Integer { minimum: 0, maximum: 100_000 }, "50", "Wrong passwords of one user from all addresses in ten minutes. Above it, an address that the user has not signed in from waits after each wrong password. 0: no limit.")
        .environment("QUAYMASTER_IDENTITY_LOCKOUT_USER_FAILURES"),
    key("identity.lockout.address_failures", Kind::Integer { minimum: 0, maximum: 100_000 }, "100", "Wrong passwords from one address for all users in ten minutes. Above it, the address has one try every 600 divided by this number seconds: six by default. Users who have signed in from the address do not wait. 0: no limit.")
        .environment("QUAYMASTER_IDENTITY_LOCKOUT_ADDRESS_FAILURES"),
    key("identity.oidc", Kind::Tables, "", "Issuers of OpenID Connect by a name of your choice, whose access tokens (JWT, Authorization: Bearer) are accepted: tables with issuer (its URL: https, or http on this machine), audiences (a list; a token must be for one of them), user_claim (default sub) and groups_claim (default groups; paths such as realm_access.roles), algorithms (default RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 and EdDSA), clock_skew_seconds (30), refresh_seconds (3600, interval of fetching the keys), unknown_key_seconds (10, shortest time between two fetches because of an unknown key), timeout_seconds (10), ca_file (default: those the system trusts) and local_users (refuse or accept, default refuse: tokens with the name of a user of web.users). People sign in to the console there by browser if there is a client_id; then also client_secret (in any password form that can be read back; none: a public client), scopes (default openid), title (of the button, default the name) and console_url (origin of this server as browsers see it, such as https://mq.example.com; default: that of each request)."),
    key("cors.allowed_origins", Kind::Texts, "[]", "Origins whose pages may call the REST API with the credentials of their user. [\"*\"]: pages of any origin may read what needs no authentication, and credentials are not sent.")
        .environment("QUAYMASTER_CORS_ALLOWED_ORIGINS"),
    key("cors.max_age_seconds", Kind::Integer { minimum: 0, maximum: 86_400 }, "0", "Time for which a browser may cache the answer to a preflight request.")
        .unit("seconds")
        .environment("QUAYMASTER_CORS_MAX_AGE_SECONDS"),
    key("metrics.on_https", Kind::Boolean, "false", "Also serve /metrics on the HTTPS and HTTP listeners, without authentication.")
        .environment("QUAYMASTER_METRICS_ON_HTTPS"),
    key("metrics.names", Kind::Choices(&["quaymaster", "mq_prometheus", "mq_container"]), "[\"quaymaster\"]", "Names of the metrics: the server's own (quaymaster), those of the exporter mq_prometheus, those of the exporter in IBM's container image (mq_container). docs/metrics.md lists them.")
        .environment("QUAYMASTER_METRICS_NAMES"),
    key("tracing.endpoint", Kind::Text, "", "URL of a receiver of OpenTelemetry traces: OTLP over HTTP, such as http://127.0.0.1:4318. /v1/traces is added to a URL without a path.")
        .note("no traces")
        .environment("OTEL_EXPORTER_OTLP_ENDPOINT")
        .once(),
    key("tracing.headers", Kind::TextTable, "", "Headers of requests to tracing.endpoint, such as Authorization.").once(),
    key("tracing.service_name", Kind::Text, "\"quaymaster\"", "Name of the server in traces (service.name).")
        .environment("OTEL_SERVICE_NAME")
        .once(),
    key("tracing.sample_percent", Kind::Integer { minimum: 0, maximum: 100 }, "100", "How many of 100 traces that begin at this server are recorded. Traces that a caller has begun are recorded if the caller does so.")
        .environment("QUAYMASTER_TRACING_SAMPLE_PERCENT")
        .once(),
    key("tracing.message_properties", Kind::Boolean, "false", "Give messages that are put over HTTP the properties traceparent and tracestate: by REST, services and the message API. Programs that do not ask for properties may then see an MQRFH2 header before the data.")
        .environment("QUAYMASTER_TRACING_MESSAGE_PROPERTIES")
        .once(),
    key("tracing.channel_properties", Kind::Boolean, "false", "Let each message that an MQ client puts without traceparent begin a trace, and give it the properties traceparent and tracestate. Not for messages of formats that begin with MQ, but for MQSTR and MQHRF2, and not on queues of the system. Programs that do not ask for properties may then see an MQRFH2 header before the data.")
        .environment("QUAYMASTER_TRACING_CHANNEL_PROPERTIES")
        .once(),
    key("documents.open_to", Kind::Choice(&["anyone", "users"]), "", "Readers of /openapi.json, /ibm/api/docs, /zosConnect/api-docs and the documents of deployed APIs: anyone, or authenticated users.")
        .note("anyone with server.developer_defaults, else users")
        .environment("QUAYMASTER_DOCUMENTS_OPEN_TO"),
    key("messaging.enabled", Kind::Boolean, "true", "Serve the messaging REST API.")
        .environment("QUAYMASTER_MESSAGING_ENABLED"),
    key("messaging.adopt_web_user_context", Kind::Boolean, "true", "Use the authority of the authenticated user for messaging requests; false: that of the server.")
        .environment("QUAYMASTER_MESSAGING_ADOPT_WEB_USER_CONTEXT"),
    key(
        "messaging.max_pool_size",
        Kind::Integer { minimum: 0, maximum: 1_000_000 },
        "20",
        "Pooled connections to each queue manager, local or remote, for messaging requests. 0: every request makes its own.",
    )
    .environment("QUAYMASTER_MESSAGING_MAX_POOL_SIZE"),
    key(
        "messaging.full_pool_behavior",
        Kind::Choice(&["overflow", "block", "error"]),
        "\"overflow\"",
        "When all pooled connections are in use: make a new one for the request (overflow), wait for one (block), or answer with an error (error).",
    )
    .environment("QUAYMASTER_MESSAGING_FULL_POOL_BEHAVIOR"),
    key("messaging.block_timeout", SECONDS, "0", "With full_pool_behavior = \"block\": time to wait for a connection before the request is refused. 0: no limit.")
        .unit("seconds")
        .environment("QUAYMASTER_MESSAGING_BLOCK_TIMEOUT"),
    key("messaging.idle_timeout", SECONDS, "1800", "Time before an unused pooled connection is closed. 0: never while its queue manager runs.")
        .unit("seconds")
        .environment("QUAYMASTER_MESSAGING_IDLE_TIMEOUT"),
    key("message_api.key_seconds", Kind::Integer { minimum: 60, maximum: 2_592_000 }, "86400", "Time for which the answer to a request with an Idempotency-Key is kept, so that the same request again gets it.")
        .unit("seconds")
        .environment("QUAYMASTER_MESSAGE_API_KEY_SECONDS"),
    key("message_api.keys", Kind::Integer { minimum: 0, maximum: 100_000_000 }, "1000000", "Most such answers of a queue manager; of more, those that end first end early. Each takes about 100 bytes of memory. For queue managers that are started afterwards.")
        .environment("QUAYMASTER_MESSAGE_API_KEYS"),
    key("push.allowed_networks", Kind::Texts, "[]", "Networks that URLs of push targets may reach beside the public internet, such as [\"10.1.0.0/16\", \"::1\"]. Private, loopback, link-local and other special addresses are refused unless they are in one of these. The address counts that a connection is made to.")
        .environment("QUAYMASTER_PUSH_ALLOWED_NETWORKS"),
    key("push.ca_file", Kind::Path, "", "PEM file of the signers of certificates that receivers of push targets may have.")
        .note("the signers that the system trusts")
        .environment("QUAYMASTER_PUSH_CA_FILE"),
    key("push.targets", Kind::Integer { minimum: 0, maximum: 10_000 }, "100", "Most push targets of the server. Fewer than there are stops none of them.")
        .environment("QUAYMASTER_PUSH_TARGETS"),
    key("push.target_memory_bytes", Kind::Integer { minimum: 65_536, maximum: 1_073_741_824 }, "8388608", "Most memory of message bodies that one push target posts at once. A longer message is posted alone. For targets that are started afterwards.")
        .unit("bytes")
        .environment("QUAYMASTER_PUSH_TARGET_MEMORY_BYTES"),
    key("console.frame_ancestors", Kind::Texts, "[]", "Origins whose pages may show the console in a frame, such as [\"https://portal.example\"].")
        .environment("QUAYMASTER_CONSOLE_FRAME_ANCESTORS"),
    key("console.history_bytes", Kind::Integer { minimum: 0, maximum: 1 << 40 }, "16777216", "Memory for the history of queue managers, queues and channels: the last day, in ten-second steps for the last hour and in minutes before. What changed longest ago is dropped first. 0: no history.")
        .unit("bytes")
        .environment("QUAYMASTER_CONSOLE_HISTORY_BYTES"),
    key("console.live_streams", Kind::Integer { minimum: 0, maximum: 100_000 }, "200", "Streams of live events that are open at once. A request beyond it is answered with 503.")
        .environment("QUAYMASTER_CONSOLE_LIVE_STREAMS"),
    key("console.live_streams_per_user", Kind::Integer { minimum: 0, maximum: 100_000 }, "10", "Of these, streams of one user.")
        .environment("QUAYMASTER_CONSOLE_LIVE_STREAMS_PER_USER"),
    key("zosconnect.poll_interval_seconds", SECONDS, "1", "Interval for checking whether archives in DIR/zosconnect/services, DIR/zosconnect/apis and DIR/zosconnect/apiRequesters, or copybooks in DIR/copybooks, have changed. 0: only at start.")
        .unit("seconds")
        .environment("QUAYMASTER_ZOSCONNECT_POLL_INTERVAL_SECONDS"),
    key("zosconnect.request_timeout_seconds", Kind::Integer { minimum: 1, maximum: 86_400 }, "30", "Longest time that a request to a service may wait. It limits the service's own setting (asyncRequestTimeout).")
        .unit("seconds")
        .environment("QUAYMASTER_ZOSCONNECT_REQUEST_TIMEOUT_SECONDS"),
    key("zosconnect.connection_factories", Kind::Tables, "", "Connection factories of services by name: tables with queue_manager (of this server) or remote (of remote_queue_managers), user and password. A name without an entry is a remote queue manager, or else the default queue manager."),
    key("zosconnect.queues", Kind::TextsOrTables, "", "Destinations of services by name: the name of a queue, or a table with queue, queue_manager, ccsid and target_client (MQ or JMS). A name without an entry is the name of the queue."),
    key("zosconnect.topics", Kind::TextTable, "", "Destinations of services by name, with their topic strings."),
    key("zosconnect.services", Kind::Tables, "", "Services by name: tables of properties that override those of the archive."),
    key("zosconnect.invoke_uris", Kind::TextsTable, "", "Services by name, with additional paths that invoke them. A path that ends in * matches every path with that prefix."),
    key("zosconnect.require_auth", Kind::Boolean, "true", "Require authentication and the role MQWebUser for calls of API requesters (requireAuth). Other requests always need authentication.")
        .environment("QUAYMASTER_ZOSCONNECT_REQUIRE_AUTH"),
    key("zosconnect.require_secure", Kind::Boolean, "false", "Require HTTPS for calls of API requesters (requireSecure). Calls over HTTP are redirected with 302.")
        .environment("QUAYMASTER_ZOSCONNECT_REQUIRE_SECURE"),
    key("zosconnect.error_details", Kind::Boolean, "true", "Tell callers of services and APIs the details of an error (errorDetails), such as the item that a value does not fit. With false only the log has them.")
        .environment("QUAYMASTER_ZOSCONNECT_ERROR_DETAILS"),
    key("zosconnect.anonymous_from", Kind::Choice(&["loopback", "anywhere"]), "\"loopback\"", "With require_auth = false: addresses from which API requesters may be called without authentication.")
        .environment("QUAYMASTER_ZOSCONNECT_ANONYMOUS_FROM"),
    key("zosconnect.api_requesters", Kind::Tables, "", "API requesters by name: tables with require_auth and require_secure, which override those of zosconnect, and connection, an endpoint connection that overrides the archive's."),
    key("zosconnect.endpoint_connections", Kind::Tables, "", "The same as endpoint_connections."),
    key("zosconnect.auth_data", Kind::Tables, "", "Users for endpoint connections, authorization servers and proxies: tables with user and password, in any reversible form."),
    key("zosconnect.authorization_servers", Kind::Tables, "", "Servers that issue access tokens: tables with token_endpoint (a URL), basic_auth (of zosconnect.auth_data: client id and client secret), connection_timeout_seconds, receive_timeout_seconds, proxy, ca_file, certificate, key and server_name."),
    key("zosconnect.oauth_configs", Kind::Tables, "", "OAuth 2.0: tables with grant_type (client_credentials or password) and authorization_server."),
    key("zosconnect.auth_tokens", Kind::Tables, "", "Tokens such as JWTs: tables with authorization_server, header (default Authorization), bearer (default true), lifetime_seconds (for tokens without an expiry), request and response. Keys of request: method (GET, POST or PUT), credentials (header, headers or body), header, headers, body (with ${userid} and ${password}), content_type. Keys of response: location (header or body), header, format (json or text), token_path."),
    key("zosconnect.proxies", Kind::Tables, "", "Proxies: tables with host, port, type (http or socks) and basic_auth (of zosconnect.auth_data)."),
    key("endpoint_connections", Kind::Tables, "", "Addresses of APIs that API requesters call, by the connectionRef of their archives: tables with host (with http:// or https://; default http), port, base_path, connection_timeout_seconds (30), receive_timeout_seconds (60), keep_alive_seconds (20), authentication (a list of names of zosconnect.auth_data, zosconnect.oauth_configs and zosconnect.auth_tokens), proxy, ca_file, certificate, key and server_name."),
    key("remote_queue_managers", Kind::Tables, "", "Queue managers of other servers for the messaging REST API and services, by the name used in URLs and services: tables with channel, connection_name (HOST(PORT), several with commas), queue_manager (its own name, if different), user, password (in any reversible form), cipher_specification, ca_file, server_name, certificate, key and max_pool_size (idle connections kept for services). A name must not be that of a queue manager of this server."),
    key("group.name", Kind::Text, "", "Queue-sharing group of the server's first queue manager: 1 to 4 of A-Z 0-9 @ # $, and no digit first. The other queue managers of the server are in no group. MQ clients and REST paths may name the group in place of the queue manager.")
        .note("no group")
        .environment("QUAYMASTER_GROUP")
        .at_start("--group"),
    key("group.database", Kind::Text, "", "PostgreSQL database of the group: postgres://USER@HOST:PORT/DATABASE, with several hosts as HOST:PORT,HOST:PORT, or in the form key=value. `quaymaster group create` makes its tables. With --ephemeral and without a database, shared queues are in memory.")
        .note("required with group.name on a server that keeps its data")
        .environment("QUAYMASTER_GROUP_DATABASE")
        .at_start(""),
    key("group.password", Kind::Text, "", "Password of the database's user, in any reversible form ({hash} and {argon2id} are not).")
        .note("that of group.database, or none")
        .environment("QUAYMASTER_GROUP_PASSWORD")
        .at_start(""),
    key("group.ca_file", Kind::Path, "", "Authorities of the database's certificate, in PEM form. With it, connections to the database are encrypted.")
        .note("no encryption")
        .environment("QUAYMASTER_GROUP_CA_FILE")
        .at_start(""),
    key("group.patience_seconds", Kind::Integer { minimum: 1, maximum: 3600 }, "60", "Time that a verb on a shared queue waits for a database that cannot be reached, before it is refused with 2345.")
        .unit("seconds")
        .environment("QUAYMASTER_GROUP_PATIENCE_SECONDS")
        .at_start(""),
    key("group.structures", Kind::Tables, "", "Structures of the group that have a database of their own, by the name of the CFSTRUCT: tables with database, password and ca_file, as those of group. Queues of the other structures are in group.database. Every member has the same entries, and `quaymaster group create` makes the tables.")
        .at_start(""),
    key("channels.sockets", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "10000", "Open sockets of MQ clients. Each may have many conversations (SHARECNV). The limit of open files is raised as far as the system allows.")
        .environment("QUAYMASTER_CHANNELS_SOCKETS"),
    key("channels.sockets_per_address", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "6000", "Open sockets of MQ clients from one address, or from one IPv6 network of 64 bits. At this limit or that of channels.sockets, the socket that has waited longest for a successful MQCONN is closed for a new one. Without such a socket, the new one is closed.")
        .environment("QUAYMASTER_CHANNELS_SOCKETS_PER_ADDRESS"),
    key("channels.sockets_per_thread", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "64", "Sockets of MQ clients on one thread before the next thread gets any. Clients with persistent messages share syncs best on one thread.")
        .environment("QUAYMASTER_CHANNELS_SOCKETS_PER_THREAD"),
    key("channels.first_segment_seconds", Kind::Integer { minimum: 1, maximum: 3600 }, "15", "Time limit for an MQ client to complete its TLS handshake, then to send its first segment, and then to connect (MQCONN). Each step has this limit.")
        .unit("seconds")
        .environment("QUAYMASTER_CHANNELS_FIRST_SEGMENT_SECONDS"),
    key("channels.plain_passwords", Kind::Choice(&["anywhere", "loopback"]), "\"anywhere\"", "Addresses from which MQ clients may send their password without TLS. loopback: a password in clear from another machine is refused (2035), right or wrong.")
        .environment("QUAYMASTER_CHANNELS_PLAIN_PASSWORDS"),
    key("accounting.json_lines", Kind::Boolean, "true", "Also write collected accounting and statistics records as lines of JSON, one file for each queue manager.")
        .environment("QUAYMASTER_ACCOUNTING_JSON_LINES")
        .at_start(""),
    key("accounting.folder", Kind::Path, "", "Folder of the JSON files.")
        .environment("QUAYMASTER_ACCOUNTING_FOLDER")
        .note("accounting in the data directory; none with --ephemeral")
        .at_start(""),
    key("accounting.file_bytes", Kind::Integer { minimum: 65_536, maximum: 1 << 40 }, "67108864", "Longest JSON file. At this length it is renamed to NAME.jsonl.1 (older ones to .2 and so on), and a new one begins.")
        .unit("bytes")
        .environment("QUAYMASTER_ACCOUNTING_FILE_BYTES")
        .at_start(""),
    key("accounting.files", Kind::Integer { minimum: 1, maximum: 1000 }, "4", "JSON files of one queue manager, including the current one.")
        .environment("QUAYMASTER_ACCOUNTING_FILES")
        .at_start(""),
    key("limits.connections", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "10000", "Open connections of the HTTPS listener, and of the HTTP listener. At the limit a connection that waits for its client is closed to make room, from the address with the most connections. The limit is at most a third of the open files that the system allows.")
        .environment("QUAYMASTER_LIMITS_CONNECTIONS"),
    key("limits.connections_per_address", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "2000", "Connections of one listener from one address, or from one IPv6 network of 64 bits. At the limit a connection of the same address is closed to make room.")
        .environment("QUAYMASTER_LIMITS_CONNECTIONS_PER_ADDRESS"),
    key("limits.metrics_connections", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "64", "Open connections of the metrics listener, which has a thread of its own.")
        .environment("QUAYMASTER_LIMITS_METRICS_CONNECTIONS"),
    key("limits.waiting_requests", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "5000", "Requests of one listener that wait for a message (DELETE with wait); from one address at most limits.connections_per_address. Further ones are answered with 503.")
        .environment("QUAYMASTER_LIMITS_WAITING_REQUESTS"),
    key("limits.streams", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "1000", "Streams of the message API that are open at once. Further ones are answered with 503.")
        .environment("QUAYMASTER_LIMITS_STREAMS"),
    key("limits.streams_per_user", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "100", "Of these, streams of one user.")
        .environment("QUAYMASTER_LIMITS_STREAMS_PER_USER"),
    key("limits.connections_per_thread", Kind::Integer { minimum: 1, maximum: 1_000_000 }, "16", "HTTP connections on one thread before the next thread gets any. Fewer spread a few busy clients over more processors, more save processor time.")
        .environment("QUAYMASTER_LIMITS_CONNECTIONS_PER_THREAD"),
    key("limits.header_bytes", Kind::Integer { minimum: 8192, maximum: 1 << 20 }, "65536", "Longest request headers.")
        .unit("bytes")
        .environment("QUAYMASTER_LIMITS_HEADER_BYTES"),
    key("limits.body_bytes", Kind::Integer { minimum: 1024, maximum: 1 << 30 }, "104857600", "Longest request body. MAXMSGL applies as well.")
        .unit("bytes")
        .environment("QUAYMASTER_LIMITS_BODY_BYTES"),
    key("limits.administrative_body_bytes", Kind::Integer { minimum: 1024, maximum: 1 << 26 }, "262144", "Longest body of an administrative request.")
        .unit("bytes")
        .environment("QUAYMASTER_LIMITS_ADMINISTRATIVE_BODY_BYTES"),
    key("limits.body_memory_bytes", Kind::Integer { minimum: 1 << 20, maximum: 1 << 40 }, "134217728", "Memory for all request bodies in progress, at least 5/4 of limits.body_bytes: one address may use 4/5 of it. A body that does not fit is answered with 503.")
        .unit("bytes")
        .environment("QUAYMASTER_LIMITS_BODY_MEMORY_BYTES"),
    key("limits.answer_memory_bytes", Kind::Integer { minimum: 1 << 20, maximum: 1 << 40 }, "134217728", "Memory for all answers that clients have not read. Above half of it, connections whose clients have not read for two seconds are closed. Above all of it, or when one address uses half of it, requests with long answers are answered with 503 before they have any effect.")
        .unit("bytes")
        .environment("QUAYMASTER_LIMITS_ANSWER_MEMORY_BYTES"),
    key("limits.header_seconds", SECONDS, "15", "Time limit for a client to send its request headers.")
        .unit("seconds")
        .environment("QUAYMASTER_LIMITS_HEADER_SECONDS"),
    key("limits.body_seconds", SECONDS, "60", "Time limit for a client to send its request body.")
        .unit("seconds")
        .environment("QUAYMASTER_LIMITS_BODY_SECONDS"),
    key("limits.body_bytes_per_second", Kind::Integer { minimum: 0, maximum: 1 << 30 }, "1024", "Lowest average rate of a request body after its first five seconds. 0: no limit.")
        .unit("bytes a second")
        .environment("QUAYMASTER_LIMITS_BODY_BYTES_PER_SECOND"),
    key("limits.idle_seconds", SECONDS, "120", "Time before a kept connection without a request is closed.")
        .unit("seconds")
        .environment("QUAYMASTER_LIMITS_IDLE_SECONDS"),
    key("limits.buffer_pool", Kind::Integer { minimum: 1 << 20, maximum: 1 << 40 }, "268435456", "Memory for message bodies of one queue manager. Other bodies are read from the log.")
        .unit("bytes")
        .environment("QUAYMASTER_LIMITS_BUFFER_POOL")
        .at_start(""),
    key("limits.disk_quota", Kind::Integer { minimum: 0, maximum: 1 << 50 }, "0", "Disk space of one queue manager: its recovery log, long bodies, and bodies that the buffer pool does not take. At 80 % and 90 % the log has a warning. Puts that do not fit are refused with 2056; gets go on. 0: no quota; otherwise at least 67108864.")
        .unit("bytes")
        .environment("QUAYMASTER_LIMITS_DISK_QUOTA")
        .at_start(""),
    key("limits.memory_quota", Kind::Integer { minimum: 0, maximum: 1 << 50 }, "0", "Memory for the messages of one queue manager: 300 bytes for each, and the bodies in the buffer pool, which has at most 3/4 of it. At 80 % and 90 % the log has a warning. Puts that do not fit are refused with 2071; gets go on. 0: no quota; otherwise at least 1048576.")
        .unit("bytes")
        .environment("QUAYMASTER_LIMITS_MEMORY_QUOTA")
        .at_start(""),
    key("limits.verification_bytes_per_second", Kind::Integer { minimum: 0, maximum: 1 << 40 }, "4194304", "Rate at which each queue manager reads its recovery log and the bodies beside it again, to find damage of the disk. 0: never.")
        .unit("bytes a second")
        .environment("QUAYMASTER_LIMITS_VERIFICATION_BYTES_PER_SECOND")
        .at_start(""),
    key("limits.verification_seconds", Kind::Integer { minimum: 1, maximum: 31_536_000 }, "3600", "Time from the begin of one such round to the begin of the next. The first begins so long after the start, which reads the log itself.")
        .unit("seconds")
        .environment("QUAYMASTER_LIMITS_VERIFICATION_SECONDS")
        .at_start(""),
    key("limits.durable_subscriptions", Kind::Integer { minimum: 1, maximum: 10_000_000 }, "100000", "Durable subscriptions of one queue manager, those that commands define included. Further ones are refused with 2436; those that are there stay.")
        .environment("QUAYMASTER_LIMITS_DURABLE_SUBSCRIPTIONS")
        .at_start(""),
    key("limits.durable_subscriptions_per_user", Kind::Integer { minimum: 1, maximum: 10_000_000 }, "5000", "Durable subscriptions of one user at one queue manager. Further ones are refused with 2436. Administrators may make as many as limits.durable_subscriptions allows.")
        .environment("QUAYMASTER_LIMITS_DURABLE_SUBSCRIPTIONS_PER_USER")
        .at_start(""),
];
