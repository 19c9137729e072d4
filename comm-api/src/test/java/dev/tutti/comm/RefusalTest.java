package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A mistake of the caller's throws at once, has no effect, and leaves the group usable. */
@Timeout(60)
class RefusalTest {
  private static CommBuffer ints(int count) {
    return CommBuffer.of(new int[count]);
  }

  /** A mistake in each operation. */
  private static Map<String, Consumer<ProcessGroup>> mistakes() {
    long[] two = {1, 1};
    Map<String, Consumer<ProcessGroup>> all = new LinkedHashMap<>();
    all.put("allReduce", g -> g.allReduce(ints(1), ints(2), ReduceOp.SUM));
    all.put("reduce", g -> g.reduce(ints(1), ints(1), ReduceOp.SUM, 9));
    all.put("broadcast", g -> g.broadcast(ints(1), -1));
    all.put("allGather", g -> g.allGather(ints(1), ints(1)));
    all.put("allGatherV", g -> g.allGatherV(ints(1), ints(2), 1));
    all.put("reduceScatter", g -> g.reduceScatter(ints(1), ints(1), ReduceOp.SUM));
    all.put("reduceScatterV", g -> g.reduceScatterV(ints(3), ints(1), ReduceOp.SUM, two));
    all.put("gather", g -> g.gather(ints(1), ints(1), g.rank()));
    all.put("gatherV", g -> g.gatherV(ints(1), ints(2), g.rank()));
    all.put("scatter", g -> g.scatter(null, ints(1), g.rank()));
    all.put("scatterV", g -> g.scatterV(ints(2), ints(2), g.rank(), two));
    all.put("allToAll", g -> g.allToAll(ints(3), ints(3)));
    all.put("allToAllV", g -> g.allToAllV(ints(2), two, ints(1), two));
    all.put("send", g -> g.send(ints(1), g.rank()));
    all.put("recv", g -> g.recv(ints(1), g.rank()));
    all.put("sendRecv", g -> g.sendRecv(ints(1), 1 - g.rank(), ints(1), g.rank()));
    all.put("batch", g -> g.batch(b -> b.send(ints(1), g.rank())));
    return all;
  }

  @Test
  void everyOperationRefusesAndTheGroupGoesOn() {
    List<List<String>> texts =
        LocalRanks.call(
            2,
            "local?timeout=20s",
            group -> {
              List<String> mine = new ArrayList<>();
              mistakes()
                  .forEach(
                      (name, mistake) -> {
                        assertThatThrownBy(() -> mistake.accept(group))
                            .as(name)
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageStartingWith(name + " on rank " + group.rank() + "/2: ")
                            .satisfies(e -> mine.add(String.valueOf(e.getMessage())));
                      });
              int[] sum = {1};
              group.allReduce(CommBuffer.of(sum), ReduceOp.SUM).join();
              assertThat(sum).containsExactly(2);
              return mine;
            });

    assertThat(texts.getFirst()).hasSize(17);
  }

  @Test
  void anUnsupportedDeviceIsRefusedWithTheWayToHaveIt() {
    LocalRanks.run(
        2,
        "local?timeout=20s",
        group -> {
          CommBuffer device =
              CommBuffer.ofDevice(
                  MemorySegment.ofAddress(4096), DataType.FLOAT32, 8, Device.cuda(0));

          assertThat(group.supports(new Operation.Broadcast(device, 0)).isAvailable()).isFalse();
          assertThatThrownBy(() -> group.broadcast(device, 0))
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessage(
                  "broadcast(8 FLOAT32, root 0) on rank %d/2: no backend of this group takes buffers"
                          .formatted(group.rank())
                      + " on cuda:0, only on [cpu]; name one in the config, such as"
                      + " cpu:tcp,cuda:nccl");
          group.barrier().join();
        });
  }

  @Test
  @SuppressWarnings("NullAway") // the point
  void aBatchWithoutAMakerIsRefused() {
    LocalRanks.run(
        2,
        "local?timeout=20s",
        group -> {
          assertThatThrownBy(() -> group.batch(null))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessage(
                  "batch on rank %d/2: transfers is null; pass b -> { b.send(…); b.recv(…); }"
                      .formatted(group.rank()));
          group.barrier().join();
        });
  }

  @Test
  void aBatchWhoseMakerThrowsIsNotIssued() {
    LocalRanks.run(
        2,
        "local?timeout=20s",
        group -> {
          assertThatThrownBy(
                  () ->
                      group.batch(
                          b -> {
                            b.send(ints(1), 1 - group.rank());
                            throw new IllegalStateException("changed my mind");
                          }))
              .hasMessage("changed my mind");
          group.barrier().join();
        });
  }
}
