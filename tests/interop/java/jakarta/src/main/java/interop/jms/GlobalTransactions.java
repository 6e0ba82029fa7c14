package interop.jms;

import static interop.Checks.equal;
import static interop.Checks.that;

import com.ibm.mq.MQException;
import com.ibm.mq.constants.MQConstants;
import com.ibm.mq.jakarta.jms.MQXAConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import interop.Checks;
import interop.Settings;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.XAConnection;
import jakarta.jms.XASession;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * XA as a transaction manager drives it.
 *
 * <p>"prepare" runs whole cycles, then leaves two branches prepared and stops dead; "recover", after a restart of the server,
 * finds both, commits one and rolls the other back. By the name of a queue-sharing group, "recover" may run at another member.
 */
public final class GlobalTransactions {
    private static final int WAIT_MS = 30_000;
    private static final int FORMAT = 0x5158;

    /** A branch of a global transaction. */
    private record Branch(byte[] global, byte[] branch) implements Xid {
        @Override
        public int getFormatId() {
            return FORMAT;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return global;
        }

        @Override
        public byte[] getBranchQualifier() {
            return branch;
        }
    }

    private final XAConnection connection;
    private final XASession xaSession;
    private final Session session;
    private final XAResource resource;
    private final Queue one;
    private final Queue two;

    private GlobalTransactions() throws Exception {
        MQXAConnectionFactory factory = new MQXAConnectionFactory();
        factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
        factory.setHostName(Settings.HOST);
        factory.setPort(Settings.PORT);
        factory.setChannel(Settings.CHANNEL);
        factory.setQueueManager(Settings.QUEUE_MANAGER);
        connection = factory.createXAConnection(Settings.USER, Settings.PASSWORD);
        connection.start();
        xaSession = connection.createXASession();
        session = xaSession.getSession();
        resource = xaSession.getXAResource();
        one = session.createQueue(Settings.QUEUES + "QUEUE.1");
        two = session.createQueue(Settings.QUEUES + "QUEUE.2");
    }

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        GlobalTransactions programs = new GlobalTransactions();
        if (arguments[0].equals("prepare")) {
            checks.check("two phases: what was sent arrives with the commit", programs::twoPhases);
            checks.check("one phase", programs::onePhase);
            checks.check("a rollback before and after prepare", programs::rollback);
            checks.check("a branch that only read is ended by prepare", programs::readOnly);
            checks.check("ending and joining, suspending and resuming", programs::suspend);
            checks.check("an unknown branch is refused", programs::unknown);
            checks.check("a branch with a send that its queue refused is never committed", programs::refused);
            checks.check("a connection that is lost before prepare takes its branch with it", GlobalTransactions::lost);
            if (Settings.PRIVATE_QUEUE != null) {
                checks.check("a branch of the group sends nothing to a private queue", programs::privateQueue);
            }
            checks.check("two branches stay prepared", programs::leavePrepared);
        } else {
            checks.check("both branches are found", programs::found);
            checks.check("one is committed, the other rolled back", programs::outcome);
            checks.check("none is left", () -> equal(0, programs.recovered().size(), "branches"));
        }
        checks.end();
    }

    private static Branch branch(int number) {
        byte[] global = new byte[64];
        Arrays.fill(global, (byte) number);
        return new Branch(global, ("branch " + number).getBytes());
    }

    private void send(Queue queue, String text) throws Exception {
        try (MessageProducer producer = session.createProducer(queue)) {
            producer.send(session.createTextMessage(text));
        }
    }

    private String receive(Queue queue, int wait) throws Exception {
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            TextMessage message = (TextMessage) consumer.receive(wait);
            return message == null ? null : message.getText();
        }
    }

    /** What another program receives, outside of every transaction. */
    private static String outside(String queue) throws Exception {
        try (JMSContext context = Factory.context(); JMSConsumer consumer = context.createConsumer(context.createQueue(Settings.QUEUES + queue))) {
            TextMessage message = (TextMessage) consumer.receiveNoWait();
            return message == null ? null : message.getText();
        }
    }

    private void twoPhases() throws Exception {
        Xid xid = branch(1);
        resource.start(xid, XAResource.TMNOFLAGS);
        send(one, "by two phases");
        resource.end(xid, XAResource.TMSUCCESS);
        equal(XAResource.XA_OK, resource.prepare(xid), "vote");
        equal(null, outside("QUEUE.1"));
        resource.commit(xid, false);
        equal("by two phases", outside("QUEUE.1"));
    }

    private void onePhase() throws Exception {
        Xid xid = branch(2);
        resource.start(xid, XAResource.TMNOFLAGS);
        send(one, "by one phase");
        resource.end(xid, XAResource.TMSUCCESS);
        equal(null, outside("QUEUE.1"));
        resource.commit(xid, true);
        equal("by one phase", outside("QUEUE.1"));
    }

    private void rollback() throws Exception {
        for (boolean prepared : new boolean[] {false, true}) {
            Xid xid = branch(3);
            try (JMSContext context = Factory.context()) {
                context.createProducer().send(context.createQueue(Settings.QUEUES + "QUEUE.1"), "comes back");
            }
            resource.start(xid, XAResource.TMNOFLAGS);
            equal("comes back", receive(one, WAIT_MS));
            send(two, "vanishes");
            resource.end(xid, XAResource.TMSUCCESS);
            if (prepared) {
                equal(XAResource.XA_OK, resource.prepare(xid), "vote");
            }
            resource.rollback(xid);
            equal("comes back", outside("QUEUE.1"));
            equal(null, outside("QUEUE.2"));
        }
    }

    private void readOnly() throws Exception {
        Xid xid = branch(4);
        resource.start(xid, XAResource.TMNOFLAGS);
        equal(null, receive(one, 1));
        resource.end(xid, XAResource.TMSUCCESS);
        int vote = resource.prepare(xid);
        if (vote == XAResource.XA_OK) {
            resource.commit(xid, false);
        } else {
            equal(XAResource.XA_RDONLY, vote, "vote");
        }
        equal(0, recovered().size(), "branches left");
    }

    private void suspend() throws Exception {
        Xid first = branch(5);
        Xid second = branch(6);
        resource.start(first, XAResource.TMNOFLAGS);
        send(one, "of the first");
        resource.end(first, XAResource.TMSUSPEND);
        resource.start(second, XAResource.TMNOFLAGS);
        send(two, "of the second");
        resource.end(second, XAResource.TMSUCCESS);
        resource.start(first, XAResource.TMRESUME);
        send(one, "of the first again");
        resource.end(first, XAResource.TMSUCCESS);
        resource.rollback(second);
        resource.start(first, XAResource.TMJOIN);
        send(one, "of the first, joined");
        resource.end(first, XAResource.TMSUCCESS);
        resource.commit(first, true);
        equal("of the first", outside("QUEUE.1"));
        equal("of the first again", outside("QUEUE.1"));
        equal("of the first, joined", outside("QUEUE.1"));
        equal(null, outside("QUEUE.2"));
    }

    private void refused() throws Exception {
        for (boolean onePhase : new boolean[] {true, false}) {
            Xid xid = branch(onePhase ? 10 : 11);
            resource.start(xid, XAResource.TMNOFLAGS);
            try {
                send(one, "of a branch that fails");
                send(session.createQueue(Settings.QUEUES + "SMALL"), "x".repeat(200));
                resource.end(xid, XAResource.TMSUCCESS);
                if (!onePhase) {
                    resource.prepare(xid);
                }
                resource.commit(xid, onePhase);
            } catch (JMSException | XAException expected) {
                abandon(xid);
                equal(null, outside("QUEUE.1"));
                continue;
            }
            throw new AssertionError("committed without the message that was refused");
        }
    }

    /** What a transaction manager does about a failed branch; it may be gone already. */
    private void abandon(Xid xid) {
        try {
            resource.end(xid, XAResource.TMFAIL);
        } catch (XAException ended) {
            System.out.println("        end: " + ended.errorCode);
        }
        try {
            resource.rollback(xid);
        } catch (XAException gone) {
            System.out.println("        rollback: " + gone.errorCode);
        }
    }

    private void unknown() throws Exception {
        try {
            resource.commit(branch(99), false);
        } catch (XAException refused) {
            equal(XAException.XAER_NOTA, refused.errorCode, "code");
            return;
        }
        throw new AssertionError("a branch that never was is committed");
    }

    private void privateQueue() throws Exception {
        Xid xid = branch(12);
        resource.start(xid, XAResource.TMNOFLAGS);
        try {
            send(session.createQueue(Settings.PRIVATE_QUEUE), "nowhere");
        } catch (JMSException refused) {
            equal(MQConstants.MQRC_SYNCPOINT_NOT_AVAILABLE, reason(refused), "reason");
            abandon(xid);
            return;
        }
        throw new AssertionError("sent");
    }

    private static int reason(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof MQException mq) {
                return mq.reasonCode;
            }
        }
        return 0;
    }

    private static void lost() throws Exception {
        GlobalTransactions other = new GlobalTransactions();
        Xid xid = branch(7);
        other.resource.start(xid, XAResource.TMNOFLAGS);
        other.send(other.one, "lost");
        other.resource.end(xid, XAResource.TMSUCCESS);
        other.connection.close();
        GlobalTransactions again = new GlobalTransactions();
        equal(0, again.recovered().size(), "branches");
        again.connection.close();
        equal(null, outside("QUEUE.1"));
    }

    private void leavePrepared() throws Exception {
        for (String text : new String[] {"got by the first", "got by the second"}) {
            try (JMSContext context = Factory.context()) {
                context.createProducer().send(context.createQueue(Settings.QUEUES + "QUEUE.1"), text);
            }
        }
        for (int number : new int[] {8, 9}) {
            Xid xid = branch(number);
            resource.start(xid, XAResource.TMNOFLAGS);
            equal(number == 8 ? "got by the first" : "got by the second", receive(one, WAIT_MS));
            send(two, "sent by " + number);
            resource.end(xid, XAResource.TMSUCCESS);
            equal(XAResource.XA_OK, resource.prepare(xid), "vote");
        }
        equal(2, recovered().size(), "branches");
    }

    private Set<String> recovered() throws Exception {
        Set<String> found = new HashSet<>();
        for (Xid xid : resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN)) {
            that(xid.getFormatId() == FORMAT, "format " + xid.getFormatId());
            equal(64, xid.getGlobalTransactionId().length, "length of the global identifier");
            found.add(new String(xid.getBranchQualifier()));
        }
        return found;
    }

    private void found() throws Exception {
        equal(Set.of("branch 8", "branch 9"), recovered(), "branches");
        equal(null, outside("QUEUE.1"));
        equal(null, outside("QUEUE.2"));
    }

    private void outcome() throws Exception {
        resource.commit(branch(8), false);
        resource.rollback(branch(9));
        equal("sent by 8", outside("QUEUE.2"));
        equal(null, outside("QUEUE.2"));
        equal("got by the second", outside("QUEUE.1"));
        equal(null, outside("QUEUE.1"));
    }
}
