package dev.tutti.comm.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.Operation.Counts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which calls of all ranks fit together, and what is said of those that do not. */
class DisagreementTest {
  private static CommBuffer floats(int count) {
    return CommBuffer.of(new float[count]);
  }

  private static Operation allReduce(int count) {
    return new Operation.AllReduce(floats(count), floats(count), ReduceOp.SUM);
  }

  private static Operation broadcast(int root) {
    return new Operation.Broadcast(floats(8), root);
  }

  /** What every rank told the others, as it arrives there. */
  private static List<Call> calls(Operation... operations) {
    List<Call> calls = new ArrayList<>();
    for (int rank = 0; rank < operations.length; rank++) {
      Call call = Call.of(operations[rank], 17, rank, operations.length);
      calls.add(Call.decoded(call.encoded()));
    }
    return calls;
  }

  private static @Nullable String between(Operation... operations) {
    return Disagreement.of(calls(operations));
  }

  private static Operation[] gathers(long counted, int sent) {
    Counts counts = Counts.of(1, 2, counted);
    return new Operation[] {
      new Operation.GatherV(floats(1), floats((int) counts.total()), counts, 0),
      new Operation.GatherV(floats(2), null, null, 0),
      new Operation.GatherV(floats(sent), null, null, 0)
    };
  }

  private static Operation[] scatters(long counted, int taken) {
    Counts counts = Counts.of(1, 2, counted);
    return new Operation[] {
      new Operation.ScatterV(null, floats(1), null, 1),
      new Operation.ScatterV(floats((int) counts.total()), floats(2), counts, 1),
      new Operation.ScatterV(null, floats(taken), null, 1)
    };
  }

  private static Operation exchange(Counts out, Counts in) {
    return new Operation.AllToAllV(floats((int) out.total()), out, floats((int) in.total()), in);
  }

  private static Operation[] exchanges(long taken) {
    return new Operation[] {
      exchange(Counts.of(1, 5), Counts.of(1, 0)), exchange(Counts.of(0, 3), Counts.of(taken, 3))
    };
  }

  static Stream<Arguments> fitting() {
    return Stream.of(
        Arguments.of("allReduce", new Operation[] {allReduce(8), allReduce(8)}),
        Arguments.of(
            "in place and not",
            new Operation[] {
              allReduce(8), new Operation.AllReduce(floats(8), floats(8), ReduceOp.SUM)
            }),
        Arguments.of(
            "a root with more buffers",
            new Operation[] {
              new Operation.Gather(floats(2), floats(4), 0),
              new Operation.Gather(floats(2), null, 0)
            }),
        Arguments.of(
            "the same for scatter",
            new Operation[] {
              new Operation.Scatter(floats(4), floats(2), 0),
              new Operation.Scatter(null, floats(2), 0)
            }),
        Arguments.of("gatherV", gathers(3, 3)),
        Arguments.of("scatterV", scatters(3, 3)),
        Arguments.of("allToAllV", exchanges(5)),
        Arguments.of("nothing", new Operation[] {allReduce(0), allReduce(0)}));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("fitting")
  void callsThatFitAreNotComplainedOf(String name, Operation[] operations) {
    assertThat(between(operations)).as(name).isNull();
  }

  private static Operation uneven(long last) {
    Counts counts = Counts.of(4, last);
    return new Operation.AllGatherV(floats(4), floats((int) counts.total()), counts);
  }

  private static Operation unevenSum(ReduceOp op) {
    return new Operation.ReduceScatterV(floats(7), floats(4), Counts.of(4, 3), op);
  }

  static Stream<Arguments> differing() {
    CommBuffer ints = CommBuffer.of(new int[8]);
    return Stream.of(
        Arguments.of(
            new Operation[] {allReduce(8), broadcast(0)},
            "rank 0 called #17 allReduce(8 FLOAT32, SUM); rank 1 called #17 broadcast(8 FLOAT32, root 0)"),
        Arguments.of(
            new Operation[] {allReduce(8), allReduce(0)},
            "rank 0 called #17 allReduce(8 FLOAT32, SUM); rank 1 called #17 allReduce(0 FLOAT32, SUM)"),
        Arguments.of(
            new Operation[] {allReduce(8), new Operation.AllReduce(ints, ints, ReduceOp.SUM)},
            "rank 1 called #17 allReduce(8 INT32, SUM)"),
        Arguments.of(
            new Operation[] {
              allReduce(8), new Operation.AllReduce(floats(8), floats(8), ReduceOp.MAX)
            },
            "rank 1 called #17 allReduce(8 FLOAT32, MAX)"),
        Arguments.of(
            new Operation[] {broadcast(0), broadcast(1)},
            "rank 0 called #17 broadcast(8 FLOAT32, root 0); rank 1 called #17 broadcast(8 FLOAT32, root 1)"),
        Arguments.of(
            new Operation[] {uneven(3), uneven(5)},
            "rank 0 called #17 allGatherV(counts [4, 3], FLOAT32); rank 1 called #17 allGatherV(counts [4, 5], FLOAT32)"),
        Arguments.of(
            new Operation[] {unevenSum(ReduceOp.SUM), unevenSum(ReduceOp.MIN)},
            "rank 1 called #17 reduceScatterV(counts [4, 3], FLOAT32, MIN)"),
        Arguments.of(
            gathers(4, 3),
            "rank 2 has 3 elements for rank 0, which takes 4 from it: rank 0 called #17 gatherV(counts [1, 2, 4], FLOAT32, root 0); rank 1 called #17 gatherV(2 FLOAT32, root 0); rank 2 called #17 gatherV(3 FLOAT32, root 0)"),
        Arguments.of(
            scatters(3, 4),
            "rank 1 has 3 elements for rank 2, which takes 4 from it: rank 0 called #17 scatterV(1 FLOAT32, root 1)"),
        Arguments.of(
            exchanges(4),
            "rank 0 has 5 elements for rank 1, which takes 4 from it: rank 0 called #17 allToAllV(send counts [1, 5], receive counts [1, 0], FLOAT32)"));
  }

  @ParameterizedTest
  @MethodSource("differing")
  void callsThatDifferAreToldWithWhoMadeThem(Operation[] operations, String told) {
    assertThat(between(operations))
        .contains(told)
        .endsWith("; all ranks must make the same calls in the same order");
  }

  @Test
  void ranksThatAgreeAreToldTogether() {
    Operation one = allReduce(8);
    assertThat(between(one, one, one, broadcast(0), one, broadcast(0), broadcast(1)))
        .startsWith(
            "the ranks' calls differ: ranks 0-2, 4 called #17 allReduce(8 FLOAT32, SUM); ranks 3, 5 called #17 broadcast(8 FLOAT32, root 0); rank 6 called #17 broadcast(8 FLOAT32, root 1)");
  }

  @Test
  void numbersMayDifferWhereCallsAgree() {
    Operation barrier = new Operation.Barrier();
    List<Call> calls =
        List.of(Call.of(barrier, 4, 0, 3), Call.of(barrier, 6, 1, 3), Call.named("split"));
    assertThat(Disagreement.of(calls.subList(0, 2))).isNull();
    assertThat(Objects.requireNonNull(Disagreement.of(calls)))
        .contains("ranks 0, 1 called #4/#6 barrier(); rank 2 called split");
  }
}
