package dev.tutti.tcp.schedule;

import static dev.tutti.tcp.schedule.Schedule.INPUT;
import static dev.tutti.tcp.schedule.Schedule.SCRATCH;

/**
 * Scratch in which a rank takes a chunk from every other rank and then folds them all, its own in
 * their midst, in rank order: slots of one chunk a peer, used in turn.
 *
 * <p>A slot's next use waits for its fold. Chunks are numbered alike on all ranks and a fold waits
 * for messages of its own number alone, so one slot is enough to get to the end, and more let a
 * chunk come in while another is folded.
 *
 * @param request what is asked for
 * @param chunks how blocks are cut
 * @param slots how many chunks may be under way
 */
record FoldSlots(Request request, Chunks chunks, int slots) {
  private static final int MAX_SLOTS = 8;

  /** Slots below which shorter chunks are better than fewer slots: one fills, one is folded. */
  private static final int WANTED_SLOTS = 2;

  /** Returns the slots for blocks of up to {@code largestBlock} elements. */
  static FoldSlots of(Request request, long largestBlock) {
    long each = request.scratchElements() / (request.size() - 1);
    Chunks chunks =
        Chunks.of(request.chunkElements(), largestBlock).atMost(Math.max(1, each / WANTED_SLOTS));
    // No more than there are chunks: small blocks want little scratch.
    long slots = Math.min(each / chunks.length(), Math.max(1, chunks.in(largestBlock)));
    return new FoldSlots(request, chunks, (int) Math.min(MAX_SLOTS, slots));
  }

  /** Returns whether there is scratch for one element of each peer. */
  static boolean fit(Request request) {
    return request.scratchElements() >= request.size() - 1;
  }

  /** Returns the peer at a distance from 1 to size - 1: to whom this rank sends. */
  int to(int distance) {
    return (request.rank() + distance) % request.size();
  }

  /** Returns the peer at a distance from 1 to size - 1: from whom this rank receives. */
  int from(int distance) {
    return (request.rank() + request.size() - distance) % request.size();
  }

  /** Adds the receiving of {@code count} elements, chunk {@code k}'s, from every other rank. */
  void receive(ScheduleBuilder steps, int k, long count) {
    for (int distance = 1; distance < request.size(); distance++) {
      steps.recv(from(distance), SCRATCH, at(k, distance), count);
    }
  }

  /** Adds the fold of chunk {@code k}; this rank's own part lies in INPUT. */
  void fold(ScheduleBuilder steps, int k, long own, int destination, long to, long count) {
    int size = request.size();
    int[] buffers = new int[size];
    long[] offsets = new long[size];
    buffers[request.rank()] = INPUT;
    offsets[request.rank()] = own;
    for (int distance = 1; distance < size; distance++) {
      buffers[from(distance)] = SCRATCH;
      offsets[from(distance)] = at(k, distance);
    }
    steps.fold(buffers, offsets, destination, to, count);
  }

  /** Returns where in SCRATCH chunk {@code k} of the peer at a distance lies. */
  long at(int k, int distance) {
    return ((long) (k % slots) * (request.size() - 1) + distance - 1) * chunks.length();
  }
}
