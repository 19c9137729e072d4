package dev.tutti.comm.internal.reduce;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The table of the vector engine: which lanes and which operator serve which operator and type. To
 * be touched only where the module {@code jdk.incubator.vector} is present.
 *
 * <p>One loop serves all of them. C2 turns it into vector instructions only where lanes and
 * operator are constants, so each kernel runs a hidden copy of the loop's class, made with
 * constants of its own.
 */
final class VectorKernels {
  /**
   * The constants of one copy of a loop.
   *
   * @param species the lanes
   * @param operator what combines them
   */
  record Lanes(VectorSpecies<?> species, VectorOperators.Binary operator) {}

  private VectorKernels() {}

  /** Returns the kernel of an operator that the type supports. */
  static Kernel kernel(ReduceOp.Kind kind, DataType type) {
    VectorOperators.Binary operator = operator(kind, type.isUnsigned());
    return switch (type) {
      // There is no vector operator for its conversions; C2 vectorises them in a plain loop.
      case FLOAT16 -> PlainKernels.kernel(kind, type);
      case BFLOAT16 -> kernel(Bfloat16VectorLoop.class, FloatVector.SPECIES_PREFERRED, operator);
      case INT8, UINT8 -> kernel(VectorLoop.class, ByteVector.SPECIES_PREFERRED, operator);
      case INT32, UINT32 -> kernel(VectorLoop.class, IntVector.SPECIES_PREFERRED, operator);
      case INT64, UINT64 -> kernel(VectorLoop.class, LongVector.SPECIES_PREFERRED, operator);
      case FLOAT32 -> kernel(VectorLoop.class, FloatVector.SPECIES_PREFERRED, operator);
      case FLOAT64 -> kernel(VectorLoop.class, DoubleVector.SPECIES_PREFERRED, operator);
    };
  }

  private static VectorOperators.Binary operator(ReduceOp.Kind kind, boolean unsigned) {
    return switch (kind) {
      case SUM, AVG -> VectorOperators.ADD;
      case PROD -> VectorOperators.MUL;
      case MIN -> unsigned ? VectorOperators.UMIN : VectorOperators.MIN;
      case MAX -> unsigned ? VectorOperators.UMAX : VectorOperators.MAX;
      case BAND -> VectorOperators.AND;
      case BOR -> VectorOperators.OR;
      case BXOR -> VectorOperators.XOR;
    };
  }

  private static Kernel kernel(
      Class<? extends NativeKernel.Loop> template,
      VectorSpecies<?> species,
      VectorOperators.Binary operator) {
    try (InputStream code = template.getResourceAsStream(template.getSimpleName() + ".class")) {
      if (code == null) {
        throw new IllegalStateException("the code of " + template.getName() + " was not found");
      }
      MethodHandles.Lookup copy =
          MethodHandles.lookup()
              .defineHiddenClassWithClassData(
                  code.readAllBytes(), new Lanes(species, operator), true);
      NativeKernel.Loop loop =
          (NativeKernel.Loop)
              copy.findConstructor(copy.lookupClass(), MethodType.methodType(void.class)).invoke();
      return new NativeKernel(loop, species.vectorByteSize());
    } catch (IOException e) {
      throw new IllegalStateException(
          "the code of " + template.getName() + " could not be read", e);
    } catch (Throwable e) {
      throw new IllegalStateException("no copy of " + template.getName() + " could be made", e);
    }
  }
}
