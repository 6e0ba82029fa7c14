package bench;

import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;

/** Where connections come from and what queues are called; settings are system properties that begin with {@code bench.}. */
interface Provider {
    /** {@code transport} is {@code plain} or {@code tls}. */
    ConnectionFactory factory(String transport) throws JMSException;

    String requests(String transport);

    String replies(int client);

    default String user() {
        return System.getProperty("bench.user");
    }

    default String password() {
        return System.getProperty("bench.password");
    }

    static Provider named(String name) {
        return switch (name) {
            case "mq" -> new Mq();
            case "amqp" -> new Amqp();
            default -> throw new IllegalArgumentException("bench.provider=" + name);
        };
    }

    /** The public MQ client for Jakarta Messaging. Responders are no JMS programs, so requests bear no RFH2. */
    final class Mq implements Provider {
        @Override
        public ConnectionFactory factory(String transport) throws JMSException {
            JmsConnectionFactory factory =
                JmsFactoryFactory.getInstance(WMQConstants.JAKARTA_WMQ_PROVIDER).createConnectionFactory();
            factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
            factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "127.0.0.1");
            factory.setIntProperty(WMQConstants.WMQ_PORT, Integer.getInteger("bench.port"));
            factory.setStringProperty(WMQConstants.WMQ_CHANNEL, System.getProperty("bench.channel." + transport));
            factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, "QM1");
            factory.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, true);
            if (transport.equals("tls")) {
                // The trust store is that of the virtual machine.
                factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, "TLS_AES_256_GCM_SHA384");
            }
            return factory;
        }

        @Override
        public String requests(String transport) {
            return "queue:///" + System.getProperty("bench.requests." + transport) + "?targetClient=1";
        }

        @Override
        public String replies(int client) {
            return "queue:///" + System.getProperty("bench.replies") + client + "?targetClient=1";
        }
    }

    /** Qpid JMS: AMQP 1.0. */
    final class Amqp implements Provider {
        @Override
        public ConnectionFactory factory(String transport) {
            return new org.apache.qpid.jms.JmsConnectionFactory(System.getProperty("bench.uri." + transport));
        }

        @Override
        public String requests(String transport) {
            return System.getProperty("bench.requests." + transport);
        }

        @Override
        public String replies(int client) {
            return System.getProperty("bench.replies") + client;
        }
    }
}
