import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;

/** Does nothing for POST, GET and DELETE, and logs in where a load driver of ours logs in: what a servlet costs by itself. */
public class Noop extends HttpServlet {
    private static final byte[] BODY = new byte[1024];

    static {
        Arrays.fill(BODY, (byte) 'x');
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        byte[] body = request.getInputStream().readAllBytes();
        if (request.getServletPath().equals("/login")) {
            String[] parts = new String(body, "UTF-8").split("\"");
            request.login(parts[3], parts[7]);
            response.setStatus(204);
            return;
        }
        response.setHeader("ibm-mq-md-messageId", "414d5120");
        response.setStatus(201);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain");
        response.setContentLength(BODY.length);
        response.getOutputStream().write(BODY);
    }

    @Override
    protected void doDelete(HttpServletRequest request, HttpServletResponse response) throws IOException {
        doGet(request, response);
    }
}
