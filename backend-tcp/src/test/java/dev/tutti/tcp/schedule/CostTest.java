package dev.tutti.tcp.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What docs/ALGORITHMS.md says an algorithm costs: steps in the one-port model of the literature,
 * in which a rank sends one message and receives one at a time, and elements that any rank sends or
 * receives.
 */
class CostTest {
  /** Elements a rank; the vector has n times as many. */
  private static final long BLOCK = 96;

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33})
  void costsWhatTheDocumentSays(int n) {
    long vector = BLOCK * n;
    long others = BLOCK * (n - 1);
    int floor = 31 - Integer.numberOfLeadingZeros(n);
    int ceiling = 32 - Integer.numberOfLeadingZeros(n - 1);
    int folds = ceiling - floor;
    OperationKind allReduce = OperationKind.ALL_REDUCE;
    assertCost(allReduce, Algorithm.RING, n, 2 * (n - 1), 2 * others, 2 * others);
    long most = (floor + folds) * vector;
    Algorithm doubling = Algorithm.RECURSIVE_DOUBLING;
    assertCost(allReduce, doubling, n, floor + 2 * folds, most, most);
    Algorithm tree = Algorithm.BINOMIAL;
    assertCost(OperationKind.BROADCAST, tree, n, ceiling, ceiling * vector, vector);
    assertCost(OperationKind.REDUCE, tree, n, ceiling, vector, ceiling * vector);
    OperationKind broadcast = OperationKind.BROADCAST;
    assertCost(broadcast, Algorithm.CHAIN, n, n - 1, vector, vector);
    assertCost(broadcast, Algorithm.SCATTER_ALL_GATHER, n, ceiling + n - 1, 2 * others, vector);
    OperationKind allGather = OperationKind.ALL_GATHER;
    assertCost(allGather, Algorithm.RING, n, n - 1, others, others);
    assertCost(allGather, Algorithm.BRUCK, n, ceiling, others, others);
    // A pair's odd rank first has two blocks, and passes on the whole result at the end.
    int folded = n - (1 << floor);
    long paired = IntStream.range(0, floor).mapToLong(i -> Math.min(1 << i, folded)).sum() + n - 1;
    long sent = (1 << floor) - 1 + (folds == 0 ? 0 : paired);
    int extra = folded == 0 ? 0 : folded == 1 ? 2 : 3;
    assertCost(allGather, doubling, n, floor + extra, sent * BLOCK, others);
    assertCost(OperationKind.REDUCE_SCATTER, Algorithm.RING, n, n - 1, others, others);
    int high = Integer.highestOneBit(n - 1);
    long subtree = BLOCK * Math.max(high / 2, Math.min(high, n - high));
    assertCost(OperationKind.GATHER, Algorithm.LINEAR, n, n - 1, BLOCK, others);
    assertCost(OperationKind.GATHER, Algorithm.BINOMIAL, n, ceiling, subtree, others);
    assertCost(OperationKind.SCATTER, Algorithm.LINEAR, n, n - 1, others, BLOCK);
    assertCost(OperationKind.SCATTER, Algorithm.BINOMIAL, n, ceiling, others, subtree);
    OperationKind allToAll = OperationKind.ALL_TO_ALL;
    assertCost(allToAll, Algorithm.PAIRWISE, n, n - 1, others, others);
    assertCost(allToAll, Algorithm.DIRECT, n, n - 1, others, others);
    long hops = BLOCK * IntStream.range(1, n).map(Integer::bitCount).sum();
    assertCost(allToAll, Algorithm.BRUCK, n, ceiling, hops, hops);
    assertCost(OperationKind.BARRIER, Algorithm.DISSEMINATION, n, ceiling, 0, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33})
  void reductionsCostWhatTheDocumentSays(int n) {
    long vector = BLOCK * n;
    long others = BLOCK * (n - 1);
    Hypercube cube = Hypercube.of(0, n);
    int floor = cube.dimensions();
    boolean isPower = cube.extras() == 0;
    OperationKind allReduce = OperationKind.ALL_REDUCE;
    long halves = 2 * (vector - vector / cube.vertices()) + (isPower ? 0 : vector);
    int fold = isPower ? 0 : 2;
    assertCost(allReduce, Algorithm.HALVING_DOUBLING, n, 2 * floor + fold, halves, halves);
    assertCost(allReduce, Algorithm.DIRECT, n, 2 * (n - 1), 2 * others, 2 * others);
    assertCost(allReduce, Algorithm.ONE_SHOT, n, n - 1, vector * (n - 1), vector * (n - 1));
    OperationKind reduce = OperationKind.REDUCE;
    assertCost(reduce, Algorithm.LINEAR, n, n - 1, vector, vector * (n - 1));
    assertCost(reduce, Algorithm.REDUCE_SCATTER_GATHER, n, 2 * (n - 1), vector, 2 * others);
    OperationKind scatter = OperationKind.REDUCE_SCATTER;
    assertCost(scatter, Algorithm.DIRECT, n, n - 1, others, others);
    // A proxy gets its extra's vector, then what it is left with in each round.
    long kept = 0;
    for (int bit = 0; bit < floor; bit++) {
      kept += BLOCK * cube.firstRank(1 << bit);
    }
    long sent = isPower ? others : vector;
    long received = isPower ? others : vector + kept;
    assertCost(scatter, Algorithm.RECURSIVE_HALVING, n, floor + fold, sent, received);
  }

  private static void assertCost(
      OperationKind operation, Algorithm algorithm, int n, int steps, long sent, long received) {
    List<Schedule> schedules = new ArrayList<>();
    for (int rank = 0; rank < n; rank++) {
      schedules.add(Schedules.plan(request(operation, rank, n), algorithm));
    }
    String what = operation.label() + " by " + algorithm.label() + ": ";
    assertThat(new OnePort(schedules).steps()).as(what + "steps").isEqualTo(steps);
    assertThat(schedules.stream().mapToLong(Schedule::sentElements).max())
        .as(what + "elements sent")
        .hasValue(sent);
    assertThat(schedules.stream().mapToLong(Schedule::receivedElements).max())
        .as(what + "elements received")
        .hasValue(received);
  }

  private static Request request(OperationKind operation, int rank, int n) {
    Limits limits = Limits.DEFAULT;
    Blocks blocks = Blocks.uniform(n, BLOCK);
    long vector = blocks.total();
    return switch (operation) {
      case ALL_REDUCE -> Request.allReduce(rank, n, 4, vector, false, false, limits);
      case REDUCE -> Request.reduce(rank, n, 0, 4, vector, false, false, limits);
      case BROADCAST -> Request.broadcast(rank, n, 0, 4, vector, true, limits);
      case ALL_GATHER -> Request.allGather(rank, n, 4, blocks, false, limits);
      case REDUCE_SCATTER -> Request.reduceScatter(rank, n, 4, blocks, false, false, limits);
      case GATHER -> Request.gather(rank, n, 0, 4, BLOCK, false, limits);
      case SCATTER -> Request.scatter(rank, n, 0, 4, BLOCK, false, limits);
      case ALL_TO_ALL -> Request.allToAll(rank, n, 4, BLOCK, limits);
      case BARRIER -> Request.barrier(rank, n, limits);
      case BATCH -> throw new IllegalArgumentException(operation.label());
    };
  }

  /**
   * Runs schedules in rounds; in each, every rank sends at most one message and receives at most
   * one.
   */
  private static final class OnePort {
    private final List<Schedule> schedules;
    private final boolean[][] done;

    /** How many messages went from one rank to another. */
    private final int[][] messages;

    OnePort(List<Schedule> schedules) {
      this.schedules = schedules;
      int n = schedules.size();
      done = new boolean[n][];
      messages = new int[n][n];
      Arrays.setAll(done, rank -> new boolean[schedules.get(rank).stepCount()]);
    }

    int steps() {
      int rounds = 0;
      while (round()) {
        rounds++;
      }
      for (boolean[] steps : done) {
        for (boolean step : steps) {
          assertThat(step).as("all steps end").isTrue();
        }
      }
      return rounds;
    }

    private boolean round() {
      finishLocalSteps();
      int n = schedules.size();
      boolean[] receives = new boolean[n];
      int[] sendOf = new int[n];
      int[] recvOf = new int[n];
      Arrays.fill(sendOf, -1);
      Arrays.fill(recvOf, -1);
      for (int rank = 0; rank < n; rank++) {
        Schedule sender = schedules.get(rank);
        for (int step = 0; step < sender.stepCount() && sendOf[rank] < 0; step++) {
          if (sender.kind(step) != StepKind.SEND || !isReady(rank, step)) {
            continue;
          }
          int peer = sender.peer(step);
          Schedule receiver = schedules.get(peer);
          int number = messages[rank][peer];
          int recv = receiver.recvStep(receiver.recvsBegin(rank) + number);
          if (sender.sendStep(sender.sendsBegin(peer) + number) == step
              && !receives[peer]
              && isReady(peer, recv)) {
            sendOf[rank] = step;
            recvOf[peer] = recv;
            receives[peer] = true;
          }
        }
      }
      boolean moved = false;
      for (int rank = 0; rank < n; rank++) {
        if (sendOf[rank] >= 0) {
          done[rank][sendOf[rank]] = true;
          messages[rank][schedules.get(rank).peer(sendOf[rank])]++;
          moved = true;
        }
        if (recvOf[rank] >= 0) {
          done[rank][recvOf[rank]] = true;
        }
      }
      return moved;
    }

    private void finishLocalSteps() {
      for (int rank = 0; rank < done.length; rank++) {
        for (int step = 0; step < done[rank].length; step++) {
          if (schedules.get(rank).kind(step).isLocal() && isReady(rank, step)) {
            done[rank][step] = true;
          }
        }
      }
    }

    private boolean isReady(int rank, int step) {
      Schedule schedule = schedules.get(rank);
      boolean ready = !done[rank][step];
      for (int j = schedule.dependenciesBegin(step); j < schedule.dependenciesEnd(step); j++) {
        ready &= done[rank][schedule.dependency(j)];
      }
      return ready;
    }
  }
}
