//! Rows of the reference about mqwebuser.xml; `docs/reference-coverage.md` says which test holds which row.

use configuration_import::{Imported, Source, Surroundings, import};
use expect_test::{Expect, expect};

// 3.3 elements, 3.4 variables

struct Alone;

impl Surroundings for Alone {
    fn environment(&self, _: &str) -> Option<String> {
        None
    }

    fn included(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

fn imported(body: &str) -> Imported {
    let text = format!("<server>{body}</server>");
    import(&[Source { name: "mqwebuser.xml", contents: text.as_bytes() }], &Alone).expect("importable")
}

/// What a body of `mqwebuser.xml` becomes: lines of TOML, then what is left out.
fn becomes(body: &str) -> String {
    let imported = imported(body);
    let table = imported.to_toml();
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let left_out = imported.left_out.iter().map(|line| format!("  left out: {line}"));
    lines.map(|line| format!("  {line}")).chain(left_out).map(|line| line + "\n").collect()
}

fn check_import(bodies: &[&str], expected: Expect) {
    let shown: String = bodies.iter().map(|body| format!("{body}\n{}", becomes(body))).collect();
    expected.assert_eq(&shown);
}

#[test]
fn every_element_is_taken_or_named() {
    check_import(
        &[
            "<featureManager><feature>appSecurity-2.0</feature><feature>zosSecurity-1.0</feature><feature>new-9.9</feature></featureManager>",
            "<basicRegistry realm='r' certificateMapMode='PRINCIPAL_CN'><user name='u' password='p'/><user name='v'/><group name='g'><member name='u'/></group></basicRegistry>",
            "<enterpriseApplication id='com.ibm.mq.rest'><application-bnd><security-role name='MQWebUser'>\
             <user name='u' realm='r' access-id='user:r/u'/><group name='g' access-id='group:r/g'/>\
             <special-subject type='EVERYONE'/></security-role></application-bnd></enterpriseApplication>",
            "<enterpriseApplication id='com.ibm.mq.console'><application-bnd><security-role name='MQWebUser'><user name='u'/></security-role></application-bnd></enterpriseApplication>",
            "<enterpriseApplication id='other'/>",
            "<keyStore id='defaultTrustStore' location='t.p12' type='PKCS12' password='x' fileBased='true' readOnly='true'/>",
            "<ssl id='s' clientAuthentication='true' sslProtocol='TLSv1.2' enabledCiphers='X' serverKeyAlias='a' keyStoreRef='k' trustStoreRef='t'/>",
            "<sslDefault sslRef='mqDefaultSSLConfig'/>",
            "<ltpa keysFileName='k' keysPassword='{xor}CDo9Hgw=' expiration='2h' monitorInterval='5s' updateTrigger='mbean' \
             monitorValidationKeysDir='true' expirationDifferenceAllowed='1s' authFilterRef='f'><validationKeys fileName='o' password='p' validUntilDate='2030-01-01T00:00:00Z'/></ltpa>",
            "<webAppSecurity ssoCookieName='c' httpOnlyCookies='false' ssoRequiresSSL='false' sameSiteCookie='Lax' trackLoggedOutSSOCookies='false' useOnlyCustomCookieName='true' allowFailOverToBasicAuth='true'/>",
            "<cors domain='/ibmmq/rest' allowedOrigins='https://a.example' maxAge='60' allowedMethods='GET'/>",
            "<httpDispatcher enableWelcomePage='false'/>",
            "<jndiEntry jndiName='a' value='b'/>",
            "<logging traceSpecification='*=info'/>",
            "<BasicRegistry realm='case'/>",
        ],
        expect![[r#"
            <featureManager><feature>appSecurity-2.0</feature><feature>zosSecurity-1.0</feature><feature>new-9.9</feature></featureManager>
            <basicRegistry realm='r' certificateMapMode='PRINCIPAL_CN'><user name='u' password='p'/><user name='v'/><group name='g'><member name='u'/></group></basicRegistry>
              [web]
              realm = "r"
              [web.groups]
              g = ["u"]
              [web.users]
              u = "p"
              left out: user v: it has no password
            <enterpriseApplication id='com.ibm.mq.rest'><application-bnd><security-role name='MQWebUser'><user name='u' realm='r' access-id='user:r/u'/><group name='g' access-id='group:r/g'/><special-subject type='EVERYONE'/></security-role></application-bnd></enterpriseApplication>
              [web.roles]
              MQWebUser = ["user:u", "group:g", "EVERYONE"]
            <enterpriseApplication id='com.ibm.mq.console'><application-bnd><security-role name='MQWebUser'><user name='u'/></security-role></application-bnd></enterpriseApplication>
              left out: com.ibm.mq.console: its roles differ from those of REST, and web.roles holds those of REST
            <enterpriseApplication id='other'/>
              left out: enterpriseApplication other: it is not one of MQ's own applications
            <keyStore id='defaultTrustStore' location='t.p12' type='PKCS12' password='x' fileBased='true' readOnly='true'/>
              left out: keyStore defaultTrustStore t.p12: export its certificates as PEM and name them in tls.certificate, tls.key and tls.client_ca
            <ssl id='s' clientAuthentication='true' sslProtocol='TLSv1.2' enabledCiphers='X' serverKeyAlias='a' keyStoreRef='k' trustStoreRef='t'/>
              left out: ssl s clientAuthentication: set tls.client_ca to the signers of clients, and tls.client_required to true
              left out: ssl s sslProtocol: TLS 1.2 and 1.3 are offered with their safe ciphers
              left out: ssl s enabledCiphers: TLS 1.2 and 1.3 are offered with their safe ciphers
            <sslDefault sslRef='mqDefaultSSLConfig'/>
            <ltpa keysFileName='k' keysPassword='{xor}CDo9Hgw=' expiration='2h' monitorInterval='5s' updateTrigger='mbean' monitorValidationKeysDir='true' expirationDifferenceAllowed='1s' authFilterRef='f'><validationKeys fileName='o' password='p' validUntilDate='2030-01-01T00:00:00Z'/></ltpa>
              [ltpa]
              keys_file = "k"
              keys_password = "{xor}CDo9Hgw="
              left out: ltpa monitorInterval: the key file is read at start and on a reload only
              left out: ltpa updateTrigger: the key file is read at start and on a reload only
              left out: ltpa monitorValidationKeysDir: the key file is read at start and on a reload only
              left out: ltpa expirationDifferenceAllowed: the two times of a token may differ by 3000 ms
              left out: ltpa authFilterRef: it has no counterpart
              left out: ltpa validationKeys: tokens are verified with one key file only
            <webAppSecurity ssoCookieName='c' httpOnlyCookies='false' ssoRequiresSSL='false' sameSiteCookie='Lax' trackLoggedOutSSOCookies='false' useOnlyCustomCookieName='true' allowFailOverToBasicAuth='true'/>
              [ltpa]
              cookie_name = "c"
              secure = false
              left out: webAppSecurity httpOnlyCookies: scripts are never given the cookie
              left out: webAppSecurity sameSiteCookie: the cookie is always SameSite=Strict
              left out: webAppSecurity trackLoggedOutSSOCookies: a logged-out cookie is always refused
            <cors domain='/ibmmq/rest' allowedOrigins='https://a.example' maxAge='60' allowedMethods='GET'/>
              [cors]
              allowed_origins = ["https://a.example"]
              max_age_seconds = 60
              left out: cors allowedMethods: methods and headers are those of the REST API
            <httpDispatcher enableWelcomePage='false'/>
              left out: httpDispatcher: it has no counterpart
            <jndiEntry jndiName='a' value='b'/>
              left out: jndiEntry: it has no counterpart
            <logging traceSpecification='*=info'/>
              left out: logging: it has no counterpart
            <BasicRegistry realm='case'/>
              left out: BasicRegistry: it has no counterpart
        "#]],
    );
}

#[test]
fn every_variable_is_taken_or_named() {
    let of = |name: &str, value: &str| format!("<variable name='{name}' value='{value}'/>");
    let bodies: Vec<String> = [
        ("httpsPort", "9444"),
        ("httpPort", "9080"),
        ("httpHost", "localhost"),
        ("ltpaExpiration", "30"),
        ("ltpaCookieName", "MyToken"),
        ("secureLtpa", "FALSE"),
        ("mqRestRequestTimeout", "60"),
        ("mqRestMessagingEnabled", "false"),
        ("mqRestMessagingMaxPoolSize", "40"),
        ("mqRestMessagingMaxPoolSize", "many"),
        ("mqRestMessagingFullPoolBehavior", "block"),
        ("mqRestMessagingFullPoolBehavior", "error"),
        ("mqRestMessagingFullPoolBehavior", "overflow"),
        ("mqRestMessagingFullPoolBehavior", "grow"),
        ("mqRestMessagingAdoptWebUserContext", "false"),
        ("mqRestMessagingConnectionMode", "remote"),
        ("mqRestCorsAllowedOrigins", "*"),
        ("mqRestCorsMaxAgeInSeconds", "60"),
        ("mqRestCsrfValidation", "false"),
        ("mqRestCsrfExpirationInMinutes", "5"),
        ("mqRestGatewayEnabled", "true"),
        ("mqRestGatewayQmgr", "QM1"),
        ("mqRestMftEnabled", "true"),
        ("mqRestMftCoordinationQmgr", "QM1"),
        ("mqRestMftCommandQmgr", "QM1"),
        ("mqRestMftReconnectTimeoutInMinutes", "5"),
        ("mqRestAutostart", "false"),
        ("mqConsoleAutostart", "false"),
        ("mqConsoleFrameAncestors", "https://a.example,https://b.example:8443"),
        ("mqConsoleFrameAncestors", "x"),
        ("mqConsoleRemoteSupportEnabled", "false"),
        ("mqConsoleRemoteAllowLocal", "false"),
        ("mqConsoleRemoteUIAdmin", "true"),
        ("mqConsoleRemotePollTime", "5"),
        ("mqConsoleMaxMsgsPerRequest", "5"),
        ("mqConsoleMaxMsgCharsToDisplay", "5"),
        ("mqConsoleMaxMsgRequestSize", "5"),
        ("mqConsoleEnableUnsafeInline", "true"),
        ("managementMode", "standard"),
        ("maxTraceFileSize", "5"),
        ("maxTraceFiles", "5"),
        ("traceSpec", "*=all"),
    ]
    .map(|(name, value)| of(name, value))
    .into();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    check_import(
        &bodies,
        expect![[r#"
        <variable name='httpsPort' value='9444'/>
          [server]
          https = "127.0.0.1:9444"
        <variable name='httpPort' value='9080'/>
          [server]
          http = "127.0.0.1:9080"
        <variable name='httpHost' value='localhost'/>
          [server]
          https = "127.0.0.1:9443"
        <variable name='ltpaExpiration' value='30'/>
          [ltpa]
          expiration = 30
        <variable name='ltpaCookieName' value='MyToken'/>
          [ltpa]
          cookie_name = "MyToken"
        <variable name='secureLtpa' value='FALSE'/>
          [ltpa]
          secure = false
        <variable name='mqRestRequestTimeout' value='60'/>
          left out: variable mqRestRequestTimeout: requests to queue managers of the same process do not time out
        <variable name='mqRestMessagingEnabled' value='false'/>
          [messaging]
          enabled = false
        <variable name='mqRestMessagingMaxPoolSize' value='40'/>
          [messaging]
          max_pool_size = 40
        <variable name='mqRestMessagingMaxPoolSize' value='many'/>
          left out: variable mqRestMessagingMaxPoolSize: it is not a number of connections
        <variable name='mqRestMessagingFullPoolBehavior' value='block'/>
          [messaging]
          full_pool_behavior = "block"
        <variable name='mqRestMessagingFullPoolBehavior' value='error'/>
          [messaging]
          full_pool_behavior = "error"
        <variable name='mqRestMessagingFullPoolBehavior' value='overflow'/>
        <variable name='mqRestMessagingFullPoolBehavior' value='grow'/>
          left out: variable mqRestMessagingFullPoolBehavior: it is not block, error or overflow
        <variable name='mqRestMessagingAdoptWebUserContext' value='false'/>
          [messaging]
          adopt_web_user_context = false
        <variable name='mqRestMessagingConnectionMode' value='remote'/>
          left out: variable mqRestMessagingConnectionMode: nothing here reads it
        <variable name='mqRestCorsAllowedOrigins' value='*'/>
          [cors]
          allowed_origins = ["*"]
        <variable name='mqRestCorsMaxAgeInSeconds' value='60'/>
          [cors]
          max_age_seconds = 60
        <variable name='mqRestCsrfValidation' value='false'/>
          [web]
          csrf_validation = false
        <variable name='mqRestCsrfExpirationInMinutes' value='5'/>
          left out: variable mqRestCsrfExpirationInMinutes: the token of the 9.0.x rule does not expire
        <variable name='mqRestGatewayEnabled' value='true'/>
          left out: variable mqRestGatewayEnabled: there is no administrative gateway
        <variable name='mqRestGatewayQmgr' value='QM1'/>
          left out: variable mqRestGatewayQmgr: there is no administrative gateway
        <variable name='mqRestMftEnabled' value='true'/>
          left out: variable mqRestMftEnabled: there is no managed file transfer
        <variable name='mqRestMftCoordinationQmgr' value='QM1'/>
          left out: variable mqRestMftCoordinationQmgr: there is no managed file transfer
        <variable name='mqRestMftCommandQmgr' value='QM1'/>
          left out: variable mqRestMftCommandQmgr: there is no managed file transfer
        <variable name='mqRestMftReconnectTimeoutInMinutes' value='5'/>
          left out: variable mqRestMftReconnectTimeoutInMinutes: there is no managed file transfer
        <variable name='mqRestAutostart' value='false'/>
          left out: variable mqRestAutostart: REST starts with the server
        <variable name='mqConsoleAutostart' value='false'/>
          left out: variable mqConsoleAutostart: the console starts with the server
        <variable name='mqConsoleFrameAncestors' value='https://a.example,https://b.example:8443'/>
          [console]
          frame_ancestors = ["https://a.example", "https://b.example:8443"]
        <variable name='mqConsoleFrameAncestors' value='x'/>
          left out: variable mqConsoleFrameAncestors: it is not a list of origins such as https://portal.example
        <variable name='mqConsoleRemoteSupportEnabled' value='false'/>
          left out: variable mqConsoleRemoteSupportEnabled: the console has no such setting
        <variable name='mqConsoleRemoteAllowLocal' value='false'/>
          left out: variable mqConsoleRemoteAllowLocal: the console has no such setting
        <variable name='mqConsoleRemoteUIAdmin' value='true'/>
          left out: variable mqConsoleRemoteUIAdmin: the console has no such setting
        <variable name='mqConsoleRemotePollTime' value='5'/>
          left out: variable mqConsoleRemotePollTime: the console has no such setting
        <variable name='mqConsoleMaxMsgsPerRequest' value='5'/>
          left out: variable mqConsoleMaxMsgsPerRequest: the console has no such setting
        <variable name='mqConsoleMaxMsgCharsToDisplay' value='5'/>
          left out: variable mqConsoleMaxMsgCharsToDisplay: the console has no such setting
        <variable name='mqConsoleMaxMsgRequestSize' value='5'/>
          left out: variable mqConsoleMaxMsgRequestSize: the console has no such setting
        <variable name='mqConsoleEnableUnsafeInline' value='true'/>
          left out: variable mqConsoleEnableUnsafeInline: the console has no such setting
        <variable name='managementMode' value='standard'/>
          left out: variable managementMode: queue managers are created and deleted by the quaymaster command
        <variable name='maxTraceFileSize' value='5'/>
          left out: variable maxTraceFileSize: logs go to standard error; server.log_level sets how much
        <variable name='maxTraceFiles' value='5'/>
          left out: variable maxTraceFiles: logs go to standard error; server.log_level sets how much
        <variable name='traceSpec' value='*=all'/>
          left out: variable traceSpec: logs go to standard error; server.log_level sets how much
    "#]],
    );
}

#[test]
fn properties_left_alone_have_the_published_defaults() {
    let imported = imported("");
    assert_eq!((imported.ltpa.expiration, imported.ltpa.secure), (120, true));
    assert!(imported.messaging.enabled && imported.messaging.adopt_web_user_context);
    assert_eq!(imported.messaging.max_pool_size, 20);
    assert_eq!(imported.messaging.full_pool_behavior, web::options::FullPoolBehavior::Overflow);
    assert!(imported.web.csrf_validation.0);
    assert!(imported.cors.allowed_origins.is_empty());
    assert_eq!(imported.cors.max_age_seconds, 0);
}
