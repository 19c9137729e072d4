package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.LocalRanks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
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

  /** More bytes than an int counts. */
  @Rule("M3")
  @ParameterizedTest
  @ValueSource(strings = {"local", "tcp"})
  void messagesMayBeLargerThanTwoGigabytes(String backend) {
    Required.backend(backend);
    long count = (1L << 31) + 17;
    LocalRanks.run(
        2,
        backend,
        group -> {
          try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(count);
            long[] places = {0, 1, Integer.MAX_VALUE, 1L << 31, count - 1};
            for (int i = 0; i < places.length && group.rank() == 0; i++) {
              memory.set(ValueLayout.JAVA_BYTE, places[i], (byte) (i + 1));
            }
            group.broadcast(CommBuffer.of(memory, DataType.UINT8), 0).join();
            long sum = 0;
            for (int i = 0; i < places.length; i++) {
              assertThat(memory.get(ValueLayout.JAVA_BYTE, places[i])).isEqualTo((byte) (i + 1));
            }
            for (long i = 0; i < count; i++) {
              sum += memory.get(ValueLayout.JAVA_BYTE, i);
            }
            assertThat(sum).isEqualTo(15);
          }
        });
  }
}
