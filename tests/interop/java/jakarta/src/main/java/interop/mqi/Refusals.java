package interop.mqi;

import static interop.Checks.equal;
import static interop.Checks.that;
import static interop.mqi.Client.expect;
import static interop.mqi.Client.get;
import static interop.mqi.Client.message;
import static interop.mqi.Client.put;

import com.ibm.mq.MQException;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.MQConstants;
import interop.Checks;
import interop.Settings;
import java.util.Hashtable;

/** What a program must be refused, each with the reason that programs look for. */
public final class Refusals {
    private Refusals() {}

    public static void main(String[] arguments) throws Exception {
        // Every refused connect is told on standard error otherwise.
        MQException.logExclude(CMQC.MQRC_NOT_AUTHORIZED);
        Checks checks = new Checks();
        checks.check("a wrong password ends with 2035", () -> refused(2035, MQConstants.PASSWORD_PROPERTY, "wrong"));
        checks.check("an unknown user ends with 2035", () -> refused(2035, MQConstants.USER_ID_PROPERTY, "nobody"));
        checks.check("no password at all ends with 2035", Refusals::withoutPassword);
        checks.check("a password in the older place counts too", Refusals::passwordInUserIdentification);
        checks.check("an unknown channel ends with 2540",
            () -> refused(2540, MQConstants.CHANNEL_PROPERTY, "NOT.THERE.SVRCONN"));
        checks.check("a channel of another type ends with 2539",
            () -> refused(2539, MQConstants.CHANNEL_PROPERTY, "DEV.RECEIVER"));
        checks.check("a channel that lets nobody in ends with 2035",
            () -> refused(2035, MQConstants.CHANNEL_PROPERTY, "DEV.CLOSED.SVRCONN"));
        checks.check("an unknown queue manager ends with 2058",
            () -> expect(2058, () -> new MQQueueManager("NOTHERE", Client.properties())));
        checks.check("no name, and a name behind an asterisk, are any queue manager", Refusals::anyQueueManager);
        MQQueueManager manager = Client.connect();
        checks.check("an unknown queue ends with 2085",
            () -> expect(2085, () -> manager.accessQueue("DEV.NOT.THERE", CMQC.MQOO_OUTPUT)));
        checks.check("a queue of others ends with 2035",
            () -> expect(2035, () -> manager.accessQueue("SYSTEM.ADMIN.COMMAND.QUEUE", CMQC.MQOO_OUTPUT)));
        checks.check("setting the whole context without authority ends with 2035", () -> expect(2035,
            () -> manager.accessQueue("DEV.QUEUE.1", CMQC.MQOO_OUTPUT | CMQC.MQOO_SET_ALL_CONTEXT)));
        checks.check("a full queue ends with 2053", () -> full(manager));
        checks.check("a message too long for its queue ends with 2030", () -> tooLong(manager));
        checks.check("what a handle was not opened for ends with its reason", () -> notOpenFor(manager));
        checks.check("exclusive use of a queue in use ends with 2042", () -> inUse(manager));
        checks.check("the connection is as good as before after all of that", () -> {
            MQQueue queue = Client.open(manager, "DEV.QUEUE.1");
            put(queue, "still here");
            equal("still here", get(queue));
            queue.close();
        });
        manager.disconnect();
        checks.end();
    }

    private static void refused(int reason, String property, Object value) throws Exception {
        Hashtable<String, Object> properties = Client.properties();
        properties.put(property, value);
        expect(reason, () -> new MQQueueManager(Settings.QUEUE_MANAGER, properties));
    }

    private static void withoutPassword() throws Exception {
        Hashtable<String, Object> properties = Client.administratorProperties();
        properties.remove(MQConstants.PASSWORD_PROPERTY);
        expect(2035, () -> new MQQueueManager(Settings.QUEUE_MANAGER, properties));
    }

    private static void passwordInUserIdentification() throws Exception {
        Hashtable<String, Object> properties = Client.properties();
        properties.put(MQConstants.USE_MQCSP_AUTHENTICATION_PROPERTY, false);
        // That place has twelve characters.
        properties.put(MQConstants.PASSWORD_PROPERTY, "wrong");
        expect(2035, () -> new MQQueueManager(Settings.QUEUE_MANAGER, properties));
        if (Settings.PASSWORD.length() <= 12) {
            properties.put(MQConstants.PASSWORD_PROPERTY, Settings.PASSWORD);
            new MQQueueManager(Settings.QUEUE_MANAGER, properties).disconnect();
        }
    }

    private static void anyQueueManager() throws Exception {
        for (String name : new String[] {"", "*QM1", "*"}) {
            MQQueueManager manager = new MQQueueManager(name, Client.properties());
            equal(Settings.QUEUE_MANAGER, manager.getAttributeString(CMQC.MQCA_Q_MGR_NAME, 48).trim(), "for " + name);
            manager.disconnect();
        }
    }

    private static void full(MQQueueManager manager) throws Exception {
        MQQueue queue = Client.open(manager, "DEV.SMALL");
        for (int i = 0; i < 3; i++) {
            put(queue, "message " + i);
        }
        expect(CMQC.MQRC_Q_FULL, () -> put(queue, "one too many"));
        expect(CMQC.MQRC_Q_FULL, () -> manager.put("DEV.SMALL", message("put1"), new MQPutMessageOptions()));
        for (int i = 0; i < 3; i++) {
            equal("message " + i, get(queue));
        }
        put(queue, "room again");
        equal("room again", get(queue));
        queue.close();
    }

    private static void tooLong(MQQueueManager manager) throws Exception {
        MQQueue queue = Client.open(manager, "DEV.SMALL");
        put(queue, "x".repeat(100));
        expect(CMQC.MQRC_MSG_TOO_BIG_FOR_Q, () -> put(queue, "x".repeat(101)));
        equal(100, get(queue).length(), "length");
        queue.close();
    }

    private static void notOpenFor(MQQueueManager manager) throws Exception {
        MQQueue output = manager.accessQueue("DEV.QUEUE.1", CMQC.MQOO_OUTPUT);
        expect(CMQC.MQRC_NOT_OPEN_FOR_INPUT, () -> get(output));
        expect(CMQC.MQRC_NOT_OPEN_FOR_INQUIRE, output::getCurrentDepth);
        MQQueue input = manager.accessQueue("DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED);
        expect(CMQC.MQRC_NOT_OPEN_FOR_OUTPUT, () -> put(input, "refused"));
        expect(CMQC.MQRC_NOT_OPEN_FOR_BROWSE,
            () -> get(input, new MQMessage(), Client.getOptions(CMQC.MQGMO_BROWSE_FIRST)));
        output.close();
        input.close();
    }

    private static void inUse(MQQueueManager manager) throws Exception {
        MQQueueManager other = Client.connect();
        MQQueue exclusive = other.accessQueue("DEV.QUEUE.2", CMQC.MQOO_INPUT_EXCLUSIVE);
        expect(CMQC.MQRC_OBJECT_IN_USE, () -> manager.accessQueue("DEV.QUEUE.2", CMQC.MQOO_INPUT_SHARED));
        exclusive.close();
        MQQueue now = manager.accessQueue("DEV.QUEUE.2", CMQC.MQOO_INPUT_EXCLUSIVE);
        that(now.isOpen(), "opened when it is free");
        now.close();
        other.disconnect();
    }
}
