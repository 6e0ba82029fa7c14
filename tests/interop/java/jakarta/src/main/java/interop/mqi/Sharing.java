package interop.mqi;

import static interop.Checks.equal;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import interop.Checks;
import interop.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Two hundred conversations over twenty sockets, each used by a thread of its own at the same time. */
public final class Sharing {
    private static final int CONVERSATIONS = 200;
    private static final int SOCKETS = 20;
    private static final int ROUNDS = 10;

    private Sharing() {}

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        List<MQQueueManager> managers = new ArrayList<>();
        checks.check(CONVERSATIONS + " conversations take " + SOCKETS + " sockets", () -> {
            for (int i = 0; i < CONVERSATIONS; i++) {
                managers.add(Client.connect());
            }
            Checks.eventually("not " + SOCKETS + " sockets", () -> sockets() == SOCKETS);
        });
        checks.check("all of them put and get at once, each its own messages", () -> everybody(managers));
        checks.check("all of them wait at once, and each gets one message", () -> everybodyWaits(managers));
        checks.check("a conversation that ends leaves its neighbours alone", () -> {
            for (int i = 0; i < CONVERSATIONS; i += 2) {
                managers.get(i).disconnect();
            }
            MQQueue queue = Client.open(managers.get(1), "DEV.QUEUE.1");
            Client.put(queue, "still here");
            equal("still here", Client.get(queue));
            queue.close();
        });
        checks.check("the sockets end with the last of their conversations", () -> {
            for (int i = 1; i < CONVERSATIONS; i += 2) {
                managers.get(i).disconnect();
            }
            Checks.eventually("sockets stay open", () -> sockets() == 0);
        });
        checks.end();
    }

    /**
     * Sockets of this machine that are connected to the server. The kernel may show one twice, or leave one out, while others come
     * and go.
     */
    private static int sockets() throws Exception {
        String server = String.format("0100007F:%04X", Settings.PORT);
        Set<String> found = new HashSet<>();
        for (String table : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.trim().split("\\s+");
                // Address here, address there, state: 01 is established.
                if (fields.length > 3 && fields[2].endsWith(server) && fields[3].equals("01")) {
                    found.add(fields[1]);
                }
            }
        }
        return found.size();
    }

    private static void everybody(List<MQQueueManager> managers) throws Exception {
        List<Callable<Void>> work = new ArrayList<>();
        for (int i = 0; i < managers.size(); i++) {
            int number = i;
            work.add(() -> {
                MQQueue queue = Client.open(managers.get(number), "DEV.QUEUE.2");
                byte[] correlation = new byte[24];
                correlation[22] = (byte) (number >> 8);
                correlation[23] = (byte) (number + 1);
                for (int round = 0; round < ROUNDS; round++) {
                    MQMessage message = Client.message("message " + number + " " + round);
                    message.correlationId = correlation;
                    queue.put(message);
                    MQMessage got = new MQMessage();
                    got.correlationId = correlation;
                    MQGetMessageOptions options = Client.waiting(30_000);
                    options.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
                    equal("message " + number + " " + round, Client.get(queue, got, options));
                }
                queue.close();
                return null;
            });
        }
        atOnce(work);
    }

    private static void everybodyWaits(List<MQQueueManager> managers) throws Exception {
        List<Callable<String>> waiting = new ArrayList<>();
        for (MQQueueManager manager : managers.subList(1, managers.size())) {
            waiting.add(() -> {
                MQQueue queue = manager.accessQueue("DEV.QUEUE.3", CMQC.MQOO_INPUT_SHARED);
                String text = Client.get(queue, new MQMessage(), Client.waiting(60_000));
                queue.close();
                return text;
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(waiting.size());
        List<Future<String>> results = new ArrayList<>();
        waiting.forEach(task -> results.add(threads.submit(task)));
        // The first conversation shares a socket with nine that wait.
        MQQueue queue = Client.open(managers.get(0), "DEV.QUEUE.3");
        Checks.eventually("not everybody waits", () -> queue.getOpenInputCount() == waiting.size() + 1);
        String[] expected = new String[waiting.size()];
        for (int i = 0; i < waiting.size(); i++) {
            expected[i] = "for one of them " + i;
            Client.put(queue, expected[i]);
        }
        String[] got = new String[results.size()];
        for (int i = 0; i < got.length; i++) {
            got[i] = results.get(i).get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        Arrays.sort(expected);
        Arrays.sort(got);
        equal(Arrays.toString(expected), Arrays.toString(got), "messages");
        queue.close();
    }

    private static <T> void atOnce(List<Callable<T>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        for (Future<T> result : threads.invokeAll(work)) {
            result.get();
        }
        threads.shutdown();
    }
}
