package interop.spring;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.messaging.handler.annotation.SendTo;

/** A Spring Boot application that sends by JmsTemplate and listens by annotation; its server stands in ibm.mq.*. */
@SpringBootApplication
@EnableJms
public class Application {
    private static final BlockingQueue<String> HEARD = new LinkedBlockingQueue<>();

    /** What the application listens to. */
    static class Listeners {
        @JmsListener(destination = "DEV.QUEUE.1", concurrency = "2-4")
        void heard(String text) {
            HEARD.add(text);
        }

        @JmsListener(destination = "DEV.QUEUE.2")
        @SendTo("DEV.QUEUE.3")
        String answer(String text) {
            return "answer to " + text;
        }
    }

    @Bean
    Listeners listeners() {
        return new Listeners();
    }

    public static void main(String[] arguments) throws Exception {
        boolean well = true;
        try (ConfigurableApplicationContext application = SpringApplication.run(Application.class, arguments)) {
            JmsTemplate template = application.getBean(JmsTemplate.class);
            template.setReceiveTimeout(20_000);
            for (int i = 0; i < 20; i++) {
                template.convertAndSend("DEV.QUEUE.1", "message " + i);
            }
            int heard = 0;
            while (heard < 20 && HEARD.poll(20, TimeUnit.SECONDS) != null) {
                heard++;
            }
            well &= check("listeners hear what the template sent", heard == 20);
            Message reply = template.sendAndReceive("DEV.QUEUE.2", session -> session.createTextMessage("question"));
            well &= check("the template receives the reply of a listener", "answer to question".equals(text(reply)));
            template.convertAndSend("DEV.TEMPLATE", Map.of("name", "order", "count", 3));
            well &= check("a map is converted both ways",
                Map.of("name", "order", "count", 3).equals(template.receiveAndConvert("DEV.TEMPLATE")));
            template.convertAndSend("DEV.TEMPLATE", "one", message -> {
                message.setStringProperty("colour", "red");
                return message;
            });
            well &= check("a selector of the template",
                "one".equals(template.receiveSelectedAndConvert("DEV.TEMPLATE", "colour = 'red'")));
        }
        System.out.println(well ? "done" : "failed");
        System.exit(well ? 0 : 1);
    }

    private static String text(Message message) throws JMSException {
        return message == null ? null : ((TextMessage) message).getText();
    }

    private static boolean check(String sentence, boolean holds) {
        System.out.println((holds ? "ok      " : "FAILED  ") + sentence);
        return holds;
    }
}
