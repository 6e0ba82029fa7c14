package interop.mqi;

import static interop.Checks.equal;
import static interop.Checks.that;
import static interop.mqi.Client.expect;
import static interop.mqi.Client.get;
import static interop.mqi.Client.getOptions;
import static interop.mqi.Client.message;
import static interop.mqi.Client.put;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import interop.Checks;
import interop.Settings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Open, put, put1, get, browse, inquire, set, commit, back out, close: what programs with the classes for Java do. */
public final class Verbs {
    private final MQQueueManager manager;
    private final MQQueue queue;

    private Verbs(MQQueueManager manager) throws Exception {
        this.manager = manager;
        this.queue = Client.open(manager, "DEV.QUEUE.1");
    }

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        Verbs verbs = new Verbs(Client.connect());
        checks.check("a message that was put is got, with its descriptor", verbs::putAndGet);
        checks.check("a put gives a message its identifier, its user, its program and its time", verbs::descriptorOfPut);
        checks.check("put1 puts without a handle", verbs::putOne);
        checks.check("a get without a message ends with 2033, at once or after its wait", verbs::emptyQueue);
        checks.check("a waiting get wakes up when another connection puts", verbs::wakeUp);
        checks.check("messages come in order of priority and of arrival", verbs::order);
        checks.check("a get takes the message with the identifier it asks for", verbs::matching);
        checks.check("browsing leaves messages, and the one under the cursor can be got", verbs::browse);
        checks.check("a short buffer truncates, and the message stays unless that was accepted", verbs::truncation);
        checks.check("a unit of work is invisible until its commit", verbs::commit);
        checks.check("a unit of work that is backed out leaves no put and returns its gets", verbs::backOut);
        checks.check("disconnecting commits", verbs::disconnect);
        checks.check("a message that expired is not got", verbs::expiry);
        checks.check("data are converted for a get that asks for it", verbs::conversion);
        checks.check("the messages of a group are got in their logical order", verbs::group);
        checks.check("an empty message and a message of 70000 bytes come back as they were", verbs::sizes);
        verbs.queue.close();
        verbs.manager.disconnect();
        checks.end();
    }

    private void putAndGet() throws Exception {
        MQMessage sent = message("first");
        sent.messageType = CMQC.MQMT_REQUEST;
        sent.replyToQueueName = "DEV.QUEUE.2";
        sent.replyToQueueManagerName = Settings.QUEUE_MANAGER;
        sent.persistence = CMQC.MQPER_PERSISTENT;
        sent.priority = 7;
        sent.correlationId = "correlation-identifier 1".getBytes("US-ASCII");
        sent.report = CMQC.MQRO_COPY_MSG_ID_TO_CORREL_ID;
        sent.feedback = CMQC.MQFB_NONE;
        sent.applicationIdData = "identity";
        queue.put(sent, new MQPutMessageOptions());

        MQMessage got = new MQMessage();
        equal("first", get(queue, got, getOptions(Client.NO_WAIT)));
        equal(CMQC.MQMT_REQUEST, got.messageType, "type");
        equal("DEV.QUEUE.2", got.replyToQueueName.trim(), "reply queue");
        equal(Settings.QUEUE_MANAGER, got.replyToQueueManagerName.trim(), "reply queue manager");
        equal(CMQC.MQPER_PERSISTENT, got.persistence, "persistence");
        equal(7, got.priority, "priority");
        equal(sent.correlationId, got.correlationId, "correlation identifier");
        equal(sent.messageId, got.messageId, "message identifier");
        equal(CMQC.MQFMT_STRING.trim(), got.format.trim(), "format");
        equal(1208, got.characterSet, "character set");
        equal(CMQC.MQRO_COPY_MSG_ID_TO_CORREL_ID, got.report, "report options");
        equal(0, got.backoutCount, "backout count");
        equal(CMQC.MQEI_UNLIMITED, got.expiry, "expiry");
    }

    private void descriptorOfPut() throws Exception {
        MQMessage one = put(queue, "one");
        MQMessage two = put(queue, "two");
        that(!java.util.Arrays.equals(one.messageId, two.messageId), "two messages have one identifier");
        equal(24, one.messageId.length, "length of the identifier");
        MQMessage got = new MQMessage();
        get(queue, got, getOptions(Client.NO_WAIT));
        equal(one.messageId, got.messageId, "message identifier");
        equal("app", got.userId.trim(), "user");
        equal("interop program", got.putApplicationName.trim(), "program");
        equal(CMQC.MQAT_JAVA, got.putApplicationType, "kind of program");
        long age = System.currentTimeMillis() - got.putDateTime.getTimeInMillis();
        that(Math.abs(age) < 60_000, "put " + age + " ms ago");
        equal("two", get(queue));
    }

    private void putOne() throws Exception {
        manager.put("DEV.QUEUE.1", message("put1"), new MQPutMessageOptions());
        equal("put1", get(queue));
        expect(CMQC.MQRC_UNKNOWN_OBJECT_NAME,
            () -> manager.put("DEV.NOT.THERE", message("put1"), new MQPutMessageOptions()));
    }

    private void emptyQueue() throws Exception {
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue));
        long start = System.nanoTime();
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, new MQMessage(), Client.waiting(500)));
        long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        that(waited >= 490 && waited < 10_000, "a wait of 500 ms took " + waited);
    }

    private void wakeUp() throws Exception {
        MQQueueManager other = Client.connect();
        MQQueue others = Client.open(other, "DEV.QUEUE.1");
        CompletableFuture<String> got = CompletableFuture.supplyAsync(() -> {
            try {
                return get(others, new MQMessage(), Client.waiting(30_000));
            } catch (Exception problem) {
                throw new IllegalStateException(problem);
            }
        });
        // The two connections share a socket: this inquiry must not wait behind that get.
        equal(0, queue.getCurrentDepth(), "depth while another one waits");
        put(queue, "wake up");
        equal("wake up", got.get(20, TimeUnit.SECONDS));
        others.close();
        other.disconnect();
    }

    private void order() throws Exception {
        int[] priorities = {1, 9, 4, 9, 1};
        for (int i = 0; i < priorities.length; i++) {
            MQMessage message = message("message " + i);
            message.priority = priorities[i];
            queue.put(message);
        }
        for (int expected : new int[] {1, 3, 2, 0, 4}) {
            equal("message " + expected, get(queue));
        }
    }

    private void matching() throws Exception {
        byte[][] correlations = new byte[3][24];
        MQMessage[] sent = new MQMessage[3];
        for (int i = 0; i < 3; i++) {
            correlations[i][23] = (byte) (i + 1);
            sent[i] = message("message " + i);
            sent[i].correlationId = correlations[i];
            queue.put(sent[i]);
        }
        MQMessage byCorrelation = new MQMessage();
        byCorrelation.correlationId = correlations[2];
        MQGetMessageOptions options = getOptions(Client.NO_WAIT);
        options.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
        equal("message 2", get(queue, byCorrelation, options));
        MQMessage byIdentifier = new MQMessage();
        byIdentifier.messageId = sent[1].messageId;
        options.matchOptions = CMQC.MQMO_MATCH_MSG_ID;
        equal("message 1", get(queue, byIdentifier, options));
        MQMessage gone = new MQMessage();
        gone.messageId = sent[1].messageId;
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, gone, options));
        MQMessage both = new MQMessage();
        both.messageId = sent[0].messageId;
        both.correlationId = correlations[1];
        options.matchOptions = CMQC.MQMO_MATCH_MSG_ID | CMQC.MQMO_MATCH_CORREL_ID;
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, both, options));
        both.correlationId = correlations[0];
        equal("message 0", get(queue, both, options));
    }

    private void browse() throws Exception {
        put(queue, "a");
        put(queue, "b");
        put(queue, "c");
        int browse = CMQC.MQGMO_NO_WAIT | CMQC.MQGMO_FAIL_IF_QUIESCING;
        equal("a", get(queue, new MQMessage(), getOptions(browse | CMQC.MQGMO_BROWSE_FIRST)));
        equal("b", get(queue, new MQMessage(), getOptions(browse | CMQC.MQGMO_BROWSE_NEXT)));
        equal("b", get(queue, new MQMessage(), getOptions(browse | CMQC.MQGMO_BROWSE_MSG_UNDER_CURSOR)));
        equal(3, queue.getCurrentDepth(), "depth");
        equal("b", get(queue, new MQMessage(), getOptions(Client.NO_WAIT | CMQC.MQGMO_MSG_UNDER_CURSOR)));
        equal("c", get(queue, new MQMessage(), getOptions(browse | CMQC.MQGMO_BROWSE_NEXT)));
        expect(CMQC.MQRC_NO_MSG_AVAILABLE,
            () -> get(queue, new MQMessage(), getOptions(browse | CMQC.MQGMO_BROWSE_NEXT)));
        equal("a", get(queue, new MQMessage(), getOptions(browse | CMQC.MQGMO_BROWSE_FIRST | CMQC.MQGMO_LOCK)));
        MQQueueManager other = Client.connect();
        MQQueue others = Client.open(other, "DEV.QUEUE.1");
        equal("c", get(others), "what another one gets while the first message is locked");
        other.disconnect();
        equal("a", get(queue, new MQMessage(), getOptions(Client.NO_WAIT | CMQC.MQGMO_MSG_UNDER_CURSOR)));
    }

    private void truncation() throws Exception {
        put(queue, "0123456789");
        MQMessage kept = new MQMessage();
        expect(CMQC.MQRC_TRUNCATED_MSG_FAILED, () -> queue.get(kept, getOptions(Client.NO_WAIT), 4));
        equal(1, queue.getCurrentDepth(), "depth");
        MQMessage cut = new MQMessage();
        int accept = Client.NO_WAIT | CMQC.MQGMO_ACCEPT_TRUNCATED_MSG;
        expect(CMQC.MQRC_TRUNCATED_MSG_ACCEPTED, () -> queue.get(cut, getOptions(accept), 4));
        equal(10, cut.getTotalMessageLength(), "length of the message");
        equal("0123", cut.readStringOfByteLength(4));
        equal(0, queue.getCurrentDepth(), "depth");
    }

    private void commit() throws Exception {
        MQQueueManager other = Client.connect();
        MQQueue others = Client.open(other, "DEV.QUEUE.1");
        MQPutMessageOptions underSyncpoint = new MQPutMessageOptions();
        underSyncpoint.options = CMQC.MQPMO_SYNCPOINT | CMQC.MQPMO_FAIL_IF_QUIESCING;
        queue.put(message("one"), underSyncpoint);
        queue.put(message("two"), underSyncpoint);
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(others));
        manager.commit();
        equal("one", get(others, new MQMessage(), getOptions(CMQC.MQGMO_SYNCPOINT)));
        equal("two", get(others));
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue));
        other.commit();
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue));
        others.close();
        other.disconnect();
    }

    private void backOut() throws Exception {
        put(queue, "stays");
        MQPutMessageOptions underSyncpoint = new MQPutMessageOptions();
        underSyncpoint.options = CMQC.MQPMO_SYNCPOINT;
        queue.put(message("vanishes"), underSyncpoint);
        equal("stays", get(queue, new MQMessage(), getOptions(CMQC.MQGMO_SYNCPOINT)));
        manager.backout();
        MQMessage again = new MQMessage();
        equal("stays", get(queue, again, getOptions(Client.NO_WAIT)));
        equal(1, again.backoutCount, "backout count");
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue));
    }

    private void disconnect() throws Exception {
        MQQueueManager other = Client.connect();
        MQQueue others = Client.open(other, "DEV.QUEUE.1");
        MQPutMessageOptions underSyncpoint = new MQPutMessageOptions();
        underSyncpoint.options = CMQC.MQPMO_SYNCPOINT;
        others.put(message("committed by the end"), underSyncpoint);
        other.disconnect();
        equal("committed by the end", get(queue, new MQMessage(), Client.waiting(30_000)));
    }

    private void expiry() throws Exception {
        MQMessage shortLived = message("short-lived");
        shortLived.expiry = 2;
        queue.put(shortLived);
        MQMessage longLived = message("long-lived");
        longLived.expiry = 600;
        queue.put(longLived);
        Thread.sleep(300);
        MQMessage got = new MQMessage();
        equal("long-lived", get(queue, got, getOptions(Client.NO_WAIT)));
        that(got.expiry > 500 && got.expiry < 600, "time left: " + got.expiry);
        expect(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue));
    }

    private void conversion() throws Exception {
        put(queue, "Grüße [1]");
        MQMessage converted = new MQMessage();
        converted.characterSet = 1047;
        queue.get(converted, getOptions(Client.NO_WAIT | CMQC.MQGMO_CONVERT));
        equal(1047, converted.characterSet, "character set");
        byte[] bytes = new byte[converted.getDataLength()];
        converted.readFully(bytes);
        equal("Grüße [1]".getBytes("Cp1047"), bytes, "converted data");
    }

    private void group() throws Exception {
        MQPutMessageOptions logical = new MQPutMessageOptions();
        logical.options = CMQC.MQPMO_LOGICAL_ORDER | CMQC.MQPMO_SYNCPOINT;
        byte[] identifier = null;
        for (int i = 1; i <= 3; i++) {
            MQMessage message = message("part " + i);
            message.messageFlags = i < 3 ? CMQC.MQMF_MSG_IN_GROUP : CMQC.MQMF_LAST_MSG_IN_GROUP;
            queue.put(message, logical);
            equal(i, message.messageSequenceNumber, "sequence number");
            that(identifier == null || java.util.Arrays.equals(identifier, message.groupId), "one group identifier");
            identifier = message.groupId;
        }
        manager.commit();
        MQGetMessageOptions wholeGroup = getOptions(CMQC.MQGMO_LOGICAL_ORDER | CMQC.MQGMO_ALL_MSGS_AVAILABLE
            | CMQC.MQGMO_SYNCPOINT);
        wholeGroup.matchOptions = CMQC.MQMO_NONE;
        for (int i = 1; i <= 3; i++) {
            equal("part " + i, get(queue, new MQMessage(), wholeGroup));
            equal(i < 3 ? CMQC.MQGS_MSG_IN_GROUP : CMQC.MQGS_LAST_MSG_IN_GROUP, (char) wholeGroup.groupStatus, "group status");
        }
        manager.commit();
    }

    private void sizes() throws Exception {
        for (int size : new int[] {0, 1, 32_000, 70_000, 1_000_003}) {
            byte[] data = new byte[size];
            new java.util.Random(size).nextBytes(data);
            MQMessage message = new MQMessage();
            message.write(data);
            queue.put(message);
            MQMessage got = new MQMessage();
            queue.get(got, getOptions(Client.NO_WAIT));
            byte[] back = new byte[got.getDataLength()];
            got.readFully(back);
            equal(data, back, "data of " + size);
        }
    }
}
