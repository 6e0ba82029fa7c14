package interop.jms;

import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import interop.Checks;
import interop.Settings;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Listeners that the client reconnects by itself, of every acknowledge mode, over many restarts of the server; the only
 * argument is how many.
 *
 * <p>Round by round: "restart 1" is printed when every listener is at work; the file "restarted-1" says that the server is
 * back and how it went: KILL, TERM, or ENDMQM.
 */
public final class Restarts {
    private static final long PATIENCE_NS = 60_000_000_000L;
    /** How many messages the sender may be ahead of the slowest listener. */
    private static final int LEAD = 100;
    private static final Random RANDOM = new Random();

    private final List<Listener> listeners = new ArrayList<>();
    /** How each restart went. */
    private final Map<Integer, String> kinds = new ConcurrentHashMap<>();
    private volatile int round;
    private volatile int lastSent;
    private volatile boolean isRestarting;
    private volatile boolean isOver;
    private final AtomicInteger givenUp = new AtomicInteger();
    private int unconfirmed;

    /** Numbers of messages whose commit was answered, and of those whose commit failed, with the round of the failure. */
    private final Set<Integer> sent = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Integer> failed = new ConcurrentHashMap<>();

    private Restarts() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        Restarts restarts = new Restarts();
        Checks checks = new Checks(180_000L + 90_000L * rounds);
        checks.check("listeners lose nothing, see nothing twice and go on over " + rounds + " restarts",
            () -> restarts.survive(rounds));
        checks.end();
    }

    private void survive(int rounds) throws Exception {
        listeners.add(new Listener(Session.SESSION_TRANSACTED, "DEV.RESTART.TRANSACTED"));
        listeners.add(new Listener(Session.CLIENT_ACKNOWLEDGE, "DEV.RESTART.CLIENT"));
        listeners.add(new Listener(Session.AUTO_ACKNOWLEDGE, "DEV.RESTART.AUTO"));
        listeners.add(new Listener(Session.DUPS_OK_ACKNOWLEDGE, "DEV.RESTART.DUPS"));
        listeners.add(new Listener(Session.SESSION_TRANSACTED, "DEV.RESTART.FIRST", "DEV.RESTART.SECOND"));
        for (Listener listener : listeners) {
            listener.start();
        }
        Thread sender = new Thread(this::send);
        sender.setDaemon(true);
        sender.start();
        for (round = 1; round <= rounds; round++) {
            await("");
            isRestarting = true;
            System.out.println("restart " + round);
            System.out.flush();
            Path restarted = Path.of("restarted-" + round);
            long end = System.nanoTime() + PATIENCE_NS;
            while (!Files.exists(restarted) || Files.size(restarted) == 0) {
                Checks.that(System.nanoTime() < end, "the server is not started again");
                Thread.sleep(5);
            }
            String kind = Files.readString(restarted).trim();
            kinds.put(round, kind);
            isRestarting = false;
            await(kind);
        }
        isOver = true;
        sender.join();
        judge(rounds);
    }

    /** Waits until every listener has got messages that are not even sent yet. */
    private void await(String kind) throws Exception {
        int now = lastSent + 5;
        long end = System.nanoTime() + PATIENCE_NS;
        long early = System.nanoTime() + PATIENCE_NS / 4;
        boolean areAnew = false;
        while (true) {
            List<Listener> behind = listeners.stream().filter(listener -> listener.newest() < now).toList();
            if (behind.isEmpty()) {
                return;
            }
            Checks.that(System.nanoTime() < end, "round " + round + ", these stall: " + behind);
            if (!areAnew && kind.equals("KILL") && System.nanoTime() > early) {
                areAnew = true;
                for (Listener listener : behind) {
                    listener.beginAnew();
                }
            }
            Thread.sleep(5);
        }
    }

    /** Sends each number to every queue, in one unit of work; one that failed is not sent again. */
    private void send() {
        Connection connection = null;
        Session session = null;
        MessageProducer producer = null;
        for (int number = 1; !isOver; number++) {
            while (!isOver && lastSent - listeners.stream().mapToInt(Listener::newest).min().orElse(0) > LEAD) {
                pause(2);
            }
            try {
                if (connection == null) {
                    connection = Factory.connectionFactory().createConnection();
                    session = connection.createSession(true, Session.SESSION_TRANSACTED);
                    producer = session.createProducer(null);
                }
                // Before it is sent: what fails now may have taken effect.
                failed.put(number, round);
                for (Listener listener : listeners) {
                    for (String queue : listener.queues) {
                        producer.send(session.createQueue(queue), session.createTextMessage(String.valueOf(number)));
                    }
                }
                session.commit();
                failed.remove(number);
                sent.add(number);
                lastSent = number;
            } catch (JMSException problem) {
                try {
                    if (connection != null) {
                        connection.close();
                    }
                } catch (JMSException gone) {
                    // It is made anew in any case.
                }
                connection = null;
                pause(50);
            }
        }
    }

    private void judge(int rounds) throws Exception {
        long end = System.nanoTime() + PATIENCE_NS;
        while (System.nanoTime() < end && listeners.stream().anyMatch(listener -> !listener.missing().isEmpty())) {
            Thread.sleep(100);
        }
        List<String> problems = new ArrayList<>();
        for (Listener listener : listeners) {
            listener.judge(problems);
        }
        long inDoubt = 0;
        for (Map.Entry<Integer, Integer> failure : failed.entrySet()) {
            int number = failure.getKey();
            if (listeners.stream().anyMatch(listener -> listener.handled(number))) {
                inDoubt++;
                if (isOrderly(failure.getValue())) {
                    problems.add("the send of " + number + " failed in round " + failure.getValue() + " and took effect");
                }
            }
        }
        System.out.println("        " + rounds + " restarts, " + sent.size() + " numbers sent to each of 6 queues, "
            + failed.size() + " sends failed, of which " + inDoubt + " took effect; " + unconfirmed
            + " acknowledgements failed and took effect; the client gave up " + givenUp + " consumers of AUTO_ACKNOWLEDGE");
        Checks.that(problems.isEmpty(), String.join("\n", problems));
    }

    /** Whether the server answered every call before it went. */
    private boolean isOrderly(int round) {
        return !"KILL".equals(kinds.getOrDefault(round, "KILL"));
    }

    /** Whether a commit did nothing (2003), as the client says when it has reconnected meanwhile. */
    private static boolean isBackedOut(JMSException problem) {
        return String.valueOf(problem.getLinkedException()).contains("'2003'");
    }

    private static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    /** A session with a consumer for each of its queues. */
    private final class Listener {
        final List<String> queues;
        private final int mode;
        private final List<Heard> heard = new ArrayList<>();
        private volatile Connection connection;
        private Session session;

        Listener(int mode, String... queues) {
            this.mode = mode;
            this.queues = List.of(queues);
        }

        void start() throws JMSException {
            JmsConnectionFactory factory = Factory.connectionFactory();
            factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_OPTIONS, WMQConstants.WMQ_CLIENT_RECONNECT_Q_MGR);
            factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_TIMEOUT, 300);
            factory.setStringProperty(WMQConstants.WMQ_CONNECTION_NAME_LIST, Settings.HOST + "(" + Settings.PORT + ")");
            Connection own = factory.createConnection();
            connection = own;
            session = own.createSession(mode == Session.SESSION_TRANSACTED, mode);
            boolean isFirst = heard.isEmpty();
            for (int i = 0; i < queues.size(); i++) {
                if (isFirst) {
                    heard.add(new Heard());
                }
                Heard one = heard.get(i);
                session.createConsumer(session.createQueue(queues.get(i))).setMessageListener(message -> {
                    if (connection == own) {
                        hear(one, message);
                    } else {
                        one.hearLate(message);
                    }
                });
            }
            own.start();
        }

        private void hear(Heard own, Message message) {
            int number = 0;
            try {
                number = Integer.parseInt(((TextMessage) message).getText());
                own.begin(number, mode);
                // Some are long at work, so that the server goes and comes back meanwhile.
                if (isRestarting && RANDOM.nextInt(2) == 0) {
                    pause(RANDOM.nextInt(1500));
                }
                if (mode == Session.SESSION_TRANSACTED) {
                    session.commit();
                } else if (mode == Session.CLIENT_ACKNOWLEDGE) {
                    message.acknowledge();
                }
                own.settle(number);
            } catch (JMSException problem) {
                if (!isBackedOut(problem)) {
                    own.fail(number, round);
                }
                try {
                    if (mode == Session.SESSION_TRANSACTED) {
                        session.rollback();
                    } else {
                        session.recover();
                    }
                } catch (JMSException again) {
                    System.out.println("        rollback: " + again.getErrorCode());
                }
            }
        }

        /** With automatic acknowledgement the client closes a consumer whose commit got no answer, and tells nobody. */
        void beginAnew() throws JMSException {
            if (mode == Session.AUTO_ACKNOWLEDGE) {
                givenUp.incrementAndGet();
                heard.forEach(Heard::repeat);
                Connection before = connection;
                start();
                // It may take half a minute.
                Thread close = new Thread(() -> {
                    try {
                        before.close();
                    } catch (JMSException gone) {
                        // Nothing more comes from it in any case.
                    }
                });
                close.setDaemon(true);
                close.start();
            }
        }

        int newest() {
            return heard.stream().mapToInt(one -> one.newest).min().orElse(0);
        }

        boolean handled(int number) {
            return heard.stream().anyMatch(one -> one.settled.contains(number));
        }

        /** Numbers that were sent, and that it neither settled nor tried to. */
        Set<Integer> missing() {
            Set<Integer> missing = new TreeSet<>();
            for (Heard one : heard) {
                for (int number : sent) {
                    if (!one.settled.contains(number) && !one.failures.containsKey(number)) {
                        missing.add(number);
                    }
                }
            }
            return missing;
        }

        void judge(List<String> problems) {
            Set<Integer> missing = missing();
            if (!missing.isEmpty()) {
                problems.add(this + " lost " + missing);
            }
            for (Heard one : heard) {
                one.failures.forEach((number, round) -> {
                    if (!one.settled.contains(number)) {
                        unconfirmed++;
                        if (isOrderly(round)) {
                            problems.add(this + ": the acknowledgement of " + number + " failed in round " + round
                                + " and took effect");
                        }
                    }
                });
                one.twice.forEach(number -> problems.add(this + " got " + number + " after it had settled it"));
            }
        }

        @Override
        public String toString() {
            return queues + " at " + newest();
        }
    }

    /** What a consumer got. */
    private static final class Heard {
        volatile int newest;
        final Set<Integer> settled = ConcurrentHashMap.newKeySet();
        /** Numbers whose commit or acknowledgement may have taken effect or not, with the round of the last failure. */
        final Map<Integer, Integer> failures = new ConcurrentHashMap<>();
        final List<Integer> twice = java.util.Collections.synchronizedList(new ArrayList<>());
        private int last;
        private final Set<Integer> repeatable = ConcurrentHashMap.newKeySet();

        /** The session of a closed consumer holds its last message until its connection ends, so that others come first. */
        void repeat() {
            repeatable.add(last);
        }

        /** Automatic acknowledgement may repeat the message that was the last when a connection was lost, a lazy one several. */
        void begin(int number, int mode) {
            if (number <= last) {
                repeatable.add(last);
            }
            boolean mayRepeat = mode == Session.DUPS_OK_ACKNOWLEDGE
                || mode == Session.AUTO_ACKNOWLEDGE && repeatable.remove(number);
            if (settled.contains(number) && !mayRepeat) {
                twice.add(number);
            }
            last = number;
            newest = Math.max(newest, number);
        }

        /** The session of a closed consumer hands on what it had received before, and acknowledges it or not. */
        void hearLate(Message message) {
            try {
                int number = Integer.parseInt(((TextMessage) message).getText());
                repeatable.add(number);
                settled.add(number);
            } catch (JMSException problem) {
                throw new IllegalStateException(problem);
            }
        }

        void settle(int number) {
            settled.add(number);
        }

        void fail(int number, int round) {
            failures.put(number, round);
        }
    }
}
