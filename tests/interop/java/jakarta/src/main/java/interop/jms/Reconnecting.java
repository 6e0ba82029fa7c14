package interop.jms;

import static interop.Checks.equal;

import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import interop.Checks;
import interop.Settings;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** A sender and a listener that the client reconnects by itself while the server is killed and started again. */
public final class Reconnecting {
    private static final int MESSAGES = 40;

    private Reconnecting() {}

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        checks.check("a program goes on after the server was killed and started again", Reconnecting::survive);
        checks.end();
    }

    private static void survive() throws Exception {
        JmsConnectionFactory factory = Factory.connectionFactory();
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_OPTIONS, WMQConstants.WMQ_CLIENT_RECONNECT_Q_MGR);
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_TIMEOUT, 300);
        factory.setStringProperty(WMQConstants.WMQ_CONNECTION_NAME_LIST, Settings.HOST + "(" + Settings.PORT + ")");
        Set<String> heard = ConcurrentHashMap.newKeySet();
        Connection connection = factory.createConnection();
        connection.setExceptionListener(event -> System.out.println("        " + event.getErrorCode()));
        Session listening = Factory.session(connection);
        Session sending = connection.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = sending.createQueue("DEV.QUEUE.1");
        listening.createConsumer(queue).setMessageListener(message -> {
            try {
                heard.add(((TextMessage) message).getText());
            } catch (JMSException problem) {
                System.out.println("        " + problem);
            }
        });
        connection.start();
        MessageProducer producer = sending.createProducer(queue);
        for (int i = 0; i < MESSAGES; i++) {
            if (i == 5) {
                Checks.eventually("the first messages did not come", () -> heard.size() == 5);
                // The last acknowledgement is on its way.
                Thread.sleep(500);
                System.out.println("restart the server");
                System.out.flush();
                // As long as a check may take.
                while (!Files.exists(Path.of("restarted"))) {
                    Thread.sleep(20);
                }
            }
            sendUntilCommitted(sending, producer, "message " + i);
        }
        // One more was put by another program while the client was away.
        Checks.eventually(() -> "only these came: " + new TreeSet<>(heard), () -> heard.size() == MESSAGES + 1);
        equal(true, heard.contains("meanwhile"), "the message that waited");
        connection.close();
    }

    /** A transaction that the loss of the connection backed out is the program's to repeat. */
    private static void sendUntilCommitted(Session session, MessageProducer producer, String text) throws JMSException {
        for (int tries = 0; ; tries++) {
            try {
                producer.send(session.createTextMessage(text));
                session.commit();
                return;
            } catch (JMSException problem) {
                System.out.println("        repeated: " + problem.getErrorCode());
                if (tries == 20) {
                    throw problem;
                }
            }
        }
    }
}
