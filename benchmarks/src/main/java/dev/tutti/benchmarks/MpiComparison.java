package dev.tutti.benchmarks;

import dev.tutti.comm.CommBuffer;
import dev.tutti.comm.DataType;
import dev.tutti.comm.ProcessGroup;
import dev.tutti.comm.ReduceOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Compares allReduce on the backend mpi with the same in C: the same processes and memory, turn by
 * turn.
 *
 * <p>{@code ./tutti run -n 2 --backend mpi -- java -cp benchmarks/target/classes:$(./tutti
 * classpath) dev.tutti.benchmarks.MpiComparison}, from the repository's root, after {@code ./tutti
 * setup mpi}. It needs {@code mpicc}, and prints microseconds of one allReduce (the median of many
 * short turns) and the ratio to the blocking call in C.
 */
@SuppressWarnings("restricted") // C is called on purpose
public final class MpiComparison {
  private static final Path SOURCE = Path.of("benchmarks/src/main/c/allreduce_mpi.c");
  private static final long[] SIZES = {8, 1 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};
  private static final int TURNS = 25;
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int WARM_UP = 20_000;
  private static final int MOST_PATH_BYTES = 4096;

  /** So many repetitions; returns the seconds that they took. */
  @FunctionalInterface
  private interface Turn {
    double run(int repetitions) throws Throwable;
  }

  private final ProcessGroup group;

  private MpiComparison(ProcessGroup group) {
    this.group = group;
  }

  /**
   * Runs one rank.
   *
   * @param args the config string, if it is another than {@code mpi}
   * @throws Throwable if the C side cannot be compiled or called
   */
  public static void main(String[] args) throws Throwable {
    try (ProcessGroup group = ProcessGroup.init(args.length == 0 ? "mpi" : args[0]);
        Arena arena = Arena.ofShared()) {
      Path library = new MpiComparison(group).library();
      SymbolLookup symbols = SymbolLookup.libraryLookup(library, arena);
      new MpiComparison(group)
          .compare(
              function(symbols, "allreduce_blocking"), function(symbols, "allreduce_nonblocking"));
      if (group.rank() == 0) {
        Files.delete(library);
      }
    }
  }

  private static MethodHandle function(SymbolLookup symbols, String name) {
    return Linker.nativeLinker()
        .downcallHandle(
            symbols.findOrThrow(name),
            FunctionDescriptor.of(
                ValueLayout.JAVA_DOUBLE,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT));
  }

  /** Rank 0 compiles, and tells the others where to find it. */
  private Path library() throws IOException, InterruptedException {
    byte[] path = new byte[MOST_PATH_BYTES];
    if (group.rank() == 0) {
      Path made = Files.createTempFile("tutti-allreduce-mpi-", ".so");
      Process compiler =
          new ProcessBuilder("mpicc", "-O2", "-shared", "-fPIC", "-o", "" + made, "" + SOURCE)
              .inheritIO()
              .start();
      if (compiler.waitFor() != 0) {
        throw new IOException("mpicc could not compile " + SOURCE);
      }
      byte[] text = made.toString().getBytes(StandardCharsets.UTF_8);
      System.arraycopy(text, 0, path, 0, text.length);
    }
    group.broadcast(CommBuffer.of(path), 0).join();
    return Path.of(new String(path, StandardCharsets.UTF_8).replace("\0", ""));
  }

  private void compare(MethodHandle blocking, MethodHandle nonBlocking) throws Throwable {
    print("%10s %12s %12s %12s %8s", "bytes", "C us", "C nb us", "Tutti us", "ratio");
    for (long size : SIZES) {
      try (Arena arena = Arena.ofShared()) {
        MemorySegment send = arena.allocate(size, 64);
        MemorySegment recv = arena.allocate(size, 64);
        int count = (int) (size / Float.BYTES);
        CommBuffer from = CommBuffer.of(send, DataType.FLOAT32);
        CommBuffer to = CommBuffer.of(recv, DataType.FLOAT32);
        compare(
            size,
            n -> (double) blocking.invokeExact(send, recv, count, n),
            n -> (double) nonBlocking.invokeExact(send, recv, count, n),
            n -> {
              long start = System.nanoTime();
              for (int i = 0; i < n; i++) {
                group.allReduce(from, to, ReduceOp.SUM).join();
              }
              return (System.nanoTime() - start) / 1e9;
            });
      }
    }
  }

  private void compare(long size, Turn... sides) throws Throwable {
    int[] repetitions = new int[sides.length];
    double[][] micros = new double[sides.length][TURNS];
    for (int side = 0; side < sides.length; side++) {
      sides[side].run(size <= 1 << 10 ? WARM_UP : 20);
      double one = sides[side].run(10) / 10;
      long[] agreed = {Math.clamp((long) (TURN_NANOS / 1e9 / one), 1, 100_000)};
      group.broadcast(CommBuffer.of(agreed), 0).join();
      repetitions[side] = (int) agreed[0];
    }
    for (int turn = 0; turn < TURNS; turn++) {
      for (int side = 0; side < sides.length; side++) {
        group.barrier().join();
        micros[side][turn] = sides[side].run(repetitions[side]) * 1e6 / repetitions[side];
      }
    }
    double[] medians =
        Arrays.stream(micros)
            .mapToDouble(all -> Arrays.stream(all).sorted().toArray()[TURNS / 2])
            .toArray();
    print(
        "%10d %12.2f %12.2f %12.2f %8.2f",
        size, medians[0], medians[1], medians[2], medians[2] / medians[0]);
  }

  @SuppressWarnings("AnnotateFormatMethod") // that annotation is of a library we do without
  private void print(String format, Object... values) {
    if (group.rank() == 0) {
      System.out.println(String.format(Locale.ROOT, format, values));
    }
  }
}
