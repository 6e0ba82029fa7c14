//! What a z/OS Connect server's configuration says of services: where names lead, what overrides archives, paths, time limits.
//!
//! Source: z/OS Connect EE V3.0, configuration elements; IBM MQ 9.0, "mqzOSConnectService element".

use std::collections::BTreeMap;

use document::xml::Element;
use identity::password::PasswordReader;
use service::names::{Queue, QueueTable, TargetClient};
use web::options::{ConnectionFactory, RemoteQueueManager};

use super::Imported;
use super::elements::{Reader, Server};

/// Elements that are read here, each by its function, in this order.
const READERS: [(&str, Reader); 7] = [
    ("zosconnect_zosConnectManager", manager),
    ("jmsConnectionFactory", connection_factory),
    ("jmsQueue", queue),
    ("jmsTopic", topic),
    ("zosconnect_services", services),
    ("zosconnect_zosConnectAPIs", api_archives),
    ("zosconnect_zosConnectDataXform", copybook_archives),
];

/// Elements that the read ones refer to, or that mean nothing without Liberty.
const OTHERS: [&str; 6] =
    [LEGACY, "mqzOSConnectService", "usr_mqzOSConnectService", "wmqJmsClient", "connectionManager", "config"];

const LEGACY: &str = "zosconnect_zosConnectService";
const SECURITY: &str = "web.roles defines who may invoke and administer";

pub(super) fn read(server: &Server, imported: &mut Imported) {
    server.read_by(&READERS, imported);
    for element in server.named(LEGACY) {
        legacy_service(server, element, imported);
    }
}

pub(super) fn reads(name: &str) -> bool {
    OTHERS.contains(&name) || READERS.iter().any(|(read, _)| *read == name)
}

fn api_archives(element: &Element, imported: &mut Imported) {
    leave_out_location(element, "archives of APIs lie in DIR/zosconnect/apis", imported);
}

fn copybook_archives(element: &Element, imported: &mut Imported) {
    leave_out_location(element, "archives of services hold their copybooks", imported);
}

fn leave_out_location(element: &Element, why: &str, imported: &mut Imported) {
    let location = element.attribute("location").map(|location| format!(" {location}")).unwrap_or_default();
    imported.leave_out(format!("{}{location}", element.name), why);
}

fn manager(element: &Element, imported: &mut Imported) {
    for (name, value) in &element.attributes {
        match name.as_str() {
            "id" => {}
            "setUTF8ResponseEncoding" => imported
                .leave_out(format!("zosconnect_zosConnectManager {name}={value}"), "answers are in UTF-8 and say so"),
            "preserveJsonPayloadCharFormat" => imported.leave_out(
                format!("zosconnect_zosConnectManager {name}={value}"),
                "texts of JSON pass as they are, with no entities of HTML",
            ),
            "asyncRequestTimeout" => match seconds(value).filter(|seconds| (1..=86_400).contains(seconds)) {
                Some(seconds) => imported.zosconnect.request_timeout_seconds = seconds,
                None => imported.leave_out("zosconnect_zosConnectManager asyncRequestTimeout", "it is no time limit"),
            },
            // See `requester.rs`.
            "requireAuth" | "requireSecure" => {}
            "globalAdminGroup" | "globalOperationsGroup" | "globalInvokeGroup" | "globalReaderGroup" => {
                imported.leave_out(format!("zosconnect_zosConnectManager {name}={value}"), SECURITY);
            }
            _ => imported.leave_out(format!("zosconnect_zosConnectManager {name}"), "it has no counterpart"),
        }
    }
}

/// A duration of Liberty: `30s`, `500ms`, `1m30s`; a number alone is of seconds.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut milliseconds = 0_u64;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|one: char| one.is_ascii_digit()).len();
        let number: u64 = rest.get(..digits)?.parse().ok()?;
        rest = &rest[digits..];
        let unit = rest.len() - rest.trim_start_matches(|one: char| one.is_ascii_alphabetic()).len();
        let factor = match &rest[..unit] {
            "ms" => 1,
            "" | "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        rest = &rest[unit..];
        milliseconds = milliseconds.checked_add(number.checked_mul(factor)?)?;
    }
    Some(milliseconds.div_ceil(1000))
}

/// The child that says what MQ has to know; its name differs in case from manual to manual.
fn properties(element: &Element) -> Option<&Element> {
    element.children.iter().find(|child| child.name.to_ascii_lowercase().starts_with("properties.wmqjms"))
}

/// The value of an attribute, whatever the case of its name.
fn attribute<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    let known = element.attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

/// The name services use.
fn jndi_name<'e>(element: &'e Element, imported: &mut Imported) -> Option<&'e str> {
    let name = element.attribute("jndiName").or_else(|| element.attribute("id")).filter(|name| !name.is_empty());
    if name.is_none() {
        imported.leave_out(element.name.clone(), "it has no jndiName");
    }
    name
}

fn connection_factory(element: &Element, imported: &mut Imported) {
    let Some(name) = jndi_name(element, imported) else { return };
    let Some(properties) = properties(element) else {
        imported.leave_out(format!("jmsConnectionFactory {name}"), "it is not MQ's: it has no properties.wmqJms");
        return;
    };
    let text = |name: &str| attribute(properties, name).map(str::to_owned);
    let user = text("userName");
    let password = match text("password").map(|stored| (PasswordReader::new(None).decode(&stored), stored)) {
        None => None,
        // Text without a known prefix is the password itself.
        Some((Err(_), stored)) if !stored.starts_with('{') => Some(stored),
        Some((Ok(password), _)) => Some(password),
        Some((Err(_), _)) => {
            imported.leave_out(format!("jmsConnectionFactory {name} password"), "it cannot be decoded");
            None
        }
    };
    let user = user.filter(|_| password.is_some());
    let is_client = text("transportType").is_some_and(|transport| transport.eq_ignore_ascii_case("CLIENT"));
    let mut factory = ConnectionFactory::default();
    if is_client {
        let remote = remote_queue_manager(properties, user.zip(password));
        let Some(remote) = remote else {
            imported.leave_out(format!("jmsConnectionFactory {name}"), "it names no channel to a queue manager");
            return;
        };
        factory.remote = Some(name.to_owned());
        if let Some(suite) = attribute(properties, "sslCipherSuite") {
            let what = format!("jmsConnectionFactory {name} sslCipherSuite {suite}");
            imported.leave_out(what, "remote_queue_managers takes cipher_specification and ca_file");
        }
        imported.remote_queue_managers.insert(name.to_owned(), remote);
    } else {
        factory.queue_manager = text("queueManager");
        (factory.user, factory.password) = user.zip(password).unzip();
    }
    imported.zosconnect.connection_factories.insert(name.to_owned(), factory);
}

fn remote_queue_manager(properties: &Element, user: Option<(String, String)>) -> Option<RemoteQueueManager> {
    let text = |name: &str| attribute(properties, name).map(str::to_owned);
    let connection_name = text("connectionNameList").or_else(|| {
        let host = text("hostName").unwrap_or_else(|| "localhost".to_owned());
        Some(format!("{host}({})", text("port").unwrap_or_else(|| "1414".to_owned())))
    })?;
    let (user, password) = user.unzip();
    Some(RemoteQueueManager {
        queue_manager: Some(text("queueManager").unwrap_or_default()),
        channel: text("channel").unwrap_or_else(|| "SYSTEM.DEF.SVRCONN".to_owned()),
        connection_name,
        cipher_specification: None,
        ca_file: None,
        server_name: None,
        certificate: None,
        key: None,
        user,
        password,
        max_pool_size: 20,
    })
}

fn queue(element: &Element, imported: &mut Imported) {
    let Some(name) = jndi_name(element, imported) else { return };
    let text = |attribute_name: &str| properties(element).and_then(|one| attribute(one, attribute_name));
    let Some(queue) = text("baseQueueName") else {
        imported.leave_out(format!("jmsQueue {name}"), "it has no baseQueueName");
        return;
    };
    let ccsid = text("CCSID").and_then(|ccsid| ccsid.parse::<u32>().ok());
    // JMS adds its header unless told not to.
    let target_client = match text("targetClient") {
        Some(client) if client.eq_ignore_ascii_case("MQ") => TargetClient::Mq,
        _ => TargetClient::Jms,
    };
    let queue_manager = text("baseQueueManagerName").unwrap_or_default();
    let entry = if ccsid.is_none() && target_client == TargetClient::Mq && queue_manager.is_empty() {
        Queue::Name(queue.to_owned())
    } else {
        let (queue, queue_manager) = (queue.to_owned(), queue_manager.to_owned());
        Queue::Table(QueueTable { queue, queue_manager, ccsid, target_client })
    };
    imported.zosconnect.queues.insert(name.to_owned(), entry);
}

fn topic(element: &Element, imported: &mut Imported) {
    let Some(name) = jndi_name(element, imported) else { return };
    match properties(element).and_then(|one| attribute(one, "baseTopicName")) {
        Some(topic) => {
            imported.zosconnect.topics.insert(name.to_owned(), topic.to_owned());
        }
        None => imported.leave_out(format!("jmsTopic {name}"), "it has no baseTopicName"),
    }
}

/// Properties that take the place of those of archives, and how often these are looked at.
fn services(element: &Element, imported: &mut Imported) {
    for (name, value) in &element.attributes {
        match name.as_str() {
            "id" => {}
            "pollingRate" => match seconds(value).filter(|seconds| (1..=86_400).contains(seconds)) {
                Some(seconds) => imported.zosconnect.poll_interval_seconds = seconds,
                None => imported.leave_out("zosconnect_services pollingRate", "it is no interval"),
            },
            "updateTrigger" if value == "polled" => {}
            "updateTrigger" => imported.leave_out(
                format!("zosconnect_services updateTrigger={value}"),
                "archives are looked at every zosconnect.poll_interval_seconds",
            ),
            _ => imported.leave_out(
                format!("zosconnect_services {name}={value}"),
                "archives of services lie in DIR/zosconnect/services",
            ),
        }
    }
    for service in element.children_named("service") {
        let Some(name) = service.attribute("name").filter(|name| !name.is_empty()) else {
            imported.leave_out("zosconnect_services service", "it has no name");
            continue;
        };
        let mut given = BTreeMap::new();
        for property in service.children_named("property") {
            if let Some(key) = property.attribute("name") {
                given.insert(key.to_owned(), property.attribute("value").unwrap_or_default().to_owned());
            }
        }
        for (key, value) in service.attributes.iter().filter(|(key, _)| !matches!(key.as_str(), "id" | "name")) {
            imported.leave_out(format!("zosconnect_services service {name} {key}={value}"), SECURITY);
        }
        if !given.is_empty() {
            imported.zosconnect.services.entry(name.to_owned()).or_default().extend(given);
        }
    }
}

/// A service that the configuration itself defines: its paths count, the rest has to become an archive.
fn legacy_service(server: &Server, element: &Element, imported: &mut Imported) {
    let Some(name) = element.attribute("serviceName").or_else(|| element.attribute("id")) else {
        imported.leave_out("zosconnect_zosConnectService", "it has no serviceName");
        return;
    };
    let uris = element.attribute("invokeURI").unwrap_or_default().split(',').map(str::trim);
    let uris: Vec<String> = uris.filter(|uri| uri.starts_with('/')).map(str::to_owned).collect();
    if !uris.is_empty() {
        imported.zosconnect.invoke_uris.insert(name.to_owned(), uris);
    }
    let reference = element.attribute("serviceRef").unwrap_or_default();
    let is_meant = |other: &&Element| other.attribute("id") == Some(reference);
    let provider =
        server.named("mqzOSConnectService").chain(server.named("usr_mqzOSConnectService")).find(is_meant).map(
            |provider| {
                let said = provider.attributes.iter().filter(|(key, _)| key != "id" && key != "password");
                said.map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join(", ")
            },
        );
    let why = match provider {
        Some(said) => format!("make a service.yaml with name: {name}, {said}, and build its archive"),
        None => format!("there is no mqzOSConnectService {reference}"),
    };
    imported.leave_out(format!("zosconnect_zosConnectService {name}"), why);
}

#[cfg(test)]
mod tests {
    use super::super::{Imported, Source, Surroundings, import};

    struct Nothing;

    impl Surroundings for Nothing {
        fn environment(&self, _: &str) -> Option<String> {
            None
        }
        fn included(&self, _: &str) -> Option<Vec<u8>> {
            None
        }
    }

    fn of(body: &str) -> Imported {
        let text = format!("<server>{body}</server>");
        import(&[Source { name: "server.xml", contents: text.as_bytes() }], &Nothing).expect("importable")
    }

    #[test]
    fn names_of_jndi_and_overrides_become_tables() {
        let imported = of(r#"
            <featureManager><feature>zosconnect:mqService-1.0</feature></featureManager>
            <zosconnect_zosConnectManager requireAuth="true" asyncRequestTimeout="1m30s"/>
            <zosconnect_services updateTrigger="polled" pollingRate="5s">
                <service name="loan"><property name="useCallerPrincipal" value="true"/></service>
            </zosconnect_services>
            <connectionManager id="cm" maxPoolSize="5"/>
            <jmsConnectionFactory id="cf1" jndiName="jms/cf1" connectionManagerRef="cm">
                <properties.wmqJMS transportType="BINDINGS" queueManager="QM1"/>
            </jmsConnectionFactory>
            <jmsConnectionFactory jndiName="jms/cf2">
                <properties.wmqJms transportType="CLIENT" queueManager="QM2" channel="A.SVRCONN" hostName="h" port="1415"
                    userName="u" password="{xor}Lz4sLCgwLTs="/>
            </jmsConnectionFactory>
            <jmsQueue jndiName="jms/request"><properties.wmqJms baseQueueName="REQUEST" CCSID="37" targetClient="MQ"/></jmsQueue>
            <jmsQueue jndiName="jms/reply"><properties.wmqJms baseQueueName="REPLY" targetClient="MQ"/></jmsQueue>
            <jmsQueue jndiName="jms/other"><properties.wmqJms baseQueueName="OTHER"/></jmsQueue>
            <jmsTopic jndiName="jms/topic"><properties.wmqJms baseTopicName="a/b"/></jmsTopic>
            <zosconnect_zosConnectService id="s" serviceName="loan" serviceRef="m" invokeURI="/loan, /loans/*"/>
            <mqzOSConnectService id="m" connectionFactory="jms/cf1" destination="jms/request"/>"#);
        expect_test::expect![[r#"
            [remote_queue_managers."jms/cf2"]
            channel = "A.SVRCONN"
            connection_name = "h(1415)"
            max_pool_size = 20
            password = "password"
            queue_manager = "QM2"
            user = "u"

            [zosconnect]
            poll_interval_seconds = 5
            request_timeout_seconds = 90

            [zosconnect.connection_factories."jms/cf1"]
            queue_manager = "QM1"

            [zosconnect.connection_factories."jms/cf2"]
            remote = "jms/cf2"

            [zosconnect.invoke_uris]
            loan = ["/loan", "/loans/*"]

            [zosconnect.queues]
            "jms/reply" = "REPLY"

            [zosconnect.queues."jms/other"]
            queue = "OTHER"
            queue_manager = ""
            target_client = "JMS"

            [zosconnect.queues."jms/request"]
            ccsid = 37
            queue = "REQUEST"
            queue_manager = ""
            target_client = "MQ"

            [zosconnect.services.loan]
            useCallerPrincipal = "true"

            [zosconnect.topics]
            "jms/topic" = "a/b"

            # left out: zosconnect_zosConnectService loan: make a service.yaml with name: loan, connectionFactory: jms/cf1, destination: jms/request, and build its archive
        "#]]
        .assert_eq(&imported.to_toml());
    }

    #[test]
    fn what_cannot_be_used_is_left_out_and_told() {
        let imported = of("<jmsQueue jndiName='a'/><jmsConnectionFactory jndiName='b'/><jmsTopic/>\
            <zosconnect_zosConnectManager asyncRequestTimeout='soon'/>\
            <zosconnect_zosConnectAPIs location='/x'/><jmsConnectionFactory jndiName='c'>\
            <properties.wmqJms userName='u' password='{aes}broken'/></jmsConnectionFactory>");
        let said: Vec<&str> = imported.left_out.iter().map(|line| line.what.as_str()).collect();
        assert_eq!(
            said,
            [
                "zosconnect_zosConnectManager asyncRequestTimeout",
                "jmsConnectionFactory b",
                "jmsConnectionFactory c password",
                "jmsQueue a",
                "jmsTopic",
                "zosconnect_zosConnectAPIs /x"
            ]
        );
        assert_eq!(imported.zosconnect.connection_factories["c"].user, None);
    }

    #[test]
    fn how_answers_are_spelled_is_told() {
        let imported = of(
            "<zosconnect_zosConnectManager id='m' setUTF8ResponseEncoding='false' preserveJsonPayloadCharFormat='true'/>",
        );
        let said: Vec<String> = imported.left_out.iter().map(|line| format!("{}: {}", line.what, line.why)).collect();
        assert_eq!(
            said,
            [
                "zosconnect_zosConnectManager setUTF8ResponseEncoding=false: answers are in UTF-8 and say so",
                "zosconnect_zosConnectManager preserveJsonPayloadCharFormat=true: texts of JSON pass as they are, with no entities \
                 of HTML",
            ]
        );
    }
}
