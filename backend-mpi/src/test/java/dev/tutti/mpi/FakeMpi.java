package dev.tutti.mpi;

import dev.tutti.comm.DataType;
import dev.tutti.comm.ReduceOp;
import dev.tutti.comm.internal.reduce.ReduceKernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * MPI for ranks that share a JVM: a collective happens when the last rank has called, a message
 * when both ends have. It refuses what MPI would, such as heap memory, and what MPI would only
 * garble, such as ranks that call different collectives.
 */
final class FakeMpi implements MpiApi {
  private final Group world;
  private final int rank;
  int finished;

  private FakeMpi(Group world, int rank) {
    this.world = world;
    this.rank = rank;
  }

  /** Returns each rank's MPI. */
  static List<FakeMpi> ranks(int size) {
    Group world = new Group(size);
    List<FakeMpi> ranks = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      ranks.add(new FakeMpi(world, rank));
    }
    return ranks;
  }

  @Override
  public void init() {}

  @Override
  public void finish() {
    finished++;
  }

  @Override
  public String version() {
    return "fake";
  }

  @Override
  public FakeComm world() {
    return new FakeComm(world, rank);
  }

  /** A collective that not all ranks have called yet, or a message of which one end is missing. */
  private static final class Meeting {
    final String what;
    final Map<Integer, List<MemorySegment>> memory = new TreeMap<>();
    long result = Request.PENDING;

    Meeting(String what) {
      this.what = what;
    }

    MemorySegment of(int rank) {
      return Objects.requireNonNull(memory.get(rank)).getFirst();
    }
  }

  private record Route(int from, int to, int tag) {}

  private record Wish(int color, int key, int rank) {}

  /** What all ranks of a communicator share. */
  private static final class Group {
    final int size;
    final List<Meeting> collectives = new ArrayList<>();
    final Map<Route, ArrayDeque<Meeting>> sends = new HashMap<>();
    final Map<Route, ArrayDeque<Meeting>> receives = new HashMap<>();
    final List<Wish> wishes = new ArrayList<>();
    Map<Integer, FakeComm> made = Map.of();
    int splits;

    Group(int size) {
      this.size = size;
    }

    /** Blocks until all have called, as MPI does. */
    synchronized @Nullable FakeComm split(Wish wish) throws InterruptedException {
      int number = splits;
      wishes.add(wish);
      if (wishes.size() == size) {
        made = communicators();
        wishes.clear();
        splits++;
        notifyAll();
      }
      while (splits == number) {
        wait();
      }
      return made.get(wish.rank);
    }

    private Map<Integer, FakeComm> communicators() {
      Map<Integer, List<Wish>> byColor = new TreeMap<>();
      wishes.stream()
          .filter(wish -> wish.color >= 0)
          .sorted(
              (a, b) ->
                  a.key != b.key ? Integer.compare(a.key, b.key) : Integer.compare(a.rank, b.rank))
          .forEach(wish -> byColor.computeIfAbsent(wish.color, c -> new ArrayList<>()).add(wish));
      Map<Integer, FakeComm> result = new HashMap<>();
      for (List<Wish> members : byColor.values()) {
        Group group = new Group(members.size());
        for (int i = 0; i < members.size(); i++) {
          result.put(members.get(i).rank, new FakeComm(group, i));
        }
      }
      return result;
    }
  }

  private interface Happening {
    void happen(Meeting all);
  }

  /** One rank's communicator. */
  static final class FakeComm implements Comm {
    private final Group group;
    private final int rank;
    private int calls;
    int freed;
    @Nullable MpiFailure failure;

    private FakeComm(Group group, int rank) {
      this.group = group;
      this.rank = rank;
    }

    @Override
    public int rank() {
      return rank;
    }

    @Override
    public int size() {
      return group.size;
    }

    @Override
    public @Nullable Comm split(int color, int key) {
      try {
        return group.split(new Wish(color, key, rank));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void free() {
      freed++;
    }

    private Request collective(String what, Happening happening, MemorySegment... memory) {
      MpiFailure planned = failure;
      if (planned != null) {
        throw planned;
      }
      check(memory);
      synchronized (group) {
        int number = calls++;
        if (group.collectives.size() == number) {
          group.collectives.add(new Meeting(what));
        }
        Meeting meeting = group.collectives.get(number);
        if (!meeting.what.equals(what)) {
          throw new AssertionError(
              "rank %d calls %s where others call %s".formatted(rank, what, meeting.what));
        }
        meeting.memory.put(rank, List.of(memory));
        if (meeting.memory.size() == group.size) {
          happening.happen(meeting);
          meeting.result = 0;
        }
        return result(meeting);
      }
    }

    private static void check(MemorySegment... memory) {
      for (MemorySegment segment : memory) {
        if (!segment.isNative() || segment.byteSize() == 0 || segment.byteSize() > MOST_BYTES) {
          throw new AssertionError("MPI does not take " + segment);
        }
      }
    }

    private Request result(Meeting meeting) {
      return () -> {
        synchronized (group) {
          if (meeting.result < Request.PENDING) {
            throw new MpiFailure("MPI_Irecv", 15, true, "message truncated", null);
          }
          return meeting.result;
        }
      };
    }

    @Override
    public Request send(MemorySegment memory, int peer, int tag) {
      return message(new Route(rank, peer, tag), memory, true);
    }

    @Override
    public Request receive(MemorySegment memory, int peer, int tag) {
      return message(new Route(peer, rank, tag), memory, false);
    }

    private Request message(Route route, MemorySegment memory, boolean outgoing) {
      check(memory);
      synchronized (group) {
        ArrayDeque<Meeting> mine =
            (outgoing ? group.sends : group.receives)
                .computeIfAbsent(route, r -> new ArrayDeque<>());
        Meeting other =
            (outgoing ? group.receives : group.sends)
                .computeIfAbsent(route, r -> new ArrayDeque<>())
                .poll();
        Meeting meeting = new Meeting("message");
        meeting.memory.put(0, List.of(memory));
        if (other == null) {
          mine.add(meeting);
        } else {
          Meeting from = outgoing ? meeting : other;
          Meeting to = outgoing ? other : meeting;
          long sent = from.of(0).byteSize();
          boolean fits = sent <= to.of(0).byteSize();
          if (fits) {
            MemorySegment.copy(from.of(0), 0, to.of(0), 0, sent);
          }
          from.result = 0;
          to.result = fits ? sent : Request.PENDING - 1;
        }
        return result(meeting);
      }
    }

    @Override
    public Request barrier() {
      return collective("barrier", all -> {});
    }

    @Override
    public Request broadcast(MemorySegment memory, int root) {
      return collective(
          "broadcast of %d from %d".formatted(memory.byteSize(), root),
          all -> all.memory.values().forEach(m -> m.getFirst().copyFrom(all.of(root))),
          memory);
    }

    @Override
    public Request allReduce(MemorySegment memory, Type type, Op op) {
      return collective(
          "allReduce of %d %s %s".formatted(memory.byteSize(), type, op),
          all -> {
            MemorySegment sum = sum(all, type, op);
            all.memory.values().forEach(m -> m.getFirst().copyFrom(sum));
          },
          memory);
    }

    @Override
    public Request reduce(MemorySegment memory, Type type, Op op, int root) {
      return collective(
          "reduce of %d %s %s to %d".formatted(memory.byteSize(), type, op, root),
          all -> all.of(root).copyFrom(sum(all, type, op)),
          memory);
    }

    private MemorySegment sum(Meeting all, Type type, Op op) {
      DataType ours =
          switch (type) {
            case BYTE -> DataType.UINT8;
            case INT -> DataType.INT32;
            case LONG -> DataType.INT64;
            case FLOAT -> DataType.FLOAT32;
            case DOUBLE -> DataType.FLOAT64;
          };
      ReduceOp same =
          ReduceOp.all().stream()
              .filter(o -> o.kind().name().equals(op.name()))
              .findFirst()
              .orElseThrow();
      byte[] start = all.of(0).toArray(ValueLayout.JAVA_BYTE);
      MemorySegment sum = MemorySegment.ofArray(start);
      for (int r = 1; r < group.size; r++) {
        ReduceKernels.combine(
            same, ours, sum, 0, sum, 0, all.of(r), 0, start.length / type.bytes());
      }
      return sum;
    }

    @Override
    public Request allGather(MemorySegment memory, long block) {
      return collective(
          "allGather of " + block,
          all -> {
            for (int from = 0; from < group.size; from++) {
              for (int to = 0; to < group.size; to++) {
                copy(all.of(from), from * block, all.of(to), from * block, block);
              }
            }
          },
          memory);
    }

    @Override
    public Request gather(MemorySegment memory, long block, int root) {
      return collective(
          "gather of %d to %d".formatted(block, root),
          all -> {
            for (int from = 0; from < group.size; from++) {
              if (from != root) {
                copy(all.of(from), 0, all.of(root), from * block, block);
              }
            }
          },
          memory);
    }

    @Override
    public Request scatter(MemorySegment memory, long block, int root) {
      return collective(
          "scatter of %d from %d".formatted(block, root),
          all -> {
            for (int to = 0; to < group.size; to++) {
              if (to != root) {
                copy(all.of(root), to * block, all.of(to), 0, block);
              }
            }
          },
          memory);
    }

    @Override
    public Request allToAll(MemorySegment send, MemorySegment recv, long block) {
      return collective(
          "allToAll of " + block,
          all -> {
            for (int from = 0; from < group.size; from++) {
              for (int to = 0; to < group.size; to++) {
                MemorySegment target = Objects.requireNonNull(all.memory.get(to)).get(1);
                copy(all.of(from), to * block, target, from * block, block);
              }
            }
          },
          send,
          recv);
    }

    private static void copy(
        MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
      MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
    }
  }
}
