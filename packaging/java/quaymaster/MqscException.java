package quaymaster;

/** A command failed; the message has the lines of its answer. */
public final class MqscException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MqscException(String text) {
        super(text);
    }
}
