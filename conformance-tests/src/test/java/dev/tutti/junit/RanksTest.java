package dev.tutti.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.opentest4j.AssertionFailedError;

/** Runs test classes with {@link Ranks} by JUnit's own engine, and looks at what it reports. */
class RanksTest {
  /** What the test classes below tell of their runs. */
  private static final Queue<String> LOG = new ConcurrentLinkedQueue<>();

  private static final Queue<ProcessGroup> LEFT_OPEN = new ConcurrentLinkedQueue<>();

  /** Ends a thread that a test class below has started. */
  private static final CountDownLatch LIKE_NAMED = new CountDownLatch(1);

  @BeforeEach
  void forget() {
    LOG.clear();
  }

  @AfterEach
  void nothingIsLeftBehind() throws InterruptedException {
    ProcessGroup open;
    while ((open = LEFT_OPEN.poll()) != null) {
      open.close();
    }
    for (int i = 0; i < 500 && !ownThreads().isEmpty(); i++) {
      Thread.sleep(10);
    }
    assertThat(ownThreads()).isEmpty();
  }

  private static List<String> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("rank-.*|ranks|tutti-.*"))
        .toList();
  }

  private static EngineExecutionResults run(Class<?> testClass) {
    return EngineTestKit.engine("junit-jupiter").selectors(selectClass(testClass)).execute();
  }

  private static Throwable failure(Class<?> testClass) {
    List<Throwable> failures =
        run(testClass).testEvents().failed().stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .map(result -> result.getThrowable().orElseThrow())
            .toList();
    assertThat(failures).hasSize(1);
    return failures.getFirst();
  }

  private static List<String> passed(Class<?> testClass) {
    EngineExecutionResults results = run(testClass);
    results.testEvents().assertStatistics(counts -> counts.failed(0).aborted(0).skipped(0));
    results.containerEvents().assertStatistics(counts -> counts.failed(0));
    return results.testEvents().succeeded().stream()
        .map(event -> event.getTestDescriptor().getDisplayName())
        .toList();
  }

  static class Passing {
    @BeforeEach
    void before() {
      LOG.add("before");
    }

    @AfterEach
    void after() {
      LOG.add("after");
    }

    @Ranks(4)
    void sums(ProcessGroup group) {
      long[] sum = {group.rank()};
      group.allReduce(CommBuffer.of(sum), ReduceOp.SUM).join();
      assertEquals(6, sum[0]);
      LOG.add("rank %d/%d over %s".formatted(group.rank(), group.size(), group.backend()));
    }
  }

  @Test
  void aMethodRunsOncePerRankAsOneTest() {
    assertThat(passed(Passing.class)).containsExactly("4 ranks, tcp");
    assertThat(LOG)
        .startsWith("before")
        .endsWith("after")
        .containsExactlyInAnyOrder(
            "before",
            "rank 0/4 over tcp",
            "rank 1/4 over tcp",
            "rank 2/4 over tcp",
            "rank 3/4 over tcp",
            "after");
  }

  static class SizesAndConfigs {
    @Ranks(
        value = {1, 3},
        config = {"local", "tcp?timeout=10s"})
    void barrier(ProcessGroup group) {
      group.barrier().join();
      LOG.add(group.backend() + group.size());
    }
  }

  @Test
  void eachSizeAndConfigIsAnInvocation() {
    assertThat(passed(SizesAndConfigs.class))
        .containsExactly(
            "1 rank, local",
            "3 ranks, local",
            "1 rank, tcp?timeout=10s",
            "3 ranks, tcp?timeout=10s");
    assertThat(LOG)
        .containsExactly("local1", "local3", "local3", "local3", "tcp1", "tcp3", "tcp3", "tcp3");
  }

  @Ranks(2)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Pair {}

  @Ranks(value = 3, config = "local")
  static class WithOthers {
    @TempDir private @Nullable Path folder;

    @ParameterizedTest
    @ValueSource(ints = {5, 7})
    void parameterized(int number, ProcessGroup group, TestInfo info) {
      log("parameterized " + number + info.getTestMethod().isPresent(), group);
    }

    @RepeatedTest(2)
    void repeated(ProcessGroup group) {
      log("repeated", group);
    }

    @Test
    void plain(ProcessGroup group) {
      log("plain " + (folder != null && Files.isDirectory(folder)), group);
    }

    @Test
    void withoutRanks() {
      LOG.add("alone");
    }

    @TestTemplate
    void template(ProcessGroup group) {
      log("template", group);
    }

    @Pair
    void composed(ProcessGroup group) {
      log("composed", group);
    }

    @Test
    @Ranks(
        value = {1, 2},
        config = "local")
    void ofBothKinds(ProcessGroup group) {
      log("both", group);
    }

    @Nested
    class Inner {
      @Test
      void inner(ProcessGroup group) {
        log("inner", group);
      }
    }

    private static void log(String what, ProcessGroup group) {
      group.barrier().join();
      if (group.rank() == 0) {
        LOG.add(what + " on " + group.size());
      }
    }
  }

  @Test
  void otherAnnotationsAndParametersWorkAlongside() {
    passed(WithOthers.class);
    assertThat(LOG)
        .containsExactlyInAnyOrder(
            "parameterized 5true on 3",
            "parameterized 7true on 3",
            "repeated on 3",
            "repeated on 3",
            "plain true on 3",
            "alone",
            "template on 3",
            "composed on 2",
            "both on 1",
            "both on 2",
            "inner on 3");
  }

  static class OneFails {
    @Ranks(4)
    void third(ProcessGroup group) {
      long[] sum = {1};
      group.allReduce(CommBuffer.of(sum), ReduceOp.SUM).join();
      if (group.rank() == 2) {
        assertEquals(5, sum[0]);
      } else if (group.rank() == 0) {
        try {
          group.barrier().join();
        } catch (CommAbortedException e) {
          // A rank that dresses up what another's failure does to it is not to be blamed for it.
          throw new AssertionError("no barrier", e);
        }
      }
      group.barrier().join();
    }
  }

  @Test
  void anAssertionOfOneRankIsTheFailure() {
    Throwable failure = failure(OneFails.class);
    assertThat(failure)
        .isExactlyInstanceOf(AssertionFailedError.class)
        .hasMessage("rank 2/4 over tcp failed: expected: <5> but was: <4>")
        .hasNoCause();
    AssertionFailedError error = (AssertionFailedError) failure;
    assertThat(error.getExpected().getValue()).isEqualTo(5L);
    assertThat(error.getActual().getValue()).isEqualTo(4L);
    assertThat(failure.getStackTrace())
        .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("third"));
    assertThat(failure.getSuppressed())
        .extracting(Throwable::getMessage)
        .hasSize(3)
        .anySatisfy(text -> assertThat(text).startsWith("rank 0/4 over tcp failed:"))
        .anySatisfy(text -> assertThat(text).startsWith("rank 1/4 over tcp failed:"))
        .anySatisfy(text -> assertThat(text).startsWith("rank 3/4 over tcp failed:"));
    assertThat(failure.getSuppressed()[1]).hasCauseInstanceOf(CommAbortedException.class);
  }

  static class AllFail {
    @Ranks(value = 3, config = "local")
    void all(ProcessGroup group) {
      assertThat(group.rank()).as("rank").isEqualTo(7);
    }
  }

  @Test
  void allRanksThatFailAreNamed() {
    Throwable failure = failure(AllFail.class);
    assertThat(failure)
        .isExactlyInstanceOf(AssertionFailedError.class)
        .hasMessageMatching(
            "(?s)rank \\d/3 over local failed \\(so did ranks \\d, \\d\\): \\[rank\\].*expected: 7.*");
    assertThat(failure.getSuppressed())
        .hasSize(2)
        .hasOnlyElementsOfType(AssertionFailedError.class);
  }

  static class OtherException {
    @Ranks(2)
    void second(ProcessGroup group) {
      if (group.rank() == 1) {
        throw new ArithmeticException("overflow");
      }
      group.barrier().join();
    }
  }

  @Test
  void anotherExceptionIsTheCause() {
    assertThat(failure(OtherException.class))
        .hasMessage("rank 1/2 over tcp failed: java.lang.ArithmeticException: overflow")
        .hasCauseExactlyInstanceOf(ArithmeticException.class)
        .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
  }

  /** As thrown by a rank, where nobody can tell what it says. */
  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new ArithmeticException("no words");
    }
  }

  static class FailingWithoutWords {
    @Ranks(value = 2, config = "local")
    void first(ProcessGroup group) {
      if (group.rank() == 0) {
        throw new Unspeakable();
      }
      try {
        group.barrier().join();
      } catch (CommAbortedException e) {
        throw new IllegalStateException("beside it", new Unspeakable());
      }
    }
  }

  @Test
  @Timeout(20)
  void whatCannotBeShownIsReportedAllTheSame() {
    Throwable failure = failure(FailingWithoutWords.class);
    assertThat(failure.getMessage())
        .startsWith("rank 0/2 over local failed (so did rank 1): ")
        .contains("RanksTest$Unspeakable", "threw java.lang.ArithmeticException");
    assertThat(failure.getSuppressed())
        .singleElement()
        .satisfies(
            other ->
                assertThat(other)
                    .hasMessageStartingWith("rank 1/2 over local failed:")
                    .hasMessageContaining("java.lang.IllegalStateException, which cannot"));
    StringWriter shown = new StringWriter();
    failure.printStackTrace(new PrintWriter(shown));
    assertThat(shown.toString()).contains("RanksTest$FailingWithoutWords.first");
  }

  static class Assuming {
    @Ranks(2)
    void needsMore(ProcessGroup group) {
      Assumptions.assumeTrue(group.rank() == 0, "too few ranks");
      group.barrier().join();
    }
  }

  @Test
  void anAssumptionSkips() {
    run(Assuming.class)
        .testEvents()
        .assertStatistics(counts -> counts.started(1).aborted(1).failed(0));
  }

  static class Hanging {
    @Ranks(value = 4, timeout = "500ms")
    void recvOfNothing(ProcessGroup group) throws InterruptedException {
      switch (group.rank()) {
        case 0 -> group.recv(CommBuffer.of(new float[3]), 1).join();
        case 1 -> new CountDownLatch(1).await();
        case 2 -> {
          try (ProcessGroup alone = group.split(0, 0).orElseThrow()) {
            alone.barrier().join();
          }
        }
        default -> {}
      }
    }
  }

  @Test
  @Timeout(20)
  void aHangEndsWithWhatEachRankWaitsFor() {
    Throwable failure = failure(Hanging.class);
    assertThat(failure)
        .isExactlyInstanceOf(AssertionFailedError.class)
        .hasMessageMatching(
            """
            (?s)3 of 4 ranks over tcp had not ended when 500ms had passed
              rank 0: .*recv\\(3 FLOAT32, from rank 1\\) #0 on rank 0/4.*
                at .*RanksTest\\$Hanging.recvOfNothing.*
              rank 1: java.lang.InterruptedException
                at .*RanksTest\\$Hanging.recvOfNothing.*
              rank 2: .*split #0.*
                at .*RanksTest\\$Hanging.recvOfNothing.*
              rank 3: had ended""");
  }

  static class FailingBesideASubgroup {
    @Ranks(value = 2, config = "tcp?timeout=30s", timeout = "5s")
    void first(ProcessGroup group) {
      ProcessGroup half = group.split(0, 0).orElseThrow();
      if (group.rank() == 0) {
        throw new AssertionError("first");
      }
      half.barrier().join();
    }
  }

  @Test
  @Timeout(20)
  void aFailureEndsThoseWhoWaitInASubgroup() {
    Throwable failure = failure(FailingBesideASubgroup.class);
    assertThat(failure).hasMessage("rank 0/2 over tcp?timeout=30s failed: first");
    assertThat(failure.getSuppressed())
        .singleElement()
        .satisfies(
            other ->
                assertThat(other)
                    .hasMessageContaining("rank 0/2 aborted group world/0.0")
                    .hasCauseInstanceOf(CommAbortedException.class));
  }

  static class HangingInASubgroup {
    @Ranks(value = 2, timeout = "500ms")
    void recvOfNothing(ProcessGroup group) {
      try (ProcessGroup half = group.split(0, 0).orElseThrow()) {
        half.recv(CommBuffer.of(new float[3]), 1 - half.rank()).join();
      }
    }
  }

  @Test
  @Timeout(20)
  void aHangInASubgroupEndsWithWhatEachRankWaitsFor() {
    assertThat(failure(HangingInASubgroup.class))
        .hasMessageMatching(
            """
            (?s)2 of 2 ranks over tcp had not ended when 500ms had passed
              rank 0: .*recv\\(3 FLOAT32, from rank 1\\) #0 on rank 0/2 of group world/0.0 .*
                at .*
              rank 1: .*recv\\(3 FLOAT32, from rank 0\\) #0 on rank 1/2 of group world/0.0 .*
                at .*""");
  }

  static class HangingUnderTimeout {
    @Timeout(value = 300, unit = TimeUnit.MILLISECONDS)
    @Ranks(2)
    void recvOfNothing(ProcessGroup group) {
      group.recv(CommBuffer.of(new float[3]), 1 - group.rank()).join();
    }
  }

  @Test
  @Timeout(20)
  void theTimeoutOfJUnitEndsAHangToo() {
    Throwable failure = failure(HangingUnderTimeout.class);
    assertThat(failure).hasMessageContaining("timed out after 300 milliseconds");
    assertThat(failure.getSuppressed())
        .anySatisfy(
            shown ->
                assertThat(shown)
                    .hasMessageContaining(
                        "2 of 2 ranks over tcp had not ended when an interrupt came")
                    .hasMessageContaining("rank 1: "));
  }

  static class HangingBesideThreadsOfLikeName {
    private static void await() {
      try {
        LIKE_NAMED.await();
      } catch (InterruptedException e) {
        // It ends then, too.
      }
    }

    @Ranks(value = 2, timeout = "500ms")
    void recvOfNothing(ProcessGroup group) {
      if (group.rank() == 0) {
        Thread.ofPlatform()
            .daemon()
            .name("rank-and-file")
            .start(HangingBesideThreadsOfLikeName::await);
        LocalRanks.run(3, "local", nested -> new CountDownLatch(1).await());
      }
      group.recv(CommBuffer.of(new float[3]), 0).join();
    }
  }

  @Test
  @Timeout(20)
  void threadsOfLikeNameAreNotTakenForRanks() {
    try {
      assertThat(failure(HangingBesideThreadsOfLikeName.class))
          .hasMessageMatching(
              """
              (?s)2 of 2 ranks over tcp had not ended when 500ms had passed
                rank 0: .*interrupted while 3 ranks were running
                  at .*LocalRanks.*
                rank 1: .*recv\\(3 FLOAT32, from rank 0\\) #0 on rank 1/2.*
                  at .*""")
          .message()
          .doesNotContain("still there");
    } finally {
      LIKE_NAMED.countDown();
    }
  }

  static class FailingAndHanging {
    private final CountDownLatch failed = new CountDownLatch(1);

    @Ranks(value = 2, timeout = "1s")
    void busy(ProcessGroup group) {
      if (group.rank() == 0) {
        throw new AssertionError("first");
      }
      while (!Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(1_000_000);
      }
      failed.countDown();
    }
  }

  @Test
  @Timeout(20)
  void aFailureComesBeforeTheHangThatItLeads() {
    Throwable failure = failure(FailingAndHanging.class);
    assertThat(failure).hasMessage("rank 0/2 over tcp failed: first");
    assertThat(failure.getSuppressed())
        .extracting(Throwable::getMessage)
        .anySatisfy(text -> assertThat(text).startsWith("1 of 2 ranks over tcp had not ended"));
  }

  static class LeavingOpen {
    @Ranks(2)
    void split(ProcessGroup group) {
      ProcessGroup half = group.split(0, 0).orElseThrow();
      half.barrier().join();
      LEFT_OPEN.add(half);
    }
  }

  @Test
  void aGroupThatIsLeftOpenFailsTheTest() {
    assertThat(failure(LeavingOpen.class))
        .hasMessageContaining("left groups open")
        .hasMessageContaining("tutti-world/0.0-1");
  }

  static class NoParameter {
    @Ranks(2)
    void none() {
      LOG.add("called");
    }
  }

  static class UnknownParameter {
    @Ranks(2)
    void unknown(ProcessGroup group, StringBuilder text) {
      LOG.add(text.toString() + group);
    }
  }

  static class GroupForAll {
    @BeforeEach
    void before(ProcessGroup group) {
      LOG.add(group.name());
    }

    @Ranks(2)
    void test(ProcessGroup group) {
      LOG.add(group.name());
    }
  }

  @Test
  void wrongParametersAreRefusedBeforeAnythingRuns() {
    assertThat(failure(NoParameter.class))
        .hasMessageContaining("none() takes no ProcessGroup; add a parameter of that type");
    assertThat(failure(UnknownParameter.class)).hasMessageContaining("java.lang.StringBuilder");
    assertThat(failure(GroupForAll.class))
        .hasMessageContaining("take the group as a parameter of the test method");
    assertThat(LOG).isEmpty();
  }

  @Ranks(value = 2, config = "local")
  static class OfAFactory {
    @TestFactory
    Stream<DynamicTest> made(ProcessGroup group) {
      LOG.add("called with " + group);
      return Stream.of(DynamicTest.dynamicTest("one", () -> LOG.add("ran")));
    }
  }

  static class FactoryWithoutRanks {
    @TestFactory
    Stream<DynamicTest> made() {
      return Stream.of(DynamicTest.dynamicTest("one", () -> LOG.add("ran")));
    }
  }

  @Ranks(value = 2, config = "local")
  static class FactoryBesideRanks extends FactoryWithoutRanks {}

  @Test
  void aFactoryOfTestsGetsNoGroup() {
    assertThat(containerFailure(OfAFactory.class))
        .hasMessageContaining("is a @TestFactory")
        .hasMessageContaining("@Ranks");
    assertThat(LOG).isEmpty();
    assertThat(passed(FactoryBesideRanks.class)).containsExactly("one");
    assertThat(LOG).containsExactly("ran");
  }

  static class UnknownBackend {
    @Ranks(value = 2, config = "tpc")
    void test(ProcessGroup group) {
      LOG.add(group.name());
    }
  }

  static class NoRanks {
    @Ranks(0)
    void test(ProcessGroup group) {
      LOG.add(group.name());
    }
  }

  @Test
  void groupsThatCannotBeHadFailTheTest() {
    assertThat(failure(UnknownBackend.class))
        .hasMessageContaining("rank ")
        .hasMessageContaining("tcp")
        .hasMessageContaining("tpc");
    assertThat(failure(NoRanks.class)).hasMessageContaining("at least one rank is needed");
    assertThat(LOG).isEmpty();
  }

  static class NoSizes {
    @Ranks({})
    void test(ProcessGroup group) {
      LOG.add(group.name());
    }
  }

  static class NoDuration {
    @Ranks(value = 2, timeout = "60")
    void test(ProcessGroup group) {
      LOG.add(group.name());
    }
  }

  static class NoTime {
    @Ranks(value = 2, timeout = "0s")
    void test(ProcessGroup group) {
      LOG.add(group.name());
    }
  }

  @Test
  void annotationsThatSayNothingFailTheTest() {
    assertThat(containerFailure(NoSizes.class)).hasMessageContaining("at least one size");
    assertThat(containerFailure(NoDuration.class)).hasMessageContaining("60s");
    assertThat(containerFailure(NoTime.class))
        .hasMessageContaining("timeout=\"0s\"")
        .hasMessageContaining("more than zero");
    assertThat(LOG).isEmpty();
  }

  /** What fails before there are invocations is the failure of the method as a whole. */
  private static Throwable containerFailure(Class<?> testClass) {
    List<Throwable> failures =
        run(testClass).containerEvents().failed().stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .map(result -> result.getThrowable().orElseThrow())
            .toList();
    assertThat(failures).hasSize(1);
    return failures.getFirst();
  }
}
