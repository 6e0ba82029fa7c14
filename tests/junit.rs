//! The archive of Java: a user's tests compiled with it, run by JUnit's console with the public MQ client.

use std::process::Command;

use anyhow::{Result, ensure};
use system_tests::program;
use system_tests::requester::deploy_for_others;

use crate::client::write;
use crate::interop::java::build::programs;
use crate::interop::{run, text};

const JUNIT: &str = "/usr/share/java/junit-platform-console-standalone.jar";

/// A user's tests: two isolated queues of one name, one of them reached by JMS, a server alone, accidents and time, what was recorded,
/// and one that fails and is expected to.
const TESTS: &str = r#"
import static org.junit.jupiter.api.Assertions.*;

import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.JMSContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
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

    private static void ask(QuaymasterServer server, String correlation) {
        server.put("DEV.QUEUE.1", "price of a bolt?", "ibm-mq-md-correlationId", correlation, "ibm-mq-md-replyTo", "DEV.QUEUE.2@QM1");
    }

    @Test
    @Quaymaster(testControl = true)
    void aProgramIsRecordedAndMocked(QuaymasterServer server) throws Exception {
        Path recording = Paths.get("prices.jsonl");
        List<String> queues = List.of("DEV.QUEUE.*");
        String one = "ID:" + "01".repeat(24);
        String two = "ID:" + "02".repeat(24);
        server.record(recording, queues, () -> {
            ask(server, one);
            assertEquals("price of a bolt?", server.get("DEV.QUEUE.1"));
            server.put("DEV.QUEUE.2", "3 \u20ac", "ibm-mq-md-correlationId", one);
            assertEquals("3 \u20ac", server.get("DEV.QUEUE.2"));
        });
        assertThrows(ArithmeticException.class, () -> server.record(recording, queues, () -> Math.floorDiv(1, 0)));
        assertEquals(4, Files.readAllLines(recording).size());
        server.mock(recording);
        ask(server, two);
        assertEquals("3 \u20ac", server.get("DEV.QUEUE.2", Duration.ofSeconds(30)));
        server.stopMock();
        ask(server, two);
        assertNull(server.get("DEV.QUEUE.2", Duration.ofSeconds(1)));
        assertEquals("price of a bolt?", server.get("DEV.QUEUE.1"));
        assertEquals(1, server.replay(recording, "DEV.QUEUE.2"));
        assertEquals("3 \u20ac", server.get("DEV.QUEUE.2"));
        server.mock(recording, List.of("DEV.QUEUE.3"), List.of("body", "type"));
        Path empty = Files.createFile(Paths.get("empty.jsonl"));
        assertThrows(IllegalArgumentException.class, () -> server.mock(empty));
        assertThrows(RestException.class, () -> server.record(recording, Collections.emptyList(), () -> {}));
    }

    @Test
    void anApiIsRecordedAndMocked() throws Exception {
        Path data = Paths.get(System.getenv("API_DATA"));
        try (QuaymasterServer server = QuaymasterServer.start("QM1", true, "--data", data.toString())) {
            String archive = "zosconnect/apiRequesters/APIRPERF.ara";
            Path deployed = server.caFile().getParent().resolveSibling(archive);
            Files.createDirectories(deployed.getParent());
            Files.copy(data.resolve(archive), deployed);
            for (int look = 0; call(server).contains("BAQR0930W"); look++) {
                assertTrue(look < 3000, "the requester is deployed");
                Thread.sleep(100);
            }
            Path recording = Paths.get("api.jsonl");
            String[] recorded = new String[1];
            server.record(recording, Collections.emptyList(), true, () -> recorded[0] = call(server));
            assertFalse(recorded[0].contains("BAQR"), recorded[0]);
            ProcessHandle.of(Long.parseLong(System.getenv("API_PID"))).get().destroyForcibly();
            assertTrue(call(server).startsWith("BAQR09"));
            server.mock(recording);
            assertEquals(recorded[0], call(server));
            assertEquals(recorded[0], call(server));
            server.stopMock();
            assertTrue(call(server).startsWith("BAQR09"));
        }
    }

    private static String call(QuaymasterServer server) {
        return server.request("POST", System.getenv("API_CALL"), "\0\0\0\1\0\0\0\1", false, "Content-Type", "application/octet-stream");
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
    let (_provider, api) = deploy_for_others(folder.path())?;
    let output = run(Command::new("java")
        .envs(api)
        .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", &format!("{path}:{}", folder.path().display())])
        .args(["org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--disable-ansi-colors"])
        .args(["--select-class", "OrdersTest"])
        .current_dir(folder.path())
        // The program of the archive is unpacked there.
        .env("XDG_CACHE_HOME", folder.path())
        .env_remove("QUAYMASTER_BIN"))?;
    let out = text(&output.stdout);
    ensure!(out.contains("6 tests successful") && out.contains("1 tests failed"), "{out}\n{}", text(&output.stderr));
    let report = out.split("Quaymaster log of this test").nth(1).unwrap_or_default();
    ensure!(out.contains("on purpose") && report.contains("app"), "{out}");
    Ok(())
}
