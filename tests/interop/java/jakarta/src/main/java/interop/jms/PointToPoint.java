package interop.jms;

import static interop.Checks.equal;
import static interop.Checks.that;

import interop.Checks;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSSecurityRuntimeException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Queues by JMS: messages of all types, headers, selectors, browsers, temporary queues, requests and replies. */
public final class PointToPoint {
    private static final int WAIT_MS = 30_000;

    private final JMSContext context;
    private final Queue queue;

    private PointToPoint(JMSContext context) {
        this.context = context;
        this.queue = context.createQueue("queue:///DEV.QUEUE.1");
    }

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        PointToPoint queues = new PointToPoint(Factory.context());
        checks.check("a text is sent and received", queues::text);
        checks.check("messages of all types come back as they were", queues::types);
        checks.check("the headers of a message arrive", queues::headers);
        checks.check("properties of all types arrive", queues::properties);
        checks.check("receiving waits as long as it is told", queues::waiting);
        checks.check("a consumer with a selector gets what it selects", queues::selectors);
        checks.check("selectors on headers and with functions of SQL", queues::moreSelectors);
        checks.check("a selector that is wrong is refused", queues::wrongSelector);
        checks.check("a correlation identifier finds its message among many", queues::correlation);
        checks.check("a browser shows all messages and takes none", queues::browser);
        checks.check("a request finds its reply on a temporary queue", queues::requestReply);
        checks.check("the older interface does the same", PointToPoint::olderInterface);
        checks.check("messages longer than the client's first buffer", queues::longMessages);
        checks.check("priorities order the messages", queues::priorities);
        checks.check("a message that expired is not received", queues::expiry);
        checks.check("client acknowledgement takes messages back that were not acknowledged", PointToPoint::acknowledge);
        checks.check("messages are sent without waiting, and all their completions come", queues::asynchronousSend);
        checks.check("a wrong password is a security exception", PointToPoint::wrongPassword);
        checks.check("an unknown queue is an invalid destination", queues::unknownQueue);
        queues.context.close();
        checks.end();
    }

    private Message receive() {
        return receive(null);
    }

    private Message receive(String selector) {
        try (JMSConsumer consumer =
                selector == null ? context.createConsumer(queue) : context.createConsumer(queue, selector)) {
            return consumer.receive(WAIT_MS);
        }
    }

    private String receiveText() throws JMSException {
        Message message = receive();
        return message == null ? null : ((TextMessage) message).getText();
    }

    private void text() throws Exception {
        context.createProducer().send(queue, "Grüße, Welt");
        equal("Grüße, Welt", receiveText());
        context.createProducer().send(queue, "");
        Message empty = receive();
        that(empty instanceof TextMessage, "an empty text is a text: " + empty);
    }

    private void types() throws Exception {
        JMSProducer producer = context.createProducer();
        BytesMessage bytes = context.createBytesMessage();
        bytes.writeBytes(new byte[] {0, 1, 2, (byte) 255});
        bytes.writeInt(7);
        producer.send(queue, bytes);
        MapMessage map = context.createMapMessage();
        map.setString("name", "order");
        map.setInt("count", 3);
        map.setDouble("price", 1.25);
        map.setBytes("raw", new byte[] {9, 8});
        producer.send(queue, map);
        StreamMessage stream = context.createStreamMessage();
        stream.writeString("one");
        stream.writeLong(2);
        stream.writeBoolean(true);
        producer.send(queue, stream);
        ObjectMessage object = context.createObjectMessage(new ArrayList<>(List.of("a", "b")));
        producer.send(queue, object);
        producer.send(queue, context.createMessage());

        BytesMessage gotBytes = (BytesMessage) receive();
        equal(8L, gotBytes.getBodyLength(), "length");
        byte[] first = new byte[4];
        gotBytes.readBytes(first);
        equal(new byte[] {0, 1, 2, (byte) 255}, first);
        equal(7, gotBytes.readInt());
        MapMessage gotMap = (MapMessage) receive();
        equal("order", gotMap.getString("name"));
        equal(3, gotMap.getInt("count"));
        equal(1.25, gotMap.getDouble("price"));
        equal(new byte[] {9, 8}, gotMap.getBytes("raw"));
        StreamMessage gotStream = (StreamMessage) receive();
        equal("one", gotStream.readString());
        equal(2L, gotStream.readLong());
        equal(true, gotStream.readBoolean());
        ObjectMessage gotObject = (ObjectMessage) receive();
        equal(List.of("a", "b"), gotObject.getObject());
        Message bare = receive();
        that(!(bare instanceof TextMessage) && !(bare instanceof BytesMessage), "a message without a body: " + bare);
    }

    private void headers() throws Exception {
        TextMessage sent = context.createTextMessage("with headers");
        sent.setJMSType("a type");
        sent.setJMSCorrelationID("correlated");
        Queue replies = context.createQueue("DEV.QUEUE.2");
        sent.setJMSReplyTo(replies);
        context.createProducer().setPriority(6).setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(queue, sent);
        Message got = receive();
        equal("a type", got.getJMSType(), "type");
        equal("correlated", got.getJMSCorrelationID(), "correlation");
        equal(6, got.getJMSPriority(), "priority");
        equal(DeliveryMode.NON_PERSISTENT, got.getJMSDeliveryMode(), "delivery mode");
        equal(sent.getJMSMessageID(), got.getJMSMessageID(), "identifier");
        that(got.getJMSMessageID().startsWith("ID:"), "identifier");
        equal("DEV.QUEUE.2", ((Queue) got.getJMSReplyTo()).getQueueName().replace("queue:///", "")
            .replace("queue://QM1/", "").replaceAll("\\?.*", ""), "reply to");
        that(Math.abs(System.currentTimeMillis() - got.getJMSTimestamp()) < 60_000, "time");
        equal(0L, got.getJMSExpiration(), "expiration");
        that(!got.getJMSRedelivered(), "not delivered before");
        equal(1, got.getIntProperty("JMSXDeliveryCount"), "delivery count");
        equal("app", got.getStringProperty("JMSXUserID").trim(), "user");
        equal("interop program", got.getStringProperty("JMSXAppID").trim(), "program");
    }

    private void properties() throws Exception {
        TextMessage sent = context.createTextMessage("with properties");
        sent.setStringProperty("colour", "red & <green>");
        sent.setIntProperty("n", -5);
        sent.setLongProperty("l", 1L << 40);
        sent.setBooleanProperty("b", true);
        sent.setDoubleProperty("d", 0.5);
        sent.setFloatProperty("f", 2.5f);
        sent.setShortProperty("s", (short) 3);
        sent.setByteProperty("y", (byte) 4);
        context.createProducer().send(queue, sent);
        Message got = receive();
        equal("red & <green>", got.getStringProperty("colour"));
        equal(-5, got.getIntProperty("n"));
        equal(1L << 40, got.getLongProperty("l"));
        equal(true, got.getBooleanProperty("b"));
        equal(0.5, got.getDoubleProperty("d"));
        equal(2.5f, got.getFloatProperty("f"));
        equal((short) 3, got.getShortProperty("s"));
        equal((byte) 4, got.getByteProperty("y"));
        List<?> names = Collections.list(got.getPropertyNames());
        that(names.containsAll(List.of("colour", "n", "b")), "names: " + names);
    }

    private void waiting() {
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            equal(null, consumer.receiveNoWait());
            long start = System.nanoTime();
            equal(null, consumer.receive(400));
            long waited = (System.nanoTime() - start) / 1_000_000;
            that(waited >= 390 && waited < 10_000, "a wait of 400 ms took " + waited);
        }
    }

    private void send(String text, String colour, int number) throws JMSException {
        TextMessage message = context.createTextMessage(text);
        message.setStringProperty("colour", colour);
        message.setIntProperty("number", number);
        context.createProducer().send(queue, message);
    }

    private void selectors() throws Exception {
        send("one", "red", 1);
        send("two", "blue", 2);
        send("three", "red", 3);
        equal("three", ((TextMessage) receive("colour = 'red' AND number > 1")).getText());
        equal("two", ((TextMessage) receive("colour = 'blue'")).getText());
        try (JMSConsumer none = context.createConsumer(queue, "colour = 'green'")) {
            equal(null, none.receiveNoWait());
        }
        equal("one", receiveText());
    }

    private void moreSelectors() throws Exception {
        send("one", "red", 1);
        send("two", "blue_", 2);
        send("three", "green", 30);
        equal("two", ((TextMessage) receive("colour LIKE 'bl%!_' ESCAPE '!'")).getText());
        equal("three", ((TextMessage) receive("number BETWEEN 10 AND 40 OR missing = 1")).getText());
        send("four", "red", 4);
        equal("one", ((TextMessage) receive("colour IN ('red', 'white') AND missing IS NULL AND NOT number = 4")).getText());
        equal("four", ((TextMessage) receive("JMSPriority = 4 AND JMSDeliveryMode = 'PERSISTENT' AND number * 2 = 8")).getText());
        TextMessage typed = context.createTextMessage("five");
        typed.setJMSType("a type");
        typed.setJMSCorrelationID("correlated");
        context.createProducer().send(queue, typed);
        equal("five", ((TextMessage) receive("JMSType = 'a type' AND JMSCorrelationID = 'correlated'")).getText());
        equal(null, context.createConsumer(queue).receiveNoWait());
    }

    private void wrongSelector() {
        try (JMSConsumer wrong = context.createConsumer(queue, "colour = = 'red'")) {
            throw new AssertionError("taken: " + wrong);
        } catch (jakarta.jms.InvalidSelectorRuntimeException expected) {
            return;
        }
    }

    private void correlation() throws Exception {
        String wanted = null;
        for (int i = 0; i < 20; i++) {
            TextMessage message = context.createTextMessage("message " + i);
            context.createProducer().send(queue, message);
            wanted = i == 13 ? message.getJMSMessageID() : wanted;
        }
        equal("message 13", ((TextMessage) receive("JMSMessageID = '" + wanted + "'")).getText());
        TextMessage reply = context.createTextMessage("the reply");
        reply.setJMSCorrelationID(wanted);
        context.createProducer().send(queue, reply);
        equal("the reply", ((TextMessage) receive("JMSCorrelationID = '" + wanted + "'")).getText());
        for (int i = 0; i < 20; i++) {
            if (i != 13) {
                equal("message " + i, receiveText());
            }
        }
    }

    private void browser() throws Exception {
        for (int i = 0; i < 5; i++) {
            send("message " + i, i % 2 == 0 ? "even" : "odd", i);
        }
        try (QueueBrowser all = context.createBrowser(queue); QueueBrowser odd = context.createBrowser(queue, "colour = 'odd'")) {
            equal(5, Collections.list(all.getEnumeration()).size(), "messages");
            equal(2, Collections.list(odd.getEnumeration()).size(), "odd messages");
        }
        for (int i = 0; i < 5; i++) {
            equal("message " + i, receiveText());
        }
    }

    private void requestReply() throws Exception {
        TemporaryQueue replies = context.createTemporaryQueue();
        TextMessage request = context.createTextMessage("how much?");
        request.setJMSReplyTo(replies);
        context.createProducer().send(queue, request);
        try (JMSContext server = Factory.context(); JMSConsumer requests = server.createConsumer(queue)) {
            Message asked = requests.receive(WAIT_MS);
            TextMessage reply = server.createTextMessage("that much");
            reply.setJMSCorrelationID(asked.getJMSMessageID());
            server.createProducer().send(asked.getJMSReplyTo(), reply);
        }
        String selector = "JMSCorrelationID = '" + request.getJMSMessageID() + "'";
        try (JMSConsumer consumer = context.createConsumer(replies, selector)) {
            equal("that much", ((TextMessage) consumer.receive(WAIT_MS)).getText());
        }
        replies.delete();
    }

    private static void olderInterface() throws Exception {
        Connection connection = Factory.connection();
        Session session = Factory.session(connection);
        Queue queue = session.createQueue("DEV.QUEUE.1");
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryMode(DeliveryMode.PERSISTENT);
        for (int i = 0; i < 10; i++) {
            producer.send(session.createTextMessage("message " + i));
        }
        var consumer = session.createConsumer(queue);
        for (int i = 0; i < 10; i++) {
            equal("message " + i, ((TextMessage) consumer.receive(WAIT_MS)).getText());
        }
        connection.close();
    }

    private void longMessages() throws Exception {
        for (int size : new int[] {4_000, 4_096, 5_000, 100_000, 3_000_000}) {
            String text = "x".repeat(size);
            context.createProducer().send(queue, text);
            equal(text, receiveText(), "text of " + size);
        }
    }

    private void priorities() throws Exception {
        for (int priority : new int[] {2, 9, 5}) {
            context.createProducer().setPriority(priority).send(queue, "priority " + priority);
        }
        for (int priority : new int[] {9, 5, 2}) {
            equal("priority " + priority, receiveText());
        }
    }

    private void expiry() throws Exception {
        context.createProducer().setTimeToLive(200).send(queue, "short-lived");
        context.createProducer().setTimeToLive(60_000).send(queue, "long-lived");
        Thread.sleep(400);
        Message got = receive();
        equal("long-lived", ((TextMessage) got).getText());
        long left = got.getJMSExpiration() - System.currentTimeMillis();
        that(left > 30_000 && left <= 60_000, "time left: " + left);
    }

    private static void acknowledge() throws Exception {
        try (JMSContext context = Factory.context(JMSContext.CLIENT_ACKNOWLEDGE)) {
            Queue queue = context.createQueue("DEV.QUEUE.1");
            context.createProducer().send(queue, "one");
            context.createProducer().send(queue, "two");
            JMSConsumer consumer = context.createConsumer(queue);
            equal("one", ((TextMessage) consumer.receive(WAIT_MS)).getText());
            equal("two", ((TextMessage) consumer.receive(WAIT_MS)).getText());
            context.recover();
            Message again = consumer.receive(WAIT_MS);
            equal("one", ((TextMessage) again).getText());
            that(again.getJMSRedelivered(), "delivered before");
            equal(2, again.getIntProperty("JMSXDeliveryCount"), "delivery count");
            equal("two", ((TextMessage) consumer.receive(WAIT_MS)).getText());
            context.acknowledge();
            equal(null, consumer.receiveNoWait());
        }
    }

    private void asynchronousSend() throws Exception {
        int count = 100;
        java.util.concurrent.CountDownLatch completed = new java.util.concurrent.CountDownLatch(count);
        List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
        jakarta.jms.CompletionListener listener = new jakarta.jms.CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                completed.countDown();
            }

            @Override
            public void onException(Message message, Exception problem) {
                failures.add(problem);
                completed.countDown();
            }
        };
        try (JMSContext sender = Factory.context()) {
            JMSProducer producer = sender.createProducer().setAsync(listener);
            for (int i = 0; i < count; i++) {
                producer.send(queue, "asynchronous " + i);
            }
            that(completed.await(20, java.util.concurrent.TimeUnit.SECONDS), "completions missing: " + completed);
        }
        equal(List.of(), failures, "failures");
        for (int i = 0; i < count; i++) {
            equal("asynchronous " + i, receiveText());
        }
    }

    private static void wrongPassword() throws Exception {
        try (JMSContext wrong = Factory.connectionFactory().createContext("app", "wrong")) {
            throw new AssertionError("let in: " + wrong);
        } catch (JMSSecurityRuntimeException expected) {
            equal("JMSWMQ2013", expected.getErrorCode(), "code");
        }
    }

    private void unknownQueue() {
        try {
            context.createProducer().send(context.createQueue("DEV.NOT.THERE"), "lost");
        } catch (jakarta.jms.InvalidDestinationRuntimeException expected) {
            return;
        }
        throw new AssertionError("sent to a queue that is not there");
    }
}
