package dev.tutti.tcp.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches of transfers: matched in order per pair and direction, whatever stands between. */
@Timeout(60)
class PointToPointTest {
  private static final long SEED = Long.getLong("tutti.seed", 20_250_601L);

  @RepeatedTest(40)
  void randomBatchesMatchInOrder(RepetitionInfo repetition) {
    SplittableRandom random = new SplittableRandom(SEED + repetition.getCurrentRepetition());
    int size = 1 + random.nextInt(6);
    // Counts of the messages of each ordered pair, then each rank's list: its sends and receives,
    // shuffled
    // so that each pair's stay in order.
    List<List<Transfer>> transfers = new ArrayList<>();
    List<List<Long>> counts = new ArrayList<>();
    for (int pair = 0; pair < size * size; pair++) {
      List<Long> messages = new ArrayList<>();
      for (int left = random.nextInt(4); left > 0; left--) {
        messages.add((long) Math.max(0, random.nextInt(12) - 3));
      }
      counts.add(messages);
    }
    for (int rank = 0; rank < size; rank++) {
      List<List<Transfer>> queues = new ArrayList<>();
      for (int peer = 0; peer < size; peer++) {
        int to = peer;
        queues.add(counts.get(rank * size + to).stream().map(n -> Transfer.send(to, n)).toList());
        queues.add(counts.get(to * size + rank).stream().map(n -> Transfer.recv(to, n)).toList());
      }
      transfers.add(merge(queues, random));
    }
    prove(transfers, random);
  }

  private static List<Transfer> merge(List<List<Transfer>> queues, SplittableRandom random) {
    int[] next = new int[queues.size()];
    List<Integer> turns = new ArrayList<>();
    for (int queue = 0; queue < queues.size(); queue++) {
      for (int i = 0; i < queues.get(queue).size(); i++) {
        turns.add(random.nextInt(turns.size() + 1), queue);
      }
    }
    return turns.stream().map(queue -> queues.get(queue).get(next[queue]++)).toList();
  }

  private static void prove(List<List<Transfer>> transfers, SplittableRandom random) {
    int size = transfers.size();
    Expressions expressions = new Expressions();
    List<Schedule> schedules = new ArrayList<>();
    List<RankMemory> memories = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      List<Transfer> own = transfers.get(rank);
      schedules.add(Schedules.plan(Request.batch(rank, size, 1, own, Limits.DEFAULT)));
      Set<Integer> received = new HashSet<>();
      int[] lengths = new int[own.size()];
      for (int i = 0; i < own.size(); i++) {
        lengths[i] = (int) own.get(i).count();
        if (own.get(i).direction() == Transfer.Direction.RECV) {
          received.add(i);
        }
      }
      RankMemory memory = new RankMemory(rank, 0, 0, Aliasing.NONE, 0, lengths, received);
      for (int i = 0; i < own.size(); i++) {
        for (int at = 0; at < lengths[i] && !received.contains(i); at++) {
          memory.set(Schedule.TRANSFER + i, at, expressions.leaf(rank, 100L * i + at));
        }
      }
      memories.add(memory);
    }
    StaticChecks.messagesMatch(schedules);
    for (int run = 0; run < 10; run++) {
      memories.forEach(RankMemory::reset);
      int capacity = run % 2 == 0 ? SymbolicRun.RENDEZVOUS : random.nextInt(1, 9);
      Order order = Order.random(random, size);
      new SymbolicRun(schedules, memories, expressions, order, capacity, random.nextLong()).run();
      for (int rank = 0; rank < size; rank++) {
        checkReceived(transfers, rank, expressions, memories.get(rank));
      }
    }
  }

  private static void checkReceived(
      List<List<Transfer>> transfers, int rank, Expressions expressions, RankMemory memory) {
    Map<Integer, Integer> nextSend = new HashMap<>();
    List<Transfer> own = transfers.get(rank);
    for (int i = 0; i < own.size(); i++) {
      if (own.get(i).direction() == Transfer.Direction.SEND) {
        continue;
      }
      int peer = own.get(i).peer();
      List<Transfer> theirs = transfers.get(peer);
      int send = nextSend.getOrDefault(peer, 0);
      while (!theirs.get(send).equals(Transfer.send(rank, theirs.get(send).count()))) {
        send++;
      }
      nextSend.put(peer, send + 1);
      for (int at = 0; at < own.get(i).count(); at++) {
        assertThat(memory.get(Schedule.TRANSFER + i, at))
            .as("rank %d, transfer %d, element %d", rank, i, at)
            .isEqualTo(expressions.leaf(peer, 100L * send + at));
      }
    }
  }

  @Test
  void aSendToItselfIsACopy() {
    Schedule schedule =
        Schedules.plan(
            Request.batch(
                1,
                2,
                4,
                List.of(
                    Transfer.recv(1, 5),
                    Transfer.send(1, 5),
                    Transfer.send(0, 0),
                    Transfer.send(1, 0),
                    Transfer.recv(1, 0)),
                Limits.DEFAULT));
    assertThat(schedule)
        .hasToString(
            "pointToPoint, rank 1/2, 1 steps, scratch 0\n0 COPY TRANSFER0[0,5) = TRANSFER1[0,5)");
  }

  @Test
  void transfersToItselfThatDoNotMatchAreRefused() {
    assertThatThrownBy(() -> plan(Transfer.send(0, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "batch on rank 0/2: transfer 0 sends to the rank itself, but no receive from itself"
                + " matches it");
    assertThatThrownBy(() -> plan(Transfer.recv(0, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "batch on rank 0/2: transfer 0 receives from the rank itself, but no send to itself"
                + " matches it");
    assertThatThrownBy(() -> plan(Transfer.recv(0, 1), Transfer.send(0, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "batch on rank 0/2: transfer 1 sends 2 elements to the rank itself, but transfer 0"
                + " receives 1");
  }

  private static Schedule plan(Transfer... transfers) {
    return Schedules.plan(Request.batch(0, 2, 4, List.of(transfers), Limits.DEFAULT));
  }
}
