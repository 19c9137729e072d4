package dev.tutti.benchmarks;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The rate of the reduce kernels, in bytes of one operand: the column {@code gigabytesPerSecond}.
 * {@link ReduceComparison} puts C beside it.
 *
 * <p>{@code java -cp … org.openjdk.jmh.Main ReduceBenchmark -p type=FLOAT32 -p op=SUM}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class ReduceBenchmark {
  /** Bytes in a nanosecond are gigabytes in a second. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Rate {
    /** How many bytes have been combined. */
    public long gigabytesPerSecond;

    /** Made by JMH. */
    public Rate() {}
  }

  /** The element type. */
  @Param public DataType type = DataType.FLOAT32;

  /** The operator. */
  @Param({"SUM", "MIN", "MAX", "PROD"})
  public ReduceOp.Kind op = ReduceOp.Kind.SUM;

  /** The size of each operand. */
  @Param({"4096", "262144", "16777216"})
  public int bytes;

  private final Arena arena = Arena.ofShared();
  private ReduceOp reduceOp = ReduceOp.SUM;
  private MemorySegment dst = MemorySegment.NULL;
  private MemorySegment a = MemorySegment.NULL;
  private MemorySegment b = MemorySegment.NULL;

  /** Made by JMH. */
  public ReduceBenchmark() {}

  /** Fills the operands. */
  @Setup
  public void setUp() {
    reduceOp = ReduceOperands.op(op);
    dst = arena.allocate(bytes, 64).fill((byte) 0);
    a = ReduceOperands.allocate(arena, type, bytes, 1);
    b = ReduceOperands.allocate(arena, type, bytes, 2);
  }

  /** Frees them. */
  @TearDown
  public void tearDown() {
    arena.close();
  }

  /** The engine that every JVM has. */
  @Benchmark
  @Fork(1)
  public void plain(Rate rate) {
    combine(rate);
  }

  /** The engine of {@code jdk.incubator.vector}. */
  @Benchmark
  @Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
  public void vectors(Rate rate) {
    combine(rate);
  }

  private void combine(Rate rate) {
    ReduceKernels.combine(reduceOp, type, dst, 0, a, 0, b, 0, bytes / type.byteSize());
    rate.gigabytesPerSecond += bytes;
  }
}
