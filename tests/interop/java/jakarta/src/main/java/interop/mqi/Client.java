package interop.mqi;

import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.MQConstants;
import interop.Settings;
import java.io.IOException;
import java.util.Hashtable;

/** What the programs with the classes for Java share: connecting, short puts and gets, expecting a reason. */
final class Client {
    static final int NO_WAIT = CMQC.MQGMO_NO_WAIT | CMQC.MQGMO_NO_SYNCPOINT | CMQC.MQGMO_FAIL_IF_QUIESCING;

    /** A call that is expected to end with a reason. */
    @FunctionalInterface
    interface Call {
        void run() throws MQException, IOException;
    }

    private Client() {}

    /** The properties by which `app` connects. */
    static Hashtable<String, Object> properties() {
        Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(MQConstants.TRANSPORT_PROPERTY, MQConstants.TRANSPORT_MQSERIES_CLIENT);
        properties.put(MQConstants.HOST_NAME_PROPERTY, Settings.HOST);
        properties.put(MQConstants.PORT_PROPERTY, Settings.PORT);
        properties.put(MQConstants.CHANNEL_PROPERTY, Settings.CHANNEL);
        properties.put(MQConstants.USER_ID_PROPERTY, Settings.USER);
        properties.put(MQConstants.PASSWORD_PROPERTY, Settings.PASSWORD);
        properties.put(MQConstants.APPNAME_PROPERTY, "interop program");
        return properties;
    }

    static Hashtable<String, Object> administratorProperties() {
        Hashtable<String, Object> properties = properties();
        properties.put(MQConstants.CHANNEL_PROPERTY, Settings.ADMINISTRATOR_CHANNEL);
        properties.put(MQConstants.USER_ID_PROPERTY, Settings.ADMINISTRATOR);
        properties.put(MQConstants.PASSWORD_PROPERTY, Settings.ADMINISTRATOR_PASSWORD);
        return properties;
    }

    static MQQueueManager connect() throws MQException {
        return new MQQueueManager(Settings.QUEUE_MANAGER, properties());
    }

    static MQQueueManager connectAsAdministrator() throws MQException {
        return new MQQueueManager(Settings.QUEUE_MANAGER, administratorProperties());
    }

    static MQQueue open(MQQueueManager manager, String queue) throws MQException {
        return manager.accessQueue(queue, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT | CMQC.MQOO_INQUIRE
            | CMQC.MQOO_BROWSE | CMQC.MQOO_FAIL_IF_QUIESCING);
    }

    static MQMessage message(String text) throws IOException {
        MQMessage message = new MQMessage();
        message.format = CMQC.MQFMT_STRING;
        message.characterSet = 1208;
        message.writeString(text);
        return message;
    }

    static MQMessage put(MQQueue queue, String text) throws MQException, IOException {
        MQMessage message = message(text);
        queue.put(message, new MQPutMessageOptions());
        return message;
    }

    static MQGetMessageOptions getOptions(int options) {
        MQGetMessageOptions get = new MQGetMessageOptions();
        get.options = options;
        return get;
    }

    static MQGetMessageOptions waiting(int milliseconds) {
        MQGetMessageOptions get = getOptions(CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT | CMQC.MQGMO_FAIL_IF_QUIESCING);
        get.waitInterval = milliseconds;
        return get;
    }

    /** The text of the next message. */
    static String get(MQQueue queue) throws MQException, IOException {
        return get(queue, new MQMessage(), getOptions(NO_WAIT));
    }

    static String get(MQQueue queue, MQMessage message, MQGetMessageOptions options) throws MQException, IOException {
        queue.get(message, options);
        return text(message);
    }

    static String text(MQMessage message) throws IOException {
        return message.readStringOfByteLength(message.getDataLength());
    }

    /** Runs a call that must end with this reason. */
    static MQException expect(int reason, Call call) throws IOException {
        try {
            call.run();
        } catch (MQException refused) {
            if (refused.reasonCode != reason) {
                throw new AssertionError("expected reason " + reason + ", got " + refused.reasonCode, refused);
            }
            return refused;
        }
        throw new AssertionError("expected reason " + reason + ", and the call was carried out");
    }

    /** Waits on another connection's doing: a queue's depth. */
    static void awaitDepth(MQQueue queue, int depth) throws Exception {
        interop.Checks.eventually("the depth is not " + depth, () -> queue.getCurrentDepth() == depth);
    }
}
