package dev.tutti.comm.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A fixed number of slots, reused. */
class SlotPoolTest {
  private static MemorySegment take(SlotPool pool) {
    return Objects.requireNonNull(pool.tryAcquire());
  }

  @Test
  void slotsAreMadeWhenNeededAndNeverMoreThanAsked() {
    try (SlotPool pool = new SlotPool(2, 100)) {
      assertThat(pool.usage()).isEqualTo(new SlotPool.Usage(2, 100, 0, 0, 0));

      MemorySegment first = take(pool);
      assertThat(first.byteSize()).isEqualTo(100);
      assertThat(first.address() % 4096).isZero();
      assertThat(pool.usage()).isEqualTo(new SlotPool.Usage(2, 100, 100, 1, 0));

      MemorySegment second = take(pool);
      assertThat(second.asOverlappingSlice(first)).isEmpty();
      assertThat(pool.tryAcquire()).isNull();
      assertThat(pool.tryAcquire()).isNull();
      assertThat(pool.usage()).isEqualTo(new SlotPool.Usage(2, 100, 200, 2, 2));

      pool.release(first);
      assertThat(take(pool).address()).isEqualTo(first.address());
      assertThat(pool.usage()).isEqualTo(new SlotPool.Usage(2, 100, 200, 2, 2));
    }
  }

  @Test
  void closingFreesTheSlotsAndMayBeRepeated() {
    SlotPool pool = new SlotPool(1, 8);
    MemorySegment slot = take(pool);
    pool.close();
    pool.close();

    assertThat(slot.scope().isAlive()).isFalse();
    pool.release(slot);
    assertThat(pool.usage()).isEqualTo(new SlotPool.Usage(1, 8, 0, 0, 0));
    assertThatThrownBy(pool::tryAcquire).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aPoolOfNothingIsRefused() {
    assertThatThrownBy(() -> new SlotPool(0, 8)).hasMessage("no pool: 0 slots of 8 bytes");
    assertThatThrownBy(() -> new SlotPool(1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void usagesAddUp() {
    assertThat(new SlotPool.Usage(2, 100, 200, 1, 3).plus(new SlotPool.Usage(4, 50, 150, 2, 5)))
        .isEqualTo(new SlotPool.Usage(6, 100, 350, 3, 8));
  }
}
