package bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/** Threads that do the same in a closed loop until they are told to stop. */
final class Clients {
    /** One operation of a client. */
    interface Operation {
        void once() throws Exception;
    }

    /** What one client does, by its number; it hands its operation to {@link Clients#repeat}. */
    interface Client {
        void work(int number) throws Exception;
    }

    private final LongAdder done = new LongAdder();
    private final List<Thread> running = new ArrayList<>();
    private volatile boolean stop;
    private volatile CountDownLatch ready;

    /** Operations so far. */
    long done() {
        return done.sum();
    }

    /** Returns when every client has done its first operation. A client that fails ends the program. */
    void start(int count, Client client) throws InterruptedException {
        stop = false;
        ready = new CountDownLatch(count);
        for (int each = 0; each < count; each++) {
            int number = each;
            Thread thread = new Thread(() -> {
                try {
                    client.work(number);
                } catch (Throwable problem) {
                    System.out.println("failed " + problem);
                    problem.printStackTrace();
                    System.exit(1);
                }
            });
            thread.start();
            running.add(thread);
        }
        ready.await();
    }

    void repeat(Operation operation) throws Exception {
        boolean first = true;
        while (!stop) {
            operation.once();
            done.increment();
            if (first) {
                ready.countDown();
                first = false;
            }
        }
    }

    void finish() throws InterruptedException {
        stop = true;
        for (Thread thread : running) {
            thread.join();
        }
        running.clear();
    }
}
