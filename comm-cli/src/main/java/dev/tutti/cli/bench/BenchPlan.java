package dev.tutti.cli.bench;

import dev.tutti.comm.ConfigException;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.time.Duration;
import java.util.List;

/**
 * What is to be measured.
 *
 * @param ranks how many ranks each backend gets
 * @param backends the config strings, the first one being what the others are compared with
 * @param tables the tables, in the order in which they are printed
 * @param type the elements' type
 * @param op the operator of operations that reduce
 * @param root the root of operations that have one
 * @param heap whether the buffers are Java arrays
 * @param effort how long and how often to measure
 * @param timeout how long one operation may take
 */
public record BenchPlan(
    int ranks,
    List<String> backends,
    List<Table> tables,
    DataType type,
    ReduceOp op,
    int root,
    boolean heap,
    Effort effort,
    Duration timeout) {

  /**
   * One table.
   *
   * @param operations its operations
   * @param bytes its sizes as they were asked for
   * @param form how it is laid out
   */
  public record Table(List<BenchOperation> operations, List<Long> bytes, Form form) {
    /** Copies the lists. */
    public Table {
      operations = List.copyOf(operations);
      bytes = List.copyOf(bytes);
    }

    /** Returns the cases in order, without those that differ from their predecessor in nothing. */
    List<BenchCase> cases(BenchOperation operation, DataType type, int ranks) {
      return bytes.stream()
          .map(size -> BenchCase.of(operation, size, type, ranks))
          .distinct()
          .toList();
    }

    /**
     * Returns in which places an operation is timed: in all, or, where space is short, in the
     * first.
     */
    List<Place> timedPlaces(BenchOperation operation) {
      List<Place> all = operation.places();
      return form == Form.FULL ? all : all.subList(0, 1);
    }
  }

  /** How a table is laid out. */
  public enum Form {
    /** A line for each size, with the columns of nccl-tests. */
    FULL,
    /** A line for each operation, a group of columns for each size. */
    COMPACT
  }

  /** Checks that what is asked for makes sense. */
  public BenchPlan {
    backends = List.copyOf(backends);
    tables = List.copyOf(tables);
    if (ranks < 1) {
      throw new ConfigException("-n " + ranks + ": at least one rank is needed");
    }
    if (backends.isEmpty()) {
      throw new ConfigException("--backends names none");
    }
    if (root < 0 || root >= ranks) {
      throw new ConfigException(
          "--root %d is no rank: with -n %d ranks are 0 to %d".formatted(root, ranks, ranks - 1));
    }
    for (BenchOperation operation : operations(tables)) {
      if (operation.reduces()) {
        if (!op.supports(type)) {
          throw new ConfigException(
              "--op %s does not combine --type %s: bitwise operators need integers"
                  .formatted(Words.word(op), Words.word(type)));
        }
        Pattern.check(type, op, ranks);
      }
      if (operation.isForAPair() && ranks < 2) {
        throw new ConfigException(operation.label() + " needs two ranks: -n 2");
      }
    }
  }

  private static List<BenchOperation> operations(List<Table> tables) {
    return tables.stream().flatMap(table -> table.operations().stream()).distinct().toList();
  }

  /** Returns the size that each rank's two buffers need, in bytes. */
  long bufferBytes() {
    long most = type.byteSize();
    for (Table table : tables) {
      for (BenchOperation operation : table.operations()) {
        for (BenchCase item : table.cases(operation, type, ranks)) {
          most = Math.max(most, item.bytes());
        }
      }
    }
    return most;
  }

  /** Returns how many loops will be timed. */
  int measurements() {
    int loops = 0;
    for (Table table : tables) {
      loops += measurements(table);
    }
    return loops;
  }

  /** Returns how many loops will be timed for one table. */
  int measurements(Table table) {
    int loops = 0;
    for (BenchOperation operation : table.operations()) {
      loops += table.cases(operation, type, ranks).size() * table.timedPlaces(operation).size();
    }
    return loops * backends.size() * effort.rounds();
  }
}
