package dev.tutti.comm.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.LocalRanks;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.Work;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The flight recorder's event: one for each operation on each rank, with all that it promises. */
@Timeout(60)
class OperationEventTest {
  @TempDir Path folder;

  private List<RecordedEvent> record(Runnable body) throws IOException {
    Path file = folder.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("tutti.Operation");
      recording.start();
      body.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .sorted(
            Comparator.comparing((RecordedEvent e) -> e.getString("group"))
                .thenComparingInt(e -> e.getInt("rank"))
                .thenComparingLong(e -> e.getLong("sequence")))
        .toList();
  }

  private static String text(RecordedEvent e) {
    return Stream.of("group", "rank", "sequence", "operation", "bytes", "algorithm", "outcome")
        .map(field -> Objects.toString(e.getValue(field)))
        .reduce((a, b) -> a + " " + b)
        .orElseThrow();
  }

  @Test
  void everyOperationIsRecordedWithItsFields() throws IOException {
    List<RecordedEvent> events =
        record(
            () ->
                LocalRanks.run(
                    2,
                    "local",
                    world -> {
                      world.allReduce(CommBuffer.of(new float[100]), ReduceOp.SUM).join();
                      try (ProcessGroup group = world.split(0, 0).orElseThrow()) {
                        group
                            .allGather(CommBuffer.of(new int[1]), CommBuffer.of(new int[2]))
                            .join();
                      }
                      world.barrier().join();
                    }));

    assertThat(events)
        .extracting(OperationEventTest::text)
        .containsExactly(
            "world 0 0 allReduce 400 naive complete",
            "world 0 1 barrier 0 naive complete",
            "world 1 0 allReduce 400 naive complete",
            "world 1 1 barrier 0 naive complete",
            "world/0.0 0 0 allGather 8 naive complete",
            "world/0.0 1 0 allGather 8 naive complete");
    assertThat(events)
        .allSatisfy(
            e -> {
              assertThat(e.getEventType().getName()).isEqualTo("tutti.Operation");
              assertThat(e.getDuration()).isPositive();
            });
  }

  @Test
  void aFailureIsRecordedAsItsType() throws IOException {
    List<RecordedEvent> events =
        record(
            () ->
                LocalRanks.run(
                    2,
                    "local",
                    world -> {
                      if (world.rank() == 0) {
                        Work work = world.barrier();
                        world.abort();
                        assertThatThrownBy(work::join).isInstanceOf(CommAbortedException.class);
                      }
                    }));

    assertThat(events)
        .extracting(OperationEventTest::text)
        .containsExactly("world 0 0 barrier 0 naive CommAbortedException");
  }
}
