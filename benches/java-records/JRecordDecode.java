import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.Writer;
import java.lang.management.ManagementFactory;

import net.sf.JRecord.Common.IFileStructureConstants;
import net.sf.cobolToJson.Cobol2Json;

/**
 * Decodes files of records of one length to JSON by CobolToJson, which is made of JRecord and cb2xml, on one thread. Run by
 * benches/src/record_file/peers.rs, which gives the copybook, a file that only warms up, and the file that is measured.
 *
 * Prints the processor time of this thread in nanoseconds, and the first records on one line.
 */
public final class JRecordDecode {
    private static final int SHOWN = 500;

    /** Keeps nothing but the beginning. */
    private static final class Beginning extends Writer {
        private final StringBuilder text = new StringBuilder();
        private long written;

        @Override
        public void write(char[] characters, int from, int length) {
            written += length;
            if (text.length() < SHOWN) {
                text.append(characters, from, Math.min(length, SHOWN));
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }

    public static void main(String[] arguments) throws Exception {
        decode(arguments[0], arguments[1]);
        var clock = ManagementFactory.getThreadMXBean();
        long begun = clock.getCurrentThreadCpuTime();
        String first = decode(arguments[0], arguments[2]);
        System.out.println((clock.getCurrentThreadCpuTime() - begun) + " " + first);
    }

    private static String decode(String copybook, String file) throws Exception {
        Beginning json = new Beginning();
        try (InputStream records = new BufferedInputStream(new FileInputStream(file), 1 << 20)) {
            Cobol2Json.newCobol2Json(copybook)
                .setFileOrganization(IFileStructureConstants.IO_FIXED_LENGTH)
                .setFont("cp037")
                .cobol2json(records, json);
        }
        if (json.written == 0) {
            throw new IllegalStateException(file + " has no records");
        }
        return json.text.toString().replaceAll("\\s+", " ");
    }
}
