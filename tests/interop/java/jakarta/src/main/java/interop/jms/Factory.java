package interop.jms;

import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import interop.Settings;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Session;

/** What the JMS programs share: connecting as `app`, sessions, an empty queue to begin with. */
final class Factory {
    private Factory() {}

    static JmsConnectionFactory connectionFactory() throws JMSException {
        JmsConnectionFactory factory =
            JmsFactoryFactory.getInstance(WMQConstants.JAKARTA_WMQ_PROVIDER).createConnectionFactory();
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, Settings.HOST);
        factory.setIntProperty(WMQConstants.WMQ_PORT, Settings.PORT);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, Settings.CHANNEL);
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, Settings.QUEUE_MANAGER);
        factory.setStringProperty(WMQConstants.WMQ_APPLICATIONNAME, "interop program");
        factory.setStringProperty(WMQConstants.USERID, Settings.USER);
        factory.setStringProperty(WMQConstants.PASSWORD, Settings.PASSWORD);
        factory.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, true);
        return factory;
    }

    static JMSContext context(int mode) throws JMSException {
        return connectionFactory().createContext(mode);
    }

    static JMSContext context() throws JMSException {
        return context(JMSContext.AUTO_ACKNOWLEDGE);
    }

    /** A started connection of the older interface. */
    static Connection connection() throws JMSException {
        Connection connection = connectionFactory().createConnection();
        connection.start();
        return connection;
    }

    static Session session(Connection connection) throws JMSException {
        return connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }
}
