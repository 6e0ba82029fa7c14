package quaymaster;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that take a {@link QuaymasterServer} or the name of a {@link TestQueue} as parameters. On a method it overrides that of the class.
 * Without a member the server is that of the run, which all tests share.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(QuaymasterExtension.class)
public @interface Quaymaster {
    /** Each test has a server that no other test sees. */
    boolean alone() default false;

    /** The same, whose clock can be moved, whose calls can be made to fail and whose traffic can be recorded and mocked. */
    boolean testControl() default false;

    /** Further arguments of {@code serve}; with them a test has a server of its own. */
    String[] arguments() default {};
}
