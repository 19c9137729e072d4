package dev.tutti.tcp.schedule;

import java.util.Arrays;

/**
 * One rank's part in one operation, as data: steps over regions, and which step waits for which.
 *
 * <p>A region is a buffer, an offset and a count, both in elements. Buffers are {@link #INPUT} (the
 * user's send buffer), {@link #OUTPUT} (the user's receive buffer), {@link #SCRATCH} (memory of the
 * engine's, {@link #scratchElements()} long, contents undefined at the start) and, in a batch,
 * {@code TRANSFER + i} (the buffer of transfer i).
 *
 * <p>What an engine must keep:
 *
 * <ul>
 *   <li>A step may run once all its dependencies are complete; steps without a path between them
 *       may run in any order and overlap in time.
 *   <li>Sends to one peer go out in step order, and receives from one peer are matched in step
 *       order with that peer's sends in its step order; their counts are equal. A step that is not
 *       ready holds back the later ones of the same peer and direction.
 *   <li>A SEND is complete when its region has been handed to the link entirely, a RECV when all of
 *       it is placed. The operation is complete when all steps are.
 * </ul>
 *
 * <p>Dependencies order every two steps of which one writes what the other reads or writes, so a
 * region that is still being sent is never overwritten. No buffering is needed: a schedule ends
 * also where a SEND completes only once its RECV is posted. Only a barrier has messages of count 0,
 * which are real: an empty frame.
 *
 * <p>Immutable; a structure of arrays, so that an engine walks it without an object per step. Lists
 * are given as {@code [begin, end)} into one array: {@code for (j = dependentsBegin(i); j <
 * dependentsEnd(i); j++) dependent(j)}.
 */
public final class Schedule {
  /** The user's send buffer; written only where it is in place the receive buffer. */
  public static final int INPUT = 0;

  /** The user's receive buffer. */
  public static final int OUTPUT = 1;

  /** The engine's memory for this run. */
  public static final int SCRATCH = 2;

  /** The buffer of a batch's transfer 0; transfer i has {@code TRANSFER + i}. */
  public static final int TRANSFER = 3;

  /** No peer, no buffer, no step. */
  public static final int NONE = -1;

  private final Algorithm algorithm;
  private final int rank;
  private final int size;
  private final long scratchElements;
  private final Steps steps;
  private final int[] dependentStart;
  private final int[] dependent;
  private final int[] sendStart;
  private final int[] sendStep;
  private final int[] recvStart;
  private final int[] recvStep;
  private final long sentElements;
  private final long receivedElements;

  Schedule(Algorithm algorithm, int rank, int size, long scratchElements, Steps steps) {
    this.algorithm = algorithm;
    this.rank = rank;
    this.size = size;
    this.scratchElements = scratchElements;
    this.steps = steps;
    int n = steps.count;

    dependentStart = new int[n + 1];
    int edges = steps.dependencyStart[n];
    for (int j = 0; j < edges; j++) {
      dependentStart[steps.dependency[j] + 1]++;
    }
    for (int i = 0; i < n; i++) {
      dependentStart[i + 1] += dependentStart[i];
    }
    dependent = new int[edges];
    int[] next = Arrays.copyOf(dependentStart, n);
    for (int i = 0; i < n; i++) {
      for (int j = steps.dependencyStart[i]; j < steps.dependencyStart[i + 1]; j++) {
        dependent[next[steps.dependency[j]]++] = i;
      }
    }

    sendStart = new int[size + 1];
    recvStart = new int[size + 1];
    long sent = 0;
    long received = 0;
    for (int i = 0; i < n; i++) {
      if (steps.kind[i] == StepKind.SEND) {
        sendStart[steps.peer[i] + 1]++;
        sent += steps.length[i];
      } else if (steps.kind[i].receives()) {
        recvStart[steps.peer[i] + 1]++;
        received += steps.length[i];
      }
    }
    sentElements = sent;
    receivedElements = received;
    for (int p = 0; p < size; p++) {
      sendStart[p + 1] += sendStart[p];
      recvStart[p + 1] += recvStart[p];
    }
    sendStep = new int[sendStart[size]];
    recvStep = new int[recvStart[size]];
    int[] nextSend = Arrays.copyOf(sendStart, size);
    int[] nextRecv = Arrays.copyOf(recvStart, size);
    for (int i = 0; i < n; i++) {
      if (steps.kind[i] == StepKind.SEND) {
        sendStep[nextSend[steps.peer[i]]++] = i;
      } else if (steps.kind[i].receives()) {
        recvStep[nextRecv[steps.peer[i]]++] = i;
      }
    }
  }

  /** Returns the algorithm that made this schedule. */
  public Algorithm algorithm() {
    return algorithm;
  }

  /** Returns the rank whose part this is. */
  public int rank() {
    return rank;
  }

  /** Returns the ranks in the group: what DIVIDE divides by, and how many regions FOLD combines. */
  public int size() {
    return size;
  }

  /** Returns the number of steps; 0 where there is nothing to do. */
  public int stepCount() {
    return steps.count;
  }

  /** Returns the scratch that the steps use, in elements. */
  public long scratchElements() {
    return scratchElements;
  }

  /** Returns the elements that this rank sends in all. */
  public long sentElements() {
    return sentElements;
  }

  /** Returns the elements that this rank receives in all. */
  public long receivedElements() {
    return receivedElements;
  }

  /** Returns what step {@code i} does. */
  public StepKind kind(int i) {
    return steps.kind[i];
  }

  /** Returns the other rank of a SEND, RECV or RECV_REDUCE, else {@link #NONE}. */
  public int peer(int i) {
    return steps.peer[i];
  }

  /** Returns the length of every region of step {@code i}, in elements. */
  public long count(int i) {
    return steps.length[i];
  }

  /**
   * Returns the buffer that step {@code i} reads: SEND's payload, the local operand of RECV_REDUCE,
   * the first of REDUCE, COPY's source; else {@link #NONE}.
   */
  public int srcBuffer(int i) {
    return steps.srcBuffer[i];
  }

  /** Returns where the source region begins in its buffer, in elements. */
  public long srcOffset(int i) {
    return steps.srcOffset[i];
  }

  /** Returns the buffer of REDUCE's second operand; else {@link #NONE}. */
  public int src2Buffer(int i) {
    return steps.src2Buffer[i];
  }

  /** Returns where REDUCE's second operand begins in its buffer, in elements. */
  public long src2Offset(int i) {
    return steps.src2Offset[i];
  }

  /** Returns the buffer of a rank's region in the FOLD of step {@code i}. */
  public int foldBuffer(int i, int ofRank) {
    return steps.foldBuffer[steps.foldStart[i] + ofRank];
  }

  /** Returns where a rank's region in the FOLD of step {@code i} begins, in elements. */
  public long foldOffset(int i, int ofRank) {
    return steps.foldOffset[steps.foldStart[i] + ofRank];
  }

  /**
   * Returns the buffer that step {@code i} writes, {@link #NONE} for SEND; where the region is also
   * one of the step's sources, it is exactly that region. DIVIDE reads and writes it.
   */
  public int dstBuffer(int i) {
    return steps.dstBuffer[i];
  }

  /** Returns where the destination region begins in its buffer, in elements. */
  public long dstOffset(int i) {
    return steps.dstOffset[i];
  }

  /** Returns on how many steps step {@code i} waits. */
  public int dependencyCount(int i) {
    return steps.dependencyStart[i + 1] - steps.dependencyStart[i];
  }

  /** Writes {@link #dependencyCount} of every step to {@code into}, from index 0. */
  public void dependencyCounts(int[] into) {
    for (int i = 0; i < steps.count; i++) {
      into[i] = dependencyCount(i);
    }
  }

  /**
   * Returns the first index, for {@link #dependency}, of the steps on which step {@code i} waits.
   */
  public int dependenciesBegin(int i) {
    return steps.dependencyStart[i];
  }

  /** Returns the index behind the last of the steps on which step {@code i} waits. */
  public int dependenciesEnd(int i) {
    return steps.dependencyStart[i + 1];
  }

  /** Returns the step at index {@code j}; always an earlier one than the step that waits. */
  public int dependency(int j) {
    return steps.dependency[j];
  }

  /** Returns the first index, for {@link #dependent}, of the steps which wait on step {@code i}. */
  public int dependentsBegin(int i) {
    return dependentStart[i];
  }

  /** Returns the index behind the last of the steps which wait on step {@code i}. */
  public int dependentsEnd(int i) {
    return dependentStart[i + 1];
  }

  /** Returns the step at index {@code j}; always a later one than the step on which it waits. */
  public int dependent(int j) {
    return dependent[j];
  }

  /** Returns the first index, for {@link #sendStep}, of the sends to {@code peer}. */
  public int sendsBegin(int peer) {
    return sendStart[peer];
  }

  /** Returns the index behind the last of the sends to {@code peer}. */
  public int sendsEnd(int peer) {
    return sendStart[peer + 1];
  }

  /** Returns the SEND step at index {@code j}; a peer's are in step order. */
  public int sendStep(int j) {
    return sendStep[j];
  }

  /** Returns the first index, for {@link #recvStep}, of the receives from {@code peer}. */
  public int recvsBegin(int peer) {
    return recvStart[peer];
  }

  /** Returns the index behind the last of the receives from {@code peer}. */
  public int recvsEnd(int peer) {
    return recvStart[peer + 1];
  }

  /** Returns the RECV or RECV_REDUCE step at index {@code j}; a peer's are in step order. */
  public int recvStep(int j) {
    return recvStep[j];
  }

  Steps steps() {
    return steps;
  }

  /** Returns the steps for a reader, one a line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(algorithm.label()).append(", rank ").append(rank).append('/').append(size);
    text.append(", ").append(stepCount()).append(" steps, scratch ").append(scratchElements);
    for (int i = 0; i < stepCount(); i++) {
      text.append('\n').append(describe(i));
    }
    return text.toString();
  }

  /** Returns step {@code i} for a reader, such as {@code 3 RECV_REDUCE OUTPUT[4,8) = … after 1}. */
  public String describe(int i) {
    StringBuilder text = new StringBuilder().append(i).append(' ').append(kind(i)).append(' ');
    switch (kind(i)) {
      case SEND -> text.append(source(i)).append(" to ").append(peer(i));
      case RECV -> text.append(destination(i)).append(" from ").append(peer(i));
      case RECV_REDUCE ->
          text.append(destination(i))
              .append(" = ")
              .append(source(i))
              .append(" ⊕ from ")
              .append(peer(i));
      case REDUCE ->
          text.append(destination(i))
              .append(" = ")
              .append(source(i))
              .append(" ⊕ ")
              .append(region(src2Buffer(i), src2Offset(i), count(i)));
      case COPY -> text.append(destination(i)).append(" = ").append(source(i));
      case FOLD -> {
        text.append(destination(i)).append(" =");
        for (int r = 0; r < size; r++) {
          text.append(r == 0 ? " " : " ⊕ ")
              .append(region(foldBuffer(i, r), foldOffset(i, r), count(i)));
        }
      }
      case DIVIDE -> text.append(destination(i)).append(" by ").append(size);
    }
    for (int j = dependenciesBegin(i); j < dependenciesEnd(i); j++) {
      text.append(j == dependenciesBegin(i) ? " after " : ", ").append(dependency(j));
    }
    return text.toString();
  }

  private String source(int i) {
    return region(srcBuffer(i), srcOffset(i), count(i));
  }

  private String destination(int i) {
    return region(dstBuffer(i), dstOffset(i), count(i));
  }

  static String region(int buffer, long offset, long count) {
    String name =
        switch (buffer) {
          case NONE -> "nothing";
          case INPUT -> "INPUT";
          case OUTPUT -> "OUTPUT";
          case SCRATCH -> "SCRATCH";
          default -> "TRANSFER" + (buffer - TRANSFER);
        };
    return count == 0 ? name : name + "[" + offset + "," + (offset + count) + ")";
  }
}
