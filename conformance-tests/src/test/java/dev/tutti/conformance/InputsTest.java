package dev.tutti.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InputsTest {
  /** Combines in a random tree, rounding to the type at every step, as some backend might. */
  private static long inSomeOrder(DataType type, ReduceOp op, long[] contributions, Random random) {
    FloatFormat format = FloatFormat.of(type);
    List<Double> terms = new ArrayList<>();
    for (long bits : contributions) {
      terms.add(format.decode(bits));
    }
    Collections.shuffle(terms, random);
    while (terms.size() > 1) {
      double a = terms.remove(random.nextInt(terms.size()));
      double b = terms.remove(random.nextInt(terms.size()));
      double combined =
          switch (op.kind()) {
            case SUM, AVG -> a + b;
            case PROD -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case BAND, BOR, BXOR -> throw new IllegalStateException();
          };
      // Throws if the partial result is not representable.
      terms.add(format.decode(format.encodeExact(combined)));
      if (type == DataType.FLOAT64 && Double.isFinite(a) && Double.isFinite(b)) {
        assertThat(combined).isEqualTo(exactly(op, a, b).doubleValue());
        assertThat(exactly(op, a, b).compareTo(new BigDecimal(combined))).isZero();
      }
    }
    double result = terms.getFirst();
    return format.encodeExact(op.equals(ReduceOp.AVG) ? result / contributions.length : result);
  }

  private static BigDecimal exactly(ReduceOp op, double a, double b) {
    BigDecimal x = new BigDecimal(a);
    BigDecimal y = new BigDecimal(b);
    return switch (op.kind()) {
      case SUM, AVG -> x.add(y);
      case PROD -> x.multiply(y, MathContext.UNLIMITED);
      case MIN -> x.min(y);
      case MAX -> x.max(y);
      case BAND, BOR, BXOR -> throw new IllegalStateException();
    };
  }

  private static List<Case> reductions(int size, Values values) {
    return CaseList.of(3, size).cases().stream()
        .filter(spec -> spec.operation() == OperationKind.ALL_REDUCE && !spec.inPlace())
        .filter(spec -> spec.type().isFloating() && spec.values() == values)
        .filter(spec -> spec.count() <= 40)
        // Many ranks have many cases of the same kind.
        .filter(spec -> size <= 5 || spec.index() % size < 5)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 33, 128})
  void noOrderOfCombinationShows(int size) {
    Random random = new Random(4);
    int checked = 0;
    for (Values values : List.of(Values.EXACT, Values.SPECIAL)) {
      for (Case spec : reductions(size, values)) {
        Inputs inputs = new Inputs(3, spec, size);
        ReduceOp op = Objects.requireNonNull(spec.op());
        for (long i = 0; i < spec.count(); i++) {
          long[] contributions = new long[size];
          for (int rank = 0; rank < size; rank++) {
            contributions[rank] = inputs.bits(rank, i);
          }
          long expected = ScalarModel.reduce(spec.type(), op, contributions);
          for (int order = 0; order < (size > 8 ? 1 : 3); order++) {
            assertThat(inSomeOrder(spec.type(), op, contributions, random))
                .as("%s, element %d", spec, i)
                .isEqualTo(ScalarModel.canonical(spec.type(), expected));
            checked++;
          }
        }
      }
    }
    assertThat(checked).isGreaterThan(1000);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 33})
  void anyOrderStaysWithinTheBound(int size) {
    Random random = new Random(5);
    int rounded = 0;
    for (Case spec : reductions(size, Values.RANDOM)) {
      ReduceOp op = Objects.requireNonNull(spec.op());
      FloatFormat format = FloatFormat.of(spec.type());
      Inputs inputs = new Inputs(3, spec, size);
      for (long i = 0; i < spec.count(); i++) {
        long[] contributions = new long[size];
        List<Double> terms = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
          contributions[rank] = inputs.bits(rank, i);
          terms.add(format.decode(contributions[rank]));
        }
        Collections.shuffle(terms, random);
        double result = terms.getFirst();
        for (double next : terms.subList(1, size)) {
          double exact = op.equals(ReduceOp.PROD) ? result * next : result + next;
          result = nearest(spec.type(), exact);
          rounded += exact == result ? 0 : 1;
        }
        if (op.equals(ReduceOp.AVG)) {
          result = nearest(spec.type(), result / size);
        }
        long got = format.encodeExact(result);
        assertThat(ErrorBound.violation(spec.type(), op, contributions, got))
            .as("%s, element %d", spec, i)
            .isNull();
        double magnitudes = terms.stream().mapToDouble(Math::abs).sum();
        double far = op.equals(ReduceOp.PROD) ? result * 1.5 : result + magnitudes;
        assertThat(
                ErrorBound.violation(
                    spec.type(), op, contributions, format.encodeExact(nearest(spec.type(), far))))
            .as("%s, element %d, wrong", spec, i)
            .isNotNull();
      }
    }
    assertThat(rounded > 0).isEqualTo(size > 1);
  }

  private static double nearest(DataType type, double value) {
    return switch (type) {
      case FLOAT64 -> value;
      case FLOAT32 -> (float) value;
      case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
      case BFLOAT16 -> {
        int bits = Float.floatToRawIntBits((float) value);
        yield Float.intBitsToFloat((bits + 0x7FFF + (bits >>> 16 & 1)) & 0xFFFF_0000);
      }
      default -> throw new IllegalStateException();
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void notANumberIsAtEveryRankAndInEveryLane(int size) {
    Set<List<Integer>> seen = new HashSet<>();
    for (Case spec : reductions(size, Values.SPECIAL)) {
      ReduceOp op = spec.op();
      if (spec.type() != DataType.FLOAT32 || op == null || !op.equals(ReduceOp.MIN)) {
        continue;
      }
      Inputs inputs = new Inputs(3, spec, size);
      FloatFormat format = FloatFormat.of(spec.type());
      for (int lane = 0; lane < spec.count(); lane++) {
        int only = -1;
        int count = 0;
        for (int rank = 0; rank < size; rank++) {
          if (format.isNan(inputs.bits(rank, lane))) {
            only = rank;
            count++;
          }
        }
        if (count == 1) {
          seen.add(List.of(only, lane % 16));
        }
      }
    }
    // A vector's lanes are at most sixteen.
    assertThat(seen).hasSize(16 * size);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void elementsDiffer(int size) {
    for (Case spec : CaseList.of(3, size).cases()) {
      if (spec.values() != Values.EXACT || spec.count() < 39 || spec.type().byteSize() == 1) {
        continue;
      }
      Inputs inputs = new Inputs(3, spec, size);
      Set<Long> different = new HashSet<>();
      for (int i = 0; i < 39; i++) {
        different.add(inputs.bits(size - 1, i));
      }
      assertThat(different).as("%s", spec).hasSizeGreaterThan(12);
    }
  }
}
