import java.io.File;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;
import org.apache.activemq.web.MessageServlet;
import org.eclipse.jetty.security.ConstraintMapping;
import org.eclipse.jetty.security.ConstraintSecurityHandler;
import org.eclipse.jetty.security.HashLoginService;
import org.eclipse.jetty.security.UserStore;
import org.eclipse.jetty.security.authentication.BasicAuthenticator;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.security.Constraint;
import org.eclipse.jetty.util.security.Credential;

/** A broker with its REST interface on loopback, behind Basic authentication. Arguments: folder of the store, port. */
public class ActiveMq {
    private static final String ROLE = "admins";

    public static void main(String[] arguments) throws Exception {
        startBroker(new File(arguments[0]));
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(arguments[1]));
        server.addConnector(connector);
        server.setHandler(messages());
        server.start();
        server.join();
    }

    private static void startBroker(File store) throws Exception {
        KahaDBPersistenceAdapter persistence = new KahaDBPersistenceAdapter();
        persistence.setDirectory(store);
        persistence.setJournalDiskSyncStrategy("ALWAYS");
        BrokerService broker = new BrokerService();
        broker.setBrokerName("localhost");
        broker.setUseJmx(false);
        broker.setPersistenceAdapter(persistence);
        broker.start();
        broker.waitUntilStarted();
    }

    private static ServletContextHandler messages() {
        ServletContextHandler context = new ServletContextHandler(ServletContextHandler.SESSIONS | ServletContextHandler.SECURITY);
        context.setContextPath("/api");
        context.setInitParameter("org.apache.activemq.brokerURL", "vm://localhost?create=false");
        ServletHolder servlet = new ServletHolder(new MessageServlet());
        servlet.setAsyncSupported(true);
        context.addServlet(servlet, "/message/*");
        secure((ConstraintSecurityHandler) context.getSecurityHandler());
        return context;
    }

    private static void secure(ConstraintSecurityHandler security) {
        UserStore users = new UserStore();
        users.addUser("admin", Credential.getCredential("admin"), new String[] {ROLE});
        HashLoginService logins = new HashLoginService("ActiveMQ");
        logins.setUserStore(users);
        Constraint constraint = new Constraint("BASIC", ROLE);
        constraint.setAuthenticate(true);
        ConstraintMapping mapping = new ConstraintMapping();
        mapping.setConstraint(constraint);
        mapping.setPathSpec("/*");
        security.addConstraintMapping(mapping);
        security.setAuthenticator(new BasicAuthenticator());
        security.setLoginService(logins);
    }
}
