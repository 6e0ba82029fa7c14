package bench;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Requests and replies in a closed loop, each client on a connection of its own, as the measuring program says on standard
 * input: {@code run KIND TRANSPORT}, {@code count}, {@code stop}; each is answered by one line.
 *
 * <p>The loop knows nothing but Jakarta Messaging; {@link Provider} makes the connections.
 */
public final class Requester {
    private static final int COUNT = Integer.getInteger("bench.clients", 10);
    private static final int REQUEST_BYTES = Integer.getInteger("bench.request.bytes", 50);
    private static final int REPLY_BYTES = Integer.getInteger("bench.reply.bytes", 1024);
    private static final long PATIENCE_MS = 30_000;

    /** What is sent and how a get is made to last. */
    private enum Kind {
        /** Persistent; the put and the get are committed, each by itself. */
        TRANSACTED,
        /** Persistent; the session acknowledges by itself. */
        PERSISTENT,
        /** Nonpersistent; the session acknowledges by itself. */
        NONPERSISTENT
    }

    private static final Clients CLIENTS = new Clients();

    private Requester() {}

    public static void main(String[] arguments) throws Exception {
        Provider provider = Provider.named(System.getProperty("bench.provider"));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.trim().split(" ");
            switch (words[0]) {
                case "run" -> {
                    ConnectionFactory factory = provider.factory(words[2]);
                    Kind kind = Kind.valueOf(words[1]);
                    CLIENTS.start(COUNT, client -> request(provider, factory, kind, words[2], client));
                }
                case "count" -> { }
                case "stop" -> CLIENTS.finish();
                default -> throw new IllegalArgumentException(line);
            }
            System.out.println(words[0] + " " + CLIENTS.done());
        }
    }

    private static void request(Provider provider, ConnectionFactory factory, Kind kind, String transport, int client)
            throws Exception {
        boolean transacted = kind == Kind.TRANSACTED;
        try (Connection connection = factory.createConnection(provider.user(), provider.password())) {
            connection.start();
            Session session = connection.createSession(transacted,
                transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
            Queue replies = session.createQueue(provider.replies(client));
            MessageConsumer consumer = session.createConsumer(replies);
            MessageProducer producer = session.createProducer(session.createQueue(provider.requests(transport)));
            producer.setDeliveryMode(kind == Kind.NONPERSISTENT ? DeliveryMode.NON_PERSISTENT : DeliveryMode.PERSISTENT);
            byte[] body = new byte[REQUEST_BYTES];
            CLIENTS.repeat(() -> {
                BytesMessage request = session.createBytesMessage();
                request.writeBytes(body);
                request.setJMSReplyTo(replies);
                producer.send(request);
                if (transacted) {
                    session.commit();
                }
                Message reply = consumer.receive(PATIENCE_MS);
                if (!(reply instanceof BytesMessage bytes) || bytes.getBodyLength() != REPLY_BYTES) {
                    throw new JMSException("another reply: " + reply);
                }
                if (transacted) {
                    session.commit();
                }
            });
        }
    }
}
