package dev.tutti.benchmarks;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Compares the reduce kernels with the same loops in C: one process, the same memory, turn by turn.
 *
 * <p>{@code java --enable-native-access=ALL-UNNAMED [--add-modules jdk.incubator.vector] -cp …
 * dev.tutti.benchmarks.ReduceComparison [TYPE … | OP …]}, from the repository's root; without
 * arguments, every type and SUM, PROD, MIN, MAX. It needs {@code cc}, and prints GB/s of one
 * operand (the best of many short turns: other processes only slow them down) and the ratio Java to
 * C.
 */
public final class ReduceComparison {
  private static final List<ReduceOp.Kind> OPS =
      List.of(ReduceOp.Kind.SUM, ReduceOp.Kind.PROD, ReduceOp.Kind.MIN, ReduceOp.Kind.MAX);
  private static final int[] SIZES = {4 << 10, 256 << 10, 16 << 20};
  private static final int ROUNDS = 15;
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  /** So many repetitions of an operation. */
  @FunctionalInterface
  private interface Loop {
    void run(long repetitions);
  }

  private final MethodHandle reduce;
  private final PrintStream out;

  private ReduceComparison(MethodHandle reduce, PrintStream out) {
    this.reduce = reduce;
    this.out = out;
  }

  /**
   * Runs the comparison.
   *
   * @param args names of types and operators
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    List<String> names = List.of(args);
    Path folder = Files.createTempDirectory("tutti-reduce");
    try (Arena arena = Arena.ofConfined()) {
      new ReduceComparison(compile(folder, arena), System.out).run(names);
    } finally {
      try (Stream<Path> files = Files.list(folder)) {
        files.forEach(ReduceComparison::delete);
      }
      delete(folder);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle compile(Path folder, Arena arena)
      throws IOException, InterruptedException {
    Path library = folder.resolve("libreduce.so");
    Process cc =
        new ProcessBuilder(
                "cc",
                "-O3",
                "-march=native",
                "-shared",
                "-fPIC",
                "-o",
                library.toString(),
                source().toString())
            .inheritIO()
            .start();
    if (cc.waitFor() != 0) {
      throw new IOException(
          "cc could not compile " + source() + " (exit code " + cc.exitValue() + ")");
    }
    return Linker.nativeLinker()
        .downcallHandle(
            SymbolLookup.libraryLookup(library, arena).find("reduce").orElseThrow(),
            FunctionDescriptor.ofVoid(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG));
  }

  private static Path source() {
    return Stream.of("benchmarks/src/main/c/reduce.c", "src/main/c/reduce.c")
        .map(Path::of)
        .filter(Files::exists)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "reduce.c was not found; run this from the repository's root"));
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void run(List<String> names) {
    boolean vectors = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    out.printf("engine: %s; GB/s of one operand%n", vectors ? "vectors" : "plain");
    out.printf("%-9s %-5s", "type", "op");
    for (int bytes : SIZES) {
      out.printf(
          " |%9s      C   Java  ratio",
          bytes >> 10 << 10 == bytes ? (bytes >> 10) + " KiB" : bytes);
    }
    out.println();
    for (DataType type : DataType.values()) {
      for (ReduceOp.Kind op : OPS) {
        if (wanted(names, DataType.values(), type) && wanted(names, ReduceOp.Kind.values(), op)) {
          row(type, op);
        }
      }
    }
  }

  /** Returns whether a value is named, or none of its kind is. */
  private static boolean wanted(List<String> names, Enum<?>[] all, Enum<?> value) {
    return names.contains(value.name())
        || Arrays.stream(all).noneMatch(other -> names.contains(other.name()));
  }

  private void row(DataType type, ReduceOp.Kind kind) {
    out.printf("%-9s %-5s", type, kind);
    ReduceOp op = ReduceOperands.op(kind);
    for (int bytes : SIZES) {
      long count = bytes / type.byteSize();
      try (Arena arena = Arena.ofShared()) {
        MemorySegment dst = arena.allocate(bytes, 64).fill((byte) 0);
        MemorySegment a = ReduceOperands.allocate(arena, type, bytes, 1);
        MemorySegment b = ReduceOperands.allocate(arena, type, bytes, 2);
        Loop c = repetitions -> inC(type, kind, dst, a, b, count, repetitions);
        Loop java =
            repetitions -> {
              for (long i = 0; i < repetitions; i++) {
                ReduceKernels.combine(op, type, dst, 0, a, 0, b, 0, count);
              }
            };
        warmUp(java, bytes);
        double cRate = 0;
        double javaRate = 0;
        for (int round = 0; round < ROUNDS; round++) {
          cRate = Math.max(cRate, measure(c, bytes, TURN_NANOS));
          javaRate = Math.max(javaRate, measure(java, bytes, TURN_NANOS));
        }
        out.printf(" |%9s %6.1f %6.1f %6.2f", "", cRate, javaRate, javaRate / cRate);
      }
    }
    out.println();
  }

  @SuppressWarnings("EnumOrdinal") // the tables in C are in their order
  private void inC(
      DataType type,
      ReduceOp.Kind op,
      MemorySegment dst,
      MemorySegment a,
      MemorySegment b,
      long count,
      long repetitions) {
    try {
      reduce.invokeExact(type.ordinal(), op.ordinal(), dst, a, b, count, repetitions);
    } catch (Throwable e) {
      throw new IllegalStateException("the loop in C failed", e);
    }
  }

  /** Runs a loop until it gets no faster. */
  private static void warmUp(Loop loop, int bytes) {
    double best = 0;
    for (int still = 0; still < 4; still++) {
      double rate = measure(loop, bytes, WARM_UP_NANOS);
      if (rate > 1.05 * best) {
        still = -1;
      }
      best = Math.max(best, rate);
    }
  }

  /** Runs a loop for some time and returns its best rate in GB/s over a mebibyte or a call. */
  private static double measure(Loop loop, int bytes, long nanos) {
    long batch = Math.max(1, (1L << 20) / bytes);
    double best = 0;
    long begin = System.nanoTime();
    long now = begin;
    while (now - begin < nanos) {
      loop.run(batch);
      long end = System.nanoTime();
      best = Math.max(best, (double) bytes * batch / (end - now));
      now = end;
    }
    return best;
  }
}
