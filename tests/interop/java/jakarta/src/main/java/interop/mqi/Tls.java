package interop.mqi;

import static interop.Checks.equal;
import static interop.mqi.Client.expect;

import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;
import interop.Checks;
import interop.Settings;
import java.io.FileInputStream;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.Security;
import java.util.Hashtable;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Channels with TLS: the server's certificate alone, certificates of both sides, and what is refused. */
public final class Tls {
    private static final String[] SUITES = {
        "TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    };
    /** Served by the second library, where the configuration names them. */
    private static final String[] OLD_SUITES = {
        "TLS_RSA_WITH_AES_128_CBC_SHA256", "TLS_RSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384",
    };
    private static final char[] STORE_PASSWORD = "store-password".toCharArray();
    private static final String STORES = System.getProperty("mq.stores", ".");

    private Tls() {}

    public static void main(String[] arguments) throws Exception {
        // Newer versions of Java switch suites with a static RSA key off.
        Security.setProperty("jdk.tls.disabledAlgorithms", "");
        Checks checks = new Checks();
        for (int number = 0; number < OLD_SUITES.length; number++) {
            String suite = OLD_SUITES[number];
            String channel = "DEV.OLD." + number;
            checks.check("an old channel is served with " + suite,
                () -> works(channel, suite, factory(null), Settings.PASSWORD));
        }
        checks.check("an old channel with the alias of the client for 1.2 or higher is refused",
            () -> refused(2397, "DEV.OLD.0", "*TLS12ORHIGHER", factory(null), Settings.PASSWORD));
        checks.check("a channel for any cipher refuses an old one",
            () -> refused(2397, "DEV.TLS.SVRCONN", OLD_SUITES[0], factory(null), Settings.PASSWORD));
        checks.check("an old cipher that is not configured is refused",
            () -> refused(2397, "DEV.TLS.SVRCONN", "TLS_RSA_WITH_AES_256_CBC_SHA256", factory(null), Settings.PASSWORD));
        checks.check("a program's certificate lets it in with an old cipher too",
            () -> works("DEV.OLD.MUTUAL", OLD_SUITES[0], factory("orders"), Settings.PASSWORD));
        checks.check("a program whose certificate has another name is refused with an old cipher too",
            () -> refused(2397, "DEV.OLD.MUTUAL", OLD_SUITES[0], factory("payments"), Settings.PASSWORD));
        checks.check("a certificate can stand for the user with an old cipher too",
            () -> works("DEV.OLD.MAPPED", OLD_SUITES[0], factory("orders"), null));
        for (String suite : SUITES) {
            checks.check("TLS with the server's certificate and " + suite,
                () -> works("DEV.TLS.SVRCONN", suite, factory(null), Settings.PASSWORD));
        }
        checks.check("TLS with the alias of the client for 1.2 or higher",
            () -> works("DEV.TLS.SVRCONN", "*TLS12ORHIGHER", factory(null), Settings.PASSWORD));
        checks.check("a wrong password is refused inside TLS too", () -> refused(2035, "DEV.TLS.SVRCONN",
            SUITES[0], factory(null), "wrong"));
        checks.check("a channel with TLS refuses a plain connection",
            () -> refused(2397, "DEV.TLS.SVRCONN", null, null, Settings.PASSWORD));
        checks.check("a channel with one cipher refuses another",
            () -> refused(2397, "DEV.ONE.CIPHER", "TLS_AES_256_GCM_SHA384", factory(null), Settings.PASSWORD));
        checks.check("a channel with one cipher takes it",
            () -> works("DEV.ONE.CIPHER", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", factory(null), Settings.PASSWORD));
        checks.check("a program's certificate lets it in where one is required",
            () -> works("DEV.MUTUAL.SVRCONN", SUITES[0], factory("orders"), Settings.PASSWORD));
        checks.check("a program without a certificate is refused there",
            () -> refused(2397, "DEV.MUTUAL.SVRCONN", SUITES[0], factory(null), Settings.PASSWORD));
        checks.check("a program whose certificate has another name is refused there",
            () -> refused(2397, "DEV.MUTUAL.SVRCONN", SUITES[0], factory("payments"), Settings.PASSWORD));
        checks.check("a certificate can stand for the user", () -> works("DEV.MAPPED.SVRCONN", SUITES[0],
            factory("orders"), null));
        checks.check("a certificate that stands for nobody is refused",
            () -> refused(2035, "DEV.MAPPED.SVRCONN", SUITES[0], factory("payments"), null));
        checks.check("TLS on a channel without a cipher is refused",
            () -> refused(2397, "DEV.APP.SVRCONN", SUITES[0], factory(null), Settings.PASSWORD));
        checks.end();
    }

    private static void works(String channel, String suite, SSLSocketFactory factory, String password)
            throws Exception {
        MQQueueManager manager = new MQQueueManager(Settings.QUEUE_MANAGER, properties(channel, suite, factory, password));
        MQQueue queue = Client.open(manager, "DEV.QUEUE.1");
        for (int size : new int[] {10, 100_000}) {
            Client.put(queue, "x".repeat(size));
            equal("x".repeat(size), Client.get(queue));
        }
        queue.close();
        manager.disconnect();
    }

    private static void refused(int reason, String channel, String suite, SSLSocketFactory factory, String password)
            throws Exception {
        expect(reason, () -> new MQQueueManager(Settings.QUEUE_MANAGER, properties(channel, suite, factory, password)));
    }

    private static Hashtable<String, Object> properties(String channel, String suite, SSLSocketFactory factory,
            String password) {
        Hashtable<String, Object> properties = Client.properties();
        properties.put(MQConstants.CHANNEL_PROPERTY, channel);
        if (password == null) {
            properties.remove(MQConstants.USER_ID_PROPERTY);
            properties.remove(MQConstants.PASSWORD_PROPERTY);
        } else {
            properties.put(MQConstants.PASSWORD_PROPERTY, password);
        }
        if (suite != null) {
            properties.put(MQConstants.SSL_CIPHER_SUITE_PROPERTY, suite);
            properties.put(MQConstants.SSL_SOCKET_FACTORY_PROPERTY, factory);
        }
        return properties;
    }

    /** Sockets that trust the server's authority and, when a name is given, show the certificate of that name. */
    static SSLSocketFactory factory(String name) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store("trust"));
        KeyManager[] keys = null;
        if (name != null) {
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(store(name), STORE_PASSWORD);
            keys = own.getKeyManagers();
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    private static KeyStore store(String name) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream file = new FileInputStream(STORES + "/" + name + ".p12")) {
            store.load(file, STORE_PASSWORD);
        }
        return store;
    }
}
