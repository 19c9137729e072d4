package dev.tutti.comm.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.CommAbortedException;
import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.Device;
import dev.tutti.comm.internal.FakeCommunicator;
import dev.tutti.comm.spi.Communicator;
import dev.tutti.comm.spi.OpContext;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each operation goes to the backend of its buffers' device. */
class DispatchedTest {
  private final FakeCommunicator host = new FakeCommunicator();
  private final FakeCommunicator device = new FakeCommunicator();
  private final List<String> issued = new ArrayList<>();
  private final Dispatched both;

  DispatchedTest() {
    Map<String, Communicator> byDevice = new LinkedHashMap<>();
    byDevice.put("cpu", host);
    byDevice.put("cuda", device);
    both = new Dispatched(byDevice);
    host.onEnqueue = context -> issued.add("host " + context.operation().name());
    device.onEnqueue = context -> issued.add("device " + context.operation().name());
  }

  private static Operation onHost() {
    return new Operation.Broadcast(CommBuffer.of(new int[1]), 0);
  }

  private static Operation onDevice() {
    return new Operation.Broadcast(
        CommBuffer.ofDevice(MemorySegment.ofAddress(4096), DataType.INT8, 8, Device.cuda(1)), 0);
  }

  private void issue(Operation operation) {
    both.enqueue(operation, new OpContext(operation, 0, Duration.ofSeconds(1), ended -> {}));
  }

  @Test
  void buffersDecideAndWithoutThemTheFirst() {
    issue(onDevice());
    issue(onHost());
    issue(new Operation.Barrier());

    assertThat(issued).containsExactly("device broadcast", "host broadcast", "host barrier");
  }

  @Test
  void aDeviceThatNobodyServesIsUnsupported() {
    Dispatched hostOnly = new Dispatched(Map.of("cpu", host));

    assertThat(hostOnly.supports(onHost()).isAvailable()).isTrue();
    assertThat(hostOnly.supports(onDevice()).describe())
        .isEqualTo(
            "no backend of this group takes buffers on cuda:1, only on [cpu]; name one in the"
                + " config, such as cpu:tcp,cuda:nccl");
    assertThatThrownBy(() -> hostOnly.cost(onDevice())).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void everyBackendMakesProgressAndIsEnded() {
    List<String> done = new ArrayList<>();
    device.next(() -> done.add("device"));
    host.next(() -> done.add("host"));

    assertThat(both.advance()).isTrue();
    assertThat(done).containsExactlyInAnyOrder("host", "device");
    assertThat(both.advance()).isFalse();
    assertThat(both.memory()).isEqualTo(new SlotPool.Usage(2, 2, 0, 0, 0));
    both.wakeup();
    both.await(Duration.ofSeconds(10).toNanos());
    CommAbortedException cause = new CommAbortedException("over", null);
    both.abort(cause);
    both.close(Duration.ZERO);
    assertThat(host.aborted).isSameAs(cause);
    assertThat(device.aborted).isSameAs(cause);
    assertThat(host.closes).hasValue(1);
    assertThat(device.closes).hasValue(1);
  }

  @Test
  void whatIsAwaitedIsWhatAnyOfThemAwaits() {
    assertThat(both.awaited()).isEmpty();
    device.awaitedText = "a stream";
    assertThat(both.awaited()).isEqualTo("a stream");
    host.awaitedText = "rank 3";
    assertThat(both.awaited()).isEqualTo("rank 3; a stream");
  }

  @Test
  void oneBackendForSeveralDevicesIsAskedOnce() {
    Dispatched same = new Dispatched(Map.of("cpu", host, "cuda", host));
    same.close(Duration.ZERO);

    assertThat(host.closes).hasValue(1);
    assertThat(same.memory()).isEqualTo(new SlotPool.Usage(1, 2, 0, 0, 0));
  }

  @Test
  void aRankThatIsNoMemberGetsNoSubgroup() {
    assertThat(both.split(null, -1, 0)).isNull();
  }
}
