package dev.tutti.conformance;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;

/**
 * Every rank's elements of a case, as a function of seed, case, rank and place: each rank can tell
 * what any other one sends.
 *
 * <p>For exact cases they are chosen as NVIDIA's nccl-tests do: every partial result, whatever the
 * order, is a number of the type, so the order cannot show.
 *
 * @see <a
 *     href="https://github.com/NVIDIA/nccl-tests/blob/master/verifiable/verifiable.h">nccl-tests,
 *     verifiable.h</a>
 */
final class Inputs {
  private static final int[] ODD_PRIMES = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41};

  private final long seed;
  private final Case spec;
  private final DataType type;
  private final int size;

  Inputs(long seed, Case spec, int size) {
    this.seed = mix(seed * 0x9E3779B97F4A7C15L + spec.index());
    this.spec = spec;
    this.type = spec.type();
    this.size = size;
  }

  /**
   * Returns the bits of an element.
   *
   * @param rank whose
   * @param index its place in that rank's send buffer
   */
  long bits(int rank, long index) {
    ReduceOp op = spec.op();
    if (op == null) {
      return ScalarModel.wrap(type, hash(rank, index));
    }
    if (type.isInteger()) {
      return ScalarModel.wrap(type, integer(op, rank, index));
    }
    return switch (spec.values()) {
      case EXACT -> exact(op, rank, index);
      case OVERFLOW -> overflowing(op, rank, index);
      case SPECIAL -> special(op, rank, index);
      case RANDOM -> random(op, rank, index);
      case RANKED -> ranked(op, rank, index);
    };
  }

  private long integer(ReduceOp op, int rank, long index) {
    long hash = hash(rank, index);
    if (op.kind() == ReduceOp.Kind.BAND) {
      // Or few bits would survive.
      return hash | hash(rank + size, index);
    }
    if (spec.values() != Values.OVERFLOW) {
      return hash;
    }
    long highest = type.isUnsigned() ? -1L : Long.MAX_VALUE >>> (64 - 8 * type.byteSize());
    return switch ((int) (hash >>> 61)) {
      case 0 -> highest;
      case 1 -> highest - 1;
      case 2 -> highest + 1;
      case 3 -> highest + 2;
      case 4 -> -1;
      case 5 -> 0;
      case 6 -> 1;
      default -> hash;
    };
  }

  private long exact(ReduceOp op, int rank, long index) {
    FloatFormat format = FloatFormat.of(type);
    return switch (op.kind()) {
      case SUM -> format.encodeExact(Math.scalb((double) summand(rank, index), scale(index)));
      case AVG -> format.encodeExact(Math.scalb((double) averaged(rank, index), scale(index)));
      case PROD -> format.encodeExact(factor(rank, index));
      case MIN, MAX -> format.finite(ScalarModel.wrap(type, hash(rank, index)));
      case BAND, BOR, BXOR -> throw new IllegalStateException(op + " of " + type);
    };
  }

  /** Returns the largest magnitude whose sum over all ranks has no more digits than the type. */
  private long budget(int rank) {
    long most = 1L << FloatFormat.of(type).precision();
    return rank < most ? Math.max(1, most / size) : 0;
  }

  private long summand(int rank, long index) {
    long budget = budget(rank);
    return Math.floorMod(hash(rank, index), 2 * budget + 1) - budget;
  }

  /** Returns one of n whole numbers whose sum is a multiple of n: a common one, and pairs' ±d. */
  private long averaged(int rank, long index) {
    long half = budget(0) / 2;
    long common = half == 0 ? 0 : Math.floorMod(hash(-1, index), 2 * half + 1) - half;
    int partner = rank ^ 1;
    if (half == 0 || partner >= size) {
      return common;
    }
    long apart = Math.floorMod(hash(-2 - Math.min(rank, partner), index), half + 1);
    return rank < partner ? common + apart : common - apart;
  }

  /** Returns the exponent of the last digit of an element's summands, the same on all ranks. */
  private int scale(long index) {
    long hash = hash(-3 - size, index);
    return switch (type) {
      case FLOAT16 -> Math.floorMod(hash, 13) - 8;
      case FLOAT64 -> Math.floorMod(hash, 601) - 300;
      default -> Math.floorMod(hash, 121) - 60;
    };
  }

  /** So large that any two of them are too much together, and then all of them, in any order. */
  private long overflowing(ReduceOp op, int rank, long index) {
    FloatFormat format = FloatFormat.of(type);
    long hash = hash(rank, index);
    return switch (op.kind()) {
      case SUM, AVG -> {
        // In the upper half of the largest numbers, and of one sign: infinities must not meet.
        long below = hash & (1L << (format.fractionBits() - 1)) - 1;
        long sign = (hash(-1, index) & 1) == 0 ? 0 : format.signBit();
        yield format.infinity(false) - 1 - below | sign;
      }
      case PROD -> {
        double digits = 1 + Math.scalb((double) (hash & 7), -3);
        double value = Math.scalb(digits, (format.bias() + 1) / 2 + 1);
        yield format.encodeExact(hash < 0 ? -value : value);
      }
      default -> exact(op, rank, index);
    };
  }

  private double factor(int rank, long index) {
    int place = (int) Math.floorMod(rank + index, (long) size);
    double factor = (hash(rank, index) & 1) == 0 ? 1 : -1;
    int primes =
        switch (type) {
          case BFLOAT16 -> 3;
          case FLOAT16 -> 4;
          case FLOAT32 -> 7;
          default -> ODD_PRIMES.length;
        };
    if (place < primes) {
      factor *= ODD_PRIMES[place];
    }
    if (place == 0) {
      // Or elements would be too much alike.
      factor = Math.scalb(factor, Math.floorMod(hash(rank, index) >>> 1, 12) - 8);
    }
    return place < 8 ? Math.scalb(factor, place % 3 - 1) : factor;
  }

  private long special(ReduceOp op, int rank, long index) {
    FloatFormat format = FloatFormat.of(type);
    int pattern = (int) ((index + spec.variant()) % 10);
    int who = (int) ((index / 10 + spec.variant() / 10) % size);
    int other = (who + 1) % size;
    boolean odd = (hash(rank, index) & 1) != 0;
    return switch (pattern) {
      case 0 -> rank == who ? someNan(format, rank, index) : exact(op, rank, index);
      case 1 -> odd ? format.signBit() : 0;
      case 2 -> rank == who ? format.infinity(false) : exact(op, rank, index);
      case 3 -> rank == who ? format.infinity(true) : exact(op, rank, index);
      case 4 ->
          rank == who
              ? format.infinity(false)
              : rank == other ? format.infinity(true) : exact(op, rank, index);
      case 5 -> someNan(format, rank, index);
      case 6 ->
          rank == who
              ? someNan(format, rank, index)
              : rank == other ? format.infinity(odd) : exact(op, rank, index);
      case 7 -> subnormal(format, op, rank, index, rank == who);
      case 8 -> format.signBit();
      default ->
          rank == who
              ? odd ? format.signBit() : 0
              : rank == other ? format.infinity(odd) : exact(op, rank, index);
    };
  }

  /** Signs and payloads differ; the quiet bit is set, since arithmetic sets it. */
  private long someNan(FloatFormat format, int rank, long index) {
    long hash = hash(rank, index);
    long payload = hash & (1L << (format.fractionBits() - 1)) - 1;
    return format.nan() | payload | (hash < 0 ? format.signBit() : 0);
  }

  private long subnormal(FloatFormat format, ReduceOp op, int rank, long index, boolean chosen) {
    long hash = hash(rank, index);
    if (op.kind() == ReduceOp.Kind.PROD) {
      // All others are ±1.
      long magnitude = chosen ? hash & (1L << format.fractionBits()) - 1 : format.encodeExact(1);
      return magnitude | (hash < 0 ? format.signBit() : 0);
    }
    // A number's bits count the smallest numbers in it, as far as twice the subnormal range.
    long multiple = op.kind() == ReduceOp.Kind.AVG ? averaged(rank, index) : summand(rank, index);
    return Math.abs(multiple) | (multiple < 0 ? format.signBit() : 0);
  }

  private long random(ReduceOp op, int rank, long index) {
    FloatFormat format = FloatFormat.of(type);
    long hash = hash(rank, index);
    long fraction = hash & (1L << format.fractionBits()) - 1;
    int exponent = Math.floorMod(hash >>> 53, 13) - 6;
    if (op.kind() == ReduceOp.Kind.PROD) {
      if (Math.floorMod(rank + index, (long) size) >= 16) {
        // A product of more factors could leave the range of 16 bits.
        return format.encodeExact(1);
      }
      // In [0.75, 1.5): the upper half of the numbers below 1, the lower half of those above.
      exponent = (hash & 1L << 62) == 0 ? -1 : 0;
      long top = 1L << (format.fractionBits() - 1);
      fraction = exponent < 0 ? fraction | top : fraction & ~top;
    }
    double digits = 1 + Math.scalb((double) fraction, -format.fractionBits());
    double value = Math.scalb(digits, exponent);
    return format.encodeExact(hash < 0 ? -value : value);
  }

  /** One element in sixteen is no number, infinite or zero; the others are of many magnitudes. */
  private long ranked(ReduceOp op, int rank, long index) {
    FloatFormat format = FloatFormat.of(type);
    long hash = hash(-4 - size - rank, index);
    return switch ((int) (hash & 63)) {
      case 0 -> someNan(format, rank, index);
      case 1 -> format.infinity(hash < 0);
      case 2 -> hash < 0 ? format.signBit() : 0;
      default -> random(op, rank, index);
    };
  }

  private long hash(int rank, long index) {
    return mix(seed + 0x9E3779B97F4A7C15L * (index * 0x10001 + rank + 1));
  }

  /**
   * Spreads every bit over all others.
   *
   * @see <a href="https://doi.org/10.1145/2714064.2660195">Steele, Lea, Flood: SplitMix64</a>
   */
  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
