package quaymaster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server records, mocks and replays. Its files are lines of JSON, one for each message and one for each call of an API requester.
 */
final class Recordings {
    /** An object without another in it, as a call is; a message is none. */
    private static final Pattern CALL = Pattern.compile("\\{(?:[^\"{}]++|\"(?:[^\"\\\\]++|\\\\.)*+\")*+\\}");

    private final QuaymasterServer server;

    Recordings(QuaymasterServer server) {
        this.server = server;
    }

    void record(Path file, List<String> queues, boolean calls, QuaymasterServer.Body body) throws Exception {
        if (!queues.isEmpty() || !calls) {
            server.control("PUT", "traffic", "mode", "record", "queues", queues);
        }
        if (calls) {
            server.control("PUT", "exchanges", "mode", "record", "exchanges", Collections.emptyList());
        }
        String traffic;
        String exchanges;
        try {
            body.run();
        } finally {
            traffic = server.control("GET", "traffic");
            exchanges = server.control("GET", "exchanges");
            stopMock();
        }
        StringBuilder text = new StringBuilder(queues.isEmpty() ? "" : server.control("GET", "traffic/records"));
        // What is before them is an object as well.
        Matcher call = CALL.matcher(exchanges).region(exchanges.indexOf("\"exchanges\":"), exchanges.length());
        while (calls && call.find()) {
            text.append(call.group()).append('\n');
        }
        Files.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
        long leftOut = leftOut(traffic) + leftOut(exchanges);
        if (leftOut > 0) {
            throw new IllegalStateException(file + " lacks " + leftOut + " messages and calls, for which the server had no room");
        }
    }

    private static long leftOut(String shown) {
        Matcher matcher = Pattern.compile("\"leftOut\":(\\d+)").matcher(shown);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    void mock(Path file, List<String> queues, List<String> like) {
        Recorded recorded = new Recorded(file);
        if (recorded.messages.length() > 0) {
            load(recorded);
            server.control("PUT", "traffic", "mode", "mock", "queues", queues, "like", like);
        }
        if (recorded.calls.length() > 0) {
            server.test("PUT", "exchanges", "{\"mode\":\"replay\",\"exchanges\":[" + recorded.calls + "]}");
        }
    }

    void stopMock() {
        server.control("PUT", "traffic", "mode", "off");
        server.control("PUT", "exchanges", "mode", "off");
    }

    int replay(Path file, List<String> queues) {
        load(new Recorded(file));
        return Integer.parseInt(server.control("POST", "traffic/replay", "queues", queues).replaceAll("\\D", ""));
    }

    private void load(Recorded recorded) {
        server.test("PUT", "traffic/records", recorded.messages.toString());
    }

    /** What a file has. */
    private static final class Recorded {
        /** Lines, each with its end. */
        private final StringBuilder messages = new StringBuilder();
        /** Elements of an array. */
        private final StringBuilder calls = new StringBuilder();

        Recorded(Path file) {
            try {
                for (String line : Files.readAllLines(file)) {
                    if (CALL.matcher(line.trim()).matches()) {
                        calls.append(calls.length() == 0 ? "" : ",").append(line);
                    } else if (!line.trim().isEmpty()) {
                        messages.append(line).append('\n');
                    }
                }
            } catch (IOException error) {
                throw new UncheckedIOException("cannot read " + file, error);
            }
            if (messages.length() == 0 && calls.length() == 0) {
                throw new IllegalArgumentException("nothing is recorded in " + file);
            }
        }
    }
}
