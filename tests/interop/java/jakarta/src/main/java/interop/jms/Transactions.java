package interop.jms;

import static interop.Checks.equal;
import static interop.Checks.that;

import interop.Checks;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.TextMessage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Transacted sessions: commit, rollback, delivery counts, requests and replies. */
public final class Transactions {
    private static final int WAIT_MS = 30_000;
    private static final int REQUESTS = 100;

    private Transactions() {}

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        checks.check("what was sent arrives with the commit", Transactions::commit);
        checks.check("a rollback takes back sends and returns what was received", Transactions::rollback);
        checks.check("each delivery is counted", Transactions::deliveryCount);
        checks.check("six hundred sends in one transaction have six hundred identifiers", Transactions::manySends);
        checks.check("a send that the queue refuses makes the transaction fail", Transactions::refusedSend);
        checks.check("closing without a commit takes everything back", Transactions::close);
        checks.check("requests and replies, each side in transactions", Transactions::requestReply);
        checks.end();
    }

    private static String text(Message message) throws Exception {
        return message == null ? null : ((TextMessage) message).getText();
    }

    private static void commit() throws Exception {
        try (JMSContext sender = Factory.context(JMSContext.SESSION_TRANSACTED); JMSContext receiver = Factory.context()) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            JMSConsumer consumer = receiver.createConsumer(queue);
            sender.createProducer().send(queue, "one");
            sender.createProducer().send(queue, "two");
            equal(null, consumer.receive(200));
            sender.commit();
            equal("one", text(consumer.receive(WAIT_MS)));
            equal("two", text(consumer.receive(WAIT_MS)));
        }
    }

    private static void rollback() throws Exception {
        try (JMSContext context = Factory.context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("DEV.QUEUE.1");
            context.createProducer().send(queue, "stays");
            context.commit();
            JMSConsumer consumer = context.createConsumer(queue);
            equal("stays", text(consumer.receive(WAIT_MS)));
            context.createProducer().send(queue, "vanishes");
            context.rollback();
            Message again = consumer.receive(WAIT_MS);
            equal("stays", text(again));
            that(again.getJMSRedelivered(), "delivered before");
            context.commit();
            equal(null, consumer.receiveNoWait());
        }
    }

    private static void deliveryCount() throws Exception {
        try (JMSContext context = Factory.context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("DEV.QUEUE.1");
            context.createProducer().send(queue, "again and again");
            context.commit();
            JMSConsumer consumer = context.createConsumer(queue);
            for (int delivery = 1; delivery <= 4; delivery++) {
                Message message = consumer.receive(WAIT_MS);
                equal(delivery, message.getIntProperty("JMSXDeliveryCount"), "delivery count");
                equal(delivery > 1, message.getJMSRedelivered(), "delivered before");
                context.rollback();
            }
            consumer.receive(WAIT_MS);
            context.commit();
        }
    }

    private static void manySends() throws Exception {
        try (JMSContext context = Factory.context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("DEV.QUEUE.1");
            java.util.Set<String> sent = new java.util.HashSet<>();
            for (int i = 0; i < 600; i++) {
                TextMessage message = context.createTextMessage("message " + i);
                context.createProducer().send(queue, message);
                sent.add(message.getJMSMessageID());
            }
            context.commit();
            equal(600, sent.size(), "identifiers");
            JMSConsumer consumer = context.createConsumer(queue);
            for (int i = 0; i < 600; i++) {
                Message message = consumer.receive(WAIT_MS);
                equal("message " + i, text(message));
                that(sent.remove(message.getJMSMessageID()), "an identifier that was not given to the sender");
            }
            context.commit();
        }
    }

    private static void refusedSend() throws Exception {
        try (JMSContext context = Factory.context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("DEV.SMALL");
            try {
                for (int i = 0; i < 5; i++) {
                    context.createProducer().send(queue, "x");
                }
                context.commit();
            } catch (jakarta.jms.JMSRuntimeException expected) {
                context.rollback();
                equal(null, context.createConsumer(queue).receiveNoWait());
                return;
            }
            throw new AssertionError("five messages on a queue for three");
        }
    }

    private static void close() throws Exception {
        Queue queue;
        try (JMSContext context = Factory.context(JMSContext.SESSION_TRANSACTED)) {
            queue = context.createQueue("DEV.QUEUE.1");
            context.createProducer().send(queue, "never committed");
        }
        try (JMSContext context = Factory.context()) {
            equal(null, context.createConsumer(queue).receiveNoWait());
        }
    }

    private static void requestReply() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<?> server = thread.submit(() -> {
            try (JMSContext context = Factory.context(JMSContext.SESSION_TRANSACTED)) {
                JMSConsumer consumer = context.createConsumer(context.createQueue("DEV.QUEUE.1"));
                for (int served = 0; served < REQUESTS; served++) {
                    Message request = consumer.receive(WAIT_MS);
                    // Every tenth is served at the second try only.
                    if (served % 10 == 3 && !request.getJMSRedelivered()) {
                        context.rollback();
                        request = consumer.receive(WAIT_MS);
                    }
                    TextMessage reply = context.createTextMessage("reply to " + text(request));
                    reply.setJMSCorrelationID(request.getJMSMessageID());
                    context.createProducer().send(request.getJMSReplyTo(), reply);
                    context.commit();
                }
            }
            return null;
        });
        try (JMSContext context = Factory.context(JMSContext.SESSION_TRANSACTED)) {
            Queue requests = context.createQueue("DEV.QUEUE.1");
            Queue replies = context.createQueue("DEV.QUEUE.2");
            for (int i = 0; i < REQUESTS; i++) {
                TextMessage request = context.createTextMessage("request " + i);
                request.setJMSReplyTo(replies);
                context.createProducer().send(requests, request);
                context.commit();
                String selector = "JMSCorrelationID = '" + request.getJMSMessageID() + "'";
                try (JMSConsumer consumer = context.createConsumer(replies, selector)) {
                    equal("reply to request " + i, text(consumer.receive(WAIT_MS)));
                }
                context.commit();
            }
        }
        server.get();
        thread.shutdown();
    }
}
