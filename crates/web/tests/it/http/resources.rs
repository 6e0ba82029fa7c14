//! What every answer carries, unknown paths and methods, CORS, health, metrics, documents.

use std::time::Duration;

use expect_test::expect;
use model::descriptor::MessageDescriptor;
use tokio::time::Instant;
use web::options::{MetricNames, OpenTo};

use super::client::{self, Client};
use super::server::{PATIENCE, TestServer};
use super::{check, check_on};

#[test]
fn every_answer_carries_the_published_headers() {
    let server = TestServer::start();
    for request in
        ["GET v1/queue/Q/message", "GET /nowhere", "GET v1/login\n-authorization", "OPTIONS v1/login", "GET /livez"]
    {
        let answer = client::plain(&server).exchange(request);
        for (name, value) in [
            ("x-xss-protection", "1;mode=block"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("cache-control", "no-cache, no-store, must-revalidate"),
            ("expires", "Thu, 01 Dec 1994 16:00:00 GMT"),
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; connect-src 'self'; img-src 'self'; \
                 style-src 'self' 'unsafe-inline'; font-src 'self'",
            ),
            ("content-language", "en-US"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{request}");
        }
        assert!(answer.header("date").is_some());
        assert_eq!(answer.header("strict-transport-security"), None);
        assert_eq!(answer.header("www-authenticate"), None);
    }
}

#[test]
fn answers_of_z_os_connect_carry_no_headers_for_pages() {
    let server = TestServer::start();
    for request in [
        "GET /zosConnect/services",
        "GET /zosConnect/nowhere",
        "GET /zosConnect/services\n-authorization",
        "POST /zosConnect/services/none?action=invoke\ncontent-type: application/json\n\n{}",
        "GET /zosConnect/docs",
    ] {
        let answer = client::plain(&server).exchange(request);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{request}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{request}");
        assert_eq!(answer.header("content-language"), Some("en-US"), "{request}");
        for name in ["x-xss-protection", "x-frame-options", "expires", "content-security-policy"] {
            assert_eq!(answer.header(name), None, "{request}");
        }
    }
}

#[test]
fn an_error_body_has_the_members_of_9_3_in_order() {
    let answer = client::plain(&TestServer::start()).exchange("GET v1/login\n-authorization");
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
    expect![[r#"
        {"error": [{
          "msgId": "MQWB0104E",
          "action": "Log in, or send the request with HTTP basic credentials or a client certificate.",
          "completionCode": 0,
          "reasonCode": 0,
          "type": "rest",
          "message": "MQWB0104E: The request to '/ibmmq/rest/v1/login' is not authenticated.",
          "explanation": "The resource is protected, and the request has no valid credentials."
        }]}"#]]
    .assert_eq(&answer.text());
}

#[test]
fn unknown_paths_methods_and_versions() {
    check(
        "GET /nowhere\n>>\nGET /ibmmq/rest/v4/login\n>>\nPUT v1/login\n>>\nPATCH v1/queue/Q/message\n>>\n\
         DELETE v1/queue/Q/messagelist\n>>\nOPTIONS v1/queue/Q/message\n-authorization\n>>\nHEAD v1/queue/Q/messagelist\n>>\n\
         GET v1/queue/Q/messagelist/\n>>\nGET /ibmmq/rest/v1/admin/qmgr",
        expect![[r#"
            404
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0901E: There is no resource '/nowhere'.
            404
              content-type: application/json; charset=utf-8
              rest 0/0 MQWB0901E: There is no resource '/ibmmq/rest/v4/login'.
            405
              content-type: application/json; charset=utf-8
              allow: POST, GET, HEAD, DELETE, OPTIONS
              rest 0/0 MQWB0902E: The resource '/ibmmq/rest/v1/login' has no method 'PUT'.
            405
              content-type: application/json; charset=utf-8
              allow: POST, DELETE, GET, HEAD, OPTIONS
              rest 0/0 MQWB0902E: The resource '/ibmmq/rest/v1/messaging/qmgr/QM1/queue/Q/message' has no method 'PATCH'.
            405
              content-type: application/json; charset=utf-8
              allow: GET, HEAD, OPTIONS
              rest 0/0 MQWB0902E: The resource '/ibmmq/rest/v1/messaging/qmgr/QM1/queue/Q/messagelist' has no method 'DELETE'.
            200
              allow: POST, DELETE, GET, HEAD, OPTIONS
            200
              content-type: application/json; charset=utf-8
            200
              content-type: application/json; charset=utf-8
              | {"messages": []}
            200
              content-type: application/json; charset=utf-8
              | {"qmgr": [{
              |   "name": "QM1",
              |   "state": "running"
              | }]}
        "#]],
    );
}

#[test]
fn cors_is_off_by_default() {
    check(
        "GET v1/queue/Q/message\norigin: https://a.example\n>>\n\
         OPTIONS v1/queue/Q/message\norigin: https://a.example\naccess-control-request-method: GET",
        expect![[r#"
            204
            200
              allow: POST, DELETE, GET, HEAD, OPTIONS
        "#]],
    );
}

#[test]
fn cors_answers_allowed_origins_only() {
    let server = TestServer::start_with(|options| {
        options.cors.allowed_origins = vec!["https://a.example".to_owned(), "https://b.example:8443".to_owned()];
        options.cors.max_age_seconds = 90;
    });
    check_on(
        &server,
        &[
            "GET v1/queue/Q/message\norigin: https://b.example:8443",
            "GET v1/queue/Q/message\norigin: https://c.example",
            "OPTIONS v1/queue/Q/message\n-authorization\norigin: https://a.example\naccess-control-request-method: DELETE\n\
             access-control-request-headers: authorization, IBM-MQ-REST-CSRF-TOKEN,ibm-mq-md-replyto",
            "OPTIONS v1/queue/Q/message\norigin: https://c.example\naccess-control-request-method: GET",
            "OPTIONS v1/queue/Q/message\norigin: https://a.example\naccess-control-request-method: PUT",
            "OPTIONS v1/queue/Q/message\norigin: https://a.example\naccess-control-request-method: GET\n\
             access-control-request-headers: x-other",
        ]
        .join("\n>>\n"),
        expect![[r#"
            204
              access-control-allow-origin: https://b.example:8443
              access-control-allow-credentials: true
              access-control-expose-headers: ibm-mq-md-messageId, ibm-mq-md-correlationId, ibm-mq-md-expiry, ibm-mq-md-persistence, ibm-mq-md-priority, ibm-mq-md-replyTo, ibm-mq-usr
              vary: Origin
            204
            200
              access-control-allow-origin: https://a.example
              access-control-allow-credentials: true
              access-control-max-age: 90
              access-control-allow-methods: GET, POST, PATCH, DELETE
              access-control-allow-headers: Accept-Language, Authorization, Content-Type, ibm-mq-rest-csrf-token, ibm-mq-rest-gateway-qmgr, ibm-mq-md-correlationId, ibm-mq-md-expiry, ibm-mq-md-persistence, ibm-mq-md-priority, ibm-mq-md-replyTo, ibm-mq-usr
              vary: Origin
            200
              allow: POST, DELETE, GET, HEAD, OPTIONS
            200
              allow: POST, DELETE, GET, HEAD, OPTIONS
            200
              allow: POST, DELETE, GET, HEAD, OPTIONS
        "#]],
    );
}

#[test]
fn any_origin_reads_without_credentials_and_a_named_one_with_them() {
    let allowed = ["*".to_owned(), "https://named.example".to_owned()];
    let server = TestServer::start_with(|options| options.cors.allowed_origins = allowed.to_vec());
    let mut client = client::plain(&server);
    for (origin, echoed, credentials) in
        [("https://any.example", "*", None), ("https://named.example", "https://named.example", Some("true"))]
    {
        for request in ["GET /livez", "OPTIONS v1/queue/Q/message\naccess-control-request-method: GET"] {
            let answer = client.exchange(&format!("{request}\norigin: {origin}"));
            assert_eq!(answer.header("access-control-allow-origin"), Some(echoed), "{request}");
            assert_eq!(answer.header("access-control-allow-credentials"), credentials, "{request}");
            assert_eq!(answer.header("vary"), Some("Origin"));
        }
    }
}

#[test]
fn metrics_are_on_the_other_listeners_only_where_the_configuration_says_so() {
    let server = TestServer::start();
    assert_eq!(client::plain(&server).exchange("GET /metrics").status, 404);
    assert_eq!(client::tls(&server).exchange("GET /metrics").status, 404);
    assert_eq!(client::metrics(&server).exchange("GET /metrics\n-authorization").status, 200);
    let mut options = server.options.clone();
    options.metrics_page.on_https = true;
    server.web.reload(options).expect("reloaded");
    assert_eq!(client::tls(&server).exchange("GET /metrics\n-authorization").status, 200);
}

#[test]
fn metrics_have_the_names_that_the_configuration_says() {
    let server = TestServer::start();
    let begins = |page: &str, with: &str| page.lines().any(|line| line.starts_with(with));
    let page = |names: &[MetricNames]| {
        let mut options = server.options.clone();
        options.metrics_page.names = names.to_vec();
        server.web.reload(options).expect("reloaded");
        client::metrics(&server).exchange("GET /metrics\n-authorization").text()
    };
    let ours = page(&[MetricNames::Quaymaster]);
    assert!(begins(&ours, "quaymaster_queue_depth{") && !begins(&ours, "ibmmq_"), "{ours}");
    server.put("Q", MessageDescriptor::default(), "one");
    let theirs = page(&[MetricNames::MqPrometheus]);
    assert!(!begins(&theirs, "quaymaster_"), "{theirs}");
    let of_queue = "qmgr=\"QM1\",platform=\"UNIX\",queue=\"Q\",usage=\"NORMAL\",description=\"-\",cluster=\"-\"";
    for (name, value) in [("depth", "1"), ("attribute_max_depth", "5000")] {
        assert!(theirs.contains(&format!("ibmmq_queue_{name}{{{of_queue}}} {value}\n")), "{name} {theirs}");
    }
    assert!(theirs.contains(&format!("ibmmq_queue_time_since_put{{{of_queue}}} ")), "{theirs}");
    assert!(begins(&theirs, "ibmmq_qmgr_status{qmgr=\"QM1\",platform=\"UNIX\",description="), "{theirs}");
    // What is counted comes with the first interval of ten seconds after the first look.
    let begun = Instant::now();
    let both = loop {
        let both = page(&[MetricNames::MqPrometheus, MetricNames::MqContainer]);
        if begins(&both, "ibmmq_qmgr_commit_total{qmgr=\"QM1\"}") {
            break both;
        }
        assert!(begun.elapsed() < PATIENCE, "{both}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(begins(&both, "# TYPE ibmmq_qmgr_commit_count counter"), "{both}");
    let families: Vec<&str> = both.lines().filter(|line| line.starts_with("# TYPE ")).collect();
    let different: std::collections::HashSet<&&str> = families.iter().collect();
    assert_eq!(families.len(), different.len(), "a family that has both names is shown once");
    let of_image = page(&[MetricNames::MqContainer]);
    assert!(begins(&of_image, "ibmmq_qmgr_cpu_load_one_minute_average_percentage{qmgr=\"QM1\"} "), "{of_image}");
    assert!(!begins(&of_image, "ibmmq_queue_") && !begins(&of_image, "ibmmq_qmgr_commit_count"), "{of_image}");
}

#[test]
fn documents_are_for_users_where_the_configuration_says_so() {
    let server = TestServer::start_with(|options| options.documents.open_to = Some(OpenTo::Users));
    let mut client = client::plain(&server);
    for path in ["/openapi.json", "/ibm/api/docs", "/zosConnect/api-docs"] {
        assert_eq!(client.exchange(&format!("GET {path}\n-authorization")).status, 401, "{path}");
        assert_eq!(client.exchange(&format!("GET {path}")).status, 200, "{path}");
    }
    assert_eq!(client.exchange("GET /livez\n-authorization").status, 200);
}

#[test]
fn health_needs_no_login_and_follows_the_server() {
    check(
        "GET /livez\n-authorization\n>>\nGET /readyz\n-authorization",
        expect![[r#"
        200
          content-type: text/plain; charset=utf-8
          | live
          | 
        200
          content-type: text/plain; charset=utf-8
          | ready
          | 
    "#]],
    );
}

#[test]
fn the_metrics_listener_serves_metrics_and_health_alone() {
    let server = TestServer::start();
    client::plain(&server).run("POST v1/queue/Q/message\n\nx\n>>\nDELETE v1/queue/Q/message\n>>\nGET /nowhere");
    let mut client = Client::over(client::connect(server.web.metrics().expect("a listener")));
    assert_eq!(client.exchange("GET v1/login").status, 404);
    assert_eq!(client.exchange("GET /readyz").status, 200);
    let answer = client.exchange("GET /metrics\n-authorization");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let page = answer.text();
    let message = "/ibmmq/rest/{version}/messaging/qmgr/{qmgr}/queue/{queue}/message";
    for line in [
        &*format!("quaymaster_http_requests_total{{method=\"POST\",route=\"{message}\",status=\"201\"}} 1"),
        &*format!("quaymaster_http_requests_total{{method=\"DELETE\",route=\"{message}\",status=\"200\"}} 1"),
        "quaymaster_http_requests_total{method=\"\",route=\"\",status=\"404\"} 2",
        &*format!(
            "quaymaster_http_request_duration_seconds_bucket{{method=\"POST\",route=\"{message}\",le=\"+Inf\"}} 1"
        ),
        "quaymaster_queue_depth{qmgr=\"QM1\",queue=\"Q\"} 0",
        "quaymaster_queue_puts_total{qmgr=\"QM1\",queue=\"Q\"} 1",
        "quaymaster_queue_gets_total{qmgr=\"QM1\",queue=\"Q\"} 1",
        "quaymaster_queue_quarantined{qmgr=\"QM1\",queue=\"Q\"} 0",
        "quaymaster_log_failed{qmgr=\"QM1\"} 0",
        "# TYPE process_resident_memory_bytes gauge",
    ] {
        assert!(page.lines().any(|known| known == line), "{line} is not in\n{page}");
    }
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        assert!(value.parse::<f64>().is_ok() && !name.is_empty(), "{line}");
    }
}

#[test]
fn the_resources_are_described_and_the_explorer_is_a_page_of_the_console() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let page = client.exchange("GET /ibm/api/explorer\n-authorization");
    assert_eq!((page.status, page.header("location")), (302, Some("/ibmmq/console/explorer")));
    let document = client.exchange("GET /openapi.json\n-authorization");
    let api: serde_json::Value = serde_json::from_slice(&document.body).expect("JSON");
    assert_eq!(api["openapi"], "3.1.0");
    expect_test::expect_file!["../../golden/openapi.json"].assert_eq(&document.text());
}

#[test]
fn the_swagger_document_comes_as_json_or_yaml_whole_or_below_a_root() {
    let server = TestServer::start();
    let mut client = client::plain(&server);
    let mut get = |request: &str| client.exchange(&format!("GET /ibm/api/docs{request}\n-authorization"));
    let whole = get("");
    assert_eq!(whole.header("content-type"), Some("application/json; charset=utf-8"));
    let document: serde_json::Value = serde_json::from_slice(&whole.body).expect("JSON");
    assert_eq!(document["swagger"], "2.0");
    let compact = get("?compact=true");
    assert!(!compact.text().contains('\n') && compact.body.len() < whole.body.len());
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&compact.body).expect("JSON"), document);
    let below = get("?root=/ibmmq/rest/v2&compact=false");
    let below: serde_json::Value = serde_json::from_slice(&below.body).expect("JSON");
    assert_eq!(below["basePath"], "/ibmmq/rest/v2");
    assert!(below["paths"]["/admin/action/qmgr/{qmgr}/mqsc"]["post"].is_object());
    let yaml = get("\naccept: application/yaml");
    assert_eq!(yaml.header("content-type"), Some("application/yaml; charset=utf-8"));
    assert!(yaml.text().starts_with("\"swagger\": \"2.0\"\n"), "{}", yaml.text());
    assert_eq!(get("?root=x").status, 400);
    assert_eq!(get("?compact=perhaps").status, 400);
    assert_eq!(get("?other=1").status, 400);
}
