package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.NONE;
import static dev.tutti.tcp.schedule.Schedule.OUTPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which step waits for which, what is left out, and what is refused. */
class ScheduleBuilderTest {

  private static ScheduleBuilder builder(Aliasing aliasing) {
    return new ScheduleBuilder(Algorithm.RING, 0, 3, aliasing);
  }

  private static List<Integer> dependencies(Schedule schedule, int step) {
    List<Integer> on = new ArrayList<>();
    for (int j = schedule.dependenciesBegin(step); j < schedule.dependenciesEnd(step); j++) {
      on.add(schedule.dependency(j));
    }
    return on;
  }

  @Test
  void aReaderWaitsForTheWriterAndAWriterForTheReaders() {
    ScheduleBuilder steps = builder(Aliasing.NONE);
    int recv = steps.recv(1, OUTPUT, 0, 10);
    int first = steps.send(2, OUTPUT, 0, 5);
    int second = steps.send(2, OUTPUT, 5, 5);
    int apart = steps.send(2, INPUT, 0, 10);
    int again = steps.recv(1, OUTPUT, 4, 2);
    int reader = steps.copy(OUTPUT, 4, SCRATCH, 0, 1);
    Schedule schedule = steps.build();
    assertThat(dependencies(schedule, recv)).isEmpty();
    assertThat(dependencies(schedule, first)).containsExactly(recv);
    assertThat(dependencies(schedule, second)).containsExactly(recv);
    assertThat(dependencies(schedule, apart)).isEmpty();
    assertThat(dependencies(schedule, again)).containsExactly(first, second);
    assertThat(dependencies(schedule, reader)).containsExactly(again);
  }

  @Test
  void inPlaceBuffersAreOneMemory() {
    for (Aliasing aliasing : List.of(Aliasing.NONE, Aliasing.at(-6))) {
      ScheduleBuilder steps = builder(aliasing);
      int send = steps.send(1, INPUT, 6, 4);
      int recv = steps.recv(1, OUTPUT, 3, 2);
      Schedule schedule = steps.build();
      assertThat(dependencies(schedule, recv))
          .isEqualTo(aliasing.aliased() ? List.of(send) : List.of());
    }
  }

  @Test
  void whatADependencyWaitsForIsNotListedAgain() {
    ScheduleBuilder steps = builder(Aliasing.SAME);
    int send = steps.send(1, INPUT, 0, 4);
    int combined = steps.recvReduce(2, INPUT, 0, OUTPUT, 0, 4);
    int divided = steps.divide(OUTPUT, 0, 4);
    int sent = steps.send(1, OUTPUT, 0, 4);
    int after = steps.after(combined).after(sent).after(sent).recv(2, OUTPUT, 0, 4);
    Schedule schedule = steps.build();
    assertThat(dependencies(schedule, combined)).containsExactly(send);
    assertThat(dependencies(schedule, divided)).containsExactly(combined);
    assertThat(dependencies(schedule, sent)).containsExactly(divided);
    assertThat(dependencies(schedule, after)).contains(sent).doesNotContain(send, divided);
  }

  @Test
  void dependentsAreDependenciesTheOtherWay() {
    ScheduleBuilder steps = builder(Aliasing.NONE);
    int recv = steps.recv(1, SCRATCH, 0, 4);
    int other = steps.recv(2, SCRATCH, 4, 4);
    int reduce = steps.reduce(SCRATCH, 0, SCRATCH, 4, OUTPUT, 0, 4);
    int send = steps.send(1, SCRATCH, 2, 4);
    Schedule schedule = steps.build();
    for (int step : new int[] {recv, other}) {
      List<Integer> dependents = new ArrayList<>();
      for (int j = schedule.dependentsBegin(step); j < schedule.dependentsEnd(step); j++) {
        dependents.add(schedule.dependent(j));
      }
      assertThat(dependents).containsExactly(reduce, send);
    }
    int[] counts = new int[4];
    schedule.dependencyCounts(counts);
    assertThat(counts).containsExactly(0, 0, 2, 2);
    assertThat(schedule.scratchElements()).isEqualTo(8);
  }

  @Test
  void eachPeersMessagesAreListedInStepOrder() {
    ScheduleBuilder steps = builder(Aliasing.NONE);
    steps.send(2, INPUT, 0, 1);
    steps.send(1, INPUT, 0, 2);
    steps.recv(1, OUTPUT, 0, 3);
    steps.send(2, INPUT, 0, 4);
    steps.recvReduce(1, INPUT, 0, OUTPUT, 3, 5);
    Schedule schedule = steps.build();
    assertThat(schedule.sendsEnd(1) - schedule.sendsBegin(1)).isEqualTo(1);
    assertThat(schedule.sendStep(schedule.sendsBegin(2))).isEqualTo(0);
    assertThat(schedule.sendStep(schedule.sendsBegin(2) + 1)).isEqualTo(3);
    assertThat(schedule.sendsBegin(0)).isEqualTo(schedule.sendsEnd(0));
    assertThat(schedule.recvStep(schedule.recvsBegin(1))).isEqualTo(2);
    assertThat(schedule.recvStep(schedule.recvsBegin(1) + 1)).isEqualTo(4);
    assertThat(schedule.sentElements()).isEqualTo(7);
    assertThat(schedule.receivedElements()).isEqualTo(8);
  }

  @Test
  void whatMovesNothingIsLeftOut() {
    ScheduleBuilder steps = builder(Aliasing.at(3));
    assertThat(steps.send(1, INPUT, 0, 0)).isEqualTo(NONE);
    assertThat(steps.copy(INPUT, 2, OUTPUT, 5, 4)).isEqualTo(NONE);
    int first = steps.recv(1, OUTPUT, 0, 1);
    // What a left-out step was to wait for does not stick to the next one, nor is it lost there.
    steps.after(first).send(1, INPUT, 0, 0);
    int free = steps.recv(1, OUTPUT, 9, 1);
    steps.after(first).send(1, INPUT, 0, 0);
    int bound = steps.after(first).after(NONE).recv(1, OUTPUT, 8, 1);
    Schedule schedule = steps.build();
    assertThat(schedule.stepCount()).isEqualTo(3);
    assertThat(dependencies(schedule, free)).isEmpty();
    assertThat(dependencies(schedule, bound)).containsExactly(first);
    ScheduleBuilder alone = new ScheduleBuilder(Algorithm.RING, 0, 1, Aliasing.NONE);
    assertThat(alone.divide(OUTPUT, 0, 4)).isEqualTo(NONE);
  }

  @Test
  void mistakesOfAnAlgorithmAreRefused() {
    assertThatThrownBy(() -> builder(Aliasing.SAME).recv(1, INPUT, 0, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "ring on rank 0/3: step 0 RECV nothing[0,1) -> INPUT[0,1) writes the user's send"
                + " buffer");
    assertThatThrownBy(() -> builder(Aliasing.NONE).send(1, SCRATCH, 0, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("reads scratch that no step wrote");
    assertThatThrownBy(() -> builder(Aliasing.at(1)).copy(INPUT, 0, OUTPUT, 0, 2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("has a source that overlaps its destination in part");
    assertThatThrownBy(() -> builder(Aliasing.NONE).send(0, INPUT, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("SEND on rank 0/3 with rank 0");
    assertThatThrownBy(() -> builder(Aliasing.NONE).send(3, INPUT, 0, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder(Aliasing.NONE).send(1, INPUT, 0, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void readsAsText() {
    ScheduleBuilder steps = builder(Aliasing.NONE);
    steps.recv(1, SCRATCH, 0, 4);
    steps.recvReduce(2, INPUT, 8, OUTPUT, 0, 4);
    steps.reduce(OUTPUT, 0, SCRATCH, 0, OUTPUT, 0, 4);
    steps.divide(OUTPUT, 0, 4);
    steps.copy(OUTPUT, 0, OUTPUT, 4, 4);
    steps.send(1, OUTPUT, 2, 4);
    steps.sendSignal(2);
    assertThat(steps.build())
        .hasToString(
            """
            ring, rank 0/3, 7 steps, scratch 4
            0 RECV SCRATCH[0,4) from 1
            1 RECV_REDUCE OUTPUT[0,4) = INPUT[8,12) ⊕ from 2
            2 REDUCE OUTPUT[0,4) = OUTPUT[0,4) ⊕ SCRATCH[0,4) after 0, 1
            3 DIVIDE OUTPUT[0,4) by 3 after 2
            4 COPY OUTPUT[4,8) = OUTPUT[0,4) after 3
            5 SEND OUTPUT[2,6) to 1 after 4
            6 SEND INPUT to 2\
            """);
  }
}
