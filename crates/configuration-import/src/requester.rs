//! What a z/OS Connect server's configuration says of API requesters: endpoint connections, credentials, authorization
//! servers, proxies, and who has to say who he is.
//!
//! Passwords stay in the form they have: it is one that we read. Source: z/OS Connect EE V3.0, configuration elements.

use document::xml::Element;
use web::options::{
    ApiRequester, AuthData, AuthToken, AuthorizationServer, EndpointConnection, GrantType, OauthConfig, Proxy,
    ProxyKind, TokenFormat, TokenMethod, TokenPlace, TokenRequest, TokenResponse,
};

use super::Imported;
use super::elements::{Reader, Server};
use super::zosconnect::seconds;

/// Elements that are read here, each by its function, in this order.
const READERS: [(&str, Reader); 9] = [
    ("zosconnect_zosConnectManager", requirements),
    ("zosconnect_authData", auth_data),
    ("zosconnect_authorizationServer", authorization_server),
    ("zosconnect_oAuthConfig", oauth_config),
    ("zosconnect_authToken", auth_token),
    ("zosconnect_authTokenLocal", local_auth_token),
    ("zosconnect_proxyConfig", proxy),
    ("zosconnect_endpointConnection", endpoint_connection),
    ("zosconnect_apiRequesters", api_requesters),
];

const SECURITY: &str = "web.roles defines who may call and administer";
const FILES: &str = "name PEM files by ca_file, certificate and key";
const TOKEN_PLACES: [(&str, TokenPlace); 2] = [("header", TokenPlace::Header), ("body", TokenPlace::Body)];

pub(super) fn read(server: &Server, imported: &mut Imported) {
    server.read_by(&READERS, imported);
    drop_dangling(imported);
}

pub(super) fn reads(name: &str) -> bool {
    READERS.iter().any(|(read, _)| *read == name)
}

fn local_auth_token(element: &Element, imported: &mut Imported) {
    let id = element.attribute("id").unwrap_or_default();
    imported.leave_out(format!("zosconnect_authTokenLocal {id}"), "tokens made by the server itself are not supported");
}

/// What refers to something that is not there, or was left out, would keep the server from starting.
fn drop_dangling(imported: &mut Imported) {
    let mut told = Vec::new();
    let requesters = &mut imported.zosconnect.requesters;
    let (data, proxies) = (&requesters.auth_data, &requesters.proxies);
    let mut keep = |what: String, reference: &mut Option<String>, is_known: &dyn Fn(&str) -> bool| {
        if let Some(name) = reference.take_if(|name| !is_known(name)) {
            told.push((what, format!("'{name}' is missing or was left out")));
        }
    };
    for (id, server) in &mut requesters.authorization_servers {
        let what = |attribute: &str| format!("zosconnect_authorizationServer {id} {attribute}");
        keep(what("basicAuthRef"), &mut server.basic_auth, &|name| data.contains_key(name));
        keep(what("proxyConfigRef"), &mut server.proxy, &|name| proxies.contains_key(name));
    }
    for (id, connection) in &mut requesters.endpoint_connections {
        let what = format!("zosconnect_endpointConnection {id} proxyConfigRef");
        keep(what, &mut connection.proxy, &|name| proxies.contains_key(name));
    }
    let servers = &requesters.authorization_servers;
    requesters.oauth_configs.retain(|id, config| {
        let is_known = servers.contains_key(&config.authorization_server);
        if !is_known {
            told.push((
                format!("zosconnect_oAuthConfig {id}"),
                "its authServerRef names no authorization server".to_owned(),
            ));
        }
        is_known
    });
    requesters.auth_tokens.retain(|id, token| {
        let why = if !servers.contains_key(&token.authorization_server) {
            "its authServerRef names no authorization server"
        } else if token.request.credentials == TokenPlace::Body && token.request.body.is_none() {
            "its tokenRequest has no requestBody"
        } else if token.response.location == TokenPlace::Body
            && token.response.format == TokenFormat::Json
            && token.response.token_path.is_none()
        {
            "its tokenResponse has no tokenPath"
        } else {
            return true;
        };
        told.push((format!("zosconnect_authToken {id}"), why.to_owned()));
        false
    });
    let (oauth_configs, auth_tokens) = (&requesters.oauth_configs, &requesters.auth_tokens);
    for (id, connection) in &mut requesters.endpoint_connections {
        connection.authentication.retain(|name| {
            let is_known =
                data.contains_key(name) || oauth_configs.contains_key(name) || auth_tokens.contains_key(name);
            if !is_known {
                let what = format!("zosconnect_endpointConnection {id} authenticationConfigRef");
                told.push((what, format!("'{name}' is missing or was left out")));
            }
            is_known
        });
    }
    for (what, why) in told {
        imported.leave_out(what, why);
    }
}

/// `requireAuth` and `requireSecure`, which apply to calls of API requesters here.
fn requirements(element: &Element, imported: &mut Imported) {
    if let Some(value) = boolean(element, "requireAuth") {
        imported.zosconnect.require_auth = value;
        if !value {
            imported.leave_out(
                format!("{} requireAuth=false", element.name),
                "it applies to calls of API requesters from this machine; other requests still need authentication",
            );
        }
    }
    if let Some(value) = boolean(element, "requireSecure") {
        imported.zosconnect.require_secure = value;
        if value {
            imported.leave_out(
                format!("{} requireSecure=true", element.name),
                "it applies to calls of API requesters; server.http is the address of all other resources without TLS",
            );
        }
    }
}

fn boolean(element: &Element, name: &str) -> Option<bool> {
    element.attribute(name).map(|value| value.trim().eq_ignore_ascii_case("true"))
}

fn text(element: &Element, name: &str) -> Option<String> {
    element.attribute(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The identifier by which others refer to it.
fn id(element: &Element, imported: &mut Imported) -> Option<String> {
    let id = text(element, "id");
    if id.is_none() {
        imported.leave_out(element.name.clone(), "it has no id");
    }
    id
}

fn told(element: &Element, id: &str, attribute: &str) -> String {
    format!("{} {id} {attribute}", element.name)
}

fn leave_out_others(element: &Element, id: &str, known: &[&str], imported: &mut Imported) {
    for (name, _) in element.attributes.iter().filter(|(name, _)| name != "id" && !known.contains(&name.as_str())) {
        imported.leave_out(told(element, id, name), "it has no counterpart");
    }
}

/// One of these words, whatever its case; the first where nothing or something else is said.
fn word<T: Copy>(element: &Element, id: &str, name: &str, words: &[(&str, T)], imported: &mut Imported) -> T {
    let usual = words[0].1;
    let Some(value) = text(element, name) else { return usual };
    let meant = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(&value)).map(|(_, meaning)| *meaning);
    meant.unwrap_or_else(|| {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        imported
            .leave_out(format!("{}={value}", told(element, id, name)), format!("it is not one of {}", all.join(", ")));
        usual
    })
}

/// A time limit in whole seconds.
fn limit(element: &Element, id: &str, name: &str, default: u64, imported: &mut Imported) -> u64 {
    let Some(value) = element.attribute(name) else { return default };
    seconds(value).filter(|seconds| (1..=86_400).contains(seconds)).unwrap_or_else(|| {
        imported.leave_out(told(element, id, name), "it is no time limit");
        default
    })
}

fn files(element: &Element, id: &str, imported: &mut Imported) {
    if let Some(reference) = text(element, "sslCertsRef") {
        imported.leave_out(format!("{}={reference}", told(element, id, "sslCertsRef")), FILES);
    }
}

fn endpoint_connection(element: &Element, imported: &mut Imported) {
    let Some(id) = id(element, imported) else { return };
    let Some(host) = text(element, "host") else {
        imported.leave_out(told(element, &id, "host"), "it is not given");
        return;
    };
    leave_out_others(
        element,
        &id,
        &[
            "host",
            "port",
            "domainBasePath",
            "connectionTimeout",
            "receiveTimeout",
            "authenticationConfigRef",
            "basicAuthRef",
            "sslCertsRef",
            "proxyConfigRef",
        ],
        imported,
    );
    files(element, &id, imported);
    let port = text(element, "port").and_then(|port| port.parse().ok());
    if port.is_none() && element.attribute("port").is_some() {
        imported.leave_out(told(element, &id, "port"), "it is not a port");
    }
    let default = EndpointConnection::default();
    let references = text(element, "authenticationConfigRef").or_else(|| text(element, "basicAuthRef"));
    let references = references.unwrap_or_default();
    let authentication =
        references.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect();
    let base_path = text(element, "domainBasePath").unwrap_or_default();
    // A path does not belong to a host, but some have one there.
    let after_scheme = host.find("://").map_or(0, |at| at + 3);
    let (host, base_path) = match host[after_scheme..].find('/') {
        Some(at) => {
            let (host, path) = host.split_at(after_scheme + at);
            (host.to_owned(), format!("{}/{}", path.trim_end_matches('/'), base_path.trim_start_matches('/')))
        }
        None => (host, base_path),
    };
    let connection = EndpointConnection {
        host,
        port,
        base_path: base_path.trim_end_matches('/').to_owned(),
        connection_timeout_seconds: limit(
            element,
            &id,
            "connectionTimeout",
            default.connection_timeout_seconds,
            imported,
        ),
        receive_timeout_seconds: limit(element, &id, "receiveTimeout", default.receive_timeout_seconds, imported),
        authentication,
        proxy: text(element, "proxyConfigRef"),
        ..default
    };
    imported.zosconnect.requesters.endpoint_connections.insert(id, connection);
}

fn auth_data(element: &Element, imported: &mut Imported) {
    let Some(id) = id(element, imported) else { return };
    leave_out_others(element, &id, &["user", "password"], imported);
    // Blanks may belong to a password.
    let password = element.attribute("password").filter(|password| !password.is_empty()).map(str::to_owned);
    let user = text(element, "user");
    let (Some(user), Some(password)) = (user, password) else {
        imported.leave_out(told(element, &id, "user"), "user and password are required");
        return;
    };
    imported.zosconnect.requesters.auth_data.insert(id, AuthData { user, password });
}

fn authorization_server(element: &Element, imported: &mut Imported) {
    let Some(id) = id(element, imported) else { return };
    leave_out_others(
        element,
        &id,
        &["tokenEndpoint", "basicAuthRef", "sslCertsRef", "connectionTimeout", "receiveTimeout", "proxyConfigRef"],
        imported,
    );
    files(element, &id, imported);
    let Some(token_endpoint) = text(element, "tokenEndpoint") else {
        imported.leave_out(told(element, &id, "tokenEndpoint"), "it is not given");
        return;
    };
    let server = AuthorizationServer {
        token_endpoint,
        basic_auth: text(element, "basicAuthRef"),
        connection_timeout_seconds: limit(element, &id, "connectionTimeout", 30, imported),
        receive_timeout_seconds: limit(element, &id, "receiveTimeout", 60, imported),
        proxy: text(element, "proxyConfigRef"),
        ca_file: None,
        certificate: None,
        key: None,
        server_name: None,
    };
    imported.zosconnect.requesters.authorization_servers.insert(id, server);
}

fn oauth_config(element: &Element, imported: &mut Imported) {
    let Some(id) = id(element, imported) else { return };
    leave_out_others(element, &id, &["grantType", "authServerRef"], imported);
    let grant_type = match text(element, "grantType").as_deref() {
        Some("client_credentials") => GrantType::ClientCredentials,
        Some("password") => GrantType::Password,
        _ => {
            imported.leave_out(told(element, &id, "grantType"), "it is neither client_credentials nor password");
            return;
        }
    };
    let authorization_server = text(element, "authServerRef").unwrap_or_default();
    imported.zosconnect.requesters.oauth_configs.insert(id, OauthConfig { grant_type, authorization_server });
}

fn auth_token(element: &Element, imported: &mut Imported) {
    let Some(id) = id(element, imported) else { return };
    leave_out_others(element, &id, &["authServerRef", "header", "useBearerScheme"], imported);
    let child = |name: &str| element.children.iter().find(|child| child.name == name);
    let token = AuthToken {
        authorization_server: text(element, "authServerRef").unwrap_or_default(),
        header: text(element, "header").unwrap_or_else(|| "Authorization".to_owned()),
        bearer: boolean(element, "useBearerScheme").unwrap_or(true),
        request: child("tokenRequest").map(|request| token_request(request, &id, imported)).unwrap_or_default(),
        response: child("tokenResponse").map(|response| token_response(response, &id, imported)).unwrap_or_default(),
        lifetime_seconds: 0,
    };
    imported.zosconnect.requesters.auth_tokens.insert(id, token);
}

fn token_request(element: &Element, id: &str, imported: &mut Imported) -> TokenRequest {
    leave_out_others(element, id, &["credentialLocation", "header", "requestMethod", "requestBody"], imported);
    let default = TokenRequest::default();
    let methods = [("POST", TokenMethod::Post), ("GET", TokenMethod::Get), ("PUT", TokenMethod::Put)];
    TokenRequest {
        method: word(element, id, "requestMethod", &methods, imported),
        credentials: word(element, id, "credentialLocation", &TOKEN_PLACES, imported),
        header: text(element, "header").unwrap_or(default.header),
        body: text(element, "requestBody"),
        headers: default.headers,
        content_type: default.content_type,
    }
}

fn token_response(element: &Element, id: &str, imported: &mut Imported) -> TokenResponse {
    leave_out_others(element, id, &["tokenLocation", "header", "responseFormat", "tokenPath"], imported);
    let default = TokenResponse::default();
    let formats = [("JSON", TokenFormat::Json), ("text", TokenFormat::Text)];
    TokenResponse {
        location: word(element, id, "tokenLocation", &TOKEN_PLACES, imported),
        header: text(element, "header").unwrap_or(default.header),
        format: word(element, id, "responseFormat", &formats, imported),
        token_path: text(element, "tokenPath"),
    }
}

fn proxy(element: &Element, imported: &mut Imported) {
    let Some(id) = id(element, imported) else { return };
    leave_out_others(element, &id, &["host", "port", "type"], imported);
    let port = text(element, "port").and_then(|port| port.parse().ok()).filter(|port| *port > 0);
    let (Some(host), Some(port)) = (text(element, "host"), port) else {
        imported.leave_out(told(element, &id, "host"), "host and port are required");
        return;
    };
    let kind = word(element, &id, "type", &[("HTTP", ProxyKind::Http), ("SOCKS", ProxyKind::Socks)], imported);
    imported.zosconnect.requesters.proxies.insert(id, Proxy { host, port, kind, basic_auth: None });
}

fn api_requesters(element: &Element, imported: &mut Imported) {
    requirements(element, imported);
    for (name, value) in &element.attributes {
        let why = match name.as_str() {
            "id" | "requireAuth" | "requireSecure" => continue,
            "updateTrigger" if value == "polled" => continue,
            "updateTrigger" | "pollingRate" => "archives are looked at every zosconnect.poll_interval_seconds",
            "location" => "archives of API requesters lie in DIR/zosconnect/apiRequesters",
            "idAssertion" if value.eq_ignore_ascii_case("OFF") => continue,
            _ => "it has no counterpart",
        };
        imported.leave_out(format!("zosconnect_apiRequesters {name}={value}"), why);
    }
    for requester in element.children_named("apiRequester") {
        let Some(name) = text(requester, "name") else {
            imported.leave_out("zosconnect_apiRequesters apiRequester", "it has no name");
            continue;
        };
        let own = ApiRequester {
            require_auth: boolean(requester, "requireAuth"),
            require_secure: boolean(requester, "requireSecure"),
            connection: text(requester, "connectionRef"),
        };
        let known = ["id", "name", "requireAuth", "requireSecure", "connectionRef"];
        for (key, value) in requester.attributes.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            imported.leave_out(format!("zosconnect_apiRequesters apiRequester {name} {key}={value}"), SECURITY);
        }
        if own != ApiRequester::default() {
            imported.zosconnect.requesters.api_requesters.insert(name, own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Imported, Source, Surroundings, import};
    use web::options::{ProxyKind, TokenFormat, TokenMethod, TokenPlace};

    struct Nothing;

    impl Surroundings for Nothing {
        fn environment(&self, _: &str) -> Option<String> {
            None
        }
        fn included(&self, _: &str) -> Option<Vec<u8>> {
            None
        }
    }

    fn of(text: &str) -> Imported {
        import(&[Source { name: "server.xml", contents: text.as_bytes() }], &Nothing).expect("importable")
    }

    /// The report's figure 5.
    const FIGURE_5: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<server description="z/OS Connect EE 3.0. Polling not enabled.">
    <config updateTrigger="mbean"></config>
    <!-- Enable features -->
    <featureManager>
        <feature>zosconnect:apiRequester-1.0</feature>
        <feature>zosconnect:zosConnectCommands-1.0</feature>
    </featureManager>
    <httpEndpoint id="defaultHttpEndpoint" enabled="true" host="127.0.0.1" httpPort="2222" />
    <zosconnect_zosConnectManager requireAuth="false" requireSecure="false"/>
    <zosconnect_endpointConnection id="Server2Ref" host="localhost" port="3188"/>
</server>"#;

    #[test]
    fn the_reports_server_has_a_connection_a_port_and_no_security_for_calls_of_this_machine() {
        expect_test::expect![[r#"
            [endpoint_connections.Server2Ref]
            host = "localhost"
            port = 3188

            [server]
            http = "127.0.0.1:2222"
            https = "127.0.0.1:9443"

            [zosconnect]
            require_auth = false

            # left out: zosconnect_zosConnectManager requireAuth=false: it applies to calls of API requesters from this machine; other requests still need authentication
        "#]]
        .assert_eq(&of(FIGURE_5).to_toml());
    }

    #[test]
    fn credentials_servers_and_proxies_become_tables() {
        let imported = of(r#"<server>
            <featureManager><feature>zosconnect:apiRequester-1.0</feature></featureManager>
            <zosconnect_endpointConnection id="shop" host="https://shop.example" port="8443" domainBasePath="/v1"
                connectionTimeout="10s" receiveTimeout="1m" authenticationConfigRef="oauth, jwt" sslCertsRef="tls"
                proxyConfigRef="proxy"/>
            <zosconnect_endpointConnection id="old" host="old.example" basicAuthRef="basic"/>
            <zosconnect_authData id="basic" user="u" password="{xor}Lz4sLCgwLTs="/>
            <zosconnect_oAuthConfig id="oauth" grantType="client_credentials" authServerRef="as"/>
            <zosconnect_authorizationServer id="as" tokenEndpoint="https://as.example/token" basicAuthRef="basic"/>
            <zosconnect_authToken id="jwt" authServerRef="as" header="X-Token" useBearerScheme="false">
                <tokenRequest credentialLocation="body" requestMethod="PUT" requestBody='{"u":"${userid}"}'/>
                <tokenResponse tokenLocation="body" responseFormat="JSON" tokenPath="$.token"/>
            </zosconnect_authToken>
            <zosconnect_proxyConfig id="proxy" host="proxy.example" port="3128" type="SOCKS"/>
            <zosconnect_apiRequesters updateTrigger="polled" requireAuth="false" idAssertion="OFF">
                <apiRequester name="Shop_1" requireSecure="true" connectionRef="shop" invokeGroup="G"/>
            </zosconnect_apiRequesters>
        </server>"#);
        expect_test::expect![[r#"
            [endpoint_connections.old]
            authentication = ["basic"]
            host = "old.example"

            [endpoint_connections.shop]
            authentication = ["oauth", "jwt"]
            base_path = "/v1"
            connection_timeout_seconds = 10
            host = "https://shop.example"
            port = 8443
            proxy = "proxy"

            [zosconnect]
            require_auth = false

            [zosconnect.api_requesters.Shop_1]
            connection = "shop"
            require_secure = true

            [zosconnect.auth_data.basic]
            password = "{xor}Lz4sLCgwLTs="
            user = "u"

            [zosconnect.auth_tokens.jwt]
            authorization_server = "as"
            bearer = false
            header = "X-Token"

            [zosconnect.auth_tokens.jwt.request]
            body = '{"u":"${userid}"}'
            content_type = "application/json"
            credentials = "body"
            header = "Authorization"
            method = "PUT"

            [zosconnect.auth_tokens.jwt.response]
            format = "json"
            header = "Authorization"
            location = "body"
            token_path = "$.token"

            [zosconnect.authorization_servers.as]
            basic_auth = "basic"
            token_endpoint = "https://as.example/token"

            [zosconnect.oauth_configs.oauth]
            authorization_server = "as"
            grant_type = "client_credentials"

            [zosconnect.proxies.proxy]
            host = "proxy.example"
            port = 3128
            type = "socks"

            # left out: zosconnect_endpointConnection shop sslCertsRef=tls: name PEM files by ca_file, certificate and key
            # left out: zosconnect_apiRequesters requireAuth=false: it applies to calls of API requesters from this machine; other requests still need authentication
            # left out: zosconnect_apiRequesters apiRequester Shop_1 invokeGroup=G: web.roles defines who may call and administer
        "#]].assert_eq(&imported.to_toml());
    }

    #[test]
    fn references_that_lead_nowhere_are_left_out_and_told() {
        let imported = of(r#"<server>
            <featureManager><feature>zosconnect:apiRequester-1.0</feature></featureManager>
            <zosconnect_endpointConnection id="a" host="http://h/x/" domainBasePath="/y" proxyConfigRef="none"
                authenticationConfigRef="local,oauth,jwt"/>
            <zosconnect_authTokenLocal id="local"/>
            <zosconnect_oAuthConfig id="oauth" grantType="password"/>
            <zosconnect_authorizationServer id="as" tokenEndpoint="https://as/token" basicAuthRef="nobody"/>
            <zosconnect_authToken id="jwt" authServerRef="as"><tokenRequest credentialLocation="body"/></zosconnect_authToken>
        </server>"#);
        expect_test::expect![[r#"
            [endpoint_connections.a]
            base_path = "/x/y"
            host = "http://h"

            [zosconnect.authorization_servers.as]
            token_endpoint = "https://as/token"

            # left out: zosconnect_authTokenLocal local: tokens made by the server itself are not supported
            # left out: zosconnect_authorizationServer as basicAuthRef: 'nobody' is missing or was left out
            # left out: zosconnect_endpointConnection a proxyConfigRef: 'none' is missing or was left out
            # left out: zosconnect_oAuthConfig oauth: its authServerRef names no authorization server
            # left out: zosconnect_authToken jwt: its tokenRequest has no requestBody
            # left out: zosconnect_endpointConnection a authenticationConfigRef: 'local' is missing or was left out
            # left out: zosconnect_endpointConnection a authenticationConfigRef: 'oauth' is missing or was left out
            # left out: zosconnect_endpointConnection a authenticationConfigRef: 'jwt' is missing or was left out
        "#]]
        .assert_eq(&imported.to_toml());
    }

    #[test]
    fn what_cannot_be_used_is_left_out_and_told() {
        let imported = of(r#"<server>
            <featureManager><feature>zosconnect:apiRequester-1.0</feature></featureManager>
            <zosconnect_endpointConnection host="h"/>
            <zosconnect_endpointConnection id="a"/>
            <zosconnect_endpointConnection id="b" host="h" port="x" connectionTimeout="soon" other="1"/>
            <zosconnect_authData id="c" user="u"/>
            <zosconnect_oAuthConfig id="d" grantType="implicit"/>
            <zosconnect_authorizationServer id="e"/>
            <zosconnect_proxyConfig id="f" host="h"/>
            <zosconnect_authTokenLocal id="g"/>
            <zosconnect_apiRequesters location="/x" pollingRate="5s"><apiRequester/></zosconnect_apiRequesters>
        </server>"#);
        let said: Vec<&str> = imported.left_out.iter().map(|line| line.what.as_str()).collect();
        assert_eq!(
            said,
            [
                "zosconnect_authData c user",
                "zosconnect_authorizationServer e tokenEndpoint",
                "zosconnect_oAuthConfig d grantType",
                "zosconnect_authTokenLocal g",
                "zosconnect_proxyConfig f host",
                "zosconnect_endpointConnection",
                "zosconnect_endpointConnection a host",
                "zosconnect_endpointConnection b other",
                "zosconnect_endpointConnection b port",
                "zosconnect_endpointConnection b connectionTimeout",
                "zosconnect_apiRequesters location=/x",
                "zosconnect_apiRequesters pollingRate=5s",
                "zosconnect_apiRequesters apiRequester",
            ]
        );
        assert_eq!(imported.zosconnect.requesters.endpoint_connections.len(), 1);
    }

    #[test]
    fn words_that_there_are_not_are_told_and_the_default_counts() {
        let imported = of(r#"<server>
            <featureManager><feature>zosconnect:apiRequester-1.0</feature></featureManager>
            <zosconnect_authorizationServer id="as" tokenEndpoint="https://as/token"/>
            <zosconnect_authToken id="jwt" authServerRef="as">
                <tokenRequest credentialLocation="cookie" requestMethod="PATCH"/>
                <tokenResponse tokenLocation="trailer" responseFormat="XML" tokenPath="$.token"/>
            </zosconnect_authToken>
            <zosconnect_proxyConfig id="proxy" host="h" port="1" type="SOCKS4"/>
        </server>"#);
        let said: Vec<String> = imported.left_out.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "tokenRequest jwt requestMethod=PATCH: it is not one of POST, GET, PUT",
                "tokenRequest jwt credentialLocation=cookie: it is not one of header, body",
                "tokenResponse jwt tokenLocation=trailer: it is not one of header, body",
                "tokenResponse jwt responseFormat=XML: it is not one of JSON, text",
                "zosconnect_proxyConfig proxy type=SOCKS4: it is not one of HTTP, SOCKS",
            ]
        );
        let token = &imported.zosconnect.requesters.auth_tokens["jwt"];
        assert_eq!((token.request.method, token.request.credentials), (TokenMethod::Post, TokenPlace::Header));
        assert_eq!((token.response.location, token.response.format), (TokenPlace::Header, TokenFormat::Json));
        assert_eq!(imported.zosconnect.requesters.proxies["proxy"].kind, ProxyKind::Http);
    }
}
