package dev.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The part of MPI that this backend uses: the one seam to the library. Every call but those of
 * set-up and end returns at once; memory is native, and belongs to MPI until its request is
 * complete.
 *
 * <p>All methods may throw {@link MpiFailure}.
 *
 * <p><b>Threading.</b> One thread at a time, as {@code MPI_THREAD_SERIALIZED} has it.
 */
interface MpiApi {
  /** The most bytes that one call takes: the bindings compute them in an int. */
  long MOST_BYTES = 1 << 30;

  /** What elements a reduction has. */
  enum Type {
    /** Eight bits, for bitwise operators. */
    BYTE(1),
    /** Signed 32-bit integers. */
    INT(4),
    /** Signed 64-bit integers. */
    LONG(8),
    /** Binary32. */
    FLOAT(4),
    /** Binary64. */
    DOUBLE(8);

    private final int bytes;

    Type(int bytes) {
      this.bytes = bytes;
    }

    /** Returns the size of an element in bytes. */
    int bytes() {
      return bytes;
    }
  }

  /** What a reduction computes. */
  enum Op {
    /** Sum. */
    SUM,
    /** Product. */
    PROD,
    /** Minimum. */
    MIN,
    /** Maximum. */
    MAX,
    /** Bitwise and. */
    BAND,
    /** Bitwise or. */
    BOR,
    /** Bitwise exclusive or. */
    BXOR
  }

  /** Starts MPI, once a process; blocks until all processes of the job do. */
  void init();

  /** Ends MPI; blocks until all processes of the job do. */
  void finish();

  /** Returns the library's name and version. */
  String version();

  /** Returns all processes that were started together. */
  Comm world();

  /** A communicator. Its errors return, as {@link MpiFailure}. */
  interface Comm {
    /** Returns this process's number. */
    int rank();

    /** Returns the number of processes. */
    int size();

    /**
     * {@code MPI_Comm_split}; blocks until all processes of this communicator call.
     *
     * @param color negative for a process that is to be in none
     * @return the communicator, or null for such a process
     */
    @Nullable Comm split(int color, int key);

    /** {@code MPI_Comm_free}. */
    void free();

    /** {@code MPI_Isend} of a whole segment. */
    Request send(MemorySegment memory, int peer, int tag);

    /** {@code MPI_Irecv} of at most a whole segment. */
    Request receive(MemorySegment memory, int peer, int tag);

    /** {@code MPI_Ibarrier}. */
    Request barrier();

    /** {@code MPI_Ibcast}. */
    Request broadcast(MemorySegment memory, int root);

    /** {@code MPI_Iallreduce}, in place. */
    Request allReduce(MemorySegment memory, Type type, Op op);

    /** {@code MPI_Ireduce}, in place at the root; elsewhere memory is read only. */
    Request reduce(MemorySegment memory, Type type, Op op, int root);

    /** {@code MPI_Iallgather}, in place: block {@code rank} of the memory is this process's own. */
    Request allGather(MemorySegment memory, long blockBytes);

    /** {@code MPI_Igather}; at the root the memory is all blocks, in place, elsewhere one. */
    Request gather(MemorySegment memory, long blockBytes, int root);

    /** {@code MPI_Iscatter}; at the root the memory is all blocks, in place, elsewhere one. */
    Request scatter(MemorySegment memory, long blockBytes, int root);

    /** {@code MPI_Ialltoall}. */
    Request allToAll(MemorySegment send, MemorySegment recv, long blockBytes);
  }

  /** A call under way. */
  interface Request {
    /** What {@link #test} returns while the call is under way. */
    long PENDING = -1;

    /**
     * {@code MPI_Test}.
     *
     * @return {@link #PENDING}, or the bytes that a receive got, or any other number of at least 0
     */
    long test();
  }
}
