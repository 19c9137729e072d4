package dev.tutti.comm.spi;

import dev.tutti.comm.Device;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of one kind of device: what layers need to stage it through the host. Found by {@link
 * java.util.ServiceLoader}.
 *
 * <p><b>Threading.</b> All methods may be called from any thread; copies return when they are
 * complete.
 */
public interface DeviceRuntime {
  /** Returns the kind of device, such as {@code cuda}. */
  String kind();

  /**
   * Returns whether there is such a device, without loading anything that could end the process.
   */
  Availability availability();

  /** Returns how many devices there are; 0 if none is available. */
  int count();

  /**
   * Allocates device memory.
   *
   * @param device one of this kind
   * @param bytes how many bytes
   * @param arena frees the memory when it is closed
   * @return a segment of zero length at the device address
   */
  MemorySegment allocate(Device device, long bytes, Arena arena);

  /**
   * Copies host memory to a device.
   *
   * @param source native host memory, copied whole
   * @param device where the target lies
   * @param target a zero-length segment at the device address
   */
  void copyToDevice(MemorySegment source, Device device, MemorySegment target);

  /**
   * Copies device memory to the host.
   *
   * @param device where the source lies
   * @param source a zero-length segment at the device address
   * @param target native host memory, filled whole
   */
  void copyToHost(Device device, MemorySegment source, MemorySegment target);
}
