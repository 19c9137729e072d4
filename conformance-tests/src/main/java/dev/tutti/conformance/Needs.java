package dev.tutti.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a scenario needs to be played. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Needs {
  /** Returns how many ranks take part. */
  int ranks() default 3;

  /** Returns the group's timeout, as in a config string. */
  String timeout() default "20s";

  /** Returns the group's scratch memory, as in a config string; empty for the default. */
  String scratch() default "";

  /** Returns how much the ranks compare of their calls, as in a config string. */
  String debug() default "";

  /** Returns the rank that kills its own process, so that each must have one; -1 for none. */
  int victim() default -1;
}
