package quaymaster;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A parameter of type String that is the whole name of a queue of this test, which the user {@code app} may put to and get from. It is deleted with
 * its messages afterwards.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface TestQueue {
    /** The last part of the name. */
    String value();

    /** Attributes of DEFINE QLOCAL, such as {@code MAXDEPTH(10)}. */
    String attributes() default "";
}
