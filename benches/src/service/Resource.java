import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Application;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Set;

/** Does nothing behind JAX-RS, as messaging REST APIs are written for such servers: method, path and types are matched. */
@Path("/queue/{queue}/message")
public class Resource {
    private static final String BODY = "x".repeat(1024);

    @POST
    @Consumes(MediaType.WILDCARD)
    public Response put(@PathParam("queue") String queue, String body) {
        return Response.status(201).header("ibm-mq-md-messageId", "414d5120").build();
    }

    @GET
    @Produces(MediaType.TEXT_PLAIN)
    public String get(@PathParam("queue") String queue) {
        return BODY;
    }

    /** Where the resource is served. */
    @ApplicationPath("/rest")
    public static class Root extends Application {
        @Override
        public Set<Class<?>> getClasses() {
            return Set.of(Resource.class);
        }
    }
}
