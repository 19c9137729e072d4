package dev.tutti.tcp.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One collective of one group, with what each rank must end with: the definition of the operations,
 * written without any algorithm.
 */
final class Trial {
  private static final int ELEMENT_SIZE = 8;

  private final OperationKind operation;
  private final @Nullable Algorithm algorithm;
  private final int size;
  private final int root;
  private final long[][] counts;
  private final boolean average;
  private final boolean[] inPlace;
  private final long chunk;
  private final long scratch;
  private final boolean ranked;

  /**
   * Defines a trial.
   *
   * @param algorithm the algorithm to plan with, or null for the choice table's
   * @param counts one row and one column for a vector; one row for blocks; what row r sends to
   *     column p for allToAll
   * @param inPlace which ranks are in place; where the operation has no such form it is ignored
   * @param chunk wanted elements of a chunk
   * @param scratch most elements of scratch
   */
  Trial(
      OperationKind operation,
      @Nullable Algorithm algorithm,
      int size,
      int root,
      long[][] counts,
      boolean average,
      boolean[] inPlace,
      long chunk,
      long scratch) {
    this(operation, algorithm, size, root, counts, average, inPlace, chunk, scratch, false);
  }

  private Trial(
      OperationKind operation,
      @Nullable Algorithm algorithm,
      int size,
      int root,
      long[][] counts,
      boolean average,
      boolean[] inPlace,
      long chunk,
      long scratch,
      boolean ranked) {
    this.operation = operation;
    this.algorithm = algorithm;
    this.size = size;
    this.root = root;
    this.counts = counts;
    this.average = average;
    this.inPlace = inPlace;
    this.chunk = chunk;
    this.scratch = scratch;
    this.ranked = ranked;
  }

  /** Returns this trial with a reduction that is to be folded in rank order. */
  Trial inRankOrder() {
    return new Trial(
        operation, algorithm, size, root, counts, average, inPlace, chunk, scratch, true);
  }

  int size() {
    return size;
  }

  Limits limits() {
    return new Limits(chunk * ELEMENT_SIZE, scratch * ELEMENT_SIZE, 64L * ELEMENT_SIZE);
  }

  /** Returns a rank's request. */
  Request request(int rank) {
    boolean here = inPlace[rank];
    if (isEven()) {
      return evenRequest(rank);
    }
    // What only the root needs to know is kept from the others.
    Blocks blocks =
        operation == OperationKind.GATHER || operation == OperationKind.SCATTER
            ? (rank == root ? Blocks.of(counts[0]) : Blocks.only(size, rank, counts[0][rank]))
            : Blocks.of(counts[operation == OperationKind.ALL_TO_ALL ? rank : 0]);
    return switch (operation) {
      case ALL_REDUCE ->
          Request.allReduce(rank, size, ELEMENT_SIZE, vector(), average, here, limits());
      case REDUCE ->
          Request.reduce(rank, size, root, ELEMENT_SIZE, vector(), average, here, limits());
      case BROADCAST -> Request.broadcast(rank, size, root, ELEMENT_SIZE, vector(), here, limits());
      case ALL_GATHER -> Request.allGather(rank, size, ELEMENT_SIZE, blocks, here, limits());
      case REDUCE_SCATTER ->
          Request.reduceScatter(rank, size, ELEMENT_SIZE, blocks, average, here, limits());
      case GATHER -> Request.gather(rank, size, root, ELEMENT_SIZE, blocks, here, limits());
      case SCATTER -> Request.scatter(rank, size, root, ELEMENT_SIZE, blocks, here, limits());
      case ALL_TO_ALL ->
          Request.allToAll(rank, size, ELEMENT_SIZE, blocks, receiveBlocks(rank), limits());
      case BARRIER -> Request.barrier(rank, size, limits());
      case BATCH -> throw new IllegalArgumentException("a batch has no such definition");
    };
  }

  /** Returns whether an algorithm needs blocks of one length, known to all ranks. */
  static boolean needsEvenBlocks(OperationKind operation, @Nullable Algorithm algorithm) {
    return switch (operation) {
      case GATHER, SCATTER -> algorithm == Algorithm.BINOMIAL;
      case ALL_TO_ALL -> algorithm == Algorithm.BRUCK;
      default -> false;
    };
  }

  private boolean isEven() {
    return needsEvenBlocks(operation, algorithm);
  }

  private Request evenRequest(int rank) {
    boolean here = inPlace[rank];
    long count = counts[0][0];
    return switch (operation) {
      case GATHER -> Request.gather(rank, size, root, ELEMENT_SIZE, count, here, limits());
      case SCATTER -> Request.scatter(rank, size, root, ELEMENT_SIZE, count, here, limits());
      default -> Request.allToAll(rank, size, ELEMENT_SIZE, count, limits());
    };
  }

  /** Returns all ranks' schedules. */
  List<Schedule> schedules() {
    List<Schedule> schedules = new ArrayList<>(size);
    for (int rank = 0; rank < size; rank++) {
      Request request = ranked ? request(rank).inRankOrder() : request(rank);
      schedules.add(
          algorithm == null ? Schedules.plan(request) : Schedules.plan(request, algorithm));
    }
    return schedules;
  }

  private long vector() {
    return counts[0][0];
  }

  private Blocks receiveBlocks(int rank) {
    long[] received = new long[size];
    Arrays.setAll(received, from -> counts[from][rank]);
    return Blocks.of(received);
  }

  private static long before(long[] row, int column) {
    return Arrays.stream(row, 0, column).sum();
  }

  private static long total(long[] row) {
    return Arrays.stream(row).sum();
  }

  private long inputLength(int rank) {
    return switch (operation) {
      case ALL_REDUCE, REDUCE -> vector();
      case BROADCAST -> rank == root ? vector() : 0;
      case ALL_GATHER, GATHER -> counts[0][rank];
      case REDUCE_SCATTER -> total(counts[0]);
      case SCATTER -> rank == root ? total(counts[0]) : 0;
      case ALL_TO_ALL -> total(counts[rank]);
      case BARRIER, BATCH -> 0;
    };
  }

  private long outputLength(int rank) {
    return switch (operation) {
      case ALL_REDUCE, BROADCAST -> vector();
      case REDUCE -> rank == root ? vector() : 0;
      case ALL_GATHER -> total(counts[0]);
      case GATHER -> rank == root ? total(counts[0]) : 0;
      case REDUCE_SCATTER, SCATTER -> counts[0][rank];
      case ALL_TO_ALL -> receiveBlocks(rank).total();
      case BARRIER, BATCH -> 0;
    };
  }

  /** Returns where NCCL's in-place rules put this rank's INPUT in its OUTPUT. */
  private Aliasing aliasing(int rank) {
    boolean hasBoth = inputLength(rank) > 0 && outputLength(rank) > 0;
    if (!inPlace[rank] || !hasBoth) {
      return Aliasing.NONE;
    }
    return switch (operation) {
      case ALL_REDUCE, REDUCE, BROADCAST -> Aliasing.SAME;
      case ALL_GATHER, GATHER -> Aliasing.at(before(counts[0], rank));
      case REDUCE_SCATTER, SCATTER -> Aliasing.at(-before(counts[0], rank));
      case ALL_TO_ALL, BARRIER, BATCH -> Aliasing.NONE;
    };
  }

  /** Returns all ranks' memories with every INPUT filled. */
  List<RankMemory> memories(Expressions expressions, List<Schedule> schedules) {
    List<RankMemory> memories = new ArrayList<>(size);
    for (int rank = 0; rank < size; rank++) {
      int input = (int) inputLength(rank);
      RankMemory memory =
          new RankMemory(
              rank,
              input,
              (int) outputLength(rank),
              aliasing(rank),
              (int) schedules.get(rank).scratchElements(),
              new int[0],
              Set.of());
      for (int i = 0; i < input; i++) {
        memory.set(Schedule.INPUT, i, expressions.leaf(rank, i));
      }
      memories.add(memory);
    }
    return memories;
  }

  /**
   * Checks what every rank ended with.
   *
   * @throws ScheduleViolation if an element is wrong
   */
  void checkResults(Expressions expressions, List<RankMemory> memories) {
    for (int rank = 0; rank < size; rank++) {
      int output = (int) outputLength(rank);
      int source = 0;
      for (int i = 0; i < output; i++) {
        int value = memories.get(rank).get(Schedule.OUTPUT, i);
        boolean right;
        switch (operation) {
          case ALL_REDUCE -> {
            right = isReduced(expressions, value, i);
            if (value != memories.get(0).get(Schedule.OUTPUT, i)) {
              throw new ScheduleViolation(
                  "element " + i + " is combined on rank " + rank + " in another way than on 0");
            }
          }
          case REDUCE -> right = isReduced(expressions, value, i);
          case REDUCE_SCATTER -> right = isReduced(expressions, value, before(counts[0], rank) + i);
          case BROADCAST -> right = value == expressions.leaf(root, i);
          case SCATTER -> right = value == expressions.leaf(root, before(counts[0], rank) + i);
          case ALL_GATHER, GATHER -> {
            while (before(counts[0], source + 1) <= i) {
              source++;
            }
            right = value == expressions.leaf(source, i - before(counts[0], source));
          }
          case ALL_TO_ALL -> {
            Blocks received = receiveBlocks(rank);
            while (received.offset(source + 1) <= i) {
              source++;
            }
            long sent = before(counts[source], rank) + i - received.offset(source);
            right = value == expressions.leaf(source, sent);
          }
          default -> throw new IllegalArgumentException("no output: " + operation);
        }
        if (!right) {
          throw new ScheduleViolation(
              "rank " + rank + " ends with OUTPUT[" + i + "] = " + expressions.describe(value));
        }
      }
    }
  }

  private boolean isReduced(Expressions expressions, int value, long index) {
    long everybody = size == Long.SIZE ? -1 : (1L << size) - 1;
    return expressions.is(value, everybody, index, average && size > 1 ? 1 : 0)
        && (!ranked || expressions.isInRankOrder(value));
  }

  /** Plans, checks what can be checked without running, then runs with each kind of link. */
  void prove(SplittableRandom random, int runs) {
    List<Schedule> schedules = schedules();
    Expressions expressions = new Expressions(average);
    List<RankMemory> memories = memories(expressions, schedules);
    StaticChecks.messagesMatch(schedules);
    if (operation == OperationKind.BARRIER) {
      StaticChecks.everyRankHearsOfEvery(schedules);
    }
    for (int rank = 0; rank < size; rank++) {
      Schedule schedule = schedules.get(rank);
      if (schedule.scratchElements() > scratch) {
        throw new ScheduleViolation(
            "rank " + rank + " uses " + schedule.scratchElements() + " elements of scratch");
      }
      StaticChecks.conflictsAreOrdered(schedule, memories.get(rank));
    }
    for (int run = 0; run < runs; run++) {
      int capacity =
          switch (run % 3) {
            case 0 -> SymbolicRun.RENDEZVOUS;
            case 1 -> SymbolicRun.UNBOUNDED;
            default -> 1 + random.nextInt(8);
          };
      memories.forEach(RankMemory::reset);
      Order order = Order.random(random, size);
      try {
        new SymbolicRun(schedules, memories, expressions, order, capacity, random.nextLong()).run();
        checkResults(expressions, memories);
      } catch (ScheduleViolation violation) {
        throw new ScheduleViolation(
            violation.getMessage() + "\nin " + order + ", links hold " + capacity);
      }
    }
  }

  @Override
  public String toString() {
    return "%s by %s, %d ranks, root %d, counts %s%s, in place %s, chunk %d, scratch %d"
        .formatted(
            operation.label(),
            algorithm == null ? "choice" : algorithm.label(),
            size,
            root,
            Arrays.deepToString(counts),
            (average ? ", average" : "") + (ranked ? ", in rank order" : ""),
            Arrays.toString(inPlace),
            chunk,
            scratch);
  }
}
