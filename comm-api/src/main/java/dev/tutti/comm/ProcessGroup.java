package dev.tutti.comm;

import dev.tutti.comm.internal.Arguments;
import dev.tutti.comm.internal.Bootstrap;
import dev.tutti.comm.internal.Deadline;
import dev.tutti.comm.internal.GroupCore;
import dev.tutti.comm.internal.rendezvous.Membership;
import dev.tutti.comm.internal.rendezvous.Rendezvous;
import dev.tutti.comm.spi.Availability;
import dev.tutti.comm.spi.Operation;
import dev.tutti.comm.spi.SlotPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A fixed set of ranks and their collective operations. Every rank is a member with a number {@link
 * #rank()} in {@code [0, size())}.
 *
 * {@snippet :
 * try (ProcessGroup group = ProcessGroup.init("auto")) {
 *   float[] gradient = gradientOf(myShard(group.rank(), group.size()));
 *   group.allReduce(CommBuffer.of(gradient), ReduceOp.AVG).join();
 * }
 * }
 *
 * <p><b>Order.</b> All ranks issue the same collectives in the same order. A group is a
 * first-in-first-out queue: an operation's first transfer follows its predecessor's last. Sends and
 * receives take their place in that queue, and match in order for each pair and direction;
 * transfers that cross need {@link #sendRecv} or {@link #batch}.
 *
 * <p><b>Buffers.</b> Counts are in elements. A buffer belongs to the operation from the call until
 * its {@link Work} is complete; a send buffer is never written. Buffers may overlap only where an
 * operation names its in-place form, which is NCCL's. Count 0 succeeds, moves nothing and promises
 * no synchronisation.
 *
 * <p><b>Threading.</b> The calls of one group are serialised by its caller; {@link Work} and {@link
 * #abort()} may be used from any thread. Different groups are independent.
 *
 * <p><b>Errors.</b> A caller's mistake throws at once ({@link IllegalArgumentException}, {@link
 * IllegalStateException}, {@link UnsupportedOperationException}) and leaves the group usable.
 * Anything later fails the {@link Work} with a {@link CommException} and breaks the group on all
 * ranks: every later call fails with that first cause.
 *
 * @see <a href="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html">NCCL,
 *     collective functions, whose contract this follows</a>
 */
public final class ProcessGroup implements AutoCloseable {
  private final GroupCore core;
  private final Arguments arguments;

  private ProcessGroup(GroupCore core) {
    this.core = core;
    this.arguments = new Arguments(core.rank(), core.size());
  }

  /**
   * Joins the group of all ranks of the job that this process was started for; every rank calls.
   *
   * @param config the config string, such as {@code auto} or {@code tcp?iface=eth0}; see {@link
   *     CommConfig}
   * @throws ConfigException if the config, or what the launcher set, is wrong
   * @throws BackendUnavailableException if the backend cannot be had on every rank
   * @throws CommException if the ranks did not come together in time
   */
  public static ProcessGroup init(String config) {
    return builder().config(config).build();
  }

  /** Returns a builder of the group of all ranks. */
  public static Builder builder() {
    return new Builder();
  }

  /** Settings of the group of all ranks; what is not set is looked for in the environment. */
  public static final class Builder {
    private @Nullable String config;
    private @Nullable String rendezvous;
    private @Nullable Duration timeout;
    private Executor executor = task -> Thread.ofVirtual().name("tutti-completion").start(task);
    private @Nullable Membership membership;

    private Builder() {}

    /**
     * Sets the config string; the default is the system property {@code tutti.backend}, then the
     * variable {@code TUTTI_BACKEND}, then {@code auto}.
     *
     * @param config see {@link CommConfig}
     */
    public Builder config(String config) {
      this.config = Objects.requireNonNull(config, "config");
      return this;
    }

    /**
     * Sets where the ranks meet; the default is the variable {@code TUTTI_INIT}, then what a
     * launcher has set.
     *
     * @param url {@code env://}, {@code tcp://host:port?rank=&size=} or {@code
     *     file:///dir?rank=&size=}
     */
    public Builder rendezvous(String url) {
      this.rendezvous = Objects.requireNonNull(url, "url");
      return this;
    }

    /**
     * Sets how long each operation, and setting the group up, may take; stronger than the config's
     * {@code timeout}.
     *
     * @param timeout longer than zero
     */
    public Builder timeout(Duration timeout) {
      this.timeout = Objects.requireNonNull(timeout, "timeout");
      return this;
    }

    /**
     * Sets what runs the stages behind {@link Work#completion()}; the default starts a virtual
     * thread for each.
     *
     * @param executor must not run tasks on the thread that hands them over
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /** Sets this rank's place in a job that was joined already. */
    Builder membership(Membership membership) {
      this.membership = membership;
      return this;
    }

    /**
     * Joins the group; every rank calls.
     *
     * @throws ConfigException if the config, or what the launcher set, is wrong
     * @throws BackendUnavailableException if the backend cannot be had on every rank
     * @throws CommException if the ranks did not come together in time
     */
    public ProcessGroup build() {
      CommConfig parsed = CommConfig.resolve(config);
      CommConfig timed = timeout == null ? parsed : parsed.withTimeout(timeout);
      Deadline deadline = Deadline.after(timed.timeout());
      Membership place =
          membership != null ? membership : Rendezvous.join(rendezvous, System.getenv(), deadline);
      return new ProcessGroup(Bootstrap.world(timed, place, executor, deadline));
    }
  }

  /** Returns this rank's number in the group, in {@code [0, size())}. */
  public int rank() {
    return core.rank();
  }

  /** Returns the number of ranks in the group. */
  public int size() {
    return core.size();
  }

  /**
   * Returns the group's name, unique in the job: {@code world}, or its parent's with the split's
   * number and color.
   */
  public String name() {
    return core.name();
  }

  /** Returns the name of the backend that was chosen, such as {@code tcp}. */
  public String backend() {
    return core.backend();
  }

  /**
   * Returns the memory that the backend holds for this group; bounded by the config's {@code
   * scratch}, whatever the messages' sizes.
   */
  public SlotPool.Usage memory() {
    return core.memory();
  }

  /**
   * Returns whether the group's backend can carry out an operation, without any communication and
   * with the same answer on all ranks.
   *
   * @param operation the operation as data
   */
  public Availability supports(Operation operation) {
    return core.supports(operation);
  }

  /**
   * Reduces the buffers of all ranks and leaves the same bits on every rank: {@code recv[i] = op
   * over ranks r of send_r[i]}.
   *
   * <p><b>Buffers.</b> {@code recv.count() == send.count()}, the same on all ranks. <b>In
   * place:</b> send and recv are the same memory.
   *
   * @param send this rank's elements
   * @param recv takes the result
   * @param op how elements are combined
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work allReduce(CommBuffer send, CommBuffer recv, ReduceOp op) {
    return core.submit(arguments.allReduce(send, recv, op));
  }

  /**
   * Reduces the buffers of all ranks in place, as {@link #allReduce(CommBuffer, CommBuffer,
   * ReduceOp)} with one buffer.
   *
   * @param buffer this rank's elements, then the result
   * @param op how elements are combined
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work allReduce(CommBuffer buffer, ReduceOp op) {
    return allReduce(buffer, buffer, op);
  }

  /**
   * Reduces the buffers of all ranks to the root: {@code recv[i] = op over ranks r of send_r[i]}
   * there.
   *
   * <p><b>Buffers.</b> {@code recv.count() == send.count()} on the root; elsewhere recv may be null
   * and is never touched. <b>In place:</b> at the root, send and recv are the same memory.
   *
   * @param send this rank's elements
   * @param recv takes the result on the root
   * @param op how elements are combined
   * @param root the rank that gets the result
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work reduce(CommBuffer send, @Nullable CommBuffer recv, ReduceOp op, int root) {
    return core.submit(arguments.reduce(send, recv, op, root));
  }

  /**
   * Copies the root's buffer to every rank's.
   *
   * <p><b>Buffers.</b> The same count on all ranks; the root's is only read. Always in place.
   *
   * @param buffer the elements on the root, the target elsewhere
   * @param root the rank whose elements are copied
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work broadcast(CommBuffer buffer, int root) {
    return core.submit(arguments.broadcast(buffer, root));
  }

  /**
   * Gathers the buffers of all ranks on every rank: block r of recv is rank r's send.
   *
   * <p><b>Buffers.</b> {@code recv.count() == send.count() * size()}, the same on all ranks. <b>In
   * place:</b> send is block {@code rank()} of recv.
   *
   * @param send this rank's block
   * @param recv takes all blocks in rank order
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work allGather(CommBuffer send, CommBuffer recv) {
    return core.submit(arguments.allGather(send, recv));
  }

  /**
   * Gathers buffers of unequal size on every rank.
   *
   * <p><b>Buffers.</b> {@code send.count() == counts[rank()]}, {@code recv.count()} is the sum of
   * counts; blocks lie densely in rank order and may be empty. <b>In place:</b> send is this rank's
   * block of recv.
   *
   * @param send this rank's block
   * @param recv takes all blocks
   * @param counts elements of each rank, the same on all ranks
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work allGatherV(CommBuffer send, CommBuffer recv, long... counts) {
    return core.submit(arguments.allGatherV(send, recv, counts));
  }

  /**
   * Reduces the buffers of all ranks and leaves one block on each: recv is block {@code rank()} of
   * the reduction.
   *
   * <p><b>Buffers.</b> {@code send.count() == recv.count() * size()}, the same on all ranks. <b>In
   * place:</b> recv is block {@code rank()} of send; the rest of send is not written.
   *
   * @param send this rank's elements of all blocks
   * @param recv takes this rank's block of the result
   * @param op how elements are combined
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work reduceScatter(CommBuffer send, CommBuffer recv, ReduceOp op) {
    return core.submit(arguments.reduceScatter(send, recv, op));
  }

  /**
   * Reduces the buffers of all ranks and leaves blocks of unequal size.
   *
   * <p><b>Buffers.</b> {@code send.count()} is the sum of counts, {@code recv.count() ==
   * counts[rank()]}; blocks lie densely in rank order and may be empty. <b>In place:</b> recv is
   * this rank's block of send.
   *
   * @param send this rank's elements of all blocks
   * @param recv takes this rank's block of the result
   * @param op how elements are combined
   * @param counts elements of each rank's block, the same on all ranks
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work reduceScatterV(CommBuffer send, CommBuffer recv, ReduceOp op, long... counts) {
    return core.submit(arguments.reduceScatterV(send, recv, counts, op));
  }

  /**
   * Gathers the buffers of all ranks on the root: block r of recv is rank r's send.
   *
   * <p><b>Buffers.</b> {@code recv.count() == send.count() * size()} on the root; elsewhere recv
   * may be null and is never touched. <b>In place:</b> at the root, send is block {@code root} of
   * recv.
   *
   * @param send this rank's block
   * @param recv takes all blocks in rank order on the root
   * @param root the rank that gets the result
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work gather(CommBuffer send, @Nullable CommBuffer recv, int root) {
    return core.submit(arguments.gather(send, recv, root));
  }

  /**
   * Gathers buffers of unequal size on the root.
   *
   * <p><b>Buffers.</b> On the root {@code send.count() == counts[root]} and {@code recv.count()} is
   * the sum of counts. Elsewhere recv and counts may be null, and {@code send.count()} must be what
   * the root's counts say. <b>In place:</b> at the root, send is its block of recv.
   *
   * @param send this rank's block
   * @param recv takes all blocks on the root
   * @param root the rank that gets the result
   * @param counts elements of each rank, on the root
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work gatherV(
      CommBuffer send, @Nullable CommBuffer recv, int root, long @Nullable ... counts) {
    return core.submit(arguments.gatherV(send, recv, counts, root));
  }

  /**
   * Hands each rank its block of the root's buffer: recv is block {@code rank()} of the root's
   * send.
   *
   * <p><b>Buffers.</b> {@code send.count() == recv.count() * size()} on the root; elsewhere send
   * may be null. <b>In place:</b> at the root, recv is block {@code root} of send.
   *
   * @param send all blocks in rank order on the root
   * @param recv takes this rank's block
   * @param root the rank that holds the blocks
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work scatter(@Nullable CommBuffer send, CommBuffer recv, int root) {
    return core.submit(arguments.scatter(send, recv, root));
  }

  /**
   * Hands each rank its block, of unequal size, of the root's buffer.
   *
   * <p><b>Buffers.</b> On the root {@code recv.count() == counts[root]} and {@code send.count()} is
   * the sum of counts. Elsewhere send and counts may be null, and {@code recv.count()} must be what
   * the root's counts say. <b>In place:</b> at the root, recv is its block of send.
   *
   * @param send all blocks on the root
   * @param recv takes this rank's block
   * @param root the rank that holds the blocks
   * @param counts elements of each rank, on the root
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work scatterV(
      @Nullable CommBuffer send, CommBuffer recv, int root, long @Nullable ... counts) {
    return core.submit(arguments.scatterV(send, recv, counts, root));
  }

  /**
   * Exchanges blocks between all ranks: block r of recv is block {@code rank()} of rank r's send.
   *
   * <p><b>Buffers.</b> {@code recv.count() == send.count()}, a multiple of {@code size()}, the same
   * on all ranks. There is no in-place form.
   *
   * @param send one block for each rank
   * @param recv takes one block from each rank
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work allToAll(CommBuffer send, CommBuffer recv) {
    return core.submit(arguments.allToAll(send, recv));
  }

  /**
   * Exchanges blocks of unequal size between all ranks.
   *
   * <p><b>Buffers.</b> {@code send.count()} is the sum of sendCounts, {@code recv.count()} that of
   * recvCounts; {@code recvCounts[r]} must be rank r's {@code sendCounts[rank()]}. Blocks lie
   * densely in rank order and may be empty. There is no in-place form.
   *
   * @param send one block for each rank
   * @param sendCounts elements for each rank
   * @param recv takes one block from each rank
   * @param recvCounts elements from each rank
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work allToAllV(CommBuffer send, long[] sendCounts, CommBuffer recv, long[] recvCounts) {
    return core.submit(arguments.allToAllV(send, sendCounts, recv, recvCounts));
  }

  /**
   * Sends a buffer to another rank, which calls {@link #recv} with as many elements. Complete means
   * that the buffer may be used again, not that it arrived.
   *
   * @param buffer the elements
   * @param peer the rank that receives, not this one
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work send(CommBuffer buffer, int peer) {
    return core.submit(arguments.send(buffer, peer));
  }

  /**
   * Receives a buffer from another rank, which calls {@link #send} with as many elements.
   *
   * @param buffer takes the elements
   * @param peer the rank that sends, not this one
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work recv(CommBuffer buffer, int peer) {
    return core.submit(arguments.recv(buffer, peer));
  }

  /**
   * Sends one buffer while receiving another: what a ring or an exchange of halos needs.
   *
   * <p><b>Buffers.</b> They may differ in size and type, and must not overlap. If a rank names
   * itself, it does so as both.
   *
   * @param send the elements that go out
   * @param destination the rank that receives them
   * @param recv takes the elements that come in
   * @param source the rank that sends them
   * @throws IllegalArgumentException if an argument is wrong
   */
  public Work sendRecv(CommBuffer send, int destination, CommBuffer recv, int source) {
    return core.submit(arguments.sendRecv(send, destination, recv, source));
  }

  /**
   * Issues many sends and receives as one operation, all of which proceed together.
   *
   * {@snippet :
   * group.batch(b -> {
   *   b.send(left, previous);
   *   b.recv(halo, next);
   * }).join();
   * }
   *
   * <p>Transfers between one pair in one direction match in their order in the batch. A send to
   * this rank itself needs a receive from itself in the same batch.
   *
   * @param transfers adds the sends and receives
   * @throws IllegalArgumentException if an argument is wrong; nothing of the batch was issued
   */
  public Work batch(Consumer<Batch> transfers) {
    Batch batch = new Batch();
    if (transfers == null) {
      throw new IllegalArgumentException(
          "batch on rank %d/%d: transfers is null; pass b -> { b.send(…); b.recv(…); }"
              .formatted(rank(), size()));
    }
    transfers.accept(batch);
    return core.submit(arguments.batch(batch.transfers));
  }

  /** Collects the transfers of one {@link ProcessGroup#batch}. */
  public static final class Batch {
    private final List<Operation> transfers = new ArrayList<>();

    private Batch() {}

    /**
     * Adds a send.
     *
     * @param buffer the elements
     * @param peer the rank that receives
     */
    public Batch send(CommBuffer buffer, int peer) {
      transfers.add(new Operation.Send(buffer, peer));
      return this;
    }

    /**
     * Adds a receive.
     *
     * @param buffer takes the elements
     * @param peer the rank that sends
     */
    public Batch recv(CommBuffer buffer, int peer) {
      transfers.add(new Operation.Recv(buffer, peer));
      return this;
    }
  }

  /** Completes on no rank before every rank has called it. */
  public Work barrier() {
    return core.submit(new Operation.Barrier());
  }

  /**
   * Makes subgroups: ranks that pass the same color form one, ordered by key, and by rank in this
   * group where keys are equal. Every rank of this group calls, also one that is to be in no
   * subgroup. Waits for this group's earlier operations.
   *
   * @param color which subgroup; negative for none
   * @param key where in the subgroup
   * @return this rank's subgroup, to be closed by the caller; empty if the color is negative
   * @throws CommException if the ranks did not come together in time
   * @see <a
   *     href="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclcommsplit">ncclCommSplit</a>
   */
  public Optional<ProcessGroup> split(int color, int key) {
    return core.split(color, key).map(ProcessGroup::new);
  }

  /**
   * Ends the group at once: pending operations fail with {@link CommAbortedException}, here and,
   * since it is announced, on the other ranks. Never throws, never waits for a peer, may be called
   * from any thread. {@link #close()} is still to be called.
   */
  public void abort() {
    core.abort();
  }

  /** Aborts this group and all others that this rank has open. */
  void abortJob() {
    core.abortJob();
  }

  /** Aborts and closes this group and all others that this rank has open. */
  void endJob() {
    core.endJob();
  }

  /**
   * Ends this rank's membership: waits for pending operations up to the timeout, then aborts them;
   * frees all resources. Idempotent. Subgroups stay usable; the job is left when the last group is
   * closed.
   *
   * @throws CommException if pending operations did not complete; the message says which. It is of
   *     the type of what failed them: a {@link CommTimeoutException} if time ran out, a {@link
   *     CommAbortedException} if the thread was interrupted
   */
  @Override
  public void close() {
    core.close();
  }

  @Override
  public String toString() {
    return "group %s, rank %d/%d, backend %s".formatted(name(), rank(), size(), backend());
  }
}
