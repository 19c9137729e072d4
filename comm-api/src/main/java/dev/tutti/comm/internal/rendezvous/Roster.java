package dev.tutti.comm.internal.rendezvous;

import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.store.FrameLink;
import dev.tutti.comm.internal.store.Hello;
import dev.tutti.comm.internal.store.HelloReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Who is in the job: which rank has which connections to the server, and who has left or died.
 * Thread-safe.
 */
final class Roster {
  private record Seat(int role, int rank) {}

  private record Guest(Hello hello, FrameLink link) {}

  private final int size;
  private final String job;
  private final String jobId;
  private final int hostRank;
  private final Map<Seat, Guest> present = new HashMap<>();
  private final Set<Integer> gone = new HashSet<>();
  private boolean released;

  /**
   * Creates an empty roster.
   *
   * @param size the number of ranks
   * @param job the job that ranks must name
   * @param jobId the job's own id, told to them
   * @param hostRank the rank whose process the server lives in, or -1
   */
  Roster(int size, String job, String jobId, int hostRank) {
    this.size = size;
    this.job = job;
    this.jobId = jobId;
    this.hostRank = hostRank;
  }

  /** Seats a connection and welcomes it, or says why not. */
  synchronized HelloReply admit(Hello hello, FrameLink link) {
    if (hello.version() != Hello.VERSION) {
      return refused(
          "this process speaks protocol version "
              + hello.version()
              + ", the store "
              + Hello.VERSION
              + ": all ranks must run the same version of Tutti");
    }
    if (!hello.job().equals(job)) {
      return refused(
          "the store belongs to job \""
              + job
              + "\", this process to job \""
              + hello.job()
              + "\". Give each job an address and port of its own");
    }
    if (hello.size() != size) {
      return refused(
          "the job has "
              + size
              + " ranks, but this process was told "
              + hello.size()
              + ". Give all ranks the same size (WORLD_SIZE, or size= in the address)");
    }
    if (hello.rank() < 0 || hello.rank() >= size) {
      return refused("its rank is not in [0, " + size + ")");
    }
    if (hello.role() != Hello.STORE && hello.role() != Hello.CONTROL) {
      return refused("it asks for an unknown kind of connection: " + hello.role());
    }
    Guest holder = present.get(new Seat(hello.role(), hello.rank()));
    // Whoever left and comes again belongs to the next job at this address.
    if (released || gone.contains(hello.rank())) {
      return new HelloReply(
          HelloReply.LATER,
          "an earlier job at this address has not ended: " + stillHere() + " still in it",
          hostRank);
    }
    if (holder != null) {
      return refused(
          "rank "
              + hello.rank()
              + " is taken by "
              + holder.hello().sender()
              + ". Give every process a rank of its own, and every job a port of its own");
    }
    present.put(new Seat(hello.role(), hello.rank()), new Guest(hello, link));
    HelloReply welcome = new HelloReply(HelloReply.WELCOME, jobId, hostRank);
    // Here, so that nothing which goes to everybody present can come before it.
    link.send(welcome.frame());
    return welcome;
  }

  /**
   * Takes a connection off. A rank leaves with its control line; its store may close before.
   *
   * @param inGoodOrder whether it said goodbye
   * @return whether that was the rank's death: the first of its connections that breaks tells
   */
  synchronized boolean leave(Hello hello, boolean inGoodOrder) {
    present.remove(new Seat(hello.role(), hello.rank()));
    notifyAll();
    boolean leaves = !inGoodOrder || hello.role() == Hello.CONTROL;
    return leaves && gone.add(hello.rank()) && !inGoodOrder;
  }

  /** Records that the host of the server wants no more of it. */
  synchronized void release() {
    released = true;
    notifyAll();
  }

  synchronized boolean released() {
    return released;
  }

  /** Waits until nobody is connected; returns whether so. */
  synchronized boolean awaitEmpty(Deadline deadline) throws InterruptedException {
    while (!present.isEmpty()) {
      long nanos = deadline.remainingNanos();
      if (nanos <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    }
    return true;
  }

  /** Waits until the host is done and nobody is connected. */
  synchronized void awaitEnd() throws InterruptedException {
    while (!released || !present.isEmpty()) {
      wait();
    }
  }

  synchronized List<FrameLink> links() {
    List<FrameLink> links = new ArrayList<>();
    present.values().forEach(guest -> links.add(guest.link()));
    return links;
  }

  /** Returns "rank 1 is" or "ranks 1, 2 are", of those who are connected. */
  synchronized String stillHere() {
    TreeSet<Integer> ranks = new TreeSet<>();
    present.keySet().forEach(seat -> ranks.add(seat.rank()));
    if (ranks.isEmpty()) {
      return "its host is";
    }
    List<String> names = ranks.stream().limit(16).map(String::valueOf).toList();
    return (ranks.size() == 1 ? "rank " : "ranks ")
        + String.join(", ", names)
        + (ranks.size() > 16 ? " and more" : "")
        + (ranks.size() == 1 ? " is" : " are");
  }

  private HelloReply refused(String why) {
    return new HelloReply(HelloReply.REFUSED, why, hostRank);
  }
}
