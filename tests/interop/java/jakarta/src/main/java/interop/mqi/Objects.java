package interop.mqi;

import static interop.Checks.equal;
import static interop.Checks.that;
import static interop.mqi.Client.expect;
import static interop.mqi.Client.get;
import static interop.mqi.Client.getOptions;
import static interop.mqi.Client.message;
import static interop.mqi.Client.put;

import com.ibm.mq.MQAsyncStatus;
import com.ibm.mq.MQDistributionList;
import com.ibm.mq.MQDistributionListItem;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPropertyDescriptor;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import interop.Checks;
import interop.Settings;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Set;

/** Inquiring and setting attributes, dynamic queues, message properties, asynchronous puts and their status. */
public final class Objects {
    private final MQQueueManager manager;

    private Objects(MQQueueManager manager) {
        this.manager = manager;
    }

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        Objects objects = new Objects(Client.connect());
        checks.check("the queue manager's attributes are inquired", objects::queueManager);
        checks.check("a queue's attributes are inquired", objects::inquire);
        checks.check("several attributes are inquired at once, in the order asked for", objects::inquireSeveral);
        checks.check("an attribute that a program sets counts at once", objects::set);
        checks.check("a model queue makes a temporary queue that ends with its handle", objects::temporary);
        checks.check("a permanent dynamic queue stays until it is deleted", objects::permanent);
        checks.check("an alias and its target are one queue", objects::alias);
        checks.check("a distribution list puts to each of its queues", objects::distributionList);
        checks.check("message properties come back with their types", objects::properties);
        checks.check("asynchronous puts are counted", objects::asynchronous);
        checks.check("an asynchronous put that failed is told by the status", objects::asynchronousFailure);
        objects.manager.disconnect();
        checks.end();
    }

    private void queueManager() throws Exception {
        equal(Settings.QUEUE_MANAGER, manager.getName().trim(), "name");
        that(manager.getCommandLevel() >= 900, "command level " + manager.getCommandLevel());
        int[] platform = new int[1];
        manager.inquire(new int[] {CMQC.MQIA_PLATFORM}, platform, new byte[0]);
        equal(CMQC.MQPL_UNIX, platform[0], "platform");
        equal("DEV.DEAD.LETTER.QUEUE", manager.getAttributeString(CMQC.MQCA_DEAD_LETTER_Q_NAME, 48).trim());
        equal(9, manager.getMaximumPriority(), "maximum priority");
        equal(CMQC.MQSP_AVAILABLE, manager.getSyncpointAvailability(), "syncpoint");
        that(manager.getMaximumMessageLength() >= 4_194_304, "maximum message length");
        that(manager.getCharacterSet() > 0, "character set");
        equal("SYSTEM.ADMIN.COMMAND.QUEUE", manager.getCommandInputQueueName().trim(), "command queue");
        that(!manager.getAttributeString(CMQC.MQCA_Q_MGR_IDENTIFIER, 48).isBlank(), "identifier");
    }

    private void inquire() throws Exception {
        MQQueue queue = Client.open(manager, "DEV.QUEUE.1");
        put(queue, "one");
        put(queue, "two");
        equal(2, queue.getCurrentDepth(), "depth");
        equal(1, queue.getOpenInputCount(), "opened for input");
        equal(1, queue.getOpenOutputCount(), "opened for output");
        equal(CMQC.MQQT_LOCAL, queue.getQueueType(), "type");
        equal(5000, queue.getMaximumDepth(), "maximum depth");
        equal(4_194_304, queue.getMaximumMessageLength(), "maximum message length");
        equal(CMQC.MQQA_GET_ALLOWED, queue.getInhibitGet(), "get allowed");
        equal(CMQC.MQQA_PUT_ALLOWED, queue.getInhibitPut(), "put allowed");
        equal(CMQC.MQQA_SHAREABLE, queue.getShareability(), "shareable");
        equal(CMQC.MQTC_OFF, queue.getTriggerControl(), "trigger");
        equal("", queue.getDescription().trim(), "description");
        long age = System.currentTimeMillis() - queue.getCreationDateTime().getTimeInMillis();
        that(age > -60_000 && age < 3_600_000, "made " + age + " ms ago");
        equal("DEV.QUEUE.1", queue.getResolvedQName().trim(), "resolved name");
        get(queue);
        get(queue);
        queue.close();
    }

    private void inquireSeveral() throws Exception {
        MQQueue queue = Client.open(manager, "DEV.SMALL");
        int[] selectors = {CMQC.MQCA_Q_DESC, CMQC.MQIA_MAX_Q_DEPTH, CMQC.MQCA_Q_NAME, CMQC.MQIA_MAX_MSG_LENGTH};
        int[] numbers = new int[2];
        byte[] characters = new byte[CMQC.MQ_Q_DESC_LENGTH + CMQC.MQ_Q_NAME_LENGTH];
        queue.inquire(selectors, numbers, characters);
        equal(3, numbers[0], "maximum depth");
        equal(100, numbers[1], "maximum length");
        equal("A small queue", new String(characters, 0, 64, "US-ASCII").trim(), "description");
        equal("DEV.SMALL", new String(characters, 64, 48, "US-ASCII").trim(), "name");
        expect(CMQC.MQRC_SELECTOR_ERROR, () -> queue.inquire(new int[] {1999}, new int[1], new byte[0]));
        expect(CMQC.MQRC_SELECTOR_NOT_FOR_TYPE,
            () -> queue.inquire(new int[] {CMQC.MQIA_COMMAND_LEVEL}, new int[1], new byte[0]));
        queue.close();
    }

    private void set() throws Exception {
        MQQueue queue = Client.open(manager, "DEV.SETTABLE");
        MQQueue setter = manager.accessQueue("DEV.SETTABLE", CMQC.MQOO_SET | CMQC.MQOO_INQUIRE);
        setter.setInhibitPut(CMQC.MQQA_PUT_INHIBITED);
        equal(CMQC.MQQA_PUT_INHIBITED, setter.getInhibitPut(), "put");
        expect(CMQC.MQRC_PUT_INHIBITED, () -> put(queue, "refused"));
        setter.setInhibitPut(CMQC.MQQA_PUT_ALLOWED);
        put(queue, "taken");
        setter.setInhibitGet(CMQC.MQQA_GET_INHIBITED);
        expect(CMQC.MQRC_GET_INHIBITED, () -> get(queue));
        setter.set(new int[] {CMQC.MQIA_INHIBIT_GET, CMQC.MQCA_TRIGGER_DATA}, new int[] {CMQC.MQQA_GET_ALLOWED},
            String.format("%-64s", "from a program").getBytes("US-ASCII"));
        equal("from a program", setter.getAttributeString(CMQC.MQCA_TRIGGER_DATA, 64).trim(), "trigger data");
        equal("taken", get(queue));
        expect(CMQC.MQRC_NOT_OPEN_FOR_SET, () -> queue.setInhibitPut(CMQC.MQQA_PUT_INHIBITED));
        setter.close();
        queue.close();
    }

    private void temporary() throws Exception {
        int options = CMQC.MQOO_INPUT_AS_Q_DEF | CMQC.MQOO_OUTPUT | CMQC.MQOO_INQUIRE;
        Set<String> names = new HashSet<>();
        MQQueue one = manager.accessQueue("DEV.APP.MODEL.QUEUE", options, null, "DEV.TEMP.*", null);
        MQQueue two = manager.accessQueue("DEV.APP.MODEL.QUEUE", options, null, "DEV.TEMP.*", null);
        names.add(one.getName().trim());
        names.add(two.getName().trim());
        equal(2, names.size(), "different names");
        that(one.getName().startsWith("DEV.TEMP."), "name " + one.getName());
        equal(CMQC.MQQDT_TEMPORARY_DYNAMIC, one.getDefinitionType(), "definition type");
        manager.put(one.getName().trim(), message("by its name"), new MQPutMessageOptions());
        equal("by its name", get(one));
        String name = one.getName().trim();
        put(one, "left behind");
        one.close();
        expect(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> manager.accessQueue(name, CMQC.MQOO_OUTPUT));
        two.close();
    }

    private void permanent() throws Exception {
        int options = CMQC.MQOO_INPUT_AS_Q_DEF | CMQC.MQOO_OUTPUT;
        MQQueue made = manager.accessQueue("DEV.PERMANENT.MODEL", options, null, "DEV.PERM.*", null);
        String name = made.getName().trim();
        put(made, "stays");
        made.close();
        MQQueue again = manager.accessQueue(name, CMQC.MQOO_INPUT_AS_Q_DEF | CMQC.MQOO_OUTPUT);
        again.closeOptions = CMQC.MQCO_DELETE;
        expect(CMQC.MQRC_Q_NOT_EMPTY, again::close);
        again.closeOptions = CMQC.MQCO_DELETE_PURGE;
        again.close();
        expect(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> manager.accessQueue(name, CMQC.MQOO_OUTPUT));
    }

    private void distributionList() throws Exception {
        MQDistributionListItem[] items = new MQDistributionListItem[3];
        String[] names = {"DEV.SETTABLE", "DEV.SMALL", "NO.SUCH.QUEUE"};
        for (int at = 0; at < items.length; at++) {
            items[at] = new MQDistributionListItem();
            items[at].queueName = names[at];
        }
        MQDistributionList list = new MQDistributionList(manager, items, CMQC.MQOO_OUTPUT, null);
        equal(2, list.getValidDestinationCount(), "valid destinations");
        equal(1, list.getInvalidDestinationCount(), "invalid destinations");
        equal(CMQC.MQRC_UNKNOWN_OBJECT_NAME, items[2].reasonCode, "reason of the third");
        expect(CMQC.MQRC_MULTIPLE_REASONS, () -> list.put(message("to a list"), new MQPutMessageOptions()));
        list.close();
        for (String name : new String[] {"DEV.SETTABLE", "DEV.SMALL"}) {
            MQQueue queue = Client.open(manager, name);
            equal("to a list", get(queue), name);
            queue.close();
        }
    }

    private void alias() throws Exception {
        MQQueue alias = manager.accessQueue("DEV.ALIAS", CMQC.MQOO_OUTPUT | CMQC.MQOO_INPUT_SHARED);
        MQQueue target = Client.open(manager, "DEV.QUEUE.1");
        put(alias, "by the alias");
        equal("by the alias", get(target));
        equal("DEV.QUEUE.1", alias.getResolvedQName().trim(), "resolved name");
        alias.close();
        target.close();
    }

    private void properties() throws Exception {
        MQQueue queue = Client.open(manager, "DEV.QUEUE.1");
        MQMessage sent = message("with properties");
        sent.setStringProperty("colour", "red");
        sent.setIntProperty("count", 42);
        sent.setLongProperty("long", 1L << 40);
        sent.setBooleanProperty("flag", true);
        sent.setDoubleProperty("ratio", 0.25);
        sent.setFloatProperty("part", 1.5f);
        sent.setShortProperty("short", (short) 7);
        sent.setByteProperty("byte", (byte) -3);
        sent.setBytesProperty("bytes", new byte[] {1, 2, (byte) 255});
        sent.setStringProperty("app.folder.name", "nested");
        queue.put(sent);
        MQMessage got = new MQMessage();
        equal("with properties", get(queue, got, getOptions(Client.NO_WAIT | CMQC.MQGMO_PROPERTIES_IN_HANDLE)));
        equal("red", got.getStringProperty("colour"));
        equal(42, got.getIntProperty("count"));
        equal(1L << 40, got.getLongProperty("long"));
        equal(true, got.getBooleanProperty("flag"));
        equal(0.25, got.getDoubleProperty("ratio"));
        equal(1.5f, got.getFloatProperty("part"));
        equal((short) 7, got.getShortProperty("short"));
        equal((byte) -3, got.getByteProperty("byte"));
        equal(new byte[] {1, 2, (byte) 255}, got.getBytesProperty("bytes"));
        equal("nested", got.getStringProperty("app.folder.name"));
        Set<String> names = new HashSet<>();
        Enumeration<String> found = got.getPropertyNames("%");
        while (found.hasMoreElements()) {
            names.add(found.nextElement());
        }
        that(names.containsAll(Set.of("colour", "count", "flag")), "names: " + names);
        MQPropertyDescriptor descriptor = new MQPropertyDescriptor();
        equal("red", got.getStringProperty("colour", descriptor), "with its descriptor");
        queue.put(sent);
        MQMessage bare = new MQMessage();
        equal("with properties", get(queue, bare, getOptions(Client.NO_WAIT | CMQC.MQGMO_NO_PROPERTIES)));
        expect(CMQC.MQRC_PROPERTY_NOT_AVAILABLE, () -> bare.getStringProperty("colour"));
        queue.close();
    }

    private void asynchronous() throws Exception {
        MQQueue queue = Client.open(manager, "DEV.QUEUE.1");
        MQPutMessageOptions options = new MQPutMessageOptions();
        options.options = CMQC.MQPMO_ASYNC_RESPONSE | CMQC.MQPMO_NO_SYNCPOINT | CMQC.MQPMO_NEW_MSG_ID;
        for (int i = 0; i < 200; i++) {
            queue.put(message("asynchronous " + i), options);
        }
        MQAsyncStatus status = manager.getAsyncStatus();
        equal(200, status.putSuccessCount, "successes");
        equal(0, status.putFailureCount, "failures");
        equal(CMQC.MQCC_OK, status.completionCode, "completion");
        equal(0, manager.getAsyncStatus().putSuccessCount, "successes since the last status");
        for (int i = 0; i < 200; i++) {
            equal("asynchronous " + i, get(queue));
        }
        queue.close();
    }

    private void asynchronousFailure() throws Exception {
        MQQueue queue = Client.open(manager, "DEV.SMALL");
        MQPutMessageOptions options = new MQPutMessageOptions();
        options.options = CMQC.MQPMO_ASYNC_RESPONSE | CMQC.MQPMO_NO_SYNCPOINT;
        for (int i = 0; i < 5; i++) {
            queue.put(message("asynchronous " + i), options);
        }
        MQAsyncStatus status = manager.getAsyncStatus();
        equal(3, status.putSuccessCount, "successes");
        equal(2, status.putFailureCount, "failures");
        equal(CMQC.MQCC_FAILED, status.completionCode, "completion");
        equal(CMQC.MQRC_Q_FULL, status.reasonCode, "reason");
        equal("DEV.SMALL", status.objectName.trim(), "queue");
        for (int i = 0; i < 3; i++) {
            get(queue);
        }
        queue.close();
    }
}
