package quaymaster;

/** The server refused a request: its answer is the message. */
public final class RestException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int status;

    RestException(int status, String text) {
        super(status + ": " + text);
        this.status = status;
    }

    public int status() {
        return status;
    }
}
