package interop.mqi;

import static interop.Checks.equal;
import static interop.mqi.Client.expect;
import static interop.mqi.Client.getOptions;

import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import interop.Checks;
import java.util.Arrays;
import java.util.Random;

/** Messages of 10 MiB and 99 MiB through a channel whose MAXMSGL allows them, and one that it does not. */
public final class LargeMessages {
    private static final int MEBIBYTE = 1 << 20;

    private LargeMessages() {}

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        MQQueueManager manager = Client.connect();
        MQQueue queue = Client.open(manager, "DEV.LARGE");
        checks.check("10 MiB persistent, and back", () -> there(queue, 10 * MEBIBYTE, CMQC.MQPER_PERSISTENT));
        checks.check("10 MiB nonpersistent, and back", () -> there(queue, 10 * MEBIBYTE, CMQC.MQPER_NOT_PERSISTENT));
        checks.check("99 MiB persistent, and back", () -> there(queue, 99 * MEBIBYTE, CMQC.MQPER_PERSISTENT));
        checks.check("10 MiB in a unit of work, backed out and committed", () -> unitOfWork(manager, queue));
        checks.check("the length of what did not fit is told", () -> truncated(queue));
        checks.check("5 MiB onto a queue for 4 MiB ends with 2030", () -> {
            MQQueue ordinary = Client.open(manager, "DEV.QUEUE.1");
            expect(CMQC.MQRC_MSG_TOO_BIG_FOR_Q, () -> put(ordinary, data(5 * MEBIBYTE), CMQC.MQPER_PERSISTENT));
            ordinary.close();
        });
        queue.close();
        manager.disconnect();
        checks.end();
    }

    private static byte[] data(int size) {
        byte[] data = new byte[size];
        new Random(size).nextBytes(data);
        return data;
    }

    private static void put(MQQueue queue, byte[] data, int persistence)
            throws com.ibm.mq.MQException, java.io.IOException {
        MQMessage message = new MQMessage();
        message.persistence = persistence;
        message.write(data);
        queue.put(message, new MQPutMessageOptions());
    }

    private static void there(MQQueue queue, int size, int persistence) throws Exception {
        byte[] data = data(size);
        put(queue, data, persistence);
        compare(data, queue);
        equal(0, queue.getCurrentDepth(), "depth");
    }

    private static void compare(byte[] data, MQQueue queue) throws Exception {
        MQMessage got = new MQMessage();
        queue.get(got, getOptions(Client.NO_WAIT));
        equal(data.length, got.getDataLength(), "length");
        byte[] back = new byte[got.getDataLength()];
        got.readFully(back);
        equal(data, back, "data");
    }

    private static void unitOfWork(MQQueueManager manager, MQQueue queue) throws Exception {
        byte[] data = data(10 * MEBIBYTE);
        MQPutMessageOptions underSyncpoint = new MQPutMessageOptions();
        underSyncpoint.options = CMQC.MQPMO_SYNCPOINT;
        for (boolean commit : new boolean[] {false, true}) {
            MQMessage message = new MQMessage();
            message.write(data);
            queue.put(message, underSyncpoint);
            if (commit) {
                manager.commit();
            } else {
                manager.backout();
                equal(0, queue.getCurrentDepth(), "depth");
            }
        }
        compare(data, queue);
    }

    private static void truncated(MQQueue queue) throws Exception {
        byte[] data = data(10 * MEBIBYTE);
        put(queue, data, CMQC.MQPER_PERSISTENT);
        MQMessage cut = new MQMessage();
        int accept = Client.NO_WAIT | CMQC.MQGMO_ACCEPT_TRUNCATED_MSG;
        expect(CMQC.MQRC_TRUNCATED_MSG_ACCEPTED, () -> queue.get(cut, getOptions(accept), MEBIBYTE));
        equal(data.length, cut.getTotalMessageLength(), "length of the message");
        byte[] back = new byte[MEBIBYTE];
        cut.readFully(back);
        equal(Arrays.copyOf(data, MEBIBYTE), back, "the first part");
    }
}
