//! The archive of Java: a user's tests compiled with it, run by JUnit's console with the public MQ client.

use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::program;

use crate::client::write;
use crate::interop::java::build::programs;
use crate::interop::{run, text};

const JUNIT: &str = "/usr/share/java/junit-platform-console-standalone.jar";

/// A user's tests: two isolated queues of one name, one of them reached by JMS, a server alone, accidents and time, and one that
/// fails and is expected to.
const TESTS: &str = r#"
import static org.junit.jupiter.api.Assertions.*;

import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.JMSContext;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import quaymaster.*;

@Quaymaster
class OrdersTest {
    @Test
    void queuesOfATestAreItsOwn(QuaymasterServer server, @TestQueue(value = "ORDERS", attributes = "MAXDEPTH(1)") String orders) {
        assertNull(server.get(orders));
        server.put(orders, "gr\u00fcn", "ibm-mq-md-persistence", "persistent");
        assertEquals("gr\u00fcn", server.browse(orders));
        RestException full = assertThrows(RestException.class, () -> server.put(orders, "two"));
        assertTrue(full.getMessage().contains("2053"), full.getMessage());
    }

    @Test
    void aProgramOfJmsFindsTheServer(QuaymasterServer server, @TestQueue("ORDERS") String orders) throws Exception {
        assertNull(server.get(orders, Duration.ofMillis(100)));
        JmsConnectionFactory factory = JmsFactoryFactory.getInstance(WMQConstants.JAKARTA_WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_CONNECTION_NAME_LIST, server.connectionName());
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, server.channel());
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, server.queueManager());
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, true);
        try (JMSContext context = factory.createContext(server.user(), server.password())) {
            context.createProducer().send(context.createQueue("queue:///" + orders + "?targetClient=1"), "from JMS");
        }
        assertEquals("from JMS", server.get(orders));
    }

    @Test
    @Quaymaster(alone = true)
    void aServerAloneHasNoQueueOfOthers(QuaymasterServer server) throws Exception {
        MqscException none = assertThrows(MqscException.class, () -> server.mqsc("DISPLAY QLOCAL(DEV.T*)"));
        assertTrue(none.getMessage().contains("AMQ8147E"), none.getMessage());
        assertTrue(new String(Files.readAllBytes(server.caFile())).contains("CERTIFICATE"));
        assertEquals(server.connectionName(), server.springProperties().get("ibm.mq.connName"));
    }

    @Test
    @Quaymaster(testControl = true)
    void accidentsAndTimeAreInTheHandsOfATest(QuaymasterServer server) {
        String rule = server.fault("queue", "DEV.QUEUE.*", "verb", "put", "reason", 2053, "times", 1);
        assertThrows(RestException.class, () -> server.put("DEV.QUEUE.1", "one"));
        assertTrue(server.request("GET", "/api/v1/test/faults", null, true).contains(rule));
        server.clearFaults();
        server.put("DEV.QUEUE.1", "two", "ibm-mq-md-expiry", "60000");
        server.advance(Duration.ofSeconds(61));
        assertNull(server.get("DEV.QUEUE.1"));
        server.put("DEV.QUEUE.1", "of the fixture");
        String snapshot = server.snapshot();
        assertEquals("of the fixture", server.get("DEV.QUEUE.1"));
        server.restore(snapshot);
        assertEquals("of the fixture", server.get("DEV.QUEUE.1"));
        Instant moment = Instant.parse("2030-01-31T12:00:00Z");
        assertEquals(moment, server.setClock(moment, false));
    }

    @Test
    void oneThatFails(QuaymasterServer server) {
        assertThrows(RestException.class, () -> server.request("GET", "/ibmmq/rest/v3/admin/qmgr", null, false,
            "Authorization", "Basic YXBwOndyb25n"));
        fail("on purpose");
    }
}
"#;

#[test]
fn tests_with_the_extension_are_isolated_reached_by_jms_and_show_the_log() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("OrdersTest.java");
    write(&source, TESTS)?;
    let archive = program::package(".jar")?;
    let clients = programs()?.join("jakarta/lib");
    let path = format!("{}:{}/*:{JUNIT}", archive.display(), clients.display());
    let compiled = run(Command::new("javac").args(["-cp", &path, "-d"]).arg(folder.path()).arg(&source))?;
    ensure!(compiled.status.success(), "{}", text(&compiled.stderr));
    let output = run(Command::new("java")
        .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", &format!("{path}:{}", folder.path().display())])
        .args(["org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--disable-ansi-colors"])
        .args(["--select-class", "OrdersTest"])
        .current_dir(folder.path())
        // The program of the archive is unpacked there.
        .env("XDG_CACHE_HOME", folder.path())
        .env_remove("QUAYMASTER_BIN"))?;
    let out = text(&output.stdout);
    ensure!(out.contains("4 tests successful") && out.contains("1 tests failed"), "{out}\n{}", text(&output.stderr));
    let report = out.split("Quaymaster log of this test").nth(1).unwrap_or_default();
    ensure!(out.contains("on purpose") && report.contains("app"), "{out}");
    Ok(())
}
