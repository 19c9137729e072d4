package dev.tutti.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test method once per rank, each rank on a thread of its own with its own group, as one
 * test. The method asks for the group by a parameter of type {@link dev.tutti.comm.ProcessGroup};
 * it is made before and closed after the method.
 *
 * {@snippet :
 * @Ranks(4)
 * void gradientsAreAveraged(ProcessGroup group) {
 *   float[] gradient = {group.rank()};
 *   group.allReduce(CommBuffer.of(gradient), ReduceOp.AVG).join();
 *   assertEquals(1.5f, gradient[0]);
 * }
 * }
 *
 * <p><b>Where.</b> On a method it stands in the place of {@code @Test}; each size and each config
 * is an invocation of its own. Beside {@code @ParameterizedTest} or {@code @RepeatedTest}, and on a
 * class, for all its test methods that take a group, one invocation runs on all sizes and configs
 * in turn. Other parameters are resolved as ever, once for all ranks.
 *
 * <p><b>Threads.</b> The ranks share the test instance, its fields, and all parameters but the
 * group. {@code @BeforeEach} and {@code @AfterEach} run once, before and after all ranks, on
 * JUnit's own thread.
 *
 * <p><b>Failures.</b> An assertion that fails on one rank ends the others; the test fails with that
 * assertion's error and stack, and with the rank in front of its message. What the other ranks
 * threw is suppressed in it. A group that {@link dev.tutti.comm.ProcessGroup#split} made and nobody
 * closed fails the test.
 *
 * <p><b>Hangs.</b> A run that is not over after {@link #timeout()}, or that JUnit's
 * {@code @Timeout} interrupts, is ended; the failure shows what each rank waited for, and its
 * stack.
 *
 * <p>Needs JUnit 5.12 or newer.
 *
 * @see dev.tutti.comm.LocalRanks
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@SuppressWarnings("exports") // who uses it has JUnit; the module is to work without
@TestTemplate
@ExtendWith(RanksExtension.class)
public @interface Ranks {
  /** On how many ranks; several sizes are run one after the other. */
  int[] value();

  /**
   * The config strings of the groups, one after the other. The default is what runs between
   * processes too; {@code local} needs no backend, and runs each operation in the simplest way.
   */
  String[] config() default "tcp";

  /** How long one run may take, such as {@code 60s} or {@code 5min}. */
  String timeout() default "60s";
}
