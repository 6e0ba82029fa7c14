package bench;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.MQConstants;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Hashtable;

/**
 * Puts and gets messages in a closed loop by the classes for Java, each thread on a connection and a queue of its own, as the
 * measuring program says on standard input: {@code run PERSISTENT|NONPERSISTENT THREADS}, {@code count}, {@code stop}; each is
 * answered by one line with the pairs so far.
 */
public final class PutGet {
    private static final byte[] BODY = new byte[1024];
    private static final Clients CLIENTS = new Clients();

    private PutGet() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.trim().split(" ");
            switch (words[0]) {
                case "run" -> CLIENTS.start(Integer.parseInt(words[2]), number -> pairs(words[1].equals("PERSISTENT"), number));
                case "count" -> { }
                case "stop" -> CLIENTS.finish();
                default -> throw new IllegalArgumentException(line);
            }
            System.out.println(words[0] + " " + CLIENTS.done());
        }
    }

    private static void pairs(boolean persistent, int number) throws Exception {
        MQQueueManager manager = new MQQueueManager("QM1", properties());
        MQQueue queue = manager.accessQueue(System.getProperty("bench.queues") + number, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT);
        MQPutMessageOptions put = new MQPutMessageOptions();
        put.options = CMQC.MQPMO_NO_SYNCPOINT;
        MQGetMessageOptions get = new MQGetMessageOptions();
        get.options = CMQC.MQGMO_NO_SYNCPOINT;
        byte[] body = new byte[BODY.length];
        CLIENTS.repeat(() -> {
            MQMessage message = new MQMessage();
            message.persistence = persistent ? CMQC.MQPER_PERSISTENT : CMQC.MQPER_NOT_PERSISTENT;
            message.write(BODY);
            queue.put(message, put);
            MQMessage got = new MQMessage();
            queue.get(got, get);
            got.readFully(body);
        });
        manager.disconnect();
    }

    private static Hashtable<String, Object> properties() {
        Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(MQConstants.TRANSPORT_PROPERTY, MQConstants.TRANSPORT_MQSERIES_CLIENT);
        properties.put(MQConstants.HOST_NAME_PROPERTY, "127.0.0.1");
        properties.put(MQConstants.PORT_PROPERTY, Integer.getInteger("bench.port"));
        properties.put(MQConstants.CHANNEL_PROPERTY, System.getProperty("bench.channel.plain"));
        properties.put(MQConstants.USER_ID_PROPERTY, System.getProperty("bench.user"));
        properties.put(MQConstants.PASSWORD_PROPERTY, System.getProperty("bench.password"));
        return properties;
    }
}
