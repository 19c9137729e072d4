package dev.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.BackendUnavailableException;
import dev.tutti.comm.CommTimeoutException;
import dev.tutti.comm.spi.BackendProvider.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Communicators are made by threads that block, one for each rank. */
class SplitTurnTest {
  private static <T> List<T> onAll(int size, IntFunction<T> call)
      throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      List<Future<T>> results = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        int r = rank;
        results.add(threads.submit(() -> call.apply(r)));
      }
      List<T> all = new ArrayList<>();
      for (Future<T> result : results) {
        all.add(result.get());
      }
      return all;
    }
  }

  @Test
  void ranksAreTheRendezvousOnes() throws Exception {
    List<FakeMpi> mpi = FakeMpi.ranks(3);
    List<Context> contexts = FakeRanks.contexts(3, "mpi");
    // Another order than MPI's.
    List<MpiCommunicator> made =
        onAll(3, r -> MpiCommunicator.connect(new MpiProcess(mpi.get(2 - r)), contexts.get(r)));
    assertThat(made).hasSize(3).doesNotContainNull();
  }

  @Test
  void otherProcessesThanRanksAreRefused() {
    FakeMpi alone = FakeMpi.ranks(1).getFirst();
    Context context = FakeRanks.contexts(2, "mpi").getFirst();
    assertThatThrownBy(() -> MpiCommunicator.connect(new MpiProcess(alone), context))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("2 ranks, but MPI was started with 1 processes")
        .hasMessageContaining("mpirun -np 2");
  }

  /** Without turns each process would hold its lock in the split that the other does second. */
  @Test
  void groupsMayBeSplitAtOnceInAnyOrder() throws Exception {
    List<FakeMpi> mpi = FakeMpi.ranks(2);
    List<Context> contexts = FakeRanks.contexts(2, "mpi");
    List<MpiProcess> processes = mpi.stream().map(MpiProcess::new).toList();
    List<MpiCommunicator> parents =
        onAll(2, r -> MpiCommunicator.connect(processes.get(r), contexts.get(r)));
    // A group's corner of the store is its own.
    List<Context> corners = FakeRanks.contexts(2, "mpi");
    List<MpiCommunicator> again =
        onAll(2, r -> (MpiCommunicator) split(parents.get(r), corners.get(r), "first"));
    List<Boolean> done =
        onAll(
            4,
            i -> {
              int r = i % 2;
              MpiCommunicator parent = i < 2 ? parents.get(r) : again.get(r);
              Context child = contexts.get(r);
              for (int k = 0; k < 50; k++) {
                Objects.requireNonNull(split(parent, child, "child"));
              }
              return true;
            });
    assertThat(done).hasSize(4);
  }

  private static Object split(MpiCommunicator parent, Context like, String name) {
    Context child =
        new Context(
            name,
            1,
            like.rank(),
            like.worldRanks(),
            like.options(),
            like.order(),
            like.scratchBytes(),
            like.store(),
            Duration.ofSeconds(30),
            null,
            true);
    return Objects.requireNonNull(parent.split(child, 0, like.rank()));
  }

  @Test
  void aRankThatDoesNotComeIsWaitedForOutsideMpi() {
    FakeMpi mpi = FakeMpi.ranks(2).getFirst();
    Context context = FakeRanks.contexts(2, "mpi").getFirst();
    MpiProcess process = new MpiProcess(mpi);
    assertThatThrownBy(
            () ->
                new SplitTurn(process, context.store())
                    .split(context, 0, mpi.world(), 0, 0, Duration.ofMillis(100)))
        .isInstanceOf(CommTimeoutException.class);
    assertThat(process.tryEnter()).isTrue();
    process.exit();
  }
}
