package interop.jms;

import static interop.Checks.equal;
import static interop.Checks.that;

import interop.Checks;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;

/** Messages that are sent now and delivered later: setDeliveryDelay of a producer. */
public final class DelayedDelivery {
    private static final int DELAY_MS = 2_000;
    private static final int WAIT_MS = 30_000;

    private final JMSContext context;
    private final Queue queue;

    private DelayedDelivery(JMSContext context) {
        this.context = context;
        this.queue = context.createQueue("queue:///DEV.QUEUE.1");
    }

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        DelayedDelivery delayed = new DelayedDelivery(Factory.context());
        checks.check("a message is received when its delay is over, and not before", delayed::queue);
        checks.check("a publication reaches its subscriber when its delay is over", delayed::topic);
        checks.check("messages come in the order of their delivery times", delayed::order);
        checks.check("a message of a transaction is delivered after its commit alone", DelayedDelivery::transacted);
        delayed.context.close();
        checks.end();
    }

    private void queue() throws Exception {
        TextMessage sent = context.createTextMessage("later");
        sent.setStringProperty("colour", "red");
        sent.setJMSCorrelationID("correlated");
        long start = System.currentTimeMillis();
        context.createProducer().setDeliveryDelay(DELAY_MS).setPriority(7).send(queue, sent);
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            equal(null, consumer.receive(DELAY_MS / 2), "before its time");
            Message got = consumer.receive(WAIT_MS);
            inTime(start, got);
            equal("later", ((TextMessage) got).getText());
            equal("red", got.getStringProperty("colour"), "property");
            equal("correlated", got.getJMSCorrelationID(), "correlation");
            equal(7, got.getJMSPriority(), "priority");
            equal(sent.getJMSMessageID(), got.getJMSMessageID(), "identifier");
            equal("app", got.getStringProperty("JMSXUserID").trim(), "user");
            equal(1, got.getIntProperty("JMSXDeliveryCount"), "delivery count");
            equal(sent.getJMSDeliveryTime(), got.getJMSDeliveryTime(), "delivery time");
            equal(null, consumer.receiveNoWait(), "a second one");
        }
    }

    private void topic() throws Exception {
        Topic topic = context.createTopic("topic://dev/delayed");
        try (JMSConsumer consumer = context.createConsumer(topic)) {
            long start = System.currentTimeMillis();
            context.createProducer().setDeliveryDelay(DELAY_MS).send(topic, "later");
            equal(null, consumer.receive(DELAY_MS / 2), "before its time");
            Message got = consumer.receive(WAIT_MS);
            inTime(start, got);
            equal("later", ((TextMessage) got).getText());
        }
    }

    private void order() throws Exception {
        context.createProducer().setDeliveryDelay(6_000).send(queue, "third");
        context.createProducer().setDeliveryDelay(2_000).send(queue, "first");
        context.createProducer().setDeliveryDelay(4_000).send(queue, "second");
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            for (String wanted : new String[] {"first", "second", "third"}) {
                Message got = consumer.receive(WAIT_MS);
                that(got != null, wanted + " did not come");
                equal(wanted, ((TextMessage) got).getText());
            }
        }
    }

    private static void transacted() throws Exception {
        try (JMSContext sender = Factory.context(JMSContext.SESSION_TRANSACTED); JMSContext receiver = Factory.context()) {
            Queue queue = sender.createQueue("queue:///DEV.QUEUE.1");
            JMSConsumer consumer = receiver.createConsumer(queue);
            sender.createProducer().setDeliveryDelay(300).send(queue, "rolled back");
            sender.rollback();
            sender.createProducer().setDeliveryDelay(300).send(queue, "committed");
            sender.commit();
            equal("committed", ((TextMessage) consumer.receive(WAIT_MS)).getText());
            equal(null, consumer.receive(500), "what was rolled back");
        }
    }

    private static void inTime(long start, Message got) throws JMSException {
        long took = System.currentTimeMillis() - start;
        that(got != null, "it did not come");
        that(took >= DELAY_MS && took < DELAY_MS + 5_000, "a delay of " + DELAY_MS + " ms took " + took);
    }
}
