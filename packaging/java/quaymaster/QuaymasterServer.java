package quaymaster;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * {@code quaymaster serve --ephemeral}: on free ports, in memory, gone when it is closed.
 *
 * <p>{@code put}, {@code get} and {@code browse} act as the user {@code app}, who has authority for queues below {@code DEV.}; {@code define} and
 * {@code mqsc} as the administrator.
 */
public final class QuaymasterServer implements AutoCloseable {
    private static final String ADMINISTRATOR = "admin";
    private static final String CHANNEL = "DEV.APP.SVRCONN";
    /** More than the 30 seconds that the server gives to work in progress when it ends. */
    private static final long END_SECONDS = 40;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String queueManager;
    private final String password = randomPassword();
    private final String administratorPassword = randomPassword();
    private final StringBuffer log = new StringBuffer();
    private final Process process;
    private final Thread reader;
    private final Thread hook;
    private final String ready;
    private final Recordings recordings = new Recordings(this);

    /** A server of queue manager QM1. */
    public static QuaymasterServer start() {
        return start("QM1", false);
    }

    /**
     * Returns when the server is ready.
     *
     * @param testControl its clock can be moved, its calls made to fail, and its traffic recorded and mocked
     * @param arguments further arguments of {@code serve}
     */
    public static QuaymasterServer start(String queueManager, boolean testControl, String... arguments) {
        try {
            return new QuaymasterServer(queueManager, testControl, arguments);
        } catch (IOException error) {
            throw new UncheckedIOException("cannot start Quaymaster", error);
        }
    }

    private QuaymasterServer(String queueManager, boolean testControl, String... arguments) throws IOException {
        this.queueManager = queueManager;
        List<String> words = new ArrayList<>(Arrays.asList("serve", "--ephemeral", "--qmgr", queueManager));
        for (String listener : new String[] {"--https", "--http", "--mq"}) {
            Collections.addAll(words, listener, "127.0.0.1:0");
        }
        Collections.addAll(words, "--metrics", "off");
        if (testControl) {
            words.add("--test-control");
        }
        Collections.addAll(words, arguments);
        ProcessBuilder builder = program(words);
        builder.environment().put("MQ_APP_PASSWORD", password);
        builder.environment().put("MQ_ADMIN_PASSWORD", administratorPassword);
        process = builder.start();
        hook = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(hook);
        reader = new Thread(this::readLog, "quaymaster-log");
        reader.setDaemon(true);
        reader.start();
        // The line comes when the server is ready, and no other after it.
        String line = lines(process.getInputStream()).readLine();
        if (line == null) {
            close();
            throw new IOException("the server did not become ready:\n" + log);
        }
        ready = line;
    }

    /** The program without the variables that a server reads. */
    private static ProcessBuilder program(List<String> words) {
        List<String> command = new ArrayList<>(words);
        command.add(0, Program.path().toString());
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("MQ_") || name.startsWith("QUAYMASTER_"));
        return builder;
    }

    private void readLog() {
        try (BufferedReader lines = lines(process.getErrorStream())) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                log.append(line).append('\n');
            }
        } catch (IOException closed) {
            // The process has ended.
        }
    }

    /** Ends the server. What it holds is gone. A second call does nothing. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            reader.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The hook runs already.
        }
    }

    public String queueManager() {
        return queueManager;
    }

    /** Name of the user of programs. */
    public String user() {
        return "app";
    }

    public String password() {
        return password;
    }

    public String administrator() {
        return ADMINISTRATOR;
    }

    public String administratorPassword() {
        return administratorPassword;
    }

    /** What the server has logged so far. */
    public String log() {
        return log.toString();
    }

    /** Host of the MQ listener. */
    public String host() {
        return member(ready, "mq").replaceAll(":\\d+$", "");
    }

    /** Port of the MQ listener. */
    public int port() {
        return Integer.parseInt(member(ready, "mq").replaceAll("^.*:", ""));
    }

    /** The channel that lets the user of programs in. */
    public String channel() {
        return CHANNEL;
    }

    /** {@code host(port)}, as connection names are written. */
    public String connectionName() {
        return host() + "(" + port() + ")";
    }

    /** Properties of the Spring Boot starter for MQ, for a {@code DynamicPropertyRegistry}. */
    public Map<String, String> springProperties() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("ibm.mq.queueManager", queueManager);
        properties.put("ibm.mq.channel", CHANNEL);
        properties.put("ibm.mq.connName", connectionName());
        properties.put("ibm.mq.user", user());
        properties.put("ibm.mq.password", password);
        return properties;
    }

    /** Base of HTTP addresses without TLS. */
    public String http() {
        return "http://" + member(ready, "http");
    }

    /** Base of HTTPS addresses; {@link #caFile} has the authority to trust. */
    public String https() {
        return "https://" + member(ready, "https");
    }

    /** The authority that signed the server's certificate. */
    public Path caFile() {
        return folder().resolve("tls").resolve("ca.crt");
    }

    private Path folder() {
        return Paths.get(member(ready, "dataDirectory"));
    }

    /**
     * Runs one MQSC command as the administrator.
     *
     * @return the lines of its answer
     * @throws MqscException the command failed
     */
    public List<String> mqsc(String command) {
        try {
            ProcessBuilder builder = program(Arrays.asList("mqsc", "--data", folder().toString(), queueManager, command));
            Process process = builder.redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text = new String(bytes(process.getInputStream()), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new MqscException(command + ": " + text);
            }
            return Arrays.asList(text.split("\n"));
        } catch (IOException error) {
            throw new UncheckedIOException(command, error);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(command, interrupted);
        }
    }

    /** {@code define("QLOCAL(A) MAXDEPTH(5)")}: makes or replaces an object. */
    public List<String> define(String definition) {
        return mqsc("DEFINE " + definition + " REPLACE");
    }

    /** Puts a text as the user of programs. Headers are names and values in turn, such as {@code "ibm-mq-md-expiry", "60000"}. */
    public void put(String queue, String text, String... headers) {
        List<String> all = new ArrayList<>(Arrays.asList("Content-Type", "text/plain;charset=utf-8"));
        Collections.addAll(all, headers);
        request("POST", messages(queue), text, false, all.toArray(new String[0]));
    }

    /** Gets and removes the next message as a text; null when there is none. */
    public String get(String queue) {
        return get(queue, Duration.ZERO);
    }

    /** Gets and removes the next message as a text; null when there is none within this time. */
    public String get(String queue, Duration wait) {
        return request("DELETE", messages(queue) + (wait.isZero() ? "" : "?wait=" + wait.toMillis()), "", false);
    }

    /** The next message as a text, which stays; null when there is none. */
    public String browse(String queue) {
        return request("GET", messages(queue), null, false);
    }

    private String messages(String queue) {
        return "/ibmmq/rest/v3/messaging/qmgr/" + encoded(queueManager) + "/queue/" + encoded(queue) + "/message";
    }

    /**
     * Makes a rule: which calls or requests fail, and how. Members and values stand in turn, such as
     * {@code "queue", "DEV.QUEUE.1", "verb", "put", "reason", 2053, "times", 1}; docs/test-control.md has them all.
     *
     * @return the id of the rule
     */
    public String fault(Object... members) {
        return member(control("POST", "faults", members), "id");
    }

    /** Deletes all rules. */
    public void clearFaults() {
        control("DELETE", "faults");
    }

    /** Moves the clock forward. What expires or ends until then does. Returns the new time. */
    public Instant advance(Duration duration) {
        return Instant.parse(member(control("POST", "clock", "advance", duration.toMillis() + "ms"), "now"));
    }

    /** Sets the clock. Returns the new time. */
    public Instant setClock(Instant moment, boolean running) {
        return Instant.parse(member(control("POST", "clock", "set", moment.toString(), "running", running), "now"));
    }

    /** Takes a snapshot of the queue manager, which must have no unit of work open. Returns its id. */
    public String snapshot() {
        return member(control("POST", "qmgr/" + encoded(queueManager) + "/snapshots"), "id");
    }

    /** Restores the queue manager as it was. Clients are cut off, and connect again. */
    public void restore(String snapshot) {
        control("POST", "snapshots/" + snapshot + "/restore");
    }

    /** What runs while traffic is recorded. */
    @FunctionalInterface
    public interface Body {
        void run() throws Exception;
    }

    /** As the other {@code record}, without calls of API requesters. */
    public void record(Path file, List<String> queues, Body body) throws Exception {
        record(file, queues, false, body);
    }

    /**
     * Writes to a file what programs put and get while the body runs. A body that fails writes none.
     *
     * @param queues names, which may end in an asterisk
     * @param calls calls of API requesters are recorded too
     * @throws Exception what the body throws
     */
    public void record(Path file, List<String> queues, boolean calls, Body body) throws Exception {
        recordings.record(file, queues, calls, body);
    }

    /** As the other {@code mock}, on all queues that were recorded, for requests of the same body. */
    public void mock(Path file) {
        mock(file, Collections.emptyList(), Collections.singletonList("body"));
    }

    /**
     * Answers in place of the recorded programs and APIs, until {@link #stopMock} or the end of the server.
     *
     * @param queues requests on other queues are left alone; none: all
     * @param like in what a request is like the recorded one: some of body, correlationId, format and type
     */
    public void mock(Path file, List<String> queues, List<String> like) {
        recordings.mock(file, queues, like);
    }

    /** Requests are not answered any more, and API requesters call their APIs. */
    public void stopMock() {
        recordings.stopMock();
    }

    /** Puts again what was put, at once. Without names of queues: to all. Returns the number of messages. */
    public int replay(Path file, String... queues) {
        return recordings.replay(file, Arrays.asList(queues));
    }

    String control(String method, String resource, Object... members) {
        // A GET with a body would be sent as a POST.
        String none = method.equals("GET") ? null : "";
        return test(method, resource, members.length == 0 ? none : object(members));
    }

    String test(String method, String resource, String body) {
        return request(method, "/api/v1/test/" + resource, body, true, "Content-Type", "application/json");
    }

    /**
     * A request to REST.
     *
     * @param path begins with a slash
     * @param body null: none
     * @param headers names and values in turn
     * @return the answer's body; null for status 204
     * @throws RestException the status is 400 or more
     */
    public String request(String method, String path, String body, boolean asAdministrator, String... headers) {
        String login = asAdministrator ? ADMINISTRATOR + ":" + administratorPassword : user() + ":" + password;
        try {
            // No proxy is between a test and its server.
            HttpURLConnection connection = (HttpURLConnection) new URL(http() + path).openConnection(Proxy.NO_PROXY);
            connection.setRequestMethod(method);
            connection.setRequestProperty("Authorization", "Basic " + Base64.getEncoder().encodeToString(utf8(login)));
            connection.setRequestProperty("ibm-mq-rest-csrf-token", "x");
            for (int at = 0; at + 1 < headers.length; at += 2) {
                connection.setRequestProperty(headers[at], headers[at + 1]);
            }
            if (body != null) {
                byte[] bytes = utf8(body);
                connection.setDoOutput(true);
                // A request of known length is not repeated when its answer is lost.
                connection.setFixedLengthStreamingMode(bytes.length);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(bytes);
                }
            }
            int status = connection.getResponseCode();
            try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                String text = in == null ? "" : new String(bytes(in), StandardCharsets.UTF_8);
                if (status >= 400) {
                    throw new RestException(status, text);
                }
                return status == 204 ? null : text;
            }
        } catch (IOException error) {
            throw new UncheckedIOException(method + " " + path, error);
        }
    }

    /** A JSON object of names and values in turn. */
    private static String object(Object... members) {
        StringBuilder text = new StringBuilder("{");
        for (int at = 0; at + 1 < members.length; at += 2) {
            text.append(at == 0 ? "" : ",").append(quoted(members[at])).append(':');
            Object value = members[at + 1];
            text.append(json(value));
        }
        return text.append('}').toString();
    }

    private static String json(Object value) {
        if (value instanceof List) {
            return ((List<?>) value).stream().map(QuaymasterServer::json).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof Number || value instanceof Boolean ? value.toString() : quoted(value);
    }

    private static String quoted(Object value) {
        return '"' + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** A member of a JSON object that the server writes: a text without escapes. */
    private static String member(String object, String name) {
        Matcher matcher = Pattern.compile('"' + name + "\":\"([^\"]*)\"").matcher(object);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + name + " in " + object);
        }
        return matcher.group(1);
    }

    private static String encoded(String name) {
        try {
            return URLEncoder.encode(name, "UTF-8");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static String randomPassword() {
        byte[] bytes = new byte[18];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static BufferedReader lines(InputStream in) {
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    private static byte[] bytes(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        for (int length = in.read(part); length >= 0; length = in.read(part)) {
            out.write(part, 0, length);
        }
        return out.toByteArray();
    }
}
