package dev.tutti.conformance;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the rules of docs/CONTRACT.md that a scenario, a kind of case or a test holds a backend to.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.FIELD})
public @interface Rule {
  /** Returns the rules' numbers, such as {@code R3}. */
  String[] value();
}
