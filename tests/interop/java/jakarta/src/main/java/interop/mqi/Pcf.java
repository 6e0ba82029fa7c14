package interop.mqi;

import static interop.Checks.equal;
import static interop.Checks.that;

import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.CMQCFC;
import com.ibm.mq.constants.CMQXC;
import com.ibm.mq.headers.pcf.PCFException;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import interop.Checks;
import java.util.Arrays;
import java.util.List;

/** Administration by PCF messages over the channel, with the agent that the classes for Java bring. */
public final class Pcf {
    private final MQQueueManager manager;
    private final PCFMessageAgent agent;

    private Pcf(MQQueueManager manager) throws Exception {
        this.manager = manager;
        this.agent = new PCFMessageAgent(manager);
        this.agent.setWaitInterval(20);
    }

    public static void main(String[] arguments) throws Exception {
        Checks checks = new Checks();
        Pcf pcf = new Pcf(Client.connectAsAdministrator());
        checks.check("queues are inquired by a pattern", pcf::inquireQueues);
        checks.check("names of queues are inquired", pcf::inquireNames);
        checks.check("a queue is created, changed, looked at, cleared and deleted", pcf::queue);
        checks.check("the status of a queue tells who has it open", pcf::queueStatus);
        checks.check("the queue manager is inquired", pcf::queueManager);
        checks.check("channels and their status are inquired", pcf::channels);
        checks.check("a command that fails tells its reason", pcf::failure);
        pcf.agent.disconnect();
        checks.end();
    }

    private void inquireQueues() throws Exception {
        PCFMessage request = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q);
        request.addParameter(CMQC.MQCA_Q_NAME, "DEV.QUEUE.*");
        request.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_LOCAL);
        request.addParameter(CMQCFC.MQIACF_Q_ATTRS,
            new int[] {CMQC.MQCA_Q_NAME, CMQC.MQIA_CURRENT_Q_DEPTH, CMQC.MQIA_MAX_Q_DEPTH});
        PCFMessage[] answers = agent.send(request);
        equal(3, answers.length, "queues");
        List<String> names = Arrays.stream(answers).map(answer -> string(answer, CMQC.MQCA_Q_NAME)).sorted().toList();
        equal(List.of("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"), names, "names");
        for (PCFMessage answer : answers) {
            equal(0, answer.getIntParameterValue(CMQC.MQIA_CURRENT_Q_DEPTH), "depth");
            equal(5000, answer.getIntParameterValue(CMQC.MQIA_MAX_Q_DEPTH), "maximum depth");
        }
    }

    private void inquireNames() throws Exception {
        PCFMessage request = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q_NAMES);
        request.addParameter(CMQC.MQCA_Q_NAME, "DEV.*");
        request.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_ALL);
        String[] names = agent.send(request)[0].getStringListParameterValue(CMQCFC.MQCACF_Q_NAMES);
        that(Arrays.stream(names).map(String::trim).toList().contains("DEV.DEAD.LETTER.QUEUE"), Arrays.toString(names));
    }

    private void queue() throws Exception {
        PCFMessage create = new PCFMessage(CMQCFC.MQCMD_CREATE_Q);
        create.addParameter(CMQC.MQCA_Q_NAME, "DEV.BY.PCF");
        create.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_LOCAL);
        create.addParameter(CMQC.MQCA_Q_DESC, "made by a program");
        agent.send(create);
        PCFMessage change = new PCFMessage(CMQCFC.MQCMD_CHANGE_Q);
        change.addParameter(CMQC.MQCA_Q_NAME, "DEV.BY.PCF");
        change.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_LOCAL);
        change.addParameter(CMQC.MQIA_MAX_Q_DEPTH, 77);
        agent.send(change);
        MQQueue queue = Client.open(manager, "DEV.BY.PCF");
        equal(77, queue.getMaximumDepth(), "maximum depth");
        equal("made by a program", queue.getDescription().trim(), "description");
        Client.put(queue, "to be cleared");
        queue.close();
        PCFMessage clear = new PCFMessage(CMQCFC.MQCMD_CLEAR_Q);
        clear.addParameter(CMQC.MQCA_Q_NAME, "DEV.BY.PCF");
        agent.send(clear);
        PCFMessage delete = new PCFMessage(CMQCFC.MQCMD_DELETE_Q);
        delete.addParameter(CMQC.MQCA_Q_NAME, "DEV.BY.PCF");
        agent.send(delete);
        Client.expect(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> manager.accessQueue("DEV.BY.PCF", CMQC.MQOO_OUTPUT));
    }

    private void queueStatus() throws Exception {
        MQQueue queue = Client.open(manager, "DEV.QUEUE.1");
        PCFMessage request = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q_STATUS);
        request.addParameter(CMQC.MQCA_Q_NAME, "DEV.QUEUE.1");
        request.addParameter(CMQCFC.MQIACF_Q_STATUS_TYPE, CMQCFC.MQIACF_Q_HANDLE);
        PCFMessage[] answers = agent.send(request);
        equal(1, answers.length, "handles");
        equal("interop program", string(answers[0], CMQCFC.MQCACF_APPL_TAG), "program");
        equal("DEV.ADMIN.SVRCONN", string(answers[0], CMQCFC.MQCACH_CHANNEL_NAME), "channel");
        queue.close();
    }

    private void queueManager() throws Exception {
        PCFMessage answer = agent.send(new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q_MGR))[0];
        equal("QM1", string(answer, CMQC.MQCA_Q_MGR_NAME), "name");
        PCFMessage status = agent.send(new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q_MGR_STATUS))[0];
        equal(CMQCFC.MQQMSTA_RUNNING, status.getIntParameterValue(CMQCFC.MQIACF_Q_MGR_STATUS), "status");
    }

    private void channels() throws Exception {
        PCFMessage request = new PCFMessage(CMQCFC.MQCMD_INQUIRE_CHANNEL);
        request.addParameter(CMQCFC.MQCACH_CHANNEL_NAME, "DEV.ADMIN.SVRCONN");
        PCFMessage[] channels = agent.send(request);
        equal(1, channels.length, "channels");
        equal(CMQXC.MQCHT_SVRCONN, channels[0].getIntParameterValue(CMQCFC.MQIACH_CHANNEL_TYPE), "type");
        PCFMessage inquire = new PCFMessage(CMQCFC.MQCMD_INQUIRE_CHANNEL_STATUS);
        inquire.addParameter(CMQCFC.MQCACH_CHANNEL_NAME, "DEV.*");
        PCFMessage[] running = agent.send(inquire);
        equal(1, running.length, "instances: the agent and this program share one");
        equal("DEV.ADMIN.SVRCONN", string(running[0], CMQCFC.MQCACH_CHANNEL_NAME), "channel");
        equal(CMQCFC.MQCHS_RUNNING, running[0].getIntParameterValue(CMQCFC.MQIACH_CHANNEL_STATUS), "status");
        equal("admin", string(running[0], CMQCFC.MQCACH_MCA_USER_ID), "user");
        that(running[0].getIntParameterValue(CMQCFC.MQIACH_CURRENT_SHARING_CONVS) >= 1, "conversations");
    }

    private void failure() throws Exception {
        PCFMessage request = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q);
        request.addParameter(CMQC.MQCA_Q_NAME, "DEV.NOT.THERE");
        try {
            agent.send(request);
        } catch (PCFException refused) {
            equal(CMQC.MQRC_UNKNOWN_OBJECT_NAME, refused.reasonCode, "reason");
            return;
        }
        throw new AssertionError("a queue that is not there was described");
    }

    private static String string(PCFMessage message, int parameter) {
        try {
            return message.getStringParameterValue(parameter).trim();
        } catch (PCFException missing) {
            throw new AssertionError("parameter " + parameter + " of " + message, missing);
        }
    }
}
