package dev.tutti.comm;

/**
 * The element type of a {@link CommBuffer}.
 *
 * <p>Elements lie in memory in the machine's native byte order, without alignment requirements.
 * Signed integers are two's complement; integer reductions wrap modulo 2^bits. The 16-bit floating
 * types have no Java primitive: their bits are carried in {@code short}s (see {@link
 * Float#floatToFloat16(float)}; BFLOAT16 is the upper half of a {@code float}).
 */
public enum DataType {
  /** Signed 8-bit integer; MIN and MAX compare signed. */
  INT8(1, false),
  /** Unsigned 8-bit integer. */
  UINT8(1, false),
  /** Signed 32-bit integer. */
  INT32(4, false),
  /** Unsigned 32-bit integer. */
  UINT32(4, false),
  /** Signed 64-bit integer. */
  INT64(8, false),
  /** Unsigned 64-bit integer. */
  UINT64(8, false),
  /** IEEE 754 binary16. */
  FLOAT16(2, true),
  /** Brain floating point: the upper 16 bits of a binary32, rounded to nearest even. */
  BFLOAT16(2, true),
  /** IEEE 754 binary32. */
  FLOAT32(4, true),
  /** IEEE 754 binary64. */
  FLOAT64(8, true);

  private final int byteSize;
  private final boolean floating;

  DataType(int byteSize, boolean floating) {
    this.byteSize = byteSize;
    this.floating = floating;
  }

  /** Returns the size of one element in bytes. */
  public int byteSize() {
    return byteSize;
  }

  /** Returns whether this is one of the four floating-point types. */
  public boolean isFloating() {
    return floating;
  }

  /** Returns whether this is one of the six integer types. */
  public boolean isInteger() {
    return !floating;
  }

  /** Returns whether values of this type are never negative. */
  public boolean isUnsigned() {
    return this == UINT8 || this == UINT32 || this == UINT64;
  }
}
