package dev.tutti.comm.internal.reduce;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Blocks, used again and again by whatever thread needs one.
 *
 * <p>Not thread-local: virtual threads would each make their own. At most {@value #SLOTS} blocks
 * are kept; more exist only while more threads are at work at once.
 *
 * @param <B> the block's type
 */
final class BlockPool<B> {
  private static final int SLOTS = 16;

  private final AtomicReferenceArray<@Nullable B> slots = new AtomicReferenceArray<>(SLOTS);
  private final Supplier<B> newBlock;

  BlockPool(Supplier<B> newBlock) {
    this.newBlock = newBlock;
  }

  /** Takes a block, whose content is arbitrary. */
  B take() {
    int first = (int) Thread.currentThread().threadId();
    for (int i = 0; i < SLOTS; i++) {
      int slot = (first + i) & (SLOTS - 1);
      if (slots.getPlain(slot) != null) {
        B block = slots.getAndSet(slot, null);
        if (block != null) {
          return block;
        }
      }
    }
    return newBlock.get();
  }

  /**
   * Gives a block back. One that is not, because a copy threw (the memory was closed), is left to
   * the garbage collector.
   */
  void give(B block) {
    int first = (int) Thread.currentThread().threadId();
    for (int i = 0; i < SLOTS; i++) {
      int slot = (first + i) & (SLOTS - 1);
      if (slots.getPlain(slot) == null && slots.compareAndSet(slot, null, block)) {
        return;
      }
    }
  }
}
