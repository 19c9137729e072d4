package dev.tutti.comm.internal.reduce;

import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** The loop of all types but the 16-bit ones: a template, of which each kernel runs a copy. */
final class VectorLoop implements NativeKernel.Loop {
  private static final VectorSpecies<?> SPECIES;
  private static final VectorOperators.Binary OPERATOR;

  static {
    try {
      VectorKernels.Lanes lanes =
          MethodHandles.classData(
              MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, VectorKernels.Lanes.class);
      SPECIES = lanes.species();
      OPERATOR = lanes.operator();
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  @Override
  @SuppressWarnings("unchecked") // the three vectors are of one species
  public void combine(
      MemorySegment dst,
      long dstOffset,
      MemorySegment a,
      long aOffset,
      MemorySegment b,
      long bOffset,
      int bytes) {
    MemorySegment to = dst.asSlice(dstOffset, bytes);
    MemorySegment left = a.asSlice(aOffset, bytes);
    MemorySegment right = b.asSlice(bOffset, bytes);
    int step = SPECIES.vectorByteSize();
    for (int i = 0; i < bytes; i += step) {
      Vector<Object> x = (Vector<Object>) SPECIES.fromMemorySegment(left, i, ORDER);
      Vector<Object> y = (Vector<Object>) SPECIES.fromMemorySegment(right, i, ORDER);
      x.lanewise(OPERATOR, y).intoMemorySegment(to, i, ORDER);
    }
  }
}
