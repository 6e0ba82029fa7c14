package quaymaster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives tests a {@link QuaymasterServer} and the names of queues of their own. The failure of a test has what the server has logged during the test.
 * {@link Quaymaster} registers it.
 */
public final class QuaymasterExtension implements ParameterResolver, AfterTestExecutionCallback {
    private static final Namespace NAMESPACE = Namespace.create(QuaymasterExtension.class);
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == QuaymasterServer.class || type == String.class && parameter.isAnnotated(TestQueue.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        QuaymasterServer server = server(context);
        Store own = context.getStore(NAMESPACE);
        Watch watch = own.getOrComputeIfAbsent(Watch.class, key -> new Watch(server), Watch.class);
        Optional<TestQueue> queue = parameter.findAnnotation(TestQueue.class);
        if (!queue.isPresent()) {
            return server;
        }
        String name = "DEV.T" + watch.number + "." + queue.get().value();
        server.define(("QLOCAL(" + name + ") " + queue.get().attributes()).trim());
        watch.queues.add(name);
        return name;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) throws InterruptedException {
        Watch watch = context.getStore(NAMESPACE).get(Watch.class, Watch.class);
        Optional<Throwable> failure = context.getExecutionException();
        if (watch != null && failure.isPresent()) {
            // What was logged before the last answer may still be in the pipe.
            Thread.sleep(100);
            failure.get().addSuppressed(new ServerLog(watch.server.log().substring(watch.begin)));
        }
    }

    private static QuaymasterServer server(ExtensionContext context) {
        Quaymaster wanted = annotation(context);
        boolean isAlone = wanted != null && (wanted.alone() || wanted.testControl() || wanted.arguments().length > 0);
        Store store = (isAlone ? context : context.getRoot()).getStore(NAMESPACE);
        return store.getOrComputeIfAbsent(isAlone ? "alone" : "shared", key -> new Running(wanted, isAlone), Running.class).server;
    }

    private static Quaymaster annotation(ExtensionContext context) {
        Optional<Quaymaster> found = AnnotationSupport.findAnnotation(context.getElement(), Quaymaster.class);
        for (Optional<Class<?>> type = context.getTestClass(); !found.isPresent() && type.isPresent(); ) {
            found = AnnotationSupport.findAnnotation(type.get(), Quaymaster.class);
            type = Optional.ofNullable(type.get().getEnclosingClass());
        }
        return found.orElse(null);
    }

    /** A server that ends with the store that it is kept in. */
    private static final class Running implements Store.CloseableResource {
        private final QuaymasterServer server;

        Running(Quaymaster wanted, boolean isAlone) {
            server = isAlone ? QuaymasterServer.start("QM1", wanted.testControl(), wanted.arguments()) : QuaymasterServer.start();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    /** What a test has made, and where the log was when the test began. */
    private static final class Watch implements Store.CloseableResource {
        private final int number = NUMBERS.incrementAndGet();
        private final List<String> queues = new ArrayList<>();
        private final QuaymasterServer server;
        private final int begin;

        Watch(QuaymasterServer server) {
            this.server = server;
            begin = server.log().length();
        }

        @Override
        public void close() {
            for (String queue : queues) {
                try {
                    server.mqsc("DELETE QLOCAL(" + queue + ") PURGE");
                } catch (MqscException open) {
                    // A program of the test still has it open; its name is not used again.
                }
            }
        }
    }

    /** Shown with the failure, in every report. */
    private static final class ServerLog extends Exception {
        private static final long serialVersionUID = 1L;

        ServerLog(String text) {
            super("Quaymaster log of this test:\n" + text, null, false, false);
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }
}
