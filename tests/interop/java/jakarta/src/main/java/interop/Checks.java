package interop;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * What every program of this folder does: one line for each check, "done" last, an exit status that says how it ended.
 *
 * <p>A failed check does not keep the next ones from running. One that does not end within its bound ends the program.
 */
public final class Checks {
    /** What a check does; it fails by throwing anything. */
    @FunctionalInterface
    public interface Action {
        void run() throws Exception;
    }

    /** Longest time of a check, in milliseconds. */
    private static final long LIMIT_MS = 120_000;

    private final long limit;
    private int made;
    private int failed;

    public Checks() {
        this(LIMIT_MS);
    }

    /** For checks that take longer, in milliseconds. */
    public Checks(long limit) {
        this.limit = limit;
    }

    /** Runs one check; its name is the sentence that it proves. */
    public void check(String sentence, Action action) {
        made++;
        Thread watch = watch(sentence, Thread.currentThread());
        try {
            action.run();
            System.out.println("ok      " + sentence);
        } catch (Exception | AssertionError problem) {
            failed++;
            System.out.println("FAILED  " + sentence);
            problem.printStackTrace(System.out);
        } finally {
            watch.interrupt();
        }
    }

    /** Ends the program: 0 when every check held. */
    public void end() {
        System.out.println(failed == 0 ? "done, " + made + " checks" : failed + " of " + made + " checks failed");
        System.out.flush();
        // Threads of the client that still reconnect or listen must not keep the process.
        Runtime.getRuntime().halt(failed == 0 ? 0 : 1);
    }

    private Thread watch(String sentence, Thread checked) {
        Thread watch = new Thread(() -> {
            try {
                Thread.sleep(limit);
            } catch (InterruptedException ended) {
                return;
            }
            System.out.println("FAILED  " + sentence + ": still running after " + limit + " ms");
            for (StackTraceElement frame : checked.getStackTrace()) {
                System.out.println("        at " + frame);
            }
            System.out.flush();
            Runtime.getRuntime().halt(3);
        });
        watch.setDaemon(true);
        watch.start();
        return watch;
    }

    public static void equal(Object expected, Object actual) {
        equal(expected, actual, "the value");
    }

    public static void equal(Object expected, Object actual, String what) {
        boolean same = expected instanceof byte[] left && actual instanceof byte[] right
            ? Arrays.equals(left, right)
            : Objects.equals(expected, actual);
        if (!same) {
            throw new AssertionError(what + ": expected " + shown(expected) + ", got " + shown(actual));
        }
    }

    public static void that(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    private static String shown(Object value) {
        return value instanceof byte[] bytes ? bytes.length + " bytes " + Arrays.hashCode(bytes) : String.valueOf(value);
    }

    /** Waits until the condition holds, thirty seconds at most. */
    public static void eventually(String otherwise, Callable<Boolean> condition) throws Exception {
        eventually(() -> otherwise, condition);
    }

    public static void eventually(Supplier<String> otherwise, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + 30_000_000_000L;
        while (!condition.call()) {
            if (System.nanoTime() > end) {
                throw new AssertionError(otherwise.get());
            }
            Thread.sleep(10);
        }
    }
}
