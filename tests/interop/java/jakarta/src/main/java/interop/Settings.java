package interop;

/** Where the server is and who this program is there, as the test says in system properties. */
public final class Settings {
    /** That of a queue manager, or of a queue-sharing group. */
    public static final String QUEUE_MANAGER = System.getProperty("mq.queue.manager", "QM1");
    /** What the names of the queues begin with. */
    public static final String QUEUES = System.getProperty("mq.queues", "DEV.");
    /** A private queue of a member of the group that QUEUE_MANAGER names; null: it is a queue manager's name. */
    public static final String PRIVATE_QUEUE = System.getProperty("mq.private.queue");
    public static final String HOST = System.getProperty("mq.host", "127.0.0.1");
    public static final int PORT = Integer.getInteger("mq.port", 1414);
    public static final String CHANNEL = System.getProperty("mq.channel", "DEV.APP.SVRCONN");
    public static final String USER = "app";
    public static final String PASSWORD = System.getProperty("mq.app.password", "passw0rd");
    public static final String ADMINISTRATOR = "admin";
    public static final String ADMINISTRATOR_CHANNEL = "DEV.ADMIN.SVRCONN";
    public static final String ADMINISTRATOR_PASSWORD = System.getProperty("mq.admin.password", "passw0rd");

    private Settings() {}
}
