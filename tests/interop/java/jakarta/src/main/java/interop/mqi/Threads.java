package interop.mqi;

import static interop.Checks.equal;
import static interop.Checks.that;

import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import interop.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Many threads of one program: competing getters, units of work at once, connecting and ending all the time. */
public final class Threads {
    private static final int PUTTERS = 6;
    private static final int GETTERS = 6;
    private static final int MESSAGES = 300;

    private Threads() {}

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        checks.check("competing getters get each message once", Threads::compete);
        checks.check("units of work of many threads, half of them backed out, leave what was committed",
            Threads::unitsOfWork);
        checks.check("connecting and disconnecting by many threads at once", Threads::connectAndDisconnect);
        checks.end();
    }

    private static void compete() throws Exception {
        Set<String> got = ConcurrentHashMap.newKeySet();
        AtomicInteger total = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(PUTTERS + GETTERS);
        List<Future<?>> work = new ArrayList<>();
        for (int i = 0; i < PUTTERS; i++) {
            int number = i;
            work.add(threads.submit(() -> {
                MQQueueManager manager = Client.connect();
                MQQueue queue = Client.open(manager, "DEV.QUEUE.1");
                for (int j = 0; j < MESSAGES; j++) {
                    MQMessage message = Client.message(number + ":" + j);
                    message.persistence = j % 2 == 0 ? CMQC.MQPER_PERSISTENT : CMQC.MQPER_NOT_PERSISTENT;
                    queue.put(message);
                }
                manager.disconnect();
                return null;
            }));
        }
        for (int i = 0; i < GETTERS; i++) {
            work.add(threads.submit(() -> {
                MQQueueManager manager = Client.connect();
                MQQueue queue = Client.open(manager, "DEV.QUEUE.1");
                while (total.get() < PUTTERS * MESSAGES) {
                    try {
                        String text = Client.get(queue, new MQMessage(), Client.waiting(200));
                        total.incrementAndGet();
                        that(got.add(text), text + " was got twice");
                    } catch (MQException empty) {
                        equal(CMQC.MQRC_NO_MSG_AVAILABLE, empty.reasonCode, "reason");
                    }
                }
                manager.disconnect();
                return null;
            }));
        }
        for (Future<?> each : work) {
            each.get();
        }
        threads.shutdown();
        equal(PUTTERS * MESSAGES, got.size(), "messages");
    }

    private static void unitsOfWork() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(PUTTERS);
        List<Future<?>> work = new ArrayList<>();
        for (int i = 0; i < PUTTERS; i++) {
            work.add(threads.submit(() -> {
                MQQueueManager manager = Client.connect();
                MQQueue one = Client.open(manager, "DEV.QUEUE.1");
                MQQueue two = Client.open(manager, "DEV.QUEUE.2");
                MQPutMessageOptions underSyncpoint = new MQPutMessageOptions();
                underSyncpoint.options = CMQC.MQPMO_SYNCPOINT;
                MQGetMessageOptions get = Client.waiting(30_000);
                get.options = CMQC.MQGMO_WAIT | CMQC.MQGMO_SYNCPOINT;
                for (int j = 0; j < 40; j++) {
                    one.put(Client.message("moved"), underSyncpoint);
                    manager.commit();
                    Client.get(one, new MQMessage(), get);
                    two.put(Client.message("moved"), underSyncpoint);
                    manager.backout();
                    Client.get(one, new MQMessage(), get);
                    two.put(Client.message("moved"), underSyncpoint);
                    manager.commit();
                }
                manager.disconnect();
                return null;
            }));
        }
        for (Future<?> each : work) {
            each.get();
        }
        threads.shutdown();
        MQQueueManager manager = Client.connect();
        MQQueue one = Client.open(manager, "DEV.QUEUE.1");
        MQQueue two = Client.open(manager, "DEV.QUEUE.2");
        equal(0, one.getCurrentDepth(), "depth of the first queue");
        equal(PUTTERS * 40, two.getCurrentDepth(), "depth of the second queue");
        for (int i = 0; i < PUTTERS * 40; i++) {
            Client.get(two);
        }
        manager.disconnect();
    }

    private static void connectAndDisconnect() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> work = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String mine = "DEV.TEMP." + i + ".*";
            work.add(threads.submit(() -> {
                for (int j = 0; j < 15; j++) {
                    MQQueueManager manager = Client.connect();
                    int options = CMQC.MQOO_INPUT_EXCLUSIVE | CMQC.MQOO_OUTPUT;
                    MQQueue queue = manager.accessQueue("DEV.APP.MODEL.QUEUE", options, null, mine, null);
                    Client.put(queue, "mine");
                    equal("mine", Client.get(queue));
                    manager.disconnect();
                }
                return null;
            }));
        }
        for (Future<?> each : work) {
            each.get();
        }
        threads.shutdown();
    }
}
