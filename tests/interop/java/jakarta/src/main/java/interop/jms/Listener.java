package interop.jms;

import static interop.Checks.equal;
import static interop.Checks.that;

import interop.Checks;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Message listeners: delivery, order, stopping and starting, transactions, competing listeners, throughput. */
public final class Listener {
    private static final int MANY = 2_000;

    private Listener() {}

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        checks.check("a listener is given what was there and what comes", Listener::delivers);
        checks.check("a listener that is stopped is given nothing until it is started again", Listener::stopAndStart);
        checks.check("a listener with a selector", Listener::selector);
        checks.check("a listener that throws is given the message again", Listener::redelivery);
        checks.check("a listener in a transaction rolls back and commits", Listener::transacted);
        checks.check("messages of 3 MB for a listener", Listener::longMessages);
        checks.check("competing listeners share the messages, each once", Listener::competing);
        checks.check("listeners on several queues of one connection", Listener::severalQueues);
        checks.check(MANY + " nonpersistent messages for a listener",
            () -> throughput(DeliveryMode.NON_PERSISTENT, JMSContext.AUTO_ACKNOWLEDGE));
        checks.check(MANY + " persistent messages for a listener",
            () -> throughput(DeliveryMode.PERSISTENT, JMSContext.AUTO_ACKNOWLEDGE));
        checks.check(MANY + " nonpersistent messages for a listener that acknowledges lazily",
            () -> throughput(DeliveryMode.NON_PERSISTENT, JMSContext.DUPS_OK_ACKNOWLEDGE));
        checks.end();
    }

    private static String textOf(Message message) {
        try {
            return ((TextMessage) message).getText();
        } catch (JMSException problem) {
            throw new IllegalStateException(problem);
        }
    }

    private static String next(BlockingQueue<String> heard) throws InterruptedException {
        return heard.poll(30, TimeUnit.SECONDS);
    }

    private static void delivers() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (JMSContext sender = Factory.context(); JMSContext receiver = Factory.context()) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            for (int i = 0; i < 5; i++) {
                sender.createProducer().send(queue, "before " + i);
            }
            receiver.createConsumer(queue).setMessageListener(message -> heard.add(textOf(message)));
            for (int i = 0; i < 5; i++) {
                equal("before " + i, next(heard));
            }
            for (int i = 0; i < 20; i++) {
                sender.createProducer().send(queue, "after " + i);
                equal("after " + i, next(heard));
            }
        }
    }

    private static void stopAndStart() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (JMSContext sender = Factory.context(); JMSContext receiver = Factory.context()) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            receiver.createConsumer(queue).setMessageListener(message -> heard.add(textOf(message)));
            sender.createProducer().send(queue, "one");
            equal("one", next(heard));
            for (int i = 0; i < 3; i++) {
                receiver.stop();
                sender.createProducer().send(queue, "stopped " + i);
                equal(null, heard.poll(300, TimeUnit.MILLISECONDS));
                receiver.start();
                equal("stopped " + i, next(heard));
            }
        }
    }

    private static void selector() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (JMSContext sender = Factory.context(); JMSContext receiver = Factory.context()) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            receiver.createConsumer(queue, "number > 5").setMessageListener(message -> heard.add(textOf(message)));
            for (int i = 0; i < 10; i++) {
                sender.createProducer().setProperty("number", i).send(queue, "message " + i);
            }
            for (int i = 6; i < 10; i++) {
                equal("message " + i, next(heard));
            }
        }
        try (JMSContext rest = Factory.context()) {
            JMSConsumer consumer = rest.createConsumer(rest.createQueue("DEV.QUEUE.1"));
            for (int i = 0; i < 6; i++) {
                equal("message " + i, textOf(consumer.receive(30_000)));
            }
        }
    }

    private static void redelivery() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        AtomicInteger calls = new AtomicInteger();
        try (JMSContext sender = Factory.context(); JMSContext receiver = Factory.context()) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            receiver.createConsumer(queue).setMessageListener(message -> {
                if (calls.incrementAndGet() < 3) {
                    throw new IllegalStateException("not yet");
                }
                heard.add(textOf(message));
            });
            sender.createProducer().send(queue, "at the third time");
            equal("at the third time", next(heard));
        }
    }

    private static void transacted() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (JMSContext sender = Factory.context(); JMSContext receiver = Factory.context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            receiver.createConsumer(queue).setMessageListener(message -> {
                try {
                    int delivery = message.getIntProperty("JMSXDeliveryCount");
                    heard.add(textOf(message) + " " + delivery);
                    if (delivery < 3) {
                        receiver.rollback();
                    } else {
                        receiver.commit();
                    }
                } catch (JMSException problem) {
                    heard.add(problem.toString());
                }
            });
            sender.createProducer().send(queue, "a");
            sender.createProducer().send(queue, "b");
            for (String expected : List.of("a 1", "a 2", "a 3", "b 1", "b 2", "b 3")) {
                equal(expected, next(heard));
            }
        }
    }

    private static void longMessages() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        String text = "0123456789".repeat(300_000);
        try (JMSContext sender = Factory.context(); JMSContext receiver = Factory.context()) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            receiver.createConsumer(queue).setMessageListener(message -> heard.add(textOf(message)));
            for (int i = 0; i < 3; i++) {
                sender.createProducer().send(queue, text);
                that(text.equals(next(heard)), "not the text that was sent");
            }
        }
    }

    private static void competing() throws Exception {
        int messages = 300;
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch all = new CountDownLatch(messages);
        List<JMSContext> receivers = new ArrayList<>();
        try (JMSContext sender = Factory.context()) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            for (int i = 0; i < 4; i++) {
                JMSContext receiver = Factory.context();
                receivers.add(receiver);
                receiver.createConsumer(queue).setMessageListener(message -> {
                    heard.add(textOf(message));
                    all.countDown();
                });
            }
            for (int i = 0; i < messages; i++) {
                sender.createProducer().send(queue, "message " + i);
            }
            that(all.await(30, TimeUnit.SECONDS), "missing: " + all.getCount());
        }
        receivers.forEach(JMSContext::close);
        Set<String> different = new HashSet<>(heard);
        equal(messages, different.size(), "different messages");
        equal(messages, heard.size(), "messages");
    }

    private static void severalQueues() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        List<JMSContext> sessions = new ArrayList<>();
        try (JMSContext context = Factory.context(); JMSContext sender = Factory.context()) {
            for (int i = 1; i <= 3; i++) {
                JMSContext session = context.createContext(JMSContext.AUTO_ACKNOWLEDGE);
                // Each of them keeps the connection.
                sessions.add(session);
                String name = "DEV.QUEUE." + i;
                session.createConsumer(session.createQueue(name)).setMessageListener(
                    message -> heard.add(name + " " + textOf(message)));
            }
            for (int round = 0; round < 10; round++) {
                for (int i = 1; i <= 3; i++) {
                    sender.createProducer().send(sender.createQueue("DEV.QUEUE." + i), "round " + round);
                    equal("DEV.QUEUE." + i + " round " + round, next(heard));
                }
            }
        }
        sessions.forEach(JMSContext::close);
    }

    private static void throughput(int deliveryMode, int acknowledge) throws Exception {
        CountDownLatch all = new CountDownLatch(MANY);
        AtomicInteger expected = new AtomicInteger();
        AtomicInteger outOfOrder = new AtomicInteger();
        try (JMSContext sender = Factory.context(); JMSContext receiver = Factory.context(acknowledge)) {
            Queue queue = sender.createQueue("DEV.QUEUE.1");
            receiver.createConsumer(queue).setMessageListener(message -> {
                if (!textOf(message).equals("message " + expected.getAndIncrement())) {
                    outOfOrder.incrementAndGet();
                }
                all.countDown();
            });
            JMSProducer producer = sender.createProducer().setDeliveryMode(deliveryMode);
            long start = System.nanoTime();
            for (int i = 0; i < MANY; i++) {
                producer.send(queue, "message " + i);
            }
            that(all.await(60, TimeUnit.SECONDS), "missing: " + all.getCount());
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf("        %.0f messages a second%n", MANY / seconds);
        }
        equal(0, outOfOrder.get(), "messages out of order");
    }
}
