package dev.tutti.comm;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A typed view of memory that takes part in an operation: a segment, its element type and count,
 * and the device that it lies on. It owns nothing: the memory lives as long as its arena or array
 * does, and belongs to an operation from the call until the completion of its {@link Work}.
 *
 * <p>Host memory may be a heap array, which crosses once through bounded pool memory, or a native
 * segment of {@link java.lang.foreign.Arena#ofShared()}, {@link java.lang.foreign.Arena#ofAuto()}
 * or {@link java.lang.foreign.Arena#global()}, which is used where it lies. A segment of a confined
 * arena is refused when an operation is issued, since the backend's threads cannot reach it.
 * Elements need no alignment and are in native byte order.
 *
 * <p>Device memory is a zero-length segment at the device address, so that a read by the host
 * throws instead of crashing; its {@link #count()} says how much there is.
 *
 * <p>Immutable and safe for all threads.
 */
public final class CommBuffer {
  private final MemorySegment segment;
  private final DataType type;
  private final long count;
  private final Device device;

  private CommBuffer(MemorySegment segment, DataType type, long count, Device device) {
    this.segment = segment;
    this.type = type;
    this.count = count;
    this.device = device;
  }

  /**
   * Returns a view of a whole array as FLOAT32.
   *
   * @param array the elements; read and written in place
   */
  public static CommBuffer of(float[] array) {
    return of(MemorySegment.ofArray(array), DataType.FLOAT32);
  }

  /**
   * Returns a view of a whole array as FLOAT64.
   *
   * @param array the elements; read and written in place
   */
  public static CommBuffer of(double[] array) {
    return of(MemorySegment.ofArray(array), DataType.FLOAT64);
  }

  /**
   * Returns a view of a whole array as INT32.
   *
   * @param array the elements; read and written in place
   */
  public static CommBuffer of(int[] array) {
    return of(MemorySegment.ofArray(array), DataType.INT32);
  }

  /**
   * Returns a view of a whole array as INT64.
   *
   * @param array the elements; read and written in place
   */
  public static CommBuffer of(long[] array) {
    return of(MemorySegment.ofArray(array), DataType.INT64);
  }

  /**
   * Returns a view of a whole array as INT8.
   *
   * @param array the elements; read and written in place
   */
  public static CommBuffer of(byte[] array) {
    return of(MemorySegment.ofArray(array), DataType.INT8);
  }

  /**
   * Returns a view of a whole host segment.
   *
   * @param segment heap or native memory; its size must be a multiple of the type's
   * @param type how its bytes are read
   * @throws IllegalArgumentException if the segment's size is no multiple of the type's
   */
  public static CommBuffer of(MemorySegment segment, DataType type) {
    Objects.requireNonNull(segment, "segment");
    Objects.requireNonNull(type, "type");
    long bytes = segment.byteSize();
    if (bytes % type.byteSize() != 0) {
      throw new IllegalArgumentException(
          "a segment of %d bytes is no whole number of %s elements (%d bytes each); pass segment.asSlice(offset, count * %d)"
              .formatted(bytes, type, type.byteSize(), type.byteSize()));
    }
    return new CommBuffer(segment, type, bytes / type.byteSize(), Device.CPU);
  }

  /**
   * Returns a view of device memory.
   *
   * @param segment a segment at the device address, of zero length, whose scope ends when the
   *     memory is freed
   * @param type the element type
   * @param count how many elements there are
   * @param device the device, not the CPU
   * @throws IllegalArgumentException if the device is the CPU, the segment not native or not empty,
   *     or the count negative or too large
   */
  public static CommBuffer ofDevice(
      MemorySegment segment, DataType type, long count, Device device) {
    Objects.requireNonNull(segment, "segment");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(device, "device");
    if (device.isCpu() || !segment.isNative() || segment.byteSize() != 0) {
      throw new IllegalArgumentException(
          "device memory is a native segment of zero length on a device other than the CPU, not %s on %s; host memory is CommBuffer.of(segment, type)"
              .formatted(segment, device));
    }
    if (count < 0 || count > Long.MAX_VALUE / type.byteSize()) {
      throw new IllegalArgumentException(
          "count " + count + " of " + type + " is no size of memory");
    }
    return new CommBuffer(segment, type, count, device);
  }

  /** Returns the memory; of zero length on a device. */
  public MemorySegment segment() {
    return segment;
  }

  /** Returns the element type. */
  public DataType type() {
    return type;
  }

  /** Returns the number of elements. */
  public long count() {
    return count;
  }

  /** Returns the number of bytes. */
  public long byteSize() {
    return count * type.byteSize();
  }

  /** Returns where the memory lies. */
  public Device device() {
    return device;
  }

  /**
   * Returns a view of part of this buffer.
   *
   * @param offset the first element
   * @param count how many elements
   * @throws IndexOutOfBoundsException if the part is not within this buffer
   */
  public CommBuffer slice(long offset, long count) {
    Objects.checkFromIndexSize(offset, count, this.count);
    long bytes = offset * type.byteSize();
    MemorySegment part =
        device.isCpu()
            ? segment.asSlice(bytes, count * type.byteSize())
            : sliceOnDevice(segment, bytes);
    return new CommBuffer(part, type, count, device);
  }

  @SuppressWarnings(
      "restricted") // widened for the length of this call only; the result has no extent
  private static MemorySegment sliceOnDevice(MemorySegment base, long bytes) {
    return base.reinterpret(bytes).asSlice(bytes, 0);
  }

  /**
   * Returns whether this and another buffer share a byte of memory.
   *
   * @param other a buffer on any device
   */
  public boolean overlaps(CommBuffer other) {
    if (byteSize() == 0 || other.byteSize() == 0 || !device.equals(other.device)) {
      return false;
    }
    if (segment.isNative() != other.segment.isNative()) {
      return false;
    }
    if (segment.isNative()) {
      long a = segment.address();
      long b = other.segment.address();
      return a < b + other.byteSize() && b < a + byteSize();
    }
    return segment.asOverlappingSlice(other.segment).isPresent();
  }

  /**
   * Returns whether this and another buffer are exactly the same memory: same device, start and
   * number of bytes.
   *
   * @param other a buffer on any device
   */
  public boolean isSameMemory(CommBuffer other) {
    if (!device.equals(other.device)
        || byteSize() != other.byteSize()
        || segment.isNative() != other.segment.isNative()) {
      return false;
    }
    if (segment.isNative()) {
      return segment.address() == other.segment.address();
    }
    return segment.address() == other.segment.address()
        && (byteSize() == 0 || segment.asOverlappingSlice(other.segment).isPresent());
  }

  @Override
  public String toString() {
    return count + " " + type + " on " + device;
  }
}
