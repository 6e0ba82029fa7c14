package interop.mqi;

import static interop.Checks.equal;
import static interop.Checks.that;
import static interop.mqi.Client.expect;
import static interop.mqi.Client.get;
import static interop.mqi.Client.getOptions;
import static interop.mqi.Client.message;

import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import interop.Checks;

/** Contexts of traces in messages: those that a program sets stay as they are, and others are there only if the server gives them. */
public final class Traced {
    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final int IN_HANDLE = Client.NO_WAIT | CMQC.MQGMO_PROPERTIES_IN_HANDLE;

    private final MQQueue queue;

    private Traced(MQQueue queue) {
        this.queue = queue;
    }

    /** With the argument "given", the server gives contexts to messages without one. */
    public static void main(String[] arguments) throws Exception {
        boolean given = arguments.length > 0 && arguments[0].equals("given");
        Checks checks = new Checks();
        MQQueueManager manager = Client.connect();
        Traced traced = new Traced(Client.open(manager, "DEV.QUEUE.1"));
        checks.check("the context of a message comes back as it was", traced::kept);
        checks.check("a message without a context", given ? traced::given : traced::untouched);
        manager.disconnect();
        checks.end();
    }

    private void kept() throws Exception {
        MQMessage sent = message("order");
        sent.setStringProperty("traceparent", PARENT);
        sent.setStringProperty("tracestate", "vendor=1");
        queue.put(sent);
        MQMessage got = new MQMessage();
        equal("order", get(queue, got, getOptions(IN_HANDLE)));
        equal(PARENT, got.getStringProperty("traceparent"));
        equal("vendor=1", got.getStringProperty("tracestate"));
    }

    private void untouched() throws Exception {
        queue.put(message("plain"));
        MQMessage got = new MQMessage();
        equal("plain", get(queue, got, getOptions(Client.NO_WAIT)));
        equal(CMQC.MQFMT_STRING.trim(), got.format.trim(), "format");
        queue.put(message("plain"));
        MQMessage bare = new MQMessage();
        get(queue, bare, getOptions(IN_HANDLE));
        expect(CMQC.MQRC_PROPERTY_NOT_AVAILABLE, () -> bare.getStringProperty("traceparent"));
    }

    private void given() throws Exception {
        MQMessage sent = message("plain");
        queue.put(sent);
        equal(CMQC.MQFMT_STRING.trim(), sent.format.trim(), "the format that the put answers with");
        queue.put(sent);
        MQMessage got = new MQMessage();
        equal("plain", get(queue, got, getOptions(IN_HANDLE)));
        that(got.getStringProperty("traceparent").startsWith("00-"), "a context");
        System.out.println("given " + got.getStringProperty("traceparent"));
        MQMessage bare = new MQMessage();
        equal("plain", get(queue, bare, getOptions(Client.NO_WAIT | CMQC.MQGMO_NO_PROPERTIES)));
        equal(CMQC.MQFMT_STRING.trim(), bare.format.trim(), "format");
    }
}
