package dev.tutti.tcp.schedule;

/**
 * Barrier by dissemination: in round i a rank signals rank+2^i and hears from rank-2^i; a round's
 * signal waits for all that was heard before, so after ⌈lg n⌉ rounds every rank has heard of every
 * other.
 *
 * <p>⌈lg n⌉ steps, one empty message sent in each. Hensgen, Finkel and Manber, Two algorithms for
 * barrier synchronization, IJPP 17(1), 1988.
 */
final class DisseminationBarrier {
  private DisseminationBarrier() {}

  static Schedule plan(Request request) {
    int rank = request.rank();
    int size = request.size();
    ScheduleBuilder steps = new ScheduleBuilder(Algorithm.DISSEMINATION, rank, size, Aliasing.NONE);
    int[] heard = new int[Integer.SIZE];
    int rounds = 0;
    for (int distance = 1; distance > 0 && distance < size; distance <<= 1) {
      for (int i = 0; i < rounds; i++) {
        steps.after(heard[i]);
      }
      steps.sendSignal((rank + distance) % size);
      heard[rounds++] = steps.recvSignal((rank + size - distance) % size);
    }
    return steps.build();
  }
}
