package dev.tutti.comm.internal.store;

import java.net.ProtocolException;

/**
 * What a rank says first on each of its connections to the job's server.
 *
 * @param version the protocol's version; where it is not {@link #VERSION} nothing else is known
 * @param role what the connection is for: {@link #STORE} or {@link #CONTROL}
 * @param rank the sender's rank
 * @param size the number of ranks that the sender believes in
 * @param job the job that the sender believes in
 * @param host the sender's host name, for messages
 * @param pid the sender's process id, for messages
 */
public record Hello(int version, int role, int rank, int size, String job, String host, long pid) {
  /** The version that this code speaks. */
  public static final int VERSION = 1;

  /** A connection for store requests. */
  public static final int STORE = 0;

  /** A control line. */
  public static final int CONTROL = 1;

  /** The largest body of a hello or its reply, in bytes. */
  public static final int MAX_BODY = 64 << 10;

  /** "TUTTI", and bytes that no text has. */
  static final long MAGIC = 0x54_55_54_54_49_0d_0a_00L;

  /** Returns this process's hello in this version. */
  public static Hello of(int role, int rank, int size, String job, String host) {
    return new Hello(VERSION, role, rank, size, job, host, ProcessHandle.current().pid());
  }

  /**
   * Reads a hello from the first frame of a connection.
   *
   * @throws ProtocolException if the frame is something else
   */
  public static Hello from(Frame frame) throws ProtocolException {
    BodyReader body = new BodyReader(frame.body());
    if (frame.type() != FrameType.HELLO || body.int64() != MAGIC) {
      throw new ProtocolException("The connection does not begin with a hello");
    }
    int version = body.int32();
    if (version != VERSION) {
      return new Hello(version, 0, 0, 0, "", "", 0);
    }
    Hello hello =
        new Hello(
            version,
            body.int8(),
            body.int32(),
            body.int32(),
            body.text(),
            body.text(),
            body.int64());
    body.end();
    return hello;
  }

  /** Returns the hello as a frame. */
  Frame frame() {
    BodyWriter body = new BodyWriter();
    body.int64(MAGIC).int32(version).int8(role).int32(rank).int32(size);
    return new Frame(FrameType.HELLO, 0, body.text(job).text(host).int64(pid).toBytes());
  }

  /** Returns "rank 3 (process 4711 on node1)". */
  public String sender() {
    return "rank " + rank + " (process " + pid + " on " + host + ")";
  }
}
