package dev.tutti.comm.internal.rendezvous;

import java.nio.file.Path;

/** Where the ranks of a job find each other. */
sealed interface MeetingPoint {
  /** A job of one rank meets nobody. */
  record Alone() implements MeetingPoint {}

  /**
   * A server at an address that all ranks know.
   *
   * @param host its host name or address
   * @param port its port
   * @param inLauncher whether a launcher hosts it; otherwise rank 0 does
   */
  record Address(String host, int port, boolean inLauncher) implements MeetingPoint {}

  /** A server of rank 0 on this host, whose port stands in a file that is named after the job. */
  record JobFile() implements MeetingPoint {}

  /**
   * A folder that all ranks see.
   *
   * @param path where it is
   */
  record Folder(Path path) implements MeetingPoint {}
}
