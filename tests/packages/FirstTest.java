import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import quaymaster.Quaymaster;
import quaymaster.QuaymasterServer;
import quaymaster.TestQueue;

@Quaymaster
class FirstTest {
    @Test
    void aMessageIsPutAndGot(QuaymasterServer server, @TestQueue("ORDERS") String orders) {
        server.put(orders, "first");
        assertEquals("first", server.get(orders));
    }
}
