package dev.tutti.comm;

/**
 * Where a buffer's memory lies.
 *
 * @param kind {@code "cpu"} or {@code "cuda"}, in lower case
 * @param ordinal the device's number among those of its kind on this host, 0 for {@link #CPU}
 */
public record Device(String kind, int ordinal) {
  /** The host's memory. */
  public static final Device CPU = new Device("cpu", 0);

  /**
   * Checks its arguments.
   *
   * @throws IllegalArgumentException if the kind is empty or the ordinal negative
   */
  public Device {
    if (kind.isEmpty() || ordinal < 0) {
      throw new IllegalArgumentException("no device: kind \"" + kind + "\", ordinal " + ordinal);
    }
  }

  /**
   * Returns a CUDA device.
   *
   * @param ordinal the device's number as the CUDA runtime counts
   */
  public static Device cuda(int ordinal) {
    return new Device("cuda", ordinal);
  }

  /** Returns whether the host can read and write this device's memory. */
  public boolean isCpu() {
    return kind.equals("cpu");
  }

  @Override
  public String toString() {
    return isCpu() ? kind : kind + ":" + ordinal;
  }
}
