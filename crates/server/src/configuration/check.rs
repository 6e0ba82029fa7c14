//! Checks a configuration file, and texts from flags and environment, against the key table.

use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use handshake::cipher_spec::CipherSpec;
use identity::options::OidcIssuer;
use model::group::GroupName;
use model::name::QueueManagerName;
use toml::{Table, Value};
use web::options::{
    ApiRequester, AuthData, AuthToken, AuthorizationServer, ConnectionFactory, EndpointConnection, Limits, OauthConfig,
    Proxy, Queue, RemoteQueueManager,
};

use super::error::{ConfigurationError, Origin, Place};
use super::keys::{self, KEYS, Key, Kind};
use super::nearest::nearest;
use super::{Address, GroupStructure};

/// Reads and checks a file. Relative paths in it come back relative to the file's folder.
///
/// # Errors
/// It cannot be read, is not TOML, or holds a key or value that is not known.
pub(crate) fn read_file(file: &Path) -> Result<Table, ConfigurationError> {
    let text =
        std::fs::read_to_string(file).map_err(|source| ConfigurationError::Read { file: file.to_owned(), source })?;
    let mut table = text.parse::<Table>().map_err(|error| ConfigurationError::Syntax {
        file: file.to_owned(),
        line: error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count()),
        problem: error.message().lines().next().unwrap_or("not TOML").to_owned(),
    })?;
    for (section, value) in &mut table {
        let place = |path: String| Place { path, origin: Origin::File(file.to_owned()) };
        if !KEYS.iter().any(|key| key.path.split('.').next() == Some(section)) {
            let sections = KEYS.iter().filter_map(|key| key.path.split('.').next());
            return Err(ConfigurationError::UnknownKey {
                place: place(section.clone()),
                nearest: nearest(section, sections).map(str::to_owned),
            });
        }
        if let Some(key) = keys::find(section) {
            check_value(key, place(section.clone()), value)?;
            anchor_files(value, file);
            continue;
        }
        let Value::Table(keys) = value else {
            return Err(invalid(place(section.clone()), value, "a table".to_owned()));
        };
        check_keys(section, keys, file)?;
    }
    Ok(table)
}

/// The keys of a section, or of a table in it that has keys of its own.
fn check_keys(section: &str, keys: &mut Table, file: &Path) -> Result<(), ConfigurationError> {
    let place = |path: String| Place { path, origin: Origin::File(file.to_owned()) };
    for (name, value) in keys {
        let path = format!("{section}.{name}");
        let is_section = KEYS.iter().any(|key| key.path.strip_prefix(&*path).is_some_and(|rest| rest.starts_with('.')));
        if let (true, Value::Table(keys)) = (is_section, &mut *value) {
            check_keys(&path, keys, file)?;
            continue;
        }
        let Some(key) = keys::find(&path) else {
            if is_section {
                return Err(invalid(place(path), value, "a table".to_owned()));
            }
            let nearest = nearest(&path, KEYS.iter().map(|key| key.path)).map(str::to_owned);
            return Err(ConfigurationError::UnknownKey { place: place(path), nearest });
        };
        check_value(key, place(path), value)?;
        if key.kind == Kind::Path {
            anchor(value, file);
        } else if matches!(
            key.path,
            "zosconnect.endpoint_connections"
                | "zosconnect.authorization_servers"
                | "identity.oidc"
                | "group.structures"
        ) {
            anchor_files(value, file);
        }
    }
    Ok(())
}

/// Paths in a file are meant relative to that file.
fn anchor(value: &mut Value, file: &Path) {
    if let Value::String(path) = value
        && Path::new(path.as_str()).is_relative()
        && let Some(folder) = file.parent()
    {
        *path = folder.join(path.as_str()).to_string_lossy().into_owned();
    }
}

/// The files that entries of a table name.
fn anchor_files(tables: &mut Value, file: &Path) {
    for (_, entry) in tables.as_table_mut().into_iter().flatten() {
        for name in ["ca_file", "certificate", "key"] {
            if let Some(value) = entry.get_mut(name) {
                anchor(value, file);
            }
        }
    }
}

/// Tables of the user's own keys whose values have keys of ours.
fn check_entries(path: &str, value: &Value) -> Result<(), String> {
    fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Result<(), String> {
        let read: Result<BTreeMap<String, T>, _> = value.clone().try_into();
        read.map(drop).map_err(|error: toml::de::Error| match error.message() {
            // Other messages quote the value, which may be a password.
            said if said.starts_with("unknown field") || said.starts_with("missing field") => said.to_owned(),
            _ => "an entry has a value of the wrong type, or a key that is not known".to_owned(),
        })
    }
    match path {
        "identity.oidc" => read::<OidcIssuer>(value),
        "zosconnect.connection_factories" => read::<ConnectionFactory>(value),
        "zosconnect.queues" => read::<Queue>(value),
        "zosconnect.services" => read::<BTreeMap<String, String>>(value),
        "zosconnect.api_requesters" => read::<ApiRequester>(value),
        "zosconnect.auth_data" => read::<AuthData>(value),
        "zosconnect.authorization_servers" => read::<AuthorizationServer>(value),
        "zosconnect.oauth_configs" => read::<OauthConfig>(value),
        "zosconnect.auth_tokens" => read::<AuthToken>(value),
        "zosconnect.proxies" => read::<Proxy>(value),
        "endpoint_connections" | "zosconnect.endpoint_connections" => read::<EndpointConnection>(value),
        "remote_queue_managers" => read::<RemoteQueueManager>(value),
        "group.structures" => read::<GroupStructure>(value),
        _ => Ok(()),
    }
}

fn check_value(key: &Key, place: Place, value: &Value) -> Result<(), ConfigurationError> {
    let valid = match (key.kind, value) {
        (Kind::Boolean, Value::Boolean(_)) | (Kind::Text, Value::String(_)) => true,
        (Kind::Integer { minimum, maximum }, Value::Integer(number)) => (minimum..=maximum).contains(number),
        (Kind::Choice(words), Value::String(word)) => words.contains(&word.as_str()),
        (Kind::Choices(words), Value::Array(chosen)) => {
            !chosen.is_empty() && chosen.iter().all(|word| word.as_str().is_some_and(|word| words.contains(&word)))
        }
        (Kind::Address, Value::String(text)) => parse_address(text).is_some(),
        (Kind::Path, Value::String(path)) => !path.is_empty(),
        (Kind::QueueManagers, Value::Array(names)) => {
            names.iter().all(|name| name.as_str().is_some_and(is_queue_manager_name))
        }
        (Kind::Texts, Value::Array(texts)) => texts.iter().all(Value::is_str),
        (Kind::TextTable, Value::Table(table)) => table.values().all(Value::is_str),
        (Kind::TextsTable, Value::Table(table)) => {
            table.values().all(|list| list.as_array().is_some_and(|list| list.iter().all(Value::is_str)))
        }
        (Kind::Tables, Value::Table(table)) => table.values().all(Value::is_table),
        (Kind::TextsOrTables, Value::Table(table)) => table.values().all(|entry| entry.is_table() || entry.is_str()),
        _ => false,
    };
    if valid
        && matches!(key.kind, Kind::Tables | Kind::TextsOrTables)
        && let Err(problem) = check_entries(key.path, value)
    {
        return Err(ConfigurationError::Entry { place, problem });
    }
    if valid { Ok(()) } else { Err(invalid(place, value, key.kind.expectation())) }
}

/// The texts of one flag or variable as a value of the key. A list takes several texts, or one with commas.
///
/// # Errors
/// The text is not what the key takes.
pub(super) fn parse_texts(key: &Key, place: &Place, texts: &[&str]) -> Result<Value, ConfigurationError> {
    let text = texts.last().copied().unwrap_or_default();
    let list = || {
        let words = texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|word| !word.is_empty());
        Value::Array(words.map(|word| Value::String(word.to_owned())).collect())
    };
    let value = match key.kind {
        Kind::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            _ => Value::String(text.to_owned()),
        },
        Kind::Integer { .. } => text.parse().map_or_else(|_| Value::String(text.to_owned()), Value::Integer),
        Kind::QueueManagers | Kind::Texts | Kind::Choices(_) => list(),
        Kind::Text
        | Kind::Choice(_)
        | Kind::Address
        | Kind::Path
        | Kind::TextTable
        | Kind::TextsTable
        | Kind::Tables
        | Kind::TextsOrTables => Value::String(text.to_owned()),
    };
    check_value(key, place.clone(), &value)?;
    Ok(value)
}

/// Keys that only make sense together.
pub(super) fn conflicts(table: &Table, origins: &[Place], file: &Path) -> Result<(), ConfigurationError> {
    let given = |path: &str| {
        let (section, name) = path.split_once('.').unwrap_or(("", path));
        table.get(section).and_then(Value::as_table).and_then(|keys| keys.get(name))
    };
    let place = |path: &str| {
        let last = origins.iter().rev().find(|place| place.path == path).cloned();
        last.unwrap_or_else(|| Place { path: path.to_owned(), origin: Origin::File(file.to_owned()) })
    };
    let conflict = |path: &str, problem| Err(ConfigurationError::Conflict { place: place(path), problem });
    match (given("tls.certificate").is_some(), given("tls.key").is_some()) {
        (true, false) => return conflict("tls.certificate", "tls.key must be set as well"),
        (false, true) => return conflict("tls.key", "tls.certificate must be set as well"),
        _ => {}
    }
    match (given("tls.second_certificate").is_some(), given("tls.second_key").is_some()) {
        (true, false) => return conflict("tls.second_certificate", "tls.second_key must be set as well"),
        (false, true) => return conflict("tls.second_key", "tls.second_certificate must be set as well"),
        (true, true) if given("tls.certificate").is_none() => {
            return conflict("tls.second_certificate", "tls.certificate must be set as well");
        }
        _ => {}
    }
    let old = given("tls.old_cipherspecs").and_then(Value::as_array);
    let is_old = |name: &Value| name.as_str().and_then(CipherSpec::named).is_some_and(CipherSpec::is_old);
    if old.is_some_and(|names| !names.iter().all(is_old)) {
        return conflict("tls.old_cipherspecs", NOT_OLD);
    }
    if given("tls.client_required") == Some(&Value::Boolean(true)) && given("tls.client_ca").is_none() {
        return conflict("tls.client_required", "tls.client_ca must be set as well");
    }
    let ldap = |name: &str| given(&format!("ldap.{name}")).is_some();
    if ldap("host") && !ldap("base_dn") {
        return conflict("ldap.host", "ldap.base_dn must be set as well");
    }
    if !ldap("host") && ldap("base_dn") {
        return conflict("ldap.base_dn", "ldap.host must be set as well");
    }
    let by_filter = given("ldap.certificate_map").and_then(Value::as_str) == Some("CERTIFICATE_FILTER");
    if by_filter && !ldap("certificate_filter") {
        return conflict("ldap.certificate_map", "CERTIFICATE_FILTER needs ldap.certificate_filter");
    }
    let bytes = |path: &str| given(path).and_then(Value::as_integer).and_then(|bytes| usize::try_from(bytes).ok());
    let limits = Limits::default();
    let limits = Limits {
        body_bytes: bytes("limits.body_bytes").unwrap_or(limits.body_bytes),
        body_memory_bytes: bytes("limits.body_memory_bytes").unwrap_or(limits.body_memory_bytes),
        ..limits
    };
    if !limits.has_memory_for_one_body() {
        let set = ["limits.body_bytes", "limits.body_memory_bytes"].into_iter().find(|path| given(path).is_some());
        return conflict(
            set.unwrap_or("limits.body_bytes"),
            "limits.body_memory_bytes must be at least 5/4 of limits.body_bytes, because one address may use 4/5 of it",
        );
    }
    let is_too_small =
        |path: &str, least| given(path).and_then(Value::as_integer).is_some_and(|bytes| bytes != 0 && bytes < least);
    if is_too_small("limits.disk_quota", 64 << 20) {
        return conflict(
            "limits.disk_quota",
            "it has to be 0 (no quota) or at least 67108864: the log needs that much",
        );
    }
    if is_too_small("limits.memory_quota", 1 << 20) {
        return conflict("limits.memory_quota", "it has to be 0 (no quota) or at least 1048576");
    }
    let connections = |value: Option<&Value>| value.and_then(Value::as_table).cloned().unwrap_or_default();
    let twice = connections(given("zosconnect.endpoint_connections"));
    if connections(table.get("endpoint_connections")).keys().any(|id| twice.contains_key(id)) {
        return conflict("zosconnect.endpoint_connections", "endpoint_connections has an entry of the same name");
    }
    if let Some(Value::Array(names)) = given("server.queue_managers")
        && names.iter().enumerate().any(|(index, name)| names[..index].contains(name))
    {
        return conflict("server.queue_managers", "it names a queue manager twice");
    }
    let text = |path: &str| given(path).and_then(Value::as_str).filter(|text| !text.is_empty());
    if text("group.name").is_some_and(|name| GroupName::parse(name).is_err()) {
        return conflict("group.name", "it has to be 1 to 4 of A-Z 0-9 @ # $, and no digit first");
    }
    if text("group.name").is_none() && text("group.database").is_some() {
        return conflict("group.database", "group.name must be set as well");
    }
    let structures = given("group.structures").and_then(Value::as_table);
    if structures.is_some_and(|structures| !structures.is_empty()) && text("group.database").is_none() {
        return conflict("group.structures", "group.database must be set as well");
    }
    if structures.is_some_and(|structures| !structures.keys().all(|name| is_structure_name(name))) {
        return conflict("group.structures", "a structure's name has to be 1 to 12 of A-Z 0-9, and no digit first");
    }
    let remote = table.get("remote_queue_managers").and_then(Value::as_table);
    let default = super::Server::default().queue_managers;
    let local: Vec<&str> = match given("server.queue_managers").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => default.iter().map(QueueManagerName::as_str).collect(),
    };
    if local.is_empty() && remote.is_none_or(Table::is_empty) {
        return conflict("server.queue_managers", "a server without one needs remote_queue_managers");
    }
    if local.iter().any(|name| remote.is_some_and(|remote| remote.contains_key(*name))) {
        let problem = "a queue manager of this server has the name of an entry: choose another one for the entry, and give \
                       the remote one's own as its queue_manager";
        return conflict("remote_queue_managers", problem);
    }
    Ok(())
}

const NOT_OLD: &str = "each must be one of ECDHE_ECDSA_AES_128_CBC_SHA256, ECDHE_ECDSA_AES_256_CBC_SHA384, \
     ECDHE_RSA_AES_128_CBC_SHA256, ECDHE_RSA_AES_256_CBC_SHA384, TLS_RSA_WITH_AES_128_CBC_SHA256, TLS_RSA_WITH_AES_128_GCM_SHA256, \
     TLS_RSA_WITH_AES_256_CBC_SHA256, TLS_RSA_WITH_AES_256_GCM_SHA384";

fn is_structure_name(text: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_uppercase();
    (1..=12).contains(&text.len())
        && text.bytes().next().as_ref().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(&byte) || byte.is_ascii_digit())
}

fn is_queue_manager_name(text: &str) -> bool {
    QueueManagerName::parse(text).is_ok_and(|name| !name.is_blank())
}

/// `ADDRESS:PORT` (`*` is every address, names are looked up) or `off`.
pub(crate) fn parse_address(text: &str) -> Option<Address> {
    if text.eq_ignore_ascii_case("off") {
        return Some(Address(None));
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Some(Address(Some(address)));
    }
    let (host, port) = text.rsplit_once(':')?;
    let port: u16 = port.parse().ok()?;
    let host = match host {
        "" => return None,
        "*" => "0.0.0.0",
        host => host,
    };
    (host, port).to_socket_addrs().ok()?.next().map(|address| Address(Some(address)))
}

fn invalid(place: Place, value: &Value, expected: String) -> ConfigurationError {
    // A password must not reach a terminal or log, however wrong its place or type.
    let secret = [
        "web.users",
        "web.password_encryption_key",
        "ldap.bind_password",
        "ltpa.keys_password",
        "identity.oidc",
        "group.database",
        "group.password",
        "group.structures",
        "zosconnect.connection_factories",
        "zosconnect.services",
        "zosconnect.auth_data",
        "zosconnect.auth_tokens",
        "tracing.headers",
        "remote_queue_managers",
    ];
    let shown = if secret.contains(&place.path.as_str()) { "the value".to_owned() } else { value.to_string() };
    ConfigurationError::Value { place, value: shown, expected }
}

/// The file that counts: the one named, else `quaymaster.toml` in the data directory.
pub(crate) fn file_in(data: &Path) -> PathBuf {
    data.join("quaymaster.toml")
}
