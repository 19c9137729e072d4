package dev.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Status;
import org.jspecify.annotations.Nullable;

/**
 * Open MPI's Java bindings: the only class that touches {@code mpi.*}. Loaded by name, by {@link
 * MpiProcess}, once all that it needs is known to be there: 5.0's {@code mpi.MPI} ends the process
 * otherwise.
 */
final class OpenMpi implements MpiApi {
  private interface Call<T> {
    T make() throws MPIException;
  }

  private interface Action {
    void make() throws MPIException;
  }

  @Override
  public void init() {
    run(
        "MPI_Init_thread",
        () -> {
          int granted = MPI.InitThread(new String[0], MPI.THREAD_SERIALIZED);
          if (granted < MPI.THREAD_SERIALIZED) {
            throw new MPIException(
                "it grants thread level %d, and MPI_THREAD_SERIALIZED (%d) is needed"
                    .formatted(granted, MPI.THREAD_SERIALIZED));
          }
          MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        });
  }

  @Override
  public void finish() {
    run("MPI_Finalize", MPI::Finalize);
  }

  @Override
  public String version() {
    return MPI.getLibVersion().lines().findFirst().orElse("MPI").split(",", 2)[0];
  }

  @Override
  public Comm world() {
    return new OpenComm(MPI.COMM_WORLD);
  }

  private static <T> T get(String name, Call<T> call) {
    try {
      return call.make();
    } catch (MPIException e) {
      throw new MpiFailure(
          name,
          e.getErrorCode(),
          e.getErrorClass() == MPI.ERR_TRUNCATE,
          String.valueOf(e.getMessage()),
          e);
    }
  }

  private static void run(String name, Action action) {
    get(
        name,
        () -> {
          action.make();
          return true;
        });
  }

  private static Request request(String name, Call<mpi.Request> call) {
    return new OpenRequest(name, get(name, call));
  }

  private static ByteBuffer buffer(MemorySegment memory) {
    return memory.asByteBuffer();
  }

  private static int bytes(long bytes) {
    if (bytes > MOST_BYTES) {
      throw new IllegalArgumentException(bytes + " bytes are too many for one call of MPI");
    }
    return (int) bytes;
  }

  private static Datatype datatype(Type type) {
    return switch (type) {
      case BYTE -> MPI.BYTE;
      case INT -> MPI.INT;
      case LONG -> MPI.LONG;
      case FLOAT -> MPI.FLOAT;
      case DOUBLE -> MPI.DOUBLE;
    };
  }

  private static mpi.Op operator(Op op) {
    return switch (op) {
      case SUM -> MPI.SUM;
      case PROD -> MPI.PROD;
      case MIN -> MPI.MIN;
      case MAX -> MPI.MAX;
      case BAND -> MPI.BAND;
      case BOR -> MPI.BOR;
      case BXOR -> MPI.BXOR;
    };
  }

  private record OpenComm(Intracomm comm) implements Comm {
    @Override
    public int rank() {
      return get("MPI_Comm_rank", comm::getRank);
    }

    @Override
    public int size() {
      return get("MPI_Comm_size", comm::getSize);
    }

    @Override
    public @Nullable Comm split(int color, int key) {
      Intracomm made =
          get("MPI_Comm_split", () -> comm.split(color < 0 ? MPI.UNDEFINED : color, key));
      if (made.isNull()) {
        return null;
      }
      run("MPI_Comm_set_errhandler", () -> made.setErrhandler(MPI.ERRORS_RETURN));
      return new OpenComm(made);
    }

    @Override
    public void free() {
      run("MPI_Comm_free", comm::free);
    }

    @Override
    public Request send(MemorySegment memory, int peer, int tag) {
      int count = bytes(memory.byteSize());
      return request("MPI_Isend", () -> comm.iSend(buffer(memory), count, MPI.BYTE, peer, tag));
    }

    @Override
    public Request receive(MemorySegment memory, int peer, int tag) {
      int count = bytes(memory.byteSize());
      return new OpenReceive(
          get("MPI_Irecv", () -> comm.iRecv(buffer(memory), count, MPI.BYTE, peer, tag)));
    }

    @Override
    public Request barrier() {
      return request("MPI_Ibarrier", comm::iBarrier);
    }

    @Override
    public Request broadcast(MemorySegment memory, int root) {
      int count = bytes(memory.byteSize());
      return request("MPI_Ibcast", () -> comm.iBcast(buffer(memory), count, MPI.BYTE, root));
    }

    @Override
    public Request allReduce(MemorySegment memory, Type type, Op op) {
      int count = bytes(memory.byteSize()) / type.bytes();
      return request(
          "MPI_Iallreduce",
          () -> comm.iAllReduce(buffer(memory), count, datatype(type), operator(op)));
    }

    @Override
    public Request reduce(MemorySegment memory, Type type, Op op, int root) {
      int count = bytes(memory.byteSize()) / type.bytes();
      return request(
          "MPI_Ireduce",
          () -> comm.iReduce(buffer(memory), count, datatype(type), operator(op), root));
    }

    @Override
    public Request allGather(MemorySegment memory, long blockBytes) {
      int count = bytes(blockBytes);
      return request("MPI_Iallgather", () -> comm.iAllGather(buffer(memory), count, MPI.BYTE));
    }

    @Override
    public Request gather(MemorySegment memory, long blockBytes, int root) {
      int count = bytes(blockBytes);
      return request("MPI_Igather", () -> comm.iGather(buffer(memory), count, MPI.BYTE, root));
    }

    @Override
    public Request scatter(MemorySegment memory, long blockBytes, int root) {
      int count = bytes(blockBytes);
      return request("MPI_Iscatter", () -> comm.iScatter(buffer(memory), count, MPI.BYTE, root));
    }

    @Override
    public Request allToAll(MemorySegment send, MemorySegment recv, long blockBytes) {
      int count = bytes(blockBytes);
      return request(
          "MPI_Ialltoall",
          () -> comm.iAllToAll(buffer(send), count, MPI.BYTE, buffer(recv), count, MPI.BYTE));
    }
  }

  private record OpenRequest(String call, mpi.Request request) implements Request {
    @Override
    public long test() {
      return get(call, request::test) ? 0 : PENDING;
    }
  }

  private record OpenReceive(mpi.Request request) implements Request {
    @Override
    public long test() {
      Status status = get("MPI_Irecv", request::testStatus);
      return status == null ? PENDING : get("MPI_Get_count", () -> status.getCount(MPI.BYTE));
    }
  }
}
