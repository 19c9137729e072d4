package dev.tutti.comm.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.CommConfig;
import dev.tutti.comm.DataType;
import dev.tutti.comm.Device;
import dev.tutti.comm.PeerFailedException;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.FakeCommunicator;
import dev.tutti.comm.internal.store.InMemoryStore;
import dev.tutti.comm.spi.BackendProvider;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order parts are issued, and what becomes of them when one fails. */
class FoldedTest {
  /** Three chunks: 1 KiB of scratch makes slots of 256 bytes, 21 floats from each of 3 ranks. */
  private static final int COUNT = 2 * 63 + 10;

  private final FakeCommunicator backend = new FakeCommunicator();
  private final List<String> issued = new ArrayList<>();
  private final Folded folded = new Folded(backend, group());
  private int sequence;

  FoldedTest() {
    backend.onEnqueue = context -> issued.add(context.operation().name());
  }

  private static BackendProvider.Context group() {
    CommConfig config = CommConfig.parse("fake?order=ranked");
    return new BackendProvider.Context(
        "world",
        1,
        0,
        List.of(0, 1, 2),
        config.options(config.entries().getFirst(), List.of()),
        config.order(),
        1 << 10,
        new InMemoryStore(3).view(),
        Duration.ofSeconds(1),
        null,
        true);
  }

  private OpContext issue(Operation operation) {
    OpContext context = new OpContext(operation, sequence++, Duration.ofSeconds(1), ended -> {});
    folded.enqueue(operation, context);
    return context;
  }

  private OpContext sum() {
    CommBuffer data = CommBuffer.of(new float[COUNT]);
    return issue(new Operation.AllReduce(data, data, ReduceOp.SUM));
  }

  private void completeNext() {
    backend.completeNext();
    folded.advance();
  }

  @Test
  void whatFollowsIsHeldBackUntilTheLastPartIsIssued() {
    OpContext sum = sum();
    OpContext barrier = issue(new Operation.Barrier());

    assertThat(issued).containsExactly("batch", "batch");
    completeNext();
    assertThat(issued).containsExactly("batch", "batch", "allGather", "batch");
    completeNext();
    completeNext();
    completeNext();
    assertThat(issued)
        .containsExactly(
            "batch", "batch", "allGather", "batch", "allGather", "allGatherV", "barrier");
    assertThat(sum.isDone()).isFalse();
    completeNext();
    completeNext();
    assertThat(sum.isDone()).isTrue();
    assertThat(sum.failure()).isNull();
    assertThat(sum.trace().algorithm()).isEqualTo("ranked fold over ");
    assertThat(barrier.isDone()).isFalse();
    completeNext();
    assertThat(barrier.isDone()).isTrue();
    assertThat(folded.memory().inUse()).isZero();
  }

  @Test
  void whatDoesNotDependOnTheOrderGoesStraightThrough() {
    CommBuffer ints = CommBuffer.of(new int[COUNT]);
    issue(new Operation.AllReduce(ints, ints, ReduceOp.SUM));
    CommBuffer floats = CommBuffer.of(new float[COUNT]);
    issue(new Operation.AllReduce(floats, floats, ReduceOp.MAX));
    issue(new Operation.Broadcast(floats, 1));

    assertThat(issued).containsExactly("allReduce", "allReduce", "broadcast");
  }

  @Test
  void aPartThatFailsFailsTheWhole() {
    OpContext sum = sum();
    backend.failNext(new PeerFailedException(1, "rank 1 is gone", null));
    folded.advance();

    assertThat(sum.failure())
        .isInstanceOf(PeerFailedException.class)
        .hasMessage(
            "allReduce(136 FLOAT32, SUM) #0 on rank 0/3 of group world, folded by rank, in its"
                + " batch(4 transfers): rank 1 is gone");
    completeNext();
    assertThat(issued).containsExactly("batch", "batch");
  }

  @Test
  void anAbortEndsWhatIsUnderWayAndWhatIsHeldBack() {
    OpContext sum = sum();
    OpContext barrier = issue(new Operation.Barrier());
    completeNext();
    CommAbortedException cause = new CommAbortedException("enough", null);
    folded.abort(cause);

    assertThat(sum.failure()).isInstanceOf(CommAbortedException.class);
    assertThat(barrier.failure()).isSameAs(cause);
    assertThat(backend.aborted).isSameAs(cause);
    assertThat(folded.memory().inUse()).isZero();
    folded.close(Duration.ZERO);
    assertThat(folded.memory().allocatedBytes()).isZero();
    assertThat(issued).containsExactly("batch", "batch", "allGather", "batch");
  }

  @Test
  void aDeviceWhoseBackendKeepsNoOrderIsRefused() {
    CommBuffer device =
        CommBuffer.ofDevice(MemorySegment.ofAddress(4096), DataType.FLOAT32, 8, Device.cuda(0));

    assertThat(folded.supports(new Operation.AllReduce(device, device, ReduceOp.SUM)).describe())
        .isEqualTo(
            "this backend does not reduce in rank order on a device; leave order=ranked out of"
                + " the config, or reduce host memory");
    assertThat(folded.supports(new Operation.AllReduce(device, device, ReduceOp.MIN)).isAvailable())
        .isTrue();
  }
}
