package dev.tutti.cli.bench;

import dev.tutti.comm.DataType;

/**
 * One line of a table: an operation at a size.
 *
 * @param operation the operation
 * @param count elements of one block
 * @param bytes the size of the larger buffer, which may be less than what was asked for: blocks are
 *     equal
 */
record BenchCase(BenchOperation operation, long count, long bytes) {

  /** Returns the case nearest to a size. */
  static BenchCase of(BenchOperation operation, long bytes, DataType type, int ranks) {
    long count = operation.count(bytes, type, ranks);
    return new BenchCase(operation, count, operation.bytes(count, type, ranks));
  }
}
