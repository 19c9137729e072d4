package dev.tutti.comm.internal.store;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One exchange in progress: who has arrived, and with what. Guarded by its {@link StoreMap}. */
final class Gathering {
  final int size;
  private final byte[] @Nullable [] values;
  private final @Nullable CompletableFuture<Gathered>[] callers;
  private final TreeSet<Integer> gaveUp = new TreeSet<>();
  private int arrived;
  private long bytes;

  @SuppressWarnings({"unchecked", "rawtypes"})
  Gathering(int size) {
    this.size = size;
    this.values = new byte[size][];
    this.callers = new CompletableFuture[size];
  }

  boolean has(int rank) {
    return callers[rank] != null;
  }

  void arrive(int rank, byte[] value, CompletableFuture<Gathered> caller) {
    values[rank] = value;
    callers[rank] = caller;
    gaveUp.remove(rank);
    arrived++;
    bytes += value.length;
  }

  /** Takes a rank out again; returns false if that call is not the one that waits here. */
  @SuppressWarnings("ReferenceEquality") // the very same call
  boolean leave(int rank, CompletableFuture<Gathered> caller) {
    byte[] value = values[rank];
    if (callers[rank] != caller || value == null) {
      return false;
    }
    bytes -= value.length;
    values[rank] = null;
    callers[rank] = null;
    gaveUp.add(rank);
    arrived--;
    return true;
  }

  boolean complete() {
    return arrived == size;
  }

  boolean empty() {
    return arrived == 0;
  }

  long bytes() {
    return bytes;
  }

  Gathered gathered() {
    List<byte[]> all = new ArrayList<>(size);
    for (byte[] value : values) {
      all.add(value == null ? new byte[0] : value);
    }
    return new Gathered(List.copyOf(all));
  }

  List<CompletableFuture<Gathered>> callers() {
    List<CompletableFuture<Gathered>> present = new ArrayList<>(arrived);
    for (CompletableFuture<Gathered> caller : callers) {
      if (caller != null) {
        present.add(caller);
      }
    }
    return present;
  }

  /** Returns the ranks that are not here, other than those that were and gave up. */
  SortedSet<Integer> missing() {
    TreeSet<Integer> missing = new TreeSet<>();
    for (int rank = 0; rank < size; rank++) {
      if (callers[rank] == null && !gaveUp.contains(rank)) {
        missing.add(rank);
      }
    }
    return missing;
  }

  SortedSet<Integer> gaveUp() {
    return new TreeSet<>(gaveUp);
  }
}
