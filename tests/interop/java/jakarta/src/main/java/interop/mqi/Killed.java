package interop.mqi;

import static interop.Checks.equal;
import static interop.mqi.Client.getOptions;

import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import interop.Checks;

/** "victim" stops in the middle of a unit of work and is killed there; "after" looks at what became of its messages. */
public final class Killed {
    private Killed() {}

    public static void main(String[] arguments) throws Exception {
        MQQueueManager manager = Client.connect();
        if (arguments[0].equals("victim")) {
            stopInTheMiddle(manager);
        } else {
            lookAfterwards(manager);
        }
    }

    private static void stopInTheMiddle(MQQueueManager manager) throws Exception {
        MQQueue one = Client.open(manager, "DEV.QUEUE.1");
        MQQueue two = Client.open(manager, "DEV.QUEUE.2");
        MQMessage persistent = Client.message("persistent");
        persistent.persistence = CMQC.MQPER_PERSISTENT;
        one.put(persistent);
        Client.put(one, "nonpersistent");
        MQPutMessageOptions underSyncpoint = new MQPutMessageOptions();
        underSyncpoint.options = CMQC.MQPMO_SYNCPOINT;
        two.put(Client.message("never committed"), underSyncpoint);
        equal("persistent", Client.get(one, new MQMessage(), getOptions(CMQC.MQGMO_SYNCPOINT)));
        equal("nonpersistent", Client.get(one, new MQMessage(), getOptions(CMQC.MQGMO_SYNCPOINT)));
        System.out.println("in the middle");
        System.out.flush();
        Thread.sleep(120_000);
    }

    private static void lookAfterwards(MQQueueManager manager) throws Exception {
        Checks checks = new Checks();
        MQQueue one = Client.open(manager, "DEV.QUEUE.1");
        MQQueue two = Client.open(manager, "DEV.QUEUE.2");
        checks.check("the messages that the victim had got are back, in their order, with their count raised", () -> {
            for (String text : new String[] {"persistent", "nonpersistent"}) {
                MQMessage back = new MQMessage();
                equal(text, Client.get(one, back, Client.waiting(30_000)));
                equal(1, back.backoutCount, "backout count");
            }
        });
        checks.check("what it had put is gone", () -> equal(0, two.getCurrentDepth(), "depth"));
        checks.check("nobody but this program has the queues open", () -> {
            equal(1, one.getOpenInputCount(), "opened for input");
            equal(1, two.getOpenOutputCount(), "opened for output");
        });
        checks.end();
    }
}
