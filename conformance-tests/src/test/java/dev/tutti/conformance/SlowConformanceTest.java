package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What takes too long for every push: {@code ./tutti test --slow}. */
@Tag("slow")
@Timeout(600)
class SlowConformanceTest {
  @ParameterizedTest
  @ValueSource(ints = {4, 7, 8, 13})
  void moreRanksAgreeWithLocal(int ranks) {
    Required.backend("tcp");
    MatrixReport tcp = Runs.threads("tcp", ranks);
    MatrixReport local = Runs.threads("local", ranks);
    assertThat(tcp.failures()).isEmpty();
    assertThat(local.failures()).isEmpty();
    assertThat(tcp.disagreements(local)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 3, 4})
  void otherSeedsPass(long seed) {
    Required.backend("tcp");
    for (String backend : new String[] {"local", "tcp"}) {
      Plan plan = Plan.of(backend, 3).scenarios(false).seed(seed);
      assertThat(Conformance.run(plan, Progress.SILENT).failures()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.tutti.conformance.Scenario#all")
  void everyScenarioPassesBetweenProcesses(Scenario scenario) {
    Required.backend("tcp");
    ScenarioResult result = Conformance.play(Plan.of("tcp", 3).processes(true), scenario);
    assertThat(result.detail()).isEmpty();
  }

  /** More bytes than an int counts: every byte is looked at. */
  @Rule("M3")
  @ParameterizedTest
  @CsvSource({
    "local, broadcast, UINT8",
    "tcp, broadcast, UINT8",
    "tcp, allReduce, INT8",
    "tcp, allReduce, UINT8",
    "tcp, allGather, INT8"
  })
  void messagesMayBeLargerThanTwoGigabytes(String backend, String operation, DataType type) {
    Required.backend(backend);
    int ranks = 2;
    long block = (1L << 30) + 9;
    long count = ranks * block;
    LocalRanks.run(
        ranks,
        backend,
        group -> {
          try (Arena arena = Arena.ofShared()) {
            CommBuffer all = CommBuffer.of(arena.allocate(count), type);
            long from = operation.equals("allGather") ? group.rank() * block : 0;
            long until = operation.equals("allGather") ? from + block : count;
            boolean sends = !operation.equals("broadcast") || group.rank() == 0;
            for (long i = from; i < until && sends; i++) {
              all.segment().set(ValueLayout.JAVA_BYTE, i, pattern(i));
            }
            Work work =
                switch (operation) {
                  case "broadcast" -> group.broadcast(all, 0);
                  case "allReduce" -> group.allReduce(all, ReduceOp.SUM);
                  default -> group.allGather(all.slice(from, block), all);
                };
            work.join();
            int times = operation.equals("allReduce") ? ranks : 1;
            for (long i = 0; i < count; i++) {
              byte got = all.segment().get(ValueLayout.JAVA_BYTE, i);
              if (got != (byte) (times * pattern(i))) {
                throw new AssertionError(
                    "element %d is %d instead of %d".formatted(i, got, times * pattern(i)));
              }
            }
          }
        });
  }

  /** Differs where a place is off by any power of two. */
  private static byte pattern(long index) {
    return (byte) (index % 251);
  }
}
