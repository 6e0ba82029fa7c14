import java.io.FileInputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import scala.Function1;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.BoxedUnit;
import za.co.absa.cobrix.cobol.parser.Copybook;
import za.co.absa.cobrix.cobol.parser.CopybookParser$;
import za.co.absa.cobrix.cobol.parser.ast.Group;
import za.co.absa.cobrix.cobol.parser.ast.Statement;
import za.co.absa.cobrix.cobol.reader.extractors.record.RecordExtractors$;
import za.co.absa.cobrix.cobol.reader.extractors.record.RecordHandler;

/**
 * Decodes files of records of one length to JSON lines by the parser of Cobrix, without Spark, on one thread. Run by
 * benches/src/record_file/peers.rs, which gives the copybook, a file that only warms up, and the file that is measured.
 *
 * Prints the processor time of this thread in nanoseconds, and the first line of JSON.
 */
public final class CobrixDecode {
    private static final int RECORDS_AT_A_TIME = 4096;

    /** Makes a JSON object of each group. */
    private static final class Json implements RecordHandler<StringBuilder> {
        private final Map<Group, String[]> names = new IdentityHashMap<>();

        private String[] names(Group group) {
            List<String> found = new ArrayList<>();
            Iterator<Statement> children = group.children().iterator();
            while (children.hasNext()) {
                Statement child = children.next();
                if (!child.isFiller()) {
                    found.add("\"" + child.name() + "\":");
                }
            }
            return found.toArray(new String[0]);
        }

        @Override
        public StringBuilder create(Object[] values, Group group) {
            String[] own = names.computeIfAbsent(group, this::names);
            StringBuilder json = new StringBuilder(512).append('{');
            for (int index = 0; index < values.length; index++) {
                Object value = values[index];
                json.append(index > 0 ? "," : "").append(own[index]);
                if (value instanceof String text) {
                    json.append('"').append(text).append('"');
                } else {
                    json.append(value);
                }
            }
            return json.append('}');
        }

        @Override
        public Seq<Object> toSeq(StringBuilder value) {
            throw new UnsupportedOperationException("no value is taken apart");
        }

        @Override
        public void foreach(StringBuilder value, Function1<Object, BoxedUnit> each) {
            throw new UnsupportedOperationException("no value is taken apart");
        }
    }

    public static void main(String[] arguments) throws Exception {
        CopybookParser$ parser = CopybookParser$.MODULE$;
        Copybook copybook = parser.parseSimple(
            Files.readString(Path.of(arguments[0])), parser.parseSimple$default$2(), parser.parseSimple$default$3(),
            parser.parseSimple$default$4(), parser.parseSimple$default$5());
        decode(copybook, arguments[1]);
        var clock = ManagementFactory.getThreadMXBean();
        long begun = clock.getCurrentThreadCpuTime();
        String first = decode(copybook, arguments[2]);
        System.out.println((clock.getCurrentThreadCpuTime() - begun) + " " + first);
    }

    /** Decodes all of a file; gives its first line. */
    private static String decode(Copybook copybook, String file) throws Exception {
        int length = copybook.getRecordSize();
        byte[] block = new byte[length * RECORDS_AT_A_TIME];
        byte[] record = new byte[length];
        Json handler = new Json();
        long written = 0;
        String first = null;
        try (InputStream input = new FileInputStream(file)) {
            for (int found; (found = input.readNBytes(block, 0, block.length)) > 0; ) {
                for (int at = 0; at + length <= found; at += length) {
                    System.arraycopy(block, at, record, 0, length);
                    String json = line(copybook, record, handler);
                    written += json.length();
                    first = first == null ? json : first;
                }
            }
        }
        if (written == 0) {
            throw new IllegalStateException(file + " has no records");
        }
        return first;
    }

    private static String line(Copybook copybook, byte[] record, RecordHandler<StringBuilder> handler) {
        RecordExtractors$ extractors = RecordExtractors$.MODULE$;
        ClassTag<StringBuilder> tag = ClassTag$.MODULE$.apply(StringBuilder.class);
        Seq<Object> values = extractors.extractRecord(
            copybook.ast(), record, extractors.extractRecord$default$3(), extractors.extractRecord$default$4(),
            extractors.extractRecord$default$5(), extractors.extractRecord$default$6(),
            extractors.extractRecord$default$7(), extractors.extractRecord$default$8(),
            extractors.extractRecord$default$9(), extractors.extractRecord$default$10(),
            extractors.extractRecord$default$11(), extractors.extractRecord$default$12(),
            extractors.extractRecord$default$13(), handler, tag);
        return String.valueOf(values.apply(0));
    }
}
