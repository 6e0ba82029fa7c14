package interop.jms;

import static interop.Checks.equal;
import static interop.Checks.that;

import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import interop.Checks;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Topics by JMS: publishing, subscribing, durable and shared subscriptions, selectors, listeners. */
public final class TopicPrograms {
    private static final int WAIT_MS = 30_000;

    private TopicPrograms() {}

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        checks.check("each subscriber gets each publication", TopicPrograms::publish);
        checks.check("wildcards select topics", TopicPrograms::wildcards);
        checks.check("a subscriber with a selector gets what it selects", TopicPrograms::selector);
        checks.check("a subscriber that wants nothing of its own connection", TopicPrograms::noLocal);
        checks.check("a durable subscription keeps what came while its consumer was away", TopicPrograms::durable);
        checks.check("a durable subscription ends when it is unsubscribed", TopicPrograms::unsubscribe);
        checks.check("consumers of a shared subscription share its publications", TopicPrograms::shared);
        checks.check("a shared durable subscription outlives its consumers", TopicPrograms::sharedDurable);
        checks.check("a listener on a topic", TopicPrograms::listener);
        checks.check("a temporary topic carries replies", TopicPrograms::temporary);
        checks.check("publications in a transaction come with its commit", TopicPrograms::transacted);
        checks.end();
    }

    private static String text(Message message) throws Exception {
        return message == null ? null : ((TextMessage) message).getText();
    }

    private static JMSContext client(String identifier) throws JMSException {
        JmsConnectionFactory factory = Factory.connectionFactory();
        JMSContext context = factory.createContext(JMSContext.AUTO_ACKNOWLEDGE);
        context.setClientID(identifier);
        return context;
    }

    private static void publish() throws Exception {
        try (JMSContext publisher = Factory.context(); JMSContext one = Factory.context(); JMSContext two = Factory.context()) {
            Topic topic = publisher.createTopic("topic://dev/news");
            JMSConsumer first = one.createConsumer(topic);
            JMSConsumer second = two.createConsumer(topic);
            for (int i = 0; i < 10; i++) {
                publisher.createProducer().setProperty("number", i).send(topic, "news " + i);
            }
            for (int i = 0; i < 10; i++) {
                Message message = first.receive(WAIT_MS);
                equal("news " + i, text(message));
                equal(i, message.getIntProperty("number"));
                equal("topic://dev/news", message.getJMSDestination().toString().replaceAll("\\?.*", ""), "destination");
                equal("news " + i, text(second.receive(WAIT_MS)));
            }
            equal(null, first.receiveNoWait());
        }
    }

    private static void wildcards() throws Exception {
        try (JMSContext publisher = Factory.context(); JMSContext receiver = Factory.context()) {
            JMSConsumer all = receiver.createConsumer(receiver.createTopic("dev/wild/#"));
            JMSConsumer level = receiver.createConsumer(receiver.createTopic("dev/wild/+/end"));
            publisher.createProducer().send(publisher.createTopic("dev/wild/a/end"), "both");
            publisher.createProducer().send(publisher.createTopic("dev/wild/a/b/c"), "all only");
            equal("both", text(all.receive(WAIT_MS)));
            equal("all only", text(all.receive(WAIT_MS)));
            equal("both", text(level.receive(WAIT_MS)));
            equal(null, level.receiveNoWait());
        }
    }

    private static void selector() throws Exception {
        try (JMSContext publisher = Factory.context(); JMSContext receiver = Factory.context()) {
            Topic topic = publisher.createTopic("dev/selected");
            JMSConsumer red = receiver.createConsumer(topic, "colour = 'red'");
            publisher.createProducer().setProperty("colour", "blue").send(topic, "blue one");
            publisher.createProducer().setProperty("colour", "red").send(topic, "red one");
            equal("red one", text(red.receive(WAIT_MS)));
            equal(null, red.receiveNoWait());
        }
    }

    private static void noLocal() throws Exception {
        try (JMSContext own = Factory.context(); JMSContext other = Factory.context()) {
            Topic topic = own.createTopic("dev/nolocal");
            JMSConsumer consumer = own.createConsumer(topic, null, true);
            own.createProducer().send(topic, "own");
            other.createProducer().send(topic, "other");
            equal("other", text(consumer.receive(WAIT_MS)));
            equal(null, consumer.receiveNoWait());
        }
    }

    private static void durable() throws Exception {
        try (JMSContext publisher = Factory.context()) {
            Topic topic = publisher.createTopic("dev/durable");
            try (JMSContext receiver = client("interop")) {
                JMSConsumer consumer = receiver.createDurableConsumer(topic, "keeps");
                publisher.createProducer().send(topic, "there");
                equal("there", text(consumer.receive(WAIT_MS)));
            }
            publisher.createProducer().send(topic, "away 1");
            publisher.createProducer().send(topic, "away 2");
            try (JMSContext receiver = client("interop")) {
                JMSConsumer consumer = receiver.createDurableConsumer(topic, "keeps");
                equal("away 1", text(consumer.receive(WAIT_MS)));
                equal("away 2", text(consumer.receive(WAIT_MS)));
                consumer.close();
                receiver.unsubscribe("keeps");
            }
        }
    }

    private static void unsubscribe() throws Exception {
        try (JMSContext context = client("interop")) {
            Topic topic = context.createTopic("dev/ended");
            context.createDurableConsumer(topic, "ends").close();
            context.createProducer().send(topic, "for nobody");
            context.unsubscribe("ends");
            JMSConsumer consumer = context.createDurableConsumer(topic, "ends");
            equal(null, consumer.receive(300));
            consumer.close();
            context.unsubscribe("ends");
            try {
                context.unsubscribe("ends");
            } catch (jakarta.jms.InvalidDestinationRuntimeException expected) {
                return;
            }
            throw new AssertionError("unsubscribed twice");
        }
    }

    private static void share(JMSContext publisher, Topic topic, JMSConsumer one, JMSConsumer two) throws Exception {
        Set<String> got = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            publisher.createProducer().send(topic, "shared " + i);
            // Whoever of the two has none looks again when the other has taken its turn.
            JMSConsumer mine = i % 2 == 0 ? one : two;
            Message message = mine.receive(WAIT_MS);
            that(got.add(text(message)), "came twice: " + message);
        }
        equal(20, got.size(), "publications");
        equal(null, one.receiveNoWait());
        equal(null, two.receiveNoWait());
    }

    private static void shared() throws Exception {
        try (JMSContext publisher = Factory.context(); JMSContext one = Factory.context(); JMSContext two = Factory.context()) {
            Topic topic = publisher.createTopic("dev/shared");
            JMSConsumer first = one.createSharedConsumer(topic, "together");
            JMSConsumer second = two.createSharedConsumer(topic, "together");
            share(publisher, topic, first, second);
        }
    }

    private static void sharedDurable() throws Exception {
        try (JMSContext publisher = Factory.context(); JMSContext one = Factory.context(); JMSContext two = Factory.context()) {
            Topic topic = publisher.createTopic("dev/shared/durable");
            JMSConsumer first = one.createSharedDurableConsumer(topic, "lasting");
            JMSConsumer second = two.createSharedDurableConsumer(topic, "lasting");
            share(publisher, topic, first, second);
            first.close();
            second.close();
            publisher.createProducer().send(topic, "nobody there");
            JMSConsumer later = one.createSharedDurableConsumer(topic, "lasting");
            equal("nobody there", text(later.receive(WAIT_MS)));
            later.close();
            one.unsubscribe("lasting");
        }
    }

    private static void listener() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (JMSContext publisher = Factory.context(); JMSContext receiver = Factory.context()) {
            Topic topic = publisher.createTopic("dev/heard");
            receiver.createConsumer(topic).setMessageListener(message -> {
                try {
                    heard.add(text(message));
                } catch (Exception problem) {
                    heard.add(problem.toString());
                }
            });
            for (int i = 0; i < 20; i++) {
                publisher.createProducer().send(topic, "heard " + i);
                equal("heard " + i, heard.poll(30, TimeUnit.SECONDS));
            }
        }
    }

    private static void temporary() throws Exception {
        try (JMSContext asking = Factory.context(); JMSContext answering = Factory.context()) {
            TemporaryTopic replies = asking.createTemporaryTopic();
            JMSConsumer consumer = asking.createConsumer(replies);
            TextMessage request = asking.createTextMessage("question");
            request.setJMSReplyTo(replies);
            asking.createProducer().send(asking.createQueue("DEV.QUEUE.1"), request);
            Message asked = answering.createConsumer(answering.createQueue("DEV.QUEUE.1")).receive(WAIT_MS);
            answering.createProducer().send(asked.getJMSReplyTo(), "answer");
            equal("answer", text(consumer.receive(WAIT_MS)));
            consumer.close();
            replies.delete();
        }
    }

    private static void transacted() throws Exception {
        try (JMSContext publisher = Factory.context(JMSContext.SESSION_TRANSACTED); JMSContext receiver = Factory.context()) {
            Topic topic = publisher.createTopic("dev/transacted");
            JMSConsumer consumer = receiver.createConsumer(topic);
            publisher.createProducer().send(topic, "taken back");
            publisher.rollback();
            publisher.createProducer().send(topic, "committed");
            equal(null, consumer.receive(200));
            publisher.commit();
            equal("committed", text(consumer.receive(WAIT_MS)));
        }
    }
}
