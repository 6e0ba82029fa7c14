import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;

/**
 * Decodes files of records of one length to JSON lines by Cobrix as a data source of Spark, on one core. Run by
 * benches/src/record_file/peers.rs, which gives the copybook, a file that only warms up, and the file that is measured.
 *
 * Prints the processor time of this process for the measured file in nanoseconds, and the first line of JSON.
 */
public final class SparkDecode {
    public static void main(String[] arguments) {
        SparkSession spark = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate();
        decode(spark, arguments[0], arguments[1]);
        OperatingSystemMXBean clock = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long begun = clock.getProcessCpuTime();
        Dataset<String> lines = decode(spark, arguments[0], arguments[2]);
        long used = clock.getProcessCpuTime() - begun;
        System.out.println(used + " " + lines.first());
        spark.stop();
    }

    /** Makes all lines of a file, and keeps none. */
    private static Dataset<String> decode(SparkSession spark, String copybook, String file) {
        Dataset<String> lines = spark.read().format("cobol").option("copybook", "file://" + copybook)
            .option("schema_retention_policy", "collapse_root").load("file://" + file).toJSON();
        lines.write().format("noop").mode("overwrite").save();
        return lines;
    }
}
