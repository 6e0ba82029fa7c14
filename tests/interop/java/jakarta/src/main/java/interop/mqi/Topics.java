package interop.mqi;

import static interop.Checks.equal;
import static interop.Checks.that;
import static interop.mqi.Client.expect;
import static interop.mqi.Client.message;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.MQTopic;
import com.ibm.mq.constants.CMQC;
import interop.Checks;

/** Publishing and subscribing with the classes for Java. */
public final class Topics {
    private final MQQueueManager manager;

    private Topics(MQQueueManager manager) {
        this.manager = manager;
    }

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        Topics topics = new Topics(Client.connect());
        checks.check("a managed subscription gets what is published below its topic", topics::managed);
        checks.check("a subscription can name the queue for its publications", topics::toQueue);
        checks.check("a durable subscription keeps what came while nobody had it open", topics::durable);
        checks.check("a retained publication waits for subscribers", topics::retained);
        topics.manager.disconnect();
        checks.end();
    }

    private void publish(String topic, String text) throws Exception {
        publish(topic, text, 0);
    }

    private void publish(String topic, String text, int options) throws Exception {
        MQTopic publisher =
            manager.accessTopic(topic, "", CMQC.MQTOPIC_OPEN_AS_PUBLICATION, CMQC.MQOO_OUTPUT);
        com.ibm.mq.MQPutMessageOptions put = new com.ibm.mq.MQPutMessageOptions();
        put.options |= options;
        publisher.put(message(text), put);
        publisher.close();
    }

    private static String next(MQTopic subscription) throws Exception {
        MQMessage got = new MQMessage();
        MQGetMessageOptions options = Client.waiting(30_000);
        subscription.get(got, options);
        return Client.text(got);
    }

    private void managed() throws Exception {
        MQTopic subscription = manager.accessTopic("dev/managed/#", "", CMQC.MQTOPIC_OPEN_AS_SUBSCRIPTION,
            CMQC.MQSO_CREATE | CMQC.MQSO_NON_DURABLE | CMQC.MQSO_MANAGED);
        publish("dev/managed/one", "first");
        publish("dev/elsewhere", "not for this one");
        publish("dev/managed/two/three", "second");
        equal("first", next(subscription));
        equal("second", next(subscription));
        expect(CMQC.MQRC_NO_MSG_AVAILABLE,
            () -> subscription.get(new MQMessage(), Client.getOptions(Client.NO_WAIT)));
        subscription.close();
    }

    private void toQueue() throws Exception {
        MQQueue destination = Client.open(manager, "DEV.QUEUE.3");
        MQTopic subscription = manager.accessTopic(destination, "dev/to/queue", "",
            CMQC.MQSO_CREATE | CMQC.MQSO_NON_DURABLE);
        publish("dev/to/queue", "on the queue");
        equal("on the queue", Client.get(destination, new MQMessage(), Client.waiting(30_000)));
        // The client closes the queue with the subscription.
        subscription.close();
    }

    private void durable() throws Exception {
        int create = CMQC.MQSO_CREATE | CMQC.MQSO_DURABLE | CMQC.MQSO_MANAGED;
        MQTopic first = manager.accessTopic("dev/durable", "", create, null, "interop durable");
        first.close();
        publish("dev/durable", "while away");
        MQTopic again = manager.accessTopic("dev/durable", "", CMQC.MQSO_RESUME | CMQC.MQSO_DURABLE
            | CMQC.MQSO_MANAGED, null, "interop durable");
        equal("while away", next(again));
        that(again.isDurable(), "durable");
        again.getSubscriptionReference().setCloseOptions(CMQC.MQCO_REMOVE_SUB);
        again.close();
        expect(CMQC.MQRC_NO_SUBSCRIPTION, () -> manager.accessTopic("dev/durable", "",
            CMQC.MQSO_RESUME | CMQC.MQSO_DURABLE | CMQC.MQSO_MANAGED, null, "interop durable"));
    }

    private void retained() throws Exception {
        publish("dev/retained", "the latest", CMQC.MQPMO_RETAIN);
        MQTopic subscription = manager.accessTopic("dev/retained", "", CMQC.MQTOPIC_OPEN_AS_SUBSCRIPTION,
            CMQC.MQSO_CREATE | CMQC.MQSO_NON_DURABLE | CMQC.MQSO_MANAGED);
        equal("the latest", next(subscription));
        subscription.close();
        MQTopic onRequest = manager.accessTopic("dev/retained", "", CMQC.MQTOPIC_OPEN_AS_SUBSCRIPTION,
            CMQC.MQSO_CREATE | CMQC.MQSO_NON_DURABLE | CMQC.MQSO_MANAGED | CMQC.MQSO_PUBLICATIONS_ON_REQUEST);
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> onRequest.get(new MQMessage(), Client.getOptions(Client.NO_WAIT)));
        equal(1, onRequest.getSubscriptionReference().requestPublicationUpdate(CMQC.MQSR_ACTION_PUBLICATION), "publications");
        equal("the latest", next(onRequest));
        onRequest.close();
    }
}
